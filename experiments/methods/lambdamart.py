# title: LambdaMART (XGBoost)
# experiments: figure2 figure3 figure5 figure6 figure7
# needs: xgboost
# scorer: trees
# order: 30
"""LambdaMART by XGBoost, with the objectives rank:ndcg and rank:pairwise on the grid of lib/xgboost_grid.py: 16
candidates on MQ2008. On larger data a candidate takes minutes, and there are fewer:
- where the validation data are large (artificial data, 30 and 100 queries), 8, without within-query ranks;
- where the training data are large, too, 4, without these ranks, with 10 and 30 leaves and a shrinkage of 0.2."""
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
