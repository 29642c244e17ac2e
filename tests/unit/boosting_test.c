/*
 * boosting_test.c: boosting against Algorithm 1 of McRank written down directly for given trees, against Newton steps;
 * and draws by seeds.
 */
#include "tests/unit/tree_walk.h"

enum { QUERIES = 8, DOCS_EACH = 25, NUM_DOCS = QUERIES * DOCS_EACH, WIDTH = 6, MOST_LEVELS = 5 };

typedef struct toy {
  dorm_context *context;
  dorm_dataset *dataset;
  double levels[MOST_LEVELS];
  dorm__tree_targets targets;
} toy;

static void toy_new(toy *made)
{
  *made = (toy){.context = unit_context(), .levels = {0, 1, 2, 3, 4}};
  made->dataset = unit_artificial(made->context, QUERIES, DOCS_EACH, WIDTH, 0.3, unit_seed() % 1000, 1);
  CU_ASSERT_PTR_NULL_FATAL(made->dataset->row_start);
  made->targets = (dorm__tree_targets){.num_docs = NUM_DOCS,
                                       .num_queries = QUERIES,
                                       .query_start = made->dataset->query_start,
                                       .labels = made->dataset->labels,
                                       .num_levels = MOST_LEVELS,
                                       .levels = made->levels};
}

static void toy_free(toy *made)
{
  dorm_dataset_free(made->dataset);
  dorm_context_free(made->context);
}

/* Some rounds of boosting; *ensemble is a copy of the trees, `outputs` [NUM_DOCS][num_outputs]. */
static void boost(const toy *from, const char *objective, const dorm__boosting_options *options, size_t num_rounds,
                  dorm__ensemble *ensemble, double *outputs)
{
  const dorm__tree_objective *found = dorm__tree_objective_named(objective);
  dorm__tree_rows rows = {.num_docs = NUM_DOCS, .values = from->dataset->values};
  DORM__OWNED(dorm__tree_bins) *bins = NULL;
  dorm__boosting *boosting = NULL;
  CU_ASSERT_PTR_NOT_NULL_FATAL(found);
  UNIT_OK(from->context, dorm__tree_bins_new(from->context, WIDTH, &rows, NULL, 255, options->num_threads, &bins));
  UNIT_OK(from->context, dorm__boosting_new(from->context, bins, &from->targets, found, options, &boosting));
  for (size_t i = 0; i < num_rounds; i++)
    UNIT_OK(from->context, dorm__boosting_round(from->context, boosting));
  const dorm__ensemble *whole = dorm__boosting_ensemble(boosting);
  UNIT_OK(from->context, dorm__ensemble_copy(from->context, whole, whole->num_trees, ensemble));
  memcpy(outputs, dorm__boosting_outputs(boosting), NUM_DOCS * ensemble->num_outputs * sizeof *outputs);
  dorm__boosting_free(boosting);
}

static const dorm__boosting_options plain = {.leaves = 6,
                                             .least_docs = 3,
                                             .learning_rate = 0.3,
                                             .docs_share = 1,
                                             .features_share = 1,
                                             .seed = 5,
                                             .num_threads = 1};

/* One round of Algorithm 1 for `num_classes` classes: F [docs][num_classes] and targets [docs][num_classes] of 0 and 1;
 * tree_of[k] is the given tree of class k, whose values with sign[k] must follow line 6, times the learning_rate. */
static void run_algorithm_1(const toy *from, size_t num_classes, const double *targets,
                            const dorm__tree *const *tree_of, const double *sign, double learning_rate, double *F)
{
  static double p[NUM_DOCS * MOST_LEVELS];
  for (size_t i = 0; i < NUM_DOCS; i++) {
    double sum = 0;
    for (size_t s = 0; s < num_classes; s++)
      sum += exp(F[i * num_classes + s]);
    for (size_t k = 0; k < num_classes; k++)
      p[i * num_classes + k] = exp(F[i * num_classes + k]) / sum;
  }
  for (size_t k = 0; k < num_classes; k++) {
    double above[64] = {0}, below[64] = {0};
    size_t leaf[NUM_DOCS];
    CU_ASSERT_FATAL(tree_of[k]->num_nodes <= 64);
    for (size_t i = 0; i < NUM_DOCS; i++) {
      double each = p[i * num_classes + k];
      leaf[i] = unit_walk(tree_of[k], from->dataset->values + i * WIDTH);
      above[leaf[i]] += targets[i * num_classes + k] - each;
      below[leaf[i]] += (1 - each) * each;
    }
    for (size_t i = 0; i < NUM_DOCS; i++) {
      double beta = (double)(num_classes - 1) / (double)num_classes * above[leaf[i]] / below[leaf[i]];
      UNIT_CLOSE(sign[k] * tree_of[k]->values[leaf[i]], learning_rate * beta, 1e-10);
      F[i * num_classes + k] += learning_rate * beta;
    }
  }
}

UNIT_TEST(classification_is_algorithm_1)
{
  enum { ROUNDS = 5 };
  static const double ones[MOST_LEVELS] = {1, 1, 1, 1, 1};
  static double F[NUM_DOCS * MOST_LEVELS], targets[NUM_DOCS * MOST_LEVELS], outputs[NUM_DOCS * MOST_LEVELS];
  DORM__AT_END(toy_free) toy from;
  DORM__AT_END(dorm__ensemble_clear) dorm__ensemble ensemble;
  toy_new(&from);
  boost(&from, "classification", &plain, ROUNDS, &ensemble, outputs);
  CU_ASSERT_EQUAL_FATAL(ensemble.num_trees, ROUNDS * MOST_LEVELS);
  memset(F, 0, sizeof F);
  for (size_t i = 0; i < NUM_DOCS; i++)
    for (size_t k = 0; k < MOST_LEVELS; k++)
      targets[i * MOST_LEVELS + k] = from.dataset->labels[i] == (double)k;
  for (size_t m = 0; m < ROUNDS; m++) {
    const dorm__tree *tree_of[MOST_LEVELS];
    for (size_t k = 0; k < MOST_LEVELS; k++)
      tree_of[k] = &ensemble.trees[m * MOST_LEVELS + k];
    run_algorithm_1(&from, MOST_LEVELS, targets, tree_of, ones, plain.learning_rate, F);
  }
  for (size_t i = 0; i < NUM_DOCS * MOST_LEVELS; i++)
    UNIT_CLOSE(outputs[i], F[i], 1e-10);
}

/* Each binary problem is Algorithm 1 with two classes, whose second tree is the first one with the other sign. */
UNIT_TEST(ordinal_is_algorithm_1_with_two_classes)
{
  enum { ROUNDS = 5, PROBLEMS = MOST_LEVELS - 1 };
  static const double signs[2] = {-1, 1};
  static double F[NUM_DOCS * 2], targets[NUM_DOCS * 2], outputs[NUM_DOCS * PROBLEMS];
  DORM__AT_END(toy_free) toy from;
  DORM__AT_END(dorm__ensemble_clear) dorm__ensemble ensemble;
  toy_new(&from);
  boost(&from, "ordinal", &plain, ROUNDS, &ensemble, outputs);
  CU_ASSERT_EQUAL_FATAL(ensemble.num_trees, ROUNDS * PROBLEMS);
  for (size_t k = 0; k < PROBLEMS; k++) {
    memset(F, 0, sizeof F);
    for (size_t i = 0; i < NUM_DOCS; i++) {
      targets[2 * i + 1] = from.dataset->labels[i] >= (double)(k + 1);
      targets[2 * i] = 1 - targets[2 * i + 1];
    }
    for (size_t m = 0; m < ROUNDS; m++) {
      const dorm__tree *tree = &ensemble.trees[m * PROBLEMS + k];
      run_algorithm_1(&from, 2, targets, (const dorm__tree *const[]){tree, tree}, signs, plain.learning_rate, F);
    }
    for (size_t i = 0; i < NUM_DOCS; i++)
      UNIT_CLOSE(outputs[i * PROBLEMS + k], F[2 * i + 1], 1e-10);
  }
}

/* λ and h of RankNet by the plain double loop, with the regression to the labels beside it. */
static void derive_ranknet(const toy *from, double share, const double *F, double *gradient, double *curvature)
{
  for (size_t q = 0; q < QUERIES; q++) {
    const double *y = from->dataset->labels + q * DOCS_EACH, *g = F + q * DOCS_EACH;
    double mean = 0;
    for (size_t i = 0; i < DOCS_EACH; i++)
      mean += (g[i] - y[i]) / DOCS_EACH;
    for (size_t i = 0; i < DOCS_EACH; i++) {
      double *G = &gradient[q * DOCS_EACH + i], *H = &curvature[q * DOCS_EACH + i];
      *G = share * (g[i] - y[i] - mean);
      *H = share + 0.01;
      for (size_t k = 0; k < DOCS_EACH; k++) {
        double p = y[i] > y[k] ? 1 / (1 + exp(g[i] - g[k])) : 1 / (1 + exp(g[k] - g[i]));
        *G -= y[i] > y[k] ? p : y[i] < y[k] ? -p : 0;
        *H += y[i] != y[k] ? p * (1 - p) : 0;
      }
    }
  }
}

/* The trees of the objective `lambda` have Newton steps in their leaves, at the scores before each tree, which begin at
 * `start`, or at 0 if that is NULL. `penalty` is added to the objective's own. */
static void compare_with_newton_steps(const double *start, double penalty)
{
  enum { ROUNDS = 5 };
  static double F[NUM_DOCS], gradient[NUM_DOCS], curvature[NUM_DOCS], outputs[NUM_DOCS];
  DORM__AT_END(toy_free) toy from;
  DORM__AT_END(dorm__ensemble_clear) dorm__ensemble ensemble;
  toy_new(&from);
  from.targets.regression_share = 0.2;
  from.targets.start = start;
  DORM__OWNED(dorm__lambda) *lambda = NULL;
  UNIT_OK(from.context, dorm__lambda_open(from.context, "ranknet", NULL, from.dataset, 1, &lambda));
  from.targets.lambda = lambda;
  CU_ASSERT_PTR_NOT_NULL_FATAL(from.targets.lambda);
  dorm__boosting_options options = plain;
  options.penalty = penalty;
  boost(&from, "lambda", &options, ROUNDS, &ensemble, outputs);
  CU_ASSERT_EQUAL_FATAL(ensemble.num_trees, ROUNDS);
  for (size_t i = 0; i < NUM_DOCS; i++)
    F[i] = start ? start[i] : 0;
  for (size_t m = 0; m < ROUNDS; m++) {
    const dorm__tree *tree = &ensemble.trees[m];
    double above[64] = {0}, below[64] = {0};
    size_t leaf[NUM_DOCS];
    CU_ASSERT_FATAL(tree->num_nodes <= 64);
    derive_ranknet(&from, 0.2, F, gradient, curvature);
    double p = 0.1 + penalty, G[2] = {0}, H[2] = {0}; /* of both sides of the root */
    for (size_t i = 0; i < NUM_DOCS; i++) {
      size_t side = dorm__tree_side(tree, tree->nodes, from.dataset->values[i * WIDTH + tree->nodes->feature]);
      G[side] += gradient[i];
      H[side] += curvature[i];
    }
    UNIT_CLOSE(tree->gains[0],
               G[0] * G[0] / (H[0] + p) + G[1] * G[1] / (H[1] + p) - (G[0] + G[1]) * (G[0] + G[1]) / (H[0] + H[1] + p),
               1e-5);
    for (size_t i = 0; i < NUM_DOCS; i++) {
      leaf[i] = unit_walk(tree, from.dataset->values + i * WIDTH);
      above[leaf[i]] -= gradient[i];
      below[leaf[i]] += curvature[i];
    }
    for (size_t i = 0; i < NUM_DOCS; i++) {
      double step = plain.learning_rate * above[leaf[i]] / (below[leaf[i]] + p);
      UNIT_CLOSE(tree->values[leaf[i]], step, 1e-9);
      F[i] += step;
    }
  }
  for (size_t i = 0; i < NUM_DOCS; i++)
    UNIT_CLOSE(outputs[i], F[i], 1e-9);
}

UNIT_TEST(leaves_of_lambda_are_newton_steps)
{
  static double start[NUM_DOCS];
  dorm__random random = unit_random(0);
  for (size_t i = 0; i < NUM_DOCS; i++)
    start[i] = dorm__random_normal(&random);
  compare_with_newton_steps(NULL, 0);
  compare_with_newton_steps(start, 0);
  compare_with_newton_steps(NULL, 7);
}

static bool are_equal(const dorm__ensemble *one, const dorm__ensemble *two)
{
  bool equal = one->num_trees == two->num_trees;
  for (size_t t = 0; equal && t < one->num_trees; t++) {
    size_t count = one->trees[t].num_nodes;
    equal = count == two->trees[t].num_nodes &&
            memcmp(one->trees[t].nodes, two->trees[t].nodes, count * sizeof *one->trees[t].nodes) == 0 &&
            memcmp(one->trees[t].values, two->trees[t].values, count * sizeof *one->trees[t].values) == 0;
  }
  return equal;
}

UNIT_TEST(the_same_seed_gives_the_same_trees)
{
  enum { ROUNDS = 6 };
  static double outputs[NUM_DOCS * MOST_LEVELS];
  DORM__AT_END(toy_free) toy from;
  dorm__boosting_options options = plain;
  dorm__ensemble first, again, other;
  toy_new(&from);
  options.docs_share = 0.6;
  options.features_share = 0.5;
  boost(&from, "ordinal", &options, ROUNDS, &first, outputs);
  for (size_t num_threads = 1; num_threads < 4; num_threads++) {
    options.num_threads = num_threads;
    boost(&from, "ordinal", &options, ROUNDS, &again, outputs);
    CU_ASSERT_TRUE(are_equal(&first, &again));
    dorm__ensemble_clear(&again);
  }
  options.seed++;
  boost(&from, "ordinal", &options, ROUNDS, &other, outputs);
  CU_ASSERT_FALSE(are_equal(&first, &other));
  dorm__ensemble_clear(&first);
  dorm__ensemble_clear(&other);
}
