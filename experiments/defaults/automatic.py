"""What training.trainer = auto gives, beside its parts and XGBoost, all in five folds of the same labelled queries.

needs: mq2008 page-blocks pendigits
runs: alone
"""
import across

PARTS = {collection: across.PARTS[collection] for collection in ("mq2008", "page-blocks", "pendigits")}
METHODS = ("default", "linear", "trees", "xgboost")

made = across.Across("automatic", "the default in folds, its parts, and XGBoost", PARTS, "automatic", METHODS)
made.compare("NDCG@10 of the default, and how much it is above others", METHODS[0], METHODS[1:])
made.finish()
