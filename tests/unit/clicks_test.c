/*
 * clicks_test.c: logs of clicks: what they are merged into, the gains and estimates against their definitions and
 * against simulated users, and what is refused.
 */
#include "tests/unit/clicks_cases.h"

#include "clicks/log.h"

/* Three impressions of a and two of b. */
static const char log_text[] = "a x 1 0\na y 2 1\na z 3 0\na y 1 1\na x 2 0\na z 3 1\nb x 1 0\nb y 2 1\n"
                               "a x 1 1\na y 2 0\nb y 1 1\n";
static const char merged_text[] =
    "a x 1 2 1\na x 2 1 0\na y 1 1 1\na y 2 2 1\na z 3 2 1\nb x 1 1 0\nb y 1 1 1\nb y 2 1 1\n";

/* ---- A log worked out by hand ----------------------------------------------------------- */

static void check_gains(const char *text, const double *expected)
{
  DORM__OWNED(dorm_context) *context = unit_context();
  DORM__OWNED(dorm_dataset) *dataset = unit_read_text(context, clicks_data_text);
  DORM__OWNED(dorm_clicks) *clicks = clicks_read_log(context, dataset, text);
  CU_ASSERT_EQUAL(dorm_clicks_num_impressions(clicks), 5);
  CU_ASSERT_EQUAL(dorm_clicks_num_clicks(clicks), 6);
  CU_ASSERT_EQUAL(dorm_clicks_num_positions(clicks), 3);
  CU_ASSERT_EQUAL(dorm_clicks_num_moved(clicks), 3);
  CU_ASSERT_EQUAL(dorm__clicks_on_moved(clicks), 1 + 2 + 2); /* of x and y of a, and of y of b */
  for (size_t j = 0; j < clicks->num_docs; j++)
    for (size_t i = clicks->cell_start[j]; i < clicks->cell_start[j + 1]; i++) {
      CU_ASSERT_EQUAL(clicks->cells[i].doc, j);
      CU_ASSERT_TRUE(i == clicks->cell_start[j] || clicks->cells[i - 1].position < clicks->cells[i].position);
    }
  clicks_set(context, clicks, dataset, (dorm_click_options){.propensity = DORM_PROPENSITY_POWER, .eta = 1});
  CU_ASSERT_DOUBLE_EQUAL(dorm_clicks_propensity(clicks, 3), 1.0 / 3, 1e-15);
  CU_ASSERT(isnan(dorm_clicks_propensity(clicks, 0)) && isnan(dorm_clicks_propensity(clicks, 4)));
  UNIT_OK(context, dorm_dataset_set_clicks(context, dataset, clicks));
  for (size_t j = 0; j < 6; j++)
    CU_ASSERT_DOUBLE_EQUAL(dorm_dataset_label(dataset, j), expected[j], 1e-12);
  CU_ASSERT_EQUAL(dorm_dataset_query_weight(dataset, 0), 3);
  CU_ASSERT_EQUAL(dorm_dataset_query_weight(dataset, 1), 2);
  CU_ASSERT_EQUAL(dorm_dataset_query_weight(dataset, 2), 0);
}

/* The looks at x of a are 1 + 1/2 + 1, at y 1/2 + 1 + 1/2, at z 1/3 + 1/3, at y of b 1/2 + 1. */
UNIT_TEST(gains_by_hand)
{
  static const double expected[] = {1 / 2.5, 2 / 2.0, 1 / (2.0 / 3), 0, 2 / 1.5, 0};
  check_gains(log_text, expected);
  check_gains(merged_text, expected);
}

/* The ranking z, x = y of a and y, x of b; errors by their formulas over the list of impressions. */
UNIT_TEST_IN(context, estimates_by_hand)
{
  static const double scores[] = {1, 1, 2, 0, 1, 0};
  DORM__OWNED(dorm_dataset) *dataset = unit_read_text(context, clicks_data_text);
  DORM__OWNED(dorm_clicks) *clicks = clicks_read_log(context, dataset, log_text);
  dorm_click_evaluation made = {.struct_size = sizeof made};
  double tied = (1 / log2(3) + 0.5) / 2;
  double x = 3 / 2.5, y = 3 / 2.0, z = 3 / (2.0 / 3), other = 2 / 1.5; /* worths; `other`: y of b */
  double t[] = {y * tied, y * tied + z, other, x * tied, other}; /* sums of worths times the new position's weight */
  double d[] = {y, y + z, other, x, other};
  double sum_t = 0, sum_d = 0, squares = 0, snips_squares = 0;
  for (size_t i = 0; i < 5; i++) {
    sum_t += t[i];
    sum_d += d[i];
  }
  for (size_t i = 0; i < 5; i++) {
    squares += pow(t[i] - sum_t / 5, 2);
    snips_squares += pow(t[i] - sum_t / sum_d * d[i], 2);
  }
  clicks_set(context, clicks, dataset, (dorm_click_options){.propensity = DORM_PROPENSITY_POWER, .eta = 1});
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
  CU_ASSERT_DOUBLE_EQUAL(made.ips, (z + 2 * other) / 5, 1e-12);
}

/* LightGBM's .position files: positions from 0 or from 1, clicks are labels above 0, and places may be shared. */
UNIT_TEST_IN(context, positions_beside_labels)
{
  static const char *const logs[] = {"0\n1\n0\n2\n0\n0\n", "1\n2\n1\n3\n1\n1\n"};
  DORM__OWNED(dorm_dataset) *dataset = unit_read_text(context, clicks_data_text);
  for (size_t i = 0; i < 2; i++) {
    DORM__OWNED(dorm_clicks) *clicks = clicks_read_log(context, dataset, logs[i]);
    CU_ASSERT_EQUAL(dorm_clicks_num_impressions(clicks), 3);
    CU_ASSERT_EQUAL(dorm_clicks_num_clicks(clicks), 4);
    CU_ASSERT_EQUAL(dorm_clicks_num_positions(clicks), 3);
    for (size_t j = 0; j < 6; j++) {
      CU_ASSERT_EQUAL(clicks->cells[j].position, (size_t)(logs[0][2 * j] - '0'));
      CU_ASSERT_EQUAL(clicks->cells[j].clicks, dorm_dataset_label(dataset, j) > 0);
    }
  }
}

/* ---- Simulated users ---------------------------------------------------------------------- */

enum { QUERIES = 20, DOCS = 8 };

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
 * with the true propensities, and far from it with others; the standard errors over impressions have the size of the
 * spread of the estimates. */
UNIT_TEST_IN(context, estimates_have_no_bias)
{
  enum { LOGS = 1000, IMPRESSIONS = 100, TOP = 5, CASES = 3 };
  static const double etas[CASES] = {0.8, 0, 1.2};
  DORM__OWNED(dorm_dataset) *dataset = clicks_make_data(context, QUERIES, DOCS);
  double rankers[2][QUERIES * DOCS], scores[QUERIES * DOCS];
  const double *given[] = {rankers[0], rankers[1]};
  mean_of means[CASES] = {{0}};
  clicks_fill_scores(dataset, 0, rankers[0]);
  clicks_fill_scores(dataset, 1, rankers[1]);
  clicks_fill_scores(dataset, 2, scores);
  dorm_click_simulation simulation = clicks_users(IMPRESSIONS, 0.8, 2, given);
  simulation.is_merged = 0;
  for (uint64_t log = 0; log < LOGS; log++) {
    simulation.seed = log;
    DORM__OWNED(dorm_clicks) *clicks = clicks_simulate(context, dataset, &simulation);
    for (size_t i = 0; i < CASES; i++) {
      dorm_click_evaluation made = {.struct_size = sizeof made};
      clicks_set(context, clicks, dataset, (dorm_click_options){.propensity = DORM_PROPENSITY_POWER, .eta = etas[i]});
      UNIT_OK(context, dorm_clicks_evaluate(context, clicks, dataset, scores, NULL, TOP, &made));
      add_estimate(&means[i], made.ips, made.ips_error_impressions);
    }
  }
  double truth = clicks_true_dcg(dataset, DOCS, scores, TOP);
  for (size_t i = 0; i < CASES; i++) {
    double mean = means[i].sum / LOGS, deviation = sqrt((means[i].squares / LOGS - mean * mean) * LOGS / (LOGS - 1));
    double away = fabs(mean - truth) / (deviation / sqrt(LOGS));
    bool is_good = i == 0 ? away < 2 : away > 10;
    if (!is_good)
      printf("case %zu: mean %g of a true DCG %g, %.2f standard errors\n", i, mean, truth, away);
    CU_ASSERT(is_good);
    CU_ASSERT_DOUBLE_EQUAL(means[i].errors / LOGS / deviation, 1, 0.1);
  }
}

/* Users of the cascade model click once at most; the rates of clicks equal the chances above them. */
UNIT_TEST_IN(context, cascades_end_at_a_click)
{
  DORM__OWNED(dorm_dataset) *dataset = unit_read_text(context, "2 qid:a 1:1\n0 qid:a 1:2\n1 qid:a 1:3\n");
  static const double scores[] = {1, 2, 3};
  const double *given[] = {scores};
  dorm_click_simulation simulation = clicks_users(100000, 0, 1, given);
  simulation.model = DORM_CLICK_MODEL_CASCADE;
  simulation.epsilon = 0.25;
  DORM__OWNED(dorm_clicks) *clicks = clicks_simulate(context, dataset, &simulation);
  clicks_set(context, clicks, dataset, (dorm_click_options){.propensity = DORM_PROPENSITY_POWER, .eta = 0});
  UNIT_OK(context, dorm_dataset_set_clicks(context, dataset, clicks));
  CU_ASSERT_DOUBLE_EQUAL(dorm_dataset_label(dataset, 2), 0.5, 0.01); /* 1/4 + 3/4 1/3 */
  CU_ASSERT_DOUBLE_EQUAL(dorm_dataset_label(dataset, 1), 0.5 * 0.25, 0.01);
  CU_ASSERT_DOUBLE_EQUAL(dorm_dataset_label(dataset, 0), 0.5 * 0.75, 0.01);
}

/* ---- What is refused ---------------------------------------------------------------------- */

UNIT_TEST_IN(context, bad_logs_are_refused)
{
  static const unit_refusal logs[] = {
      {"a x 1 0\nd x 1 0\n", ":2: there is no query 'd' in "},
      {"a x 1 0\nb z 1 0\n", ":2: there is no document 'z' in query 'b' of "},
      {"a x 1 2\n", ":1: the click '2' is not a whole number from 0 to 1"},
      {"a x 0 1\n", ":1: the position '0' is not a whole number from 1"},
      {"a x 1.5 1\n", ":1: the position '1.5'"},
      {"a x 1 0\na y 2 0\na x 1 0\na y 2 1\na x 3 1\n",
       ":5: the document 'x' is at position 3, but this impression has it at position 1 already"},
      {"a x 1 0\na y 2\n", ":2: 3 words, but the lines before have 4"},
      {"a x 1\n", ":1: 3 words, but a log has 4"},
      {"a\n", ":1: the position 'a' is not a whole number from 0"},
      {"1\n2\n", "2 lines of `position`, but "},
      {"a x 1 3 4\n", ":1: the number of clicks '4' is not a whole number from 0 to 3"},
      {"1 0\n2 1\n", "2 lines of `position click`, but "},
      {"1 0\n2 1\n3 0\n1 0\n2 0\n0 0\n0 0\n", "7 lines of `position click`, but "},
      {"0 1\n", ":1: the click '1' is not a whole number from 0 to 0"},
      {"# nothing\n", "it shows no document"},
      {"a x 1 1\na y 2 1\nb y 1 1\n", "each of its 3 lines has a click"},
      {"a x 1 7 7\nb y 1 2 2\n", "each of its 2 lines has a click"},
  };
  DORM__OWNED(dorm_dataset) *dataset = unit_read_text(context, clicks_data_text);
  for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
    dorm_clicks *clicks = NULL;
    UNIT_BAD_DATA(dorm_clicks_read(context, unit_temporary_file(logs[i].given), dataset, &clicks), logs[i].message);
    CU_ASSERT_PTR_NULL(clicks);
  }
}

UNIT_TEST_IN(context, bad_options_are_refused)
{
  DORM__OWNED(dorm_dataset) *dataset = unit_read_text(context, clicks_data_text);
  dorm_clicks *clicks = clicks_read_log(context, dataset, "1 1\n2 0\n3 0\n1 1\n2 0\n0 0\n");
  dorm_click_options options = {.struct_size = sizeof options, .propensity = DORM_PROPENSITY_HARVEST};
  CU_ASSERT_EQUAL(dorm_clicks_num_impressions(clicks), 2);
  UNIT_BAD_DATA(dorm_clicks_set_propensities(context, clicks, dataset, &options),
                "cannot be estimated by harvesting: 0 documents");
  options.propensity = DORM_PROPENSITY_FILE;
  UNIT_BAD_USAGE(dorm_clicks_set_propensities(context, clicks, dataset, &options), "path");
  options.path = unit_temporary_file("1\n0.5\n");
  UNIT_BAD_DATA(dorm_clicks_set_propensities(context, clicks, dataset, &options), "2 propensities, but");
  options.path = unit_temporary_file("1\n0.5\n0\n");
  UNIT_BAD_DATA(dorm_clicks_set_propensities(context, clicks, dataset, &options),
                ":3: the propensity '0' is not a number from 1e-9 to 1");
  options.eta = 11;
  UNIT_BAD_USAGE(dorm_clicks_set_propensities(context, clicks, dataset, &options), "eta: 11");
  DORM__OWNED(dorm_dataset) *other = unit_read_text(context, "1 qid:a 1:1\n");
  UNIT_BAD_USAGE(dorm_dataset_set_clicks(context, other, clicks), "6 documents of 3 queries");
  dorm_clicks_free(clicks);
  clicks = clicks_read_log(context, dataset, "a x 1 0\n");
  UNIT_BAD_DATA(dorm_dataset_set_clicks(context, dataset, clicks), "no document was clicked");
  dorm_clicks_free(clicks);
}

/* Each number out of its bounds, on either side, beside numbers at their bounds, which are taken. */
UNIT_TEST_IN(context, bad_simulations_are_refused)
{
  static const double scores[] = {1, 2, 3, 1, 2, 1};
  const double *given[] = {scores};
  const dorm_click_simulation good = {
      .struct_size = sizeof good, .num_impressions = 1, .eta = 100, .epsilon = 1, .num_rankers = 1, .scores = given};
  static const struct {
    size_t num_impressions;
    double eta, epsilon;
    const char *message; /* NULL: taken */
  } cases[] = {
      {1, 0, 0, NULL},
      {1, 100, 1, NULL},
      {0, 0, 0, "num_impressions: 0 is not"},
      {1000000001, 0, 0, "num_impressions: 1000000001 is not"},
      {1, -0.1, 0, "eta: -0.1 is not"},
      {1, 100.5, 0, "eta: 100.5 is not"},
      {1, NAN, 0, "eta: nan is not"},
      {1, 0, -0.1, "epsilon: -0.1 is not"},
      {1, 0, 1.5, "epsilon: 1.5 is not"},
  };
  DORM__OWNED(dorm_dataset) *dataset = unit_read_text(context, clicks_data_text);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    dorm_click_simulation asked = good;
    asked.num_impressions = cases[i].num_impressions;
    asked.eta = cases[i].eta;
    asked.epsilon = cases[i].epsilon;
    dorm_status status = dorm_clicks_simulate(context, dataset, &asked, unit_temporary_file(""));
    UNIT_FAILS(context, status, cases[i].message ? DORM_BAD_USAGE : DORM_OK, cases[i].message);
  }
}
