/* policies.h: policies, which are distributions over rankings that give groups of documents their share of exposure. */
#ifndef DORM_POLICIES_H
#define DORM_POLICIES_H

#include <stddef.h>
#include <stdint.h>

#include "dorm/dataset.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Options of dorm_allocate. Position p, counted from 0, has the exposure a[p] = 1 / log2(p + 2) if p < `top`, otherwise
 * 0. A document with gain b at position p is worth b a[p]. The share of a group is its exposure in all queries divided
 * by the exposure of all documents. */
typedef struct dorm_allocation_options {
  size_t struct_size;       /* sizeof(dorm_allocation_options), set by the caller */
  size_t num_groups;        /* from 1 to 1,000 */
  const uint32_t *group_of; /* [num_docs]; num_groups or more: no group */
  const double *least;      /* [num_groups] smallest share of a group, NaN: none; NULL: none at all */
  const double *most;       /* [num_groups] largest share of a group, NaN: none; NULL: none at all */
  const char *const *names; /* [num_groups] for messages; NULL: numbers */
  size_t top;               /* positions that count, 0: all */
  double gap;               /* (bound - worth) / free_worth at which the search stops, 0: 1e-6 */
  size_t max_passes;        /* over the data, 0: 1000 */
  size_t num_threads;       /* 0: one per processor; does not change the results */
} dorm_allocation_options;

/* A distribution over the rankings of each query. */
typedef struct dorm_policy dorm_policy;

/* The result for a policy. The policy owns the arrays. */
typedef struct dorm_allocation {
  double free_worth; /* worth of the best rankings without requirements */
  double worth;      /* worth of the policy, over all queries */
  double bound;      /* upper bound on the worth of policies that meet the requirements */
  double gap;        /* (bound - worth) / free_worth */
  double violation;  /* largest amount by which a share misses its requirement */
  size_t num_passes; /* over the data */
  size_t num_groups;
  const double *prices;      /* [num_groups]: sorting by gain + price is nearly the best policy */
  const double *shares;      /* [num_groups] of the policy */
  const double *free_shares; /* [num_groups] of the best rankings without requirements */
} dorm_allocation;

/* Finds the policy of largest worth whose shares meet the requirements. gains[num_docs] are finite. The caller frees
 * *policy. If no policy meets the requirements, returns DORM_BAD_DATA, and the message names requirements that
 * conflict. If it is cancelled or reaches max_passes, it stops with the best policy so far. Cost: per pass a sort of
 * each query. */
DORM_API dorm_status dorm_allocate(dorm_context *context, const dorm_dataset *dataset, const double *gains,
                                   const dorm_allocation_options *options, dorm_policy **policy);
/* Frees a policy and its result. */
DORM_API void dorm_policy_free(dorm_policy *policy);
/* Returns the worth, the prices and the shares of a policy, owned by it. */
DORM_API const dorm_allocation *dorm_policy_result(const dorm_policy *policy);
/* Returns the number of rankings that the policy mixes for a query. With probability probabilities[i] it sorts the
 * query by gain + boosts[i][num_groups], for i below this number. The policy owns both arrays until the next call.
 * Either pointer may be NULL. */
DORM_API size_t dorm_policy_mixture(dorm_policy *policy, size_t query, const double *const **boosts,
                                    const double **probabilities);

/* The result of rankings by gain + price. The caller sets struct_size and the array pointers. dorm_try_prices fills the
 * arrays and the other fields. */
typedef struct dorm_price_trial {
  size_t struct_size;
  double worth;   /* of the rankings by gain + price */
  double bound;   /* upper bound on the worth of policies that meet least and most on these data */
  double *shares; /* [num_groups] of exposure */
  double *errors; /* [num_groups] standard errors of the shares over queries, infinite for a single query */
} dorm_price_trial;

/* Tries prices [options->num_groups] on data from which they were not learned. `claims` is NULL if the required shares
 * are fixed numbers. If they depend on the data, they are proportional to claims [num_docs] >= 0: 1 for parity, gains
 * for merit. The errors then include the error of the claims. O(documents), two sorts of each query. */
DORM_API dorm_status dorm_try_prices(dorm_context *context, const dorm_dataset *dataset, const double *gains,
                                     const dorm_allocation_options *options, const double *prices, const double *claims,
                                     dorm_price_trial *trial);

#ifdef __cplusplus
}
#endif

#endif
