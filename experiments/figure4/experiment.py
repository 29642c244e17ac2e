"""Figure 4: NDCG@10 against the number m of training queries for the choices of c,
with the paper's reference and with one that follows the scores; and whether the
distance from the limit falls as 1/sqrt(m)."""
import numpy as np

import blocks
import cells
import curves
import datasets
import summary
from study import Study

study = Study("figure4", "choices of the position weights c", ["mq2008", "artificial"])
study.settings = {"configuration": "methods/cell.ini", "c": cells.WEIGHTS}
SIZES = {"mq2008": (50, 100, 200, 0), "artificial": (30, 100, 300, 0)}
FIT_SIZES = {"mq2008": (25, 50, 100, 200, 330, 0), "artificial": (30, 50, 100, 200, 300, 0)}
PANELS = [("listed", "reference `listed`"), ("mu:1", "reference mu:1")]
PAPER = "its Figure 4 is drawn without printed numbers; it fits 1/sqrt(m)"


def fit(m, y, weight, exponent):
    """Fits y = A - B m^-exponent by weighted least squares: A, B, sum of squares."""
    design = np.stack([np.ones(len(m)), -np.asarray(m, float) ** -exponent], axis=1)
    root = np.sqrt(weight)
    solution = np.linalg.lstsq(design * root[:, None], y * root, rcond=None)[0]
    return solution[0], solution[1], float(weight @ (y - design @ solution) ** 2)


def learning_curve(collection, reference, weights, rows):
    """Appends rows with the fits of 1/sqrt(m), of 1/m and of the best exponent to the
    means, and with the range of the best exponent when the splits are drawn again."""
    sizes = curves.QUICK_SIZES[collection] if study.quick else FIT_SIZES[collection]
    found = cells.measure(study, collection, [(reference, weights)], sizes)
    m = np.array([curves.num_queries(collection, size, study.quick) for size in sizes])
    values = np.array([summary.pooled(found[reference, weights, size], "ndcg@10") for size in sizes])
    if len(m) < 4:
        return
    exponents = np.arange(0.05, 3.001, 0.05)

    def best(table):
        y = table.mean(axis=1)
        weight = 1 / np.maximum(table.std(axis=1, ddof=1) ** 2 / table.shape[1], 1e-12)
        fits = [fit(m, y, weight, e) for e in exponents]
        return y, weight, int(np.argmin([f[2] for f in fits]))

    y, weight, chosen = best(values)
    random = np.random.RandomState(datasets.SEED)
    drawn = [exponents[best(values[:, random.randint(0, values.shape[1], values.shape[1])])[2]] for _ in range(500)]
    low, high = np.percentile(drawn, [2.5, 97.5])
    for name, exponent in (("1/sqrt(m)", 0.5), ("1/m", 1.0), ("best", exponents[chosen])):
        limit, slope, squares = fit(m, y, weight, exponent)
        rows.append(
            [
                datasets.TITLES[collection],
                reference,
                cells.WEIGHT_TITLES[weights],
                name,
                "%.2f" % exponent,
                "%.4f" % limit,
                "%.3f" % slope,
                "%.2f" % squares,
                "%d" % (len(m) - 2),
                "%.2f to %.2f" % (low, high) if name == "best" else "",
            ]
        )


fits = []
study.observations = [["collection", "reference", "c", "queries", "split", "ndcg@10", "seconds"]]
for collection in study.collections:
    sizes = (curves.QUICK_SIZES if study.quick else SIZES)[collection]
    counts = [curves.num_queries(collection, size, study.quick) for size in sizes]
    weights = ["loss", "power:0.5"] if study.quick else cells.WEIGHTS
    for reference, panel in PANELS:
        found = cells.measure(study, collection, [(reference, c) for c in weights], sizes)
        title = "Figure 4 on %s, %s" % (datasets.TITLES[collection], panel)
        rows = []
        for c in weights:
            values = [summary.mean_error(summary.pooled(found[reference, c, size], "ndcg@10")) for size in sizes]
            half = found[reference, "power:0.5", sizes[-1]]
            rows.append(
                [cells.WEIGHT_TITLES[c]]
                + ["%.4f ± %.4f" % v for v in values]
                + [curves.against(found[reference, c, sizes[-1]], half, "ndcg@10")]
            )
        id = "figure4-%s-%s" % (collection, reference.split(":")[0])
        columns = ["%d queries" % k for k in counts]
        shown = blocks.table(
            id + "-table",
            title,
            ["c"] + columns + ["less (p+2)^-1/2 at %d" % counts[-1]],
            rows,
            ["standard errors over %s, paired for differences" % curves.over(collection, study.quick)],
        )
        study.add(
            blocks.figure_of(
                id, shown, title, "training queries", "NDCG@10", columns, at=counts, logx=True, paper=PAPER
            )
        )
        study.add(shown)
        cells.observe(study, found, collection, id + "-splits")
    if not study.quick:
        learning_curve(collection, "mu:1", "loss", fits)
        learning_curve(collection, "listed", "power:0.5", fits)
if fits:
    study.add(
        blocks.table(
            "figure4-fits",
            "NDCG@10 = A - B m^-e, fitted to the means",
            ["data", "reference", "c", "form", "e", "A", "B", "sum of squares", "degrees of freedom", "95 % of e"],
            fits,
            [
                "squares are divided by the squared standard errors: "
                "their sum is about the degrees of freedom where the form fits",
                "95 % of e: range of the best exponent when the splits (test queries) are drawn again 500 times",
            ],
            PAPER,
        )
    )
study.finish()
