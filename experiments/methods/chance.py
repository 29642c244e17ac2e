# title: chance
# experiments: figure2 table1
# scorer: none
# order: 99
"""Ranks by random scores."""
import numpy as np


def train(train, validation, seed):
    yield "random", lambda ranking: np.random.RandomState((seed + len(ranking.r)) % 2**31).random_sample(
        len(ranking.r)
    )
