"""The ranking SVM by a solver that lists its pairs, beside solvers that list none: seconds of one solve.

needs: mq2008
minutes: 1
"""
import blocks
import curves
import datasets
import listed
from study import Study

SIZES = {"mq2008": (50, 200, 0), "artificial": (30, 100)}
CS = (1.0, 10.0)

study = Study("pairs", "the ranking SVM with pairs listed", ["mq2008", "artificial"])
study.settings = {"solver.gap": listed.GAP, "C": CS, "liblinear's tolerance": listed.EPSILON}
rows = []
for collection in study.collections:
    sizes = SIZES[collection][:1] if study.quick else SIZES[collection]
    cells = [(size, C) for size in sizes for C in (CS[:1] if study.quick else CS)]
    jobs = [study.job(listed, collection, 0, size, "pairs", C=C) for size, C in cells]
    for (size, C), result in zip(cells, study.run(jobs)):
        if not result:
            continue
        pairs, best = result[listed.LISTED]["pairs"], result["ranking SVM, no pairs listed"]["primal"]
        for name, one in result.items():
            row = [datasets.TITLES[collection], curves.num_queries(collection, size, study.quick), pairs, "%g" % C, name]
            rows.append(row + ["%.3f" % (one["primal"] / best) if "NDCG" not in name else "", "%.3f" % one["seconds"]])
columns = ["data", "queries", "pairs", "C", "solver", "F(w) over its value without pairs", "seconds"]
note = "one convex problem each, on one thread; the seconds of liblinear are without reading"
study.add(blocks.table("pairs-table", "One solve by listed pairs and without", columns, rows, [note], varying=["seconds"]))
study.finish()
