"""The study `automatic` on two more UCI sets, at which nobody looked while the default was made.

needs: optdigits covertype
runs: alone
"""
import across

PARTS = {"optdigits": (50, 4), "covertype": (50, 4)}
METHODS = ("default", "linear", "trees", "xgboost")

made = across.Across("automatic-sets", "the default and XGBoost on further data", PARTS, "automatic", METHODS)
made.compare("NDCG@10 of the default, and how much it is above others", METHODS[0], METHODS[1:])
made.finish()
