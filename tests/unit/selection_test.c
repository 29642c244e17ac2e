/*
 * selection_test.c: the choice among candidates, the mean of several as one
 * model, the scale of scores and the model's value.
 */
#include "tests/unit/training_cases.h"

#include "training/selection.h"

typedef struct offer {
  double C, validation, error; /* without validation data `validation` is the value on the training data, 0 unknown */
  size_t round;
  double scale;
} offer;

/* Marks among the offers (up to the first without a C of 0 or more) and gives the
 * selected as a string of 0 and 1. */
static const char *marked_with(const char *start, const char *average, bool has_validation, const offer *offers)
{
  static char text[16];
  const char *const pairs[] = {"selection.start", start, "selection.average", average, NULL};
  const double w[1] = {1};
  DORM__OWNED(dorm_context) *context = unit_context();
  DORM__OWNED(dorm_settings) *settings = training_settings(context, pairs);
  DORM__OWNED(dorm_training) *training = NULL;
  UNIT_OK(context, dorm__training_new(context, &training));
  size_t count = 0;
  for (; offers[count].C >= 0; count++) {
    dorm__trained trained = {
        .candidate = {.reference = "mu:1",
                      .position_weights = "loss",
                      .kernel = "linear",
                      .C = offers[count].C,
                      .validation = has_validation ? offers[count].validation : NAN,
                      .validation_error = has_validation ? offers[count].error : NAN,
                      .training = !has_validation && offers[count].validation > 0 ? offers[count].validation : NAN,
                      .round = offers[count].round,
                      .score_scale = offers[count].scale}};
    UNIT_OK(context, dorm__training_add(context, training, &trained, 1, w));
  }
  UNIT_OK(context, dorm__selection_mark(context, settings, has_validation, training));
  for (size_t i = 0; i < count; i++)
    text[i] = dorm_training_candidate(training, i)->is_selected ? '1' : '0';
  text[count] = '\0';
  return text;
}

static const char *marked(const char *average, bool has_validation, const offer *offers)
{
  return marked_with("yes", average, has_validation, offers);
}

UNIT_TEST(the_best_are_averaged)
{
  static const offer offers[] = {{0, 0.7, 0, 0, 1},    {1, 0.6, 0.1, 1, 1}, {10, 0.8, 0.2, 1, 1},
                                 {30, 0.9, 0.3, 1, 0}, {30, 0.7, 0, 2, 5},  {-1, 0, 0, 0, 0}};
  CU_ASSERT_STRING_EQUAL(marked("1", true, offers), "00100");
  CU_ASSERT_STRING_EQUAL(marked("2", true, offers), "10100"); /* of equal ones the first made */
  CU_ASSERT_STRING_EQUAL(marked("3", true, offers), "10101");
  CU_ASSERT_STRING_EQUAL(marked("9", true, offers), "11101");
  CU_ASSERT_STRING_EQUAL(marked_with("no", "2", true, offers), "00101");
  static const offer nothing_but_the_start[] = {{0, 0.7, 0, 0, 1}, {30, 0.9, 0.3, 1, 0}, {-1, 0, 0, 0, 0}};
  CU_ASSERT_STRING_EQUAL(marked_with("no", "2", true, nothing_but_the_start), "10");
}

UNIT_TEST(without_validation_the_latest_rounds_are_taken)
{
  static const offer later[] = {{0, 0, 0, 0, 1},  {1, 0, 0, 1, 1},  {1, 0, 0, 2, 1},  {1, 0, 0, 3, 1},
                                {10, 0, 0, 1, 1}, {10, 0, 0, 2, 0}, {10, 0, 0, 3, 1}, {-1, 0, 0, 0, 0}};
  static const offer first[] = {{0, 0, 0, 0, 1}, {1, 0, 0, 1, 1}, {10, 0, 0, 1, 1}, {10, 0, 0, 2, 0}, {-1, 0, 0, 0, 0}};
  static const offer start[] = {{0, 0, 0, 0, 1}, {1, 0, 0, 1, 0}, {-1, 0, 0, 0, 0}};
  CU_ASSERT_STRING_EQUAL(marked("1", false, later), "0011001");
  CU_ASSERT_STRING_EQUAL(marked("1", false, first), "0110");
  CU_ASSERT_STRING_EQUAL(marked("1", false, start), "10");
}

UNIT_TEST(a_c_that_ends_below_its_start_is_left_out)
{
  static const offer some[] = {{0, .5, 0, 0, 1}, {1, 0, 0, 1, 1},   {1, .4, 0, 2, 1}, {10, 0, 0, 1, 1},
                               {10, 0, 0, 2, 1}, {10, .5, 0, 3, 1}, {-1, 0, 0, 0, 0}};
  static const offer all[] = {{0, .5, 0, 0, 1}, {1, .4, 0, 1, 1}, {0, .6, 0, 0, 1}, {1, .5, 0, 1, 1}, {-1, 0, 0, 0, 0}};
  static const offer starts[] = {
      {0, .5, 0, 0, 1}, {1, .4, 0, 1, 1}, {0, .3, 0, 0, 1}, {1, .4, 0, 1, 1}, {-1, 0, 0, 0, 0}};
  CU_ASSERT_STRING_EQUAL(marked("1", false, some), "000011");
  CU_ASSERT_STRING_EQUAL(marked("1", false, all), "0101");
  CU_ASSERT_STRING_EQUAL(marked("1", false, starts), "0001");
  CU_ASSERT_STRING_EQUAL(marked("9", true, starts), "1111");
}

/* Without validation data and with several C, the start and the last round of each C have the measure of their scores
 * on the training data. */
UNIT_TEST_IN(context, ends_are_measured_on_the_training_data)
{
  static const char *const pairs[] = {"solver.C", "1e-6, 30", "ranking.rounds", "2", NULL};
  static const char *const start_only[] = {"ranking.rounds", "0", NULL};
  DORM__OWNED(dorm_dataset) *dataset = training_artificial_data(context, 3, 60);
  DORM__OWNED(dorm_training) *training = training_run(context, pairs, DORM_OK, dataset, NULL);
  DORM__OWNED(dorm_training) *start = training_run(context, start_only, DORM_OK, dataset, NULL);
  DORM__FREED double *scores = unit_alloc(dorm_dataset_num_docs(dataset), sizeof *scores);
  dorm_evaluation evaluation = {.struct_size = sizeof evaluation};
  UNIT_OK(context, dorm_model_score(context, dorm_training_model(start), dataset, 1, scores));
  UNIT_OK(context, dorm_evaluate(context, "ndcg@10", dataset, scores, NULL, &evaluation));
  double values[5];
  CU_ASSERT_EQUAL_FATAL(dorm_training_num_candidates(training), 5);
  for (size_t i = 0; i < 5; i++)
    values[i] = dorm_training_candidate(training, i)->training;
  CU_ASSERT_DOUBLE_EQUAL(values[0], evaluation.mean, 1e-12);
  CU_ASSERT(isnan(values[1]) && isnan(values[3]));
  CU_ASSERT(values[2] < values[0] && values[0] < values[4]);
  CU_ASSERT_FALSE(dorm_training_candidate(training, 2)->is_selected);
  CU_ASSERT_TRUE(dorm_training_candidate(training, 4)->is_selected);
}
/* A candidate's score of a document from the definition of its features:
 * min-max values, then block times the mid-rank within the query. */
static double score_by_hand(const dorm_dataset *dataset, size_t query, size_t num_docs, size_t doc, double block,
                            const double *w)
{
  double score = 0;
  for (size_t f = 0; f < TRAINING_WIDTH; f++) {
    double own = (double)dorm_dataset_value(dataset, query * num_docs + doc, f);
    double min = INFINITY, max = -INFINITY, above = 0, ties = 0;
    for (size_t j = 0; j < num_docs; j++) {
      double other = (double)dorm_dataset_value(dataset, query * num_docs + j, f);
      min = fmin(min, other);
      max = fmax(max, other);
      above += other > own;
      ties += other == own;
    }
    score += w[f] * (own - min) / (max - min);
    if (block > 0)
      score += w[TRAINING_WIDTH + f] * block * (1 - (above + (ties - 1) / 2) / ((double)num_docs - 1));
  }
  return score;
}

UNIT_TEST_DRAWN(context, random, the_model_is_the_mean_of_the_chosen)
{
  enum { COUNT = 4, QUERIES = 6, DOCS = 9 };
  static const double blocks[COUNT] = {0, 0.25, 0.5, 0.25};
  static const double scales[COUNT] = {0.5, 3, 20, 0.1};
  static const size_t ids[TRAINING_WIDTH] = {1, 2, 3, 4};
  dorm__feature_map map = {.num_ids = TRAINING_WIDTH, .ids = ids, .normalisation = DORM__NORMALISATION_MIN_MAX};
  DORM__OWNED(dorm_settings) *settings = training_settings(context, NULL);
  DORM__OWNED(dorm_dataset) *dataset = training_random_data(context, unit_seed(), QUERIES, DOCS, false);
  for (size_t chosen = 1; chosen < 1U << COUNT; chosen++) {
    DORM__OWNED(dorm_training) *training = NULL;
    double w[COUNT][2 * TRAINING_WIDTH], scores[QUERIES * DOCS];
    UNIT_OK(context, dorm__training_new(context, &training));
    size_t num_chosen = 0;
    for (size_t i = 0; i < COUNT; i++) {
      for (size_t f = 0; f < 2 * TRAINING_WIDTH; f++)
        w[i][f] = scales[i] * dorm__random_normal(random);
      dorm__trained trained = {.candidate = {.reference = "mu:1",
                                             .position_weights = "loss",
                                             .kernel = "linear",
                                             .rank_block = blocks[i],
                                             .score_scale = scales[i],
                                             .is_selected = chosen >> i & 1}};
      num_chosen += chosen >> i & 1;
      UNIT_OK(context, dorm__training_add(context, training, &trained,
                                          blocks[i] > 0 ? 2 * TRAINING_WIDTH : TRAINING_WIDTH, w[i]));
    }
    dorm__selection_share(0.5, training);
    UNIT_OK(context, dorm__selection_model(context, settings, &map, training));
    CU_ASSERT_PTR_NOT_NULL_FATAL(training->model);
    UNIT_OK(context, dorm_model_score(context, training->model, dataset, 1, scores));
    for (size_t q = 0; q < QUERIES; q++) {
      double shift = NAN;
      for (size_t j = 0; j < DOCS; j++) {
        double mean = 0;
        for (size_t i = 0; i < COUNT; i++)
          if (chosen >> i & 1)
            mean += score_by_hand(dataset, q, DOCS, j, blocks[i], w[i]) /
                    (num_chosen > 1 ? scales[i] * (double)num_chosen : 1);
        shift = j ? shift : scores[q * DOCS] - mean;
        CU_ASSERT_TRUE(fabs(scores[q * DOCS + j] - mean - shift) <= 1e-5 * (num_chosen > 1 ? 1 : scales[2]));
      }
    }
  }
}

/* From its definition, and not moved by what no ranking sees. */
UNIT_TEST_IN(context, the_score_scale_is_the_spread_within_queries)
{
  enum { QUERIES = 40, DOCS = 10 };
  static const char *const pairs[] = {"solver.C", "1, 30", "solver.gap", "1e-6", NULL};
  DORM__OWNED(dorm_dataset) *plain = training_random_data(context, unit_seed(), QUERIES, DOCS, false);
  DORM__OWNED(dorm_dataset) *shifted = training_random_data(context, unit_seed(), QUERIES, DOCS, true);
  DORM__OWNED(dorm_dataset) *validation = training_random_data(context, unit_seed() + 1, 20, DOCS, false);
  DORM__OWNED(dorm_training) *one = training_run(context, pairs, DORM_OK, plain, validation);
  DORM__OWNED(dorm_training) *two = training_run(context, pairs, DORM_OK, shifted, validation);
  CU_ASSERT_EQUAL_FATAL(one->num_trained, 3);
  CU_ASSERT_EQUAL_FATAL(two->num_trained, 3);
  for (size_t i = 0; i < 3; i++) {
    double sum = 0;
    for (size_t q = 0; q < QUERIES; q++) {
      double scores[DOCS] = {0}, mean = 0;
      for (size_t j = 0; j < DOCS; j++) {
        for (size_t f = 0; f < TRAINING_WIDTH; f++)
          scores[j] += one->trained[i].w[f] * (double)dorm_dataset_value(plain, q * DOCS + j, f);
        mean += scores[j] / DOCS;
      }
      for (size_t j = 0; j < DOCS; j++)
        sum += (scores[j] - mean) * (scores[j] - mean);
    }
    double scale = one->trained[i].candidate.score_scale;
    CU_ASSERT_TRUE(fabs(scale - sqrt(sum / (QUERIES * DOCS))) <= 1e-9 * scale);
    CU_ASSERT_TRUE(fabs(scale - two->trained[i].candidate.score_scale) <= 1e-3 * scale); /* gaps differ by rounding */
  }
  double start = one->trained[0].candidate.score_scale; /* is solved exactly */
  CU_ASSERT_TRUE(fabs(start - two->trained[0].candidate.score_scale) <= 1e-8 * start);
}

/* Also if the data's memory was taken, and if the model's rank block is smaller than the rank block of the rows left in
 * it. */
UNIT_TEST_IN(context, the_models_value_is_that_of_its_scores)
{
  enum { QUERIES = 30, DOCS = 12, TRIALS = 12 };
  static const char *const blocks[] = {"0, 0.5", "0.1, 2"};
  size_t num_smaller = 0;
  for (size_t trial = 0; trial < TRIALS; trial++) {
    bool is_consuming = trial % 4 != 3;
    const char *const pairs[] = {"data.rank_block", blocks[trial % 2],   "data.normalisation",  "minmax", "solver.C",
                                 "1, 30",           "selection.average", trial % 3 ? "1" : "4", NULL};
    uint64_t seed = unit_seed() + 2 * trial;
    DORM__OWNED(dorm_dataset) *train = training_random_data(context, seed, QUERIES, DOCS, false);
    DORM__OWNED(dorm_dataset) *validation = training_random_data(context, seed + 1, QUERIES, DOCS, false);
    DORM__OWNED(dorm_dataset) *same = training_random_data(context, seed + 1, QUERIES, DOCS, false);
    DORM__OWNED(dorm_settings) *settings = training_settings(context, pairs);
    DORM__OWNED(dorm_training) *training = NULL;
    UNIT_OK(context, is_consuming ? dorm_train_consuming(context, settings, train, validation, &training)
                                  : dorm_train(context, settings, train, validation, &training));
    double scores[QUERIES * DOCS];
    UNIT_OK(context, dorm_model_score(context, dorm_training_model(training), same, 1, scores));
    UNIT_CLOSE(dorm_training_validation(training), unit_evaluate(context, "ndcg@10", same, scores), 1e-12);
    double block;
    dorm__model_linear_weights(dorm_training_model(training), &block);
    num_smaller += is_consuming && trial % 2 && block < 1;
  }
  CU_ASSERT_TRUE(num_smaller > 0); /* else the trials show less than they say */
}
