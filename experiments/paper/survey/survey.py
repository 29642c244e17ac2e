"""The tutorial's methods, DORM and XGBoost under one protocol, with as many candidates: quality, seconds, bytes.

needs: mq2008 page-blocks pendigits optdigits covertype
modules: scipy
runs: alone
"""
import hashlib
import os

import numpy as np

import blocks
import curves
import datasets
import methods
import picture
import summary
from study import Study

CANDIDATES = 12
MEASURE = "ndcg@10"
PARTITIONS = 10
SIZES = (30, 100, 300)
QUERIES, REPETITIONS = 50, 3
WEIGHED = 3  # splits on which models are weighed, and timed at scoring
DEFAULTS = "dorm-defaults"


def hashed(*names):
    """Of modules of this folder, on which the results of jobs depend."""
    digest = hashlib.sha256()
    for name in names:
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), name), "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


def partitions(study):
    """Those of MQ2008: all that the first $DORM_SPLITS splits, which is five a partition, have."""
    return 1 if study.quick else int(os.environ.get("DORM_SPLITS", 5 * PARTITIONS)) // 5


class Part:
    """One collection, on artificial data one size of it: its splits, and what every method has there."""

    def __init__(self, study, collection, size):
        self.study, self.collection, self.size = study, collection, size
        self.name = collection + ("-%d" % size if collection == "small-artificial" else "")
        self.title = datasets.TITLES[collection] + (", %d queries" % size if collection == "small-artificial" else "")
        if collection == "mq2008":
            self.splits = list(range(5 * partitions(study)))
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


study = Study(
    "survey",
    "the tutorial's methods, DORM and XGBoost: quality, seconds, bytes",
    ["mq2008", "small-artificial"] + list(datasets.UCI),
)
chosen = methods.find("survey", "mq2008")
study.settings = {
    "candidates of each method": "%d, but where its title says another number" % CANDIDATES,
    "tuned by": "NDCG@10 on the validation part",
    "partitions of MQ2008": partitions(study),
    "repetitions of UCI sets": 1 if study.quick else REPETITIONS,
}
parts = []
for collection in study.collections:
    if collection == "mq2008":
        parts.append(Part(study, collection, 40 if study.quick else 0))
    elif collection == "small-artificial":
        parts += [Part(study, collection, size) for size in ((20, 40) if study.quick else SIZES)]
    elif not study.quick or collection == "page-blocks":
        parts.append(Part(study, collection, 10 if study.quick else QUERIES))

keys, jobs = [], []
for part in parts:
    for method in chosen:
        for split in part.splits:
            keys.append((part, method.name))
            jobs.append(part.job(method, split))


def own_job(run, collection, split, size):
    return {
        "run": run,
        "collection": collection,
        "split": split,
        "queries": size,
        "quick": study.quick,
        "kind": run,
        "depends": hashed("boosters.py", run.split(".")[0] + ".py") + datasets.fingerprint(collection),
    }


sorting = []
if "mq2008" in study.collections:
    sorting += [
        own_job("quicksort.run", "mq2008", split, 40 if study.quick else 0) for split in range(1 if study.quick else 5)
    ]
    theory = [own_job("theory." + name, "mq2008", 0, 40) for name in ("calibration", "binary", "expected")]
    theory.append(own_job("theory.rademacher", "mq2008", 0, 0))
else:
    theory = []
if "page-blocks" in study.collections:
    size = 10 if study.quick else QUERIES
    sorting += [
        own_job("quicksort.run", "page-blocks", split, size) for split in range(1 if study.quick else REPETITIONS)
    ]
results = study.run(jobs + sorting + theory)
found = {}
for (part, name), result in zip(keys, results):
    if result:
        found.setdefault(part, {}).setdefault(name, []).append(methods.pick(result, MEASURE))
for part in parts:
    part.read(found[part])
chosen = [method for method in chosen if all(method.name in part.results for part in parts)]
titles = {method.name: method.title for method in chosen}

# ---- A table for each collection, with differences to the best and to dorm's defaults


def p_text(p):
    return "< 0.0001" if p < 0.0001 else "= %.4f" % p


compared = {
    (part.name, one, other): summary.paired(part.values[one], part.values[other])
    for part in parts
    for other in (part.best, DEFAULTS)
    for one in titles
    if one != other
}
corrected = dict(zip(compared, summary.holm([p for _, _, p in compared.values()])))


def difference(part, one, other):
    if one == other:
        return ""
    mean, error, _ = compared[part.name, one, other]
    return "%+.4f ± %.4f (p %s)" % (mean, error, p_text(corrected[part.name, one, other]))


for part in parts:
    rows = [
        [
            method.title,
            "%.4f ± %.4f" % summary.mean_error(part.values[method.name]),
            difference(part, method.name, part.best),
            difference(part, method.name, DEFAULTS),
            "%.2f" % part.mean(method.name, "seconds"),
            "%.3f" % (1e6 * part.mean(method.name, "score_seconds")),
            "%.1f" % (part.mean(method.name, "bytes") / 1024),
            method.scorer,
        ]
        for method in chosen
    ]
    study.add(
        blocks.table(
            "survey-" + part.name,
            "NDCG@10 on %s" % part.title,
            ["method", "NDCG@10", "less the best", "less DORM, defaults", "CPU s", "us/document", "KiB", "scorer"],
            rows,
            [
                "%s; p by Holm for the %d comparisons of these tables" % (part.unit(), len(compared)),
                "CPU s: all candidates and choosing, one split; us/document: scoring; KiB: the model",
            ],
            varying=["CPU s", "us/document", "KiB"],
        )
    )

verdict = []
for part in parts:
    linear = max((m.name for m in chosen if m.scorer == "linear"), key=lambda name: part.values[name].mean())
    alike = [m.title for m in chosen if m.name != part.best and corrected[part.name, m.name, part.best] >= 0.05]
    verdict.append(
        [
            part.title,
            titles[part.best],
            "%.4f" % part.values[part.best].mean(),
            "%+.4f ± %.4f" % summary.paired(part.values[part.best], part.values[DEFAULTS])[:2],
            titles[linear],
            "%d of %d" % (len(alike), len(chosen) - 1),
        ]
    )
study.add(
    blocks.table(
        "survey-best",
        "The best method of each collection",
        [
            "data",
            "best",
            "NDCG@10",
            "less DORM, defaults",
            "best linear scorer",
            "not told apart from the best (p by Holm >= 0.05)",
        ],
        verdict,
    )
)
study.add(
    blocks.data(
        "survey-splits",
        "NDCG@10 of each split",
        ["data", "method"] + list(range(max(len(part.splits) for part in parts))),
        [
            [part.name, name]
            + ["%.6f" % summary.of(result, MEASURE) for result in results_of]
            + [""] * (max(len(other.splits) for other in parts) - len(results_of))
            for part in parts
            for name, results_of in part.results.items()
        ],
    )
)

# ---- Quicksort, and the theory

own = [result for result in results[len(jobs) :]]
by_collection = {}
for job, result in zip(sorting, own):
    if result:
        by_collection.setdefault(job["collection"], []).append(result)
for collection, of_splits in by_collection.items():
    joined = {name: np.concatenate([r["values"][name] for r in of_splits]) for name in of_splits[0]["values"]}
    first, base = list(joined)[0], list(joined)[-1]
    study.add(
        blocks.table(
            "survey-quicksort-" + collection,
            "Quicksort by a pairwise classifier on %s" % datasets.TITLES[collection],
            ["prediction", "NDCG@10", "less the first row", "less the last row", "classifier calls a query"],
            [
                [
                    name,
                    "%.4f ± %.4f" % summary.mean_error(values),
                    "" if name == first else "%+.4f ± %.4f" % summary.paired(values, joined[first])[:2],
                    "" if name == base else "%+.4f ± %.4f" % summary.paired(values, joined[base])[:2],
                    "%.0f" % np.mean([r["calls"][name] for r in of_splits]),
                ]
                for name, values in joined.items()
            ],
            ["%s: %.4f" % (what, np.mean([r["shares"][what] for r in of_splits])) for what in of_splits[0]["shares"]],
        )
    )
for result in own[len(sorting) :]:
    if result:
        study.add(blocks.table(result["id"], result["title"], result["columns"], result["rows"], result["notes"]))

study.observations = [["data", "method", "split", "ndcg@10", "seconds", "score_seconds", "bytes"]]
for part in parts:
    for name, results_of in part.results.items():
        for split, r in zip(part.splits, results_of):
            study.observations.append(
                [
                    part.name,
                    name,
                    split,
                    "%.6f" % summary.of(r, MEASURE),
                    "%.3f" % r["seconds"],
                    "%.3g" % r.get("score_seconds", 0),
                    r.get("bytes", 0),
                ]
            )
    picture.draw(
        os.path.join(study.output, part.name),
        part.title,
        [
            (
                m.title,
                part.mean(m.name, "seconds"),
                part.values[m.name].mean(),
                summary.paired(part.values[m.name], part.values[part.best])[1],
            )
            for m in chosen
        ],
    )
study.finish()
