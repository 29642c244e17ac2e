"""A kernel beside the linear part on ten random partitions of MQ2008 into five folds.

needs: mq2008
minutes: 5
"""
import partitions

partitions.run(
    "kernel-partitions",
    "a kernel beside the linear part, on ten partitions of MQ2008",
    (("linear-rbf", "dorm"), ("linear-rbf", "dorm-average"), ("dorm-average", "dorm")),
)
