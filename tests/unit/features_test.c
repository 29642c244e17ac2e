/* features_test.c: features that are made from dense and sparse data sets, compared entry by entry with their
 * definitions. */
#include "tests/unit/unit.h"

/* Compares every entry with the definition, counted pair by pair. */
UNIT_TEST_DRAWN(context, random, features_follow_their_definition)
{
  enum { QUERIES = 30, DOCS = 9, FEATURES = 5 };
  size_t start[QUERIES + 1];
  double labels[QUERIES * DOCS] = {0};
  float values[QUERIES * DOCS * FEATURES];
  for (size_t q = 0; q <= QUERIES; q++)
    start[q] = q ? start[q - 1] + 1 + q % DOCS : 0;
  for (size_t i = 0; i < QUERIES * DOCS * FEATURES; i++)
    values[i] = (float)dorm__random_below(random, 4) - 1; /* many ties */
  DORM__OWNED(dorm_dataset) *dataset = unit_dataset(context, QUERIES, start, FEATURES, labels, values);
  static const size_t ids[] = {2, 4, 5, 77}; /* 77 is in no document */
  dorm__feature_map map = {.num_ids = 4, .ids = ids, .normalisation = DORM__NORMALISATION_MIN_MAX, .rank_block = 0.5};
  DORM__AT_END(dorm__features_free) dorm__features features;
  UNIT_OK(context, dorm__features_build(context, dataset, &map, 2, &features));
  CU_ASSERT_EQUAL_FATAL(features.num_features, 8);
  for (size_t q = 0; q < QUERIES; q++)
    for (size_t j = start[q]; j < start[q + 1]; j++)
      for (size_t f = 0; f < 4; f++) {
        double low = INFINITY, high = -INFINITY, above = 0, ties = 0, own = 0;
        for (size_t i = start[q]; i < start[q + 1]; i++) {
          double x = f < 3 ? (double)values[i * FEATURES + ids[f] - 1] : 0;
          own = f < 3 ? (double)values[j * FEATURES + ids[f] - 1] : 0;
          low = fmin(low, x);
          high = fmax(high, x);
          above += x > own;
          ties += x == own;
        }
        double l = (double)(start[q + 1] - start[q]);
        double value = high > low ? (own - low) / (high - low) : 0;
        double rank = high > low ? 1 - (above + (ties - 1) / 2) / (l - 1) : 0.5;
        CU_ASSERT_TRUE_FATAL(unit_close((double)features.values[j * 8 + f], value, 1e-6));
        CU_ASSERT_TRUE_FATAL(unit_close((double)features.values[j * 8 + 4 + f], 0.5 * rank, 1e-6));
      }
  double weights[8], scores[QUERIES * DOCS], sum[8] = {0};
  for (size_t f = 0; f < 8; f++)
    weights[f] = dorm__random_normal(random);
  dorm__features_score(&features, 3, 20, weights, scores);
  for (size_t i = 0; i < 20; i++) {
    double score = 0;
    for (size_t f = 0; f < 8; f++)
      score += weights[f] * (double)features.values[(3 + i) * 8 + f];
    UNIT_CLOSE(scores[i], score, 1e-14);
  }
  dorm__features_add(&features, 7, 2, sum);
  for (size_t f = 0; f < 8; f++)
    CU_ASSERT_EQUAL(sum[f], 2 * (double)features.values[7 * 8 + f]);
}

/* ---- Missing values --------------------------------------------------------- */

/* The value of a feature of a document, by the definition: the values of its query, NaN if missing. */
static double defined_value(const dorm__feature_map *map, size_t feature, size_t count, const double *values,
                            double value)
{
  double low = INFINITY, high = -INFINITY, sum = 0, squares = 0, known = 0;
  for (size_t i = 0; i < count; i++)
    if (!isnan(values[i])) {
      low = fmin(low, values[i]);
      high = fmax(high, values[i]);
      sum += values[i];
      squares += values[i] * values[i];
      known++;
    }
  double mean = known > 0 ? sum / known : 0;
  double deviation = known > 0 && high > low ? sqrt(squares / known - mean * mean) : 0;
  if (isnan(value))
    value = map->mean ? map->mean[feature] : mean;
  switch (map->normalisation) {
  case DORM__NORMALISATION_NONE:
    return value;
  case DORM__NORMALISATION_MIN_MAX:
    return high > low ? (value - low) / (high - low) : 0;
  case DORM__NORMALISATION_Z_SCORE:
    return deviation > 0 ? (value - mean) / deviation : 0;
  default:
    return map->spread[feature] > 0 ? (value - map->shift[feature]) / map->spread[feature] : 0;
  }
}

static double defined_rank(size_t count, const double *values, double value)
{
  double above = 0, ties = 0, known = 0;
  for (size_t i = 0; i < count; i++) {
    known += !isnan(values[i]);
    above += values[i] > value;
    ties += values[i] == value;
  }
  return isnan(value) || known < 2 ? 0.5 : 1 - (above + (ties - 1) / 2) / (known - 1);
}

/* Dense rows follow the definition; sparse ones differ from them by a number for each feature of a query. */
UNIT_TEST_DRAWN(context, random, missing_values_count_as_the_mean)
{
  enum { QUERIES = 40, DOCS = 7, FEATURES = 3 };
  size_t start[QUERIES + 1];
  double labels[QUERIES * DOCS] = {0};
  float values[QUERIES * DOCS * FEATURES];
  for (size_t q = 0; q <= QUERIES; q++)
    start[q] = q ? start[q - 1] + 1 + q % DOCS : 0;
  for (size_t i = 0; i < QUERIES * DOCS * FEATURES; i++) {
    size_t kind = dorm__random_below(random, 5);
    values[i] = kind == 0 ? NAN : kind == 1 ? 0 : (float)dorm__random_below(random, 7) - 2;
  }
  DORM__OWNED(dorm_dataset) *dense = unit_dataset(context, QUERIES, start, FEATURES, labels, values);
  DORM__OWNED(dorm_dataset) *sparse = unit_sparse_copy(context, dense);
  for (int normalisation = 0; normalisation < DORM__NUM_NORMALISATIONS; normalisation++) {
    const dorm__feature_options options = {.normalisation = (dorm__normalisation)normalisation};
    DORM__AT_END(dorm__feature_map_clear) dorm__feature_map map;
    dorm__features rows, thin, kept[2];
    UNIT_OK(context, dorm__feature_map_new(context, &options, normalisation % 2 ? dense : sparse, &map));
    map.rank_block = 0.5;
    UNIT_OK(context, dorm__features_build(context, dense, &map, 2, &rows));
    UNIT_OK(context, dorm__features_build(context, sparse, &map, 1, &thin));
    for (size_t q = 0; q < QUERIES; q++)
      for (size_t f = 0; f < FEATURES; f++) {
        size_t count = start[q + 1] - start[q];
        double column[DOCS], difference[2] = {0};
        for (size_t i = 0; i < count; i++)
          column[i] = (double)values[(start[q] + i) * FEATURES + f];
        for (size_t i = 0; i < count; i++) {
          const float *row = rows.values + (start[q] + i) * 2 * FEATURES;
          double value = defined_value(&map, f, count, column, column[i]);
          CU_ASSERT_TRUE_FATAL(unit_close((double)row[f], value, 1e-5));
          CU_ASSERT_TRUE_FATAL(
              unit_close((double)row[FEATURES + f], 0.5 * defined_rank(count, column, column[i]), 1e-6));
          dorm__row own = dorm__features_row(&thin, start[q] + i);
          for (size_t block = 0; block < 2; block++) {
            double entry = 0;
            for (size_t e = 0; e < own.count; e++)
              entry += own.indices[e] == block * FEATURES + f ? (double)own.values[e] : 0;
            entry -= (double)row[block * FEATURES + f];
            difference[block] = i ? difference[block] : entry;
            CU_ASSERT_TRUE_FATAL(unit_close(entry, difference[block], 1e-5));
          }
        }
      }
    /* Rows that keep missing values have NaN in their places, and the same bits in all others. */
    map.keeps_missing = true;
    UNIT_OK(context, dorm__features_build_full(context, dense, &map, 1, &kept[0]));
    UNIT_OK(context, dorm__features_build_full(context, sparse, &map, 2, &kept[1]));
    for (size_t i = 0; i < start[QUERIES] * 2 * FEATURES; i++) {
      bool is_missing = isnan(values[i / (2 * FEATURES) * FEATURES + i % FEATURES]);
      for (size_t k = 0; k < 2; k++)
        CU_ASSERT_TRUE_FATAL(is_missing ? isnan(kept[k].values[i])
                                        : memcmp(&kept[k].values[i], &rows.values[i], sizeof(float)) == 0);
    }
    dorm__features_free(&kept[0]);
    dorm__features_free(&kept[1]);
    dorm__features_free(&rows);
    dorm__features_free(&thin);
  }
}

enum { TWIN_QUERIES = 25, TWIN_DOCS = 10, TWIN_FEATURES = 12, TWIN_ROWS = TWIN_QUERIES * TWIN_DOCS };

/* Makes the same random data in both storages, with values of both signs, ties, explicit zeros, and features that all
 * documents of a query have. */
static void make_twins(dorm_context *context, dorm_dataset **dense, dorm_dataset **sparse)
{
  static const float levels[] = {-2, -0.5F, 0, 1, 1, 3};
  dorm__random random = unit_random(0);
  size_t start[TWIN_QUERIES + 1];
  size_t row_start[TWIN_ROWS + 1] = {0};
  double labels[TWIN_ROWS] = {0};
  static float values[TWIN_ROWS * TWIN_FEATURES];
  static float entries[TWIN_ROWS * TWIN_FEATURES];
  static uint32_t columns[TWIN_ROWS * TWIN_FEATURES];
  size_t count = 0;
  for (size_t q = 0; q <= TWIN_QUERIES; q++)
    start[q] = q ? start[q - 1] + 1 + q % TWIN_DOCS : 0;
  for (size_t q = 0; q < TWIN_QUERIES; q++)
    for (size_t j = start[q]; j < start[q + 1]; j++) {
      for (size_t f = 0; f < TWIN_FEATURES; f++) {
        values[j * TWIN_FEATURES + f] = 0;
        if ((q + f) % 4 && dorm__random_below(&random, 3))
          continue;
        values[j * TWIN_FEATURES + f] = levels[dorm__random_below(&random, 6)] + (f == 1 ? 4 : f == 2 ? -5 : 0);
        columns[count] = (uint32_t)f;
        entries[count++] = values[j * TWIN_FEATURES + f];
      }
      row_start[j + 1] = count;
    }
  UNIT_OK(context, dorm_dataset_from_arrays(context, TWIN_QUERIES, start, TWIN_FEATURES, labels, values, dense));
  UNIT_OK(context, dorm_dataset_from_sparse(context, TWIN_QUERIES, start, TWIN_FEATURES, labels, row_start, columns,
                                            entries, sparse));
  CU_ASSERT_PTR_NOT_NULL_FATAL(*dense);
  CU_ASSERT_PTR_NOT_NULL_FATAL(*sparse);
}

/* Checks that scores by both storages differ by a constant within each query. */
static void check_twin_scores(const dorm_dataset *dense, const dorm_dataset *sparse, const dorm__feature_map *map)
{
  DORM__OWNED(dorm_context) *context = unit_context();
  dorm__features rows[2];
  double weights[2 * TWIN_FEATURES];
  double scores[2][TWIN_ROWS];
  dorm__random random = unit_random(0);
  for (size_t f = 0; f < 2 * TWIN_FEATURES; f++)
    weights[f] = dorm__random_normal(&random);
  UNIT_OK(context, dorm__features_build(context, dense, map, 1, &rows[0]));
  UNIT_OK(context, dorm__features_build(context, sparse, map, 2, &rows[1]));
  CU_ASSERT_PTR_NULL(rows[0].row_start);
  CU_ASSERT_PTR_NOT_NULL(rows[1].row_start);
  CU_ASSERT_EQUAL_FATAL(rows[0].num_features, rows[1].num_features);
  for (size_t i = 0; i < 2; i++)
    dorm__features_score(&rows[i], 0, dense->num_docs, weights, scores[i]);
  for (size_t q = 0; q < dense->num_queries; q++)
    for (size_t j = dense->query_start[q]; j < dense->query_start[q + 1]; j++)
      UNIT_CLOSE(scores[0][j] - scores[0][dense->query_start[q]], scores[1][j] - scores[1][dense->query_start[q]],
                 1e-6);
  /* a sparse row, its entries, its score and its sum agree */
  for (size_t j = 0; j < dense->num_docs; j++) {
    dorm__row row = dorm__features_row(&rows[1], j);
    double sum[2 * TWIN_FEATURES] = {0};
    double score = 0;
    dorm__features_add(&rows[1], j, 2, sum);
    for (size_t i = 0; i < row.count; i++) {
      CU_ASSERT_TRUE_FATAL(row.indices[i] < rows[1].num_features && (!i || row.indices[i] > row.indices[i - 1]));
      CU_ASSERT_EQUAL(sum[row.indices[i]], 2 * (double)row.values[i]);
      score += weights[row.indices[i]] * (double)row.values[i];
    }
    UNIT_CLOSE(score, scores[1][j], 1e-12);
  }
  dorm__features_free(&rows[0]);
  dorm__features_free(&rows[1]);
}

UNIT_TEST_IN(context, dense_and_sparse_storage_rank_alike)
{
  DORM__OWNED(dorm_dataset) *dense = NULL, *sparse = NULL;
  make_twins(context, &dense, &sparse);
  for (size_t j = 0; j < dense->num_docs; j++)
    for (size_t f = 0; f < TWIN_FEATURES; f++)
      CU_ASSERT_EQUAL(dorm_dataset_value(dense, j, f), dorm_dataset_value(sparse, j, f));
  static const size_t some_ids[] = {2, 3, 7, 12, 99};
  for (size_t n = 0; n < DORM__NUM_NORMALISATIONS; n++) {
    DORM__AT_END(dorm__feature_map_clear) dorm__feature_map map;
    dorm__feature_options options = {.normalisation = (dorm__normalisation)n};
    UNIT_OK(context, dorm__feature_map_new(context, &options, sparse, &map));
    for (int ranks = 0; ranks < 2; ranks++) {
      map.rank_block = ranks * 0.5;
      check_twin_scores(dense, sparse, &map);
      if (!dorm__normalisation_is_global(map.normalisation))
        check_twin_scores(
            dense, sparse,
            &(dorm__feature_map){
                .num_ids = 5, .ids = some_ids, .normalisation = map.normalisation, .rank_block = map.rank_block});
    }
  }
}

/* Compares every entry with the definition, over the documents that the normalisation looks at. */
static void check_normalised(const dorm_dataset *dataset, const dorm__feature_map *map, const dorm__features *features)
{
  bool is_global = dorm__normalisation_is_global(map->normalisation);
  bool is_min_max =
      map->normalisation == DORM__NORMALISATION_MIN_MAX || map->normalisation == DORM__NORMALISATION_GLOBAL_MIN_MAX;
  for (size_t q = 0; q < dataset->num_queries; q++)
    for (size_t f = 0; f < TWIN_FEATURES; f++) {
      size_t first = is_global ? 0 : dataset->query_start[q];
      size_t end = is_global ? dataset->num_docs : dataset->query_start[q + 1];
      double low = INFINITY, high = -INFINITY, sum = 0, squares = 0;
      for (size_t j = first; j < end; j++) {
        double x = (double)dorm_dataset_value(dataset, j, f);
        low = fmin(low, x);
        high = fmax(high, x);
        sum += x;
        squares += x * x;
      }
      double mean = sum / (double)(end - first);
      double deviation = sqrt(fmax(0, squares / (double)(end - first) - mean * mean));
      double shift = is_min_max ? low : mean;
      double spread = is_min_max ? high - low : deviation;
      for (size_t j = dataset->query_start[q]; j < dataset->query_start[q + 1]; j++) {
        double x = (double)dorm_dataset_value(dataset, j, f);
        double expected = map->normalisation == DORM__NORMALISATION_NONE ? x : high > low ? (x - shift) / spread : 0;
        UNIT_CLOSE((double)features->values[j * TWIN_FEATURES + f], expected, 1e-6);
      }
    }
}

UNIT_TEST_IN(context, normalisations_follow_their_definitions)
{
  DORM__OWNED(dorm_dataset) *dense = NULL, *sparse = NULL;
  make_twins(context, &dense, &sparse);
  DORM__OWNED(dorm_settings) *settings = unit_defaults(context, NULL);
  for (size_t i = 0; i < 2 * DORM__NUM_NORMALISATIONS; i++) {
    size_t n = i / 2;
    const char *name = dorm__normalisation_name((dorm__normalisation)n);
    dorm__normalisation back;
    CU_ASSERT_TRUE(dorm__normalisation_from(name, &back) && back == (dorm__normalisation)n);
    UNIT_OK(context, dorm_settings_set(context, settings, "data.normalisation", name));
    DORM__AT_END(dorm__feature_map_clear) dorm__feature_map map;
    DORM__AT_END(dorm__features_free) dorm__features features;
    UNIT_OK(context, dorm__feature_map_from(context, settings, i % 2 ? sparse : dense, &map));
    UNIT_OK(context, dorm__features_build(context, dense, &map, 2, &features));
    check_normalised(dense, &map, &features);
  }
}

UNIT_TEST_IN(context, features_are_chosen_by_id)
{
  static const struct {
    const char *text;
    size_t count;
    size_t ids[TWIN_FEATURES];
    const char *message;
  } cases[] = {
      {"", 12, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, NULL}, {"3", 1, {3}, NULL},
      {" 2-4 , 11-900,3", 5, {2, 3, 4, 11, 12}, NULL},         {"12, 1", 2, {1, 12}, NULL},
      {"13-20", 0, {0}, "names none of the 12 features"},      {"4-2", 0, {0}, "'4-2' is no list of feature ids"},
      {"1,x", 0, {0}, "'1,x' is no list of feature ids"},      {"1.5", 0, {0}, "'1.5' is no list of feature ids"},
      {"1 2", 0, {0}, "'1 2' is no list of feature ids"},      {"1,,2", 0, {0}, "is no list of feature ids"},
  };
  DORM__OWNED(dorm_dataset) *dense = NULL, *sparse = NULL;
  make_twins(context, &dense, &sparse);
  DORM__OWNED(dorm_settings) *settings = unit_defaults(context, NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    DORM__AT_END(dorm__feature_map_clear) dorm__feature_map map;
    UNIT_OK(context, dorm_settings_set(context, settings, "data.features", cases[i].text));
    UNIT_FAILS(context, dorm__feature_map_from(context, settings, dense, &map),
               cases[i].message ? DORM_BAD_USAGE : DORM_OK, cases[i].message);
    CU_ASSERT_EQUAL(map.num_ids, cases[i].count);
    for (size_t f = 0; f < cases[i].count; f++)
      CU_ASSERT_EQUAL(map.ids[f], cases[i].ids[f]);
  }
}

static void check_same_rows(const dorm__features *x, const dorm__features *y)
{
  CU_ASSERT_EQUAL_FATAL(x->num_docs, y->num_docs);
  CU_ASSERT_EQUAL_FATAL(x->num_features, y->num_features);
  for (size_t j = 0; j < x->num_docs; j++) {
    dorm__row a = dorm__features_row(x, j);
    dorm__row b = dorm__features_row(y, j);
    CU_ASSERT_EQUAL_FATAL(a.count, b.count);
    CU_ASSERT_EQUAL_FATAL(!a.indices, !b.indices);
    for (size_t i = 0; i < a.count; i++)
      CU_ASSERT_TRUE((!a.indices || a.indices[i] == b.indices[i]) && a.values[i] == b.values[i]);
  }
}

/* Checks that rows made in the memory of the data set are those made in new memory. */
UNIT_TEST_IN(context, features_taken_are_features_built)
{
  static const size_t some_ids[] = {2, 3, 7, 12, 99};
  static const size_t many_ids[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20};
  static const struct {
    size_t count;
    const size_t *ids;
  } choices[] = {{TWIN_FEATURES, many_ids}, {5, some_ids}, {20, many_ids}, {0, many_ids}};
  for (size_t c = 0; c < sizeof choices / sizeof *choices; c++)
    for (int ranks = 0; ranks < 2; ranks++) {
      dorm_dataset *both[2] = {NULL, NULL};
      make_twins(context, &both[0], &both[1]);
      dorm__feature_map map = {.num_ids = choices[c].count,
                               .ids = choices[c].ids,
                               .normalisation = DORM__NORMALISATION_MIN_MAX,
                               .rank_block = ranks * 0.5};
      for (size_t i = 0; i < 2; i++) {
        dorm__features built, taken;
        UNIT_OK(context, dorm__features_build(context, both[i], &map, 1, &built));
        UNIT_OK(context, dorm__features_take(context, both[i], &map, 2, &taken));
        check_same_rows(&built, &taken);
        CU_ASSERT_PTR_NULL(both[i]->values);
        dorm__features_free(&built);
        dorm__features_free(&taken);
        dorm_dataset_free(both[i]);
      }
    }
}

/* Checks that rows made in two steps are those made at once, and that the scores are their products with the weights.
 */
UNIT_TEST_DRAWN(context, random, rows_in_two_steps_are_rows_at_once)
{
  static const size_t ids[] = {2, 3, 7, 12, 99};
  double weights[10];
  for (size_t f = 0; f < 10; f++)
    weights[f] = dorm__random_normal(random);
  for (unsigned choice = 0; choice < 4 * DORM__NORMALISATION_GLOBAL_MIN_MAX; choice++) {
    dorm_dataset *both[2] = {NULL, NULL};
    make_twins(context, &both[0], &both[1]);
    dorm__feature_map map = {.num_ids = 5, .ids = ids, .normalisation = choice / 4, .rank_block = choice % 2 ? 0.5 : 0};
    for (size_t i = 0; i < 2; i++) {
      dorm__features whole, made;
      dorm__sampled_features sample;
      DORM__FREED double *scores = dorm__alloc(both[i]->num_docs, sizeof *scores);
      size_t stride = 1 + (size_t)(dorm__random_uniform(random) * TWIN_QUERIES);
      UNIT_OK(context, dorm__features_build(context, both[i], &map, 1, &whole));
      UNIT_OK(context,
              dorm__features_begin(context, both[i], choice / 2 % 2 ? both[i] : NULL, &map, stride, 2, &sample));
      for (size_t q = 0; i == 0 && q < TWIN_QUERIES; q += stride) {
        size_t first = both[i]->query_start[q];
        size_t size = (both[i]->query_start[q + 1] - first) * whole.num_features * sizeof *whole.values;
        size_t place = first * whole.num_features;
        CU_ASSERT_EQUAL(memcmp(whole.values + place, sample.rows.values + place, size), 0);
      }
      UNIT_OK(context, dorm__features_finish(context, both[i], &map, weights, 2,
                                             &(const dorm__finished_rows){&sample, &made, scores}));
      CU_ASSERT_TRUE(sample.is_whole && !sample.owns_rows && sample.stride == stride);
      dorm__sampled_features_clear(&sample); /* which leaves the finished rows */

      check_same_rows(&whole, &made);
      for (size_t j = 0; j < whole.num_docs; j++) {
        dorm__row row = dorm__features_row(&whole, j);
        double sum = 0;
        for (size_t e = 0; e < row.count; e++)
          sum += (double)row.values[e] * weights[row.indices ? row.indices[e] : e];
        CU_ASSERT_DOUBLE_EQUAL(scores[j], sum, 1e-12);
      }
      dorm__features_free(&whole);
      dorm__features_free(&made);
      dorm_dataset_free(both[i]);
    }
  }
}

typedef struct visits {
  size_t num_batches, num_docs, most;
} visits;

static void count_visit(void *user, size_t first, size_t count, const float *rows)
{
  visits *seen = user;
  CU_ASSERT_EQUAL(first, seen->num_docs);
  CU_ASSERT_EQUAL(rows[0], (float)first);
  seen->num_batches++;
  seen->num_docs += count;
  seen->most = count > seen->most ? count : seen->most;
}

/* Checks that a visit of one feature reads as few rows at a time as a visit of all, since a file of values would
 * otherwise come into memory whole. */
UNIT_TEST_IN(context, visits_of_some_features_read_few_rows)
{
  enum { DOCS = 60000, FEATURES = 50, QUERIES = 600 };
  size_t ids[FEATURES], starts[QUERIES + 1];
  DORM__FREED float *values = dorm__alloc_zero((size_t)DOCS * FEATURES, sizeof *values);
  CU_ASSERT_PTR_NOT_NULL_FATAL(values);
  for (size_t j = 0; j < DOCS; j++)
    values[j * FEATURES] = (float)j;
  for (size_t f = 0; f < FEATURES; f++)
    ids[f] = f + 1;
  for (size_t q = 0; q <= QUERIES; q++)
    starts[q] = q * (DOCS / QUERIES);
  const dorm_dataset dataset = {.name = "visited",
                                .num_docs = DOCS,
                                .num_queries = QUERIES,
                                .num_features = FEATURES,
                                .query_start = starts,
                                .feature_ids = ids,
                                .values = values};
  const dorm__feature_map map = {.num_ids = 1, .ids = ids, .normalisation = DORM__NORMALISATION_NONE};
  visits seen = {0};
  UNIT_OK(context, dorm__features_visit_full(context, &dataset, &map, 1, count_visit, &seen));
  CU_ASSERT_EQUAL(seen.num_docs, DOCS);
  CU_ASSERT_TRUE(seen.num_batches >= 3 && seen.most * FEATURES < 2 << 20);
}
