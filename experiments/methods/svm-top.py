# title: SVM, top class against the rest
# experiments: table1
# needs: liblinear-train
# order: 26
"""A linear SVM (liblinear) that separates the documents of the largest label from the others."""
import liblinear


def train(train, validation, seed):
    top = train.r.max()
    yield from liblinear.binary(train, lambda r: r == top)
