"""growers.py ROUNDS: a table of test NDCG@10 of dorm's trees and of trees that XGBoost grows on the same gradients:
the same leaves, learning rate, bins and penalty, all documents and features for each tree, and the same formula for the
values of the leaves. So only splits of nearly equal gain differ."""
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


def by_dorm(name, paths, rounds, folder):
    model = os.path.join(folder, "model")
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
        "data.train": paths[0],
        "output.model": model,
        "solver.threads": 1,
    }
    words = [word for key, value in settings.items() for word in ("-s", "%s=%s" % (key, value))]
    subprocess.run([os.environ["DORM"], "train", "--quiet"] + words, check=True, stdout=subprocess.DEVNULL)
    scores = subprocess.run([os.environ["DORM"], "predict", model, paths[1]], check=True, stdout=subprocess.PIPE)
    return np.array([float(line) for line in scores.stdout.split()])


def by_query(ranking, scores):
    """NDCG@10 of each query, 0 without a relevant document."""
    return np.array(
        [
            letor.ndcg_at(ranking.subset([q]), scores[docs], 10) for q, docs in enumerate(ranking.queries())
        ]
    )


def collections(folder):
    """Yields (name, [(train, test)]) of paths of LETOR text."""
    mq2008 = os.path.join(datasets.folder(), "mq2008", "Fold%d", "%s.txt")
    yield "mq2008", [(mq2008 % (fold, "train"), mq2008 % (fold, "test")) for fold in range(1, 6)]
    for name in ("page-blocks", "pendigits", "small-artificial"):
        datasets.prepare(name, 0, 50)
        made = datasets.parts(name, 0, 50)
        paths = [os.path.join(folder, "%s-%s" % (name, part)) for part in ("train", "test")]
        for path, part in zip(paths, ("train", "test")):
            letor.write(datasets.load(made[part]), path)
        yield name, [tuple(paths)]


def main():
    rounds = int(sys.argv[1])
    print("data\tobjective\tdorm\txgboost\tdorm less xgboost\tdorm less xgboost ±", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, pairs in collections(folder):
            for objective in OBJECTIVES:
                values = []
                for paths in pairs:
                    train, test = (letor.read(path)[0] for path in paths)
                    made = by_dorm(objective, paths, rounds, folder), by_xgboost(objective, train, test, rounds)
                    values.append([by_query(test, scores) for scores in made])
                values = np.concatenate(values, axis=1)
                difference = values[0] - values[1]
                error = difference.std(ddof=1) / np.sqrt(len(difference))
                print(
                    "%s\t%s\t%.4f\t%.4f\t%+.4f\t%.4f"
                    % (name, objective, values[0].mean(), values[1].mean(), difference.mean(), error),
                    flush=True,
                )


main()
