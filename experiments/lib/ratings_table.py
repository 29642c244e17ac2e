"""ratings_table.py: makes Tables 3 and 4 from the jobs of collaborative.py."""
import numpy as np

import blocks
import collaborative
import summary
from study import Study

DECLARED = "dorm"


def title(given):
    return "N = %d" % given if given else "training and input users"


def mean(of_split):
    return float(np.mean(list(of_split.values())))


def by_user(values):
    """The users in order with the mean of each over the splits that rank for that user."""
    found = {}
    for of_split in values:
        for user, value in of_split.items():
            found.setdefault(user, []).append(value)
    return [float(np.mean(found[user])) for user in sorted(found)]


def paper_rows(values, asked, forms):
    """The rows of the paper, {method: [(percent, error) or (percent,) or None for each form that was asked for]}."""
    rows = []
    for method, of_form in values.items():
        cells = [" ± ".join("%.4f" % (value / 100) for value in pair) if pair else "" for pair in of_form]
        rows.append(["the paper: " + method] + [dict(zip(asked, cells))[given] for given in forms])
    return rows


def run(name, text, measures, asked, paper):
    """Prints one table per measure, with the rows of the paper (paper_rows), then the paired comparisons of the first
    measure."""
    study = Study(name, text, ["movielens"])
    jobs = collaborative.jobs(study.quick, "main")
    results = study.run(jobs)
    for kind in collaborative.KINDS[1:]:
        others = collaborative.jobs(study.quick, kind)
        for result, more in zip(results, study.run(others) if others else []):
            result["measures"].update(more["measures"])
    forms = [given for given in asked if any(job["queries"] == given for job in jobs)]
    methods = [m for m in collaborative.METHODS if m in (collaborative.QUICK if study.quick else collaborative.METHODS)]
    study.settings = {
        "splits": 1 + max(job["split"] for job in jobs),
        "half-life": 5,
        "neutral vote": 3,
        "fewest held-out ratings per user": 10,
    }

    def values(method, measure, given):
        return [r["measures"][method][measure] for r, job in zip(results, jobs) if job["queries"] == given]

    def cell(method, measure, given):
        return "%.4f ± %.4f" % summary.mean_error(by_user(values(method, measure, given)))

    def compare(one, other, given):
        what = "%s: %s less %s" % (title(given), collaborative.METHODS[one], collaborative.METHODS[other])
        found = study.compare(what, *(by_user(values(method, measures[0], given)) for method in (one, other)))
        return "%+.4f ± %.4f" % found[:2]

    study.observations = [["method", "given", "split"] + list(collaborative.MEASURES)]
    for method in methods:
        for result, job in zip(results, jobs):
            if job["queries"] in forms:
                study.observations.append(
                    [method, job["queries"] or "users", job["split"]]
                    + ["%.6f" % mean(result["measures"][method][m]) for m in collaborative.MEASURES]
                )
    for measure in measures:
        rows = [[collaborative.METHODS[m]] + [cell(m, measure, given) for given in forms] for m in methods]
        rows += paper_rows(paper.get(measure, {}), asked, forms)
        study.add(
            blocks.table(
                "%s-%s" % (name, measure.replace(" ", "-")),
                "%s: %s" % (text, measure),
                ["method"] + [title(given) for given in forms],
                rows,
                [
                    "mean ± standard error over the users, each with the mean over the splits that rank for that user",
                    collaborative.MEASURES[measure],
                ],
            )
        )
    if not study.quick:
        rows = [
            [collaborative.METHODS[m]]
            + [compare(DECLARED, m, given) for given in forms]
            for m in methods
            if m != DECLARED
        ]
        rows.append(
            ["ranking factorisation less its start"]
            + [compare("factorize", "start", given) for given in forms]
        )
        study.add(
            blocks.table(
                name + "-tests",
                "%s less each, %s" % (collaborative.METHODS[DECLARED], measures[0]),
                ["less"] + [title(given) for given in forms],
                rows,
                ["paired over the users; p-values are in the last table"],
            )
        )
    for measure in measures if not study.quick else ():
        rows = [
            [method, given or "users"] + ["%.6f" % mean(of_split) for of_split in values(method, measure, given)]
            for method in methods
            for given in forms
        ]
        id = "%s-%s-splits" % (name, measure.replace(" ", "-"))
        columns = ["method", "given"] + [job["split"] for job in jobs if job["queries"] == forms[0]]
        study.add(blocks.data(id, "%s of each split" % measure, columns, rows))
    study.finish()
