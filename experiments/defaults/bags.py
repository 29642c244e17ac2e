"""Boosted trees, one ensemble and the mean of four.

needs: mq2008 page-blocks pendigits optdigits covertype
runs: alone
"""
import across
import blocks
import datasets

made = across.Across("bags", "boosted trees, one ensemble and the mean of four")
made.study.add(
    blocks.table(
        "bags-trees",
        "NDCG@10 of trees",
        ["data", "one", "four, less one", "CPU s, one", "CPU s, four"],
        [
            [datasets.TITLES[c], made.value(c, "one"), made.less(c, "four", "one"), made.seconds(c, "one"), made.seconds(c, "four")]
            for c in made.collections
        ],
        varying=["CPU s, one", "CPU s, four"],
    )
)
made.finish()
