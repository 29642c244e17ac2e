/*
 * features.c: features of (user, item) pairs for a ranker, out of fold. The
 * training ratings of each user are shuffled and dealt into ratings.folds
 * parts; the rows of a part come from fits on all the other parts (fit.c), so
 * that a training row never shows what was fitted to its own label. Rows to
 * predict for come from a fit on all training ratings. Every feature is divided
 * by its standard deviation within users over the training rows; nothing is
 * normalised by list, since lists of training and of candidates differ in
 * length. Feature ids are 1 + dorm__rating_feature; two more ids hold the
 * numbers (from 1) of the user and of the item, for Gram matrices of kernels.
 */
#include "ratings/ratings.h"

#include <math.h>
#include <omp.h>
#include <string.h>

enum { NUM_FEATURES = DORM__NUM_RATING_FEATURES + 2 };

struct dorm_rating_features {
  const dorm_ratings *training; /* borrowed */
  dorm__fit_options options;
  dorm__rows user_side;
  dorm__rows item_side;
  double *out_of_fold; /* [num_ratings][DORM__NUM_RATING_FEATURES] */
  double scale[DORM__NUM_RATING_FEATURES];
};

static const char *const feature_names[DORM__NUM_RATING_FEATURES] = {
    "bias",          "gain-bias",     "popularity",     "factors",   "small-factors", "neighbours",
    "item-affinity", "user-affinity", "joint-affinity", "item-mean", "squared-error"};

const char *dorm_rating_feature_name(size_t index)
{
  return index < DORM__NUM_RATING_FEATURES ? feature_names[index] : NULL;
}

size_t dorm__rating_threads(const dorm_settings *settings)
{
  size_t threads = dorm__settings_integer(settings, DORM__SOLVER_THREADS);
  return threads ? threads : (size_t)omp_get_num_procs();
}

static void take_options(const dorm_settings *settings, dorm__fit_options *options)
{
  options->rank = dorm__settings_integer(settings, DORM__RATINGS_RANK);
  options->seed = dorm__settings_integer(settings, DORM__RATINGS_SEED);
  options->num_threads = dorm__rating_threads(settings);
  for (size_t i = 0; i < dorm__settings_count(settings, DORM__RATINGS_FEATURES); i++)
    for (size_t f = 0; f < DORM__NUM_RATING_FEATURES; f++)
      if (strcmp(dorm__settings_word_at(settings, DORM__RATINGS_FEATURES, i), feature_names[f]) == 0)
        options->wanted[f] = true;
}

/* ---- Folds ----------------------------------------------------------------------- */

/* The part of each rating. */
static bool deal(const dorm__rating_table *table, size_t num_folds, uint64_t seed, uint8_t *part)
{
  dorm__random random;
  size_t *order = dorm__alloc(table->num_ratings, sizeof *order);
  if (!order)
    return false;
  dorm__random_seed(&random, seed);
  for (size_t u = 0; u < table->num_users; u++) {
    size_t first = table->user_start[u];
    size_t count = table->user_start[u + 1] - first;
    dorm__random_permutation(&random, count, order);
    for (size_t k = 0; k < count; k++)
      part[first + order[k]] = (uint8_t)(k % num_folds);
  }
  dorm__free(order);
  return true;
}

/* Fits on what is not in `fold` and predicts what is. */
static dorm_status predict_fold(dorm_context *context, dorm_rating_features *features, const uint8_t *part,
                                uint8_t fold)
{
  const dorm__rating_table *table = &features->training->table;
  dorm__rating_table rest = {0};
  uint8_t *keep = dorm__alloc(table->num_ratings, 1);
  uint32_t *users = dorm__alloc(table->num_ratings, 2 * sizeof *users);
  uint32_t *items = users + table->num_ratings;
  double *rows = dorm__alloc(table->num_ratings, DORM__NUM_RATING_FEATURES * sizeof *rows);
  dorm_status status = DORM_OK;
  size_t count = 0;
  for (size_t e = 0; keep && e < table->num_ratings; e++)
    keep[e] = part[e] != fold;
  if (!keep || !users || !rows || !dorm__rating_table_select(table, keep, 1, &rest)) {
    status = dorm__out_of_memory(context, "a fold of ratings");
    goto done;
  }
  for (size_t u = 0; u < table->num_users; u++)
    for (size_t e = table->user_start[u]; e < table->user_start[u + 1]; e++)
      if (!keep[e]) {
        users[count] = (uint32_t)u;
        items[count++] = table->items[e];
      }
  dorm__pairs pairs = {count, users, items};
  status =
      dorm__fit_predict(context, &rest, &features->user_side, &features->item_side, &features->options, &pairs, rows);
  count = 0;
  for (size_t e = 0; status == DORM_OK && e < table->num_ratings; e++)
    if (!keep[e])
      memcpy(features->out_of_fold + e * DORM__NUM_RATING_FEATURES, rows + count++ * DORM__NUM_RATING_FEATURES,
             DORM__NUM_RATING_FEATURES * sizeof *rows);
done:
  dorm__rating_table_clear(&rest);
  dorm__free(keep);
  dorm__free(users);
  dorm__free(rows);
  return status;
}

/* The standard deviation within users, 1 where a feature does not vary. */
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
                                     const dorm_side *users, const dorm_side *items, dorm_rating_features **features)
{
  size_t num_folds = dorm__settings_integer(settings, DORM__RATINGS_FOLDS);
  size_t count = training->table.num_ratings;
  dorm_status status = DORM_OK;
  *features = NULL;
  uint8_t *part = dorm__alloc(count, 1);
  dorm_rating_features *made = dorm__alloc_zero(1, sizeof *made);
  if (made)
    made->out_of_fold = dorm__alloc(count, DORM__NUM_RATING_FEATURES * sizeof *made->out_of_fold);
  if (!part || !made || !made->out_of_fold || !dorm__side_rows(users, &training->users, &made->user_side) ||
      !dorm__side_rows(items, &training->items, &made->item_side) ||
      !deal(&training->table, num_folds, dorm__settings_integer(settings, DORM__RATINGS_SEED), part)) {
    status = dorm__out_of_memory(context, "features of ratings");
    goto done;
  }
  made->training = training;
  take_options(settings, &made->options);
  for (size_t fold = 0; status == DORM_OK && fold < num_folds; fold++)
    status = predict_fold(context, made, part, (uint8_t)fold);
  for (size_t f = 0; status == DORM_OK && f < DORM__NUM_RATING_FEATURES; f++)
    made->scale[f] = 1 / deviation_within(made, f);
  if (status != DORM_OK)
    goto done;
  *features = made;
  made = NULL;
done:
  dorm_rating_features_free(made);
  dorm__free(part);
  return status;
}

void dorm_rating_features_free(dorm_rating_features *features)
{
  if (!features)
    return;
  dorm__rows_clear(&features->user_side);
  dorm__rows_clear(&features->item_side);
  dorm__free(features->out_of_fold);
  dorm__free(features);
}

/* ---- Data sets --------------------------------------------------------------------- */

/* A list of rated pairs and their rows. */
typedef struct row_list {
  dorm__rating_lists lists;
  const double *rows; /* [][DORM__NUM_RATING_FEATURES] */
} row_list;

static dorm_status make_dataset(dorm_context *context, const dorm_rating_features *features, const row_list *list,
                                dorm_dataset **dataset)
{
  const dorm__rating_lists *lists = &list->lists;
  dorm_dataset *made = NULL;
  dorm_status status = dorm__rating_dataset(context, features->training, lists, NUM_FEATURES, &made);
  if (status != DORM_OK)
    return status;
  for (size_t q = 0; q < lists->num_queries; q++)
    for (size_t j = lists->start[q]; j < lists->start[q + 1]; j++) {
      float *values = made->values + j * NUM_FEATURES;
      for (size_t f = 0; f < DORM__NUM_RATING_FEATURES; f++)
        values[f] = (float)(features->scale[f] * list->rows[j * DORM__NUM_RATING_FEATURES + f]);
      values[DORM__NUM_RATING_FEATURES] = (float)(lists->users[q] + 1);
      values[DORM__NUM_RATING_FEATURES + 1] = (float)(lists->items[j] + 1);
    }
  *dataset = made;
  return DORM_OK;
}

dorm_status dorm_rating_features_training(dorm_context *context, const dorm_rating_features *features,
                                          const dorm_ratings *only, dorm_dataset **dataset)
{
  const dorm__rating_table *table = &features->training->table;
  size_t count = table->num_ratings;
  dorm_status status;
  *dataset = NULL;
  uint32_t *users = dorm__alloc(table->num_users, sizeof *users);
  size_t *start = dorm__alloc(table->num_users + 1, sizeof *start);
  uint32_t *items = dorm__alloc(count, sizeof *items);
  double *labels = dorm__alloc(count, sizeof *labels);
  double *rows = dorm__alloc(count, DORM__NUM_RATING_FEATURES * sizeof *rows);
  if (!users || !start || !items || !labels || !rows) {
    status = dorm__out_of_memory(context, "features of ratings");
    goto done;
  }
  row_list list = {{dorm__rating_users(table, only ? &only->table : NULL, users, start), users, start, items, labels},
                   rows};
  for (size_t q = 0; q < list.lists.num_queries; q++) {
    size_t first = table->user_start[users[q]];
    size_t here = start[q + 1] - start[q];
    memcpy(items + start[q], table->items + first, here * sizeof *items);
    memcpy(labels + start[q], table->values + first, here * sizeof *labels);
    memcpy(rows + start[q] * DORM__NUM_RATING_FEATURES, features->out_of_fold + first * DORM__NUM_RATING_FEATURES,
           here * DORM__NUM_RATING_FEATURES * sizeof *rows);
  }
  status = make_dataset(context, features, &list, dataset);
done:
  dorm__free(users);
  dorm__free(start);
  dorm__free(items);
  dorm__free(labels);
  dorm__free(rows);
  return status;
}

/* Features of pairs that come by user, from a fit on all training ratings. */
static dorm_status predict_list(dorm_context *context, const dorm_rating_features *features, row_list *list,
                                dorm_dataset **dataset)
{
  const dorm__rating_lists *lists = &list->lists;
  size_t count = lists->start[lists->num_queries];
  uint32_t *pair_users = dorm__alloc(count, sizeof *pair_users);
  double *rows = dorm__alloc(count, DORM__NUM_RATING_FEATURES * sizeof *rows);
  dorm_status status = DORM_OK;
  if (!pair_users || !rows)
    status = dorm__out_of_memory(context, "features of ratings");
  if (status == DORM_OK) {
    for (size_t q = 0; q < lists->num_queries; q++)
      for (size_t j = lists->start[q]; j < lists->start[q + 1]; j++)
        pair_users[j] = lists->users[q];
    dorm__pairs pairs = {count, pair_users, lists->items};
    status = dorm__fit_predict(context, &features->training->table, &features->user_side, &features->item_side,
                               &features->options, &pairs, rows);
  }
  list->rows = rows;
  if (status == DORM_OK)
    status = make_dataset(context, features, list, dataset);
  list->rows = NULL;
  dorm__free(pair_users);
  dorm__free(rows);
  return status;
}

dorm_status dorm_rating_features_predict(dorm_context *context, const dorm_rating_features *features,
                                         const dorm_ratings *pairs, dorm_dataset **dataset)
{
  const dorm__rating_table *table = &pairs->table;
  *dataset = NULL;
  uint32_t *users = dorm__alloc(table->num_users, sizeof *users);
  size_t *start = dorm__alloc(table->num_users + 1, sizeof *start);
  dorm_status status = DORM_OK;
  if (!users || !start)
    status = dorm__out_of_memory(context, "features of ratings");
  if (status == DORM_OK) {
    row_list list = {{dorm__rating_users(table, NULL, users, start), users, start, table->items, table->values}, NULL};
    status = predict_list(context, features, &list, dataset);
  }
  dorm__free(users);
  dorm__free(start);
  return status;
}

dorm_status dorm_rating_features_candidates(dorm_context *context, const dorm_rating_features *features,
                                            const char *user_id, dorm_dataset **dataset)
{
  const dorm_ratings *training = features->training;
  const dorm__rating_table *table = &training->table;
  uint32_t user = dorm__id_table_find(&training->users, user_id, strlen(user_id));
  *dataset = NULL;
  if (user == DORM__NO_ID || table->user_start[user] == table->user_start[user + 1])
    return dorm__fail(context, DORM_BAD_DATA, "%s: user '%.60s' has no training ratings", training->name, user_id);
  uint8_t *is_rated = dorm__alloc_zero(table->num_items, 1);
  uint32_t *items = dorm__alloc(table->num_items, sizeof *items);
  dorm_status status = DORM_OK;
  size_t start[2] = {0, 0};
  if (!is_rated || !items) {
    status = dorm__out_of_memory(context, "candidates");
    goto done;
  }
  for (size_t e = table->user_start[user]; e < table->user_start[user + 1]; e++)
    is_rated[table->items[e]] = 1;
  for (size_t i = 0; i < table->num_items; i++)
    if (!is_rated[i])
      items[start[1]++] = (uint32_t)i;
  if (!start[1]) {
    status = dorm__fail(context, DORM_BAD_DATA, "%s: user '%.60s' has rated every item", training->name, user_id);
    goto done;
  }
  row_list list = {{1, &user, start, items, NULL}, NULL};
  status = predict_list(context, features, &list, dataset);
done:
  dorm__free(is_rated);
  dorm__free(items);
  return status;
}
