"""A kernel beside the linear part on ten random partitions of MQ2008 into five folds."""
import numpy as np

import blocks
import datasets
import methods
import summary
from study import Study

PARTITIONS = 10
MEASURE = "ndcg@10"

study = Study("kernel-partitions", "a kernel beside the linear part, on ten partitions of MQ2008", ["mq2008"])
study.settings = {"methods": "experiments/methods, methods", "tuned by": "NDCG@10 on the validation part"}
partitions = range(1 if study.quick else PARTITIONS)
queries = 40 if study.quick else 0
splits = [5 * partition + fold for partition in partitions for fold in range(5)]


def by_query(results):
    """[partitions][queries] NDCG@10 of every query, from the fold that has it in its test part."""
    values = np.full((len(partitions), datasets.MQ2008_QUERIES), np.nan)
    for split, result in zip(splits, results):
        values[split // 5, datasets.mq2008_folds(split)["test"]] = result["measures"][MEASURE]
    assert not np.isnan(values).any()
    return values


def compare(one, other):
    """Of one - other: the mean, its standard error over partitions (of the same
    queries) and over queries (each its mean over the partitions)."""
    difference = one - other
    over_partitions = summary.mean_error(difference.mean(axis=1))[1]
    mean, over_queries = summary.mean_error(difference.mean(axis=0))
    return mean, over_partitions, over_queries


chosen = methods.find("kernel-partitions", "mq2008")
jobs = [methods.make_job(m, "mq2008", split, queries, MEASURE, study.quick) for m in chosen for split in splits]
done = iter(study.run(jobs))
results = {m.name: [methods.pick(next(done), MEASURE) for _ in splits] for m in chosen}
values = {name: by_query(found) for name, found in results.items()}

rows = []
for method in chosen:
    cells = [method.title, "%.4f" % values[method.name].mean()]
    for other in ("dorm", "dorm-average"):
        if other == method.name:
            cells += ["", "", ""]
        else:
            mean, over_partitions, over_queries = compare(values[method.name], values[other])
            cells += ["%+.4f" % mean, "%.4f" % over_partitions, "%.4f" % over_queries]
    rows.append(cells + ["%.1f" % summary.mean_error([r["seconds"] for r in results[method.name]])[0]])
study.add(
    blocks.table(
        "kernel-partitions-table",
        "NDCG@10 by method, mean over all partitions",
        ["method", "NDCG@10", "- DORM", "± part.", "± quer.", "- averaged", "± part.", "± quer.", "CPU s"],
        rows,
        [
            "±: standard errors over the partitions, as a statement about these 784 queries; and over the queries, each "
            "its mean over the partitions, as one about others",
            "a query with nothing relevant counts 0; seconds of one fold, all candidates",
        ],
    )
)
study.add(
    blocks.table(
        "kernel-partitions-each",
        "NDCG@10 by partition",
        ["partition"] + [m.title for m in chosen] + ["kernel - DORM"],
        [
            [str(p)]
            + ["%.4f" % values[m.name][p].mean() for m in chosen]
            + ["%+.4f" % (values["linear-rbf"][p] - values["dorm"][p]).mean()]
            for p in partitions
        ],
    )
)
study.rows = [["method", "split", MEASURE, "seconds"]]
for method in chosen:
    for split, result in zip(splits, results[method.name]):
        study.rows.append([method.name, split, "%.6f" % summary.of(result, MEASURE), "%.2f" % result["seconds"]])
study.finish()
