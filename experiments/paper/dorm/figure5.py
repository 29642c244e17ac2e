"""Figure 5: the mean reciprocal rank against the number of training queries, of
DORM trained for it, of DORM trained for NDCG, and of the rest.

needs: mq2008
minutes: 5
"""
import curve_study
import curves
import datasets
import summary


def claims(study, collection, found, chosen, measure, sizes):
    notes = []
    if "dorm-mrr" in found and "dorm" in found:
        for size in sizes:
            difference, error, p = study.compare(
                "%s, %d queries: DORM for MRR less DORM for NDCG"
                % (datasets.TITLES[collection], curves.num_queries(collection, size, study.quick)),
                summary.pooled(found["dorm-mrr"][size], measure),
                summary.pooled(found["dorm"][size], measure),
            )
            notes.append(
                "DORM for MRR less DORM for NDCG at %d queries: %+.4f ± %.4f (p = %.2g)"
                % (curves.num_queries(collection, size, study.quick), difference, error, p)
            )
    return notes


curve_study.run(
    "figure5",
    "Figure 5",
    [("mrr", "MRR", "mrr")],
    "its Figure 5 is drawn without printed numbers; its text: DORM for MRR beats DORM for NDCG on MRR",
    "dorm",
    claims,
    ("dorm-mrr", "dorm-listed-mrr"),
)
