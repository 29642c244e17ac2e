/*
 * working_set.c: the dual variables of all column sets, v = centre + sum alpha psi with psi = Phi(reference) -
 * Phi(ranking), and w, which is v moved into the bounds on the weights (w = v where there are none). The alpha of the
 * columns of query i add up to C weight_i at most.
 *
 * With bounds B and the centre c the dual is D(alpha) = sum alpha Delta + min over w in B of 1/2 |w - c|^2 - <w, v -
 * c>. Since the term to minimise is 1/2 |w - v|^2 + 1/2 |c|^2 - 1/2 |v|^2, its minimum is at w = the projection of v
 * onto B. The gradient of D is the vector of the margins at that w: only v's start and the regulariser know the centre.
 */
#include "solver/working_set.h"
#include "base/linalg.h"
#include "base/processes.h"
#include "solver/problem.h"
#include "solver/vector.h"

#include <math.h>
#include <string.h>

/* ---- Making and freeing -------------------------------------------------------- */

/* The column sets of shard s. Where the data are dealt, a shard of the data has a shard of the sets; else the sets are
 * cut into equal shares, as OpenMP's static schedule deals the queries to the threads of a loop, so that a thread finds
 * its columns in its own cache. */
static void set_range(const dorm__working_set *set, size_t s, size_t *first, size_t *end)
{
  const dorm__problem *problem = set->problem;
  bool is_dealt = problem->blocks.is_dealt && !set->is_one_slack;
  *first = is_dealt ? problem->blocks.start[s] : s * set->num_sets / set->num_shards;
  *end = is_dealt ? problem->blocks.start[s + 1] : (s + 1) * set->num_sets / set->num_shards;
}

static bool make_moves(dorm__working_set *set)
{
  const dorm__problem *problem = set->problem;
  bool is_dealt = problem->blocks.is_dealt && !set->is_one_slack;
  size_t num_features = dorm__problem_width(problem);
  dorm__moves *moves = &set->moves;
  moves->count = is_dealt ? problem->blocks.all : set->num_shards;
  moves->first = is_dealt ? problem->blocks.first : 0;
  moves->stride = num_features + DORM__NUM_SCALARS;
  moves->own = dorm__alloc_zero(set->num_shards, moves->stride * sizeof *moves->own);
  moves->all = moves->own;
  if (is_dealt && dorm__processes_size(problem->context) > 1)
    moves->all = dorm__alloc_zero(moves->count, moves->stride * sizeof *moves->all);
  moves->theta = dorm__alloc_zero(moves->count, sizeof *moves->theta);
  moves->slope = dorm__alloc_zero(moves->count, sizeof *moves->slope);
  moves->sum = dorm__alloc_zero(num_features, sizeof *moves->sum);
  if (is_dealt)
    moves->gram = dorm__alloc_zero(moves->count, moves->count * sizeof *moves->gram);
  return moves->own && moves->all && moves->theta && moves->slope && moves->sum && (moves->gram || !is_dealt);
}

static bool make_shards(dorm__working_set *set)
{
  const dorm__problem *problem = set->problem;
  size_t num_features = dorm__problem_width(problem);
  size_t num_threads = problem->workers.count;
  set->num_shards = set->num_sets < num_threads ? set->num_sets : num_threads;
  if (problem->blocks.is_dealt && !set->is_one_slack)
    set->num_shards = problem->blocks.count;
  set->num_threads = set->num_shards < num_threads ? set->num_shards : num_threads;
  set->num_threads = set->num_threads ? set->num_threads : 1;
  set->shards = dorm__alloc_zero(set->num_shards, sizeof *set->shards);
  if (!set->shards || !make_moves(set))
    return false;
  for (size_t s = 0; s < set->num_shards; s++) {
    dorm__shard *shard = &set->shards[s];
    set_range(set, s, &shard->first, &shard->end);
    shard->qp = dorm__qp_workspace_new();
    shard->v = set->moves.own + s * set->moves.stride;
    shard->w = dorm__alloc_zero(num_features, sizeof *shard->w);
    if (!shard->qp || !shard->w)
      return false;
  }
  return true;
}

static void free_shards(dorm__working_set *set)
{
  for (size_t s = 0; set->shards && s < set->num_shards; s++) {
    dorm__qp_workspace_free(set->shards[s].qp);
    dorm__free(set->shards[s].w);
    dorm__free(set->shards[s].scratch);
  }
  if (set->moves.all != set->moves.own)
    dorm__free(set->moves.all);
  dorm__free(set->moves.own);
  dorm__free(set->moves.theta);
  dorm__free(set->moves.slope);
  dorm__free(set->moves.gram);
  dorm__free(set->moves.sum);
  dorm__free(set->shards);
}

dorm_status dorm__working_set_gather(dorm__working_set *set, const double *base)
{
  size_t num_features = dorm__problem_width(set->problem);
  dorm__moves *moves = &set->moves;
  for (size_t s = 0; s < set->num_shards; s++) {
    double *scalars = set->shards[s].v + num_features;
    scalars[DORM__GAIN] = set->shards[s].gain;
    scalars[DORM__GAP] = set->shards[s].gap;
    scalars[DORM__LONGEST] = set->shards[s].longest;
  }
  return moves->all == moves->own ? DORM_OK
                                  : dorm__moves_gather(set->problem->context,
                                                       &(const dorm__moves_shape){set->num_shards, moves->count,
                                                                                  num_features, moves->stride},
                                                       base, moves->own, moves->all);
}

dorm_status dorm__working_set_new(dorm_context *context, const dorm__problem *problem, dorm__scored_point *point,
                                  bool is_one_slack, dorm__bounds bounds, dorm__working_set **set)
{
  size_t num_features = dorm__problem_width(problem);
  *set = NULL;
  dorm__working_set *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return dorm__out_of_memory(context, "a working set");
  made->problem = problem;
  made->point = point;
  made->bounds = bounds;
  made->is_one_slack = is_one_slack;
  made->estimate = INFINITY;
  made->num_sets = is_one_slack ? 1 : problem->num_queries;
  made->all_sets = is_one_slack ? 1 : problem->all.queries;
  made->sets = dorm__alloc_zero(made->num_sets, sizeof *made->sets);
  made->reference_loss = dorm__alloc_zero(problem->num_queries, sizeof *made->reference_loss);
  made->v = dorm__alloc_zero(num_features, sizeof *made->v);
  made->w = dorm__alloc_zero(num_features, sizeof *made->w);
  if (!made->sets || !made->reference_loss || !made->v || !made->w || !make_shards(made)) {
    dorm__working_set_free(made);
    return dorm__out_of_memory(context, "a working set");
  }
  *set = made;
  return DORM_OK;
}

void dorm__working_set_free(dorm__working_set *set)
{
  if (!set)
    return;
  for (size_t i = 0; set->sets && i < set->num_sets; i++)
    dorm__columns_drop(&set->sets[i]);
  for (size_t i = 0; i < set->problem->workers.count; i++)
    dorm__pool_clear(&set->problem->workers.threads[i].vectors);
  free_shards(set);
  dorm__free(set->sets);
  dorm__free(set->reference_loss);
  dorm__free(set->v);
  dorm__free(set->w);
  dorm__free(set->centre);
  dorm__free(set);
}

dorm_status dorm__working_set_set_centre(dorm_context *context, dorm__working_set *set, const double *centre)
{
  size_t num_features = dorm__problem_width(set->problem);
  bool is_zero = true;
  for (size_t f = 0; centre && f < num_features; f++)
    is_zero = is_zero && centre[f] == 0;
  if (is_zero) {
    dorm__free(set->centre);
    set->centre = NULL;
  } else {
    if (!set->centre)
      set->centre = dorm__alloc(num_features, sizeof *set->centre);
    if (!set->centre)
      return dorm__out_of_memory(context, "a working set");
    memcpy(set->centre, centre, num_features * sizeof *set->centre);
  }
  dorm__working_set_refresh(set);
  return DORM_OK;
}

double dorm__working_set_weight(const dorm__working_set *set, size_t index)
{
  return set->is_one_slack ? 1 : set->problem->weights[index];
}

/* ---- References ------------------------------------------------------------------ */

/* Adds the references of the queries of one block, times their weights, to sum [num_features]. */
static dorm_status add_references(dorm_context *context, dorm__working_set *set, const dorm__reference *reference,
                                  size_t block, double *sum)
{
  const dorm__problem *problem = set->problem;
  dorm__vector phi = {0};
  dorm_status status = DORM_OK;
  for (size_t i = problem->blocks.start[block]; status == DORM_OK && i < problem->blocks.start[block + 1]; i++) {
    dorm__thread *thread = &problem->workers.threads[0];
    status = dorm__reference_at(problem, reference, i, set->point, thread, &phi, &set->reference_loss[i]);
    if (status == DORM_OK)
      dorm__vector_add(&phi, problem->weights[i], sum);
    else
      dorm__thread_explain(context, thread, problem->dataset, problem->queries[i], status);
  }
  dorm__vector_clear(&phi);
  return status;
}

/* One-slack: the reference of the single column set is the weighted sum of the references of all queries. */
static dorm_status sum_references(dorm_context *context, dorm__working_set *set, const dorm__reference *reference)
{
  const dorm__problem *problem = set->problem;
  size_t num_features = dorm__problem_width(problem);
  dorm__columns *columns = &set->sets[0];
  double *parts = dorm__alloc_zero(problem->blocks.count, num_features * sizeof *parts);
  if (!parts || !dorm__vector_reserve(&columns->reference, num_features, false)) {
    dorm__free(parts);
    return dorm__out_of_memory(context, "a reference");
  }
  columns->reference.count = num_features;
  dorm_status status = DORM_OK;
  for (size_t block = 0; status == DORM_OK && block < problem->blocks.count; block++)
    status = add_references(context, set, reference, block, parts + block * num_features);
  if (status == DORM_OK)
    status = dorm__processes_sum(context, problem->blocks.count, num_features, parts, columns->reference.values);
  if (status == DORM_OK)
    dorm__columns_refill(columns, num_features, problem->workers.threads[0].sum);
  dorm__free(parts);
  return status;
}

/* n-slack: makes one reference per query, in parallel. */
static dorm_status take_references(dorm_context *context, dorm__working_set *set, const dorm__reference *reference)
{
  const dorm__problem *problem = set->problem;
#pragma omp parallel for schedule(static) num_threads((int)problem->workers.count)
  for (size_t i = 0; i < problem->num_queries; i++) {
    dorm__columns *columns = &set->sets[i];
    dorm__thread *thread = dorm__problem_thread(problem);
    if (dorm__team_skips(problem->team, i))
      continue;
    dorm_status status =
        dorm__reference_at(problem, reference, i, set->point, thread, &columns->reference, &set->reference_loss[i]);
    if (status == DORM_OK)
      dorm__columns_refill(columns, dorm__problem_width(problem), thread->sum);
    else
      status = dorm__thread_explain(dorm__team_context(problem->team), thread, problem->dataset, problem->queries[i],
                                    status);
    dorm__team_note(problem->team, i, status);
  }
  return dorm__team_settle(context, problem->team);
}

dorm_status dorm__working_set_set_reference(dorm_context *context, dorm__working_set *set,
                                            const dorm__reference *reference, const double *w)
{
  dorm__scored_point_move(set->point, w);
  dorm_status status =
      set->is_one_slack ? sum_references(context, set, reference) : take_references(context, set, reference);
  if (status == DORM_OK)
    dorm__working_set_refresh(set);
  return status;
}

static void add_reference_loss(const void *user, size_t query, double *sum)
{
  const dorm__working_set *set = user;
  *sum += set->problem->weights[query] * set->reference_loss[query];
}

double dorm__working_set_reference_loss(const dorm__working_set *set)
{
  return dorm__sum_queries(set->problem, 0, add_reference_loss, set);
}

/* ---- v, w and the dual value --------------------------------------------------------- */

void dorm__bounds_project(const dorm__bounds *bounds, size_t num_features, double *x)
{
  if (bounds->lower)
    for (size_t f = 0; f < num_features; f++)
      x[f] = x[f] < bounds->lower[f] ? bounds->lower[f] : x[f];
  if (bounds->upper)
    for (size_t f = 0; f < num_features; f++)
      x[f] = x[f] > bounds->upper[f] ? bounds->upper[f] : x[f];
}

void dorm__working_set_project(const dorm__working_set *set, const double *v, double *w)
{
  size_t num_features = dorm__problem_width(set->problem);
  memcpy(w, v, num_features * sizeof *w);
  dorm__bounds_project(&set->bounds, num_features, w);
}

void dorm__working_set_refresh(dorm__working_set *set)
{
  size_t num_features = dorm__problem_width(set->problem);
  const dorm__moves *moves = &set->moves;
#pragma omp parallel for schedule(static, 1) num_threads((int)set->num_threads)
  for (size_t s = 0; s < set->num_shards; s++) {
    dorm__shard *shard = &set->shards[s];
    memset(shard->v, 0, num_features * sizeof *shard->v);
    for (size_t i = shard->first; i < shard->end; i++)
      dorm__columns_add_psi(&set->sets[i], set->sets[i].alpha, shard->v);
  }
  dorm__working_set_gather(set, NULL); /* a failure is found again in the next call to the processes */
  memset(set->v, 0, num_features * sizeof *set->v);
  if (set->centre)
    memcpy(set->v, set->centre, num_features * sizeof *set->v);
  for (size_t s = 0; s < moves->count; s++)
    dorm__add_scaled(num_features, 1, moves->all + s * moves->stride, set->v);
  dorm__working_set_project(set, set->v, set->w);
}

void dorm__working_set_scale(dorm__working_set *set, double factor)
{
  for (size_t i = 0; i < set->num_sets; i++)
    for (size_t k = 0; k < set->sets[i].count; k++)
      set->sets[i].alpha[k] *= factor;
  dorm__working_set_refresh(set);
}

double dorm__working_set_regulariser(const dorm__working_set *set, const double *w)
{
  size_t num_features = dorm__problem_width(set->problem);
  if (!set->centre)
    return 0.5 * dorm__dot(num_features, w, w);
  double sum = 0;
  for (size_t f = 0; f < num_features; f++)
    sum += (w[f] - set->centre[f]) * (w[f] - set->centre[f]);
  return 0.5 * sum;
}

static void add_set_value(const void *user, size_t index, double *sum)
{
  const dorm__columns *columns = &((const dorm__working_set *)user)->sets[index];
  for (size_t k = 0; k < columns->count; k++)
    *sum += columns->alpha[k] * columns->loss[k];
}

double dorm__working_set_dual(const dorm__working_set *set)
{
  size_t num_features = dorm__problem_width(set->problem);
  double value = dorm__working_set_regulariser(set, set->w) - dorm__dot(num_features, set->w, set->v);
  if (set->centre)
    value += dorm__dot(num_features, set->w, set->centre);
  if (!set->is_one_slack)
    return dorm__sum_queries(set->problem, value, add_set_value, set);
  add_set_value(set, 0, &value);
  return value;
}

/* The sum over the processes; with one slack every process has the same columns. */
static size_t count_all(const dorm__working_set *set, size_t count)
{
  if (!set->is_one_slack)
    dorm__count_all(set->problem, 1, &count);
  return count;
}

size_t dorm__working_set_num_columns(const dorm__working_set *set)
{
  size_t count = 0;
  for (size_t i = 0; i < set->num_sets; i++)
    count += set->sets[i].count;
  return count_all(set, count);
}

size_t dorm__working_set_num_support(const dorm__working_set *set)
{
  size_t count = 0;
  for (size_t i = 0; i < set->num_sets; i++)
    for (size_t k = 0; k < set->sets[i].count; k++)
      count += set->sets[i].alpha[k] > 0;
  return count_all(set, count);
}

void dorm__working_set_prune(dorm__working_set *set, uint32_t limit, size_t most_bytes)
{
  size_t bytes = 0;
  for (size_t i = 0; i < set->num_sets; i++)
    bytes += dorm__columns_bytes(&set->sets[i]);
  bytes = count_all(set, bytes);
  for (size_t i = 0; i < set->num_sets; i++)
    dorm__columns_prune(&set->sets[i], bytes > most_bytes ? 1 : limit);
}

/* What the residual length is summed of. */
typedef struct lengths {
  const dorm__working_set *set;
  const double *residual;
} lengths;

static void add_length(const void *user, size_t query, double *sum)
{
  const lengths *of = user;
  const dorm__problem *problem = of->set->problem;
  const size_t *start = problem->dataset->query_start + problem->queries[query];
  double of_query = 0;
  for (size_t j = start[0]; j < start[1]; j++)
    of_query += of->residual[j];
  double weight = of->set->is_one_slack ? problem->weights[query] * dorm__columns_weight(&of->set->sets[0])
                                        : dorm__columns_weight(&of->set->sets[query]);
  *sum += weight * sqrt(of_query * dorm__output_reach(problem, query));
}

double dorm__working_set_residual_length(const dorm__working_set *set, const double *residual)
{
  return dorm__sum_queries(set->problem, 0, add_length, &(lengths){set, residual});
}
