/* race_test.c: candidates leave a cross-validation when they are clearly worse than the best one
 * (training/committee.c). */
#include "tests/unit/training_cases.h"
#include "training/folds.h"

enum { FOLDS = 2, CANDIDATES = 5, QUERIES = 30 };

/* A committee whose candidates have random values on the held-out queries, some NaN. */
typedef struct race {
  dorm__committee_member members[FOLDS];
  dorm_training trainings[FOLDS];
  dorm__trained trained[FOLDS][CANDIDATES];
  double values[FOLDS][CANDIDATES][QUERIES], weights[FOLDS][QUERIES];
  dorm__committee committee;
  dorm__fold_sums sums;
} race;

static void draw(dorm__random *random, double step, race *made)
{
  *made = (race){.committee = {.keeps_all = true, .count = FOLDS}};
  made->committee.members = made->members;
  for (size_t k = 0; k < FOLDS; k++) {
    dorm_evaluation counted = {.total_weight = QUERIES, .effective_queries = QUERIES, .num_queries = QUERIES};
    made->trainings[k] = (dorm_training){.num_trained = CANDIDATES, .trained = made->trained[k]};
    made->members[k] = (dorm__committee_member){
        .training = &made->trainings[k], .counted = counted, .num_queries = QUERIES, .weights = made->weights[k]};
    for (size_t q = 0; q < QUERIES; q++) {
      made->weights[k][q] = 1;
      double own = dorm__random_uniform(random);
      for (size_t i = 0; i < CANDIDATES; i++)
        made->values[k][i][q] = own + 0.2 * dorm__random_uniform(random) - step * (double)i;
    }
    for (size_t i = 0; i < CANDIDATES; i++) {
      double sum = 0;
      for (size_t q = 0; q < QUERIES; q++)
        sum += made->values[k][i][q];
      made->trained[k][i].held_out = made->values[k][i];
      made->trained[k][i].candidate.reference = "one";
      made->trained[k][i].candidate.validation = sum / QUERIES;
      made->trained[k][i].candidate.score_scale = 1;
    }
  }
}

/* The t statistic of the textbook, of paired differences with equal weights. */
static double paired_t(const race *made, size_t best, size_t other)
{
  double sum = 0, squares = 0;
  size_t n = 0;
  for (size_t k = 0; k < FOLDS; k++)
    for (size_t q = 0; q < QUERIES; q++) {
      double difference = made->values[k][best][q] - made->values[k][other][q];
      n++;
      sum += difference;
      squares += difference * difference;
    }
  double mean = sum / (double)n, variance = (squares - (double)n * mean * mean) / ((double)n - 1);
  return mean / sqrt(variance / (double)n);
}

static size_t best_of(const race *made)
{
  size_t best = 0;
  for (size_t i = 1; i < CANDIDATES; i++)
    if (made->sums.values[i] > made->sums.values[best])
      best = i;
  return best;
}

UNIT_TEST_DRAWN(context, random, candidates_leave_at_two_standard_errors)
{
  size_t num_left = 0, num_stayed = 0;
  for (size_t trial = 0; trial < 40; trial++) {
    race made;
    draw(random, trial % 2 ? 0.01 : 0.003, &made);
    UNIT_OK(context, dorm__fold_sums_reserve(context, CANDIDATES, &made.sums));
    for (size_t k = 0; k < FOLDS; k++)
      dorm__fold_sums_add(&made.sums, &made.trainings[k], &made.members[k].counted);
    made.trained[0][3].held_out = made.trained[1][3].held_out = NULL; /* it takes no part */
    size_t best = best_of(&made);
    double t[CANDIDATES];
    for (size_t i = 0; i < CANDIDATES; i++)
      t[i] = i == 3 || i == best ? 0 : paired_t(&made, best, i);
    if (best != 3)
      dorm__committee_race(context, &made.committee, &made.sums);
    for (size_t i = 0; best != 3 && i < CANDIDATES; i++) {
      CU_ASSERT_EQUAL(made.sums.has_left[i], t[i] > 2);
      CU_ASSERT_EQUAL(made.trained[0][i].candidate.score_scale, t[i] > 2 ? 0 : 1);
      CU_ASSERT_EQUAL(made.sums.queries[i] > 0, !(t[i] > 2));
      num_left += t[i] > 2;
      num_stayed += !(t[i] > 2);
    }
    dorm__fold_sums_clear(&made.sums);
  }
  CU_ASSERT_TRUE(num_left > 20 && num_stayed > 20);
}

/* A candidate that has left has no value and no part in the model, which is the same as without it. */
UNIT_TEST_IN(context, a_model_is_made_of_those_that_stayed)
{
  static const char *const both[] = {
      "training.trainer",    "trees",     "trees.leaves",    "4", "trees.trees", "30", "selection.folds", "3",
      "trees.learning_rate", "0.2, 1e-6", "data.rank_block", "0", NULL};
  static const char *const one[] = {
      "training.trainer",    "trees", "trees.leaves",    "4", "trees.trees", "30", "selection.folds", "3",
      "trees.learning_rate", "0.2",   "data.rank_block", "0", NULL};
  enum { NUM_QUERIES = 90 };
  DORM__OWNED(dorm_dataset) *dataset = training_artificial_data(context, unit_seed(), NUM_QUERIES);
  DORM__OWNED(dorm_training) *of_both = training_run(context, both, DORM_OK, dataset, NULL);
  DORM__OWNED(dorm_training) *of_one = training_run(context, one, DORM_OK, dataset, NULL);
  size_t num_docs = dorm_dataset_num_docs(dataset);
  DORM__FREED double *scores = unit_alloc(2 * num_docs, sizeof *scores);
  CU_ASSERT_EQUAL(dorm_training_num_candidates(of_both), 2);
  CU_ASSERT_TRUE(isnan(dorm_training_candidate(of_both, 1)->validation));
  CU_ASSERT_FALSE(dorm_training_candidate(of_both, 1)->is_selected);
  UNIT_OK(context, dorm_model_score(context, dorm_training_model(of_both), dataset, 1, scores));
  UNIT_OK(context, dorm_model_score(context, dorm_training_model(of_one), dataset, 1, scores + num_docs));
  CU_ASSERT_EQUAL(memcmp(scores, scores + num_docs, num_docs * sizeof *scores), 0);
  CU_ASSERT_EQUAL(dorm_training_estimate(of_both, NULL), dorm_training_estimate(of_one, NULL));
}
