"""The study `automatic` on artificial data of three sizes and on MovieLens features, with each kind of values alone.

needs: movielens-rows
runs: alone
"""
import across

PARTS = {"small-artificial": ((30, 100), 4), "movielens-rows": (10, 2)}
METHODS = ("default", "linear", "trees", "xgboost", "raw", "normalised")

made = across.Across("automatic-sizes", "the default by the number of queries, its parts, and XGBoost", PARTS, "automatic",
                     METHODS)
made.compare(
    "NDCG@10 of the default, and how much it is above others",
    METHODS[0],
    METHODS[1:],
)
made.finish()
