/* diversity_values.c: the value of one ranked query under measures of its groups and subtopics. Positions p count from
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
 * Measures of exposure: position p < k of a retrieved document has the exposure 1 / log2(p + 2). With ties=expected,
 * equal scores share their exposure. e_g is the sum over the documents of group g. A document without a group is a
 * group of its own, and of several groups only the first counts. t_g is the same sum for the mean over all ideal
 * rankings, in which documents of equal label have equal exposure.
 *
 *   exposure_share   e of the named group over the sum of all
 *   ee_l, ee_d, ee_r sum over g of (e_g - t_g)^2, of e_g^2, of e_g t_g: loss, disparity, relevance
 *                    (Diaz et al., "Evaluating stochastic rankings with expected exposure", 2020)
 *   gini             sum over pairs g, h of |e_g - e_h| / (2 m sum of e) for m groups (Gini 1912)
 *
 * With repeats=irrelevant a document that shares a group with one above counts as label 0, and the ideal ranking
 * contains only the best document of each group. (If groups overlap: the best document, then the best one that shares
 * no group with it, and so on.) */
#include "measures/measure.h"
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
 * none, adds it to these. */
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
  memset(ranking->gains, 0, num_docs * sizeof *ranking->gains); /* 1 for documents already taken */
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
    ranking->seen[i] = 1; /* probability that no document above satisfied the reader */
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

/* ---- Exposure ----------------------------------------------------------------------- */

/* Fills gains [num_docs] with the exposure of each position. */
static void fill_exposures(const dorm__conventions *rules, const dorm__ranking *ranking)
{
  for (size_t p = 0; p < ranking->num_docs; p++)
    ranking->gains[p] = p < depth(rules, ranking) ? 1 / log2((double)p + 2) : 0;
  dorm__average_over_ties(ranking, ranking->gains);
}

/* Fills chances [num_docs] with the exposure of each position of `ideal`, averaged over the ideal rankings. */
static void fill_targets(const dorm__conventions *rules, const dorm__ranking *ranking)
{
  for (size_t begin = 0, end = 0; begin < ranking->num_docs; begin = end) {
    double sum = 0;
    for (; end < ranking->num_docs && ranking->ideal[end] == ranking->ideal[begin]; end++)
      sum += !rules->truncation || end < rules->truncation ? 1 / log2((double)end + 2) : 0;
    for (size_t p = begin; p < end; p++)
      ranking->chances[p] = sum / (double)(end - begin);
  }
}

/* Returns the entry of chances for a label. Labels fall along `ideal`. */
static double target_of(const dorm__ranking *ranking, double label)
{
  size_t low = 0, high = ranking->num_docs - 1;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (ranking->ideal[middle] > label)
      low = middle + 1;
    else
      high = middle;
  }
  return ranking->chances[low];
}

/* Sorts the positions into by_label, by the groups of their documents. */
static void sort_by_group(const dorm__ranking *ranking)
{
  for (size_t p = 0; p < ranking->num_docs; p++) {
    size_t group = dorm_dataset_group(ranking->dataset, ranking->first_doc + ranking->order[p]);
    ranking->by_label[p] = (dorm__labelled_doc){group == SIZE_MAX ? -1 - (double)p : (double)group, (uint32_t)p};
  }
  qsort(ranking->by_label, ranking->num_docs, sizeof *ranking->by_label, by_label);
}

/* Finds exposure and target of the group that begins at by_label[begin], and returns the start of the next one. chances
 * must hold the targets. */
static size_t sum_group(const dorm__ranking *ranking, size_t begin, double *exposure, double *target)
{
  const dorm__labelled_doc *docs = ranking->by_label;
  size_t i = begin;
  *exposure = 0;
  for (; i < ranking->num_docs && docs[i].label == docs[begin].label; i++) {
    *exposure += ranking->gains[docs[i].doc];
    if (target)
      *target += target_of(ranking, ranking->labels[docs[i].doc]);
  }
  return i;
}

/* Sums over the groups: disparity e^T e, relevance e^T t and target t^T t. */
typedef struct exposure_sums {
  double disparity, relevance, target;
} exposure_sums;

static exposure_sums sum_exposures(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty)
{
  exposure_sums sums = {0};
  *is_empty = false;
  fill_exposures(rules, ranking);
  fill_targets(rules, ranking);
  sort_by_group(ranking);
  for (size_t i = 0; i < ranking->num_docs;) {
    double exposure, target = 0;
    i = sum_group(ranking, i, &exposure, &target);
    sums.disparity += exposure * exposure;
    sums.relevance += exposure * target;
    sums.target += target * target;
  }
  return sums;
}

double dorm__value_ee_l(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty)
{
  exposure_sums sums = sum_exposures(rules, ranking, is_empty);
  return fmax(sums.disparity - 2 * sums.relevance + sums.target, 0);
}

double dorm__value_ee_d(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty)
{
  return sum_exposures(rules, ranking, is_empty).disparity;
}

double dorm__value_ee_r(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty)
{
  return sum_exposures(rules, ranking, is_empty).relevance;
}

double dorm__value_gini(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty)
{
  size_t count = 0;
  double sum = 0, spread = 0;
  fill_exposures(rules, ranking);
  sort_by_group(ranking);
  for (size_t i = 0; i < ranking->num_docs; count++) {
    i = sum_group(ranking, i, &ranking->chances[count], NULL);
    sum += ranking->chances[count];
  }
  dorm__sort_values(count, ranking->chances);
  for (size_t i = 0; i < count;
       i++) /* falling, so value i is the smaller in i pairs and the larger in count - 1 - i pairs */
    spread += ((double)count - 1 - 2 * (double)i) * ranking->chances[i];
  *is_empty = sum <= 0;
  return *is_empty ? 0 : spread / ((double)count * sum);
}

size_t dorm__find_group(const dorm_dataset *dataset, const char *name)
{
  double number;
  if (!dataset->groups)
    return SIZE_MAX;
  for (size_t g = 0; g < dataset->groups->num_names; g++)
    if (strcmp(name, dataset->groups->names + dataset->groups->name_at[g]) == 0)
      return g;
  bool is_number = !dataset->groups->num_names && dorm__text_to_double(name, &number) && number >= 0;
  return is_number ? (size_t)number : SIZE_MAX;
}

double dorm__value_exposure_share(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty)
{
  size_t group = dorm__find_group(ranking->dataset, rules->group);
  double sum = 0, share = 0;
  fill_exposures(rules, ranking);
  for (size_t p = 0; p < ranking->num_docs; p++) {
    sum += ranking->gains[p];
    share +=
        dorm_dataset_group(ranking->dataset, ranking->first_doc + ranking->order[p]) == group ? ranking->gains[p] : 0;
  }
  *is_empty = sum <= 0;
  return *is_empty ? 0 : share / sum;
}
