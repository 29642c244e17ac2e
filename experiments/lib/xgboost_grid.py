"""xgboost_grid.py: XGBoost's rank:ndcg on the grid of dorm's trees: the same features, leaves, shrinkages, shares of
documents and features, rounds and patience."""
import numpy as np
import xgboost

ROUNDS, PATIENCE = 800, 60


def matrix(x, ranking):
    data = xgboost.DMatrix(x, label=ranking.r, nthread=1)
    data.set_group(np.diff(ranking.start))
    return data


def candidates(train, validation, weights):
    """Yields (description, score) of each candidate, for each of the least sums of curvatures in a leaf."""
    for block in range(len(train.blocks)):
        train_data, validation_data = (matrix(r.blocks[block][1], r) for r in (train, validation))
        for leaves in (4, 10):
            for shrinkage in (0.05, 0.2):
                for weight in weights:
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
                    yield (
                        "block %d, %d leaves, shrinkage %g, weight %g, %d rounds"
                        % (block, leaves, shrinkage, weight, rounds[1]),
                        lambda ranking, booster=booster, rounds=rounds, block=block: booster.predict(
                            matrix(ranking.blocks[block][1], ranking), iteration_range=rounds, output_margin=True
                        ),
                    )
