/* rating_features_test.c: the models fitted to ratings and the rows made of their predictions, against their formulas.
 */
#include "collaborative/ratings/fit.h"
#include "tests/unit/ratings_cases.h"

/* With S[u] = ridge (Z'Z + ridges)^-1 the item step solves the normal equations with expected moments, written out here
 * for one item. */
UNIT_TEST_IN(context, the_item_step_sees_posterior_covariances)
{
  DORM__OWNED(dorm_settings) *settings = unit_defaults(context, NULL);
  DORM__OWNED(dorm_ratings) *ratings = ratings_of_text(context, settings, "a x 5\nb x 2\nc x 4\n");
  dorm__factorisation first, second;
  dorm__factorisation_options options = dorm__factorisation_em(1, unit_seed(), 1);
  options.rounds = 0;
  UNIT_OK(context, dorm__factorisation_fit(context, &ratings->table, &options, &first));
  options.rounds = 1;
  UNIT_OK(context, dorm__factorisation_fit(context, &ratings->table, &options, &second));
  double v = first.item[0];
  double determinant = (1 + 3) * (v * v + 0.8) - v * v;
  double covariance = -0.8 * v / determinant;    /* of b and U, the same for all three users */
  double variance = 0.8 * (1 + 3) / determinant; /* of U */
  double g00 = 3 + 5, g01 = 0, g11 = 3 * variance + 40, r0 = 0, r1 = -3 * covariance;
  for (size_t u = 0; u < 3; u++) {
    double value = ratings->table.values[u] - first.mean - first.user_bias[u];
    g01 += first.user[u];
    g11 += first.user[u] * first.user[u];
    r0 += value;
    r1 += value * first.user[u];
  }
  determinant = g00 * g11 - g01 * g01;
  CU_ASSERT_DOUBLE_EQUAL(second.item_bias[0], (g11 * r0 - g01 * r1) / determinant, 1e-12);
  CU_ASSERT_DOUBLE_EQUAL(second.item[0], (g00 * r1 - g01 * r0) / determinant, 1e-12);
  dorm__factorisation_clear(&first);
  dorm__factorisation_clear(&second);
}

/* The offsets minimise sum (r - mean - user - item)^2 + 3 sum user^2 + shrinkage sum item^2, so its derivatives are 0:
 * by the users, which are fitted last, exactly, and by the items up to the alternations that are left out. */
UNIT_TEST_IN(context, offsets_minimise_their_ridge)
{
  DORM__OWNED(dorm_ratings) *ratings = ratings_generated(context, 30, 24, 9);
  const dorm__rating_table *table = &ratings->table;
  DORM__AT_END(dorm__bias_clear) dorm__bias bias;
  double by_item[24], sum = 0;
  CU_ASSERT_TRUE_FATAL(dorm__bias_fit(table, table->values, 5, &bias));
  for (size_t e = 0; e < table->num_ratings; e++)
    sum += table->values[e];
  CU_ASSERT_DOUBLE_EQUAL(bias.mean, sum / (double)table->num_ratings, 1e-12);
  for (size_t i = 0; i < 24; i++)
    by_item[i] = 5 * bias.item[i];
  for (size_t u = 0; u < 30; u++) {
    double by_user = 3 * bias.user[u];
    for (size_t e = table->user_start[u]; e < table->user_start[u + 1]; e++) {
      double left = table->values[e] - bias.mean - bias.user[u] - bias.item[table->items[e]];
      by_user -= left;
      by_item[table->items[e]] -= left;
    }
    CU_ASSERT_DOUBLE_EQUAL(by_user, 0, 1e-12);
  }
  for (size_t i = 0; i < 24; i++)
    CU_ASSERT_DOUBLE_EQUAL(by_item[i], 0, 0.05);
}

/* Without attributes users and items are described by one number each, made from log popularity; the normal equation of
 * the joint ridge is then solved by hand. */
UNIT_TEST_IN(context, the_joint_ridge_solves_its_normal_equation)
{
  DORM__OWNED(dorm_ratings) *ratings = ratings_generated(context, 30, 24, 9);
  const dorm__rating_table *table = &ratings->table;
  dorm__rows user_side = {.count = 30}, item_side = {.count = 24};
  dorm__factorisation none = {0};
  DORM__AT_END(dorm__vectors_clear) dorm__vectors vectors;
  double residuals[270], prediction;
  double *of_items = NULL;
  uint32_t user = 3, item = 5;
  dorm__pairs pair = {1, &user, &item};
  for (size_t e = 0; e < 270; e++)
    residuals[e] = sin((double)e);
  CU_ASSERT_TRUE_FATAL(dorm__vectors_new(table, &user_side, &item_side, &none, &vectors));
  CU_ASSERT_EQUAL_FATAL(vectors.users.width * vectors.items.width, 1);
  double gram = 2, right = 0;
  for (size_t u = 0; u < 30; u++)
    for (size_t e = table->user_start[u]; e < table->user_start[u + 1]; e++) {
      double x = vectors.users.values[u] * vectors.items.values[table->items[e]];
      gram += x * x;
      right += x * residuals[e];
    }
  UNIT_OK(context, dorm__joint_affinity_fit(context, table, residuals, &vectors, &of_items));
  dorm__joint_affinity_predict(&vectors, of_items, &pair, 1, &prediction);
  dorm__free(of_items);
  CU_ASSERT_DOUBLE_EQUAL(prediction, right / gram * vectors.users.values[3] * vectors.items.values[5], 1e-12);
  UNIT_OK(context, dorm__item_affinity_predict(context, table, residuals, &vectors, &pair, 1, &prediction));
  gram = 0.8;
  right = 0;
  for (size_t e = table->user_start[3]; e < table->user_start[4]; e++) {
    double z = vectors.items.values[table->items[e]];
    gram += z * z;
    right += z * residuals[e];
  }
  CU_ASSERT_DOUBLE_EQUAL(prediction, right / gram * vectors.items.values[5], 1e-12);
}

/* Changing the label of a training row must change the features of this row, and of the others in its fold, by the
 * common scale alone. */
UNIT_TEST_IN(context, a_training_row_does_not_see_its_own_label)
{
  DORM__OWNED(dorm_settings) *settings =
      unit_defaults(context, UNIT_PAIRS("ratings.folds", "3", "ratings.repeats", "1", "solver.threads", "1"));
  DORM__OWNED(dorm_ratings) *ratings = ratings_generated(context, 20, 24, 10);
  dorm_rating_features *features = NULL;
  DORM__OWNED(dorm_dataset) *before = NULL, *after = NULL;
  size_t changed = 17;
  double ratio = 0;
  UNIT_OK(context, dorm_rating_features_fit(context, settings, ratings, NULL, NULL, &features));
  UNIT_OK(context, dorm_rating_features_training(context, features, NULL, &before));
  dorm_rating_features_free(features);
  ratings->table.values[changed] = ratings->table.values[changed] > 3 ? 1 : 5;
  UNIT_OK(context, dorm_rating_features_fit(context, settings, ratings, NULL, NULL, &features));
  UNIT_OK(context, dorm_rating_features_training(context, features, NULL, &after));
  dorm_rating_features_free(features);
  for (size_t f = 0; f < DORM__NUM_RATING_FEATURES; f++) {
    size_t same = 0, moved = 0;
    ratio = (double)dorm_dataset_value(after, changed, f) / (double)dorm_dataset_value(before, changed, f);
    for (size_t j = 0; j < dorm_dataset_num_docs(after); j++) {
      bool is_same = unit_close(dorm_dataset_value(after, j, f), ratio * dorm_dataset_value(before, j, f), 1e-5);
      same += is_same;
      moved += !is_same;
    }
    /* Its fold, a third of the rows, is the same up to the scale. */
    if (f != DORM__RATING_POPULARITY && dorm_dataset_value(before, changed, f) != 0)
      CU_ASSERT_TRUE(same >= 60 && moved > 0);
  }
}

/* log(1 + n) of an item over the ratings outside a fold, counted directly. */
static double without_fold(const dorm__rating_table *table, const uint8_t *part, size_t fold, size_t item)
{
  double raters = 0;
  for (size_t e = 0; e < table->num_ratings; e++)
    raters += part[e] != fold && table->items[e] == item;
  return log(1 + raters);
}

/* A training row is the mean over the repeats of the fits without it, any other row the mean over all fits; both are
 * divided by the standard deviation of training rows. */
UNIT_TEST_IN(context, rows_are_means_over_the_same_fits)
{
  enum { USERS = 20, ITEMS = 18, EACH = 9, FOLDS = 3, REPEATS = 2, COUNT = USERS * EACH };
  static const char *const wanted[] = {"ratings.folds", "3", "ratings.repeats", "2", "ratings.features",
                                       "popularity",    NULL};
  DORM__OWNED(dorm_settings) *settings = unit_defaults(context, wanted);
  DORM__OWNED(dorm_ratings) *ratings = ratings_generated(context, USERS, ITEMS, EACH);
  const dorm__rating_table *table = &ratings->table;
  static uint8_t part[REPEATS][COUNT];
  static double rows[COUNT];
  double candidates[ITEMS] = {0};
  double scale = 0;
  dorm__random random;
  memset(rows, 0, sizeof rows);
  dorm__random_seed(&random, dorm__settings_integer(settings, DORM__TRAINING_SEED));
  for (size_t r = 0; r < REPEATS; r++) {
    CU_ASSERT_TRUE_FATAL(dorm__deal_folds(table, FOLDS, &random, part[r]));
    for (size_t e = 0; e < COUNT; e++)
      rows[e] += without_fold(table, part[r], part[r][e], table->items[e]) / REPEATS;
    for (size_t i = 0; i < ITEMS; i++)
      for (size_t fold = 0; fold < FOLDS; fold++)
        candidates[i] += without_fold(table, part[r], fold, i) / (REPEATS * FOLDS);
  }
  for (size_t e = 0; e < COUNT; e++) {
    double mean = 0;
    for (size_t k = 0; k < EACH; k++)
      mean += rows[e / EACH * EACH + k] / EACH;
    scale += (rows[e] - mean) * (rows[e] - mean) / COUNT;
  }
  scale = 1 / sqrt(scale);
  DORM__OWNED(dorm_rating_features) *features = NULL;
  DORM__OWNED(dorm_dataset) *training = NULL, *others = NULL;
  UNIT_OK(context, dorm_rating_features_fit(context, settings, ratings, NULL, NULL, &features));
  UNIT_OK(context, dorm_rating_features_training(context, features, NULL, &training));
  UNIT_OK(context, dorm_rating_features_candidates(context, features, "u7", &others));
  CU_ASSERT_EQUAL_FATAL(dorm_dataset_num_docs(training), COUNT);
  CU_ASSERT_EQUAL_FATAL(dorm_dataset_num_docs(others), ITEMS - EACH);
  for (size_t e = 0; e < COUNT; e++)
    CU_ASSERT_DOUBLE_EQUAL(dorm_dataset_value(training, e, DORM__RATING_POPULARITY), scale * rows[e], 1e-5);
  for (size_t j = 0; j < ITEMS - EACH; j++) {
    size_t item = (size_t)dorm_dataset_value(others, j, DORM__NUM_RATING_FEATURES + 1) - 1;
    CU_ASSERT_DOUBLE_EQUAL(dorm_dataset_value(others, j, DORM__RATING_POPULARITY), scale * candidates[item], 1e-5);
  }
}

UNIT_TEST_IN(context, features_do_not_depend_on_the_threads)
{
  DORM__OWNED(dorm_ratings) *ratings = ratings_generated(context, 40, 30, 12);
  dorm_dataset *datasets[2] = {NULL, NULL};
  dorm_dataset *nobody = NULL;
  for (size_t t = 0; t < 2; t++) {
    const char *const threads[] = {"solver.threads", t ? "3" : "1", NULL};
    DORM__OWNED(dorm_settings) *settings = unit_defaults(context, threads);
    DORM__OWNED(dorm_rating_features) *features = NULL;
    UNIT_OK(context, dorm_rating_features_fit(context, settings, ratings, NULL, NULL, &features));
    UNIT_OK(context, dorm_rating_features_candidates(context, features, "u7", &datasets[t]));
    UNIT_BAD_DATA(dorm_rating_features_candidates(context, features, "nobody", &nobody),
                  "user 'nobody' has no training ratings");
  }
  CU_ASSERT_EQUAL(dorm_dataset_num_docs(datasets[0]), 30 - 12);
  for (size_t j = 0; j < dorm_dataset_num_docs(datasets[0]); j++)
    for (size_t f = 0; f < dorm_dataset_num_features(datasets[0]); f++)
      CU_ASSERT_EQUAL(dorm_dataset_value(datasets[0], j, f), dorm_dataset_value(datasets[1], j, f));
  dorm_dataset_free(datasets[0]);
  dorm_dataset_free(datasets[1]);
}

UNIT_TEST_IN(context, ratings_of_other_numbers_are_refused)
{
  static const char message[] = "number users and items otherwise than the training ratings";
  DORM__OWNED(dorm_ratings) *training = NULL, *other = NULL;
  DORM__OWNED(dorm_rating_features) *features = NULL;
  dorm_dataset *dataset = NULL;
  dorm_artificial_ratings parameters = {sizeof parameters, 12, 14, 5, 0.5, unit_seed()};
  DORM__OWNED(dorm_settings) *settings = unit_defaults(context, NULL);
  UNIT_OK(context, dorm_ratings_generate(context, &parameters, NULL, NULL, &training));
  parameters.num_users = 30;
  UNIT_OK(context, dorm_ratings_generate(context, &parameters, NULL, NULL, &other));
  UNIT_OK(context, dorm_rating_features_fit(context, settings, training, NULL, NULL, &features));
  UNIT_BAD_USAGE(dorm_rating_features_training(context, features, other, &dataset), message);
  UNIT_BAD_USAGE(dorm_rating_features_predict(context, features, other, &dataset), message);
}
