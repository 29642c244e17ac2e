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
#include "solver/outputs.h"
#include "solver/reference.h"

#include <math.h>
#include <string.h>

/* ---- Making and freeing -------------------------------------------------------- */

/* Deals the column sets to shards in equal shares, as OpenMP's static schedule deals the queries to the threads of a
 * loop, so that a thread finds its columns in its own cache. */
static bool make_shards(dorm__working_set *set)
{
  size_t num_features = set->problem->features->num_features;
  size_t num_threads = set->problem->num_threads;
  set->num_shards = set->num_sets < num_threads ? set->num_sets : num_threads;
  set->shards = dorm__alloc_zero(set->num_shards, sizeof *set->shards);
  for (size_t s = 0; set->shards && s < set->num_shards; s++) {
    dorm__shard *shard = &set->shards[s];
    shard->first = s * set->num_sets / set->num_shards;
    shard->end = (s + 1) * set->num_sets / set->num_shards;
    shard->qp = dorm__qp_workspace_new();
    shard->v = dorm__alloc_zero(num_features, sizeof *shard->v);
    shard->w = dorm__alloc_zero(num_features, sizeof *shard->w);
    if (!shard->qp || !shard->v || !shard->w)
      return false;
  }
  return set->shards != NULL;
}

static void free_shards(dorm__working_set *set)
{
  for (size_t s = 0; set->shards && s < set->num_shards; s++) {
    dorm__qp_workspace_free(set->shards[s].qp);
    dorm__free(set->shards[s].v);
    dorm__free(set->shards[s].w);
    dorm__free(set->shards[s].scratch);
  }
  dorm__free(set->shards);
}

dorm_status dorm__working_set_new(dorm_context *context, const dorm__problem *problem, dorm__scored_point *point,
                                  bool is_one_slack, dorm__bounds bounds, dorm__working_set **set)
{
  size_t num_features = problem->features->num_features;
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
  for (size_t i = 0; i < set->problem->num_threads; i++)
    dorm__pool_clear(&set->problem->threads[i].vectors);
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
  size_t num_features = set->problem->features->num_features;
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

/* One-slack: the reference of the single column set is the weighted sum of the references of all queries. */
static dorm_status sum_references(dorm_context *context, dorm__working_set *set, const dorm__reference *reference)
{
  const dorm__problem *problem = set->problem;
  size_t num_features = problem->features->num_features;
  dorm__columns *columns = &set->sets[0];
  dorm__vector phi = {0};
  if (!dorm__vector_reserve(&columns->reference, num_features, false))
    return dorm__out_of_memory(context, "a reference");
  columns->reference.count = num_features;
  memset(columns->reference.values, 0, num_features * sizeof(double));
  dorm_status status = DORM_OK;
  for (size_t i = 0; status == DORM_OK && i < problem->num_queries; i++) {
    dorm__thread *thread = &problem->threads[0];
    status = dorm__reference_at(problem, reference, i, set->point, thread, &phi, &set->reference_loss[i]);
    if (status == DORM_OK)
      dorm__vector_add(&phi, problem->weights[i], columns->reference.values);
    else
      dorm__thread_explain(context, thread, problem->dataset, problem->queries[i], status);
  }
  dorm__vector_clear(&phi);
  if (status == DORM_OK)
    dorm__columns_refill(columns, num_features, problem->threads[0].sum);
  return status;
}

/* n-slack: makes one reference per query, in parallel. */
static dorm_status take_references(dorm_context *context, dorm__working_set *set, const dorm__reference *reference)
{
  const dorm__problem *problem = set->problem;
#pragma omp parallel for schedule(static) num_threads((int)problem->num_threads)
  for (size_t i = 0; i < problem->num_queries; i++) {
    dorm__columns *columns = &set->sets[i];
    dorm__thread *thread = dorm__problem_thread(problem);
    if (dorm__team_skips(problem->team, i))
      continue;
    dorm_status status =
        dorm__reference_at(problem, reference, i, set->point, thread, &columns->reference, &set->reference_loss[i]);
    if (status == DORM_OK)
      dorm__columns_refill(columns, problem->features->num_features, thread->sum);
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

double dorm__working_set_reference_loss(const dorm__working_set *set)
{
  double sum = 0;
  for (size_t i = 0; i < set->problem->num_queries; i++)
    sum += set->problem->weights[i] * set->reference_loss[i];
  return sum;
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
  size_t num_features = set->problem->features->num_features;
  memcpy(w, v, num_features * sizeof *w);
  dorm__bounds_project(&set->bounds, num_features, w);
}

void dorm__working_set_refresh(dorm__working_set *set)
{
  size_t num_features = set->problem->features->num_features;
#pragma omp parallel for schedule(static) num_threads((int)set->num_shards)
  for (size_t s = 0; s < set->num_shards; s++) {
    dorm__shard *shard = &set->shards[s];
    memset(shard->v, 0, num_features * sizeof *shard->v);
    for (size_t i = shard->first; i < shard->end; i++)
      dorm__columns_add_psi(&set->sets[i], set->sets[i].alpha, shard->v);
  }
  memset(set->v, 0, num_features * sizeof *set->v);
  if (set->centre)
    memcpy(set->v, set->centre, num_features * sizeof *set->v);
  for (size_t s = 0; s < set->num_shards; s++)
    dorm__add_scaled(num_features, 1, set->shards[s].v, set->v);
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
  size_t num_features = set->problem->features->num_features;
  if (!set->centre)
    return 0.5 * dorm__dot(num_features, w, w);
  double sum = 0;
  for (size_t f = 0; f < num_features; f++)
    sum += (w[f] - set->centre[f]) * (w[f] - set->centre[f]);
  return 0.5 * sum;
}

double dorm__working_set_dual(const dorm__working_set *set)
{
  size_t num_features = set->problem->features->num_features;
  double value = dorm__working_set_regulariser(set, set->w) - dorm__dot(num_features, set->w, set->v);
  if (set->centre)
    value += dorm__dot(num_features, set->w, set->centre);
  for (size_t i = 0; i < set->num_sets; i++)
    for (size_t k = 0; k < set->sets[i].count; k++)
      value += set->sets[i].alpha[k] * set->sets[i].loss[k];
  return value;
}

size_t dorm__working_set_num_columns(const dorm__working_set *set)
{
  size_t count = 0;
  for (size_t i = 0; i < set->num_sets; i++)
    count += set->sets[i].count;
  return count;
}

size_t dorm__working_set_num_support(const dorm__working_set *set)
{
  size_t count = 0;
  for (size_t i = 0; i < set->num_sets; i++)
    for (size_t k = 0; k < set->sets[i].count; k++)
      count += set->sets[i].alpha[k] > 0;
  return count;
}

void dorm__working_set_prune(dorm__working_set *set, uint32_t limit, size_t most_bytes)
{
  size_t bytes = 0;
  for (size_t i = 0; i < set->num_sets; i++)
    bytes += dorm__columns_bytes(&set->sets[i]);
  for (size_t i = 0; i < set->num_sets; i++)
    dorm__columns_prune(&set->sets[i], bytes > most_bytes ? 1 : limit);
}

double dorm__working_set_residual_length(const dorm__working_set *set, const double *residual)
{
  const dorm__problem *problem = set->problem;
  double length = 0;
  for (size_t i = 0; i < problem->num_queries; i++) {
    const size_t *start = problem->dataset->query_start + problem->queries[i];
    double of_query = 0;
    for (size_t j = start[0]; j < start[1]; j++)
      of_query += residual[j];
    double weight = set->is_one_slack ? problem->weights[i] * dorm__columns_weight(&set->sets[0])
                                      : dorm__columns_weight(&set->sets[i]);
    length += weight * sqrt(of_query * dorm__output_reach(problem, i));
  }
  return length;
}
