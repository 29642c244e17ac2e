/*
 * chi_square.c: a kernel of one's own, the exponential chi-square kernel of
 * features of 0 or more, such as counts,
 *
 *   k(x, y) = exp(-gamma sum_f (x_f - y_f)^2 / (x_f + y_f))
 *
 *   cc -shared -fPIC -o chi_square.so chi_square.c -lm
 */
#include <dorm/plugin.h>

#include <math.h>
#include <stdlib.h>

static const dorm_kernel_parameter parameters[] = {
    {"gamma", "1", NULL, 1e-6, 1e6, 0, "how fast similarity falls with distance"},
};

static int create(const dorm_host *host, const dorm_kernel_value *values, void **state)
{
  double *gamma = malloc(sizeof *gamma);
  if (!gamma)
    return host->fail(host, "out of memory");
  *gamma = values[0].number;
  *state = gamma;
  return 0;
}

static int fill_block(const dorm_host *host, const void *state, const dorm_kernel_rows *x, const dorm_kernel_rows *y,
                      double *block)
{
  const double *gamma = state;
  for (size_t i = 0; i < x->count; i++)
    for (size_t j = 0; j < y->count; j++) {
      const double *one = x->values + i * x->width;
      const double *two = y->values + j * x->width;
      double distance = 0;
      for (size_t f = 0; f < x->width; f++) {
        double sum = one[f] + two[f];
        if (one[f] < 0 || two[f] < 0)
          return host->fail(host, "feature %zu of what it sees is negative", f + 1);
        if (sum > 0)
          distance += (one[f] - two[f]) * (one[f] - two[f]) / sum;
      }
      block[i * y->count + j] = exp(-*gamma * distance);
    }
  return 0;
}

static int fill_diagonal(const dorm_host *host, const void *state, const dorm_kernel_rows *x, double *diagonal)
{
  (void)host;
  (void)state;
  for (size_t i = 0; i < x->count; i++)
    diagonal[i] = 1;
  return 0;
}

static const dorm_kernel_module module = {
    .abi = DORM_PLUGIN_ABI,
    .struct_size = sizeof(dorm_kernel_module),
    .name = "chi_square",
    .help = "exp(-gamma sum of (x - y)^2 / (x + y)), for features of 0 or more",
    .num_parameters = sizeof parameters / sizeof *parameters,
    .parameters = parameters,
    .create = create,
    .destroy = free,
    .fill_block = fill_block,
    .fill_diagonal = fill_diagonal,
};

const dorm_kernel_module *dorm_kernel_module_entry(void)
{
  return &module;
}
