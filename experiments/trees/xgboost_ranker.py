"""xgboost_ranker.py TRAIN VALIDATION TEST SCORES: XGBoost's rank:ndcg on the grid of dorm's trees in `run`: the same
features, leaves, shrinkages, shares, rounds and patience, and the mean of the five candidates with the best validation
NDCG@10, each divided by the spread of its scores within queries. Writes the scores of the test documents.

Two things are XGBoost's own: a leaf's least size is a sum of curvatures (min_child_weight, tried at 1 and 10), and the
penalty of leaf values is its default."""
import os
import sys

import numpy as np
import xgboost

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import letor  # noqa: E402

ROUNDS, PATIENCE, AVERAGE = 800, 60, 5


def matrix(x, ranking):
    data = xgboost.DMatrix(x, label=ranking.r, nthread=1)
    data.set_group(np.diff(ranking.start))
    return data


def candidates(train, validation, test):
    for block in range(len(train.blocks)):
        train_data, validation_data, test_data = (matrix(r.blocks[block][1], r) for r in (train, validation, test))
        for leaves in (4, 10):
            for shrinkage in (0.05, 0.2):
                for weight in (1, 10):
                    settings = {
                        "objective": "rank:ndcg",
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
                        "seed": 1,
                    }
                    booster = xgboost.train(
                        settings,
                        train_data,
                        ROUNDS,
                        evals=[(validation_data, "validation")],
                        early_stopping_rounds=PATIENCE,
                        verbose_eval=False,
                    )
                    rounds = (0, booster.best_iteration + 1)
                    scale = letor.spread_within_queries(
                        train, booster.predict(train_data, iteration_range=rounds, output_margin=True)
                    )
                    if scale > 0:
                        yield booster.best_score, booster.predict(
                            test_data, iteration_range=rounds, output_margin=True
                        ) / scale


def main():
    train, validation, test = (letor.read(path)[0] for path in sys.argv[1:4])
    best = sorted(candidates(train, validation, test), key=lambda made: -made[0])[:AVERAGE]
    np.savetxt(sys.argv[4], np.mean([scores for _, scores in best], axis=0), fmt="%.9g")


main()
