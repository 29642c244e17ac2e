"""curves.py: what the figures that compare methods share: which jobs they need, and
tables of one measure by method."""
import functools
import os

import blocks
import datasets
import methods
import summary

SIZES = {"mq2008": (50, 100, 200, 0), "artificial": (30, 100, 300, 0)}
QUICK_SIZES = {"mq2008": (30, 80), "artificial": (20, 0)}


def splits(collection, quick):
    """The numbers of the splits: ten of MQ2008, from two random partitions into five
    folds, or the first $DORM_SPLITS of them; one set of artificial data."""
    if collection == "artificial":
        return [0]
    return [0] if quick else list(range(int(os.environ.get("DORM_SPLITS", "10"))))


def sizes(collection, quick):
    return (QUICK_SIZES if quick else SIZES)[collection]


def num_queries(collection, size, quick):
    """The number of training queries of a size (0 is all)."""
    if size:
        return size
    if collection == "artificial":
        return datasets.shape("artificial", quick)[0]
    return 470


@functools.lru_cache(maxsize=None)
def _num_mq2008():
    return datasets.mq2008()[0].num_queries


def test_queries(collection, split):
    """The numbers of the test queries of a split, in the order of its file; None where queries have no numbers."""
    if collection != "mq2008":
        return None
    return [int(query) for query in datasets.mq2008_folds(_num_mq2008(), split)["test"]]


def measure(study, collection, chosen, at, select="ndcg@10", over_splits=None):
    """Results of methods: {name: {size: [one result per split]}}, for the splits of the
    figures where no others are given; methods that are not available are left out."""
    keys, jobs = [], []
    for method in chosen:
        for size in at:
            for split in over_splits or splits(collection, study.quick):
                keys.append((method.name, size, split))
                jobs.append(methods.make_job(method, collection, split, size, select, study.quick))
    found = {}
    for (name, size, split), result in zip(keys, study.run(jobs)):
        if result:
            picked = {**methods.pick(result, select), "queries": test_queries(collection, split)}
            found.setdefault(name, {}).setdefault(size, []).append(picked)
    return found


def against(study, what, results, reference, name):
    """The paired difference from the reference, as text; it is listed as `what`."""
    if results is reference:
        return ""
    difference, error, _ = study.compare(what, summary.pooled(results, name), summary.pooled(reference, name))
    return "%+.4f ± %.4f" % (difference, error)


def over(collection, quick):
    """What a standard error is computed over."""
    if len(splits(collection, quick)) == 1:
        return "the test queries"
    return "the %d queries, each with its mean over the splits that test it" % _num_mq2008()


def tried(results):
    """The number of candidates, as text; the smallest and the largest where splits differ."""
    counts = sorted({result["tried"] for result in results})
    return "%d" % counts[0] if len(counts) == 1 else "%d to %d" % (counts[0], counts[-1])


def add_claimants(study, id, title, found, chosen, collection, measure_name, size, names):
    """Adds a table of the methods `names`, of which the paper claims that they are best, less each of the others."""
    named = [method for method in chosen if method.name in names and method.name in found]
    rows = []
    for method in chosen:
        if method.name in found:
            rows.append([method.title])
            for claimant in named:
                what = "%s, %s: %s less %s" % (datasets.TITLES[collection], measure_name, claimant.title, method.title)
                one, other = found[claimant.name][size], found[method.name][size]
                rows[-1].append(against(study, what, one, other, measure_name))
    study.add(
        blocks.table(
            id,
            title,
            ["method"] + ["%s less it" % method.title for method in named],
            rows,
            ["paired over %s" % over(collection, study.quick)],
        )
    )


def add_letters(study, id, found, chosen, collection, size, tuned_by="NDCG@10"):
    """Adds a table of where the trainings of the paper's letter end."""
    rows = []
    for method in chosen:
        if method.is_letter and method.name in found:
            ends = [result["end"] for result in found[method.name][size]]
            mean = lambda key: summary.mean_error([end[key] for end in ends])[0]
            rows.append(
                [method.title, ", ".join("%g" % C for C in sorted({end["C"] for end in ends}))]
                + ["%.6f" % mean(key) for key in ("zero", "primal", "dual")]
                + ["%.1e" % max(end["norm"] for end in ends)]
            )
    if rows:
        study.add(
            blocks.table(
                id,
                "The paper's letter on %s, tuned by %s: where its training ends" % (datasets.TITLES[collection], tuned_by),
                ["method", "C chosen", "risk at w = 0", "primal / C", "dual / C", "largest |w|"],
                rows,
                ["the risk is the mean slack; primal is 1/2 |w|^2 + C risk; means over the splits"],
            )
        )


def table_by_size(study, id, title, found, chosen, collection, measure_name, at, baseline):
    """One row per method: the measure at each size, and beside it the paired
    difference from `baseline` at the largest size."""
    columns = ["method"] + ["%d queries" % num_queries(collection, size, study.quick) for size in at]
    columns += ["less %s at %d" % (baseline.title, num_queries(collection, at[-1], study.quick))]
    columns += ["pool", "candidates", "scorer"]
    rows = []
    for method in chosen:
        if method.name not in found:
            continue
        cells = [method.title]
        for size in at:
            cells.append("%.4f ± %.4f" % summary.mean_error(summary.pooled(found[method.name][size], measure_name)))
        cells.append(
            against(
                study,
                "%s: %s less %s" % (title, method.title, baseline.title),
                found[method.name][at[-1]],
                found[baseline.name][at[-1]],
                measure_name,
            )
            if baseline.name in found
            else ""
        )
        last = found[method.name][at[-1]]
        rows.append(cells + ["same" if method.has_same_pool else "own", tried(last), method.scorer])
    return blocks.table(id, title, columns, rows)


def observe(study, found, collection, names, over_splits=None):
    """Adds rows of observations.tsv, one per method, size and split."""
    if not study.observations:
        study.observations.append(["collection", "method", "queries", "split"] + list(names) + ["seconds"])
    for method, by_size in found.items():
        for size, results in by_size.items():
            for split, result in zip(over_splits or splits(collection, study.quick), results):
                study.observations.append(
                    [collection, method, num_queries(collection, size, study.quick), split]
                    + ["%.6f" % summary.of(result, name) for name in names]
                    + ["%.2f" % result["seconds"]]
                )


def by_split(study, found, collection, measure_name, id):
    """Adds the observations from which means and errors over the splits come."""
    at = splits(collection, study.quick)
    if len(at) > 1:
        rows = [
            [method, num_queries(collection, size, study.quick)]
            + ["%.6f" % summary.of(result, measure_name) for result in results]
            for method, by_size in found.items()
            for size, results in by_size.items()
        ]
        title = "%s of each split of %s" % (measure_name, datasets.TITLES[collection])
        study.add(blocks.data(id, title, ["method", "queries"] + at, rows))


def best_linear(found, chosen, size, measure_name, excluded):
    """The linear scorer with the largest mean among `chosen`, without `excluded`."""
    linear = [m for m in chosen if m.scorer == "linear" and m.name in found and m.name not in excluded]
    return max(linear, key=lambda m: summary.mean_error(summary.pooled(found[m.name][size], measure_name))[0])
