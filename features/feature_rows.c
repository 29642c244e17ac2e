/* feature_rows.c: computations with rows of features, which are scores <w, x> of documents and sums of rows. All
 * numbers are added in double precision, in an order that does not depend on the machine. */
#include "base/linalg.h"
#include "features/features.h"
#include "features/features_dense.h"
#include <stdlib.h>

void dorm__features_free(dorm__features *features)
{
  dorm__values_free(features->file, features->values);
  dorm__free(features->exact);
  dorm__free(features->row_start);
  dorm__free(features->indices);
  *features = (dorm__features){0};
}

/* Announces to the file of the values, if there is one, that rows first .. first + count - 1 are about to be read. */
static void use_rows(const dorm__features *features, size_t first, size_t count)
{
  size_t width = features->num_features;
  dorm__file_memory_use(features->file, features->values + first * width, count * width * sizeof *features->values);
}

dorm__row dorm__features_row(const dorm__features *features, size_t doc)
{
  size_t width = features->num_features;
  if (features->exact)
    return (dorm__row){.exact = features->exact + doc * width, .count = width};
  if (features->file)
    use_rows(features, doc, 1);
  if (!features->row_start)
    return (dorm__row){.values = features->values + doc * width, .count = width};
  size_t first = features->row_start[doc];
  return (dorm__row){.indices = features->indices + first,
                     .values = features->values + first,
                     .count = features->row_start[doc + 1] - first};
}

/* Prefetches row `row` + `count` of `rows`, where `count` is the number of rows to be scored. num_ahead is the number
 * of rows that exist after these. Nothing is prefetched beyond them. */
static inline void fetch_ahead(size_t row, size_t count, size_t size, const float *rows, size_t num_ahead)
{
  if (row < num_ahead)
    dorm__fetch(rows + (row + count) * size, size * sizeof *rows);
}

/* Computes scores[row] for row < count, and executes `fetch` before each row. Eight partial sums let the compiler use
 * vector registers without changing the order of the additions, so the result does not depend on the machine. */
#define SCORE_ROWS(count, size, rows, weights, scores, fetch)                                                          \
  for (size_t row = 0; row < count; row++) {                                                                           \
    fetch;                                                                                                             \
    double sums[8] = {0};                                                                                              \
    size_t f = 0;                                                                                                      \
    for (; f + 8 <= size; f += 8)                                                                                      \
      for (size_t i = 0; i < 8; i++)                                                                                   \
        sums[i] += (double)rows[row * size + f + i] * weights[f + i];                                                  \
    double sum = ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));            \
    for (; f < size; f++)                                                                                              \
      sum += (double)rows[row * size + f] * weights[f];                                                                \
    scores[row] = sum;                                                                                                 \
  }

DORM__WIDE_VECTORS
static void score_dense(size_t count, size_t size, const float *rows, const double *weights, double *scores,
                        size_t num_ahead){
    SCORE_ROWS(count, size, rows, weights, scores, fetch_ahead(row, count, size, rows, num_ahead))}

DORM__WIDE_VECTORS
    static void score_exact(size_t count, size_t size, const double *rows, const double *weights, double *scores)
{
  SCORE_ROWS(count, size, rows, weights, scores, (void)0)
}

static double dot_sparse(dorm__row row, const double *weights)
{
  double sum = 0;
  for (size_t i = 0; i < row.count; i++)
    sum += (double)row.values[i] * weights[row.indices[i]];
  return sum;
}

/* Scores documents first .. first + count - 1. Dense rows in memory are prefetched for the next num_ahead documents. */
static void score(const dorm__features *features, size_t first, size_t count, const double *weights, size_t num_ahead,
                  double *scores)
{
  size_t width = features->num_features;
  if (features->file)
    use_rows(features, first, count);
  if (features->exact)
    score_exact(count, width, features->exact + first * width, weights, scores);
  else if (!features->row_start)
    score_dense(count, width, features->values + first * width, weights, scores, num_ahead);
  else
    for (size_t i = 0; i < count; i++)
      scores[i] = dot_sparse(dorm__features_row(features, first + i), weights);
}

void dorm__features_score(const dorm__features *features, size_t first, size_t count, const double *weights,
                          double *scores)
{
  score(features, first, count, weights, 0, scores);
}

void dorm__features_score_in_turn(const dorm__features *features, size_t first, size_t count, const double *weights,
                                  double *scores)
{
  bool is_small = !features->file && count * features->num_features * sizeof *features->values <= DORM__MOST_FETCHED;
  score(features, first, count, weights, is_small ? features->num_docs - first - count : 0, scores);
}

void dorm__features_score_queries(const dorm__features *features, size_t num_queries, const size_t *query_start,
                                  const double *weights, size_t num_threads, double *scores)
{
#pragma omp parallel for schedule(static) num_threads((int)num_threads) if (num_threads > 1)
  for (size_t q = 0; q < num_queries; q++)
    dorm__features_score(features, query_start[q], query_start[q + 1] - query_start[q], weights,
                         scores + query_start[q]);
}

void dorm__features_fetch(const dorm__features *features, size_t doc)
{
  enum { LINE = 64, MOST_LINES = 16 }; /* the hardware itself prefetches the rest of a longer row */
  if (features->exact || features->row_start || features->file)
    return;
  size_t size = features->num_features * sizeof *features->values;
  const char *row = (const char *)features->values + doc * size;
  for (size_t i = 0; i < MOST_LINES && i * LINE < size; i++)
    __builtin_prefetch(row + i * LINE);
}

DORM__WIDE_VECTORS
static void add_dense(size_t size, double factor, const float *row, double *result)
{
  for (size_t f = 0; f < size; f++)
    result[f] += factor * (double)row[f];
}

void dorm__features_add(const dorm__features *features, size_t doc, double factor, double *result)
{
  dorm__row row = dorm__features_row(features, doc);
  if (row.indices)
    for (size_t i = 0; i < row.count; i++)
      result[row.indices[i]] += factor * (double)row.values[i];
  else if (row.exact)
    dorm__add_scaled(row.count, factor, row.exact, result);
  else
    add_dense(row.count, factor, row.values, result);
}

/* ---- Valued docs ------------------------------------------------------------------------------- */

/* The documents of a query, sorted by one feature, from which ranks within the query are computed. The order of
 * documents of equal value is arbitrary, because they share a rank. */

static int compare_descending(const void *x, const void *y)
{
  const dorm__valued_doc *a = x;
  const dorm__valued_doc *b = y;
  return (a->value < b->value) - (a->value > b->value);
}

/* Sorts short lists by insertion, because qsort calls a function for each comparison. */
void dorm__sort_valued(size_t count, dorm__valued_doc *items)
{
  enum { SHORT_LIST = 64 };
  if (count <= SHORT_LIST) {
    for (size_t i = 1; i < count; i++) {
      dorm__valued_doc item = items[i];
      size_t place = i;
      for (; place > 0 && item.value > items[place - 1].value; place--)
        items[place] = items[place - 1];
      items[place] = item;
    }
    return;
  }
  qsort(items, count, sizeof *items, compare_descending);
}
