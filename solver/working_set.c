/*
 * working_set.c: the dual variables of all queries and w = sum alpha psi, with
 * psi = Phi(reference) - Phi(ranking). A sweep maximises the dual exactly over
 * one query after the other and costs no pass over the data.
 */
#include "solver/solver.h"

#include <math.h>
#include <string.h>

dorm_status dorm__working_set_new(dorm_context *context, const dorm__problem *problem, dorm__working_set **set)
{
  size_t num_features = problem->features->num_features;
  *set = NULL;
  dorm__working_set *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return dorm__out_of_memory(context, "a working set");
  made->problem = problem;
  made->queries = dorm__alloc_zero(problem->num_queries, sizeof *made->queries);
  made->reference_phi = dorm__alloc_zero(problem->num_queries, num_features * sizeof *made->reference_phi);
  made->reference_loss = dorm__alloc_zero(problem->num_queries, sizeof *made->reference_loss);
  made->w = dorm__alloc_zero(num_features, sizeof *made->w);
  made->qp = dorm__qp_workspace_new();
  if (!made->queries || !made->reference_phi || !made->reference_loss || !made->w || !made->qp) {
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
  for (size_t i = 0; set->queries && i < set->problem->num_queries; i++)
    dorm__columns_clear(&set->queries[i]);
  dorm__free(set->queries);
  dorm__free(set->reference_phi);
  dorm__free(set->reference_loss);
  dorm__free(set->w);
  dorm__qp_workspace_free(set->qp);
  dorm__free(set->scratch);
  dorm__free(set);
}

dorm_status dorm__working_set_set_reference(dorm_context *context, dorm__working_set *set,
                                            const dorm__reference *reference, const double *w)
{
  const dorm__problem *problem = set->problem;
  size_t num_features = problem->features->num_features;
  size_t failed = problem->num_queries;
#pragma omp parallel for schedule(dynamic, 8) num_threads((int)problem->num_threads) reduction(min : failed)
  for (size_t i = 0; i < problem->num_queries; i++) {
    double *phi = set->reference_phi + i * num_features;
    dorm__thread *thread = dorm__problem_thread(problem);
    if (dorm__reference_at(problem, reference, i, w, thread, phi, &set->reference_loss[i]) != DORM_OK)
      failed = i < failed ? i : failed;
    else
      dorm__columns_set_reference(&set->queries[i], num_features, phi);
  }
  if (failed < problem->num_queries)
    return dorm__problem_fail(context, problem, failed);
  dorm__working_set_refresh(set);
  return DORM_OK;
}

void dorm__working_set_scale(dorm__working_set *set, double factor)
{
  for (size_t i = 0; i < set->problem->num_queries; i++)
    for (size_t k = 0; k < set->queries[i].count; k++)
      set->queries[i].alpha[k] *= factor;
  dorm__working_set_refresh(set);
}

/* w += sum factor_k (Phi(reference) - Phi_k) */
static void add_psi(dorm__working_set *set, size_t query, const double *factors)
{
  size_t num_features = set->problem->features->num_features;
  const dorm__columns *columns = &set->queries[query];
  double sum = 0;
  for (size_t k = 0; k < columns->count; k++)
    if (factors[k] != 0) {
      sum += factors[k];
      dorm__add_scaled(num_features, -factors[k], columns->phi + k * num_features, set->w);
    }
  if (sum != 0)
    dorm__add_scaled(num_features, sum, set->reference_phi + query * num_features, set->w);
}

void dorm__working_set_refresh(dorm__working_set *set)
{
  memset(set->w, 0, set->problem->features->num_features * sizeof *set->w);
  for (size_t i = 0; i < set->problem->num_queries; i++)
    add_psi(set, i, set->queries[i].alpha);
}

double dorm__working_set_dual(const dorm__working_set *set)
{
  size_t num_features = set->problem->features->num_features;
  double value = -0.5 * dorm__dot(num_features, set->w, set->w);
  for (size_t i = 0; i < set->problem->num_queries; i++)
    for (size_t k = 0; k < set->queries[i].count; k++)
      value += set->queries[i].alpha[k] * set->queries[i].loss[k];
  return value;
}

size_t dorm__working_set_num_columns(const dorm__working_set *set)
{
  size_t count = 0;
  for (size_t i = 0; i < set->problem->num_queries; i++)
    count += set->queries[i].count;
  return count;
}

double dorm__working_set_slack(const dorm__working_set *set, size_t query, const double *w)
{
  size_t num_features = set->problem->features->num_features;
  const dorm__columns *columns = &set->queries[query];
  double reference = dorm__dot(num_features, w, set->reference_phi + query * num_features);
  double largest = 0;
  for (size_t k = 0; k < columns->count; k++)
    largest = fmax(largest, columns->loss[k] - reference + dorm__dot(num_features, w, columns->phi + k * num_features));
  return largest;
}

static bool reserve_scratch(dorm__working_set *set, size_t count)
{
  if (count <= set->scratch_size)
    return true;
  double *larger = dorm__realloc(set->scratch, 2 * count, 3 * sizeof *larger);
  if (!larger)
    return false;
  set->scratch = larger;
  set->scratch_size = 2 * count;
  return true;
}

/* Solves the QP of one query at the margins given; alpha and w follow. */
static bool solve_query(dorm__working_set *set, size_t query, double C, const double *margins)
{
  dorm__columns *columns = &set->queries[query];
  double *h = set->scratch + set->scratch_size;
  double *change = h + set->scratch_size;
  for (size_t k = 0; k < columns->count; k++) {
    double own = 0; /* what this query's own part of w takes off the margin */
    for (size_t m = 0; m < columns->count; m++)
      own += columns->gram[k * columns->capacity + m] * columns->alpha[m];
    h[k] = margins[k] + own;
    change[k] = -columns->alpha[k];
  }
  if (!dorm__qp_solve(set->qp, columns->count, columns->capacity, columns->gram, h, C, columns->alpha))
    return false;
  for (size_t k = 0; k < columns->count; k++)
    change[k] += columns->alpha[k];
  add_psi(set, query, change);
  return true;
}

dorm_status dorm__working_set_sweep(dorm_context *context, dorm__working_set *set, double C, double negligible,
                                    double *gap)
{
  size_t num_features = set->problem->features->num_features;
  *gap = 0;
  for (size_t i = 0; i < set->problem->num_queries; i++) {
    dorm__columns *columns = &set->queries[i];
    if (!columns->count)
      continue;
    if (!reserve_scratch(set, columns->count))
      return dorm__out_of_memory(context, "a working set");
    double *margins = set->scratch;
    double reference = dorm__dot(num_features, set->w, set->reference_phi + i * num_features);
    double largest = 0;
    double used = 0;
    dorm__matrix_vector(columns->count, num_features, columns->phi, set->w, margins);
    for (size_t k = 0; k < columns->count; k++) {
      margins[k] += columns->loss[k] - reference;
      largest = fmax(largest, margins[k]);
      used += columns->alpha[k] * margins[k];
    }
    double own_gap = C * largest - used;
    *gap += own_gap;
    if (own_gap > negligible && !solve_query(set, i, C, margins))
      return dorm__out_of_memory(context, "a quadratic programme");
  }
  return DORM_OK;
}

void dorm__working_set_prune(dorm__working_set *set, uint32_t limit)
{
  for (size_t i = 0; i < set->problem->num_queries; i++)
    dorm__columns_prune(&set->queries[i], set->problem->features->num_features, limit);
}
