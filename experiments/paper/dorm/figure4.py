"""Figure 4: the largest difference of NDCG@10 between the paper's choices of c, against the number m of training queries,
with the paper's reference and with one that follows the scores; and whether it falls as 1/sqrt(m).

needs: mq2008
minutes: 3
"""
import numpy as np

import blocks
import cells
import curves
import datasets
import summary
from study import Study

study = Study("figure4", "choices of the position weights c", ["mq2008", "artificial"])
SIZES = {"mq2008": (50, 100, 200, 0), "artificial": (30, 100, 300, 0)}
PANELS = [("listed", "reference `listed`"), ("mu:1", "reference mu:1")]
PAPER = (
    "its Figure 4 is drawn without printed numbers: the maximum difference in NDCG@10 for different choices of c with "
    "respect to 1/sqrt(m); its text: the difference will decrease when the sample size increases, and the rate of "
    "convergence is suspected to be 1/sqrt(m)"
)
DRAWS = 500
weights = ["power:0.5", "power:2"] if study.quick else cells.PAPER
study.settings = {"configuration": "methods/cell.ini", "c": weights + ["loss"], "draws of the queries": DRAWS}


def show_panel(collection, reference, panel, found, sizes, counts):
    """Adds the table and figure of NDCG@10 by c."""
    title = "NDCG@10 by c on %s, %s" % (datasets.TITLES[collection], panel)
    rows = []
    for c in weights + ["loss"]:
        values = [summary.mean_error(summary.pooled(found[reference, c, size], "ndcg@10")) for size in sizes]
        what = "%s, %s: %s less (p+2)^-1/2" % (datasets.TITLES[collection], reference, cells.WEIGHT_TITLES[c])
        half = found[reference, "power:0.5", sizes[-1]]
        less = curves.against(study, what, found[reference, c, sizes[-1]], half, "ndcg@10")
        rows.append([cells.WEIGHT_TITLES[c]] + ["%.4f ± %.4f" % v for v in values] + [less])
    id = "figure4-%s-%s" % (collection, reference.split(":")[0])
    columns = ["%d queries" % k for k in counts]
    note = "standard errors over %s, paired for differences" % curves.over(collection, study.quick)
    less = "less (p+2)^-1/2 at %d" % counts[-1]
    shown = blocks.table(id + "-table", title, ["c"] + columns + [less], rows, [note])
    study.add(blocks.figure_of(id, shown, title, "training queries", "NDCG@10", columns, at=counts, logx=True))
    study.add(shown)
    cells.observe(study, found, collection, id + "-splits")


def spreads(values):
    """The largest less the smallest mean of [c][queries], or of more dimensions between."""
    means = values.mean(axis=-1)
    return means.max(axis=0) - means.min(axis=0)


def slope(m, spread):
    """e of spread = B m^-e, by least squares of the logarithms."""
    x = np.log(m)
    y = np.log(np.maximum(spread, 1e-9))
    return float(-((x - x.mean()) @ (y - y.mean())) / ((x - x.mean()) @ (x - x.mean())))


def measure_spread(values, m):
    """For [c][sizes][queries]: spreads, their errors, what chance alone gives, e and its range of 95 %, of which errors,
    chance and range come from drawing the queries again. Chance is the mean spread where all c have the same mean."""
    random = np.random.RandomState(datasets.SEED)
    level = values - values.mean(axis=-1, keepdims=True)
    drawn, by_chance = [], []
    for _ in range(DRAWS):
        queries = random.randint(0, values.shape[-1], values.shape[-1])
        drawn.append(spreads(values[..., queries]))
        by_chance.append(spreads(level[..., queries]))
    found = spreads(values)
    low, high = np.percentile([slope(m, spread) for spread in drawn], [2.5, 97.5])
    return found, np.std(drawn, axis=0, ddof=1), np.mean(by_chance, axis=0), (slope(m, found), low, high)


def show_spread(collection, found, sizes, counts, rates):
    """Adds the paper's figure and its table; appends the rows of the last table to `rates`."""
    rows, series = [], []
    for reference, _ in PANELS:
        values = np.array(
            [[summary.pooled(found[reference, c, size], "ndcg@10") for size in sizes] for c in weights], float
        )
        spread, error, chance, e = measure_spread(values, counts)
        means = values.mean(axis=-1)
        for k, count in enumerate(counts):
            best, worst = (cells.WEIGHT_TITLES[weights[int(at(means[:, k]))]] for at in (np.argmax, np.argmin))
            rows.append(
                [reference, count, "%.4f ± %.4f" % (spread[k], error[k]), "%.4f" % chance[k]]
                + ["%.2f" % (spread[k] * count**0.5), best, worst]
            )
        series.append([reference] + [blocks.value(*pair) for pair in zip(spread, error)])
        rates.append([datasets.TITLES[collection], reference, "%.2f" % e[0], "%.2f to %.2f" % e[1:]])
    first = spread[0] * counts[0] ** 0.5
    series.append(["1/sqrt(m)"] + ["%.6g" % (first / count**0.5) for count in counts])
    id = "figure4-%s-spread" % collection
    title = "Figure 4: the largest difference of NDCG@10 between choices of c, on %s" % datasets.TITLES[collection]
    label = "largest difference of NDCG@10"
    study.add(
        blocks.figure(
            id, title, "training queries", label, ["reference"] + counts, series, counts, True, "loglog", paper=PAPER
        )
    )
    study.add(
        blocks.table(
            id + "-table",
            title,
            ["reference", "queries m", "largest difference", "by chance", "times sqrt(m)", "largest", "smallest"],
            rows,
            [
                "of the means of the paper's %d choices of c; errors: the queries drawn again %d times"
                % (len(weights), DRAWS),
                "by chance: the mean difference in such draws where all c are made to have the same mean",
            ],
            PAPER,
        )
    )


rates = []
study.observations = [["collection", "reference", "c", "queries", "split", "ndcg@10", "seconds"]]
for collection in study.collections:
    sizes = (curves.QUICK_SIZES if study.quick else SIZES)[collection]
    counts = [curves.num_queries(collection, size, study.quick) for size in sizes]
    measured = {
        reference: cells.measure(study, collection, [(reference, c) for c in weights + ["loss"]], sizes)
        for reference, _ in PANELS
    }
    show_spread(collection, {key: r for found in measured.values() for key, r in found.items()}, sizes, counts, rates)
    for reference, panel in PANELS:
        show_panel(collection, reference, panel, measured[reference], sizes, counts)
study.add(
    blocks.table(
        "figure4-rates",
        "The largest difference as B m^-e: e is 0.5 for 1/sqrt(m), and negative where it grows",
        ["data", "reference", "e", "95 % of e"],
        rates,
        ["least squares of the logarithms; range when the queries are drawn again %d times" % DRAWS],
        PAPER,
    )
)
study.finish()
