/* serve.c: ranks by gain + price, and measures how well the requirements hold on queries from which the prices were not
 * learned.
 *
 * On a sample of n queries let S_s = E_s / T be the share of group s. E_s is the group's exposure, and T the exposure
 * of all documents. Queries are independent draws. S_s is a ratio of sums, so its standard error is the error of the
 * sum of
 *
 *   r_q = (E_sq - S_s T_q) / T,    error^2 = n / (n - 1) sum_q r_q^2     (Cochran 1977, section 6.4)
 *
 * A requirement may follow from claims of the documents. It is then a fixed multiple of m_s = M_s / N, in which M_s are
 * the claims of group s, and N the claims of all documents. In this case r_q has a further term for the error of m_s:
 *
 *   - (S_s / m_s) (M_sq - m_s N_q) / N */
#include "base/status.h"
#include "policies/policies.h"

#include <math.h>
#include <string.h>

/* ---- Sorts by gain and price ------------------------------------------------------------ */

dorm__price_sorter dorm__price_sorter_in(dorm__region *memory, size_t max_docs)
{
  return (dorm__price_sorter){.sort = dorm__sort_scratch_in(memory, max_docs),
                              .order = dorm__region_take(memory, max_docs, sizeof(uint32_t)),
                              .key = dorm__region_take(memory, max_docs, sizeof(double)),
                              .sorted = dorm__region_take(memory, max_docs, sizeof(double))};
}

size_t dorm__sort_by_price(const dorm_dataset *dataset, size_t query, const dorm_allocation_options *options,
                           const double *gains, double factor, const double *prices, dorm__price_sorter *sorter)
{
  size_t begin = dataset->query_start[query], count = dataset->query_start[query + 1] - begin;
  size_t front = options->top && options->top < count ? options->top : count;
  for (size_t j = 0; j < count; j++) {
    uint32_t group = options->group_of[begin + j];
    sorter->key[j] = factor * gains[begin + j] + (group < options->num_groups ? prices[group] : 0);
  }
  dorm__sort_first(count, front, sorter->key, sorter->order, sorter->sorted, &sorter->sort);
  return front;
}

double dorm__exposure_weights(const dorm_dataset *dataset, size_t top, size_t stride, double *weights)
{
  size_t max_docs = dorm__dataset_max_docs(dataset);
  double total = 0;
  for (size_t p = 0; p < max_docs; p++)
    weights[p] = 1 / log2((double)p + 2);
  for (size_t q = 0; q < dataset->num_queries; q += stride) {
    size_t count = dataset->query_start[q + 1] - dataset->query_start[q];
    for (size_t p = 0; p < count && (!top || p < top); p++)
      total += weights[p];
  }
  return total;
}

enum { MOST_GROUPS = 1000 };

dorm_status dorm__allocation_check(dorm_context *context, const dorm_dataset *dataset, const double *gains,
                                   const dorm_allocation_options *options)
{
  if (options->num_groups < 1 || options->num_groups > MOST_GROUPS || !options->group_of)
    return dorm__fail(context, DORM_BAD_USAGE, "a policy needs group_of and 1 to %d groups, not %zu", MOST_GROUPS,
                      options->num_groups);
  for (size_t g = 0; g < options->num_groups; g++)
    for (int side = 0; side < 2; side++) {
      const double *shares = side ? options->most : options->least;
      if (shares && !isnan(shares[g]) && !(shares[g] >= 0 && shares[g] <= 1))
        return dorm__fail(context, DORM_BAD_USAGE, "%s share of group %zu is %g: shares lie between 0 and 1",
                          side ? "largest" : "least", g, shares[g]);
    }
  for (size_t j = 0; j < dataset->num_docs; j++)
    if (!isfinite(gains[j]))
      return dorm__fail(context, DORM_BAD_DATA, "gain %zu is %g, which is not a finite number", j, gains[j]);
  return dataset->num_docs ? DORM_OK : dorm__fail(context, DORM_BAD_DATA, "%s has no documents", dataset->name);
}

/* ---- A trial ------------------------------------------------------------------------------ */

/* Sums over one query or all queries: for each group [num_groups], and for all documents together. */
typedef struct exposure_sums {
  double *exposures, *claims;
  double exposure, claim;
} exposure_sums;

typedef struct trial_search {
  const dorm_dataset *dataset;
  const double *gains, *prices, *claims; /* claims: NULL if none */
  const dorm_allocation_options *options;
  const double *weights;
  dorm__price_sorter sorter;
  exposure_sums query, all;
  double value, worth; /* of the queries so far, with and without prices */
} trial_search;

static exposure_sums sums_in(dorm__region *memory, size_t num_groups)
{
  return (exposure_sums){.exposures = dorm__region_take_zero(memory, num_groups, sizeof(double)),
                         .claims = dorm__region_take_zero(memory, num_groups, sizeof(double))};
}

static void visit_query(trial_search *search, size_t query)
{
  const dorm_allocation_options *options = search->options;
  size_t begin = search->dataset->query_start[query], end = search->dataset->query_start[query + 1];
  size_t num_groups = options->num_groups;
  exposure_sums *sums = &search->query;
  memset(sums->exposures, 0, num_groups * sizeof *sums->exposures);
  memset(sums->claims, 0, num_groups * sizeof *sums->claims);
  sums->exposure = sums->claim = 0;
  size_t front =
      dorm__sort_by_price(search->dataset, query, options, search->gains, 1, search->prices, &search->sorter);
  for (size_t p = 0; p < front; p++) {
    size_t doc = search->sorter.order[p];
    uint32_t group = options->group_of[begin + doc];
    search->value += search->weights[p] * search->sorter.key[doc];
    search->worth += search->weights[p] * search->gains[begin + doc];
    sums->exposure += search->weights[p];
    if (group < num_groups)
      sums->exposures[group] += search->weights[p];
  }
  for (size_t j = begin; search->claims && j < end; j++) {
    sums->claim += search->claims[j];
    if (options->group_of[j] < num_groups)
      sums->claims[options->group_of[j]] += search->claims[j];
  }
}

static void add_query(exposure_sums *all, const exposure_sums *query, size_t num_groups)
{
  all->exposure += query->exposure;
  all->claim += query->claim;
  for (size_t g = 0; g < num_groups; g++) {
    all->exposures[g] += query->exposures[g];
    all->claims[g] += query->claims[g];
  }
}

/* Adds the squared residuals r_q of the query to squares [num_groups]. */
static void add_squares(const exposure_sums *all, const exposure_sums *query, size_t num_groups, double *squares)
{
  for (size_t g = 0; g < num_groups; g++) {
    double share = all->exposures[g] / all->exposure;
    double residual = (query->exposures[g] - share * query->exposure) / all->exposure;
    if (all->claims[g] > 0) {
      double claim = all->claims[g] / all->claim;
      residual -= share / claim * (query->claims[g] - claim * query->claim) / all->claim;
    }
    squares[g] += residual * residual;
  }
}

/* Returns an upper bound on the worth of all policies that meet the requirements, which the prices prove. A positive
 * price is the price of the least share of its group (0 if there is none), a negative one of the largest share (1 if
 * there is none). */
static double bound_of(const trial_search *search)
{
  const dorm_allocation_options *options = search->options;
  double bound = search->value;
  for (size_t g = 0; g < options->num_groups; g++) {
    const double *shares = search->prices[g] > 0 ? options->least : options->most;
    double share = shares && !isnan(shares[g]) ? shares[g] : search->prices[g] < 0;
    bound -= search->prices[g] * share * search->all.exposure;
  }
  return bound;
}

static void try_all(trial_search *search, dorm_price_trial *trial)
{
  size_t num_groups = search->options->num_groups, num_queries = search->dataset->num_queries;
  for (size_t q = 0; q < num_queries; q++) {
    visit_query(search, q);
    add_query(&search->all, &search->query, num_groups);
  }
  trial->worth = search->worth;
  trial->bound = bound_of(search);
  for (size_t g = 0; g < num_groups; g++) {
    trial->shares[g] = search->all.exposures[g] / search->all.exposure;
    trial->errors[g] = 0;
  }
  for (size_t q = 0; q < num_queries; q++) {
    visit_query(search, q);
    add_squares(&search->all, &search->query, num_groups, trial->errors);
  }
  double n = (double)num_queries;
  for (size_t g = 0; g < num_groups; g++)
    trial->errors[g] = num_queries > 1 ? sqrt(n / (n - 1) * trial->errors[g]) : INFINITY;
}

dorm_status dorm_try_prices(dorm_context *context, const dorm_dataset *dataset, const double *gains,
                            const dorm_allocation_options *options, const double *prices, const double *claims,
                            dorm_price_trial *trial)
{
  if (DORM__LACKS(context, DORM__GIVEN(dataset), DORM__GIVEN(gains), DORM__GIVEN(options), DORM__GIVEN(prices),
                  DORM__GIVEN(trial)))
    return DORM_BAD_USAGE;
  dorm_allocation_options taken;
  dorm_price_trial made;
  dorm_status status =
      DORM__ALL(dorm__struct_take(context, "options", DORM__STRUCT(dorm_allocation_options), options, &taken),
                dorm__struct_take(context, "trial", DORM__STRUCT(dorm_price_trial), trial, &made),
                dorm__allocation_check(context, dataset, gains, &taken));
  if (status == DORM_OK && (!made.shares || !made.errors))
    status = dorm__fail(context, DORM_BAD_USAGE, "a trial of prices needs room for shares and errors");
  for (size_t g = 0; status == DORM_OK && g < taken.num_groups; g++)
    if (!isfinite(prices[g]))
      status = dorm__fail(context, DORM_BAD_DATA, "price %zu is %g, which is not a finite number", g, prices[g]);
  for (size_t j = 0; status == DORM_OK && claims && j < dataset->num_docs; j++)
    if (!(claims[j] >= 0 && isfinite(claims[j])))
      status = dorm__fail(context, DORM_BAD_DATA, "claim %zu is %g, which is not a finite number of at least 0", j,
                          claims[j]);
  if (status != DORM_OK)
    return status;
  size_t max_docs = dorm__dataset_max_docs(dataset);
  DORM__AT_END(dorm__region_clear) dorm__region memory = {0};
  double *weights = dorm__region_take(&memory, max_docs, sizeof *weights);
  trial_search search = {.dataset = dataset,
                         .gains = gains,
                         .prices = prices,
                         .claims = claims,
                         .options = &taken,
                         .weights = weights,
                         .sorter = dorm__price_sorter_in(&memory, max_docs),
                         .query = sums_in(&memory, taken.num_groups),
                         .all = sums_in(&memory, taken.num_groups)};
  if (memory.is_short)
    return dorm__out_of_memory(context, "a trial of prices");
  dorm__exposure_weights(dataset, taken.top, 1, weights);
  try_all(&search, &made);
  trial->worth = made.worth;
  trial->bound = made.bound;
  return DORM_OK;
}

/* ---- Access to a policy ---------------------------------------------------------------------------- */

/* For each block a policy has a few vectors of boosts with probabilities. The queries of the block are sorted by gain +
 * boost. */

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
