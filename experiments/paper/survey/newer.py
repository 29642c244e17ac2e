"""Losses that are younger than most of the tutorial's, each beside its nearest in the survey, by the survey's protocol.

needs: mq2008 page-blocks covertype
runs: alone
minutes: 12
"""
import blocks
import methods
import protocol
import summary
from protocol import DEFAULTS
from study import Study

PARTITIONS = 2
NEAREST = {
    "listmle": "listnet",
    "p-norm-push": "logistic",
    "approx-ndcg": "smoothrank",
    "softrank": "net-lambdarank",
    "lambdaloss": "lambdamart",
}

COLLECTIONS = ["mq2008", "small-artificial", "page-blocks", "covertype"]

study = Study("newer", "losses of later years beside their nearest in the survey", COLLECTIONS)
older = [m for m in methods.find("survey") if m.name in (DEFAULTS, *NEAREST.values())]
chosen = sorted(methods.find("newer") + older, key=lambda method: method.order)
parts = protocol.make_parts(study, PARTITIONS)
chosen, _ = protocol.run_methods(study, parts, chosen)
titles = {method.name: method.title for method in chosen}
tests = protocol.Tests(
    (part, one, other) for part in parts for one in NEAREST for other in (NEAREST[one], DEFAULTS)
)
for part in parts:
    rows = [
        [
            titles[one],
            "%.4f ± %.4f" % summary.mean_error(part.values[one]),
            tests.cell(part, one, DEFAULTS),
            titles.get(NEAREST.get(one), ""),
            tests.cell(part, one, NEAREST.get(one)),
            "%.2f" % part.mean(one, "seconds"),
        ]
        for one in titles
    ]
    study.add(
        blocks.table(
            "newer-" + part.name,
            "NDCG@10 on %s" % part.title,
            ["method", "NDCG@10", "less DORM, defaults", "its nearest", "less its nearest", "CPU s"],
            rows,
            ["%s; p by Holm for the %d comparisons of these tables" % (part.unit(), len(tests.found))],
            varying=["CPU s"],
        )
    )
protocol.splits_table(study, parts, "newer-splits")
study.finish()
