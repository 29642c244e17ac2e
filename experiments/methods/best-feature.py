# title: best single feature
# experiments: figure2
# order: 41
# average: 1
"""Ranks by the one feature, ascending or descending, that is best on the validation data."""


def train(train, validation, seed):
    for feature in range(train.x.shape[1]):
        for sign in (1, -1):
            yield "feature %d, %+d" % (feature + 1, sign), lambda ranking, f=feature, s=sign: s * ranking.x[:, f]
