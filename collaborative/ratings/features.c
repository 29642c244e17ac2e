/*
 * features.c: computes features of (user, item) pairs for a ranker, out of fold. The training ratings of each user are
 * shuffled and split into ratings.folds parts, ratings.repeats times. Each part is left out of one fit (fit.c). The row
 * of a training rating is the mean prediction of the fits without it, one per repeat, so it never depends on its own
 * label. Any other row is the mean over all fits. Each of them has as many ratings of the user as the fits of a
 * training row, so a feature has the same scale in both. (A fit on all ratings predicts values farther from the mean.
 * Weights learned on training rows are then wrong for it, most of all with few ratings.)
 *
 * Every feature is divided by its standard deviation within users over the training rows. Nothing is normalised per
 * list, since training lists and candidate lists differ in length. The id of a feature is 1 + dorm__rating_feature. Two
 * more ids hold the numbers (from 1) of the user and of the item, for Gram matrices of kernels.
 */
#include "base/linalg.h"
#include "collaborative/ratings/fit.h"
#include "collaborative/ratings/ratings.h"

#include <math.h>
#include <string.h>

enum { NUM_FEATURES = DORM__NUM_RATING_FEATURES + 2 };

struct dorm_rating_features {
  const dorm_ratings *training; /* borrowed */
  size_t num_fits;
  dorm__fit *fits;     /* [num_fits], one per repeat and fold */
  double *out_of_fold; /* [num_ratings][DORM__NUM_RATING_FEATURES] */
  double scale[DORM__NUM_RATING_FEATURES];
};

/* ---- Folds ----------------------------------------------------------------------- */

bool dorm__deal_folds(const dorm__rating_table *table, size_t num_folds, dorm__random *random, uint8_t *part)
{
  DORM__FREED size_t *order = dorm__alloc(table->num_ratings, sizeof *order);
  if (!order)
    return false;
  for (size_t u = 0; u < table->num_users; u++) {
    size_t first = table->user_start[u];
    size_t count = table->user_start[u + 1] - first;
    dorm__random_permutation(random, count, order);
    for (size_t k = 0; k < count; k++)
      part[first + order[k]] = (uint8_t)(k % num_folds);
  }
  return true;
}

/* One split of the ratings into folds. */
typedef struct repeat {
  const dorm__rows *user_side;
  const dorm__rows *item_side;
  dorm__fit_options options;
  size_t num_folds;
  double share;  /* weight of the repeat in a training row */
  uint8_t *part; /* [num_ratings], the fold of each rating */
} repeat;

/* Adds the predictions of `fit` for the ratings of a fold to their rows. */
static dorm_status add_fold(dorm_context *context, dorm_rating_features *features, const repeat *turn, size_t fold,
                            const dorm__fit *fit)
{
  const dorm__rating_table *table = &features->training->table;
  size_t count = 0;
  DORM__FREED uint32_t *users = dorm__alloc(table->num_ratings, sizeof *users);
  DORM__FREED uint32_t *items = dorm__alloc(table->num_ratings, sizeof *items);
  DORM__FREED double *rows = dorm__alloc(table->num_ratings, DORM__NUM_RATING_FEATURES * sizeof *rows);
  if (!users || !items || !rows)
    return dorm__out_of_memory(context, "a fold of ratings");
  for (size_t u = 0; u < table->num_users; u++)
    for (size_t e = table->user_start[u]; e < table->user_start[u + 1]; e++)
      if (turn->part[e] == fold) {
        users[count] = (uint32_t)u;
        items[count++] = table->items[e];
      }
  dorm__pairs pairs = {count, users, items};
  dorm_status status = dorm__fit_predict(context, fit, &pairs, rows);
  count = 0;
  for (size_t e = 0; status == DORM_OK && e < table->num_ratings; e++)
    if (turn->part[e] == fold)
      dorm__add_scaled(DORM__NUM_RATING_FEATURES, turn->share, rows + count++ * DORM__NUM_RATING_FEATURES,
                       features->out_of_fold + e * DORM__NUM_RATING_FEATURES);
  return status;
}

/* Fits the ratings outside `fold` and predicts the ratings in it. A single fold is both fitted and predicted. */
static dorm_status fit_fold(dorm_context *context, dorm_rating_features *features, const repeat *turn, size_t fold)
{
  const dorm__rating_table *table = &features->training->table;
  dorm__rating_table rest = {0};
  dorm__fit *fit = &features->fits[features->num_fits];
  DORM__FREED uint8_t *keep = dorm__alloc(table->num_ratings, 1);
  for (size_t e = 0; keep && e < table->num_ratings; e++)
    keep[e] = turn->num_folds == 1 || turn->part[e] != fold;
  if (!keep || !dorm__rating_table_select(table, keep, 1, &rest))
    return dorm__out_of_memory(context, "a fold of ratings");
  dorm_status status = dorm__fit_new(context, &rest, turn->user_side, turn->item_side, &turn->options, fit);
  if (status != DORM_OK)
    return status;
  features->num_fits++;
  return add_fold(context, features, turn, fold, fit);
}

static dorm_status fit_all(dorm_context *context, size_t num_repeats, repeat *turn, dorm_rating_features *features)
{
  const dorm__rating_table *table = &features->training->table;
  dorm__random random;
  dorm_status status = DORM_OK;
  turn->share = 1 / (double)num_repeats;
  DORM__FREED uint8_t *part = dorm__alloc(table->num_ratings, 1);
  turn->part = part;
  features->fits = dorm__alloc_zero(num_repeats, turn->num_folds * sizeof *features->fits);
  if (!part || !features->fits)
    return dorm__out_of_memory(context, "features of ratings");
  dorm__random_seed(&random, turn->options.seed);
  for (size_t r = 0; status == DORM_OK && r < num_repeats; r++) {
    if (!dorm__deal_folds(table, turn->num_folds, &random, turn->part))
      status = dorm__out_of_memory(context, "features of ratings");
    for (size_t fold = 0; status == DORM_OK && fold < turn->num_folds; fold++)
      status = fit_fold(context, features, turn, fold);
    turn->options.seed++; /* another start of the factorisations */
  }
  return status;
}

/* Returns the standard deviation of a feature within users, or 1 if it does not vary. */
static double deviation_within(const dorm_rating_features *features, size_t f)
{
  const dorm__rating_table *table = &features->training->table;
  const double *values = features->out_of_fold + f;
  double squares = 0;
  for (size_t u = 0; u < table->num_users; u++) {
    double sum = 0;
    double count = (double)(table->user_start[u + 1] - table->user_start[u]);
    for (size_t e = table->user_start[u]; e < table->user_start[u + 1]; e++)
      sum += values[e * DORM__NUM_RATING_FEATURES] / count;
    for (size_t e = table->user_start[u]; e < table->user_start[u + 1]; e++)
      squares += pow(values[e * DORM__NUM_RATING_FEATURES] - sum, 2);
  }
  return squares > 0 ? sqrt(squares / (double)table->num_ratings) : 1;
}

dorm_status dorm_rating_features_fit(dorm_context *context, const dorm_settings *settings, const dorm_ratings *training,
                                     const dorm_attributes *users, const dorm_attributes *items,
                                     dorm_rating_features **features)
{
  if (DORM__LACKS(context, DORM__GIVEN(settings), DORM__GIVEN(training), DORM__RESULT(features)))
    return DORM_BAD_USAGE;
  size_t count = training->table.num_ratings;
  DORM__AT_END(dorm__rows_clear) dorm__rows user_side = {0};
  DORM__AT_END(dorm__rows_clear) dorm__rows item_side = {0};
  dorm__rating_feature_options options = dorm__rating_feature_options_from(settings);
  repeat turn = {
      .user_side = &user_side, .item_side = &item_side, .options = options.fit, .num_folds = options.num_folds};
  dorm_rating_features *made = dorm__alloc_zero(1, sizeof *made);
  if (made)
    made->out_of_fold = dorm__alloc_zero(count, DORM__NUM_RATING_FEATURES * sizeof *made->out_of_fold);
  if (!made || !made->out_of_fold || !dorm__side_rows(users, &training->users, &user_side) ||
      !dorm__side_rows(items, &training->items, &item_side)) {
    dorm_rating_features_free(made);
    return dorm__out_of_memory(context, "features of ratings");
  }
  made->training = training;
  dorm_status status = fit_all(context, options.num_repeats, &turn, made);
  for (size_t f = 0; status == DORM_OK && f < DORM__NUM_RATING_FEATURES; f++)
    made->scale[f] = 1 / deviation_within(made, f);
  return DORM__GIVE(status, features, made, dorm_rating_features_free);
}

void dorm_rating_features_free(dorm_rating_features *features)
{
  if (!features)
    return;
  for (size_t f = 0; f < features->num_fits; f++)
    dorm__fit_clear(&features->fits[f]);
  dorm__free(features->fits);
  dorm__free(features->out_of_fold);
  dorm__free(features);
}

/* ---- Data sets --------------------------------------------------------------------- */

/* Makes a data set of the lists with rows [start[num_queries]][DORM__NUM_RATING_FEATURES], which are scaled. */
static dorm_status make_dataset(dorm_context *context, const dorm_rating_features *features,
                                const dorm__rating_lists *lists, const double *rows, dorm_dataset **dataset)
{
  dorm_dataset *made = NULL;
  dorm_status status = dorm__rating_dataset(context, features->training, lists, NUM_FEATURES, &made);
  if (status != DORM_OK)
    return status;
  for (size_t q = 0; q < lists->num_queries; q++)
    for (size_t j = lists->start[q]; j < lists->start[q + 1]; j++) {
      float *values = made->values + j * NUM_FEATURES;
      for (size_t f = 0; f < DORM__NUM_RATING_FEATURES; f++)
        values[f] = (float)(features->scale[f] * rows[j * DORM__NUM_RATING_FEATURES + f]);
      values[DORM__NUM_RATING_FEATURES] = (float)(lists->users[q] + 1);
      values[DORM__NUM_RATING_FEATURES + 1] = (float)(lists->items[j] + 1);
    }
  *dataset = made;
  return DORM_OK;
}

dorm_status dorm_rating_features_training(dorm_context *context, const dorm_rating_features *features,
                                          const dorm_ratings *only, dorm_dataset **dataset)
{
  if (DORM__LACKS(context, DORM__GIVEN(features), DORM__RESULT(dataset)))
    return DORM_BAD_USAGE;
  const dorm__rating_table *table = &features->training->table;
  size_t count = table->num_ratings;
  dorm_status status = dorm__ratings_check_numbers(context, features->training, only);
  if (status != DORM_OK)
    return status;
  DORM__FREED uint32_t *users = dorm__alloc(table->num_users, sizeof *users);
  DORM__FREED size_t *start = dorm__alloc(table->num_users + 1, sizeof *start);
  DORM__FREED uint32_t *items = dorm__alloc(count, sizeof *items);
  DORM__FREED double *labels = dorm__alloc(count, sizeof *labels);
  DORM__FREED double *rows = dorm__alloc(count, DORM__NUM_RATING_FEATURES * sizeof *rows);
  if (!users || !start || !items || !labels || !rows)
    return dorm__out_of_memory(context, "features of ratings");
  dorm__rating_lists lists = {dorm__rating_users(table, only ? &only->table : NULL, users, start), users, start, items,
                              labels};
  for (size_t q = 0; q < lists.num_queries; q++) {
    size_t first = table->user_start[users[q]];
    size_t here = start[q + 1] - start[q];
    memcpy(items + start[q], table->items + first, here * sizeof *items);
    memcpy(labels + start[q], table->values + first, here * sizeof *labels);
    memcpy(rows + start[q] * DORM__NUM_RATING_FEATURES, features->out_of_fold + first * DORM__NUM_RATING_FEATURES,
           here * DORM__NUM_RATING_FEATURES * sizeof *rows);
  }
  return make_dataset(context, features, &lists, rows, dataset);
}

/* Predicts the rows of the lists, which are means over all fits, and makes their data set. */
static dorm_status predict_list(dorm_context *context, const dorm_rating_features *features,
                                const dorm__rating_lists *lists, dorm_dataset **dataset)
{
  size_t count = lists->start[lists->num_queries], size = count * DORM__NUM_RATING_FEATURES;
  DORM__FREED uint32_t *pair_users = dorm__alloc(count, sizeof *pair_users);
  DORM__FREED double *rows = dorm__alloc_zero(size, sizeof *rows);
  DORM__FREED double *one = dorm__alloc(size, sizeof *one);
  if (!pair_users || !rows || !one)
    return dorm__out_of_memory(context, "features of ratings");
  for (size_t q = 0; q < lists->num_queries; q++)
    for (size_t j = lists->start[q]; j < lists->start[q + 1]; j++)
      pair_users[j] = lists->users[q];
  dorm__pairs pairs = {count, pair_users, lists->items};
  dorm_status status = DORM_OK;
  for (size_t f = 0; status == DORM_OK && f < features->num_fits; f++) {
    status = dorm__fit_predict(context, &features->fits[f], &pairs, one);
    if (status == DORM_OK)
      dorm__add_scaled(size, 1 / (double)features->num_fits, one, rows);
  }
  return status == DORM_OK ? make_dataset(context, features, lists, rows, dataset) : status;
}

dorm_status dorm_rating_features_predict(dorm_context *context, const dorm_rating_features *features,
                                         const dorm_ratings *pairs, dorm_dataset **dataset)
{
  if (DORM__LACKS(context, DORM__GIVEN(features), DORM__GIVEN(pairs), DORM__RESULT(dataset)))
    return DORM_BAD_USAGE;
  const dorm__rating_table *table = &pairs->table;
  dorm_status status = dorm__ratings_check_numbers(context, features->training, pairs);
  if (status != DORM_OK)
    return status;
  DORM__FREED uint32_t *users = dorm__alloc(table->num_users, sizeof *users);
  DORM__FREED size_t *start = dorm__alloc(table->num_users + 1, sizeof *start);
  if (!users || !start)
    return dorm__out_of_memory(context, "features of ratings");
  dorm__rating_lists lists = {dorm__rating_users(table, NULL, users, start), users, start, table->items, table->values};
  return predict_list(context, features, &lists, dataset);
}

dorm_status dorm_rating_features_candidates(dorm_context *context, const dorm_rating_features *features,
                                            const char *user_id, dorm_dataset **dataset)
{
  if (DORM__LACKS(context, DORM__GIVEN(features), DORM__GIVEN(user_id), DORM__RESULT(dataset)))
    return DORM_BAD_USAGE;
  const dorm_ratings *training = features->training;
  const dorm__rating_table *table = &training->table;
  uint32_t user = dorm__id_table_find(&training->users, user_id, strlen(user_id));
  if (user == DORM__NO_ID || table->user_start[user] == table->user_start[user + 1])
    return dorm__fail(context, DORM_BAD_DATA, "%s: user '%.60s' has no training ratings", training->name, user_id);
  DORM__FREED uint8_t *is_rated = dorm__alloc_zero(table->num_items, 1);
  DORM__FREED uint32_t *items = dorm__alloc(table->num_items, sizeof *items);
  size_t start[2] = {0, 0};
  if (!is_rated || !items)
    return dorm__out_of_memory(context, "candidates");
  for (size_t e = table->user_start[user]; e < table->user_start[user + 1]; e++)
    is_rated[table->items[e]] = 1;
  for (size_t i = 0; i < table->num_items; i++)
    if (!is_rated[i])
      items[start[1]++] = (uint32_t)i;
  if (!start[1])
    return dorm__fail(context, DORM_BAD_DATA, "%s: user '%.60s' has rated every item", training->name, user_id);
  return predict_list(context, features, &(const dorm__rating_lists){1, &user, start, items, NULL}, dataset);
}
