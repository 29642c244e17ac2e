/*
 * trees_test.c: boosted trees against Algorithm 1 of McRank written down directly for given trees, against naive walks,
 * and against libxgboost's own training and prediction; the part of a model written, read and damaged.
 */
#include "tests/unit/unit.h"

#include "base/base.h"
#include "base/module.h"
#include "base/random.h"
#include "data/data.h"
#include "features/features.h"
#include "models/models.h"
#include "trees/trees.h"
#include "trees/xgboost.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* ---- Walks ------------------------------------------------------------------------------- */

/* The leaf of a row, one comparison after the other. */
static size_t walk(const dorm__tree *tree, const float *row)
{
  size_t node = 0;
  while (tree->nodes[node].child != node) {
    float value = row[tree->nodes[node].feature];
    size_t side = isnan(value) ? tree->nodes[node].absent : !(value < tree->nodes[node].threshold);
    node = tree->nodes[node].child + side;
  }
  return node;
}

/* A random tree in breadth-first order, with thresholds that rows hit exactly. */
static void random_tree(dorm__random *random, size_t num_splits, size_t width, dorm__tree *tree)
{
  CU_ASSERT_FATAL(dorm__tree_make(2 * num_splits + 1, tree));
  size_t splits = 0;
  for (size_t n = 0; n < tree->num_nodes; n++) {
    bool is_last_open = n == 2 * splits; /* no node would follow */
    bool is_split = splits < num_splits && (is_last_open || dorm__random_below(random, 2));
    if (is_split)
      tree->nodes[n] = (dorm__tree_node){.threshold = (float)dorm__random_below(random, 8),
                                         .feature = (uint32_t)dorm__random_below(random, width),
                                         .child = (uint32_t)(2 * splits++ + 1),
                                         .absent = (uint32_t)dorm__random_below(random, 2)};
    else
      tree->nodes[n] = (dorm__tree_node){.threshold = INFINITY, .child = (uint32_t)n};
    tree->values[n] = is_split ? 0 : dorm__random_normal(random);
  }
}

static void scores_are_those_of_naive_walks(void)
{
  enum { WIDTH = 5, DOCS = 203, TREES = 12, OUTPUTS = 3 };
  dorm_context *context = unit_context();
  dorm__random random;
  dorm__ensemble ensemble = {.width = WIDTH, .num_outputs = OUTPUTS};
  static float rows[DOCS * WIDTH];
  static double outputs[DOCS * OUTPUTS], expected[DOCS * OUTPUTS];
  dorm__random_seed(&random, unit_seed());
  for (size_t i = 0; i < DOCS * WIDTH; i++)
    rows[i] = dorm__random_below(&random, 10) ? (float)dorm__random_below(&random, 9) : NAN;
  for (size_t t = 0; t < TREES; t++) {
    dorm__tree tree;
    size_t node;
    random_tree(&random, t, WIDTH, &tree);
    CU_ASSERT_PTR_NULL(dorm__tree_fault(&tree, WIDTH, &node));
    UNIT_OK(context, dorm__ensemble_add(context, &ensemble, &tree));
  }
  for (size_t count = DOCS - 9; count <= DOCS; count++)
    for (size_t num_threads = 1; num_threads < 4; num_threads++) {
      memset(outputs, 0, sizeof outputs);
      memset(expected, 0, sizeof expected);
      dorm__ensemble_add_outputs(&ensemble, 0, count, rows, num_threads, outputs);
      for (size_t j = 0; j < count; j++)
        for (size_t t = 0; t < TREES; t++)
          expected[j * OUTPUTS + t % OUTPUTS] += ensemble.trees[t].values[walk(&ensemble.trees[t], rows + j * WIDTH)];
      CU_ASSERT_EQUAL(memcmp(outputs, expected, sizeof outputs), 0);
    }
  dorm__ensemble_clear(&ensemble);
  dorm_context_free(context);
}

/* ---- Expected relevance --------------------------------------------------------------------- */

static void expected_relevance_is_its_formula(void)
{
  enum { LEVELS = 4 };
  static const double levels[LEVELS] = {0, 1, 2, 5};
  static const double outputs[LEVELS] = {0.3, -1.2, 2.5, 0.7};
  const dorm__tree_objective *classification = dorm__tree_objective_named("classification");
  const dorm__tree_objective *ordinal = dorm__tree_objective_named("ordinal");
  CU_ASSERT_FATAL(classification && ordinal);
  for (int expected = 0; expected < DORM__NUM_EXPECTED; expected++) {
    double values[LEVELS], sum = 0, score = 0, at_most[LEVELS + 1] = {0};
    dorm__tree_level_values((dorm__tree_expected)expected, LEVELS, levels, values);
    for (size_t k = 0; k < LEVELS; k++) {
      CU_ASSERT_EQUAL(values[k], expected == DORM__EXPECTED_GAIN ? pow(2, levels[k]) - 1 : levels[k]);
      sum += exp(outputs[k]);
    }
    for (size_t k = 0; k < LEVELS; k++)
      score += exp(outputs[k]) / sum * values[k];
    CU_ASSERT_TRUE(unit_close(classification->score(LEVELS, values, outputs), score, 1e-14));
    /* Pr(y <= level k) of two classes with outputs -F and F, then equation 8. */
    for (size_t k = 0; k < LEVELS; k++)
      at_most[k + 1] = k + 1 < LEVELS ? exp(-outputs[k]) / (exp(outputs[k]) + exp(-outputs[k])) : 1;
    score = 0;
    for (size_t k = 0; k < LEVELS; k++)
      score += (at_most[k + 1] - at_most[k]) * values[k];
    CU_ASSERT_TRUE(unit_close(ordinal->score(LEVELS, values, outputs), score, 1e-14));
  }
}

/* The derivatives of a document are those of its own outputs, whatever the outputs of the documents beside it. */
static void derivatives_are_of_one_document(void)
{
  enum { DOCS = 3, LEVELS = 3 };
  static const double levels[LEVELS] = {0, 1, 2};
  static const char *const names[] = {"classification", "ordinal"};
  static const double labels[DOCS] = {2, 0, 1};
  const double large[] = {-1e300, 0, 1e300};
  dorm_context *context = unit_context();
  for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
    const dorm__tree_objective *objective = dorm__tree_objective_named(names[n]);
    CU_ASSERT_PTR_NOT_NULL_FATAL(objective);
    size_t num_outputs = objective->num_outputs(LEVELS);
    const dorm__tree_targets targets = {.num_docs = DOCS, .num_levels = LEVELS, .levels = levels, .labels = labels};
    double first[2][LEVELS * DOCS] = {{0}};
    for (size_t i = 0; i < 3; i++) {
      double outputs[DOCS * LEVELS], gradient[LEVELS * DOCS], curvature[LEVELS * DOCS];
      for (size_t k = 0; k < DOCS * num_outputs; k++)
        outputs[k] = k / num_outputs == 1 ? 0.3 * (double)k - 1 : large[i]; /* the document in the middle is ordinary */
      UNIT_OK(context, objective->derive(context, &targets, 0, outputs, 1, gradient, curvature));
      for (size_t k = 0; k < num_outputs; k++) {
        if (i == 0) {
          first[0][k] = gradient[k * DOCS + 1];
          first[1][k] = curvature[k * DOCS + 1];
        }
        CU_ASSERT_TRUE(curvature[k * DOCS + 1] > 0 && gradient[k * DOCS + 1] != 0);
        CU_ASSERT_TRUE(gradient[k * DOCS + 1] == first[0][k] && curvature[k * DOCS + 1] == first[1][k]);
      }
    }
  }
  dorm_context_free(context);
}

/* Documents go through the trees in batches; the last one may be full, and no output behind the last is touched. */
static void outputs_are_of_the_documents_alone(void)
{
  enum { MOST_DOCS = 1100, BEHIND = 1100 };
  dorm_context *context = unit_context();
  dorm__ensemble ensemble = {.width = 1, .num_outputs = 1};
  dorm__tree tree;
  UNIT_OK(context,
          dorm__tree_from_dump(context, "0:[f0<0.5] yes=1,no=2,missing=1,gain=1,cover=2\n1:leaf=1\n2:leaf=3\n", &tree));
  for (size_t n = 0; n < tree.num_nodes; n++)
    tree.values[n] = n == tree.nodes[0].child ? 1 : 3;
  UNIT_OK(context, dorm__ensemble_add(context, &ensemble, &tree));
  static float rows[MOST_DOCS + BEHIND];
  static double outputs[MOST_DOCS + BEHIND];
  for (size_t j = 0; j < MOST_DOCS + BEHIND; j++)
    rows[j] = (float)(j % 3 == 0);
  for (size_t count = 0; count <= MOST_DOCS; count += count < 520 ? 1 : 7) {
    for (size_t j = 0; j < MOST_DOCS + BEHIND; j++)
      outputs[j] = 10;
    dorm__ensemble_add_outputs(&ensemble, 0, count, rows, 1, outputs);
    size_t num_wrong = 0;
    for (size_t j = 0; j < MOST_DOCS + BEHIND; j++)
      num_wrong += outputs[j] != (j >= count ? 10 : rows[j] < 0.5F ? 11 : 13);
    CU_ASSERT_EQUAL(num_wrong, 0);
  }
  dorm__ensemble_clear(&ensemble);
  dorm_context_free(context);
}

/* ---- Training --------------------------------------------------------------------------------- */

#ifdef HAVE_XGBOOST

#include <xgboost/c_api.h>

enum { QUERIES = 8, DOCS_EACH = 25, NUM_DOCS = QUERIES * DOCS_EACH, WIDTH = 6, MOST_LEVELS = 5 };

typedef struct toy {
  dorm_context *context;
  dorm_dataset *dataset;
  double levels[MOST_LEVELS];
  dorm__tree_targets targets;
} toy;

static void toy_new(toy *made)
{
  dorm_artificial parameters = {sizeof parameters, QUERIES, DOCS_EACH, WIDTH, 0.3, unit_seed() % 1000, 1};
  *made = (toy){.context = unit_context(), .levels = {0, 1, 2, 3, 4}};
  UNIT_OK(made->context, dorm_dataset_generate_artificial(made->context, &parameters, &made->dataset));
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

/* Some rounds of boosting; *ensemble is a copy of the trees. */
static void boost(const toy *from, const char *objective, const dorm__boosting_options *options, size_t num_rounds,
                  dorm__ensemble *ensemble, double *outputs)
{
  const dorm__tree_objective *found = dorm__tree_objective_named(objective);
  dorm__tree_grower *grower = NULL;
  dorm__boosting *boosting = NULL;
  CU_ASSERT_PTR_NOT_NULL_FATAL(found);
  UNIT_OK(from->context,
          dorm__tree_grower_new(from->context, NUM_DOCS, WIDTH, from->dataset->values, options->num_threads, &grower));
  UNIT_OK(from->context, dorm__boosting_new(from->context, grower, WIDTH, from->dataset->values, &from->targets, found,
                                            options, &boosting));
  for (size_t i = 0; i < num_rounds; i++)
    UNIT_OK(from->context, dorm__boosting_round(from->context, boosting));
  const dorm__ensemble *whole = dorm__boosting_ensemble(boosting);
  UNIT_OK(from->context, dorm__ensemble_copy(from->context, whole, whole->num_trees, ensemble));
  memcpy(outputs, dorm__boosting_outputs(boosting), NUM_DOCS * ensemble->num_outputs * sizeof *outputs);
  dorm__boosting_free(boosting);
  dorm__tree_grower_free(grower);
}

static const dorm__boosting_options plain = {.leaves = 6,
                                             .bins = 64,
                                             .least_docs = 3,
                                             .shrinkage = 0.3,
                                             .docs_share = 1,
                                             .features_share = 1,
                                             .seed = 5,
                                             .num_threads = 1};

/* One round of Algorithm 1 for `num_classes` classes: F [docs][num_classes] and targets [docs][num_classes] of 0 and 1;
 * tree_of[k] is the given tree of class k, whose values with sign[k] must be those of line 6, times the shrinkage. */
static void run_algorithm_1(const toy *from, size_t num_classes, const double *targets,
                            const dorm__tree *const *tree_of, const double *sign, double shrinkage, double *F)
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
      leaf[i] = walk(tree_of[k], from->dataset->values + i * WIDTH);
      above[leaf[i]] += targets[i * num_classes + k] - each;
      below[leaf[i]] += (1 - each) * each;
    }
    for (size_t i = 0; i < NUM_DOCS; i++) {
      double beta = (double)(num_classes - 1) / (double)num_classes * above[leaf[i]] / below[leaf[i]];
      CU_ASSERT_TRUE(unit_close(sign[k] * tree_of[k]->values[leaf[i]], shrinkage * beta, 1e-10));
      F[i * num_classes + k] += shrinkage * beta;
    }
  }
}

static void classification_is_algorithm_1(void)
{
  enum { ROUNDS = 5 };
  static const double ones[MOST_LEVELS] = {1, 1, 1, 1, 1};
  static double F[NUM_DOCS * MOST_LEVELS], targets[NUM_DOCS * MOST_LEVELS], outputs[NUM_DOCS * MOST_LEVELS];
  toy from;
  dorm__ensemble ensemble;
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
    run_algorithm_1(&from, MOST_LEVELS, targets, tree_of, ones, plain.shrinkage, F);
  }
  for (size_t i = 0; i < NUM_DOCS * MOST_LEVELS; i++)
    CU_ASSERT_TRUE(unit_close(outputs[i], F[i], 1e-10));
  dorm__ensemble_clear(&ensemble);
  toy_free(&from);
}

/* Each binary problem is Algorithm 1 with two classes, whose second tree is the first one with the other sign. */
static void ordinal_is_algorithm_1_with_two_classes(void)
{
  enum { ROUNDS = 5, PROBLEMS = MOST_LEVELS - 1 };
  static const double signs[2] = {-1, 1};
  static double F[NUM_DOCS * 2], targets[NUM_DOCS * 2], outputs[NUM_DOCS * PROBLEMS];
  toy from;
  dorm__ensemble ensemble;
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
      run_algorithm_1(&from, 2, targets, (const dorm__tree *const[]){tree, tree}, signs, plain.shrinkage, F);
    }
    for (size_t i = 0; i < NUM_DOCS; i++)
      CU_ASSERT_TRUE(unit_close(outputs[i * PROBLEMS + k], F[2 * i + 1], 1e-10));
  }
  dorm__ensemble_clear(&ensemble);
  toy_free(&from);
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
 * `start`, or at 0 where that is NULL. */
static void compare_with_newton_steps(const double *start)
{
  enum { ROUNDS = 5 };
  static double F[NUM_DOCS], gradient[NUM_DOCS], curvature[NUM_DOCS], outputs[NUM_DOCS];
  toy from;
  dorm__ensemble ensemble;
  toy_new(&from);
  from.targets.regression_share = 0.2;
  from.targets.start = start;
  UNIT_OK(from.context, dorm__lambda_open(from.context, "ranknet", NULL, from.dataset, 1, &from.targets.lambda));
  CU_ASSERT_PTR_NOT_NULL_FATAL(from.targets.lambda);
  boost(&from, "lambda", &plain, ROUNDS, &ensemble, outputs);
  CU_ASSERT_EQUAL_FATAL(ensemble.num_trees, ROUNDS);
  for (size_t i = 0; i < NUM_DOCS; i++)
    F[i] = start ? start[i] : 0;
  for (size_t m = 0; m < ROUNDS; m++) {
    const dorm__tree *tree = &ensemble.trees[m];
    double above[64] = {0}, below[64] = {0};
    size_t leaf[NUM_DOCS];
    CU_ASSERT_FATAL(tree->num_nodes <= 64);
    derive_ranknet(&from, 0.2, F, gradient, curvature);
    for (size_t i = 0; i < NUM_DOCS; i++) {
      leaf[i] = walk(tree, from.dataset->values + i * WIDTH);
      above[leaf[i]] -= gradient[i];
      below[leaf[i]] += curvature[i];
    }
    for (size_t i = 0; i < NUM_DOCS; i++) {
      double step = plain.shrinkage * above[leaf[i]] / (below[leaf[i]] + 0.1);
      CU_ASSERT_TRUE(unit_close(tree->values[leaf[i]], step, 1e-9));
      F[i] += step;
    }
  }
  for (size_t i = 0; i < NUM_DOCS; i++)
    CU_ASSERT_TRUE(unit_close(outputs[i], F[i], 1e-9));
  dorm__lambda_close(from.targets.lambda);
  dorm__ensemble_clear(&ensemble);
  toy_free(&from);
}

static void leaves_of_lambda_are_newton_steps(void)
{
  static double start[NUM_DOCS];
  dorm__random random;
  dorm__random_seed(&random, unit_seed());
  for (size_t i = 0; i < NUM_DOCS; i++)
    start[i] = dorm__random_normal(&random);
  compare_with_newton_steps(NULL);
  compare_with_newton_steps(start);
}

/* libxgboost's own regression on gains less their mean: its trees, read from its dump, score as its prediction, and
 * boosting by dorm comes to the same scores. */
static void regression_is_that_of_xgboost(void)
{
  enum { ROUNDS = 8 };
  static const char *const parameters[][2] = {{"verbosity", "0"},      {"objective", "reg:squarederror"},
                                              {"tree_method", "hist"}, {"grow_policy", "lossguide"},
                                              {"max_depth", "0"},      {"max_leaves", "6"},
                                              {"max_bin", "64"},       {"min_child_weight", "3"},
                                              {"lambda", "0"},         {"eta", "0.3"},
                                              {"base_score", "0"},     {"nthread", "1"}};
  static float targets[NUM_DOCS];
  static double outputs[NUM_DOCS], from_dump[NUM_DOCS];
  double mean = 0;
  toy from;
  DMatrixHandle rows = NULL;
  BoosterHandle booster = NULL;
  bst_ulong num_texts = 0, num_predicted = 0;
  const char **texts = NULL;
  const float *predicted = NULL;
  dorm__ensemble ensemble, dumped = {.width = WIDTH, .num_outputs = 1};
  toy_new(&from);
  for (size_t i = 0; i < NUM_DOCS; i++)
    mean += (pow(2, from.dataset->labels[i]) - 1) / NUM_DOCS;
  for (size_t i = 0; i < NUM_DOCS; i++)
    targets[i] = (float)(pow(2, from.dataset->labels[i]) - 1 - mean);
  CU_ASSERT_EQUAL_FATAL(XGDMatrixCreateFromMat(from.dataset->values, NUM_DOCS, WIDTH, NAN, &rows), 0);
  CU_ASSERT_EQUAL_FATAL(XGDMatrixSetFloatInfo(rows, "label", targets, NUM_DOCS), 0);
  CU_ASSERT_EQUAL_FATAL(XGBoosterCreate(&rows, 1, &booster), 0);
  for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++)
    CU_ASSERT_EQUAL(XGBoosterSetParam(booster, parameters[i][0], parameters[i][1]), 0);
  for (int i = 0; i < ROUNDS; i++)
    CU_ASSERT_EQUAL_FATAL(XGBoosterUpdateOneIter(booster, i, rows), 0);
  CU_ASSERT_EQUAL_FATAL(XGBoosterDumpModelEx(booster, "", 1, "text", &num_texts, &texts), 0);
  CU_ASSERT_EQUAL_FATAL(num_texts, ROUNDS);
  for (size_t t = 0; t < ROUNDS; t++) {
    dorm__tree tree;
    UNIT_OK(from.context, dorm__tree_from_dump(from.context, texts[t], &tree));
    UNIT_OK(from.context, dorm__ensemble_add(from.context, &dumped, &tree));
  }
  CU_ASSERT_EQUAL_FATAL(XGBoosterPredict(booster, rows, 1, 0, 0, &num_predicted, &predicted), 0);
  memset(from_dump, 0, sizeof from_dump);
  dorm__ensemble_add_outputs(&dumped, 0, NUM_DOCS, from.dataset->values, 1, from_dump);
  boost(&from, "regression", &plain, ROUNDS, &ensemble, outputs);
  for (size_t i = 0; i < NUM_DOCS; i++) {
    CU_ASSERT_TRUE(unit_close(from_dump[i], (double)predicted[i], 1e-5));
    CU_ASSERT_TRUE(unit_close(outputs[i], (double)predicted[i], 1e-4));
  }
  XGBoosterFree(booster);
  XGDMatrixFree(rows);
  dorm__ensemble_clear(&ensemble);
  dorm__ensemble_clear(&dumped);
  toy_free(&from);
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

static void the_same_seed_gives_the_same_trees(void)
{
  enum { ROUNDS = 6 };
  static double outputs[NUM_DOCS * MOST_LEVELS];
  toy from;
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
  toy_free(&from);
}

/* A library that is not there, and a function that it lacks. */
static void libraries_that_lack_something_are_refused(void)
{
  static const char *const names[] = {"XGBoosterFree", "XGBoosterThatNobodyWrote"};
  dorm_context *context = unit_context();
  __typeof__(XGBoosterFree) *found = NULL, *missing = NULL;
  void *const places[] = {&found, &missing};
  UNIT_OK(context, dorm__library_load(context, "trees", XGBOOST_LIBRARY, 1, names, places));
  CU_ASSERT_PTR_EQUAL(found, XGBoosterFree);
  UNIT_FAILS(context, dorm__library_load(context, "trees", XGBOOST_LIBRARY, 2, names, places), DORM_BAD_USAGE,
             "XGBoosterThatNobodyWrote");
  UNIT_FAILS(context, dorm__library_load(context, "trees", "libdorm-nowhere.so", 1, names, places), DORM_BAD_USAGE,
             "trees: libdorm-nowhere.so");
  dorm_context_free(context);
}

#else

static void without_xgboost_the_package_is_named(void)
{
  dorm_context *context = unit_context();
  dorm__tree_grower *grower = NULL;
  UNIT_FAILS(context, dorm__tree_grower_new(context, 0, 0, NULL, 1, &grower), DORM_BAD_USAGE, "libxgboost-dev");
  CU_ASSERT_PTR_NULL(grower);
  dorm_context_free(context);
}

#endif

/* Children follow each other, in the order of their parents; rows with a missing value go where XGBoost says. */
static void dumps_become_trees(void)
{
  static const char text[] = "0:[f2<1.5] yes=1,no=2,missing=2,gain=3.5,cover=4\n\t1:leaf=-0.5,cover=1\n"
                             "\t2:[f0<0.25] yes=4,no=3,missing=4,gain=0.75,cover=3\n\t\t3:leaf=2,cover=1\n"
                             "\t\t4:leaf=1,cover=2\n";
  static const double gains[5] = {3.5, 0, 0.75, 0, 0}, values[5] = {0, -0.5, 0, 1, 2};
  dorm_context *context = unit_context();
  dorm__ensemble ensemble = {.width = 3, .num_outputs = 1};
  dorm__tree tree;
  UNIT_OK(context, dorm__tree_from_dump(context, text, &tree));
  CU_ASSERT_EQUAL_FATAL(tree.num_nodes, 5);
  for (size_t n = 0; n < 5; n++) {
    CU_ASSERT_EQUAL(tree.gains[n], gains[n]);
    CU_ASSERT_TRUE(gains[n] > 0 || tree.values[n] == values[n]);
  }
  CU_ASSERT_TRUE(tree.nodes[0].feature == 2 && tree.nodes[0].threshold == 1.5F && tree.nodes[0].child == 1);
  CU_ASSERT_TRUE(tree.nodes[2].feature == 0 && tree.nodes[2].threshold == 0.25F && tree.nodes[2].child == 3);
  CU_ASSERT_TRUE(tree.nodes[0].absent == 1 && tree.nodes[2].absent == 0);
  UNIT_OK(context, dorm__ensemble_add(context, &ensemble, &tree));
  dorm__ensemble_clear(&ensemble);
  dorm_context_free(context);
}

static void dumps_that_are_no_trees_are_refused(void)
{
  static const char *const bad[] = {"",
                                    "0:[f0<1] yes=1,no=2,missing=1,gain=1,cover=2\n\t1:leaf=1,cover=1\n",
                                    "0:[f0<1] yes=0,no=0,missing=0,gain=1,cover=2\n",
                                    "0:[f0<nan] yes=1,no=2,missing=1,gain=1,cover=2\n1:leaf=1\n2:leaf=1\n",
                                    "0:[g<1] yes=1,no=2,missing=1,gain=1,cover=2\n1:leaf=1\n2:leaf=1\n",
                                    "0:leaf=oops,cover=1\n",
                                    "0:leaf=inf,cover=1\n",
                                    "booster"};
  dorm_context *context = unit_context();
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    dorm__tree tree;
    UNIT_FAILS(context, dorm__tree_from_dump(context, bad[i], &tree), DORM_BAD_DATA, "libxgboost describes a tree");
  }
  dorm_context_free(context);
}

/* ---- The part of a model ------------------------------------------------------------------------ */

#define HEAD "dorm model 1\nnormalisation none\nrank_block 0\nfeature 3 0\nfeature 7 0\n"
#define PART "part trees 2 ordinal gain 0.5 2 2\nlevels 0 1 3\n"
#define FIRST_TREE                                                                                                     \
  "tree 5\nsplit value 7 0.25 1 absent:0 gain:2\nleaf -1\nsplit rank 3 0.375 3 absent:1 gain:1\nleaf 0.5\nleaf 1.5\n"
#define TAIL "tree 1\nleaf -0.25\nend 2\n"

static void a_part_is_scored_and_read_back(void)
{
  static const char data[] = "1 qid:1 3:5 7:0\n0 qid:1 3:4 7:1\n0 qid:1 3:3 7:0.25\n";
  /* Mid-ranks of feature 3, times 0.5: 0.5, 0.25, 0. */
  static const double outputs[3][2] = {{-1, -0.25}, {0.5, -0.25}, {0.5, -0.25}};
  dorm_context *context = unit_context();
  dorm_dataset *dataset = unit_read_text(context, data);
  dorm_model *model = NULL, *again = NULL;
  double scores[3], scores_again[3];
  char path[64];
  strcpy(path, unit_temporary_file(HEAD PART FIRST_TREE TAIL));
  UNIT_OK(context, dorm_model_read(context, path, &model));
  CU_ASSERT_PTR_NOT_NULL_FATAL(model);
  UNIT_OK(context, dorm_model_score(context, model, dataset, 1, scores));
  for (size_t j = 0; j < 3; j++) {
    double at_least_1 = 1 / (1 + exp(-2 * outputs[j][0])), at_least_3 = 1 / (1 + exp(-2 * outputs[j][1]));
    CU_ASSERT_TRUE(unit_close(scores[j], 2 * ((at_least_1 - at_least_3) * 1 + at_least_3 * 7), 1e-14));
  }
  UNIT_OK(context, dorm_model_write(context, model, path));
  UNIT_OK(context, dorm_model_read(context, path, &again));
  CU_ASSERT_PTR_NOT_NULL_FATAL(again);
  UNIT_OK(context, dorm_model_score(context, again, dataset, 2, scores_again));
  CU_ASSERT_EQUAL(memcmp(scores, scores_again, sizeof scores), 0);
  UNIT_FAILS(context, dorm_model_export(context, model, "json", "m", NULL, path), DORM_BAD_DATA,
             "the model looks at ranks of features");
  CU_ASSERT_TRUE(dorm_model_needs_query(model));
  unlink(path);
  dorm_model_free(model);
  dorm_model_free(again);
  dorm_dataset_free(dataset);
  dorm_context_free(context);
}

static void damaged_parts_are_refused(void)
{
  static const struct {
    const char *text, *message;
  } bad[] = {
      {HEAD "part trees 1 guess relevance 0 1 0\n", "trees of the objective 'guess' are not known"},
      {HEAD "part trees 1 ordinal luck 0 1 0\n", "an expected 'luck'"},
      {HEAD "part trees 1 ordinal gain -1 1 0\n", "a rank block of 0 or more"},
      {HEAD "part trees 1 ordinal gain 0 1\n", "the numbers of outputs and of trees"},
      {HEAD "part trees 1 ordinal gain 0 2 2\nlevels 0 1\n", "2 levels do not go with 2 outputs"},
      {HEAD "part trees 1 ordinal gain 0 2 2\nlevels 0 2 1\n", "increasing labels"},
      {HEAD "part trees 1 regression gain 0 1 1\nlevels 0 1\n", "2 levels do not go with 1 outputs of regression"},
      {HEAD "part trees 1 ordinal gain 0 2 3\nlevels 0 1 2\n", "3 trees are not the same number for each"},
      {HEAD PART "tree 0\n", "'tree' needs a number of nodes"},
      {HEAD PART "tree 3\nsplit value 7 1 0 absent:0 gain:1\nleaf 0\nleaf 0\n", "go round in a circle"},
      {HEAD PART "tree 3\nsplit value 7 1 2 absent:0 gain:1\nleaf 0\nleaf 0\n", "the children are not the next two"},
      {HEAD PART "tree 3\nsplit value 8 1 1 absent:0 gain:1\nleaf 0\nleaf 0\n",
       "'split value 8': the model has no such"},
      {HEAD "part trees 1 ordinal gain 0 2 2\nlevels 0 1 2\ntree 3\nsplit rank 7 1 1 absent:0 gain:1\n",
       "'split rank 7': the model has no such"},
      {HEAD PART "tree 3\nsplit value 7 nan 1 absent:0 gain:1\nleaf 0\nleaf 0\n", "a finite threshold"},
      {HEAD PART "tree 3\nsplit value 7 1e39 1 absent:0 gain:1\nleaf 0\nleaf 0\n", "a finite threshold"},
      {HEAD PART "tree 3\nsplit value 7 1 1 absent:2 gain:1\nleaf 0\nleaf 0\n", "absent:0 or absent:1"},
      {HEAD PART "tree 3\nsplit value 7 1 1 absent:0\nleaf 0\nleaf 0\n", "gain:NUMBER"},
      {HEAD PART "tree 1\nleaf inf\n", "'leaf' needs one finite number"},
      {HEAD PART "tree 2\nleaf 0\nleaf 0\n", "no split has this node as a child"},
      {HEAD PART "tree 1\nsplit value 7 1 1 absent:0 gain:1\n", "fewer nodes than its splits have children"},
      {HEAD PART FIRST_TREE "end 2\n", "expected a line 'tree', but found 'end'"},
      {HEAD PART "tree 3\nleaf 0\n", "but found the end of the file"},
  };
  dorm_context *context = unit_context();
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    unit_refuses_model(context, bad[i].text, bad[i].message);
  dorm_context_free(context);
}

static const unit_test tests[] = {
    {"scores are those of naive walks", scores_are_those_of_naive_walks},
    {"expected relevance is its formula", expected_relevance_is_its_formula},
    {"derivatives are of one document", derivatives_are_of_one_document},
    {"outputs are of the documents alone", outputs_are_of_the_documents_alone},
#ifdef HAVE_XGBOOST
    {"classification is Algorithm 1", classification_is_algorithm_1},
    {"ordinal is Algorithm 1 with two classes", ordinal_is_algorithm_1_with_two_classes},
    {"regression is that of XGBoost", regression_is_that_of_xgboost},
    {"leaves of lambda are Newton steps", leaves_of_lambda_are_newton_steps},
    {"the same seed gives the same trees", the_same_seed_gives_the_same_trees},
    {"libraries that lack something are refused", libraries_that_lack_something_are_refused},
#else
    {"without XGBoost the package is named", without_xgboost_the_package_is_named},
#endif
    {"dumps become trees", dumps_become_trees},
    {"dumps that are no trees are refused", dumps_that_are_no_trees_are_refused},
    {"a part is scored and read back", a_part_is_scored_and_read_back},
    {"damaged parts are refused", damaged_parts_are_refused},
    {NULL, NULL},
};
const unit_suite trees_suite = {"trees", tests};
