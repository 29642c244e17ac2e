"""protocol.py: how the survey compares methods: the data, the jobs, the values of the test queries, and the tests, which
survey.py and newer.py share."""
import hashlib
import os

import numpy as np

import blocks
import curves
import datasets
import methods
import summary

CANDIDATES = 12
MEASURE = "ndcg@10"
SIZES = (30, 100, 300)
QUERIES, REPETITIONS = 50, 3
WEIGHED = 3  # splits on which models are weighed, and timed at scoring
DEFAULTS = "dorm-defaults"
COLLECTIONS = ["mq2008", "small-artificial"] + list(datasets.UCI)


def hashed(*names):
    """Of modules of this folder, on which the results of jobs depend."""
    digest = hashlib.sha256()
    for name in names:
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), name), "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


def partitions(study, most):
    """How many partitions of MQ2008 to use: all, or as many as $DORM_SPLITS splits complete. A partition has five splits."""
    return 1 if study.quick else int(os.environ.get("DORM_SPLITS", 5 * most)) // 5


class Part:
    """One collection, on artificial data one size of it: its splits, and what every method has there."""

    def __init__(self, study, collection, size, num_partitions):
        self.study, self.collection, self.size = study, collection, size
        self.name = collection + ("-%d" % size if collection == "small-artificial" else "")
        self.title = datasets.TITLES[collection] + (", %d queries" % size if collection == "small-artificial" else "")
        if collection == "mq2008":
            self.splits = list(range(5 * num_partitions))
        elif collection == "small-artificial":
            self.splits = [0]
        else:
            self.splits = list(range(1 if study.quick else REPETITIONS))

    def job(self, method, split):
        settings = {"data.normalisation": "none"} if self.collection in datasets.UCI else {}
        job = methods.make_job(
            method,
            self.collection,
            split,
            self.size,
            MEASURE,
            self.study.quick,
            settings if not method.is_python else {},
            split < WEIGHED,
            [MEASURE],
        )
        if method.is_python:
            job["depends"] += hashed("boosters.py")
        return job

    def read(self, found):
        """{name: results by split}"""
        self.results = found
        self.values = {name: self._of_queries(results) for name, results in found.items()}
        self.best = max(self.values, key=lambda name: self.values[name].mean())

    def _of_queries(self, results):
        """One value a test query: the mean over the partitions on MQ2008; elsewhere the queries of all repetitions."""
        values = [result["measures"][MEASURE] for result in results]
        if self.collection != "mq2008":
            return np.concatenate(values)
        total = np.zeros(curves._num_mq2008())
        for split, value in zip(self.splits, values):
            total[curves.test_queries("mq2008", split)] += value
        return total / (len(self.splits) // 5)

    def mean(self, name, key):
        return float(np.mean([result[key] for result in self.results[name] if key in result]))

    def unit(self):
        if self.collection == "mq2008":
            return "%d partitions, over 784 queries" % (len(self.splits) // 5)
        if self.collection == "small-artificial":
            return "one set, over the test queries"
        return "%d repetitions, over the %d test queries of all" % (len(self.splits), QUERIES * len(self.splits))


def make_parts(study, most):
    """One for each collection, on artificial data one for each size; MQ2008 has at most so many partitions."""
    found, count = [], partitions(study, most)
    for collection in study.collections:
        if collection == "mq2008":
            found.append(Part(study, collection, 40 if study.quick else 0, count))
        elif collection == "small-artificial":
            found += [Part(study, collection, size, count) for size in ((20, 40) if study.quick else SIZES)]
        elif not study.quick or collection == "page-blocks":
            found.append(Part(study, collection, 10 if study.quick else QUERIES, count))
    study.settings = {
        "candidates of each method": "%d, but where its title says another number" % CANDIDATES,
        "tuned by": "NDCG@10 on the validation part",
        "partitions of MQ2008": count,
        "repetitions of UCI sets": 1 if study.quick else REPETITIONS,
    }
    return found


def run_methods(study, parts, chosen, others=()):
    """Runs each method on each part. Returns the methods that are available, and the results of other jobs."""
    keys = [(part, method, split) for part in parts for method in chosen for split in part.splits]
    results = study.run([part.job(method, split) for part, method, split in keys] + list(others))
    found = {part: {} for part in parts}
    for (part, method, _), result in zip(keys, results):
        if result:
            found[part].setdefault(method.name, []).append(methods.pick(result, MEASURE))
    for part in parts:
        part.read(found[part])
    available = [method for method in chosen if all(method.name in part.results for part in parts)]
    return available, results[len(keys) :]


class Tests:
    """Paired tests over test queries, with Holm's correction for their number. pairs: (part, one, other)."""

    def __init__(self, pairs):
        self.found = {
            (part.name, one, other): summary.paired(part.values[one], part.values[other])
            for part, one, other in pairs
            if one != other
        }
        self.corrected = dict(zip(self.found, summary.holm([p for _, _, p in self.found.values()])))

    def cell(self, part, one, other):
        key = part.name, one, other
        if key not in self.found:
            return ""
        p = self.corrected[key]
        return "%+.4f ± %.4f (p %s)" % (*self.found[key][:2], "< 0.0001" if p < 0.0001 else "= %.4f" % p)


def splits_table(study, parts, id):
    """The mean of each split, which later comparisons can read."""
    most = max(len(part.splits) for part in parts)
    rows = [
        [part.name, name]
        + ["%.6f" % summary.of(result, MEASURE) for result in results_of]
        + [""] * (most - len(results_of))
        for part in parts
        for name, results_of in part.results.items()
    ]
    study.add(blocks.data(id, "NDCG@10 of each split", ["data", "method"] + list(range(most)), rows))
