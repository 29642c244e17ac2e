/* measures.c: opens a measure from its text, and averages it over the queries of a data set. */
#include "measures/measures.h"
#include "base/processes.h"
#include "base/status.h"
#include "measures/measure.h"
#include "measures/measure_values.h"
#include "measures/ranking.h"

#include <math.h>
#include <string.h>

/* ---- Opening --------------------------------------------------------------- */

static dorm_status open_kind(dorm_context *context, const char *text, dorm__measure *made)
{
  DORM__AT_END(dorm__spec_free) dorm__spec given = {0};
  dorm_loss_value values[DORM__MOST_MEASURE_ROWS];
  dorm_status status = dorm__spec_parse(context, "measure", text, &given);
  if (status != DORM_OK)
    return status;
  made->kind = dorm__measure_kind_find(context, given.name);
  if (!made->kind)
    return DORM_BAD_USAGE;
  const dorm_measure_info *info = &made->kind->info;
  dorm__measure_kind_name_number(made->kind, &given);
  status = dorm__spec_values(context, "measure", &given, info->num_parameters, info->parameters, values);
  if (status != DORM_OK)
    return status;
  made->rules = dorm__measure_kind_rules(made->kind, values);
  made->text = dorm__measure_kind_text(made->kind, values);
  made->group = made->rules.group ? dorm__copy_text(made->rules.group) : NULL;
  if (!made->text || (made->rules.group && !made->group))
    return dorm__out_of_memory(context, "a measure");
  made->rules.group = made->group;
  if (made->rules.repeats_are_irrelevant && made->rules.ties == DORM__TIES_EXPECTED)
    return dorm__fail(context, DORM_BAD_USAGE,
                      "measure '%s': which documents are repeats depends on the order, and ties=expected has none",
                      text);
  return DORM_OK;
}

dorm_status dorm__measure_open(dorm_context *context, const char *spec, dorm__measure **measure)
{
  dorm_status status = DORM_OK;
  *measure = NULL;
  dorm__measure *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return dorm__out_of_memory(context, "a measure");
  if (dorm__is_minus_loss(spec)) {
    status = dorm__minus_loss_open(context, spec, made);
  } else {
    DORM__FREED char *text = dorm__trec_measure_text(spec);
    status = text ? open_kind(context, text, made) : dorm__out_of_memory(context, "a measure");
  }
  return DORM__GIVE(status, measure, made, dorm__measure_close);
}

dorm_status dorm__measure_open_for_loss(dorm_context *context, const dorm_loss *loss, dorm__measure **measure)
{
  DORM__FREED char *spec = NULL;
  *measure = NULL;
  dorm_status status = dorm__measure_spec_of_loss(context, loss, &spec);
  if (status != DORM_OK)
    return status;
  dorm__measure *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    status = dorm__out_of_memory(context, "a measure");
  else if (dorm__is_minus_loss(spec))
    status = dorm__minus_loss_of(context, loss, made);
  else
    status = open_kind(context, spec, made);
  return DORM__GIVE(status, measure, made, dorm__measure_close);
}

void dorm__measure_close(dorm__measure *measure)
{
  if (!measure)
    return;
  dorm__minus_loss_close(measure->loss);
  dorm__free(measure->text);
  dorm__free(measure->group);
  dorm__free(measure);
}

bool dorm__measure_is_prepared(const dorm__measure *measure)
{
  return dorm__minus_loss_is_prepared(measure->loss);
}

const char *dorm__measure_spec(const dorm__measure *measure)
{
  return measure->text;
}

const char *dorm__measure_name(const dorm__measure *measure)
{
  return measure->kind ? measure->kind->info.name : NULL;
}

const dorm_loss *dorm__measure_loss(const dorm__measure *measure)
{
  return measure->loss;
}

const dorm__conventions *dorm__measure_conventions(const dorm__measure *measure)
{
  return &measure->rules;
}

bool dorm__measure_is_cost(const dorm__measure *measure)
{
  return measure->kind && measure->kind->info.lower_is_better;
}

/* ---- A data set ------------------------------------------------------------- */

/* Sums over the values that are not NaN and whose queries have a weight above 0. */
typedef struct value_sums {
  size_t count;
  double weight;         /* W, sum of the weights */
  double square_weights; /* sum of their squares */
  double values;         /* sum of weight times value */
} value_sums;

static double weight_of(const dorm_dataset *dataset, size_t query, const double *values)
{
  return isnan(values[query]) ? 0 : dorm_dataset_query_weight(dataset, query);
}

static value_sums sum_values(const dorm_dataset *dataset, const double *values)
{
  value_sums sums = {0};
  for (size_t q = 0; q < dataset->num_queries; q++) {
    double weight = weight_of(dataset, q, values);
    if (weight > 0) {
      sums.values += weight * values[q];
      sums.weight += weight;
      sums.square_weights += weight * weight;
      sums.count++;
    }
  }
  return sums;
}

/* Computes the weighted mean, geometric mean or sum, and its standard error. With n = W^2 / sum of squared weights, the
 * effective number of queries (Kish, "Survey Sampling", 1965), the squared error is
 *
 *   sum_q weight_q (value_q - mean)^2 / W / (n - 1).
 *
 * It is unbiased if all values have the same variance, for any weights. With equal weights it is the standard error of
 * a mean of n values. The error of a sum is W times as large. */
static void summarise(dorm__measure_summary summary, const dorm_dataset *dataset, const double *values,
                      dorm_evaluation *evaluation)
{
  value_sums sums = sum_values(dataset, values);
  double mean = sums.count ? sums.values / sums.weight : 0;
  double effective = sums.count ? sums.weight * sums.weight / sums.square_weights : 0;
  double squares = 0;
  for (size_t q = 0; q < dataset->num_queries; q++) {
    double weight = weight_of(dataset, q, values);
    if (weight > 0)
      squares += weight * ((values[q] - mean) * (values[q] - mean));
  }
  evaluation->mean = mean;
  evaluation->num_queries = sums.count;
  evaluation->is_weighted = dataset->query_weights != NULL;
  evaluation->total_weight = sums.weight;
  evaluation->effective_queries = effective;
  evaluation->standard_error = sums.count > 1 && effective > 1 ? sqrt(squares / (effective - 1) / sums.weight) : 0;
  if (summary == DORM__SUMMARY_SUM) {
    evaluation->mean = sums.values;
    evaluation->standard_error *= sums.weight;
  } else if (summary == DORM__SUMMARY_GEOMETRIC && sums.count) {
    evaluation->mean = exp(mean);
    evaluation->standard_error *= evaluation->mean; /* to first order */
  }
}

dorm_status dorm__measure_ranked(dorm_context *context, const dorm__measure *measure, const dorm__minus_tables *tables,
                                 dorm__ranking *ranking, double *value, bool *is_empty)
{
  if (measure->loss)
    return dorm__minus_loss_value(context, tables, ranking, value, is_empty);
  *is_empty = true;
  *value = 0;
  if (measure->rules.repeats_are_irrelevant)
    dorm__ranking_drop_repeats(ranking);
  if (ranking->num_docs)
    *value = measure->kind->value(&measure->rules, ranking, is_empty);
  if (!isfinite(*value))
    return dorm__fail(context, DORM_BAD_DATA, "query '%s': label %g is too large for %s",
                      dorm_dataset_query_id(ranking->dataset, ranking->query), ranking->ideal[0], measure->text);
  if (*is_empty)
    *value = measure->rules.empty == DORM__EMPTY_IS_SKIPPED ? NAN : measure->rules.empty == DORM__EMPTY_IS_1;
  if (*is_empty && measure->kind->summary == DORM__SUMMARY_GEOMETRIC && !isnan(*value))
    *value = dorm__log_of_precision(*value);
  return DORM_OK;
}

/* Fills values [num_queries]. */
static dorm_status evaluate_queries(dorm_context *context, const dorm__measure *measure, const dorm_dataset *dataset,
                                    const double *scores, double *values, size_t *num_empty)
{
  DORM__AT_END(dorm__ranking_free) dorm__ranking ranking;
  DORM__OWNED(dorm__minus_tables) *tables = NULL;
  bool is_empty = false;
  if (!dorm__ranking_alloc(&ranking, dataset))
    return dorm__out_of_memory(context, "an evaluation");
  dorm_status status = dorm__minus_tables_new(context, measure, dataset, 1, &tables);
  for (size_t q = 0; status == DORM_OK && q < dataset->num_queries; q++) {
    status = DORM__ALL(
        dorm__rank_query(context, dataset, q, scores + dataset->query_start[q], measure->rules.ties, &ranking),
        dorm__measure_ranked(context, measure, tables, &ranking, &values[q], &is_empty));
    *num_empty += status == DORM_OK && is_empty;
  }
  return status;
}

dorm__measure_needs dorm__measure_needs_of(const dorm__measure *measure)
{
  if (measure->rules.repeats_are_irrelevant)
    return DORM__NEEDS_GROUPS;
  return measure->kind ? measure->kind->needs : DORM__NEEDS_LABELS;
}

dorm_status dorm__measure_check(dorm_context *context, const dorm__measure *measure, const dorm_dataset *dataset)
{
  dorm__measure_needs needs = dorm__measure_needs_of(measure);
  if (needs == DORM__NEEDS_GROUPS && !dataset->groups)
    return dorm__fail(context, DORM_BAD_USAGE, "%s needs the groups of the documents of %s (diversity.groups)",
                      measure->text, dataset->name);
  if (measure->group && dorm__find_group(dataset, measure->group) == SIZE_MAX)
    return dorm__fail(context, DORM_BAD_USAGE, "%s: %s has no group '%s'", measure->text, dataset->name,
                      measure->group);
  if (needs == DORM__NEEDS_SUBTOPICS && !dataset->subtopics)
    return dorm__fail(context, DORM_BAD_USAGE, "%s needs the subtopics of the documents of %s", measure->text,
                      dataset->name);
  return DORM_OK;
}

void dorm__measure_warn(dorm_context *context, const dorm__measure *measure, const dorm_dataset *dataset)
{
  static const double nearly_all = 0.95;
  const double threshold = measure->rules.threshold; /* 0 for measures without a threshold */
  size_t num_long = 0, num_full = 0;
  if (!measure->kind || !(threshold > 0) || measure->kind->summary == DORM__SUMMARY_SUM ||
      (measure->kind->value == dorm__value_roc_area && !measure->rules.has_two_levels))
    return;
  for (size_t q = 0; q < dataset->num_queries; q++) {
    size_t start = dataset->query_start[q], size = dataset->query_start[q + 1] - start;
    num_long += size > 1;
    num_full += size > 1 && dorm__count_relevant(size, dataset->labels + start, threshold) == size;
  }
  if (num_full && (double)num_full >= nearly_all * (double)num_long)
    dorm__warn_once(context,
                    "%s: %s takes all documents of %zu of %zu queries for relevant; its parameter threshold, here %g, "
                    "is the smallest label of a relevant document",
                    dataset->name, measure->kind->info.name, num_full, num_long, threshold);
}

/* Gathers values and weights of the queries of all processes, in their order, and summarises them. */
static dorm_status summarise_all(dorm_context *context, const dorm__measure *measure, const dorm_dataset *dataset,
                                 const double *values, dorm_evaluation *evaluation)
{
  dorm__measure_summary summary = measure->kind ? measure->kind->summary : DORM__SUMMARY_MEAN;
  if (!dataset->shards || dorm__processes_size(context) == 1) {
    summarise(summary, dataset, values, evaluation);
    return DORM_OK;
  }
  DORM__FREED size_t *start = dorm__alloc(dorm__processes_size(context) + 1, sizeof *start);
  DORM__FREED void *all_values = NULL;
  DORM__FREED void *all_weights = NULL;
  uint64_t num_empty = evaluation->num_empty;
  size_t bytes = dataset->num_queries * sizeof *values;
  dorm_status status = DORM__ALL(
      start ? dorm__processes_gather(context, values, bytes, &all_values, start)
            : dorm__out_of_memory(context, "an evaluation"),
      dataset->query_weights ? dorm__processes_gather(context, dataset->query_weights, bytes, &all_weights, start)
                             : DORM_OK,
      dorm__processes_totals(context, 1, &num_empty));
  if (status == DORM_OK) {
    dorm_dataset all = {.num_queries = dorm__all_queries(dataset), .query_weights = all_weights};
    summarise(summary, &all, all_values, evaluation);
    evaluation->num_empty = (size_t)num_empty;
  }
  return status;
}

dorm_status dorm__measure_summarise(dorm_context *context, const dorm__measure *measure, const dorm_dataset *dataset,
                                    const double *values, dorm_evaluation *evaluation)
{
  *evaluation = (dorm_evaluation){0};
  return summarise_all(context, measure, dataset, values, evaluation);
}

dorm_status dorm__measure_dataset(dorm_context *context, const dorm__measure *measure, const dorm_dataset *dataset,
                                  const double *scores, double *per_query, dorm_evaluation *evaluation)
{
  dorm_evaluation made = {.lower_is_better = dorm__measure_is_cost(measure), .conventions = measure->text};
  DORM__FREED double *values = dorm__alloc(dataset->num_queries, sizeof *values);
  dorm_status status = DORM__ALL(dorm__measure_check(context, measure, dataset),
                                 values ? evaluate_queries(context, measure, dataset, scores, values, &made.num_empty)
                                        : dorm__out_of_memory(context, "an evaluation"),
                                 summarise_all(context, measure, dataset, values, &made));
  if (status != DORM_OK)
    return status;
  if (per_query)
    memcpy(per_query, values, dataset->num_queries * sizeof *values);
  *evaluation = made;
  return DORM_OK;
}

dorm_status dorm_evaluate(dorm_context *context, const char *measure, const dorm_dataset *dataset, const double *scores,
                          double *per_query, dorm_evaluation *evaluation)
{
  if (DORM__LACKS(context, DORM__GIVEN(measure), DORM__GIVEN(dataset), DORM__GIVEN(scores), DORM__GIVEN(evaluation)))
    return DORM_BAD_USAGE;
  DORM__OWNED(dorm__measure) *opened = NULL;
  dorm_evaluation made;
  dorm_status status = DORM__ALL(dorm__struct_check(context, "evaluation", DORM__STRUCT(dorm_evaluation), evaluation),
                                 dorm__measure_open(context, measure, &opened),
                                 dorm__measure_dataset(context, opened, dataset, scores, per_query, &made));
  if (status == DORM_OK)
    dorm__measure_warn(context, opened, dataset);
  if (status == DORM_OK && !(made.conventions = dorm__keep_text(context, made.conventions)))
    status = dorm__out_of_memory(context, "an evaluation");
  if (status == DORM_OK)
    dorm__struct_give(&made, evaluation);
  return status;
}
