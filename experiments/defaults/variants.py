"""Variants of dorm's default on every collection: alone, and where validation chooses between the two.

needs: mq2008 page-blocks pendigits optdigits covertype
minutes: 5
"""
import hashlib

import numpy as np

import blocks
import curves
import datasets
import methods
import summary
import variant
from study import Study

PARTITIONS = 10
SIZES = (30, 100, 300)
REPETITIONS = 10
DRAWS = 3
QUERIES = 50
DEFAULT = "default"
CONTROLS = {"two-truncations-ten": "average-ten", "no-regularisation": "one-model"}  # less these, where not the default


class Part:
    """One collection, on artificial data one size of it: its splits, and what every variant has there."""

    def __init__(self, collection, size, splits):
        self.collection, self.size, self.splits = collection, size, list(splits)
        self.name = collection + ("-%d" % size if collection == "small-artificial" else "")
        self.title = datasets.TITLES[collection] + (", %d queries" % size if collection == "small-artificial" else "")
        self.found = {}

    def test(self, results):
        """One value per test query: the mean over the partitions on MQ2008; elsewhere the queries of all splits."""
        if self.collection != "mq2008":
            return np.concatenate([result["test"] for result in results])
        total, count = np.zeros(curves._num_mq2008()), np.zeros(curves._num_mq2008())
        for split, result in zip(self.splits, results):
            queries = curves.test_queries("mq2008", split)
            total[queries] += result["test"]
            count[queries] += 1
        return total[count > 0] / count[count > 0]

    def chosen(self, name):
        """The results of each split's choice: the variant where its validation mean is above that of the default by more
        than one standard error of the difference; and the share of splits that chose it."""
        picked, share = [], 0.0
        for variant, default in zip(self.found[name], self.found[DEFAULT]):
            difference, error = summary.paired(variant["validation"], default["validation"])[:2]
            picked.append(variant if difference > error else default)
            share += (difference > error) / len(self.splits)
        return picked, share


def parts_of(study):
    found = []
    for collection in study.collections:
        if collection == "mq2008":
            found.append(Part(collection, 40 if study.quick else 0, range(2 if study.quick else 5 * PARTITIONS)))
        elif collection == "small-artificial":
            for size in (20,) if study.quick else SIZES:
                found.append(Part(collection, size, range(1 if study.quick else DRAWS)))
        elif not study.quick or collection == "page-blocks":
            found.append(Part(collection, 10 if study.quick else QUERIES, range(1 if study.quick else REPETITIONS)))
    return found


def job_of(part, method, split):
    content = hashlib.sha256((method.content + datasets.fingerprint(part.collection)).encode()).hexdigest()
    return study.job(variant, part.collection, split, part.size, method.name, path=method.path, content=content)


study = Study(
    "variants",
    "what the default could still gain, by paired comparisons on every collection",
    ["mq2008", "small-artificial"] + list(datasets.UCI),
)
study.settings = {
    "partitions of MQ2008": PARTITIONS,
    "repetitions of UCI sets": REPETITIONS,
    "draws of each size of artificial data": DRAWS,
    "tuned by": "NDCG@10 on the validation part",
}
parts = parts_of(study)
chosen = methods.find("variants")
keys = [
    (part, method, split)
    for part in parts
    for method in chosen
    if method.takes_part("variants", part.collection)
    for split in part.splits
]
for (part, method, _), result in zip(keys, study.run([job_of(*key) for key in keys])):
    if result:
        part.found.setdefault(method.name, []).append(result)
others = [method for method in chosen if method.name != DEFAULT]
values = {(part.name, name): part.test(results) for part in parts for name, results in part.found.items()}
picks = {(part.name, name): part.chosen(name) for part in parts for name in part.found if name != DEFAULT}
compared = {}
for part in parts:
    for name in part.found:
        if name != DEFAULT:
            against = values[part.name, CONTROLS.get(name, DEFAULT)]
            compared[part.name, name, "alone"] = summary.paired(values[part.name, name], against)
            compared[part.name, name, "chosen"] = summary.paired(
                part.test(picks[part.name, name][0]), values[part.name, DEFAULT]
            )
corrected = dict(zip(compared, summary.holm([p for _, _, p in compared.values()])))


def difference(*key):
    mean, error, _ = compared[key]
    return "%+.4f ± %.4f (p %s)" % (mean, error, "< 0.0001" if corrected[key] < 1e-4 else "= %.4f" % corrected[key])


for method in others:
    with_it = [part for part in parts if method.name in part.found]
    if with_it:
        control = CONTROLS.get(method.name, DEFAULT)
        title = next(other.title for other in chosen if other.name == control)
        study.add(
            blocks.table(
                "variants-" + method.name,
                "%s, NDCG@10" % method.title,
                ["data", title, "less that, always", "chosen", "less the default, where chosen", "CPU s", "default CPU s"],
                [
                    [
                        part.title,
                        "%.4f ± %.4f" % summary.mean_error(values[part.name, control]),
                        difference(part.name, method.name, "alone"),
                        "%.2f" % picks[part.name, method.name][1],
                        difference(part.name, method.name, "chosen"),
                        "%.2f" % np.mean([result["seconds"] for result in part.found[method.name]]),
                        "%.2f" % np.mean([result["seconds"] for result in part.found[DEFAULT]]),
                    ]
                    for part in with_it
                ],
                [
                    "chosen: the share of splits where validation is above the default by more than one standard error",
                    "errors over test queries; p by Holm for the %d comparisons of these tables" % len(compared),
                ],
                varying=["CPU s", "default CPU s"],
            )
        )
study.observations = [["data", "variant", "split", "validation", "test", "seconds"]]
for part in parts:
    for name, results in part.found.items():
        for split, result in zip(part.splits, results):
            study.observations.append(
                [
                    part.name,
                    name,
                    split,
                    "%.6f" % np.mean(result["validation"]),
                    "%.6f" % np.mean(result["test"]),
                    "%.3f" % result["seconds"],
                ]
            )
study.finish()
