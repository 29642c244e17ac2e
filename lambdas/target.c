/*
 * target.c: opens the target, the measure or loss that a λ-function should improve. A measure's queries come from
 * measure_queries.c, the tables of a loss (built in or from a module) from losses/. A text is the name of a measure or
 * "minus_loss(LOSS)". A module, or a name that no measure has, is a loss. Ties are ranked in document order whatever
 * the measure's `ties` is, because a swap needs positions.
 */
#include "lambdas/target.h"
#include "base/spec.h"
#include "lambdas/measure_tables.h"

#include <string.h>

static dorm_status take_measure(dorm_context *context, const dorm_dataset *dataset, dorm__target *target)
{
  const dorm__measure *measure = target->measure;
  const dorm__measure_tables *kind = dorm__measure_tables_find(dorm__measure_name(measure));
  if (!kind)
    return dorm__fail(context, DORM_BAD_USAGE, "a lambda-function cannot be of %s: what a swap changes is not known",
                      dorm__measure_spec(measure));
  target->form = kind->form;
  return DORM__ALL(dorm__measure_check(context, measure, dataset),
                   dorm__measure_queries_fill(context, dorm__measure_spec(measure), kind,
                                              dorm__measure_conventions(measure), dataset, &target->arrays,
                                              target->queries));
}

static dorm_status take_loss(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset,
                             size_t num_threads, dorm__target *target)
{
  DORM__FREED double *scratch = dorm__alloc(dorm__dataset_max_docs(dataset) + 1, sizeof *scratch);
  if (!scratch)
    return dorm__out_of_memory(context, "a lambda-function");
  target->form = dorm__loss_is_structured(loss) ? DORM__TARGET_STRUCTURED
                 : dorm__loss_is_general(loss)  ? DORM__TARGET_COSTS
                                                : DORM__TARGET_PRODUCT;
  dorm_status status = dorm__loss_tables_build(context, loss, dataset, num_threads, &target->tables);
  for (size_t q = 0; status == DORM_OK && q < dataset->num_queries; q++) {
    const dorm__query_loss *tables = dorm__loss_tables_query(target->tables, q);
    target->queries[q] = (dorm__target_query){.num_docs = tables->num_docs,
                                              .a = tables->a,
                                              .b = tables->b,
                                              .cost = tables->cost,
                                              .depth = tables->depth,
                                              .scale = 1};
    if (tables->num_docs && target->form != DORM__TARGET_STRUCTURED)
      target->queries[q].unit = dorm__target_unit(&target->queries[q], target->form, scratch);
  }
  return status;
}

/* Returns whether `text` is a loss: a module, or the name of a loss that no measure has. */
static bool is_loss(const char *text)
{
  const dorm_measure_info *measure;
  const dorm_loss_module *loss;
  char name[64];
  bool has_loss = false;
  snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":@ \t"), text);
  if (dorm__spec_path(text))
    return true;
  for (size_t i = 0; (measure = dorm_measure_info_at(i)) != NULL; i++)
    if (dorm__equal_words(measure->name, name))
      return false;
  for (size_t i = 0; (loss = dorm_loss_info_at(i)) != NULL; i++)
    has_loss = has_loss || dorm__equal_words(loss->name, name);
  return has_loss;
}

/* Opens the measure of a text, which is minus a loss for the text of a loss. */
static dorm_status open_measure(dorm_context *context, const char *text, dorm__measure **measure)
{
  static const char opening[] = "minus_loss(";
  if (strncmp(text, opening, strlen(opening)) == 0 || !is_loss(text))
    return dorm__measure_open(context, text, measure);
  size_t size = strlen(text) + sizeof opening + 1;
  DORM__FREED char *minus = dorm__alloc(size, 1);
  if (!minus)
    return dorm__out_of_memory(context, "a lambda-function");
  snprintf(minus, size, "%s%s)", opening, text);
  return dorm__measure_open(context, minus, measure);
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
  *target = NULL;
  DORM__FREED char *copy = dorm__copy_text(text);
  dorm__target *made = dorm__alloc_zero(1, sizeof *made);
  if (made)
    made->queries = dorm__alloc_zero(dataset->num_queries, sizeof *made->queries);
  if (!made || !copy || !made->queries) {
    dorm__target_close(made);
    return dorm__out_of_memory(context, "a lambda-function");
  }
  made->num_queries = dataset->num_queries;
  dorm_status status = open_measure(context, dorm__trim(copy), &made->measure);
  const dorm__loss *loss = status == DORM_OK ? dorm__measure_loss(made->measure) : NULL;
  if (status == DORM_OK)
    status = loss ? take_loss(context, loss, dataset, num_threads, made) : take_measure(context, dataset, made);
  find_sizes(made);
  return DORM__GIVE(status, target, made, dorm__target_close);
}

void dorm__target_close(dorm__target *target)
{
  if (!target)
    return;
  dorm__loss_tables_free(target->tables);
  dorm__region_clear(&target->arrays.memory);
  dorm__free(target->queries);
  dorm__measure_close(target->measure);
  dorm__free(target);
}

bool dorm__target_follows_labels(const dorm__target *target)
{
  return target->form != DORM__TARGET_SUBTOPICS && !target->sizes.lists;
}
