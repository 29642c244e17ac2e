# title: LambdaMART (XGBoost)
# experiments: figure2 figure3 figure5 figure6 figure7
# needs: xgboost
# scorer: trees
# order: 30
"""LambdaMART by XGBoost, tuned as hard as dorm's trees: the objectives rank:ndcg and rank:pairwise on the grid of
lib/xgboost_grid.py, with and without within-query ranks, 16 candidates; where the training or validation data are large,
so that trees take minutes, without ranks, 8 candidates; where the training data are, with 10 and 30 leaves and a
shrinkage of 0.2: 4 candidates."""
import xgboost_grid

OBJECTIVES = ("rank:ndcg", "rank:pairwise")
LARGE = 5e6


def train(train, validation, seed):
    if train.x.size > LARGE:
        return xgboost_grid.candidates(
            train, validation, (10,), OBJECTIVES, blocks=1, leaves=(10, 30), shrinkages=(0.2,)
        )
    blocks = 1 if validation.x.size > LARGE else None
    return xgboost_grid.candidates(train, validation, (1,), OBJECTIVES, blocks=blocks)
