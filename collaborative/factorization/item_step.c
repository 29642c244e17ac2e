/*
 * item_step.c: solves the problem in the items' offsets and rows for fixed users,
 *
 *   minimise  L/2 (|V - V0|^2 + |o - o0|^2)
 *             + sum_u max over rankings [<c - cref, f_u> + Delta] + mu Delta_ref,
 *
 * by n-slack cutting planes. psi of a ranking of user u is cref - c, one number per item of the user, times (1, U[u])
 * in the rows of these items. So the solver's column sets are used with Phi = c [size] by place in the user's list, and
 * with the scores f_u instead of w. A column is one number per rated item, whatever the rank. For two rankings of one
 * user <psi, psi'> = <cref - c, cref - c'> (1 + |U[u]|^2), and a change of alpha moves only the user's items. Each pass
 * evaluates all users exactly and adds the violated rankings. Sweeps over the users, with an exact QP per user
 * (solver/dual_qp.c), then raise the dual.
 */
#include "base/linalg.h"
#include "base/team.h"
#include "collaborative/factorization/factorization.h"

#include <math.h>
#include <omp.h>
#include <string.h>

/* Sweeps end when their remaining gap is at most this share of the gap of the step. Halving and doubling change NDCG@10
 * by less than 0.0005 (splits 101 to 103 of MovieLens 100K, experiments/defaults/rating-constants.tsv). */
static const double inner_share = 0.1;
/* Ends the sweeps if they converge slowly. At the default gap a pass needs two to six. */
enum { MOST_SWEEPS = 300 };
/* The least curvature. Without offsets, a user at 0 moves no item, but the QP needs a curvature above 0. A larger value
 * would shorten its steps. */
static const double least_square = 1e-9;

/* The columns of one list, and its worst ranking at the last pass. */
typedef struct item_list {
  dorm__columns columns;
  double constant;  /* mu Delta_ref */
  double curvature; /* (1 + |U|^2) / L, or |U|^2 / L without offsets */
  double *weights;  /* [size], c */
  double loss;      /* Delta */
  double slack;     /* <c - cref, f> + Delta */
} item_list;

typedef struct item_problem {
  dorm__region memory; /* of the arrays below */
  dorm_context *context;
  const dorm__lists *lists;
  const dorm__point *start;
  dorm__point tried;
  dorm__point *best; /* of the caller */
  const dorm__step_options *options;
  item_list *sets; /* [num_lists] */
  double *weights; /* [start[num_lists]], memory of the sets' weights */
  double *scores;  /* [num_threads][longest] */
  double *zeros;   /* [longest] */
  double *move;    /* [longest] */
  double *scratch; /* [3][most_columns] */
  size_t most_columns;
  dorm__qp_workspace *qp;
  dorm__team *team;
} item_problem;

static double *thread_scores(const item_problem *problem)
{
  return problem->scores + (size_t)omp_get_thread_num() * problem->lists->longest;
}

/* ---- Columns ------------------------------------------------------------------------ */

/* Adds the worst ranking of the last pass, with alpha = 0. */
static bool add_worst(item_problem *problem, size_t i)
{
  item_list *set = &problem->sets[i];
  size_t size = dorm__lists_size(problem->lists, i);
  dorm__vector phi = {0};
  if (!dorm__vector_reserve(&phi, size, false))
    return false;
  phi.count = size;
  memcpy(phi.values, set->weights, size * sizeof *phi.values);
  bool is_added = dorm__columns_add(&set->columns, size, &phi, set->loss, problem->zeros);
  dorm__vector_clear(&phi);
  return is_added;
}

/* Solves the QP of one set at the scores of its list. Fills change [count] with the change of alpha, and adds to *gap
 * an upper bound of the set's share of the dual gap. */
static bool solve_set(item_problem *problem, size_t i, const double *scores, double *change, double *gap)
{
  item_list *set = &problem->sets[i];
  dorm__columns *columns = &set->columns;
  double *margins = problem->scratch;
  double *linear = margins + problem->most_columns; /* of the QP, divided by the curvature like the Hessian */
  double largest = dorm__columns_margins(columns, scores, margins);
  double held = 0;
  for (size_t k = 0; k < columns->count; k++) {
    held += columns->alpha[k] * margins[k];
    linear[k] = margins[k] / set->curvature;
    for (size_t m = 0; m < columns->count; m++)
      linear[k] += columns->gram[k * columns->capacity + m] * columns->alpha[m];
    change[k] = -columns->alpha[k];
  }
  *gap += largest - held;
  if (!dorm__qp_solve(problem->qp, columns->count, columns->capacity, columns->gram, linear, 1, columns->alpha))
    return false;
  for (size_t k = 0; k < columns->count; k++)
    change[k] += columns->alpha[k];
  return true;
}

/* ---- A pass: exact values and worst rankings ------------------------------------ */

static double pull(const item_problem *problem)
{
  const dorm__point *start = problem->start;
  const dorm__point *point = &problem->tried;
  double sum = 0;
  for (size_t i = 0; i < start->num_items; i++)
    sum += (point->offset[i] - start->offset[i]) * (point->offset[i] - start->offset[i]);
  for (size_t k = 0; k < start->num_items * start->rank; k++)
    sum += (point->item[k] - start->item[k]) * (point->item[k] - start->item[k]);
  return 0.5 * problem->options->penalty * sum;
}

static dorm_status find_worst(item_problem *problem, size_t i, double *scores)
{
  item_list *set = &problem->sets[i];
  size_t size = dorm__lists_size(problem->lists, i);
  dorm__point_scores(&problem->tried, problem->lists, i, scores);
  dorm_status status =
      dorm__lists_oracle(dorm__team_context(problem->team), problem->lists, i, scores, 1, set->weights, &set->loss);
  set->slack =
      set->loss + dorm__dot(size, set->weights, scores) - dorm__dot(size, set->columns.reference.values, scores);
  return status;
}

static dorm_status evaluate(void *user, double *value)
{
  item_problem *problem = user;
  const dorm__lists *lists = problem->lists;
#pragma omp parallel for schedule(dynamic, 8) num_threads((int)lists->num_threads)
  for (size_t i = 0; i < lists->num_lists; i++)
    if (lists->plans[i] && !dorm__team_skips(problem->team, i))
      dorm__team_note(problem->team, i, find_worst(problem, i, thread_scores(problem)));
  *value = pull(problem);
  for (size_t i = 0; i < lists->num_lists; i++)
    if (lists->plans[i])
      *value += problem->sets[i].slack + problem->sets[i].constant;
  return dorm__team_settle(problem->context, problem->team);
}

/* Adds the worst rankings of the last pass if they are worse than the columns. */
static bool add_violated(item_problem *problem, double tolerance)
{
  const dorm__lists *lists = problem->lists;
  for (size_t i = 0; i < lists->num_lists; i++) {
    item_list *set = &problem->sets[i];
    if (!lists->plans[i])
      continue;
    dorm__point_scores(&problem->tried, lists, i, problem->scores);
    if (set->slack <= dorm__columns_margins(&set->columns, problem->scores, NULL) + tolerance)
      continue;
    if (!add_worst(problem, i))
      return false;
  }
  return true;
}

/* ---- Sweeps ---------------------------------------------------------------------- */

/* Moves the user's items by sum change psi / L. */
static void move_items(item_problem *problem, size_t i, const double *change)
{
  const dorm__lists *lists = problem->lists;
  dorm__point *point = &problem->tried;
  size_t size = dorm__lists_size(lists, i);
  const uint32_t *items = lists->items + lists->start[i];
  const double *user = point->user + lists->users[i] * point->rank;
  memset(problem->move, 0, size * sizeof *problem->move);
  dorm__columns_add_psi(&problem->sets[i].columns, change, problem->move);
  for (size_t j = 0; j < size; j++) {
    double *item = point->item + items[j] * point->rank;
    double by = problem->move[j] / problem->options->penalty;
    point->offset[items[j]] += lists->has_offsets ? by : 0;
    for (size_t k = 0; k < point->rank; k++)
      item[k] += by * user[k];
  }
}

static bool sweep(item_problem *problem, double tolerance)
{
  double *change = problem->scratch + 2 * problem->most_columns;
  for (int round = 0; round < MOST_SWEEPS; round++) {
    double gap = 0;
    for (size_t i = 0; i < problem->lists->num_lists; i++) {
      if (!problem->sets[i].columns.count)
        continue;
      dorm__point_scores(&problem->tried, problem->lists, i, problem->scores);
      if (!solve_set(problem, i, problem->scores, change, &gap))
        return false;
      move_items(problem, i, change);
    }
    if (gap <= tolerance)
      break;
  }
  return true;
}

/* Returns the dual value of the current alpha. With x the offsets and rows of the items, it is sum alpha (Delta - <psi,
 * x0>) - L/2 |x - x0|^2 = sum alpha (Delta - <psi, x>) + L/2 |x - x0|^2. */
static double dual_value(item_problem *problem)
{
  const dorm__lists *lists = problem->lists;
  double sum = pull(problem);
  for (size_t i = 0; i < lists->num_lists; i++) {
    const item_list *set = &problem->sets[i];
    if (!lists->plans[i])
      continue;
    dorm__point_scores(&problem->tried, lists, i, problem->scores);
    dorm__columns_margins(&set->columns, problem->scores, problem->scratch);
    sum += set->constant;
    for (size_t k = 0; k < set->columns.count; k++)
      sum += set->columns.alpha[k] * problem->scratch[k];
  }
  return sum;
}

static dorm_status raise_dual(void *user, const dorm__step_info *info, double *dual)
{
  item_problem *problem = user;
  dorm__point *point = &problem->tried;
  double tolerance = inner_share * problem->options->gap * fabs(info->primal);
  if (dorm__cancelled(problem->context))
    return dorm__fail(problem->context, DORM_STOPPED, "stopped during the items' step");
  if (!add_violated(problem, info->passes ? tolerance / (double)(1 + problem->lists->num_lists) : 0))
    return dorm__out_of_memory(problem->context, "the items' step");
  if (!info->passes) { /* the point of alpha = 0, not the start of the step */
    memcpy(point->offset, problem->start->offset, point->num_items * sizeof(double));
    memcpy(point->item, problem->start->item, point->num_items * point->rank * sizeof(double));
  }
  if (!sweep(problem, info->passes ? fmax(tolerance, inner_share * (info->primal - info->dual)) : tolerance))
    return dorm__out_of_memory(problem->context, "the items' step");
  *dual = dual_value(problem);
  return DORM_OK;
}

static void keep(void *user)
{
  item_problem *problem = user;
  dorm__point_copy(&problem->tried, problem->best);
}

/* ---- The whole -------------------------------------------------------------------- */

/* Fixes the reference of a list at the starting point of the step. */
static dorm_status set_reference(item_problem *problem, size_t i)
{
  const dorm__lists *lists = problem->lists;
  item_list *set = &problem->sets[i];
  size_t size = dorm__lists_size(lists, i);
  const double *user = problem->tried.user + lists->users[i] * problem->tried.rank;
  double loss;
  set->weights = problem->weights + lists->start[i];
  double square = lists->has_offsets + dorm__dot(problem->tried.rank, user, user);
  set->curvature = fmax(least_square, square) / problem->options->penalty;
  if (!dorm__vector_reserve(&set->columns.reference, size, false))
    return dorm__out_of_memory(problem->context, "the items' step");
  set->columns.reference.count = size;
  dorm__point_scores(&problem->tried, lists, i, problem->scores);
  dorm_status status =
      dorm__lists_reference(problem->context, lists, i, problem->scores, set->columns.reference.values, &loss);
  set->constant = lists->mu * loss;
  return status;
}

static dorm_status prepare(item_problem *problem)
{
  const dorm__lists *lists = problem->lists;
  dorm__region *memory = &problem->memory;
  problem->most_columns = problem->options->most_passes; /* a pass adds at most one to a set */
  problem->sets = dorm__region_take_zero(memory, lists->num_lists, sizeof *problem->sets);
  problem->weights = dorm__region_take_zero(memory, lists->start[lists->num_lists], sizeof *problem->weights);
  problem->scores = dorm__region_take_zero(memory, lists->num_threads, lists->longest * sizeof *problem->scores);
  problem->zeros = dorm__region_take_zero(memory, lists->longest, sizeof *problem->zeros);
  problem->move = dorm__region_take_zero(memory, lists->longest, sizeof *problem->move);
  problem->scratch = dorm__region_take_zero(memory, problem->most_columns, 3 * sizeof *problem->scratch);
  problem->qp = dorm__qp_workspace_new();
  if (memory->is_short || !problem->qp)
    return dorm__out_of_memory(problem->context, "the items' step");
  dorm_status status = dorm__team_new(problem->context, lists->num_threads, "the items' step", &problem->team);
  for (size_t i = 0; status == DORM_OK && i < lists->num_lists; i++)
    if (lists->plans[i])
      status = set_reference(problem, i);
  return status;
}

static void release(item_problem *problem)
{
  for (size_t i = 0; problem->sets && i < problem->lists->num_lists; i++)
    dorm__columns_drop(&problem->sets[i].columns);
  dorm__team_free(problem->team);
  dorm__region_clear(&problem->memory);
  dorm__qp_workspace_free(problem->qp);
  dorm__point_clear(&problem->tried);
}

dorm_status dorm__item_step(dorm_context *context, const dorm__lists *lists, const dorm__point *start,
                            const dorm__step_options *options, dorm__point *point, dorm__step_info *info)
{
  item_problem problem = {.context = context, .lists = lists, .start = start, .best = point, .options = options};
  dorm__convex_problem convex = {&problem, evaluate, raise_dual, keep};
  *info = (dorm__step_info){0};
  if (!dorm__point_new(point->num_users, point->num_items, point->rank, &problem.tried))
    return dorm__out_of_memory(context, "the items' step");
  dorm__point_copy(point, &problem.tried);
  dorm_status status = DORM__ALL(prepare(&problem), dorm__cutting_planes(&convex, options, info));
  for (size_t i = 0; problem.sets && i < lists->num_lists; i++)
    info->columns += problem.sets[i].columns.count;
  release(&problem);
  return status;
}
