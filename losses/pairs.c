/*
 * pairs.c: the most violated output of losses over pairs of documents. With a weight t(r_i, r_j) for each pair of
 * documents i, j of labels r_i > r_j,
 *
 *   hinge = sum over pairs of t max(0, 1 - (g_i - g_j))
 *         = max over sets y of pairs of  sum over y of t (1 - g_i + g_j)
 *
 * so the worst set holds the pairs with g_i - g_j < 1 (Herbrich, Graepel and Obermayer 2000; Joachims 2002; as one
 * structured output Joachims 2006). The coefficient of a document is the weight of its pairs in y in which it is the
 * worse document, minus the weight of its pairs in which it is the better one. With documents sorted by score, the
 * partners of a document are a window that only grows from one document to the next. They are counted by label, in a
 * binary indexed tree (Fenwick 1994) if all pairs have the same weight.
 */
#include "losses/pairs.h"
#include "base/sort.h"
#include "losses/gains.h"

#include <string.h>

typedef struct pair_scan {
  size_t num_docs;
  size_t num_levels;
  double *levels;                    /* [num_docs] the num_levels different labels, rising */
  uint32_t *level_of;                /* [num_docs] */
  uint32_t *order;                   /* [num_docs] documents by falling score */
  double *scores;                    /* [num_docs] their scores */
  double *counts;                    /* [num_docs + 1] documents in the window: by level, or as a tree */
  const dorm__pair_weights *weights; /* NULL if every weight is 1 */
  size_t *labels;                    /* [num_docs] place of each level among the labels of the weights */
  dorm__sort_scratch sort;
} pair_scan;

static bool scan_alloc(dorm__region *memory, pair_scan *scan)
{
  size_t num_docs = scan->num_docs;
  scan->sort = dorm__sort_scratch_in(memory, num_docs);
  scan->levels = dorm__region_take(memory, num_docs, sizeof *scan->levels);
  scan->level_of = dorm__region_take(memory, num_docs, sizeof *scan->level_of);
  scan->order = dorm__region_take(memory, num_docs, sizeof *scan->order);
  scan->scores = dorm__region_take(memory, num_docs, sizeof *scan->scores);
  scan->counts = dorm__region_take(memory, num_docs + 1, sizeof *scan->counts);
  scan->labels = dorm__region_take(memory, num_docs, sizeof *scan->labels);
  return !memory->is_short;
}

/* Finds the levels by sorting the labels. Returns the number of pairs. */
static double find_levels(pair_scan *scan, const double *labels)
{
  size_t num_docs = scan->num_docs;
  double num_pairs = 0;
  double num_below = 0; /* documents below the present level */
  dorm__sort_descending(num_docs, labels, scan->order, scan->scores, &scan->sort);
  scan->num_levels = 0;
  for (size_t begin = num_docs, end = num_docs; begin > 0; end = begin) { /* documents begin .. end - 1 of a level */
    double label = scan->scores[end - 1];
    for (; begin > 0 && scan->scores[begin - 1] == label; begin--)
      scan->level_of[scan->order[begin - 1]] = (uint32_t)scan->num_levels;
    num_pairs += (double)(end - begin) * num_below;
    num_below += (double)(end - begin);
    scan->levels[scan->num_levels++] = label;
  }
  return num_pairs;
}

/* Finds the places of the levels among the labels of the weights. Both rise. */
static void find_labels(pair_scan *scan)
{
  const dorm__pair_weights *weights = scan->weights;
  for (size_t level = 0, place = 0; level < scan->num_levels; level++) {
    while (place + 1 < weights->num_labels && weights->labels[place] < scan->levels[level])
      place++;
    scan->labels[level] = place;
  }
}

/* Adds a document of this level to the window. */
static void count_in(pair_scan *scan, size_t level)
{
  if (scan->weights)
    scan->counts[level]++;
  for (size_t node = level + 1; !scan->weights && node <= scan->num_levels; node += node & (~node + 1))
    scan->counts[node]++;
}

/* Returns the number of documents of the window at levels below `level`, by the tree. */
static double count_below(const pair_scan *scan, size_t level)
{
  double count = 0;
  for (size_t node = level; node > 0; node -= node & (~node + 1))
    count += scan->counts[node];
  return count;
}

/* Returns the weight of the pairs of a document of this level, as the better or the worse one, with the `size`
 * documents of the window. */
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

/* If is_better, goes from the largest score down, and subtracts from the coefficient of each document the weight of its
 * violated pairs as the better one. Otherwise goes from the smallest score up, and adds the weight of its violated
 * pairs as the worse one. Returns the sum of the weights. */
static double scan_side(pair_scan *scan, bool is_better, double *coefficients)
{
  size_t last = scan->num_docs - 1;
  size_t size = 0; /* documents in the window */
  double total = 0;
  memset(scan->counts, 0, (scan->num_docs + 1) * sizeof *scan->counts);
  for (size_t step = 0; step < scan->num_docs; step++) {
    size_t place = is_better ? step : last - step;
    for (; size < scan->num_docs; size++) {
      size_t other = is_better ? size : last - size;
      double lead = scan->scores[place] - scan->scores[other]; /* the same rounding for both sides of a pair */
      if (!((is_better ? lead : -lead) < 1))
        break;
      count_in(scan, scan->level_of[scan->order[other]]);
    }
    uint32_t doc = scan->order[place];
    double weight = weigh(scan, scan->level_of[doc], is_better, size);
    coefficients[doc] += is_better ? -weight : weight;
    total += weight;
  }
  return total;
}

int dorm__pairs_find_worst(const dorm_host *host, size_t num_docs, const double *labels,
                           const dorm__pair_weights *weights, bool is_mean, const double *scores,
                           const dorm__worst_pairs *worst)
{
  DORM__AT_END(dorm__region_clear) dorm__region memory = {0};
  pair_scan scan = {.num_docs = num_docs, .weights = weights};
  bool has_room = scan_alloc(&memory, &scan);
  if (has_room) {
    double num_pairs = find_levels(&scan, labels);
    if (weights)
      find_labels(&scan);
    dorm__sort_descending(num_docs, scores, scan.order, scan.scores, &scan.sort);
    double share = is_mean && num_pairs > 0 ? 1 / num_pairs : 1;
    memset(worst->coefficients, 0, num_docs * sizeof *worst->coefficients);
    *worst->delta = share * scan_side(&scan, true, worst->coefficients);
    scan_side(&scan, false, worst->coefficients);
    for (size_t j = 0; j < num_docs; j++)
      worst->coefficients[j] *= share;
  }
  return has_room ? 0 : host->fail(host, "out of memory");
}

/* ---- rsvm ---------------------------------------------------------------------------------------- */

/* The ranking SVM (Herbrich, Graepel and Obermayer 2000; Joachims 2002),
 *
 *   1/2 |w|^2 + C sum over pairs r_i > r_j of  max(0, 1 - <w, x_i - x_j>),
 *
 * with pairs within queries and one slack per query: the sum of the hinges of its pairs, or their mean, so that long
 * queries do not count more. An output is a set of pairs in the wrong order, and Delta is their number or share. */
static const dorm_loss_parameter rsvm_rows[] = {
    DORM__ROW_PAIRS,
};

static int create_rsvm(const dorm_host *host, const dorm_loss_value *values, void **state)
{
  return dorm__loss_rules_create(host, sizeof rsvm_rows / sizeof *rsvm_rows, rsvm_rows, values, state);
}

static int find_worst_of_rsvm(const dorm_host *host, const void *state, const dorm_loss_query *query,
                              const double *scores, double *coefficients, double *delta)
{
  const dorm__loss_rules *rsvm = state;
  return dorm__pairs_find_worst(host, query->num_docs, query->labels, NULL, rsvm->is_mean, scores,
                                &(const dorm__worst_pairs){coefficients, delta});
}

const dorm_loss_module dorm__loss_rsvm = DORM__LOSS("rsvm", "ranking SVM: pairs in the wrong order", rsvm_rows,
                                                    create_rsvm, dorm__free, .find_worst = find_worst_of_rsvm);

/* ---- roc_area ------------------------------------------------------------------------------------ */

/* The area under the ROC curve (Joachims 2005). An output is a set of pairs (relevant, irrelevant) in the wrong order,
 * and Delta is their share of all such pairs. The feature map is the mean over pairs of x_i - x_j, with
 * the other sign for pairs in the wrong order. It is halved here, so that a pair costs 1 - (g_i - g_j). levels=all
 * takes the pairs of any two labels, which is rsvm with pairs=mean. */
static const dorm_loss_parameter roc_rows[] = {
    {"levels", "two", "all, two", 0, 0, 0, "pairs of any two labels, or of relevant and irrelevant documents"},
    DORM__ROW_THRESHOLD("1"),
};

static int create_roc(const dorm_host *host, const dorm_loss_value *values, void **state)
{
  return dorm__loss_rules_create(host, sizeof roc_rows / sizeof *roc_rows, roc_rows, values, state);
}

static int find_worst_of_roc(const dorm_host *host, const void *state, const dorm_loss_query *query,
                             const double *scores, double *coefficients, double *delta)
{
  const dorm__loss_rules *roc = state;
  DORM__FREED double *relevance = dorm__alloc(query->num_docs, sizeof *relevance);
  if (!relevance)
    return host->fail(host, "out of memory");
  dorm__fill_relevance(query, roc->threshold, relevance);
  return dorm__pairs_find_worst(host, query->num_docs, roc->has_two_levels ? relevance : query->labels, NULL, true,
                                scores, &(const dorm__worst_pairs){coefficients, delta});
}

const dorm_loss_module dorm__loss_roc_area =
    DORM__LOSS("roc_area", "1 - area under the ROC curve: share of the pairs in the wrong order", roc_rows, create_roc,
               dorm__free, .find_worst = find_worst_of_roc);

/* ---- Sorted halves ----------------------------------------------------------------------------- */

/* The relevant and the other documents of a query, each by falling score. */

bool dorm__sorted_halves_make(const dorm_loss_query *query, double threshold, const double *scores,
                              dorm__region *memory, dorm__sorted_halves *halves)
{
  size_t num_docs = query->num_docs;
  dorm__sort_scratch scratch = dorm__sort_scratch_in(memory, num_docs);
  double *relevance = dorm__region_take(memory, num_docs, sizeof *relevance);
  double *sorted = dorm__region_take(memory, num_docs, sizeof *sorted);
  uint32_t *order = dorm__region_take(memory, num_docs, sizeof *order);
  *halves = (dorm__sorted_halves){.relevant = dorm__region_take(memory, num_docs, sizeof *halves->relevant)};
  if (!memory->is_short) {
    halves->others = halves->relevant + dorm__fill_relevance(query, threshold, relevance);
    dorm__sort_descending(num_docs, scores, order, sorted, &scratch);
    for (size_t p = 0; p < num_docs; p++)
      if (relevance[order[p]] > 0)
        halves->relevant[halves->num_relevant++] = order[p];
      else
        halves->others[halves->num_others++] = order[p];
  }
  return !memory->is_short;
}
