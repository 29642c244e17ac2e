"""The tutorial's methods, DORM and XGBoost under one protocol, with as many candidates: quality, seconds, bytes.

needs: mq2008 page-blocks pendigits optdigits covertype
modules: scipy
runs: alone
minutes: 18
"""
import numpy as np

import blocks
import datasets
import methods
import picture
import summary
import protocol
from protocol import DEFAULTS, QUERIES, REPETITIONS, hashed
from study import Study

PARTITIONS = 10

study = Study(
    "survey",
    "the tutorial's methods, DORM and XGBoost: quality, seconds, bytes",
    protocol.COLLECTIONS,
)
chosen = methods.find("survey", "mq2008")
parts = protocol.make_parts(study, PARTITIONS)


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
chosen, own = protocol.run_methods(study, parts, chosen, sorting + theory)
titles = {method.name: method.title for method in chosen}

# ---- A table for each collection, with differences to the best and to dorm's defaults


tests = protocol.Tests((part, one, other) for part in parts for other in (part.best, DEFAULTS) for one in titles)

for part in parts:
    rows = [
        [
            method.title,
            "%.4f ± %.4f" % summary.mean_error(part.values[method.name]),
            tests.cell(part, method.name, part.best),
            tests.cell(part, method.name, DEFAULTS),
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
                "%s; p by Holm for the %d comparisons of these tables" % (part.unit(), len(tests.found)),
                "CPU s: all candidates and choosing, one split; us/document: scoring; KiB: the model",
            ],
            varying=["CPU s", "us/document", "KiB"],
        )
    )

verdict = []
for part in parts:
    linear = max((m.name for m in chosen if m.scorer == "linear"), key=lambda name: part.values[name].mean())
    alike = [m.title for m in chosen if m.name != part.best and tests.corrected[part.name, m.name, part.best] >= 0.05]
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
protocol.splits_table(study, parts, "survey-splits")

# ---- Quicksort, and the theory

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
