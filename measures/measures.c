/*
 * measures.c: measures by name, with their conventions, over a data set. What
 * each of them is stands in measure_values.c.
 *
 * An empty query is one in which no ranking is better than another for want of
 * something to find: no gain, no relevant document, no two different labels.
 */
#include "measures/measures.h"
#include "base/spec.h"
#include "data/data.h"
#include "losses/losses.h"
#include "measures/diversity_values.h"
#include "measures/measure_values.h"
#include "measures/ranking.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TRUNCATION(default_text)                                                                                       \
  {                                                                                                                    \
    "truncation", default_text, NULL, 0, 1e9, 1, "positions that count, as in ndcg@10; 0: all"                         \
  }
#define GAIN                                                                                                           \
  {                                                                                                                    \
    "gain", "exp2", "exp2, linear", 0, 0, 0, "gain of label r: 2^r - 1, or r"                                          \
  }
#define DISCOUNT                                                                                                       \
  {                                                                                                                    \
    "discount", "log2", "log2, letor", 0, 0, 0,                                                                        \
        "position p from 0 is divided by log2(p+2), or as LETOR does by 1, 1, log2(3), log2(4), ..."                   \
  }
#define THRESHOLD                                                                                                      \
  {                                                                                                                    \
    "threshold", "1", NULL, 0, 1e300, 0, "smallest label of a relevant document; 0: the query's largest"               \
  }
#define EMPTY                                                                                                          \
  {                                                                                                                    \
    "empty", "0", "0, 1, skip", 0, 0, 0, "what a query with nothing to find counts"                                    \
  }
#define TIES                                                                                                           \
  {                                                                                                                    \
    "ties", "order", "order, docid, worst, expected", 0, 0, 0,                                                         \
        "equal scores: by document order, by document id downwards (as trec_eval), worst case, mean over all orders"   \
  }
#define TIES_BROKEN                                                                                                    \
  {                                                                                                                    \
    "ties", "order", "order, docid, worst", 0, 0, 0,                                                                   \
        "equal scores: by document order, by document id downwards (as trec_eval), worst case"                         \
  }
/* The last row where it is one, and only spelled out where it is not the default: most data have no groups. */
#define REPEATS                                                                                                        \
  {                                                                                                                    \
    "repeats", "count", "count, irrelevant", 0, 0, 0,                                                                  \
        "a document that shares a group with one above it: counts as any other, or as irrelevant"                      \
  }

static const dorm_loss_parameter dcg_rows[] = {TRUNCATION("0"), GAIN, DISCOUNT, EMPTY, TIES, REPEATS};
static const dorm_loss_parameter mwta_rows[] = {GAIN, DISCOUNT, EMPTY, TIES};
static const dorm_loss_parameter map_rows[] = {TRUNCATION("0"),
                                               THRESHOLD,
                                               {"divide", "relevant", "relevant, reachable", 0, 0, 0,
                                                "by the number of relevant documents, or by at most the truncation"},
                                               EMPTY,
                                               TIES,
                                               REPEATS};
static const dorm_loss_parameter mrr_rows[] = {TRUNCATION("0"), THRESHOLD, EMPTY, TIES, REPEATS};
static const dorm_loss_parameter precision_rows[] = {TRUNCATION("10"), THRESHOLD, EMPTY, TIES, REPEATS};
static const dorm_loss_parameter err_rows[] = {
    TRUNCATION("0"), {"max_label", "4", NULL, 0, 50, 0, "largest label that the scale knows"}, EMPTY, TIES, REPEATS};
static const dorm_loss_parameter eru_rows[] = {
    {"half_life", "5", NULL, 1.001, 1e9, 0, "position from 1 that half of the readers reach"},
    {"neutral", "0", NULL, 0, 1e300, 0, "label that is worth nothing, as are those below"},
    {"normalised", "yes", "yes, no", 0, 0, 0, "divide by the utility of an ideal ranking of the query"},
    EMPTY,
    TIES,
    REPEATS};
static const dorm_loss_parameter pair_rows[] = {EMPTY, TIES};
static const dorm_loss_parameter roc_rows[] = {DORM__ROW_LEVELS("all"), THRESHOLD, EMPTY, TIES};
static const dorm_loss_parameter tau_rows[] = {EMPTY};
static const dorm_loss_parameter redundancy_rows[] = {TRUNCATION("10"), TIES_BROKEN};
static const dorm_loss_parameter alpha_rows[] = {
    TRUNCATION("10"),
    {"alpha", "0.5", NULL, 0, 1, 0, "share of the worth of a subtopic that each document above takes away"},
    EMPTY,
    TIES_BROKEN};
static const dorm_loss_parameter err_ia_rows[] = {
    TRUNCATION("10"), {"max_label", "1", NULL, 0, 50, 0, "largest judgement that the scale knows"}, EMPTY, TIES_BROKEN};
static const dorm_loss_parameter subtopic_rows[] = {TRUNCATION("10"), EMPTY, TIES_BROKEN};

typedef double (*query_value)(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);

typedef struct measure_kind {
  dorm_measure_info info;
  query_value value;
} measure_kind;

#define ROWS(rows) sizeof(rows) / sizeof *(rows), rows

static const measure_kind kinds[] = {
    {{"ndcg", "normalised discounted cumulative gain", 0, ROWS(dcg_rows)}, dorm__value_ndcg},
    {{"dcg", "discounted cumulative gain", 0, ROWS(dcg_rows)}, dorm__value_dcg},
    {{"mean_ndcg", "mean of NDCG@1 .. NDCG@l", 0, ROWS(mwta_rows)}, dorm__value_mean_ndcg},
    {{"mwta", "NDCG at 3, or just past the first change of level", 0, ROWS(mwta_rows)}, dorm__value_mwta},
    {{"map", "average precision", 0, ROWS(map_rows)}, dorm__value_map},
    {{"mrr", "reciprocal rank of the first relevant document", 0, ROWS(mrr_rows)}, dorm__value_mrr},
    {{"wta", "1 when the first document has the largest label", 0, ROWS(pair_rows)}, dorm__value_wta},
    {{"p", "relevant documents among the first k, over k", 0, ROWS(precision_rows)}, dorm__value_precision},
    {{"recall", "relevant documents among the first k, over all", 0, ROWS(precision_rows)}, dorm__value_recall},
    {{"err", "expected reciprocal rank", 0, ROWS(err_rows)}, dorm__value_err},
    {{"eru", "expected rank utility", 0, ROWS(eru_rows)}, dorm__value_eru},
    {{"pair_error", "share of the pairs in the wrong order", 1, ROWS(pair_rows)}, dorm__value_pair_error},
    {{"roc_area", "area under the ROC curve: share of the pairs in the right order", 0, ROWS(roc_rows)},
     dorm__value_roc_area},
    {{"tau", "Kendall's tau-b of scores and labels", 0, ROWS(tau_rows)}, dorm__value_tau},
    {{"redundancy", "documents among the first k that share a group with one above", 1, ROWS(redundancy_rows)},
     dorm__value_redundancy},
    {{"alpha_ndcg", "novelty of subtopics, discounted, over that of the greedy ranking", 0, ROWS(alpha_rows)},
     dorm__value_alpha_ndcg},
    {{"err_ia", "mean over the subtopics of expected reciprocal rank", 0, ROWS(err_ia_rows)}, dorm__value_err_ia},
    {{"subtopic_recall", "subtopics among the first k, over all", 0, ROWS(subtopic_rows)}, dorm__value_subtopic_recall},
};

enum { NUM_KINDS = sizeof kinds / sizeof *kinds, MOST_ROWS = 8 };

struct dorm__measure {
  const measure_kind *kind; /* NULL: minus a loss */
  dorm__conventions rules;
  dorm__loss *loss; /* of minus_loss(...) */
  char *text;
};

const dorm_measure_info *dorm_measure_at(size_t index)
{
  return index < NUM_KINDS ? &kinds[index].info : NULL;
}

/* ---- Opening --------------------------------------------------------------- */

static const measure_kind *find_kind(dorm_context *context, const char *name)
{
  const char *names[NUM_KINDS];
  for (size_t i = 0; i < NUM_KINDS; i++) {
    names[i] = kinds[i].info.name;
    if (strcmp(names[i], name) == 0)
      return &kinds[i];
  }
  const char *nearest = dorm__nearest_word(name, names, NUM_KINDS);
  dorm__fail(context, DORM_BAD_USAGE, "unknown measure '%s'%s%s%s", name, nearest ? "; did you mean '" : "",
             nearest ? nearest : "", nearest ? "'?" : "");
  return NULL;
}

/* "ndcg@10:gain=exp2,..."; a truncation is the first row, and repeats the last. */
static char *measure_text(const measure_kind *kind, const dorm_loss_value *values)
{
  const dorm_measure_info *info = &kind->info;
  size_t count = info->num_parameters;
  if (strcmp(info->parameters[count - 1].name, "repeats") == 0 && strcmp(values[count - 1].text, "count") == 0)
    count--;
  if (strcmp(info->parameters[0].name, "truncation") != 0)
    return dorm__spec_text(info->name, count, info->parameters, values);
  char name[64];
  if (values[0].number > 0)
    snprintf(name, sizeof name, "%s@%.0f", info->name, values[0].number);
  else
    snprintf(name, sizeof name, "%s", info->name);
  return dorm__spec_text(name, count - 1, info->parameters + 1, values + 1);
}

static dorm__tie_rule tie_rule_of(const char *word)
{
  if (strcmp(word, "docid") == 0)
    return DORM__TIES_DOC_ID;
  if (strcmp(word, "worst") == 0)
    return DORM__TIES_WORST;
  return strcmp(word, "expected") == 0 ? DORM__TIES_EXPECTED : DORM__TIES_ORDER;
}

static dorm__empty_rule empty_rule_of(const char *word)
{
  if (strcmp(word, "skip") == 0)
    return DORM__EMPTY_IS_SKIPPED;
  return strcmp(word, "1") == 0 ? DORM__EMPTY_IS_1 : DORM__EMPTY_IS_0;
}

static dorm__conventions conventions_of(const measure_kind *kind, const dorm_loss_value *values)
{
  dorm__conventions rules = {0};
  for (size_t i = 0; i < kind->info.num_parameters; i++) {
    const char *row = kind->info.parameters[i].name;
    const char *word = values[i].text;
    double number = values[i].number;
    if (strcmp(row, "truncation") == 0)
      rules.truncation = (size_t)number;
    else if (strcmp(row, "gain") == 0)
      rules.linear_gain = strcmp(word, "linear") == 0;
    else if (strcmp(row, "discount") == 0)
      rules.letor_discount = strcmp(word, "letor") == 0;
    else if (strcmp(row, "threshold") == 0)
      rules.threshold = number;
    else if (strcmp(row, "levels") == 0)
      rules.has_two_levels = strcmp(word, "two") == 0;
    else if (strcmp(row, "divide") == 0)
      rules.divides_by_reachable = strcmp(word, "reachable") == 0;
    else if (strcmp(row, "max_label") == 0)
      rules.max_label = number;
    else if (strcmp(row, "half_life") == 0)
      rules.half_life = number;
    else if (strcmp(row, "neutral") == 0)
      rules.neutral = number;
    else if (strcmp(row, "normalised") == 0)
      rules.is_normalised = strcmp(word, "yes") == 0;
    else if (strcmp(row, "alpha") == 0)
      rules.alpha = number;
    else if (strcmp(row, "repeats") == 0)
      rules.repeats_are_irrelevant = strcmp(word, "irrelevant") == 0;
    else if (strcmp(row, "empty") == 0)
      rules.empty = empty_rule_of(word);
    else if (strcmp(row, "ties") == 0)
      rules.ties = tie_rule_of(word);
  }
  if (kind->value == dorm__value_tau) /* knows ties by its own definition */
    rules.ties = DORM__TIES_EXPECTED;
  return rules;
}

static dorm_status open_kind(dorm_context *context, const char *text, dorm__measure *made)
{
  dorm__spec given = {0};
  dorm_loss_value values[MOST_ROWS];
  dorm_status status = dorm__spec_parse(context, "measure", text, &given);
  if (status != DORM_OK)
    return status;
  made->kind = find_kind(context, given.name);
  if (!made->kind) {
    status = DORM_BAD_USAGE;
    goto done;
  }
  const dorm_measure_info *info = &made->kind->info;
  status = dorm__spec_values(context, "measure", &given, info->num_parameters, info->parameters, values);
  if (status != DORM_OK)
    goto done;
  made->rules = conventions_of(made->kind, values);
  made->text = measure_text(made->kind, values);
  if (made->rules.repeats_are_irrelevant && made->rules.ties == DORM__TIES_EXPECTED)
    status =
        dorm__fail(context, DORM_BAD_USAGE,
                   "measure '%s': which documents are repeats depends on the order; ties=expected knows none", text);
  if (!made->text)
    status = dorm__out_of_memory(context, "a measure");
done:
  dorm__spec_free(&given);
  return status;
}

/* "minus_loss(SPEC)": what a loss that has no measure of its own is selected by. */
static const char minus_loss[] = "minus_loss(";

static char *minus_loss_text(const char *spec)
{
  size_t size = strlen(spec) + sizeof minus_loss + 1;
  char *text = dorm__alloc(size, 1);
  if (text)
    snprintf(text, size, "%s%s)", minus_loss, spec);
  return text;
}

static dorm_status open_minus_loss(dorm_context *context, const char *text, dorm__measure *made)
{
  char *spec = dorm__copy_text(text + strlen(minus_loss));
  if (!spec)
    return dorm__out_of_memory(context, "a measure");
  dorm_status status = DORM_OK;
  size_t size = strlen(spec);
  if (!size || spec[size - 1] != ')')
    status = dorm__fail(context, DORM_BAD_USAGE, "measure '%s' needs a closing bracket", text);
  else
    spec[size - 1] = '\0';
  if (status == DORM_OK)
    status = dorm__loss_open(context, spec, &made->loss);
  if (status == DORM_OK && !(made->text = minus_loss_text(dorm__loss_spec(made->loss))))
    status = dorm__out_of_memory(context, "a measure");
  dorm__free(spec);
  return status;
}

dorm_status dorm__measure_open(dorm_context *context, const char *spec, dorm__measure **measure)
{
  *measure = NULL;
  dorm__measure *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return dorm__out_of_memory(context, "a measure");
  bool is_minus_loss = strncmp(spec, minus_loss, strlen(minus_loss)) == 0;
  dorm_status status = is_minus_loss ? open_minus_loss(context, spec, made) : open_kind(context, spec, made);
  if (status == DORM_OK)
    *measure = made;
  else
    dorm__measure_close(made);
  return status;
}

void dorm__measure_close(dorm__measure *measure)
{
  if (!measure)
    return;
  dorm__loss_close(measure->loss);
  dorm__free(measure->text);
  dorm__free(measure);
}

const char *dorm__measure_spec(const dorm__measure *measure)
{
  return measure->text;
}

bool dorm__measure_is_cost(const dorm__measure *measure)
{
  return measure->kind && measure->kind->info.lower_is_better;
}

dorm_status dorm__measure_spec_for(dorm_context *context, const char *name, size_t num_rows,
                                   const dorm_loss_parameter *rows, const dorm_loss_value *values, char **spec)
{
  dorm_loss_value own[MOST_ROWS];
  *spec = NULL;
  const measure_kind *kind = find_kind(context, name);
  if (!kind)
    return DORM_BAD_USAGE;
  for (size_t i = 0; i < kind->info.num_parameters; i++) {
    size_t row = dorm__spec_row(num_rows, rows, kind->info.parameters[i].name);
    own[i] = (dorm_loss_value){.text = kind->info.parameters[i].default_text};
    if (row < num_rows)
      own[i] = values[row];
  }
  *spec = measure_text(kind, own);
  return *spec ? DORM_OK : dorm__out_of_memory(context, "a measure");
}

dorm_status dorm__measure_minus_loss_spec(dorm_context *context, const char *loss_spec, char **spec)
{
  *spec = minus_loss_text(loss_spec);
  return *spec ? DORM_OK : dorm__out_of_memory(context, "a measure");
}

/* ---- A data set ------------------------------------------------------------- */

/* Mean and its standard error over the values that are not NaN. */
static void summarise(size_t count, const double *values, dorm_evaluation *evaluation)
{
  double sum = 0;
  size_t counted = 0;
  for (size_t q = 0; q < count; q++)
    if (!isnan(values[q])) {
      sum += values[q];
      counted++;
    }
  double mean = counted ? sum / (double)counted : 0;
  double squares = 0;
  for (size_t q = 0; q < count; q++)
    if (!isnan(values[q]))
      squares += (values[q] - mean) * (values[q] - mean);
  evaluation->mean = mean;
  evaluation->num_queries = counted;
  evaluation->standard_error = counted > 1 ? sqrt(squares / (double)(counted - 1) / (double)counted) : 0;
}

static dorm_status evaluate_query(dorm_context *context, const dorm__measure *measure, const dorm_dataset *dataset,
                                  size_t query, dorm__ranking *ranking, double *value, size_t *num_empty)
{
  bool is_empty = true;
  *value = 0;
  if (measure->rules.repeats_are_irrelevant)
    dorm__ranking_drop_repeats(ranking);
  if (ranking->num_docs)
    *value = measure->kind->value(&measure->rules, ranking, &is_empty);
  if (!isfinite(*value))
    return dorm__fail(context, DORM_BAD_DATA, "query '%s': label %g is too large for %s",
                      dorm_dataset_query_id(dataset, query), ranking->ideal[0], measure->text);
  if (is_empty) {
    ++*num_empty;
    *value = measure->rules.empty == DORM__EMPTY_IS_SKIPPED ? NAN : measure->rules.empty == DORM__EMPTY_IS_1;
  }
  return DORM_OK;
}

/* Minus the loss of the ranking, ties by document order. In the general form
 * minus the bare cost: its least value would take an assignment problem.
 * scratch [2][num_docs]. */
static dorm_status minus_query_loss(dorm_context *context, const dorm__query_loss *loss, const dorm_dataset *dataset,
                                    size_t query, const dorm__ranking *ranking, double *scratch, double *value,
                                    size_t *num_empty)
{
  double cost = 0;
  *num_empty += !loss->trains;
  if (loss->structured) {
    dorm_status status =
        dorm__loss_of_ranking(context, loss->structured, dataset, query, ranking->order, scratch, &cost);
    *value = 0 - cost;
    return status;
  }
  for (size_t p = 0; loss->cost && p < loss->num_docs; p++)
    cost += loss->cost[ranking->order[p] * loss->num_docs + p];
  *value = loss->cost ? -cost : 0 - dorm__query_loss_of(loss, ranking->order);
  return DORM_OK;
}

/* Groups or subtopics, where the measure is of them. */
static dorm_status check_lists(dorm_context *context, const dorm__measure *measure, const dorm_dataset *dataset)
{
  query_value value = measure->kind ? measure->kind->value : NULL;
  bool is_of_groups = measure->rules.repeats_are_irrelevant || (value && value == dorm__value_redundancy);
  bool is_of_subtopics =
      value && (value == dorm__value_alpha_ndcg || value == dorm__value_err_ia || value == dorm__value_subtopic_recall);
  if (is_of_groups && !dataset->groups)
    return dorm__fail(context, DORM_BAD_USAGE, "%s needs the groups of the documents of %s (diversity.groups)",
                      measure->text, dataset->name);
  if (is_of_subtopics && !dataset->subtopics)
    return dorm__fail(context, DORM_BAD_USAGE, "%s needs the subtopics of the documents of %s", measure->text,
                      dataset->name);
  return DORM_OK;
}

dorm_status dorm__measure_dataset(dorm_context *context, const dorm__measure *measure, const dorm_dataset *dataset,
                                  const double *scores, double *per_query, dorm_evaluation *evaluation)
{
  dorm_status status = DORM_OK;
  dorm_evaluation made = {0};
  dorm__ranking ranking = {0};
  dorm__loss_tables *tables = NULL;
  double *values = dorm__alloc(dataset->num_queries, sizeof *values);
  double *scratch = dorm__alloc(dorm__dataset_max_docs(dataset), 2 * sizeof *scratch);
  status = check_lists(context, measure, dataset);
  if (status != DORM_OK)
    goto done;
  if (!values || !scratch || !dorm__ranking_alloc(&ranking, dataset)) {
    status = dorm__out_of_memory(context, "an evaluation");
    goto done;
  }
  if (measure->loss)
    status = dorm__loss_tables_build(context, measure->loss, dataset, 1, &tables);
  for (size_t q = 0; status == DORM_OK && q < dataset->num_queries; q++) {
    status = dorm__rank_query(context, dataset, q, scores, measure->rules.ties, &ranking);
    if (status == DORM_OK && tables)
      status = minus_query_loss(context, dorm__loss_tables_query(tables, q), dataset, q, &ranking, scratch, &values[q],
                                &made.num_empty);
    else if (status == DORM_OK)
      status = evaluate_query(context, measure, dataset, q, &ranking, &values[q], &made.num_empty);
  }
  if (status != DORM_OK)
    goto done;
  summarise(dataset->num_queries, values, &made);
  made.lower_is_better = dorm__measure_is_cost(measure);
  snprintf(made.conventions, sizeof made.conventions, "%s", measure->text);
  if (per_query)
    memcpy(per_query, values, dataset->num_queries * sizeof *values);
  *evaluation = made;
done:
  dorm__loss_tables_free(tables);
  dorm__ranking_free(&ranking);
  dorm__free(values);
  dorm__free(scratch);
  return status;
}

dorm_status dorm_evaluate(dorm_context *context, const char *measure, const dorm_dataset *dataset, const double *scores,
                          double *per_query, dorm_evaluation *evaluation)
{
  dorm__measure *opened = NULL;
  dorm_status status = dorm__measure_open(context, measure, &opened);
  if (status == DORM_OK)
    status = dorm__measure_dataset(context, opened, dataset, scores, per_query, evaluation);
  dorm__measure_close(opened);
  return status;
}
