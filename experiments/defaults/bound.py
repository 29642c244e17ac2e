"""bound.py: the bound on the steps of column generation (Tsochantaridis et al. 2005, as the paper cites it) beside
the passes of the solver.

    bound.py NAME FILE [NAME FILE]... < MEASURED

MEASURED has lines `NAME C gap passes primal`, with tabs. FILE holds the training data. Prints the table that
README.md explains, with tabs.
"""
import sys

import numpy as np

import letor

TRUNCATION = 10
GREATEST_LOSS = 1.0  # of NDCG


def radius(x, a):
    """A bound on the length of the difference of the feature maps of two rankings of documents x [docs][features]:
    the weights of positions of both have the same sum, so x may be centred, and the longest documents weigh most."""
    lengths = np.sort(np.linalg.norm(x - x.mean(axis=0), axis=1))[::-1]
    count = min(len(lengths), len(a))
    return 2 * float(a[:count] @ lengths[:count])


def problem(path):
    """The number of queries in which some ranking costs more than another, and the largest radius of them."""
    ranking, _ = letor.read(path)
    x = letor.min_max(ranking.x.astype(float), ranking.start)
    a = 1 / np.log2(np.arange(TRUNCATION) + 2)
    training = [docs for docs in ranking.queries() if len(set(ranking.r[docs])) > 1]
    return len(training), max(radius(x[docs], a) for docs in training)


def main():
    problems = dict(zip(sys.argv[1::2], (problem(path) for path in sys.argv[2::2])))
    print("data\tC\tgap\tqueries n\tR\tepsilon\t2n/epsilon\t8CR^2/epsilon^2\tbound\trankings at most\tbound over these")
    for line in sys.stdin:
        name, C, gap, passes, primal = line.rstrip("\n").split("\t")
        n, R = problems[name]
        epsilon = float(gap) * float(primal) / float(C)
        terms = (2 * n * GREATEST_LOSS / epsilon, 8 * float(C) * GREATEST_LOSS * R**2 / epsilon**2)
        rankings = n * int(passes)
        cells = [name, C, gap, n, "%.2f" % R, "%.2e" % epsilon]
        cells += ["%.1e" % term for term in terms] + ["%.1e" % max(terms), rankings, "%.0e" % (max(terms) / rankings)]
        print("\t".join(map(str, cells)))


main()
