/*
 * lambdas.h: gradients on scores. For the scores g of one query, a λ-function gives λ[j] for each document, which is
 * positive if document j should rise, and a curvature h[j] >= 0. If a cost C exists, λ = -∂C/∂g (Burges, "Ranking
 * as Learning Structured Outputs", equations 2 and 3). Nets and boosted trees are trained with these gradients.
 */
#ifndef DORM_LAMBDAS_LAMBDAS_H
#define DORM_LAMBDAS_LAMBDAS_H

#include "base/base.h"
#include "data/data.h"

typedef struct dorm_lambda dorm__lambda;

/* ---- Opening (registry.c) ---------------------------------------------------- */

/* Values for the parameters that a text leaves open. */
typedef struct dorm__lambda_defaults {
  const char *target; /* NULL: ndcg@10 */
  size_t top;         /* for `dorm`, which can respect groups, if the text has no `top`; then the two below too */
  double capacity;
  double seconds;
} dorm__lambda_defaults;

/* Opens a λ-function for a data set and builds its tables. `spec` has the syntax of dorm_lambda_open. If `defaults` is
 * NULL, groups are respected only if `spec` has a `top`. The data set is borrowed until the λ-function is closed. */
dorm_status dorm__lambda_open(dorm_context *context, const char *spec, const dorm__lambda_defaults *defaults,
                              const dorm_dataset *dataset, size_t num_threads, dorm__lambda **lambda);
void dorm__lambda_close(dorm__lambda *lambda);
DORM__OWNER(dorm__lambda, dorm__lambda_close)
/* Returns the text with every parameter and the target spelled out, owned by the λ-function. */
const char *dorm__lambda_spec(const dorm__lambda *lambda);
/* Returns whether λ is the negative gradient of a cost. */
bool dorm__lambda_has_cost(const dorm__lambda *lambda);

/* ---- Gradients (at.c) ---------------------------------------------------------- */

/* Scratch space of one thread for the queries of the data set that the λ-function was opened for. */
typedef struct dorm__lambda_workspace dorm__lambda_workspace;
dorm_status dorm__lambda_workspace_new(dorm_context *context, const dorm__lambda *lambda,
                                       dorm__lambda_workspace **workspace);
void dorm__lambda_workspace_free(dorm__lambda_workspace *workspace);
/* Chooses the random draws of later calls with this workspace (at first round 0). No effect on functions without draws.
 */
void dorm__lambda_workspace_set_round(dorm__lambda_workspace *workspace, uint64_t round);

/* Receives the results of a query. cost and num_pairs may be NULL. */
typedef struct dorm__lambda_result {
  double *lambdas, *curvature; /* [num_docs of the query] */
  double *cost;
  size_t *num_pairs;
} dorm__lambda_result;

/* Receives the results of a data set. summary may be NULL. */
typedef struct dorm__lambdas_result {
  double *lambdas, *curvature; /* [num_docs of the data set] */
  dorm_lambda_summary *summary;
} dorm__lambdas_result;

/* Fills lambdas and curvature [num_docs of the query] for scores [num_docs]. Equal scores are ranked in document order.
 * Sets *cost, unless NULL, to the cost, or to NaN if none exists. Sets *num_pairs, unless NULL, to the number of pairs
 * with a force λ_ij or, for functions without pairs, of documents with λ_j other than 0. Several threads may call it
 * at the same time, each with its own workspace. DORM_BAD_DATA if a score is not finite. */
dorm_status dorm__lambda_at(dorm_context *context, const dorm__lambda *lambda, size_t query, const double *scores,
                            dorm__lambda_workspace *workspace, const dorm__lambda_result *result);
/* Computes all queries in parallel, with the random draws of `round`. scores, lambdas and curvature are [num_docs of
 * the data set]. The numbers do not depend on num_threads. If `summary` is NULL, costs are not computed. */
dorm_status dorm__lambdas_of_dataset(dorm_context *context, const dorm__lambda *lambda, uint64_t round,
                                     const double *scores, size_t num_threads, const dorm__lambdas_result *result);

#endif
