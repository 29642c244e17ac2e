/*
 * diversity_values.c: the value of one ranked query under measures of its groups and subtopics. Positions p count from
 * 0, k is the truncation, S the number of subtopics of the query.
 *
 *   redundancy       documents at p < k that share a group with one above
 *   alpha_ndcg       sum over p < k of the sum over the subtopics i of the document there of (1 - alpha)^(documents
 *                    above that are relevant to i) / log2(p + 2), divided by the same of the greedy ranking
 *                                                                                     (Clarke et al. 2008)
 *   err_ia           mean over the S subtopics of err@k, with the judgements of the subtopic as labels
 *                                                                                     (Chapelle et al. 2011)
 *   subtopic_recall  subtopics that a document at p < k is relevant to, divided by S
 *                                                                                     (Zhai, Cohen and Lafferty 2003)
 *
 * With repeats=irrelevant a document that shares a group with one above counts as label 0, and the ideal ranking holds
 * the best document of each group alone (where groups overlap: the best document, then the best that shares no group
 * with it, and so on).
 */
#include "data/data.h"
#include "measures/measure_values.h"
#include "measures/ranking.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t depth(const dorm__conventions *rules, const dorm__ranking *ranking)
{
  size_t most = ranking->num_found;
  return rules->truncation && rules->truncation < most ? rules->truncation : most;
}

static bool shares_group(const dorm__doc_lists *groups, size_t one, size_t two)
{
  for (size_t i = groups->start[one]; i < groups->start[one + 1]; i++)
    for (size_t k = groups->start[two]; k < groups->start[two + 1]; k++)
      if (groups->numbers[i] == groups->numbers[k])
        return true;
  return false;
}

/* Whether document `doc` of the query shares a group with one of before[0 .. *count - 1]. If it has groups and shares
 * none, it is added to these. */
static bool is_repeat(const dorm__ranking *ranking, uint32_t doc, uint32_t *before, size_t *count)
{
  const dorm__doc_lists *groups = ranking->dataset->groups;
  size_t at = ranking->first_doc + doc;
  if (groups->start[at] == groups->start[at + 1])
    return false;
  bool is_found = false;
  for (size_t i = 0; i < *count && !is_found; i++)
    is_found = shares_group(groups, at, ranking->first_doc + before[i]);
  if (!is_found)
    before[(*count)++] = doc;
  return is_found;
}

static int by_label(const void *x, const void *y)
{
  const dorm__labelled_doc *one = x;
  const dorm__labelled_doc *two = y;
  if (one->label != two->label)
    return one->label < two->label ? 1 : -1;
  return (one->doc > two->doc) - (one->doc < two->doc);
}

void dorm__ranking_drop_repeats(dorm__ranking *ranking)
{
  size_t num_docs = ranking->num_docs, count = 0, kept = 0;
  const double *labels = ranking->dataset->labels + ranking->first_doc;
  for (size_t p = 0; p < num_docs; p++)
    if (is_repeat(ranking, ranking->order[p], ranking->before, &count))
      ranking->labels[p] = 0;
  for (size_t j = 0; j < num_docs; j++)
    ranking->by_label[j] = (dorm__labelled_doc){labels[j], (uint32_t)j};
  qsort(ranking->by_label, num_docs, sizeof *ranking->by_label, by_label);
  count = 0;
  for (size_t i = 0; i < num_docs; i++)
    if (!is_repeat(ranking, ranking->by_label[i].doc, ranking->before, &count))
      ranking->ideal[kept++] = ranking->by_label[i].label;
  for (; kept < num_docs; kept++)
    ranking->ideal[kept] = 0;
}

double dorm__value_redundancy(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty)
{
  size_t count = 0, repeats = 0;
  *is_empty = false;
  for (size_t p = 0; p < depth(rules, ranking); p++)
    repeats += is_repeat(ranking, ranking->order[p], ranking->before, &count);
  return (double)repeats;
}

/* ---- Subtopics ------------------------------------------------------------------- */

/* The sum over the subtopics of document `doc` of (1 - alpha)^seen. */
static double novelty(const dorm__ranking *ranking, double alpha, size_t doc, const double *seen)
{
  const dorm__doc_lists *lists = ranking->dataset->subtopics;
  double sum = 0;
  for (size_t e = lists->start[ranking->first_doc + doc]; e < lists->start[ranking->first_doc + doc + 1]; e++)
    sum += pow(1 - alpha, seen[lists->numbers[e]]);
  return sum;
}

static void see(const dorm__ranking *ranking, size_t doc, double *seen)
{
  const dorm__doc_lists *lists = ranking->dataset->subtopics;
  for (size_t e = lists->start[ranking->first_doc + doc]; e < lists->start[ranking->first_doc + doc + 1]; e++)
    seen[lists->numbers[e]]++;
}

static size_t num_subtopics(const dorm__ranking *ranking)
{
  return ranking->dataset->subtopics->num_subtopics[ranking->query];
}

double dorm__value_alpha_ndcg(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty)
{
  size_t num_docs = ranking->num_docs, count = num_subtopics(ranking);
  size_t last = rules->truncation && rules->truncation < num_docs ? rules->truncation : num_docs;
  double found = 0, best = 0;
  *is_empty = count == 0;
  if (!count)
    return 0;
  memset(ranking->seen, 0, count * sizeof *ranking->seen);
  for (size_t p = 0; p < depth(rules, ranking); p++) {
    found += novelty(ranking, rules->alpha, ranking->order[p], ranking->seen) / log2((double)p + 2);
    see(ranking, ranking->order[p], ranking->seen);
  }
  memset(ranking->seen, 0, count * sizeof *ranking->seen);
  memset(ranking->gains, 0, num_docs * sizeof *ranking->gains); /* 1 for documents that were taken */
  for (size_t p = 0; p < last; p++) {
    double most = -1;
    size_t chosen = 0;
    for (size_t j = 0; j < num_docs; j++) {
      double value = ranking->gains[j] > 0 ? -1 : novelty(ranking, rules->alpha, j, ranking->seen);
      if (value > most) {
        most = value;
        chosen = j;
      }
    }
    best += most / log2((double)p + 2);
    ranking->gains[chosen] = 1;
    see(ranking, chosen, ranking->seen);
  }
  *is_empty = best <= 0;
  return *is_empty ? 0 : found / best;
}

double dorm__value_err_ia(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty)
{
  const dorm__doc_lists *lists = ranking->dataset->subtopics;
  size_t count = num_subtopics(ranking);
  double sum = 0;
  *is_empty = count == 0;
  for (size_t i = 0; i < count; i++)
    ranking->seen[i] = 1; /* chance that no document above satisfied the reader */
  for (size_t p = 0; count && p < depth(rules, ranking); p++) {
    size_t doc = ranking->first_doc + ranking->order[p];
    for (size_t e = lists->start[doc]; e < lists->start[doc + 1]; e++) {
      double satisfies = fmin(1, (exp2(lists->weights[e]) - 1) / exp2(rules->max_label));
      sum += satisfies * ranking->seen[lists->numbers[e]] / ((double)p + 1);
      ranking->seen[lists->numbers[e]] *= 1 - satisfies;
    }
  }
  return count ? sum / (double)count : 0;
}

double dorm__value_subtopic_recall(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty)
{
  size_t count = num_subtopics(ranking), covered = 0;
  *is_empty = count == 0;
  if (!count)
    return 0;
  memset(ranking->seen, 0, count * sizeof *ranking->seen);
  for (size_t p = 0; p < depth(rules, ranking); p++)
    see(ranking, ranking->order[p], ranking->seen);
  for (size_t i = 0; i < count; i++)
    covered += ranking->seen[i] > 0;
  return (double)covered / (double)count;
}
