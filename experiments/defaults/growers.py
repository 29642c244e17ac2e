"""growers.py growers ROUNDS SPLITS: a table of test NDCG@10 of dorm's trees and of trees that XGBoost grows on the same
gradients: the same leaves, learning rate, bins and penalty, all documents and features for each tree, and the same formula
for the values of the leaves. So only bins and splits of nearly equal gain differ. A collection has several random splits
(datasets.py); one of MQ2008 is a partition into five folds, whose test parts are together all queries.

growers.py seeds SEEDS: a table of test NDCG@10 of trees, of the blend and of the default on the published folds of MQ2008,
and of trees in folds on the artificial data of the experiment `trees`, by the seed of training. In folds the training and the
validation part are one set of labelled queries.
"""
import os
import subprocess
import sys
import tempfile

import numpy as np
import xgboost

import datasets
import dorm
import letor

LEAVES, RATE, LEAST = 10, 0.1, 0.01
LAMBDAS = {"dorm": "dorm", "lambda": "ranknet-weight-pairs"}
COLLECTIONS = ("page-blocks", "pendigits", "small-artificial", "mq2008")
OBJECTIVES = ("dorm", "lambda", "regression", "ordinal", "classification")


class Objective:
    """Gradients, curvatures and scores of outputs [outputs][documents], as in trees/objectives.c."""

    def __init__(self, name, ranking):
        self.name, self.ranking = name, ranking
        self.levels = np.unique(ranking.r)
        self.qid = np.repeat(np.arange(len(ranking.start) - 1), np.diff(ranking.start))
        count = len(self.levels)
        self.num_outputs = {"ordinal": count - 1, "classification": count}.get(name, 1)
        self.factor = {"ordinal": 0.5, "classification": (count - 1) / count}.get(name, 1)
        self.penalty = 0.1 if name in LAMBDAS else 0

    def derive(self, outputs):
        y = self.ranking.r
        if self.name in LAMBDAS:
            moves = dorm.lambdas(outputs[0], y, self.qid, "%s of ndcg@10" % LAMBDAS[self.name], threads=1)
            return -moves.lambdas[None], moves.curvature[None] + LEAST
        if self.name == "regression":
            return outputs - (np.exp2(y) - np.exp2(y).mean()), np.ones_like(outputs)
        if self.name == "ordinal":
            p = 1 / (1 + np.exp(-2 * outputs))
            return p - (y >= self.levels[1:, None]), p * (1 - p)
        p = np.exp(outputs - outputs.max(axis=0))
        p /= p.sum(axis=0)
        return p - (y == self.levels[:, None]), p * (1 - p)

    def score(self, outputs):
        if self.name == "ordinal":
            steps = np.diff(self.levels)
            return (steps[:, None] / (1 + np.exp(-2 * outputs))).sum(axis=0)
        if self.name == "classification":
            p = np.exp(outputs - outputs.max(axis=0))
            return self.levels @ (p / p.sum(axis=0))
        return outputs[0]


def by_xgboost(name, train, test, rounds):
    """The test scores of trees that XGBoost splits, with Newton steps as the values of their leaves."""
    objective = Objective(name, train)
    matrices = [xgboost.DMatrix(ranking.x, nthread=1) for ranking in (train, test)]
    outputs = [np.zeros((objective.num_outputs, len(ranking.r))) for ranking in (train, test)]
    for _ in range(rounds):
        gradients, curvatures = objective.derive(outputs[0])
        for k in range(objective.num_outputs):
            g, h = gradients[k], curvatures[k]
            settings = {
                "tree_method": "hist",
                "grow_policy": "lossguide",
                "max_depth": 0,
                "max_leaves": LEAVES,
                "max_bin": 255,
                "lambda": objective.penalty,
                "min_child_weight": 0,
                "nthread": 1,
            }
            booster = xgboost.Booster(settings, matrices)
            splits_by = h if name in LAMBDAS else np.ones_like(h)
            booster.boost(matrices[0], list(g), list(splits_by))
            places = [booster.predict(matrix, pred_leaf=True).astype(int).ravel() for matrix in matrices]
            size = 1 + max(part.max() for part in places)
            sums = [np.bincount(places[0], values, size) for values in (g, h)]
            with np.errstate(invalid="ignore", divide="ignore"):
                values = np.where(sums[1] > 0, -RATE * objective.factor * sums[0] / (objective.penalty + sums[1]), 0)
            for part in range(2):
                outputs[part][k] += values[places[part]]
    return objective.score(outputs[1])


def run_dorm(*words):
    return subprocess.run([os.environ["DORM"], *words], check=True, stdout=subprocess.PIPE).stdout.decode()


def train(settings, test, folder):
    """The scores of the test documents."""
    model = os.path.join(folder, "model")
    settings = {**settings, "output.model": model, "solver.threads": 1}
    run_dorm("train", "--quiet", *(word for key, value in settings.items() for word in ("-s", "%s=%s" % (key, value))))
    return np.array([float(line) for line in run_dorm("predict", model, test).split()])


def by_dorm(name, bases, rounds, folder):
    settings = {
        "training.trainer": "trees",
        "trees.objective": name,
        "trees.leaves": LEAVES,
        "trees.learning_rate": RATE,
        "trees.trees": rounds,
        "trees.row_share": 1,
        "trees.feature_share": 1,
        "trees.min_docs_in_leaf": 1,
        "trees.regression_share": 0,
        "training.patience": 0,
        "training.lambda": "ranknet-weight-pairs of ndcg@10",
        "selection.measure": "ndcg@10",
        "selection.folds": 0,
        "data.normalisation": "none",
        "data.rank_block": 0,
        "data.train": datasets.text(bases["train"]),
    }
    return train(settings, datasets.text(bases["test"]), folder)


def by_query(ranking, scores):
    """NDCG@10 of each query, 0 without a relevant document."""
    return np.array([letor.ndcg_at(ranking.subset([q]), scores[d], 10) for q, d in enumerate(ranking.queries())])


def trainings(collection, split):
    """The base paths of the parts of each training in a split."""
    inside = range(5 * split, 5 * split + 5) if collection == "mq2008" else [split]
    queries = 0 if collection == "mq2008" else 50
    for number in inside:
        datasets.prepare(collection, number, queries)
        yield datasets.parts(collection, number, queries)


def values_of(base):
    """A part as dorm reads it: numbers in text have fewer digits."""
    return letor.read(base + ".txt")[0] if os.path.exists(base + ".txt") else datasets.load(base)


def compare(collection, objective, rounds, split, folder):
    """The mean NDCG@10 of dorm and of XGBoost."""
    values = []
    for bases in trainings(collection, split):
        training, test = values_of(bases["train"]), values_of(bases["test"])
        made = by_dorm(objective, bases, rounds, folder), by_xgboost(objective, training, test, rounds)
        values.append([by_query(test, scores) for scores in made])
    return np.concatenate(values, axis=1).mean(axis=1)


def error(values):
    """The standard error of the mean."""
    return np.std(values, ddof=1) / np.sqrt(len(values))


def compare_growers(rounds, splits, folder):
    print("data\tobjective\tdorm\txgboost\tdorm less xgboost\tdorm less xgboost ±", flush=True)
    for collection in COLLECTIONS:
        number = (splits + 1) // 2 if collection == "mq2008" else splits  # a partition has five trainings
        for objective in OBJECTIVES:
            values = np.array([compare(collection, objective, rounds, split, folder) for split in range(number)])
            less = values[:, 0] - values[:, 1]
            row = (collection, objective, *values.mean(axis=0), less.mean(), error(less))
            print("%s\t%s\t%.4f\t%.4f\t%+.4f\t%.4f" % row, flush=True)


def on_mq2008(trainer, folds, seed, folder):
    """The mean over the published folds. Without `folds` the validation part chooses."""
    values = []
    for fold in range(1, 6):
        paths = {
            part: os.path.join(datasets.folder(), "mq2008", "Fold%d" % fold, part + ".txt")
            for part in ("train", "vali", "test")
        }
        settings = {
            "training.trainer": trainer,
            "training.seed": seed,
            "selection.folds": folds,
            "data.train": paths["train"],
            "data.validation": paths["vali"],
        }
        if folds:
            del settings["data.validation"]
            settings["data.train"] = os.path.join(folder, "fold%d" % fold)
            letor.join([paths["train"], paths["vali"]], settings["data.train"])
        values.append(by_query(letor.read(paths["test"])[0], train(settings, paths["test"], folder)))
    return np.concatenate(values).mean()


def on_artificial(seed, folder):
    """Trees in folds, of training and validation queries."""
    paths = [os.path.join(folder, "part%d" % part) for part in (1, 2, 3)]
    for part, path in enumerate(paths):
        queries = 100 if part == 1 else 200
        run_dorm(
            *("generate", "artificial", "--seed", "2", "--queries", str(queries), "--part", str(part + 1), "-o", path)
        )
    joined = os.path.join(folder, "joined")
    letor.join(paths[:2], joined)
    settings = {"training.trainer": "trees", "training.seed": seed, "selection.folds": 5, "data.train": joined}
    return by_query(letor.read(paths[2])[0], train(settings, paths[2], folder)).mean()


def compare_seeds(seeds, folder):
    print("data\tmethod\tndcg@10\tndcg@10 ±", flush=True)
    for name, method, measured, *how in (
        ("mq2008", "trees", on_mq2008, "trees", 0),
        ("mq2008", "blend", on_mq2008, "svm,trees", 0),
        ("mq2008", "trees in folds", on_mq2008, "trees", 5),
        ("mq2008", "blend in folds", on_mq2008, "svm,trees", 5),
        ("mq2008", "default in folds", on_mq2008, "auto", 5),
        ("artificial", "trees in folds", on_artificial),
    ):
        values = [measured(*how, seed, folder) for seed in range(1, seeds + 1)]
        print("%s\t%s\t%.4f\t%.4f" % (name, method, np.mean(values), error(values)), flush=True)


def main():
    numbers = [int(word) for word in sys.argv[2:]]
    with tempfile.TemporaryDirectory() as folder:
        if sys.argv[1] == "growers":
            compare_growers(*numbers, folder)
        else:
            compare_seeds(*numbers, folder)


main()
