"""collaborative.py: runs all methods on one random split of MovieLens 100K, with one
evaluator.

A job's "queries" is N of the given-N protocol, or 0 for the form with training
and input users; its result holds every measure of every user for every method, so
that Tables 3 and 4 come from the same runs.
"""
import hashlib
import json
import os
import re
import subprocess
import tempfile
import time

import numpy as np

import datasets
import rating_rivals

RATINGS = "movielens-100k/u.data"
GIVEN = (10, 20, 50)
# The neutral vote is 3: ratings above it are worth something (half-life 5).
MEASURES = {"ndcg@10": "ndcg@10", "ndcg": "ndcg@0", "eru": "eru:half_life=5,neutral=3",
            "raw eru": "eru:half_life=5,neutral=3,normalised=no"}
METHODS = {"dorm": "DORM on features, for NDCG@10", "dorm-eru": "DORM on features, for ERU",
           "ridge": "query-centred ridge, same features", "dorm-ratings": "DORM on features from ratings only",
           "kernels": "DORM on rating kernels", "factorize": "ranking factorisation, rank 10",
           "start": "its start: squared error, rank 10",
           "squared-error": "squared error, rank 20",
           "bias-15": "user-item bias, mean of 15 fits", "bias": "user-item bias", "item-mean": "item mean",
           "cgpr": "CGPR", "gpr": "GPR", "mmmf": "MMMF", "jrank": "JRank", "prank": "PRank"}
QUICK = ("dorm", "ridge", "factorize", "start", "squared-error", "bias-15", "bias", "item-mean")
KINDS = ("main", "rest", "rivals")
NUM_FEATURES = 6
KERNEL = "(10 + gram:%s.users.gram(7)) * gram:%s.items.gram(8)"
GENRES = ("unknown Action Adventure Animation Children Comedy Crime Documentary Drama Fantasy Film-Noir Horror Musical "
          "Mystery Romance Sci-Fi Thriller War Western").split()


def make_job(split, given, quick, kind):
    code = b""
    for path in (__file__, rating_rivals.__file__):
        with open(path, "rb") as file:
            code += file.read()
    return {"run": "collaborative.run_job", "collection": "movielens", "split": split, "queries": given, "quick": quick,
            "kind": kind, "depends": hashlib.sha256(code + datasets.fingerprint("movielens").encode()).hexdigest()}


def jobs(quick, kind):
    """The jobs of all splits. `kind` is "main", "rest" for the methods that make files of their own, or "rivals" for those
    of rating_rivals.py."""
    if quick:
        return [make_job(0, 10, quick, kind)] if kind == "main" else []
    return [make_job(split, given, quick, kind) for given in GIVEN + (0,) for split in range(10)]


def write_sides(folder):
    """Writes what is known of films and users, as `id tag ... name:number ...`."""
    source = os.path.join(datasets.folder(), "movielens-100k")
    with open(os.path.join(source, "u.item"), encoding="latin-1") as lines, open(folder + "/items", "w") as out:
        for line in lines:
            fields = line.rstrip("\n").split("|")
            words = [genre for genre, flag in zip(GENRES, fields[5:]) if flag == "1"]
            year = fields[2][-4:]
            out.write(" ".join([fields[0]] + words + ["year:" + year] * bool(year)) + "\n")
    with open(os.path.join(source, "u.user"), encoding="latin-1") as lines, open(folder + "/users", "w") as out:
        for line in lines:
            user, age, sex, occupation = line.split("|")[:4]
            bracket = next(("under-%d" % top for top in (18, 25, 35, 50) if int(age) < top), "older")
            out.write("%s %s %s sex:%d age:%s\n" % (user, bracket, occupation, 1 if sex == "M" else -1, age))


class Split:
    """The files of one job in a folder of its own."""

    def __init__(self, folder, job):
        self.folder = folder
        self.job = job
        self.split = "given:%d" % job["queries"] if job["queries"] else "users:100/2000/800"
        self.scores = []

    def dorm(self, *arguments):
        done = subprocess.run([os.environ["DORM"]] + list(arguments), cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        if done.returncode:
            raise RuntimeError("dorm %s: %s" % (" ".join(arguments), done.stderr))

    def ratings(self, output, write, *settings):
        arguments = ["ratings.file=" + os.path.join(datasets.folder(), RATINGS), "ratings.split=" + self.split,
                     "training.seed=%d" % (1 + self.job["split"]), "ratings.output=" + output, "ratings.write=" + write,
                     "solver.threads=1"] + list(settings)
        self.dorm("ratings", "--quiet", *[word for setting in arguments for word in ("-s", setting)])

    def train(self, name, data, features, *settings, matrices=()):
        """Trains on DATA.train.txt and scores DATA.test.txt, by a model that needs these Gram matrices."""
        arguments = ["data.train=%s.train.txt" % data, "data.normalisation=none", "data.features=" + features,
                     "solver.ridge=0.02", "solver.threads=1", "output.model=model"] + list(settings)
        self.dorm("train", "--quiet", "-s", "training.trainer=svm", *[word for setting in arguments for word in ("-s", setting)])
        self.dorm("predict", "model", data + ".test.txt", "-o", name,
                  *[word for path in matrices for word in ("--module", path)])
        self.scores.append(name)

    def factorize(self, name, *settings):
        arguments = ["ratings.file=all.train.tsv", "training.seed=%d" % (1 + self.job["split"]), "solver.threads=1",
                     "output.model=factors"] + list(settings)
        self.dorm("factorize", "--quiet", *[word for setting in arguments for word in ("-s", setting)])
        self.dorm("recommend", "factors", "--score", "all.test.tsv", "-o", name)
        self.scores.append(name)

    def bias(self, name, *settings):
        """The feature 1 of the test rows as scores."""
        self.ratings("plain", "features", "ratings.features=bias", *settings)
        with open(self.folder + "/plain.test.txt") as rows, open(os.path.join(self.folder, name), "w") as out:
            for row in rows:
                value = re.search(r" 1:(\S+)", row.split("#")[0])
                out.write((value.group(1) if value else "0") + "\n")
        self.scores.append(name)

    def item_mean(self, name):
        """The mean of an item's training ratings less the mean of all, shrunk by 5 ratings."""
        with open(self.folder + "/all.train.tsv") as lines:
            rows = [(line.split("\t")[1], float(line.split("\t")[2])) for line in lines]
        mean = np.mean([value for _, value in rows])
        found = {}
        for item, value in rows:
            found.setdefault(item, []).append(value - mean)
        with open(self.folder + "/all.test.tsv") as lines, open(os.path.join(self.folder, name), "w") as out:
            for line in lines:
                ratings = found.get(line.split("\t")[1], [])
                out.write("%.17g\n" % (sum(ratings) / (len(ratings) + 5)))
        self.scores.append(name)

    def rivals(self):
        """Scores of rating_rivals.py, which reads the rows and the rating kernels."""
        grams = [rating_rivals.read_gram(os.path.join(self.folder, "all.%s.gram" % side)) for side in ("users", "items")]
        rows = rating_rivals.read_rows(self.folder + "/all.train.txt")
        ratings = rating_rivals.Ratings(*rows, *grams)
        users, items, _ = rating_rivals.read_rows(self.folder + "/all.test.txt")
        for name, fit in rating_rivals.METHODS.items():
            np.savetxt(os.path.join(self.folder, name), fit(ratings)[users, items], fmt="%.17g")
            self.scores.append(name)

    def evaluate(self):
        """{method: {measure: {user: value}}}"""
        found = {}
        for name in self.scores:
            arguments = ["--scores", name, "all.test.txt", "--per-query", "values"]
            self.dorm("eval", *arguments, *[word for measure in MEASURES.values() for word in ("-m", measure)])
            with open(self.folder + "/values") as lines:
                rows = [line.rstrip("\n").split("\t") for line in lines][1:]
            found[name] = {m: {row[0]: round(float(row[1 + k]), 6) for row in rows} for k, m in enumerate(MEASURES)}
        return found


def run_main(split, quick):
    features = "1-%d" % NUM_FEATURES
    split.ratings("all", "features,ratings", "ratings.users=users", "ratings.items=items")
    split.train("dorm", "all", features)
    split.train("ridge", "all", features, "ranking.rounds=0")
    if not quick:
        split.train("dorm-eru", "all", features, "loss.name=" + MEASURES["eru"])
    split.bias("bias", "ratings.folds=1", "ratings.repeats=1")
    split.bias("bias-15")
    split.item_mean("item-mean")
    split.factorize("factorize")
    split.factorize("start", "factorization.rounds=0")
    split.factorize("squared-error", "factorization.rounds=0", "factorization.rank=20")


def run_rest(split):
    split.ratings("all", "features")
    split.train("dorm-ratings", "all", "1-%d" % NUM_FEATURES)
    split.ratings("all", "kernels", "ratings.users=users", "ratings.items=items")
    split.train("kernels", "all", "7-8", "kernel.kernel=" + KERNEL % ("all", "all"), "kernel.rank=500",
                "solver.C=1,10,100", "solver.ridge=0.15", matrices=("all.users.gram", "all.items.gram"))


def run_job(job):
    began = time.time()
    with tempfile.TemporaryDirectory() as folder:
        write_sides(folder)
        split = Split(folder, job)
        if job["kind"] == "main":
            run_main(split, job["quick"])
        elif job["kind"] == "rest":
            run_rest(split)
        else:
            split.ratings("all", "features,kernels", "ratings.users=users", "ratings.items=items")
            split.rivals()
        measures = split.evaluate()
    return {"measures": measures, "seconds": time.time() - began}
