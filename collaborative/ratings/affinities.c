/*
 * affinities.c: predicts a rating from the user's ratings of similar items, and from similar users' ratings of the
 * item. With e the residuals of the biases and z the rows of dorm__vectors, there is one ridge regression per user,
 *
 *   w[u] = (sum z[i] z[i]' + ridge I)^-1 sum z[i] e[u][i],   prediction <w[u], z[i]>,
 *
 * with sums over the items that the user has rated, and likewise one per item over the rows of its raters.
 * O(num_ratings width^2 + (num_users or num_items) width^3).
 */
#include "base/linalg.h"
#include "base/memory.h"
#include "base/team.h"
#include "collaborative/ratings/fit.h"
#include "collaborative/ratings/ratings.h"

#include <omp.h>
#include <string.h>

/* The variance of the noise if weights have a normal prior of variance 1. The same as em_user_ridge of factorisation.c.
 * Halving and doubling it changes NDCG@10 by less than 0.0005 (experiments/defaults/rating-constants.tsv). */
static const double ridge = 0.8;

/* Regressions of one kind. Unit v, a user or an item, has the examples start[v] .. start[v + 1] - 1. */
typedef struct regressions {
  size_t num_units;
  const size_t *start;
  const uint32_t *row_of;    /* of an example, in `rows` */
  const size_t *residual_of; /* of an example, in `residuals`, or NULL if example k has residual k */
  const double *residuals;
  const dorm__rows *rows;
  size_t *pair_start;        /* [num_units + 1], into pair_order */
  size_t *pair_order;        /* [pairs], ordered by unit */
  const uint32_t *unit_of;   /* of a pair */
  const uint32_t *target_of; /* of a pair: the row to predict for */
  double *scratch;           /* [num_threads][width + 1][width] */
} regressions;

/* Fills right [width] with the weights of one unit. gram [width][width] precedes it in memory. */
static dorm_status solve(dorm_context *context, const regressions *set, size_t unit, double *gram, double *right)
{
  size_t width = set->rows->width;
  memset(gram, 0, (width + 1) * width * sizeof *gram);
  for (size_t k = set->start[unit]; k < set->start[unit + 1]; k++) {
    const double *row = set->rows->values + set->row_of[k] * width;
    double residual = set->residuals[set->residual_of ? set->residual_of[k] : k];
    for (size_t f = 0; f < width; f++) {
      double value = row[f];
      if (value == 0)
        continue;
      for (size_t g = f; g < width; g++)
        gram[f * width + g] += value * row[g];
      right[f] += value * residual;
    }
  }
  for (size_t f = 0; f < width; f++)
    gram[f * width + f] += ridge;
  if (!dorm__solve_positive_definite(width, gram, right))
    return dorm__fail(context, DORM_NUMERICAL_FAILURE, "ridge regression %zu of %zu met a singular matrix", unit + 1,
                      set->num_units);
  return DORM_OK;
}

/* Fits one unit and predicts its pairs. */
static dorm_status predict_unit(dorm_context *context, const regressions *set, size_t unit, double *predictions)
{
  size_t width = set->rows->width;
  double *gram = set->scratch + (size_t)omp_get_thread_num() * (width + 1) * width;
  double *weights = gram + width * width;
  dorm_status status = solve(context, set, unit, gram, weights);
  for (size_t p = set->pair_start[unit]; status == DORM_OK && p < set->pair_start[unit + 1]; p++) {
    size_t pair = set->pair_order[p];
    predictions[pair] = dorm__dot(width, weights, set->rows->values + set->target_of[pair] * width);
  }
  return status;
}

static dorm_status predict_all(dorm_context *context, regressions *set, size_t num_pairs, size_t num_threads,
                               double *predictions)
{
  size_t width = set->rows->width;
  dorm__team *team = NULL;
  DORM__AT_END(dorm__region_clear) dorm__region memory = {0};
  set->pair_start = dorm__region_take_zero(&memory, set->num_units + 1, sizeof *set->pair_start);
  set->pair_order = dorm__region_take_zero(&memory, num_pairs, sizeof *set->pair_order);
  set->scratch = dorm__region_take_zero(&memory, num_threads, (width + 1) * width * sizeof *set->scratch);
  dorm_status status = DORM__ALL(memory.is_short ? dorm__out_of_memory(context, "ridge regressions") : DORM_OK,
                                 dorm__team_new(context, num_threads, "ridge regressions", &team));
  if (status != DORM_OK)
    return status;
  dorm__order_by(num_pairs, set->num_units, set->unit_of, set->pair_start, set->pair_order);
#pragma omp parallel for schedule(dynamic, 8) num_threads((int)num_threads)
  for (size_t v = 0; v < set->num_units; v++)
    if (set->pair_start[v] < set->pair_start[v + 1] && !dorm__team_skips(team, v))
      dorm__team_note(team, v, predict_unit(dorm__team_context(team), set, v, predictions));
  return dorm__team_end(context, team);
}

dorm_status dorm__item_affinity_predict(dorm_context *context, const dorm__rating_table *table, const double *residuals,
                                        const dorm__vectors *vectors, const dorm__pairs *pairs, size_t num_threads,
                                        double *predictions)
{
  regressions set = {.num_units = table->num_users,
                     .start = table->user_start,
                     .row_of = table->items,
                     .residuals = residuals,
                     .rows = &vectors->items,
                     .unit_of = pairs->users,
                     .target_of = pairs->items};
  return predict_all(context, &set, pairs->count, num_threads, predictions);
}

dorm_status dorm__user_affinity_predict(dorm_context *context, const dorm__rating_table *table, const double *residuals,
                                        const dorm__vectors *vectors, const dorm__pairs *pairs, size_t num_threads,
                                        double *predictions)
{
  regressions set = {.num_units = table->num_items,
                     .start = table->item_start,
                     .row_of = table->users,
                     .residual_of = table->by_item,
                     .residuals = residuals,
                     .rows = &vectors->users,
                     .unit_of = pairs->items,
                     .target_of = pairs->users};
  return predict_all(context, &set, pairs->count, num_threads, predictions);
}
