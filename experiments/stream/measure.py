"""Runs the streams of the experiment: measure.py FOLDER MOST_QUERIES STREAMS. Writes quality.tsv, progress.tsv and pass.tsv."""

import json
import math
import os
import re
import subprocess
import sys

import sgd

folder, most, streams = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
dorm = os.environ["DORM"]
METHODS = {
    "sequential": [],
    "2 visits": ["-s", "stream.visits=2"],
    "subgradient": ["-s", "stream.method=subgradient"],
}


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
    return subprocess.run([dorm, "train", "-q", "-s", "output.model=" + path("model"), "-s", "solver.threads=1"] + arguments,
                          check=True, stdout=subprocess.PIPE, text=True).stdout


def batch(train):
    """One structured SVM as a stream trains it, but for its start at ridge regression and its four rounds."""
    return test_value(run([path(train), "-s", "solver.C=10", "-s", "data.rank_block=0", "-s", "ranking.reference=mu:0.3",
                           "-s", "data.test=" + path("test.txt")]))


def stream(train, method, every):
    """The test value and the reports of a stream."""
    output = run(["--stream", path(train), "-s", "data.test=" + path("test.txt"), "-s", f"stream.every={every}", "-l",
                  path("log")] + METHODS[method])
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
        row = [size, f"{batch('part.txt'):.4f}"]
        row += [f"{stream('part.txt', method, size)[0]:.4f}" for method in METHODS]
        train, test = sgd.read(path("part.txt")), sgd.read(path("test.txt"))
        row += [f"{sgd.ndcg(test, sgd.train(train, penalty)):.4f}" for penalty in sgd.PENALTIES]
        rows.append(row)
    write("quality.tsv", ["queries", "batch"] + list(METHODS) + [f"SGD {penalty:g}" for penalty in sgd.PENALTIES], rows)


def progress(sizes):
    """Regret of the measure: the mean of the batch model of all queries on the first ones, less the progressive mean."""
    run([path("train.txt"), "-s", "solver.C=10", "-s", "data.rank_block=0", "-s", "ranking.reference=mu:0.3"])
    os.replace(path("model"), path("best"))
    reports = {method: {report["queries"]: report for report in stream("train.txt", method, sizes[0])[1]} for method in METHODS}
    rows = []
    for size in sizes:
        head("train.txt", size, "part.txt")
        subprocess.run([dorm, "predict", path("best"), path("part.txt"), "-o", path("scores")], check=True)
        best = sgd.ndcg_of_scores(sgd.read(path("part.txt")), path("scores"))
        for method in METHODS:
            report = reports[method][size]
            rows.append([method, size, f"{report['progressive']:.4f}", f"{report['progressive_error']:.4f}",
                         f"{best - report['progressive']:.4f}", f"{report['gap']:.1e}", f"{report['online']:.4f}",
                         f"{report['regret']:.4f}"])
    write("progress.tsv", ["method", "queries", "progressive", "error", "NDCG regret", "gap", "online hinge", "hinge regret"], rows)


def one_pass(count):
    """Streams of 2,000 queries: their last thousand against the batch model on the test queries."""
    differences, progressives, batches = [], [], []
    for part in range(count):
        generate("pass.txt", 2000, 100 + part)
        report = stream("pass.txt", "sequential", 1000)[1][-1]
        progressives.append(report["recent"])
        batches.append(batch("pass.txt"))
        differences.append(progressives[-1] - batches[-1])
    mean = sum(differences) / count
    error = math.sqrt(sum((d - mean) ** 2 for d in differences) / max(1, count - 1) / count)
    write("pass.tsv", ["streams", "progressive, last 1000", "batch, test", "difference", "error"],
          [[count, f"{sum(progressives) / count:.4f}", f"{sum(batches) / count:.4f}", f"{mean:.4f}", f"{error:.4f}"]])


generate("train.txt", most, 1)
generate("test.txt", 4000, 2)
sizes = [size for size in (250, 500, 1000, 2000, 4000, 8000, 16000) if size <= most]
quality(sizes)
progress(sizes)
one_pass(streams)
