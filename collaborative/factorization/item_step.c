/*
 * item_step.c: the problem in the items' offsets and rows for fixed users,
 *
 *   minimise  L/2 (|V - V0|^2 + |o - o0|^2)
 *             + sum_u max over rankings [<c - cref, f_u> + Delta] + mu Delta_ref,
 *
 * by n-slack cutting planes. psi of a ranking of user u is (cref - c) times (1,
 * U[u]) in the rows of u's own items, so it is kept as d = cref - c, a number an
 * item, with Delta: size + 1 numbers, whatever the rank. For two rankings of one
 * user <psi, psi'> = <d, d'> (1 + |U[u]|^2), and a change of alpha moves only the
 * user's items. Each pass evaluates all users exactly and adds what is violated;
 * sweeps over the users, each an exact QP (solver/dual_qp.c), then raise the dual.
 */
#include "collaborative/factorization/item_step.h"
#include "collaborative/factorization/lists.h"
#include "collaborative/factorization/start.h"
#include "collaborative/factorization/user_step.h"
#include "solver/solver.h"

#include <math.h>
#include <omp.h>
#include <string.h>

enum { MOST_COLUMNS = 40, MOST_SWEEPS = 300 };
static const double inner_share = 0.1; /* of the gap that sweeps leave */

/* The rankings of one user. */
typedef struct item_block {
  size_t count;
  size_t capacity;
  double *columns;   /* [capacity][size], d */
  double *losses;    /* [capacity] */
  double *alpha;     /* [capacity] */
  double *reference; /* [size], cref */
  double constant;   /* mu Delta_ref */
  double norm;       /* (1 + |U|^2) / L */
  double *weights;   /* [size], of the worst ranking at the last pass */
  double loss;       /* of that */
  double slack;      /* <c - cref, f> + Delta of that */
} item_block;

typedef struct item_problem {
  dorm_context *context;
  const dorm__lists *lists;
  const dorm__point *start;
  dorm__point *point; /* the point tried */
  double penalty;
  item_block *blocks; /* [num_lists] */
  double *numbers;    /* what blocks point into: references and weights */
  double *scratch;    /* [num_threads][scratch_size] */
  size_t scratch_size;
  dorm__qp_workspace *qp;
} item_problem;

/* ---- Columns ------------------------------------------------------------------ */

static void block_clear(item_block *block)
{
  dorm__free(block->columns);
  dorm__free(block->losses);
  dorm__free(block->alpha);
}

static bool block_reserve(item_block *block, size_t size)
{
  if (block->count < block->capacity)
    return true;
  size_t capacity = 2 * block->capacity + 4;
  double *columns = dorm__realloc(block->columns, capacity, size * sizeof *columns);
  if (columns)
    block->columns = columns;
  double *losses = dorm__realloc(block->losses, capacity, sizeof *losses);
  if (losses)
    block->losses = losses;
  double *alpha = dorm__realloc(block->alpha, capacity, sizeof *alpha);
  if (alpha)
    block->alpha = alpha;
  if (!columns || !losses || !alpha)
    return false;
  block->capacity = capacity;
  return true;
}

/* Drops rankings without weight once there are many. */
static void block_prune(item_block *block, size_t size)
{
  size_t kept = 0;
  if (block->count < MOST_COLUMNS)
    return;
  for (size_t k = 0; k < block->count; k++)
    if (block->alpha[k] > 0) {
      memmove(block->columns + kept * size, block->columns + k * size, size * sizeof(double));
      block->losses[kept] = block->losses[k];
      block->alpha[kept++] = block->alpha[k];
    }
  block->count = kept;
}

static double dot(size_t size, const double *x, const double *y)
{
  double sum = 0;
  for (size_t j = 0; j < size; j++)
    sum += x[j] * y[j];
  return sum;
}

/* The largest margin Delta - <d, f> of the rankings held. */
static double held_slack(const item_block *block, size_t size, const double *scores)
{
  double slack = 0;
  for (size_t k = 0; k < block->count; k++)
    slack = fmax(slack, block->losses[k] - dot(size, block->columns + k * size, scores));
  return slack;
}

/* ---- A pass: exact values and worst rankings ------------------------------------ */

static double distance_of(const item_problem *problem, const dorm__point *point)
{
  const dorm__point *start = problem->start;
  double sum = 0;
  for (size_t i = 0; i < start->num_items; i++)
    sum += (point->offset[i] - start->offset[i]) * (point->offset[i] - start->offset[i]);
  for (size_t k = 0; k < start->num_items * start->rank; k++)
    sum += (point->item[k] - start->item[k]) * (point->item[k] - start->item[k]);
  return sum;
}

static dorm_status make_pass(item_problem *problem, double *value)
{
  const dorm__lists *lists = problem->lists;
  dorm_status status = DORM_OK;
#pragma omp parallel for schedule(dynamic, 8) num_threads((int)lists->num_threads)
  for (size_t i = 0; i < lists->num_lists; i++) {
    item_block *block = &problem->blocks[i];
    size_t size = dorm__lists_size(lists, i);
    double *scores = problem->scratch + (size_t)omp_get_thread_num() * problem->scratch_size;
    if (!lists->plans[i])
      continue;
    dorm__point_scores(problem->point, lists, i, scores);
    dorm_status failed = dorm__lists_oracle(lists, i, scores, 1, block->weights, &block->loss);
    block->slack = block->loss + dot(size, block->weights, scores) - dot(size, block->reference, scores);
    if (failed != DORM_OK)
#pragma omp critical
      status = failed;
  }
  if (status != DORM_OK)
    return dorm__fail(problem->context, status, "the scores of the items' step left the range of numbers");
  *value = 0.5 * problem->penalty * distance_of(problem, problem->point);
  for (size_t i = 0; i < lists->num_lists; i++)
    if (lists->plans[i])
      *value += problem->blocks[i].slack + problem->blocks[i].constant;
  return DORM_OK;
}

/* Adds the worst rankings of the last pass where they are worse than those held. */
static bool add_violated(item_problem *problem, double tolerance)
{
  const dorm__lists *lists = problem->lists;
  double *scores = problem->scratch;
  for (size_t i = 0; i < lists->num_lists; i++) {
    item_block *block = &problem->blocks[i];
    size_t size = dorm__lists_size(lists, i);
    if (!lists->plans[i])
      continue;
    dorm__point_scores(problem->point, lists, i, scores);
    if (block->slack <= held_slack(block, size, scores) + tolerance)
      continue;
    block_prune(block, size);
    if (!block_reserve(block, size))
      return false;
    for (size_t j = 0; j < size; j++)
      block->columns[block->count * size + j] = block->reference[j] - block->weights[j];
    block->losses[block->count] = block->loss;
    block->alpha[block->count++] = 0;
  }
  return true;
}

/* ---- Sweeps ---------------------------------------------------------------------- */

/* Moves the user's items by sum factors[k] d_k times (1, U) / L. */
static void move_items(item_problem *problem, size_t list, const double *factors, double *move)
{
  const dorm__lists *lists = problem->lists;
  const item_block *block = &problem->blocks[list];
  dorm__point *point = problem->point;
  size_t size = dorm__lists_size(lists, list);
  const uint32_t *items = lists->items + lists->start[list];
  const double *user = point->user + lists->users[list] * point->rank;
  memset(move, 0, size * sizeof *move);
  for (size_t k = 0; k < block->count; k++)
    for (size_t j = 0; factors[k] != 0 && j < size; j++)
      move[j] += factors[k] / problem->penalty * block->columns[k * size + j];
  for (size_t j = 0; j < size; j++) {
    double *item = point->item + items[j] * point->rank;
    point->offset[items[j]] += move[j];
    for (size_t k = 0; k < point->rank; k++)
      item[k] += move[j] * user[k];
  }
}

/* One user's QP; *gap grows by what the user's part of the dual could gain. */
static bool solve_block(item_problem *problem, size_t list, double *gap)
{
  item_block *block = &problem->blocks[list];
  size_t size = dorm__lists_size(problem->lists, list);
  size_t count = block->count;
  double *scores = problem->scratch;
  double *move = scores + size;
  double *linear = move + size;
  double *change = linear + MOST_COLUMNS + 1;
  double *hessian = change + MOST_COLUMNS + 1;
  double largest = 0;
  double held = 0;
  dorm__point_scores(problem->point, problem->lists, list, scores);
  for (size_t k = 0; k < count; k++) {
    linear[k] = block->losses[k] - dot(size, block->columns + k * size, scores);
    largest = fmax(largest, linear[k]);
    held += block->alpha[k] * linear[k];
  }
  *gap += largest - held;
  for (size_t k = 0; k < count; k++)
    for (size_t l = 0; l <= k; l++) {
      double value = block->norm * dot(size, block->columns + k * size, block->columns + l * size);
      hessian[k * count + l] = hessian[l * count + k] = value;
    }
  for (size_t k = 0; k < count; k++) {
    for (size_t l = 0; l < count; l++)
      linear[k] += hessian[k * count + l] * block->alpha[l];
    change[k] = block->alpha[k];
  }
  if (!dorm__qp_solve(problem->qp, count, count, hessian, linear, 1, block->alpha))
    return false;
  for (size_t k = 0; k < count; k++)
    change[k] = block->alpha[k] - change[k];
  move_items(problem, list, change, move);
  return true;
}

static bool sweep(item_problem *problem, double tolerance)
{
  for (int round = 0; round < MOST_SWEEPS; round++) {
    double gap = 0;
    for (size_t i = 0; i < problem->lists->num_lists; i++)
      if (problem->blocks[i].count && !solve_block(problem, i, &gap))
        return false;
    if (gap <= tolerance)
      break;
  }
  return true;
}

/* The dual value of the present alpha: sum alpha (Delta - <d, f0>) - L/2 |v|^2 =
 * sum alpha (Delta - <d, f>) + L/2 |v|^2, as f = f0 + the products with v. */
static double dual_value(item_problem *problem)
{
  const dorm__lists *lists = problem->lists;
  double *scores = problem->scratch;
  double sum = 0.5 * problem->penalty * distance_of(problem, problem->point);
  for (size_t i = 0; i < lists->num_lists; i++) {
    const item_block *block = &problem->blocks[i];
    size_t size = dorm__lists_size(lists, i);
    if (!lists->plans[i])
      continue;
    dorm__point_scores(problem->point, lists, i, scores);
    sum += block->constant;
    for (size_t k = 0; k < block->count; k++)
      sum += block->alpha[k] * (block->losses[k] - dot(size, block->columns + k * size, scores));
  }
  return sum;
}

/* ---- The whole -------------------------------------------------------------------- */

static dorm_status prepare(item_problem *problem)
{
  const dorm__lists *lists = problem->lists;
  size_t rank = problem->point->rank;
  problem->scratch_size = 2 * lists->longest + (MOST_COLUMNS + 1) * (MOST_COLUMNS + 3);
  problem->blocks = dorm__alloc_zero(lists->num_lists, sizeof *problem->blocks);
  problem->numbers = dorm__alloc(lists->start[lists->num_lists], 2 * sizeof *problem->numbers);
  problem->scratch = dorm__alloc(lists->num_threads, problem->scratch_size * sizeof *problem->scratch);
  problem->qp = dorm__qp_workspace_new();
  if (!problem->blocks || !problem->numbers || !problem->scratch || !problem->qp)
    return dorm__out_of_memory(problem->context, "the items' step");
  for (size_t i = 0; i < lists->num_lists; i++) {
    item_block *block = &problem->blocks[i];
    const double *user = problem->point->user + lists->users[i] * rank;
    double loss;
    block->reference = problem->numbers + 2 * lists->start[i];
    block->weights = block->reference + dorm__lists_size(lists, i);
    block->norm = (1 + dot(rank, user, user)) / problem->penalty;
    if (!lists->plans[i])
      continue;
    dorm__point_scores(problem->point, lists, i, problem->scratch);
    if (dorm__lists_oracle(lists, i, problem->scratch, -lists->mu, block->reference, &loss) != DORM_OK)
      return dorm__fail(problem->context, DORM_NUMERICAL_FAILURE,
                        "the scores of the items' step left the range of numbers");
    block->constant = lists->mu * loss;
  }
  return DORM_OK;
}

static dorm_status cutting_planes(item_problem *problem, const dorm__step_options *options, dorm__point *best,
                                  dorm__step_info *info)
{
  dorm__point *point = problem->point;
  double value;
  dorm_status status = make_pass(problem, &value);
  info->primal = value;
  info->dual = -INFINITY;
  /* With no alpha the dual's point is the centre, wherever this step began. */
  while (status == DORM_OK && info->passes < options->most_passes) {
    double tolerance = inner_share * options->gap * fabs(info->primal);
    if (dorm__cancelled(problem->context))
      return dorm__fail(problem->context, DORM_STOPPED, "stopped during the items' step");
    if (!add_violated(problem, info->passes ? tolerance / (double)(1 + problem->lists->num_lists) : 0))
      return dorm__out_of_memory(problem->context, "the items' step");
    if (!info->passes) {
      memcpy(point->offset, problem->start->offset, point->num_items * sizeof(double));
      memcpy(point->item, problem->start->item, point->num_items * point->rank * sizeof(double));
    }
    info->passes++;
    if (!sweep(problem, fmax(tolerance, isfinite(info->dual) ? inner_share * (info->primal - info->dual) : tolerance)))
      return dorm__out_of_memory(problem->context, "the items' step");
    info->dual = fmax(info->dual, dual_value(problem));
    status = make_pass(problem, &value);
    if (status == DORM_OK && value < info->primal) {
      info->primal = value;
      dorm__point_copy(point, best);
    }
    if (info->primal - info->dual <= options->gap * fabs(info->primal))
      break;
  }
  for (size_t i = 0; i < problem->lists->num_lists; i++)
    info->columns += problem->blocks[i].count;
  return status;
}

dorm_status dorm__item_step(dorm_context *context, const dorm__lists *lists, const dorm__point *start,
                            const dorm__step_options *options, dorm__point *point, dorm__step_info *info)
{
  dorm__point tried = {0};
  item_problem problem = {
      .context = context, .lists = lists, .start = start, .point = &tried, .penalty = options->penalty};
  *info = (dorm__step_info){0};
  dorm_status status = DORM_OK;
  if (!dorm__point_new(point->num_users, point->num_items, point->rank, &tried))
    status = dorm__out_of_memory(context, "the items' step");
  if (status == DORM_OK) {
    dorm__point_copy(point, &tried);
    status = prepare(&problem);
  }
  if (status == DORM_OK)
    status = cutting_planes(&problem, options, point, info);
  for (size_t i = 0; problem.blocks && i < lists->num_lists; i++)
    block_clear(&problem.blocks[i]);
  dorm__free(problem.blocks);
  dorm__free(problem.numbers);
  dorm__free(problem.scratch);
  dorm__qp_workspace_free(problem.qp);
  dorm__point_clear(&tried);
  return status;
}
