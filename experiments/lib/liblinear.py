"""liblinear.py: runs Debian's liblinear-train on the documents of a ranking."""
import os
import subprocess

import numpy as np


def write(x, target, path):
    """Writes SVMlight text, in which zeros are left out."""
    with open(path, "w") as file:
        for row, y in zip(x, target):
            columns = np.flatnonzero(row)
            file.write("%g %s\n" % (y, " ".join("%d:%.6g" % pair for pair in zip(columns + 1, row[columns]))))


def train(path, kind, C, num_features):
    """The classes [k], weights [k][num_features] and biases [k] of one model. Of two
    classes there is one row, whose score is that of the first class."""
    model = path + ".model"
    subprocess.run(
        ["liblinear-train", "-q", "-s", str(kind), "-c", repr(C), "-B", "1", path, model],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    with open(model) as file:
        header = {}
        for line in file:
            words = line.split()
            if words == ["w"]:
                break
            header[words[0]] = words[1:]
        weights = np.loadtxt(file, ndmin=2).reshape(int(header["nr_feature"][0]) + 1, -1).T
    full = np.zeros((len(weights), num_features))
    full[:, : weights.shape[1] - 1] = weights[:, :-1]
    return [float(label) for label in header["label"]], full, weights[:, -1]


def scratch(name):
    return os.path.join(os.environ["DORM_SCRATCH"], name)


CS = (0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)


def binary(ranking, is_positive, Cs=CS):
    """Yields the candidates of a linear SVM (squared hinge, primal) for is_positive(labels)."""
    for block, (name, x) in enumerate(ranking.blocks):
        target = np.where(is_positive(ranking.r), 1, -1)
        path = scratch("binary")
        write(x, target, path)
        for C in Cs:
            labels, weights, _ = train(path, 2, C, x.shape[1])
            w = weights[0] * (1 if labels[0] == 1 else -1)
            yield "%s, C %g" % (name, C), lambda other, w=w, block=block: other.blocks[block][1] @ w
