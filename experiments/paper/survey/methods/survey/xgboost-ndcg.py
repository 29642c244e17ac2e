# title: XGBoost rank:ndcg
# needs: xgboost
# scorer: trees
# order: 19
"""The grid of the other trees: features with and without ranks, 4 and 10 leaves, three shrinkages, at most 300 rounds:
12 candidates."""
import boosters


def train(train, validation, seed):
    return boosters.candidates(train, validation, "rank:ndcg")
