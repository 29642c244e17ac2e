"""ascent.py: a linear scorer with the largest NDCG@10 on the training queries that coordinate ascent finds (Metzler and
Croft, "Linear feature-based models for information retrieval", 2007), the ridge regression that it starts from, and
DORM, on one split."""
import os
import tempfile

import numpy as np

import datasets
import letor
import methods

STARTS = 4  # the ridge regression that DORM starts from, and random directions
STEPS = np.concatenate([sign * 2.0 ** -np.arange(10) for sign in (1, -1)])  # of one weight, where |w| is 1
MOST_SWEEPS = 30


class Training:
    """NDCG@10 of the training queries, for several scorings at a time."""

    def __init__(self, ranking):
        sizes = np.diff(ranking.start)
        self.x = ranking.blocks[0][1].astype(float)
        self.row, self.column = ranking.query, np.concatenate([np.arange(size) for size in sizes])
        self.shape = (len(sizes), sizes.max())
        self.gain = np.zeros(self.shape)
        self.gain[self.row, self.column] = ranking.gain
        self.discount = 1 / np.log2(np.arange(2, 12))[: sizes.max()]
        ideal = -np.sort(-self.gain, axis=1)[:, : len(self.discount)] @ self.discount
        self.scale = np.where(ideal > 0, 1 / np.where(ideal > 0, ideal, 1), 0) / len(sizes)

    def values(self, scores):
        """scores [how many][docs] -> [how many]"""
        table = np.full((len(scores),) + self.shape, -np.inf)
        table[:, self.row, self.column] = scores
        order = np.argsort(-table, axis=2, kind="stable")[:, :, : len(self.discount)]
        found = np.take_along_axis(np.broadcast_to(self.gain, table.shape), order, axis=2)
        return found @ self.discount @ self.scale

    def ascend(self, w):
        """Changes one weight at a time, by the best of STEPS, until none of them raises the value."""
        best = self.values([self.x @ w])[0]
        for _ in range(MOST_SWEEPS):
            before = best
            w = w / np.linalg.norm(w)
            scores = self.x @ w
            for k in range(len(w)):
                values = self.values(scores + STEPS[:, None] * self.x[:, k])
                if values.max() > best + 1e-12:
                    best = values.max()
                    w[k] += STEPS[values.argmax()]
                    scores = self.x @ w
            if best == before:
                break
        return best, w


def ridge(ranking):
    x = ranking.blocks[0][1].astype(float)
    sizes = np.diff(ranking.start)
    centred = [v - np.repeat(np.add.reduceat(v, ranking.start[:-1], axis=0).T / sizes, sizes, axis=-1).T for v in (x, ranking.r)]
    square = centred[0].T @ centred[0]
    return np.linalg.solve(square + 0.1 * np.trace(square) / len(square) * np.eye(len(square)), centred[0].T @ centred[1])


# Settings of `dorm train` that leave the risk as the only difference: no validation data, no ranks, one C.
ALIKE = ["data.validation=", "data.rank_block=0", "solver.C=10"]


def trained(text, model, settings):
    """Trains a model and returns what writes its scores of a file."""
    settings = ["training.trainer=svm", "data.train=" + text["train"], "data.validation=" + text["validation"], "output.model=" + model] + settings
    settings += ["solver.threads=1", "selection.measure=ndcg@10:empty=0"]
    methods.run([os.environ["DORM"], "train", "--quiet"] + [word for s in settings for word in ("-s", s)])
    return lambda _, file, scores: methods.run([os.environ["DORM"], "predict", model, file, "-o", scores])


def run(job):
    """-> {"ascent", "ridge": the first start, "alike": DORM that differs in the risk alone, "dorm": its default:
    {"training": NDCG@10, "test": [of each query]}}"""
    paths = datasets.parts(job["collection"], job["split"], job["queries"], job["quick"])
    train, _, test = (datasets.load(paths[part]) for part in datasets.PARTS)
    text = {part: datasets.text(paths[part]) for part in datasets.PARTS}
    random = np.random.RandomState(datasets.SEED + job["split"])
    training = Training(train)
    starts = [ridge(train)] + [random.normal(size=training.x.shape[1]) for _ in range(STARTS - 1)]
    _, best = max((training.ascend(w) for w in starts), key=lambda found: found[0])

    def linear(w):
        return lambda ranking, _, scores: np.savetxt(scores, ranking.blocks[0][1].astype(float) @ w, fmt="%.17g")

    with tempfile.TemporaryDirectory(dir=datasets.work()) as scratch:
        scorers = {"ascent": linear(best), "ridge": linear(starts[0])}
        for name, settings in (("alike", ALIKE), ("dorm", [])):
            scorers[name] = trained(text, os.path.join(scratch, name), settings)
        found = {}
        for name, score in scorers.items():
            scores = {part: os.path.join(scratch, name + "." + part) for part in ("train", "test")}
            for part, ranking in (("train", train), ("test", test)):
                score(ranking, text[part], scores[part])
            found[name] = {
                "training": letor.ndcg_at(train, np.loadtxt(scores["train"]), 10),
                "test": methods.evaluate(scores["test"], text["test"], scratch, ["ndcg@10"])["ndcg@10"],
            }
    return found
