/*
 * subtopic_tables.c: writes the measures of subtopics in one form. measures/diversity_values.c has their definitions
 * and shares no code with this file. The document at position p adds, for each of its subtopics,
 *
 *   a[p] gain prod (1 - chance)       over the documents above that are relevant to the same subtopic.
 *
 *   alpha_ndcg       a[p] = 1 / (log2(p + 2) best), gain 1, chance alpha; best is the same sum, without the divisor, of
 *                    the greedy ranking
 *   err_ia           a[p] = 1 / ((p + 1) S), gain = chance = min(1, (2^judgement - 1) / 2^max_label); S subtopics
 *   subtopic_recall  a[p] = 1 / S, gain = chance = 1: only the first document of a subtopic adds to the sum
 *
 * O(entries), and for alpha_ndcg O(k entries) at truncation k.
 */
#include "lambdas/measure_tables.h"

#include <math.h>
#include <string.h>

static size_t depth_of(const dorm__measure_rules *rules, size_t num_docs)
{
  return rules->truncation && rules->truncation < num_docs ? rules->truncation : num_docs;
}

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

/* ---- alpha_ndcg ---------------------------------------------------------------- */

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

void dorm__fill_alpha_ndcg(const dorm__measure_rules *rules, const double *judgements, double *scratch, double *a,
                           dorm__target_query *made)
{
  (void)judgements;
  made->depth = depth_of(rules, made->num_docs);
  for (size_t j = 0; j < made->num_docs; j++)
    for (size_t e = made->lists.start[j]; e < made->lists.start[j + 1]; e++)
      set_entry(&made->lists, j, e, rules->alpha, true);
  double best = greedy_novelty(made, rules->alpha, scratch);
  for (size_t p = 0; best > 0 && p < made->depth; p++)
    a[p] = 1 / (log2((double)p + 2) * best);
}

/* ---- err_ia and subtopic_recall --------------------------------------------------- */

void dorm__fill_err_ia(const dorm__measure_rules *rules, const double *judgements, double *scratch, double *a,
                       dorm__target_query *made)
{
  (void)scratch;
  made->depth = depth_of(rules, made->num_docs);
  for (size_t j = 0; j < made->num_docs; j++)
    for (size_t e = made->lists.start[j]; e < made->lists.start[j + 1]; e++)
      set_entry(&made->lists, j, e, fmin(1, (exp2(judgements[e]) - 1) / exp2(rules->max_label)), false);
  for (size_t p = 0; p < made->depth; p++)
    a[p] = 1 / (((double)p + 1) * (double)made->lists.count);
}

void dorm__fill_subtopic_recall(const dorm__measure_rules *rules, const double *judgements, double *scratch, double *a,
                                dorm__target_query *made)
{
  (void)judgements, (void)scratch;
  made->depth = depth_of(rules, made->num_docs);
  for (size_t j = 0; j < made->num_docs; j++)
    for (size_t e = made->lists.start[j]; e < made->lists.start[j + 1]; e++)
      set_entry(&made->lists, j, e, 1, false);
  for (size_t p = 0; p < made->depth; p++)
    a[p] = 1 / (double)made->lists.count;
}
