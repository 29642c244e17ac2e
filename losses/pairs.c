/*
 * pairs.c: the most violated output of losses over pairs of documents. For each
 * pair of documents i, j of labels r_i > r_j with weight t(r_i, r_j):
 *
 *   hinge = sum over pairs of t max(0, 1 - (g_i - g_j))
 *         = max over sets y of pairs of  sum over y of t (1 - g_i + g_j)
 *
 * so that the worst set is that of the pairs with g_i - g_j < 1 (Herbrich,
 * Graepel and Obermayer 2000; Joachims 2002; as one structured output Joachims
 * 2006). A document's coefficient is the weight of its pairs in y as the worse
 * one less that as the better one. With documents sorted by score, those it is
 * to be held against are a window that only grows, and are counted by label: in
 * a binary indexed tree (Fenwick 1994) where all pairs weigh the same.
 */
#include "losses/losses.h"

#include <stdlib.h>
#include <string.h>

typedef struct pair_doc {
  double score;
  size_t level; /* of its label among the query's, from 0 */
  size_t doc;
} pair_doc;

typedef struct pair_scan {
  size_t num_docs;
  size_t num_levels;
  double *levels;                    /* [num_docs] the labels, rising, num_levels of them */
  pair_doc *docs;                    /* [num_docs], scores rising */
  double *counts;                    /* [num_docs + 1] in the window: by level, or as a tree */
  const dorm__pair_weights *weights; /* NULL: 1 each */
  size_t *labels;                    /* [num_docs] number of a level among the labels of the weights */
} pair_scan;

static int compare_labels(const void *x, const void *y)
{
  double left = *(const double *)x;
  double right = *(const double *)y;
  return (left > right) - (left < right);
}

static int compare_docs(const void *x, const void *y)
{
  const pair_doc *left = x;
  const pair_doc *right = y;
  if (left->score != right->score)
    return left->score > right->score ? 1 : -1;
  return (left->doc > right->doc) - (left->doc < right->doc);
}

/* The place of a label among `count` rising ones that hold it. */
static size_t place_of(double label, size_t count, const double *labels)
{
  const double *found = bsearch(&label, labels, count, sizeof label, compare_labels);
  return found ? (size_t)(found - labels) : 0;
}

static bool scan_alloc(pair_scan *scan)
{
  scan->levels = dorm__alloc(scan->num_docs, sizeof *scan->levels);
  scan->docs = dorm__alloc(scan->num_docs, sizeof *scan->docs);
  scan->counts = dorm__alloc(scan->num_docs + 1, sizeof *scan->counts);
  scan->labels = dorm__alloc(scan->num_docs, sizeof *scan->labels);
  return scan->levels && scan->docs && scan->counts && scan->labels;
}

static void scan_free(pair_scan *scan)
{
  dorm__free(scan->levels);
  dorm__free(scan->docs);
  dorm__free(scan->counts);
  dorm__free(scan->labels);
}

/* Levels and sorted documents; returns the number of pairs. */
static double scan_sort(pair_scan *scan, const double *labels, const double *scores)
{
  size_t num_docs = scan->num_docs;
  double count = (double)num_docs;
  double twice = count * count; /* ordered pairs of different labels */
  memcpy(scan->levels, labels, num_docs * sizeof *labels);
  qsort(scan->levels, num_docs, sizeof *labels, compare_labels);
  scan->num_levels = 0;
  for (size_t begin = 0, end = 0; begin < num_docs; begin = end) {
    while (end < num_docs && scan->levels[end] == scan->levels[begin])
      end++;
    twice -= (double)(end - begin) * (double)(end - begin);
    scan->levels[scan->num_levels++] = scan->levels[begin];
  }
  for (size_t j = 0; j < num_docs; j++)
    scan->docs[j] = (pair_doc){scores[j], place_of(labels[j], scan->num_levels, scan->levels), j};
  qsort(scan->docs, num_docs, sizeof *scan->docs, compare_docs);
  for (size_t level = 0; scan->weights && level < scan->num_levels; level++)
    scan->labels[level] = place_of(scan->levels[level], scan->weights->num_labels, scan->weights->labels);
  return twice / 2;
}

/* Takes a document of this level into the window. */
static void count_in(pair_scan *scan, size_t level)
{
  if (scan->weights)
    scan->counts[level]++;
  for (size_t node = level + 1; !scan->weights && node <= scan->num_levels; node += node & (~node + 1))
    scan->counts[node]++;
}

/* Documents of the window at levels below `level`, by the tree. */
static double count_below(const pair_scan *scan, size_t level)
{
  double count = 0;
  for (size_t node = level; node > 0; node -= node & (~node + 1))
    count += scan->counts[node];
  return count;
}

/* Weight of the pairs of a document of this level with `size` of the window, as
 * the better or the worse one. */
static double weigh(const pair_scan *scan, size_t level, bool is_better, size_t size)
{
  if (!scan->weights)
    return is_better ? count_below(scan, level) : (double)size - count_below(scan, level + 1);
  double sum = 0;
  size_t stride = scan->weights->stride;
  size_t own = scan->labels[level];
  for (size_t other = is_better ? 0 : level + 1; other < (is_better ? level : scan->num_levels); other++) {
    size_t label = scan->labels[other];
    sum += scan->counts[other] * scan->weights->weights[is_better ? own * stride + label : label * stride + own];
  }
  return sum;
}

/* Gives each document the weight of its violated pairs, less where it is the
 * better one (from the largest score down), more where it is the worse one
 * (from the smallest up); returns the sum. */
static double scan_side(pair_scan *scan, bool is_better, double *coefficients)
{
  size_t last = scan->num_docs - 1;
  size_t size = 0; /* of the window */
  double total = 0;
  memset(scan->counts, 0, (scan->num_docs + 1) * sizeof *scan->counts);
  for (size_t step = 0; step < scan->num_docs; step++) {
    const pair_doc *doc = &scan->docs[is_better ? last - step : step];
    for (; size < scan->num_docs; size++) {
      const pair_doc *other = &scan->docs[is_better ? last - size : size];
      double lead = is_better ? doc->score - other->score : other->score - doc->score; /* one rounding for both sides */
      if (!(lead < 1))
        break;
      count_in(scan, other->level);
    }
    double weight = weigh(scan, doc->level, is_better, size);
    coefficients[doc->doc] += is_better ? -weight : weight;
    total += weight;
  }
  return total;
}

int dorm__pairs_find_worst(const dorm_host *host, size_t num_docs, const double *labels,
                           const dorm__pair_weights *weights, bool is_mean, const double *scores, double *coefficients,
                           double *delta)
{
  pair_scan scan = {.num_docs = num_docs, .weights = weights};
  bool has_room = scan_alloc(&scan);
  if (has_room) {
    double num_pairs = scan_sort(&scan, labels, scores);
    double share = is_mean && num_pairs > 0 ? 1 / num_pairs : 1;
    memset(coefficients, 0, num_docs * sizeof *coefficients);
    *delta = share * scan_side(&scan, true, coefficients);
    scan_side(&scan, false, coefficients);
    for (size_t j = 0; j < num_docs; j++)
      coefficients[j] *= share;
  }
  scan_free(&scan);
  return has_room ? 0 : host->fail(host, "out of memory");
}
