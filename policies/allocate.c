/*
 * allocate.c: the policy of largest worth under requirements on exposure, with a proof of how near it is.
 *
 *   maximise sum_i E[sum_j b[j] a[rank j]]   subject to   least_s <= E[exposure of group s] / exposure of all <= most_s
 *
 * over distributions of rankings of each query (Singh and Joachims 2018; over all queries together, Biega, Gummadi and
 * Weikum 2018). Column generation (Dantzig and Wolfe 1960): a master programme mixes the rankings found so far; its
 * prices of the requirements make document j worth b[j] + boost of its group, and since exposure has the weights a of
 * worth, the best ranking at these prices is a sort. Any prices give an upper bound, prices times limits plus the worth
 * of these sorts. Queries are joined in blocks: a column is what all queries of a block make of one vector of prices.
 * So a policy is a few price vectors with probabilities for each block, and memory does not depend on the documents.
 * Between the master's prices and the best ones so far, the middle is tried first (Wentges 1997).
 *
 * If requirements conflict, prices alone (b = 0) prove it: a bound on the negative violation that is below 0.
 */
#include "base/context.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/team.h"
#include "policies/master.h"
#include "policies/policies.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WHOLE_BLOCKS = 64, BLOCKS = 32 };

/* A requirement: share * sign <= limit. */
typedef struct requirement {
  size_t group;
  double sign, limit;
} requirement;

/* A column: a block at the prices of a pass. */
typedef struct block_column {
  size_t block, pass;
  double worth;
} block_column;

struct dorm_policy {
  dorm_allocation result;
  size_t num_groups, num_queries, num_blocks;
  double *prices, *shares, *free_shares; /* [num_groups], in one piece */
  size_t num_passes, boosts_capacity;
  double *boosts; /* [num_passes][num_groups] */
  size_t num_columns, columns_capacity, exposures_capacity;
  block_column *columns;
  double *exposures;         /* [num_columns][num_groups] shares of all exposure */
  double *theta;             /* [num_columns] */
  const double **mix_boosts; /* [num_passes]: of dorm_policy_mixture */
  double *mix_probabilities; /* [num_passes] */
};

/* The requirements, and what the last pass says of them; arrays [count]. */
typedef struct requirement_set {
  size_t count;
  requirement *rows;
  double *limit;
  double *master_prices, *tried_prices, *best_prices, *use; /* in one piece; use: of a column */
} requirement_set;

/* What a pass makes of each block; arrays [count] but for exposures [count][num_groups]. */
typedef struct block_set {
  size_t count;
  double *values, *worths, *prices; /* in one piece; with boosts, without, and in the master programme */
  double *exposures;
} block_set;

typedef struct allocation_search {
  dorm_context *context;
  const dorm_dataset *dataset;
  const double *gains;
  const dorm_allocation_options *options;
  dorm_policy *policy; /* under construction */
  size_t num_groups, num_threads;
  double *weights;       /* a [most documents of a query] */
  double total_exposure; /* of all documents */
  double gain_weight;    /* 1; 0 while a conflict is to be proved */
  double scale;          /* one unit of worth in the master programme */
  requirement_set required;
  block_set blocks;
  dorm__master *master;
  double value, bound; /* in units of `scale` */
} allocation_search;

static size_t first_query(size_t num_queries, size_t num_blocks, size_t block)
{
  return (size_t)((double)num_queries / (double)num_blocks * (double)block + 0.5);
}

/* ---- A pass --------------------------------------------------------------------------- */

/* Sorts the queries of a block by gain + boost; their value with boosts, worth without, and the shares of groups. */
static void visit_block(allocation_search *search, size_t block, const double *boosts, dorm__price_sorter *sorter)
{
  const dorm_dataset *dataset = search->dataset;
  const uint32_t *group_of = search->options->group_of;
  size_t num_groups = search->num_groups, num_queries = dataset->num_queries;
  double *exposures = search->blocks.exposures + block * num_groups, value = 0, worth = 0;
  memset(exposures, 0, num_groups * sizeof *exposures);
  for (size_t q = first_query(num_queries, search->blocks.count, block);
       q < first_query(num_queries, search->blocks.count, block + 1); q++) {
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
    dorm__price_sorter sorter = {0};
    bool has_room = dorm__price_sorter_alloc(max_docs, &sorter);
    is_short = !has_room;
#pragma omp for schedule(dynamic)
    for (size_t block = 0; block < search->blocks.count; block++)
      if (has_room)
        visit_block(search, block, boosts, &sorter);
    dorm__price_sorter_free(&sorter);
  }
  return is_short ? dorm__out_of_memory(search->context, "sorting") : DORM_OK;
}

/* Keeps the columns of the last pass that would make the mixture better, or all; *num_kept. */
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
    if (!dorm__grow((void **)&policy->columns, &policy->columns_capacity, policy->num_columns + 1,
                    sizeof *policy->columns) ||
        !dorm__grow((void **)&policy->exposures, &policy->exposures_capacity, (policy->num_columns + 1) * num_groups,
                    sizeof *policy->exposures))
      return dorm__out_of_memory(search->context, "rankings of a policy");
    policy->columns[policy->num_columns] = (block_column){block, policy->num_passes - 1, search->blocks.worths[block]};
    memcpy(policy->exposures + policy->num_columns++ * num_groups, exposures, num_groups * sizeof *exposures);
    ++*num_kept;
  }
  return DORM_OK;
}

/* Sorts all queries at these prices [num_requirements], and lowers the bound. */
static dorm_status try_prices(allocation_search *search, const double *prices)
{
  dorm_policy *policy = search->policy;
  if (!dorm__grow((void **)&policy->boosts, &policy->boosts_capacity, (policy->num_passes + 1) * search->num_groups,
                  sizeof *policy->boosts))
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

/* From the sorts without prices, which were just made, to the best mixture. */
static dorm_status generate_columns(allocation_search *search, double penalty, double gap)
{
  size_t num_kept = 0;
  bool tries_middle = true;
  dorm__master_free(search->master);
  search->policy->num_columns = 0;
  dorm_status status = dorm__master_new(search->context, search->blocks.count, search->required.count,
                                        search->required.limit, penalty, &search->master);
  if (status == DORM_OK)
    status = keep_columns(search, true, &num_kept);
  while (status == DORM_OK) {
    status = dorm__master_solve(search->context, search->master, &search->value, search->required.master_prices,
                                search->blocks.prices);
    if (status != DORM_OK || search->bound - search->value <= gap ||
        search->policy->num_passes >= search->options->max_passes || dorm__cancelled(search->context))
      break;
    for (size_t r = 0; r < search->required.count; r++)
      search->required.tried_prices[r] = tries_middle
                                             ? (search->required.best_prices[r] + search->required.master_prices[r]) / 2
                                             : search->required.master_prices[r];
    status = try_prices(search, search->required.tried_prices);
    if (status == DORM_OK)
      status = keep_columns(search, false, &num_kept);
    if (!num_kept && !tries_middle)
      break;
    tries_middle = num_kept > 0;
  }
  return status;
}

/* Appends "share(NAME) >= X" for each requirement with a price in the proof. */
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

/* Proves that the requirements conflict, if they do. */
static dorm_status check_conflict(allocation_search *search)
{
  search->gain_weight = 0;
  search->scale = 1;
  search->bound = INFINITY;
  memset(search->required.best_prices, 0, search->required.count * sizeof *search->required.best_prices);
  memset(search->required.tried_prices, 0, search->required.count * sizeof *search->required.tried_prices);
  search->policy->num_passes = 0;
  dorm_status status = try_prices(search, search->required.tried_prices);
  if (status == DORM_OK)
    status = generate_columns(search, 1, 1e-9);
  if (status != DORM_OK)
    return status;
  if (search->bound < -1e-9)
    return name_conflict(search);
  return dorm__fail(search->context, DORM_NUMERICAL_FAILURE,
                    "the requirements are met by %.3g of all exposure only, and no proof was found that they conflict",
                    -search->value);
}

static dorm_status finish_policy(allocation_search *search, double free_worth)
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
  result->free_worth = free_worth;
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
  search->weights = dorm__alloc(max_docs, sizeof *search->weights);
  search->required.rows = dorm__alloc(2 * groups, sizeof *search->required.rows);
  search->required.limit = dorm__alloc(2 * groups, sizeof *search->required.limit);
  search->blocks.values = dorm__alloc_zero(3 * blocks, sizeof *search->blocks.values);
  search->blocks.exposures = dorm__alloc(blocks, groups * sizeof *search->blocks.exposures);
  search->required.master_prices = dorm__alloc_zero(8 * groups, sizeof *search->required.master_prices);
  policy->prices = dorm__alloc_zero(3 * groups, sizeof *policy->prices);
  if (!search->weights || !search->required.rows || !search->required.limit || !search->blocks.values ||
      !search->blocks.exposures || !search->required.master_prices || !policy->prices)
    return dorm__out_of_memory(search->context, "a policy");
  search->blocks.worths = search->blocks.values + blocks;
  search->blocks.prices = search->blocks.worths + blocks;
  search->required.tried_prices = search->required.master_prices + 2 * groups;
  search->required.best_prices = search->required.tried_prices + 2 * groups;
  search->required.use = search->required.best_prices + 2 * groups;
  policy->result.prices = policy->prices;
  policy->result.shares = policy->shares = policy->prices + groups;
  policy->result.free_shares = policy->free_shares = policy->shares + groups;
  search->total_exposure = dorm__exposure_weights(dataset, search->options->top, search->weights);
  collect_requirements(search);
  return DORM_OK;
}

static void close_search(allocation_search *search)
{
  dorm__master_free(search->master);
  dorm__free(search->weights);
  dorm__free(search->required.rows);
  dorm__free(search->required.limit);
  dorm__free(search->blocks.values);
  dorm__free(search->blocks.exposures);
  dorm__free(search->required.master_prices);
}

static dorm_status find_policy(allocation_search *search)
{
  static const double penalty = 1e4; /* per unit of share, where the best rankings are worth 1 */
  dorm_policy *policy = search->policy;
  double free_worth = 0;
  dorm_status status = open_search(search);
  if (status == DORM_OK)
    status = try_prices(search, search->required.tried_prices);
  if (status != DORM_OK)
    return status;
  for (size_t block = 0; block < search->blocks.count; block++) {
    free_worth += search->blocks.worths[block];
    for (size_t g = 0; g < search->num_groups; g++)
      policy->free_shares[g] += search->blocks.exposures[block * search->num_groups + g];
  }
  search->scale = fabs(free_worth) > 0 ? fabs(free_worth) : 1;
  search->bound = free_worth / search->scale;
  status = generate_columns(search, penalty, search->options->gap);
  if (status == DORM_OK)
    status = finish_policy(search, free_worth);
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
  dorm_status status = dorm__struct_take(context, "options", DORM__STRUCT(dorm_allocation_options), options, &taken);
  if (status == DORM_OK)
    status = dorm__allocation_check(context, dataset, gains, &taken);
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
                              .scale = 1,
                              .bound = INFINITY};
  status = find_policy(&search);
  close_search(&search);
  if (status == DORM_OK)
    *policy = made;
  else
    dorm_policy_free(made);
  return status;
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
  while (query >= first_query(policy->num_queries, policy->num_blocks, block + 1))
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
