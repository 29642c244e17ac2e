"""seeds.py SEEDS: NDCG@10 of each method on the test parts of the five published folds of MQ2008, with the seeds 1 ..
SEEDS; prints its mean, its range over the seeds, and paired differences, whose errors are over the queries; then the same
of the mean of all seeds' scores, each divided by their spread within queries."""
import concurrent.futures
import os
import subprocess
import sys
import tempfile

import numpy as np

import letor
import summary
import xgboost_grid

FOLDS = range(1, 6)
FOLDED = ", in folds"
CROSS_VALIDATED = 5  # folds of training and validation part together, as many as dorm's default
DORM = {name + way: trainer for way in ("", FOLDED) for name, trainer in (("trees", "trees"), ("blend", "svm, trees"))}
# The least sums of curvatures in a leaf that XGBoost chooses among: its default, and ten times that.
XGBOOST = {"xgboost": (1,), "xgboost, 16 candidates": (1, 10)}


def path(fold, part):
    return os.path.join(os.environ["DORM_DATA"], "mq2008", "Fold%d" % fold, part + ".txt")


def run(*command):
    return subprocess.run([os.environ["DORM"], *command], check=True, stdout=subprocess.PIPE, text=True).stdout


def evaluate(scores, fold, folder):
    """NDCG@10 of the fold's test queries, 0 without a relevant document."""
    name, values = os.path.join(folder, "scores"), os.path.join(folder, "values")
    np.savetxt(name, scores, fmt="%.9g")
    run("eval", "--scores", name, path(fold, "test"), "-m", "ndcg@10:empty=0", "--per-query", values)
    with open(values) as file:
        return [float(line.split("\t")[1]) for line in file.readlines()[1:]]


def dorm_scores(fold, seed, name, folder):
    """In folds dorm is given training and validation part together, and its defaults cross-validate."""
    model, joined = os.path.join(folder, "model"), os.path.join(folder, "joined")
    data = {"data.train": path(fold, "train"), "data.validation": path(fold, "vali")}
    if name.endswith(FOLDED):
        letor.join(data.values(), joined)
        data = {"data.train": joined}
    settings = {
        **data,
        "training.trainer": DORM[name],
        "trees.seed": seed,
        "selection.seed": seed,
        "solver.threads": 1,
        "output.model": model,
    }
    run("train", "--quiet", *(word for key, value in settings.items() for word in ("-s", "%s=%s" % (key, value))))
    return np.array(run("predict", model, path(fold, "test")).split(), float)


def xgboost_scores(fold, seed):
    """The mean of the best candidates, for each entry of XGBOOST, chosen on the validation part and in folds."""
    train, validation, test = (letor.read(path(fold, part))[0] for part in ("train", "vali", "test"))
    all_weights = sorted({weight for weights in XGBOOST.values() for weight in weights})
    found = {weight: xgboost_grid.measured(train, validation, test, (weight,), seed) for weight in all_weights}
    with tempfile.TemporaryDirectory() as folder:
        joined = os.path.join(folder, "joined")
        letor.join([path(fold, "train"), path(fold, "vali")], joined)
        whole = letor.read(joined)[0]
    in_folds = {w: xgboost_grid.measured_in_folds(whole, test, (w,), CROSS_VALIDATED, seed) for w in all_weights}
    for name, weights in XGBOOST.items():
        yield name, xgboost_grid.mean_of_best(sum((found[weight] for weight in weights), []))
        yield name + FOLDED, xgboost_grid.mean_of_best(sum((in_folds[weight] for weight in weights), []))


def scores_of(seed, fold):
    """{method: scores of the fold's test documents}"""
    with tempfile.TemporaryDirectory() as folder:
        scores = {name: dorm_scores(fold, seed, name, folder) for name in DORM}
    scores.update(xgboost_scores(fold, seed))
    return scores


def difference(one, other):
    """Of [seeds][queries], as cells of the table."""
    mean, error, p = summary.paired(one.mean(axis=0), other.mean(axis=0))
    return ["%+.4f" % mean, "%.4f" % error, summary.p_text(p)]


def print_rows(values, ending):
    """values {method: [seeds][queries]}"""
    for name, own in values.items():
        means = own.mean(axis=1)
        row = [name + ending] + ["%.4f" % value for value in (means.mean(), means.min(), means.max())]
        way = FOLDED if name.endswith(FOLDED) else ""
        for rival in XGBOOST:
            row += difference(own, values[rival + way]) if name in DORM else ["", "", ""]
        row += difference(own, values[name[: -len(FOLDED)]]) if way else ["", "", ""]
        print("\t".join(row))


def main():
    seeds = range(1, 1 + int(sys.argv[1]))
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        jobs = {(seed, fold): pool.submit(scores_of, seed, fold) for seed in seeds for fold in FOLDS}
        found = {key: job.result() for key, job in jobs.items()}
    values, averaged = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        tests = {fold: letor.read(path(fold, "test"))[0] for fold in FOLDS}
        for name in [*DORM, *XGBOOST, *(rival + FOLDED for rival in XGBOOST)]:
            by_fold, of_mean = [], []
            for fold in FOLDS:
                scores = [found[seed, fold][name] for seed in seeds]
                by_fold.append([evaluate(own, fold, folder) for own in scores])
                mean = sum(own / letor.spread_within_queries(tests[fold], own) for own in scores)
                of_mean += evaluate(mean, fold, folder)
            values[name], averaged[name] = np.concatenate(by_fold, axis=1), np.array([of_mean])
    differences = ["less %s%s" % (other, part) for other in [*XGBOOST, "one split"] for part in ("", " ±", " p")]
    print("\t".join(["method", "ndcg@10", "lowest", "highest"] + differences))
    print_rows(values, "")
    print_rows(averaged, ", scores averaged")


main()
