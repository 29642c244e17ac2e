"""Figure 2: NDCG@1 to NDCG@10 by method, on MQ2008 and on artificial data.

needs: mq2008
minutes: 11
"""
import blocks
import curves
import datasets
import methods
import summary
from study import Study

study = Study("figure2", "NDCG at 1 to 10 by method", ["mq2008", "artificial"])
study.settings = {"methods": "experiments/methods", "tuned by": "NDCG@10 on the validation part"}
DEPTHS = range(1, methods.DEPTH + 1)

NEAR = 0.02


def differences(results, chosen):
    """Rows of the paired differences from DORM, of the methods that come near it."""
    rows = []
    for method in chosen:
        pairs = [
            summary.paired(summary.pooled(results[method.name], measure), summary.pooled(results["dorm"], measure))
            for measure in ("ndcg@%d" % k for k in DEPTHS)
        ]
        if abs(pairs[-1][0]) <= NEAR:
            rows.append([method.title] + [blocks.value(p[0], p[1]) for p in pairs])
    return rows


def row_of(study, collection, method, results):
    """A method's row of a table."""
    of = lambda measure: summary.mean_error(summary.pooled(results[method.name], measure))
    compared = ""
    if "dorm" in results:
        what = "%s: %s less DORM" % (datasets.TITLES[collection], method.title)
        compared = curves.against(study, what, results[method.name], results["dorm"], "ndcg@10")
    return (
        [method.title]
        + ["%.4f" % of("ndcg@%d" % k)[0] for k in (1, 3, 5, 10)]
        + ["%.4f" % of("ndcg@10")[1], compared, "%.4f" % of("map")[0], curves.tried(results[method.name])]
        + ["%.1f" % summary.mean_error([r["seconds"] for r in results[method.name]])[0], method.scorer]
    )


for collection in study.collections:
    chosen = methods.find("figure2", collection)
    size = curves.sizes(collection, study.quick)[-1]
    found = curves.measure(study, collection, chosen, [size])
    chosen = [method for method in chosen if method.name in found]
    results = {method.name: found[method.name][size] for method in chosen}
    over = curves.over(collection, study.quick)
    lines = []
    for method in chosen:
        values = [summary.mean_error(summary.pooled(results[method.name], "ndcg@%d" % k)) for k in DEPTHS]
        lines.append([method.title] + [blocks.value(*v) for v in values])
    title = "Figure 2 on %s" % datasets.TITLES[collection]
    study.add(
        blocks.figure(
            "figure2-" + collection,
            title,
            "n",
            "NDCG@n",
            ["method"] + list(DEPTHS),
            lines,
            at=DEPTHS,
            paper="its Figure 2 is drawn without printed numbers (its own web-search data)",
        )
    )
    if "dorm" in results:
        study.add(
            blocks.figure(
                "figure2-%s-difference" % collection,
                title + ": less DORM's",
                "n",
                "NDCG@n less DORM's",
                ["method"] + list(DEPTHS),
                differences(results, chosen),
                at=DEPTHS,
                notes=["methods within %g of DORM at n = 10" % NEAR],
            )
        )
    notes = ["standard errors over %s; paired for differences; a query without a relevant document counts 0" % over]
    if "dorm" in results:
        others = [method for method in chosen if method.has_same_pool]
        best = curves.best_linear(found, others, size, "ndcg@10", {"dorm"})
        difference, error, p = summary.paired(
            summary.pooled(results["dorm"], "ndcg@10"), summary.pooled(results[best.name], "ndcg@10")
        )
        notes.append(
            "DORM less the best other of this table, %s: %+.4f ± %.4f (p = %.2g): %s two standard errors"
            % (best.title, difference, error, p, "within" if summary.within(difference, error) else "NOT within")
        )
    for id, what, kept in (
        ("losses", "the same start, features, candidates and averaging: only the loss differs", lambda m: m.has_same_pool),
        ("defaults", "each method with a pool of its own", lambda m: m.name == "dorm" or not m.has_same_pool),
    ):
        study.add(
            blocks.table(
                "figure2-%s-%s" % (collection, id),
                "%s, %s" % (title, what),
                ["method", "NDCG@1", "@3", "@5", "@10", "± (@10)", "@10 less DORM's", "MAP", "candidates", "CPU s", "scorer"],
                [row_of(study, collection, method, results) for method in filter(kept, chosen)],
                notes if id == "losses" else notes[:1],
                varying=["CPU s"],
            )
        )
    curves.add_letters(study, "figure2-%s-letter" % collection, found, chosen, collection, size)
    curves.by_split(study, found, collection, "ndcg@10", "figure2-%s-splits" % collection)
    curves.observe(study, found, collection, methods.NAMES)
study.finish()
