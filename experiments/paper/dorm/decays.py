"""decays.py: DORM on one random split of MovieLens 100K with each of the paper's position weights c, by collaborative.py."""
import tempfile

import collaborative

LETTER = ["solver.start=zero", "ranking.reference=listed", "solver.gap=1e-4", "selection.average=1"]
SETTINGS = {"letter": LETTER + ["solver.C=0.1,1,10,100,1000"], "default": []}


def run(job):
    """{split, queries: N of the given-N protocol, weights: [c]} -> {form of SETTINGS: {c: {user: NDCG@10}}}."""
    with tempfile.TemporaryDirectory() as folder:
        collaborative.write_sides(folder)
        split = collaborative.Split(folder, job)
        split.ratings("all", "features", "ratings.users=users", "ratings.items=items")
        for form, settings in SETTINGS.items():
            for c in job["weights"]:
                weights = "ranking.position_weights=" + c
                split.train(form + " " + c, "all", "1-%d" % collaborative.NUM_FEATURES, weights, *settings)
        values = split.evaluate()
        return {form: {c: values[form + " " + c]["ndcg@10"] for c in job["weights"]} for form in SETTINGS}
