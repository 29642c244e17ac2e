/*
 * blend_test.c: the share of parts such as trees beside a linear model: which differences suffice for another share
 * than the first, and what weights of queries do to the choice. committee_test.c tests folds.
 */
#include "tests/unit/training_cases.h"

#include "training/selection.h"

enum { QUERIES = 24, DOCS = 20, NUM_DOCS = QUERIES * DOCS };

/* Another share than the first has to be better by more than the standard error of its difference, and of those that
 * are, the one with the largest mean is taken. */
UNIT_TEST_IN(context, a_share_has_to_be_better_by_its_error)
{
  static const struct {
    double sums[3], squares[3]; /* of 4 differences each */
    double share;
  } cases[] = {{{0, 0.4, 0.2}, {0, 1.12, 0.0104}, 0.8},   /* means .1 and .05, errors .3 and .006 */
               {{0, 0.4, 0.2}, {0, 0.0412, 0.0104}, 0.2}, /* errors .01 and .006 */
               {{0, 0.4, -0.2}, {0, 1.12, 0.0104}, 0.5}};
  const char *const pairs[] = {"selection.blend", "0.5, 0.2, 0.8", NULL};
  dorm__job job = {.context = context, .settings = training_settings(context, pairs)};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    dorm__trained sides[2] = {{.candidate = {.is_selected = 1}}, {.candidate = {.is_selected = 1}, .num_parts = 1}};
    dorm_training training = {.num_trained = 2, .trained = sides};
    DORM__AT_END(dorm__share_sums_clear) dorm__share_sums sums;
    UNIT_OK(context, dorm__share_sums_new(&job, &sums));
    CU_ASSERT_EQUAL_FATAL(sums.count, 3);
    for (size_t k = 0; k < 3; k++) {
      sums.shares[k].weight = sums.shares[k].square_weights = 4;
      sums.shares[k].sum = cases[i].sums[k];
      sums.shares[k].squares = cases[i].squares[k];
    }
    dorm__blend_choose(&job, &sums, &training);
    UNIT_CLOSE(1 / sides[1].divisor, cases[i].share, 1e-12);
    UNIT_CLOSE(1 / sides[0].divisor, 1 - cases[i].share, 1e-12);
  }
  dorm_settings_free(job.settings);
}

/* Queries of weight 0 do not count in the choice of the share, even if they would change it. */
UNIT_TEST_IN(context, weights_count_in_the_share)
{
  static const char *const of_ridge[] = {"training.trainer", "ridge", NULL};
  const char *const *shares = UNIT_PAIRS(TRAINING_SMALL_TREES, "training.trainer", "ridge, trees", "trees.trees", "30",
                                         "selection.blend", "0.5, 0.1, 0.9");
  enum { FIRST = 4 };
  static double scores[NUM_DOCS];
  double weights[QUERIES];
  dorm__query_of queries[FIRST];
  DORM__OWNED(dorm_dataset) *train = training_artificial_data(context, 1, QUERIES);
  DORM__OWNED(dorm_dataset) *validation = training_artificial_data(context, 2, QUERIES);
  DORM__OWNED(dorm_training) *ridge = training_run(context, of_ridge, DORM_OK, train, NULL);
  UNIT_OK(context, dorm_model_score(context, dorm_training_model(ridge), validation, 1, scores));
  for (size_t q = 0; q < QUERIES; q++) {
    double mean = 0;
    weights[q] = q < FIRST;
    for (size_t j = validation->query_start[q]; j < validation->query_start[q + 1]; j++)
      mean += scores[j] / DOCS;
    for (size_t j = validation->query_start[q]; q >= FIRST && j < validation->query_start[q + 1]; j++)
      validation->labels[j] = scores[j] > mean; /* the linear model ranks these right */
  }
  for (size_t q = 0; q < FIRST; q++)
    queries[q] = (dorm__query_of){validation, q};
  DORM__OWNED(dorm_dataset) *few = unit_gather(context, FIRST, queries);
  DORM__OWNED(dorm_training) *of_few = training_run(context, shares, DORM_OK, train, few);
  DORM__OWNED(dorm_training) *of_all_equal = training_run(context, shares, DORM_OK, train, validation);
  UNIT_OK(context, dorm_dataset_set_weights(context, validation, weights, NULL));
  DORM__OWNED(dorm_training) *of_all_weighted = training_run(context, shares, DORM_OK, train, validation);
  CU_ASSERT_TRUE(training_difference(context, of_few, of_all_weighted, train) == 0);
  CU_ASSERT_TRUE(training_difference(context, of_few, of_all_equal, train) > 0.1);
}
