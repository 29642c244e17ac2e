/*
 * user_step.c: the problem of one user for fixed items, by cutting planes. With
 * X the rows of the rated items, f = o + X U the scores, cref the position
 * weights of the reference at the present row and c those of a ranking,
 *
 *   minimise over U   L/2 |U - U0|^2 + max over rankings [<c - cref, f> + Delta] + mu Delta_ref.
 *
 * A ranking is kept as d = cref - c (a number an item) and Delta; psi = X'd, and
 * U = U0 + 1/L sum alpha psi with alpha >= 0, sum alpha <= 1 from the same exact
 * QP as a query's in solver/dual_qp.c.
 */
#include "collaborative/factorization/user_step.h"
#include "collaborative/factorization/lists.h"
#include "collaborative/factorization/start.h"
#include "solver/solver.h"

#include <math.h>
#include <omp.h>
#include <string.h>

enum { MOST_COLUMNS = 200 };

typedef struct user_problem {
  const dorm__lists *lists;
  size_t list;
  size_t size;
  size_t rank;
  double penalty;
  const double *centre;
  double *rows;      /* [size][rank], X */
  double *offsets;   /* [size] */
  double *scores;    /* [size] */
  double *reference; /* [size], cref */
  double constant;   /* mu Delta_ref */
  double *weights;   /* [size], of the ranking just found */
  double *row;       /* [rank], the point tried */
  size_t count;
  double *psi;     /* [MOST_COLUMNS][rank] */
  double *linear;  /* [MOST_COLUMNS]: Delta - <d, o + X U0> */
  double *alpha;   /* [MOST_COLUMNS] */
  double *hessian; /* [MOST_COLUMNS][MOST_COLUMNS] */
  dorm__qp_workspace *qp;
  void *block;
} user_problem;

static bool allocate(user_problem *problem)
{
  size_t size = problem->size;
  size_t rank = problem->rank;
  size_t total = size * rank + 4 * size + rank + MOST_COLUMNS * (rank + 2 + MOST_COLUMNS);
  double *next = dorm__alloc(total, sizeof *next);
  problem->block = next;
  problem->qp = dorm__qp_workspace_new();
  if (!next || !problem->qp)
    return false;
  problem->rows = next;
  problem->offsets = next += size * rank;
  problem->scores = next += size;
  problem->reference = next += size;
  problem->weights = next += size;
  problem->row = next += size;
  problem->psi = next += rank;
  problem->linear = next += MOST_COLUMNS * rank;
  problem->alpha = next += MOST_COLUMNS;
  problem->hessian = next + MOST_COLUMNS;
  return true;
}

static void score(user_problem *problem, const double *row)
{
  for (size_t j = 0; j < problem->size; j++) {
    double sum = problem->offsets[j];
    for (size_t k = 0; k < problem->rank; k++)
      sum += row[k] * problem->rows[j * problem->rank + k];
    problem->scores[j] = sum;
  }
}

/* The worst ranking at a row, and the value of the problem there. */
static dorm_status evaluate(user_problem *problem, const double *row, double *loss, double *value)
{
  score(problem, row);
  dorm_status status = dorm__lists_oracle(problem->lists, problem->list, problem->scores, 1, problem->weights, loss);
  double sum = *loss + problem->constant;
  double distance = 0;
  for (size_t j = 0; j < problem->size; j++)
    sum += (problem->weights[j] - problem->reference[j]) * problem->scores[j];
  for (size_t k = 0; k < problem->rank; k++)
    distance += (row[k] - problem->centre[k]) * (row[k] - problem->centre[k]);
  *value = sum + 0.5 * problem->penalty * distance;
  return status;
}

static void add_column(user_problem *problem, double loss)
{
  size_t rank = problem->rank;
  double *psi = problem->psi + problem->count * rank;
  double linear = loss;
  memset(psi, 0, rank * sizeof *psi);
  for (size_t j = 0; j < problem->size; j++) {
    double d = problem->reference[j] - problem->weights[j];
    if (d == 0)
      continue;
    linear -= d * problem->offsets[j];
    for (size_t k = 0; k < rank; k++)
      psi[k] += d * problem->rows[j * rank + k];
  }
  for (size_t k = 0; k < rank; k++)
    linear -= psi[k] * problem->centre[k];
  for (size_t i = 0; i <= problem->count; i++) {
    double sum = 0;
    for (size_t k = 0; k < rank; k++)
      sum += psi[k] * problem->psi[i * rank + k];
    problem->hessian[i * MOST_COLUMNS + problem->count] = sum / problem->penalty;
    problem->hessian[problem->count * MOST_COLUMNS + i] = sum / problem->penalty;
  }
  problem->linear[problem->count] = linear;
  problem->alpha[problem->count++] = 0;
}

/* Solves the QP; the row it gives, and its value. */
static bool solve_columns(user_problem *problem, double *dual)
{
  if (!dorm__qp_solve(problem->qp, problem->count, MOST_COLUMNS, problem->hessian, problem->linear, 1, problem->alpha))
    return false;
  double distance = 0;
  *dual = problem->constant;
  memcpy(problem->row, problem->centre, problem->rank * sizeof(double));
  for (size_t i = 0; i < problem->count; i++) {
    *dual += problem->alpha[i] * problem->linear[i];
    for (size_t k = 0; k < problem->rank; k++)
      problem->row[k] += problem->alpha[i] / problem->penalty * problem->psi[i * problem->rank + k];
  }
  for (size_t k = 0; k < problem->rank; k++)
    distance += (problem->row[k] - problem->centre[k]) * (problem->row[k] - problem->centre[k]);
  *dual -= 0.5 * problem->penalty * distance;
  return true;
}

static dorm_status cutting_planes(user_problem *problem, const dorm__step_options *options, double *row,
                                  dorm__step_info *info)
{
  double loss;
  double value;
  dorm_status status = evaluate(problem, row, &loss, &info->primal);
  while (status == DORM_OK && info->passes < options->most_passes && problem->count < MOST_COLUMNS) {
    info->passes++;
    add_column(problem, loss);
    if (!solve_columns(problem, &info->dual))
      return DORM_OUT_OF_MEMORY;
    status = evaluate(problem, problem->row, &loss, &value);
    if (status == DORM_OK && value < info->primal) {
      info->primal = value;
      memcpy(row, problem->row, problem->rank * sizeof *row);
    }
    if (info->primal - info->dual <= options->gap * fabs(info->primal))
      break;
  }
  info->columns = problem->count;
  return status;
}

dorm_status dorm__user_step_one(const dorm__lists *lists, size_t list, const dorm__point *point, const double *centre,
                                const dorm__step_options *options, double *row, dorm__step_info *info)
{
  user_problem problem = {.lists = lists,
                          .list = list,
                          .size = dorm__lists_size(lists, list),
                          .rank = point->rank,
                          .penalty = options->penalty,
                          .centre = centre};
  dorm__step_info made = {0};
  double reference_loss;
  if (!lists->plans[list])
    return DORM_OK;
  dorm_status status = allocate(&problem) ? DORM_OK : DORM_OUT_OF_MEMORY;
  if (status == DORM_OK) {
    const uint32_t *items = lists->items + lists->start[list];
    for (size_t j = 0; j < problem.size; j++) {
      problem.offsets[j] = point->offset[items[j]];
      memcpy(problem.rows + j * point->rank, point->item + items[j] * point->rank, point->rank * sizeof(double));
    }
    score(&problem, row);
    status = dorm__lists_oracle(lists, list, problem.scores, -lists->mu, problem.reference, &reference_loss);
  }
  if (status == DORM_OK) {
    problem.constant = lists->mu * reference_loss;
    status = cutting_planes(&problem, options, row, &made);
  }
  dorm__qp_workspace_free(problem.qp);
  dorm__free(problem.block);
  if (info)
    *info = made;
  return status;
}

dorm_status dorm__user_step(dorm_context *context, const dorm__lists *lists, const dorm__point *start,
                            const dorm__step_options *options, dorm__point *point, dorm__step_info *info)
{
  dorm_status status = DORM_OK;
  size_t most = 0;
  size_t columns = 0;
#pragma omp parallel for schedule(dynamic, 8) num_threads((int)lists->num_threads) reduction(max : most) \
    reduction(+ : columns)
  for (size_t i = 0; i < lists->num_lists; i++) {
    size_t user = lists->users[i];
    dorm__step_info one = {0};
    dorm_status failed = dorm__user_step_one(lists, i, point, start->user + user * start->rank, options,
                                             point->user + user * point->rank, &one);
    most = one.passes > most ? one.passes : most;
    columns += one.columns;
    if (failed != DORM_OK)
#pragma omp critical
      status = failed;
  }
  *info = (dorm__step_info){.passes = most, .columns = columns};
  if (status == DORM_OUT_OF_MEMORY)
    return dorm__out_of_memory(context, "a user's step");
  return status == DORM_OK ? DORM_OK
                           : dorm__fail(context, status, "the scores of a user's step left the range of numbers");
}
