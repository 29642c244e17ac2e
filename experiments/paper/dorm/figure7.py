"""Figure 7: seconds of processor time to train and choose, against the number of
training queries. The jobs are those of Figure 3.

needs: mq2008
minutes: 1
"""
import blocks
import curves
import datasets
import methods
import summary
from study import Study

study = Study("figure7", "training and validation time", ["mq2008", "artificial"])
study.settings = {"time": "processor seconds of one thread, for all candidates and choosing among them"}
for collection in study.collections:
    chosen = methods.find("figure7", collection)
    at = curves.sizes(collection, study.quick)
    found = curves.measure(study, collection, chosen, at)
    rows = []
    for method in chosen:
        if method.name not in found:
            continue
        seconds = {size: summary.mean_error([r["seconds"] for r in found[method.name][size]])[0] for size in at}
        last = found[method.name][at[-1]]
        each = summary.mean_error([r["seconds"] / r["tried"] for r in last])[0]
        rows.append([method.title] + ["%.2f" % seconds[size] for size in at] + [curves.tried(last), "%.3f" % each])
    title = "Figure 7 on %s: seconds to train and choose" % datasets.TITLES[collection]
    counts = [curves.num_queries(collection, size, study.quick) for size in at]
    columns = ["%d queries" % count for count in counts]
    shown = blocks.table(
        "figure7-%s-table" % collection,
        title,
        ["method"] + columns + ["candidates", "s each"],
        rows,
        ["processor seconds of one thread, with two jobs at a time; those of dorm include reading the files"],
        varying=columns + ["s each"],
    )
    study.add(
        blocks.figure_of(
            "figure7-" + collection,
            shown,
            title,
            "training queries",
            "seconds",
            columns,
            at=counts,
            logx=True,
            style="loglog",
            paper="its Figure 7 is drawn without printed numbers (3 GHz machines of 2006)",
        )
    )
    study.add(shown)
    curves.observe(study, found, collection, ["ndcg@10"])
study.finish()
