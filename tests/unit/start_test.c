/* start_test.c: the ridge start against the gradient of the objective it minimises. */
#include "tests/unit/training_cases.h"

static double target(const dorm_dataset *dataset, size_t doc, bool on_gains)
{
  return on_gains ? pow(2, dataset->labels[doc]) - 1 : dataset->labels[doc];
}

/* The gradient at w of 1/2 sum (<w, x> - y)^2 + 1/2 lambda |w|^2, x and y minus their means in the query, over the
 * queries 0, stride, 2 stride, ...; returned is its largest entry, in units of the largest one at w = 0. */
static double relative_gradient(const training_problem *data, size_t stride, bool on_gains, double ridge,
                                const double *w)
{
  const dorm_dataset *dataset = data->dataset;
  size_t width = data->features.num_features;
  DORM__FREED double *gradient = dorm__alloc_zero(4 * width, sizeof *gradient);
  double *at_zero = gradient + width, *mean = gradient + 2 * width, *row = gradient + 3 * width;
  double trace = 0, largest = 0, largest_at_zero = 0;
  for (size_t q = 0; q < dataset->num_queries; q += stride) {
    size_t first = dataset->query_start[q], end = dataset->query_start[q + 1];
    double mean_target = 0;
    memset(mean, 0, width * sizeof *mean);
    for (size_t j = first; j < end; j++) {
      dorm__features_add(&data->features, j, 1 / (double)(end - first), mean);
      mean_target += target(dataset, j, on_gains) / (double)(end - first);
    }
    for (size_t j = first; j < end; j++) {
      double y = target(dataset, j, on_gains) - mean_target;
      for (size_t f = 0; f < width; f++)
        row[f] = (double)data->features.values[j * width + f] - mean[f];
      dorm__add_scaled(width, dorm__dot(width, w, row) - y, row, gradient);
      dorm__add_scaled(width, -y, row, at_zero);
      trace += dorm__dot(width, row, row);
    }
  }
  dorm__add_scaled(width, ridge * trace / (double)width, w, gradient);
  bool is_number = isfinite(dorm__dot(width, gradient, gradient));
  for (size_t f = 0; f < width; f++) {
    largest = fmax(largest, fabs(gradient[f]));
    largest_at_zero = fmax(largest_at_zero, fabs(at_zero[f]));
  }
  return is_number ? largest / largest_at_zero : INFINITY;
}

UNIT_TEST(the_start_solves_the_centred_ridge)
{
  dorm_context *context = unit_context();
  DORM__AT_END(training_problem_free) training_problem few;
  double w[6];
  training_problem_new(context, training_artificial_data(context, unit_seed(), 8), "ndcg", "loss", 2, &few);
  for (int on_gains = 0; on_gains < 2; on_gains++) {
    dorm__sampled_features all = dorm__features_sample(&few.features, 1);
    UNIT_OK(context, dorm__ridge_regression(context, few.dataset, &all, on_gains, 0.15, 2, w));
    CU_ASSERT_TRUE(relative_gradient(&few, 1, on_gains, 0.15, w) <= 1e-12);
  }
}

/* Squares in the range of floats, above and below it; a ridge too small for floats. */
UNIT_TEST(the_start_of_many_documents_is_that_of_every_second_query)
{
  enum { WIDTH = 60 };
  static const struct {
    double scale, ridge, tolerance;
  } cases[] = {{1, 0.15, 1e-5}, {1e20, 0.15, 1e-9}, {1e-25, 0.15, 1e-9}, {1, 1e-6, 1e-9}};
  dorm_context *context = unit_context();
  DORM__AT_END(training_problem_free) training_problem many;
  double w[WIDTH];
  dorm_dataset *dataset = unit_artificial(context, 280, 100, WIDTH, 0.2, 7, 1);
  training_problem_new(context, dataset, "ndcg@10", "loss", 2, &many);
  CU_ASSERT_EQUAL(dorm__ridge_stride(dataset->num_docs, WIDTH, false), 2);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (size_t e = 0; e < dataset->num_docs * WIDTH; e++)
      many.features.values[e] = dataset->values[e] * (float)cases[i].scale;
    dorm__sampled_features sample =
        dorm__features_sample(&many.features, dorm__ridge_stride(dataset->num_docs, WIDTH, false));
    UNIT_OK(context, dorm__ridge_regression(context, dataset, &sample, false, cases[i].ridge, 2, w));
    CU_ASSERT_TRUE(relative_gradient(&many, 2, false, cases[i].ridge, w) <= cases[i].tolerance);
  }
}
