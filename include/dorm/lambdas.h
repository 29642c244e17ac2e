/* lambdas.h: gradients on scores, which move the documents of a query up or down. */
#ifndef DORM_LAMBDAS_H
#define DORM_LAMBDAS_H

#include <stddef.h>
#include <stdint.h>

#include "dorm/dataset.h"
#include "dorm/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A lambda-function gives the direction in which the score of each document of a query should move: lambda[j] > 0 if
 * document j should rise. It also gives a curvature h[j] >= 0 for trainers that take Newton steps. If a cost exists,
 * lambda = -d cost / d score. */
typedef struct dorm_lambda_info {
  const char *name;
  const char *formula;
  const char *source;
  int has_target;   /* 1: it has a measure or a loss as target, as in "NAME of ndcg@10" */
  int has_cost;     /* 1: a cost exists */
  int sums_to_zero; /* 1: the lambdas of a query add up to 0 (without alpha) */
  size_t num_parameters;
  const dorm_loss_parameter *parameters;
} dorm_lambda_info;

/* Returns built-in lambda-function number `index`, static. Returns NULL after the last. */
DORM_API const dorm_lambda_info *dorm_lambda_info_at(size_t index);

/* A lambda-function that is opened for a data set. One handle serves one thread at a time. */
typedef struct dorm_lambda dorm_lambda;

/* Opens a lambda-function for a data set. The caller closes it, before the data set is freed. The text is one of
 *   NAME[:KEY=VALUE,...][ of TARGET]
 *   NAME[:KEY=VALUE,...] from ./my_lambda.so
 * as in "ranknet-weight-pairs:sigma=1 of ndcg@10". TARGET is a measure, or for a loss "minus_loss(LOSS)", or LOSS alone
 * if no measure has that name. The default TARGET is ndcg@10. */
DORM_API dorm_status dorm_lambda_open(dorm_context *context, const char *spec, const dorm_dataset *dataset,
                                      dorm_lambda **lambda);
/* Closes a lambda-function. */
DORM_API void dorm_lambda_close(dorm_lambda *lambda);
/* Describes an open lambda-function: its text with every parameter and the target. The handle owns it. */
DORM_API const char *dorm_lambda_describe(const dorm_lambda *lambda);

/* Fills lambdas[l] and curvature[l] for query number `query` of l documents, at scores[l]. *cost becomes the cost, NaN
 * if none exists. *num_pairs becomes the number of effective pairs (pairs that move their documents), or, for a
 * function without pairs, the number of documents with a nonzero lambda. Both may be NULL. */
DORM_API dorm_status dorm_lambda_at(dorm_context *context, const dorm_lambda *lambda, size_t query,
                                    const double *scores, double *lambdas, double *curvature, double *cost,
                                    size_t *num_pairs);

typedef struct dorm_lambda_summary {
  size_t struct_size; /* sizeof(dorm_lambda_summary), set by the caller */
  double cost;        /* sum over the queries, NaN if no cost exists */
  size_t num_pairs;   /* effective pairs of all queries */
  size_t num_queries; /* number of queries with a lambda other than 0 */
} dorm_lambda_summary;

/* Fills lambdas and curvature [num_docs] for all documents of a data set, at scores [num_docs]. `summary` may be NULL.
 * num_threads = 0 means one per processor, and more than 1024 count as 1024. The results do not depend on the number of
 * threads. */
DORM_API dorm_status dorm_lambdas(dorm_context *context, const char *spec, const dorm_dataset *dataset,
                                  const double *scores, size_t num_threads, double *lambdas, double *curvature,
                                  dorm_lambda_summary *summary);

enum { DORM_LAMBDA_MOST_DOCS = 7 };

/* A query at which something was found. `scores` and `other_scores` are two points of it. */
typedef struct dorm_lambda_example {
  size_t num_docs; /* 0: none was found */
  double labels[DORM_LAMBDA_MOST_DOCS];
  double scores[DORM_LAMBDA_MOST_DOCS];
  double other_scores[DORM_LAMBDA_MOST_DOCS];
  size_t first, second; /* two documents, from 0 */
  double values[2];
} dorm_lambda_example;

/* The result of dorm_lambda_check. Let J be the Jacobian with the entries d lambda_i / d score_j. A cost exists if and
 * only if J is symmetric everywhere, and each jump of lambda is at right angles to the surface of the jump. The cost is
 * convex if and only if -J has no negative eigenvalue and no jump goes uphill (Burges, "Ranking as Learning Structured
 * Outputs", equation 11). All figures are fractions of the largest entry of J, or of lambda, at the same point. */
typedef struct dorm_lambda_report {
  size_t struct_size;      /* sizeof(dorm_lambda_report), set by the caller */
  const char *spec;        /* with every parameter and the target, owned by the context */
  size_t num_points;       /* Jacobians computed, by central differences, away from ties */
  double largest_entry;    /* of all Jacobians, not a fraction; 0: lambda is constant as long as the order is */
  double asymmetry;        /* largest |J_ij - J_ji| */
  double least_eigenvalue; /* of -(J + J')/2 */
  double largest_jump;     /* of a lambda, when two documents change places in the ranking */
  double skew_jump;        /* the same without the part that is opposite and equal for the two documents */
  double uphill;           /* largest <lambda - lambda', g - g'> over both lengths, for two points g and g' */
  /* The extreme cases, each with two values. asymmetric has J_ij and J_ji, and bent the eigenvalue and 0. jumping has
   * lambda of `first` on both sides of the jump, and climbing <lambda - lambda', g - g'> and 0. */
  dorm_lambda_example asymmetric, bent, jumping, climbing;
  int is_symmetric;  /* asymmetry below 1e-6 */
  int is_continuous; /* largest_jump below 1e-6 */
  int has_cost;      /* is_symmetric, and skew_jump below 1e-6 */
  int is_convex;     /* has_cost, no eigenvalue below -1e-6, and no uphill above 1e-6 */
} dorm_lambda_report;

/* Tests a lambda-function on random small queries. A defect that it finds exists. As with all samples, it can miss
 * one. */
DORM_API dorm_status dorm_lambda_check(dorm_context *context, const char *spec, uint64_t seed,
                                       dorm_lambda_report *report);

#ifdef __cplusplus
}
#endif

#endif
