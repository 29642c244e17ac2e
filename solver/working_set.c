/*
 * working_set.c: the dual variables of all blocks, v = sum alpha psi with psi =
 * Phi(reference) - Phi(ranking), and w, which is v moved into the bounds on the
 * weights (w = v where there are none).
 *
 * With bounds B the dual is D(alpha) = sum alpha Delta + min over w in B of
 * 1/2 |w|^2 - <w, v>, whose gradient is the margins at w = the projection of v.
 */
#include "solver/working_set.h"
#include "base/linalg.h"
#include "base/pool.h"
#include "solver/columns.h"
#include "solver/problem.h"
#include "solver/reference.h"
#include "solver/solver.h"
#include "solver/sweeps.h"
#include "solver/vector.h"

#include <math.h>
#include <string.h>

/* ---- Making and freeing -------------------------------------------------------- */

dorm_status dorm__working_set_new(dorm_context *context, const dorm__problem *problem, bool is_one_slack,
                                  dorm__bounds bounds, dorm__working_set **set)
{
  size_t num_features = problem->features->num_features;
  *set = NULL;
  dorm__working_set *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return dorm__out_of_memory(context, "a working set");
  made->problem = problem;
  made->bounds = bounds;
  made->is_one_slack = is_one_slack;
  made->estimate = INFINITY;
  made->num_blocks = is_one_slack ? 1 : problem->num_queries;
  made->blocks = dorm__alloc_zero(made->num_blocks, sizeof *made->blocks);
  made->reference_loss = dorm__alloc_zero(problem->num_queries, sizeof *made->reference_loss);
  made->v = dorm__alloc_zero(num_features, sizeof *made->v);
  made->w = dorm__alloc_zero(num_features, sizeof *made->w);
  if (!made->blocks || !made->reference_loss || !made->v || !made->w || !dorm__sweep_groups_new(made)) {
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
  for (size_t i = 0; set->blocks && i < set->num_blocks; i++)
    dorm__columns_drop(&set->blocks[i]);
  for (size_t i = 0; i < set->problem->num_threads; i++)
    dorm__pool_clear(&set->problem->threads[i].vectors);
  dorm__sweep_groups_free(set);
  dorm__free(set->blocks);
  dorm__free(set->reference_loss);
  dorm__free(set->v);
  dorm__free(set->w);
  dorm__free(set);
}

/* ---- References ------------------------------------------------------------------ */

/* The one block's reference is the sum of the queries'. */
static dorm_status sum_references(dorm_context *context, dorm__working_set *set, const dorm__reference *reference,
                                  const double *w)
{
  const dorm__problem *problem = set->problem;
  size_t num_features = problem->features->num_features;
  dorm__columns *columns = &set->blocks[0];
  dorm__vector phi = {0};
  if (!dorm__vector_reserve(&columns->reference, num_features, false))
    return dorm__out_of_memory(context, "a reference");
  columns->reference.count = num_features;
  memset(columns->reference.values, 0, num_features * sizeof(double));
  dorm_status status = DORM_OK;
  for (size_t i = 0; status == DORM_OK && i < problem->num_queries; i++) {
    status = dorm__reference_at(problem, reference, i, w, &problem->threads[0], &phi, &set->reference_loss[i]);
    if (status == DORM_OK)
      dorm__vector_add(&phi, 1, columns->reference.values);
    else
      status = status == DORM_OUT_OF_MEMORY ? dorm__out_of_memory(context, "references")
                                            : dorm__problem_fail(context, problem, i);
  }
  dorm__vector_clear(&phi);
  if (status == DORM_OK)
    dorm__columns_refill(columns, num_features, problem->threads[0].sum);
  return status;
}

dorm_status dorm__working_set_set_reference(dorm_context *context, dorm__working_set *set,
                                            const dorm__reference *reference, const double *w)
{
  const dorm__problem *problem = set->problem;
  size_t num_features = problem->features->num_features;
  w = dorm__problem_at(problem, w);
  if (set->is_one_slack) {
    dorm_status status = sum_references(context, set, reference, w);
    if (status == DORM_OK)
      dorm__working_set_refresh(set);
    return status;
  }
  size_t failed = problem->num_queries;
  bool is_out_of_memory = false;
#pragma omp parallel for schedule(static) num_threads((int)problem->num_threads) reduction(min                         \
                                                                                           : failed)                   \
    reduction(||                                                                                                       \
              : is_out_of_memory)
  for (size_t i = 0; i < problem->num_queries; i++) {
    dorm__columns *columns = &set->blocks[i];
    dorm__thread *thread = dorm__problem_thread(problem);
    dorm_status status =
        dorm__reference_at(problem, reference, i, w, thread, &columns->reference, &set->reference_loss[i]);
    is_out_of_memory = is_out_of_memory || status == DORM_OUT_OF_MEMORY;
    if (status != DORM_OK)
      failed = i < failed ? i : failed;
    else
      dorm__columns_refill(columns, num_features, thread->sum);
  }
  if (is_out_of_memory)
    return dorm__out_of_memory(context, "references");
  if (failed < problem->num_queries)
    return dorm__problem_fail(context, problem, failed);
  dorm__working_set_refresh(set);
  return DORM_OK;
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
#pragma omp parallel for schedule(static) num_threads((int)set->num_groups)
  for (size_t g = 0; g < set->num_groups; g++) {
    dorm__sweep_group *group = &set->groups[g];
    memset(group->v, 0, num_features * sizeof *group->v);
    for (size_t i = group->first; i < group->end; i++)
      dorm__columns_add_psi(&set->blocks[i], set->blocks[i].alpha, group->v);
  }
  memset(set->v, 0, num_features * sizeof *set->v);
  for (size_t g = 0; g < set->num_groups; g++)
    dorm__add_scaled(num_features, 1, set->groups[g].v, set->v);
  dorm__working_set_project(set, set->v, set->w);
}

void dorm__working_set_scale(dorm__working_set *set, double factor)
{
  for (size_t i = 0; i < set->num_blocks; i++)
    for (size_t k = 0; k < set->blocks[i].count; k++)
      set->blocks[i].alpha[k] *= factor;
  dorm__working_set_refresh(set);
}

double dorm__working_set_dual(const dorm__working_set *set)
{
  size_t num_features = set->problem->features->num_features;
  double value = 0.5 * dorm__dot(num_features, set->w, set->w) - dorm__dot(num_features, set->w, set->v);
  for (size_t i = 0; i < set->num_blocks; i++)
    for (size_t k = 0; k < set->blocks[i].count; k++)
      value += set->blocks[i].alpha[k] * set->blocks[i].loss[k];
  return value;
}

size_t dorm__working_set_num_columns(const dorm__working_set *set)
{
  size_t count = 0;
  for (size_t i = 0; i < set->num_blocks; i++)
    count += set->blocks[i].count;
  return count;
}

size_t dorm__working_set_num_support(const dorm__working_set *set)
{
  size_t count = 0;
  for (size_t i = 0; i < set->num_blocks; i++)
    for (size_t k = 0; k < set->blocks[i].count; k++)
      count += set->blocks[i].alpha[k] > 0;
  return count;
}

void dorm__working_set_prune(dorm__working_set *set, uint32_t limit, size_t most_bytes)
{
  size_t bytes = 0;
  for (size_t i = 0; i < set->num_blocks; i++)
    bytes += dorm__columns_bytes(&set->blocks[i]);
  for (size_t i = 0; i < set->num_blocks; i++)
    dorm__columns_prune(&set->blocks[i], bytes > most_bytes ? 1 : limit);
}
