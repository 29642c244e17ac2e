# title: XGBoost rank:ndcg
# needs: xgboost
# scorer: trees
# order: 4
"""The grid of dorm's trees: features with and without ranks, 4 and 10 leaves, two shrinkages; XGBoost's own default for the
least sum of curvatures in a leaf. Eight candidates."""
import xgboost_grid


def train(train, validation, seed):
    return xgboost_grid.candidates(train, validation, (1,))
