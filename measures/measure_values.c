/* measure_values.c: the value of one ranked query under each measure, computed from its definition. Shares no code with
 * the losses. Positions p count from 0, r is the label there, and k is the truncation (0: all). R is the number of
 * relevant documents, which have r >= threshold. A document that was not found (score -infinity) counts for R and the
 * ideal ranking, and adds nothing itself:
 *
 *   dcg        sum over p < k of gain(r) / discount(p)   (Jarvelin and Kekalainen 2002)
 *   ndcg       dcg / dcg of the labels in falling order
 *   mean_ndcg  mean over n = 1 .. l of ndcg@n            (LETOR's MeanNDCG)
 *   mwta       ndcg@n with n = 3, or, if the three largest labels are equal, n just past the position of the next
 *              level in an ideal ranking
 *   map        sum over relevant p < k of (relevant up to p) / (p + 1), divided by R or min(R, k)
 *   mrr        1 / (p + 1) of the first relevant document, 0 past k
 *   wta        1 when the first document has the largest label of the query
 *   p, recall  relevant documents in the first k, divided by k (also when l < k), or by R
 *   err        sum over p < k of R_p / (p + 1) prod_{q < p} (1 - R_q),
 *              R_p = (2^r - 1) / 2^max_label, or r / max_label   (Chapelle et al. 2009; Tewari 2015)
 *   eru        sum of max(r - neutral, 0) 2^(-p / (half_life - 1)), divided by its value in an ideal ranking
 *                                                        (Breese et al. 1998)
 *   pair_error share of the pairs of different labels in the wrong order
 *   roc_area   1 - pair_error, or the same of the labels 1 (relevant) and 0
 *   tau        Kendall's tau-b of scores and labels
 *
 * Expected values over ties. All orders within a tie of t documents are equally likely, and ties are independent. A sum
 * over positions takes the mean gain of the tie. The m-th document of the tie is relevant with probability n_rel / t.
 * It then has m (n_rel - 1) / (t - 1) relevant ones before it in the tie (McSherry and Najork 2008).
 *
 * For mrr and err, E_m is the probability that m random documents of the tie all fail to satisfy. It is computed by
 * adding documents one by one: the i-th belongs to a random m of i with probability m / i. If ties are broken, every
 * tie is one document. */
#include "measures/measure_values.h"
#include "measures/ranking.h"

#include <math.h>
#include <string.h>

static size_t depth(const dorm__conventions *rules, size_t num_docs)
{
  return rules->truncation && rules->truncation < num_docs ? rules->truncation : num_docs;
}

static double gain_of(const dorm__conventions *rules, double label)
{
  return rules->linear_gain ? label : exp2(label) - 1;
}

static double discount_of(const dorm__conventions *rules, size_t position)
{
  double p = (double)position;
  return rules->letor_discount ? fmax(1, log2(p + 1)) : log2(p + 2);
}

double dorm__relevant_from(const dorm__conventions *rules, const dorm__ranking *ranking)
{
  return rules->threshold > 0 ? rules->threshold : ranking->ideal[0];
}

bool dorm__is_relevant(double label, double threshold)
{
  return label > 0 && label >= threshold;
}

double dorm__found_label(const dorm__ranking *ranking, size_t p)
{
  return p < ranking->num_found ? ranking->labels[p] : 0;
}

size_t dorm__count_relevant(size_t num_docs, const double *labels, double threshold)
{
  size_t count = 0;
  for (size_t p = 0; p < num_docs; p++)
    count += dorm__is_relevant(labels[p], threshold);
  return count;
}

void dorm__average_over_ties(const dorm__ranking *ranking, double *values)
{
  for (size_t begin = 0; begin < ranking->num_docs; begin = ranking->tie_end[begin]) {
    size_t end = ranking->tie_end[begin];
    if (end == begin + 1)
      continue;
    double sum = 0;
    for (size_t p = begin; p < end; p++)
      sum += values[p];
    for (size_t p = begin; p < end; p++)
      values[p] = sum / (double)(end - begin);
  }
}

/* ---- The DCG family --------------------------------------------------------- */

static double ideal_dcg(const dorm__conventions *rules, const dorm__ranking *ranking, size_t last)
{
  double sum = 0;
  for (size_t p = 0; p < last; p++)
    sum += gain_of(rules, ranking->ideal[p]) / discount_of(rules, p);
  return sum;
}

static double dcg(const dorm__conventions *rules, const dorm__ranking *ranking, size_t last)
{
  double sum = 0;
  for (size_t p = 0; p < ranking->num_docs; p++)
    ranking->gains[p] = gain_of(rules, dorm__found_label(ranking, p));
  dorm__average_over_ties(ranking, ranking->gains);
  for (size_t p = 0; p < last; p++)
    sum += ranking->gains[p] / discount_of(rules, p);
  return sum;
}

static double ndcg_at(const dorm__conventions *rules, const dorm__ranking *ranking, size_t last, bool *is_empty)
{
  double best = ideal_dcg(rules, ranking, last);
  *is_empty = best <= 0;
  return *is_empty ? 0 : dcg(rules, ranking, last) / best;
}

double dorm__value_dcg(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty)
{
  *is_empty = ranking->ideal[0] <= 0;
  return dcg(rules, ranking, depth(rules, ranking->num_docs));
}

double dorm__value_ndcg(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty)
{
  double value = ndcg_at(rules, ranking, depth(rules, ranking->num_docs), is_empty);
  return rules->short_is_0 && ranking->num_docs < rules->truncation ? 0 : value;
}

double dorm__value_mean_ndcg(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty)
{
  *is_empty = ranking->ideal[0] <= 0;
  if (*is_empty)
    return 0;
  dcg(rules, ranking, 0); /* only for the gains */
  double sum = 0;
  double reached = 0;
  double best = 0;
  for (size_t p = 0; p < ranking->num_docs; p++) {
    reached += ranking->gains[p] / discount_of(rules, p);
    best += gain_of(rules, ranking->ideal[p]) / discount_of(rules, p);
    sum += reached / best;
  }
  return sum / (double)ranking->num_docs;
}

double dorm__value_mwta(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty)
{
  size_t next_level = 1;
  while (next_level < ranking->num_docs && ranking->ideal[next_level] == ranking->ideal[0])
    next_level++;
  size_t last = next_level < 3 ? 3 : next_level + 1;
  return ndcg_at(rules, ranking, last < ranking->num_docs ? last : ranking->num_docs, is_empty);
}

double dorm__value_eru(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty)
{
  double sum = 0;
  double best = 0;
  for (size_t p = 0; p < ranking->num_docs; p++)
    ranking->gains[p] = fmax(dorm__found_label(ranking, p) - rules->neutral, 0);
  dorm__average_over_ties(ranking, ranking->gains);
  for (size_t p = 0; p < ranking->num_docs; p++) {
    double reached_by = exp2(-(double)p / (rules->half_life - 1));
    sum += ranking->gains[p] * reached_by;
    best += fmax(ranking->ideal[p] - rules->neutral, 0) * reached_by;
  }
  *is_empty = best <= 0;
  return rules->is_normalised && best > 0 ? sum / best : sum;
}

/* ---- Relevant or not ---------------------------------------------------------- */

double dorm__value_wta(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty)
{
  (void)rules;
  *is_empty = ranking->ideal[0] <= 0;
  if (!ranking->num_found)
    return 0;
  size_t first_tie = ranking->tie_end[0];
  return (double)dorm__count_relevant(first_tie, ranking->labels, ranking->ideal[0]) / (double)first_tie;
}

/* The expected number of relevant documents in the first k. */
static double relevant_in_front(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty)
{
  double threshold = dorm__relevant_from(rules, ranking);
  size_t last = depth(rules, ranking->num_docs);
  double sum = 0;
  *is_empty = !dorm__is_relevant(ranking->ideal[0], threshold);
  for (size_t p = 0; p < ranking->num_docs; p++)
    ranking->gains[p] = dorm__is_relevant(dorm__found_label(ranking, p), threshold);
  dorm__average_over_ties(ranking, ranking->gains);
  for (size_t p = 0; p < last; p++)
    sum += ranking->gains[p];
  return sum;
}

double dorm__value_precision(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty)
{
  double found = relevant_in_front(rules, ranking, is_empty);
  return found / (double)(rules->truncation ? rules->truncation : ranking->num_docs);
}

double dorm__value_recall(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty)
{
  double found = relevant_in_front(rules, ranking, is_empty);
  return *is_empty ? 0
                   : found / (double)dorm__count_relevant(ranking->num_docs, ranking->ideal,
                                                          dorm__relevant_from(rules, ranking));
}

double dorm__value_map(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty)
{
  double threshold = dorm__relevant_from(rules, ranking);
  size_t last = depth(rules, ranking->num_docs);
  size_t num_relevant = dorm__count_relevant(ranking->num_docs, ranking->ideal, threshold);
  *is_empty = num_relevant == 0;
  double sum = 0;
  double before = 0; /* relevant documents in earlier ties */
  for (size_t begin = 0; begin < last && begin < ranking->num_found; begin = ranking->tie_end[begin]) {
    size_t size = ranking->tie_end[begin] - begin;
    double relevant = (double)dorm__count_relevant(size, ranking->labels + begin, threshold);
    for (size_t m = 0; relevant > 0 && m < size && begin + m < last; m++) {
      double in_tie = size > 1 ? (double)m * (relevant - 1) / (double)(size - 1) : 0;
      sum += relevant / (double)size * (1 + before + in_tie) / (double)(begin + m + 1);
    }
    before += relevant;
  }
  size_t divisor = rules->divides_by_reachable && last < num_relevant ? last : num_relevant;
  return *is_empty ? 0 : sum / (double)divisor;
}

/* ---- A reader who stops when satisfied ------------------------------------------ */

/* The sum over p < k of the probability to stop at p, divided by p + 1. gains[p] is the probability that the document
 * at p satisfies. */
static double reciprocal_stop(const dorm__conventions *rules, const dorm__ranking *ranking)
{
  size_t last = depth(rules, ranking->num_docs);
  double *fail = ranking->chances; /* fail[m]: probability that m random documents of the tie all fail */
  double still_reading = 1;        /* probability to reach the first document of the tie */
  double sum = 0;
  for (size_t begin = 0; begin < last; begin = ranking->tie_end[begin]) {
    size_t size = ranking->tie_end[begin] - begin;
    fail[0] = 1;
    for (size_t i = 1; i <= size; i++) {
      double own = 1 - ranking->gains[begin + i - 1];
      fail[i] = own * fail[i - 1];
      for (size_t m = i - 1; m >= 1; m--)
        fail[m] += ((double)m / (double)i) * (own * fail[m - 1] - fail[m]);
    }
    for (size_t m = 0; m < size && begin + m < last; m++)
      sum += still_reading * (fail[m] - fail[m + 1]) / (double)(begin + m + 1);
    still_reading *= fail[size];
  }
  return sum;
}

double dorm__value_mrr(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty)
{
  double threshold = dorm__relevant_from(rules, ranking);
  *is_empty = !dorm__is_relevant(ranking->ideal[0], threshold);
  for (size_t p = 0; p < ranking->num_docs; p++)
    ranking->gains[p] = dorm__is_relevant(dorm__found_label(ranking, p), threshold);
  return reciprocal_stop(rules, ranking);
}

double dorm__value_err(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty)
{
  *is_empty = ranking->ideal[0] <= 0;
  if (ranking->ideal[0] > rules->max_label)
    return NAN;
  for (size_t p = 0; p < ranking->num_docs; p++)
    ranking->gains[p] = gain_of(rules, dorm__found_label(ranking, p)) /
                        (rules->linear_gain ? fmax(rules->max_label, 1e-300) : exp2(rules->max_label));
  return reciprocal_stop(rules, ranking);
}

/* ---- Pairs ------------------------------------------------------------------------ */

typedef struct pair_counts {
  double different; /* pairs of different labels */
  double wrong;     /* of these, with the lower label above and different scores */
  double in_ties;   /* of the different ones, with equal scores */
  double tied;      /* pairs with equal scores and any labels */
} pair_counts;

static double pairs_of(size_t count)
{
  return (double)count * ((double)count - 1) / 2;
}

/* The number of pairs of equal labels among labels in falling order. */
static double equal_pairs(size_t num_docs, const double *sorted)
{
  double pairs = 0;
  for (size_t begin = 0, end = 0; begin < num_docs; begin = end) {
    while (end < num_docs && sorted[end] == sorted[begin])
      end++;
    pairs += pairs_of(end - begin);
  }
  return pairs;
}

/* The number of pairs p < q with values[p] < values[q], by a merge sort into falling order. O(count log count) */
static double count_ascents(size_t count, double *values, double *scratch)
{
  if (count < 2)
    return 0;
  size_t half = count / 2;
  double ascents = count_ascents(half, values, scratch) + count_ascents(count - half, values + half, scratch);
  size_t left = 0;
  size_t right = half;
  for (size_t i = 0; i < count; i++) {
    if (right == count || (left < half && values[left] >= values[right])) {
      scratch[i] = values[left++];
    } else {
      scratch[i] = values[right++];
      ascents += (double)(half - left);
    }
  }
  memcpy(values, scratch, count * sizeof *values);
  return ascents;
}

/* Counts pairs of the labels, or of 1 and 0 by relevance. */
static pair_counts count_pairs(const dorm__conventions *rules, const dorm__ranking *ranking)
{
  size_t num_docs = ranking->num_docs;
  double threshold = dorm__relevant_from(rules, ranking);
  pair_counts counts = {0};
  for (size_t p = 0; p < num_docs; p++)
    ranking->gains[p] = rules->has_two_levels ? dorm__is_relevant(ranking->ideal[p], threshold) : ranking->ideal[p];
  counts.different = pairs_of(num_docs) - equal_pairs(num_docs, ranking->gains);
  for (size_t p = 0; p < num_docs; p++)
    ranking->gains[p] = rules->has_two_levels ? dorm__is_relevant(ranking->labels[p], threshold) : ranking->labels[p];
  for (size_t begin = 0; begin < num_docs; begin = ranking->tie_end[begin]) {
    size_t size = ranking->tie_end[begin] - begin;
    double *tie = ranking->gains + begin;
    dorm__sort_values(size, tie); /* so that there is no ascent within the tie */
    counts.tied += pairs_of(size);
    counts.in_ties += pairs_of(size) - equal_pairs(size, tie);
  }
  counts.wrong = count_ascents(num_docs, ranking->gains, ranking->chances);
  return counts;
}

double dorm__value_pair_error(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty)
{
  pair_counts counts = count_pairs(rules, ranking);
  *is_empty = counts.different <= 0;
  return *is_empty ? 0 : (counts.wrong + counts.in_ties / 2) / counts.different;
}

double dorm__value_roc_area(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty)
{
  double error = dorm__value_pair_error(rules, ranking, is_empty);
  return *is_empty ? 0 : 1 - error;
}

double dorm__value_tau(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty)
{
  pair_counts counts = count_pairs(rules, ranking);
  double untied = pairs_of(ranking->num_docs) - counts.tied;
  *is_empty = counts.different <= 0;
  if (*is_empty || untied <= 0)
    return 0;
  return (counts.different - counts.in_ties - 2 * counts.wrong) / sqrt(counts.different * untied);
}
