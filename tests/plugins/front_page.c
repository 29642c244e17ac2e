/*
 * front_page.c: a loss of general costs. The first `size` positions are a
 * front page: a document of label 0 on it costs 1, a document of label >= 1
 * behind it costs its label, more the further down (half of it right behind).
 *
 *   cc -shared -fPIC -o front_page.so front_page.c
 */
#include <dorm/plugin.h>

#include <stdlib.h>

static const dorm_loss_parameter parameters[] = {
    {"size", "3", NULL, 1, 1000, 1, "positions of the front page"},
};

static int create(const dorm_host *host, const dorm_loss_value *values, void **state)
{
  size_t *size = malloc(sizeof *size);
  if (!size)
    return host->fail(host, "out of memory");
  *size = (size_t)values[0].number;
  *state = size;
  return 0;
}

static int fill_costs(const dorm_host *host, const void *state, const dorm_loss_query *query, double *cost)
{
  (void)host;
  const size_t size = *(const size_t *)state;
  for (size_t j = 0; j < query->num_docs; j++)
    for (size_t p = 0; p < query->num_docs; p++) {
      double label = query->labels[j];
      double behind = p < size ? 0 : label * (1 - 0.5 / (double)(p - size + 1));
      cost[j * query->num_docs + p] = p < size && label == 0 ? 1 : behind;
    }
  return 0;
}

static const dorm_loss_module module = {
    .abi = DORM_PLUGIN_ABI,
    .struct_size = sizeof(dorm_loss_module),
    .name = "front_page",
    .help = "costs of documents on the wrong side of a front page",
    .num_parameters = sizeof parameters / sizeof *parameters,
    .parameters = parameters,
    .create = create,
    .destroy = free,
    .fill_costs = fill_costs,
};

const dorm_loss_module *dorm_loss_module_entry(void)
{
  return &module;
}
