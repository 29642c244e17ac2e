/*
 * measures.c: what a ranking is worth, computed from the ranking itself and
 * sharing no code with the losses. Documents are ranked by score, ties by
 * document order. Positions p count from 0, r is the label of the document
 * there, k the truncation (0: all), "relevant" means r >= threshold:
 *
 *   dcg   sum over p < k of gain(r) / discount(p)      (Jarvelin and Kekalainen 2002)
 *   ndcg  dcg / dcg of the labels sorted downwards
 *   map   mean over the relevant documents of (relevant up to p) / (p + 1)
 *   mrr   1 / (p + 1) of the first relevant document
 *   wta   1 when the first document has the largest label of the query
 *   p     relevant documents in the first k, divided by k (also when l < k)
 *
 * An empty query is one whose value nothing can change for want of a relevant
 * document: no gain (dcg, ndcg), no label >= threshold, or all labels 0 (wta).
 */
#include "losses/losses.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRUNCATION, GAIN, DISCOUNT, THRESHOLD, EMPTY, NUM_CONVENTIONS };

static const dorm_loss_parameter all_rows[NUM_CONVENTIONS] = {
    [TRUNCATION] = {"truncation", "0", NULL, 0, 1e9, 1, "positions that count; 0: all"},
    [GAIN] = {"gain", "exp2", "exp2, linear", 0, 0, 0, "gain of label r: 2^r - 1, or r"},
    [DISCOUNT] = {"discount", "log2", "log2, letor", 0, 0, 0,
                  "position p from 0 is divided by log2(p+2), or as LETOR does by 1, 1, log2(3), log2(4), ..."},
    [THRESHOLD] = {"threshold", "1", NULL, 0, 1e300, 0, "smallest label of a relevant document"},
    [EMPTY] = {"empty", "0", "0, 1, skip", 0, 0, 0, "what a query without a relevant document counts"},
};

typedef enum empty_rule { EMPTY_IS_0, EMPTY_IS_1, EMPTY_IS_SKIPPED } empty_rule;

typedef struct measure_kind measure_kind;

struct dorm__measure {
  const measure_kind *kind;
  size_t truncation; /* 0: all */
  bool linear_gain;
  bool letor_discount;
  double threshold;
  empty_rule empty;
  char *text;
};

/* labels[num_docs] from the top of the ranking; `ideal` the same sorted
 * downwards. Sets *is_empty where there is nothing to find. */
typedef double (*query_value)(const dorm__measure *measure, size_t num_docs, const double *labels, const double *ideal,
                              bool *is_empty);

struct measure_kind {
  const char *name;
  unsigned conventions; /* bits of the rows that it has */
  const char *truncation;
  query_value value;
};

/* ---- The measures --------------------------------------------------------- */

static size_t depth(const dorm__measure *measure, size_t num_docs)
{
  return measure->truncation && measure->truncation < num_docs ? measure->truncation : num_docs;
}

static double dcg(const dorm__measure *measure, size_t num_docs, const double *labels)
{
  double sum = 0;
  size_t last = depth(measure, num_docs);
  for (size_t p = 0; p < last; p++) {
    double gain = measure->linear_gain ? labels[p] : exp2(labels[p]) - 1;
    double position = (double)p;
    double discount = measure->letor_discount ? fmax(1, log2(position + 1)) : log2(position + 2);
    sum += gain / discount;
  }
  return sum;
}

static double dcg_value(const dorm__measure *measure, size_t num_docs, const double *labels, const double *ideal,
                        bool *is_empty)
{
  *is_empty = ideal[0] <= 0;
  return dcg(measure, num_docs, labels);
}

static double ndcg_value(const dorm__measure *measure, size_t num_docs, const double *labels, const double *ideal,
                         bool *is_empty)
{
  double best = dcg(measure, num_docs, ideal);
  *is_empty = best <= 0;
  return best > 0 ? dcg(measure, num_docs, labels) / best : 0;
}

static double map_value(const dorm__measure *measure, size_t num_docs, const double *labels, const double *ideal,
                        bool *is_empty)
{
  size_t num_relevant = 0;
  double sum = 0;
  *is_empty = ideal[0] < measure->threshold;
  for (size_t p = 0; p < num_docs; p++)
    if (labels[p] >= measure->threshold)
      sum += (double)++num_relevant / (double)(p + 1);
  return num_relevant ? sum / (double)num_relevant : 0;
}

static double mrr_value(const dorm__measure *measure, size_t num_docs, const double *labels, const double *ideal,
                        bool *is_empty)
{
  *is_empty = ideal[0] < measure->threshold;
  size_t last = depth(measure, num_docs);
  for (size_t p = 0; p < last; p++)
    if (labels[p] >= measure->threshold)
      return 1 / (double)(p + 1);
  return 0;
}

static double wta_value(const dorm__measure *measure, size_t num_docs, const double *labels, const double *ideal,
                        bool *is_empty)
{
  (void)measure;
  (void)num_docs;
  *is_empty = ideal[0] <= 0;
  return labels[0] == ideal[0] ? 1 : 0;
}

static double precision_value(const dorm__measure *measure, size_t num_docs, const double *labels, const double *ideal,
                              bool *is_empty)
{
  size_t last = depth(measure, num_docs);
  size_t num_relevant = 0;
  *is_empty = ideal[0] < measure->threshold;
  for (size_t p = 0; p < last; p++)
    num_relevant += labels[p] >= measure->threshold;
  return (double)num_relevant / (double)(measure->truncation ? measure->truncation : num_docs);
}

#define BIT(row) (1u << (row))

static const measure_kind kinds[] = {
    {"ndcg", BIT(TRUNCATION) | BIT(GAIN) | BIT(DISCOUNT) | BIT(EMPTY), "0", ndcg_value},
    {"dcg", BIT(TRUNCATION) | BIT(GAIN) | BIT(DISCOUNT) | BIT(EMPTY), "0", dcg_value},
    {"map", BIT(THRESHOLD) | BIT(EMPTY), NULL, map_value},
    {"mrr", BIT(TRUNCATION) | BIT(THRESHOLD) | BIT(EMPTY), "0", mrr_value},
    {"wta", BIT(EMPTY), NULL, wta_value},
    {"p", BIT(TRUNCATION) | BIT(THRESHOLD) | BIT(EMPTY), "10", precision_value},
};

enum { NUM_KINDS = sizeof kinds / sizeof *kinds };

/* ---- Opening --------------------------------------------------------------- */

static const measure_kind *find_kind(dorm_context *context, const char *name)
{
  const char *names[NUM_KINDS];
  for (size_t i = 0; i < NUM_KINDS; i++) {
    names[i] = kinds[i].name;
    if (strcmp(names[i], name) == 0)
      return &kinds[i];
  }
  const char *nearest = dorm__nearest_word(name, names, NUM_KINDS);
  dorm__fail(context, DORM_BAD_USAGE, "unknown measure '%s'%s%s%s", name, nearest ? "; did you mean '" : "",
             nearest ? nearest : "", nearest ? "'?" : "");
  return NULL;
}

/* The rows that the kind has, in order; returns how many. */
static size_t rows_of(const measure_kind *kind, dorm_loss_parameter *rows)
{
  size_t count = 0;
  for (size_t i = 0; i < NUM_CONVENTIONS; i++)
    if (kind->conventions & BIT(i)) {
      rows[count] = all_rows[i];
      if (i == TRUNCATION)
        rows[count].default_text = kind->truncation;
      count++;
    }
  return count;
}

/* "ndcg@10:gain=exp2,..."; the truncation is the first row where there is one. */
static char *measure_text(const measure_kind *kind, size_t num_rows, const dorm_loss_parameter *rows,
                          const dorm_loss_value *values)
{
  if (!(kind->conventions & BIT(TRUNCATION)))
    return dorm__spec_text(kind->name, num_rows, rows, values);
  char name[64];
  if (values[0].number > 0)
    snprintf(name, sizeof name, "%s@%.0f", kind->name, values[0].number);
  else
    snprintf(name, sizeof name, "%s", kind->name);
  return dorm__spec_text(name, num_rows - 1, rows + 1, values + 1);
}

static void take_conventions(dorm__measure *measure, size_t num_rows, const dorm_loss_parameter *rows,
                             const dorm_loss_value *values)
{
  measure->threshold = 1;
  for (size_t i = 0; i < num_rows; i++) {
    const char *word = values[i].text;
    if (strcmp(rows[i].name, "truncation") == 0)
      measure->truncation = (size_t)values[i].number;
    else if (strcmp(rows[i].name, "gain") == 0)
      measure->linear_gain = strcmp(word, "linear") == 0;
    else if (strcmp(rows[i].name, "discount") == 0)
      measure->letor_discount = strcmp(word, "letor") == 0;
    else if (strcmp(rows[i].name, "threshold") == 0)
      measure->threshold = values[i].number;
    else if (strcmp(rows[i].name, "empty") == 0)
      measure->empty = strcmp(word, "skip") == 0 ? EMPTY_IS_SKIPPED : strcmp(word, "1") == 0 ? EMPTY_IS_1 : EMPTY_IS_0;
  }
}

dorm_status dorm__measure_open(dorm_context *context, const char *spec, dorm__measure **measure)
{
  dorm__spec given = {0};
  dorm_loss_parameter rows[NUM_CONVENTIONS];
  dorm_loss_value values[NUM_CONVENTIONS];
  dorm__measure *made = NULL;
  *measure = NULL;
  dorm_status status = dorm__spec_parse(context, "measure", spec, &given);
  if (status != DORM_OK)
    return status;
  const measure_kind *kind = find_kind(context, given.name);
  if (!kind) {
    status = DORM_BAD_USAGE;
    goto done;
  }
  size_t num_rows = rows_of(kind, rows);
  status = dorm__spec_values(context, "measure", &given, num_rows, rows, values);
  if (status != DORM_OK)
    goto done;
  made = dorm__alloc_zero(1, sizeof *made);
  if (made) {
    made->kind = kind;
    made->text = measure_text(kind, num_rows, rows, values);
    take_conventions(made, num_rows, rows, values);
  }
  if (!made || !made->text) {
    status = dorm__out_of_memory(context, "a measure");
    goto done;
  }
  *measure = made;
  made = NULL;
done:
  dorm__measure_close(made);
  dorm__spec_free(&given);
  return status;
}

void dorm__measure_close(dorm__measure *measure)
{
  if (!measure)
    return;
  dorm__free(measure->text);
  dorm__free(measure);
}

const char *dorm__measure_spec(const dorm__measure *measure)
{
  return measure->text;
}

dorm_status dorm__measure_spec_for(dorm_context *context, const char *name, size_t num_rows,
                                   const dorm_loss_parameter *rows, const dorm_loss_value *values, char **spec)
{
  dorm_loss_parameter own_rows[NUM_CONVENTIONS];
  dorm_loss_value own_values[NUM_CONVENTIONS];
  *spec = NULL;
  const measure_kind *kind = find_kind(context, name);
  if (!kind)
    return DORM_BAD_USAGE;
  size_t num_own = rows_of(kind, own_rows);
  for (size_t i = 0; i < num_own; i++) {
    size_t row = dorm__spec_row(num_rows, rows, own_rows[i].name);
    own_values[i] = (dorm_loss_value){.text = own_rows[i].default_text};
    if (row < num_rows)
      own_values[i] = values[row];
  }
  *spec = measure_text(kind, num_own, own_rows, own_values);
  return *spec ? DORM_OK : dorm__out_of_memory(context, "a measure");
}

/* ---- A data set ------------------------------------------------------------- */

typedef struct scored_doc {
  double score;
  size_t doc;
} scored_doc;

static int compare_scored(const void *x, const void *y)
{
  const scored_doc *left = x;
  const scored_doc *right = y;
  if (left->score != right->score)
    return left->score < right->score ? 1 : -1;
  return (left->doc > right->doc) - (left->doc < right->doc);
}

static int descending(const void *x, const void *y)
{
  double left = *(const double *)x;
  double right = *(const double *)y;
  return (left < right) - (left > right);
}

/* Scratch space for one query. */
typedef struct ranked_query {
  scored_doc *docs; /* [max_docs] */
  double *labels;   /* from the top of the ranking */
  double *ideal;    /* sorted downwards */
} ranked_query;

static void rank_query(ranked_query *ranked, size_t num_docs, const double *labels, const double *scores)
{
  for (size_t i = 0; i < num_docs; i++)
    ranked->docs[i] = (scored_doc){scores[i], i};
  qsort(ranked->docs, num_docs, sizeof *ranked->docs, compare_scored);
  for (size_t p = 0; p < num_docs; p++)
    ranked->labels[p] = labels[ranked->docs[p].doc];
  memcpy(ranked->ideal, labels, num_docs * sizeof *labels);
  qsort(ranked->ideal, num_docs, sizeof *ranked->ideal, descending);
}

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
                                  size_t query, const double *scores, ranked_query *ranked, double *value,
                                  size_t *num_empty)
{
  size_t start = dataset->query_start[query];
  size_t num_docs = dataset->query_start[query + 1] - start;
  bool is_empty = true;
  *value = 0;
  for (size_t i = 0; i < num_docs; i++)
    if (isnan(scores[start + i]))
      return dorm__fail(context, DORM_BAD_DATA, "query '%s': the score of document %zu is not a number",
                        dorm_dataset_query_id(dataset, query), i + 1);
  if (num_docs) {
    rank_query(ranked, num_docs, dataset->labels + start, scores + start);
    *value = measure->kind->value(measure, num_docs, ranked->labels, ranked->ideal, &is_empty);
  }
  if (!isfinite(*value))
    return dorm__fail(context, DORM_BAD_DATA, "query '%s': label %g is too large for %s",
                      dorm_dataset_query_id(dataset, query), ranked->ideal[0], measure->text);
  if (is_empty) {
    ++*num_empty;
    *value = measure->empty == EMPTY_IS_SKIPPED ? NAN : measure->empty == EMPTY_IS_1 ? 1 : 0;
  }
  return DORM_OK;
}

dorm_status dorm__measure_dataset(dorm_context *context, const dorm__measure *measure, const dorm_dataset *dataset,
                                  const double *scores, double *per_query, dorm_evaluation *evaluation)
{
  dorm_status status = DORM_OK;
  size_t max_docs = dorm__dataset_max_docs(dataset);
  dorm_evaluation made = {0};
  ranked_query ranked = {
      .docs = dorm__alloc(max_docs, sizeof *ranked.docs),
      .labels = dorm__alloc(max_docs, sizeof *ranked.labels),
      .ideal = dorm__alloc(max_docs, sizeof *ranked.ideal),
  };
  double *values = dorm__alloc(dataset->num_queries, sizeof *values);
  if (!ranked.docs || !ranked.labels || !ranked.ideal || !values) {
    status = dorm__out_of_memory(context, "an evaluation");
    goto done;
  }
  for (size_t q = 0; status == DORM_OK && q < dataset->num_queries; q++)
    status = evaluate_query(context, measure, dataset, q, scores, &ranked, &values[q], &made.num_empty);
  if (status != DORM_OK)
    goto done;
  summarise(dataset->num_queries, values, &made);
  snprintf(made.conventions, sizeof made.conventions, "%s", measure->text);
  if (per_query)
    memcpy(per_query, values, dataset->num_queries * sizeof *values);
  *evaluation = made;
done:
  dorm__free(ranked.docs);
  dorm__free(ranked.labels);
  dorm__free(ranked.ideal);
  dorm__free(values);
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
