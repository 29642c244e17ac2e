/*
 * interactions.c: rankings that keep similar documents apart near the top (the paper, equation 29), each with a bound.
 * Positions count from 0, and a[p] = 1 / log2(p + 2).
 *
 *   value = sum_p a[p] g[p] - strength sum_{p < q} similarity a[q] / (q - p)
 *
 * Scores g are scaled to [0, 1] in each query. The search uses the documents with the largest scores, as many as its
 * memory allows. The bound holds for all documents.
 */
#include "base/sort.h"
#include "base/status.h"
#include "base/team.h"
#include "jobs/trainer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LEADERS = 1500, MOST_TOP = 50 };

/* A line of a file: two ids in order, and their similarity. */
typedef struct similar_pair {
  const char *one, *two;
  double similarity;
  char *text; /* of both ids, owned */
} similar_pair;

typedef struct interacting_call {
  const dorm_dataset *dataset;
  size_t kind; /* the row of `forms` */
  double strength, gap, seconds;
  size_t top, num_pairs, pairs_capacity;
  similar_pair *pairs; /* sorted */
} interacting_call;

static const dorm_loss_parameter rows[] = {
    {"path", "", "", 0, 0, 0, "the file of similarities"},
    {"strength", "0.3", NULL, 0, 1e6, 0, "what similar documents at the first two positions cost"},
    {"top", "10", NULL, 1, MOST_TOP, 1, "first positions in which documents interact"},
    {"gap", "0.01", NULL, 0, 1, 0, "at which a query ends"},
    {"seconds", "1", NULL, 0, 1e9, 0, "after which a query ends, 0: never"},
};
enum { NUM_ROWS = sizeof rows / sizeof *rows };
static const char *const forms[] = {"groups", "features", "file"};
enum { BY_GROUPS, BY_FEATURES, BY_FILE, NUM_FORMS };

/* ---- Similarities ------------------------------------------------------------------------- */

static int compare_pairs(const void *x, const void *y)
{
  const similar_pair *a = x, *b = y;
  int order = strcmp(a->one, b->one);
  return order ? order : strcmp(a->two, b->two);
}

/* Takes `document document similarity`. */
static dorm_status take_line(dorm_context *context, const dorm__line_reader *lines, const char *line, const char *end,
                             interacting_call *call)
{
  size_t size = (size_t)(end - line);
  double similarity;
  char *rest = NULL;
  DORM__FREED char *text = dorm__alloc(size + 1, 1);
  if (!text || !DORM__GROW(call->pairs, call->pairs_capacity, call->num_pairs + 1))
    return dorm__out_of_memory(context, "similarities");
  memcpy(text, line, size);
  text[size] = '\0';
  char *one = strtok_r(text, " \t\r", &rest), *two = strtok_r(NULL, " \t\r", &rest);
  char *number = strtok_r(NULL, " \t\r", &rest);
  if (!one)
    return DORM_OK;
  if (!number || strtok_r(NULL, " \t\r", &rest) || !dorm__text_to_double(number, &similarity) ||
      !(similarity >= 0 && similarity <= 1))
    return dorm__line_reader_fail(context, lines, "not of the form: document document similarity, from 0 to 1");
  bool is_ordered = strcmp(one, two) <= 0;
  size_t first = strlen(is_ordered ? one : two) + 1, second = strlen(is_ordered ? two : one) + 1;
  similar_pair *pair = &call->pairs[call->num_pairs];
  char *both = dorm__alloc(first + second, 1);
  if (!both)
    return dorm__out_of_memory(context, "similarities");
  memcpy(both, is_ordered ? one : two, first);
  memcpy(both + first, is_ordered ? two : one, second);
  *pair = (similar_pair){both, both + first, similarity, both};
  call->num_pairs++;
  return DORM_OK;
}

static dorm_status read_pairs(dorm_context *context, const char *path, interacting_call *call)
{
  DORM__OWNED(dorm__line_reader) *lines = NULL;
  const char *line = NULL, *end = NULL;
  dorm_status status = dorm__line_reader_open(context, path, &lines);
  while (status == DORM_OK && (status = dorm__line_reader_next(context, lines, &line, &end)) == DORM_OK && line)
    status = take_line(context, lines, line, end, call);
  if (call->num_pairs)
    qsort(call->pairs, call->num_pairs, sizeof *call->pairs, compare_pairs);
  return status;
}

static bool share_group(const dorm__doc_lists *groups, size_t one, size_t two)
{
  for (size_t i = groups->start[one]; i < groups->start[one + 1]; i++)
    for (size_t k = groups->start[two]; k < groups->start[two + 1]; k++)
      if (groups->numbers[i] == groups->numbers[k])
        return true;
  return false;
}

static double similarity_in_file(const interacting_call *call, size_t one, size_t two)
{
  const char *a = dorm_dataset_doc_id(call->dataset, one), *b = dorm_dataset_doc_id(call->dataset, two);
  bool is_ordered = strcmp(a, b) <= 0;
  const similar_pair key = {.one = is_ordered ? a : b, .two = is_ordered ? b : a};
  const similar_pair *found =
      call->num_pairs ? bsearch(&key, call->pairs, call->num_pairs, sizeof key, compare_pairs) : NULL;
  return found ? found->similarity : 0;
}

/* Fills rows [count][num_features] with the features of documents, standardised over them, each row of length 1. */
static void fill_rows(const dorm_dataset *dataset, size_t count, const size_t *docs, double *filled)
{
  size_t num_features = dataset->num_features;
  for (size_t f = 0; f < num_features; f++) {
    double sum = 0, squares = 0, known = 0;
    for (size_t i = 0; i < count; i++) {
      double value = dorm_dataset_value(dataset, docs[i], f);
      filled[i * num_features + f] = value;
      sum += isnan(value) ? 0 : value;
      known += !isnan(value);
    }
    double mean = known > 0 ? sum / known : 0;
    for (size_t i = 0; i < count; i++) {
      double *value = &filled[i * num_features + f];
      *value = isnan(*value) ? 0 : *value - mean;
      squares += *value * *value;
    }
    for (size_t i = 0; i < count && squares > 0; i++)
      filled[i * num_features + f] /= sqrt(squares);
  }
  for (size_t i = 0; i < count; i++) {
    double squares = 0;
    for (size_t f = 0; f < num_features; f++)
      squares += filled[i * num_features + f] * filled[i * num_features + f];
    for (size_t f = 0; f < num_features && squares > 0; f++)
      filled[i * num_features + f] /= sqrt(squares);
  }
}

/* similarity [count][count] of these documents of the data set. */
static dorm_status fill_similarity(dorm_context *context, const interacting_call *call, size_t count,
                                   const size_t *docs, double *similarity)
{
  const dorm_dataset *dataset = call->dataset;
  size_t num_features = call->kind == BY_FEATURES ? dataset->num_features : 0;
  DORM__FREED double *filled = dorm__alloc(count, num_features * sizeof *filled);
  if (!filled)
    return dorm__out_of_memory(context, "similarities");
  if (num_features)
    fill_rows(dataset, count, docs, filled);
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < count; k++) {
      double cosine = 0;
      for (size_t f = 0; f < num_features; f++)
        cosine += filled[i * num_features + f] * filled[k * num_features + f];
      similarity[i * count + k] = call->kind == BY_GROUPS     ? share_group(dataset->groups, docs[i], docs[k])
                                  : call->kind == BY_FEATURES ? fmax(cosine, 0)
                                                              : similarity_in_file(call, docs[i], docs[k]);
    }
  return DORM_OK;
}

/* ---- A query -------------------------------------------------------------------------------- */

/* Makes scores fall along the ranking: a document that was moved back gets one just below the document before it. */
static void lower_scores(size_t count, const uint32_t *order, double step, double *scores)
{
  for (size_t p = 1; p < count; p++)
    if (!(scores[order[p]] < scores[order[p - 1]]))
      scores[order[p]] = scores[order[p - 1]] - step;
}

static void fill_closeness(const interacting_call *call, size_t m, double *weights, double *closeness)
{
  for (size_t p = 0; p < m; p++)
    weights[p] = 1 / log2((double)p + 2);
  for (size_t p = 0; p < m; p++)
    for (size_t q = 0; q < m; q++)
      closeness[p * m + q] = p == q  ? 0
                             : p < q ? call->strength * weights[q] / (double)(q - p)
                                     : call->strength * weights[p] / (double)(p - q);
}

/* Ranks the documents of a query. apart [count] holds their scores at first. */
static dorm_status rank_query(dorm_context *context, const interacting_call *call, size_t query, double *apart,
                              dorm__interacting_value *found)
{
  size_t begin = call->dataset->query_start[query], count = call->dataset->query_start[query + 1] - begin;
  size_t m = call->top < count ? call->top : count, most = MOST_LEADERS / m > m ? MOST_LEADERS / m : m;
  size_t kept = count < most ? count : most;
  dorm__sort_scratch sort;
  bool has_sort = dorm__sort_scratch_alloc(count, &sort);
  DORM__FREED uint32_t *order = dorm__alloc(2 * count, sizeof *order);
  DORM__FREED size_t *docs = dorm__alloc(kept, sizeof *docs);
  DORM__FREED double *numbers = dorm__alloc(count + kept + m + m * m + kept * kept, sizeof *numbers);
  dorm_status status = has_sort && order && docs && numbers ? DORM_OK : dorm__out_of_memory(context, "a ranking");
  if (status == DORM_OK) {
    double *sorted = numbers, *gains = sorted + count, *weights = gains + kept, *closeness = weights + m;
    double *similarity = closeness + m * m;
    uint32_t *chosen = order + count;
    dorm__sort_descending(count, apart, order, sorted, &sort);
    double range = sorted[0] - sorted[count - 1], unit = range > 0 ? range : 1;
    for (size_t i = 0; i < kept; i++) {
      docs[i] = begin + order[i];
      gains[i] = (sorted[i] - sorted[count - 1]) / unit;
    }
    fill_closeness(call, m, weights, closeness);
    const dorm__interactions problem = {.num_docs = kept,
                                        .num_positions = m,
                                        .gains = gains,
                                        .outside = kept < count ? (sorted[kept] - sorted[count - 1]) / unit : -INFINITY,
                                        .weights = weights,
                                        .similarity = similarity,
                                        .closeness = closeness};
    status = DORM__ALL(fill_similarity(context, call, kept, docs, similarity),
                       dorm__rank_interacting(context, &problem, call->gap, call->seconds, chosen, found));
    for (size_t p = 0; status == DORM_OK && p < m; p++) { /* the others stay in the order of their scores */
      uint32_t doc = (uint32_t)(docs[chosen[p]] - begin);
      size_t at = p;
      while (order[at] != doc)
        at++;
      memmove(order + p + 1, order + p, (at - p) * sizeof *order);
      order[p] = doc;
    }
    if (status == DORM_OK)
      lower_scores(count, order, 1e-6 * unit, apart);
  }
  dorm__sort_scratch_free(&sort);
  return status;
}

/* ---- The call --------------------------------------------------------------------------------- */

static dorm_status take_spec(dorm_context *context, const char *text, interacting_call *call)
{
  dorm__spec given = {0};
  dorm_loss_value values[NUM_ROWS];
  dorm_status status = DORM__ALL(dorm__spec_parse(context, "interaction", text, &given),
                                 dorm__spec_values(context, "interaction", &given, NUM_ROWS, rows, values));
  if (status == DORM_OK) {
    while (call->kind < NUM_FORMS && strcmp(given.name, forms[call->kind]) != 0)
      call->kind++;
    call->strength = values[1].number;
    call->top = (size_t)values[2].number;
    call->gap = values[3].number;
    call->seconds = values[4].number;
    if (call->kind == NUM_FORMS)
      status = dorm__fail_unknown(context, "interaction", given.name, forms, NUM_FORMS);
    else if ((call->kind == BY_FILE) != (*values[0].text != '\0'))
      status = dorm__fail(context, DORM_BAD_USAGE, "interaction '%s': file, and no other, needs path=FILE", text);
    else if (call->kind == BY_GROUPS && !call->dataset->groups)
      status = dorm__fail(context, DORM_BAD_USAGE, "interaction '%s' needs the groups of the documents of %s", text,
                          call->dataset->name);
    else if (call->kind == BY_FILE)
      status = read_pairs(context, values[0].text, call);
  }
  dorm__spec_free(&given);
  return status;
}

static dorm_status rank_all(dorm_context *context, const interacting_call *call, size_t num_threads, double *apart,
                            dorm__interacting_value *values)
{
  dorm__team *team = NULL;
  size_t num_queries = call->dataset->num_queries;
  dorm_status status = dorm__team_new(context, num_threads, "rankings with interactions", &team);
  if (status != DORM_OK)
    return status;
#pragma omp parallel for schedule(dynamic) num_threads((int)num_threads)
  for (size_t q = 0; q < num_queries; q++)
    if (!dorm__team_skips(team, q))
      dorm__team_note(team, q,
                      rank_query(dorm__team_context(team), call, q, apart + call->dataset->query_start[q], &values[q]));
  return dorm__team_end(context, team);
}

static void summarise(const interacting_call *call, const dorm__interacting_value *values, dorm_interacting *found)
{
  double num_queries = (double)call->dataset->num_queries;
  for (size_t q = 0; q < call->dataset->num_queries; q++) {
    double missing = values[q].bound - values[q].value, size = fabs(values[q].value);
    double gap = missing > 0 ? missing / (size > 0 ? size : 1) : 0;
    found->value += values[q].value / num_queries;
    found->bound += values[q].bound / num_queries;
    found->largest_gap = fmax(found->largest_gap, gap);
    found->num_proved += gap <= call->gap + 1e-12;
  }
}

dorm_status dorm_rank_interacting(dorm_context *context, const char *spec, const dorm_dataset *dataset,
                                  const double *scores, size_t num_threads, double *apart, dorm_interacting *found)
{
  if (DORM__LACKS(context, DORM__GIVEN(spec), DORM__GIVEN(dataset), DORM__GIVEN(scores), DORM__GIVEN(apart),
                  DORM__GIVEN(found)))
    return DORM_BAD_USAGE;
  interacting_call call = {.dataset = dataset};
  dorm_interacting made = {.struct_size = sizeof made};
  DORM__FREED dorm__interacting_value *values = dorm__alloc_zero(dataset->num_queries, sizeof *values);
  dorm_status status =
      DORM__ALL(dorm__struct_check(context, "found", DORM__STRUCT(dorm_interacting), found),
                values ? DORM_OK : dorm__out_of_memory(context, "rankings"), take_spec(context, spec, &call));
  for (size_t j = 0; status == DORM_OK && j < dataset->num_docs; j++)
    if (!isfinite(scores[j]))
      status = dorm__fail(context, DORM_BAD_DATA, "score %zu is %g, which is not a finite number", j, scores[j]);
  if (status == DORM_OK) {
    memmove(apart, scores, dataset->num_docs * sizeof *apart);
    status = rank_all(context, &call, dorm__threads_for(num_threads), apart, values);
  }
  if (status == DORM_OK) {
    summarise(&call, values, &made);
    dorm__struct_give(&made, found);
  }
  for (size_t i = 0; i < call.num_pairs; i++)
    dorm__free(call.pairs[i].text);
  dorm__free(call.pairs);
  return status;
}
