/*
 * extremes_test.c: data that are hard to train on: features scaled and shifted by millions, features and documents
 * that occur twice, one query of 20,000 documents, thousands of queries of one document, labels or features that are
 * all equal. For each the test says which of four outcomes it must have (enum outcome). Then there is no feature, no
 * query or no part of a model at all. The last test runs several trainings on one data set, first one after the other
 * and then at the same time.
 */
#include "tests/unit/unit.h"

#include <pthread.h>

enum { WIDTH = 3 };

/* Features drawn uniformly from [0, 1); labels 0, 1 and 2 that follow the first feature, with some noise. */
static dorm_dataset *make_data(dorm_context *context, size_t num_queries, size_t docs_per_query, size_t num_features)
{
  size_t num_docs = num_queries * docs_per_query;
  DORM__FREED double *labels = unit_alloc(num_docs, sizeof *labels);
  DORM__FREED float *values = unit_alloc(num_docs * num_features, sizeof *values);
  dorm__random random = unit_random(0);
  for (size_t j = 0; j < num_docs; j++) {
    for (size_t f = 0; f < num_features; f++)
      values[j * num_features + f] = (float)dorm__random_uniform(&random);
    double target = (double)values[j * num_features] + 0.3 * dorm__random_normal(&random);
    labels[j] = target > 0.9 ? 2 : target > 0.6 ? 1 : 0;
  }
  return unit_even_dataset(context, num_queries, docs_per_query, num_features, labels, values);
}

/* Sets what a text "key=value;key=value" says. */
static bool set_all(dorm_context *context, const char *texts, dorm_settings *settings)
{
  char copy[400], *rest = NULL;
  bool good = true;
  snprintf(copy, sizeof copy, "%s", texts);
  for (char *text = strtok_r(copy, ";", &rest); good && text; text = strtok_r(NULL, ";", &rest)) {
    char *equals = strchr(text, '=');
    *equals = '\0';
    good = dorm_settings_set(context, settings, text, equals + 1) == DORM_OK;
  }
  return good;
}

static dorm_settings *settings_of(dorm_context *context, const char *texts)
{
  dorm_settings *settings = unit_defaults(context, UNIT_PAIRS("training.trainer", "svm"));
  CU_ASSERT_TRUE(set_all(context, texts, settings));
  return settings;
}

#define QUICK "solver.C=1, 100;ranking.rounds=2;solver.threads=1;"

typedef enum outcome {
  TRAINS,          /* every convex problem is solved to the gap asked for */
  TRAINS_AT_ZERO,  /* the same at w = 0, since all documents of a query have the same features; there is no model */
  STOPS,           /* some problem is not solved after solver.max_iterations passes; its certificate is still valid */
  TRAINS_OR_STOPS, /* one of the two */
  NOTHING_TO_LEARN /* the data are refused, since no ranking of any query is better than another */
} outcome;

/* The loss of w = 0 in TRAINS_AT_ZERO: the mean of max Delta = 1 - NDCG of the order by rising label, with gains
 * 2^r - 1 and discounts 1 / log2(p + 2), over the queries of more than one label; others do not train. The reference
 * has no loss, and all rankings have the same Phi. */
static double value_at_zero(const dorm_dataset *from)
{
  double sum = 0;
  double num_trained = 0;
  for (size_t q = 0; q < from->num_queries; q++) {
    size_t count[3] = {0, 0, 0};
    double worst = 0;
    double ideal = 0;
    size_t p = 0;
    for (size_t j = from->query_start[q]; j < from->query_start[q + 1]; j++)
      count[(size_t)from->labels[j]]++;
    for (size_t label = 0; label < 3; label++)
      for (size_t i = 0; i < count[label]; i++, p++) {
        worst += (exp2((double)label) - 1) / log2((double)p + 2);
        ideal +=
            (exp2((double)label) - 1) / log2((double)(from->query_start[q + 1] - from->query_start[q] - 1 - p) + 2);
      }
    bool is_trained = count[0] < p && count[1] < p && count[2] < p;
    sum += is_trained ? 1 - worst / ideal : 0;
    num_trained += is_trained;
  }
  return sum / num_trained;
}

/* The certificate of every candidate but the start: dual <= primal, both finite, and a gap as `wanted` has it. */
static void check_certificates(const dorm_training *training, outcome wanted)
{
  bool some_stopped = false;
  for (size_t i = 0; i < dorm_training_num_candidates(training); i++) {
    const dorm_candidate *candidate = dorm_training_candidate(training, i);
    const dorm_certificate *certificate = &candidate->certificate;
    if (!candidate->round)
      continue;
    bool good = isfinite(certificate->primal) && isfinite(certificate->dual) &&
                certificate->dual <= certificate->primal + 1e-9 * fabs(certificate->primal);
    some_stopped = some_stopped || certificate->gap > 0.01;
    if (wanted == TRAINS)
      good = good && certificate->gap <= 0.01;
    if (!good)
      printf("\n    candidate %zu: primal %g dual %g gap %g\n", i + 1, certificate->primal, certificate->dual,
             certificate->gap);
    CU_ASSERT_TRUE(good);
  }
  CU_ASSERT_TRUE(wanted == TRAINS_OR_STOPS || some_stopped == (wanted == STOPS));
}

/* Checks the certificate of a candidate whose weights are 0; `user` is value_at_zero. */
static void check_at_zero(void *user, const dorm_event *event)
{
  const dorm_candidate *candidate = event->candidate;
  if (event->kind != DORM_EVENT_CANDIDATE || !candidate->round)
    return;
  CU_ASSERT_TRUE(candidate->certificate.gap <= 1e-9);
  UNIT_CLOSE(candidate->certificate.primal, candidate->C * *(const double *)user, 1e-9);
}

/* Trains, which must end in the outcome `wanted`. The result is the scores of the training documents, to be freed;
 * NULL if there is no model. */
static double *train(dorm_context *context, const dorm_dataset *dataset, const char *texts, outcome wanted)
{
  DORM__OWNED(dorm_settings) *settings = settings_of(context, texts);
  DORM__OWNED(dorm_training) *training = NULL;
  double *scores = NULL;
  double at_zero = value_at_zero(dataset);
  if (wanted == TRAINS_AT_ZERO)
    dorm_context_set_log(context, check_at_zero, &at_zero);
  dorm_status status = dorm_train(context, settings, dataset, NULL, &training);
  if (wanted == NOTHING_TO_LEARN || wanted == TRAINS_AT_ZERO) {
    UNIT_FAILS(context, status, DORM_BAD_DATA,
               wanted == TRAINS_AT_ZERO ? "nothing was learned" : "no query to train on");
    CU_ASSERT_PTR_NULL(training);
  } else {
    if (wanted == STOPS || (wanted == TRAINS_OR_STOPS && status != DORM_OK))
      UNIT_FAILS(context, status, DORM_STOPPED, "some solves stopped at solver.max_iterations");
    else
      UNIT_OK(context, status);
    CU_ASSERT_PTR_NOT_NULL_FATAL(training);
    check_certificates(training, wanted);
    scores = unit_scores(context, dorm_training_model(training), dataset);
    for (size_t j = 0; j < dorm_dataset_num_docs(dataset); j++)
      CU_ASSERT_TRUE(isfinite(scores[j]));
  }
  dorm_context_set_log(context, NULL, NULL);
  return scores;
}

/* ---- Scales and shifts ---------------------------------------------------------------- */

/* Trains on features changed to factor * x + shift. */
static void scaled(double factor, double shift, const char *texts, outcome wanted, double *scores)
{
  DORM__OWNED(dorm_context) *context = unit_context();
  DORM__OWNED(dorm_dataset) *changed = make_data(context, 12, 8, WIDTH);
  for (size_t i = 0; i < changed->num_docs * WIDTH; i++)
    changed->values[i] = (float)(factor * (double)changed->values[i] + shift);
  DORM__FREED double *own = train(context, changed, texts, wanted);
  if (scores)
    memcpy(scores, own, changed->num_docs * sizeof *scores);
}

/* The gap is small, so that the solver ends near the one optimum, wherever within the gap it stops; a second round
 * could take another reference where two rankings are almost equally good. */
UNIT_TEST(scales_change_nothing_where_features_are_normalised)
{
  static const double factors[] = {1e6, 1e-6, 1048576, 1e30, 1e-30, 1e37};
  static const char *const texts[] = {QUICK "ranking.rounds=1;solver.gap=1e-7",
                                      QUICK "solver.gap=1e-7;data.normalisation=zscore",
                                      QUICK "ranking.rounds=1;solver.gap=1e-7;data.normalisation=global-minmax",
                                      QUICK "ranking.rounds=1;solver.gap=1e-7;data.normalisation=global-zscore",
                                      QUICK "ranking.rounds=1;solver.gap=1e-7;data.rank_block=0.5"};
  double expected[12 * 8];
  double scores[12 * 8];
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    scaled(1, 0, texts[k], TRAINS, expected);
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
      scaled(factors[i], 0, texts[k], TRAINS, scores);
      double distance = 0;
      for (size_t j = 0; j < 12 * 8; j++)
        distance = fmax(distance, fabs(scores[j] - expected[j]));
      if (distance > 1e-3)
        printf("\n    %s, features times %g: a score differs by %g\n", texts[k], factors[i], distance);
      CU_ASSERT_TRUE(distance <= 1e-3);
    }
  }
}

/* Features of a million make the convex problem so badly scaled that 100 passes may not solve it, and features of 1e37
 * so badly that they do not. */
UNIT_TEST(large_features_that_are_not_normalised_may_stop)
{
  static const struct {
    double factor;
    double shift;
    outcome wanted;
  } cases[] = {{1e6, 0, TRAINS_OR_STOPS}, {1e6, 1e6, TRAINS_OR_STOPS}, {1e37, 0, STOPS}};
  static const char *const texts[] = {QUICK "solver.max_iterations=100;data.normalisation=none",
                                      QUICK "solver.max_iterations=100;data.normalisation=none;"
                                            "ranking.position_weights=power:0.5"};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
      scaled(cases[i].factor, cases[i].shift, texts[k], cases[i].wanted, NULL);
}

UNIT_TEST(small_and_shifted_features_train)
{
  static const char *const texts[] = {QUICK "data.normalisation=none", QUICK "data.normalisation=global-zscore",
                                      QUICK "data.rank_block=0.5",
                                      QUICK "data.normalisation=none;ranking.position_weights=power:0.5"};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    scaled(1e-6, 0, texts[k], TRAINS, NULL);
    scaled(1, 1e6, texts[k], TRAINS, NULL); /* leaves 17 different values in floats */
    scaled(1, -1e6, texts[k], TRAINS, NULL);
    scaled(1e-6, 1e6, texts[k], TRAINS_AT_ZERO, NULL); /* 1e6 in floats, all of them */
  }
  scaled(1e6, 1e6, QUICK "data.normalisation=global-zscore", TRAINS, NULL);
  scaled(1e6, 1e6, QUICK "data.rank_block=0.5", TRAINS, NULL);
}

/* ---- Twice, equal, very long, very short ---------------------------------------------- */

UNIT_TEST_IN(context, features_and_documents_may_occur_twice)
{
  DORM__OWNED(dorm_dataset) *once = make_data(context, 10, 6, WIDTH);
  DORM__OWNED(dorm_dataset) *features = make_data(context, 10, 6, 2 * WIDTH);
  DORM__OWNED(dorm_dataset) *docs = make_data(context, 10, 12, WIDTH);
  for (size_t j = 0; j < 60; j++) {
    features->labels[j] = once->labels[j];
    for (size_t f = 0; f < 2 * WIDTH; f++)
      features->values[j * 2 * WIDTH + f] = once->values[j * WIDTH + f % WIDTH];
    for (size_t copy = 0; copy < 2; copy++) {
      size_t k = j / 6 * 12 + 2 * (j % 6) + copy;
      docs->labels[k] = once->labels[j];
      memcpy(docs->values + k * WIDTH, once->values + j * WIDTH, WIDTH * sizeof(float));
    }
  }
  dorm__free(train(context, features, QUICK, TRAINS));
  DORM__FREED double *scores = train(context, docs, QUICK "ranking.position_weights=power:0.5", TRAINS);
  for (size_t j = 0; j < 60; j++)
    CU_ASSERT_EQUAL(scores[2 * j], scores[2 * j + 1]);
  dorm__free(train(context, docs, QUICK "kernel.kernel=rbf;kernel.rank=0", TRAINS)); /* a singular Gram matrix */
}

UNIT_TEST_IN(context, one_query_of_20000_documents_trains)
{
  DORM__OWNED(dorm_dataset) *giant = make_data(context, 1, 20000, WIDTH);
  dorm__free(train(context, giant, "solver.C=10;ranking.rounds=1;solver.threads=2", TRAINS));
  dorm__free(train(context, giant, "solver.C=10;ranking.rounds=1;solver.threads=2;ranking.position_weights=power:0.5",
                   TRAINS));
  dorm__free(train(context, giant, "solver.C=10;ranking.rounds=1;loss.name=mrr;ranking.position_weights=log", TRAINS));
}

UNIT_TEST_IN(context, queries_of_one_document_teach_nothing)
{
  DORM__OWNED(dorm_dataset) *single = make_data(context, 5000, 1, WIDTH);
  dorm__free(train(context, single, QUICK, NOTHING_TO_LEARN));
  dorm__free(train(context, single, QUICK "data.normalisation=none;data.rank_block=1", NOTHING_TO_LEARN));
}

UNIT_TEST_IN(context, equal_features_leave_w_at_zero)
{
  DORM__OWNED(dorm_dataset) *equal = make_data(context, 6, 5, WIDTH);
  for (size_t i = 0; i < 6 * 5 * WIDTH; i++)
    equal->values[i] = 0.25F;
  dorm__free(train(context, equal, QUICK, TRAINS_AT_ZERO));
  dorm__free(train(context, equal, QUICK "data.normalisation=none", TRAINS_AT_ZERO));
  dorm__free(train(context, equal, QUICK "kernel.kernel=rbf", TRAINS_AT_ZERO));
}

UNIT_TEST_IN(context, equal_labels_teach_nothing)
{
  DORM__OWNED(dorm_dataset) *same = make_data(context, 6, 5, WIDTH);
  for (size_t label = 0; label < 3; label += 2) {
    for (size_t j = 0; j < 30; j++)
      same->labels[j] = (double)label;
    dorm__free(train(context, same, QUICK, NOTHING_TO_LEARN));
    dorm__free(
        train(context, same, QUICK "ranking.reference=listed;ranking.position_weights=power:0.5", NOTHING_TO_LEARN));
  }
}

/* ---- Nothing at all -------------------------------------------------------------------- */

/* Trains on a text, which must be refused with this message. */
static void train_on_text(const char *text, dorm_storage storage, const char *texts, const char *message)
{
  DORM__OWNED(dorm_context) *context = unit_context();
  DORM__OWNED(dorm_settings) *settings = settings_of(context, texts);
  dorm_training *training = NULL;
  const dorm_read_options options = {.struct_size = sizeof options, .storage = storage};
  DORM__OWNED(dorm_dataset) *dataset = unit_read(context, unit_temporary_file(text), &options);
  UNIT_BAD_DATA(dorm_train(context, settings, dataset, NULL, &training), message);
  CU_ASSERT_PTR_NULL(training);
}

UNIT_TEST(data_without_features_are_refused)
{
  static const char text[] = "1 qid:1\n0 qid:1\n2 qid:1\n1 qid:2\n0 qid:2\n";
  static const char *const texts[] = UNIT_TEXTS(
      "", "solver.shards=8;solver.C=1", "data.rank_block=0.5;solver.C=1", "kernel.kernel=rbf;solver.C=1",
      "training.trainer=ridge;solver.shards=8", "training.trainer=smooth", "training.trainer=net;net.epochs=2");
  static const dorm_storage storages[] = {DORM_STORAGE_DENSE, DORM_STORAGE_SPARSE};
  for (size_t k = 0; k < 2; k++) {
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
      train_on_text(text, storages[k], texts[i], "nothing was learned");
    train_on_text(text, storages[k], "training.trainer=trees", "no feature to split on");
    train_on_text(text, storages[k], "training.trainer=adarank", "no query counts");
    train_on_text("1 qid:1\n", storages[k], "", "no query to train on");
    train_on_text("1 qid:1\n", storages[k], "training.trainer=ridge", "nothing was learned");
  }
}

/* A stream whose first query has no feature goes on with the features of the second. */
UNIT_TEST(a_stream_may_begin_without_features)
{
  static const char text[] = "1 qid:1\n0 qid:1\n1 qid:2 3:1\n0 qid:2 3:0.5\n";
  static const char *const texts[] = {"data.storage=dense", "data.storage=sparse",
                                      "data.storage=dense;data.rank_block=1"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    DORM__OWNED(dorm_context) *context = unit_context();
    DORM__OWNED(dorm_settings) *settings = settings_of(context, texts[i]);
    DORM__OWNED(dorm_model) *model = NULL;
    size_t id = 0;
    double weight = 0;
    UNIT_OK(context, dorm_settings_set(context, settings, "data.train", unit_temporary_file(text)));
    UNIT_OK(context, dorm_train_stream(context, settings, NULL, NULL, &model));
    dorm_model_weight(model, 0, &id, &weight, NULL);
    CU_ASSERT_TRUE(id == 3 && weight > 0);
  }
}

/* A model without features and parts has the score 0 for every document. */
UNIT_TEST_IN(context, a_model_without_parts_scores_zero)
{
  DORM__OWNED(dorm_dataset) *dataset = make_data(context, 2, 3, WIDTH);
  DORM__OWNED(dorm_model) *model = NULL;
  double scores[6] = {1, 1, 1, 1, 1, 1};
  const char *path = unit_temporary_file("dorm model 1\nnormalisation minmax\nrank_block 0\nend 0\n");
  UNIT_OK(context, dorm_model_read(context, path, &model));
  UNIT_OK(context, dorm_model_score(context, model, dataset, 1, scores));
  for (size_t j = 0; j < 6; j++)
    CU_ASSERT_EQUAL(scores[j], 0);
}

/* ---- Several at once -------------------------------------------------------------------- */

typedef struct job {
  const dorm_dataset *dataset;
  const char *texts;
  double weights[2 * WIDTH];
  bool is_good;
} job;

/* Trains in a context of its own. CUnit is not made for threads, so this checks nothing itself and reports is_good. */
static void *work(void *user)
{
  job *own = user;
  DORM__OWNED(dorm_settings) *settings = NULL;
  DORM__OWNED(dorm_training) *training = NULL;
  DORM__OWNED(dorm_context) *context = dorm_context_new();
  bool good = context && dorm_settings_new(context, &settings) == DORM_OK &&
              dorm_settings_set(context, settings, "training.trainer", "svm") == DORM_OK &&
              set_all(context, own->texts, settings);
  good = good && dorm_train(context, settings, own->dataset, own->dataset, &training) == DORM_OK;
  size_t id;
  for (size_t f = 0; good && f < WIDTH; f++)
    dorm_model_weight(dorm_training_model(training), f, &id, &own->weights[f], &own->weights[WIDTH + f]);
  own->is_good = good;
  return NULL;
}

UNIT_TEST_IN(context, trainings_at_once_are_those_one_after_the_other)
{
  enum { NUM_JOBS = 4 };
  static const char *const texts[NUM_JOBS] = {QUICK, QUICK "ranking.position_weights=power:0.5;solver.threads=2",
                                              QUICK "loss.name=mrr;data.normalisation=zscore",
                                              QUICK "data.normalisation=none;solver.threads=2"};
  DORM__OWNED(dorm_dataset) *dataset = make_data(context, 20, 10, WIDTH);
  job jobs[2][NUM_JOBS];
  pthread_t threads[NUM_JOBS];
  for (size_t i = 0; i < 2 * NUM_JOBS; i++)
    jobs[i / NUM_JOBS][i % NUM_JOBS] = (job){.dataset = dataset, .texts = texts[i % NUM_JOBS]};
  for (size_t i = 0; i < NUM_JOBS; i++)
    work(&jobs[0][i]);
  for (size_t i = 0; i < NUM_JOBS; i++)
    CU_ASSERT_EQUAL_FATAL(pthread_create(&threads[i], NULL, work, &jobs[1][i]), 0);
  for (size_t i = 0; i < NUM_JOBS; i++)
    pthread_join(threads[i], NULL);
  for (size_t i = 0; i < NUM_JOBS; i++) {
    CU_ASSERT_TRUE(jobs[0][i].is_good && jobs[1][i].is_good);
    CU_ASSERT_EQUAL(memcmp(jobs[0][i].weights, jobs[1][i].weights, sizeof jobs[0][i].weights), 0);
    CU_ASSERT_NOT_EQUAL(memcmp(jobs[0][i].weights, jobs[0][(i + 1) % NUM_JOBS].weights, sizeof jobs[0][i].weights), 0);
  }
}
