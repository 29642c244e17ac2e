/*
 * lambdas.h: gradients on scores. For the scores g of one query, a λ-function gives λ[j] for each document, which is
 * positive where document j should rise, and a curvature h[j] >= 0; where a cost C exists, λ = -∂C/∂g (Burges,
 * "Ranking as Learning Structured Outputs", equations 2 and 3). Trainers that move scores, such as nets and boosted
 * trees, follow them.
 */
#ifndef DORM_LAMBDAS_LAMBDAS_H
#define DORM_LAMBDAS_LAMBDAS_H

#include "base/base.h"
#include "data/data.h"

typedef struct dorm_lambda dorm__lambda;

/* ---- Opening (registry.c) ---------------------------------------------------- */

/* Values for the parameters that a text leaves open. */
typedef struct dorm__lambda_defaults {
  const char *target; /* where it names none; NULL: ndcg@10 */
  size_t top;         /* of a function that can respect groups (`dorm`) where it gives none; then the two below too */
  double capacity;
  double seconds;
} dorm__lambda_defaults;

/* Opens a λ-function for a data set, from a text as dorm_lambda_open describes, and builds its tables. defaults may be
 * NULL: no groups are respected that the text does not name. The data set is borrowed until the λ-function is closed.
 */
dorm_status dorm__lambda_open(dorm_context *context, const char *spec, const dorm__lambda_defaults *defaults,
                              const dorm_dataset *dataset, size_t num_threads, dorm__lambda **lambda);
void dorm__lambda_close(dorm__lambda *lambda);
DORM__OWNER(dorm__lambda, dorm__lambda_close)
/* The text with every parameter and the target spelled out; owned by the λ-function. */
const char *dorm__lambda_spec(const dorm__lambda *lambda);
/* Whether a cost exists whose negative gradient this is. */
bool dorm__lambda_has_cost(const dorm__lambda *lambda);
/* Whether the λ of a query add up to 0. */
bool dorm__lambda_sums_to_zero(const dorm__lambda *lambda);
/* ---- Gradients (at.c) ---------------------------------------------------------- */

/* Scratch space of one thread for the queries of the data set that the λ-function was opened for. */
typedef struct dorm__lambda_workspace dorm__lambda_workspace;
dorm_status dorm__lambda_workspace_new(dorm_context *context, const dorm__lambda *lambda,
                                       dorm__lambda_workspace **workspace);
void dorm__lambda_workspace_free(dorm__lambda_workspace *workspace);
/* Chooses the random draws of later calls with this workspace, round 0 at first. No effect on functions without draws.
 */
void dorm__lambda_workspace_set_round(dorm__lambda_workspace *workspace, uint64_t round);

/* Receives the numbers of a query; cost and num_pairs may be NULL. */
typedef struct dorm__lambda_result {
  double *lambdas, *curvature; /* [num_docs of the query] */
  double *cost;
  size_t *num_pairs;
} dorm__lambda_result;

/* The same of a data set; summary may be NULL. */
typedef struct dorm__lambdas_result {
  double *lambdas, *curvature; /* [num_docs of the data set] */
  dorm_lambda_summary *summary;
} dorm__lambdas_result;

/* Fills lambdas and curvature [num_docs of the query] at scores of the same length, equal scores ranked in document
 * order. *cost (may be NULL: not computed) becomes the cost, NaN if none exists. *num_pairs (may be NULL) becomes
 * the number of pairs with a force λ_ij; for functions without pairs, of documents with λ_j other than 0.
 * Several threads may call it at the same time, each with a workspace of its own. DORM_BAD_DATA when a score is not
 * finite. */
dorm_status dorm__lambda_at(dorm_context *context, const dorm__lambda *lambda, size_t query, const double *scores,
                            dorm__lambda_workspace *workspace, const dorm__lambda_result *result);
/* All queries, in parallel, with the draws of a round: scores, lambdas and curvature are [num_docs of the data set].
 * The numbers do not depend on num_threads. `summary` may be NULL, and then costs are not computed. */
dorm_status dorm__lambdas_of_dataset(dorm_context *context, const dorm__lambda *lambda, uint64_t round,
                                     const double *scores, size_t num_threads, const dorm__lambdas_result *result);

#endif
