/* policies.h: policies, that is distributions over rankings, which give groups of documents their share of exposure. */
#ifndef DORM_POLICIES_H
#define DORM_POLICIES_H

#include <stddef.h>
#include <stdint.h>

#include "dorm/dataset.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A document with gain b at position p is worth b a[p], and has the exposure a[p], where a[p] = 1 / log2(p + 2) for the
 * first `top` positions, counted from 0. The share of a group is its exposure in all queries over that of all
 * documents. */
typedef struct dorm_allocation_options {
  size_t struct_size;       /* sizeof(dorm_allocation_options), set by the caller */
  size_t num_groups;        /* from 1 to 1,000 */
  const uint32_t *group_of; /* [num_docs]; num_groups or more: no group */
  const double *least;      /* [num_groups] the least share of a group, NaN: none; NULL: none at all */
  const double *most;       /* [num_groups] its largest share, NaN: none; NULL: none at all */
  const char *const *names; /* [num_groups] for messages; NULL: numbers */
  size_t top;               /* positions that count, 0: all */
  double gap;               /* (bound - worth) / free_worth at which to stop; 0: 1e-6 */
  size_t max_passes;        /* over the data; 0: 1000 */
  size_t num_threads;       /* 0: one for each processor; the results do not depend on it */
} dorm_allocation_options;

/* A distribution over the rankings of each query. */
typedef struct dorm_policy dorm_policy;

/* What a policy is worth; arrays belong to it. */
typedef struct dorm_allocation {
  double free_worth; /* of the best rankings without requirements */
  double worth;      /* of the policy, over all queries */
  double bound;      /* no policy that meets the requirements is worth more */
  double gap;        /* (bound - worth) / free_worth */
  double violation;  /* by which a share misses its requirement at most */
  size_t num_passes; /* over the data */
  size_t num_groups;
  const double *prices;      /* [num_groups]: sorting by gain + price is nearly the best policy */
  const double *shares;      /* [num_groups] of the policy */
  const double *free_shares; /* [num_groups] of the best rankings without requirements */
} dorm_allocation;

/* Finds the policy of largest worth whose shares meet the requirements; gains[num_docs] are finite. DORM_BAD_DATA if no
 * policy meets them; the message then names requirements that conflict. Stops early at max_passes, or if cancelled,
 * with the best policy so far. Cost: per pass a sort of each query. */
DORM_API dorm_status dorm_allocate(dorm_context *context, const dorm_dataset *dataset, const double *gains,
                                   const dorm_allocation_options *options, dorm_policy **policy);
/* Frees a policy and its result. */
DORM_API void dorm_policy_free(dorm_policy *policy);
/* The worth, the prices and the shares of a policy, owned by it. */
DORM_API const dorm_allocation *dorm_policy_result(const dorm_policy *policy);
/* The policy for a query: with probability probabilities[i] it sorts the query by gain + boosts[i][num_groups], for i
 * below the number that is returned. Both belong to the policy until the next call; NULL if not wanted. */
DORM_API size_t dorm_policy_mixture(dorm_policy *policy, size_t query, const double *const **boosts,
                                    const double **probabilities);

/* Rankings by gain + price. The caller sets struct_size and the arrays; dorm_try_prices fills them and the rest. */
typedef struct dorm_price_trial {
  size_t struct_size;
  double worth;   /* of the rankings by gain + price */
  double bound;   /* no policy that meets least and most on these data is worth more */
  double *shares; /* [num_groups] of exposure */
  double *errors; /* [num_groups] standard errors of the shares over queries; infinite for a single query */
} dorm_price_trial;

/* Tries prices [options->num_groups] on data that they were not learned from. If the share that a group must have
 * depends on the data, claims [num_docs] >= 0 are what it is proportional to: 1 for parity, gains for merit; NULL if
 * shares are numbers. The errors then include that of the claims. O(documents), two sorts of each query. */
DORM_API dorm_status dorm_try_prices(dorm_context *context, const dorm_dataset *dataset, const double *gains,
                                     const dorm_allocation_options *options, const double *prices, const double *claims,
                                     dorm_price_trial *trial);

#ifdef __cplusplus
}
#endif

#endif
