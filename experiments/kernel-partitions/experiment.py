"""A kernel beside the linear part on ten random partitions of MQ2008 into five folds."""
import numpy as np

import blocks
import curves
import datasets
import methods
import summary
from study import Study

PARTITIONS = 10
MEASURE = "ndcg@10"
COMPARED = (("linear-rbf", "dorm"), ("linear-rbf", "dorm-average"), ("dorm-average", "dorm"))

study = Study("kernel-partitions", "a kernel beside the linear part, on ten partitions of MQ2008", ["mq2008"])
study.settings = {"methods": "experiments/methods, methods", "tuned by": "NDCG@10 on the validation part"}
partitions = range(1 if study.quick else PARTITIONS)
size = 40 if study.quick else 0
splits = [5 * partition + fold for partition in partitions for fold in range(5)]


def by_query(results):
    """[partitions][queries] NDCG@10 of every query, from the split that has it in its test part."""
    values = np.full((len(partitions), num_queries), np.nan)
    for split, result in zip(splits, results):
        values[split // 5, datasets.mq2008_folds(num_queries, split)["test"]] = result["measures"][MEASURE]
    assert not np.isnan(values).any()
    return values


def compare(one, other):
    """(mean, standard error, p) of one less other: over partitions (of the same
    queries), and over queries (of which each counts with its mean over the partitions)."""
    return [summary.paired(values[one].mean(axis=axis), values[other].mean(axis=axis)) for axis in (1, 0)]


def in_words(one, other):
    """The comparison of two methods in one line."""
    over_partitions, over_queries = compare(one, other)
    above = int((values[one].mean(axis=1) > values[other].mean(axis=1)).sum())
    form = "%s less %s: %+.4f, over partitions ± %.4f (p = %.2g), over queries ± %.4f (p = %.2g); above in %d of %d"
    return form % ((title[one], title[other]) + over_partitions + over_queries[1:] + (above, len(partitions)))


chosen = methods.find("kernel-partitions", "mq2008")
title = {m.name: m.title for m in chosen}
found = curves.measure(study, "mq2008", chosen, [size], MEASURE, splits)
num_queries = datasets.mq2008()[0].num_queries
values = {name: by_query(by_size[size]) for name, by_size in found.items()}

study.add(
    blocks.table(
        "kernel-partitions-table",
        "NDCG@10 by method and partition",
        ["method"] + [str(p) for p in partitions] + ["mean", "CPU s"],
        [
            [m.title]
            + ["%.4f" % mean for mean in values[m.name].mean(axis=1)]
            + ["%.4f" % values[m.name].mean()]
            + ["%.1f" % summary.mean_error([r["seconds"] for r in found[m.name][size]])[0]]
            for m in chosen
        ],
        [in_words(one, other) for one, other in COMPARED]
        + ["a query without a relevant document counts 0; seconds of one split, for all candidates and choosing"],
        varying=["CPU s"],
    )
)
study.add(
    blocks.data(
        "kernel-partitions-splits",
        "NDCG@10 of each split, by the fold that is tested",
        ["method", "partition"] + ["fold %d" % fold for fold in range(5)],
        [
            [m.name, p] + ["%.6f" % summary.of(r, MEASURE) for r in found[m.name][size][5 * p : 5 * p + 5]]
            for m in chosen
            for p in partitions
        ],
    )
)
curves.observe(study, found, "mq2008", [MEASURE], splits)
study.finish()
