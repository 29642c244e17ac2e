/*
 * fit.c: everything that predicts a rating, fitted on one table of ratings and
 * asked for some pairs. The features of a pair (user u, item i):
 *
 *   bias             offset of i (bias.c)
 *   gain-bias        the same for the gain 2^r - 1
 *   popularity       log(1 + number of i's ratings)
 *   factors          <U[u], V[i]> with posterior covariances (factorisation.c)
 *   small-factors    the same by plain least squares, rank 2
 *   neighbours       item-item neighbours on what biases leave (neighbours.c)
 *   item-affinity    u's ridge regression on looks of items (affinities.c)
 *   user-affinity    i's ridge regression on looks of users
 *   joint-affinity   one ridge regression on products of both (joint_affinity.c)
 *   item-mean        i's mean rating less the mean, shrunk by 5 ratings
 *   squared-error    offset of i + <U[u], V[i]>: the whole factorisation
 */
#include "ratings/ratings.h"

#include <math.h>

static const double item_shrinkage = 5;
enum { SMALL_RANK = 2 };

typedef struct fitting {
  dorm_context *context;
  const dorm__rating_table *table;
  const dorm__fit_options *options;
  const dorm__pairs *pairs;
  double *features; /* [pairs.count][DORM__NUM_RATING_FEATURES] */
  double *residuals;
  double *column; /* [pairs.count] */
  dorm__factorisation factors;
  dorm__vectors vectors;
} fitting;

static bool wants(const fitting *fit, dorm__rating_feature feature)
{
  return fit->options->wanted[feature];
}

static double *feature_of(const fitting *fit, size_t pair, dorm__rating_feature feature)
{
  return fit->features + pair * DORM__NUM_RATING_FEATURES + feature;
}

static void set_column(const fitting *fit, dorm__rating_feature feature)
{
  for (size_t k = 0; k < fit->pairs->count; k++)
    *feature_of(fit, k, feature) = fit->column[k];
}

static void set_by_item(const fitting *fit, dorm__rating_feature feature, const double *of_item)
{
  for (size_t k = 0; k < fit->pairs->count; k++)
    *feature_of(fit, k, feature) = of_item[fit->pairs->items[k]];
}

static bool fit_biases(fitting *fit)
{
  const dorm__rating_table *table = fit->table;
  dorm__bias bias = {0};
  double *values = dorm__alloc(table->num_ratings, sizeof *values);
  bool good = values && dorm__bias_fit(table, table->values, item_shrinkage, &bias);
  if (good) {
    dorm__bias_residuals(table, table->values, &bias, fit->residuals);
    set_by_item(fit, DORM__RATING_BIAS, bias.item);
    dorm__bias_clear(&bias);
    for (size_t e = 0; e < table->num_ratings; e++)
      values[e] = exp2(table->values[e]) - 1;
    good = dorm__bias_fit(table, values, item_shrinkage, &bias);
  }
  if (good)
    set_by_item(fit, DORM__RATING_GAIN_BIAS, bias.item);
  dorm__bias_clear(&bias);
  dorm__free(values);
  return good;
}

static void count_ratings(const fitting *fit)
{
  const dorm__rating_table *table = fit->table;
  double mean = dorm__rating_table_mean(table);
  for (size_t k = 0; k < fit->pairs->count; k++) {
    size_t item = fit->pairs->items[k];
    double count = (double)(table->item_start[item + 1] - table->item_start[item]);
    double sum = 0;
    for (size_t r = table->item_start[item]; wants(fit, DORM__RATING_ITEM_MEAN) && r < table->item_start[item + 1]; r++)
      sum += table->values[table->by_item[r]] - mean;
    *feature_of(fit, k, DORM__RATING_POPULARITY) = log(1 + count);
    *feature_of(fit, k, DORM__RATING_ITEM_MEAN) = sum / (count + item_shrinkage);
  }
}

/* Rank 0 stands for no factors, where nothing that needs them is wanted. */
static dorm_status fit_factors(fitting *fit)
{
  bool is_wanted = wants(fit, DORM__RATING_FACTORS) || wants(fit, DORM__RATING_SQUARED_ERROR) ||
                   wants(fit, DORM__RATING_ITEM_AFFINITY) || wants(fit, DORM__RATING_USER_AFFINITY);
  size_t num_threads = fit->options->num_threads;
  dorm__factorisation small = {0};
  dorm_status status = DORM_OK;
  if (is_wanted) {
    dorm__factorisation_options em = dorm__factorisation_em(fit->options->rank, fit->options->seed, num_threads);
    status = dorm__factorisation_fit(fit->context, fit->table, &em, &fit->factors);
  }
  for (size_t k = 0; is_wanted && status == DORM_OK && k < fit->pairs->count; k++) {
    size_t item = fit->pairs->items[k];
    double product = dorm__factorisation_product(&fit->factors, fit->pairs->users[k], item);
    *feature_of(fit, k, DORM__RATING_FACTORS) = product;
    *feature_of(fit, k, DORM__RATING_SQUARED_ERROR) = fit->factors.item_bias[item] + product;
  }
  if (status == DORM_OK && wants(fit, DORM__RATING_SMALL_FACTORS)) {
    dorm__factorisation_options als = dorm__factorisation_als(SMALL_RANK, fit->options->seed, num_threads);
    status = dorm__factorisation_fit(fit->context, fit->table, &als, &small);
    for (size_t k = 0; status == DORM_OK && k < fit->pairs->count; k++)
      *feature_of(fit, k, DORM__RATING_SMALL_FACTORS) =
          dorm__factorisation_product(&small, fit->pairs->users[k], fit->pairs->items[k]);
  }
  dorm__factorisation_clear(&small);
  return status;
}

static dorm_status predict_residuals(fitting *fit)
{
  const dorm__pairs *pairs = fit->pairs;
  size_t num_threads = fit->options->num_threads;
  dorm_status status = DORM_OK;
  if (wants(fit, DORM__RATING_NEIGHBOURS)) {
    status = dorm__neighbours_predict(fit->context, fit->table, fit->residuals, pairs, num_threads, fit->column);
    set_column(fit, DORM__RATING_NEIGHBOURS);
  }
  if (status == DORM_OK && wants(fit, DORM__RATING_ITEM_AFFINITY)) {
    status = dorm__item_affinity_predict(fit->context, fit->table, fit->residuals, &fit->vectors, pairs, num_threads,
                                         fit->column);
    set_column(fit, DORM__RATING_ITEM_AFFINITY);
  }
  if (status == DORM_OK && wants(fit, DORM__RATING_USER_AFFINITY)) {
    status = dorm__user_affinity_predict(fit->context, fit->table, fit->residuals, &fit->vectors, pairs, num_threads,
                                         fit->column);
    set_column(fit, DORM__RATING_USER_AFFINITY);
  }
  if (status == DORM_OK && wants(fit, DORM__RATING_JOINT_AFFINITY)) {
    status = dorm__joint_affinity_predict(fit->context, fit->table, fit->residuals, &fit->vectors, pairs, num_threads,
                                          fit->column);
    set_column(fit, DORM__RATING_JOINT_AFFINITY);
  }
  return status;
}

dorm_status dorm__fit_predict(dorm_context *context, const dorm__rating_table *table, const dorm__rows *user_side,
                              const dorm__rows *item_side, const dorm__fit_options *options, const dorm__pairs *pairs,
                              double *features)
{
  fitting work = {.context = context, .table = table, .options = options, .pairs = pairs, .features = features};
  dorm_status status = DORM_OK;
  work.residuals = dorm__alloc(table->num_ratings, sizeof *work.residuals);
  work.column = dorm__alloc_zero(pairs->count, sizeof *work.column);
  for (size_t k = 0; k < pairs->count * DORM__NUM_RATING_FEATURES; k++)
    features[k] = 0;
  if (!work.residuals || !work.column || !fit_biases(&work)) {
    status = dorm__out_of_memory(context, "features of ratings");
    goto done;
  }
  count_ratings(&work);
  status = fit_factors(&work);
  if (status == DORM_OK && !dorm__vectors_new(table, user_side, item_side, &work.factors, &work.vectors))
    status = dorm__out_of_memory(context, "features of ratings");
  if (status == DORM_OK)
    status = predict_residuals(&work);
  for (size_t k = 0; k < pairs->count; k++)
    for (size_t f = 0; f < DORM__NUM_RATING_FEATURES; f++)
      if (!options->wanted[f])
        *feature_of(&work, k, (dorm__rating_feature)f) = 0;
done:
  dorm__factorisation_clear(&work.factors);
  dorm__vectors_clear(&work.vectors);
  dorm__free(work.residuals);
  dorm__free(work.column);
  return status;
}
