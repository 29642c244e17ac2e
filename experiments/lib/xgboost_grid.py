"""xgboost_grid.py: XGBoost's rankers on the grid of dorm's trees: the same features, leaves, shrinkages, shares of
documents and features, rounds, patience and, where it is asked for, bags."""
import itertools

import numpy as np
import xgboost

import letor

ROUNDS, PATIENCE = 800, 60
AVERAGE = 5  # as dorm's selection.average
BAGS = 4  # as dorm's trees.bags


def matrix(x, ranking):
    data = xgboost.DMatrix(x, label=ranking.r, nthread=1)
    data.set_group(np.diff(ranking.start))
    return data


def settings_of(objective, leaves, shrinkage, weight, seed):
    return {
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


def grown(train_data, validation_data, objective, leaves, shrinkage, weight, rounds, patience, seed=1):
    """The trees of at most `rounds` rounds, stopped after `patience` rounds without a better NDCG@10 on validation."""
    return xgboost.train(
        settings_of(objective, leaves, shrinkage, weight, seed),
        train_data,
        rounds,
        evals=[(validation_data, "validation")],
        early_stopping_rounds=patience,
        verbose_eval=False,
    )


def mean_margin(boosters, data, rounds=0):
    """The mean of the scores by the first `rounds` rounds (0: all)."""
    return np.mean([b.predict(data, iteration_range=(0, rounds), output_margin=True) for b in boosters], axis=0)


def bagged(train_data, validation, validation_data, settings, bags):
    """(boosters, rounds): `bags` boosters with seeds of their own, and the number of rounds with the best NDCG@10 of the
    mean of their scores on the validation data."""
    boosters = [
        xgboost.Booster({**settings, "seed": 1000 * settings["seed"] + bag}, [train_data, validation_data])
        for bag in range(bags)
    ]
    best_round, best_value = 0, -1
    for made in range(1, ROUNDS + 1):
        for booster in boosters:
            booster.update(train_data, made - 1)
        value = letor.ndcg_at(validation, mean_margin(boosters, validation_data), 10)
        if value > best_value:
            best_round, best_value = made, value
        if made - best_round >= PATIENCE:
            break
    return boosters, best_round


def candidates(
    train,
    validation,
    weights,
    objectives=("rank:ndcg",),
    blocks=None,
    leaves=(4, 10),
    shrinkages=(0.05, 0.2),
    seed=1,
    bags=1,
):
    """Yields (description, score) of each candidate: for each objective, block of features (without and with ranks; the
    first `blocks` of them), number of leaves, shrinkage and least sum of curvatures in a leaf."""
    for block in range(len(train.blocks))[:blocks]:
        train_data, validation_data = (matrix(r.blocks[block][1], r) for r in (train, validation))
        for objective, most_leaves, shrinkage, weight in itertools.product(objectives, leaves, shrinkages, weights):
            if bags > 1:
                settings = settings_of(objective, most_leaves, shrinkage, weight, seed)
                boosters, rounds = bagged(train_data, validation, validation_data, settings, bags)
            else:
                booster = grown(
                    train_data, validation_data, objective, most_leaves, shrinkage, weight, ROUNDS, PATIENCE, seed
                )
                boosters, rounds = [booster], booster.best_iteration + 1
            yield (
                "%s, block %d, %d leaves, shrinkage %g, weight %g, %d rounds"
                % (objective, block, most_leaves, shrinkage, weight, rounds),
                lambda ranking, boosters=boosters, rounds=rounds, block=block: mean_margin(
                    boosters, matrix(ranking.blocks[block][1], ranking), rounds
                ),
            )


def measured(train, validation, test, weights, seed=1, bags=BAGS):
    """[(NDCG@10 on the validation data, scores of the test data over the spread of the training scores)] of the candidates
    that rank anything."""
    found = []
    for _, score in candidates(train, validation, weights, seed=seed, bags=bags):
        spread = letor.spread_within_queries(train, score(train))
        if spread > 0:
            found.append((letor.ndcg_at(validation, score(validation), 10), score(test) / spread))
    return found


def mean_of_best(found):
    """The mean of the scores of the best candidates that `measured` returned."""
    best = sorted(found, key=lambda made: -made[0])[:AVERAGE]
    return np.mean([scores for _, scores in best], axis=0)
