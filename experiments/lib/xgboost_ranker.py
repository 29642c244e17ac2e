"""xgboost_ranker.py TRAIN VALIDATION TEST SCORES [ROUNDS]: XGBoost's rank:ndcg on the grid of dorm's trees in `run`: the same
features, leaves, shrinkages, shares, rounds and patience, and the mean of the five candidates with the best validation
NDCG@10, each divided by the spread of its scores within queries. Writes the scores of the test documents.

With `-` for VALIDATION five folds of the training data take its place, and a candidate is the mean of the boosters of all
folds, each stopped by the queries that it has not seen.

With ROUNDS there is one candidate, as in the experiment mcrank: so many rounds, none left out, of 10 leaves with
shrinkage 0.05, on all documents and features, which are taken as they are.

Two things are XGBoost's own: a leaf's least size is a sum of curvatures (min_child_weight, tried at 1 and 10), and the
penalty of leaf values is its default."""
import os
import sys

import numpy as np
import xgboost

import letor
import xgboost_grid


def single(train, test, rounds):
    settings = {
        "objective": "rank:ndcg",
        "tree_method": "hist",
        "grow_policy": "lossguide",
        "max_depth": 0,
        "max_leaves": 10,
        "eta": 0.05,
        "nthread": 1,
        "seed": 1,
    }
    return xgboost.train(settings, xgboost_grid.matrix(train.x, train), rounds).predict(
        xgboost_grid.matrix(test.x, test), output_margin=True
    )


def main():
    train, validation, test = (None if path == "-" else letor.read(path)[0] for path in sys.argv[1:4])
    if len(sys.argv) > 5:
        scores = single(train, test, int(sys.argv[5]))
    elif not validation:
        scores = xgboost_grid.mean_of_best(xgboost_grid.measured_in_folds(train, test, (1, 10), 5))
    else:
        scores = xgboost_grid.mean_of_best(xgboost_grid.measured(train, validation, test, (1, 10)))
    np.savetxt(sys.argv[4], scores, fmt="%.9g")


main()
