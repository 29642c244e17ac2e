"""click_logs.py TABLE LOGS: a table of click_logs.sh on standard output. All random numbers have fixed seeds."""
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy as np
import summary

DORM, MQ2008 = os.environ["DORM"], os.path.join(os.environ["DORM_DATA"], "mq2008")
table, logs = sys.argv[1], int(sys.argv[2])
folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)


def dorm(*arguments, fails=False):
    done = subprocess.run([DORM, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0 and not fails:
        raise RuntimeError("dorm %s: %s" % (" ".join(map(str, arguments)), done.stderr))
    return done


def artificial(path, queries, docs, features, part):
    """Labels [queries * docs]."""
    dorm("generate", "artificial", "-o", path, "--queries", queries, "-d", docs, "-f", features, "--part", part)
    with open(path) as file:
        return np.array([float(line.split()[0]) for line in file])


def shown(scores):
    return [option for path in scores for option in ("--scores", path)]


def attraction(labels):
    """The chance of a click on a document that is seen, with the default epsilon of .1."""
    return 0.1 + 0.9 * (2**labels - 1) / (2 ** labels.max() - 1)


def ranks(scores, docs):
    return np.argsort(np.argsort(-scores.reshape(-1, docs), axis=1), axis=1).ravel()


def weights(scores, docs):
    rank = ranks(scores, docs)
    return np.where(rank < 10, 1 / np.log2(rank + 2), 0)


def difference(path):
    """The line of the difference in IPS, from `dorm eval --json`."""
    with open(path) as file:
        return next(one for one in map(json.loads, file) if one.get("first") and one["estimate"] == "ips")


def sign():
    """The second system was logged. The first is better, with other documents on top."""
    print("estimate\twrong sign\tright sign\tno sign")
    queries, docs = 60, 30
    labels = artificial("data", queries, docs, 10, 1)
    random = np.random.default_rng(1)
    logged, other = (labels + noise * random.normal(size=len(labels)) for noise in (3, 2))
    np.savetxt("logged", logged)
    np.savetxt("other", other)
    truth = np.sum((weights(other, docs) - weights(logged, docs)) * attraction(labels)) / queries
    counts = {"IPS": [0, 0, 0], "bounds of dorm": [0, 0, 0]}
    for seed in range(logs):
        dorm("generate", "clicks", "data", "-o", "log", "--scores", "logged", "--positions", 5, "--impressions", 3000, "--seed", seed)
        said = dorm("eval", *shown(["other", "logged"]), "data", "--clicks", "log", "-s", "clicks.propensity=power:1", "--json", "found")
        one = difference("found")
        error = 1.96 * max(one["standard_error"], one["standard_error_impressions"])
        unknown = "does not show which of both is better" in said.stdout
        claims = {"IPS": (one["difference"] - error, one["difference"] + error),
                  "bounds of dorm": (-1, 1) if unknown else (one["least"] - error, one["most"] + error)}
        for name, (least, most) in claims.items():
            counts[name][2 if least <= 0 <= most else int((least > 0) == (truth > 0))] += 1
    for name, count in counts.items():
        print(name, *count, sep="\t")


def safe():
    print("logged ranking\timpressions\tlogs\thanded out\tof these worse")
    parts = {"data": 80, "validation": 40, "new": 1000}
    labels = {part: artificial(part, queries, 15, 6, number) for number, (part, queries) in enumerate(parts.items(), 1)}
    for name, share, impressions, count in (("good", 4, 200, logs), ("poor", 0.5, 5000, max(logs // 10, 2))):
        scores = {part: share * of + np.arange(1, len(of) + 1) * 7919 % 1013 / 300 for part, of in labels.items()}
        for part in ("data", "validation"):
            np.savetxt(part + ".scores", scores[part])
        handed = worse = 0
        for seed in range(count):
            for part, merged in (("data", ["--merged"]), ("validation", [])):
                dorm("generate", "clicks", part, "-o", part + ".log", "--scores", part + ".scores", "--impressions", impressions,
                     "--seed", seed, "--positions", 0, *merged)
            options = ["data.clicks=data.log", "data.validation_clicks=validation.log", "clicks.propensity=power:1", "output.model=model"]
            done = dorm("train", "-q", "data", "validation", "--trainer", "ridge", "--not-worse-than", "logged",
                        *(word for option in options for word in ("-s", option)), fails=True)
            if done.returncode == 0:
                new = np.array(dorm("predict", "model", "new").stdout.split(), float)
                handed += 1
                worse += np.sum((weights(new, 15) - weights(scores["new"], 15)) * attraction(labels["new"])) < 0
        print(name, impressions, count, handed, worse, sep="\t")


def bound():
    """Documents of relevance s have n looks at position k by each of two rankings, and are clicked with probability s / k.
    Exact variances, with queries as often as expected: of clicks / looks, and the least without bias for every s."""
    print("estimate of\tIPS\tleast without bias\tratio")
    queries, docs, n = 1000, 20, 5
    labels = artificial("data", queries, docs, 5, 1)
    one, two, new = (share * labels + np.sin(12.9898 * np.arange(len(labels)) + turn) for turn, share in enumerate((0, 0.2, 0.4)))
    s, look = attraction(labels), 1 / (1 + np.array([ranks(scores, docs) for scores in (one, two)]))
    noise = s * (1 - look * s)
    ips = np.sum(n * look * noise, axis=0) / np.sum(n * look, axis=0) ** 2
    with np.errstate(divide="ignore"):
        least = 1 / np.sum(n * look / noise, axis=0)
    for name, weight in (("one system", weights(new, docs)), ("a difference", weights(new, docs) - weights(one, docs))):
        worth = np.sum((weight * s).reshape(queries, docs), axis=1)
        both = [np.sum((weight / queries) ** 2 * of) + np.var(worth) / (2 * n * queries) for of in (ips, least)]
        print(name, *("%.3f" % (1e4 * one) for one in both), "%.3f" % (both[1] / both[0]), sep="\t")


def trust():
    """Users see ten documents in random order."""
    print("training\tNDCG@10\tless labels\texponent\ttrust")
    methods = {"labels": None, "affine": "affine", "without trust": "power:1"}
    values, found = {name: {} for name in methods}, []
    for fold in range(1, 6) if logs > 10 else (1,):
        train, validation, test = ("%s/Fold%d/%s.txt" % (MQ2008, fold, name) for name in ("train", "vali", "test"))
        for path, log in ((train, "train.log"), (validation, "validation.log")):
            dorm("generate", "clicks", path, "-o", log, "--positions", 10, "--impressions", 1000000 if logs > 10 else 20000, "--trust",
                 0.65, "--seed", fold, "--merged")
        for name, propensity in methods.items():
            clicks = ["-s", "data.clicks=train.log", "-s", "data.validation_clicks=validation.log", "-s",
                      "clicks.propensity=%s" % propensity]
            said = dorm("train", train, validation, "--trainer", "trees", "-m", "ndcg@10", "-t", 1, "-o", "model",
                        *(clicks if propensity else [])).stderr
            found += re.findall(r"looks 1 / position\^([0-9.]+) .* trust ([0-9.]+)", said)
            lines = dorm("eval", "model", test, "-m", "ndcg@10:empty=0", "-p", "-").stdout.splitlines()[1:]
            values[name].update(line.split("\t")[:2] for line in lines)
    for name, of in values.items():
        ours, labels = (np.array([float(one[query]) for query in values["labels"]]) for one in (of, values["labels"]))
        less = "" if name == "labels" else "%+.4f ± %.4f" % summary.mean_error(ours - labels)
        spans = ["%s to %s" % (min(column), max(column)) for column in zip(*found)] if name == "affine" else ["", ""]
        print(name, "%.4f ± %.4f" % summary.mean_error(ours), less, *spans, sep="\t")


{"sign": sign, "safe": safe, "bound": bound, "trust": trust}[table]()
