"""Boosted trees, the linear model, their blend and XGBoost's rank:ndcg on ten random partitions of MQ2008 into five folds.

needs: mq2008
runs: alone
minutes: 9
"""
import partitions

partitions.run(
    "tree-partitions",
    "trees, the linear model, their blend and XGBoost's rank:ndcg, on ten partitions of MQ2008",
    (
        ("trees", "xgboost-ndcg"),
        ("trees", "xgboost-ndcg-16"),
        ("blend", "xgboost-ndcg"),
        ("blend", "xgboost-ndcg-16"),
        ("dorm", "xgboost-ndcg-16"),
        ("trees", "dorm"),
        ("blend", "dorm"),
        ("blend", "trees"),
    ),
)
