# title: pairwise logistic
# experiments: figure2 figure3 figure5 figure6 figure7 table1
# needs: scipy
# order: 21
"""Linear scores by logistic regression on the pairs of documents of the same query
that have different labels; every query counts alike. The ridge is 1e-5 to 1."""
import numpy as np
from scipy.optimize import minimize

RIDGES = [1.0, 0.1, 0.03, 0.01, 3e-3, 1e-3, 1e-4, 1e-5]


def pairs(ranking):
    """The documents (better, worse) and the weight of each pair: 1 over the number of
    pairs of its query, so that each query weighs 1."""
    better, worse, weight = [], [], []
    for docs in ranking.queries():
        i, j = np.nonzero(ranking.r[docs][:, None] > ranking.r[docs][None, :])
        if len(i):
            better.append(i + docs.start)
            worse.append(j + docs.start)
            weight.append(np.full(len(i), 1.0 / len(i)))
    weight = np.concatenate(weight)
    return np.concatenate(better), np.concatenate(worse), weight / weight.sum()


def train(train, validation, seed):
    better, worse, weight = pairs(train)
    for block, (name, x) in enumerate(train.blocks):
        x = np.asarray(x, np.float64 if x.size < 5e6 else np.float32)

        def objective(w, ridge):
            score = x @ w.astype(x.dtype)
            margin = (score[better] - score[worse]).astype(float)
            loss = np.logaddexp(0, -margin)
            pull = -weight / (1 + np.exp(np.clip(margin, -500, 500)))
            slope = np.bincount(better, pull, len(score)) - np.bincount(worse, pull, len(score))
            gradient = (slope.astype(x.dtype) @ x).astype(float)
            return weight @ loss + 0.5 * ridge * w @ w, gradient + ridge * w

        w = np.zeros(x.shape[1])
        for ridge in RIDGES:
            w = minimize(
                objective,
                w,
                args=(ridge,),
                jac=True,
                method="L-BFGS-B",
                options={"maxiter": 200, "ftol": 1e-7, "gtol": 1e-6},
            ).x
            yield ("%s, ridge %g" % (name, ridge), lambda ranking, w=w, block=block: ranking.blocks[block][1] @ w)
