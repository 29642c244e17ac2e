"""theory.py: four statements of the tutorial's theory, with numbers.

calibration  Regression on gains f(R) is calibrated for DCG: its minimiser, the mean gain of each document, sorts by
             expected DCG. More is true (Cossock and Zhang 2008): with discounts a and the excess squared error of a
             query, E|s - s*|^2,
                 excess DCG <= sqrt(2 sum_p a_p^2) E[|s - s*|^2]^(1/2),
             since the excess is at most sum_j (a at j's best rank - a at j's own rank) (s*_j - s_j). Here labels are
             drawn from a distribution that is known, so that both sides are computed exactly.
binary       A convex margin loss is calibrated for the 0-1 loss if and only if its slope at 0 is negative: the minimiser
             f of eta phi(f) + (1 - eta) phi(-f) then has the sign of eta - 1/2 for every eta.
expected     With labels drawn for whole lists, the ranking that is best in expectation is a sort by E f(R) for DCG and
             by E f(R) / Z(R) for NDCG. For ERR and AP it is no sort by an expectation of each document's gain.
rademacher   For linear scorers |w| <= B and the mean over a query's pairs of log(1 + exp(-w.d)) with d = x_better -
             x_worse, with probability 1 - delta,
                 risk(w) - empirical risk(w) <= 2 B / N sqrt(sum_n mean |d_n|^2) + M sqrt(log(1 / delta) / 2 N)
             for all w, M = log(1 + exp(B max |d|)) the largest loss: the Rademacher complexity is at most that of
             linear functions, since the cost is 1-Lipschitz (contraction) and a mean over pairs is no larger than what
             it is a mean of."""
import itertools

import numpy as np
from scipy.optimize import minimize

import datasets

# ---- Calibration ------------------------------------------------------------------------------

DOCS, FEATURES, LEVELS = 10, 5, 3
TOP = 10
TEST = 4000


def features(random, queries):
    return random.uniform(-1, 1, (queries, DOCS, FEATURES))


def chances(x):
    """P(label = 0, 1, 2): documents with the same mean label differ in how they come by it, so that labels and gains
    are ordered differently."""
    lean = 1 / (1 + np.exp(-2 * (x[..., 0] + 0.7 * x[..., 1] - 0.5 * x[..., 2])))
    spread = 1 / (1 + np.exp(-3 * x[..., 3]))
    top = lean * (0.25 + 0.25 * spread)
    middle = lean * (1.2 - 1.1 * spread) * 0.7
    return np.stack([1 - top - middle, middle, top], axis=-1)


def expanded(x):
    """All products of at most two features: the mean gain is near, not in, their span."""
    parts = [np.ones(x.shape[:-1] + (1,)), x]
    parts += [x[..., i : i + 1] * x[..., i:] for i in range(x.shape[-1])]
    parts += [x[..., i : i + 1] ** 2 * x for i in range(x.shape[-1])]
    return np.concatenate(parts, axis=-1).reshape(-1, sum(part.shape[-1] for part in parts))


def expected_dcg(scores, gains):
    order = np.argsort(-scores, axis=1, kind="stable")[:, :TOP]
    discount = 1 / np.log2(np.arange(2, min(TOP, DOCS) + 2))
    return (np.take_along_axis(gains, order, axis=1) * discount).sum(axis=1)


def calibration(job):
    random = np.random.RandomState(datasets.SEED)
    x = features(random, TEST)
    p = chances(x)
    gains, labels = p @ np.array([0.0, 1, 3]), p @ np.array([0.0, 1, 2])
    best = expected_dcg(gains, gains)
    factor = np.sqrt(2 * (1 / np.log2(np.arange(2, min(TOP, DOCS) + 2)) ** 2).sum())
    at = expanded(x)
    rows = []
    for queries in (30, 100, 300) if job["quick"] else (30, 100, 300, 1000, 3000, 10000, 30000):
        train = features(random, queries)
        drawn = (random.random_sample(train.shape[:2])[..., None] > chances(train).cumsum(axis=-1)[..., :2]).sum(
            axis=-1
        )
        rows_of = expanded(train)
        normal = rows_of.T @ rows_of + 1e-3 * np.eye(rows_of.shape[1])
        on_gains, on_labels = (
            (at @ np.linalg.solve(normal, rows_of.T @ target.ravel())).reshape(TEST, DOCS)
            for target in (np.exp2(drawn) - 1, drawn.astype(float))
        )
        error = ((on_gains - gains) ** 2).sum(axis=1).mean()
        excess = (best - expected_dcg(on_gains, gains)).mean()
        other = (best - expected_dcg(on_labels, gains)).mean()
        rows.append([queries, "%.4f" % error, "%.4f" % (factor * np.sqrt(error)), "%.4f" % excess, "%.4f" % other])
    limit = (best - expected_dcg(labels, gains)).mean()
    return {
        "id": "survey-calibration",
        "title": "Calibration for DCG: excess squared error on gains, its bound on excess DCG, and excess DCG",
        "columns": ["training queries", "excess squared error", "bound", "excess DCG, gains", "excess DCG, labels"],
        "rows": rows,
        "notes": [
            "ranking by the expected label itself, which regression on labels tends to, has the excess DCG %.4f"
            % limit,
            "%d test queries of %d documents with known distributions of labels; mean DCG of the best ranking %.3f"
            % (TEST, DOCS, best.mean()),
        ],
    }


# ---- Calibration of margin losses, and of other measures than DCG ----------------------------------

MARGIN_LOSSES = {
    "hinge": lambda t: np.maximum(0, 1 - t),
    "logistic": lambda t: np.logaddexp(0, -t),
    "squared": lambda t: (1 - t) ** 2,
    "exponential": lambda t: np.exp(-t),
    "perceptron, max(0, -t)": lambda t: np.maximum(0, -t),
    "max(0, -t)^2": lambda t: np.maximum(0, -t) ** 2,
}


def binary(_job):
    f = np.arange(-5000, 5001) / 1000
    chances_of_one = np.array([k / 20 for k in range(1, 20) if k != 10])
    rows = []
    for name, loss in MARGIN_LOSSES.items():
        best = [f[np.argmin(eta * loss(f) + (1 - eta) * loss(-f))] for eta in chances_of_one]
        right = np.sign(best) == np.sign(chances_of_one - 0.5)
        excess = np.where(right, 0, np.abs(2 * chances_of_one - 1))
        slopes = [(loss(np.array(h)) - loss(np.array(0.0))) / h for h in (-1e-6, 1e-6)]
        numbers = [round(float(number), 2) + 0.0 for number in (*slopes, right.mean(), excess.max())]
        rows.append([name] + ["%.2f" % number for number in numbers])
    return {
        "id": "survey-binary",
        "title": "Calibration for the 0-1 loss: minimisers of margin losses",
        "columns": ["loss", "slope below 0", "slope above 0", "share of right signs", "largest excess risk"],
        "rows": rows,
        "notes": ["chances of the class +1: .05 to .95 without .5; a score of 0 is wrong"],
    }


LISTS, SHORT, OUTCOMES = 1000, 4, 3


def value_of(measure, labels):
    """The measure of a ranked list of labels 0, 1, 2."""
    positions = np.arange(1, len(labels) + 1)
    if measure == "ERR":
        stop = (np.exp2(labels) - 1) / 4
        return (stop * np.concatenate([[1], np.cumprod(1 - stop)[:-1]]) / positions).sum()
    if measure == "AP":
        relevant = labels > 0
        return (np.cumsum(relevant) / positions)[relevant].sum() / max(1, relevant.sum())
    discounts = 1 / np.log2(positions + 1)
    dcg = (np.exp2(labels) - 1) @ discounts
    ideal = (np.exp2(np.sort(labels)[::-1]) - 1) @ discounts
    return dcg if measure == "DCG" else dcg / ideal if ideal > 0 else 0.0


def expected(job):
    """Each list has three equally frequent outcomes of the labels of four documents, drawn at random."""
    random = np.random.RandomState(datasets.SEED)
    orders = [list(order) for order in itertools.permutations(range(SHORT))]
    lost = {}
    lists = 50 if job["quick"] else LISTS
    for _ in range(lists):
        outcomes = random.choice(3, (OUTCOMES, SHORT), p=[0.5, 0.3, 0.2])
        gains = np.exp2(outcomes) - 1
        ideals = np.array([max(1e-9, value_of("DCG", np.sort(one)[::-1])) for one in outcomes])
        scores = {
            "expected gain": gains.mean(axis=0),
            "expected gain over the ideal DCG": (gains / ideals[:, None]).mean(axis=0),
            "chance of relevance": (outcomes > 0).mean(axis=0),
        }
        for measure in ("DCG", "NDCG", "ERR", "AP"):
            values = [np.mean([value_of(measure, one[order]) for one in outcomes]) for order in orders]
            for name, score in scores.items():
                here = values[orders.index(list(np.argsort(-score, kind="stable")))]
                lost.setdefault((measure, name), []).append(max(values) - here)
    rows = [
        [measure, name, "%.4f" % np.mean(excess), "%.3f" % np.mean(np.array(excess) < 1e-9)]
        for (measure, name), excess in lost.items()
    ]
    return {
        "id": "survey-expected",
        "title": "What sorts by expectations lose of the best expected measure",
        "columns": ["measure", "sorted by", "mean excess", "share of best rankings"],
        "rows": rows,
        "notes": ["%d lists of %d documents, each with %d outcomes of its labels" % (lists, SHORT, OUTCOMES)],
    }


# ---- Rademacher complexity ----------------------------------------------------------------------

PAIRS = 40
BOUND = 3.0
DELTA = 0.05
DRAWS = 5


def differences(ranking, random):
    """A query with pairs: x_better - x_worse of PAIRS of them, drawn with replacement."""
    x = np.asarray(ranking.blocks[0][1], float)
    found = []
    for docs in ranking.queries():
        i, j = np.nonzero(ranking.r[docs][:, None] > ranking.r[docs][None, :])
        if len(i):
            chosen = random.randint(len(i), size=PAIRS)
            found.append(x[docs][i[chosen]] - x[docs][j[chosen]])
    return np.array(found)


def weighted(w, d, weights):
    """sum_n weights_n cost_n(w), and its gradient."""
    margin = d @ w
    value = np.logaddexp(0, -margin).mean(axis=1) @ weights
    pull = -weights[:, None] / (1 + np.exp(margin)) / d.shape[1]
    return value, np.tensordot(pull, d, 2)


def within_ball(d, weights, steps=300):
    """The w with |w| <= BOUND of the least sum, by L-BFGS on v with w = BOUND v / sqrt(1 + |v|^2)."""

    def slope(v):
        root = np.sqrt(1 + v @ v)
        value, gradient = weighted(BOUND * v / root, d, weights)
        return value, BOUND * (gradient / root - v * (gradient @ v) / root**3)

    v = minimize(slope, np.zeros(d.shape[2]) + 1e-3, jac=True, method="L-BFGS-B", options={"maxiter": steps}).x
    return BOUND * v / np.sqrt(1 + v @ v)


def rademacher(job):
    random = np.random.RandomState(datasets.SEED)
    d = differences(datasets.mq2008()[0], random)
    order = random.permutation(len(d))
    test, pool = d[order[:160]], d[order[160:]]
    rows = []
    for size in (10, 25) if job["quick"] else (10, 25, 50, 100, 200, 400):
        repeats = 2 if job["quick"] else 10
        gaps, bounds, estimates = [], [], []
        for _ in range(repeats):
            part = pool[random.permutation(len(pool))[:size]]
            even = np.full(size, 1 / size)
            w = within_ball(part, even)
            gaps.append(weighted(w, test, np.full(len(test), 1 / len(test)))[0] - weighted(w, part, even)[0])
            complexity = 2 * BOUND / size * np.sqrt((part**2).sum(axis=2).mean(axis=1).sum())
            most = np.log1p(np.exp(BOUND * np.sqrt((part**2).sum(axis=2).max())))
            bounds.append((complexity, complexity + most * np.sqrt(np.log(1 / DELTA) / 2 / size)))
        for _ in range(DRAWS):
            signs = random.choice([-1.0, 1.0], size) / size
            values = []
            for sign in (1, -1):
                values.append(abs(weighted(within_ball(part, sign * signs), part, signs)[0]))
            estimates.append(max(values))
        rows.append(
            [
                size,
                "%.4f ± %.4f" % (np.mean(gaps), np.std(gaps, ddof=1) / np.sqrt(len(gaps))),
                "%.4f" % np.mean(estimates),
                "%.4f" % np.mean([c for c, _ in bounds]),
                "%.4f" % np.mean([whole for _, whole in bounds]),
            ]
        )
    return {
        "id": "survey-rademacher",
        "title": "Pairwise logistic cost, |w| <= %g, on MQ2008: observed gap and bound" % BOUND,
        "columns": [
            "training queries",
            "risk less empirical risk",
            "complexity of drawn signs",
            "its bound, twice",
            "the whole bound",
        ],
        "rows": rows,
        "notes": [
            "risk on 160 other queries; the cost at w = 0 is %.4f; means over %d training sets" % (np.log(2), repeats),
            "complexity of drawn signs: max over w of |mean of sign times cost|, as found by ascent from one start",
            "the whole bound holds with probability %g" % (1 - DELTA),
        ],
    }
