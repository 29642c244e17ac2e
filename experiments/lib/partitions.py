"""partitions.py: methods on ten random partitions of MQ2008 into five folds, so that every query is tested once per
partition. Differences have errors over the partitions, as a statement about these queries, and over the queries, each with
its mean over the partitions, as a statement about other queries."""
import numpy as np

import blocks
import curves
import datasets
import methods
import summary
from study import Study

PARTITIONS = 10
MEASURE = "ndcg@10"


class Values:
    """NDCG@10 of every query in every partition, by method."""

    def __init__(self, found, size, splits):
        self.num_queries = datasets.mq2008()[0].num_queries
        self.of = {name: self._by_query(by_size[size], splits) for name, by_size in found.items()}

    def _by_query(self, results, splits):
        """[partitions][queries], from the split that has the query in its test part."""
        values = np.full((1 + splits[-1] // 5, self.num_queries), np.nan)
        for split, result in zip(splits, results):
            values[split // 5, datasets.mq2008_folds(self.num_queries, split)["test"]] = result["measures"][MEASURE]
        assert not np.isnan(values).any()
        return values

    def in_words(self, one, other, title):
        """The comparison of two methods in one line."""
        one_values, other_values = self.of[one], self.of[other]
        over_partitions, over_queries = (
            summary.paired(one_values.mean(axis=axis), other_values.mean(axis=axis)) for axis in (1, 0)
        )
        above = int((one_values.mean(axis=1) > other_values.mean(axis=1)).sum())
        form = "%s less %s: %+.4f, over partitions ± %.4f (p = %.2g), over queries ± %.4f (p = %.2g); above in %d of %d"
        return form % (
            (title[one], title[other]) + over_partitions + over_queries[1:] + (above, len(one_values))
        )


def run(name, title, compared):
    """Runs the methods of the experiment `name`, and compares the pairs (one, other) of them."""
    study = Study(name, title, ["mq2008"])
    study.settings = {"methods": "experiments/methods, methods", "tuned by": "NDCG@10 on the validation part"}
    partitions = range(1 if study.quick else PARTITIONS)
    size = 40 if study.quick else 0
    splits = [5 * partition + fold for partition in partitions for fold in range(5)]
    chosen = methods.find(name, "mq2008")
    found = curves.measure(study, "mq2008", chosen, [size], MEASURE, splits)
    chosen = [method for method in chosen if method.name in found]
    values = Values(found, size, splits)
    titles = {method.name: method.title for method in chosen}
    study.add(
        blocks.table(
            name + "-table",
            "NDCG@10 by method and partition",
            ["method"] + [str(p) for p in partitions] + ["mean", "CPU s"],
            [
                [m.title]
                + ["%.4f" % mean for mean in values.of[m.name].mean(axis=1)]
                + ["%.4f" % values.of[m.name].mean()]
                + ["%.1f" % summary.mean_error([r["seconds"] for r in found[m.name][size]])[0]]
                for m in chosen
            ],
            [values.in_words(one, other, titles) for one, other in compared if one in found and other in found]
            + ["a query without a relevant document counts 0; seconds of one split, for all candidates and choosing"],
            varying=["CPU s"],
        )
    )
    study.add(
        blocks.data(
            name + "-splits",
            "NDCG@10 of each split, by the fold that is tested",
            ["method", "partition"] + ["fold %d" % fold for fold in range(5)],
            [
                [m.name, p] + ["%.6f" % summary.of(r, MEASURE) for r in found[m.name][size][5 * p : 5 * p + 5]]
                for m in chosen
                for p in partitions
            ],
        )
    )
    curves.observe(study, found, "mq2008", [MEASURE], splits)
    study.finish()
