#!/usr/bin/env python3
"""adarank.py DATA ROUNDS MEASURE REPEATS: AdaRank (Xu and Li 2007) on the features as they are, in plain Python. MEASURE is ndcg@10
or map; a feature is chosen at most REPEATS times in a row, 0: any number. Prints the chosen feature and the step of each round to standard error, and the scores of all documents."""
import math
import sys

path, rounds, kind = sys.argv[1], int(sys.argv[2]), sys.argv[3]
queries = {}
for line in open(path):
    words = line.split("#")[0].split()
    row = {int(word.split(":")[0]): float(word.split(":")[1]) for word in words[2:]}
    queries.setdefault(words[1], []).append((float(words[0]), row))
ids = sorted({i for docs in queries.values() for _, row in docs for i in row})


def worth(labels, scores):
    ranked = [labels[j] for j in sorted(range(len(labels)), key=lambda j: -scores[j])]  # stable: ties by order
    if kind == "map":
        hits = [p for p, label in enumerate(ranked) if label >= 1]
        return sum((n + 1) / (p + 1) for n, p in enumerate(hits)) / len(hits) if hits else 0.0
    dcg = lambda values: sum((2**label - 1) / math.log2(p + 2) for p, label in enumerate(values[:10]))
    ideal = dcg(sorted(labels, reverse=True))
    return dcg(ranked) / ideal if ideal else 0.0


labels = [[label for label, _ in docs] for docs in queries.values()]
column = {i: [[row.get(i, 0.0) for _, row in docs] for docs in queries.values()] for i in ids}
of_feature = {i: [worth(y, x) for y, x in zip(labels, column[i])] for i in ids}
weights = {i: 0.0 for i in ids}
share = [1 / len(labels)] * len(labels)
chosen = []
for t in range(rounds):
    tired = chosen[-1] if chosen else None
    best = max((i for i in ids if i != tired), key=lambda i: sum(p * e for p, e in zip(share, of_feature[i])))
    chosen.append(best)
    mean = sum(p * e for p, e in zip(share, of_feature[best]))
    weights[best] += 0.5 * math.log((1 + mean) / (1 - mean))
    print(t + 1, best, mean, file=sys.stderr)
    scores = [[sum(weights[i] * column[i][q][j] for i in ids) for j in range(len(y))] for q, y in enumerate(labels)]
    share = [math.exp(-worth(y, s)) for y, s in zip(labels, scores)]
    share = [p / sum(share) for p in share]
for s in scores:
    for score in s:
        print(repr(score))
