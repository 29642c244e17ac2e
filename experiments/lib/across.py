"""across.py: methods on MQ2008 (ten splits of two partitions), on artificial data (100 queries, ten draws) and on the UCI
sets (50 queries, ten repetitions), and how much one is above another. Errors are over queries on MQ2008, and over draws or
repetitions elsewhere."""
import blocks
import curves
import datasets
import methods
import summary
from study import Study

MEASURE = "ndcg@10"
# The number of training queries (0: all) and of splits, by collection.
PARTS = {"mq2008": (0, 10), "small-artificial": (100, 10), **{collection: (50, 10) for collection in datasets.UCI}}
QUICK = {"mq2008": (40, 1), "page-blocks": (10, 1)}


class Across:
    def __init__(self, name, title, parts=None, chosen=None):
        """The methods are those of the part `chosen`, or else of the part `name`."""
        parts = parts or PARTS
        self.study = Study(name, title, list(parts))
        sizes = QUICK if self.study.quick else parts
        self.collections = [c for c in self.study.collections if c in sizes]
        self.study.settings = {
            "tuned by": "NDCG@10 on the validation part",
            "splits": ["%d of %s" % (sizes[c][1], datasets.TITLES[c]) for c in self.collections],
        }
        self.found = {}
        for c in self.collections:
            size, splits = sizes[c]
            results = curves.measure(self.study, c, methods.find(chosen or name, c), [size], MEASURE, range(splits))
            self.found.update({(c, method): by_size[size] for method, by_size in results.items()})

    def value(self, collection, method):
        return "%.4f ± %.4f" % summary.mean_error(summary.pooled(self.found[collection, method], MEASURE))

    def less(self, collection, method, other):
        """One method less another, in words; the comparison is listed at the end."""
        what = "%s: %s less %s" % (datasets.TITLES[collection], method, other)
        one_values, other_values = (summary.pooled(self.found[collection, m], MEASURE) for m in (method, other))
        return "%+.4f ± %.4f" % self.study.compare(what, one_values, other_values)[:2]

    def seconds(self, collection, method):
        return "%.1f" % summary.mean_error([result["seconds"] for result in self.found[collection, method]])[0]

    def compare(self, title, method, others):
        """Adds a table of the method less each of the others, and one of the processor seconds of all."""
        titles = [(c, datasets.TITLES[c]) for c in self.collections]
        self.study.add(
            blocks.table(
                self.study.name,
                title,
                ["data", method] + ["less %s" % other for other in others],
                [[t, self.value(c, method)] + [self.less(c, method, other) for other in others] for c, t in titles],
            )
        )
        self.study.add(
            blocks.table(
                "seconds",
                "processor seconds",
                ["data", method] + list(others),
                [[t] + [self.seconds(c, m) for m in (method,) + others] for c, t in titles],
                varying=[method] + list(others),
            )
        )

    def finish(self):
        self.study.observations = [["data", "method", "split", MEASURE, "seconds"]]
        for (collection, method), results in self.found.items():
            for split, result in enumerate(results):
                value, seconds = summary.of(result, MEASURE), result["seconds"]
                self.study.observations.append([collection, method, split, "%.6f" % value, "%.2f" % seconds])
        self.study.finish()
