"""What training.trainer = auto gives, beside its parts and XGBoost, all in five folds of the same labelled queries.

needs: mq2008 page-blocks pendigits
runs: alone
"""
import across
import blocks
import datasets

OTHERS = ("linear", "trees", "xgboost")

PARTS = {collection: across.PARTS[collection] for collection in ("mq2008", "page-blocks", "pendigits")}

made = across.Across("automatic", "the default in folds, its parts, and XGBoost", PARTS)
made.study.add(
    blocks.table(
        "automatic",
        "NDCG@10 of the default, and how much it is above others",
        ["data", "default"] + ["less %s" % other for other in OTHERS],
        [
            [datasets.TITLES[c], made.value(c, "default")] + [made.less(c, "default", other) for other in OTHERS]
            for c in made.collections
        ],
    )
)
made.study.add(
    blocks.table(
        "seconds",
        "processor seconds",
        ["data", "default"] + list(OTHERS),
        [[datasets.TITLES[c]] + [made.seconds(c, method) for method in ("default",) + OTHERS] for c in made.collections],
        varying=["default"] + list(OTHERS),
    )
)
made.finish()
