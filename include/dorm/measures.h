/* measures.h: what a ranking is worth: measures, evaluation, comparison, files of scores. */
#ifndef DORM_MEASURES_H
#define DORM_MEASURES_H

#include <stddef.h>
#include <stdint.h>

#include "dorm/dataset.h"
#include "dorm/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A measure and its conventions, which are parameters like those of a loss. */
typedef struct dorm_measure_info {
  const char *name;
  const char *help;
  int lower_is_better;
  size_t num_parameters;
  const dorm_loss_parameter *parameters;
} dorm_measure_info;

/* Measure number `index`, static; NULL after the last. Besides these, "minus_loss(SPEC)" is minus the loss SPEC. */
DORM_API const dorm_measure_info *dorm_measure_info_at(size_t index);

/* ---- Evaluation ---- */

typedef struct dorm_evaluation {
  size_t struct_size;    /* sizeof(dorm_evaluation), set by the caller */
  double mean;           /* over the queries that count; for gm_map geometric, for num_... their sum; weighted where the
                          * data set has weights of queries */
  double standard_error; /* of that mean; 0 for fewer than two queries */
  size_t num_queries;    /* number of queries that count, those of weight 0 left out */
  size_t num_empty;      /* number of queries with nothing to find, such as those without a relevant document */
  int lower_is_better;
  const char *conventions; /* the measure with all its conventions as parameters; owned by the context */
  int is_weighted;         /* 1: the data set has weights of queries */
  double total_weight;     /* W, the sum of the weights of the queries that count; their number without weights */
  /* n = W^2 / sum of squared weights: the number of queries of equal weight that say as much (Kish 1965). The standard
   * error is sqrt(V / (n - 1)), where V is the weighted mean of the squared differences from the mean. */
  double effective_queries;
} dorm_evaluation;

/* Evaluates a measure such as "ndcg@10" or "ndcg@10:discount=letor,empty=skip" on
 * scores[num_docs]; trec_eval's names, such as "ndcg_cut_10", stand for its
 * conventions. Documents of equal score rank in the order of the data set unless
 * the measure says ties=docid, worst or expected. per_query[num_queries] gets the
 * value of each query, NaN for one that is skipped; it may be NULL. */
DORM_API dorm_status dorm_evaluate(dorm_context *context, const char *measure, const dorm_dataset *dataset,
                                   const double *scores, double *per_query, dorm_evaluation *evaluation);

/* Reads one number per line into scores[num_docs]; a file of more or fewer lines
 * is DORM_BAD_DATA. */
DORM_API dorm_status dorm_scores_read(dorm_context *context, const char *path, size_t num_docs, double *scores);
/* Writes scores[num_docs], a number per line, whole or not at all. */
DORM_API dorm_status dorm_scores_write(dorm_context *context, const char *path, size_t num_docs, const double *scores);

/* ---- Is one better than the other? ---- */

/* A comparison of two rankers by the values of a measure for each query. */
typedef struct dorm_comparison {
  size_t struct_size; /* sizeof(dorm_comparison), set by the caller */
  size_t num_pairs;   /* number of queries that count for both */
  double first;       /* mean over these queries */
  double second;
  double difference;     /* first - second */
  double standard_error; /* of the difference */
  double t;              /* difference / standard error */
  double t_test;         /* two-sided p-value, Student's t with num_pairs - 1 degrees of freedom */
  double randomisation;  /* two-sided p-value: share of random sign changes with a mean difference as large */
  size_t num_rounds;     /* number of sign changes tried; for few pairs all 2^num_pairs of them */
} dorm_comparison;

/* Compares first[count] and second[count], which dorm_evaluate gives as per_query;
 * a query of which either is NaN is left out. At least two pairs must be left.
 * Cost: O(count num_rounds). */
DORM_API dorm_status dorm_compare(dorm_context *context, size_t count, const double *first, const double *second,
                                  size_t num_rounds, uint64_t seed, dorm_comparison *comparison);
/* The same with weights[count] of the queries, finite and >= 0; NULL is dorm_compare. The means are weighted, queries
 * of weight 0 are left out, the standard error of the difference is that of dorm_evaluation, t has n - 1 degrees of
 * freedom with its n, and the randomisation test changes signs in the weighted sum of the differences. */
DORM_API dorm_status dorm_compare_weighted(dorm_context *context, size_t count, const double *first,
                                           const double *second, const double *weights, size_t num_rounds,
                                           uint64_t seed, dorm_comparison *comparison);

/* ---- How good on new queries? ---- */

/* A mean over held-out queries, and bounds on the mean over new ones. The bounds hold with the stated confidence for
 * every distribution, if the queries are independent draws from the source of the new ones. */
typedef struct dorm_bound {
  size_t struct_size; /* sizeof(dorm_bound), set by the caller */
  size_t count;       /* number of values that are not NaN */
  double mean;
  double lower;             /* by betting (Waudby-Smith and Ramdas 2024) */
  double hoeffding_bentkus; /* a wider lower bound, which the order of the values cannot change */
} dorm_bound;

/* Bounds the mean of which values[count], from least to most, are a sample; NaN is left out. For a difference of two
 * rankers give differences, from least - most to most - least. Cost: O(count). */
DORM_API dorm_status dorm_lower_bound(dorm_context *context, size_t count, const double *values, double least,
                                      double most, double confidence, dorm_bound *bound);
/* The range of a measure's values per query; DORM_BAD_USAGE for one without bounds, such as dcg. */
DORM_API dorm_status dorm_measure_range(dorm_context *context, const char *measure, double *least, double *most);

/* How many documents hold a share of the gain, 2^label - 1, of new queries. Queries without a gain are left out. */
typedef struct dorm_depth {
  size_t struct_size; /* sizeof(dorm_depth), set by the caller */
  size_t num_queries; /* with a gain */
  size_t depth;       /* the first `depth` documents of a query suffice; 0: not even all do, with so few queries */
  double depth_share; /* the mean share that they hold here */
  double margin;      /* So do those whose score is at most this share of the query's range of scores below the best;
                       * NaN: none */
  double margin_share, margin_docs; /* the mean share, and the mean number of documents */
} dorm_depth;

/* Finds the smallest depth, and the smallest margin, at which the mean share of new queries is above `share`, each with
 * this confidence. Cost: a sort per query, then O(queries) per depth. */
DORM_API dorm_status dorm_find_depth(dorm_context *context, const dorm_dataset *dataset, const double *scores,
                                     double share, double confidence, dorm_depth *depth);

#ifdef __cplusplus
}
#endif

#endif
