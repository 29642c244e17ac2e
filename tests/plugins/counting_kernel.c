/*
 * counting_kernel.c: k(x, y) = <x, y> + a, which counts how often the module is asked for its kernel, and how often
 * that is created. A test reads the counts through the function dorm_test_counts.
 */
#include <dorm/plugin.h>

#include <stdlib.h>

static size_t counts[2]; /* of entries, of creations */

const size_t *dorm_test_counts(void);

static const dorm_kernel_parameter parameters[] = {
    {"a", "1", NULL, 0, 1e6, 0, "what is added to the inner product"},
};

static int create(const dorm_host *host, const dorm_kernel_value *values, void **state)
{
  double *a = malloc(sizeof *a);
  if (!a)
    return host->fail(host, "out of memory");
  *a = values[0].number;
  *state = a;
  counts[1]++;
  return 0;
}

static int fill_block(const dorm_host *host, const void *state, const dorm_kernel_rows *x, const dorm_kernel_rows *y,
                      double *block)
{
  const double *a = state;
  (void)host;
  for (size_t i = 0; i < x->count; i++)
    for (size_t j = 0; j < y->count; j++) {
      double sum = *a;
      for (size_t f = 0; f < x->width; f++)
        sum += x->values[i * x->width + f] * y->values[j * x->width + f];
      block[i * y->count + j] = sum;
    }
  return 0;
}

static const dorm_kernel_module module = {
    .abi = DORM_PLUGIN_ABI,
    .struct_size = sizeof(dorm_kernel_module),
    .name = "counting",
    .help = "<x, y> + a, and counts",
    .num_parameters = sizeof parameters / sizeof *parameters,
    .parameters = parameters,
    .create = create,
    .destroy = free,
    .fill_block = fill_block,
};

const dorm_kernel_module *dorm_kernel_module_entry(void)
{
  counts[0]++;
  return &module;
}

const size_t *dorm_test_counts(void)
{
  return counts;
}
