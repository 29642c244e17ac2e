/*
 * export_test.c: trees for other programs: thresholds for values that are not normalised against a search among
 * neighbouring floats, the formulas of scores, trees that are too deep for a format,
 * and the importances of features; nets for other programs against their formula, and which of them are refused.
 * tests/cli/export.sh reads the other formats back.
 */
#include "tests/unit/unit.h"

#include "models/export/parts.h"

#include <float.h>

/* ---- Thresholds --------------------------------------------------------------------------- */

typedef struct line {
  double shift, factor;
} line;

static float on_line(const void *user, float x)
{
  const line *at = user;
  return (float)(((double)x - at->shift) * at->factor);
}

/* Random lines, steep and flat, and bounds on and beside what they give. */
UNIT_TEST(thresholds_divide_the_floats)
{
  enum { TRIALS = 2000, STEPS = 200 };
  dorm__random random = unit_random(0);
  for (size_t i = 0; i < TRIALS; i++) {
    line at = {dorm__random_normal(&random) * pow(10, (double)dorm__random_below(&random, 12) - 6),
               pow(10, (double)dorm__random_below(&random, 12) - 6)};
    float middle = (float)(dorm__random_normal(&random) * pow(10, (double)dorm__random_below(&random, 10) - 5));
    float bound = on_line(&at, middle);
    bound = i % 3 == 0 ? nextafterf(bound, INFINITY) : i % 3 == 1 ? nextafterf(bound, -INFINITY) : bound;
    float found = dorm__first_at_least(bound, on_line, &at);
    CU_ASSERT_TRUE_FATAL(isfinite(found));
    float x = found;
    for (size_t step = 0; step < STEPS; step++, x = nextafterf(x, INFINITY))
      CU_ASSERT_TRUE(on_line(&at, x) >= bound);
    x = nextafterf(found, -INFINITY);
    for (size_t step = 0; step < STEPS; step++, x = nextafterf(x, -INFINITY))
      CU_ASSERT_TRUE(on_line(&at, x) < bound);
  }
  line flat = {1, 0};
  CU_ASSERT_EQUAL(dorm__first_at_least(0.5F, on_line, &flat), INFINITY);
  CU_ASSERT_EQUAL(dorm__first_at_least(-0.5F, on_line, &flat), -FLT_MAX);
  line same = {0, 1};
  float zero = dorm__first_at_least(0, on_line, &same);
  CU_ASSERT_TRUE(zero == 0 && !signbit(zero));
}

/* ---- Formulas ------------------------------------------------------------------------------ */

/* The link of each objective is the formula that its score computes. */
UNIT_TEST(links_are_scores)
{
  enum { LEVELS = 5 };
  static const double values[LEVELS] = {0, 1, 3, 7, 15};
  static const char *const names[] = {"dorm", "lambda", "ordinal", "classification", "regression"};
  dorm__random random = unit_random(0);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const dorm__tree_objective *objective = dorm__tree_objective_named(names[i]);
    CU_ASSERT_PTR_NOT_NULL_FATAL(objective);
    size_t num_levels = objective->needs_levels ? LEVELS : 0;
    double F[LEVELS], above = 0, below = 0, expected = 0;
    for (size_t k = 0; k < LEVELS; k++)
      F[k] = 2 * dorm__random_normal(&random);
    if (objective->link == DORM__LINK_OUTPUT) {
      CU_ASSERT_EQUAL(objective->num_outputs(num_levels), 1);
      expected = F[0];
    } else if (objective->link == DORM__LINK_LOGISTIC) {
      CU_ASSERT_EQUAL(objective->num_outputs(num_levels), LEVELS - 1);
      for (size_t k = 0; k < LEVELS; k++) {
        double reached = k ? 1 / (1 + exp(-2 * F[k - 1])) : 1;
        expected += (values[k] - (k ? values[k - 1] : 0)) * reached;
      }
    } else {
      CU_ASSERT_EQUAL(objective->num_outputs(num_levels), LEVELS);
      for (size_t k = 0; k < LEVELS; k++) {
        above += exp(F[k]) * values[k];
        below += exp(F[k]);
      }
      expected = above / below;
    }
    UNIT_CLOSE(objective->score(num_levels, values, F), expected, 1e-12);
  }
}

/* ---- Models ---------------------------------------------------------------------------------- */

#define HEAD                                                                                                           \
  "dorm model 1\nnormalisation global-minmax\nrank_block 0\nglobal 3 -1 4\nglobal 5 2 0\nglobal 7 0.5 0.1\n"           \
  "missing 3 0.5\nmissing 5 2\nmissing 7 0.53\nfeature 3 0\nfeature 5 0\nfeature 7 0\n"
/* The split at the constant feature 5 divides missing values from all others. */
#define SUMS                                                                                                           \
  HEAD "part trees 0.5 regression gain 0 1 2\nlevels\n"                                                                \
       "tree 7\nsplit value 3 0.3 1 absent:1 gain:2\nsplit value 7 0.7 3 absent:1 gain:1.5\n"                          \
       "split value 5 0.5 5 absent:1 gain:0.25\nleaf -1\nleaf 0.1\nleaf 3\nleaf 100\n"                                 \
       "tree 3\nsplit value 7 0.1 1 absent:1 gain:4\nleaf 0.3\nleaf -0.7\n"                                            \
       "part trees -2 regression gain 0 1 1\nlevels\ntree 3\nsplit value 3 -0.1 1 absent:0 gain:1\nleaf 1\nleaf 0\n"   \
       "end 3\n"

enum { NUM_DOCS = 6 };

/* A tree of a chain of splits. */
static dorm_model *read_chain(dorm_context *context, size_t depth)
{
  DORM__FREED char *text = unit_alloc(400 + 80 * depth, 1);
  char *end = text + sprintf(text, HEAD "part trees 1 regression gain 0 1 1\nlevels\ntree %zu\n", 2 * depth + 1);
  end += sprintf(end, "split value 3 0 1 absent:0 gain:1\n");
  for (size_t d = 1; d < depth; d++)
    end += sprintf(end, "leaf 1\nsplit value 3 %zu %zu absent:0 gain:1\n", d, 2 * d + 1);
  sprintf(end, "leaf 1\nleaf 2\nend 3\n");
  return unit_read_model(context, text);
}

UNIT_TEST_IN(context, deep_trees_are_refused)
{
  static const char *const nested[] = {"elasticsearch", "solr", "ranklib"};
  static const char *const flat[] = {"xgboost", "json", "c"};
  DORM__OWNED(dorm_model) *shallow = read_chain(context, 250), *deep = read_chain(context, 251);
  const char *path = unit_temporary_file("");
  for (size_t i = 0; i < sizeof nested / sizeof *nested; i++) {
    UNIT_OK(context, dorm_model_export(context, shallow, nested[i], "m", NULL, path));
    UNIT_BAD_DATA(
        dorm_model_export(context, deep, nested[i], "m", NULL, path),
        "tree 1 of the trees part 'regression, 1 trees with 252 leaves, 1 output, rank block 0' is 251 splits");
  }
  for (size_t i = 0; i < sizeof flat / sizeof *flat; i++)
    UNIT_OK(context, dorm_model_export(context, deep, flat[i], "m", NULL, path));
}

UNIT_TEST_IN(context, importances_are_sums_over_splits)
{
  static const double gains[2][6] = {{2, 0.25, 5.5}, {1, 0, 0}};
  static const size_t counts[2][6] = {{1, 1, 2}, {1, 0, 0}};
  DORM__OWNED(dorm_model) *model = unit_read_model(context, SUMS);
  const dorm_trees *trees;
  double gain[6];
  size_t splits[6];
  CU_ASSERT_PTR_NULL(dorm_model_trees(model, 0, gain, splits)); /* the linear part */
  for (size_t i = 0; i < 2; i++) {
    trees = dorm_model_trees(model, i + 1, gain, splits);
    CU_ASSERT_PTR_NOT_NULL_FATAL(trees);
    CU_ASSERT_EQUAL(memcmp(gain, gains[i], sizeof gain), 0);
    CU_ASSERT_EQUAL(memcmp(splits, counts[i], sizeof splits), 0);
    CU_ASSERT_TRUE(strcmp(trees->objective, "regression") == 0 && trees->num_outputs == 1 && trees->rank_block == 0);
    CU_ASSERT_TRUE(trees->num_trees == 2 - i && trees->num_leaves == (i ? 2 : 6));
  }
  CU_ASSERT_PTR_NULL(dorm_model_trees(model, 3, NULL, NULL));
}

/* ---- Sets ------------------------------------------------------------------------------------ */

/* Three sets on a path of two features, and a threshold below; values are normalised, categories are not. */
#define SETS                                                                                                           \
  HEAD "part trees 1 regression gain 0 1 2\nlevels\n"                                                                  \
       "tree 9\nsplit value 3 in:-2,0,1.5,4,7 1 absent:0 gain:1\nsplit value 5 in:1,2,3 3 absent:1 gain:1\n"           \
       "split value 3 in:2,3,9 5 absent:0 gain:1\nleaf 1\nsplit value 7 0.5 7 absent:1 gain:1\nleaf 10\nleaf 100\n"    \
       "leaf 1000\nleaf 10000\n"                                                                                       \
       "tree 3\nsplit value 3 in:3 1 absent:1 gain:1\nleaf 0.25\nleaf 0.5\nend 3\n"

static double exported_trees_score(const dorm__exported *all, const float *x)
{
  double score = 0;
  for (size_t t = 0; t < all->parts[0].from.ensemble->num_trees; t++) {
    const dorm__exported_node *nodes = all->parts[0].trees[t].nodes;
    size_t n = 0;
    while (!nodes[n].is_leaf) {
      float value = x[nodes[n].feature];
      n = isnan(value) ? nodes[n].missing : value < nodes[n].threshold ? nodes[n].yes : nodes[n].no;
    }
    score += nodes[n].value;
  }
  return score;
}

/* Thresholds give what sets give: for categories, the floats beside them, and missing values. */
UNIT_TEST_IN(context, sets_become_thresholds)
{
  enum { STEPS = 40, COUNT = STEPS * STEPS };
  static const float known[] = {-2, 0, 1.5F, 4, 7, 2, 3, 9, 1};
  static float values[3 * COUNT];
  static double scores[COUNT];
  DORM__OWNED(dorm_model) *model = unit_read_model(context, SETS);
  const size_t start[] = {0, COUNT};
  for (int takes_missing = 0; takes_missing < 2; takes_missing++) {
    for (size_t i = 0; i < COUNT; i++)
      for (size_t f = 0; f < 3; f++) {
        size_t step = f == 0 ? i % STEPS : f == 1 ? i / STEPS : i * 7 % STEPS;
        float value = step < 36 ? known[step / 4] : 12 + (float)step;
        values[3 * i + f] = step == 39 && takes_missing ? NAN
                            : step % 4 == 1             ? nextafterf(value, INFINITY)
                            : step % 4 == 2             ? nextafterf(value, -INFINITY)
                                                        : value;
      }
    const dorm_arrays arrays = {.struct_size = sizeof arrays,
                                .num_docs = COUNT,
                                .num_queries = 1,
                                .query_start = start,
                                .num_features = 3,
                                .feature_ids = model->map.ids,
                                .floats = values};
    DORM__OWNED(dorm_dataset) *dataset = NULL;
    UNIT_OK(context, dorm_dataset_new(context, &arrays, &dataset));
    UNIT_OK(context, dorm_model_score(context, model, dataset, 1, scores));
    DORM__AT_END(dorm__exported_clear) dorm__exported all = {.model = model, .takes_missing = takes_missing};
    UNIT_OK(context, dorm__exported_prepare(context, &all));
    for (size_t i = 0; i < COUNT; i++)
      CU_ASSERT_EQUAL(exported_trees_score(&all, values + 3 * i), scores[i]);
    CU_ASSERT(all.parts[0].trees[0].num_nodes < 200); /* no comparison is made twice on a path */
  }
}

/* ---- Nets ------------------------------------------------------------------------------------ */

enum { IDS = 4, CONSTANT = 2, UNITS = 3, NETS = 2, ROWS = 50 };

/* Numbers of a model with nets; feature number CONSTANT has the spread 0. */
typedef struct net_numbers {
  double shift[IDS], spread[IDS], mean[IDS];
  double weight[NETS], v[NETS][UNITS], t[NETS][UNITS], W[NETS][UNITS][IDS];
} net_numbers;

static void draw_numbers(dorm__random *random, net_numbers *numbers)
{
  for (size_t f = 0; f < IDS; f++) {
    numbers->spread[f] = f == CONSTANT ? 0 : exp(2 * dorm__random_normal(random));
    numbers->shift[f] = dorm__random_normal(random) * (f == CONSTANT ? 1 : 100 * numbers->spread[f]);
    numbers->mean[f] = numbers->shift[f] + dorm__random_normal(random) * numbers->spread[f];
  }
  for (size_t n = 0; n < NETS; n++) {
    numbers->weight[n] = dorm__random_normal(random);
    for (size_t k = 0; k < UNITS; k++) {
      numbers->v[n][k] = dorm__random_normal(random);
      numbers->t[n][k] = dorm__random_normal(random);
      for (size_t f = 0; f < IDS; f++)
        numbers->W[n][k][f] = dorm__random_normal(random);
    }
  }
}

/* The model of these numbers, from a file. Nets other than the first have a rank block with these weights. */
static dorm_model *model_of(dorm_context *context, const net_numbers *numbers, const char *ranks)
{
  dorm_model *model = NULL;
  const char *path = unit_temporary_file("");
  FILE *file = fopen(path, "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  fprintf(file, "dorm model 1\nnormalisation global-zscore\nrank_block 0\n");
  for (size_t f = 0; f < IDS; f++)
    fprintf(file, "global %zu %.17g %.17g\n", f + 1, numbers->shift[f], numbers->spread[f]);
  for (size_t f = 0; f < IDS; f++)
    fprintf(file, "missing %zu %.17g\n", f + 1, numbers->mean[f]);
  for (size_t f = 0; f < IDS; f++)
    fprintf(file, "feature %zu 0\n", f + 1);
  for (size_t n = 0; n < NETS; n++) {
    fprintf(file, "part net %.17g %s %d\n", numbers->weight[n], n ? "0.5" : "0", UNITS);
    for (size_t k = 0; k < UNITS; k++) {
      fprintf(file, "unit %.17g %.17g\nvalues", numbers->v[n][k], numbers->t[n][k]);
      for (size_t f = 0; f < IDS; f++)
        fprintf(file, " %.17g", numbers->W[n][k][f]);
      fprintf(file, "\n%s%s%s", n ? "ranks " : "", n ? ranks : "", n ? "\n" : "");
    }
  }
  fprintf(file, "end %d\n", IDS);
  CU_ASSERT_EQUAL(fclose(file), 0);
  UNIT_OK(context, dorm_model_read(context, path, &model));
  return model;
}

/* The rounding of normalised values to floats changes at most `slack`: tanh is nowhere steeper than 1. */
static double formula(const net_numbers *numbers, const double *x, double *slack)
{
  double score = 0;
  *slack = 1e-11;
  for (size_t n = 0; n < NETS; n++)
    for (size_t k = 0; k < UNITS; k++) {
      double input = numbers->t[n][k], sum = 0;
      for (size_t f = 0; f < IDS; f++) {
        double value = isnan(x[f]) ? numbers->mean[f] : x[f];
        value = f == CONSTANT ? 0 : (value - numbers->shift[f]) / numbers->spread[f];
        input += numbers->W[n][k][f] * value;
        sum += fabs(numbers->W[n][k][f] * value);
      }
      score += numbers->weight[n] * numbers->v[n][k] * tanh(input);
      *slack += fabs(numbers->weight[n] * numbers->v[n][k]) * sum * (double)FLT_EPSILON / 2;
    }
  return score;
}

/* The output of the exported nets for a row of values of the data. */
static double exported_score(const dorm__exported *all, const double *x)
{
  double score = 0;
  for (size_t n = 0; n < all->num_nets; n++)
    for (size_t k = 0; k < all->nets[n].hidden; k++) {
      double input = all->nets[n].thresholds[k];
      for (size_t i = 0; i < all->count; i++) {
        size_t f = all->features[i];
        input += all->nets[n].weights[k * all->count + i] * (isnan(x[f]) ? dorm__exported_mean(all, f) : x[f]);
      }
      score += all->nets[n].from.weight * all->nets[n].outputs[k] * tanh(input);
    }
  return score;
}

UNIT_TEST_DRAWN(context, random, nets_are_folded)
{
  net_numbers numbers;
  double labels[ROWS] = {0}, scores[ROWS], x[ROWS][IDS];
  float values[ROWS * IDS];
  draw_numbers(random, &numbers);
  for (size_t i = 0; i < ROWS * IDS; i++) {
    size_t f = i % IDS;
    double spread = f == CONSTANT ? 10 : numbers.spread[f];
    values[i] = dorm__random_below(random, 5) ? (float)(numbers.shift[f] + 2 * dorm__random_normal(random) * spread)
                                              : (float)NAN;
    x[i / IDS][f] = (double)values[i];
  }
  DORM__OWNED(dorm_dataset) *dataset = unit_even_dataset(context, 1, ROWS, IDS, labels, values);
  DORM__OWNED(dorm_model) *model = model_of(context, &numbers, "0 0 0 0");
  DORM__AT_END(dorm__exported_clear) dorm__exported all = {.model = model};
  UNIT_OK(context, dorm__exported_prepare(context, &all));
  UNIT_OK(context, dorm_model_score(context, model, dataset, 1, scores));
  CU_ASSERT_TRUE_FATAL(all.num_nets == NETS && all.count == IDS - 1 && !all.weights && all.num_parts == 0);
  for (size_t j = 0; j < ROWS; j++) {
    double slack, expected = formula(&numbers, x[j], &slack);
    UNIT_CLOSE(exported_score(&all, x[j]), expected, 1e-11);
    CU_ASSERT_DOUBLE_EQUAL(scores[j], expected, slack);
  }
  CU_ASSERT_FALSE(dorm_model_needs_query(model));
  UNIT_OK(context, dorm_model_check_export(context, model));
}

static void refuse(dorm_context *context, dorm_model *model, const char *format, const char *message)
{
  const char *path = unit_temporary_file("");
  unlink(path);
  UNIT_BAD_DATA(dorm_model_export(context, model, format, "m", NULL, path), message);
  CU_ASSERT_NOT_EQUAL(access(path, F_OK), 0);
}

UNIT_TEST_DRAWN(context, random, nets_are_refused)
{
  static const char *const engines[] = {"elasticsearch", "opensearch", "solr", "ranklib", "xgboost"};
  net_numbers numbers;
  char message[200];
  draw_numbers(random, &numbers);
  dorm_model *model = model_of(context, &numbers, "0 0 0 0");
  for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
    snprintf(message, sizeof message,
             "the model has a net part, '3 hidden units, 4 inputs, rank block 0', which the format %s does not hold: "
             "export it as json, c or onnx",
             engines[i]);
    refuse(context, model, engines[i], message);
  }
  dorm_model_free(model);

  /* Ranks in use, and ranks of units whose output is 0. */
  model = model_of(context, &numbers, "0 0 0 -1e-3");
  refuse(context, model, "json", "the model looks at ranks of features");
  CU_ASSERT_TRUE(dorm_model_needs_query(model));
  dorm_model_free(model);
  memset(numbers.v[1], 0, sizeof numbers.v[1]);
  model = model_of(context, &numbers, "0 0 0 -1e-3");
  CU_ASSERT_FALSE(dorm_model_needs_query(model));
  UNIT_OK(context, dorm_model_check_export(context, model));
  dorm_model_free(model);

  numbers.spread[3] = 1e-200;
  numbers.W[1][2][3] = -1e200;
  model = model_of(context, &numbers, "0 0 0 0");
  refuse(context, model, "c", "the weight -1e+200 of feature 4 leaves the range of numbers");
  dorm_model_free(model);
}
