/*
 * trees_test.c: compares the outputs of trees with walks from the root, and the objectives with their formulas. Reads
 * the trees part of a model, writes it and reads it back, and refuses damaged ones.
 */
#include "tests/unit/tree_walk.h"

/* ---- Walks ------------------------------------------------------------------------------- */

/* Makes a random tree with num_splits splits, its nodes in breadth-first order. Thresholds are whole numbers, as the
 * values of the rows are, so that some values equal a threshold. */
static void random_tree(dorm__random *random, size_t num_splits, size_t width, dorm__tree *tree)
{
  CU_ASSERT_FATAL(dorm__tree_make(2 * num_splits + 1, tree));
  size_t splits = 0;
  for (size_t n = 0; n < tree->num_nodes; n++) {
    bool is_last_open = n == 2 * splits; /* a leaf here would end the tree */
    bool is_split = splits < num_splits && (is_last_open || dorm__random_below(random, 2));
    if (is_split)
      tree->nodes[n] = (dorm__tree_node){.threshold = (float)dorm__random_below(random, 8),
                                         .feature = (uint32_t)dorm__random_below(random, width),
                                         .child = (uint32_t)(2 * splits++ + 1),
                                         .absent = dorm__random_below(random, 2) & 1};
    else
      tree->nodes[n] = (dorm__tree_node){.threshold = INFINITY, .child = (uint32_t)n};
    tree->values[n] = is_split ? 0 : dorm__random_normal(random);
    if (is_split && num_splits % 4 == 1 && dorm__random_below(random, 2))
      CU_ASSERT_TRUE(unit_random_set(random, tree, n));
  }
}

UNIT_TEST_DRAWN(context, random, scores_are_those_of_naive_walks)
{
  enum { WIDTH = 5, DOCS = 203, TREES = 45, OUTPUTS = 3 }; /* the last trees are not scored by columns */
  static const size_t counts[] = {1, 7, 8, 15, 16, 17, 50, 64, 65, 127, 128, DOCS};
  DORM__AT_END(dorm__ensemble_clear) dorm__ensemble ensemble = {.width = WIDTH, .num_outputs = OUTPUTS};
  static float rows[DOCS * WIDTH];
  static double outputs[DOCS * OUTPUTS], expected[DOCS * OUTPUTS];
  for (size_t i = 0; i < DOCS * WIDTH; i++)
    rows[i] = dorm__random_below(random, 10) ? (float)dorm__random_below(random, 9) : NAN;
  for (size_t t = 0; t < TREES; t++) {
    dorm__tree tree;
    size_t node;
    random_tree(random, t, WIDTH, &tree);
    CU_ASSERT_PTR_NULL(dorm__tree_fault(&tree, WIDTH, &node));
    UNIT_OK(context, dorm__ensemble_add(context, &ensemble, &tree));
  }
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
    for (size_t num_threads = 1; num_threads < 4; num_threads++) {
      size_t count = counts[c];
      memset(outputs, 0, sizeof outputs);
      memset(expected, 0, sizeof expected);
      dorm__ensemble_add_outputs(&ensemble, 0, count, rows, num_threads, outputs);
      for (size_t j = 0; j < count; j++)
        for (size_t t = 0; t < TREES; t++)
          expected[j * OUTPUTS + t % OUTPUTS] +=
              ensemble.trees[t].values[unit_walk(&ensemble.trees[t], rows + j * WIDTH)];
      CU_ASSERT_EQUAL(memcmp(outputs, expected, sizeof outputs), 0);
    }
}

/* ---- Derivatives and batches ---------------------------------------------------------------- */

/* The derivatives of a document depend on its own outputs alone, also if other documents have huge outputs. */
UNIT_TEST_IN(context, derivatives_are_of_one_document)
{
  enum { DOCS = 3, LEVELS = 3 };
  static const double levels[LEVELS] = {0, 1, 2};
  static const char *const names[] = {"classification", "ordinal"};
  static const double labels[DOCS] = {2, 0, 1};
  const double large[] = {-1e300, 0, 1e300};
  for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
    const dorm__tree_objective *objective = dorm__tree_objective_named(names[n]);
    CU_ASSERT_PTR_NOT_NULL_FATAL(objective);
    size_t num_outputs = objective->num_outputs(LEVELS);
    const dorm__tree_targets targets = {.num_docs = DOCS, .num_levels = LEVELS, .levels = levels, .labels = labels};
    double first[2][LEVELS * DOCS] = {{0}};
    for (size_t i = 0; i < 3; i++) {
      double outputs[DOCS * LEVELS], gradient[LEVELS * DOCS], curvature[LEVELS * DOCS];
      for (size_t k = 0; k < DOCS * num_outputs; k++)
        outputs[k] = k / num_outputs == 1 ? 0.3 * (double)k - 1 : large[i]; /* document 1 keeps its outputs */
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
}

/* Documents are scored in batches, of which the last may be full or not. No output after the last document changes. */
UNIT_TEST_IN(context, outputs_are_of_the_documents_alone)
{
  enum { MOST_DOCS = 1100, BEHIND = 1100 };
  DORM__AT_END(dorm__ensemble_clear) dorm__ensemble ensemble = {.width = 1, .num_outputs = 1};
  dorm__tree tree;
  CU_ASSERT_FATAL(dorm__tree_make(3, &tree));
  tree.nodes[0] = (dorm__tree_node){.threshold = 0.5F, .child = 1};
  for (uint32_t n = 1; n < 3; n++) {
    tree.nodes[n] = (dorm__tree_node){.threshold = INFINITY, .child = n};
    tree.values[n] = n == 1 ? 1 : 3;
  }
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
}

/* ---- The part of a model ------------------------------------------------------------------------ */

#define HEAD "dorm model 1\nnormalisation none\nrank_block 0\nfeature 3 0\nfeature 7 0\n"
#define PART "part trees 2 ordinal gain 0.5 2 2\nlevels 0 1 3\n"
#define FIRST_TREE                                                                                                     \
  "tree 5\nsplit value 7 0.25 1 absent:0 gain:2\nleaf -1\nsplit rank 3 0.375 3 absent:1 gain:1\nleaf 0.5\nleaf 1.5\n"
#define TAIL "tree 1\nleaf -0.25\nend 2\n"

UNIT_TEST_IN(context, a_part_is_scored_and_read_back)
{
  static const char data[] = "1 qid:1 3:5 7:0\n0 qid:1 3:4 7:1\n0 qid:1 3:3 7:0.25\n";
  /* The ranks of feature 3 are 1, 0.5 and 0, so with the rank block 0.5 the trees see 0.5, 0.25 and 0. */
  static const double outputs[3][2] = {{-1, -0.25}, {0.5, -0.25}, {0.5, -0.25}};
  DORM__OWNED(dorm_dataset) *dataset = unit_read_text(context, data);
  DORM__OWNED(dorm_model) *model = NULL;
  double scores[3];
  const char *path = unit_temporary_file(HEAD PART FIRST_TREE TAIL);
  UNIT_OK(context, dorm_model_read(context, path, &model));
  UNIT_OK(context, dorm_model_score(context, model, dataset, 1, scores));
  for (size_t j = 0; j < 3; j++) {
    double at_least_1 = 1 / (1 + exp(-2 * outputs[j][0])), at_least_3 = 1 / (1 + exp(-2 * outputs[j][1]));
    UNIT_CLOSE(scores[j], 2 * ((at_least_1 - at_least_3) * 1 + at_least_3 * 7), 1e-14);
  }
  unit_reads_back(context, model, dataset);
  UNIT_BAD_DATA(dorm_model_export(context, model, "json", "m", NULL, path), "the model looks at ranks of features");
  CU_ASSERT_TRUE(dorm_model_needs_query(model));
}

UNIT_TEST_IN(context, damaged_parts_are_refused)
{
  static const unit_refusal bad[] = {
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
      {HEAD PART "tree 3\nsplit value 7 in:1,nan 1 absent:0 gain:1\nleaf 0\nleaf 0\n", "finite numbers with commas"},
      {HEAD PART "tree 3\nsplit value 7 in: 1 absent:0 gain:1\nleaf 0\nleaf 0\n", "the number of its first child"},
      {HEAD PART "tree 3\nsplit value 7 in:2,2 1 absent:0 gain:1\nleaf 0\nleaf 0\n", "the categories do not increase"},
      {HEAD PART "tree 3\nsplit value 7 in:2,1e39 1 absent:0 gain:1\nleaf 0\nleaf 0\n",
       "the categories do not increase"},
      {HEAD "part trees 1 regression gain 0 1 1\nlevels\ntree 5\nsplit value 7 in:1,2 1 absent:0 gain:1\n"
            "split value 7 3 3 absent:0 gain:1\nleaf 0\nleaf 0\nleaf 0\n",
       "thresholds and categories"},
      {HEAD PART "tree 3\nsplit value 7 1 1 absent:2 gain:1\nleaf 0\nleaf 0\n", "absent:0 or absent:1"},
      {HEAD PART "tree 3\nsplit value 7 1 1 absent:0\nleaf 0\nleaf 0\n", "gain:NUMBER"},
      {HEAD PART "tree 1\nleaf inf\n", "'leaf' needs one finite number"},
      {HEAD PART "tree 2\nleaf 0\nleaf 0\n", "no split has this node as a child"},
      {HEAD PART "tree 1\nsplit value 7 1 1 absent:0 gain:1\n", "fewer nodes than its splits have children"},
      {HEAD PART FIRST_TREE "end 2\n", "expected a line 'tree', but found 'end'"},
      {HEAD PART "tree 3\nleaf 0\n", "but found the end of the file"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    unit_refuses_model(context, bad[i].given, bad[i].message);
}
