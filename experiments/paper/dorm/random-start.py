"""Section 5.2 of the paper as it is written, from a random start and by Frobenius norms, beside `dorm factorize`.

needs: movielens
minutes: 5
"""
import numpy as np

import blocks
import collaborative
import factorizations
import ratings_table
import steps
import summary
from study import Study

PENALTIES = (1, 2, 3, 5)
ROUNDS = (5, 20)
TUNING = (100, 101, 102)  # the splits that rating-constants uses
SPLITS = 5
USERS, ITEMS = (500, 1000, 2000, 4000, 8000), 300
TITLES = {
    "random": "section 5.2 as written",
    "default": "dorm factorize",
    "start": "its start: squared error",
    "item-mean": "item mean",
}


def random_start(penalty, rounds):
    return ["factorization.start=random", "factorization.penalty=%g" % penalty, "factorization.rounds=%d" % rounds]


def job_of(given, split, variants):
    kind = "tuning" if split in TUNING else "test"
    return study.job(factorizations, "movielens", split, given, kind, variants=variants)


study = Study("random-start", "ranking factorisation from a random start", ["movielens"])
forms = collaborative.GIVEN[:1] if study.quick else collaborative.GIVEN
grid = {
    "%g, %d" % (p, r): (p, r)
    for p in PENALTIES[: 2 if study.quick else None]
    for r in ROUNDS[: 1 if study.quick else None]
}
tuning = TUNING[: 1 if study.quick else None]
splits = range(1 if study.quick else SPLITS)
study.settings = {
    "splits": len(splits),
    "splits to choose by": len(tuning),
    "rank": 10,
    "fewest held-out ratings per user": 10,
}

tuned = study.run(
    [job_of(given, split, {name: random_start(*grid[name])}) for given in forms for name in grid for split in tuning]
)
values = {}
for k, (given, name) in enumerate((given, name) for given in forms for name in grid):
    of_splits = tuned[k * len(tuning) : (k + 1) * len(tuning)]
    values[given, name] = np.mean([ratings_table.mean(result[name]) for result in of_splits])
chosen = {given: max(grid, key=lambda name: values[given, name]) for given in forms}
study.add(
    blocks.table(
        "random-start-tuning",
        "NDCG@10 from a random start, mean of the splits to choose by",
        ["penalty, rounds"] + [ratings_table.title(given) for given in forms],
        [[name] + ["%.4f" % values[given, name] for given in forms] for name in grid],
    )
)
results = study.run(
    [
        job_of(
            given,
            split,
            {"random": random_start(*grid[chosen[given]]), "default": [], "start": ["factorization.rounds=0"]},
        )
        for given in forms
        for split in splits
    ]
)
found = {
    (given, method): ratings_table.by_user([r[method] for r in results[k * len(splits) : (k + 1) * len(splits)]])
    for k, given in enumerate(forms)
    for method in TITLES
}
study.add(
    blocks.table(
        "random-start-table",
        "NDCG@10 of held-out ratings",
        ["method"] + [ratings_table.title(given) for given in forms],
        [
            [title] + ["%.4f ± %.4f" % summary.mean_error(found[given, method]) for given in forms]
            for method, title in TITLES.items()
        ],
        ["errors over the users, each with the mean over the splits that rank for that user"],
    )
)
rows = []
for method in ("default", "start", "item-mean"):
    row = ["as written less " + TITLES[method]]
    for given in forms:
        what = "%s: as written less %s" % (ratings_table.title(given), TITLES[method])
        row.append("%+.4f ± %.4f" % study.compare(what, found[given, "random"], found[given, method])[:2])
    rows.append(row)
study.add(
    blocks.table(
        "random-start-less",
        "Section 5.2 as written less each",
        ["less"] + [ratings_table.title(g) for g in forms],
        rows,
        ["paired over the users"],
    )
)

# Both steps of the first round, by number of users: "it is possible to deal with the optimization problem in V efficiently".
jobs = [study.job(steps, "movielens", users, ITEMS, "steps") for users in USERS[: 1 if study.quick else None]]
study.add(
    blocks.table(
        "random-start-steps",
        "The first round by number of users, %d items, 30 ratings of each user" % ITEMS,
        ["users", "passes of the items' step", "rankings", "seconds, users", "seconds, items"],
        [
            [job["split"], found["passes"], found["rankings"], "%.2f" % found["users"], "%.2f" % found["items"]]
            for job, found in zip(jobs, study.run(jobs))
        ],
        ["ratings by `dorm generate ratings`; one thread, of one run"],
        varying=("seconds, users", "seconds, items"),
    )
)
study.finish()
