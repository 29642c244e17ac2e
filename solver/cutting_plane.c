/*
 * cutting_plane.c: the cutting-plane loop. A pass at a fixed point scores all documents there and asks the oracle for
 * the most violated ranking of every query (in parallel). This gives the exact primal value and rankings for the
 * working set. A sequential pass (sweeps.c) gives better rankings and a higher dual, but no primal value. After a pass
 * of either kind the working set is swept until its own duality gap is small compared with the gap of the whole
 * problem. The dual value never falls, and the best primal point is kept.
 *
 * Each query has a column set and a slack (Tsochantaridis et al. 2005). The first pass is at the start. Then follow
 * sequential passes, at most three in a row, until their estimate of the gap is small enough. A pass at a fixed point
 * then measures the gap.
 */
#include "base/processes.h"
#include "solver/columns.h"
#include "solver/problem.h"
#include "solver/working_set.h"

#include <math.h>
#include <string.h>

/* Inner accuracy: the sweeps end when the working set's gap is below a share of the gap of the whole problem, and below
 * gain_share times the gain of the dual value since the pass.
 *
 * The share is the number of columns per document, within limits, since a sweep costs as much as its columns and a pass
 * as its documents. If columns are few, sweeps are cheap and save passes: 3,000 queries of 120 documents take 5 passes
 * with least_share and 8 with most_share. If they are many, sweeps would take most of the time, for an accuracy that
 * the next pass cannot use.
 *
 * If the dual value hardly gains, only the gap left in the working set may be missing, however small it is beside the
 * gap of the whole problem. Without gain_share some problems (mwta and the listed reference on MQ2008) take a thousand
 * passes instead of twenty.
 *
 * In any case the sweeps end at least_share of the required gap. */
static const double most_share = 0.3;
static const double least_share = 0.03;
static const double gain_share = 10;
/* If the columns take more bytes, those with alpha = 0 are dropped. */
static const size_t most_bytes = 2048000000;
enum {
  MOST_SWEEPS = 300,        /* after a pass at a fixed point */
  MOST_SWEEPS_BETWEEN = 100 /* before the first pass and after a sequential one, when the next pass gains more */
};
/* After this number of passes, sweeps that creep are followed by moves of all column sets together (working_set.h).
 * Otherwise some problems of tests/unit/problems_test.c take hundreds of times as many passes. */
enum { PASSES_BEFORE_GOING_ON = 6 };
/* The largest number of sequential passes in a row. They only estimate the gap, and a pass at a fixed point measures
 * it. */
enum { MOST_SEQUENTIAL = 3 };
/* A pass at a fixed point is made between the best point and the solution of the working set, at least the part
 * least_way of the way. Cuts are deeper there than at the solution itself, which jumps about while there are few cuts.
 * If the best point is poor, the pass is made further along. The primal is convex, so the best point's part in the new
 * one then adds at most kept_share of the required gap to the primal value. On the validation parts of MQ2008, models
 * trained with a kept_share of 0, 0.1, 0.3, 0.5 and 0.8 do not differ measurably. */
static const double least_way = 0.8;
static const double kept_share = 0.3;
enum { IDLE_LIMIT = 5 }; /* passes without weight after which a column leaves */

static const double largest_excess = 1e-6; /* of the dual over the primal by rounding, as a share of 1 + primal */

typedef struct oracle_pass {
  dorm__region memory; /* of the arrays */
  dorm__vector *phi;   /* [num_queries] feature maps of the wanted rankings */
  bool *is_wanted;     /* [num_queries] whether the ranking becomes a column */
  double *loss;        /* [num_queries] */
  double *slack;       /* [num_queries] xi at the w of the pass, excess included */
  double *excess;      /* [num_queries] bound on how much a ranking that the oracle missed exceeds the one it found */
  double *w;           /* [num_features] the point of the pass */
  double primal;
} oracle_pass;

static dorm_status pass_init(dorm_context *context, size_t num_queries, size_t num_features, oracle_pass *pass)
{
  dorm__region *memory = &pass->memory;
  pass->phi = dorm__region_take_zero(memory, num_queries, sizeof *pass->phi);
  pass->is_wanted = dorm__region_take_zero(memory, num_queries, sizeof *pass->is_wanted);
  pass->loss = dorm__region_take_zero(memory, num_queries, sizeof *pass->loss);
  pass->slack = dorm__region_take_zero(memory, num_queries, sizeof *pass->slack);
  pass->excess = dorm__region_take_zero(memory, num_queries, sizeof *pass->excess);
  pass->w = dorm__region_take_zero(memory, num_features, sizeof *pass->w);
  return memory->is_short ? dorm__out_of_memory(context, "an oracle pass") : DORM_OK;
}

static void pass_clear(oracle_pass *pass, size_t num_queries)
{
  for (size_t i = 0; pass->phi && i < num_queries; i++)
    dorm__vector_clear(&pass->phi[i]);
  dorm__region_clear(&pass->memory);
}

/* Finds the most violated ranking of one query at the working set's point. Makes its feature map if its slack is more
 * than `tolerance` above the largest margin of the query's columns. Leaves no message. */
static dorm_status find_violated(const dorm__working_set *set, size_t query, double tolerance, dorm__thread *thread,
                                 oracle_pass *pass)
{
  const dorm__problem *problem = set->problem;
  const dorm__columns *columns = &set->sets[query];
  const double *weights = NULL;
  dorm__columns_fetch(columns);
  dorm_status status =
      dorm__output_violation(problem, query, set->point, NULL, thread,
                             &(const dorm__violation){&weights, &pass->loss[query], &pass->slack[query]});
  if (status != DORM_OK)
    return status;
  double excess = dorm__oracle_excess(thread->workspace);
  const double *w = dorm__scored_point_weights(set->point);
  double slack = fmax(0, pass->slack[query] - dorm__vector_dot(&columns->reference, w));
  bool is_wanted = slack > dorm__columns_margins(columns, w, NULL) + tolerance;
  pass->slack[query] = slack + excess; /* keeps the primal value an upper bound if a programme stopped early */
  pass->excess[query] = excess;
  pass->is_wanted[query] = is_wanted;
  if (is_wanted && !dorm__output_vector(problem, query, weights, thread, &pass->phi[query]))
    status = DORM_OUT_OF_MEMORY;
  thread->column_seconds += dorm__next_phase(thread);
  return status;
}

/* Weights and values of the queries, for a weighted sum. */
typedef struct weighted {
  const double *weights;
  const double *values;
} weighted;

static void add_weighted(const void *user, size_t query, double *sum)
{
  const weighted *numbers = user;
  *sum += numbers->weights[query] * numbers->values[query];
}

/* Makes the pass at pass->w: finds the slacks, the primal value and the wanted rankings. */
static dorm_status run_oracles(dorm_context *context, const dorm__working_set *set, double C, double tolerance,
                               oracle_pass *pass)
{
  const dorm__problem *problem = set->problem;
  dorm__scored_point_move(set->point, pass->w);
#pragma omp parallel for schedule(static) num_threads((int)problem->workers.count)
  for (size_t i = 0; i < problem->num_queries; i++) {
    dorm__thread *thread = dorm__problem_thread(problem);
    if (dorm__team_skips(problem->team, i))
      continue;
    dorm_status status = find_violated(set, i, tolerance, thread, pass);
    if (status != DORM_OK)
      dorm__team_note(problem->team, i,
                      dorm__thread_explain(dorm__team_context(problem->team), thread, problem->dataset,
                                           problem->queries[i], status));
  }
  dorm_status status = dorm__team_settle(context, problem->team);
  if (status != DORM_OK)
    return status;
  double slack = dorm__sum_queries(problem, 0, add_weighted, &(weighted){problem->weights, pass->slack});
  pass->primal = dorm__working_set_regulariser(set, pass->w) + C * slack;
  return DORM_OK;
}

/* Makes columns of the wanted rankings. */
static dorm_status add_columns(dorm_context *context, dorm__working_set *set, oracle_pass *pass, size_t *num_added)
{
  const dorm__problem *problem = set->problem;
  size_t num_features = dorm__problem_width(problem);
  *num_added = 0;
  for (size_t i = 0; i < problem->num_queries; i++)
    *num_added += pass->is_wanted[i];
#pragma omp parallel for schedule(static) num_threads((int)problem->workers.count)
  for (size_t i = 0; i < problem->num_queries; i++) {
    double *sum = dorm__problem_thread(problem)->sum;
    if (pass->is_wanted[i] && !dorm__columns_add(&set->sets[i], num_features, &pass->phi[i], pass->loss[i], sum))
      dorm__team_note(problem->team, i, dorm__out_of_memory(dorm__team_context(problem->team), "a working set"));
  }
  dorm__count_all(problem, 1, num_added);
  return dorm__team_settle(context, problem->team);
}

/* ---- The loop ---------------------------------------------------------------------- */

typedef struct cutting_plane {
  dorm_context *context;
  dorm__working_set *set;
  const dorm__cutting_plane_options *options;
  dorm_certificate *certificate;
  oracle_pass pass;  /* at a fixed point */
  double qp_seconds; /* spent outside of passes */
  double started;    /* minus the seconds of the interrupted solve, if any, that this one continues */
  bool is_stuck;     /* no ranking is left to add, and the excess of programmes that stopped early is above the gap */
} cutting_plane;

static void measure(cutting_plane *loop)
{
  const dorm__problem *problem = loop->set->problem;
  dorm_certificate *certificate = loop->certificate;
  double gap = certificate->primal - certificate->dual;
  if (certificate->primal > 0)
    certificate->gap = fmax(0, gap) / certificate->primal;
  else
    certificate->gap = certificate->primal >= 0 ? 0 : INFINITY; /* the primal value is not a number */
  certificate->num_columns = dorm__working_set_num_columns(loop->set);
  certificate->num_support = dorm__working_set_num_support(loop->set);
  certificate->seconds = dorm__seconds() - loop->started;
  certificate->score_seconds = 0;
  certificate->oracle_seconds = 0;
  certificate->qp_seconds = loop->qp_seconds;
  certificate->join_seconds = problem->workers.threads[0].join_seconds;
  certificate->num_barriers = problem->workers.threads[0].num_barriers;
  for (size_t i = 0; i < problem->workers.count; i++) {
    certificate->score_seconds += problem->workers.threads[i].score_seconds / (double)problem->workers.count;
    certificate->oracle_seconds += problem->workers.threads[i].oracle_seconds / (double)problem->workers.count;
    certificate->qp_seconds += problem->workers.threads[i].column_seconds / (double)problem->workers.count;
  }
}

/* Returns the limits of the sweeps after a pass. `missing` is the present gap of the whole problem, `wanted` the
 * required one. */
static dorm__sweep_limits sweep_limits(const cutting_plane *loop, double missing, double wanted)
{
  double share = (double)loop->certificate->num_columns / (double)loop->set->problem->all.docs;
  return (dorm__sweep_limits){
      .tolerance = fmin(most_share, fmax(least_share, share)) * missing,
      .gain_share = gain_share,
      .dual = loop->certificate->dual,
      .least_tolerance = least_share * fmin(missing, wanted),
      .enough = INFINITY,
      .most_sweeps = MOST_SWEEPS,
      .goes_on = loop->certificate->iterations >= PASSES_BEFORE_GOING_ON,
  };
}

/* Sweeps the columns of an earlier solve before the first pass over the data, since they cost much less than a pass. */
static dorm_status use_old_columns(cutting_plane *loop)
{
  dorm__working_set *set = loop->set;
  double started = dorm__seconds();
  dorm__sweep_limits limits = {.enough = INFINITY, .most_sweeps = MOST_SWEEPS_BETWEEN, .of_dual = least_share};
  dorm_status status = dorm__working_set_solve(loop->context, set, loop->options->C, &limits);
  loop->qp_seconds += dorm__seconds() - started;
  return status;
}

/* Returns the amount that programmes that stopped early add to the primal value. */
static double excess_of(const cutting_plane *loop)
{
  const dorm__problem *problem = loop->set->problem;
  return loop->options->C *
         dorm__sum_queries(problem, 0, add_weighted, &(weighted){problem->weights, loop->pass.excess});
}

/* Returns the dual value that proves the best primal value to be within the required gap. */
static double dual_enough(const cutting_plane *loop)
{
  return (1 - loop->options->gap) * loop->certificate->primal;
}

/* Adds the rankings of a pass at a fixed point and raises the dual on the working set. */
static dorm_status improve_dual(cutting_plane *loop)
{
  dorm__working_set *set = loop->set;
  double started = dorm__seconds();
  double wanted = loop->options->gap * loop->certificate->primal;
  size_t num_added = 1;
  dorm_status status = add_columns(loop->context, set, &loop->pass, &num_added);
  /* With nothing left to add, only the sweeps can close the gap. */
  double excess = num_added ? 0 : excess_of(loop);
  loop->is_stuck = !num_added && excess > wanted;
  double missing = num_added ? fmax(wanted, loop->pass.primal - loop->certificate->dual) : 0.5 * wanted;
  dorm__sweep_limits limits = sweep_limits(loop, missing, wanted);
  limits.enough = dual_enough(loop);
  if (status == DORM_OK)
    status = dorm__working_set_solve(loop->context, set, loop->options->C, &limits);
  loop->qp_seconds += dorm__seconds() - started;
  return status;
}

/* Computes point = (1 - part) best + part (the working set's solution). It is within the bounds since both ends are. */
static void choose_point(const dorm__working_set *set, const double *best, double part, double *point)
{
  for (size_t f = 0; f < dorm__problem_width(set->problem); f++)
    point[f] = part >= 1 ? set->w[f] : best[f] + part * (set->w[f] - best[f]);
}

/* Returns the smallest violation that makes a column. All violations left out add up to a small part of the required
 * gap. */
static double violation_tolerance(const cutting_plane *loop)
{
  double total_weight = loop->set->problem->all.weight + 1;
  return least_share * loop->options->gap * loop->certificate->primal / (loop->options->C * total_weight);
}

static bool must_stop(const cutting_plane *loop)
{
  double deadline = loop->options->deadline;
  bool is_stopping = deadline > 0 && dorm__seconds() > deadline;
  dorm__processes_stop(loop->context, &is_stopping); /* a failure is found again in the next call to the processes */
  return is_stopping;
}

/* Returns how far the next pass lies on the way from the best point to the working set's solution, 0 to 1. */
static double way_to_solution(const cutting_plane *loop)
{
  return fmax(least_way, 1 - kept_share * loop->options->gap / loop->certificate->gap);
}

/* Makes a pass at a fixed point. w becomes that point if it is the best so far. The first pass of an empty working set
 * is made at the given w, since the rankings violated there are more useful than those at w = 0, which has equal
 * scores. */
static dorm_status pass_at_point(cutting_plane *loop, double *w)
{
  dorm__working_set *set = loop->set;
  dorm_certificate *certificate = loop->certificate;
  bool is_first = !certificate->iterations;
  bool is_empty = is_first && dorm__working_set_num_columns(set) == 0;
  choose_point(set, w, is_empty ? 0 : is_first ? 1 : way_to_solution(loop), loop->pass.w);
  double tolerance = is_first ? 0 : violation_tolerance(loop);
  dorm_status status = run_oracles(loop->context, set, loop->options->C, tolerance, &loop->pass);
  if (status != DORM_OK)
    return status;
  set->num_sequential = 0;
  set->estimate = INFINITY;
  if (is_first || loop->pass.primal < certificate->primal) {
    certificate->primal = loop->pass.primal;
    memcpy(w, loop->pass.w, dorm__problem_width(set->problem) * sizeof *w);
  }
  measure(loop);
  return certificate->gap <= loop->options->gap ? DORM_OK : improve_dual(loop);
}

static dorm_status sequential_pass(cutting_plane *loop)
{
  dorm__working_set *set = loop->set;
  const dorm__cutting_plane_options *options = loop->options;
  dorm_status status =
      dorm__working_set_pass(loop->context, set, options->C, violation_tolerance(loop), &set->estimate);
  set->num_sequential++;
  double started = dorm__seconds();
  if (status == DORM_OK) {
    double wanted = options->gap * loop->certificate->dual;
    dorm__sweep_limits limits = sweep_limits(loop, fmax(wanted, set->estimate), wanted);
    limits.most_sweeps = MOST_SWEEPS_BETWEEN;
    status = dorm__working_set_solve(loop->context, set, options->C, &limits);
  }
  loop->qp_seconds += dorm__seconds() - started;
  return status;
}

static bool wants_sequential(const cutting_plane *loop)
{
  const dorm__working_set *set = loop->set;
  return loop->certificate->iterations && set->num_sequential < MOST_SEQUENTIAL &&
         set->estimate > loop->options->gap * loop->certificate->dual;
}

/* Makes passes until the gap is reached. w becomes the point of the best primal value. The certificate gets that value
 * and the dual value. */
static dorm_status iterate(cutting_plane *loop, double *w)
{
  const dorm__cutting_plane_options *options = loop->options;
  dorm_certificate *certificate = loop->certificate;
  dorm__working_set *set = loop->set;
  if (!certificate->iterations && dorm__working_set_num_columns(set) > 0) {
    dorm_status status = use_old_columns(loop);
    if (status != DORM_OK)
      return status;
    certificate->dual = fmax(0, dorm__working_set_dual(set));
  }
  /* Each call makes at least one pass, so that a training that is stopped and resumed again and again makes
   * progress. */
  for (bool is_first = true; certificate->iterations < options->max_iterations && (is_first || !must_stop(loop));
       is_first = false) {
    dorm_status status = wants_sequential(loop) ? sequential_pass(loop) : pass_at_point(loop, w);
    if (status != DORM_OK)
      return status;
    certificate->iterations++;
    certificate->dual = fmax(0, dorm__working_set_dual(set)); /* the primal is never below 0 */
    dorm__working_set_prune(set, IDLE_LIMIT, most_bytes);
    measure(loop);
    bool is_done = certificate->gap <= options->gap;
    if (options->after_pass)
      status = options->after_pass(options->user, w, certificate);
    if (status != DORM_OK || is_done)
      return status;
    if (loop->is_stuck)
      break;
  }
  return DORM_STOPPED;
}

/* Recomputes the dual value from alpha alone and compares it with the primal value of a pass at w. */
static dorm_status certify(cutting_plane *loop)
{
  dorm__working_set_refresh(loop->set);
  loop->certificate->dual = fmax(0, dorm__working_set_dual(loop->set));
  measure(loop);
  double excess = loop->certificate->dual - loop->certificate->primal;
  if (!(excess <= largest_excess * (1 + loop->certificate->primal)))
    return dorm__fail(
        loop->context, DORM_NUMERICAL_FAILURE,
        "the dual value %g came out above the primal %g: features are too large or too different in scale",
        loop->certificate->dual, loop->certificate->primal);
  return DORM_OK;
}

dorm_status dorm__cutting_plane(dorm_context *context, dorm__working_set *set,
                                const dorm__cutting_plane_options *options, double *w, dorm_certificate *certificate)
{
  cutting_plane loop = {.context = context, .set = set, .options = options, .certificate = certificate};
  size_t num_queries = set->problem->num_queries;
  for (size_t i = 0; i < set->problem->workers.count; i++) {
    set->problem->workers.threads[i].score_seconds = certificate->iterations ? certificate->score_seconds : 0;
    set->problem->workers.threads[i].oracle_seconds = certificate->iterations ? certificate->oracle_seconds : 0;
    set->problem->workers.threads[i].column_seconds = 0;
  }
  set->problem->workers.threads[0].join_seconds = certificate->iterations ? certificate->join_seconds : 0;
  set->problem->workers.threads[0].num_barriers = certificate->iterations ? certificate->num_barriers : 0;
  loop.qp_seconds = certificate->iterations ? certificate->qp_seconds : 0;
  loop.started = dorm__seconds() - (certificate->iterations ? certificate->seconds : 0);
  if (!certificate->iterations) {
    *certificate = (dorm_certificate){0};
    set->num_sequential = 0;
    set->estimate = INFINITY;
    dorm__bounds_project(&set->bounds, dorm__problem_width(set->problem), w);
  }
  dorm_status status =
      DORM__ALL(pass_init(context, num_queries, dorm__problem_width(set->problem), &loop.pass), iterate(&loop, w));
  if (status == DORM_OK || status == DORM_STOPPED) {
    dorm_status certified = certify(&loop);
    status = certified == DORM_OK ? status : certified;
  }
  if (status == DORM_STOPPED)
    dorm__fail(context, status, "stopped after %zu oracle passes at a gap of %.3g (solver.gap = %g)",
               certificate->iterations, certificate->gap, options->gap);
  pass_clear(&loop.pass, num_queries);
  return status;
}
