"""quicksort.py: the tutorial's way to rank by a pairwise classifier. A classifier on [x_i, x_j] need not say the
opposite of [x_j, x_i], and may have cycles; quicksort then gives an order that depends on the pivots."""
import numpy as np

import boosters
import datasets
import methods

PAIRS = 60000
DRAWS = 5


def sample(ranking, count, random):
    """Pairs (i, j) of documents of the same query and different label, in random order."""
    first, second = [], []
    for docs in ranking.queries():
        i, j = np.nonzero(ranking.r[docs][:, None] > ranking.r[docs][None, :])
        first.append(i + docs.start)
        second.append(j + docs.start)
    first, second = np.concatenate(first), np.concatenate(second)
    chosen = random.permutation(len(first))[:count]
    first, second = first[chosen], second[chosen]
    turned = random.random_sample(len(chosen)) < 0.5
    return np.where(turned, second, first), np.where(turned, first, second), (~turned).astype(float)


def classifier(train, validation, random):
    """p(x_i, x_j): boosted trees on the features of both documents beside each other."""
    import xgboost

    def rows(ranking, count):
        i, j, label = sample(ranking, count, random)
        x = boosters.blocks(ranking)[1]
        return xgboost.DMatrix(np.hstack([x[i], x[j]]), label=label, nthread=1)

    settings = {
        "objective": "binary:logistic",
        "tree_method": "hist",
        "max_depth": 6,
        "eta": 0.1,
        "subsample": 0.7,
        "colsample_bytree": 0.5,
        "nthread": 1,
        "seed": 1,
    }
    data, check = rows(train, PAIRS), rows(validation, PAIRS // 3)
    return xgboost.train(
        settings, data, 300, evals=[(check, "validation")], early_stopping_rounds=20, verbose_eval=False
    )


def linear(train, random):
    """w of logistic regression on differences of rows, by Newton's method: its classifier compares two scores."""
    i, j, label = sample(train, PAIRS, random)
    x = np.asarray(boosters.blocks(train)[1], float)
    d = x[i] - x[j]
    w = np.zeros(d.shape[1])
    for _ in range(15):
        p = 1 / (1 + np.exp(-np.clip(d @ w, -50, 50)))
        slope = d.T @ (p - label) + 1.0 * w
        w -= np.linalg.solve((d * (p * (1 - p))[:, None]).T @ d + np.eye(len(w)), slope)
    return w


def quicksort(items, before, random, calls):
    """The tutorial's: a random pivot; those that the classifier puts before it, the pivot, the others."""
    if len(items) < 2:
        return list(items)
    pivot = items[random.randint(len(items))]
    rest = [item for item in items if item != pivot]
    calls[0] += len(rest)
    above = [item for item in rest if before[item, pivot]]
    below = [item for item in rest if not before[item, pivot]]
    return quicksort(above, before, random, calls) + [pivot] + quicksort(below, before, random, calls)


def ndcg(labels, order):
    discount = 1 / np.log2(np.arange(2, min(10, len(labels)) + 2))
    top = len(discount)
    ideal = discount @ (np.exp2(np.sort(labels)[::-1][:top]) - 1)
    return float(discount @ (np.exp2(labels[order[:top]]) - 1) / ideal) if ideal > 0 else 0.0


def cycles(wins, random, count=200):
    """How many of `count` triples are cycles."""
    found = 0
    for _ in range(count):
        a, b, c = random.choice(len(wins), 3, replace=False)
        found += wins[a, b] == wins[b, c] == wins[c, a]
    return found


def run(job):
    try:
        import xgboost
    except ImportError:
        raise methods.Unavailable("quicksort by a classifier needs xgboost")
    paths = datasets.parts(job["collection"], job["split"], job["queries"], job["quick"])
    train, validation, test = (datasets.load(paths[part]) for part in datasets.PARTS)
    random = np.random.RandomState(datasets.SEED + job["split"])
    w = linear(train, random)
    booster = classifier(train, validation, random)
    x = boosters.blocks(test)[1]
    scores = np.asarray(x, float) @ w
    names = (
        "quicksort, [x_i, x_j]",
        "quicksort, [x_i, x_j], pivots of one draw",
        "sort by mean probability of [x_i, x_j] and [x_j, x_i]",
        "sort by number of wins",
        "quicksort, linear classifier on x_i - x_j",
        "sort by the linear score",
    )
    values = {name: [] for name in names}
    calls = dict.fromkeys(names, 0.0)
    contradicted, cyclic, triples, different, num_pairs = 0.0, 0, 0, 0, 0
    for docs in test.queries():
        size = docs.stop - docs.start
        labels, part = test.r[docs], x[docs]
        i, j = np.divmod(np.arange(size * size), size)
        p = booster.predict(
            xgboost.DMatrix(np.hstack([part[i], part[j]]), nthread=1), iteration_range=(0, booster.best_iteration + 1)
        ).reshape(size, size)
        before = p > 0.5
        off = ~np.eye(size, dtype=bool)
        contradicted += (before == before.T)[off].sum()
        num_pairs += off.sum()
        if size > 2:
            together = p > p.T
            cyclic += cycles(together, random)
            triples += 200
        of_draws = []
        for _ in range(DRAWS):
            counted = [0]
            of_draws.append(ndcg(labels, quicksort(list(range(size)), before, random, counted)))
            calls[names[0]] += counted[0] / DRAWS
        values[names[0]].append(float(np.mean(of_draws)))
        values[names[1]].append(of_draws[0])
        mean = p - p.T
        values[names[2]].append(ndcg(labels, np.argsort(-mean.sum(axis=1), kind="stable")))
        wins = np.where(off, before, 0).sum(axis=1) - np.where(off, before, 0).sum(axis=0)
        values[names[3]].append(ndcg(labels, np.argsort(-wins, kind="stable")))
        g = scores[docs]
        counted = [0]
        order = quicksort(list(range(size)), (g[:, None] > g[None, :]), random, counted)
        calls[names[4]] += counted[0]
        different += not np.array_equal(g[order], np.sort(g)[::-1])
        values[names[4]].append(ndcg(labels, np.array(order)))
        values[names[5]].append(ndcg(labels, np.argsort(-g, kind="stable")))
        calls[names[2]] += size * (size - 1)
        calls[names[3]] += size * (size - 1)
    calls[names[1]] = calls[names[0]]
    return {
        "values": values,
        "calls": {name: count / test.num_queries for name, count in calls.items()},
        "shares": {
            "pairs of which [x_i, x_j] and [x_j, x_i] are given the same answer, as a share": contradicted / num_pairs,
            "triples that are cycles of p(i, j) > p(j, i), as a share": cyclic / max(triples, 1),
            "queries whose scores quicksort by the linear classifier leaves unsorted, as a share": different
            / test.num_queries,
        },
    }
