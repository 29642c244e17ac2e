"""What the paper says that it chose by experiment: c for WTA, n of Precision@n, and c for ratings."""
import hashlib

import blocks
import cells
import collaborative
import curves
import datasets
import decays
import methods
import ratings_table
import summary
from study import Study

# Methods of figure6, with what is varied in their columns: the form of training, and the loss.
FORMS = {
    "dorm-listed-wta": "WTA, letter",
    "dorm-listed-mwta": "mWTA, letter",
    "dorm-wta": "WTA, default",
    "dorm-mwta": "mWTA, default",
}
PRECISIONS = (1, 2, 3, 5, 10)
MEASURES = {"mrr": "MRR", "wta": "WTA"}
SIZES = {"mq2008": 0, "artificial": 100}
SPLITS = 5  # of the ratings

study = Study("choices", "what the paper chose by experiment", ["mq2008", "artificial", "movielens"])
weights = ["power:0.25", "power:0.5"] if study.quick else cells.PAPER
precisions = PRECISIONS[1:3] if study.quick else PRECISIONS
given = collaborative.GIVEN[:1] if study.quick else collaborative.GIVEN
study.settings = {"c": weights, "n": list(precisions), "splits of ratings": 1 if study.quick else SPLITS}


def size_of(collection):
    return curves.QUICK_SIZES[collection][0] if study.quick else SIZES[collection]


def measure(collection, method, setting, values, select):
    """{value: [one result per split]}, of a method that is trained with each value of a setting."""
    at = curves.splits(collection, study.quick)
    jobs = [
        methods.make_job(method, collection, split, size_of(collection), select, study.quick, {setting: value})
        for value in values
        for split in at
    ]
    found = {}
    for job, result in zip(jobs, study.run(jobs)):
        picked = {**methods.pick(result, select), "queries": curves.test_queries(collection, job["split"])}
        found.setdefault(job["settings"][setting], []).append(picked)
    return found


def less(found, of, base, what):
    """The mean at the value `of`, and its difference from that at `base`."""
    return ["%.4f ± %.4f" % summary.mean_error(found[of]), "" if of == base else less_text(found, of, base, what)]


def less_text(found, of, base, what):
    return "%+.4f ± %.4f" % study.compare(what, found[of], found[base])[:2]


def add_table(id, title, first, rows, columns, note):
    study.add(blocks.table(id, title, [first] + columns, rows, [note]))


def show_decays(collection):
    """WTA by c: 1/sqrt(i+1) "yields best results" (6.4)."""
    base, pooled = "power:0.5", {}
    for name, title in FORMS.items():
        found = measure(collection, methods.get("figure6", name), "ranking.position_weights", weights, "wta")
        pooled[title] = {c: summary.pooled(results, "wta") for c, results in found.items()}
    rows = [
        [cells.WEIGHT_TITLES[c]]
        + [
            text
            for title, values in pooled.items()
            for text in less(
                values, c, base, "%s, %s: %s less (p+2)^-1/2" % (datasets.TITLES[collection], title, cells.WEIGHT_TITLES[c])
            )
        ]
        for c in weights
    ]
    columns = [text for title in pooled for text in (title, title + " less (p+2)^-1/2")]
    count = curves.num_queries(collection, size_of(collection), study.quick)
    title = "WTA by c on %s, %d training queries" % (datasets.TITLES[collection], count)
    note = "tuned by validation wta; standard errors over %s, paired for differences" % curves.over(collection, study.quick)
    add_table("choices-%s-c" % collection, title, "c", rows, columns, note)


def show_precisions(collection):
    """MRR and WTA by n of Precision@n: "n=3 [...] yielded the best results" (6.4)."""
    base, pooled = 3, {}
    method = methods.get("figure5", "precision3")
    losses = {"precision_set:truncation=%d" % n: n for n in precisions}
    for name, title in MEASURES.items():
        found = measure(collection, method, "loss.name", losses, name)
        pooled[title] = {losses[loss]: summary.pooled(results, name) for loss, results in found.items()}
    rows = [
        ["%d" % n]
        + [
            text
            for title, values in pooled.items()
            for text in less(values, n, base, "%s, %s: n = %d less n = 3" % (datasets.TITLES[collection], title, n))
        ]
        for n in precisions
    ]
    columns = [text for title in pooled for text in (title, title + " less n = 3")]
    count = curves.num_queries(collection, size_of(collection), study.quick)
    title = "Precision@n by n on %s, %d training queries" % (datasets.TITLES[collection], count)
    note = "each tuned by the measure shown; standard errors over %s, paired" % curves.over(collection, study.quick)
    add_table("choices-%s-n" % collection, title, "n", rows, columns, note)


def job_of(number, split):
    with open(decays.__file__, "rb") as file:
        own = hashlib.sha256(file.read()).hexdigest()
    return {
        "run": "decays.run",
        "collection": "movielens",
        "split": split,
        "queries": number,
        "quick": study.quick,
        "kind": "main",
        "weights": weights + ["loss"],
        "depends": own,
    }


def show_ratings():
    """NDCG@10 of held-out ratings by c: (i+1)^-0.25 performs "slightly better in this dataset" (6.6)."""
    splits = range(1 if study.quick else SPLITS)
    results = study.run([job_of(number, split) for number in given for split in splits])
    for form in decays.SETTINGS:
        found = {}
        for k, number in enumerate(given):
            of_splits = results[k * len(splits) : (k + 1) * len(splits)]
            for c in weights + ["loss"]:
                found[number, c] = ratings_table.by_user([result[form][c] for result in of_splits])
        rows = []
        for c in weights + ["loss"]:
            row = [cells.WEIGHT_TITLES[c]]
            for number in given:
                of = {name: found[number, name] for name in weights + ["loss"]}
                what = "%s, %s: %s less (p+2)^-1/4" % (ratings_table.title(number), form, cells.WEIGHT_TITLES[c])
                row += less(of, c, "power:0.25", what)
            rows.append(row)
        columns = [text for n in given for text in (ratings_table.title(n), ratings_table.title(n) + " less (p+2)^-1/4")]
        title = "NDCG@10 of held-out ratings by c, %s" % ("the paper's letter" if form == "letter" else "the default")
        add_table("choices-ratings-" + form, title, "c", rows, columns, "errors over the users, paired for differences")


for collection in study.collections:
    if collection == "movielens":
        show_ratings()
    else:
        show_decays(collection)
        show_precisions(collection)
study.finish()
