/* kernel_cases.c: see kernel_cases.h. */
#include "tests/unit/kernel_cases.h"

#include "kernels/expression.h"

static char gram_path[64];

static double dot_of(const float *x, const float *y, size_t first, size_t end)
{
  double sum = 0;
  for (size_t f = first; f < end; f++)
    sum += (double)x[f] * (double)y[f];
  return sum;
}

static double square_of(const float *x, const float *y, size_t first, size_t end)
{
  double sum = 0;
  for (size_t f = first; f < end; f++)
    sum += pow((double)x[f] - (double)y[f], 2);
  return sum;
}

static double linear_pair(const float *x, const float *y)
{
  return dot_of(x, y, 0, FEATURES);
}
static double quadratic_pair(const float *x, const float *y)
{
  return pow(dot_of(x, y, 0, FEATURES) + 1, 2);
}
static double cubic_pair(const float *x, const float *y)
{
  return pow(0.5 * dot_of(x, y, 0, FEATURES) + 0.25, 3);
}
static double rbf_pair(const float *x, const float *y)
{
  return exp(-0.7 * square_of(x, y, 0, FEATURES));
}
static double laplacian_pair(const float *x, const float *y)
{
  double sum = 0;
  for (size_t f = 0; f < FEATURES; f++)
    sum += fabs((double)x[f] - (double)y[f]);
  return exp(-0.3 * sum);
}
static double histogram_pair(const float *x, const float *y)
{
  double sum = 0;
  for (size_t f = 0; f < FEATURES; f++)
    sum += fmin((double)x[f], (double)y[f]);
  return sum;
}
static double sum_pair(const float *x, const float *y)
{
  return linear_pair(x, y) + 2 * exp(-0.7 * square_of(x, y, 0, FEATURES));
}
static double product_pair(const float *x, const float *y)
{
  return exp(-1.5 * square_of(x, y, 0, 2)) * (dot_of(x, y, 2, 6) + 0.1);
}
static double nested_pair(const float *x, const float *y)
{
  return (exp(-1.5 * square_of(x, y, 0, 2)) + exp(-0.5 * square_of(x, y, 4, 6))) * pow(dot_of(x, y, 1, 4) + 1, 2) +
         0.01 * linear_pair(x, y);
}

const kernel_case kernel_cases[NUM_KERNEL_CASES] = {
    {"1 * linear", linear_pair},
    {"polynomial", quadratic_pair},
    {"polynomial:degree=3,offset=0.25,scale=0.5", cubic_pair},
    {"rbf:gamma=0.7", rbf_pair},
    {"laplacian:gamma=0.3", laplacian_pair},
    {"histogram", histogram_pair},
    {"linear + 2 * rbf:gamma=0.35,scale=2", sum_pair},
    {"rbf:gamma=1.5(1-2) * (linear(3-6) + 0.1)", product_pair},
    {"(rbf:gamma=1.5(1,2) + rbf:gamma=0.5(5-6)) * polynomial(2-4) + 0.01 * linear", nested_pair},
    {NULL, NULL},
};

static double gram_entry(size_t i, size_t j)
{
  return exp(-0.05 * fabs((double)i - (double)j)) * (1 + 0.1 * (double)(i % 3) * (double)(j % 3));
}

const char *kernel_cases_write_gram(void)
{
  DORM__FREED char *text = unit_alloc(COUNT * COUNT * 30, 1);
  size_t used = 0;
  for (size_t i = 0; i < COUNT; i++)
    for (size_t j = 0; j < COUNT; j++)
      used += (size_t)snprintf(text + used, 30, "%.17g%c", gram_entry(i, j), j + 1 < COUNT ? ' ' : '\n');
  snprintf(gram_path, sizeof gram_path, "%s", unit_temporary_file(text));
  return gram_path;
}

dorm_dataset *kernel_small_data(dorm_context *context, dorm__random *random)
{
  double labels[COUNT];
  float values[COUNT][FEATURES + 1];
  for (size_t j = 0; j < COUNT; j++) {
    labels[j] = j % DOCS == 0 ? 2 : (double)dorm__random_below(random, 3);
    for (size_t f = 0; f < FEATURES; f++)
      values[j][f] = (float)dorm__random_uniform(random);
    values[j][FEATURES] = (float)(j + 1);
  }
  return unit_even_dataset(context, QUERIES, DOCS, FEATURES + 1, labels, values[0]);
}

static const size_t small_ids[FEATURES + 1] = {1, 2, 3, 4, 5, 6, 7};
const dorm__feature_map kernel_plain_map = {
    .num_ids = FEATURES, .ids = small_ids, .normalisation = DORM__NORMALISATION_NONE, .rank_block = 0};
const dorm__feature_map kernel_gram_map = {
    .num_ids = FEATURES + 1, .ids = small_ids, .normalisation = DORM__NORMALISATION_NONE, .rank_block = 0};

const char *kernel_case_text(size_t c, char text[128])
{
  if (kernel_cases[c].text)
    return kernel_cases[c].text;
  snprintf(text, 128, "gram:%s(7)", gram_path);
  return text;
}

double kernel_case_pair(size_t c, const dorm_dataset *dataset, size_t i, size_t j)
{
  const float *values = dataset->values;
  return kernel_cases[c].pair ? kernel_cases[c].pair(values + i * (FEATURES + 1), values + j * (FEATURES + 1))
                              : gram_entry(i, j);
}

dorm__kernel *kernel_opened(dorm_context *context, const char *text, const dorm__feature_map *map)
{
  dorm__kernel *kernel = unit_kernel(context, text);
  UNIT_OK(context, dorm__kernel_resolve(context, kernel, map));
  return kernel;
}
