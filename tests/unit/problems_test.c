/*
 * problems_test.c: trains on random problems. They have up to six queries of up to twenty documents with up to five
 * features, any loss of the table below, and position weights and C that make some of them hard. Each has to reach a
 * gap of 1e-6 in at most MOST_PASSES passes, from 0 and from ridge regression, with the same objective (but for the
 * reference `ideal`, which depends on the start).
 */
#include "tests/unit/unit.h"

enum { MOST_QUERIES = 6, MOST_DOCS = 20, MOST_FEATURES = 5, MOST_PASSES = 200 };
static const double GAP = 1e-6;

static const char *const losses[] = {"ndcg@10",     "ndcg@3",      "ndcg", "mrr",  "wta",
                                     "precision@2", "precision@5", "eru",  "rsvm", "roc_area"};
static const char *const references[] = {"listed", "averaged", "ideal"};
static const char *const position_weights[] = {"loss", "power:0.25", "power:1", "log", "loglog"};

typedef struct problem {
  dorm_dataset *dataset;
  const char *loss;
  const char *reference;
  const char *position_weights;
  char C[32];
} problem;

#define DRAW(random, array) (array)[dorm__random_below(random, sizeof(array) / sizeof *(array))]

/* Features are normal, one of three values, or most of them near 0. */
static float draw_feature(dorm__random *random, size_t kind)
{
  if (kind == 0)
    return (float)dorm__random_normal(random);
  return kind == 1 ? (float)dorm__random_below(random, 3) : (float)pow(dorm__random_uniform(random), 4);
}

static void draw_problem(dorm_context *context, dorm__random *random, problem *drawn)
{
  static float features[MOST_QUERIES * MOST_DOCS * MOST_FEATURES];
  static double labels[MOST_QUERIES * MOST_DOCS];
  size_t num_queries = 1 + dorm__random_below(random, MOST_QUERIES);
  size_t num_docs = 2 + dorm__random_below(random, MOST_DOCS - 1);
  size_t num_features = 1 + dorm__random_below(random, MOST_FEATURES);
  size_t num_levels = 2 + dorm__random_below(random, 4);
  size_t kind = dorm__random_below(random, 3);
  for (size_t j = 0; j < num_queries * num_docs; j++)
    labels[j] = (double)dorm__random_below(random, num_levels);
  for (size_t e = 0; e < num_queries * num_docs * num_features; e++)
    features[e] = draw_feature(random, kind);
  drawn->loss = DRAW(random, losses);
  drawn->reference = DRAW(random, references);
  drawn->position_weights = DRAW(random, position_weights);
  snprintf(drawn->C, sizeof drawn->C, "%.6g", pow(10, -1 + 3.5 * dorm__random_uniform(random)));
  drawn->dataset = unit_even_dataset(context, num_queries, num_docs, num_features, labels, features);
}

/* Trains one candidate and copies its certificate. */
static dorm_status train(dorm_context *context, const problem *drawn, const char *start, dorm_certificate *found)
{
  DORM__OWNED(dorm_settings) *settings =
      unit_defaults(context, UNIT_PAIRS("training.trainer", "svm", "solver.start", start, "loss.name", drawn->loss,
                                        "ranking.reference", drawn->reference, "ranking.position_weights",
                                        drawn->position_weights, "solver.C", drawn->C, "solver.gap", "1e-6",
                                        "solver.max_iterations", "20000", "ranking.rounds", "1", "data.normalisation",
                                        "none", "data.rank_block", "0", "solver.threads", "1"));
  DORM__OWNED(dorm_training) *training = NULL;
  dorm_status status = dorm_train(context, settings, drawn->dataset, NULL, &training);
  if (status == DORM_OK)
    *found = dorm_training_candidate(training, dorm_training_num_candidates(training) - 1)->certificate;
  return status;
}

UNIT_TEST_DRAWN(context, random, random_problems_are_solved_from_either_start)
{
  size_t num_trained = 0, count = unit_long_count(200);
  for (size_t i = 0; i < count; i++) {
    problem drawn;
    dorm_certificate zero, ridge;
    draw_problem(context, random, &drawn);
    DORM__OWNED(dorm_dataset) *dataset = drawn.dataset;
    dorm_status status = train(context, &drawn, "zero", &zero);
    if (status == DORM_BAD_DATA) /* every ranking costs the same */
      continue;
    UNIT_OK(context, status);
    UNIT_OK(context, train(context, &drawn, "ridge", &ridge));
    bool is_moving = strcmp(drawn.reference, "ideal") == 0;
    double allowed = is_moving ? INFINITY : GAP * (zero.primal + ridge.primal) + 1e-12;
    bool is_good = zero.gap <= GAP && ridge.gap <= GAP && fabs(zero.primal - ridge.primal) <= allowed &&
                   zero.iterations <= MOST_PASSES && ridge.iterations <= MOST_PASSES;
    if (!is_good)
      printf("\n    from 0 %.12g in %zu passes, from ridge regression %.12g in %zu: %s, reference %s, position weights "
             "%s, "
             "C %s, %zu documents, %zu features\n",
             zero.primal, zero.iterations, ridge.primal, ridge.iterations, drawn.loss, drawn.reference,
             drawn.position_weights, drawn.C, dorm_dataset_num_docs(dataset), dorm_dataset_num_features(dataset));
    CU_ASSERT_TRUE(is_good);
    num_trained++;
  }
  CU_ASSERT_TRUE(num_trained > count / 2);
}
