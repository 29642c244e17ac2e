/*
 * bad_kernel.c: kernels that must be refused, one a macro: -DWRONG_ABI, -DMISSING_SYMBOL, -DNO_KERNEL, -DSMALL_STRUCT,
 * -DNO_BLOCK, -DBUILTIN_NAME, -DNUMBER_NAME, -DMANY_PARAMETERS, -DFAILING_CREATE, -DFAILING, -DNOT_FILLED,
 * -DNOT_FINITE, -DOUT_OF_BOUNDS, -DASYMMETRIC, -DINDEFINITE, -DWRONG_DIAGONAL, -DNOT_THE_SAME_TWICE, -DPARTS_DIFFER;
 * -DOUT_OF_MEMORY is out of memory; -DFAILING_LATER fails in training, on rows wider than the check's. Without a macro:
 * a plain inner product without a diagonal.
 */
#include <dorm/plugin.h>

#include <math.h>

static int fill_block(const dorm_host *host, const void *state, const dorm_kernel_rows *x, const dorm_kernel_rows *y,
                      double *block)
{
  static int calls;
  (void)state;
  (void)host;
  calls++;
  for (size_t i = 0; i < x->count; i++)
    for (size_t j = 0; j < y->count; j++) {
      double sum = 0;
      for (size_t f = 0; f < x->width; f++)
        sum += x->values[i * x->width + f] * y->values[j * y->width + f];
#if defined NOT_FILLED
      if (i + j == 5)
        continue;
#elif defined NOT_FINITE
      sum = i + j == 5 ? HUGE_VAL : sum;
#elif defined ASYMMETRIC
      sum += 0.1 * x->values[i * x->width];
#elif defined INDEFINITE
      sum = -sum;
#elif defined NOT_THE_SAME_TWICE
      sum += 1e-9 * calls;
#elif defined PARTS_DIFFER
      sum *= (double)x->count;
#endif
      block[i * y->count + j] = sum;
    }
#if defined FAILING
  return host->fail(host, "rows of %zu features are %s", x->width, "not to its taste");
#elif defined OUT_OF_MEMORY
  return host->fail(host, "out of memory");
#elif defined FAILING_LATER
  return x->width > 5 ? host->fail(host, "rows of %zu features are too many", x->width) : 0;
#elif defined OUT_OF_BOUNDS
  block[x->count * y->count] = 1;
#endif
  return 0;
}

#ifdef WRONG_DIAGONAL
static int fill_diagonal(const dorm_host *host, const void *state, const dorm_kernel_rows *x, double *diagonal)
{
  (void)host;
  (void)state;
  for (size_t i = 0; i < x->count; i++)
    diagonal[i] = 1;
  return 0;
}
#endif

#ifdef FAILING_CREATE
static int create(const dorm_host *host, const dorm_kernel_value *values, void **state)
{
  (void)values;
  (void)state;
  return host->fail(host, "it is not in the mood");
}
#endif

static const dorm_kernel_parameter parameters[] = {
    {"a", "1", NULL, 0, 10, 0, "a number"}, {"b", "1", NULL, 0, 10, 0, "a number"},
    {"c", "1", NULL, 0, 10, 0, "a number"}, {"d", "1", NULL, 0, 10, 0, "a number"},
    {"e", "1", NULL, 0, 10, 0, "a number"}, {"f", "1", NULL, 0, 10, 0, "a number"},
    {"g", "1", NULL, 0, 10, 0, "a number"}, {"h", "1", NULL, 0, 10, 0, "a number"},
    {"i", "1", NULL, 0, 10, 0, "a number"},
};

static const dorm_kernel_module module = {
#ifdef WRONG_ABI
    .abi = DORM_PLUGIN_ABI + 1,
#else
    .abi = DORM_PLUGIN_ABI,
#endif
#ifdef SMALL_STRUCT
    .struct_size = 16,
#else
    .struct_size = sizeof(dorm_kernel_module),
#endif
#if defined BUILTIN_NAME
    .name = "rbf",
#elif defined NUMBER_NAME
    .name = "2bad",
#else
    .name = "bad",
#endif
    .help = "a bad kernel",
#ifdef MANY_PARAMETERS
    .num_parameters = 9,
#else
    .num_parameters = 1,
#endif
    .parameters = parameters,
#ifdef FAILING_CREATE
    .create = create,
#endif
#ifdef WRONG_DIAGONAL
    .fill_diagonal = fill_diagonal,
#endif
#ifndef NO_BLOCK
    .fill_block = fill_block,
#endif
};

#if defined MISSING_SYMBOL
const dorm_kernel_module *another_name(void);
const dorm_kernel_module *another_name(void)
{
  return fill_block ? &module : NULL;
}
#else
const dorm_kernel_module *dorm_kernel_module_entry(void)
{
#ifdef NO_KERNEL
  (void)module;
  return NULL;
#else
  return fill_block ? &module : NULL;
#endif
}
#endif
