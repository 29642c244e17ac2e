/*
 * document_weights_test.c: weights of documents against gains that are scaled by hand, and against documents repeated
 * as often as they weigh.
 */
#include "tests/unit/training_cases.h"

enum { QUERIES = 30, DOCS = 5, NUM_DOCS = QUERIES * DOCS };

/* ---- Scaled gains ----------------------------------------------------------------- */

/* A data set with weights of documents, and one whose labels are multiplied by them. */
static void scaled_both_ways(dorm_context *context, dorm_dataset **weighted, dorm_dataset **scaled)
{
  double weights[NUM_DOCS];
  dorm__random random = unit_random(7);
  *weighted = training_random_data(context, unit_seed(), QUERIES, DOCS, false);
  *scaled = training_random_data(context, unit_seed(), QUERIES, DOCS, false);
  for (size_t j = 0; j < NUM_DOCS; j++) {
    weights[j] = j % 7 == 3 ? 0 : 2 * dorm__random_uniform(&random);
    (*scaled)->labels[j] *= weights[j];
  }
  UNIT_OK(context, dorm_dataset_set_weights(context, *weighted, NULL, weights));
}

UNIT_TEST_IN(context, document_weights_are_scaled_gains)
{
  static const char *const losses[] = {"dcg:gain=linear", "ndcg:gain=linear,truncation=3", "eru", "eru:normalised=no"};
  DORM__OWNED(dorm_dataset) *weighted = NULL, *scaled = NULL;
  scaled_both_ways(context, &weighted, &scaled);
  for (size_t i = 0; i < 4; i++) {
    const char *const pairs[] = {"loss.name", losses[i],  "solver.gap", "1e-6", "solver.max_iterations",
                                 "100000",    "solver.C", "10",         NULL};
    DORM__OWNED(dorm_training) *one = training_run(context, pairs, DORM_OK, weighted, NULL);
    DORM__OWNED(dorm_training) *two = training_run(context, pairs, DORM_OK, scaled, NULL);
    const dorm_certificate *first = training_certificate(one, 1), *second = training_certificate(two, 1);
    CU_ASSERT_TRUE(first->dual <= second->primal * (1 + 1e-9) && second->dual <= first->primal * (1 + 1e-9));
    CU_ASSERT_TRUE(first->primal > 0);
    for (size_t f = 0; f < TRAINING_WIDTH; f++) {
      UNIT_CLOSE(one->trained[0].w[f], two->trained[0].w[f], 1e-12);
      CU_ASSERT_TRUE(fabs(one->trained[1].w[f] - two->trained[1].w[f]) <= 2 * sqrt(2e-6 * first->primal));
    }
  }
}

static int fill_own(const dorm_host *host, const void *state, const dorm_loss_query *query, double *a, double *b)
{
  (void)host;
  (void)state;
  for (size_t j = 0; j < query->num_docs; j++) {
    a[j] = 1 / (double)(j + 1);
    b[j] = query->labels[j];
  }
  return 0;
}

static int fill_own_costs(const dorm_host *host, const void *state, const dorm_loss_query *query, double *cost)
{
  (void)host;
  (void)state;
  for (size_t i = 0; i < query->num_docs * query->num_docs; i++)
    cost[i] = query->labels[i / query->num_docs] * (double)(i % query->num_docs);
  return 0;
}

/* The losses `own`, which has gains, and `own_costs`, which has none. */
static void register_own_losses(dorm_context *context)
{
  dorm_loss_module own = {
      .abi = DORM_PLUGIN_ABI, .struct_size = sizeof own, .name = "own", .help = "own", .fill_product = fill_own};
  UNIT_OK(context, dorm_loss_register(context, &own, NULL));
  own.name = "own_costs";
  own.fill_product = NULL;
  own.fill_costs = fill_own_costs;
  UNIT_OK(context, dorm_loss_register(context, &own, NULL));
}

/* Delta of every ranking of small queries, against gains that are weighted by hand. */
UNIT_TEST_IN(context, tables_have_scaled_gains)
{
  static const struct {
    const char *text;
    bool is_normalised;
  } losses[] = {{"dcg", false}, {"ndcg", true}, {"mwta", true}, {"precision:truncation=3", false},
                {"wta", false}, {"own", false}};
  static uint32_t rankings[UNIT_RANKINGS_OF_FIVE][5];
  DORM__OWNED(dorm_dataset) *weighted = NULL, *scaled = NULL;
  scaled_both_ways(context, &weighted, &scaled);
  unit_rankings_of_five(rankings);
  register_own_losses(context);
  DORM__OWNED(dorm_dataset) *plain = training_random_data(context, unit_seed(), QUERIES, DOCS, false);
  for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
    dorm__loss_tables *tables[2] = {NULL, NULL};
    DORM__OWNED(dorm__loss) *loss = unit_loss(context, losses[i].text);
    UNIT_OK(context, dorm__loss_tables_build(context, loss, weighted, 2, &tables[0]));
    UNIT_OK(context, dorm__loss_tables_build(context, loss, plain, 2, &tables[1]));
    for (size_t q = 0; q < QUERIES; q++) {
      const dorm__query_loss *one = dorm__loss_tables_query(tables[0], q), *two = dorm__loss_tables_query(tables[1], q);
      double worth[UNIT_RANKINGS_OF_FIVE], ideal = 0, plain_ideal = 0;
      for (size_t r = 0; r < UNIT_RANKINGS_OF_FIVE; r++) {
        double own = 0;
        worth[r] = 0;
        for (size_t p = 0; p < DOCS; p++) {
          size_t j = rankings[r][p];
          worth[r] += two->a[p] * two->b[j] * weighted->doc_weights[q * DOCS + j];
          own += two->a[p] * two->b[j];
        }
        ideal = fmax(ideal, worth[r]);
        plain_ideal = fmax(plain_ideal, own);
      }
      double factor = losses[i].is_normalised && ideal > 0 ? plain_ideal / ideal : 1;
      for (size_t r = 0; r < UNIT_RANKINGS_OF_FIVE; r++)
        UNIT_CLOSE(dorm__query_loss_of(one, rankings[r]), factor * (ideal - worth[r]), 1e-12);
    }
    dorm__loss_tables_free(tables[0]);
    dorm__loss_tables_free(tables[1]);
  }
}

UNIT_TEST_IN(context, losses_without_gains_refuse_document_weights)
{
  static const char *const cases[][3] = {
      {"loss.name", "mrr", "loss 'mrr' has no gain"},
      {"loss.name", "map", "loss 'map' has no gain"},
      {"loss.name", "rsvm", "loss 'rsvm' has no gain"},
      {"loss.name", "precision-set", NULL},
      {"training.lambda", "softmax", "'softmax' has no gain"},
      {"training.lambda", "ranknet-weight-pairs of map",
       "map:threshold=1,divide=relevant,empty=0,ties=order has no gain"},
      {"training.lambda", "ranknet-weight-pairs of redundancy@3", "has no gain of a document"},
      {"training.lambda", "ranknet-weight-pairs of rprec", "has no gain of a document"},
      {"training.lambda", "ranknet-weight-pairs of minus_loss(rsvm)", "loss 'rsvm' has no gain"},
      {"training.lambda", "ranknet-weight-pairs of err", "has no gain of a document"},
      {"loss.name", "own_costs", "loss 'own_costs' has no gain"},
  };
  DORM__OWNED(dorm_dataset) *weighted = NULL, *scaled = NULL;
  size_t group_start[NUM_DOCS + 1];
  uint32_t groups[NUM_DOCS];
  scaled_both_ways(context, &weighted, &scaled);
  for (size_t j = 0; j <= NUM_DOCS; j++)
    group_start[j] = j;
  for (size_t j = 0; j < NUM_DOCS; j++)
    groups[j] = (uint32_t)(j / 2);
  UNIT_OK(context, dorm_dataset_set_groups(context, weighted, group_start, groups, NULL));
  register_own_losses(context);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bool of_lambda = strcmp(cases[i][0], "training.lambda") == 0;
    const char *trainer = !of_lambda ? "svm" : i % 2 ? "net" : "trees";
    DORM__OWNED(dorm_settings) *settings = training_settings(
        context, UNIT_PAIRS(cases[i][0], cases[i][1], "training.trainer", trainer, "trees.objective", "lambda"));
    dorm_training *training = (dorm_training *)context;
    UNIT_BAD_USAGE(dorm_train(context, settings, weighted, NULL, &training), cases[i][2]);
    CU_ASSERT_PTR_NULL(training);
  }
}

/* λ-functions follow gains, which are scaled, and not labels. */
UNIT_TEST_IN(context, gradients_are_those_of_scaled_gains)
{
  static const char *const cases[][11] = {
      {"training.trainer", "net", "training.lambda", "ranknet-weight-pairs of ndcg@3:gain=linear", "net.epochs", "8"},
      {"training.trainer", "net", "training.lambda", "ranknet-weight-pairs of dcg:gain=linear", "net.start", "ridge"},
      {"training.trainer", "net", "training.lambda", "dorm of eru", "net.epochs", "5"},
      {"training.trainer", "net", "training.lambda", "ranknet-weight-pairs of minus_loss(ndcg:gain=linear)",
       "net.epochs", "5"},
      {"training.trainer", "trees", "trees.objective", "dorm", "trees.trees", "5", "trees.leaves", "4",
       "trees.learning_rate", "0.3"},
      {"training.trainer", "trees", "trees.objective", "lambda", "trees.trees", "5", "trees.leaves", "4",
       "trees.learning_rate", "0.3"},
  };
  DORM__OWNED(dorm_dataset) *weighted = NULL, *scaled = NULL;
  scaled_both_ways(context, &weighted, &scaled);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *const *const *lists = TRAINING_LISTS(UNIT_PAIRS("selection.measure", "ndcg@10:gain=linear"), cases[i]);
    DORM__OWNED(dorm_training) *one = training_run_lists(context, lists, DORM_OK, weighted, NULL);
    DORM__OWNED(dorm_training) *two = training_run_lists(context, lists, DORM_OK, scaled, NULL);
    training_compare(context, cases[i][3], one, two, weighted, 1e-6);
  }
}

/* ---- Repeated documents ---------------------------------------------------------------- */

/* If the error is of documents alone, a document that counts twice is a document given twice. */
UNIT_TEST_IN(context, trees_count_errors_by_document_weights)
{
  static const char *const objectives[] = {"regression", "ordinal", "classification"};
  DORM__OWNED(dorm_dataset) *plain = training_random_data(context, unit_seed(), QUERIES, DOCS, false);
  size_t start[QUERIES + 1] = {0};
  static double labels[3 * NUM_DOCS], weights[NUM_DOCS];
  static float values[3 * NUM_DOCS * TRAINING_WIDTH];
  size_t count = 0;
  for (size_t q = 0; q < QUERIES; q++) {
    for (size_t j = q * DOCS; j < (q + 1) * DOCS; j++) {
      weights[j] = (double)(1 + (j * 5 + q) % 3);
      for (double k = 0; k < weights[j]; k++, count++) {
        labels[count] = plain->labels[j];
        memcpy(values + count * TRAINING_WIDTH, plain->values + j * TRAINING_WIDTH, TRAINING_WIDTH * sizeof *values);
      }
    }
    start[q + 1] = count;
  }
  DORM__OWNED(dorm_dataset) *repeated = unit_dataset(context, QUERIES, start, TRAINING_WIDTH, labels, values);
  UNIT_OK(context, dorm_dataset_set_weights(context, plain, NULL, weights));
  for (size_t i = 0; i < 3; i++) {
    const char *const *pairs = UNIT_PAIRS(TRAINING_SMALL_TREES, "trees.objective", objectives[i], "selection.measure",
                                          "ndcg@10", "trees.min_docs_in_leaf", "1");
    DORM__OWNED(dorm_training) *one = training_run(context, pairs, DORM_OK, plain, NULL);
    DORM__OWNED(dorm_training) *two = training_run(context, pairs, DORM_OK, repeated, NULL);
    training_compare(context, objectives[i], one, two, plain, 1e-6);
  }
}
