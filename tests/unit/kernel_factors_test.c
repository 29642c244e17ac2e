/* kernel_factors_test.c: incomplete Cholesky factors, compared with the matrices that they approximate.
 */
#include "kernels/cholesky.h"
#include "kernels/kernel_table.h"
#include "tests/unit/kernel_cases.h"

/* Draws documents in clusters, so that residuals fall unevenly. */
static dorm__kernel_rows clustered_rows(dorm__random *random, size_t count, size_t width)
{
  dorm__kernel_rows rows = {count, width, dorm__alloc(count, width * sizeof(float)), NULL};
  CU_ASSERT_PTR_NOT_NULL_FATAL(rows.values);
  for (size_t i = 0; i < count; i++)
    for (size_t f = 0; f < width; f++)
      rows.values[i * width + f] = (float)((double)((i * 7 + f) % 5) * 0.3 + 0.3 * dorm__random_uniform(random));
  return rows;
}

static double *whole_gram(const dorm__kernel *kernel, const dorm__kernel_rows *rows)
{
  double *gram = unit_alloc(rows->count * rows->count, sizeof *gram);
  CU_ASSERT_TRUE(dorm__kernel_tile(kernel, rows->width, rows->count, rows->values, rows->count, rows->values, gram));
  return gram;
}

/* The residual matrix K - L L' from the factor's rows: its largest entry off
 * what the factor says of the diagonal, and its trace. */
static void check_factor(const dorm__cholesky *cholesky, const double *gram, double tolerance)
{
  size_t count = cholesky->num_rows;
  double trace = 0, residual_trace = 0;
  for (size_t i = 0; i < count; i++) {
    const double *row = cholesky->factor + i * cholesky->capacity;
    double residual = gram[i * count + i] - dorm__dot(cholesky->rank, row, row);
    CU_ASSERT_TRUE(fabs(residual - cholesky->residual[i]) < tolerance);
    trace += residual;
    residual_trace += cholesky->residual[i];
  }
  UNIT_CLOSE(trace, residual_trace, tolerance * (double)count);
  for (size_t p = 0; p < cholesky->rank; p++) /* lower triangular, and exact on the pivots */
    for (size_t q = 0; q < cholesky->rank; q++) {
      const double *one = cholesky->factor + cholesky->pivots[p] * cholesky->capacity;
      const double *two = cholesky->factor + cholesky->pivots[q] * cholesky->capacity;
      if (q > p)
        CU_ASSERT_EQUAL(one[q], 0);
      double entry = gram[cholesky->pivots[p] * count + cholesky->pivots[q]];
      CU_ASSERT_TRUE(fabs(dorm__dot(cholesky->rank, one, two) - entry) < tolerance);
    }
}

UNIT_TEST_DRAWN(context, random, factors_leave_the_residuals_they_say)
{
  static const char *const texts[] = {"rbf:gamma=0.5", "laplacian:gamma=1", "polynomial", "linear + 0.2 * rbf:gamma=3",
                                      "linear"};
  static const size_t ids[6] = {1, 2, 3, 4, 5, 6};
  static const size_t ranks[] = {1, 7, 60, 500};
  dorm__feature_map map = {.num_ids = 6, .ids = ids, .normalisation = DORM__NORMALISATION_NONE, .rank_block = 0};
  DORM__AT_END(dorm__kernel_rows_free) dorm__kernel_rows rows = clustered_rows(random, 500, 6);
  for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
    DORM__OWNED(dorm__kernel) *kernel = kernel_opened(context, texts[t], &map);
    double *gram = whole_gram(kernel, &rows);
    double last = INFINITY;
    for (size_t r = 0; r < sizeof ranks / sizeof *ranks; r++) {
      dorm__cholesky cholesky, threaded;
      UNIT_OK(context, dorm__cholesky_on_demand(context, kernel, &rows, ranks[r], 3, 1, &cholesky));
      UNIT_OK(context, dorm__cholesky_on_demand(context, kernel, &rows, ranks[r], 3, 3, &threaded));
      CU_ASSERT_EQUAL(cholesky.rank, threaded.rank);
      CU_ASSERT_EQUAL(
          memcmp(cholesky.factor, threaded.factor, rows.count * cholesky.capacity * sizeof *cholesky.factor), 0);
      CU_ASSERT_TRUE(cholesky.rank <= ranks[r]);
      check_factor(&cholesky, gram, 1e-9);
      double sum = 0;
      for (size_t i = 0; i < rows.count; i++)
        sum += cholesky.residual[i];
      CU_ASSERT_TRUE(sum <= last);
      last = sum;
      dorm__cholesky_free(&cholesky);
      dorm__cholesky_free(&threaded);
    }
    CU_ASSERT_TRUE(last < 1e-9);
    DORM__AT_END(dorm__cholesky_free) dorm__cholesky whole;
    UNIT_OK(context, dorm__cholesky_whole(context, kernel, &rows, &whole));
    check_factor(&whole, gram, 1e-9);
    if (strcmp(texts[t], "linear") == 0)
      CU_ASSERT_EQUAL(whole.rank, 6);
    free(gram);
  }
}

/* Checks that each pivot has at least half of the largest residual at its turn, by the plain method, which makes one
 * column of L at a time. */
UNIT_TEST_DRAWN(context, random, pivots_are_nearly_the_largest_residuals)
{
  enum { SIZE = 700, RANK = 90 };
  static const size_t ids[4] = {1, 2, 3, 4};
  dorm__feature_map map = {.num_ids = 4, .ids = ids, .normalisation = DORM__NORMALISATION_NONE, .rank_block = 0};
  DORM__AT_END(dorm__kernel_rows_free) dorm__kernel_rows rows = clustered_rows(random, SIZE, 4);
  DORM__OWNED(dorm__kernel) *kernel = kernel_opened(context, "rbf:gamma=2", &map);
  double *gram = whole_gram(kernel, &rows);
  DORM__AT_END(dorm__cholesky_free) dorm__cholesky cholesky;
  UNIT_OK(context, dorm__cholesky_on_demand(context, kernel, &rows, RANK, 1, 1, &cholesky));
  CU_ASSERT_EQUAL_FATAL(cholesky.rank, RANK);
  for (size_t t = 0; t < RANK; t++) {
    size_t pivot = cholesky.pivots[t];
    double largest = 0;
    for (size_t i = 0; i < SIZE; i++)
      largest = fmax(largest, gram[i * SIZE + i]);
    double own = gram[pivot * SIZE + pivot];
    CU_ASSERT_TRUE(own >= 0.5 * largest - 1e-12);
    double column[SIZE];
    for (size_t i = 0; i < SIZE; i++)
      column[i] = gram[i * SIZE + pivot];
    for (size_t i = 0; i < SIZE; i++)
      for (size_t j = 0; j < SIZE; j++)
        gram[i * SIZE + j] -= column[i] * column[j] / own;
  }
  free(gram);
}

/* The residual is the diagonal of K - L L', computed from the features, and new data get
 * the same features. */
UNIT_TEST_IN(context, features_leave_the_residuals_they_say)
{
  DORM__OWNED(dorm_dataset) *dataset = unit_artificial(context, 12, 20, 5, 0, 7, 3);
  dorm__feature_map map = {
      .num_ids = 5, .ids = kernel_gram_map.ids, .normalisation = DORM__NORMALISATION_MIN_MAX, .rank_block = 0.5};
  DORM__OWNED(dorm__kernel) *kernel = unit_kernel(context, "linear + rbf");
  dorm__kernel_options options = {.rank = 30, .seed = 1, .num_threads = 2};
  dorm__kernel_factor *factor = NULL;
  dorm__features features, again;
  UNIT_OK(context, dorm__kernel_fit(context, kernel, 0, &options, dataset, &map,
                                    &(const dorm__kernel_fitted){&factor, &features}));
  UNIT_OK(context, dorm__kernel_features(context, factor, dataset, &map, 1, &again));
  CU_ASSERT_EQUAL(features.num_features, 10 + factor->rank);
  double trace = 0;
  for (size_t j = 0; j < dataset->num_docs; j++) {
    const double *row = features.exact + j * features.num_features;
    double residual = 1 - dorm__dot(factor->rank, row + 10, row + 10);
    CU_ASSERT_TRUE(fabs(residual - factor->residual[j]) < 1e-9);
    trace += residual;
    for (size_t f = 0; f < features.num_features; f++)
      CU_ASSERT_TRUE(fabs(row[f] - again.exact[j * again.num_features + f]) < 1e-7);
  }
  CU_ASSERT_TRUE(unit_close(trace, factor->residual_trace, 1e-9) && factor->residual_trace > 1);
  UNIT_CLOSE(factor->trace, (double)dataset->num_docs, 1e-12);
  dorm__features_free(&features);
  dorm__features_free(&again);
  dorm__kernel_factor_free(factor);
}

/* Checks that what a kernel sees does not depend on how the data are stored. */
UNIT_TEST_IN(context, sparse_data_have_the_same_kernels)
{
  static const size_t start[] = {0, 3, 5};
  static const double labels[] = {2, 0, 1, 1, 0};
  static const float values[5][3] = {{1, 0, 3}, {0, 0, 2}, {5, 1, 0}, {0, 7, 0}, {1, 0, 0}};
  DORM__OWNED(dorm_dataset) *dense = unit_dataset(context, 2, start, 3, labels, values[0]);
  DORM__OWNED(dorm_dataset) *sparse = unit_sparse_copy(context, dense);
  static const size_t ids[] = {1, 2, 3, 9};
  dorm__feature_map map = {.num_ids = 4, .ids = ids, .normalisation = DORM__NORMALISATION_MIN_MAX, .rank_block = 0.5};
  DORM__OWNED(dorm__kernel) *kernel = kernel_opened(context, "rbf:gamma=1", &map);
  dorm__kernel_rows one, two;
  UNIT_OK(context, dorm__kernel_rows_build(context, kernel, dense, &map, 1, &one));
  UNIT_OK(context, dorm__kernel_rows_build(context, kernel, sparse, &map, 1, &two));
  CU_ASSERT_EQUAL_FATAL(one.width, two.width);
  CU_ASSERT_EQUAL(memcmp(one.values, two.values, one.count * one.width * sizeof(float)), 0);
  dorm__kernel_rows_free(&one);
  dorm__kernel_rows_free(&two);
}
