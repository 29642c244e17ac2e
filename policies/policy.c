/* policy.c: public access to a policy. For each block it has a few vectors of boosts with probabilities, and the
 * queries of the block are sorted by gain + boost. */
#include "policies/policy.h"

#include "base/memory.h"

size_t dorm__first_query(size_t num_queries, size_t num_blocks, size_t block)
{
  return (size_t)((double)num_queries / (double)num_blocks * (double)block + 0.5);
}

void dorm_policy_free(dorm_policy *policy)
{
  if (!policy)
    return;
  dorm__free(policy->prices);
  dorm__free(policy->boosts);
  dorm__free(policy->columns);
  dorm__free(policy->exposures);
  dorm__free(policy->theta);
  dorm__free(policy->mix_boosts);
  dorm__free(policy->mix_probabilities);
  dorm__free(policy);
}

const dorm_allocation *dorm_policy_result(const dorm_policy *policy)
{
  return policy ? &policy->result : NULL;
}

size_t dorm_policy_mixture(dorm_policy *policy, size_t query, const double *const **boosts,
                           const double **probabilities)
{
  size_t count = 0, block = 0;
  if (!policy || query >= policy->num_queries)
    return 0;
  while (query >= dorm__first_query(policy->num_queries, policy->num_blocks, block + 1))
    block++;
  for (size_t i = 0; i < policy->num_columns; i++) {
    if (policy->columns[i].block != block || policy->theta[i] < 1e-12)
      continue;
    policy->mix_boosts[count] = policy->boosts + policy->columns[i].pass * policy->num_groups;
    policy->mix_probabilities[count++] = policy->theta[i];
  }
  if (boosts)
    *boosts = policy->mix_boosts;
  if (probabilities)
    *probabilities = policy->mix_probabilities;
  return count;
}
