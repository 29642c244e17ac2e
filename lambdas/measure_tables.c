/*
 * measure_tables.c: computes the tables a and b of a query for each measure. measures/measure_values.c has the
 * definitions and their sources, and shares no code with this file, so that each checks the other. Positions p count
 * from 0, r is a label, k the truncation. The forms:
 *
 *   product    dcg, ndcg, mean_ndcg, mwta, wta, p, recall, rprec, rbp, eru: the measure is sum_p a[p] b of the
 *              document at p (mean_ndcg: a[p] = 1/discount(p) 1/l sum_{n > p} 1 / (ideal DCG@n))
 *   precisions map: b = relevance, scale = 1 / number of relevant documents, depth = k
 *   first      mrr: b = relevance, depth = k
 *   cascade    err: b = (2^r - 1) / 2^max_label, depth = k
 *   pairs      pair_error, roc_area, tau: b = number of the level, scale = cost of one wrong pair
 *   subtopics  alpha_ndcg, err_ia, subtopic_recall (subtopic_tables.c)
 *
 * With repeats=irrelevant an ideal ranking has the label of the best document of each group. redundancy is minus the
 * number of repeats at p < k: a[p] = 1, and b = 1 for documents that are not repeats.
 */
#include "lambdas/measure_tables.h"
#include "base/spec.h"

#include <math.h>
#include <string.h>

static size_t depth_of(const dorm__measure_rules *rules, size_t num_docs)
{
  return rules->truncation && rules->truncation < num_docs ? rules->truncation : num_docs;
}

static double gain_of(const dorm__measure_rules *rules, double label)
{
  return rules->linear_gain ? label : exp2(label) - 1;
}

static double weight_of(const dorm__measure_rules *rules, size_t position)
{
  double p = (double)position;
  return 1 / (rules->letor_discount ? fmax(1, log2(p + 1)) : log2(p + 2));
}

/* ---- The product form --------------------------------------------------------- */

/* Fills the tables of DCG at `depth`, with gains divided by `divisor`. */
static void fill_discounted(const dorm__measure_rules *rules, const double *labels, double divisor, size_t depth,
                            double *a, double *b, dorm__target_query *made)
{
  for (size_t p = 0; p < depth; p++)
    a[p] = weight_of(rules, p);
  for (size_t j = 0; divisor > 0 && j < made->num_docs; j++)
    b[j] = gain_of(rules, labels[j]) / divisor;
  made->depth = depth;
}

static double ideal_dcg(const dorm__measure_rules *rules, const double *ideal, size_t depth)
{
  double sum = 0;
  for (size_t p = 0; p < depth; p++)
    sum += gain_of(rules, ideal[p]) * weight_of(rules, p);
  return sum;
}

static void fill_dcg(const dorm__measure_rules *rules, const double *labels, const double *ideal, double *a, double *b,
                     dorm__target_query *made)
{
  (void)ideal;
  fill_discounted(rules, labels, 1, depth_of(rules, made->num_docs), a, b, made);
}

static void fill_ndcg(const dorm__measure_rules *rules, const double *labels, const double *ideal, double *a, double *b,
                      dorm__target_query *made)
{
  size_t depth = depth_of(rules, made->num_docs);
  bool counts = !rules->short_is_0 || made->num_docs >= rules->truncation;
  fill_discounted(rules, labels, counts ? ideal_dcg(rules, ideal, depth) : 0, depth, a, b, made);
}

static void fill_mean_ndcg(const dorm__measure_rules *rules, const double *labels, const double *ideal, double *a,
                           double *b, dorm__target_query *made)
{
  size_t num_docs = made->num_docs;
  made->depth = num_docs;
  if (ideal[0] <= 0)
    return;
  double best = 0;
  for (size_t p = 0; p < num_docs; p++) {
    best += gain_of(rules, ideal[p]) * weight_of(rules, p);
    a[p] = 1 / (best * (double)num_docs);
    b[p] = gain_of(rules, labels[p]);
  }
  for (size_t p = num_docs; p-- > 0;) {
    double above = p + 1 < num_docs ? a[p + 1] : 0;
    a[p] += above; /* the sum over n > p */
  }
  for (size_t p = 0; p < num_docs; p++)
    a[p] *= weight_of(rules, p);
}

static void fill_mwta(const dorm__measure_rules *rules, const double *labels, const double *ideal, double *a, double *b,
                      dorm__target_query *made)
{
  size_t next_level = 1;
  while (next_level < made->num_docs && ideal[next_level] == ideal[0])
    next_level++;
  size_t depth = next_level < 3 ? 3 : next_level + 1;
  if (depth > made->num_docs)
    depth = made->num_docs;
  fill_discounted(rules, labels, ideal_dcg(rules, ideal, depth), depth, a, b, made);
}

static void fill_eru(const dorm__measure_rules *rules, const double *labels, const double *ideal, double *a, double *b,
                     dorm__target_query *made)
{
  double best = 0;
  for (size_t p = 0; p < made->num_docs; p++) {
    a[p] = exp2(-(double)p / (rules->half_life - 1));
    best += fmax(ideal[p] - rules->neutral, 0) * a[p];
  }
  for (size_t j = 0; best > 0 && j < made->num_docs; j++)
    b[j] = fmax(labels[j] - rules->neutral, 0) / (rules->is_normalised ? best : 1);
  made->depth = made->num_docs;
}

/* Fills b with the relevance of each document. Returns the number of relevant documents in an ideal ranking. */
static size_t fill_relevance(double threshold, const double *labels, const double *ideal, size_t num_docs, double *b)
{
  size_t count = 0;
  double least = threshold > 0 ? threshold : ideal[0];
  for (size_t j = 0; j < num_docs; j++) {
    b[j] = labels[j] > 0 && labels[j] >= least;
    count += ideal[j] > 0 && ideal[j] >= least;
  }
  return count;
}

static void fill_wta(const dorm__measure_rules *rules, const double *labels, const double *ideal, double *a, double *b,
                     dorm__target_query *made)
{
  (void)rules;
  fill_relevance(0, labels, ideal, made->num_docs, b);
  a[0] = 1;
  made->depth = 1;
}

static void fill_precision(const dorm__measure_rules *rules, const double *labels, const double *ideal, double *a,
                           double *b, dorm__target_query *made)
{
  fill_relevance(rules->threshold, labels, ideal, made->num_docs, b);
  made->depth = depth_of(rules, made->num_docs);
  for (size_t p = 0; p < made->depth; p++)
    a[p] = 1 / (double)(rules->truncation ? rules->truncation : made->num_docs);
}

static void fill_recall(const dorm__measure_rules *rules, const double *labels, const double *ideal, double *a,
                        double *b, dorm__target_query *made)
{
  size_t count = fill_relevance(rules->threshold, labels, ideal, made->num_docs, b);
  made->depth = depth_of(rules, made->num_docs);
  for (size_t p = 0; count && p < made->depth; p++)
    a[p] = 1 / (double)count;
}

static void fill_r_precision(const dorm__measure_rules *rules, const double *labels, const double *ideal, double *a,
                             double *b, dorm__target_query *made)
{
  made->depth = fill_relevance(rules->threshold, labels, ideal, made->num_docs, b);
  for (size_t p = 0; p < made->depth; p++)
    a[p] = 1 / (double)made->depth;
}

static void fill_rbp(const dorm__measure_rules *rules, const double *labels, const double *ideal, double *a, double *b,
                     dorm__target_query *made)
{
  fill_relevance(rules->threshold, labels, ideal, made->num_docs, b);
  made->depth = made->num_docs;
  for (size_t p = 0; p < made->depth; p++)
    a[p] = (1 - rules->persistence) * pow(rules->persistence, (double)p);
}

static void fill_redundancy(const dorm__measure_rules *rules, const double *labels, const double *ideal, double *a,
                            double *b, dorm__target_query *made)
{
  (void)labels, (void)ideal;
  made->depth = depth_of(rules, made->num_docs);
  for (size_t p = 0; p < made->depth; p++)
    a[p] = 1;
  for (size_t j = 0; j < made->num_docs; j++)
    b[j] = 1;
}

/* ---- Precisions, first, cascade --------------------------------------------------- */

static void fill_map(const dorm__measure_rules *rules, const double *labels, const double *ideal, double *a, double *b,
                     dorm__target_query *made)
{
  (void)a;
  size_t count = fill_relevance(rules->threshold, labels, ideal, made->num_docs, b);
  made->depth = depth_of(rules, made->num_docs);
  size_t divisor = rules->divides_by_reachable && made->depth < count ? made->depth : count;
  made->scale = divisor ? 1 / (double)divisor : 0;
}

static void fill_mrr(const dorm__measure_rules *rules, const double *labels, const double *ideal, double *a, double *b,
                     dorm__target_query *made)
{
  (void)a;
  fill_relevance(rules->threshold, labels, ideal, made->num_docs, b);
  made->depth = depth_of(rules, made->num_docs);
  made->scale = 1;
}

static void fill_err(const dorm__measure_rules *rules, const double *labels, const double *ideal, double *a, double *b,
                     dorm__target_query *made)
{
  (void)a;
  for (size_t j = 0; j < made->num_docs; j++)
    b[j] = ideal[0] > rules->max_label ? NAN : (exp2(labels[j]) - 1) / exp2(rules->max_label);
  made->depth = depth_of(rules, made->num_docs);
  made->scale = 1;
}

/* ---- Pairs -------------------------------------------------------------------------- */

/* Fills b with the number of each document's level. Sets the scale to `share` / number of pairs of different levels. */
static void fill_levels(const dorm__measure_rules *rules, const double *labels, const double *ideal, double *b,
                        double share, dorm__target_query *made)
{
  size_t num_docs = made->num_docs;
  double different = 0;
  if (rules->has_two_levels) {
    size_t count = fill_relevance(rules->threshold, labels, ideal, num_docs, b);
    different = (double)count * (double)(num_docs - count);
    made->num_levels = 2;
  } else {
    size_t level = 0; /* counted from the largest label, reversed below */
    for (size_t begin = 0, end = 0; begin < num_docs; begin = end, level++) {
      while (end < num_docs && ideal[end] == ideal[begin])
        end++;
      different += (double)(end - begin) * (double)(num_docs - end);
      for (size_t j = 0; j < num_docs; j++)
        if (labels[j] == ideal[begin])
          b[j] = (double)level;
    }
    made->num_levels = level;
    for (size_t j = 0; j < num_docs; j++)
      b[j] = (double)(level - 1) - b[j];
  }
  made->depth = num_docs;
  made->scale = different > 0 ? share / different : 0;
}

static void fill_pairs(const dorm__measure_rules *rules, const double *labels, const double *ideal, double *a,
                       double *b, dorm__target_query *made)
{
  (void)a;
  fill_levels(rules, labels, ideal, b, 1, made);
}

/* Fills the tables of tau-b = (different - 2 wrong) / sqrt(different untied). A ranking has no ties. */
static void fill_tau(const dorm__measure_rules *rules, const double *labels, const double *ideal, double *a, double *b,
                     dorm__target_query *made)
{
  (void)a;
  double untied = (double)made->num_docs * ((double)made->num_docs - 1) / 2;
  fill_levels(rules, labels, ideal, b, 1, made);
  made->scale = made->scale > 0 ? 2 / sqrt(untied / made->scale) : 0;
}

static const dorm__measure_tables tables[] = {
    {"ndcg", DORM__TARGET_PRODUCT, fill_ndcg, NULL, true, true},
    {"dcg", DORM__TARGET_PRODUCT, fill_dcg, NULL, true, false},
    {"mean_ndcg", DORM__TARGET_PRODUCT, fill_mean_ndcg, NULL, false, false},
    {"mwta", DORM__TARGET_PRODUCT, fill_mwta, NULL, true, true},
    {"wta", DORM__TARGET_PRODUCT, fill_wta, NULL, true, false},
    {"p", DORM__TARGET_PRODUCT, fill_precision, NULL, true, false},
    {"recall", DORM__TARGET_PRODUCT, fill_recall, NULL, false, false},
    {"eru", DORM__TARGET_PRODUCT, fill_eru, NULL, true, false},
    {"rprec", DORM__TARGET_PRODUCT, fill_r_precision, NULL, false, false},
    {"rbp", DORM__TARGET_PRODUCT, fill_rbp, NULL, false, false},
    {"redundancy", DORM__TARGET_PRODUCT, fill_redundancy, NULL, false, false},
    {"map", DORM__TARGET_PRECISIONS, fill_map, NULL, false, false},
    {"mrr", DORM__TARGET_FIRST, fill_mrr, NULL, false, false},
    {"err", DORM__TARGET_CASCADE, fill_err, NULL, false, false},
    {"pair_error", DORM__TARGET_PAIRS, fill_pairs, NULL, false, false},
    {"roc_area", DORM__TARGET_PAIRS, fill_pairs, NULL, false, false},
    {"tau", DORM__TARGET_PAIRS, fill_tau, NULL, false, false},
    {"alpha_ndcg", DORM__TARGET_SUBTOPICS, NULL, dorm__fill_alpha_ndcg, false, false},
    {"err_ia", DORM__TARGET_SUBTOPICS, NULL, dorm__fill_err_ia, false, false},
    {"subtopic_recall", DORM__TARGET_SUBTOPICS, NULL, dorm__fill_subtopic_recall, false, false},
};

const dorm__measure_tables *dorm__measure_tables_find(const char *name)
{
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    if (strcmp(tables[i].name, name) == 0)
      return &tables[i];
  return NULL;
}

dorm__measure_rules dorm__measure_rules_of(const dorm_measure_info *info, const dorm_loss_value *values)
{
  dorm__measure_rules rules = {0};
  const struct {
    const char *name;
    double *number;
    const char *word; /* the word for which the flag is true */
    bool *flag;
  } rows[] = {
      {"threshold", &rules.threshold, NULL, NULL},
      {"max_label", &rules.max_label, NULL, NULL},
      {"half_life", &rules.half_life, NULL, NULL},
      {"neutral", &rules.neutral, NULL, NULL},
      {"p", &rules.persistence, NULL, NULL},
      {"gain", NULL, "linear", &rules.linear_gain},
      {"discount", NULL, "letor", &rules.letor_discount},
      {"levels", NULL, "two", &rules.has_two_levels},
      {"divide", NULL, "reachable", &rules.divides_by_reachable},
      {"normalised", NULL, "yes", &rules.is_normalised},
      {"alpha", &rules.alpha, NULL, NULL},
      {"repeats", NULL, "irrelevant", &rules.counts_groups_once},
      {"short", NULL, "0", &rules.short_is_0},
  };
  rules.counts_groups_once = strcmp(info->name, "redundancy") == 0;
  for (size_t i = 0; i < info->num_parameters; i++) {
    if (strcmp(info->parameters[i].name, "truncation") == 0)
      rules.truncation = (size_t)values[i].number;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
      if (strcmp(info->parameters[i].name, rows[k].name) != 0)
        continue;
      if (rows[k].number)
        *rows[k].number = values[i].number;
      else
        *rows[k].flag = strcmp(values[i].text, rows[k].word) == 0;
    }
  }
  return rules;
}
