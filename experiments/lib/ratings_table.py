"""ratings_table.py: makes Tables 3 and 4 from the jobs of collaborative.py."""
import blocks
import collaborative
import summary
from study import Study

DECLARED = "dorm"


def title(given):
    return "N = %d" % given if given else "training and input users"


def cell(numbers):
    return "%.4f ± %.4f" % summary.mean_error(numbers)


def compare(one, other):
    difference, _, p = summary.unpaired(one, other)
    return "%+.4f (%s)" % (difference, "p < 0.001" if p < 0.001 else "p = %.3f" % p)


def run(name, text, measures, forms):
    """Prints one table per measure, then the unpaired tests of the first measure."""
    study = Study(name, text, ["movielens"])
    jobs = collaborative.jobs(study.quick, "main")
    results = study.run(jobs)
    rest = collaborative.jobs(study.quick, "rest")
    for result, more in zip(results, study.run(rest) if rest else []):
        result["measures"].update(more["measures"])
    forms = [given for given in forms if any(job["queries"] == given for job in jobs)]
    methods = [m for m in collaborative.METHODS if m in (collaborative.QUICK if study.quick else collaborative.METHODS)]
    study.settings = {
        "splits": 1 + max(job["split"] for job in jobs),
        "half-life": 5,
        "neutral vote": 3,
        "fewest held-out ratings per user": 10,
    }

    def values(method, measure, given):
        return [r["measures"][method][measure] for r, job in zip(results, jobs) if job["queries"] == given]

    study.observations = [["method", "given", "split"] + list(collaborative.MEASURES)]
    for method in methods:
        for result, job in zip(results, jobs):
            if job["queries"] in forms:
                study.observations.append(
                    [method, job["queries"] or "users", job["split"]]
                    + ["%.6f" % result["measures"][method][m] for m in collaborative.MEASURES]
                )
    for measure in measures:
        rows = [[collaborative.METHODS[m]] + [cell(values(m, measure, given)) for given in forms] for m in methods]
        study.add(
            blocks.table(
                "%s-%s" % (name, measure.replace(" ", "-")),
                "%s: %s" % (text, measure),
                ["method"] + [title(given) for given in forms],
                rows,
                ["mean ± standard error over the splits", collaborative.MEASURES[measure]],
            )
        )
    if not study.quick:
        rows = [
            [collaborative.METHODS[m]]
            + [compare(values(DECLARED, measures[0], given), values(m, measures[0], given)) for given in forms]
            for m in methods
            if m != DECLARED
        ]
        rows.append(
            ["ranking factorisation less its start"]
            + [compare(values("factorize", measures[0], given), values("start", measures[0], given)) for given in forms]
        )
        study.add(
            blocks.table(
                name + "-tests",
                "%s less each, %s" % (collaborative.METHODS[DECLARED], measures[0]),
                ["less"] + [title(given) for given in forms],
                rows,
                ["two-sided p-values of the unpaired t-test over the splits (Welch), as in the paper"],
            )
        )
    for measure in measures if not study.quick else ():
        rows = [
            [method, given or "users"] + ["%.6f" % number for number in values(method, measure, given)]
            for method in methods
            for given in forms
        ]
        id = "%s-%s-splits" % (name, measure.replace(" ", "-"))
        columns = ["method", "given"] + [job["split"] for job in jobs if job["queries"] == forms[0]]
        study.add(blocks.data(id, "%s of each split" % measure, columns, rows))
    study.finish()
