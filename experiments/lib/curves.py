"""curves.py: what the figures over methods share: which jobs, and tables and
series of one measure by method."""
import os

import blocks
import datasets
import methods
import summary

SIZES = {"mq2008": (50, 100, 200, 0), "artificial": (30, 100, 300, 0)}
QUICK_SIZES = {"mq2008": (30, 80), "artificial": (20, 0)}


def splits(collection, quick):
    """Two random five-fold partitions of MQ2008, or the first $DORM_SPLITS of their
    parts; one set of artificial data."""
    if collection == "artificial":
        return [0]
    return [0] if quick else list(range(int(os.environ.get("DORM_SPLITS", "10"))))


def sizes(collection, quick):
    return (QUICK_SIZES if quick else SIZES)[collection]


def num_queries(collection, size, quick):
    """Training queries of a size (0 is all)."""
    if size:
        return size
    if collection == "artificial":
        return datasets.shape("artificial", quick)[0]
    return 470


def measure(study, collection, chosen, at, select="ndcg@10", over_splits=None):
    """Results of methods: {name: {size: [a result a split]}}, of the splits of the
    figures where no others are given; methods that are not available are left out."""
    keys, jobs = [], []
    for method in chosen:
        for size in at:
            for split in over_splits or splits(collection, study.quick):
                keys.append((method.name, size))
                jobs.append(methods.make_job(method, collection, split, size, select, study.quick))
    found = {}
    for (name, size), result in zip(keys, study.run(jobs)):
        if result:
            found.setdefault(name, {}).setdefault(size, []).append(methods.pick(result, select))
    return found


def against(results, reference, name):
    """Text of the paired difference from the reference."""
    if results is reference:
        return ""
    difference, error, p = summary.paired(summary.pooled(results, name), summary.pooled(reference, name))
    return "%+.4f ± %.4f" % (difference, error)


def over(collection, quick):
    """What a standard error is over."""
    count = len(splits(collection, quick))
    return "%d splits" % count if count > 1 else "the test queries"


def series_by_size(found, chosen, collection, measure_name, quick):
    lines = []
    for method in chosen:
        if method.name not in found:
            continue
        at = sorted(found[method.name], key=lambda size: num_queries(collection, size, quick))
        values = [summary.mean_error(summary.pooled(found[method.name][size], measure_name)) for size in at]
        lines.append(
            blocks.series(
                method.title,
                [num_queries(collection, size, quick) for size in at],
                [v[0] for v in values],
                [v[1] for v in values],
            )
        )
    return lines


def table_by_size(id, title, found, chosen, collection, measure_name, at, quick, baseline, notes=(), paper=None):
    """A row a method: the measure at each size, and beside it the paired
    difference from `baseline` at the largest."""
    columns = ["method"] + ["%d queries" % num_queries(collection, size, quick) for size in at]
    columns += ["- %s at %d" % (baseline.title, num_queries(collection, at[-1], quick)), "scorer"]
    rows = []
    for method in chosen:
        if method.name not in found:
            continue
        cells = [method.title]
        for size in at:
            cells.append("%.4f ± %.4f" % summary.mean_error(summary.pooled(found[method.name][size], measure_name)))
        cells.append(
            against(found[method.name][at[-1]], found[baseline.name][at[-1]], measure_name)
            if baseline.name in found
            else ""
        )
        rows.append(cells + [method.scorer])
    return blocks.table(id, title, columns, rows, notes, paper)


def raw_rows(study, found, collection, names, over_splits=None):
    """Rows of results.tsv: a method, size and split each."""
    if not study.rows:
        study.rows.append(["collection", "method", "queries", "split"] + list(names) + ["seconds"])
    for method, by_size in found.items():
        for size, results in by_size.items():
            for split, result in zip(over_splits or splits(collection, study.quick), results):
                study.rows.append(
                    [collection, method, num_queries(collection, size, study.quick), split]
                    + ["%.6f" % summary.of(result, name) for name in names]
                    + ["%.2f" % result["seconds"]]
                )


def best_linear(found, chosen, size, measure_name, excluded):
    """The linear scorer of largest mean among `chosen`, without `excluded`."""
    linear = [m for m in chosen if m.scorer == "linear" and m.name in found and m.name not in excluded]
    return max(linear, key=lambda m: summary.mean_error(summary.pooled(found[m.name][size], measure_name))[0])
