# title: XGBoost rank:ndcg, 16 candidates
# needs: xgboost
# scorer: trees
# order: 5
"""The same, with two values of the least sum of curvatures in a leaf: sixteen candidates."""
import xgboost_grid


def train(train, validation, seed):
    return xgboost_grid.candidates(train, validation, (1, 10))
