/*
 * factorisation.c: squared-error factorisation with biases,
 *
 *   r[u][i] ~ mean + b[u] + b[i] + <U[u], V[i]>,
 *
 * by alternating ridge regressions. The user step regresses r - mean - b[i] on z = (1, V[i]), with user_bias_ridge on
 * b[u] and `user_ridge` on U[u]. With noise of variance user_ridge and a normal prior of variance 1, x = (b[u], U[u])
 * has the posterior covariance
 *
 *   S[u] = user_ridge (Z'Z + ridges)^-1.
 *
 * The item step regresses r - mean - b[u] on (1, U[u]), with item_bias_ridge on b[i] and item_ridge on V[i]. It is the
 * EM step of probabilistic factor analysis (Tipping and Bishop, "Probabilistic principal component analysis", 1999,
 * here with missing ratings; Lim and Teh, "Variational Bayesian approach to movie rating prediction", 2007): moments of
 * (1, U[u]) are expectations. So S[u] is added to the Gram matrix, and the column of S[u] for b[u] is subtracted from
 * the right side. This accounts for the uncertainty of users with few ratings, so a large rank does not overfit.
 *
 * Covariances of users and Gram matrices of items are computed in batches of BATCH_BYTES each, so that memory stays
 * linear in the rank.
 */
#include "base/linalg.h"
#include "base/memory.h"
#include "base/team.h"
#include "collaborative/ratings/fit.h"
#include "collaborative/ratings/ratings.h"

#include <omp.h>
#include <string.h>

static const double user_bias_ridge = 3;   /* same as user_shrinkage in bias.c */
static const double item_bias_ridge = 5;   /* same as item_shrinkage in fit.c */
static const double start_deviation = 0.3; /* of the random start of V */
static const double em_user_ridge = 0.8;   /* variance of the residuals of biases and factors */
static const double item_ridge = 40;       /* em_user_ridge / 40 is the variance of V's prior */
enum { ROUNDS = 15 };                      /* of both steps */
enum { BATCH_BYTES = 32 << 20 };           /* 8,000 users at rank 20; does not affect results */

typedef struct fitter {
  dorm_context *context;
  dorm__region memory; /* of the arrays below */
  const dorm__rating_table *table;
  const dorm__factorisation_options *options;
  dorm__factorisation *made;
  size_t size;        /* rank + 1 */
  size_t batch_users; /* per batch */
  size_t batch_items;
  double *covariances; /* [batch_users][size + 2][size]: a matrix, scratch, and the user's row */
  double *grams;       /* [batch_items][size][size] */
  double *rows;        /* [num_threads][longest user][rank] */
  double *residuals;   /* [num_threads][longest user] */
  double *vectors;     /* [batch_items][size], right sides, then solutions */
  double *next_bias;   /* [num_items] */
  double *next;        /* [num_items][rank] */
  size_t longest;
  dorm__team *team;
} fitter;

dorm__factorisation_options dorm__factorisation_em(size_t rank, uint64_t seed, size_t num_threads)
{
  return (dorm__factorisation_options){
      .rank = rank, .rounds = ROUNDS, .user_ridge = em_user_ridge, .seed = seed, .num_threads = num_threads};
}

void dorm__factorisation_clear(dorm__factorisation *made)
{
  dorm__free(made->user_bias);
  dorm__free(made->item_bias);
  dorm__free(made->user);
  dorm__free(made->item);
  *made = (dorm__factorisation){0};
}

/* ---- Small matrices -------------------------------------------------------------- */

/* Adds (1, x)(1, x)' to the upper triangle of gram, and value (1, x) to right. */
static void add_row(size_t rank, const double *x, double value, double *gram, double *right)
{
  size_t size = rank + 1;
  gram[0] += 1;
  right[0] += value;
  for (size_t k = 0; k < rank; k++) {
    double *row = gram + (k + 1) * size;
    gram[k + 1] += x[k];
    for (size_t l = k; l < rank; l++)
      row[l + 1] += x[k] * x[l];
    right[k + 1] += value * x[k];
  }
}

static void add_ridge(size_t size, double bias_ridge, double ridge, double *gram)
{
  gram[0] += bias_ridge;
  for (size_t k = 1; k < size; k++)
    gram[k * size + k] += ridge;
}

/* Replaces gram by its inverse, both triangles, and sets result = inverse right. */
static bool invert_and_apply(size_t size, double *gram, const double *right, double *result)
{
  if (!dorm__invert_positive_definite(size, gram))
    return false;
  for (size_t k = 0; k < size; k++) {
    double sum = 0;
    for (size_t l = 0; l < size; l++)
      sum += gram[k * size + l] * right[l];
    result[k] = sum;
  }
  return true;
}

bool dorm__factorisation_user(size_t rank, double user_ridge, size_t count, const double *residuals,
                              const double *item_rows, double *row, double *gram)
{
  size_t size = rank + 1;
  double *right = gram + size * size;
  memset(gram, 0, (size * size + size) * sizeof *gram);
  for (size_t e = 0; e < count; e++)
    add_row(rank, item_rows + e * rank, residuals[e], gram, right);
  add_ridge(size, user_bias_ridge, user_ridge, gram);
  return invert_and_apply(size, gram, right, row);
}

/* ---- User step ------------------------------------------------------------------- */

static dorm_status fail_singular(dorm_context *context, size_t rank)
{
  return dorm__fail(context, DORM_NUMERICAL_FAILURE, "a factorisation of rank %zu met a singular matrix", rank);
}

/* Computes the posterior of a user: the mean in row [size] and covariance [size + 1][size], whose last row is scratch.
 */
static dorm_status solve_user(const fitter *fit, size_t user, double *row, double *covariance)
{
  const dorm__rating_table *table = fit->table;
  const dorm__factorisation *made = fit->made;
  size_t thread = (size_t)omp_get_thread_num();
  size_t first = table->user_start[user];
  size_t count = table->user_start[user + 1] - first;
  double *rows = fit->rows + thread * fit->longest * made->rank;
  double *residuals = fit->residuals + thread * fit->longest;
  for (size_t e = 0; e < count; e++) {
    size_t item = table->items[first + e];
    residuals[e] = table->values[first + e] - made->mean - made->item_bias[item];
    memcpy(rows + e * made->rank, made->item + item * made->rank, made->rank * sizeof *rows);
  }
  if (!dorm__factorisation_user(made->rank, fit->options->user_ridge, count, residuals, rows, row, covariance))
    return fail_singular(dorm__team_context(fit->team), made->rank);
  for (size_t k = 0; k < fit->size * fit->size; k++)
    covariance[k] *= fit->options->user_ridge;
  return DORM_OK;
}

/* Computes the covariances of users first .. end - 1. If `is_step`, replaces their offsets and rows. */
static dorm_status solve_users(fitter *fit, size_t first, size_t end, bool is_step)
{
  dorm__factorisation *made = fit->made;
  size_t matrix = fit->size * (fit->size + 1); /* a row of scratch follows each matrix */
#pragma omp parallel for schedule(dynamic, 16) num_threads((int)fit->options->num_threads)
  for (size_t u = first; u < end; u++) {
    double *covariance = fit->covariances + (u - first) * (matrix + fit->size);
    double *row = covariance + matrix;
    if (dorm__team_skips(fit->team, u))
      continue;
    dorm__team_note(fit->team, u, solve_user(fit, u, row, covariance));
    if (is_step) {
      made->user_bias[u] = row[0];
      memcpy(made->user + u * made->rank, row + 1, made->rank * sizeof *row);
    }
  }
  return dorm__team_settle(fit->context, fit->team);
}

static size_t smaller(size_t x, size_t y)
{
  return x < y ? x : y;
}

static dorm_status user_step(fitter *fit)
{
  size_t num_users = fit->table->num_users;
  dorm_status status = DORM_OK;
  for (size_t first = 0; status == DORM_OK && first < num_users; first += fit->batch_users)
    status = solve_users(fit, first, smaller(first + fit->batch_users, num_users), true);
  return status;
}

/* ---- Item step ------------------------------------------------------------------- */

/* Adds the raters of an item that are among users first .. end - 1. */
static void add_raters(const fitter *fit, size_t item, size_t first, size_t end, double *gram, double *right)
{
  const dorm__rating_table *table = fit->table;
  const dorm__factorisation *made = fit->made;
  size_t size = fit->size;
  size_t stride = size * (size + 2);
  for (size_t k = table->item_start[item]; k < table->item_start[item + 1]; k++) {
    size_t user = table->users[k];
    if (user < first || user >= end)
      continue;
    double value = table->values[table->by_item[k]] - made->mean - made->user_bias[user];
    add_row(made->rank, made->user + user * made->rank, value, gram, right);
    const double *covariance = fit->covariances + (user - first) * stride;
    for (size_t l = 1; l < size; l++) {
      for (size_t m = l; m < size; m++)
        gram[l * size + m] += covariance[l * size + m];
      right[l] -= covariance[l * size];
    }
  }
}

/* Sums up the Gram matrices and right sides of items first .. end - 1. */
static dorm_status add_all_raters(fitter *fit, size_t first, size_t end)
{
  size_t num_users = fit->table->num_users;
  size_t size = fit->size;
  bool is_kept = fit->batch_users >= num_users; /* the covariances are still from the user step */
  dorm_status status = DORM_OK;
  memset(fit->grams, 0, (end - first) * size * size * sizeof *fit->grams);
  memset(fit->vectors, 0, (end - first) * size * sizeof *fit->vectors);
  for (size_t from = 0; status == DORM_OK && from < num_users; from += fit->batch_users) {
    size_t to = smaller(from + fit->batch_users, num_users);
    if (!is_kept)
      status = solve_users(fit, from, to, false);
#pragma omp parallel for schedule(dynamic, 16) num_threads((int)fit->options->num_threads)
    for (size_t i = first; i < end; i++)
      add_raters(fit, i, from, to, fit->grams + (i - first) * size * size, fit->vectors + (i - first) * size);
  }
  return status;
}

/* Computes the offset and the row of one item. Without ratings the right side is already 0. */
static dorm_status solve_item(const fitter *fit, size_t item, double *gram, double *right)
{
  const dorm__rating_table *table = fit->table;
  add_ridge(fit->size, item_bias_ridge, item_ridge, gram);
  if (table->item_start[item] < table->item_start[item + 1] && !dorm__solve_positive_definite(fit->size, gram, right))
    return fail_singular(dorm__team_context(fit->team), fit->made->rank);
  return DORM_OK;
}

/* Computes items first .. end - 1 in next_bias and next. */
static dorm_status solve_items(fitter *fit, size_t first, size_t end)
{
  size_t size = fit->size;
  size_t rank = fit->made->rank;
  dorm_status status = add_all_raters(fit, first, end);
  if (status != DORM_OK)
    return status;
#pragma omp parallel for schedule(dynamic, 16) num_threads((int)fit->options->num_threads)
  for (size_t i = first; i < end; i++) {
    double *right = fit->vectors + (i - first) * size;
    if (dorm__team_skips(fit->team, i))
      continue;
    dorm__team_note(fit->team, i, solve_item(fit, i, fit->grams + (i - first) * size * size, right));
    fit->next_bias[i] = right[0];
    memcpy(fit->next + i * rank, right + 1, rank * sizeof *right);
  }
  return dorm__team_settle(fit->context, fit->team);
}

/* Makes the item step. Covariances depend on the item rows of the last user step, and each batch of items may recompute
 * them. So the item rows are replaced only after the loop over batches. */
static dorm_status item_step(fitter *fit)
{
  const dorm__rating_table *table = fit->table;
  dorm__factorisation *made = fit->made;
  dorm_status status = DORM_OK;
  for (size_t first = 0; status == DORM_OK && first < table->num_items; first += fit->batch_items)
    status = solve_items(fit, first, smaller(first + fit->batch_items, table->num_items));
  if (status != DORM_OK)
    return status;
  memcpy(made->item_bias, fit->next_bias, table->num_items * sizeof(double));
  memcpy(made->item, fit->next, table->num_items * made->rank * sizeof(double));
  return DORM_OK;
}

/* ---- The whole --------------------------------------------------------------------- */

static dorm_status allocate(fitter *fit)
{
  const dorm__rating_table *table = fit->table;
  dorm__factorisation *made = fit->made;
  dorm__region *memory = &fit->memory;
  size_t size = fit->size, num_threads = fit->options->num_threads;
  size_t fitting = 1 + BATCH_BYTES / (size * (size + 2) * sizeof(double));
  fit->batch_users = smaller(fitting, table->num_users);
  fit->batch_items = smaller(fitting, table->num_items);
  for (size_t u = 0; u < table->num_users; u++) {
    size_t count = table->user_start[u + 1] - table->user_start[u];
    fit->longest = count > fit->longest ? count : fit->longest;
  }
  made->rank = fit->options->rank;
  made->user_bias = dorm__alloc_zero(table->num_users, sizeof(double));
  made->item_bias = dorm__alloc_zero(table->num_items, sizeof(double));
  made->user = dorm__alloc_zero(table->num_users, made->rank * sizeof(double));
  made->item = dorm__alloc_zero(table->num_items, made->rank * sizeof(double));
  fit->next_bias = dorm__region_take_zero(memory, table->num_items, sizeof(double));
  fit->next = dorm__region_take_zero(memory, table->num_items, made->rank * sizeof(double));
  fit->covariances = dorm__region_take_zero(memory, fit->batch_users, size * (size + 2) * sizeof(double));
  fit->grams = dorm__region_take_zero(memory, fit->batch_items, size * size * sizeof(double));
  fit->vectors = dorm__region_take_zero(memory, fit->batch_items, size * sizeof(double));
  fit->rows = dorm__region_take_zero(memory, num_threads * fit->longest, size * sizeof(double));
  fit->residuals = dorm__region_take_zero(memory, num_threads, fit->longest * sizeof(double));
  bool is_whole = made->user_bias && made->item_bias && made->user && made->item && !memory->is_short;
  return is_whole ? DORM_OK : dorm__out_of_memory(fit->context, "a factorisation");
}

dorm_status dorm__factorisation_fit(dorm_context *context, const dorm__rating_table *table,
                                    const dorm__factorisation_options *options, dorm__factorisation *made)
{
  fitter fit = {.context = context, .table = table, .options = options, .made = made, .size = options->rank + 1};
  dorm__random random;
  *made = (dorm__factorisation){0};
  dorm_status status =
      DORM__ALL(dorm__team_new(context, options->num_threads, "a factorisation", &fit.team), allocate(&fit));
  if (status == DORM_OK) {
    made->mean = dorm__rating_table_mean(table);
    dorm__random_seed(&random, options->seed);
    for (size_t k = 0; k < table->num_items * options->rank; k++)
      made->item[k] = start_deviation * dorm__random_normal(&random);
  }
  for (size_t round = 0; status == DORM_OK && round < options->rounds; round++)
    status = DORM__ALL(dorm__cancelled(context) ? dorm__fail(context, DORM_STOPPED, "stopped during a factorisation")
                                                : DORM_OK,
                       user_step(&fit), item_step(&fit));
  if (status == DORM_OK)
    status = user_step(&fit);
  dorm__team_free(fit.team);
  dorm__region_clear(&fit.memory);
  if (status != DORM_OK)
    dorm__factorisation_clear(made);
  return status;
}
