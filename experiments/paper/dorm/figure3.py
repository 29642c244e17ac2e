"""Figure 3: NDCG@10 against the number of training queries; and whether DORM with few
queries is better than the others with many.

needs: mq2008
minutes: 16
"""
import math

import blocks
import curve_study
import curves
import datasets
import methods
import summary


def what_few_queries_take(study, collection, found, measure, sizes):
    """Adds a table of the default, of the default with one thing changed, and of ridge
    regression."""
    changed = methods.find("few", collection)
    results = {**curves.measure(study, collection, changed, sizes), "dorm": found["dorm"], "ridge": found["ridge"]}
    rows = []
    for method in [methods.get("figure3", "dorm")] + changed + [methods.get("figure3", "ridge")]:
        rows.append(
            [method.title]
            + ["%.4f" % summary.mean_error(summary.pooled(results[method.name][size], measure))[0] for size in sizes]
            + [
                curves.against(
                    study,
                    "%s, %d queries: %s less DORM"
                    % (datasets.TITLES[collection], curves.num_queries(collection, size, study.quick), method.title),
                    results[method.name][size],
                    results["dorm"][size],
                    measure,
                )
                for size in sizes
            ]
        )
    counts = [curves.num_queries(collection, size, study.quick) for size in sizes]
    study.add(
        blocks.table(
            "figure3-%s-changed" % collection,
            "DORM with one thing changed, on %s" % datasets.TITLES[collection],
            ["method"] + ["%d queries" % k for k in counts] + ["less DORM at %d" % k for k in counts],
            rows,
            ["paired over %s" % curves.over(collection, study.quick)],
        )
    )


def what_doubling_gains(study, collection, found, chosen, measure, sizes):
    """Adds a table of what each method gains from one size to the next, per doubling of the number of queries."""
    counts = [curves.num_queries(collection, size, study.quick) for size in sizes]
    steps = [k for k in range(1, len(sizes)) if counts[k] > counts[k - 1]]
    rows = []
    for method in (method for method in chosen if method.name in found):
        row = [method.title]
        for k in steps:
            more, fewer = (summary.pooled(found[method.name][size], measure) for size in (sizes[k], sizes[k - 1]))
            doublings = math.log2(counts[k] / counts[k - 1])
            difference, error, _ = summary.paired(more, fewer)
            row.append("%+.4f ± %.4f" % (difference / doublings, error / doublings))
        rows.append(row)
    study.add(
        blocks.table(
            "figure3-%s-doubling" % collection,
            "What doubling the training queries gains, on %s" % datasets.TITLES[collection],
            ["method"] + ["%d to %d" % (counts[k - 1], counts[k]) for k in steps],
            rows,
            ["NDCG@10 per doubling, paired over %s" % curves.over(collection, study.quick)],
            "for many methods, doubling the sample size increases NDCG by less than 1%",
        )
    )


def claims(study, collection, found, chosen, measure, sizes):
    count = lambda size: curves.num_queries(collection, size, study.quick)
    notes = []
    for size in sizes:
        best = curves.best_linear(found, chosen, size, measure, {"dorm"})
        difference, error, p = summary.paired(
            summary.pooled(found["dorm"][size], measure), summary.pooled(found[best.name][size], measure)
        )
        notes.append(
            "at %d queries, DORM less the best other linear scorer (%s): %+.4f ± %.4f, %s two standard errors"
            % (
                count(size),
                best.title,
                difference,
                error,
                "within" if summary.within(difference, error) else "NOT within",
            )
        )
    few = sizes[1] if len(sizes) > 2 else sizes[0]
    rows = []
    for method in chosen:
        if method.name.startswith("dorm") or method.name not in found:
            continue
        difference, error, p = study.compare(
            "%s: DORM with %d queries less %s with %d"
            % (datasets.TITLES[collection], count(few), method.title, count(sizes[-1])),
            summary.pooled(found["dorm"][few], measure),
            summary.pooled(found[method.name][sizes[-1]], measure),
        )
        rows.append([method.title, "%+.4f ± %.4f" % (difference, error), summary.p_text(p), method.scorer])
    study.add(
        blocks.table(
            "figure3-%s-few" % collection,
            "DORM with %d training queries of %s less each method with %d"
            % (count(few), datasets.TITLES[collection], count(sizes[-1])),
            ["method", "NDCG@10", "p", "scorer"],
            rows,
            ["paired over %s" % curves.over(collection, study.quick)],
            "DORM with 100 queries beats the other methods with 1,000",
        )
    )
    what_doubling_gains(study, collection, found, chosen, measure, sizes)
    what_few_queries_take(study, collection, found, measure, sizes)
    return notes


curve_study.run(
    "figure3",
    "Figure 3",
    [("ndcg@10", "NDCG@10", "ndcg@10")],
    "its Figure 3 is drawn without printed numbers; its text: DORM with 100 queries beats the other "
    "methods with 1,000",
    "dorm",
    claims,
)
