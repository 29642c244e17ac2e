"""factorizations.py: ranking matrix factorisations of one random split of MovieLens 100K, by collaborative.py."""
import tempfile

import collaborative


def run(job):
    """{split, queries: N of the given-N protocol, variants: {name: settings of `dorm factorize`}} -> {name: {user:
    NDCG@10}}, with the item means beside them."""
    with tempfile.TemporaryDirectory() as folder:
        split = collaborative.Split(folder, job)
        split.ratings("all", "features,ratings", "ratings.features=bias", "ratings.folds=1", "ratings.repeats=1")
        split.item_mean("item-mean")
        for name, settings in job["variants"].items():
            split.factorize(name, *settings)
        return {name: of_user["ndcg@10"] for name, of_user in split.evaluate().items()}
