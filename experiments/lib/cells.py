"""cells.py: DORM with one choice of reference and of position weights c."""
import blocks
import curves
import datasets
import methods
import summary

WEIGHTS = ["loss", "power:0.25", "power:0.5", "power:1", "power:2", "log", "loglog"]
# The paper's choices of c = (i+1)^-d (with p = i - 1), 1/log and 1/log log.
PAPER = ["power:0.25", "power:0.333333", "power:0.5", "power:1", "power:2", "power:3", "log", "loglog"]
WEIGHT_TITLES = {
    "loss": "c = a",
    "power:0.25": "(p+2)^-1/4",
    "power:0.333333": "(p+2)^-1/3",
    "power:0.5": "(p+2)^-1/2",
    "power:1": "(p+2)^-1",
    "power:2": "(p+2)^-2",
    "power:3": "(p+2)^-3",
    "log": "1/log(p+3)",
    "loglog": "1/log log(p+3)",
}
REFERENCES = ["listed", "averaged", "ideal", "current", "mu:0.1", "mu:0.3", "mu:1", "mu:3"]


def measure(study, collection, cells, sizes):
    """{(reference, c, size): [one result per split]}"""
    cell = methods.get("references", "cell")
    keys, jobs = [], []
    for reference, weights in cells:
        for size in sizes:
            for split in curves.splits(collection, study.quick):
                settings = {"ranking.reference": reference, "ranking.position_weights": weights}
                if reference in ("listed", "averaged"):  # one convex problem, which needs no start
                    settings["solver.start"] = "zero"
                keys.append((reference, weights, size, split))
                jobs.append(methods.make_job(cell, collection, split, size, "ndcg@10", study.quick, settings))
    found = {}
    for (*key, split), result in zip(keys, study.run(jobs)):
        picked = {**methods.pick(result, "ndcg@10"), "queries": curves.test_queries(collection, split)}
        found.setdefault(tuple(key), []).append(picked)
    return found


def observe(study, found, collection, id, with_size=True):
    """Adds the observations of each split, and their rows in observations.tsv."""
    at = curves.splits(collection, study.quick)
    rows = []
    for (reference, weights, size), results in found.items():
        key = [reference, weights] + [curves.num_queries(collection, size, study.quick)] * with_size
        values = ["%.6f" % summary.of(result, "ndcg@10") for result in results]
        rows.append(key + values)
        for split, value, result in zip(at, values, results):
            study.observations.append([collection] + key + [split, value, "%.2f" % result["seconds"]])
    if len(at) > 1:
        columns = ["reference", "c"] + ["queries"] * with_size + at
        study.add(blocks.data(id, "NDCG@10 of each split of %s" % datasets.TITLES[collection], columns, rows))
