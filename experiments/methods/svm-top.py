# title: SVM, top class against the rest
# experiments: table1
# needs: liblinear-train
# order: 26
"""A linear SVM (liblinear) for documents of the largest label against the others."""
import liblinear


def train(train, validation, seed):
    top = train.r.max()
    yield from liblinear.binary(train, lambda r: r == top)
