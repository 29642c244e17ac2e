/* minus_loss.c: the measure "minus_loss(SPEC)", and the measure that a loss optimises. No other file of the folder uses
 * losses.
 *
 * The value of a query is minus the loss of its ranking, with ties in document order. In the general form it is minus
 * the bare cost, because the minimum cost would require an assignment problem. */
#include "measures/minus_loss.h"
#include "base/spec.h"
#include "data/data.h"
#include "losses/losses.h"
#include "measures/measure.h"
#include "measures/measures.h"
#include "measures/ranking.h"

#include <string.h>

static const char opening[] = "minus_loss(";

struct dorm__minus_loss {
  dorm__loss *loss;
  char *text;
};

bool dorm__is_minus_loss(const char *spec)
{
  return strncmp(spec, opening, strlen(opening)) == 0;
}

/* Writes "minus_loss(SPEC)". NULL when out of memory. */
static char *text_of(const dorm__loss *loss)
{
  const char *spec = dorm__loss_spec(loss);
  size_t size = strlen(spec) + sizeof opening + 1;
  char *text = dorm__alloc(size, 1);
  if (text)
    snprintf(text, size, "%s%s)", opening, spec);
  return text;
}

/* Takes ownership of the loss, also on failure. */
static dorm_status make(dorm_context *context, dorm__loss *loss, dorm__minus_loss **minus)
{
  dorm__minus_loss *made = dorm__alloc_zero(1, sizeof *made);
  if (!made) {
    dorm__loss_close(loss);
    return dorm__out_of_memory(context, "a measure");
  }
  made->loss = loss;
  made->text = text_of(loss);
  if (!made->text) {
    dorm__minus_loss_close(made);
    return dorm__out_of_memory(context, "a measure");
  }
  *minus = made;
  return DORM_OK;
}

dorm_status dorm__minus_loss_open(dorm_context *context, const char *spec, dorm__minus_loss **minus)
{
  dorm__loss *loss = NULL;
  dorm_status status = DORM_OK;
  *minus = NULL;
  DORM__FREED char *inner = dorm__copy_text(spec + strlen(opening));
  if (!inner)
    return dorm__out_of_memory(context, "a measure");
  size_t size = strlen(inner);
  if (!size || inner[size - 1] != ')')
    status = dorm__fail(context, DORM_BAD_USAGE, "measure '%s' needs a closing bracket", spec);
  else
    inner[size - 1] = '\0';
  if (status == DORM_OK)
    status = dorm__loss_open(context, inner, &loss);
  return status == DORM_OK ? make(context, loss, minus) : status;
}

dorm_status dorm__minus_loss_of(dorm_context *context, const dorm_loss *loss, dorm__minus_loss **minus)
{
  dorm__loss *copy = NULL;
  *minus = NULL;
  dorm_status status = dorm__loss_copy(context, loss, &copy);
  return status == DORM_OK ? make(context, copy, minus) : status;
}

void dorm__minus_loss_close(dorm__minus_loss *minus)
{
  if (!minus)
    return;
  dorm__loss_close(minus->loss);
  dorm__free(minus->text);
  dorm__free(minus);
}

const char *dorm__minus_loss_spec(const dorm__minus_loss *minus)
{
  return minus->text;
}

bool dorm__minus_loss_is_prepared(const dorm__minus_loss *minus)
{
  return dorm__loss_is_prepared(minus->loss);
}

struct dorm__minus_tables {
  dorm__loss_tables *of_loss;
};

dorm_status dorm__minus_tables_new(dorm_context *context, const dorm__minus_loss *minus, const dorm_dataset *dataset,
                                   size_t num_threads, dorm__minus_tables **tables)
{
  dorm__minus_tables *made = dorm__alloc_zero(1, sizeof *made);
  *tables = NULL;
  if (!made)
    return dorm__out_of_memory(context, "an evaluation");
  return DORM__GIVE(dorm__loss_tables_build(context, minus->loss, dataset, num_threads, &made->of_loss), tables, made,
                    dorm__minus_tables_free);
}

void dorm__minus_tables_free(dorm__minus_tables *tables)
{
  if (tables)
    dorm__loss_tables_free(tables->of_loss);
  dorm__free(tables);
}

dorm_status dorm__minus_loss_ranked(dorm_context *context, const dorm__minus_tables *tables,
                                    const dorm__ranking *ranking, double *scratch, double *value, bool *is_empty)
{
  const dorm__query_loss *loss = dorm__loss_tables_query(tables->of_loss, ranking->query);
  double cost = 0;
  *is_empty = !loss->trains;
  if (loss->structured) {
    dorm_status status = dorm__loss_of_ranking(context, loss->structured, ranking->dataset, ranking->query,
                                               ranking->order, scratch, &cost);
    *value = 0 - cost;
    return status;
  }
  for (size_t p = 0; loss->cost && p < loss->num_docs; p++)
    cost += loss->cost[ranking->order[p] * loss->num_docs + p];
  *value = loss->cost ? -cost : 0 - dorm__query_loss_of(loss, ranking->order);
  return DORM_OK;
}

dorm_status dorm__minus_loss_values(dorm_context *context, const dorm__minus_loss *minus, const dorm_dataset *dataset,
                                    const double *scores, dorm__ranking *ranking, double *values, size_t *num_empty)
{
  dorm__minus_tables *tables = NULL;
  bool is_empty = false;
  DORM__FREED double *scratch = dorm__alloc(dorm__dataset_max_docs(dataset), 2 * sizeof *scratch);
  *num_empty = 0;
  if (!scratch)
    return dorm__out_of_memory(context, "an evaluation");
  dorm_status status = dorm__minus_tables_new(context, minus, dataset, 1, &tables);
  for (size_t q = 0; status == DORM_OK && q < dataset->num_queries; q++) {
    status =
        DORM__ALL(dorm__rank_query(context, dataset, q, scores + dataset->query_start[q], DORM__TIES_ORDER, ranking),
                  dorm__minus_loss_ranked(context, tables, ranking, scratch, &values[q], &is_empty));
    *num_empty += status == DORM_OK && is_empty;
  }
  dorm__minus_tables_free(tables);
  return status;
}

/* Writes the spec of a measure, with the values of the parameters that the loss also has. */
static dorm_status spec_of_kind(dorm_context *context, const dorm__measure_kind *kind, const dorm__loss *loss,
                                char **spec)
{
  const dorm_loss_module *module = dorm__loss_module_of(loss);
  const dorm_loss_value *values = dorm__loss_values(loss);
  dorm_loss_value own[DORM__MOST_MEASURE_ROWS];
  for (size_t i = 0; i < kind->info.num_parameters; i++) {
    size_t row = dorm__spec_row(module->num_parameters, module->parameters, kind->info.parameters[i].name);
    own[i] = (dorm_loss_value){.text = kind->info.parameters[i].default_text};
    if (row < module->num_parameters)
      own[i] = values[row];
  }
  *spec = dorm__measure_kind_text(kind, own);
  return *spec ? DORM_OK : dorm__out_of_memory(context, "a measure");
}

dorm_status dorm__measure_spec_of_loss(dorm_context *context, const dorm_loss *loss, char **spec)
{
  *spec = NULL;
  if (!dorm__loss_measure(loss)) {
    *spec = text_of(loss);
    return *spec ? DORM_OK : dorm__out_of_memory(context, "a measure");
  }
  const char *name = dorm__loss_measure(loss);
  if (strcmp(name, "p") == 0 &&
      !dorm__loss_truncation(loss)) /* over all positions every ranking has the same precision */
    name = "rprec";
  const dorm__measure_kind *kind = dorm__measure_kind_find(context, name);
  return kind ? spec_of_kind(context, kind, loss, spec) : DORM_BAD_USAGE;
}
