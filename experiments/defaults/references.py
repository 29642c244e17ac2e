"""Reference rankings and position weights: NDCG@10 of every pair of them.

needs: mq2008
minutes: 3
"""
import blocks
import cells
import curves
import datasets
import summary
from study import Study

study = Study("references", "reference rankings and position weights", ["mq2008", "artificial"])
study.settings = {"configuration": "methods/cell.ini", "references": cells.REFERENCES, "c": cells.WEIGHTS}
SIZE = {"mq2008": 80 if study.quick else 0, "artificial": 20 if study.quick else 100}
BASE = ("mu:0.3", "loss")
references = ["listed", "ideal", "mu:0.3"] if study.quick else cells.REFERENCES
weights = ["loss", "power:0.5"] if study.quick else cells.WEIGHTS
study.observations = [["collection", "reference", "c", "split", "ndcg@10", "seconds"]]
for collection in study.collections:
    size = SIZE[collection]
    found = cells.measure(study, collection, [(r, c) for r in references for c in weights], [size])
    pooled = {key[:2]: summary.pooled(results, "ndcg@10") for key, results in found.items()}
    count = curves.num_queries(collection, size, study.quick)
    title = "NDCG@10 by reference and c, %s, %d training queries" % (datasets.TITLES[collection], count)
    columns = ["reference"] + [cells.WEIGHT_TITLES[c] for c in weights]
    note = "standard errors over %s" % curves.over(collection, study.quick)
    shown = blocks.table(
        "references-" + collection,
        title,
        columns,
        [[r] + ["%.4f ± %.4f" % summary.mean_error(pooled[r, c]) for c in weights] for r in references],
        [note],
    )
    study.add(shown)
    rows = []
    for r in references:
        rows.append(
            [r]
            + [
                ""
                if (r, c) == BASE
                else "%+.4f ± %.4f"
                % study.compare(
                    "%s: %s with %s" % (datasets.TITLES[collection], r, cells.WEIGHT_TITLES[c]),
                    pooled[r, c],
                    pooled[BASE],
                )[:2]
                for c in weights
            ]
        )
    study.add(
        blocks.table(
            "references-%s-paired" % collection,
            title + ": less that of mu:0.3 with c = a",
            columns,
            rows,
            ["paired " + note],
        )
    )
    study.add(
        blocks.figure_of("references-%s-figure" % collection, shown, title, "", "NDCG@10", columns[1:], style="points")
    )
    cells.observe(study, found, collection, "references-%s-splits" % collection, with_size=False)
study.finish()
