#!/usr/bin/env python3
"""smooth.py COST DATA C [SIGMA]: the least value of 1/2 |w - w0|^2 + C/Q sum_q cost_q(X_q w) by scipy's BFGS, the cost and
its gradient written from their formulas. COST is ranknet, softmax, perturbed or smoothrank (of NDCG@10; perturbed with dorm's
fixed draws, whose generator is written down here too). For smoothrank w0 is the
query-centred ridge regression (0.15 times the mean variance), and SIGMA is the width of the Gaussians; else w0 = 0. Prints the least value, the squared length of the gradient there, and then the scores."""
import sys

import numpy as np
from scipy.optimize import minimize

kind, path, C = sys.argv[1], sys.argv[2], float(sys.argv[3])
queries = {}
for line in open(path):
    words = line.split("#")[0].split()
    row = {int(word.split(":")[0]): float(np.float32(word.split(":")[1])) for word in words[2:]}
    queries.setdefault(words[1], []).append((float(words[0]), row))
ids = sorted({i for docs in queries.values() for _, row in docs for i in row})
data = [(np.array([label for label, _ in docs]), np.array([[row.get(i, 0.0) for i in ids] for _, row in docs]))
        for docs in queries.values()]


def ranknet(y, g):
    total, slope = 0.0, np.zeros_like(g)
    for i in range(len(y)):
        for j in range(len(y)):
            if y[i] > y[j]:
                total += np.logaddexp(0, g[j] - g[i])
                force = 1 / (1 + np.exp(g[i] - g[j]))
                slope[i] -= force
                slope[j] += force
    return total, slope


def softmax(y, g):
    wanted = np.exp(y) / np.exp(y).sum()
    log_sum = np.log(np.exp(g).sum())
    return (wanted * (log_sum - g)).sum(), np.exp(g - log_sum) - wanted


def smoothrank(y, g):
    gains = 2**y - 1
    discounts = 1 / np.log2(np.arange(min(10, len(y))) + 2)
    ideal = (np.sort(gains)[::-1][: len(discounts)] * discounts).sum()
    order = np.argsort(-g, kind="stable")
    total, slope = 0.0, np.zeros_like(g)
    for p, discount in enumerate(discounts):
        apart = g - g[order[p]]
        share = np.exp(-((apart / sigma) ** 2))
        share /= share.sum()
        mixed = (share * gains).sum()
        total -= discount * mixed
        along = -discount * share * (gains - mixed) * (-2 * apart / sigma**2)
        slope += along
        slope[order[p]] -= along.sum()
    return (total / ideal, slope / ideal) if ideal > 0 else (0.0, slope)


MASK = (1 << 64) - 1


class Random:
    """xoshiro256** 1.0, seeded by splitmix64 (Blackman and Vigna 2018)."""

    def __init__(self, seed):
        self.s = []
        for _ in range(4):
            seed = (seed + 0x9E3779B97F4A7C15) & MASK
            z = (seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9 & MASK
            z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
            self.s.append(z ^ (z >> 31))

    def bits(self):
        s = self.s
        turned = s[1] * 5 & MASK
        found = ((turned << 7 | turned >> 57) & MASK) * 9 & MASK
        t = s[1] << 17 & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = (s[3] << 45 | s[3] >> 19) & MASK
        return found

    def normal(self):
        radius, angle = ((self.bits() >> 11) * 2.0**-53 for _ in range(2))
        return np.sqrt(-2 * np.log(1 - radius)) * np.cos(2 * np.pi * angle)


DRAWS, POOL, SEED = 40, 1 << 16, 1


def noise(pool, query, size):
    """The draws of a query [DRAWS][size]: stretches of one pool."""
    found = []
    for draw in range(DRAWS):
        place = 0
        for part in (SEED, 0, query, draw):  # 0: the round
            place = Random((place + part) & MASK).bits()
        found.append(pool[(place % POOL + np.arange(size)) % POOL])
    return np.array(found)


def perturbed(y, g, drawn):
    """max over rankings of <c, g + Z>, less <wanted, g>: c the discounts of NDCG@10, wanted their means over rankings by y."""
    c = np.where(np.arange(len(y)) < 10, 1 / np.log2(np.arange(len(y)) + 2), 0)
    if (y == y[0]).all():
        return 0.0, np.zeros(len(y))
    by_label = np.argsort(-y, kind="stable")
    wanted = np.zeros(len(y))
    for level in np.unique(y):
        wanted[y == level] = c[y[by_label] == level].mean()
    total, slope = -(wanted @ g), -wanted
    for z in drawn:
        order = np.argsort(-(g + z), kind="stable")
        total += c @ (g + z)[order] / DRAWS
        slope[order] += c / DRAWS
    return total, slope


w0 = np.zeros(len(ids))
if kind == "smoothrank":
    centred = [(y - y.mean(), X - X.mean(axis=0)) for y, X in data]
    S = sum(X.T @ X for _, X in centred)
    s = sum(X.T @ y for y, X in centred)
    w0 = np.linalg.solve(S + 0.15 * np.trace(S) / len(ids) * np.eye(len(ids)), s)
    sigma = float(sys.argv[4])
if kind == "perturbed":
    generator = Random(SEED)
    normals = np.array([generator.normal() for _ in range(POOL)])
    draws = [noise(normals, q, len(y)) for q, (y, _) in enumerate(data)]
cost = {"ranknet": ranknet, "softmax": softmax, "smoothrank": smoothrank, "perturbed": perturbed}[kind]


def objective(w):
    value, slope = (w - w0) @ (w - w0) / 2, w - w0
    for q, (y, X) in enumerate(data):
        own, forces = cost(y, X @ w, draws[q]) if kind == "perturbed" else cost(y, X @ w)
        value += C / len(data) * own
        slope = slope + C / len(data) * (X.T @ forces)
    return value, slope


found = minimize(objective, w0, jac=True, method="BFGS", options={"gtol": 1e-9, "maxiter": 2000})
print(repr(float(found.fun)), repr(float(found.jac @ found.jac)))
for _, X in data:
    for score in X @ found.x:
        print(repr(float(score)))
