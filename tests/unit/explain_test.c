/*
 * explain_test.c: contributions of features to scores, against the definition by all sets of features, and against the
 * scores themselves, for linear parts, trees of each objective, and all together.
 */
#include "tests/unit/tree_walk.h"
#include "tests/unit/unit.h"

enum { FEATURES = 4, DOCS = 23, QUERIES = 4, TREES = 6 };
static const size_t query_start[QUERIES + 1] = {0, 7, 8, 15, DOCS};
static const size_t data_ids[FEATURES] = {1, 2, 5, 9};  /* the model does not know 9 */
static const size_t model_ids[FEATURES] = {1, 2, 4, 5}; /* the data do not have 4, which is then 0 */

/* Small whole numbers, some of them missing. */
static dorm_dataset *random_data(dorm_context *context, dorm__random *random, bool has_gaps)
{
  float values[DOCS * FEATURES];
  dorm_arrays arrays = {.struct_size = sizeof arrays,
                        .num_docs = DOCS,
                        .num_queries = QUERIES,
                        .query_start = query_start,
                        .num_features = FEATURES,
                        .feature_ids = data_ids,
                        .floats = values};
  dorm_dataset *dataset = NULL;
  for (size_t i = 0; i < DOCS * FEATURES; i++)
    values[i] = has_gaps && dorm__random_below(random, 9) == 0 ? NAN : (float)dorm__random_below(random, 8);
  UNIT_OK(context, dorm_dataset_new(context, &arrays, &dataset));
  return dataset;
}

static void random_tree(dorm__random *random, size_t width, dorm__tree *tree)
{
  enum { SPLITS = 9 };
  size_t splits = 0;
  CU_ASSERT_FATAL(dorm__tree_make(2 * SPLITS + 1, tree));
  for (size_t n = 0; n < tree->num_nodes; n++) {
    if (splits < SPLITS && (n == 2 * splits || dorm__random_below(random, 3))) {
      tree->nodes[n] = (dorm__tree_node){.threshold = (float)dorm__random_below(random, 8),
                                         .feature = (uint32_t)dorm__random_below(random, width),
                                         .child = (uint32_t)(2 * splits++ + 1),
                                         .absent = dorm__random_below(random, 2) & 1};
      if (dorm__random_below(random, 4) == 0)
        CU_ASSERT_TRUE(unit_random_set(random, tree, n));
    } else {
      tree->nodes[n] = (dorm__tree_node){.threshold = INFINITY, .child = (uint32_t)n};
      tree->values[n] = dorm__random_normal(random);
    }
  }
}

/* A model with a linear part of these weights, or none, and trees of this objective, or none. */
static dorm_model *make_model(dorm_context *context, dorm__normalisation normalisation, const double *weights,
                              double rank_block, const char *objective_name, double weight, dorm__ensemble *ensemble)
{
  static const double levels[] = {0, 1, 7};
  double mean[FEATURES] = {3, 3, 0, 3};
  dorm__feature_map map = {.num_ids = FEATURES, .ids = model_ids, .normalisation = normalisation};
  if (normalisation == DORM__NORMALISATION_NONE)
    map.mean = mean;
  dorm_model *model = unit_model(context, &map, NULL);
  if (weights)
    unit_add_linear(context, model, weights, rank_block, 1);
  if (objective_name) {
    dorm__part part;
    const dorm__tree_objective *objective = dorm__tree_objective_named(objective_name);
    map.rank_block = rank_block;
    UNIT_OK(context,
            dorm__trees_part_new(context, &map, objective, objective->needs_levels ? 3 : 0, levels, ensemble, &part));
    part.weight = weight;
    UNIT_OK(context, dorm__model_add(context, model, part));
  }
  return model;
}

static dorm__ensemble random_trees(dorm_context *context, dorm__random *random, size_t width, size_t num_outputs)
{
  dorm__ensemble ensemble = {.width = width, .num_outputs = num_outputs};
  for (size_t t = 0; t < TREES; t++) {
    dorm__tree tree;
    random_tree(random, width, &tree);
    UNIT_OK(context, dorm__ensemble_add(context, &ensemble, &tree));
  }
  return ensemble;
}

/* ---- By the definition ------------------------------------------------------------------- */

/* The value of feature number f of the model for a document of the data. */
static double value_of(const dorm_dataset *dataset, size_t doc, size_t f)
{
  static const size_t place[FEATURES] = {0, 1, FEATURES, 2};
  return place[f] == FEATURES ? 0 : (double)dorm_dataset_value(dataset, doc, place[f]);
}

static size_t side_of(const dorm_dataset *dataset, const dorm__tree *tree, size_t n, size_t doc)
{
  return unit_side(tree, &tree->nodes[n], value_of(dataset, doc, tree->nodes[n].feature));
}

/* The mean of the leaves below `node` that a document comes to if it has only a set of its features, and at splits on
 * others goes with the documents docs[count], which have come to the node, or its own way if there are none. */
static double mean_leaf(const dorm_dataset *dataset, const dorm__tree *tree, size_t n, unsigned set, size_t doc,
                        size_t count, const size_t *docs)
{
  const dorm__tree_node *node = &tree->nodes[n];
  size_t sides[2][DOCS], counts[2] = {0};
  double mean = 0;
  if (node->child == n)
    return tree->values[n];
  for (size_t i = 0; i < count; i++) {
    size_t side = side_of(dataset, tree, n, docs[i]);
    sides[side][counts[side]++] = docs[i];
  }
  for (size_t side = 0; side < 2; side++) {
    double share = set >> node->feature & 1 || !count ? side == side_of(dataset, tree, n, doc)
                                                      : (double)counts[side] / (double)count;
    if (share > 0)
      mean += share * mean_leaf(dataset, tree, node->child + side, set, doc, counts[side], sides[side]);
  }
  return mean;
}

/* Adds the Shapley values of a document by all sets of features. */
static void add_shapley(const dorm_dataset *dataset, const dorm__tree *tree, size_t doc, size_t count,
                        const size_t *docs, double values[FEATURES])
{
  static const double weights[FEATURES] = {1.0 / 4, 1.0 / 12, 1.0 / 12, 1.0 / 4}; /* |S|! (3 - |S|)! / 4! */
  for (unsigned set = 0; set < 1U << FEATURES; set++)
    for (size_t f = 0; f < FEATURES; f++)
      if (!(set >> f & 1))
        values[f] += weights[__builtin_popcount(set)] * (mean_leaf(dataset, tree, 0, set | 1U << f, doc, count, docs) -
                                                         mean_leaf(dataset, tree, 0, set, doc, count, docs));
}

/* Takes their mean from the columns of a query. */
static void centre(size_t count, double values[][FEATURES])
{
  for (size_t f = 0; f < FEATURES; f++) {
    double mean = 0;
    for (size_t i = 0; i < count; i++)
      mean += values[i][f] / (double)count;
    for (size_t i = 0; i < count; i++)
      values[i][f] -= mean;
  }
}

UNIT_TEST_DRAWN(context, random, trees_add_shapley_values)
{
  for (size_t round = 0; round < 20; round++) {
    DORM__OWNED(dorm_dataset) *dataset = random_data(context, random, true);
    dorm__ensemble ensemble = random_trees(context, random, FEATURES, 1), copy;
    double expected[DOCS][FEATURES] = {{0}}, found[DOCS * FEATURES];
    UNIT_OK(context, dorm__ensemble_copy(context, &ensemble, TREES, &copy));
    DORM__OWNED(dorm_model) *model =
        make_model(context, DORM__NORMALISATION_NONE, NULL, 0, "regression", 0.5, &ensemble);
    UNIT_OK(context, dorm_model_explain(context, model, dataset, found));
    for (size_t q = 0; q < QUERIES; q++)
      for (size_t t = 0; t < TREES; t++) {
        size_t docs[DOCS], count = query_start[q + 1] - query_start[q];
        for (size_t i = 0; i < count; i++)
          docs[i] = query_start[q] + i;
        for (size_t i = 0; i < count; i++)
          add_shapley(dataset, &copy.trees[t], docs[i], count, docs, expected[docs[i]]);
      }
    for (size_t q = 0; q < QUERIES; q++)
      centre(query_start[q + 1] - query_start[q], expected + query_start[q]);
    for (size_t j = 0; j < DOCS; j++) {
      CU_ASSERT_DOUBLE_EQUAL(found[j * FEATURES], 0.5 * expected[j][0], 1e-12);
      CU_ASSERT_DOUBLE_EQUAL(found[j * FEATURES + 1], 0.5 * expected[j][1], 1e-12);
      CU_ASSERT_DOUBLE_EQUAL(expected[j][2], 0, 1e-12); /* constant */
      CU_ASSERT_DOUBLE_EQUAL(found[j * FEATURES + 2], 0.5 * expected[j][3], 1e-12);
      CU_ASSERT_EQUAL(found[j * FEATURES + 3], 0); /* not in the model */
    }
    dorm__ensemble_clear(&copy);
  }
}

UNIT_TEST_DRAWN(context, random, weights_count_from_the_mean)
{
  static const double weights[FEATURES] = {2, -1, 7, 0.25};
  double found[DOCS * FEATURES];
  DORM__OWNED(dorm_dataset) *dataset = random_data(context, random, false);
  DORM__OWNED(dorm_model) *model = make_model(context, DORM__NORMALISATION_NONE, weights, 0, NULL, 0, NULL);
  UNIT_OK(context, dorm_model_explain(context, model, dataset, found));
  for (size_t q = 0; q < QUERIES; q++)
    for (size_t f = 0; f < FEATURES; f++) {
      double mean = 0, weight = f == 3 ? 0 : weights[f == 2 ? 3 : f];
      for (size_t j = query_start[q]; j < query_start[q + 1]; j++)
        mean += (double)dorm_dataset_value(dataset, j, f) / (double)(query_start[q + 1] - query_start[q]);
      for (size_t j = query_start[q]; j < query_start[q + 1]; j++)
        CU_ASSERT_DOUBLE_EQUAL(found[j * FEATURES + f], weight * ((double)dorm_dataset_value(dataset, j, f) - mean),
                               1e-6);
    }
}

/* ---- Sums --------------------------------------------------------------------------------- */

static void check_sums(dorm_context *context, const dorm_model *model, const dorm_dataset *dataset)
{
  double found[DOCS * FEATURES], scores[DOCS];
  UNIT_OK(context, dorm_model_score(context, model, dataset, 1, scores));
  UNIT_OK(context, dorm_model_explain(context, model, dataset, found));
  for (size_t q = 0; q < QUERIES; q++) {
    double mean = 0, columns[FEATURES] = {0};
    for (size_t j = query_start[q]; j < query_start[q + 1]; j++)
      mean += scores[j] / (double)(query_start[q + 1] - query_start[q]);
    for (size_t j = query_start[q]; j < query_start[q + 1]; j++) {
      double sum = 0;
      for (size_t f = 0; f < FEATURES; f++) {
        sum += found[j * FEATURES + f];
        columns[f] += found[j * FEATURES + f];
      }
      CU_ASSERT_DOUBLE_EQUAL(sum, scores[j] - mean, 1e-5);
    }
    for (size_t f = 0; f < FEATURES; f++)
      CU_ASSERT_DOUBLE_EQUAL(columns[f], 0, 1e-9);
  }
}

UNIT_TEST_DRAWN(context, random, rows_add_up_to_scores)
{
  static const char *const objectives[] = {"regression", "lambda", "ordinal", "classification"};
  static const size_t num_outputs[] = {1, 1, 2, 3};
  static const dorm__normalisation normalisations[] = {DORM__NORMALISATION_NONE, DORM__NORMALISATION_MIN_MAX,
                                                       DORM__NORMALISATION_Z_SCORE};
  for (size_t i = 0; i < 4 * 3 * 2 * 3; i++) {
    size_t kind = i % 4;
    double rank_block = i / 12 % 2 ? 0.5 : 0, weights[2 * FEATURES];
    size_t width = rank_block > 0 ? 2 * FEATURES : FEATURES;
    DORM__OWNED(dorm_dataset) *dataset = random_data(context, random, true);
    dorm__ensemble ensemble = random_trees(context, random, width, num_outputs[kind]);
    for (size_t t = 0; t < TREES; t++)
      for (size_t n = 0; n < ensemble.trees[t].num_nodes; n++)
        if (!ensemble.trees[t].nodes[n].set)
          ensemble.trees[t].nodes[n].threshold *= i / 4 % 3 ? 0.125F : 1; /* normalised values are small */
    for (size_t f = 0; f < 2 * FEATURES; f++)
      weights[f] = dorm__random_normal(random);
    DORM__OWNED(dorm_model) *model = make_model(context, normalisations[i / 4 % 3], i / 24 ? weights : NULL, rank_block,
                                                objectives[kind], 0.5, &ensemble);
    check_sums(context, model, dataset);
  }
}
