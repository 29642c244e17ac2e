"""xgboost_grid.py: XGBoost's rankers on the grid of dorm's trees: the same features, leaves, shrinkages, shares of
documents and features, rounds and patience."""
import itertools

import numpy as np
import xgboost

import letor

ROUNDS, PATIENCE = 800, 60
AVERAGE = 5  # as dorm's selection.average


def matrix(x, ranking):
    data = xgboost.DMatrix(x, label=ranking.r, nthread=1)
    data.set_group(np.diff(ranking.start))
    return data


def grown(train_data, validation_data, objective, leaves, shrinkage, weight, rounds, patience, seed=1):
    """The trees of at most `rounds` rounds, stopped after `patience` rounds without a better NDCG@10 on validation."""
    settings = {
        "objective": objective,
        "eval_metric": "ndcg@10-",
        "tree_method": "hist",
        "grow_policy": "lossguide",
        "max_depth": 0,
        "max_leaves": leaves,
        "eta": shrinkage,
        "subsample": 0.7,
        "colsample_bytree": 0.5,
        "min_child_weight": weight,
        "nthread": 1,
        "seed": seed,
    }
    return xgboost.train(
        settings,
        train_data,
        rounds,
        evals=[(validation_data, "validation")],
        early_stopping_rounds=patience,
        verbose_eval=False,
    )


def candidates(
    train, validation, weights, objectives=("rank:ndcg",), blocks=None, leaves=(4, 10), shrinkages=(0.05, 0.2), seed=1
):
    """Yields (description, score) of each candidate: for each objective, block of features (without and with ranks; the
    first `blocks` of them), number of leaves, shrinkage and least sum of curvatures in a leaf."""
    for block in range(len(train.blocks))[:blocks]:
        train_data, validation_data = (matrix(r.blocks[block][1], r) for r in (train, validation))
        for objective, most_leaves, shrinkage, weight in itertools.product(objectives, leaves, shrinkages, weights):
            booster = grown(
                train_data, validation_data, objective, most_leaves, shrinkage, weight, ROUNDS, PATIENCE, seed
            )
            rounds = (0, booster.best_iteration + 1)
            yield (
                "%s, block %d, %d leaves, shrinkage %g, weight %g, %d rounds"
                % (objective, block, most_leaves, shrinkage, weight, rounds[1]),
                lambda ranking, booster=booster, rounds=rounds, block=block: booster.predict(
                    matrix(ranking.blocks[block][1], ranking), iteration_range=rounds, output_margin=True
                ),
            )


def measured(train, validation, test, weights, seed=1):
    """[(NDCG@10 on the validation data, scores of the test data over the spread of the training scores)] of the candidates
    that rank anything."""
    found = []
    for _, score in candidates(train, validation, weights, seed=seed):
        spread = letor.spread_within_queries(train, score(train))
        if spread > 0:
            found.append((letor.ndcg_at(validation, score(validation), 10), score(test) / spread))
    return found


def measured_in_folds(whole, test, weights, num_folds, seed=1):
    """The same for a cross-validation: the mean NDCG@10 over the held-out queries of all folds, and the mean of the scores
    of the boosters of all folds, each of which the held-out queries of its fold stopped."""
    order = np.random.default_rng(seed).permutation(whole.num_queries)
    values, scores = {}, {}
    for fold in range(num_folds):
        is_held_out = np.arange(whole.num_queries) % num_folds == fold
        train, held_out = (whole.subset(np.sort(order[chosen])) for chosen in (~is_held_out, is_held_out))
        for number, (_, score) in enumerate(candidates(train, held_out, weights, seed=seed)):
            spread = letor.spread_within_queries(train, score(train))
            value = letor.ndcg_at(held_out, score(held_out), 10) * held_out.num_queries / whole.num_queries
            values[number] = values.get(number, 0) + value
            scores[number] = scores.get(number, 0) + (score(test) / spread / num_folds if spread > 0 else 0)
    return [(values[number], scores[number]) for number in values]


def mean_of_best(found):
    """The mean of the scores of the best candidates that `measured` returned."""
    best = sorted(found, key=lambda made: -made[0])[:AVERAGE]
    return np.mean([scores for _, scores in best], axis=0)
