/* problem.c: tables, position weights and oracle plans of the queries that train. */
#include "solver/problem.h"
#include "assignment/assignment.h"
#include "base/pool.h"
#include "base/team.h"
#include "data/data.h"
#include "features/features.h"
#include "losses/losses.h"
#include "solver/solver.h"
#include "solver/vector.h"

#include <math.h>
#include <omp.h>
#include <string.h>

static const double smallest_parallel_work = 2e6; /* multiply-adds of one pass */
enum { ROWS_AHEAD = 3 };                          /* rows on their way from memory while one is added */
static const double far_apart = 1e6;              /* a score that no Delta overrules */

static void thread_clear(dorm__thread *thread)
{
  dorm__oracle_workspace_free(thread->workspace);
  dorm__free(thread->scores);
  dorm__free(thread->weights);
  dorm__free(thread->order);
  dorm__free(thread->docs);
  dorm__free(thread->sum);
  dorm__free(thread->is_touched);
  dorm__free(thread->touched);
  dorm__pool_clear(&thread->vectors);
}

void dorm__problem_free(dorm__problem *problem)
{
  if (!problem)
    return;
  for (size_t i = 0; problem->plans && i < problem->num_queries; i++)
    dorm__oracle_plan_free(problem->plans[i]);
  for (size_t i = 0; problem->groups && i < problem->num_queries; i++)
    dorm__query_groups_clear(&problem->groups[i]);
  dorm__free(problem->groups);
  dorm__oracle_cache_free(problem->cache);
  for (size_t i = 0; problem->threads && i < problem->num_threads; i++)
    thread_clear(&problem->threads[i]);
  dorm__free(problem->c_table);
  dorm__free(problem->queries);
  dorm__free(problem->c);
  dorm__free(problem->depth);
  dorm__free(problem->plans);
  dorm__free(problem->threads);
  dorm__free(problem->point);
  dorm__free(problem->scores);
  dorm__free(problem->is_scored);
  dorm__free(problem->reach);
  dorm__free(problem);
}

static dorm_status make_threads(dorm_context *context, dorm__problem *problem)
{
  size_t num_features = problem->features->num_features;
  size_t num_sparse = problem->features->row_start ? num_features : 0;
  for (size_t i = 0; i < problem->num_threads; i++) {
    dorm__thread *thread = &problem->threads[i];
    thread->failed_query = SIZE_MAX;
    thread->vectors = dorm__pool_of(num_features * sizeof(double));
    dorm_status status = dorm__oracle_workspace_new(context, problem->max_docs, &thread->workspace);
    if (status != DORM_OK)
      return status;
    thread->scores = dorm__alloc(problem->max_docs, sizeof *thread->scores);
    thread->weights = dorm__alloc(problem->max_docs, sizeof *thread->weights);
    thread->order = dorm__alloc(problem->max_docs, sizeof *thread->order);
    thread->docs = dorm__alloc(2 * problem->max_docs, sizeof *thread->docs);
    thread->sum = dorm__alloc_zero(num_features, sizeof *thread->sum);
    thread->is_touched = dorm__alloc_zero(num_sparse, sizeof *thread->is_touched);
    thread->touched = dorm__alloc(num_sparse, sizeof *thread->touched);
    if (!thread->scores || !thread->weights || !thread->order || !thread->docs || !thread->sum || !thread->is_touched ||
        !thread->touched)
      return dorm__out_of_memory(context, "a thread");
  }
  return DORM_OK;
}

size_t dorm__problem_threads(size_t num_entries, size_t num_threads)
{
  return (double)num_entries < smallest_parallel_work ? 1 : num_threads;
}

dorm__thread *dorm__problem_thread(const dorm__problem *problem)
{
  return &problem->threads[omp_get_thread_num()];
}

double dorm__next_phase(dorm__thread *thread)
{
  double now = dorm__seconds();
  double seconds = now - thread->phase_started;
  thread->phase_started = now;
  return seconds;
}

double dorm__oracle_phase(dorm__thread *thread)
{
  double seconds = dorm__next_phase(thread);
  thread->method_seconds[dorm__oracle_workspace_counts(thread->workspace)->last] += seconds;
  return seconds;
}

const dorm__query_loss *dorm__problem_loss(const dorm__problem *problem, size_t query)
{
  return dorm__loss_tables_query(problem->losses, problem->queries[query]);
}

dorm_status dorm__problem_fail(dorm_context *context, const dorm__problem *problem, size_t query)
{
  uint64_t failed_checks = 0;
  const char *failure = "";
  for (size_t i = 0; i < problem->num_threads; i++)
    if (problem->threads[i].failed_query == query)
      return dorm__fail(context, problem->threads[i].failed, "query %s: %.900s",
                        dorm_dataset_query_id(problem->dataset, problem->queries[query]),
                        problem->threads[i].failure.message);
  dorm_status status = DORM_OK;
  for (size_t i = 0; i < problem->num_threads; i++) {
    failed_checks += dorm__oracle_workspace_counts(problem->threads[i].workspace)->failed_checks;
    if (!*failure)
      failure = dorm__oracle_failure(problem->threads[i].workspace, &status);
  }
  if (*failure)
    return dorm__fail(context, status, "%s: query %s: %s", problem->dataset->name,
                      dorm_dataset_query_id(problem->dataset, problem->queries[query]), failure);
  return dorm__fail(context, DORM_NUMERICAL_FAILURE, "%s: query %s: %s", problem->dataset->name,
                    dorm_dataset_query_id(problem->dataset, problem->queries[query]),
                    failed_checks ? "the oracle's ranking is not the best" : "the scores left the range of numbers");
}

/* Through the loss; every document has a coefficient. The first failure of a
 * thread is its last call. */
static dorm_status find_worst(const dorm__problem *problem, size_t query, dorm__thread *thread, double *loss)
{
  const dorm__query_loss *asked = dorm__problem_loss(problem, query);
  if (thread->failed_query != SIZE_MAX)
    return thread->failed;
  for (size_t j = 0; j < asked->num_docs; j++) {
    if (!isfinite(thread->scores[j]))
      return DORM_NUMERICAL_FAILURE;
    thread->order[j] = (uint32_t)j;
  }
  dorm_status status = dorm__loss_find_worst(&thread->failure, asked->structured, problem->dataset,
                                             problem->queries[query], thread->scores, thread->weights, loss);
  if (status != DORM_OK) {
    thread->failed_query = query;
    thread->failed = status;
  }
  return status;
}

dorm_status dorm__problem_most_violated(const dorm__problem *problem, size_t query, dorm__thread *thread,
                                        const double **weights, double *loss)
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

/* 2 (|c|^2 - <c, c reversed>): the largest squared distance of c over two rankings. */
static double largest_distance(size_t count, const double *c)
{
  double sum = 0;
  for (size_t p = 0; p < count; p++)
    sum += c[p] * (c[p] - c[count - 1 - p]);
  return 2 * fmax(0, sum);
}

/* coefficient_j <= value(s e_j) / s for each output and s > 0, since Delta >= 0; from
 * below likewise with -s. */
static double bound_coefficients(const dorm__problem *problem, size_t query)
{
  dorm__thread *thread = &problem->threads[0];
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

double dorm__problem_reach(const dorm__problem *problem, size_t query)
{
  const dorm__query_loss *loss = dorm__problem_loss(problem, query);
  if (!loss->structured)
    return largest_distance(loss->num_docs, problem->c[query]);
  if (isnan(problem->reach[query]))
    problem->reach[query] = bound_coefficients(problem, query);
  return problem->reach[query];
}

/* An assignment problem in the general form, and with groups. Where a programme
 * stopped early its bound: Delta is then too large by a constant, and never
 * below 0. */
dorm_status dorm__problem_set_minimum(dorm_context *context, dorm__problem *problem, size_t query)
{
  dorm__thread *thread = dorm__problem_thread(problem);
  const dorm__query_loss *loss = dorm__problem_loss(problem, query);
  double value;
  memset(thread->scores, 0, loss->num_docs * sizeof *thread->scores);
  if (dorm__oracle_solve(problem->plans[query], thread->workspace, thread->scores, -1, thread->order, &value) !=
      DORM_OK)
    return dorm__problem_fail(context, problem, query);
  dorm__loss_tables_set_minimum(problem->losses, problem->queries[query],
                                -value - dorm__oracle_excess(thread->workspace));
  return DORM_OK;
}

static dorm_status make_plan(dorm_context *context, dorm__problem *problem, size_t i, bool c_is_loss,
                             dorm__oracle_method method)
{
  const dorm__query_loss *loss = dorm__problem_loss(problem, i);
  if (loss->structured)
    return DORM_OK;
  if (c_is_loss && !loss->a)
    return dorm__fail(context, DORM_BAD_USAGE,
                      "ranking.position_weights = loss needs a loss of product form; name "
                      "another, for example power:0.5");
  problem->c[i] = c_is_loss ? loss->a : problem->c_table;
  if (!loss->cost)
    return dorm__oracle_plan_new(context, problem->cache, method, loss->num_docs, loss->a, loss->b, problem->c[i],
                                 &problem->plans[i]);
  dorm_status status =
      dorm__oracle_plan_new_general(context, method, loss->num_docs, loss->cost, problem->c[i], &problem->plans[i]);
  return status == DORM_OK ? dorm__problem_set_minimum(context, problem, i) : status;
}

/* The plans of all queries, in parallel. */
static dorm_status make_plans(dorm_context *context, dorm__problem *problem, bool c_is_loss, dorm__oracle_method method)
{
  size_t num_threads = problem->num_threads;
  dorm__team *team = NULL;
  dorm_status status = dorm__team_new(context, num_threads, "the plans of an oracle", &team);
  if (status != DORM_OK)
    return status;
#pragma omp parallel for schedule(static, 1) num_threads((int)num_threads)
  for (size_t share = 0; share < num_threads; share++) {
    size_t end = (share + 1) * problem->num_queries / num_threads;
    for (size_t i = share * problem->num_queries / num_threads; i < end && !dorm__team_skips(team, i); i++) {
      dorm__team_note(team, i, make_plan(dorm__team_context(team), problem, i, c_is_loss, method));
      if (problem->c[i])
        problem->depth[i] = dorm__weights_depth(dorm__problem_loss(problem, i)->num_docs, problem->c[i]);
    }
  }
  return dorm__team_end(context, team);
}

dorm_status dorm__problem_new(dorm_context *context, const dorm_dataset *dataset, const dorm__features *features,
                              dorm__loss_tables *losses, const char *position_weights, dorm__oracle_method method,
                              size_t num_threads, dorm__problem **problem)
{
  dorm_status status = DORM_OK;
  *problem = NULL;
  dorm__problem *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return dorm__out_of_memory(context, "a training problem");
  made->dataset = dataset;
  made->features = features;
  made->losses = losses;
  made->num_threads = dorm__problem_threads(features->row_start ? features->row_start[features->num_docs]
                                                                : dataset->num_docs * features->num_features,
                                            num_threads);
  made->max_docs = dorm__dataset_max_docs(dataset);
  made->c_table = dorm__alloc_zero(made->max_docs, sizeof *made->c_table);
  made->queries = dorm__alloc_zero(dataset->num_queries, sizeof *made->queries);
  made->c = dorm__alloc_zero(dataset->num_queries, sizeof *made->c);
  made->depth = dorm__alloc_zero(dataset->num_queries, sizeof *made->depth);
  made->plans = dorm__alloc_zero(dataset->num_queries, sizeof *made->plans);
  made->threads = dorm__alloc_zero(made->num_threads, sizeof *made->threads);
  made->point = dorm__alloc_zero(features->num_features, sizeof *made->point);
  made->scores = dorm__alloc(dataset->num_docs, sizeof *made->scores);
  made->is_scored = dorm__alloc_zero(dataset->num_queries, sizeof *made->is_scored);
  made->reach = dorm__alloc(dataset->num_queries, sizeof *made->reach);
  if (!made->c_table || !made->queries || !made->c || !made->depth || !made->plans || !made->threads || !made->point ||
      !made->scores || !made->is_scored || !made->reach) {
    status = dorm__out_of_memory(context, "a training problem");
    goto done;
  }
  bool c_is_loss = strcmp(position_weights, "loss") == 0;
  if (!c_is_loss)
    status = dorm__position_weights(context, position_weights, made->max_docs, made->c_table);
  if (status == DORM_OK)
    status = make_threads(context, made);
  if (status == DORM_OK)
    status = dorm__oracle_cache_new(context, &made->cache);
  for (size_t q = 0; q < dataset->num_queries; q++)
    if (dorm__loss_tables_query(losses, q)->trains) {
      made->reach[made->num_queries] = NAN;
      made->depth[made->num_queries] = dorm__loss_tables_query(losses, q)->num_docs;
      made->queries[made->num_queries++] = q;
    }
  if (status == DORM_OK)
    status = make_plans(context, made, c_is_loss, method);
  if (status != DORM_OK)
    goto done;
  *problem = made;
  made = NULL;
done:
  dorm__problem_free(made);
  return status;
}

const double *dorm__problem_at(const dorm__problem *problem, const double *w)
{
  size_t size = problem->features->num_features * sizeof *w;
  if (w != problem->point && memcmp(w, problem->point, size) != 0) {
    memcpy(problem->point, w, size);
    memset(problem->is_scored, 0, problem->dataset->num_queries * sizeof *problem->is_scored);
  }
  return problem->point;
}

void dorm__problem_know(const dorm__problem *problem, const double *w, const double *scores)
{
  dorm__problem_at(problem, w);
  memcpy(problem->scores, scores, problem->dataset->num_docs * sizeof *scores);
  memset(problem->is_scored, 1, problem->dataset->num_queries * sizeof *problem->is_scored);
}

const double *dorm__problem_scores(const dorm__problem *problem, const double *w)
{
  const size_t *start = problem->dataset->query_start;
  w = dorm__problem_at(problem, w);
#pragma omp parallel for schedule(static) num_threads((int)problem->num_threads)
  for (size_t q = 0; q < problem->dataset->num_queries; q++) {
    if (!problem->is_scored[q])
      dorm__features_score(problem->features, start[q], start[q + 1] - start[q], w, problem->scores + start[q]);
    problem->is_scored[q] = true;
  }
  return problem->scores;
}

void dorm__problem_score(const dorm__problem *problem, size_t query, const double *w, dorm__thread *thread)
{
  size_t number = problem->queries[query];
  size_t first = problem->dataset->query_start[number];
  size_t count = problem->dataset->query_start[number + 1] - first;
  if (w == problem->point && problem->is_scored[number]) {
    memcpy(thread->scores, problem->scores + first, count * sizeof *thread->scores);
    return;
  }
  dorm__features_score_in_turn(problem->features, first, count, w, thread->scores);
  if (w == problem->point) {
    memcpy(problem->scores + first, thread->scores, count * sizeof *thread->scores);
    problem->is_scored[number] = true;
  }
}

dorm_status dorm__problem_violation(const dorm__problem *problem, size_t query, const double *w, dorm__thread *thread,
                                    const double **weights, double *loss, double *value)
{
  const dorm__query_loss *tables = dorm__problem_loss(problem, query);
  dorm__next_phase(thread);
  if (tables->b)
    dorm__fetch(tables->b, tables->num_docs * sizeof *tables->b);
  if (problem->plans[query])
    dorm__oracle_plan_fetch(problem->plans[query]);
  dorm__problem_score(problem, query, w, thread);
  thread->score_seconds += dorm__next_phase(thread);
  dorm_status status = dorm__problem_most_violated(problem, query, thread, weights, loss);
  if (status == DORM_OK) {
    *value = *loss;
    for (size_t p = 0; p < problem->depth[query]; p++)
      *value += (*weights)[p] * thread->scores[thread->order[p]];
  }
  thread->oracle_seconds += dorm__oracle_phase(thread);
  return status;
}

static bool combine_sparse(const dorm__problem *problem, size_t first, size_t count, const uint32_t *docs,
                           const double *weights, dorm__thread *thread, dorm__vector *phi)
{
  size_t num_touched = 0;
  for (size_t i = 0; i < count; i++) {
    if (weights[i] == 0)
      continue;
    dorm__row row = dorm__features_row(problem->features, first + docs[i]);
    for (size_t e = 0; e < row.count; e++) {
      uint32_t f = row.indices[e];
      if (!thread->is_touched[f]) {
        thread->is_touched[f] = true;
        thread->touched[num_touched++] = f;
      }
      thread->sum[f] += weights[i] * (double)row.values[e];
    }
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

bool dorm__problem_combine(const dorm__problem *problem, size_t query, size_t count, const uint32_t *docs,
                           const double *weights, dorm__thread *thread, dorm__vector *phi)
{
  size_t first = problem->dataset->query_start[problem->queries[query]];
  size_t num_features = problem->features->num_features;
  if (problem->features->row_start)
    return combine_sparse(problem, first, count, docs, weights, thread, phi);
  if (!dorm__vector_take(phi, num_features, &thread->vectors))
    return false;
  phi->count = num_features;
  memset(phi->values, 0, num_features * sizeof *phi->values);
  for (size_t i = 0; i < count; i++) {
    if (i + ROWS_AHEAD < count && weights[i + ROWS_AHEAD] != 0)
      dorm__features_fetch(problem->features, first + docs[i + ROWS_AHEAD]);
    if (weights[i] != 0)
      dorm__features_add(problem->features, first + docs[i], weights[i], phi->values);
  }
  return true;
}

bool dorm__problem_output_vector(const dorm__problem *problem, size_t query, const double *weights,
                                 dorm__thread *thread, dorm__vector *phi)
{
  return dorm__problem_combine(problem, query, problem->depth[query], thread->order, weights, thread, phi);
}
