# title: LambdaMART (XGBoost)
# experiments: figure2 figure3 figure5 figure6
# needs: xgboost
# scorer: trees
# order: 30
"""LambdaMART (Burges 2010) by XGBoost: rank:ndcg, depth 2, 4 and 6, at most 300
trees at a rate of 0.1, stopped early by NDCG@10 on the validation data. On large
data, for which 300 such trees are too few: a rate of 0.3, at most 1,000 trees, and
more documents in each leaf."""
import numpy as np
import xgboost


def train(train, validation, seed):
    def matrix(ranking):
        data = xgboost.DMatrix(ranking.blocks[0][1], label=ranking.r, nthread=1)
        data.set_group(np.diff(ranking.start))
        return data

    matrices = {id(ranking): matrix(ranking) for ranking in (train, validation)}

    def scores(ranking, booster, trees):
        if id(ranking) not in matrices:
            matrices[id(ranking)] = matrix(ranking)
        return booster.predict(matrices[id(ranking)], iteration_range=(0, trees), output_margin=True)

    is_large = train.x.size > 5e6
    small_grid = ((2, 1.0), (4, 1.0), (4, 10.0), (6, 1.0), (6, 10.0))
    for depth, weight in ((4, 10.0), (6, 10.0), (6, 30.0)) if is_large else small_grid:
        settings = {
            "objective": "rank:ndcg",
            "eta": 0.3 if is_large else 0.1,
            "max_depth": depth,
            "min_child_weight": weight,
            "nthread": 1,
            "seed": seed % 2**31,
            "eval_metric": "ndcg@10-",
            "tree_method": "hist",
        }
        booster = xgboost.train(
            settings,
            matrices[id(train)],
            1000 if is_large else 300,
            evals=[(matrices[id(validation)], "validation")],
            early_stopping_rounds=30,
            verbose_eval=False,
        )
        trees = booster.best_iteration + 1
        yield (
            "depth %d, child weight %g, %d trees" % (depth, weight, trees),
            lambda ranking, booster=booster, trees=trees: scores(ranking, booster, trees),
        )
