/*
 * bad_kernel.c: kernels that must be refused, one for each fault that is named here; OUT_OF_MEMORY is out of memory;
 * FAILING_LATER fails in training, on rows wider than the check's. -DMISSING_SYMBOL: it has no entry. Without a fault:
 * a plain inner product without a diagonal.
 */
#include <dorm/plugin.h>

#include <math.h>

#include "fault.h"

static int fill_block(const dorm_host *host, const void *state, const dorm_kernel_rows *x, const dorm_kernel_rows *y,
                      double *block)
{
  static int calls;
  (void)state;
  calls++;
  for (size_t i = 0; i < x->count; i++)
    for (size_t j = 0; j < y->count; j++) {
      double sum = 0;
      for (size_t f = 0; f < x->width; f++)
        sum += x->values[i * x->width + f] * y->values[j * y->width + f];
      if (has("NOT_FILLED") && i + j == 5)
        continue;
      if (has("NOT_FINITE") && i + j == 5)
        sum = HUGE_VAL;
      if (has("ASYMMETRIC"))
        sum += 0.1 * x->values[i * x->width];
      if (has("INDEFINITE"))
        sum = -sum;
      if (has("NOT_THE_SAME_TWICE"))
        sum += 1e-9 * calls;
      if (has("PARTS_DIFFER"))
        sum *= (double)x->count;
      block[i * y->count + j] = sum;
    }
  if (has("FAILING"))
    return host->fail(host, "rows of %zu features are %s", x->width, "not to its taste");
  if (has("OUT_OF_MEMORY"))
    return host->fail(host, "out of memory");
  if (has("FAILING_LATER") && x->width > 5)
    return host->fail(host, "rows of %zu features are too many", x->width);
  if (has("OUT_OF_BOUNDS"))
    block[x->count * y->count] = 1;
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

static int create(const dorm_host *host, const dorm_kernel_value *values, void **state)
{
  (void)values;
  (void)state;
  return host->fail(host, "it is not in the mood");
}

static const dorm_kernel_parameter parameters[] = {
    {"a", "1", NULL, 0, 10, 0, "a number"}, {"b", "1", NULL, 0, 10, 0, "a number"},
    {"c", "1", NULL, 0, 10, 0, "a number"}, {"d", "1", NULL, 0, 10, 0, "a number"},
    {"e", "1", NULL, 0, 10, 0, "a number"}, {"f", "1", NULL, 0, 10, 0, "a number"},
    {"g", "1", NULL, 0, 10, 0, "a number"}, {"h", "1", NULL, 0, 10, 0, "a number"},
    {"i", "1", NULL, 0, 10, 0, "a number"},
};

#ifdef MISSING_SYMBOL
#define dorm_kernel_module_entry another_name
const dorm_kernel_module *another_name(void);
#endif

const dorm_kernel_module *dorm_kernel_module_entry(void)
{
  static dorm_kernel_module module;
  module = (dorm_kernel_module){
      .abi = DORM_PLUGIN_ABI + has("WRONG_ABI"),
      .struct_size = has("SMALL_STRUCT") ? 16 : sizeof module,
      .name = has("BUILTIN_NAME")  ? "rbf"
              : has("NUMBER_NAME") ? "2bad"
                                   : "bad",
      .help = "a bad kernel",
      .num_parameters = has("MANY_PARAMETERS") ? 9 : 1,
      .parameters = parameters,
      .create = has("FAILING_CREATE") ? create : NULL,
      .fill_diagonal = has("WRONG_DIAGONAL") ? fill_diagonal : NULL,
      .fill_block = has("NO_BLOCK") ? NULL : fill_block,
  };
  return has("NO_KERNEL") ? NULL : &module;
}
