/* measures.h: measures of rankings, evaluation, comparison, files of scores. */
#ifndef DORM_MEASURES_H
#define DORM_MEASURES_H

#include <stddef.h>
#include <stdint.h>

#include "dorm/dataset.h"
#include "dorm/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A measure with its conventions, which are parameters like the parameters of a loss. */
typedef struct dorm_measure_info {
  const char *name;
  const char *help;
  int lower_is_better;
  size_t num_parameters;
  const dorm_loss_parameter *parameters;
} dorm_measure_info;

/* Returns measure number `index`, static. Returns NULL after the last. Another measure is "minus_loss(SPEC)", which is
 * minus the loss SPEC. */
DORM_API const dorm_measure_info *dorm_measure_info_at(size_t index);

/* ---- Evaluation ---- */

typedef struct dorm_evaluation {
  size_t struct_size;    /* sizeof(dorm_evaluation), set by the caller */
  double mean;           /* over the queries that count; for gm_map geometric, for num_... their sum; weighted if the
                          * data set has query weights */
  double standard_error; /* of the mean, 0 for fewer than two queries */
  size_t num_queries;    /* number of queries that count, without queries of weight 0 */
  size_t num_empty;      /* number of queries with nothing to find, for example no relevant document */
  int lower_is_better;
  const char *conventions; /* the measure with all its conventions as parameters, owned by the context */
  int is_weighted;         /* 1: the data set has query weights */
  double total_weight;     /* W, the sum of the weights of the queries that count; without weights their number */
  /* n = W^2 / sum of squared weights: the effective number of queries (Kish 1965). The standard error is sqrt(V / (n -
   * 1)), with V the weighted mean of the squared differences from the mean. */
  double effective_queries;
} dorm_evaluation;

/* Evaluates a measure such as "ndcg@10" or "ndcg@10:discount=letor,empty=skip" on scores[num_docs]. A name of
 * trec_eval, such as "ndcg_cut_10", selects trec_eval's conventions. Documents of equal score rank in the order of the
 * data set, unless the measure has ties=docid, worst or expected. per_query[num_queries] receives the value of each
 * query, NaN for a query that is skipped. It may be NULL. */
DORM_API dorm_status dorm_evaluate(dorm_context *context, const char *measure, const dorm_dataset *dataset,
                                   const double *scores, double *per_query, dorm_evaluation *evaluation);

/* Reads one number per line into scores[num_docs]. A file with more or fewer lines returns DORM_BAD_DATA. */
DORM_API dorm_status dorm_scores_read(dorm_context *context, const char *path, size_t num_docs, double *scores);
/* Writes scores[num_docs], one number per line. The file is complete or not written at all. */
DORM_API dorm_status dorm_scores_write(dorm_context *context, const char *path, size_t num_docs, const double *scores);

/* ---- Comparison of two rankers ---- */

/* A comparison of two rankers by their values of a measure on each query. */
typedef struct dorm_comparison {
  size_t struct_size; /* sizeof(dorm_comparison), set by the caller */
  size_t num_pairs;   /* number of queries that count for both */
  double first;       /* mean over the queries that count for both */
  double second;
  double difference;     /* first - second */
  double standard_error; /* of the difference */
  double t;              /* difference / standard error */
  double t_test;         /* two-sided p-value, Student's t with num_pairs - 1 degrees of freedom */
  double randomisation;  /* two-sided p-value: share of random sign changes that give a mean difference at least as
                          * large */
  size_t num_rounds;     /* number of sign changes tried, all 2^num_pairs for few pairs */
} dorm_comparison;

/* Compares first[count] and second[count], the per_query values of dorm_evaluate for two rankers. A query is left out
 * if either value is NaN. At least two pairs must remain. Cost: O(count num_rounds). */
DORM_API dorm_status dorm_compare(dorm_context *context, size_t count, const double *first, const double *second,
                                  size_t num_rounds, uint64_t seed, dorm_comparison *comparison);
/* Compares like dorm_compare, with weights[count] of the queries, finite and >= 0 (NULL: all 1). Queries of weight 0
 * are left out. The means are weighted, and the standard error of the difference is computed as in dorm_evaluation. t
 * has n - 1 degrees of freedom, with the effective number n of queries. The randomisation test changes signs in the
 * weighted sum of the differences. */
DORM_API dorm_status dorm_compare_weighted(dorm_context *context, size_t count, const double *first,
                                           const double *second, const double *weights, size_t num_rounds,
                                           uint64_t seed, dorm_comparison *comparison);

/* ---- Guarantees for new queries ---- */

/* A mean over held-out queries, and bounds on the mean over new ones. The bounds hold with the given confidence for
 * every distribution, if the queries are independent draws from the source of the new ones. */
typedef struct dorm_bound {
  size_t struct_size; /* sizeof(dorm_bound), set by the caller */
  size_t count;       /* number of values that are not NaN */
  double mean;
  double lower;             /* by betting (Waudby-Smith and Ramdas 2024) */
  double hoeffding_bentkus; /* a wider lower bound, independent of the order of the values */
} dorm_bound;

/* Bounds the mean of the distribution from which values[count], between `least` and `most`, are drawn. NaN is left
 * out. To compare two rankers, pass differences of values, which are between least - most and most - least. Cost:
 * O(count). */
DORM_API dorm_status dorm_lower_bound(dorm_context *context, size_t count, const double *values, double least,
                                      double most, double confidence, dorm_bound *bound);
/* Gets the range of a measure's values per query. A measure without bounds, such as dcg, returns DORM_BAD_USAGE. */
DORM_API dorm_status dorm_measure_range(dorm_context *context, const char *measure, double *least, double *most);

/* The depth of a ranking: the number of documents that hold a share of the gain, 2^label - 1, of new queries. Queries
 * without a gain are left out. */
typedef struct dorm_depth {
  size_t struct_size; /* sizeof(dorm_depth), set by the caller */
  size_t num_queries; /* queries with a gain */
  size_t depth;       /* the first `depth` documents of a query suffice; 0: with so few queries not even all
                       * documents do */
  double depth_share; /* the mean share of the gain that they hold here */
  double margin;      /* documents also suffice if their score is below the best by at most this share of the query's
                       * range of scores; NaN: no margin suffices */
  double margin_share, margin_docs; /* the mean share of the gain, and the mean number of documents, within the
                                     * margin */
} dorm_depth;

/* Finds the smallest depth, and the smallest margin, at which the mean share of new queries is above `share`, each with
 * this confidence. scores is [num_docs]. Cost: a sort per query, then O(queries) per depth. */
DORM_API dorm_status dorm_find_depth(dorm_context *context, const dorm_dataset *dataset, const double *scores,
                                     double share, double confidence, dorm_depth *depth);

#ifdef __cplusplus
}
#endif

#endif
