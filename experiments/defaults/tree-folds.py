"""Boosted trees by one split of the labelled queries, and by a cross-validation of them.

needs: mq2008 page-blocks pendigits optdigits covertype
runs: alone
minutes: 44
"""
import across
import blocks
import datasets

made = across.Across("tree-folds", "boosted trees: one validation part, trained again with it, and cross-validated")
made.study.add(
    blocks.table(
        "tree-folds",
        "NDCG@10 of trees",
        ["data", "one split", "trained again, less that", "in folds, less one split", "in folds, less trained again"]
        + ["CPU s, one split", "CPU s, trained again", "CPU s, in folds"],
        [
            [datasets.TITLES[c], made.value(c, "one"), made.less(c, "again", "one")]
            + [made.less(c, "folds", "one"), made.less(c, "folds", "again")]
            + [made.seconds(c, method) for method in ("one", "again", "folds")]
            for c in made.collections
        ],
        varying=["CPU s, one split", "CPU s, trained again", "CPU s, in folds"],
    )
)
made.finish()
