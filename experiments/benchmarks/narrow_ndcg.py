"""narrow_ndcg.py: what training on values of 16 and 8 bits (data.bits) costs in NDCG@10.

    narrow_ndcg.py [COLLECTION...]

Trains dorm's default, with a rank block and without, on each split and tests the model on the test queries; prints
NDCG@10 with 32 bits and the paired differences of 16 and 8 bits over test queries, with standard errors. DORM,
DORM_DATA, DORM_PROJECT, DORM_WORK and PYTHONPATH (experiments/lib) are as in experiments/common.sh.
"""
import os
import sys
import tempfile

import numpy as np

import datasets
import methods
import summary

MEASURE = "ndcg@10"
SPLITS = {  # queries of a split, splits
    "mq2008": (0, 5),
    "small-artificial": (100, 3),
    "page-blocks": (50, 4),
    "pendigits": (50, 4),
    "optdigits": (50, 2),
    "covertype": (50, 2),
}


def ndcg(paths, bits):
    """NDCG@10 of each test query."""
    with tempfile.TemporaryDirectory(dir=datasets.work()) as scratch:
        model, scores = os.path.join(scratch, "model"), os.path.join(scratch, "scores")
        settings = {
            "data.train": paths["train"],
            "data.validation": paths["validation"],
            "data.bits": bits,
            "solver.threads": 1,
            "selection.measure": MEASURE + ":empty=0",
            "output.model": model,
        }
        command = [os.environ["DORM"], "train", "-q"]
        for key, value in settings.items():
            command += ["-s", "%s=%s" % (key, value)]
        methods.run(command)
        methods.run([os.environ["DORM"], "predict", model, paths["test"], "-o", scores])
        return methods.evaluate(scores, paths["test"], scratch, [MEASURE])[MEASURE]


for collection in sys.argv[1:] or SPLITS:
    queries, splits = SPLITS[collection]
    values = {32: [], 16: [], 8: []}
    for split in range(splits):
        datasets.prepare(collection, split, queries)
        paths = {part: datasets.text(base) for part, base in datasets.parts(collection, split, queries).items()}
        for bits, found in values.items():
            found.append(ndcg(paths, bits))
    values = {bits: np.concatenate(found) for bits, found in values.items()}
    row = [datasets.TITLES[collection], "%d queries" % len(values[32]), "%.4f" % np.mean(values[32])]
    for bits in (16, 8):
        row.append("%d bits %+.4f ± %.4f" % ((bits,) + tuple(summary.paired(values[bits], values[32])[:2])))
    print("\t".join(row), flush=True)
