"""clicks.py: gains and estimates of a log of clicks, from their definitions and impression by impression.

  clicks.py gains DATA LOG ETA OUT      writes DATA with gains as labels, and OUT.weight
  clicks.py estimates DATA LOG ETA SCORES OTHER TOP
      prints value, error over queries, error over impressions: IPS and SNIPS of SCORES, of OTHER, of their difference
"""
import sys

import numpy as np

lines = open(sys.argv[2]).read().splitlines()
queries, starts = [], []
for number, line in enumerate(lines):
    query = line.split()[1].split(":")[1]
    if not queries or queries[-1] != query:
        queries.append(query)
        starts.append(number)
starts.append(len(lines))
eta = float(sys.argv[4])

impressions = []  # (query, [(document, position, click)])
for line in open(sys.argv[3]):
    query, document, position, click = line.split()
    if int(position) == 1:
        impressions.append((queries.index(query), []))
    impressions[-1][1].append((int(document[1:]) - 1, int(position), int(click)))


def propensity(position):
    return max(position**-eta, 0.01)


count = np.zeros(len(queries))
looks = np.zeros(len(lines))
for query, shown in impressions:
    count[query] += 1
    for document, position, click in shown:
        looks[document] += propensity(position)


def worth(query, document):
    return count[query] / looks[document]


if sys.argv[1] == "gains":
    gains = np.zeros(len(lines))
    for query, shown in impressions:
        for document, position, click in shown:
            gains[document] += click * worth(query, document) / count[query]
    with open(sys.argv[5], "w") as out:
        for gain, line in zip(gains, lines):
            out.write("%.17g %s\n" % (gain, line.split(" ", 1)[1]))
    np.savetxt(sys.argv[5] + ".weight", count, fmt="%d")
    sys.exit()


def weights(path, top):
    scores, found = np.loadtxt(path), np.zeros(len(lines))
    for begin, end in zip(starts, starts[1:]):
        for j in range(begin, end):
            before, same = np.sum(scores[begin:end] > scores[j]), np.sum(scores[begin:end] == scores[j])
            places = np.arange(before, before + same)
            found[j] = np.mean(np.where(places < top, 1 / np.log2(places + 2), 0))
    return found


def show(value, base, query):
    """A ratio of sums over impressions, and its errors."""
    ratio, errors = value.sum() / base.sum(), []
    residual = value - ratio * base
    of_queries = np.array([residual[query == q].sum() for q in sorted(set(query))])
    for units in (of_queries, residual):
        errors.append(np.sqrt(np.sum(units**2) * len(units) / (len(units) - 1)) / base.sum())
    print("%.9f %.9f %.9f" % (ratio, *errors))


first, other = (weights(path, int(sys.argv[7])) for path in sys.argv[5:7])
query = np.array([query for query, shown in impressions])
for position_weights in (first, other, first - other):
    value, mass = np.zeros(len(impressions)), np.zeros(len(impressions))
    for i, (q, shown) in enumerate(impressions):
        for document, position, click in shown:
            value[i] += click * worth(q, document) * position_weights[document]
            mass[i] += click * worth(q, document)
    show(value, np.ones(len(impressions)), query)
    show(value, mass, query)
