# title: SVM, relevant or not
# experiments: figure2 figure7 table1
# needs: liblinear-train
# order: 25
"""A linear SVM (liblinear) that separates the documents with r > 0 from the others."""
import liblinear


def train(train, validation, seed):
    yield from liblinear.binary(train, lambda r: r > 0)
