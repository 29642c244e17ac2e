/*
 * front_page.c: a loss of general costs. The first `size` positions are a front page: a document of worth 0 on it costs
 * 1. A document of larger worth after it costs half of its worth at the first position after the page, and more the
 * further down it is. The worth of a document is its label, or the value of a feature.
 *
 *   cc -shared -fPIC -o front_page.so front_page.c
 */
#include <dorm/plugin.h>

#include <stdlib.h>
#include <string.h>

struct front_page {
  size_t size;
  size_t feature; /* 0: the label */
};

static const dorm_loss_parameter parameters[] = {
    {"size", "3", NULL, 1, 1000, 1, "positions of the front page"},
    {"feature", "0", NULL, 0, 1e9, 1, "id of the feature that says what a document is worth; 0: the label"},
};

static int create(const dorm_host *host, const dorm_loss_value *values, void **state)
{
  struct front_page *made = malloc(sizeof *made);
  if (!made)
    return host->fail(host, "out of memory");
  made->size = (size_t)values[0].number;
  made->feature = (size_t)values[1].number;
  *state = made;
  return 0;
}

static int fill_costs(const dorm_host *host, const void *state, const dorm_loss_query *query, double *cost)
{
  const struct front_page *page = state;
  double *worth = malloc(query->num_docs * sizeof *worth);
  if (!worth)
    return host->fail(host, "out of memory");
  if (page->feature)
    host->feature(host, page->feature, worth);
  else
    memcpy(worth, query->labels, query->num_docs * sizeof *worth);
  for (size_t j = 0; j < query->num_docs; j++)
    for (size_t p = 0; p < query->num_docs; p++) {
      double behind = p < page->size ? 0 : worth[j] * (1 - 0.5 / (double)(p - page->size + 1));
      cost[j * query->num_docs + p] = p < page->size && worth[j] <= 0 ? 1 : behind;
    }
  free(worth);
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
