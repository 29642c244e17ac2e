"""Stochastic gradient descent on pairs of documents, as sofia-ml's `pegasos` learner with `rank` sampling does (Sculley
2009): each step draws a query, and a pair of its documents of different labels, and takes a Pegasos step on the hinge of
their difference. Here queries come in their order, and each gives as many pairs as it has documents."""

import numpy as np

PENALTIES = (0.1, 0.01, 0.001)


def read(path):
    """Queries of LETOR text: a list of (features scaled to [0, 1] within the query, labels)."""
    queries, rows, labels, last = [], [], [], None

    def close():
        x = np.array(rows)
        low, spread = x.min(axis=0), np.ptp(x, axis=0)
        queries.append(((x - low) / np.where(spread > 0, spread, 1), np.array(labels)))

    with open(path) as file:
        for line in file:
            words = line.split("#")[0].split()
            if words[1] != last and rows:
                close()
                rows, labels = [], []
            last = words[1]
            labels.append(float(words[0]))
            rows.append([float(word.split(":")[1]) for word in words[2:]])
    close()
    return queries


def train(queries, penalty, seed=1):
    random = np.random.default_rng(seed)
    w = np.zeros(queries[0][0].shape[1])
    step = 0
    for x, labels in queries:
        count = len(labels)
        firsts, seconds = random.integers(count, size=count), random.integers(count, size=count)
        for first, second in zip(firsts, seconds):
            if labels[first] == labels[second]:
                continue
            step += 1
            difference = x[first] - x[second] if labels[first] > labels[second] else x[second] - x[first]
            margin = w @ difference
            w *= 1 - 1 / step
            if margin < 1:
                w += difference / (penalty * step)
    return w


def ndcg_of(labels, scores, top=10):
    discounts = 1 / np.log2(np.arange(2, top + 2))
    gains = 2.0 ** labels - 1
    found, ideal = gains[np.argsort(-scores, kind="stable")][:top], np.sort(gains)[::-1][:top]
    best = ideal @ discounts[:len(ideal)]
    return found @ discounts[:len(found)] / best if best > 0 else 0.0


def ndcg(queries, w):
    return float(np.mean([ndcg_of(labels, x @ w) for x, labels in queries]))


def ndcg_of_scores(queries, path):
    """The same for a file with one score per document."""
    scores, at, values = np.loadtxt(path), 0, []
    for _, labels in queries:
        values.append(ndcg_of(labels, scores[at:at + len(labels)]))
        at += len(labels)
    return float(np.mean(values))
