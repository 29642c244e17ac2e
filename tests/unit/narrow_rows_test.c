/* narrow_rows_test.c: rows of 16 and 8 bits, compared entry by entry with rounded floats. */
#include "tests/unit/unit.h"

#include "base/base.h"
#include "base/random.h"
#include "data/data.h"
#include "features/features.h"

#include <math.h>

/* Compares narrow rows with rounded floats entry by entry, and their scores and sums with direct computations. */
static void check_narrow(const dorm__features *floats, const dorm__features *narrow, size_t num_ids, double rank_block,
                         unsigned bits, dorm__random *random)
{
  size_t width = floats->num_features, num_docs = floats->num_docs;
  double most = bits == 8 ? 255 : 65535;
  double *weights = dorm__alloc(width, sizeof *weights), *sum = dorm__alloc_zero(width, sizeof *sum);
  double *direct = dorm__alloc_zero(width, sizeof *direct), *scores = dorm__alloc(num_docs, sizeof *scores);
  CU_ASSERT_TRUE_FATAL(narrow->num_docs == num_docs && narrow->num_features == width && !narrow->values);
  CU_ASSERT_EQUAL(narrow->code_size, bits / 8);
  for (size_t f = 0; f < width; f++)
    weights[f] = dorm__random_normal(random);
  dorm__features_score(narrow, 1, num_docs - 1, weights, scores + 1);
  for (size_t j = 0; j < num_docs; j++) {
    dorm__row row = dorm__features_row(narrow, j);
    double score = 0, size = 0;
    CU_ASSERT_TRUE_FATAL(row.count == width && !row.indices);
    for (size_t f = 0; f < width; f++) {
      double bound = f < num_ids ? 1 : rank_block;
      double rounded = floor((double)floats->values[j * width + f] / bound * most + 0.5) / most * bound;
      CU_ASSERT_DOUBLE_EQUAL(dorm__row_value(&row, f), rounded, 1e-15);
      score += weights[f] * rounded;
      size += fabs(weights[f] * rounded);
      direct[f] += (double)j * rounded;
    }
    CU_ASSERT_TRUE(j == 0 || fabs(scores[j] - score) <= 1e-12 * size);
    dorm__features_add(narrow, j, (double)j, sum);
  }
  for (size_t f = 0; f < width; f++)
    CU_ASSERT_DOUBLE_EQUAL(sum[f], direct[f], 1e-12 * direct[f]);
  dorm__free(weights);
  dorm__free(sum);
  dorm__free(direct);
  dorm__free(scores);
}

/* Rows of more columns than become floats at a time, so that values and ranks meet within the first ones. */
static void wide_narrow_rows_are_rounded_rows(void)
{
  enum { DOCS = 5, FEATURES = 3001 };
  dorm_context *context = unit_context();
  dorm__random random;
  dorm__random_seed(&random, unit_seed());
  static const size_t start[] = {0, DOCS};
  double labels[DOCS] = {0};
  size_t *ids = dorm__alloc(FEATURES, sizeof *ids);
  float *values = dorm__alloc(DOCS * FEATURES, sizeof *values);
  for (size_t f = 0; f < FEATURES; f++)
    ids[f] = f + 1;
  for (size_t i = 0; i < DOCS * FEATURES; i++)
    values[i] = (float)dorm__random_uniform(&random);
  dorm_dataset *dataset = NULL;
  UNIT_OK(context, dorm_dataset_from_arrays(context, 1, start, FEATURES, labels, values, &dataset));
  for (unsigned bits = 8; bits <= 16; bits += 8) {
    dorm__feature_map map = {
        .num_ids = FEATURES, .ids = ids, .normalisation = DORM__NORMALISATION_MIN_MAX, .rank_block = 0.5};
    dorm__features floats, narrow;
    UNIT_OK(context, dorm__features_build(context, dataset, &map, 1, &floats));
    map.bits = bits;
    UNIT_OK(context, dorm__features_build(context, dataset, &map, 1, &narrow));
    check_narrow(&floats, &narrow, FEATURES, 0.5, bits, &random);
    dorm__features_free(&floats);
    dorm__features_free(&narrow);
  }
  dorm_dataset_free(dataset);
  dorm__free(ids);
  dorm__free(values);
  dorm_context_free(context);
}

/* Narrow rows in new memory, in that of the data set, and where they are wider than its values; of a whole batch and
 * with a start from a sample. */
static void narrow_rows_are_rounded_rows(void)
{
  static const size_t ids[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 97, 98, 99};
  dorm_context *context = unit_context();
  dorm__random random;
  dorm__random_seed(&random, unit_seed());
  for (unsigned choice = 0; choice < 24; choice++) {
    enum { QUERIES = 12, DOCS = 9, FEATURES = 11 };
    size_t start[QUERIES + 1];
    double labels[QUERIES * DOCS] = {0}, scores[QUERIES * DOCS], weights[2 * (FEATURES + 3)] = {1, 2, -1};
    float values[QUERIES * DOCS * FEATURES];
    unsigned bits = choice % 2 ? 8 : 16;
    for (size_t q = 0; q <= QUERIES; q++)
      start[q] = q ? start[q - 1] + 1 + q % DOCS : 0;
    for (size_t i = 0; i < QUERIES * DOCS * FEATURES; i++)
      values[i] = (float)dorm__random_normal(&random);
    dorm_dataset *dataset = NULL;
    UNIT_OK(context, dorm_dataset_from_arrays(context, QUERIES, start, FEATURES, labels, values, &dataset));
    dorm__feature_map map = {.num_ids = choice < 12 ? FEATURES : FEATURES + 3,
                             .ids = ids,
                             .normalisation = DORM__NORMALISATION_MIN_MAX,
                             .rank_block = choice / 2 % 2 ? 0.25 : 0};
    dorm__features floats, narrow;
    dorm__sampled_features sample;
    UNIT_OK(context, dorm__features_build(context, dataset, &map, 1, &floats));
    map.bits = bits;
    if (choice / 4 % 3 == 0) {
      UNIT_OK(context, dorm__features_build(context, dataset, &map, 2, &narrow));
    } else if (choice / 4 % 3 == 1) {
      UNIT_OK(context, dorm__features_take(context, dataset, &map, 2, &narrow));
      CU_ASSERT_PTR_NULL(dataset->values);
    } else {
      UNIT_OK(context, dorm__features_begin(context, dataset, dataset, &map, 3, 1, &sample));
      UNIT_OK(context, dorm__features_finish(context, dataset, &map, weights, 1, &sample, &narrow, scores));
      double first;
      dorm__features_score(&narrow, 0, 1, weights, &first);
      CU_ASSERT_EQUAL(first, scores[0]);
      dorm__sampled_features_clear(&sample);
    }
    check_narrow(&floats, &narrow, map.num_ids, map.rank_block, bits, &random);
    dorm__features_free(&floats);
    dorm__features_free(&narrow);
    dorm_dataset_free(dataset);
  }
  dorm_context_free(context);
}

static const unit_test tests[] = {
    {"narrow rows are rounded rows", narrow_rows_are_rounded_rows},
    {"wide narrow rows are rounded rows", wide_narrow_rows_are_rounded_rows},
    {NULL, NULL},
};

const unit_suite narrow_rows_suite = {"narrow rows", tests};
