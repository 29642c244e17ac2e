/*
 * committee_test.c: trees in a cross-validation: the model against the mean of trainings that each have one fold as
 * validation data, the share of the trees against the same by hand, and when a training without validation data is
 * cross-validated.
 */
#include "tests/unit/training_cases.h"

enum { QUERIES = 24, DOCS = 20, NUM_DOCS = QUERIES * DOCS, FOLDS = 3 };

/* Pairs before others, ended by NULL as they are. */
static const char *const trees[] = {TRAINING_SMALL_TREES, "trees.trees", "30", "training.patience", "5", NULL};

static dorm_training *train_with(dorm_context *context, const char *const *first, const char *const *second,
                                 const dorm_dataset *train, const dorm_dataset *validation)
{
  return training_run_lists(context, TRAINING_LISTS(first, second), DORM_OK, train, validation);
}

static void score(dorm_context *context, const dorm_training *training, const dorm_dataset *dataset, double *scores)
{
  UNIT_OK(context, dorm_model_score(context, dorm_training_model(training), dataset, 1, scores));
}

/* The two sides of each fold: the queries shuffled by training.seed = 1 and dealt out. */
typedef struct folds {
  dorm_dataset *train[FOLDS], *held_out[FOLDS];
} folds;

static folds deal(dorm_context *context, const dorm_dataset *whole)
{
  folds dealt = {.train = {NULL}};
  size_t fold_of[QUERIES];
  dorm__random random;
  dorm__random_seed(&random, 1);
  dorm__random_permutation(&random, QUERIES, fold_of);
  for (size_t fold = 0; fold < FOLDS; fold++) {
    dorm__query_of queries[2][QUERIES];
    size_t count[2] = {0, 0};
    for (size_t q = 0; q < QUERIES; q++) {
      bool is_held_out = fold_of[q] % FOLDS == fold;
      queries[is_held_out][count[is_held_out]++] = (dorm__query_of){whole, q};
    }
    UNIT_OK(context, dorm__dataset_gather(context, "train", count[0], queries[0], &dealt.train[fold]));
    UNIT_OK(context, dorm__dataset_gather(context, "held out", count[1], queries[1], &dealt.held_out[fold]));
  }
  return dealt;
}

static void free_folds(folds *dealt)
{
  for (size_t fold = 0; fold < FOLDS; fold++) {
    dorm_dataset_free(dealt->train[fold]);
    dorm_dataset_free(dealt->held_out[fold]);
  }
}

/* ---- The mean ------------------------------------------------------------------------------- */

/* With one candidate the model is the mean over the folds, each with the rounds that are best on the queries that it
 * has not seen. */
UNIT_TEST_IN(context, the_model_is_the_mean_of_the_folds)
{
  static const char *const cases[][9] = {
      {"trees.objective", "dorm", NULL},
      {"trees.objective", "regression", "data.rank_block", "0.5", "trees.start", "ridge", NULL},
      {"trees.objective", "ordinal", "data.normalisation", "zscore", NULL},
      {"trees.objective", "classification", NULL},
  };
  static double all[NUM_DOCS], one[NUM_DOCS], mean[NUM_DOCS];
  DORM__OWNED(dorm_dataset) *whole = training_artificial_data(context, unit_seed(), QUERIES);
  DORM__AT_END(free_folds) folds dealt = deal(context, whole);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    DORM__OWNED(dorm_training) *committee = training_run_lists(
        context, TRAINING_LISTS(trees, cases[i], UNIT_PAIRS("selection.folds", "3")), DORM_OK, whole, NULL);
    const dorm_candidate *candidate = dorm_training_candidate(committee, 0);
    double rounds = 0, value = 0, num_held_out = 0;
    memset(mean, 0, sizeof mean);
    for (size_t fold = 0; fold < FOLDS; fold++) {
      dorm_evaluation evaluation = {.struct_size = sizeof evaluation};
      DORM__OWNED(dorm_training) *member =
          train_with(context, trees, cases[i], dealt.train[fold], dealt.held_out[fold]);
      score(context, member, whole, one);
      for (size_t j = 0; j < NUM_DOCS; j++)
        mean[j] += one[j] / FOLDS;
      rounds += (double)dorm_training_candidate(member, 0)->round / FOLDS;
      score(context, member, dealt.held_out[fold], one);
      UNIT_OK(context, dorm_evaluate(context, "ndcg@10", dealt.held_out[fold], one, NULL, &evaluation));
      value += evaluation.mean * (double)evaluation.num_queries;
      num_held_out += (double)evaluation.num_queries;
    }
    score(context, committee, whole, all);
    double least = INFINITY, most = -INFINITY;
    for (size_t j = 0; j < NUM_DOCS; j++) {
      UNIT_CLOSE(all[j], mean[j], 1e-12);
      least = fmin(least, all[j]);
      most = fmax(most, all[j]);
    }
    CU_ASSERT_TRUE(most - least > 0.1);
    CU_ASSERT_EQUAL(dorm_training_num_candidates(committee), 1);
    CU_ASSERT_EQUAL(candidate->round, (size_t)(rounds + 0.5));
    UNIT_CLOSE(candidate->validation, value / num_held_out, 1e-12);
    double spread = 0;
    UNIT_OK(context, dorm__spread_within_queries(context, whole, mean, 1, &spread));
    UNIT_CLOSE(candidate->score_scale, spread, 1e-12);
    CU_ASSERT_EQUAL(dorm_training_num_training_queries(committee), QUERIES);
  }
}

/* Of several candidates the one with the best mean over all held-out queries is the model. */
UNIT_TEST_IN(context, the_held_out_queries_choose_the_candidate)
{
  static const char *const both[] = {"trees.leaves", "2, 6", "selection.folds", "3", NULL};
  DORM__OWNED(dorm_dataset) *whole = training_artificial_data(context, unit_seed(), QUERIES);
  DORM__OWNED(dorm_training) *chosen = train_with(context, trees, both, whole, NULL);
  CU_ASSERT_EQUAL_FATAL(dorm_training_num_candidates(chosen), 2);
  const dorm_candidate *first = dorm_training_candidate(chosen, 0), *second = dorm_training_candidate(chosen, 1);
  bool is_second = second->validation > first->validation;
  CU_ASSERT_EQUAL(first->is_selected, !is_second);
  CU_ASSERT_EQUAL(second->is_selected, is_second);
  const char *const alone[] = {"trees.leaves", is_second ? "6" : "2", "selection.folds", "3", NULL};
  DORM__OWNED(dorm_training) *one = train_with(context, trees, alone, whole, NULL);
  CU_ASSERT_TRUE(training_difference(context, chosen, one, whole) < 1e-12);
}

/* If no query of a fold counts under the measure, all rounds of its ensemble are made, and the others choose. */
UNIT_TEST_IN(context, a_fold_that_does_not_count_stops_nothing)
{
  static const char *const skips[] = {"selection.measure", "ndcg@10:empty=skip", "selection.folds", "3", NULL};
  static const char *const alone[] = {"selection.measure", "ndcg@10:empty=skip", NULL};
  static double all[NUM_DOCS], one[NUM_DOCS], mean[NUM_DOCS];
  DORM__OWNED(dorm_dataset) *whole = training_artificial_data(context, unit_seed(), QUERIES);
  size_t fold_of[QUERIES];
  dorm__random random;
  dorm__random_seed(&random, 1);
  dorm__random_permutation(&random, QUERIES, fold_of);
  for (size_t q = 0; q < QUERIES; q++)
    for (size_t j = whole->query_start[q]; fold_of[q] % FOLDS == 0 && j < whole->query_start[q + 1]; j++)
      whole->labels[j] = 0;
  DORM__AT_END(free_folds) folds dealt = deal(context, whole);
  DORM__OWNED(dorm_training) *committee = train_with(context, trees, skips, whole, NULL);
  double value = 0, rounds = 0;
  memset(mean, 0, sizeof mean);
  for (size_t fold = 0; fold < FOLDS; fold++) {
    DORM__OWNED(dorm_training) *member =
        train_with(context, trees, alone, dealt.train[fold], fold == 0 ? NULL : dealt.held_out[fold]);
    score(context, member, whole, one);
    for (size_t j = 0; j < NUM_DOCS; j++)
      mean[j] += one[j] / FOLDS;
    rounds += (double)dorm_training_candidate(member, 0)->round / FOLDS;
    value += fold == 0 ? 0 : dorm_training_candidate(member, 0)->validation / (FOLDS - 1);
  }
  score(context, committee, whole, all);
  for (size_t j = 0; j < NUM_DOCS; j++)
    UNIT_CLOSE(all[j], mean[j], 1e-12);
  CU_ASSERT_EQUAL(dorm_training_candidate(committee, 0)->round, (size_t)(rounds + 0.5));
  UNIT_CLOSE(dorm_training_candidate(committee, 0)->validation, value, 1e-12);
}

/* Classes come from all queries, so that a fold may train on queries of one label alone. */
UNIT_TEST_IN(context, a_fold_may_lack_a_class)
{
  static const char *const objectives[] = {"ordinal", "classification"};
  static double scores[NUM_DOCS];
  DORM__OWNED(dorm_dataset) *whole = training_artificial_data(context, unit_seed(), QUERIES);
  for (size_t j = whole->query_start[1]; j < NUM_DOCS; j++)
    whole->labels[j] = 0;
  whole->labels[0] = 1;
  whole->labels[1] = 2;
  for (size_t i = 0; i < 2; i++) {
    const char *const pairs[] = {"trees.objective", objectives[i], "selection.folds", "3", NULL};
    DORM__OWNED(dorm_training) *training = train_with(context, trees, pairs, whole, NULL);
    score(context, training, whole, scores);
    double least = INFINITY, most = -INFINITY;
    for (size_t j = 0; j < NUM_DOCS; j++) {
      CU_ASSERT_TRUE(isfinite(scores[j]));
      least = fmin(least, scores[j]);
      most = fmax(most, scores[j]);
    }
    CU_ASSERT_TRUE(most > least);
  }
}

/* A global normalisation is over all training data in every fold, so that a model of one normalisation can hold the
 * trees of all. Features whose spread is made one beforehand then give the same model without it. */
UNIT_TEST_IN(context, folds_share_the_feature_map)
{
  static const char *const normalised[] = {"data.normalisation", "global-zscore", "selection.folds", "3", NULL};
  DORM__OWNED(dorm_dataset) *whole = training_artificial_data(context, unit_seed(), QUERIES);
  DORM__OWNED(dorm_training) *committee = train_with(context, trees, normalised, whole, NULL);
  dorm__feature_map map = dorm_training_model(committee)->map;
  dorm__query_of queries[QUERIES];
  for (size_t q = 0; q < QUERIES; q++)
    queries[q] = (dorm__query_of){whole, q};
  DORM__OWNED(dorm_dataset) *scaled = unit_gather(context, QUERIES, queries);
  for (size_t j = 0; j < NUM_DOCS; j++)
    for (size_t f = 0; f < scaled->num_features; f++) {
      float *value = &scaled->values[j * scaled->num_features + f];
      *value = (float)(((double)*value - map.shift[f]) / map.spread[f]);
    }
  static double wanted[NUM_DOCS], found[NUM_DOCS];
  DORM__OWNED(dorm_training) *same = train_with(context, trees, UNIT_PAIRS("selection.folds", "3"), scaled, NULL);
  score(context, committee, whole, wanted);
  score(context, same, scaled, found);
  size_t num_different = 0; /* a value may be rounded to the other side of a threshold */
  for (size_t j = 0; j < NUM_DOCS; j++)
    num_different += !unit_close(found[j], wanted[j], 1e-6);
  CU_ASSERT_TRUE(num_different <= NUM_DOCS / 50);
}

/* ---- The share of the trees ------------------------------------------------------------------- */

static const char *const beside_ridge[] = {"training.trainer", "ridge, trees", NULL};

/* Appends the values of the held-out queries under a share, which is the same in all folds. */
static size_t measure_share(dorm_context *context, const folds *dealt, const char *share, double *values)
{
  static double scores[NUM_DOCS];
  const char *const pairs[] = {"training.trainer", "ridge, trees", "selection.blend", share, NULL};
  size_t count = 0;
  for (size_t fold = 0; fold < FOLDS; fold++) {
    const dorm_dataset *held_out = dealt->held_out[fold];
    dorm_evaluation evaluation = {.struct_size = sizeof evaluation};
    DORM__OWNED(dorm_training) *member = train_with(context, trees, pairs, dealt->train[fold], held_out);
    score(context, member, held_out, scores);
    UNIT_OK(context, dorm_evaluate(context, "ndcg@10", held_out, scores, values + count, &evaluation));
    count += held_out->num_queries;
  }
  return count;
}

/* The share of the trees is the one that is best over the held-out queries of all folds, and the model is that share of
 * the mean of the folds' trees and the rest of the linear model of all queries. */
UNIT_TEST_IN(context, the_held_out_queries_choose_the_share)
{
  static const char *const shares[] = {"0.5", "0.1", "0.9"};
  enum { NUM_SHARES = sizeof shares / sizeof *shares };
  static double values[NUM_SHARES][QUERIES], sides[2][NUM_DOCS], found[NUM_DOCS];
  DORM__OWNED(dorm_dataset) *whole =
      training_artificial_data(context, 4, QUERIES); /* on others the first share may win */
  DORM__AT_END(free_folds) folds dealt = deal(context, whole);
  size_t best = 0;
  double best_mean = 0;
  for (size_t i = 0; i < NUM_SHARES; i++) {
    CU_ASSERT_EQUAL(measure_share(context, &dealt, shares[i], values[i]), QUERIES);
    double sum = 0, squares = 0, count = 0;
    for (size_t q = 0; q < QUERIES; q++)
      if (isfinite(values[i][q])) {
        sum += values[i][q] - values[0][q];
        count++;
      }
    for (size_t q = 0; q < QUERIES; q++)
      if (isfinite(values[i][q]))
        squares += pow(values[i][q] - values[0][q] - sum / count, 2);
    if (sum / count > sqrt(squares / (count - 1) / count) && sum / count > best_mean) {
      best = i;
      best_mean = sum / count;
    }
  }
  CU_ASSERT_EQUAL(best, 2); /* the data are not linear */
  static const char *const of_all[] = {"training.trainer", "ridge", NULL};
  static const char *const all_shares[] = {
      "training.trainer", "ridge, trees", "selection.blend", "0.5, 0.1, 0.9", "selection.folds", "3", NULL};
  DORM__OWNED(dorm_training) *ridge = train_with(context, of_all, (const char *const[]){NULL}, whole, NULL);
  DORM__OWNED(dorm_training) *committee = train_with(context, trees, UNIT_PAIRS("selection.folds", "3"), whole, NULL);
  DORM__OWNED(dorm_training) *blend = train_with(context, trees, all_shares, whole, NULL);
  score(context, ridge, whole, sides[0]);
  score(context, committee, whole, sides[1]);
  score(context, blend, whole, found);
  double share = strtod(shares[best], NULL);
  double spreads[2];
  for (size_t i = 0; i < 2; i++)
    UNIT_OK(context, dorm__spread_within_queries(context, whole, sides[i], 1, &spreads[i]));
  for (size_t j = 0; j < NUM_DOCS; j++)
    UNIT_CLOSE(found[j], (1 - share) * sides[0][j] / spreads[0] + share * sides[1][j] / spreads[1], 1e-9);
}

/* ---- When there are folds ------------------------------------------------------------------- */

/* By default trees without validation data are cross-validated, as with five folds; nothing else is. */
UNIT_TEST_IN(context, trees_without_validation_data_have_folds)
{
  static const char *const automatic[] = {"selection.folds", "auto", NULL}, *const five[] = {"selection.folds", "5",
                                                                                             NULL};
  static const char *const none[] = {"selection.folds", "0", NULL};
  DORM__OWNED(dorm_dataset) *whole = training_artificial_data(context, unit_seed(), QUERIES);
  DORM__OWNED(dorm_dataset) *other = training_artificial_data(context, unit_seed() + 1, QUERIES);
  DORM__OWNED(dorm_dataset) *few = training_artificial_data(context, unit_seed(), 4);
  const struct {
    const char *const *first;
    const dorm_dataset *train, *validation;
    const char *const *same;
  } cases[] = {{trees, whole, NULL, five},
               {beside_ridge, whole, NULL, five},
               {trees, whole, other, none},
               {trees, few, NULL, none},
               {none, whole, NULL, none}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    DORM__OWNED(dorm_training) *made =
        train_with(context, cases[i].first, automatic, cases[i].train, cases[i].validation);
    DORM__OWNED(dorm_training) *same =
        train_with(context, cases[i].first, cases[i].same, cases[i].train, cases[i].validation);
    CU_ASSERT_EQUAL(training_difference(context, made, same, whole), 0);
  }
}

/* With folds the queries of the validation data train as if they followed the training data; their weights, too. */
UNIT_TEST_IN(context, folds_take_the_validation_data)
{
  enum { FIRST = 15 };
  static const char *const in_folds[] = {"selection.folds", "3", NULL};
  const char *const *const firsts[] = {trees, beside_ridge, in_folds};
  dorm_dataset *whole = training_artificial_data(context, unit_seed(), QUERIES), *sides[2] = {NULL, NULL};
  double weights[QUERIES];
  dorm__query_of queries[QUERIES];
  for (size_t q = 0; q < QUERIES; q++) {
    weights[q] = (double)(1 + q % 3);
    queries[q] = (dorm__query_of){whole, q};
  }
  UNIT_OK(context, dorm_dataset_set_weights(context, whole, weights, NULL));
  UNIT_OK(context, dorm__dataset_gather(context, "train", FIRST, queries, &sides[0]));
  UNIT_OK(context, dorm__dataset_gather(context, "validation", QUERIES - FIRST, queries + FIRST, &sides[1]));
  for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++) {
    DORM__OWNED(dorm_training) *both = train_with(context, firsts[i], in_folds, sides[0], sides[1]);
    DORM__OWNED(dorm_training) *same = train_with(context, firsts[i], in_folds, whole, NULL);
    CU_ASSERT_EQUAL(training_difference(context, both, same, whole), 0);
    CU_ASSERT_EQUAL(dorm_training_num_training_queries(both), QUERIES);
    CU_ASSERT_TRUE(isnan(dorm_training_validation(both)));
  }
  dorm_dataset_free(sides[0]);
  dorm_dataset_free(sides[1]);
  dorm_dataset_free(whole);
}

/* ---- A stop ----------------------------------------------------------------------------------- */

/* A training that is stopped in a fold has the mean of the finished folds or, if there is none, the trees of the first.
 */
UNIT_TEST_IN(context, a_stop_leaves_the_finished_folds)
{
  static const char *const nothing[] = {NULL}, *const in_folds[] = {"selection.folds", "3", NULL};
  static double mean[NUM_DOCS], one[NUM_DOCS];
  enum { MANY = 1000000 };
  DORM__OWNED(dorm_dataset) *whole = training_artificial_data(context, unit_seed(), QUERIES);
  DORM__AT_END(free_folds) folds dealt = deal(context, whole);
  int asked = 0;
  for (size_t fold = 0; fold < FOLDS; fold++) {
    int left = MANY;
    dorm_context_set_cancel(context, unit_stop_after, &left);
    DORM__OWNED(dorm_training) *member = train_with(context, trees, nothing, dealt.train[fold], dealt.held_out[fold]);
    int asked_here = MANY - left;
    left = asked + 2;
    DORM__OWNED(dorm_training) *stopped =
        training_run_lists(context, TRAINING_LISTS(trees, in_folds), DORM_STOPPED, whole, NULL);
    dorm_context_set_cancel(context, NULL, NULL);
    CU_ASSERT_TRUE(left < 0);
    CU_ASSERT_EQUAL(dorm_training_num_candidates(stopped), 1);
    CU_ASSERT_EQUAL(dorm_training_num_folds(stopped), fold ? fold : 1);
    CU_ASSERT_EQUAL(dorm_training_num_folds(member), 0);
    CU_ASSERT_TRUE(dorm_training_candidate(stopped, 0)->round > 0);
    score(context, stopped, whole, one);
    for (size_t j = 0; fold > 0 && j < NUM_DOCS; j++)
      UNIT_CLOSE(one[j], mean[j], 1e-12);
    score(context, member, whole, one);
    for (size_t j = 0; j < NUM_DOCS; j++)
      mean[j] = (mean[j] * (double)fold + one[j]) / (double)(fold + 1);
    asked += asked_here;
  }
}

static size_t num_selected(const dorm_training *training)
{
  size_t count = 0;
  for (size_t i = 0; i < dorm_training_num_candidates(training); i++)
    count += dorm_training_candidate(training, i)->is_selected != 0;
  return count;
}

/* A stop while the linear candidates are trained on all queries leaves all candidates, those that are missing as means
 * over the folds, and with them the trees; a stop after the first fold, too. */
UNIT_TEST_IN(context, a_stop_beside_a_linear_model_leaves_trees)
{
  static const char *const pairs[] = {
      TRAINING_SMALL_TREES, "training.trainer", "svm, trees", "selection.folds", "3", "solver.C", "1, 10", NULL};
  enum { MANY = 1000000 };
  DORM__OWNED(dorm_dataset) *whole = training_artificial_data(context, unit_seed(), QUERIES);
  int left = MANY;
  dorm_context_set_cancel(context, unit_stop_after, &left);
  DORM__OWNED(dorm_training) *finished = training_run(context, pairs, DORM_OK, whole, NULL);
  int asked = MANY - left;
  for (size_t turn = 0; turn < 2; turn++) {
    left = turn ? asked / 2 : asked - 2;
    DORM__OWNED(dorm_training) *stopped = training_run(context, pairs, DORM_STOPPED, whole, NULL);
    size_t count = dorm_training_num_candidates(stopped);
    CU_ASSERT_EQUAL(count, dorm_training_num_candidates(finished));
    CU_ASSERT_EQUAL(num_selected(stopped), num_selected(finished));
    for (size_t i = 0; i < count; i++)
      CU_ASSERT_TRUE(isfinite(dorm_training_candidate(stopped, i)->validation));
    const dorm_model *model = dorm_training_model(stopped);
    bool has_trees = false;
    for (size_t p = 0; p < model->num_parts; p++)
      has_trees = has_trees || model->parts[p].kind == &dorm__trees_part;
    CU_ASSERT_TRUE(has_trees);
  }
  dorm_context_set_cancel(context, NULL, NULL);
}
