/*
 * measure_queries.c: fills the queries of a measure target from the labels, groups and subtopics of the data set, with
 * the tables of the measure (measure_tables.c).
 */
#include "base/sort.h"
#include "lambdas/measure_tables.h"

#include <math.h>
#include <string.h>

/* ---- Units ----------------------------------------------------------------------- */

/* Returns the smallest difference other than 0 between two of values[count], sorted downwards, or 0 if all are equal.
 */
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

/* Returns the gain of a document that has a position of weight 1 and no document above it. */
static double gain_of(const dorm__target_query *query, dorm__target_form form, size_t j)
{
  double sum = 0;
  if (form != DORM__TARGET_SUBTOPICS)
    return query->cost ? query->cost[j * query->num_docs] : query->b[j];
  for (size_t e = query->lists.start[j]; query->lists.count && e < query->lists.start[j + 1]; e++)
    sum += query->lists.gains[e];
  return sum;
}

double dorm__target_unit(const dorm__target_query *query, dorm__target_form form, double *scratch)
{
  size_t count = query->num_docs;
  if (form == DORM__TARGET_PRECISIONS || form == DORM__TARGET_FIRST || form == DORM__TARGET_PAIRS)
    return query->scale;
  for (size_t j = 0; j < query->num_docs; j++)
    scratch[j] = gain_of(query, form, j);
  if (query->lists.count && !query->lists.gains)
    scratch[count++] = 0; /* the gain of a repeat */
  dorm__sort_values(count, scratch);
  return least_difference(count, scratch) * (query->a ? fabs(query->a[0]) : 1);
}

/* ---- One query ---------------------------------------------------------------------- */

/* Arrays by document, or by entry of a document in a group. */
typedef struct group_scratch {
  double *keys, *sorted;
  uint32_t *order;
  dorm__sort_scratch sort;
} group_scratch;

typedef struct filling {
  dorm__region memory; /* of labels, scratch and groups */
  const dorm__measure_tables *kind;
  const dorm__conventions *rules;
  bool counts_groups_once;
  const dorm_dataset *dataset;
  dorm__measure_arrays *arrays;
  double *labels;       /* [docs + 1] of an ideal ranking */
  double *scratch;      /* [docs + subtopics] */
  group_scratch groups; /* if groups count once */
} filling;

/* Sets the subtopic entries of a query's documents. Their gains come from the tables. */
static void take_subtopics(const filling *from, size_t q, dorm__target_query *query)
{
  const dorm__doc_lists *lists = from->dataset->subtopics;
  size_t num_entries = lists->start[from->dataset->num_docs];
  query->lists = (dorm__target_lists){.count = lists->num_subtopics[q],
                                      .start = lists->start + from->dataset->query_start[q],
                                      .numbers = lists->numbers,
                                      .gains = from->arrays->entries,
                                      .chances = from->arrays->entries + num_entries};
}

/* Numbers the groups of a query from 0. O(entries log entries). */
static void take_groups(const filling *from, size_t q, dorm__target_query *query)
{
  const dorm__doc_lists *groups = from->dataset->groups;
  const group_scratch *scratch = &from->groups;
  const size_t *start = groups->start + from->dataset->query_start[q];
  uint32_t *numbers = from->arrays->group_numbers;
  size_t num_entries = start[query->num_docs] - start[0];
  query->lists = (dorm__target_lists){.start = start, .numbers = numbers};
  for (size_t e = 0; e < num_entries; e++)
    scratch->keys[e] = groups->numbers[start[0] + e];
  dorm__sort_descending(num_entries, scratch->keys, scratch->order, scratch->sorted, &scratch->sort);
  for (size_t i = 0; i < num_entries; i++) {
    query->lists.count += i == 0 || scratch->sorted[i] != scratch->sorted[i - 1];
    numbers[start[0] + scratch->order[i]] = (uint32_t)(query->lists.count - 1);
  }
  for (size_t j = 0; j < query->num_docs; j++)
    query->lists.overlap = query->lists.overlap || start[j + 1] - start[j] > 1;
}

/* Fills ideal [num_docs] with labels by falling label, ties in document order. Leaves out documents that share a group
 * with an earlier one, and fills the end with 0. */
static void find_ideal(const filling *from, const double *labels, const dorm__target_query *query, double *ideal)
{
  const dorm__target_lists *lists = &query->lists;
  const group_scratch *scratch = &from->groups;
  double *is_taken = scratch->keys;
  size_t kept = 0;
  dorm__sort_descending(query->num_docs, labels, scratch->order, scratch->sorted, &scratch->sort);
  memset(is_taken, 0, lists->count * sizeof *is_taken);
  for (size_t i = 0; i < query->num_docs; i++) {
    const size_t *at = lists->start + scratch->order[i];
    bool repeats = false;
    for (size_t e = at[0]; e < at[1]; e++)
      repeats = repeats || is_taken[lists->numbers[e]] > 0;
    for (size_t e = at[0]; !repeats && e < at[1]; e++)
      is_taken[lists->numbers[e]] = 1;
    if (!repeats)
      ideal[kept++] = scratch->sorted[i];
  }
  for (; kept < query->num_docs; kept++)
    ideal[kept] = 0;
}

/* Returns the value of an ideal ranking in the product form. scratch [num_docs]. */
static double ideal_worth(const dorm__target_query *query, double *scratch)
{
  double worth = 0;
  memcpy(scratch, query->b, query->num_docs * sizeof *scratch);
  dorm__sort_values(query->num_docs, scratch);
  for (size_t p = 0; p < query->depth; p++)
    worth += query->a[p] * scratch[p];
  return worth;
}

/* Multiplies the gains b of a query by the weights of its documents. */
static void weigh_gains(const filling *from, size_t q, double *b, const dorm__target_query *query)
{
  const double *weights = from->dataset->doc_weights + from->dataset->query_start[q];
  double before = ideal_worth(query, from->labels);
  for (size_t j = 0; j < query->num_docs; j++)
    b[j] *= weights[j];
  double after = ideal_worth(query, from->labels);
  bool keeps_ideal = from->kind->has_ideal || from->rules->is_normalised;
  for (size_t j = 0; keeps_ideal && after > 0 && j < query->num_docs; j++)
    b[j] *= before / after;
}

static void fill_query(const filling *from, size_t q, double *a, double *b, dorm__target_query *query)
{
  const double *labels = from->dataset->labels + from->dataset->query_start[q];
  dorm__target_form form = from->kind->form;
  size_t num_docs = query->num_docs;
  memcpy(from->labels, labels, num_docs * sizeof *labels);
  dorm__sort_values(num_docs, from->labels);
  if (from->counts_groups_once) {
    take_groups(from, q, query);
    find_ideal(from, labels, query, from->labels);
  }
  dorm__table_query tables = {
      .rules = from->rules, .labels = labels, .ideal = from->labels, .a = a, .b = b, .made = query};
  size_t truncation = from->rules->truncation;
  if (form == DORM__TARGET_SUBTOPICS) {
    take_subtopics(from, q, query);
    tables.judgements = from->dataset->subtopics->weights;
    tables.scratch = from->scratch;
    if (!query->lists.count)
      return;
  }
  query->depth = truncation && truncation < num_docs ? truncation : num_docs;
  from->kind->fill(&tables);
  if (from->dataset->doc_weights)
    weigh_gains(from, q, b, query);
}

/* ---- All queries ------------------------------------------------------------------------ */

static size_t most_subtopics(const dorm_dataset *dataset)
{
  size_t most = 0;
  for (size_t q = 0; q < dataset->num_queries; q++)
    most = dataset->subtopics->num_subtopics[q] > most ? dataset->subtopics->num_subtopics[q] : most;
  return most;
}

static bool alloc(filling *made)
{
  const dorm_dataset *dataset = made->dataset;
  dorm__measure_arrays *arrays = made->arrays;
  dorm__region *memory = &made->memory, *kept = &arrays->memory;
  size_t max_docs = dorm__dataset_max_docs(dataset);
  made->labels = dorm__region_take(memory, max_docs + 1, sizeof *made->labels);
  arrays->tables = dorm__region_take_zero(kept, dataset->num_docs, 2 * sizeof *arrays->tables);
  if (made->kind->form == DORM__TARGET_SUBTOPICS) {
    size_t num_entries = dataset->subtopics->start[dataset->num_docs];
    made->scratch = dorm__region_take(memory, max_docs + most_subtopics(dataset), sizeof *made->scratch);
    arrays->entries = dorm__region_take_zero(kept, num_entries, 2 * sizeof *arrays->entries);
  }
  if (made->counts_groups_once) {
    size_t num_entries = dataset->groups->start[dataset->num_docs];
    size_t count = num_entries + max_docs;
    arrays->group_numbers = dorm__region_take(kept, num_entries, sizeof *arrays->group_numbers);
    made->groups.keys = dorm__region_take(memory, count, sizeof *made->groups.keys);
    made->groups.sorted = dorm__region_take(memory, count, sizeof *made->groups.sorted);
    made->groups.order = dorm__region_take(memory, count, sizeof *made->groups.order);
    made->groups.sort = dorm__sort_scratch_in(memory, count);
  }
  return !memory->is_short && !kept->is_short;
}

static dorm_status check_tables(dorm_context *context, const char *text, const filling *from, size_t q,
                                const dorm__target_query *query)
{
  const double *labels = from->dataset->labels + from->dataset->query_start[q];
  double largest = 0;
  bool is_finite = true;
  for (size_t j = 0; j < query->num_docs; j++) {
    largest = fmax(largest, labels[j]);
    is_finite = is_finite && isfinite(query->a[j]) && isfinite(query->b[j]);
  }
  return is_finite ? DORM_OK
                   : dorm__fail(context, DORM_BAD_DATA, "query '%.80s': label %g is too large for %s",
                                dorm_dataset_query_id(from->dataset, q), largest, text);
}

dorm_status dorm__measure_queries_fill(dorm_context *context, const char *text, const dorm__measure_tables *kind,
                                       const dorm__conventions *rules, const dorm_dataset *dataset,
                                       dorm__measure_arrays *arrays, dorm__target_query *queries)
{
  filling from = {.kind = kind,
                  .rules = rules,
                  .counts_groups_once = rules->repeats_are_irrelevant || kind->is_of_groups,
                  .dataset = dataset,
                  .arrays = arrays};
  if (dataset->doc_weights && (!kind->weighs || from.counts_groups_once))
    return dorm__fail(
        context, DORM_BAD_USAGE,
        "%s has weights of documents, but %s has no gain of a document that they could multiply, as ndcg, "
        "dcg, mwta, eru, p and wta have",
        dataset->name, text);
  dorm_status status = alloc(&from) ? DORM_OK : dorm__out_of_memory(context, "a lambda-function");
  for (size_t q = 0; status == DORM_OK && q < dataset->num_queries; q++) {
    size_t num_docs = dataset->query_start[q + 1] - dataset->query_start[q];
    double *a = arrays->tables + 2 * dataset->query_start[q];
    dorm__target_query *query = &queries[q];
    *query = (dorm__target_query){.num_docs = num_docs, .a = a, .b = a + num_docs};
    if (!num_docs)
      continue;
    fill_query(&from, q, a, a + num_docs, query);
    status = check_tables(context, text, &from, q, query);
    if (kind->form != DORM__TARGET_PRODUCT && kind->form != DORM__TARGET_SUBTOPICS)
      query->a = NULL;
    query->unit = dorm__target_unit(query, kind->form, from.labels);
  }
  dorm__region_clear(&from.memory);
  return status;
}
