"""The candidates that the default tries beside a grid that tries more, in five folds of the same labelled queries.

needs: mq2008 page-blocks
runs: alone
"""
import across

PARTS = {"mq2008": (0, 3), "small-artificial": (100, 3), "page-blocks": (50, 3)}
METHODS = ("default", "grid")

made = across.Across("race", "the candidates of the default, and a grid of trees", PARTS, "automatic", METHODS)
made.compare("NDCG@10 of the default, and how much it is above the grid", METHODS[0], METHODS[1:])
made.finish()
