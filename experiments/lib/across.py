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
# The number of training queries (0: all), or several such numbers, and of splits, by collection.
PARTS = {"mq2008": (0, 10), "small-artificial": (100, 10), **{collection: (50, 10) for collection in datasets.UCI}}
QUICK = {"mq2008": (40, 1), "page-blocks": (10, 1), "movielens-rows": (10, 1)}


class Across:
    def __init__(self, name, title, parts=None, chosen=None, only=None):
        """The methods are those of the part `chosen`, or else of the part `name`, or the names `only` of them. Each
        collection is one case or, with several sizes, one case for each."""
        parts = parts or PARTS
        self.study = Study(name, title, list(parts))
        sizes = QUICK if self.study.quick else parts
        self.cases = {}
        for c in self.study.collections:
            at, splits = sizes.get(c, ((), 0))
            for size in at if isinstance(at, tuple) else (at,):
                self.cases[c if size == at else "%s-%d" % (c, size)] = (c, size, splits)
        self.collections = list(self.cases)
        self.study.settings = {
            "tuned by": "NDCG@10 on the validation part",
            "splits": ["%d of %s" % (self.cases[case][2], self.title(case)) for case in self.cases],
        }
        self.found = {}
        for case, (c, size, splits) in self.cases.items():
            takes_part = [one for one in methods.find(chosen or name, c) if only is None or one.name in only]
            results = curves.measure(self.study, c, takes_part, [size], MEASURE, range(splits))
            self.found.update({(case, method): by_size[size] for method, by_size in results.items()})

    def title(self, case):
        c, size, _ = self.cases[case]
        return datasets.TITLES[c] + ("" if case == c else ", %d queries" % size)

    def value(self, case, method):
        return "%.4f ± %.4f" % summary.mean_error(summary.pooled(self.found[case, method], MEASURE))

    def less(self, case, method, other):
        """One method less another, in words; the comparison is listed at the end."""
        what = "%s: %s less %s" % (self.title(case), method, other)
        one_values, other_values = (summary.pooled(self.found[case, m], MEASURE) for m in (method, other))
        return "%+.4f ± %.4f" % self.study.compare(what, one_values, other_values)[:2]

    def seconds(self, case, method):
        return "%.1f" % summary.mean_error([result["seconds"] for result in self.found[case, method]])[0]

    def compare(self, title, method, others):
        """Adds a table of the method less each of the others, and one of the processor seconds of all."""
        self.study.add(
            blocks.table(
                self.study.name,
                title,
                ["data", method] + ["less %s" % other for other in others],
                [
                    [self.title(case), self.value(case, method)] + [self.less(case, method, other) for other in others]
                    for case in self.cases
                ],
            )
        )
        self.study.add(
            blocks.table(
                "seconds",
                "processor seconds",
                ["data", method] + list(others),
                [[self.title(case)] + [self.seconds(case, m) for m in (method,) + others] for case in self.cases],
                varying=[method] + list(others),
            )
        )

    def finish(self):
        self.study.observations = [["data", "method", "split", MEASURE, "seconds"]]
        for (case, method), results in self.found.items():
            for split, result in enumerate(results):
                value, seconds = summary.of(result, MEASURE), result["seconds"]
                self.study.observations.append([case, method, split, "%.6f" % value, "%.2f" % seconds])
        self.study.finish()
