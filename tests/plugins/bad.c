/*
 * bad.c: loss modules that must be refused, one for each fault that is named here; and OLD_STRUCT, which must not be
 * refused: its struct is shorter, and nothing after the end that it names may be read. -DMISSING_SYMBOL: it has no
 * entry.
 */
#include <dorm/plugin.h>

#include <math.h>

#include "fault.h"

static int fill_costs(const dorm_host *host, const void *state, const dorm_loss_query *query, double *cost)
{
  (void)host;
  (void)state;
  for (size_t i = 0; i < query->num_docs * query->num_docs; i++)
    cost[i] = INFINITY;
  return 0;
}

static int fill_product(const dorm_host *host, const void *state, const dorm_loss_query *query, double *a, double *b)
{
  static int calls;
  (void)state;
  if (has("NOT_FILLED"))
    return 0;
  for (size_t j = 0; j < query->num_docs; j++) {
    a[j] = -(double)j;
    b[j] = query->labels[j];
  }
  calls++;
  if (has("NOT_A_NUMBER"))
    b[query->num_docs - 1] = NAN;
  if (has("INCREASING"))
    a[query->num_docs - 1] = 1;
  if (has("FAILING"))
    return host->fail(host, "label %g is %s", query->labels[0], "not to its taste");
  if (has("OUT_OF_BOUNDS"))
    b[query->num_docs] = 1;
  if (has("NOT_THE_SAME_TWICE"))
    b[0] = calls;
  return 0;
}

static int create(const dorm_host *host, const dorm_loss_value *values, void **state)
{
  (void)values;
  (void)state;
  return host->fail(host, "it is not in the mood");
}

#ifdef MISSING_SYMBOL
#define dorm_loss_module_entry another_name
const dorm_loss_module *another_name(void);
#endif

const dorm_loss_module *dorm_loss_module_entry(void)
{
  static dorm_loss_parameter parameters[] = {{"power", "1", NULL, 0, 10, 0, "a number"}};
  static dorm_loss_module module;
  parameters[0].default_text = has("BAD_DEFAULT") ? "11" : "1";
  module = (dorm_loss_module){
      .abi = DORM_PLUGIN_ABI + has("WRONG_ABI"),
      .struct_size = has("SMALL_STRUCT") ? 16 : sizeof module,
      .name = has("BAD_NAME") ? "a bad name" : "bad",
      .help = "a bad loss",
      .num_parameters = 1,
      .parameters = parameters,
      .create = has("FAILING_CREATE") ? create : NULL,
      .fill_costs = has("INFINITE_COST") || has("TWO_FORMS") ? fill_costs : NULL,
      .fill_product = has("INFINITE_COST") ? NULL : fill_product,
  };
  if (has("OLD_STRUCT")) {
    module.struct_size = offsetof(dorm_loss_module, find_worst);
    memset(&module.find_worst, 1, sizeof module.find_worst);
  }
  return has("NO_LOSS") ? NULL : &module;
}
