# title: multiclass SVM, expected gain
# experiments: figure2 figure3 figure7 table1
# collections: mq2008 page-blocks pendigits optdigits covertype
# needs: liblinear-train
# scorer: per class
# order: 24
"""Multiclass SVM of Crammer and Singer (liblinear), one linear function a class;
documents are ranked by the expected gain under a softmax of the class scores,
whose sharpness the validation data choose. Not one linear scorer."""
import numpy as np

import liblinear


def train(train, validation, seed):
    for block, (name, x) in enumerate(train.blocks):
        path = liblinear.scratch("classes")
        liblinear.write(x, train.r, path)
        for C in liblinear.CS:
            labels, weights = liblinear.train(path, 4, C, x.shape[1])
            if len(weights) == 1:  # of two classes liblinear keeps one row
                weights = np.vstack([weights[0], -weights[0]])
            gain = np.exp2(labels) - 1
            for sharpness in (0.3, 1, 3, 10, 30):

                def score(ranking, weights=weights, gain=gain, sharpness=sharpness, block=block):
                    f = sharpness * (ranking.blocks[block][1] @ weights.T)
                    chance = np.exp(f - f.max(axis=1, keepdims=True))
                    return chance @ gain / chance.sum(axis=1)

                yield "%s, C %g, sharpness %g" % (name, C, sharpness), score
