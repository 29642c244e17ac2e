/*
 * kernel_modules_test.c: kernels from modules that are compiled here as a user would compile them: compared with their
 * formula, and with training on the Gram matrix of that formula. Also what is refused, and bounds on the linear part
 * beside a kernel.
 */
#include "tests/unit/unit.h"

#include "base/module.h"
#include "kernels/expression.h"
#include "kernels/kernel_table.h"

enum { QUERIES = 6, DOCS = 6, COUNT = QUERIES * DOCS, FEATURES = 4 };

/* Features in [0, 1]; the last is the number of the document, from 1. */
static dorm_dataset *numbered_data(dorm_context *context)
{
  double labels[COUNT];
  float values[COUNT][FEATURES + 1];
  dorm__random random = unit_random(0);
  for (size_t j = 0; j < COUNT; j++) {
    for (size_t f = 0; f < FEATURES; f++)
      values[j][f] = (float)dorm__random_uniform(&random);
    labels[j] = values[j][0] * values[j][1] > 0.25F ? 2 : values[j][2] > 0.7F;
    values[j][FEATURES] = (float)(j + 1);
  }
  return unit_even_dataset(context, QUERIES, DOCS, FEATURES + 1, labels, values[0]);
}

static double chi_square(double gamma, size_t first, size_t end, const float *x, const float *y)
{
  double sum = 0;
  for (size_t f = first; f < end; f++)
    if (x[f] + y[f] > 0)
      sum += pow((double)x[f] - (double)y[f], 2) / ((double)x[f] + (double)y[f]);
  return exp(-gamma * sum);
}

UNIT_TEST_IN(context, a_kernel_of_a_module_is_its_formula)
{
  static const size_t ids[FEATURES + 1] = {1, 2, 3, 4, 5};
  static const dorm__feature_map map = {.num_ids = FEATURES + 1, .ids = ids, .normalisation = DORM__NORMALISATION_NONE};
  DORM__OWNED(dorm_dataset) *dataset = numbered_data(context);
  DORM__AT_END(dorm__kernel_rows_free) dorm__kernel_rows rows;
  const char *path = unit_compile_module("chi_square.c", "");
  dorm__kernel *kernel =
      unit_kernel(context, unit_text("0.5*(chi_square:gamma=2|0.5 (2-4) from %s) + chi_square(1,3) from %s * linear(2)",
                                     path, path));
  CU_ASSERT_EQUAL(dorm__kernel_num_choices(kernel), 2);
  char *second = dorm__kernel_text(context, kernel, 1);
  const char *expected =
      unit_text("0.5 * chi_square:gamma=0.5(2-4) from %s + chi_square:gamma=1(1,3) from %s * linear(2)", path, path);
  CU_ASSERT_STRING_EQUAL(second, expected);
  dorm__kernel_free(kernel);
  UNIT_OK(context, dorm__kernel_parse(context, second, &kernel));
  dorm__free(second);
  char *of_model = dorm__kernel_model_text(context, kernel);
  CU_ASSERT_STRING_EQUAL(of_model, "0.5 * chi_square:gamma=0.5(2-4) from module + chi_square:gamma=1(1,3) from module "
                                   "* linear(2)");
  dorm__free(of_model);
  UNIT_OK(context, dorm__kernel_resolve(context, kernel, &map));
  UNIT_OK(context, dorm__kernel_rows_build(context, kernel, dataset, &map, 1, &rows));
  double gram[COUNT * COUNT], diagonal[COUNT];
  CU_ASSERT_TRUE(dorm__kernel_tile(kernel, rows.width, COUNT, rows.values, COUNT, rows.values, gram));
  CU_ASSERT_TRUE(dorm__kernel_diagonal(kernel, rows.width, COUNT, rows.values, diagonal));
  for (size_t i = 0; i < COUNT; i++)
    for (size_t j = 0; j < COUNT; j++) {
      const float *x = rows.values + i * rows.width;
      const float *y = rows.values + j * rows.width;
      const float odd_x[2] = {x[0], x[2]}, odd_y[2] = {y[0], y[2]};
      double value =
          0.5 * chi_square(0.5, 1, 4, x, y) + chi_square(1, 0, 2, odd_x, odd_y) * (double)x[1] * (double)y[1];
      UNIT_CLOSE(gram[i * COUNT + j], value, 1e-13);
      CU_ASSERT_TRUE(i != j || unit_close(diagonal[i], value, 1e-13));
    }
  dorm__kernel_free(kernel);
}

static dorm_training *trained(dorm_context *context, const dorm_dataset *train, const char *kernel)
{
  DORM__OWNED(dorm_settings) *settings =
      unit_svm(context, UNIT_PAIRS("solver.C", "3", "ranking.rounds", "1", "ranking.reference", "mu:0.3", "kernel.rank",
                                   "0", "solver.gap", "1e-8", "solver.start", "zero", "data.normalisation", "none"));
  UNIT_OK(context, dorm_settings_set(context, settings, "kernel.kernel", kernel));
  return unit_train(context, settings, train, NULL);
}

/* Trains with the module, and with the matrix of its formula from a file. */
UNIT_TEST_IN(context, training_with_a_module_is_training_on_its_matrix)
{
  DORM__OWNED(dorm_dataset) *dataset = numbered_data(context);
  DORM__FREED char *text = unit_alloc(COUNT * COUNT * 30, 1);
  size_t used = 0;
  for (size_t i = 0; i < COUNT; i++)
    for (size_t j = 0; j < COUNT; j++)
      used += (size_t)snprintf(
          text + used, 30, "%.17g%c",
          chi_square(2, 0, FEATURES, dataset->values + i * (FEATURES + 1), dataset->values + j * (FEATURES + 1)),
          j + 1 < COUNT ? ' ' : '\n');
  const char *gram_path = unit_temporary_file(text);
  const char *path = unit_compile_module("chi_square.c", "");
  DORM__OWNED(dorm_training) *by_module = trained(context, dataset, unit_text("chi_square:gamma=2(1-4) from %s", path));
  DORM__OWNED(dorm_training) *by_matrix = trained(context, dataset, unit_text("gram:%s(5)", gram_path));
  const dorm_candidate *one = dorm_training_candidate(by_module, 0);
  const dorm_candidate *two = dorm_training_candidate(by_matrix, 0);
  UNIT_CLOSE(one->certificate.primal, two->certificate.primal, 1e-7);
  CU_ASSERT_TRUE(one->certificate.primal > 0.01 && one->certificate.gap <= 1e-8);

  double scores[COUNT], others[COUNT], read_scores[COUNT];
  UNIT_OK(context, dorm_model_score(context, dorm_training_model(by_module), dataset, 1, scores));
  UNIT_OK(context, dorm_model_score(context, dorm_training_model(by_matrix), dataset, 1, others));
  for (size_t j = 0; j < COUNT; j++)
    UNIT_CLOSE(scores[j], others[j], 1e-3); /* two points within the gap */

  /* The model file names no module, and is scored only when one is given. */
  const char *model_path = "./kernel-module-test.dorm";
  DORM__OWNED(dorm_model) *model = NULL;
  size_t num_pivots;
  double rank_block;
  UNIT_OK(context, dorm_model_write(context, dorm_training_model(by_module), model_path));
  UNIT_OK(context, dorm_model_read(context, model_path, &model));
  CU_ASSERT_STRING_EQUAL(dorm_model_kernel(model, 0, &num_pivots, &rank_block), "chi_square:gamma=2(1-4) from module");
  UNIT_FAILS(context, dorm_model_score(context, model, dataset, 1, read_scores), DORM_BAD_MODULE,
             "needs the module of the kernel 'chi_square', and a model opens no file by itself");
  UNIT_FAILS(context, dorm_model_use_module(context, model, "./none.so"), DORM_IO_ERROR, "cannot read");
  UNIT_OK(context, dorm_model_use_module(context, model, path));
  UNIT_OK(context, dorm_model_score(context, model, dataset, 1, read_scores));
  CU_ASSERT_EQUAL(memcmp(scores, read_scores, sizeof scores), 0);
  unlink(path); /* it was opened once, and stays open */
  UNIT_OK(context, dorm_model_score(context, model, dataset, 2, read_scores));
  CU_ASSERT_EQUAL(memcmp(scores, read_scores, sizeof scores), 0);
  unlink(model_path);
}

UNIT_TEST_IN(context, bad_kernel_modules_are_refused)
{
  static const unit_refusal bad[] = {
      {"WRONG_ABI", "built for plug-in interface 2"},
      {"NO_KERNEL", "returned no kernel"},
      {"SMALL_STRUCT", "its struct has 16 bytes"},
      {"NO_BLOCK", "fill_block is missing"},
      {"BUILTIN_NAME", "'rbf' is the name of a built-in kernel"},
      {"NUMBER_NAME", "does not begin with a letter"},
      {"MANY_PARAMETERS", "9 parameters, more than 8"},
      {"FAILING_CREATE", "kernel 'bad': it is not in the mood"},
      {"FAILING", "rows of 1 features are not to its taste"},
      {"NOT_FILLED", "a number is missing"},
      {"NOT_FINITE", "a number is missing, infinite"},
      {"OUT_OF_BOUNDS", "it writes outside its table"},
      {"ASYMMETRIC", "k(x, y) is not k(y, x)"},
      {"INDEFINITE", "not positive semi-definite"},
      {"WRONG_DIAGONAL", "the diagonal differs from the block"},
      {"NOT_THE_SAME_TWICE", "filled again, a block is not the same"},
      {"PARTS_DIFFER", "a part of a block is not what it is in the whole"},
  };
  dorm_kernel *kernel = NULL;
  const char *path = unit_compile_module("bad_kernel.c", "-DMISSING_SYMBOL");
  const char *spec = unit_text("from %s", path);
  UNIT_FAILS(context, dorm_kernel_open(context, spec, &kernel), DORM_BAD_MODULE,
             "has no function dorm_kernel_module_entry");
  unit_compile_module("bad_kernel.c", "");
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    unit_set_fault(bad[i].given);
    UNIT_FAILS(context, dorm_kernel_open(context, spec, &kernel), DORM_BAD_MODULE, bad[i].message);
    CU_ASSERT_PTR_NULL(kernel);
  }
  unit_set_fault("OUT_OF_MEMORY");
  UNIT_FAILS(context, dorm_kernel_open(context, spec, &kernel), DORM_OUT_OF_MEMORY, "kernel 'bad': out of memory");
  unit_set_fault(NULL);
  UNIT_OK(context, dorm_kernel_open(context, spec, &kernel));
  CU_ASSERT_STRING_EQUAL(dorm_kernel_describe(kernel)->name, "bad");
  dorm_kernel_close(kernel);
  static const struct {
    const char *before, *behind, *message;
  } bad_terms[] = {
      {"good from ", "", "holds the kernel 'bad', not 'good'"},
      {"bad:z=2 from ", "", "has no parameter 'z'"},
      {"bad:a=1|11 from ", "", "a=11 is not between 0 and 10"},
      {"bad:a=x from ", "", "a=x is not a number"},
      {"bad:a=1,a=2 from ", "", "'a' is given twice"},
      {"bad:a=|2 from ", "", "a value expected"},
      {"bad from ", " + bad from ./other.so", "two modules hold a kernel named bad"},
      {"linear + bad from ", " linear", "'+', '*' or the end expected"},
  };
  dorm__kernel *expression = NULL;
  for (size_t i = 0; i < sizeof bad_terms / sizeof *bad_terms; i++) {
    UNIT_BAD_USAGE(
        dorm__kernel_parse(context, unit_text("%s%s%s", bad_terms[i].before, path, bad_terms[i].behind), &expression),
        bad_terms[i].message);
    CU_ASSERT_PTR_NULL(expression);
  }
  UNIT_BAD_USAGE(dorm__kernel_parse_model(context, unit_text("bad from %s", path), &expression),
                 "a model names no file of a module");
  UNIT_BAD_USAGE(dorm__kernel_parse_model(context, "bad", &expression), "a kernel expected");
}

/* Checks that failures of parallel calls end in one sentence. */
UNIT_TEST_IN(context, a_module_that_fails_in_training_says_why)
{
  static const char *const ranks[] = {"0", "5"};
  dorm_training *training = NULL;
  DORM__OWNED(dorm_dataset) *train = unit_artificial(context, 20, 20, 8, 0, 7, 1);
  const char *path = unit_compile_module("bad_kernel.c", "");
  unit_set_fault("FAILING_LATER");
  const char *kernel = unit_text("linear + bad from %s", path);
  for (size_t i = 0; i < 2; i++) {
    DORM__OWNED(dorm_settings) *settings =
        unit_defaults(context, UNIT_PAIRS("kernel.kernel", kernel, "kernel.rank", ranks[i]));
    UNIT_FAILS(context, dorm_train(context, settings, train, NULL, &training), DORM_BAD_MODULE,
               "kernel 'bad': rows of 8 features are too many");
    CU_ASSERT_PTR_NULL(training);
  }
  unit_set_fault(NULL);
}

/* Checks that `dorm kernels` prints what the expressions say. */
UNIT_TEST_IN(context, listed_kernels_spell_out_their_parameters)
{
  const dorm_kernel_info *row;
  size_t count = 0;
  for (; (row = dorm_kernel_info_at(count)) != NULL; count++) {
    const char *usage = row->usage;
    const char *name = unit_text("%.*s", (int)strcspn(usage, ":"), usage);
    bool is_gram = strcmp(name, "gram") == 0;
    DORM__OWNED(dorm__kernel) *kernel = unit_kernel(context, is_gram ? "gram:FILE(1)" : name);
    DORM__FREED char *text = kernel ? dorm__kernel_text(context, kernel, 0) : NULL;
    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    CU_ASSERT_STRING_EQUAL(is_gram ? "gram:FILE(1)" : usage, text);
  }
  CU_ASSERT_EQUAL(count, 6);
}

/* A model with weights of 1 for the features of the factor. */
static dorm_model *one_part_model(dorm_context *context, const dorm__feature_map *map,
                                  const dorm__kernel_factor *factor)
{
  double weights[COUNT + 1];
  for (size_t i = 0; i < factor->rank; i++)
    weights[i] = 1;
  dorm_model *model = unit_model(context, map, NULL);
  unit_add_kernel(context, model, factor, weights);
  return model;
}

/* Checks that however often a kernel with lists is fitted, its module is entered once, and its kernel is created once
 * for each of its parameters. The path contains a blank. */
UNIT_TEST_IN(context, a_module_is_opened_once)
{
  static const size_t ids[FEATURES + 1] = {1, 2, 3, 4, 5};
  static const dorm__feature_map map = {.num_ids = FEATURES + 1, .ids = ids, .normalisation = DORM__NORMALISATION_NONE};
  DORM__OWNED(dorm_dataset) *dataset = numbered_data(context);
  dorm__module *library = NULL;
  dorm__module_function function = NULL;
  dorm__kernel *kernel = NULL;
  const char *compiled = unit_compile_module("counting_kernel.c", "");
  const char *path = unit_text("%s of mine.so", compiled);
  CU_ASSERT_EQUAL_FATAL(rename(compiled, path), 0);
  UNIT_OK(context, dorm__module_open(context, path, "kernel", "dorm_test_counts", &library, &function));
  const size_t *counts = ((const size_t *(*)(void))function)();
  UNIT_OK(context, dorm__kernel_parse(
                       context, unit_text("counting:a=1|2 from \"%s\" + 0.5|2 * counting(1-3) from \"%s\"", path, path),
                       &kernel));
  CU_ASSERT_EQUAL(dorm__kernel_num_choices(kernel), 4);
  for (size_t i = 0; i < 12; i++) {
    dorm__kernel_options options = {.rank = i / 4 * 3, .seed = 1, .num_threads = 1};
    dorm__kernel_factor *factor = NULL;
    DORM__AT_END(dorm__features_free) dorm__features features;
    UNIT_OK(context, dorm__kernel_fit(context, kernel, i % 4, &options, dataset, &map,
                                      &(const dorm__kernel_fitted){&factor, &features}));
    DORM__OWNED(dorm_model) *model = one_part_model(context, &map, factor);
    double scores[COUNT];
    dorm__kernel_factor_free(factor); /* the model shares its files */
    UNIT_OK(context, dorm_model_score(context, model, dataset, 2, scores));
  }
  CU_ASSERT_EQUAL(counts[0], 1);
  CU_ASSERT_EQUAL(counts[1], 2); /* a = 1 and a = 2 */
  dorm__kernel_free(kernel);
  dorm_kernel *public = NULL;
  UNIT_OK(context, dorm_kernel_open(context, unit_text("from %s", path), &public));
  CU_ASSERT_EQUAL(counts[0], 2);
  CU_ASSERT_EQUAL(counts[1], 3);
  dorm_kernel_close(public);
  dorm__module_close(library);
  unlink(path);
}
