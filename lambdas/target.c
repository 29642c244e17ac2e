/*
 * target.c: opens the target, the measure or loss that a λ-function should improve. A measure's queries come from
 * measure_queries.c, the tables of a loss (built in or from a module) from losses/. A text is the name of a measure or
 * "minus_loss(LOSS)". A module, or a name that no measure has, is a loss. Ties are ranked in document order whatever
 * the measure's `ties` is, because a swap needs positions.
 */
#include "lambdas/target.h"
#include "base/spec.h"
#include "data/data.h"
#include "lambdas/measure_tables.h"
#include "losses/losses.h"
#include "measures/measures.h"

#include <math.h>
#include <string.h>

struct dorm__target {
  char *text;
  dorm__target_form form;
  size_t num_queries;
  dorm__target_sizes sizes;
  dorm__target_query *queries; /* [num_queries] */
  dorm__measure_arrays arrays;
  dorm__loss *loss; /* NULL: a measure */
  dorm__loss_tables *tables;
};

/* ---- Measures ---------------------------------------------------------------------- */

static dorm_status open_measure(dorm_context *context, const char *text, const dorm_measure_info *info,
                                const dorm__spec *given, const dorm_dataset *dataset, dorm__target *target)
{
  DORM__OWNED(dorm__measure) *measure = NULL;
  DORM__FREED dorm_loss_value *values = NULL;
  dorm_status status = dorm__measure_open(context, text, &measure); /* checks the text and spells it out */
  if (status != DORM_OK)
    return status;
  const dorm__measure_tables *kind = dorm__measure_tables_find(info->name);
  values = dorm__alloc(info->num_parameters, sizeof *values);
  target->text = dorm__copy_text(dorm__measure_spec(measure));
  if (!values || !target->text)
    return dorm__out_of_memory(context, "a lambda-function");
  status = dorm__spec_values(context, "measure", given, info->num_parameters, info->parameters, values);
  if (status == DORM_OK && !kind)
    status = dorm__fail(context, DORM_BAD_USAGE, "a lambda-function cannot be of %s: what a swap changes is not known",
                        target->text);
  if (status == DORM_OK)
    status = dorm__measure_check(context, measure, dataset);
  if (status != DORM_OK)
    return status;
  dorm__measure_rules rules = dorm__measure_rules_of(info, values);
  target->form = kind->form;
  return dorm__measure_queries_fill(context, target->text, kind, &rules, dataset, &target->arrays, target->queries);
}

/* ---- Losses -------------------------------------------------------------------------- */

static dorm_status open_loss(dorm_context *context, const char *text, const dorm_dataset *dataset, size_t num_threads,
                             dorm__target *target)
{
  static const char pattern[] = "minus_loss(%s)";
  DORM__FREED double *scratch = NULL;
  dorm_status status = dorm__loss_open(context, text, &target->loss);
  if (status != DORM_OK)
    return status;
  const char *spec = dorm__loss_spec(target->loss);
  size_t size = strlen(spec) + sizeof pattern;
  scratch = dorm__alloc(dorm__dataset_max_docs(dataset) + 1, sizeof *scratch);
  target->text = dorm__alloc(size, 1);
  if (!scratch || !target->text)
    return dorm__out_of_memory(context, "a lambda-function");
  snprintf(target->text, size, pattern, spec);
  target->form = dorm__loss_is_structured(target->loss) ? DORM__TARGET_STRUCTURED
                 : dorm__loss_is_general(target->loss)  ? DORM__TARGET_COSTS
                                                        : DORM__TARGET_PRODUCT;
  status = dorm__loss_tables_build(context, target->loss, dataset, num_threads, &target->tables);
  for (size_t q = 0; status == DORM_OK && q < dataset->num_queries; q++) {
    const dorm__query_loss *loss = dorm__loss_tables_query(target->tables, q);
    target->queries[q] = (dorm__target_query){
        .num_docs = loss->num_docs, .a = loss->a, .b = loss->b, .cost = loss->cost, .depth = loss->depth, .scale = 1};
    if (loss->num_docs && target->form != DORM__TARGET_STRUCTURED)
      target->queries[q].unit = dorm__target_unit(&target->queries[q], target->form, scratch);
  }
  return status;
}

/* ---- Either ---------------------------------------------------------------------------- */

static const dorm_measure_info *find_measure(const char *name)
{
  const dorm_measure_info *info;
  for (size_t i = 0; (info = dorm_measure_info_at(i)) != NULL; i++)
    if (dorm__equal_words(info->name, name))
      return info;
  return NULL;
}

static bool is_loss_name(const char *name)
{
  const dorm_loss_module *loss;
  for (size_t i = 0; (loss = dorm_loss_info_at(i)) != NULL; i++)
    if (dorm__equal_words(loss->name, name))
      return true;
  return false;
}

/* Opens a measure or a loss. May change `text`. */
static dorm_status open_text(dorm_context *context, char *text, const dorm_dataset *dataset, size_t num_threads,
                             dorm__target *target)
{
  static const char opening[] = "minus_loss(";
  dorm__spec given = {0};
  size_t size = strlen(text);
  if (strncmp(text, opening, strlen(opening)) == 0) {
    if (text[size - 1] != ')')
      return dorm__fail(context, DORM_BAD_USAGE, "measure '%s' needs a closing bracket", text);
    text[size - 1] = '\0';
    return open_loss(context, text + strlen(opening), dataset, num_threads, target);
  }
  if (dorm__spec_path(text))
    return open_loss(context, text, dataset, num_threads, target);
  dorm_status status = dorm__spec_parse(context, "measure", text, &given);
  if (status != DORM_OK)
    return status;
  const dorm_measure_info *info = find_measure(given.name);
  if (info)
    status = open_measure(context, text, info, &given, dataset, target);
  else if (is_loss_name(given.name))
    status = open_loss(context, text, dataset, num_threads, target);
  else
    status = dorm__measure_open(context, text, &(dorm__measure *){NULL}); /* fails, and names the nearest measure */
  dorm__spec_free(&given);
  return status;
}

static size_t larger(size_t one, size_t two)
{
  return one > two ? one : two;
}

static void find_sizes(dorm__target *target)
{
  for (size_t q = 0; q < target->num_queries; q++) {
    target->sizes.levels = larger(target->sizes.levels, target->queries[q].num_levels);
    target->sizes.lists = larger(target->sizes.lists, target->queries[q].lists.count);
  }
}

dorm_status dorm__target_open(dorm_context *context, const char *text, const dorm_dataset *dataset, size_t num_threads,
                              dorm__target **target)
{
  dorm_status status = DORM_OK;
  *target = NULL;
  dorm__target *made = dorm__alloc_zero(1, sizeof *made);
  DORM__FREED char *copy = dorm__copy_text(text);
  if (made)
    made->queries = dorm__alloc_zero(dataset->num_queries, sizeof *made->queries);
  if (!made || !copy || !made->queries) {
    status = dorm__out_of_memory(context, "a lambda-function");
    goto done;
  }
  made->num_queries = dataset->num_queries;
  status = open_text(context, dorm__trim(copy), dataset, num_threads, made);
  if (status != DORM_OK)
    goto done;
  find_sizes(made);
  *target = made;
  made = NULL;
done:
  dorm__target_close(made);
  return status;
}

void dorm__target_close(dorm__target *target)
{
  if (!target)
    return;
  dorm__loss_tables_free(target->tables);
  dorm__loss_close(target->loss);
  dorm__measure_arrays_clear(&target->arrays);
  dorm__free(target->queries);
  dorm__free(target->text);
  dorm__free(target);
}

const char *dorm__target_text(const dorm__target *target)
{
  return target->text;
}

dorm__target_form dorm__target_form_of(const dorm__target *target)
{
  return target->form;
}

const dorm__target_query *dorm__target_query_of(const dorm__target *target, size_t query)
{
  return &target->queries[query];
}

const dorm__loss *dorm__target_structured_loss(const dorm__target *target)
{
  return target->form == DORM__TARGET_STRUCTURED ? target->loss : NULL;
}

bool dorm__target_follows_labels(const dorm__target *target)
{
  return target->form != DORM__TARGET_SUBTOPICS && !target->sizes.lists;
}

const dorm__target_sizes *dorm__target_sizes_of(const dorm__target *target)
{
  return &target->sizes;
}
