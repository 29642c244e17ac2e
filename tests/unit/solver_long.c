/*
 * solver_long.c: trains on as many random problems as asked for.
 *
 *   solver_long [PROBLEMS [SEED]]
 *
 * Problems have up to six queries of up to twenty documents with up to five features, any loss of the table below, and
 * position weights and C that make some of them hard. Each has to reach a gap of 1e-6 in at most MOST_PASSES passes,
 * from 0 and from ridge regression, with the same objective (but for the reference `ideal`, which depends on the
 * start).
 */
#include "base/base.h"
#include "base/random.h"
#include "dorm/dorm.h"
#include "tests/owned.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static dorm_status draw_problem(dorm_context *context, dorm__random *random, problem *drawn)
{
  static float features[MOST_QUERIES * MOST_DOCS * MOST_FEATURES];
  static double labels[MOST_QUERIES * MOST_DOCS];
  size_t query_start[MOST_QUERIES + 1] = {0};
  size_t num_queries = 1 + dorm__random_below(random, MOST_QUERIES);
  size_t num_docs = 2 + dorm__random_below(random, MOST_DOCS - 1);
  size_t num_features = 1 + dorm__random_below(random, MOST_FEATURES);
  size_t num_levels = 2 + dorm__random_below(random, 4);
  size_t kind = dorm__random_below(random, 3);
  for (size_t i = 0; i < num_queries; i++)
    query_start[i + 1] = query_start[i] + num_docs;
  for (size_t j = 0; j < num_queries * num_docs; j++)
    labels[j] = (double)dorm__random_below(random, num_levels);
  for (size_t e = 0; e < num_queries * num_docs * num_features; e++)
    features[e] = draw_feature(random, kind);
  drawn->loss = DRAW(random, losses);
  drawn->reference = DRAW(random, references);
  drawn->position_weights = DRAW(random, position_weights);
  snprintf(drawn->C, sizeof drawn->C, "%.6g", pow(10, -1 + 3.5 * dorm__random_uniform(random)));
  return dorm_dataset_from_arrays(context, num_queries, query_start, num_features, labels, features, &drawn->dataset);
}

/* Trains one candidate and copies its certificate. */
static dorm_status train(dorm_context *context, const problem *drawn, const char *start, dorm_certificate *found)
{
  const char *const pairs[][2] = {{"solver.start", start},
                                  {"loss.name", drawn->loss},
                                  {"ranking.reference", drawn->reference},
                                  {"ranking.position_weights", drawn->position_weights},
                                  {"solver.C", drawn->C},
                                  {"solver.gap", "1e-6"},
                                  {"solver.max_iterations", "20000"},
                                  {"ranking.rounds", "1"},
                                  {"data.normalisation", "none"},
                                  {"data.rank_block", "0"},
                                  {"solver.threads", "1"}};
  DORM__OWNED(dorm_settings) *settings = NULL;
  DORM__OWNED(dorm_training) *training = NULL;
  dorm_status status = dorm_settings_new(context, &settings);
  for (size_t i = 0; status == DORM_OK && i < sizeof pairs / sizeof *pairs; i++)
    status = dorm_settings_set(context, settings, pairs[i][0], pairs[i][1]);
  if (status == DORM_OK)
    status = dorm_train(context, settings, drawn->dataset, NULL, &training);
  if (status == DORM_OK)
    *found = dorm_training_candidate(training, dorm_training_num_candidates(training) - 1)->certificate;
  return status;
}

/* Whether both reach the gap and the same objective, in few enough passes. */
static bool check(dorm_context *context, const problem *drawn, size_t *num_trained, size_t *most_passes)
{
  dorm_certificate zero, ridge;
  dorm_status status = train(context, drawn, "zero", &zero);
  if (status == DORM_BAD_DATA) /* every ranking costs the same */
    return true;
  if (status == DORM_OK)
    status = train(context, drawn, "ridge", &ridge);
  if (status == DORM_OK) {
    bool is_moving = strcmp(drawn->reference, "ideal") == 0;
    double allowed = is_moving ? INFINITY : GAP * (zero.primal + ridge.primal) + 1e-12;
    size_t passes = zero.iterations > ridge.iterations ? zero.iterations : ridge.iterations;
    *most_passes = passes > *most_passes ? passes : *most_passes;
    ++*num_trained;
    if (zero.gap <= GAP && ridge.gap <= GAP && fabs(zero.primal - ridge.primal) <= allowed && passes <= MOST_PASSES)
      return true;
    printf("from 0 %.12g in %zu passes, from ridge regression %.12g in %zu", zero.primal, zero.iterations, ridge.primal,
           ridge.iterations);
  } else {
    printf("%s", dorm_context_message(context));
  }
  printf(": %s, reference %s, position weights %s, C %s, %zu documents, %zu features\n", drawn->loss, drawn->reference,
         drawn->position_weights, drawn->C, dorm_dataset_num_docs(drawn->dataset),
         dorm_dataset_num_features(drawn->dataset));
  return false;
}

int main(int argc, char **argv)
{
  uint64_t problems = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000;
  uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 20070401;
  DORM__OWNED(dorm_context) *context = dorm_context_new();
  if (!context)
    return 1;
  dorm__random random;
  dorm__random_seed(&random, seed);
  uint64_t wrong = 0;
  size_t num_trained = 0;
  size_t most_passes = 0;
  for (uint64_t i = 0; i < problems && wrong < 10; i++) {
    problem drawn;
    if (draw_problem(context, &random, &drawn) != DORM_OK)
      return 1;
    wrong += !check(context, &drawn, &num_trained, &most_passes);
    dorm_dataset_free(drawn.dataset);
  }
  printf("seed %" PRIu64 ": %" PRIu64 " problems, of which %zu can be trained on; %" PRIu64
         " wrong; at most %zu passes\n",
         seed, problems, num_trained, wrong, most_passes);
  return wrong != 0 || num_trained == 0;
}
