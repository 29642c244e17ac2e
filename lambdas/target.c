/*
 * target.c: opens the target, the measure or loss that a λ-function is meant to improve. A measure's tables come from
 * measure_tables.c, those of a loss (built in or from a module) from losses/. A text is "minus_loss(LOSS)" for a loss,
 * else the name of a measure; a name that only a loss has, or a module, means that loss. Ties are ranked in document
 * order whatever the measure's `ties` says: a swap needs positions.
 */
#include "lambdas/target.h"
#include "base/sort.h"
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
  size_t most_levels;
  dorm__target_query *queries; /* [num_queries] */
  double *numbers;             /* a and b of a measure: [2][num_docs of the data set] */
  dorm__loss *loss;            /* NULL: a measure */
  dorm__loss_tables *tables;
};

/* ---- Units ----------------------------------------------------------------------- */

/* The smallest difference other than 0 of two of values[count], which are sorted downwards; 0 where all are equal. */
static double least_difference(size_t count, const double *values)
{
  double least = 0;
  for (size_t i = 1; i < count; i++) {
    double difference = values[i - 1] - values[i];
    if (difference > 0 && (least == 0 || difference < least))
      least = difference;
  }
  return least;
}

/* The weight of the first position times the smallest difference of two documents' gains. scratch [num_docs]. */
static double unit_of(const dorm__target_query *query, dorm__target_form form, double *scratch)
{
  if (form == DORM__TARGET_PRECISIONS || form == DORM__TARGET_FIRST || form == DORM__TARGET_PAIRS)
    return query->scale;
  for (size_t j = 0; j < query->num_docs; j++)
    scratch[j] = query->cost ? query->cost[j * query->num_docs] : query->b[j];
  dorm__sort_values(query->num_docs, scratch);
  return least_difference(query->num_docs, scratch) * (query->a ? fabs(query->a[0]) : 1);
}

/* ---- Measures ---------------------------------------------------------------------- */

static dorm_status check_tables(dorm_context *context, const char *text, const dorm_dataset *dataset, size_t q,
                                double largest_label, const dorm__target_query *query)
{
  for (size_t j = 0; j < query->num_docs; j++)
    if (!isfinite(query->a[j]) || !isfinite(query->b[j]))
      return dorm__fail(context, DORM_BAD_DATA, "query '%.80s': label %g is too large for %s",
                        dorm_dataset_query_id(dataset, q), largest_label, text);
  return DORM_OK;
}

static dorm_status fill_queries(dorm_context *context, const dorm__measure_tables *kind,
                                const dorm__measure_rules *rules, const dorm_dataset *dataset, dorm__target *target)
{
  dorm_status status = DORM_OK;
  double *ideal = dorm__alloc(dorm__dataset_max_docs(dataset), sizeof *ideal);
  target->numbers = dorm__alloc_zero(dataset->num_docs, 2 * sizeof *target->numbers);
  if (!ideal || !target->numbers)
    status = dorm__out_of_memory(context, "a lambda-function");
  for (size_t q = 0; status == DORM_OK && q < dataset->num_queries; q++) {
    size_t start = dataset->query_start[q];
    size_t num_docs = dataset->query_start[q + 1] - start;
    dorm__target_query *query = &target->queries[q];
    double *a = target->numbers + 2 * start;
    double *b = a + num_docs;
    *query = (dorm__target_query){.num_docs = num_docs, .a = a, .b = b};
    if (!num_docs)
      continue;
    memcpy(ideal, dataset->labels + start, num_docs * sizeof *ideal);
    dorm__sort_values(num_docs, ideal);
    kind->fill(rules, dataset->labels + start, ideal, a, b, query);
    status = check_tables(context, target->text, dataset, q, ideal[0], query);
    if (target->form != DORM__TARGET_PRODUCT)
      query->a = NULL;
    query->unit = unit_of(query, target->form, ideal);
    if (query->num_levels > target->most_levels)
      target->most_levels = query->num_levels;
  }
  dorm__free(ideal);
  return status;
}

static dorm_status open_measure(dorm_context *context, const char *text, const dorm_measure_info *info,
                                const dorm__spec *given, const dorm_dataset *dataset, dorm__target *target)
{
  dorm__measure *measure = NULL;
  dorm_loss_value *values = NULL;
  dorm_status status = dorm__measure_open(context, text, &measure); /* checks the text and spells it out */
  if (status != DORM_OK)
    return status;
  const dorm__measure_tables *kind = dorm__measure_tables_find(info->name);
  size_t row = dorm__spec_row(info->num_parameters, info->parameters, "repeats");
  values = dorm__alloc(info->num_parameters, sizeof *values);
  target->text = dorm__copy_text(dorm__measure_spec(measure));
  if (!values || !target->text) {
    status = dorm__out_of_memory(context, "a lambda-function");
    goto done;
  }
  status = dorm__spec_values(context, "measure", given, info->num_parameters, info->parameters, values);
  if (status != DORM_OK)
    goto done;
  if (!kind || (row < info->num_parameters && strcmp(values[row].text, info->parameters[row].default_text) != 0)) {
    status =
        dorm__fail(context, DORM_BAD_USAGE,
                   "a lambda-function cannot be of %s: what a swap changes is known for measures of labels, not of "
                   "groups or subtopics",
                   target->text);
    goto done;
  }
  dorm__measure_rules rules = dorm__measure_rules_of(info, values);
  target->form = kind->form;
  status = fill_queries(context, kind, &rules, dataset, target);
done:
  dorm__measure_close(measure);
  dorm__free(values);
  return status;
}

/* ---- Losses -------------------------------------------------------------------------- */

static dorm_status open_loss(dorm_context *context, const char *text, const dorm_dataset *dataset, size_t num_threads,
                             dorm__target *target)
{
  static const char pattern[] = "minus_loss(%s)";
  double *scratch = NULL;
  dorm_status status = dorm__loss_open(context, text, &target->loss);
  if (status != DORM_OK)
    return status;
  const char *spec = dorm__loss_spec(target->loss);
  size_t size = strlen(spec) + sizeof pattern;
  scratch = dorm__alloc(dorm__dataset_max_docs(dataset), sizeof *scratch);
  target->text = dorm__alloc(size, 1);
  if (!scratch || !target->text) {
    status = dorm__out_of_memory(context, "a lambda-function");
    goto done;
  }
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
      target->queries[q].unit = unit_of(&target->queries[q], target->form, scratch);
  }
done:
  dorm__free(scratch);
  return status;
}

/* ---- Either ---------------------------------------------------------------------------- */

static const dorm_measure_info *find_measure(const char *name)
{
  const dorm_measure_info *info;
  for (size_t i = 0; (info = dorm_measure_at(i)) != NULL; i++)
    if (dorm__equal_words(info->name, name))
      return info;
  return NULL;
}

static bool is_loss_name(const char *name)
{
  const dorm_loss_module *loss;
  for (size_t i = 0; (loss = dorm_loss_at(i)) != NULL; i++)
    if (dorm__equal_words(loss->name, name))
      return true;
  return false;
}

/* `text` is writable. */
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

dorm_status dorm__target_open(dorm_context *context, const char *text, const dorm_dataset *dataset, size_t num_threads,
                              dorm__target **target)
{
  dorm_status status = DORM_OK;
  *target = NULL;
  dorm__target *made = dorm__alloc_zero(1, sizeof *made);
  char *copy = dorm__copy_text(text);
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
  *target = made;
  made = NULL;
done:
  dorm__target_close(made);
  dorm__free(copy);
  return status;
}

void dorm__target_close(dorm__target *target)
{
  if (!target)
    return;
  dorm__loss_tables_free(target->tables);
  dorm__loss_close(target->loss);
  dorm__free(target->numbers);
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

size_t dorm__target_most_levels(const dorm__target *target)
{
  return target->most_levels;
}
