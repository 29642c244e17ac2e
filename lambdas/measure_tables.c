/*
 * measure_tables.c: computes the tables a and b of a query for each measure. measures/measure_values.c and
 * diversity_values.c have the definitions and their sources, and share no formula with this file, so that each checks
 * the other. Positions p count from 0, r is a label, k the truncation. The forms:
 *
 *   product    dcg, ndcg, mean_ndcg, mwta, wta, p, recall, rprec, rbp, eru: the measure is sum_p a[p] b of the
 *              document at p (mean_ndcg: a[p] = 1/discount(p) 1/l sum_{n > p} 1 / (ideal DCG@n))
 *   precisions map: b = relevance, scale = 1 / number of relevant documents, depth = k
 *   first      mrr: b = relevance, depth = k
 *   cascade    err: b = (2^r - 1) / 2^max_label or r / max_label, depth = k
 *   pairs      pair_error, roc_area, tau: b = number of the level, scale = cost of one wrong pair
 *   subtopics  alpha_ndcg, err_ia, subtopic_recall: the document at p adds, for each of its subtopics,
 *              a[p] gain prod (1 - chance)     over the documents above that are relevant to the same subtopic
 *
 * With repeats=irrelevant an ideal ranking has the label of the best document of each group. redundancy is minus the
 * number of repeats at p < k: a[p] = 1, and b = 1 for documents that are not repeats.
 */
#include "lambdas/measure_tables.h"

#include <math.h>
#include <string.h>

static double gain_of(const dorm__conventions *rules, double label)
{
  return rules->linear_gain ? label : exp2(label) - 1;
}

static double weight_of(const dorm__conventions *rules, size_t position)
{
  double p = (double)position;
  return 1 / (rules->letor_discount ? fmax(1, log2(p + 1)) : log2(p + 2));
}

/* ---- The product form --------------------------------------------------------- */

/* Fills the tables of DCG at the depth, with gains divided by `divisor`. */
static void fill_discounted(const dorm__table_query *query, double divisor)
{
  for (size_t p = 0; p < query->made->depth; p++)
    query->a[p] = weight_of(query->rules, p);
  for (size_t j = 0; divisor > 0 && j < query->made->num_docs; j++)
    query->b[j] = gain_of(query->rules, query->labels[j]) / divisor;
}

static double ideal_dcg(const dorm__table_query *query)
{
  double sum = 0;
  for (size_t p = 0; p < query->made->depth; p++)
    sum += gain_of(query->rules, query->ideal[p]) * weight_of(query->rules, p);
  return sum;
}

static void fill_dcg(const dorm__table_query *query)
{
  fill_discounted(query, 1);
}

static void fill_ndcg(const dorm__table_query *query)
{
  bool counts = !query->rules->short_is_0 || query->made->num_docs >= query->rules->truncation;
  fill_discounted(query, counts ? ideal_dcg(query) : 0);
}

static void fill_mean_ndcg(const dorm__table_query *query)
{
  size_t num_docs = query->made->num_docs;
  query->made->depth = num_docs;
  if (query->ideal[0] <= 0)
    return;
  double best = 0;
  for (size_t p = 0; p < num_docs; p++) {
    best += gain_of(query->rules, query->ideal[p]) * weight_of(query->rules, p);
    query->a[p] = 1 / (best * (double)num_docs);
    query->b[p] = gain_of(query->rules, query->labels[p]);
  }
  for (size_t p = num_docs - 1; p-- > 0;)
    query->a[p] += query->a[p + 1]; /* the sum over n > p */
  for (size_t p = 0; p < num_docs; p++)
    query->a[p] *= weight_of(query->rules, p);
}

static void fill_mwta(const dorm__table_query *query)
{
  size_t next_level = 1;
  while (next_level < query->made->num_docs && query->ideal[next_level] == query->ideal[0])
    next_level++;
  size_t depth = next_level < 3 ? 3 : next_level + 1;
  query->made->depth = depth < query->made->num_docs ? depth : query->made->num_docs;
  fill_discounted(query, ideal_dcg(query));
}

static void fill_eru(const dorm__table_query *query)
{
  double best = 0;
  for (size_t p = 0; p < query->made->num_docs; p++) {
    query->a[p] = exp2(-(double)p / (query->rules->half_life - 1));
    best += fmax(query->ideal[p] - query->rules->neutral, 0) * query->a[p];
  }
  for (size_t j = 0; best > 0 && j < query->made->num_docs; j++)
    query->b[j] = fmax(query->labels[j] - query->rules->neutral, 0) / (query->rules->is_normalised ? best : 1);
  query->made->depth = query->made->num_docs;
}

/* Fills b with the relevance of each document. Returns the number of relevant documents in an ideal ranking. */
static size_t fill_relevance(const dorm__table_query *query, double threshold)
{
  size_t count = 0;
  double least = threshold > 0 ? threshold : query->ideal[0];
  for (size_t j = 0; j < query->made->num_docs; j++) {
    query->b[j] = query->labels[j] > 0 && query->labels[j] >= least;
    count += query->ideal[j] > 0 && query->ideal[j] >= least;
  }
  return count;
}

static void fill_wta(const dorm__table_query *query)
{
  fill_relevance(query, 0);
  query->a[0] = 1;
  query->made->depth = 1;
}

static void fill_precision(const dorm__table_query *query)
{
  fill_relevance(query, query->rules->threshold);
  for (size_t p = 0; p < query->made->depth; p++)
    query->a[p] = 1 / (double)(query->rules->truncation ? query->rules->truncation : query->made->num_docs);
}

static void fill_recall(const dorm__table_query *query)
{
  size_t count = fill_relevance(query, query->rules->threshold);
  for (size_t p = 0; count && p < query->made->depth; p++)
    query->a[p] = 1 / (double)count;
}

static void fill_r_precision(const dorm__table_query *query)
{
  query->made->depth = fill_relevance(query, query->rules->threshold);
  for (size_t p = 0; p < query->made->depth; p++)
    query->a[p] = 1 / (double)query->made->depth;
}

static void fill_rbp(const dorm__table_query *query)
{
  fill_relevance(query, query->rules->threshold);
  query->made->depth = query->made->num_docs;
  for (size_t p = 0; p < query->made->depth; p++)
    query->a[p] = (1 - query->rules->persistence) * pow(query->rules->persistence, (double)p);
}

static void fill_redundancy(const dorm__table_query *query)
{
  for (size_t p = 0; p < query->made->depth; p++)
    query->a[p] = 1;
  for (size_t j = 0; j < query->made->num_docs; j++)
    query->b[j] = 1;
}

/* ---- Precisions, first, cascade --------------------------------------------------- */

static void fill_map(const dorm__table_query *query)
{
  size_t count = fill_relevance(query, query->rules->threshold);
  size_t divisor = query->rules->divides_by_reachable && query->made->depth < count ? query->made->depth : count;
  query->made->scale = divisor ? 1 / (double)divisor : 0;
}

static void fill_mrr(const dorm__table_query *query)
{
  fill_relevance(query, query->rules->threshold);
  query->made->scale = 1;
}

static void fill_err(const dorm__table_query *query)
{
  const dorm__conventions *rules = query->rules;
  double most = rules->max_label;
  for (size_t j = 0; j < query->made->num_docs; j++) {
    double label = query->labels[j];
    double chance = rules->linear_gain ? (label == 0 ? 0 : label / most) : (exp2(label) - 1) / exp2(most);
    query->b[j] = query->ideal[0] > most ? NAN : chance;
  }
  query->made->scale = 1;
}

/* ---- Pairs -------------------------------------------------------------------------- */

/* Fills b with the number of each document's level. Sets the scale to 1 / number of pairs of different levels. */
static void fill_pairs(const dorm__table_query *query)
{
  size_t num_docs = query->made->num_docs;
  double different = 0;
  if (query->rules->has_two_levels) {
    size_t count = fill_relevance(query, query->rules->threshold);
    different = (double)count * (double)(num_docs - count);
    query->made->num_levels = 2;
  } else {
    size_t level = 0; /* counted from the largest label, reversed below */
    for (size_t begin = 0, end = 0; begin < num_docs; begin = end, level++) {
      while (end < num_docs && query->ideal[end] == query->ideal[begin])
        end++;
      different += (double)(end - begin) * (double)(num_docs - end);
      for (size_t j = 0; j < num_docs; j++)
        if (query->labels[j] == query->ideal[begin])
          query->b[j] = (double)level;
    }
    query->made->num_levels = level;
    for (size_t j = 0; j < num_docs; j++)
      query->b[j] = (double)(level - 1) - query->b[j];
  }
  query->made->depth = num_docs;
  query->made->scale = different > 0 ? 1 / different : 0;
}

/* Fills the tables of tau-b = (different - 2 wrong) / sqrt(different untied). A ranking has no ties. */
static void fill_tau(const dorm__table_query *query)
{
  double untied = (double)query->made->num_docs * ((double)query->made->num_docs - 1) / 2;
  fill_pairs(query);
  query->made->scale = query->made->scale > 0 ? 2 / sqrt(untied / query->made->scale) : 0;
}

/* ---- Subtopics ------------------------------------------------------------------------ */

/* The tables of the subtopic form:
 *
 *   alpha_ndcg       a[p] = 1 / (log2(p + 2) best), gain 1, chance alpha; best is the same sum, without the divisor, of
 *                    the greedy ranking
 *   err_ia           a[p] = 1 / ((p + 1) S), gain = chance = min(1, (2^judgement - 1) / 2^max_label); S subtopics
 *   subtopic_recall  a[p] = 1 / S, gain = chance = 1: only the first document of a subtopic adds to the sum
 *
 * O(entries), and for alpha_ndcg O(k entries) at truncation k.
 */

/* Returns the first entry of document j for the subtopic of entry e. */
static size_t first_entry(const dorm__target_lists *subtopics, size_t j, size_t e)
{
  size_t first = subtopics->start[j];
  while (subtopics->numbers[first] != subtopics->numbers[e])
    first++;
  return first;
}

/* Sets entry e of document j. If a document has two entries for a subtopic, the first one counts for both, as if one
 * followed the other. In alpha_ndcg both gains count in full. */
static void set_entry(const dorm__target_lists *subtopics, size_t j, size_t e, double chance, bool is_alpha)
{
  size_t first = first_entry(subtopics, j, e);
  double gain = is_alpha ? 1 : chance;
  subtopics->gains[e] = 0;
  subtopics->chances[e] = 0;
  subtopics->gains[first] += is_alpha ? gain : (1 - subtopics->chances[first]) * gain;
  subtopics->chances[first] += (1 - subtopics->chances[first]) * chance;
}

/* Returns the sum of (1 - alpha)^seen over the subtopics of document j. */
static double novelty(const dorm__target_lists *subtopics, double alpha, size_t j, const double *seen)
{
  double sum = 0;
  for (size_t e = subtopics->start[j]; e < subtopics->start[j + 1]; e++)
    sum += pow(1 - alpha, seen[subtopics->numbers[e]]);
  return sum;
}

/* Returns the document of largest novelty that is not taken, the first in case of ties. */
static size_t most_novel(const dorm__target_query *query, double alpha, const double *seen, const double *is_taken,
                         double *value)
{
  size_t best = 0;
  *value = -1;
  for (size_t j = 0; j < query->num_docs; j++) {
    double own = is_taken[j] > 0 ? -1 : novelty(&query->lists, alpha, j, seen);
    if (own > *value) {
      *value = own;
      best = j;
    }
  }
  return best;
}

/* Returns the discounted novelty of the ranking that takes the most novel document at each position. */
static double greedy_novelty(const dorm__target_query *query, double alpha, double *scratch)
{
  const dorm__target_lists *subtopics = &query->lists;
  double *is_taken = scratch;
  double *seen = scratch + query->num_docs;
  double sum = 0;
  memset(scratch, 0, (query->num_docs + subtopics->count) * sizeof *scratch);
  for (size_t p = 0; p < query->depth; p++) {
    double value;
    size_t j = most_novel(query, alpha, seen, is_taken, &value);
    sum += value / log2((double)p + 2);
    is_taken[j] = 1;
    for (size_t e = subtopics->start[j]; e < subtopics->start[j + 1]; e++)
      seen[subtopics->numbers[e]]++;
  }
  return sum;
}

static void fill_alpha_ndcg(const dorm__table_query *query)
{
  for (size_t j = 0; j < query->made->num_docs; j++)
    for (size_t e = query->made->lists.start[j]; e < query->made->lists.start[j + 1]; e++)
      set_entry(&query->made->lists, j, e, query->rules->alpha, true);
  double best = greedy_novelty(query->made, query->rules->alpha, query->scratch);
  for (size_t p = 0; best > 0 && p < query->made->depth; p++)
    query->a[p] = 1 / (log2((double)p + 2) * best);
}

static void fill_err_ia(const dorm__table_query *query)
{
  for (size_t j = 0; j < query->made->num_docs; j++)
    for (size_t e = query->made->lists.start[j]; e < query->made->lists.start[j + 1]; e++)
      set_entry(&query->made->lists, j, e, fmin(1, (exp2(query->judgements[e]) - 1) / exp2(query->rules->max_label)),
                false);
  for (size_t p = 0; p < query->made->depth; p++)
    query->a[p] = 1 / (((double)p + 1) * (double)query->made->lists.count);
}

static void fill_subtopic_recall(const dorm__table_query *query)
{
  for (size_t j = 0; j < query->made->num_docs; j++)
    for (size_t e = query->made->lists.start[j]; e < query->made->lists.start[j + 1]; e++)
      set_entry(&query->made->lists, j, e, 1, false);
  for (size_t p = 0; p < query->made->depth; p++)
    query->a[p] = 1 / (double)query->made->lists.count;
}

static const dorm__measure_tables tables[] = {
    {.name = "ndcg", .fill = fill_ndcg, .weighs = true, .has_ideal = true},
    {.name = "dcg", .fill = fill_dcg, .weighs = true},
    {.name = "mean_ndcg", .fill = fill_mean_ndcg},
    {.name = "mwta", .fill = fill_mwta, .weighs = true, .has_ideal = true},
    {.name = "wta", .fill = fill_wta, .weighs = true},
    {.name = "p", .fill = fill_precision, .weighs = true},
    {.name = "recall", .fill = fill_recall},
    {.name = "eru", .fill = fill_eru, .weighs = true},
    {.name = "rprec", .fill = fill_r_precision},
    {.name = "rbp", .fill = fill_rbp},
    {.name = "redundancy", .fill = fill_redundancy, .is_of_groups = true},
    {.name = "map", .form = DORM__TARGET_PRECISIONS, .fill = fill_map},
    {.name = "mrr", .form = DORM__TARGET_FIRST, .fill = fill_mrr},
    {.name = "err", .form = DORM__TARGET_CASCADE, .fill = fill_err},
    {.name = "pair_error", .form = DORM__TARGET_PAIRS, .fill = fill_pairs},
    {.name = "roc_area", .form = DORM__TARGET_PAIRS, .fill = fill_pairs},
    {.name = "tau", .form = DORM__TARGET_PAIRS, .fill = fill_tau},
    {.name = "alpha_ndcg", .form = DORM__TARGET_SUBTOPICS, .fill = fill_alpha_ndcg},
    {.name = "err_ia", .form = DORM__TARGET_SUBTOPICS, .fill = fill_err_ia},
    {.name = "subtopic_recall", .form = DORM__TARGET_SUBTOPICS, .fill = fill_subtopic_recall},
};

const dorm__measure_tables *dorm__measure_tables_find(const char *name)
{
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    if (strcmp(tables[i].name, name) == 0)
      return &tables[i];
  return NULL;
}
