# title: XGBoost in folds
# needs: xgboost
# scorer: trees
# order: 6
# average: 1
"""XGBoost's rank:ndcg and rank:pairwise in five folds of all labelled queries: trees of 8 and 32 leaves with a shrinkage
of 0.1 on values as they are and normalised within the query, each with leaf weights of at least 1 and 10: 16 ensembles, of
which each fold's held-out queries stop each. The five best are averaged, each the mean of its boosters."""
import numpy as np

import letor
import xgboost_grid

FOLDS, LEAVES, SHRINKAGE, WEIGHTS = 5, (8, 32), 0.1, (1, 10)
INPUTS = (lambda x, start: x, letor.min_max)


def joined(one, other):
    start = np.concatenate([one.start, other.start[1:] + one.start[-1]])
    return letor.Ranking(np.vstack([one.x, other.x]), np.concatenate([one.r, other.r]), start, one.normalise)


def grow(whole, objective, leaves, weight, values, seed):
    """The boosters of all folds, each with the spread of its scores, and the mean NDCG@10 of held-out queries."""
    order = np.random.default_rng(seed).permutation(whole.num_queries)
    boosters, value = [], 0
    for fold in range(FOLDS):
        is_held_out = np.arange(whole.num_queries) % FOLDS == fold
        parts = [whole.subset(np.sort(order[chosen])) for chosen in (~is_held_out, is_held_out)]
        data = [xgboost_grid.matrix(values(part.x, part.start), part) for part in parts]
        booster = xgboost_grid.grown(
            *data, objective, leaves, SHRINKAGE, weight, xgboost_grid.ROUNDS, xgboost_grid.PATIENCE, seed
        )
        rounds = (0, booster.best_iteration + 1)
        scores = [booster.predict(part, iteration_range=rounds, output_margin=True) for part in data]
        boosters.append((booster, rounds, letor.spread_within_queries(parts[0], scores[0])))
        value += letor.ndcg_at(parts[1], scores[1], 10) * parts[1].num_queries / whole.num_queries
    return value, values, boosters


def train(train, validation, seed):
    whole = joined(train, validation)
    made = [
        grow(whole, objective, leaves, weight, values, seed)
        for objective in ("rank:ndcg", "rank:pairwise")
        for leaves in LEAVES
        for weight in WEIGHTS
        for values in INPUTS
    ]
    best = sorted(made, key=lambda one: -one[0])[: xgboost_grid.AVERAGE]

    def score(ranking):
        total = np.zeros(len(ranking.r))
        for _, values, boosters in best:
            data = xgboost_grid.matrix(values(ranking.x, ranking.start), ranking)
            for booster, rounds, spread in boosters:
                if spread > 0:
                    total += booster.predict(data, iteration_range=rounds, output_margin=True) / spread
        return total

    yield "the mean of the %d best of %d ensembles" % (len(best), len(made)), score
