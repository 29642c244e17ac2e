"""Features normalised within queries, as they are, and whichever validation prefers, for linear models and trees."""
import blocks
import curves
import datasets
import methods
import summary
from study import Study

MEASURE = "ndcg@10"
# The number of training queries (0: all) and of splits, by collection.
PARTS = {"mq2008": (0, 10), "small-artificial": (100, 3), **{collection: (50, 10) for collection in datasets.UCI}}
QUICK = {"mq2008": (40, 1), "page-blocks": (10, 1)}
SCORERS = {"linear": "linear models", "trees": "trees"}
INPUTS = ("minmax", "none", "chosen")

study = Study(
    "normalisation",
    "features normalised within queries, as they are, or whichever validation prefers",
    list(PARTS),
)
parts = {c: part for c, part in (QUICK if study.quick else PARTS).items() if c in study.collections}
study.settings = {"tuned by": "NDCG@10 on the validation part", "splits": {c: splits for c, (_, splits) in parts.items()}}
found = {}
for collection, (size, splits) in parts.items():
    chosen = methods.find("normalisation", collection)
    results = curves.measure(study, collection, chosen, [size], MEASURE, range(splits))
    found.update({(collection, name): by_size[size] for name, by_size in results.items()})


def values(collection, scorer, inputs):
    return summary.pooled(found[collection, "%s-%s" % (scorer, inputs)], MEASURE)


def cell(collection, scorer, inputs):
    what = "%s, %s: %s less within queries" % (datasets.TITLES[collection], SCORERS[scorer], inputs)
    difference, error, _ = study.compare(what, values(collection, scorer, inputs), values(collection, scorer, "minmax"))
    return "%+.4f ± %.4f" % (difference, error)


def share(collection, scorer):
    """The share of splits where the choice is the training on features as they are."""
    alike = [
        chosen["measures"] == single["measures"]
        for chosen, single in zip(found[collection, scorer + "-chosen"], found[collection, scorer + "-none"])
    ]
    return "%.1f" % (sum(alike) / len(alike))


def seconds(collection, scorer, inputs):
    return "%.1f" % summary.mean_error([r["seconds"] for r in found[collection, "%s-%s" % (scorer, inputs)]])[0]


for scorer, title in SCORERS.items():
    study.add(
        blocks.table(
            "normalisation-" + scorer,
            "NDCG@10 of %s" % title,
            ["data", "within queries", "as they are, less that", "chosen, less within queries", "share", "CPU s", "CPU s, chosen"],
            [
                [
                    datasets.TITLES[c],
                    "%.4f ± %.4f" % summary.mean_error(values(c, scorer, "minmax")),
                    cell(c, scorer, "none"),
                    cell(c, scorer, "chosen"),
                    share(c, scorer),
                    seconds(c, scorer, "minmax"),
                    seconds(c, scorer, "chosen"),
                ]
                for c in parts
            ],
            ["share: of the splits where validation took features as they are; where both are the same, all"],
            varying=["CPU s", "CPU s, chosen"],
        )
    )
study.observations = [["data", "method", "split", MEASURE, "seconds"]]
for (collection, name), results in found.items():
    for split, result in enumerate(results):
        row = [collection, name, split, "%.6f" % summary.of(result, MEASURE), "%.2f" % result["seconds"]]
        study.observations.append(row)
study.finish()
