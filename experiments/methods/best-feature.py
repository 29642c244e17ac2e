# title: best single feature
# experiments: figure2
# order: 41
# average: 1
"""The one feature, upwards or downwards, that ranks the validation data best."""


def train(train, validation, seed):
    for feature in range(train.x.shape[1]):
        for sign in (1, -1):
            yield "feature %d, %+d" % (feature + 1, sign), lambda ranking, f=feature, s=sign: s * ranking.x[:, f]
