/*
 * cutting_plane.c: the n-slack cutting-plane loop. Each pass scores all
 * documents at w, asks the oracle for the most violated ranking of every query
 * (in parallel; this also gives the exact primal value), adds what is violated
 * to the working set and sweeps over its queries until its own duality gap is
 * small against what is still to be gained. The dual value only rises; the
 * best primal point is kept.
 *
 * Results do not depend on the number of threads: what threads compute is
 * kept by query and summed in order.
 */
#include "solver/solver.h"

#include <math.h>
#include <string.h>

/* Inner accuracy: the sweeps end when the working set's gap is below this part
 * of the gap of the whole problem, or of the gap that is asked for. */
static const double inner_share = 0.03;
enum { MOST_SWEEPS = 100, IDLE_LIMIT = 5 };

typedef struct oracle_pass {
  double *phi;   /* [num_queries][num_features] of the most violated rankings */
  double *loss;  /* [num_queries] */
  double *slack; /* [num_queries] xi at the w of the pass */
  double primal;
} oracle_pass;

static void pass_clear(oracle_pass *pass)
{
  dorm__free(pass->phi);
  dorm__free(pass->loss);
  dorm__free(pass->slack);
}

/* The most violated ranking of one query; false when its scores are not
 * finite. */
static bool find_violated(const dorm__working_set *set, size_t query, const double *w, oracle_pass *pass)
{
  const dorm__problem *problem = set->problem;
  size_t num_features = problem->features->num_features;
  const dorm__query_loss *loss = dorm__problem_loss(problem, query);
  dorm__thread *thread = dorm__problem_thread(problem);
  double *phi = pass->phi + query * num_features;
  dorm__problem_score(problem, query, w, thread);
  if (dorm__oracle_solve(problem->plans[query], thread->workspace, thread->scores, 1, thread->order, NULL) != DORM_OK)
    return false;
  dorm__problem_feature_map(problem, query, thread->order, phi);
  pass->loss[query] = dorm__query_loss_of(loss, thread->order);
  double margin = pass->loss[query] - dorm__dot(num_features, w, set->reference_phi + query * num_features);
  for (size_t p = 0; p < loss->num_docs; p++)
    margin += problem->c[query][p] * thread->scores[thread->order[p]];
  pass->slack[query] = fmax(0, margin);
  return true;
}

static dorm_status run_oracles(dorm_context *context, const dorm__working_set *set, const double *w, double C,
                               oracle_pass *pass)
{
  const dorm__problem *problem = set->problem;
  size_t failed = problem->num_queries;
#pragma omp parallel for schedule(dynamic, 8) num_threads((int)problem->num_threads) reduction(min : failed)
  for (size_t i = 0; i < problem->num_queries; i++)
    if (!find_violated(set, i, w, pass))
      failed = i < failed ? i : failed;
  if (failed < problem->num_queries)
    return dorm__problem_fail(context, problem, failed);
  pass->primal = 0.5 * dorm__dot(problem->features->num_features, w, w);
  for (size_t i = 0; i < problem->num_queries; i++)
    pass->primal += C * pass->slack[i];
  return DORM_OK;
}

/* Adds the rankings whose slack is more than the working set's by more than
 * `tolerance`. */
static dorm_status add_columns(dorm_context *context, dorm__working_set *set, const oracle_pass *pass, double tolerance,
                               size_t *num_added)
{
  size_t num_features = set->problem->features->num_features;
  *num_added = 0;
  for (size_t i = 0; i < set->problem->num_queries; i++) {
    if (!(pass->slack[i] > dorm__working_set_slack(set, i, set->w) + tolerance))
      continue;
    if (!dorm__columns_add(&set->queries[i], num_features, set->reference_phi + i * num_features,
                           pass->phi + i * num_features, pass->loss[i]))
      return dorm__out_of_memory(context, "a working set");
    ++*num_added;
  }
  return DORM_OK;
}

static dorm_status sweep_until(dorm_context *context, dorm__working_set *set, double C, double tolerance)
{
  double gap = INFINITY;
  double negligible = 0.1 * tolerance / (double)(set->problem->num_queries + 1);
  for (size_t i = 0; i < MOST_SWEEPS && gap > tolerance; i++) {
    dorm_status status = dorm__working_set_sweep(context, set, C, negligible, &gap);
    if (status != DORM_OK)
      return status;
  }
  dorm__working_set_refresh(set);
  return DORM_OK;
}

static double relative_gap(double primal, double dual)
{
  return primal > 0 ? fmax(0, primal - dual) / primal : 0;
}

static void report(const dorm__working_set *set, const dorm__cutting_plane_options *options,
                   dorm_certificate *certificate, double started)
{
  certificate->gap = relative_gap(certificate->primal, certificate->dual);
  certificate->num_columns = dorm__working_set_num_columns(set);
  certificate->seconds = dorm__seconds() - started;
  if (options->progress)
    options->progress(options->user, certificate);
}

/* Passes until the gap is reached; w is the point of the best primal value,
 * whose value and the dual one are left in the certificate. */
static dorm_status iterate(dorm_context *context, dorm__working_set *set, const dorm__cutting_plane_options *options,
                           oracle_pass *pass, double *w, dorm_certificate *certificate, double started)
{
  size_t num_features = set->problem->features->num_features;
  double num_queries = (double)(set->problem->num_queries + 1);
  certificate->primal = INFINITY;
  while (certificate->iterations < options->max_iterations && !dorm__cancelled(context)) {
    dorm_status status = run_oracles(context, set, set->w, options->C, pass);
    if (status != DORM_OK)
      return status;
    certificate->iterations++;
    certificate->dual = dorm__working_set_dual(set);
    if (pass->primal < certificate->primal) {
      certificate->primal = pass->primal;
      memcpy(w, set->w, num_features * sizeof *w);
    }
    report(set, options, certificate, started);
    if (certificate->gap <= options->gap)
      return DORM_OK;

    double wanted = options->gap * certificate->primal;
    size_t num_added;
    status = add_columns(context, set, pass, inner_share * wanted / (options->C * num_queries), &num_added);
    if (status != DORM_OK)
      return status;
    /* With nothing left to add, only the sweeps can close the gap. */
    double missing = num_added ? fmax(wanted, pass->primal - certificate->dual) : 0.5 * wanted;
    status = sweep_until(context, set, options->C, inner_share * missing);
    if (status != DORM_OK)
      return status;
    dorm__working_set_prune(set, IDLE_LIMIT);
  }
  return DORM_STOPPED;
}

dorm_status dorm__cutting_plane(dorm_context *context, dorm__working_set *set,
                                const dorm__cutting_plane_options *options, double *w, dorm_certificate *certificate)
{
  size_t num_queries = set->problem->num_queries;
  size_t num_features = set->problem->features->num_features;
  double started = dorm__seconds();
  oracle_pass pass = {0};
  *certificate = (dorm_certificate){0};
  memcpy(w, set->w, num_features * sizeof *w);
  pass.phi = dorm__alloc(num_queries, num_features * sizeof *pass.phi);
  pass.loss = dorm__alloc(num_queries, sizeof *pass.loss);
  pass.slack = dorm__alloc(num_queries, sizeof *pass.slack);
  dorm_status status = DORM_OK;
  if (!pass.phi || !pass.loss || !pass.slack)
    status = dorm__out_of_memory(context, "an oracle pass");
  else
    status = iterate(context, set, options, &pass, w, certificate, started);
  if (status == DORM_OK || status == DORM_STOPPED) {
    /* The certificate, from w and alpha alone. */
    dorm_status last = run_oracles(context, set, w, options->C, &pass);
    dorm__working_set_refresh(set);
    if (last == DORM_OK) {
      certificate->primal = pass.primal;
      certificate->dual = dorm__working_set_dual(set);
      certificate->gap = relative_gap(certificate->primal, certificate->dual);
      certificate->num_columns = dorm__working_set_num_columns(set);
      certificate->seconds = dorm__seconds() - started;
    } else {
      status = last;
    }
  }
  if (status == DORM_STOPPED)
    dorm__fail(context, status, "stopped after %zu oracle passes at a gap of %.3g (solver.gap = %g)",
               certificate->iterations, certificate->gap, options->gap);
  pass_clear(&pass);
  return status;
}
