/*
 * smoothed.c: functions of a document's expected position when noise is added to the scores. c are the position weights
 * of the feature map: the target's own a (power = 0), or (p + 2)^-power. Means are over M draws of noise.
 *
 *   dorm       the two-sided difference of direct loss minimisation, smoothed. For Gumbel noise ε = -log(-log u) let
 *                  r- be the ranking that maximises sum_j c[rank j] (g + σ ε)_j - a[rank j] b_j    (most violated),
 *                  r+ the one that maximises        sum_j c[rank j] (g + σ ε)_j + μ a[rank j] b_j  (the reference).
 *              λ_j = mean of c[rank of j in r+] - c[rank of j in r-];  h_j = variance of all 2 M values c[rank of j]
 *              divided by σ, unless σ = 0. If c = a, the rankings are sorts by g + σ ε - b and g + σ ε + μ b.
 *              The oracle's plan detects this, and otherwise uses another exact method. Since the draws are fixed, λ =
 *              -∂C/∂g of C = mean of the first maximum - the second, a difference of convex functions. C leaves out
 *              a constant per query. With `top` both rankings are the best that respect the groups of the documents in
 *              the first `top` positions (Le and Smola 2007, section 5.1).
 *   perturbed  the Fenchel-Young loss of Berthet et al. (2020), with normal Z:
 *                  C = mean of max over rankings of sum_j c[rank j] (g + σ Z)_j - sum_j y_j g_j
 *              where y_j is the mean of c[rank j] over all rankings that sort by label.
 *              λ = y - mean of c[rank in the order of g + σ Z], h = variance of these values / σ. C is convex, since
 *              the draws are fixed. A query of one label has no order to learn: its C, λ and h are 0. (The formula
 *              would pull its scores together, which teaches nothing about ranking and costs quality.)
 *
 * Each draw of a query is a slice of one pool of random numbers, at an offset drawn from seed, round, query and draw.
 * Costs O(M l log l), or O(M l) if c is truncated. With groups, the oracle decides the cost (assignment/groups/).
 */
#include "base/random.h"
#include "lambdas/kinds.h"
#include "lambdas/lambda.h"

#include <math.h>
#include <string.h>

enum { POOL_SIZE = 1 << 16 }; /* a power of two */

struct dorm__smoothed {
  dorm__region memory; /* of the arrays */
  size_t num_queries;
  const double **weights;     /* [num_queries] c, in the target or in `powers` */
  size_t *depths;             /* [num_queries] c is 0 from there on */
  double *powers;             /* [documents of the largest query] */
  dorm__oracle_plan **plans;  /* [num_queries], NULL for empty queries or without oracles */
  dorm__query_groups *groups; /* [num_queries] respected by the plans, or NULL */
  double *pool;               /* [POOL_SIZE] */
  uint64_t seed;
};

/* ---- Opening --------------------------------------------------------------------------- */

static void fill_pool(dorm__smoothed *smoothed, bool is_normal)
{
  dorm__random random;
  dorm__random_seed(&random, smoothed->seed);
  for (size_t i = 0; i < POOL_SIZE; i++) {
    double uniform = is_normal ? 0 : (dorm__random_uniform(&random) + 0x1p-54); /* never 0 */
    smoothed->pool[i] = is_normal ? dorm__random_normal(&random) : -log(-log(uniform));
  }
}

static dorm_status make_plan(dorm_context *context, const dorm__target_query *query, const double *c,
                             dorm__oracle_plan **plan)
{
  if (query->cost)
    return dorm__oracle_plan_new_general(context, DORM__ORACLE_AUTO, query->num_docs, query->cost, c, plan);
  return dorm__oracle_plan_new(context, DORM__ORACLE_AUTO, query->num_docs, query->a, query->b, c, plan);
}

/* Makes the plan of a query find rankings that respect its groups. */
static dorm_status add_groups(dorm_context *context, const dorm_dataset *dataset, size_t q,
                              const dorm__smoothed_options *options, dorm__smoothed *made)
{
  const dorm__doc_lists *lists = dataset->groups;
  const size_t *first = dataset->query_start + q;
  size_t num_docs = first[1] - first[0];
  size_t top = options->top < num_docs ? options->top : num_docs;
  dorm_status status = DORM__ALL(
      dorm__query_groups_make(context, num_docs,
                              &(const dorm__group_entries){lists->start + first[0], lists->numbers, lists->weights},
                              top, options->capacity, &made->groups[q]),
      dorm__oracle_plan_add_groups(context, made->plans[q], &made->groups[q].groups, DORM__GROUPS_AUTO,
                                   options->seconds, &top));
  return status == DORM_OK || status == DORM_OUT_OF_MEMORY
             ? status
             : dorm__fail_within(context, status, "%.200s: query %.80s", dataset->name,
                                 dorm_dataset_query_id(dataset, q));
}

/* Fails if the target lacks the position weights a or the tables that the function needs. */
static dorm_status check_form(dorm_context *context, const dorm__target *target, bool needs_a, bool needs_tables)
{
  dorm__target_form form = target->form;
  bool counts_once = target->sizes.lists > 0;
  bool has_tables = (form == DORM__TARGET_PRODUCT && !counts_once) || form == DORM__TARGET_COSTS;
  if (needs_tables && !has_tables)
    return dorm__fail(context, DORM_BAD_USAGE,
                      "this lambda-function needs a measure that is a sum over positions, such as ndcg@10, and %s is "
                      "none",
                      dorm__measure_spec(target->measure));
  if (needs_a && form != DORM__TARGET_PRODUCT)
    return dorm__fail(context, DORM_BAD_USAGE,
                      "%s has no weights of positions that scores could be multiplied by; set power, as in power=0.5",
                      dorm__measure_spec(target->measure));
  return DORM_OK;
}

dorm_status dorm__smoothed_new(dorm_context *context, const dorm__target *target, const dorm_dataset *dataset,
                               const dorm__smoothed_options *options, dorm__smoothed **smoothed)
{
  size_t max_docs = dorm__dataset_max_docs(dataset);
  bool is_a = options->power <= 0;
  *smoothed = NULL;
  dorm_status status = check_form(context, target, is_a, !options->draws_normal);
  if (status == DORM_OK && options->top && !dataset->groups)
    status = dorm__fail(context, DORM_BAD_USAGE, "top = %zu needs the groups of the documents of %s (diversity.groups)",
                        options->top, dataset->name);
  if (status != DORM_OK)
    return status;
  dorm__smoothed *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return dorm__out_of_memory(context, "a lambda-function");
  made->num_queries = dataset->num_queries;
  made->seed = options->seed;
  dorm__region *memory = &made->memory;
  made->weights = dorm__region_take_zero(memory, dataset->num_queries, sizeof *made->weights);
  made->depths = dorm__region_take_zero(memory, dataset->num_queries, sizeof *made->depths);
  made->plans = dorm__region_take_zero(memory, dataset->num_queries, sizeof *made->plans);
  made->powers = dorm__region_take(memory, max_docs, sizeof *made->powers);
  if (options->top)
    made->groups = dorm__region_take_zero(memory, dataset->num_queries, sizeof *made->groups);
  made->pool = dorm__region_take(memory, POOL_SIZE, sizeof *made->pool);
  if (memory->is_short) {
    dorm__smoothed_free(made);
    return dorm__out_of_memory(context, "a lambda-function");
  }
  fill_pool(made, options->draws_normal);
  for (size_t p = 0; p < max_docs; p++)
    made->powers[p] = pow((double)p + 2, -options->power);
  for (size_t q = 0; status == DORM_OK && q < dataset->num_queries; q++) {
    const dorm__target_query *query = &target->queries[q];
    made->weights[q] = is_a ? query->a : made->powers;
    made->depths[q] = is_a ? query->depth : query->num_docs;
    if (!options->draws_normal && query->num_docs)
      status = make_plan(context, query, made->weights[q], &made->plans[q]);
    if (status == DORM_OK && made->groups && made->plans[q])
      status = add_groups(context, dataset, q, options, made);
  }
  return DORM__GIVE(status, smoothed, made, dorm__smoothed_free);
}

void dorm__smoothed_free(dorm__smoothed *smoothed)
{
  if (!smoothed)
    return;
  for (size_t q = 0; smoothed->plans && q < smoothed->num_queries; q++)
    dorm__oracle_plan_free(smoothed->plans[q]);
  for (size_t q = 0; smoothed->groups && q < smoothed->num_queries; q++)
    dorm__query_groups_clear(&smoothed->groups[q]);
  dorm__region_clear(&smoothed->memory);
  dorm__free(smoothed);
}

/* ---- Draws ------------------------------------------------------------------------------- */

/* Fills the workspace's `keys` with g + σ noise. */
static void add_noise(const dorm__lambda_call *call, size_t draw)
{
  const dorm__smoothed *smoothed = call->lambda->smoothed;
  uint64_t query = dorm__queries_before(call->lambda->dataset) + call->query;
  const uint64_t parts[] = {smoothed->seed, call->workspace->round, query, draw};
  uint64_t place = 0;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    dorm__random random;
    dorm__random_seed(&random, place + parts[i]);
    place = dorm__random_bits(&random);
  }
  for (size_t j = 0; j < call->num_docs; j++)
    call->workspace->keys[j] = call->scores[j] + call->lambda->sigma * smoothed->pool[(place + j) & (POOL_SIZE - 1)];
}

/* Turns sums of squares (in curvature) and `sums`, both of `count` values per document, into their variance / σ. */
static void finish_curvature(const dorm__lambda_call *call, const double *sums, double count)
{
  double sigma = call->lambda->sigma;
  for (size_t j = 0; j < call->num_docs; j++) {
    double mean = sums[j] / count;
    call->curvature[j] = fmax(0, call->curvature[j] / count - mean * mean) / (sigma > 0 ? sigma : 1);
  }
}

/* ---- dorm ----------------------------------------------------------------------------------- */

/* Sets the message if an oracle found no ranking. */
static dorm_status explain(dorm_context *context, const dorm__lambda_call *call, dorm_status status)
{
  dorm_status failed;
  const char *failure = dorm__oracle_failure(call->workspace->oracle, &failed);
  return dorm__fail(context, status, "query '%.80s': %s", dorm_dataset_query_id(call->lambda->dataset, call->query),
                    *failure && status == failed ? failure : "the scores left the range of numbers");
}

/* Adds sign times the weights c of the best ranking for t to λ, and adds them to the sums. */
static dorm_status add_ranking(dorm_context *context, dorm__lambda_call *call, double t, double sign, double *sums)
{
  const dorm__smoothed *smoothed = call->lambda->smoothed;
  const double *c = smoothed->weights[call->query];
  uint32_t *order = call->workspace->order;
  double value = 0;
  dorm_status status = dorm__oracle_solve(smoothed->plans[call->query], call->workspace->oracle, call->workspace->keys,
                                          t, order, &value);
  if (status != DORM_OK)
    return explain(context, call, status);
  for (size_t p = 0; p < smoothed->depths[call->query]; p++) {
    call->lambdas[order[p]] += sign * c[p];
    call->curvature[order[p]] += c[p] * c[p];
    sums[order[p]] += c[p];
  }
  if (call->cost)
    *call->cost -= sign * value;
  return DORM_OK;
}

static dorm_status fill_dorm(dorm_context *context, dorm__lambda_call *call)
{
  size_t num_draws = (size_t)dorm__lambda_number(call->lambda, "draws");
  double mu = dorm__lambda_number(call->lambda, "mu");
  double *sums = call->workspace->sorted;
  dorm_status status = DORM_OK;
  memset(sums, 0, call->num_docs * sizeof *sums);
  for (size_t draw = 0; status == DORM_OK && draw < num_draws; draw++) {
    add_noise(call, draw);
    status = DORM__ALL(add_ranking(context, call, 1, -1, sums), add_ranking(context, call, -mu, 1, sums));
  }
  if (status != DORM_OK)
    return status;
  finish_curvature(call, sums, 2 * (double)num_draws);
  for (size_t j = 0; j < call->num_docs; j++)
    call->lambdas[j] /= (double)num_draws;
  if (call->cost)
    *call->cost /= (double)num_draws;
  call->num_pairs = dorm__lambda_count_moved(call);
  return DORM_OK;
}

/* ---- perturbed ------------------------------------------------------------------------------- */

/* Adds y to λ. y of a level is the mean of c over its positions in a ranking by label. */
static void add_wanted(dorm__lambda_call *call, const double *c)
{
  const uint32_t *order = call->workspace->order;
  dorm__lambda_order_by_label(call);
  for (size_t begin = 0, end = 0; begin < call->num_docs; begin = end) {
    double sum = 0;
    while (end < call->num_docs && call->labels[order[end]] == call->labels[order[begin]])
      sum += c[end++];
    for (size_t p = begin; p < end; p++)
      call->lambdas[order[p]] = sum / (double)(end - begin);
  }
}

static bool has_one_label(const dorm__lambda_call *call)
{
  for (size_t j = 1; j < call->num_docs; j++)
    if (call->labels[j] != call->labels[0])
      return false;
  return true;
}

static dorm_status fill_perturbed(dorm_context *context, dorm__lambda_call *call)
{
  (void)context;
  if (has_one_label(call))
    return DORM_OK;
  const double *c = call->lambda->smoothed->weights[call->query];
  size_t depth = call->lambda->smoothed->depths[call->query];
  size_t num_draws = (size_t)dorm__lambda_number(call->lambda, "draws");
  dorm__lambda_workspace *workspace = call->workspace;
  const uint32_t *order = workspace->order;
  double *sums = workspace->pairs.lambdas;
  double maxima = 0;
  memset(sums, 0, call->num_docs * sizeof *sums);
  for (size_t draw = 0; draw < num_draws; draw++) {
    add_noise(call, draw);
    dorm__sort_first(call->num_docs, depth, workspace->keys, workspace->order, workspace->sorted, &workspace->sort);
    for (size_t p = 0; p < depth; p++) {
      sums[order[p]] += c[p];
      call->curvature[order[p]] += c[p] * c[p];
      maxima += c[p] * workspace->keys[order[p]];
    }
  }
  add_wanted(call, c);
  finish_curvature(call, sums, (double)num_draws);
  for (size_t j = 0; j < call->num_docs; j++) {
    if (call->cost)
      *call->cost -= call->lambdas[j] * call->scores[j];
    call->lambdas[j] -= sums[j] / (double)num_draws;
  }
  if (call->cost)
    *call->cost += maxima / (double)num_draws;
  call->num_pairs = dorm__lambda_count_moved(call);
  return DORM_OK;
}

/* ---- The functions ---------------------------------------------------------------------------- */

#define ROW_DRAWS(default_text)                                                                                        \
  {                                                                                                                    \
    "draws", default_text, NULL, 1, 100000, 1, "draws of noise that are averaged"                                      \
  }
#define ROW_POWER                                                                                                      \
  {                                                                                                                    \
    "power", "0", NULL, 0, 10, 0, "position weights c[p] = (p + 2)^-power; 0: as in the measure"                       \
  }
#define ROW_SEED                                                                                                       \
  {                                                                                                                    \
    "seed", "1", NULL, 0, 1e15, 1, "seed of the noise"                                                                 \
  }

static const dorm_loss_parameter dorm_rows[] = {
    {"sigma", "0.3", NULL, 0, 1e9, 0, "scale of the noise"},
    {"mu", "3", NULL, 0, 1e9, 0, "how strongly the reference ranking is drawn to the labels"},
    ROW_DRAWS("4"),
    ROW_POWER,
    ROW_SEED,
    DORM__ROW_ALPHA,
    {"top", "0", NULL, 0, 1e9, 1,
     "first positions in which documents of a group may not crowd; 0: groups do not count"},
    {"capacity", "1", NULL, 1e-9, 1e9, 0, "largest total weight of a group's documents there"},
    {"seconds", "10", NULL, 0, 1e9, 0, "limit of one mixed-integer programme, where groups overlap; 0: none"}};
static const dorm_loss_parameter perturbed_rows[] = {
    {"sigma", "1", NULL, 1e-9, 1e9, 0, "scale of the noise"}, ROW_DRAWS("40"), ROW_POWER, ROW_SEED, DORM__ROW_ALPHA};

const dorm__lambda_kind dorm__lambda_dorm = {
    .info =
        {"dorm",
         "mean over draws of c[position in the best ranking for g + sigma noise and + mu b] - c[position in the one "
         "for - b]",
         "two-sided difference of direct loss minimisation, smoothed; Le and Smola 2007, with Chapelle et al. 2008", 1,
         1, 1, sizeof dorm_rows / sizeof *dorm_rows, dorm_rows},
    .has_draws = true,
    .fill = fill_dorm,
};

const dorm__lambda_kind dorm__lambda_perturbed = {
    .info = {"perturbed",
             "mean of c over rankings by label - mean over draws of c[rank in the order of g + sigma noise]",
             "Fenchel-Young loss with perturbations (Berthet et al. 2020)", 1, 1, 1,
             sizeof perturbed_rows / sizeof *perturbed_rows, perturbed_rows},
    .has_draws = true,
    .draws_normal = true,
    .takes_structured = true, /* if power gives c, no table of the loss is needed */
    .fill = fill_perturbed,
};
