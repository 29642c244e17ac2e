/*
 * clicks_test.c: logs of clicks: what they are merged into, the gains and estimates against their definitions, the
 * propensities against those of simulated users, and what is refused.
 */
#include "tests/unit/unit.h"

#include "base/base.h"
#include "clicks/clicks.h"
#include "clicks/log.h"
#include "data/data.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* Three queries of 3, 2 and 1 documents, the last one never shown. */
static const char data_text[] = "2 qid:a 1:1 # docid = x\n0 qid:a 1:2 # docid = y\n1 qid:a 1:3 # docid = z\n"
                                "0 qid:b 1:4 # docid = x\n1 qid:b 1:5 # docid = y\n1 qid:c 1:6 # docid = x\n";
/* Three impressions of a and two of b. */
static const char log_text[] = "a x 1 0\na y 2 1\na z 3 0\na y 1 1\na x 2 0\na z 3 1\nb x 1 0\nb y 2 1\n"
                               "a x 1 1\na y 2 0\nb y 1 1\n";
static const char merged_text[] =
    "a x 1 2 1\na x 2 1 0\na y 1 1 1\na y 2 2 1\na z 3 2 1\nb x 1 1 0\nb y 1 1 1\nb y 2 1 1\n";

static dorm_clicks *read_log(dorm_context *context, const dorm_dataset *dataset, const char *text)
{
  dorm_clicks *clicks = NULL;
  const char *path = unit_temporary_file(text);
  UNIT_OK(context, dorm_clicks_read(context, path, dataset, &clicks));
  unlink(path);
  CU_ASSERT_PTR_NOT_NULL_FATAL(clicks);
  return clicks;
}

static void set_power(dorm_context *context, dorm_clicks *clicks, const dorm_dataset *dataset, double eta,
                      dorm_click_gains gains)
{
  dorm_click_options options = {
      .struct_size = sizeof options, .propensity = DORM_PROPENSITY_POWER, .eta = eta, .gains = gains};
  UNIT_OK(context, dorm_clicks_set_propensities(context, clicks, dataset, &options));
}

/* ---- A log worked out by hand ----------------------------------------------------------- */

static void check_gains(const char *text, dorm_click_gains gains, const double *expected)
{
  dorm_context *context = unit_context();
  dorm_dataset *dataset = unit_read_text(context, data_text);
  dorm_clicks *clicks = read_log(context, dataset, text);
  CU_ASSERT_EQUAL(dorm_clicks_num_impressions(clicks), 5);
  CU_ASSERT_EQUAL(dorm_clicks_num_clicks(clicks), 6);
  CU_ASSERT_EQUAL(dorm_clicks_num_positions(clicks), 3);
  CU_ASSERT_EQUAL(dorm_clicks_num_moved(clicks), 3);
  CU_ASSERT_EQUAL(dorm__clicks_on_moved(clicks), 1 + 2 + 2); /* of x and y of a, and of y of b */
  set_power(context, clicks, dataset, 1, gains);
  CU_ASSERT_DOUBLE_EQUAL(dorm_clicks_propensity(clicks, 3), 1.0 / 3, 1e-15);
  CU_ASSERT(isnan(dorm_clicks_propensity(clicks, 0)) && isnan(dorm_clicks_propensity(clicks, 4)));
  UNIT_OK(context, dorm_dataset_set_clicks(context, dataset, clicks));
  for (size_t j = 0; j < 6; j++)
    CU_ASSERT_DOUBLE_EQUAL(dorm_dataset_label(dataset, j), expected[j], 1e-12);
  CU_ASSERT_EQUAL(dorm_dataset_query_weight(dataset, 0), 3);
  CU_ASSERT_EQUAL(dorm_dataset_query_weight(dataset, 1), 2);
  CU_ASSERT_EQUAL(dorm_dataset_query_weight(dataset, 2), 0);
  dorm_clicks_free(clicks);
  dorm_dataset_free(dataset);
  dorm_context_free(context);
}

/* By position: x of a has one click at 1, y one at 2 and one at 1, z one at 3, of three impressions; y of b one at 1
 * and one at 2, of two. By policy: the looks at x of a are 1 + 1/2 + 1, at y 1/2 + 1 + 1/2, at z 1/3 + 1/3, at y of b
 * 1/2 + 1. */
static void gains_by_hand(void)
{
  static const double by_position[] = {1.0 / 3, 1, 1, 0, 1.5, 0};
  static const double by_policy[] = {1 / 2.5, 2 / 2.0, 1 / (2.0 / 3), 0, 2 / 1.5, 0};
  check_gains(log_text, DORM_CLICK_GAINS_POSITION, by_position);
  check_gains(log_text, DORM_CLICK_GAINS_POLICY, by_policy);
  check_gains(merged_text, DORM_CLICK_GAINS_POSITION, by_position);
  check_gains(merged_text, DORM_CLICK_GAINS_POLICY, by_policy);
}

/* The ranking z, x = y of a and y, x of b; errors by their formulas over the list of impressions. */
static void estimates_by_hand(void)
{
  static const double scores[] = {1, 1, 2, 0, 1, 0};
  dorm_context *context = unit_context();
  dorm_dataset *dataset = unit_read_text(context, data_text);
  dorm_clicks *clicks = read_log(context, dataset, log_text);
  dorm_click_evaluation made = {.struct_size = sizeof made};
  double tied = (1 / log2(3) + 0.5) / 2;
  double t[] = {2 * tied, tied + 3, 2, tied, 1}; /* sums of clicks / propensity times the new position's weight */
  double d[] = {2, 4, 2, 1, 1};
  double sum_t = 0, sum_d = 0, squares = 0, snips_squares = 0;
  for (size_t i = 0; i < 5; i++) {
    sum_t += t[i];
    sum_d += d[i];
  }
  for (size_t i = 0; i < 5; i++) {
    squares += pow(t[i] - sum_t / 5, 2);
    snips_squares += pow(t[i] - sum_t / sum_d * d[i], 2);
  }
  set_power(context, clicks, dataset, 1, DORM_CLICK_GAINS_POSITION);
  UNIT_OK(context, dorm_clicks_evaluate(context, clicks, dataset, scores, NULL, 0, &made));
  CU_ASSERT_EQUAL(made.num_impressions, 5);
  CU_ASSERT_EQUAL(made.num_queries, 2);
  CU_ASSERT_DOUBLE_EQUAL(made.ips, sum_t / 5, 1e-12);
  CU_ASSERT_DOUBLE_EQUAL(made.snips, sum_t / sum_d, 1e-12);
  CU_ASSERT_DOUBLE_EQUAL(made.ips_error_impressions, sqrt(5.0 / 4 * squares) / 5, 1e-12);
  CU_ASSERT_DOUBLE_EQUAL(made.snips_error_impressions, sqrt(5.0 / 4 * snips_squares) / sum_d, 1e-12);
  double a = t[0] + t[1] + t[3] - 3 * sum_t / 5, b = t[2] + t[4] - 2 * sum_t / 5; /* the residuals of the queries */
  CU_ASSERT_DOUBLE_EQUAL(made.ips_error, sqrt(2 * (a * a + b * b)) / 5, 1e-12);
  UNIT_OK(context, dorm_clicks_evaluate(context, clicks, dataset, scores, scores, 0, &made));
  CU_ASSERT_DOUBLE_EQUAL(made.ips, 0, 1e-12);
  UNIT_OK(context, dorm_clicks_evaluate(context, clicks, dataset, scores, NULL, 1, &made));
  CU_ASSERT_DOUBLE_EQUAL(made.ips, (3.0 + 2 + 1) / 5, 1e-12);
  dorm_clicks_free(clicks);
  dorm_dataset_free(dataset);
  dorm_context_free(context);
}

/* ---- Simulated users ---------------------------------------------------------------------- */

enum { QUERIES = 20, DOCS = 8, LARGE_QUERIES = 1000, LARGE_DOCS = 20 };

static dorm_dataset *make_data(dorm_context *context, size_t num_queries, size_t num_docs)
{
  dorm_artificial parameters = {.struct_size = sizeof parameters,
                                .num_queries = num_queries,
                                .docs_per_query = num_docs,
                                .num_features = 5,
                                .model_seed = 3,
                                .data_seed = 4};
  dorm_dataset *dataset = NULL;
  UNIT_OK(context, dorm_dataset_generate_artificial(context, &parameters, &dataset));
  CU_ASSERT_PTR_NOT_NULL_FATAL(dataset);
  return dataset;
}

/* Scores that have little to do with labels; `by` makes them different. */
static void fill_scores(const dorm_dataset *dataset, double by, double *scores)
{
  for (size_t j = 0; j < dorm_dataset_num_docs(dataset); j++)
    scores[j] = sin(12.9898 * (double)j + by) + 0.2 * by * dorm_dataset_label(dataset, j);
}

static double attraction(double label, double epsilon)
{
  return epsilon + (1 - epsilon) * (pow(2, label) - 1) / 15;
}

/* The true DCG at `top` of the ranking by scores: ranks by counting. */
static double true_dcg(const dorm_dataset *dataset, const double *scores, double epsilon, size_t top)
{
  double sum = 0;
  for (size_t q = 0; q < QUERIES; q++)
    for (size_t j = q * DOCS; j < (q + 1) * DOCS; j++) {
      size_t rank = 0;
      for (size_t other = q * DOCS; other < (q + 1) * DOCS; other++)
        rank += scores[other] > scores[j];
      if (rank < top)
        sum += attraction(dorm_dataset_label(dataset, j), epsilon) / log2((double)rank + 2) / QUERIES;
    }
  return sum;
}

typedef struct mean_of {
  double sum, squares, errors;
} mean_of;

static void add_estimate(mean_of *mean, double value, double error)
{
  mean->sum += value;
  mean->squares += value * value;
  mean->errors += error;
}

/* 1,000 logs of 100 impressions by two rankers: the mean of the estimates is the true DCG within two standard errors
 * with the true propensities, for both kinds of gains, and far from it with others; the standard errors over
 * impressions have the size of the spread of the estimates. */
static void estimates_have_no_bias(void)
{
  enum { LOGS = 1000, IMPRESSIONS = 100, TOP = 5, CASES = 4 };
  static const struct {
    double eta;
    dorm_click_gains gains;
  } cases[CASES] = {{0.8, DORM_CLICK_GAINS_POSITION},
                    {0.8, DORM_CLICK_GAINS_POLICY},
                    {0.0, DORM_CLICK_GAINS_POSITION},
                    {1.2, DORM_CLICK_GAINS_POLICY}};
  dorm_context *context = unit_context();
  dorm_dataset *dataset = make_data(context, QUERIES, DOCS);
  double rankers[2][QUERIES * DOCS], scores[QUERIES * DOCS];
  const double *given[] = {rankers[0], rankers[1]};
  mean_of means[CASES] = {{0}};
  fill_scores(dataset, 0, rankers[0]);
  fill_scores(dataset, 1, rankers[1]);
  fill_scores(dataset, 2, scores);
  dorm_click_simulation simulation = {.struct_size = sizeof simulation,
                                      .num_impressions = IMPRESSIONS,
                                      .eta = 0.8,
                                      .epsilon = 0.1,
                                      .num_rankers = 2,
                                      .scores = given};
  char path[80];
  snprintf(path, sizeof path, "%s", unit_temporary_file(""));
  for (uint64_t log = 0; log < LOGS; log++) {
    dorm_clicks *clicks = NULL;
    simulation.seed = log;
    UNIT_OK(context, dorm_clicks_simulate(context, dataset, &simulation, path));
    UNIT_OK(context, dorm_clicks_read(context, path, dataset, &clicks));
    for (size_t i = 0; clicks && i < CASES; i++) {
      dorm_click_evaluation made = {.struct_size = sizeof made};
      set_power(context, clicks, dataset, cases[i].eta, cases[i].gains);
      UNIT_OK(context, dorm_clicks_evaluate(context, clicks, dataset, scores, NULL, TOP, &made));
      add_estimate(&means[i], made.ips, made.ips_error_impressions);
    }
    dorm_clicks_free(clicks);
  }
  unlink(path);
  double truth = true_dcg(dataset, scores, 0.1, TOP);
  for (size_t i = 0; i < CASES; i++) {
    double mean = means[i].sum / LOGS, deviation = sqrt((means[i].squares / LOGS - mean * mean) * LOGS / (LOGS - 1));
    double away = fabs(mean - truth) / (deviation / sqrt(LOGS));
    bool is_good = i < 2 ? away < 2 : away > 10;
    if (!is_good)
      printf("case %zu: mean %g of a true DCG %g, %.2f standard errors\n", i, mean, truth, away);
    CU_ASSERT(is_good);
    if (cases[i].gains == DORM_CLICK_GAINS_POSITION)
      CU_ASSERT_DOUBLE_EQUAL(means[i].errors / LOGS / deviation, 1, 0.1);
  }
  dorm_dataset_free(dataset);
  dorm_context_free(context);
}

static double estimated_eta(dorm_context *context, const dorm_dataset *dataset, const dorm_click_simulation *simulation,
                            dorm_propensity propensity, bool is_free, double *at_five)
{
  dorm_click_options options = {.struct_size = sizeof options, .propensity = propensity, .is_free = is_free};
  dorm_clicks *clicks = NULL;
  char path[80];
  snprintf(path, sizeof path, "%s", unit_temporary_file(""));
  UNIT_OK(context, dorm_clicks_simulate(context, dataset, simulation, path));
  UNIT_OK(context, dorm_clicks_read(context, path, dataset, &clicks));
  CU_ASSERT_PTR_NOT_NULL_FATAL(clicks);
  UNIT_OK(context, dorm_clicks_set_propensities(context, clicks, dataset, &options));
  double eta = dorm_clicks_eta(clicks);
  *at_five = dorm_clicks_propensity(clicks, 5);
  dorm_clicks_free(clicks);
  unlink(path);
  return eta;
}

/* With 10^5 impressions the exponent is estimated within 0.05: by harvesting where two rankers were shown, by
 * regression where every query had one ranking. */
static void exponents_are_found(void)
{
  enum { ALL = LARGE_QUERIES * LARGE_DOCS };
  static const double etas[] = {0.5, 1, 1.5};
  static double first[ALL], second[ALL];
  const double *given[] = {first, second};
  dorm_context *context = unit_context();
  dorm_dataset *dataset = make_data(context, LARGE_QUERIES, LARGE_DOCS);
  fill_scores(dataset, 0, first);
  fill_scores(dataset, 1, second);
  for (size_t i = 0; i < sizeof etas / sizeof *etas; i++) {
    dorm_click_simulation simulation = {.struct_size = sizeof simulation,
                                        .num_impressions = 100000,
                                        .num_positions = 10,
                                        .eta = etas[i],
                                        .epsilon = 0.1,
                                        .num_rankers = 2,
                                        .scores = given,
                                        .is_merged = 1,
                                        .seed = 5 + i};
    double five, truth = pow(5, -etas[i]);
    CU_ASSERT_DOUBLE_EQUAL(estimated_eta(context, dataset, &simulation, DORM_PROPENSITY_HARVEST, false, &five), etas[i],
                           0.05);
    CU_ASSERT_DOUBLE_EQUAL(five, truth, 0.1 * truth);
    estimated_eta(context, dataset, &simulation, DORM_PROPENSITY_HARVEST, true, &five);
    CU_ASSERT_DOUBLE_EQUAL(five, truth, 0.2 * truth);
    CU_ASSERT_DOUBLE_EQUAL(estimated_eta(context, dataset, &simulation, DORM_PROPENSITY_AUTO, false, &five), etas[i],
                           0.05);
    CU_ASSERT_DOUBLE_EQUAL(estimated_eta(context, dataset, &simulation, DORM_PROPENSITY_CHAIN, false, &five), etas[i],
                           0.15);
    simulation.num_rankers = 1;
    CU_ASSERT_DOUBLE_EQUAL(estimated_eta(context, dataset, &simulation, DORM_PROPENSITY_EM, false, &five), etas[i],
                           0.05);
    CU_ASSERT_DOUBLE_EQUAL(estimated_eta(context, dataset, &simulation, DORM_PROPENSITY_AUTO, false, &five), etas[i],
                           0.05);
  }
  dorm_dataset_free(dataset);
  dorm_context_free(context);
}

/* ---- Regression where a linear model of relevance would not do ------------------------------ */

enum { MADE_QUERIES = 400, FEW_QUERIES = 100, MADE_DOCS = 12, ALL_MADE = MADE_QUERIES * MADE_DOCS };

/* From 0 to 1, with no order to be seen. */
static double noise(size_t i, double by)
{
  double value = 43758.5453 * sin(12.9898 * (double)i + 78.233 * by);
  return value - floor(value);
}

/* Labels 0 and 2, by whether a feature is far from 0 and by chance, or by chance alone. A second feature, which half of
 * the documents lack, is noise. */
static dorm_dataset *make_relevance(dorm_context *context, size_t num_queries, bool is_seen, dorm_storage storage)
{
  enum { LINE = 60 };
  dorm_dataset *dataset = NULL;
  char *text = dorm__alloc(ALL_MADE, LINE);
  CU_ASSERT_PTR_NOT_NULL_FATAL(text);
  size_t size = 0;
  for (size_t j = 0; j < num_queries * MADE_DOCS; j++) {
    double x = 2 * noise(j, 1) - 1;
    bool is_relevant = noise(j, 2) < (is_seen && fabs(x) > 0.6 ? 0.8 : is_seen ? 0.05 : 0.3);
    size += (size_t)snprintf(text + size, LINE, "%d qid:%zu 1:%.6f", is_relevant ? 2 : 0, j / MADE_DOCS, x);
    size += (size_t)snprintf(text + size, LINE / 2, j % 2 ? " 2:%.6f\n" : "\n", noise(j, 3));
  }
  const char *path = unit_temporary_file(text);
  dorm_read_options options = {.struct_size = sizeof options, .storage = storage};
  UNIT_OK(context, dorm_dataset_read_with(context, path, &options, &dataset));
  unlink(path);
  dorm__free(text);
  CU_ASSERT_PTR_NOT_NULL_FATAL(dataset);
  return dataset;
}

static double regression_eta(dorm_context *context, const dorm_dataset *dataset, size_t num_rankers,
                             const double *const *scores, double eta, bool is_free, double *at_five)
{
  dorm_click_simulation simulation = {.struct_size = sizeof simulation,
                                      .num_impressions = 100000,
                                      .eta = eta,
                                      .epsilon = 0.1,
                                      .num_rankers = num_rankers,
                                      .scores = scores,
                                      .is_merged = 1,
                                      .seed = 9};
  return estimated_eta(context, dataset, &simulation, DORM_PROPENSITY_EM, is_free, at_five);
}

/* Features that say nothing, and two good rankings: the clicks of the documents themselves say what attracts. */
static void documents_have_effects(void)
{
  static double scores[2][FEW_QUERIES * MADE_DOCS];
  const double *given[] = {scores[0], scores[1]};
  dorm_context *context = unit_context();
  dorm_dataset *dataset = make_relevance(context, FEW_QUERIES, false, DORM_STORAGE_AUTO);
  for (size_t j = 0; j < FEW_QUERIES * MADE_DOCS; j++)
    for (size_t r = 0; r < 2; r++)
      scores[r][j] = dorm_dataset_label(dataset, j) / 2 + 2 * noise(j, 4 + (double)r);
  for (double eta = 0.5; eta < 2; eta += 0.5) {
    double five;
    CU_ASSERT_DOUBLE_EQUAL(regression_eta(context, dataset, 2, given, eta, false, &five), eta, 0.05);
    CU_ASSERT_DOUBLE_EQUAL(regression_eta(context, dataset, 2, given, eta, true, &five), eta, 0.1);
    CU_ASSERT_DOUBLE_EQUAL(five * pow(5, eta), 1, 0.15);
  }
  dorm_dataset_free(dataset);
  dorm_context_free(context);
}

/* One good ranking, and relevance that is not monotone in the feature; the same of sparse rows. */
static void relevance_is_curved(void)
{
  static double scores[ALL_MADE];
  const double *given[] = {scores};
  dorm_context *context = unit_context();
  dorm_dataset *dataset = make_relevance(context, MADE_QUERIES, true, DORM_STORAGE_DENSE);
  dorm_dataset *sparse = make_relevance(context, MADE_QUERIES, true, DORM_STORAGE_SPARSE);
  CU_ASSERT_PTR_NULL(dataset->row_start);
  CU_ASSERT_PTR_NOT_NULL(sparse->row_start);
  for (size_t j = 0; j < ALL_MADE; j++)
    scores[j] = fabs(2 * noise(j, 1) - 1) + 0.5 * noise(j, 4);
  for (double eta = 0.5; eta < 2; eta += 0.5) {
    double five, found = regression_eta(context, dataset, 1, given, eta, false, &five);
    CU_ASSERT_DOUBLE_EQUAL(found, eta, 0.05);
    CU_ASSERT_DOUBLE_EQUAL(regression_eta(context, sparse, 1, given, eta, false, &five), found, 1e-3);
  }
  dorm_dataset_free(dataset);
  dorm_dataset_free(sparse);
  dorm_context_free(context);
}

/* The exponent that regression finds where a query of `size` documents stands beside one of nine. */
static double eta_beside_nine(dorm_context *context, size_t size)
{
  static const char log[] = "a 0 1 100 60\na 1 2 100 20\na 1 1 50 20\nb 0 1 100 30\nb 1 2 100 25\nb 2 3 100 5\n";
  dorm_click_options options = {.struct_size = sizeof options, .propensity = DORM_PROPENSITY_EM};
  char text[700];
  size_t length = 0;
  for (size_t j = 0; j < size + 9; j++)
    length += (size_t)snprintf(text + length, sizeof text - length, "%d qid:%s 1:0 # docid = %zu\n", j == 0,
                               j < size ? "a" : "b", j < size ? j : j - size);
  dorm_dataset *dataset = unit_read_text(context, text);
  dorm_clicks *clicks = read_log(context, dataset, log);
  UNIT_OK(context, dorm_clicks_set_propensities(context, clicks, dataset, &options));
  double eta = dorm_clicks_eta(clicks);
  dorm_clicks_free(clicks);
  dorm_dataset_free(dataset);
  return eta;
}

/* Regression knows the size of a query by its bin; the bins end at the sizes at which fifths of all documents end. With
 * nine of eleven documents in one query all fifths end at nine, so that both queries are in one bin; with nine of
 * fourteen the first fifth ends at five. */
static void sizes_in_one_bin_are_one_size(void)
{
  dorm_context *context = unit_context();
  double eta = eta_beside_nine(context, 9);
  CU_ASSERT_DOUBLE_EQUAL(eta_beside_nine(context, 2), eta, 1e-9);
  CU_ASSERT(fabs(eta_beside_nine(context, 5) - eta) > 1e-3);
  dorm_context_free(context);
}

/* Where documents move only within blocks of positions, the blocks have an exponent in common: of rates worked out by
 * hand, whatever the relevance in each block. */
static void blocks_by_hand(void)
{
  static const dorm_propensity kinds[] = {DORM_PROPENSITY_HARVEST, DORM_PROPENSITY_CHAIN};
  dorm_context *context = unit_context();
  dorm_dataset *dataset = unit_read_text(context, data_text);
  dorm_clicks *clicks =
      read_log(context, dataset,
               "a x 1 1000 600\na x 2 1000 300\na y 3 1000 40\na y 4 1000 30\nb x 5 1000 900\nb x 6 1000 750\n"
               "a z 7 1000 500\n");
  for (size_t i = 0; i < 4; i++) {
    dorm_click_options options = {.struct_size = sizeof options, .propensity = kinds[i / 2], .is_free = i % 2 == 1};
    UNIT_OK(context, dorm_clicks_set_propensities(context, clicks, dataset, &options));
    CU_ASSERT_DOUBLE_EQUAL(dorm_clicks_eta(clicks), 1, 1e-6);
    for (size_t k = 1; k <= 7; k++)
      CU_ASSERT_DOUBLE_EQUAL(dorm_clicks_propensity(clicks, k), 1 / (double)k, 1e-6);
  }
  dorm_clicks_free(clicks);
  /* Ratios 1/3 and 1 with the weights 200 and 50 of both positions, whose eta is therefore that of a weighted mean. */
  clicks = read_log(context, dataset, "a x 1 1000 300\na x 2 1000 100\na y 3 1000 50\na y 4 1000 50\n");
  for (size_t i = 0; i < 4; i++) {
    dorm_click_options options = {.struct_size = sizeof options, .propensity = kinds[i / 2], .is_free = i % 2 == 1};
    UNIT_OK(context, dorm_clicks_set_propensities(context, clicks, dataset, &options));
    double one = 150.0 * 50 / 200, two = 25.0 * 25 / 50, x = log(2), y = log(4.0 / 3);
    double eta = one * x * log(3) / (one * x * x + two * y * y);
    CU_ASSERT_DOUBLE_EQUAL(dorm_clicks_eta(clicks), eta, 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(dorm_clicks_propensity(clicks, 2), i % 2 ? 1.0 / 3 : pow(2, -eta), 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(dorm_clicks_propensity(clicks, 3), i % 2 ? pow(12, -eta / 2) : pow(3, -eta), 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(dorm_clicks_propensity(clicks, 4), i % 2 ? pow(12, -eta / 2) : pow(4, -eta), 1e-6);
  }
  dorm_clicks_free(clicks);
  /* The first has all clicks of x, y was not clicked: no ratio is known. */
  clicks = read_log(context, dataset, "a x 1 1000 600\na x 2 1000 0\na y 3 1000 0\na y 4 1000 0\n");
  dorm_click_options options = {.struct_size = sizeof options, .propensity = DORM_PROPENSITY_HARVEST};
  UNIT_FAILS(context, dorm_clicks_set_propensities(context, clicks, dataset, &options), DORM_BAD_DATA,
             "no two positions can be compared");
  dorm_clicks_free(clicks);
  dorm_dataset_free(dataset);
  dorm_context_free(context);
}

/* Ranks by the first scores; the second scores rotate each block of `size` ranks. */
static void fill_blocks(size_t size, const double *scores, double *first, double *second)
{
  for (size_t j = 0; j < (size_t)LARGE_QUERIES * LARGE_DOCS; j++) {
    size_t start = j / LARGE_DOCS * LARGE_DOCS, rank = 0;
    for (size_t other = start; other < start + LARGE_DOCS; other++)
      rank += scores[other] > scores[j];
    first[j] = -(double)rank;
    second[j] = -(double)(rank / size * size + (rank % size + 1) % size);
  }
}

/* The same of simulated users, who saw neighbours swapped or blocks of five rotated. The shown rankings follow
 * the labels, so that the mean relevance of the blocks differs. */
static void blocks_are_found(void)
{
  enum { ALL = LARGE_QUERIES * LARGE_DOCS };
  static const size_t sizes[] = {2, 5};
  static double scores[ALL], first[ALL], second[ALL];
  const double *given[] = {first, second};
  dorm_context *context = unit_context();
  dorm_dataset *dataset = make_data(context, LARGE_QUERIES, LARGE_DOCS);
  fill_scores(dataset, 2, scores);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    fill_blocks(sizes[i], scores, first, second);
    dorm_click_simulation simulation = {.struct_size = sizeof simulation,
                                        .num_impressions = 100000,
                                        .num_positions = 10,
                                        .eta = 1,
                                        .epsilon = 0.1,
                                        .num_rankers = 2,
                                        .scores = given,
                                        .is_merged = 1,
                                        .seed = 11 + i};
    double five;
    CU_ASSERT_DOUBLE_EQUAL(estimated_eta(context, dataset, &simulation, DORM_PROPENSITY_HARVEST, false, &five), 1,
                           0.06);
    CU_ASSERT_DOUBLE_EQUAL(estimated_eta(context, dataset, &simulation, DORM_PROPENSITY_AUTO, true, &five), 1, 0.06);
    CU_ASSERT_DOUBLE_EQUAL(five, 0.2, 0.03);
    CU_ASSERT_DOUBLE_EQUAL(estimated_eta(context, dataset, &simulation, DORM_PROPENSITY_CHAIN, false, &five), 1, 0.15);
  }
  dorm_dataset_free(dataset);
  dorm_context_free(context);
}

/* Users of the cascade model click once at most; the rates of clicks are those of the chances above them. */
static void cascades_end_at_a_click(void)
{
  dorm_context *context = unit_context();
  dorm_dataset *dataset = unit_read_text(context, "2 qid:a 1:1\n0 qid:a 1:2\n1 qid:a 1:3\n");
  static const double scores[] = {1, 2, 3};
  const double *given[] = {scores};
  dorm_click_simulation simulation = {.struct_size = sizeof simulation,
                                      .model = DORM_CLICK_MODEL_CASCADE,
                                      .num_impressions = 100000,
                                      .epsilon = 0.25,
                                      .num_rankers = 1,
                                      .scores = given,
                                      .is_merged = 1};
  char path[80];
  dorm_clicks *clicks = NULL;
  snprintf(path, sizeof path, "%s", unit_temporary_file(""));
  UNIT_OK(context, dorm_clicks_simulate(context, dataset, &simulation, path));
  UNIT_OK(context, dorm_clicks_read(context, path, dataset, &clicks));
  CU_ASSERT_PTR_NOT_NULL_FATAL(clicks);
  set_power(context, clicks, dataset, 0, DORM_CLICK_GAINS_POSITION);
  UNIT_OK(context, dorm_dataset_set_clicks(context, dataset, clicks));
  CU_ASSERT_DOUBLE_EQUAL(dorm_dataset_label(dataset, 2), 0.5, 0.01); /* 1/4 + 3/4 1/3 */
  CU_ASSERT_DOUBLE_EQUAL(dorm_dataset_label(dataset, 1), 0.5 * 0.25, 0.01);
  CU_ASSERT_DOUBLE_EQUAL(dorm_dataset_label(dataset, 0), 0.5 * 0.75, 0.01);
  dorm_clicks_free(clicks);
  unlink(path);
  dorm_dataset_free(dataset);
  dorm_context_free(context);
}

/* ---- What is refused ---------------------------------------------------------------------- */

static void bad_logs_are_refused(void)
{
  static const struct {
    const char *text, *message;
  } logs[] = {
      {"a x 1 0\nd x 1 0\n", ":2: there is no query 'd' in "},
      {"a x 1 0\nb z 1 0\n", ":2: there is no document 'z' in query 'b' of "},
      {"a x 1 2\n", ":1: the click '2' is not a whole number from 0 to 1"},
      {"a x 0 1\n", ":1: the position '0' is not a whole number from 1"},
      {"a x 1.5 1\n", ":1: the position '1.5'"},
      {"a x 1 0\na y 2 0\na x 1 0\na y 2 1\na x 3 1\n",
       ":5: the document 'x' is at position 3, but this impression has it at position 1 already"},
      {"1 0\n2 1\n2 0\n1 0\n2 0\n0 0\n", ":3: position 2 of query 'a' has the document 'z', but 'y' before"},
      {"a x 1 0\na y 2\n", ":2: 3 words, but the lines before have 4"},
      {"a\n", ":1: 1 words, but a log has 4"},
      {"a x 1 3 4\n", ":1: the number of clicks '4' is not a whole number from 0 to 3"},
      {"1 0\n2 1\n", "2 lines of `position click`, but "},
      {"1 0\n2 1\n3 0\n1 0\n2 0\n0 0\n0 0\n", "7 lines of `position click`, but "},
      {"0 1\n", ":1: the click '1' is not a whole number from 0 to 0"},
      {"# nothing\n", "it shows no document"},
  };
  dorm_context *context = unit_context();
  dorm_dataset *dataset = unit_read_text(context, data_text);
  for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
    dorm_clicks *clicks = NULL;
    const char *path = unit_temporary_file(logs[i].text);
    UNIT_FAILS(context, dorm_clicks_read(context, path, dataset, &clicks), DORM_BAD_DATA, logs[i].message);
    CU_ASSERT_PTR_NULL(clicks);
    unlink(path);
  }
  dorm_dataset_free(dataset);
  dorm_context_free(context);
}

static void bad_options_are_refused(void)
{
  dorm_context *context = unit_context();
  dorm_dataset *dataset = unit_read_text(context, data_text);
  dorm_clicks *clicks = read_log(context, dataset, "1 1\n2 0\n3 0\n1 1\n2 0\n0 0\n");
  dorm_click_options options = {.struct_size = sizeof options, .propensity = DORM_PROPENSITY_HARVEST};
  CU_ASSERT_EQUAL(dorm_clicks_num_impressions(clicks), 2);
  UNIT_FAILS(context, dorm_clicks_set_propensities(context, clicks, dataset, &options), DORM_BAD_DATA,
             "cannot be estimated by harvesting: 0 documents");
  options.propensity = DORM_PROPENSITY_FILE;
  UNIT_FAILS(context, dorm_clicks_set_propensities(context, clicks, dataset, &options), DORM_BAD_USAGE, "path");
  options.path = unit_temporary_file("1\n0.5\n");
  UNIT_FAILS(context, dorm_clicks_set_propensities(context, clicks, dataset, &options), DORM_BAD_DATA,
             "2 propensities, but");
  unlink(options.path);
  options.path = unit_temporary_file("1\n0.5\n0\n");
  UNIT_FAILS(context, dorm_clicks_set_propensities(context, clicks, dataset, &options), DORM_BAD_DATA,
             ":3: the propensity '0' is not a number from 1e-9 to 1");
  unlink(options.path);
  options.clip = 2;
  UNIT_FAILS(context, dorm_clicks_set_propensities(context, clicks, dataset, &options), DORM_BAD_USAGE, "clip: 2");
  dorm_dataset *other = unit_read_text(context, "1 qid:a 1:1\n");
  UNIT_FAILS(context, dorm_dataset_set_clicks(context, other, clicks), DORM_BAD_USAGE, "6 documents of 3 queries");
  dorm_clicks_free(clicks);
  clicks = read_log(context, dataset, "a x 1 0\n");
  UNIT_FAILS(context, dorm_dataset_set_clicks(context, dataset, clicks), DORM_BAD_DATA, "no document was clicked");
  dorm_clicks_free(clicks);
  dorm_dataset_free(other);
  dorm_dataset_free(dataset);
  dorm_context_free(context);
}

static const unit_test tests[] = {
    {"gains of a log worked out by hand", gains_by_hand},
    {"estimates of a log worked out by hand", estimates_by_hand},
    {"estimates have no bias", estimates_have_no_bias},
    {"exponents are found", exponents_are_found},
    {"documents have effects", documents_have_effects},
    {"relevance is curved", relevance_is_curved},
    {"sizes in one bin are one size", sizes_in_one_bin_are_one_size},
    {"cascades end at a click", cascades_end_at_a_click},
    {"bad logs are refused", bad_logs_are_refused},
    {"bad options are refused", bad_options_are_refused},
    {"blocks by hand", blocks_by_hand},
    {"blocks are found", blocks_are_found},
    {NULL, NULL},
};

const unit_suite clicks_suite = {"clicks", tests};
