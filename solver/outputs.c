/* outputs.c: the most violated output of a query and the feature maps of outputs. */
#include "solver/problem.h"

#include <math.h>
#include <string.h>

enum { ROWS_AHEAD = 3 };             /* rows that are prefetched while one is added */
static const double far_apart = 1e6; /* a score beside which Delta counts little */

/* Asks a structured loss for its most violated output. thread->weights becomes the coefficients, one per document, and
 * thread->order the documents in the order of the data. After its first failure on a thread, the loss is not called
 * again on that thread. */
static dorm_status find_worst(const dorm__problem *problem, size_t query, dorm__thread *thread, double *loss)
{
  const dorm__query_loss *asked = dorm__problem_loss(problem, query);
  if (thread->failed != DORM_OK)
    return thread->failed;
  for (size_t j = 0; j < asked->num_docs; j++) {
    if (!isfinite(thread->scores[j]))
      return DORM_NUMERICAL_FAILURE;
    thread->order[j] = (uint32_t)j;
  }
  dorm_status status = dorm__loss_find_worst(&thread->failure, asked->structured, problem->dataset,
                                             problem->queries[query], thread->scores, thread->weights, loss);
  thread->failed = status;
  return status;
}

/* Finds the most violated output at thread->scores. *weights and *loss are as in dorm__output_violation. */
static dorm_status find_output(const dorm__problem *problem, size_t query, dorm__thread *thread, const double **weights,
                               double *loss)
{
  const dorm__query_loss *asked = dorm__problem_loss(problem, query);
  *weights = asked->structured ? thread->weights : problem->c[query];
  if (asked->structured)
    return find_worst(problem, query, thread, loss);
  dorm_status status =
      dorm__oracle_solve(problem->plans[query], thread->workspace, thread->scores, 1, thread->order, NULL);
  if (status == DORM_OK)
    *loss = dorm__query_loss_of(asked, thread->order);
  return status;
}

/* Returns the largest value of sum_j (c[rank1[j]] - c[rank2[j]])^2 over two rankings, 2 (|c|^2 - <c, c reversed>). By
 * the rearrangement inequality a ranking and its reverse reach it. */
static double largest_distance(size_t count, const double *c)
{
  double sum = 0;
  for (size_t p = 0; p < count; p++)
    sum += c[p] * (c[p] - c[count - 1 - p]);
  return 2 * fmax(0, sum);
}

/* Bounds sum_j coefficient_j^2 over all outputs. Let value(g) be the largest Delta + sum_j coefficient_j g_j over the
 * outputs, and e_j a unit vector. Since Delta >= 0, coefficient_j <= value(s e_j) / s holds for every output and s > 0.
 * Likewise -s gives the lower bound. */
static double bound_coefficients(const dorm__problem *problem, size_t query)
{
  dorm__thread *thread = &problem->workers.threads[0];
  size_t num_docs = dorm__problem_loss(problem, query)->num_docs;
  double squares = 0;
  memset(thread->scores, 0, num_docs * sizeof *thread->scores);
  for (size_t j = 0; j < num_docs; j++) {
    double largest = 0;
    for (int sign = -1; sign <= 1; sign += 2) {
      double loss = 0;
      thread->scores[j] = sign * far_apart;
      if (find_worst(problem, query, thread, &loss) != DORM_OK)
        return INFINITY;
      largest = fmax(largest, loss / far_apart + sign * thread->weights[j]);
    }
    thread->scores[j] = 0;
    squares += largest * largest;
  }
  return squares;
}

double dorm__output_reach(const dorm__problem *problem, size_t query)
{
  const dorm__query_loss *loss = dorm__problem_loss(problem, query);
  if (!loss->structured)
    return largest_distance(loss->num_docs, problem->c[query]);
  if (isnan(problem->reach[query]))
    problem->reach[query] = bound_coefficients(problem, query);
  return problem->reach[query];
}

static void score_query(const dorm__problem *problem, size_t query, const double *w, dorm__thread *thread)
{
  size_t first = problem->dataset->query_start[problem->queries[query]];
  size_t end = problem->dataset->query_start[problem->queries[query] + 1];
  dorm__features_score_in_turn(problem->features, first, end - first, w, thread->scores);
  dorm__own_scores(problem, first, end - first, w, thread->scores + (end - first));
}

dorm_status dorm__output_violation(const dorm__problem *problem, size_t query, dorm__scored_point *point,
                                   const double *w, dorm__thread *thread, const dorm__violation *found)
{
  const dorm__query_loss *tables = dorm__problem_loss(problem, query);
  dorm__next_phase(thread);
  if (tables->b)
    dorm__fetch(tables->b, tables->num_docs * sizeof *tables->b);
  if (problem->plans[query])
    dorm__oracle_plan_fetch(problem->plans[query]);
  if (point)
    dorm__scored_point_query(point, query, thread);
  else if (w)
    score_query(problem, query, w, thread);
  thread->score_seconds += dorm__next_phase(thread);
  dorm_status status = find_output(problem, query, thread, found->weights, found->loss);
  if (status == DORM_OK) {
    *found->value = *found->loss;
    for (size_t p = 0; p < problem->depth[query]; p++)
      *found->value += (*found->weights)[p] * thread->scores[thread->order[p]];
    for (size_t p = 0; p < problem->num_own && p < problem->depth[query]; p++)
      *found->value += (*found->weights)[p] * thread->scores[(p + 1) * tables->num_docs + thread->order[p]];
  }
  thread->oracle_seconds += dorm__oracle_phase(thread);
  return status;
}

/* Adds a sparse row to thread->sum + offset. */
static void add_sparse(const dorm__features *features, size_t doc, double weight, size_t offset, dorm__thread *thread,
                       size_t *num_touched)
{
  dorm__row row = dorm__features_row(features, doc);
  for (size_t e = 0; e < row.count; e++) {
    size_t f = offset + row.indices[e];
    if (!thread->is_touched[f]) {
      thread->is_touched[f] = true;
      thread->touched[(*num_touched)++] = (uint32_t)f;
    }
    thread->sum[f] += weight * (double)row.values[e];
  }
}

static bool combine_sparse(const dorm__problem *problem, size_t first, size_t count, const uint32_t *docs,
                           const double *weights, dorm__thread *thread, dorm__vector *phi)
{
  const dorm__features *features = problem->features;
  size_t num_touched = 0;
  for (size_t i = 0; i < count; i++) {
    if (weights[i] == 0)
      continue;
    add_sparse(features, first + docs[i], weights[i], 0, thread, &num_touched);
    if (i < problem->num_own)
      add_sparse(features, first + docs[i], weights[i], (i + 1) * features->num_features, thread, &num_touched);
  }
  bool has_room = dorm__vector_reserve(phi, num_touched, true);
  phi->count = has_room ? num_touched : 0;
  for (size_t i = 0; i < num_touched; i++) {
    uint32_t f = thread->touched[i];
    if (has_room) {
      phi->indices[i] = f;
      phi->values[i] = thread->sum[f];
    }
    thread->sum[f] = 0;
    thread->is_touched[f] = false;
  }
  return has_room;
}

bool dorm__output_combine(const dorm__problem *problem, size_t query, size_t count, const uint32_t *docs,
                          const double *weights, dorm__thread *thread, dorm__vector *phi)
{
  size_t first = problem->dataset->query_start[problem->queries[query]];
  size_t num_features = problem->features->num_features, width = dorm__problem_width(problem);
  if (problem->features->row_start)
    return combine_sparse(problem, first, count, docs, weights, thread, phi);
  if (!dorm__vector_take(phi, width, &thread->vectors))
    return false;
  phi->count = width;
  memset(phi->values, 0, width * sizeof *phi->values);
  for (size_t i = 0; i < count; i++) {
    if (i + ROWS_AHEAD < count && weights[i + ROWS_AHEAD] != 0)
      dorm__features_fetch(problem->features, first + docs[i + ROWS_AHEAD]);
    if (weights[i] != 0)
      dorm__features_add(problem->features, first + docs[i], weights[i], phi->values);
    if (weights[i] != 0 && i < problem->num_own)
      dorm__features_add(problem->features, first + docs[i], weights[i], phi->values + (i + 1) * num_features);
  }
  return true;
}

bool dorm__output_vector(const dorm__problem *problem, size_t query, const double *weights, dorm__thread *thread,
                         dorm__vector *phi)
{
  return dorm__output_combine(problem, query, problem->depth[query], thread->order, weights, thread, phi);
}
