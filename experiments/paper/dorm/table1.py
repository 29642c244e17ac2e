"""Table 1: NDCG@10 on UCI sets turned into ranking data.

needs: page-blocks pendigits optdigits covertype
minutes: 4
"""
import blocks
import datasets
import methods
import summary
from study import Study

QUERIES = 50
# The paper's table: mean and deviation.
PAPER = {
    "DORM": {"page-blocks": (63.7, 6), "pendigits": (85.2, 3), "optdigits": (76.1, 6), "covertype": (58.8, 2)},
    "ROCArea": {"page-blocks": (35.9, 7), "pendigits": (26.2, 8), "optdigits": (26.0, 9), "covertype": (47.0, 2)},
    "SVM": {"page-blocks": (46.5, 7), "pendigits": (41.5, 4), "optdigits": (26.1, 3), "covertype": (48.5, 2)},
    "Precision@10": {"page-blocks": (44.0, 7), "pendigits": (15.6, 3), "optdigits": (26.2, 3), "covertype": (42.1, 1)},
}
DECLARED = "dorm"

study = Study("table1", "UCI data, class as relevance", list(datasets.UCI))
repetitions = 1 if study.quick else 10
study.settings = {
    "queries": QUERIES,
    "documents per query": datasets.DOCS_PER_QUERY,
    "repetitions": repetitions,
    "tuned by": "NDCG@10 on as many validation queries",
}
chosen = methods.find("table1", "page-blocks")
if study.quick:
    chosen = [m for m in chosen if m.name in (DECLARED, "dorm-listed", "svm", "ridge-gains", "chance")]
found = {}
for collection in study.collections:
    keys, jobs = [], []
    for method in chosen:
        for split in range(repetitions):
            keys.append(method.name)
            jobs.append(methods.make_job(method, collection, split, QUERIES, "ndcg@10", study.quick))
    for name, result in zip(keys, study.run(jobs)):
        if result:
            found.setdefault((collection, name), []).append(methods.pick(result, "ndcg@10"))

study.observations = [["collection", "method", "repetition", "ndcg@10", "seconds"]]
for (collection, name), results in found.items():
    for split, result in enumerate(results):
        study.observations.append(
            [collection, name, split, "%.6f" % summary.of(result, "ndcg@10"), "%.2f" % result["seconds"]]
        )

chosen = [method for method in chosen if (study.collections[0], method.name) in found]
values = {key: [100 * summary.of(result, "ndcg@10") for result in results] for key, results in found.items()}


def spread(numbers):
    """Mean and standard deviation over the repetitions."""
    mean, error = summary.mean_error(numbers)
    return "%.1f ± %.1f" % (mean, error * len(numbers) ** 0.5)


titles = [datasets.TITLES[c] for c in study.collections]
rows = [
    [method.title] + [spread(values[c, method.name]) for c in study.collections] + [method.scorer] for method in chosen
]
for name, values_of in PAPER.items():
    rows.append(["the paper: " + name] + ["%.1f ± %d" % values_of[c] for c in study.collections] + ["linear"])
study.add(
    blocks.table(
        "table1",
        "Table 1: NDCG@10 x 100",
        ["method"] + titles + ["scorer"],
        rows,
        [
            "mean ± standard deviation over %d repetitions of %d training, validation and test queries of %d documents"
            % (repetitions, QUERIES, datasets.DOCS_PER_QUERY)
        ],
    )
)


def less_each(tables):
    """Adds tables of one method less each of the others, (id, title, name, others) each. The p-values have Holm's
    correction for all of them together."""
    pairs = {
        (first, m.name, c): summary.paired(values[c, first], values[c, m.name])
        for _, _, first, others in tables
        for m in others
        for c in study.collections
    }
    corrected = dict(zip(pairs, summary.holm([p for _, _, p in pairs.values()])))

    def cell(key):
        p = corrected[key]
        return "%+.1f ± %.1f (%s)" % (pairs[key][:2] + ("p < 0.0001" if p < 0.0001 else "p = %.4f" % p,))

    note = (
        "± standard error; paired t-tests over the repetitions, two-sided, by Holm for the %d comparisons of this page"
    )
    for id, title, first, others in tables:
        rows = [[m.title] + [cell((first, m.name, c)) for c in study.collections] for m in others]
        study.add(blocks.table(id, title, ["method"] + titles, rows, [note % len(pairs)]))


if not study.quick:
    rivals = [m for m in chosen if m.name not in (DECLARED, "dorm-listed")]
    rest = [m for m in chosen if m.name != DECLARED]
    less_each(
        [
            ("table1-paper", "DORM as in the paper (listed, c = (p+2)^-1) less each", "dorm-listed", rivals),
            ("table1-paired", "DORM, declared in advance, less each", DECLARED, rest),
        ]
    )
    verdicts = []
    for c in study.collections:
        rivals = [m for m in chosen if m.scorer == "linear" and m.name != DECLARED]
        best = max(rivals, key=lambda m: summary.mean_error(values[c, m.name])[0])
        difference, error, p = summary.paired(values[c, DECLARED], values[c, best.name])
        verdicts.append(
            [
                datasets.TITLES[c],
                best.title,
                "%.1f" % summary.mean_error(values[c, best.name])[0],
                "%+.2f ± %.2f" % (difference, error),
                "yes" if summary.within(difference, error) else "no",
            ]
        )
    study.add(
        blocks.table(
            "table1-verdict",
            "The declared row against the best other single linear scorer",
            ["data", "best other", "its NDCG@10", "declared less best other", "within two standard errors"],
            verdicts,
        )
    )
if not study.quick:
    study.add(
        blocks.data(
            "table1-repetitions",
            "NDCG@10 of each repetition",
            ["collection", "method"] + list(range(repetitions)),
            [list(key) + ["%.6f" % summary.of(r, "ndcg@10") for r in results] for key, results in found.items()],
        )
    )
study.finish()
