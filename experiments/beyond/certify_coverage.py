"""certify_coverage.py FOLDER DRAWS: the table of certify.sh on standard output."""

import sys

import dorm
import numpy as np

folder, draws = sys.argv[1], int(sys.argv[2])


def ndcg_of_mq2008():
    """NDCG@10 of each query by feature 25 (BM25 of the whole document)."""
    values = []
    for fold in range(1, 6):
        data = dorm.read_letor(f"{folder}/Fold{fold}/test.txt")
        values.append(dorm.evaluate(data, np.asarray(data.X)[:, 24], measures="ndcg@10").per_query)
    return np.concatenate(values)


mq2008 = ndcg_of_mq2008()
random = np.random.RandomState(1)
distributions = (
    ("uniform", 0.5, lambda n: random.uniform(size=n)),
    ("beta(2, 5)", 2 / 7, lambda n: random.beta(2, 5, n)),
    ("beta(1/2, 1/2)", 0.5, lambda n: random.beta(0.5, 0.5, n)),
    ("0 or 1, mean .1", 0.1, lambda n: (random.uniform(size=n) < 0.1) * 1.0),
    ("0 or 1, mean .9", 0.9, lambda n: (random.uniform(size=n) < 0.9) * 1.0),
    ("0 or 1, mean .99", 0.99, lambda n: (random.uniform(size=n) < 0.99) * 1.0),
    ("MQ2008", mq2008.mean(), lambda n: random.choice(mq2008, n)),
)
print("queries\tdistribution\tbound too high, %\tnormal bound too high, %\twidth / normal width")
for n in (50, 200, 1000):
    for name, mean, draw in distributions:
        wrong = normal_wrong = width = normal_width = 0
        for _ in range(draws):
            values = draw(n)
            bound = dorm.lower_bound(values)
            normal = 1.6448536269514722 * values.std(ddof=1) / np.sqrt(n)
            wrong += bound.lower > mean
            normal_wrong += values.mean() - normal > mean
            width += values.mean() - bound.lower
            normal_width += normal
        print(f"{n}\t{name}\t{100 * wrong / draws:.2f}\t{100 * normal_wrong / draws:.2f}\t{width / normal_width:.3f}", flush=True)
