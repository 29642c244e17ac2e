/*
 * propensities_test.c: the propensities that are estimated from logs of clicks against simulated users, and against
 * values worked out by hand.
 */
#include "tests/unit/clicks_cases.h"

enum { LARGE_QUERIES = 1000, LARGE_DOCS = 20 };

/* Estimates the exponent from clicks of simulated users. */
static double eta_of(dorm_context *context, const dorm_dataset *dataset, dorm_clicks *clicks,
                     dorm_propensity propensity, bool is_free, double *at_five)
{
  clicks_set(context, clicks, dataset,
             (dorm_click_options){.propensity = propensity, .curve = is_free ? DORM_CURVE_FREE : DORM_CURVE_POWER});
  *at_five = dorm_clicks_propensity(clicks, 5);
  return dorm_clicks_eta(clicks);
}

static double estimated_eta(dorm_context *context, const dorm_dataset *dataset, const dorm_click_simulation *simulation,
                            dorm_propensity propensity, bool is_free, double *at_five)
{
  DORM__OWNED(dorm_clicks) *clicks = clicks_simulate(context, dataset, simulation);
  return eta_of(context, dataset, clicks, propensity, is_free, at_five);
}

/* With 10^5 impressions the exponent is estimated within 0.05: by harvesting where two rankers were shown, by
 * regression where every query had one ranking. */
UNIT_TEST_IN(context, exponents_are_found)
{
  enum { ALL = LARGE_QUERIES * LARGE_DOCS };
  static const double etas[] = {0.5, 1, 1.5};
  static double first[ALL], second[ALL];
  const double *given[] = {first, second};
  DORM__OWNED(dorm_dataset) *dataset = clicks_make_data(context, LARGE_QUERIES, LARGE_DOCS);
  clicks_fill_scores(dataset, 0, first);
  clicks_fill_scores(dataset, 1, second);
  for (size_t i = 0; i < sizeof etas / sizeof *etas; i++) {
    dorm_click_simulation simulation = clicks_users(100000, etas[i], 2, given);
    simulation.num_positions = 10;
    simulation.seed = 5 + i;
    double five, truth = pow(5, -etas[i]);
    CU_ASSERT_DOUBLE_EQUAL(estimated_eta(context, dataset, &simulation, DORM_PROPENSITY_HARVEST, false, &five), etas[i],
                           0.05);
    CU_ASSERT_DOUBLE_EQUAL(five, truth, 0.1 * truth);
    estimated_eta(context, dataset, &simulation, DORM_PROPENSITY_HARVEST, true, &five);
    CU_ASSERT_DOUBLE_EQUAL(five, truth, 0.2 * truth);
    CU_ASSERT_DOUBLE_EQUAL(estimated_eta(context, dataset, &simulation, DORM_PROPENSITY_AUTO, false, &five), etas[i],
                           0.05);
    simulation.num_rankers = 1;
    CU_ASSERT_DOUBLE_EQUAL(estimated_eta(context, dataset, &simulation, DORM_PROPENSITY_EM, false, &five), etas[i],
                           0.05);
    CU_ASSERT_DOUBLE_EQUAL(estimated_eta(context, dataset, &simulation, DORM_PROPENSITY_AUTO, false, &five), etas[i],
                           0.05);
  }
}

/* With trust in the top positions harvesting finds too large an exponent, and the affine model the true one. */
UNIT_TEST_IN(context, trust_is_found)
{
  enum { ALL = LARGE_QUERIES * LARGE_DOCS };
  static double first[ALL], second[ALL];
  const double *given[] = {first, second};
  DORM__OWNED(dorm_dataset) *dataset = clicks_make_data(context, LARGE_QUERIES, LARGE_DOCS);
  DORM__OWNED(dorm_dataset) *few = clicks_make_data(context, 300, LARGE_DOCS); /* thousands of looks at a document */
  clicks_fill_scores(dataset, 0, first);
  clicks_fill_scores(dataset, 1, second);
  for (size_t i = 0; i < 3; i++) {
    for (size_t j = 0; i == 2 && j < ALL; j++) { /* rankings that know nothing of labels */
      first[j] = (double)((j + 1) * 7919 % 1013);
      second[j] = (double)((j + 1) * 104729 % 997);
    }
    dorm_click_simulation simulation = clicks_users(1000000, 1, 2, given);
    simulation.num_positions = 10;
    simulation.seed = 21 + i;
    simulation.trust = i ? 0.65 : 0;
    double five;
    const dorm_dataset *shown = i == 2 ? few : dataset;
    DORM__OWNED(dorm_clicks) *clicks = clicks_simulate(context, shown, &simulation);
    CU_ASSERT_DOUBLE_EQUAL(eta_of(context, shown, clicks, DORM_PROPENSITY_AFFINE, false, &five), 1, 0.05);
    CU_ASSERT_DOUBLE_EQUAL(five, (1 - simulation.trust / 5) / 5, 0.015); /* 0.2 without trust, 0.174 with it */
    double harvested = eta_of(context, shown, clicks, DORM_PROPENSITY_HARVEST, false, &five);
    CU_ASSERT(i ? harvested > 1.2 : fabs(harvested - 1) < 0.05);
  }
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
  DORM__FREED char *text = unit_alloc(ALL_MADE, LINE);
  size_t size = 0;
  for (size_t j = 0; j < num_queries * MADE_DOCS; j++) {
    double x = 2 * noise(j, 1) - 1;
    bool is_relevant = noise(j, 2) < (is_seen && fabs(x) > 0.6 ? 0.8 : is_seen ? 0.05 : 0.3);
    size += (size_t)snprintf(text + size, LINE, "%d qid:%zu 1:%.6f", is_relevant ? 2 : 0, j / MADE_DOCS, x);
    size += (size_t)snprintf(text + size, LINE / 2, j % 2 ? " 2:%.6f\n" : "\n", noise(j, 3));
  }
  const char *path = unit_temporary_file(text);
  dorm_read_options options = {.struct_size = sizeof options, .storage = storage};
  return unit_read(context, path, &options);
}

static double regression_eta(dorm_context *context, const dorm_dataset *dataset, size_t num_rankers,
                             const double *const *scores, double eta, bool is_free, double *at_five)
{
  dorm_click_simulation simulation = clicks_users(100000, eta, num_rankers, scores);
  simulation.seed = 9;
  return estimated_eta(context, dataset, &simulation, DORM_PROPENSITY_EM, is_free, at_five);
}

/* Features that say nothing, and two good rankings: the clicks of the documents themselves say what attracts. */
UNIT_TEST_IN(context, documents_have_effects)
{
  static double scores[2][FEW_QUERIES * MADE_DOCS];
  const double *given[] = {scores[0], scores[1]};
  DORM__OWNED(dorm_dataset) *dataset = make_relevance(context, FEW_QUERIES, false, DORM_STORAGE_AUTO);
  for (size_t j = 0; j < FEW_QUERIES * MADE_DOCS; j++)
    for (size_t r = 0; r < 2; r++)
      scores[r][j] = dorm_dataset_label(dataset, j) / 2 + 2 * noise(j, 4 + (double)r);
  for (double eta = 0.5; eta < 2; eta += 0.5) {
    double five;
    CU_ASSERT_DOUBLE_EQUAL(regression_eta(context, dataset, 2, given, eta, false, &five), eta, 0.05);
    CU_ASSERT_DOUBLE_EQUAL(regression_eta(context, dataset, 2, given, eta, true, &five), eta, 0.1);
    CU_ASSERT_DOUBLE_EQUAL(five * pow(5, eta), 1, 0.15);
  }
}

/* One good ranking, and relevance that is not monotone in the feature; the same of sparse rows. */
UNIT_TEST_IN(context, relevance_is_curved)
{
  static double scores[ALL_MADE];
  const double *given[] = {scores};
  DORM__OWNED(dorm_dataset) *dataset = make_relevance(context, MADE_QUERIES, true, DORM_STORAGE_DENSE);
  DORM__OWNED(dorm_dataset) *sparse = make_relevance(context, MADE_QUERIES, true, DORM_STORAGE_SPARSE);
  CU_ASSERT_PTR_NULL(dataset->row_start);
  CU_ASSERT_PTR_NOT_NULL(sparse->row_start);
  for (size_t j = 0; j < ALL_MADE; j++)
    scores[j] = fabs(2 * noise(j, 1) - 1) + 0.5 * noise(j, 4);
  for (double eta = 0.5; eta < 2; eta += 0.5) {
    double five, found = regression_eta(context, dataset, 1, given, eta, false, &five);
    CU_ASSERT_DOUBLE_EQUAL(found, eta, 0.05);
    CU_ASSERT_DOUBLE_EQUAL(regression_eta(context, sparse, 1, given, eta, false, &five), found, 1e-3);
  }
}

/* The exponent that regression finds if a query of `size` documents is beside one of nine. */
static double eta_beside_nine(dorm_context *context, size_t size)
{
  static const char log[] = "a 0 1 100 60\na 1 2 100 20\na 1 1 50 20\nb 0 1 100 30\nb 1 2 100 25\nb 2 3 100 5\n";
  char text[700];
  size_t length = 0;
  for (size_t j = 0; j < size + 9; j++)
    length += (size_t)snprintf(text + length, sizeof text - length, "%d qid:%s 1:0 # docid = %zu\n", j == 0,
                               j < size ? "a" : "b", j < size ? j : j - size);
  DORM__OWNED(dorm_dataset) *dataset = unit_read_text(context, text);
  DORM__OWNED(dorm_clicks) *clicks = clicks_read_log(context, dataset, log);
  clicks_set(context, clicks, dataset, (dorm_click_options){.propensity = DORM_PROPENSITY_EM});
  return dorm_clicks_eta(clicks);
}

/* Regression knows the size of a query by its bin; the bins end at the sizes at which fifths of all documents end. With
 * nine of eleven documents in one query all fifths end at nine, so that both queries are in one bin; with nine of
 * fourteen the first fifth ends at five. */
UNIT_TEST_IN(context, sizes_in_one_bin_are_one_size)
{
  double eta = eta_beside_nine(context, 9);
  CU_ASSERT_DOUBLE_EQUAL(eta_beside_nine(context, 2), eta, 1e-9);
  CU_ASSERT(fabs(eta_beside_nine(context, 5) - eta) > 1e-3);
}

/* ---- Documents that move within blocks of positions ---------------------------------------- */

/* The exponent at which the likelihood is flat for 400 clicks on positions 1 and 2 and 100 clicks on 3 and 4, of which
 * 100 and 50 are on the second one: by bisection. */
static double root_of_two_blocks(void)
{
  double least = 0, most = 10;
  for (size_t i = 0; i < 100; i++) {
    double eta = (least + most) / 2, one = pow(2, -eta), two = pow(4.0 / 3, -eta);
    double slope = log(2) * (100 - 400 * one / (1 + one)) + log(4.0 / 3) * (50 - 100 * two / (1 + two));
    *(slope < 0 ? &least : &most) = eta;
  }
  return least;
}

/* If documents move only within blocks of positions, the blocks have an exponent in common: of rates worked out by
 * hand, whatever the relevance in each block. */
UNIT_TEST_IN(context, blocks_by_hand)
{
  static const dorm_click_options by_harvesting[] = {{.propensity = DORM_PROPENSITY_HARVEST, .curve = DORM_CURVE_POWER},
                                                     {.propensity = DORM_PROPENSITY_HARVEST, .curve = DORM_CURVE_FREE}};
  DORM__OWNED(dorm_dataset) *dataset = unit_read_text(context, clicks_data_text);
  dorm_clicks *clicks =
      clicks_read_log(context, dataset,
                      "a x 1 1000 600\na x 2 1000 300\na y 3 1000 40\na y 4 1000 30\nb x 5 1000 900\nb x 6 1000 750\n"
                      "a z 7 1000 500\n");
  for (int is_free = 0; is_free < 2; is_free++) {
    clicks_set(context, clicks, dataset, by_harvesting[is_free]);
    CU_ASSERT_DOUBLE_EQUAL(dorm_clicks_eta(clicks), 1, 1e-6);
    for (size_t k = 1; k <= 7; k++)
      CU_ASSERT_DOUBLE_EQUAL(dorm_clicks_propensity(clicks, k), 1 / (double)k, 1e-6);
  }
  dorm_clicks_free(clicks);
  /* Ratios 1/3 and 1 of 400 and 100 clicks, whose eta is the root of the slope of the likelihood. */
  clicks = clicks_read_log(context, dataset, "a x 1 1000 300\na x 2 1000 100\na y 3 1000 50\na y 4 1000 50\n");
  for (int is_free = 0; is_free < 2; is_free++) {
    clicks_set(context, clicks, dataset, by_harvesting[is_free]);
    double eta = root_of_two_blocks();
    CU_ASSERT_DOUBLE_EQUAL(dorm_clicks_eta(clicks), eta, 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(dorm_clicks_propensity(clicks, 2), is_free ? 1.0 / 3 : pow(2, -eta), 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(dorm_clicks_propensity(clicks, 3), pow(3, -eta), 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(dorm_clicks_propensity(clicks, 4), is_free ? pow(3, -eta) : pow(4, -eta), 1e-6);
  }
  dorm_clicks_free(clicks);
  /* The first has all clicks of x, y was not clicked: no ratio is known. */
  clicks = clicks_read_log(context, dataset, "a x 1 1000 600\na x 2 1000 0\na y 3 1000 0\na y 4 1000 0\n");
  dorm_click_options options = {.struct_size = sizeof options, .propensity = DORM_PROPENSITY_HARVEST};
  UNIT_BAD_DATA(dorm_clicks_set_propensities(context, clicks, dataset, &options), "no two positions can be compared");
  dorm_clicks_free(clicks);
}

/* Ranks by the first scores; the second scores rotate each block of `size` ranks. */
static void fill_blocks(size_t size, const double *scores, double *first, double *second)
{
  for (size_t j = 0; j < (size_t)LARGE_QUERIES * LARGE_DOCS; j++) {
    size_t rank = clicks_rank(LARGE_DOCS, scores, j);
    first[j] = -(double)rank;
    second[j] = -(double)(rank / size * size + (rank % size + 1) % size);
  }
}

/* The same of simulated users, who saw neighbours swapped or blocks of five rotated. The shown rankings follow
 * the labels, so that the mean relevance of the blocks differs. */
UNIT_TEST_IN(context, blocks_are_found)
{
  enum { ALL = LARGE_QUERIES * LARGE_DOCS };
  static const size_t sizes[] = {2, 5};
  static double scores[ALL], first[ALL], second[ALL];
  const double *given[] = {first, second};
  DORM__OWNED(dorm_dataset) *dataset = clicks_make_data(context, LARGE_QUERIES, LARGE_DOCS);
  clicks_fill_scores(dataset, 2, scores);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    fill_blocks(sizes[i], scores, first, second);
    dorm_click_simulation simulation = clicks_users(100000, 1, 2, given);
    simulation.num_positions = 10;
    simulation.seed = 11 + i;
    double five;
    CU_ASSERT_DOUBLE_EQUAL(estimated_eta(context, dataset, &simulation, DORM_PROPENSITY_HARVEST, false, &five), 1,
                           0.06);
    CU_ASSERT_DOUBLE_EQUAL(estimated_eta(context, dataset, &simulation, DORM_PROPENSITY_AUTO, true, &five), 1, 0.06);
    CU_ASSERT_DOUBLE_EQUAL(five, 0.2, 0.03);
  }
}

/* A position that the other log lacks gets a propensity by its power law. With propensities from a file, it gets the
 * last one. A log that shares with itself keeps its own. */
UNIT_TEST_IN(context, propensities_are_shared)
{
  DORM__OWNED(dorm_dataset) *dataset = unit_read_text(context, clicks_data_text);
  DORM__OWNED(dorm_clicks) *two = clicks_read_log(context, dataset, "a x 1 10 4\na y 2 10 3\n");
  DORM__OWNED(dorm_clicks) *four = clicks_read_log(context, dataset, "a x 1 10 4\na y 2 10 3\na z 4 10 1\n");
  dorm_click_options options = {.struct_size = sizeof options, .propensity = DORM_PROPENSITY_POWER, .eta = 2};
  options.path = unit_temporary_file("0.8\n0.3\n");
  for (int is_file = 0; is_file < 2; is_file++) {
    UNIT_OK(context, dorm_clicks_set_propensities(context, two, dataset, &options));
    for (int time = 0; time < 2; time++) {
      UNIT_OK(context, dorm_clicks_share_propensities(context, two, two));
      UNIT_OK(context, dorm_clicks_share_propensities(context, four, two));
      for (size_t k = 1; k <= 4; k++)
        CU_ASSERT_DOUBLE_EQUAL(dorm_clicks_propensity(four, k), is_file ? k > 1 ? 0.3 : 0.8 : pow((double)k, -2),
                               1e-15);
    }
    CU_ASSERT(is_file ? isnan(dorm_clicks_eta(four)) : dorm_clicks_eta(four) == 2);
    options.propensity = DORM_PROPENSITY_FILE;
  }
}
