/* minus_loss.c: the measure "minus_loss(SPEC)", and the measure that a loss optimises. No other file of the folder uses
 * losses.
 *
 * The value of a query is minus the loss of its ranking, with ties in document order. In the general form it is minus
 * the bare cost, because the minimum cost would require an assignment problem. */
#include "losses/losses.h"
#include "measures/measure.h"
#include "measures/measures.h"
#include "measures/ranking.h"

#include <string.h>

static const char opening[] = "minus_loss(";

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

static dorm_status set_text(dorm_context *context, dorm__measure *made)
{
  made->text = text_of(made->loss);
  return made->text ? DORM_OK : dorm__out_of_memory(context, "a measure");
}

dorm_status dorm__minus_loss_open(dorm_context *context, const char *spec, dorm__measure *made)
{
  DORM__FREED char *inner = dorm__copy_text(spec + strlen(opening));
  if (!inner)
    return dorm__out_of_memory(context, "a measure");
  size_t size = strlen(inner);
  if (!size || inner[size - 1] != ')')
    return dorm__fail(context, DORM_BAD_USAGE, "measure '%s' needs a closing bracket", spec);
  inner[size - 1] = '\0';
  return DORM__ALL(dorm__loss_open(context, inner, &made->loss), set_text(context, made));
}

dorm_status dorm__minus_loss_of(dorm_context *context, const dorm_loss *loss, dorm__measure *made)
{
  return DORM__ALL(dorm__loss_copy(context, loss, &made->loss), set_text(context, made));
}

void dorm__minus_loss_close(dorm_loss *loss)
{
  dorm__loss_close(loss);
}

bool dorm__minus_loss_is_prepared(const dorm_loss *loss)
{
  return loss && dorm__loss_is_prepared(loss);
}

/* ---- Values ------------------------------------------------------------------------------------- */

dorm_status dorm__minus_tables_new(dorm_context *context, const dorm__measure *measure, const dorm_dataset *dataset,
                                   size_t num_threads, dorm__minus_tables **tables)
{
  *tables = NULL;
  return measure->loss ? dorm__loss_tables_build(context, measure->loss, dataset, num_threads, tables) : DORM_OK;
}

void dorm__minus_tables_free(dorm__minus_tables *tables)
{
  dorm__loss_tables_free(tables);
}

dorm_status dorm__minus_loss_value(dorm_context *context, const dorm__minus_tables *tables,
                                   const dorm__ranking *ranking, double *value, bool *is_empty)
{
  const dorm__query_loss *loss = dorm__loss_tables_query(tables, ranking->query);
  double cost = 0;
  *is_empty = !loss->trains;
  if (loss->structured) {
    dorm_status status = dorm__loss_of_ranking(context, loss->structured, ranking->dataset, ranking->query,
                                               ranking->order, ranking->chances, &cost);
    *value = 0 - cost;
    return status;
  }
  for (size_t p = 0; loss->cost && p < loss->num_docs; p++)
    cost += loss->cost[ranking->order[p] * loss->num_docs + p];
  *value = loss->cost ? -cost : 0 - dorm__query_loss_of(loss, ranking->order);
  return DORM_OK;
}

/* Writes the spec of a measure, with the values of the parameters that the loss also has. */
static char *text_of_kind(const dorm__measure_kind *kind, const dorm__loss *loss)
{
  const dorm_loss_module *module = dorm__loss_module_of(loss);
  dorm_loss_value own[DORM__MOST_MEASURE_ROWS];
  for (size_t i = 0; i < kind->info.num_parameters; i++) {
    size_t row = dorm__spec_row(module->num_parameters, module->parameters, kind->info.parameters[i].name);
    own[i] = row < module->num_parameters ? dorm__loss_values(loss)[row]
                                          : (dorm_loss_value){.text = kind->info.parameters[i].default_text};
  }
  return dorm__measure_kind_text(kind, own);
}

dorm_status dorm__measure_spec_of_loss(dorm_context *context, const dorm_loss *loss, char **spec)
{
  const char *name = dorm__loss_measure(loss);
  const dorm__measure_kind *kind = NULL;
  *spec = NULL;
  if (name && strcmp(name, "p") == 0 && !dorm__loss_truncation(loss))
    name = "rprec"; /* over all positions every ranking has the same precision */
  if (name && !(kind = dorm__measure_kind_find(context, name)))
    return DORM_BAD_USAGE;
  *spec = kind ? text_of_kind(kind, loss) : text_of(loss);
  return *spec ? DORM_OK : dorm__out_of_memory(context, "a measure");
}
