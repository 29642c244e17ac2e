/*
 * counted.c: a loss of the product form that writes down how it is used: one line in the file COUNT_FILE for each call
 * of dorm_loss_module_entry ("entry"), of create, of destroy and of fill_product ("fill"). Documents of a label above 0
 * earn 1 at each of the first `truncation` positions.
 *
 *   cc -shared -fPIC -DCOUNT_FILE='"counts"' -o counted.so counted.c
 */
#include <dorm/plugin.h>

#include <stdio.h>
#include <stdlib.h>

static const dorm_loss_parameter parameters[] = {
    {"worth", "1", NULL, 0, 10, 0, "of a relevant document at the top"},
    {"truncation", "2", NULL, 1, 100, 1, "positions that count"},
};

struct counted {
  double worth, truncation;
};

static void count(const char *word)
{
  FILE *file = fopen(COUNT_FILE, "a");
  if (!file)
    return;
  fprintf(file, "%s\n", word);
  fclose(file);
}

static int create(const dorm_host *host, const dorm_loss_value *values, void **state)
{
  struct counted *made = malloc(sizeof *made);
  count("create");
  if (!made)
    return host->fail(host, "out of memory");
  *made = (struct counted){values[0].number, values[1].number};
  *state = made;
  return 0;
}

static void destroy(void *state)
{
  count("destroy");
  free(state);
}

static int fill_product(const dorm_host *host, const void *state, const dorm_loss_query *query, double *a, double *b)
{
  const struct counted *loss = state;
  (void)host;
  count("fill");
  for (size_t p = 0; p < query->num_docs; p++)
    a[p] = (double)p < loss->truncation ? loss->worth : 0;
  for (size_t j = 0; j < query->num_docs; j++)
    b[j] = query->labels[j] > 0;
  return 0;
}

static const dorm_loss_module module = {
    .abi = DORM_PLUGIN_ABI,
    .struct_size = sizeof(dorm_loss_module),
    .name = "counted",
    .help = "relevant documents at the first positions, and a line for every call",
    .num_parameters = sizeof parameters / sizeof *parameters,
    .parameters = parameters,
    .create = create,
    .destroy = destroy,
    .fill_product = fill_product,
};

const dorm_loss_module *dorm_loss_module_entry(void)
{
  count("entry");
  return &module;
}
