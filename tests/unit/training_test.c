/*
 * training_test.c: dorm_train as a whole: the grid of settings, repeatability,
 * folds, storage, bounds, the limit of time, and what it refuses.
 */
#include "tests/unit/training_cases.h"

/* Every combination of the lists is a candidate, all certified, and the model
 * is what its definition says. */
UNIT_TEST_IN(context, the_grid_is_trained_and_averaged)
{
  DORM__OWNED(dorm_dataset) *train = training_artificial_data(context, 1, 40);
  DORM__OWNED(dorm_dataset) *validation = training_artificial_data(context, 2, 30);
  DORM__OWNED(dorm_settings) *settings =
      unit_svm(context, UNIT_PAIRS("loss.truncation", "5, 10", "solver.C", "1, 30", "ranking.position_weights",
                                   "loss, power:0.5", "ranking.reference", "mu:0.3, listed, ideal", "ranking.rounds",
                                   "2", "data.rank_block", "0, 0.5", "selection.average", "3"));
  DORM__OWNED(dorm_training) *training = unit_train(context, settings, train, validation);
  /* 2 rank blocks x (start + 2 truncations x 2 weights x 2 C x (2 + 1 + 2 rounds)) */
  CU_ASSERT_EQUAL_FATAL(dorm_training_num_candidates(training), 2 * (1 + 2 * 2 * 2 * 5));
  double worst_selected = INFINITY, best_other = -INFINITY;
  size_t num_selected = 0;
  for (size_t i = 0; i < dorm_training_num_candidates(training); i++) {
    const dorm_candidate *candidate = dorm_training_candidate(training, i);
    CU_ASSERT_EQUAL(candidate->number, i + 1);
    if (candidate->round) {
      CU_ASSERT_TRUE(candidate->certificate.gap <= 0.01);
      CU_ASSERT_TRUE(candidate->certificate.primal >= candidate->certificate.dual - 1e-9);
      CU_ASSERT_TRUE(candidate->certificate.reference_constant >= 0);
    }
    num_selected += candidate->is_selected != 0;
    if (candidate->is_selected)
      worst_selected = fmin(worst_selected, candidate->validation);
    else
      best_other = fmax(best_other, candidate->validation);
  }
  CU_ASSERT_EQUAL(num_selected, 3);
  CU_ASSERT_TRUE(worst_selected >= best_other);

  /* scores of the model = mean of the selected candidates' scores over their
   * spread, up to a constant within each query */
  const dorm_model *model = dorm_training_model(training);
  size_t num_docs = dorm_dataset_num_docs(train);
  DORM__FREED double *scores = unit_scores(context, model, train), *mean = unit_alloc(num_docs, sizeof *mean);
  for (size_t i = 0; i < training->num_trained; i++) {
    const dorm__trained *trained = &training->trained[i];
    if (!trained->candidate.is_selected)
      continue;
    dorm__feature_map map = {.num_ids = train->num_features,
                             .ids = train->feature_ids,
                             .normalisation = DORM__NORMALISATION_MIN_MAX,
                             .rank_block = trained->candidate.rank_block};
    DORM__AT_END(dorm__features_free) dorm__features features;
    UNIT_OK(context, dorm__features_build(context, train, &map, 2, &features));
    for (size_t j = 0; j < num_docs; j++) {
      double score;
      dorm__features_score(&features, j, 1, trained->w, &score);
      mean[j] += score / trained->candidate.score_scale / 3;
    }
  }
  for (size_t j = 0; j < num_docs; j++)
    UNIT_CLOSE(scores[j], mean[j], 1e-6); /* features are floats */
}

/* The same data, settings and thread count: the same model, bit for bit; other
 * thread counts: the same optimum. Large enough that the threads are used. */
UNIT_TEST_IN(context, training_repeats)
{
  static const size_t threads[] = {1, 2, 2, 3, 3};
  enum { WIDTH = 60, RUNS = 5 };
  DORM__OWNED(dorm_dataset) *train = unit_artificial(context, 2000, 20, WIDTH, 0, 7, 1);
  DORM__OWNED(dorm_settings) *settings =
      unit_svm(context, UNIT_PAIRS("solver.C", "100", "solver.gap", "1e-4", "ranking.reference", "mu:1",
                                   "ranking.rounds", "1", "ranking.position_weights", "power:0.5"));
  double weights[RUNS][WIDTH], primal[RUNS], dual[RUNS];
  for (size_t i = 0; i < RUNS; i++) {
    UNIT_OK(context, dorm_settings_set(context, settings, "solver.threads", unit_text("%zu", threads[i])));
    DORM__OWNED(dorm_training) *training = unit_train(context, settings, train, NULL);
    memcpy(weights[i], unit_weights(training), sizeof weights[i]);
    primal[i] = dorm_training_candidate(training, 1)->certificate.primal;
    dual[i] = dorm_training_candidate(training, 1)->certificate.dual;
  }
  CU_ASSERT_EQUAL(memcmp(weights[1], weights[2], sizeof weights[1]), 0);
  CU_ASSERT_EQUAL(memcmp(weights[3], weights[4], sizeof weights[3]), 0);
  for (size_t i = 0; i < RUNS; i++)
    for (size_t k = 0; k < RUNS; k++)
      CU_ASSERT_TRUE(dual[i] <= primal[k]); /* each bounds the others' optimum */
}

/* A candidate's value under folds is the mean over the held-out queries of models
 * trained without them, computed here fold by fold by hand. */
UNIT_TEST_IN(context, folds_hold_out_every_query_once)
{
  enum { QUERIES_HERE = 12, FOLDS = 3 };
  DORM__OWNED(dorm_dataset) *whole = training_artificial_data(context, 5, QUERIES_HERE);
  DORM__OWNED(dorm_settings) *settings = unit_svm(context, UNIT_PAIRS("solver.C", "100", "ranking.reference", "mu:1",
                                                                      "ranking.rounds", "1", "data.rank_block", "0"));
  UNIT_OK(context, dorm_settings_set(context, settings, "selection.folds", "3"));
  UNIT_OK(context, dorm_settings_set(context, settings, "training.seed", "9"));
  dorm_training *training = unit_train(context, settings, whole, NULL);
  UNIT_OK(context, dorm_settings_set(context, settings, "selection.folds", "0"));

  size_t fold_of[QUERIES_HERE];
  dorm__random random;
  dorm__random_seed(&random, 9);
  dorm__random_permutation(&random, QUERIES_HERE, fold_of);
  double values[2][QUERIES_HERE]; /* of the start and of the one trained candidate */
  size_t count = 0;
  for (size_t fold = 0; fold < FOLDS; fold++) {
    dorm__query_of in[QUERIES_HERE], out[QUERIES_HERE];
    size_t num_in = 0, num_out = 0;
    for (size_t q = 0; q < QUERIES_HERE; q++)
      if (fold_of[q] % FOLDS == fold)
        out[num_out++] = (dorm__query_of){whole, q};
      else
        in[num_in++] = (dorm__query_of){whole, q};
    DORM__OWNED(dorm_dataset) *train = unit_gather(context, num_in, in);
    DORM__OWNED(dorm_dataset) *held_out = unit_gather(context, num_out, out);
    DORM__OWNED(dorm_training) *part = unit_train(context, settings, train, NULL);
    for (size_t i = 0; i < 2; i++) {
      double scores[QUERIES_HERE * 20];
      dorm__feature_map map = {.num_ids = held_out->num_features,
                               .ids = held_out->feature_ids,
                               .normalisation = DORM__NORMALISATION_MIN_MAX};
      DORM__AT_END(dorm__features_free) dorm__features features;
      dorm_evaluation evaluation = {.struct_size = sizeof evaluation};
      UNIT_OK(context, dorm__features_build(context, held_out, &map, 1, &features));
      dorm__features_score(&features, 0, held_out->num_docs, part->trained[i].w, scores);
      UNIT_OK(context, dorm_evaluate(context, "ndcg@10", held_out, scores, values[i] + count, &evaluation));
    }
    count += num_out;
  }
  CU_ASSERT_EQUAL(count, QUERIES_HERE);
  for (size_t i = 0; i < 2; i++) {
    double mean = 0, squares = 0;
    for (size_t q = 0; q < QUERIES_HERE; q++)
      mean += values[i][q] / QUERIES_HERE;
    for (size_t q = 0; q < QUERIES_HERE; q++)
      squares += (values[i][q] - mean) * (values[i][q] - mean);
    const dorm_candidate *candidate = dorm_training_candidate(training, i);
    UNIT_CLOSE(candidate->validation, mean, 1e-12);
    UNIT_CLOSE(candidate->validation_error, sqrt(squares / (QUERIES_HERE - 1) / QUERIES_HERE), 1e-9);
  }
  UNIT_OK(context, dorm_settings_set(context, settings, "selection.folds", "13"));
  dorm_training_free(training);
  UNIT_BAD_USAGE(dorm_train(context, settings, whole, NULL, &training), "12 queries");
}

/* The same data stored sparse and dense: the same optimum. */
UNIT_TEST_DRAWN(context, random, sparse_and_dense_data_train_alike)
{
  enum { QUERIES_HERE = 30, DOCS_HERE = 12, WIDTH = 25 };
  static double labels[QUERIES_HERE * DOCS_HERE];
  static float values[QUERIES_HERE * DOCS_HERE * WIDTH];
  for (size_t j = 0; j < QUERIES_HERE * DOCS_HERE; j++) {
    labels[j] = (double)dorm__random_below(random, 3);
    for (size_t f = 0; f < WIDTH; f++)
      values[j * WIDTH + f] = dorm__random_below(random, 4) ? 0 : (float)dorm__random_normal(random);
  }
  DORM__OWNED(dorm_dataset) *dense = unit_even_dataset(context, QUERIES_HERE, DOCS_HERE, WIDTH, labels, values);
  DORM__OWNED(dorm_dataset) *sparse = unit_sparse_copy(context, dense);
  DORM__OWNED(dorm_settings) *settings =
      unit_svm(context, UNIT_PAIRS("data.normalisation", "none", "solver.gap", "1e-7", "solver.C", "1, 30",
                                   "ranking.rounds", "1", "ranking.position_weights", "loss, power:0.5"));
  DORM__OWNED(dorm_training) *one = unit_train(context, settings, dense, NULL);
  DORM__OWNED(dorm_training) *two = unit_train(context, settings, sparse, NULL);
  CU_ASSERT_PTR_NOT_NULL_FATAL(one);
  CU_ASSERT_PTR_NOT_NULL_FATAL(two);
  for (size_t f = 0; f < WIDTH; f++) /* the start: by factorisation, by conjugate gradients */
    UNIT_CLOSE(one->trained[0].w[f], two->trained[0].w[f], 1e-6);
  for (size_t i = 1; i < one->num_trained; i++) {
    double x = one->trained[i].candidate.certificate.primal, y = two->trained[i].candidate.certificate.primal;
    CU_ASSERT_TRUE(fabs(x - y) <= 1e-5 * x); /* the references may differ by the start's rounding */
    CU_ASSERT_TRUE(two->trained[i].candidate.certificate.gap <= 1e-7);
  }
}

/* Weights of values and of ranks keep to the order that training.increasing and training.decreasing ask for. */
UNIT_TEST_IN(context, the_order_holds_for_values_and_ranks)
{
  static const struct {
    const char *increasing, *decreasing;
    int signs[TRAINING_WIDTH];          /* of the weights; 2: any */
  } cases[] = {{"", "", {1, -1, 2, 2}}, /* labels rise with feature 1 and fall with feature 2 */
               {"1-4", "", {1, 0, 0, 1}},
               {"2", "", {1, 0, -1, 2}},
               {"", "1, 4", {0, -1, 2, -1}},
               {"1", "1", {0, -1, 2, 2}}};
  DORM__OWNED(dorm_dataset) *train = training_random_data(context, unit_seed(), 40, 10, false);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char **pairs =
        UNIT_PAIRS("data.rank_block", "0.5", "data.normalisation", "minmax", "solver.C", "30", "training.increasing",
                   cases[i].increasing, "training.decreasing", cases[i].decreasing);
    DORM__OWNED(dorm_training) *training = training_run(context, pairs, DORM_OK, train, NULL);
    for (size_t k = 0; k < training->num_trained; k++)
      for (size_t f = 0; f < 2 * TRAINING_WIDTH; f++) {
        int sign = cases[i].signs[f % TRAINING_WIDTH];
        double weight = training->trained[k].w[f];
        if (i && sign == 0)
          CU_ASSERT_EQUAL(weight, 0);
        if (i && *cases[i].increasing && sign == 1)
          CU_ASSERT_TRUE(weight >= 0);
        if (i && *cases[i].decreasing && sign == -1)
          CU_ASSERT_TRUE(weight <= 0);
      }
  }
}

UNIT_TEST_IN(context, the_time_limit_leaves_a_model)
{
  static const char *const pairs[] = {"solver.max_seconds", "6e-8", "ranking.rounds", "3", NULL};
  DORM__OWNED(dorm_dataset) *train = training_random_data(context, unit_seed(), 30, 5, false);
  DORM__OWNED(dorm_settings) *settings = training_settings(context, pairs);
  dorm_training *training = NULL;
  UNIT_FAILS(context, dorm_train(context, settings, train, NULL, &training), DORM_STOPPED,
             "solver.max_seconds = 6e-08");
  CU_ASSERT_PTR_NOT_NULL_FATAL(training);
  CU_ASSERT_PTR_NOT_NULL_FATAL(dorm_training_model(training));
  CU_ASSERT_EQUAL(dorm_training_num_candidates(training), 2); /* the start, and a solve of one pass */
  CU_ASSERT_EQUAL(training_certificate(training, 1)->iterations, 1);
  double scores[30 * 5], spread = 0;
  UNIT_OK(context, dorm_model_score(context, dorm_training_model(training), train, 1, scores));
  for (size_t j = 1; j < 5; j++)
    spread += fabs(scores[j] - scores[0]);
  CU_ASSERT_TRUE(spread > 0 && isfinite(spread));
  dorm_training_free(training);
  training = NULL;
  UNIT_OK(context, dorm_settings_set(context, settings, "solver.max_seconds", "600"));
  UNIT_OK(context, dorm_train(context, settings, train, NULL, &training));
  dorm_training_free(training);
}

/* Each solve makes one pass, and no candidate is missing. */
UNIT_TEST_IN(context, a_budget_ends_solves_and_not_the_training)
{
  static const char *const pairs[] = {
      "training.budget", "1e-9", "ranking.rounds", "3", "solver.gap", "1e-9", "solver.C", "1, 3", NULL};
  DORM__OWNED(dorm_dataset) *train = training_random_data(context, unit_seed(), 30, 5, false);
  DORM__OWNED(dorm_training) *training = training_run(context, pairs, DORM_OK, train, NULL);
  CU_ASSERT_EQUAL(dorm_training_num_candidates(training), 7); /* the start, and three rounds at two C */
  for (size_t i = 1; i < dorm_training_num_candidates(training); i++) {
    CU_ASSERT_EQUAL(training_certificate(training, i)->iterations, 1);
    CU_ASSERT_TRUE(training_certificate(training, i)->dual <= training_certificate(training, i)->primal);
  }
}

UNIT_TEST_IN(context, what_cannot_be_trained_is_said)
{
  static const struct {
    const char *key, *text;
    dorm_status status;
    const char *message;
  } bad[] = {
      {"loss.name", "nfcg", DORM_BAD_USAGE, "nfcg"},
      {"selection.measure", "ndgc@10", DORM_BAD_USAGE, "ndgc"},
      {"solver.oracle", "sort", DORM_BAD_USAGE, "sort"},
      {"training.increasing", "1-", DORM_BAD_USAGE, "'1-' is no list of feature ids"},
      {"selection.folds", "1", DORM_BAD_USAGE, "5 queries"},
  };
  dorm_dataset *train = training_artificial_data(context, 1, 5);
  dorm_training *training = NULL;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    DORM__OWNED(dorm_settings) *settings = unit_svm(context, NULL);
    UNIT_OK(context, dorm_settings_set(context, settings, "ranking.position_weights", "power:1"));
    UNIT_OK(context, dorm_settings_set(context, settings, bad[i].key, bad[i].text));
    UNIT_FAILS(context, dorm_train(context, settings, train, NULL, &training), bad[i].status, bad[i].message);
    CU_ASSERT_PTR_NULL(training);
  }
  dorm_dataset_free(train);

  static const size_t start[] = {0, 2, 3};
  static const double labels[] = {0, 0, 1};
  static const float values[] = {1, 2, 3};
  DORM__OWNED(dorm_settings) *settings = unit_svm(context, NULL);
  train = unit_dataset(context, 2, start, 1, labels, values);
  UNIT_BAD_DATA(dorm_train(context, settings, train, NULL, &training), "no query to train on");
  dorm_dataset_free(train);
}

/* The ridges of the start of a training with one rank block, as a number each. */
static size_t num_ridges(dorm_context *context, const dorm_dataset *train, const dorm_dataset *validation,
                         const char *key, const char *text)
{
  static const double expected[] = {0.15, 1.5, 15};
  DORM__OWNED(dorm_settings) *settings =
      unit_svm(context, UNIT_PAIRS("data.rank_block", "0", "ranking.rounds", "0", "kernel.rank", "1, 2",
                                   key ? key : "solver.gap", text));
  DORM__OWNED(dorm_training) *training = unit_train(context, settings, train, validation);
  size_t count = dorm_training_num_candidates(training);
  for (size_t i = 0; i < count && i < 3; i++)
    CU_ASSERT_EQUAL(dorm_training_candidate(training, i)->ridge, expected[i]);
  return count;
}

UNIT_TEST_IN(context, few_documents_a_feature_try_three_ridges)
{
  DORM__OWNED(dorm_dataset) *few = NULL, *enough = NULL;
  dorm_artificial parameters = {sizeof parameters, 49, 6, 6, 0.2, 7, 1};
  UNIT_OK(context, dorm_dataset_generate_artificial(context, &parameters, &few));
  parameters.num_queries = 50; /* 50 documents a feature */
  UNIT_OK(context, dorm_dataset_generate_artificial(context, &parameters, &enough));
  CU_ASSERT_EQUAL(num_ridges(context, few, enough, NULL, "0.01"), 3);
  CU_ASSERT_EQUAL(num_ridges(context, few, NULL, "selection.folds", "2"), 3);
  CU_ASSERT_EQUAL(num_ridges(context, few, NULL, NULL, "0.01"), 1); /* nothing to choose by */
  CU_ASSERT_EQUAL(num_ridges(context, few, enough, "data.features", "1-5"), 1);
  CU_ASSERT_EQUAL(num_ridges(context, enough, few, NULL, "0.01"), 1);
  CU_ASSERT_EQUAL(num_ridges(context, enough, few, "kernel.kernel", "linear + rbf"), 2 * 3);
}

/* MRR's gain is 1 for the largest label and 0 for all others: of these, `listed` still puts the larger label first. If
 * the file has the documents in that order already, the problem is the same. */
UNIT_TEST_IN(context, the_listed_reference_sorts_by_label)
{
  static const char mixed[] = "0 qid:1 1:0\n1 qid:1 1:1\n2 qid:1 1:2\n";
  static const char sorted[] = "2 qid:1 1:2\n1 qid:1 1:1\n0 qid:1 1:0\n";
  const char *const *pairs = UNIT_PAIRS("loss.name", "mrr", "ranking.reference", "listed", "ranking.position_weights",
                                        "power:0.5", "solver.gap", "1e-9", "selection.start", "no", "solver.C", "1000");
  double primal[2];
  for (size_t i = 0; i < 2; i++) {
    DORM__OWNED(dorm_dataset) *dataset = unit_read_text(context, i ? sorted : mixed);
    DORM__OWNED(dorm_training) *training = training_run(context, pairs, DORM_OK, dataset, NULL);
    primal[i] = training_certificate(training, 1)->primal; /* after the start */
  }
  UNIT_CLOSE(primal[0], primal[1], 1e-7);
  CU_ASSERT_TRUE(primal[0] > 1 &&
                 primal[0] < 10); /* |w|^2 / 2: without any loss, which is 1/2 or 2/3 for other rankings, times 1000 */
}
