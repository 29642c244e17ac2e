"""Features normalised within queries, as they are, and whichever validation prefers, for linear models and trees.

needs: mq2008 page-blocks pendigits optdigits covertype
runs: alone
minutes: 24
"""
import across
import blocks
import datasets

made = across.Across("normalisation", "features normalised within queries, as they are, or whichever validation prefers")


def share(collection, scorer):
    """The share of splits where the choice is the training on features as they are."""
    chosen, single = (made.found[collection, "%s-%s" % (scorer, inputs)] for inputs in ("chosen", "none"))
    alike = [one["measures"] == other["measures"] for one, other in zip(chosen, single)]
    return "%.1f" % (sum(alike) / len(alike))


for scorer, title in (("linear", "linear models"), ("trees", "trees")):
    within, none, chosen = ("%s-%s" % (scorer, inputs) for inputs in ("minmax", "none", "chosen"))
    made.study.add(
        blocks.table(
            "normalisation-" + scorer,
            "NDCG@10 of %s" % title,
            ["data", "within queries", "as they are, less that", "chosen, less within queries", "share", "CPU s", "CPU s, chosen"],
            [
                [
                    datasets.TITLES[c],
                    made.value(c, within),
                    made.less(c, none, within),
                    made.less(c, chosen, within),
                    share(c, scorer),
                    made.seconds(c, within),
                    made.seconds(c, chosen),
                ]
                for c in made.collections
            ],
            ["share: of the splits where validation took features as they are; where both are the same, all"],
            varying=["CPU s", "CPU s, chosen"],
        )
    )
made.finish()
