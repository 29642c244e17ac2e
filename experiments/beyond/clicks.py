"""clicks.py: training on simulated clicks, naive and weighted by inverse propensities, against training on labels. Jobs
run one after the other; what each set of data and seed has found is kept in the work folder under a key made of dorm's
binaries and this file, so that an interrupted run continues where it stopped. All random numbers have fixed seeds."""
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile

import blocks
import datasets
import study
import summary

QUICK = "--quick" in sys.argv
DORM = os.environ["DORM"]
MQ2008 = os.path.join(os.environ["DORM_DATA"], "mq2008")
FOLDS = [1] if QUICK else [1, 2, 3, 4, 5]
SEEDS = [1]
IMPRESSIONS = [1000, 10000] if QUICK else [1000, 10000, 100000, 1000000]
ARTIFICIAL = [60, 20, 60] if QUICK else [500, 170, 1000]
ETA, EPSILON = 1, 0.1
ETAS, ETA_IMPRESSIONS, LOGS = [0.5, 1, 1.5], IMPRESSIONS[-1] if QUICK else 100000, 2  # of the last table
METHODS = {
    "naive": ["clicks.propensity=none"],
    "true propensities": ["clicks.propensity=power:%g" % ETA],
    "harvested": ["clicks.propensity=harvest"],
    "regression": ["clicks.propensity=em"],
}
COMMON = ["solver.threads=1", "data.rank_block=0"]


def dorm(*arguments):
    done = subprocess.run([DORM, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError("dorm %s: %s" % (" ".join(map(str, arguments)), done.stderr))
    return done


def first_queries(path, skip, count, to):
    """`count` queries of a file after the first `skip`."""
    with open(to, "wb") as out:
        out.writelines(datasets.query_lines(path)[skip : skip + count])


def train(train_file, validation_file, settings, model):
    """Returns the exponent that was estimated, or None."""
    arguments = []
    for setting in ["training.trainer=svm"] + COMMON + settings + ["output.model=" + model]:
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
        train(labelled, None, ["training.trainer=ridge", "data.features=" + features], path)
        paths.append(path)
    return paths


def regressed(train_file, rankers, seed, folder):
    """[[number of rankings, whose they are, true exponent, estimated exponent], ...] by regression, for LOGS logs each."""
    log, made = os.path.join(folder, "log"), []
    for whose, shown in (("weak", rankers[:2]), ("weak", rankers[:1]), ("trained on the labels", rankers[2:])):
        for eta in ETAS:
            for number in range(LOGS):
                dorm("generate", "clicks", train_file, "-o", log, "--impressions", ETA_IMPRESSIONS, "--seed", 1000 + 2 * seed + number,
                     "--eta", eta, "--epsilon", EPSILON, "--positions", 0, "--merged",
                     *(option for ranker in shown for option in ("--ranker", ranker)))
                said = dorm("eval", shown[0], train_file, "--clicks", log, "-s", "clicks.propensity=em").stderr
                made.append([len(shown), whose, eta, float(re.search(r"by regression: 1 / position\^([-0-9.]+)", said).group(1))])
    return made


def run(train_file, validation_file, test_file, width, seed):
    """[[method, impressions, {query: value}, estimated exponent or None], ...], and what regressed() returns."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        model, log, validation_log = (os.path.join(folder, name) for name in ("model", "log", "validation-log"))
        rankers = logging_rankers(train_file, width, folder)
        for path in rankers:
            found.append(["users' rankings", 0, per_query(path, test_file), None])
        train(train_file, validation_file, [], model)
        found.append(["labels", 0, per_query(model, test_file), None])
        exponents = regressed(train_file, rankers + [model], seed, folder)
        shown = [option for ranker in rankers for option in ("--ranker", ranker)]
        simulated = ["--eta", ETA, "--epsilon", EPSILON, "--positions", 0, "--merged"]
        for impressions in IMPRESSIONS:
            dorm("generate", "clicks", train_file, "-o", log, "--impressions", impressions, "--seed", 2 * seed, *shown, *simulated)
            dorm("generate", "clicks", validation_file, "-o", validation_log, "--impressions", impressions // 3, "--seed", 2 * seed + 1,
                 *shown, *simulated)
            for method, settings in METHODS.items():
                eta = train(train_file, validation_file,
                            ["data.clicks=" + log, "data.validation_clicks=" + validation_log] + settings, model)
                found.append([method, impressions, per_query(model, test_file), eta])
    return found, exponents


def kept(data, make_parts, width, seed, found, etas, exponents):
    """Runs, or reads what was kept, and adds it to found[data, method, impressions][query], etas and exponents."""
    with open(__file__, "rb") as file:
        code = hashlib.sha256(file.read()).hexdigest()
    key = hashlib.sha256(json.dumps([data, seed, QUICK, code, study.program_hash()]).encode()).hexdigest()
    path = os.path.join(datasets.work(), "clicks-" + key)
    if not os.path.exists(path):
        with tempfile.TemporaryDirectory() as folder:
            results = run(*make_parts(folder), width, seed)
        with open(path + ".new", "w") as file:
            json.dump(results, file)
        os.replace(path + ".new", path)
        print("clicks: %s, seed %d" % (data, seed), file=sys.stderr, flush=True)
    with open(path) as file:
        results, made = json.load(file)
        for rankings, whose, truth, eta in made:
            exponents.setdefault((data, rankings, whose, truth), []).append(eta)
        for method, impressions, values, eta in results:
            for query, value in values.items():
                found.setdefault((data, method, impressions), {}).setdefault(query, []).append(value)
            if eta is not None:
                etas.setdefault((data, method, impressions), []).append(eta)


def score(found, key):
    return "%.4f ± %.4f" % summary.mean_error([sum(values) / len(values) for values in found[key].values()])


def difference(found, one, other):
    pairs = [(sum(found[one][query]) / len(found[one][query]), sum(found[other][query]) / len(found[other][query]))
             for query in found[one]]
    mean, error = summary.mean_error([here - there for here, there in pairs])
    p = summary.student_tail(abs(mean / error), len(pairs) - 1) if error > 0 else 1.0
    return "%+.4f ± %.4f (p = %.2g)" % (mean, error, p)


def tables(found, etas, exponents):
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
    rows = []
    for (data, rankings, whose, truth), values in exponents.items():
        rows.append([data, "%d, %s" % (rankings, whose), "%g" % truth, "%.3f" % (sum(values) / len(values)), "%.3f" % min(values),
                     "%.3f" % max(values)])
    made.append(blocks.table("clicks-regression", "Exponent by regression, %d impressions" % ETA_IMPRESSIONS,
                             ["data", "rankings of a query", "true", "mean", "least", "largest"], rows))
    return made


def mq2008(fold):
    return lambda folder: [os.path.join(MQ2008, "Fold%d" % fold, name + ".txt") for name in ("train", "vali", "test")]


def artificial(folder):
    parts = [os.path.join(folder, name) for name in ("train", "validation", "test")]
    for number, (path, queries) in enumerate(zip(parts, ARTIFICIAL), 1):
        dorm("generate", "artificial", "--queries", queries, "-d", 20, "-f", 20, "--part", number, "--noise", 0.5, "-o", path)
    return parts


def main():
    found, etas, exponents = {}, {}, {}
    for seed in SEEDS:
        for fold in FOLDS:
            kept("mq2008", mq2008(fold), 46, 10 * seed + fold, found, etas, exponents)
        kept("artificial", artificial, 20, 10 * seed, found, etas, exponents)
    made = tables(found, etas, exponents)
    print(blocks.printed(made))
    output = os.path.join(os.environ["DORM_RESULTS"], "clicks")
    os.makedirs(output, exist_ok=True)
    blocks.write(os.path.join(output, "results.tsv"), {"experiment": "learning from clicks, against learning from labels"}, made)


main()
