"""The largest training NDCG@10 that coordinate ascent finds, and what it is worth on test queries, beside DORM.

needs: mq2008
minutes: 3
"""
import ascent
import blocks
import curves
import datasets
import summary
from study import Study

TITLES = {
    "ascent": "coordinate ascent on NDCG@10",
    "ridge": "ridge regression, its first start",
    "alike": "DORM, C = 10, same features",
    "dorm": "DORM, the default",
}
SIZES = {"mq2008": (50, 200), "artificial": (30, 100)}

study = Study("empirical-risk", "minimisation of the empirical risk", ["mq2008", "artificial"])
study.settings = {"starts": ascent.STARTS, "most sweeps": ascent.MOST_SWEEPS}

rows = []
for collection in study.collections:
    sizes, at = SIZES[collection], curves.splits(collection, study.quick)
    for size in sizes[:1] if study.quick else sizes:
        results = study.run([study.job(ascent, collection, split, size, "ascent") for split in at])
        pooled = {}
        for name in TITLES:
            of_splits = [
                {"measures": {"ndcg@10": result[name]["test"]}, "queries": curves.test_queries(collection, split)}
                for split, result in zip(at, results)
            ]
            pooled[name] = summary.pooled(of_splits, "ndcg@10")
        for name, title in TITLES.items():
            training = [result[name]["training"] for result in results]
            less = ""
            if name != "ascent":
                what = "%s, %d queries: ascent less %s" % (datasets.TITLES[collection], size, title)
                less = "%+.4f ± %.4f" % study.compare(what, pooled["ascent"], pooled[name])[:2]
            mean = "%.4f ± %.4f" % summary.mean_error(pooled[name])
            rows.append([datasets.TITLES[collection], size, title, "%.4f" % (sum(training) / len(training)), mean, less])
columns = ["data", "training queries", "method", "NDCG@10 in training", "NDCG@10 in test", "in test, ascent less it"]
note = "training: mean over the splits; test: errors over the test queries, each with its mean over the splits that test it"
study.add(blocks.table("empirical-risk-table", "Training and test NDCG@10", columns, rows, [note]))
study.finish()
