"""Runs the streams of the experiment: measure.py FOLDER MOST_QUERIES STREAMS. Writes quality.tsv, progress.tsv and pass.tsv."""

import json
import math
import os
import random
import re
import subprocess
import sys

import sgd

folder, most, streams = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
dorm = os.environ["DORM"]


def path(name):
    return os.path.join(folder, name)


def generate(name, queries, part):
    subprocess.run([dorm, "generate", "artificial", "-o", path(name), "--queries", str(queries), "-d", "20", "-f", "20",
                    "--noise", "0.3", "--part", str(part)], check=True)


def head(name, queries, result):
    """Copies the first queries of 20 documents."""
    with open(path(name)) as source, open(path(result), "w") as target:
        for _ in range(20 * queries):
            target.write(source.readline())


def test_value(output):
    return float(re.search(r"^test ndcg@10 = ([0-9.]+)", output, re.M).group(1))


def run(arguments):
    return subprocess.run([dorm, "train", "-q", "-s", "training.trainer=svm", "-s", "output.model=" + path("model"), "-s", "solver.threads=1"] + arguments,
                          check=True, stdout=subprocess.PIPE, text=True).stdout


def batch(train, test):
    """One structured SVM as a stream trains it, but for its start at ridge regression and its four rounds."""
    return test_value(run([train, "-s", "solver.C=10", "-s", "data.rank_block=0", "-s", "ranking.reference=mu:0.3",
                           "-s", "data.test=" + test]))


def stream(train, test, every):
    """The test value and the reports of a stream."""
    output = run(["--stream", train, "-s", "data.test=" + test, "-s", f"stream.every={every}", "-l", path("log")])
    with open(path("log")) as log:
        return test_value(output), [json.loads(line) for line in log if '"event":"stream"' in line]


def write(name, header, rows):
    with open(path(name), "w") as file:
        file.write("\t".join(header) + "\n")
        for row in rows:
            file.write("\t".join(str(value) for value in row) + "\n")


def quality(sizes):
    rows = []
    for size in sizes:
        head("train.txt", size, "part.txt")
        row = [size, f"{batch(path('part.txt'), path('test.txt')):.4f}"]
        row.append(f"{stream(path('part.txt'), path('test.txt'), size)[0]:.4f}")
        train, test = sgd.read(path("part.txt")), sgd.read(path("test.txt"))
        row += [f"{sgd.ndcg(test, sgd.train(train, penalty)):.4f}" for penalty in sgd.PENALTIES]
        rows.append(row)
    write("quality.tsv", ["queries", "batch", "stream"] + [f"SGD {penalty:g}" for penalty in sgd.PENALTIES], rows)


def progress(sizes):
    """Regret of the measure: the mean of the batch model of all queries on the first ones, less the progressive mean."""
    run([path("train.txt"), "-s", "solver.C=10", "-s", "data.rank_block=0", "-s", "ranking.reference=mu:0.3"])
    os.replace(path("model"), path("best"))
    reports = {report["queries"]: report for report in stream(path("train.txt"), path("test.txt"), sizes[0])[1]}
    rows = []
    for size in sizes:
        head("train.txt", size, "part.txt")
        subprocess.run([dorm, "predict", path("best"), path("part.txt"), "-o", path("scores")], check=True)
        best = sgd.ndcg_of_scores(sgd.read(path("part.txt")), path("scores"))
        report = reports[size]
        rows.append([size, f"{report['progressive']:.4f}", f"{report['progressive_error']:.4f}",
                     f"{best - report['progressive']:.4f}"])
    write("progress.tsv", ["queries", "progressive", "error", "NDCG regret"], rows)


def artificial_pass(number):
    """2,000 artificial queries, and the 4,000 test queries."""
    generate("pass.txt", 2000, 100 + number)
    return path("pass.txt"), path("test.txt")


def mq2008_pass(number):
    """The queries of MQ2008 in a random order: 600 for the pass, the other 184 for the test."""
    queries = {}
    for part in ("train", "vali", "test"):
        with open(os.path.join(os.environ["DORM_DATA"], "mq2008", "Fold1", part + ".txt")) as file:
            for line in file:
                queries.setdefault(line.split()[1], []).append(line)
    names = list(queries)
    random.Random(number).shuffle(names)
    for name, chosen in (("pass.txt", names[:600]), ("rest.txt", names[600:])):
        with open(path(name), "w") as file:
            file.writelines(line for query in chosen for line in queries[query])
    return path("pass.txt"), path("rest.txt")


def one_pass(data, make, queries, count):
    """The progressive measure of `count` streams, over all queries and over the last half, against the batch model of the
    same queries on test queries: two rows of the table."""
    found = []
    for number in range(count):
        train, test = make(number)
        last = stream(train, test, queries // 2)[1][-1]
        found.append((last["progressive"], last["recent"], batch(train, test)))
    rows = []
    for name, which in (("all", 0), (f"last {queries // 2}", 1)):
        differences = [values[which] - values[2] for values in found]
        mean = sum(differences) / count
        error = math.sqrt(sum((d - mean) ** 2 for d in differences) / max(1, count - 1) / count)
        rows.append([data, queries, name, f"{sum(v[which] for v in found) / count:.4f}",
                     f"{sum(v[2] for v in found) / count:.4f}", f"{mean:.4f}", f"{error:.4f}"])
    return rows


generate("train.txt", most, 1)
generate("test.txt", 4000, 2)
sizes = [size for size in (250, 500, 1000, 2000, 4000, 8000, 16000) if size <= most]
quality(sizes)
progress(sizes)
write("pass.tsv", ["data", "queries", "mean over", "progressive", "batch, test", "difference", "error"],
      one_pass("artificial", artificial_pass, 2000, streams) + one_pass("MQ2008", mq2008_pass, 600, streams))
