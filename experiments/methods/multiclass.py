# title: multiclass SVM, expected gain
# experiments: figure2 figure3 figure5 figure6 figure7 table1
# needs: liblinear-train
# scorer: per class
# order: 24
"""Multiclass SVM (liblinear) with one linear function per class, by Crammer and
Singer and by one against the rest. Documents are ranked by the expected gain under a
softmax of the class scores, whose sharpness the validation data choose; this is not
one linear scorer. C multiplies a sum over documents; where these are very many, for
which liblinear takes minutes at C = 1, its values are smaller."""
import numpy as np

import liblinear

KINDS = ((4, "Crammer-Singer"), (2, "one against the rest"))


def train(train, validation, seed):
    for block, (name, x) in enumerate(train.blocks):
        path = liblinear.scratch("classes")
        liblinear.write(x, train.r, path)
        for kind, kind_name in KINDS:
            for C in (0.01, 0.1, 1.0) if x.size < 5e6 else (0.001, 0.01, 0.1):
                labels, weights, biases = liblinear.train(path, kind, C, x.shape[1])
                if len(weights) == 1:  # liblinear keeps one row for two classes
                    weights, biases = np.vstack([weights[0], -weights[0]]), np.array([biases[0], -biases[0]])
                gain = np.exp2(labels) - 1
                for sharpness in (0.3, 1, 3, 10):

                    def score(ranking, weights=weights, biases=biases, gain=gain, sharpness=sharpness, block=block):
                        f = sharpness * (ranking.blocks[block][1] @ weights.T + biases)
                        chance = np.exp(f - f.max(axis=1, keepdims=True))
                        return chance @ gain / chance.sum(axis=1)

                    yield "%s, %s, C %g, sharpness %g" % (name, kind_name, C, sharpness), score
