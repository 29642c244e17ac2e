/* lambdas.h: gradients on scores: how each document of a query should move. */
#ifndef DORM_LAMBDAS_H
#define DORM_LAMBDAS_H

#include <stddef.h>
#include <stdint.h>

#include "dorm/dataset.h"
#include "dorm/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A lambda-function says for each document of a query how its score should move:
 * lambda[j] > 0 where document j should rise, and a curvature h[j] >= 0 for
 * trainers that take Newton steps. Where a cost exists, lambda = -d cost / d score. */
typedef struct dorm_lambda_info {
  const char *name;
  const char *formula;
  const char *source;
  int has_target;   /* 1: it is of a measure or a loss, as in "NAME of ndcg@10" */
  int has_cost;     /* 1: a cost exists */
  int sums_to_zero; /* 1: the lambdas of a query add up to 0 (without alpha) */
  size_t num_parameters;
  const dorm_loss_parameter *parameters;
} dorm_lambda_info;

/* Built-in lambda-function number `index`, static; NULL after the last. */
DORM_API const dorm_lambda_info *dorm_lambda_info_at(size_t index);

/* A lambda-function that is open for a data set. One handle serves one thread at a time. */
typedef struct dorm_lambda dorm_lambda;

/* Opens a lambda-function for a data set; the caller closes it. The text is one of
 *   NAME[:KEY=VALUE,...][ of TARGET]
 *   NAME[:KEY=VALUE,...] from ./my_lambda.so
 * as in "ranknet-weight-pairs:sigma=1 of ndcg@10". TARGET is a measure (for a loss
 * "minus_loss(LOSS)", or only LOSS where no measure has that name); without one it
 * is ndcg@10. The data set must not be freed before the handle. */
DORM_API dorm_status dorm_lambda_open(dorm_context *context, const char *spec, const dorm_dataset *dataset,
                                      dorm_lambda **lambda);
/* Closes a lambda-function. */
DORM_API void dorm_lambda_close(dorm_lambda *lambda);
/* Describes an open lambda-function: its text with every parameter and the target, owned by the handle. */
DORM_API const char *dorm_lambda_describe(const dorm_lambda *lambda);

/* Fills lambdas[l] and curvature[l] for query number `query` of l documents at
 * scores[l]. *cost becomes the cost, NaN where none exists; *num_pairs the number of
 * effective pairs, those that push (of a function without pairs: documents with a
 * lambda other than 0). Both may be NULL. */
DORM_API dorm_status dorm_lambda_at(dorm_context *context, const dorm_lambda *lambda, size_t query,
                                    const double *scores, double *lambdas, double *curvature, double *cost,
                                    size_t *num_pairs);

typedef struct dorm_lambda_summary {
  size_t struct_size; /* sizeof(dorm_lambda_summary), set by the caller */
  double cost;        /* sum over the queries; NaN where no cost exists */
  size_t num_pairs;   /* effective pairs of all queries */
  size_t num_queries; /* number of queries with a lambda other than 0 */
} dorm_lambda_summary;

/* The same for all documents of a data set: scores, lambdas and curvature are
 * [num_docs]. `summary` may be NULL. num_threads above 1024 count as 1024, 0 is one per
 * processor; the numbers are the same for any number of threads. */
DORM_API dorm_status dorm_lambdas(dorm_context *context, const char *spec, const dorm_dataset *dataset,
                                  const double *scores, size_t num_threads, double *lambdas, double *curvature,
                                  dorm_lambda_summary *summary);

enum { DORM_LAMBDA_MOST_DOCS = 7 };

/* A query at which something was found; `scores` and `other_scores` are two points of it. */
typedef struct dorm_lambda_example {
  size_t num_docs; /* 0: none was found */
  double labels[DORM_LAMBDA_MOST_DOCS];
  double scores[DORM_LAMBDA_MOST_DOCS];
  double other_scores[DORM_LAMBDA_MOST_DOCS];
  size_t first, second; /* two documents, from 0 */
  double values[2];
} dorm_lambda_example;

/* What dorm_lambda_check finds. A cost exists if and only if the Jacobian J with the
 * entries d lambda_i / d score_j is symmetric everywhere, and lambda jumps, if at
 * all, at right angles to the surface where it jumps; the cost is convex if and only
 * if -J has no negative eigenvalue and no jump goes uphill (Burges, "Ranking as
 * Learning Structured Outputs", equation 11). All figures are shares of the largest
 * entry of J, or of lambda, at the same point. */
typedef struct dorm_lambda_report {
  size_t struct_size;      /* sizeof(dorm_lambda_report), set by the caller */
  const char *spec;        /* with every parameter and the target spelled out; owned by the context */
  size_t num_points;       /* Jacobians taken, by central differences, away from ties */
  double largest_entry;    /* of all Jacobians, not a share; 0: lambda is constant where the order is */
  double asymmetry;        /* largest |J_ij - J_ji| */
  double least_eigenvalue; /* of -(J + J')/2 */
  double largest_jump;     /* of a lambda, where two documents change places in the ranking */
  double skew_jump;        /* the same without the part that is opposite and equal for the two documents */
  double uphill;           /* largest <lambda - lambda', g - g'> over both lengths, for two points g and g' */
  /* The extreme cases: values are J_ij and J_ji; the eigenvalue and 0; lambda of `first` on both sides of the
   * jump; <lambda - lambda', g - g'> and 0. */
  dorm_lambda_example asymmetric, bent, jumping, climbing;
  int is_symmetric;  /* asymmetry below 1e-6 */
  int is_continuous; /* largest_jump below 1e-6 */
  int has_cost;      /* is_symmetric, and skew_jump below 1e-6 */
  int is_convex;     /* has_cost, no eigenvalue below -1e-6, and no uphill above 1e-6 */
} dorm_lambda_report;

/* Tries a lambda-function on random small queries. What it finds missing is missing;
 * what it does not find may still be, as everywhere with samples. */
DORM_API dorm_status dorm_lambda_check(dorm_context *context, const char *spec, uint64_t seed,
                                       dorm_lambda_report *report);

#ifdef __cplusplus
}
#endif

#endif
