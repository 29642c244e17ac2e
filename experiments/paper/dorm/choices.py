"""What the paper says that it chose by experiment: c for WTA, n of Precision@n, and c for ratings.

needs: mq2008 movielens
runs: alone
minutes: 11
"""
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


def measure(collection, asked):
    """asked: {what: (method, setting, its values, measure)}. All are trained together -> {what: {value: the measure of each
    test query}}"""
    keys = [
        (what, value, split)
        for what, (_, _, values, _) in asked.items()
        for value in values
        for split in curves.splits(collection, study.quick)
    ]
    jobs = [
        methods.make_job(method, collection, split, size_of(collection), select, study.quick, {setting: value})
        for what, value, split in keys
        for method, setting, _, select in [asked[what]]
    ]
    found = {}
    for (what, value, split), result in zip(keys, study.run(jobs)):
        picked = {**methods.pick(result, asked[what][3]), "queries": curves.test_queries(collection, split)}
        found.setdefault(what, {}).setdefault(value, []).append(picked)
    return {
        what: {value: summary.pooled(results, asked[what][3]) for value, results in of_value.items()}
        for what, of_value in found.items()
    }


def show(id, title, note, of, names, base, columns):
    """A table with a row for each value in `names` ({value: its name}) and two columns for each of `columns` ({title: {value:
    observations}}): the mean, and its difference from that at the value `base`, which is listed among the comparisons `of`
    something."""
    rows = []
    for value, name in names.items():
        row = [name]
        for column, found in columns.items():
            row += ["%.4f ± %.4f" % summary.mean_error(found[value]), ""]
            if value != base:
                what = "%s, %s: %s less %s" % (of, column, name, names[base])
                row[-1] = "%+.4f ± %.4f" % study.compare(what, found[value], found[base])[:2]
        rows.append(row)
    titles = [text for column in columns for text in (column, "%s less %s" % (column, names[base]))]
    study.add(blocks.table("choices-" + id, title, ["choice"] + titles, rows, [note]))


def show_collection(collection):
    """WTA by c: 1/sqrt(i+1) "yields best results"; MRR and WTA by n: "n=3 [...] yielded the best results" (6.4)."""
    data, over = datasets.TITLES[collection], curves.over(collection, study.quick)
    count = curves.num_queries(collection, size_of(collection), study.quick)
    decay_names = {c: cells.WEIGHT_TITLES[c] for c in weights}
    precision_names = {"precision_set:truncation=%d" % n: "n = %d" % n for n in precisions}
    asked = {
        title: (methods.get("figure6", name), "ranking.position_weights", decay_names, "wta") for name, title in FORMS.items()
    }
    precision = methods.get("figure5", "precision3")
    asked.update({title: (precision, "loss.name", precision_names, name) for name, title in MEASURES.items()})
    found = measure(collection, asked)
    title = "WTA by c on %s, %d training queries" % (data, count)
    note = "tuned by validation wta; standard errors over %s, paired for differences" % over
    show(collection + "-c", title, note, data, decay_names, "power:0.5", {form: found[form] for form in FORMS.values()})
    title = "Precision@n by n on %s, %d training queries" % (data, count)
    note = "each tuned by the measure shown; standard errors over %s, paired" % over
    base = "precision_set:truncation=3"
    show(collection + "-n", title, note, data, precision_names, base, {name: found[name] for name in MEASURES.values()})


def show_ratings():
    """NDCG@10 of held-out ratings by c: (i+1)^-0.25 performs "slightly better in this dataset" (6.6)."""
    splits = range(1 if study.quick else SPLITS)
    names = {c: cells.WEIGHT_TITLES[c] for c in weights + ["loss"]}
    jobs = [study.job(decays, "movielens", k, number, weights=list(names)) for number in given for k in splits]
    results = study.run(jobs)
    of_number = {number: results[k * len(splits) : (k + 1) * len(splits)] for k, number in enumerate(given)}
    for form in decays.SETTINGS:
        columns = {
            ratings_table.title(number): {c: ratings_table.by_user([r[form][c] for r in found]) for c in names}
            for number, found in of_number.items()
        }
        title = "NDCG@10 of held-out ratings by c, %s" % ("the paper's letter" if form == "letter" else "the default")
        note = "errors over the users, paired for differences"
        show("ratings-" + form, title, note, form, names, "power:0.25", columns)


for collection in study.collections:
    if collection == "movielens":
        show_ratings()
    else:
        show_collection(collection)
study.finish()
