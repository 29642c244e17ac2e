/*
 * bad.c: modules that must be refused, one per macro: -DWRONG_ABI, -DMISSING_SYMBOL, -DNO_LOSS, -DSMALL_STRUCT,
 * -DTWO_FORMS, -DBAD_NAME, -DBAD_DEFAULT, -DNOT_A_NUMBER, -DNOT_FILLED, -DINCREASING, -DFAILING, -DFAILING_CREATE,
 * -DOUT_OF_BOUNDS, -DNOT_THE_SAME_TWICE, -DINFINITE_COST; and -DOLD_STRUCT, which must not be refused: its struct is
 * shorter, and nothing after the end that it names may be read.
 */
#include <dorm/plugin.h>

#include <math.h>

static int calls;

#ifdef INFINITE_COST
static int fill_costs(const dorm_host *host, const void *state, const dorm_loss_query *query, double *cost)
{
  (void)host;
  (void)state;
  for (size_t i = 0; i < query->num_docs * query->num_docs; i++)
    cost[i] = INFINITY;
  return 0;
}
#else
static int fill_product(const dorm_host *host, const void *state, const dorm_loss_query *query, double *a, double *b)
{
  (void)state;
  (void)host;
#ifdef NOT_FILLED
  return 0;
#endif
  for (size_t j = 0; j < query->num_docs; j++) {
    a[j] = -(double)j;
    b[j] = query->labels[j];
  }
  calls++;
#if defined NOT_A_NUMBER
  b[query->num_docs - 1] = NAN;
#elif defined INCREASING
  a[query->num_docs - 1] = 1;
#elif defined FAILING
  return host->fail(host, "label %g is %s", query->labels[0], "not to its taste");
#elif defined OUT_OF_BOUNDS
  b[query->num_docs] = 1;
#elif defined NOT_THE_SAME_TWICE
  b[0] = calls;
#endif
  return 0;
}
#endif

#ifdef FAILING_CREATE
static int create(const dorm_host *host, const dorm_loss_value *values, void **state)
{
  (void)values;
  (void)state;
  return host->fail(host, "it is not in the mood");
}
#endif

static const dorm_loss_parameter parameters[] = {
#ifdef BAD_DEFAULT
    {"power", "11", NULL, 0, 10, 0, "a number"},
#else
    {"power", "1", NULL, 0, 10, 0, "a number"},
#endif
};

static const dorm_loss_module module = {
#ifdef WRONG_ABI
    .abi = DORM_PLUGIN_ABI + 1,
#else
    .abi = DORM_PLUGIN_ABI,
#endif
#ifdef SMALL_STRUCT
    .struct_size = 16,
#elif defined OLD_STRUCT
    .struct_size = offsetof(dorm_loss_module, find_worst),
    .find_worst = (int (*)(const dorm_host *, const void *, const dorm_loss_query *, const double *, double *,
                           double *))fill_product,
#else
    .struct_size = sizeof(dorm_loss_module),
#endif
#ifdef BAD_NAME
    .name = "a bad name",
#else
    .name = "bad",
#endif
    .help = "a bad loss",
    .num_parameters = 1,
    .parameters = parameters,
#ifdef FAILING_CREATE
    .create = create,
#endif
#ifdef INFINITE_COST
    .fill_costs = fill_costs,
#else
    .fill_product = fill_product,
#endif
#ifdef TWO_FORMS
    .fill_costs = (int (*)(const dorm_host *, const void *, const dorm_loss_query *, double *))fill_product,
#endif
};

#ifdef MISSING_SYMBOL
const dorm_loss_module *another_name(void);
const dorm_loss_module *another_name(void)
{
  return &module;
}
#elif defined NO_LOSS
const dorm_loss_module *dorm_loss_module_entry(void)
{
  (void)module;
  return NULL;
}
#else
const dorm_loss_module *dorm_loss_module_entry(void)
{
  return &module;
}
#endif
