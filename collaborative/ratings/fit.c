/*
 * fit.c: fits all models that predict a rating on one table of ratings, and predicts for given pairs. The features of
 * user u and item i are
 *
 *   bias             the offset of i (bias.c)
 *   gain-bias        the same for the gain 2^r - 1
 *   popularity       log(1 + number of i's ratings)
 *   item-affinity    the ridge regression of u on the rows that describe items (affinities.c)
 *   user-affinity    the ridge regression of i on the rows that describe users
 *   joint-affinity   one ridge regression on products of both (joint_affinity.c)
 */
#include "collaborative/ratings/fit.h"
#include "collaborative/ratings/ratings.h"

#include <math.h>
#include <string.h>

/* With this number of ratings an item gets half of the offset that its own ratings suggest. Koren (2010, section 2.1)
 * has 25 on the larger Netflix data. Halving and doubling change NDCG@10 by `bias` alone by -0.0038 and +0.0022. The
 * value was chosen for all features together, for which they change it by less than 0.0005 (splits 101 to 103,
 * experiments/defaults/rating-constants.tsv). */
static const double item_shrinkage = 5;
/* In the order of dorm__rating_feature. */
static const char *const feature_names[DORM__NUM_RATING_FEATURES] = {
    "bias", "gain-bias", "popularity", "item-affinity", "user-affinity", "joint-affinity"};

const char *dorm_rating_feature_name(size_t index)
{
  return index < DORM__NUM_RATING_FEATURES ? feature_names[index] : NULL;
}

/* ---- Fitting --------------------------------------------------------------------- */

static bool fit_biases(dorm__fit *fit)
{
  const dorm__rating_table *table = &fit->table;
  DORM__FREED double *gains = dorm__alloc(table->num_ratings, sizeof *gains);
  fit->residuals = dorm__alloc(table->num_ratings, sizeof *fit->residuals);
  bool good = gains && fit->residuals && dorm__bias_fit(table, table->values, item_shrinkage, &fit->bias);
  if (good) {
    dorm__bias_residuals(table, table->values, &fit->bias, fit->residuals);
    for (size_t e = 0; e < table->num_ratings; e++)
      gains[e] = exp2(table->values[e]) - 1;
    good = dorm__bias_fit(table, gains, item_shrinkage, &fit->gain_bias);
  }
  return good;
}

/* Fits the factors. They stay at rank 0 if no wanted feature needs them. */
static dorm_status fit_factors(dorm_context *context, dorm__fit *fit)
{
  const dorm__fit_options *options = &fit->options;
  if (!options->wanted[DORM__RATING_ITEM_AFFINITY] && !options->wanted[DORM__RATING_USER_AFFINITY])
    return DORM_OK;
  dorm__factorisation_options em = dorm__factorisation_em(options->rank, options->seed, options->num_threads);
  return dorm__factorisation_fit(context, &fit->table, &em, &fit->factors);
}

void dorm__fit_clear(dorm__fit *fit)
{
  dorm__rating_table_clear(&fit->table);
  dorm__bias_clear(&fit->bias);
  dorm__bias_clear(&fit->gain_bias);
  dorm__free(fit->residuals);
  dorm__factorisation_clear(&fit->factors);
  dorm__vectors_clear(&fit->vectors);
  dorm__free(fit->joint);
  *fit = (dorm__fit){0};
}

dorm_status dorm__fit_new(dorm_context *context, dorm__rating_table *table, const dorm__rows *user_side,
                          const dorm__rows *item_side, const dorm__fit_options *options, dorm__fit *made)
{
  *made = (dorm__fit){.table = *table, .options = *options};
  *table = (dorm__rating_table){0};
  const bool *wanted = options->wanted;
  dorm_status status = DORM__ALL(
      fit_biases(made) ? DORM_OK : dorm__out_of_memory(context, "features of ratings"), fit_factors(context, made),
      dorm__vectors_new(&made->table, user_side, item_side, &made->factors, &made->vectors)
          ? DORM_OK
          : dorm__out_of_memory(context, "features of ratings"),
      wanted[DORM__RATING_JOINT_AFFINITY]
          ? dorm__joint_affinity_fit(context, &made->table, made->residuals, &made->vectors, &made->joint)
          : DORM_OK);
  if (status != DORM_OK)
    dorm__fit_clear(made);
  return status;
}

/* ---- Predicting -------------------------------------------------------------------- */

static void fill_by_item(const dorm__fit *fit, size_t item, double *features)
{
  size_t count = fit->table.item_start[item + 1] - fit->table.item_start[item];
  features[DORM__RATING_BIAS] = fit->bias.item[item];
  features[DORM__RATING_GAIN_BIAS] = fit->gain_bias.item[item];
  features[DORM__RATING_POPULARITY] = log(1 + (double)count);
}

/* Fills values [pairs->count] with an affinity. */
static dorm_status predict_affinity(dorm_context *context, const dorm__fit *fit, const dorm__pairs *pairs,
                                    dorm__rating_feature feature, double *values)
{
  size_t num_threads = fit->options.num_threads;
  if (feature == DORM__RATING_ITEM_AFFINITY)
    return dorm__item_affinity_predict(context, &fit->table, fit->residuals, &fit->vectors, pairs, num_threads, values);
  if (feature == DORM__RATING_USER_AFFINITY)
    return dorm__user_affinity_predict(context, &fit->table, fit->residuals, &fit->vectors, pairs, num_threads, values);
  dorm__joint_affinity_predict(&fit->vectors, fit->joint, pairs, num_threads, values);
  return DORM_OK;
}

dorm_status dorm__fit_predict(dorm_context *context, const dorm__fit *fit, const dorm__pairs *pairs, double *features)
{
  enum { WIDTH = DORM__NUM_RATING_FEATURES };
  DORM__FREED double *values = dorm__alloc(pairs->count, sizeof *values);
  dorm_status status = values ? DORM_OK : dorm__out_of_memory(context, "features of ratings");
  memset(features, 0, pairs->count * WIDTH * sizeof *features);
  for (size_t k = 0; k < pairs->count; k++) {
    fill_by_item(fit, pairs->items[k], features + k * WIDTH);
    for (size_t f = 0; f < WIDTH; f++)
      features[k * WIDTH + f] = fit->options.wanted[f] ? features[k * WIDTH + f] : 0;
  }
  for (size_t f = DORM__RATING_ITEM_AFFINITY; status == DORM_OK && f < WIDTH; f++) {
    if (!fit->options.wanted[f])
      continue;
    status = predict_affinity(context, fit, pairs, (dorm__rating_feature)f, values);
    for (size_t k = 0; status == DORM_OK && k < pairs->count; k++)
      features[k * WIDTH + f] = values[k];
  }
  return status;
}
