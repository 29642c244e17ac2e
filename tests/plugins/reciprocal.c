/*
 * reciprocal.c: a loss of one's own, in the product form. Relevant documents
 * earn 1 / (p + 1)^power at position p, and the best ranking of a query 1.
 *
 *   cc -shared -fPIC -o reciprocal.so reciprocal.c
 */
#include <dorm/plugin.h>

#include <math.h>
#include <stdlib.h>

struct reciprocal {
  double power;
  double threshold;
};

static const dorm_loss_parameter parameters[] = {
    {"power", "1", NULL, 0.01, 10, 0, "how fast positions lose weight"},
    {"threshold", "1", NULL, 0, 1000, 0, "smallest label of a relevant document"},
};

static int create(const dorm_host *host, const dorm_loss_value *values, void **state)
{
  struct reciprocal *made = malloc(sizeof *made);
  if (!made)
    return host->fail(host, "out of memory");
  made->power = values[0].number;
  made->threshold = values[1].number;
  *state = made;
  return 0;
}

static int fill_product(const dorm_host *host, const void *state, const dorm_loss_query *query, double *a, double *b)
{
  (void)host;
  const struct reciprocal *loss = state;
  double best = 0;
  size_t num_relevant = 0;
  for (size_t p = 0; p < query->num_docs; p++)
    a[p] = pow((double)(p + 1), -loss->power);
  for (size_t j = 0; j < query->num_docs; j++)
    if (query->labels[j] >= loss->threshold)
      best += a[num_relevant++];
  for (size_t j = 0; j < query->num_docs; j++)
    b[j] = query->labels[j] >= loss->threshold ? 1 / best : 0;
  return 0;
}

static const dorm_loss_module module = {
    .abi = DORM_PLUGIN_ABI,
    .struct_size = sizeof(dorm_loss_module),
    .name = "reciprocal",
    .help = "relevant documents earn 1 / (p + 1)^power",
    .num_parameters = sizeof parameters / sizeof *parameters,
    .parameters = parameters,
    .create = create,
    .destroy = free,
    .fill_product = fill_product,
};

const dorm_loss_module *dorm_loss_module_entry(void)
{
  return &module;
}
