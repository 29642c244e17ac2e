/* allocate.c: finds the policy with the largest worth under requirements on exposure, with a proven gap.
 *
 *   maximise sum_i E[sum_j b[j] a[rank j]]   subject to   least_s <= E[exposure of group s] / exposure of all <= most_s
 *
 * over distributions of rankings of each query (Singh and Joachims 2018). The requirements hold for the exposure in all
 * queries together (Biega, Gummadi and Weikum 2018). The method is column generation (Dantzig and Wolfe 1960). A master
 * programme mixes the rankings found so far. The dual prices of its requirements give each group a boost, and document
 * j is then worth b[j] + the boost of its group. Exposure and worth have the same position weights a, so a sort by this
 * sum gives the best ranking at these prices. Any prices give an upper bound on the worth of all policies: prices times
 * limits, plus the value of these rankings with boosts.
 *
 * Queries are joined in blocks. A column is the outcome of all queries of a block at one price vector. So a policy
 * consists of a few price vectors with probabilities for each block, and its memory does not depend on the number of
 * documents. Prices between the master's and the best ones so far are tried first (Wentges 1997).
 *
 * Passes over few queries save passes over many, because the best prices for every eighth query are near the best ones
 * for all. So the search on more queries keeps the master's prices in a box around the best prices so far (Marsten,
 * Hogan and Blankenship 1975). The box grows if the gap is closed with prices in the box, but not without the box.
 *
 * To prove that requirements conflict, the search sets b = 0 and maximises minus the sum of all violations. If an upper
 * bound on this is below 0, no policy meets all requirements. */
#include "base/status.h"
#include "base/team.h"
#include "policies/master.h"
#include "policies/policies.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WHOLE_BLOCKS = 64, BLOCKS = 32, SAMPLE_STEP = 8, FEWEST_SAMPLED = 1000 };

/* A requirement on the share of a group: sign * share <= limit. sign is -1 for a least share, 1 for a largest one. */
typedef struct requirement {
  size_t group;
  double sign, limit;
} requirement;

/* The requirements and their prices. All arrays have [count] entries in use. try_next fills tried_prices, and
 * best_prices are those with the lowest bound so far. */
typedef struct requirement_set {
  size_t count;
  requirement *rows;
  double *limit;
  double *master_prices, *tried_prices, *best_prices, *use; /* use: sign * share of one column in each requirement */
  double *lower, *upper;                                    /* the box of the master's prices */
} requirement_set;

/* The blocks in a pass. All arrays are [count] except exposures [count][num_groups]. */
typedef struct block_set {
  size_t count;
  double *values, *worths, *prices; /* with boosts; without; dual prices in the master programme */
  double *exposures;
} block_set;

typedef struct allocation_search {
  dorm__region memory; /* of the arrays */
  dorm_context *context;
  const dorm_dataset *dataset;
  const double *gains;
  const dorm_allocation_options *options;
  dorm_policy *policy; /* under construction */
  size_t num_groups, num_threads;
  double *weights;       /* [most documents of a query] the weights a of positions */
  size_t stride;         /* the search uses every stride-th query */
  double total_exposure; /* of all documents of these queries */
  double gain_weight;    /* 1, or 0 to prove a conflict */
  double penalty; /* upper limit on prices: what the master programme pays for a share that misses a requirement by 1 */
  double scale;   /* unit of worth in the master programme */
  requirement_set required;
  block_set blocks;
  dorm__master *master;
  double value, bound; /* of the mixture and of all policies, in units of `scale` */
} allocation_search;

/* ---- A pass --------------------------------------------------------------------------- */

/* Sorts the queries of a block by gain + boost. Fills the entries of the block in search->blocks: the value with
 * boosts, the worth without boosts, and the shares of the groups. */
static void visit_block(allocation_search *search, size_t block, const double *boosts, dorm__price_sorter *sorter)
{
  const dorm_dataset *dataset = search->dataset;
  const uint32_t *group_of = search->options->group_of;
  size_t num_groups = search->num_groups, num_queries = dataset->num_queries;
  double *exposures = search->blocks.exposures + block * num_groups, value = 0, worth = 0;
  memset(exposures, 0, num_groups * sizeof *exposures);
  size_t first = dorm__first_query(num_queries, search->blocks.count, block), stride = search->stride;
  for (size_t q = (first + stride - 1) / stride * stride;
       q < dorm__first_query(num_queries, search->blocks.count, block + 1); q += stride) {
    size_t begin = dataset->query_start[q];
    size_t front = dorm__sort_by_price(dataset, q, search->options, search->gains, search->gain_weight, boosts, sorter);
    for (size_t p = 0; p < front; p++) {
      size_t doc = sorter->order[p];
      uint32_t group = group_of[begin + doc];
      value += search->weights[p] * sorter->key[doc];
      worth += search->weights[p] * search->gain_weight * search->gains[begin + doc];
      if (group < num_groups)
        exposures[group] += search->weights[p];
    }
  }
  search->blocks.values[block] = value;
  search->blocks.worths[block] = worth;
  for (size_t g = 0; g < num_groups; g++)
    exposures[g] /= search->total_exposure;
}

static dorm_status visit_all(allocation_search *search, const double *boosts)
{
  size_t max_docs = dorm__dataset_max_docs(search->dataset);
  bool is_short = false;
#pragma omp parallel num_threads((int)search->num_threads) reduction(|| : is_short)
  {
    dorm__region memory = {0};
    dorm__price_sorter sorter = dorm__price_sorter_in(&memory, max_docs);
    is_short = memory.is_short;
#pragma omp for schedule(dynamic)
    for (size_t block = 0; block < search->blocks.count; block++)
      if (!memory.is_short)
        visit_block(search, block, boosts, &sorter);
    dorm__region_clear(&memory);
  }
  return is_short ? dorm__out_of_memory(search->context, "sorting") : DORM_OK;
}

/* Adds the columns of the last pass to the master programme and to the policy: all with keeps_all, otherwise those that
 * would improve the mixture. *num_kept becomes their number. */
static dorm_status keep_columns(allocation_search *search, bool keeps_all, size_t *num_kept)
{
  dorm_policy *policy = search->policy;
  size_t num_groups = search->num_groups;
  *num_kept = 0;
  for (size_t block = 0; block < search->blocks.count; block++) {
    const double *exposures = search->blocks.exposures + block * num_groups;
    double gain = search->blocks.worths[block] / search->scale;
    double excess = gain - search->blocks.prices[block];
    for (size_t r = 0; r < search->required.count; r++) {
      search->required.use[r] = search->required.rows[r].sign * exposures[search->required.rows[r].group];
      excess -= search->required.master_prices[r] * search->required.use[r];
    }
    if (!keeps_all && excess <= 1e-11)
      continue;
    dorm_status status = dorm__master_add(search->context, search->master, block, gain, search->required.use);
    if (status != DORM_OK)
      return status;
    if (!DORM__GROW(policy->columns, policy->columns_capacity, policy->num_columns + 1) ||
        !DORM__GROW(policy->exposures, policy->exposures_capacity, (policy->num_columns + 1) * num_groups))
      return dorm__out_of_memory(search->context, "rankings of a policy");
    policy->columns[policy->num_columns] =
        (dorm__block_column){block, policy->num_passes - 1, search->blocks.worths[block]};
    memcpy(policy->exposures + policy->num_columns++ * num_groups, exposures, num_groups * sizeof *exposures);
    ++*num_kept;
  }
  return DORM_OK;
}

/* Makes a pass: sorts the queries at prices [number of requirements]. If the prices give a lower bound than the best
 * ones so far, they become the best ones. */
static dorm_status try_prices(allocation_search *search, const double *prices)
{
  dorm_policy *policy = search->policy;
  if (!DORM__GROW(policy->boosts, policy->boosts_capacity, (policy->num_passes + 1) * search->num_groups))
    return dorm__out_of_memory(search->context, "prices");
  double *boosts = policy->boosts + policy->num_passes++ * search->num_groups;
  memset(boosts, 0, search->num_groups * sizeof *boosts);
  double bound = 0;
  for (size_t r = 0; r < search->required.count; r++) {
    boosts[search->required.rows[r].group] -=
        search->required.rows[r].sign * prices[r] * search->scale / search->total_exposure;
    bound += prices[r] * search->required.limit[r];
  }
  dorm_status status = visit_all(search, boosts);
  if (status != DORM_OK)
    return status;
  for (size_t block = 0; block < search->blocks.count; block++)
    bound += search->blocks.values[block] / search->scale;
  if (bound < search->bound) {
    search->bound = bound;
    memcpy(search->required.best_prices, prices, search->required.count * sizeof *prices);
    memcpy(policy->prices, boosts, search->num_groups * sizeof *boosts);
  }
  return DORM_OK;
}

/* Solves the master programme with prices within `radius` of the best ones. */
static dorm_status solve_near(allocation_search *search, double radius)
{
  requirement_set *required = &search->required;
  for (size_t r = 0; r < required->count; r++) {
    required->lower[r] = fmax(required->best_prices[r] - radius, 0);
    required->upper[r] = fmin(required->best_prices[r] + radius, search->penalty);
  }
  return dorm__master_solve(search->context, search->master, required->lower, required->upper, &search->value,
                            required->master_prices, search->blocks.prices);
}

static bool is_over(const allocation_search *search, double gap)
{
  return search->bound - search->value <= gap || search->policy->num_passes >= search->options->max_passes ||
         dorm__cancelled(search->context);
}

/* Solves the master programme in the box of *radius around the best prices. If this closes the gap, solves it without
 * the box. If the gap is then open again, enlarges *radius and solves it in the larger box. */
static dorm_status solve_master(allocation_search *search, double gap, double *radius)
{
  static const double growth = 4;
  dorm_status status = solve_near(search, *radius);
  while (status == DORM_OK && isfinite(*radius) && is_over(search, gap)) {
    status = solve_near(search, INFINITY);
    if (status != DORM_OK || is_over(search, gap))
      return status;
    *radius = growth * *radius < search->penalty ? growth * *radius : INFINITY;
    status = solve_near(search, *radius);
  }
  return status;
}

/* Tries prices on the way from the best ones (step = 0) to the master's (step = 1), and keeps the columns that help. */
static dorm_status try_next(allocation_search *search, double step, size_t *num_kept)
{
  requirement_set *required = &search->required;
  for (size_t r = 0; r < required->count; r++)
    required->tried_prices[r] =
        required->best_prices[r] + step * (required->master_prices[r] - required->best_prices[r]);
  return DORM__ALL(try_prices(search, required->tried_prices), keep_columns(search, false, num_kept));
}

/* Adds columns to the master programme until its mixture is optimal. */
static dorm_status generate_columns(allocation_search *search, double gap, double radius)
{
  static const double step = 0.3;
  bool tries_between = true;
  size_t num_kept = 1;
  dorm_status status = solve_master(search, gap, &radius);
  while (status == DORM_OK && !is_over(search, gap)) {
    status = try_next(search, tries_between ? step : 1, &num_kept);
    if (status != DORM_OK || (!num_kept && !tries_between && !isfinite(radius)))
      return status;
    if (!num_kept && !tries_between) /* no column improves the mixture at prices in the box */
      radius = INFINITY;
    tries_between = num_kept > 0;
    status = solve_master(search, gap, &radius);
  }
  return status;
}

/* Begins a new master programme on every stride-th query. Its first columns are the rankings by gain alone. */
static dorm_status sort_freely(allocation_search *search, size_t stride)
{
  dorm_policy *policy = search->policy;
  requirement_set *required = &search->required;
  size_t num_kept;
  search->stride = stride;
  search->total_exposure = dorm__exposure_weights(search->dataset, search->options->top, stride, search->weights);
  search->scale = 1;
  search->bound = INFINITY;
  policy->num_passes = policy->num_columns = 0;
  policy->result.free_worth = 0;
  memset(policy->free_shares, 0, search->num_groups * sizeof *policy->free_shares);
  memset(required->tried_prices, 0, required->count * sizeof *required->tried_prices);
  dorm__master_free(search->master);
  dorm_status status = DORM__ALL(
      dorm__master_new(search->context, search->blocks.count, required->count, required->limit, &search->master),
      try_prices(search, required->tried_prices));
  if (status != DORM_OK)
    return status;
  for (size_t block = 0; block < search->blocks.count; block++) {
    policy->result.free_worth += search->blocks.worths[block];
    for (size_t g = 0; g < search->num_groups; g++)
      policy->free_shares[g] += search->blocks.exposures[block * search->num_groups + g];
  }
  if (fabs(policy->result.free_worth) > 0)
    search->scale = fabs(policy->result.free_worth);
  search->bound /= search->scale;
  return keep_columns(search, true, &num_kept);
}

/* Finds the best mixture for every stride-th query. Begins with prices at most *radius (INFINITY: no limit) from the
 * best ones so far. *radius becomes an estimate of how far the best prices move when there are more queries. */
static dorm_status search_sample(allocation_search *search, size_t stride, double gap, double *radius)
{
  static const double sampling_error = 0.03;
  requirement_set *required = &search->required;
  size_t bytes = required->count * sizeof *required->use, num_kept;
  DORM__FREED double *start = dorm__alloc(required->count, sizeof *start);
  if (!start)
    return dorm__out_of_memory(search->context, "prices");
  memcpy(start, required->best_prices, bytes);
  dorm_status status = sort_freely(search, stride);
  if (status == DORM_OK && isfinite(*radius))
    status = DORM__ALL(try_prices(search, start), keep_columns(search, true, &num_kept));
  if (status == DORM_OK)
    status = generate_columns(search, gap, *radius);
  double largest = 0;
  for (size_t r = 0; r < required->count; r++)
    largest = fmax(largest, required->best_prices[r]);
  *radius = largest > 0 && largest < search->penalty / 10 ? sampling_error * largest : INFINITY;
  return status;
}

/* Fails with a message that lists "share(NAME) >= X" for each requirement with a price in the proof of the conflict. */
static dorm_status name_conflict(const allocation_search *search)
{
  char text[1000] = "";
  double largest = 0;
  for (size_t r = 0; r < search->required.count; r++)
    largest = fmax(largest, search->required.best_prices[r]);
  for (size_t r = 0; r < search->required.count; r++) {
    const requirement *row = &search->required.rows[r];
    size_t end = strlen(text);
    if (search->required.best_prices[r] < 1e-6 * largest || end > sizeof text - 150)
      continue;
    char number[32];
    snprintf(number, sizeof number, "%zu", row->group);
    snprintf(text + end, sizeof text - end, "%sshare(%.80s) %s %.6g", end ? ", " : "",
             search->options->names ? search->options->names[row->group] : number,
             row->sign < 0 ? ">=" : "<=", row->sign * row->limit);
  }
  return dorm__fail(search->context, DORM_BAD_DATA,
                    "no policy meets these requirements together: %s; at least %.4g of all exposure is missing", text,
                    -search->bound);
}

/* Tries to prove that the requirements conflict. Fails unless it is cancelled: with DORM_BAD_DATA if it has found a
 * proof, else with DORM_NUMERICAL_FAILURE. */
static dorm_status check_conflict(allocation_search *search)
{
  double radius = INFINITY;
  search->gain_weight = 0;
  search->penalty = 1;
  dorm_status status = search_sample(search, 1, 1e-9, &radius);
  if (status != DORM_OK || dorm__cancelled(search->context))
    return status;
  if (search->bound < -1e-9)
    return name_conflict(search);
  return dorm__fail(search->context, DORM_NUMERICAL_FAILURE,
                    "the requirements are met by %.3g of all exposure only, and no proof was found that they conflict",
                    -search->value);
}

static dorm_status finish_policy(allocation_search *search)
{
  dorm_policy *policy = search->policy;
  dorm_allocation *result = &policy->result;
  policy->theta = dorm__alloc(policy->num_columns, sizeof *policy->theta);
  policy->mix_boosts = dorm__alloc(policy->num_passes, sizeof *policy->mix_boosts);
  policy->mix_probabilities = dorm__alloc(policy->num_passes, sizeof *policy->mix_probabilities);
  if (!policy->theta || !policy->mix_boosts || !policy->mix_probabilities)
    return dorm__out_of_memory(search->context, "a policy");
  dorm__master_mixture(search->master, policy->theta);
  for (size_t i = 0; i < policy->num_columns; i++) {
    result->worth += policy->theta[i] * policy->columns[i].worth;
    for (size_t g = 0; g < policy->num_groups; g++)
      policy->shares[g] += policy->theta[i] * policy->exposures[i * policy->num_groups + g];
  }
  for (size_t r = 0; r < search->required.count; r++)
    result->violation =
        fmax(result->violation, search->required.rows[r].sign * policy->shares[search->required.rows[r].group] -
                                    search->required.limit[r]);
  result->bound = fmax(search->bound * search->scale, result->worth);
  result->gap = (result->bound - result->worth) / search->scale;
  result->num_passes = policy->num_passes;
  return DORM_OK;
}

static void collect_requirements(allocation_search *search)
{
  const dorm_allocation_options *options = search->options;
  for (size_t g = 0; g < search->num_groups; g++) {
    if (options->least && options->least[g] > 0)
      search->required.rows[search->required.count++] = (requirement){g, -1, -options->least[g]};
    if (options->most && options->most[g] < 1)
      search->required.rows[search->required.count++] = (requirement){g, 1, options->most[g]};
  }
  for (size_t r = 0; r < search->required.count; r++)
    search->required.limit[r] = search->required.rows[r].limit;
}

static dorm_status open_search(allocation_search *search)
{
  const dorm_dataset *dataset = search->dataset;
  dorm_policy *policy = search->policy;
  size_t max_docs = dorm__dataset_max_docs(dataset), groups = search->num_groups, blocks = search->blocks.count;
  dorm__region *memory = &search->memory;
  search->weights = dorm__region_take(memory, max_docs, sizeof *search->weights);
  search->required.rows = dorm__region_take(memory, 2 * groups, sizeof *search->required.rows);
  double **const by_requirement[] = {&search->required.limit,        &search->required.master_prices,
                                     &search->required.tried_prices, &search->required.best_prices,
                                     &search->required.use,          &search->required.lower,
                                     &search->required.upper};
  for (size_t i = 0; i < sizeof by_requirement / sizeof *by_requirement; i++)
    *by_requirement[i] = dorm__region_take_zero(memory, 2 * groups, sizeof **by_requirement[i]);
  search->blocks.values = dorm__region_take_zero(memory, blocks, sizeof *search->blocks.values);
  search->blocks.worths = dorm__region_take_zero(memory, blocks, sizeof *search->blocks.worths);
  search->blocks.prices = dorm__region_take_zero(memory, blocks, sizeof *search->blocks.prices);
  search->blocks.exposures = dorm__region_take(memory, blocks, groups * sizeof *search->blocks.exposures);
  policy->prices = dorm__alloc_zero(3 * groups, sizeof *policy->prices);
  if (memory->is_short || !policy->prices)
    return dorm__out_of_memory(search->context, "a policy");
  policy->result.prices = policy->prices;
  policy->result.shares = policy->shares = policy->prices + groups;
  policy->result.free_shares = policy->free_shares = policy->shares + groups;
  collect_requirements(search);
  return DORM_OK;
}

static void close_search(allocation_search *search)
{
  dorm__master_free(search->master);
  dorm__region_clear(&search->memory);
}

static dorm_status find_policy(allocation_search *search)
{
  static const double sample_gap = 3e-4;
  dorm_policy *policy = search->policy;
  double radius = INFINITY;
  size_t stride = 1;
  while (policy->num_queries / stride >= SAMPLE_STEP * FEWEST_SAMPLED)
    stride *= SAMPLE_STEP;
  dorm_status status = open_search(search);
  for (; status == DORM_OK && stride > 1; stride /= SAMPLE_STEP)
    status = search_sample(search, stride, fmax(search->options->gap, sample_gap), &radius);
  if (status == DORM_OK)
    status = DORM__ALL(search_sample(search, 1, search->options->gap, &radius), finish_policy(search));
  bool is_cut_short = dorm__cancelled(search->context) || policy->num_passes >= search->options->max_passes;
  if (status == DORM_OK && policy->result.violation > 1e-8 && !is_cut_short)
    status = check_conflict(search);
  return status;
}

dorm_status dorm_allocate(dorm_context *context, const dorm_dataset *dataset, const double *gains,
                          const dorm_allocation_options *options, dorm_policy **policy)
{
  if (DORM__LACKS(context, DORM__GIVEN(dataset), DORM__GIVEN(gains), DORM__GIVEN(options), DORM__GIVEN(policy)))
    return DORM_BAD_USAGE;
  dorm_allocation_options taken;
  *policy = NULL;
  dorm_status status =
      DORM__ALL(dorm__struct_take(context, "options", DORM__STRUCT(dorm_allocation_options), options, &taken),
                dorm__allocation_check(context, dataset, gains, &taken));
  if (status != DORM_OK)
    return status;
  taken.max_passes = taken.max_passes ? taken.max_passes : 1000;
  taken.gap = taken.gap > 0 ? taken.gap : 1e-6;
  dorm_policy *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return dorm__out_of_memory(context, "a policy");
  made->num_groups = made->result.num_groups = taken.num_groups;
  made->num_queries = dataset->num_queries;
  made->num_blocks = dataset->num_queries <= WHOLE_BLOCKS ? dataset->num_queries : BLOCKS;
  allocation_search search = {.context = context,
                              .dataset = dataset,
                              .gains = gains,
                              .options = &taken,
                              .policy = made,
                              .num_groups = taken.num_groups,
                              .blocks.count = made->num_blocks,
                              .num_threads = dorm__threads_for(taken.num_threads),
                              .gain_weight = 1,
                              .penalty = 1e4};
  status = find_policy(&search);
  close_search(&search);
  return DORM__GIVE(status, policy, made, dorm_policy_free);
}
