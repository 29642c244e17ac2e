"""boosters.py: what the survey's methods in Python share: the two blocks of features, and XGBoost's rankers on the grid
that the survey gives to all trees."""
import numpy as np

import letor

ROUNDS, PATIENCE = 300, 30
_made = {}


def blocks(ranking):
    """The features, and the features beside half their mid-ranks within the query, as dorm's rank_block = 0, 0.5 makes
    them; within [0, 1] of their query where the ranking asks for that."""
    if len(ranking.blocks) == 2:
        return [x for _, x in ranking.blocks]
    if id(ranking) not in _made:
        x = ranking.blocks[0][1]
        _made.clear() if len(_made) > 8 else None
        _made[id(ranking)] = (ranking, [x, np.hstack([x, 0.5 * letor.mid_ranks(x, ranking.start)])])
    return _made[id(ranking)][1]


def matrix(block, ranking):
    import xgboost_grid

    return xgboost_grid.matrix(blocks(ranking)[block], ranking)


class Booster:
    """The score that the trees of some rounds give."""

    def __init__(self, booster, rounds, block):
        self.booster, self.rounds, self.block = booster, rounds, block
        self.num_bytes = len(booster[:rounds].save_raw("ubj"))

    def __call__(self, ranking):
        return self.booster.predict(matrix(self.block, ranking), iteration_range=(0, self.rounds), output_margin=True)


def candidates(train, validation, objective):
    import xgboost_grid

    for block in range(2):
        train_data, validation_data = (matrix(block, ranking) for ranking in (train, validation))
        for leaves in (4, 10):
            for shrinkage in (0.05, 0.1, 0.2):
                booster = xgboost_grid.grown(
                    train_data, validation_data, objective, leaves, shrinkage, 1, ROUNDS, PATIENCE
                )
                rounds = booster.best_iteration + 1
                yield (
                    "block %d, %d leaves, shrinkage %g, %d rounds" % (block, leaves, shrinkage, rounds),
                    Booster(booster, rounds, block),
                )
