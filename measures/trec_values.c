/* trec_values.c: the value of one ranked query under the measures of trec_eval that are not in measure_values.c, and
 * under rank-biased precision. Positions p count from 0. R documents are relevant, and F of them are among the n
 * documents that were found. N were judged and are not relevant. A document that was not judged is not relevant.
 *
 *   rprec       relevant documents in the first R, divided by R
 *
 *   bpref       1/R sum over the relevant documents found of 1 - min(m, R) / min(N, R), m the judged documents above
 *               that are not relevant, and 1 if there are none (Buckley and Voorhees 2004, as in trec_eval 8 and 9)
 *
 *   success     1 when one of the first k documents is relevant
 *
 *   iprec       the largest precision at a position p where at least c relevant documents are at or above p, with
 *               c = floor(recall R + 0.9) as trec_eval 9 rounds; 0 when fewer were found
 *
 *   rbp         (1 - q) sum over relevant p of q^p, q the persistence     (Moffat and Zobel 2008)
 *   set_p       F / n, 0 when n = 0;   set_recall  F / R
 *   set_f       (x + 1) P R' / (R' + x P), P and R' the two above and x the importance of recall
 *   gm_map      log max(AP, 0.00001) of a query; over queries the exponential of the mean
 *   num_ret, num_rel, num_rel_ret    n, R, F of a query; over queries the sum
 *
 * With ties, sums over positions take the mean relevance of the tie. success is the probability of a relevant document
 * among the places of a tie within the first k. bpref and iprec have no expected value here. */
#include "measures/measure.h"
#include "measures/measure_values.h"

#include <math.h>

/* Counts the relevant documents of the query, found or not. */
static size_t num_relevant(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty)
{
  size_t count = dorm__count_relevant(ranking->num_docs, ranking->ideal, dorm__relevant_from(rules, ranking));
  *is_empty = count == 0;
  return count;
}

static size_t num_relevant_found(const dorm__conventions *rules, const dorm__ranking *ranking)
{
  return dorm__count_relevant(ranking->num_found, ranking->labels, dorm__relevant_from(rules, ranking));
}

/* Sets gains[p] to the probability that the document at p is relevant. */
static void fill_relevance(const dorm__conventions *rules, const dorm__ranking *ranking)
{
  double threshold = dorm__relevant_from(rules, ranking);
  for (size_t p = 0; p < ranking->num_docs; p++)
    ranking->gains[p] = dorm__is_relevant(dorm__found_label(ranking, p), threshold);
  dorm__average_over_ties(ranking, ranking->gains);
}

double dorm__value_r_precision(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty)
{
  size_t relevant = num_relevant(rules, ranking, is_empty);
  double sum = 0;
  fill_relevance(rules, ranking);
  for (size_t p = 0; p < relevant; p++)
    sum += ranking->gains[p];
  return *is_empty ? 0 : sum / (double)relevant;
}

static bool is_judged(const dorm__ranking *ranking, size_t p)
{
  const unsigned char *is_unjudged = ranking->dataset->is_unjudged;
  return !is_unjudged || !is_unjudged[ranking->first_doc + ranking->order[p]];
}

double dorm__value_bpref(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty)
{
  size_t relevant = num_relevant(rules, ranking, is_empty);
  double threshold = dorm__relevant_from(rules, ranking);
  size_t judged = 0;
  for (size_t p = 0; p < ranking->num_docs; p++)
    judged += is_judged(ranking, p);
  size_t irrelevant = judged - relevant;
  double most = (double)(irrelevant < relevant ? irrelevant : relevant);
  double above = 0;
  double sum = 0;
  for (size_t p = 0; p < ranking->num_found; p++)
    if (dorm__is_relevant(ranking->labels[p], threshold))
      sum += above > 0 ? 1 - fmin(above, (double)relevant) / most : 1;
    else
      above += is_judged(ranking, p);
  return *is_empty ? 0 : sum / (double)relevant;
}

double dorm__value_success(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty)
{
  double threshold = dorm__relevant_from(rules, ranking);
  size_t num_docs = ranking->num_docs;
  size_t last = rules->truncation && rules->truncation < num_docs ? rules->truncation : num_docs;
  num_relevant(rules, ranking, is_empty);
  for (size_t begin = 0; begin < last && begin < ranking->num_found; begin = ranking->tie_end[begin]) {
    size_t size = ranking->tie_end[begin] - begin;
    size_t relevant = dorm__count_relevant(size, ranking->labels + begin, threshold);
    double none = 1; /* probability that no document of the tie in front is relevant */
    for (size_t m = 0; m < size && begin + m < last; m++)
      none *= relevant + m < size ? (double)(size - relevant - m) / (double)(size - m) : 0;
    if (relevant) /* the first tie with a relevant document */
      return 1 - none;
  }
  return 0;
}

double dorm__value_iprec(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty)
{
  size_t relevant = num_relevant(rules, ranking, is_empty);
  size_t needed = (size_t)(rules->recall * (double)relevant + 0.9);
  double threshold = dorm__relevant_from(rules, ranking);
  size_t seen = 0;
  double best = 0;
  for (size_t p = 0; p < ranking->num_found; p++) {
    seen += dorm__is_relevant(ranking->labels[p], threshold);
    if (seen >= needed)
      best = fmax(best, (double)seen / (double)(p + 1));
  }
  return best;
}

double dorm__value_rbp(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty)
{
  double sum = 0;
  double reached = 1 - rules->persistence;
  num_relevant(rules, ranking, is_empty);
  fill_relevance(rules, ranking);
  for (size_t p = 0; p < ranking->num_docs; p++, reached *= rules->persistence)
    sum += ranking->gains[p] * reached;
  return sum;
}

/* ---- Sets of found documents, in any order ------------------------------------- */

double dorm__value_set_precision(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty)
{
  num_relevant(rules, ranking, is_empty);
  return ranking->num_found ? (double)num_relevant_found(rules, ranking) / (double)ranking->num_found : 0;
}

double dorm__value_set_recall(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty)
{
  size_t relevant = num_relevant(rules, ranking, is_empty);
  return relevant ? (double)num_relevant_found(rules, ranking) / (double)relevant : 0;
}

double dorm__value_set_f(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty)
{
  double precision = dorm__value_set_precision(rules, ranking, is_empty);
  double recall = dorm__value_set_recall(rules, ranking, is_empty);
  double x = rules->importance;
  return precision > 0 ? (x + 1) * precision * recall / (recall + x * precision) : 0;
}

double dorm__value_num_ret(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty)
{
  (void)rules;
  *is_empty = false;
  return (double)ranking->num_found;
}

double dorm__value_num_rel(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty)
{
  size_t relevant = num_relevant(rules, ranking, is_empty);
  *is_empty = false;
  return (double)relevant;
}

double dorm__value_num_rel_ret(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty)
{
  *is_empty = false;
  return (double)num_relevant_found(rules, ranking);
}

/* ---- The geometric mean ------------------------------------------------------------ */

double dorm__log_of_precision(double precision)
{
  return log(fmax(precision, 0.00001));
}

double dorm__value_gm_map(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty)
{
  return dorm__log_of_precision(dorm__value_map(rules, ranking, is_empty));
}
