"""lemma.py: Lemma 1 of McRank on random labels and classes, as a table on standard output.

For n documents with labels y and classes y' of 0 to 4, position weights c and a ranking by class,

    ideal DCG - DCG <= 15 sqrt(2) (sum c^2 - n prod c^(2/n))^(1/2) (number of y != y')^(1/2).

Documents of one class are ranked by rising label, the worst case. A third of the draws have random classes, a third move
some labels by one, and a third put some documents into the lowest class."""
import numpy as np

import datasets

LEVELS, DRAWS = 5, 500


def weights(num_docs, truncation):
    c = 1 / np.log2(np.arange(2, num_docs + 2))
    c[truncation:] = 0
    return c


def draw(random, num_docs, kind):
    """Labels and classes."""
    labels = random.choice(LEVELS, num_docs, p=[0.4, 0.2, 0.15, 0.15, 0.1])
    wrong = random.random_sample(num_docs) < random.random_sample()
    if kind == 0:
        classes = np.where(wrong, random.randint(LEVELS, size=num_docs), labels)
    elif kind == 1:
        classes = np.clip(labels + wrong * random.choice([-1, 1], num_docs), 0, LEVELS - 1)
    else:
        classes = np.where(wrong, 0, labels)
    return labels, classes


def share(labels, classes, c):
    """The DCG that is lost as a share of the bound; 0 if no class is wrong."""
    gains = np.exp2(labels) - 1
    lost = c @ -np.sort(-gains) - c @ gains[np.lexsort((labels, -classes))]
    n = len(labels)
    spread = c @ c - (n * np.exp(2 / n * np.log(c).sum()) if c.all() else 0)
    bound = 15 * np.sqrt(2 * max(0.0, spread) * np.count_nonzero(labels != classes))
    return lost / bound if bound > 0 else 0.0


def main():
    random = np.random.RandomState(datasets.SEED)
    print("documents\ttruncation\tdraws\tlargest share of the bound\tmean share")
    for num_docs, truncation in ((2, 2), (5, 5), (10, 10), (50, 50), (50, 10), (200, 10)):
        c = weights(num_docs, truncation)
        shares = [share(*draw(random, num_docs, k % 3), c) for k in range(DRAWS)]
        print("%d\t%d\t%d\t%.4f\t%.4f" % (num_docs, truncation, DRAWS, max(shares), np.mean(shares)))


main()
