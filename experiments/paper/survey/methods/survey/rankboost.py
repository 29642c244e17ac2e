# title: RankBoost
# scorer: stumps
# order: 8
"""RankBoost (Freund et al. 2003) with thresholds of single features as weak rankers, at most 64 thresholds a feature:
h(x) is 1 where x >= the threshold. With D the distribution over pairs of documents of different label, a round takes
the h of the largest |r|, r = sum over pairs D (h(better) - h(worse)), gives it the step 1/2 log((1 + r) / (1 - r)), and
multiplies D by exp(-step (h(better) - h(worse))). 12 candidates, which are numbers of rounds. It is given the features
beside their ranks within the query, since thresholds of ranks are not thresholds of features."""
import numpy as np

import boosters

ROUNDS = (5, 10, 20, 30, 50, 75, 100, 125, 150, 200, 250, 300)
BINS = 64


class Stumps:
    """A score for rows: the sum of the steps of the thresholds that they reach."""

    def __init__(self, stumps):
        self.stumps = list(stumps)
        self.num_bytes = 20 * len(self.stumps)  # feature, threshold, step

    def __call__(self, ranking):
        x = boosters.blocks(ranking)[1]
        scores = np.zeros(len(x))
        for feature, threshold, step in self.stumps:
            scores += step * (x[:, feature] >= threshold)
        return scores


def pairs(ranking):
    better, worse = [], []
    for docs in ranking.queries():
        i, j = np.nonzero(ranking.r[docs][:, None] > ranking.r[docs][None, :])
        better.append(i + docs.start)
        worse.append(j + docs.start)
    return np.concatenate(better), np.concatenate(worse)


def train(train, validation, seed):
    x = boosters.blocks(train)[1]
    better, worse = pairs(train)
    edges = [np.unique(np.quantile(x[:, f], np.linspace(0, 1, BINS + 1)[1:])) for f in range(x.shape[1])]
    bins = np.stack([np.searchsorted(e, x[:, f], side="right") for f, e in enumerate(edges)], axis=1)
    places = (bins + (BINS + 1) * np.arange(x.shape[1])).ravel()
    weight = np.full(len(better), 1.0 / max(len(better), 1))
    stumps = []
    for number in range(1, ROUNDS[-1] + 1):
        pull = np.bincount(better, weight, len(x)) - np.bincount(worse, weight, len(x))
        moved = np.flatnonzero(pull)
        table = np.bincount(
            places.reshape(x.shape)[moved].ravel(), np.repeat(pull[moved], x.shape[1]), (BINS + 1) * x.shape[1]
        )
        above = np.cumsum(table.reshape(x.shape[1], BINS + 1)[:, ::-1], axis=1)[:, ::-1]  # r of h = [bin >= k]
        feature, k = np.unravel_index(np.argmax(np.abs(above[:, 1:])), (x.shape[1], BINS))
        r = float(np.clip(above[feature, k + 1], -1 + 1e-9, 1 - 1e-9))
        step = 0.5 * np.log((1 + r) / (1 - r))
        h = bins[:, feature] >= k + 1
        stumps.append((feature, edges[feature][min(k, len(edges[feature]) - 1)], step))
        weight *= np.exp(-step * (h[better].astype(float) - h[worse]))
        weight /= weight.sum()
        if number in ROUNDS:
            yield "%d rounds" % number, Stumps(stumps)
