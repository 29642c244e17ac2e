"""Figure 1: the number of queries by their number of documents.

needs: mq2008
minutes: 1
"""
import numpy as np

import blocks
import datasets
from study import Study

study = Study("figure1", "documents per query", ["mq2008", "artificial"])
rows = []
for collection in study.collections:
    if collection == "mq2008":
        whole = datasets.mq2008()[0]
    else:
        datasets.prepare("artificial", 0, 0, study.quick)
        whole = datasets.load(datasets.parts("artificial", 0, 0, study.quick)["train"])
    count = np.diff(whole.start)
    edges = np.arange(0, count.max() + 11, 10)
    number, _ = np.histogram(count, edges)
    study.add(
        blocks.figure(
            "figure1-" + collection,
            "Figure 1 on %s" % datasets.TITLES[collection],
            "documents",
            "queries",
            ["series"] + ["%d-%d" % (low, low + 9) for low in edges[:-1]],
            [["queries"] + number.tolist()],
            style="bars",
            paper="its Figure 1 is drawn without printed numbers; about 50 documents per query",
        )
    )
    empty = sum(int(whole.r[docs].max() == 0) for docs in whole.queries())
    shares = [float(np.mean(whole.r == label)) for label in sorted(set(whole.r))]
    rows.append(
        [
            datasets.TITLES[collection],
            len(count),
            count.sum(),
            count.min(),
            int(np.median(count)),
            "%.1f" % count.mean(),
            count.max(),
            empty,
            " ".join("%.3f" % share for share in shares),
        ]
    )
study.add(
    blocks.table(
        "figure1-table",
        "Documents per query",
        [
            "data",
            "queries",
            "documents",
            "fewest",
            "median",
            "mean",
            "most",
            "nothing relevant",
            "share of labels 0, 1, ...",
        ],
        rows,
        ["all 784 queries of MQ2008; the training part of the artificial data"],
    )
)
study.finish()
