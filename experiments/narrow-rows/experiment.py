"""NDCG@10 of dorm's default where training keeps its rows in 32, 16 or 8 bits (data.bits)."""
import numpy as np

import blocks
import datasets
import methods
import summary
from study import Study

MEASURE = "ndcg@10"
BITS = (32, 16, 8)
SPLITS = {  # training queries (0: all), splits
    "mq2008": (0, 5),
    "small-artificial": (100, 3),
    "page-blocks": (50, 4),
    "pendigits": (50, 4),
    "optdigits": (50, 2),
    "covertype": (50, 2),
}

study = Study("narrow-rows", "rows of 16 and 8 bits", list(SPLITS))
dorm = methods.get("figure2", "dorm")
rows = []
for collection in study.collections:
    queries, splits = (20, 1) if study.quick else SPLITS[collection]
    jobs = [
        methods.make_job(dorm, collection, split, queries, MEASURE, study.quick, {"data.bits": bits}, names=[MEASURE])
        for bits in BITS
        for split in range(splits)
    ]
    found = {bits: [] for bits in BITS}
    for job, result in zip(jobs, study.run(jobs)):
        found[job["settings"]["data.bits"]] += methods.pick(result, MEASURE)["measures"][MEASURE]
    title = datasets.TITLES[collection]
    row = [title, len(found[32]), "%.4f ± %.4f" % summary.mean_error(np.array(found[32]))]
    for bits in BITS[1:]:
        what = "%s: %d bits less 32" % (title, bits)
        row.append("%+.4f ± %.4f" % study.compare(what, np.array(found[bits]), np.array(found[32]))[:2])
    rows.append(row)
columns = ["data", "test queries", "32 bits", "16 bits less 32", "8 bits less 32"]
note = "errors over the test queries, paired for differences"
study.add(blocks.table("narrow-rows-table", "Test NDCG@10 by the bits of a value in training", columns, rows, [note]))
study.finish()
