"""clicks.py: training on simulated clicks, naive and weighted by inverse propensities, against training on labels. Jobs
run one after the other, and all random numbers have fixed seeds."""
import math
import os
import re
import subprocess
import sys
import tempfile

import blocks
import summary

QUICK = "--quick" in sys.argv
DORM = os.environ["DORM"]
MQ2008 = os.path.join(os.environ["DORM_DATA"], "mq2008")
FOLDS = [1] if QUICK else [1, 2, 3, 4, 5]
SEEDS = [1] if QUICK else [1, 2]
IMPRESSIONS = [1000, 10000] if QUICK else [1000, 10000, 100000, 1000000]
ARTIFICIAL = [60, 20, 60] if QUICK else [500, 170, 1000]
ETA, EPSILON = 1, 0.1
METHODS = {
    "naive": ["clicks.propensity=none"],
    "true propensities": ["clicks.propensity=power", "clicks.eta=%g" % ETA],
    "harvested": ["clicks.propensity=harvest"],
    "regression": ["clicks.propensity=em"],
}
COMMON = ["solver.threads=1"]


def dorm(*arguments):
    done = subprocess.run([DORM, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError("dorm %s: %s" % (" ".join(map(str, arguments)), done.stderr))
    return done


def first_queries(path, skip, count, to):
    """`count` queries of a file after the first `skip`."""
    seen = []
    with open(path) as file, open(to, "w") as out:
        for line in file:
            query = line.split()[1]
            if not seen or seen[-1] != query:
                seen.append(query)
            if len(seen) > skip + count:
                break
            if len(seen) > skip:
                out.write(line)


def train(train_file, validation_file, settings, model):
    """Returns the exponent that was estimated, or None."""
    arguments = []
    for setting in COMMON + settings + ["output.model=" + model]:
        arguments += ["-s", setting]
    said = dorm("train", train_file, *([validation_file] if validation_file else []), *arguments).stderr
    found = re.search(r"propensities by .*position\^([-0-9.]+)", said)
    return float(found.group(1)) if found else None


def per_query(model, test):
    """NDCG@10 of every query by its labels; 0 without a relevant document."""
    table = dorm("eval", model, test, "-m", "ndcg@10:empty=0", "-p", "-").stdout.splitlines()[1:]
    return {line.split("\t")[0]: float(line.split("\t")[1]) for line in table}


def logging_rankers(train_file, width, folder):
    """Two weak rankers: ridge regression on 20 labelled queries, each with half of the features."""
    half = width // 2
    paths = []
    for number, features in enumerate(["1-%d" % half, "%d-%d" % (half + 1, width)]):
        labelled, path = os.path.join(folder, "labelled"), os.path.join(folder, "ranker%d" % number)
        first_queries(train_file, 20 * number, 20, labelled)
        train(labelled, None, ["training.trainer=ridge", "data.rank_block=0", "data.features=" + features], path)
        paths.append(path)
    return paths


def study(data, train_file, validation_file, test_file, width, seed, found, etas):
    """Adds the values of each method's queries to found[data, method, impressions][query], a list over seeds."""

    def keep(method, impressions, model):
        for query, value in per_query(model, test_file).items():
            found.setdefault((data, method, impressions), {}).setdefault(query, []).append(value)

    with tempfile.TemporaryDirectory() as folder:
        model, log, validation_log = (os.path.join(folder, name) for name in ("model", "log", "validation-log"))
        rankers = logging_rankers(train_file, width, folder)
        for path in rankers:
            keep("users' rankings", 0, path)
        train(train_file, validation_file, [], model)
        keep("labels", 0, model)
        shown = [option for ranker in rankers for option in ("--ranker", ranker)]
        simulated = ["--eta", ETA, "--epsilon", EPSILON, "--positions", 0, "--merged"]
        for impressions in IMPRESSIONS:
            dorm("generate", "clicks", train_file, "-o", log, "-n", impressions, "--seed", 2 * seed, *shown, *simulated)
            dorm("generate", "clicks", validation_file, "-o", validation_log, "-n", impressions // 3, "--seed", 2 * seed + 1,
                 *shown, *simulated)
            for method, settings in METHODS.items():
                eta = train(train_file, validation_file,
                            ["data.clicks=" + log, "data.validation_clicks=" + validation_log] + settings, model)
                keep(method, impressions, model)
                if eta is not None:
                    etas.setdefault((data, method, impressions), []).append(eta)
        print("clicks: %s, seed %d" % (data, seed), file=sys.stderr, flush=True)


def score(found, key):
    return "%.4f ± %.4f" % summary.mean_error([sum(values) / len(values) for values in found[key].values()])


def difference(found, one, other):
    pairs = [(sum(found[one][query]) / len(found[one][query]), sum(found[other][query]) / len(found[other][query]))
             for query in found[one]]
    mean, error = summary.mean_error([here - there for here, there in pairs])
    p = summary.student_tail(abs(mean / error), len(pairs) - 1) if error > 0 else 1.0
    return "%+.4f ± %.4f (p = %.2g)" % (mean, error, p)


def tables(found, etas):
    made = []
    for data in sorted({key[0] for key in found}, reverse=True):
        rows = [["labels", "", score(found, (data, "labels", 0)), "", ""],
                ["users' rankings", "", score(found, (data, "users' rankings", 0)), "",
                 difference(found, (data, "users' rankings", 0), (data, "labels", 0))]]
        for impressions in IMPRESSIONS:
            for method in METHODS:
                key, naive = (data, method, impressions), (data, "naive", impressions)
                rows.append([method, "%d" % impressions, score(found, key), "" if key == naive else difference(found, key, naive),
                             difference(found, key, (data, "labels", 0))])
        made.append(blocks.table("clicks-" + data, "Test NDCG@10 by labels, %s" % data,
                                 ["training", "impressions", "NDCG@10", "less naive", "less labels"], rows))
    rows = []
    for data, method, impressions in sorted(etas, key=lambda key: (key[0] != "mq2008", key[2], key[1])):
        values = etas[data, method, impressions]
        mean = sum(values) / len(values)
        rows.append([data, method, "%d" % impressions, "%.3f" % mean, "%.3f" % min(values), "%.3f" % max(values)])
    made.append(blocks.table("clicks-eta", "Estimated exponent of the propensities; the true one is %g" % ETA,
                             ["data", "estimate", "impressions", "mean", "least", "largest"], rows))
    return made


def main():
    found, etas = {}, {}
    for seed in SEEDS:
        for fold in FOLDS:
            parts = [os.path.join(MQ2008, "Fold%d" % fold, name + ".txt") for name in ("train", "vali", "test")]
            study("mq2008", *parts, 46, 10 * seed + fold, found, etas)
        with tempfile.TemporaryDirectory() as folder:
            parts = [os.path.join(folder, name) for name in ("train", "validation", "test")]
            for number, (path, queries) in enumerate(zip(parts, ARTIFICIAL), 1):
                dorm("generate", "artificial", "--queries", queries, "-d", 20, "-f", 20, "--part", number, "--noise", 0.5, "-o", path)
            study("artificial", *parts, 20, 10 * seed, found, etas)
    made = tables(found, etas)
    print(blocks.printed(made))
    output = os.path.join(os.environ["DORM_RESULTS"], "clicks")
    os.makedirs(output, exist_ok=True)
    blocks.write(os.path.join(output, "results.tsv"), {"experiment": "learning from clicks, against learning from labels"}, made)


main()
