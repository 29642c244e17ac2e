/*
 * kernels_test.c: expressions of kernels; tiles of Gram matrices compared with formulas; gamma = auto, centres, and
 * what is refused.
 */
#include "base/lanes.h"
#include "kernels/cholesky.h"
#include "kernels/expression.h"
#include "kernels/kernel_files.h"
#include "kernels/kernel_table.h"
#include "tests/unit/kernel_cases.h"

/* ---- Expressions ------------------------------------------------------------------ */

UNIT_TEST_IN(context, expressions_are_read_and_printed)
{
  static const struct {
    const char *text, *first, *last;
    size_t count;
  } good[] = {
      {"linear", "linear", "linear", 1},
      {"rbf", "rbf:gamma=auto,scale=1", "rbf:gamma=auto,scale=1", 1},
      {" linear+rbf:gamma=0.5|2 ", "linear + rbf:gamma=0.5,scale=1", "linear + rbf:gamma=2,scale=1", 2},
      {"rbf:scale=1|3(1-20)*linear(21-46,50)", "rbf:gamma=auto,scale=1(1-20) * linear(21-46,50)",
       "rbf:gamma=auto,scale=3(1-20) * linear(21-46,50)", 2},
      {"(linear + 1|2) * (histogram * 3)", "(linear + 1) * (histogram * 3)", "(linear + 2) * (histogram * 3)", 2},
      {"polynomial:degree=2|3|4,offset=0|1", "polynomial:degree=2,offset=0,scale=1",
       "polynomial:degree=4,offset=1,scale=1", 6},
      {"gram:some/file.txt (3) * linear(1)", "gram:some/file.txt(3) * linear(1)", "gram:some/file.txt(3) * linear(1)",
       1},
  };
  static const unit_refusal bad[] = {
      {"", "at character 1 of '': a kernel expected"},
      {"rbf(1-20 * linear", "at character 10 of 'rbf(1-20 * linear': ')' expected"},
      {"linear + ", "at character 10"},
      {"polynomal", "did you mean polynomial"},
      {"rbf:gama=1", "at character 5 of 'rbf:gama=1': a parameter of the kernel expected; unknown to rbf"},
      {"rbf:gamma=-1", "at character 11 of 'rbf:gamma=-1': gamma must be above 0"},
      {"rbf:gamma=x", "at character 11 of 'rbf:gamma=x': a number expected"},
      {"polynomial:degree=1.5", "degree must be a whole number, at least 1 and at most 20"},
      {"polynomial:offset=-1", "offset must be at least 0"},
      {"-2 * linear", "at character 1 of '-2 * linear': a constant must be at least 0"},
      {"linear linear", "at character 8 of 'linear linear': '+', '*' or the end expected"},
      {"linear(5-2)", "a range of features runs backwards"},
      {"linear(0)", "a feature id expected"},
      {"gram:file.txt", "the feature that holds the row number expected"},
      {"gram:file.txt(1-2)", "a Gram matrix takes one feature"},
      {"gram:(1)", "the path of a Gram matrix expected"},
      {"(((((((((((((((((((((((((((((((((((((((((((((((((((((((1", "too many parentheses"},
  };
  dorm__kernel *kernel = NULL;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    UNIT_OK(context, dorm__kernel_parse(context, good[i].text, &kernel));
    CU_ASSERT_EQUAL(dorm__kernel_num_choices(kernel), good[i].count);
    for (size_t choice = 0; choice<good[i].count; choice += good[i].count> 1 ? good[i].count - 1 : 1) {
      DORM__FREED char *text = dorm__kernel_text(context, kernel, choice);
      CU_ASSERT_STRING_EQUAL(text, choice ? good[i].last : good[i].first);
      DORM__OWNED(dorm__kernel) *again = unit_kernel(context, text);
      DORM__FREED char *twice = dorm__kernel_text(context, again, 0);
      CU_ASSERT_STRING_EQUAL(text, twice);
    }
    dorm__kernel_free(kernel);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    UNIT_BAD_USAGE(dorm__kernel_parse(context, bad[i].given, &kernel), bad[i].message);
    CU_ASSERT_PTR_NULL(kernel);
  }
}

/* ---- Tiles ------------------------------------------------------------------------ */

UNIT_TEST(exponentials_agree_with_the_library)
{
  dorm__random random = unit_random(0);
  double worst = 0;
  for (size_t round = 0; round < 2000; round++) {
    double values[50], results[50];
    for (size_t i = 0; i < 50; i++) {
      values[i] = -pow(10, 6 * dorm__random_uniform(&random) - 3.2);
      if (round == 0 && i < 4)
        values[i] = (const double[]){0, -708, -1e-300, -0.34657359027997264}[i];
      results[i] = values[i];
    }
    dorm__exponentials(50, results);
    for (size_t i = 0; i < 50; i++) {
      double exact = exp(fmax(values[i], -708));
      worst = fmax(worst, fabs(results[i] - exact) / (nextafter(exact, INFINITY) - exact));
    }
  }
  if (worst > 2)
    printf("\n    %g units in the last place\n", worst);
  CU_ASSERT_TRUE(worst <= 2);
  double not_a_number[1] = {NAN};
  dorm__exponentials(1, not_a_number);
  CU_ASSERT_TRUE(isnan(not_a_number[0]));
}

UNIT_TEST_DRAWN(context, random, tiles_agree_with_their_formulas)
{
  kernel_cases_write_gram();
  DORM__OWNED(dorm_dataset) *dataset = kernel_small_data(context, random);
  for (size_t c = 0; c < NUM_KERNEL_CASES; c++) {
    char text[128];
    const dorm__feature_map *map = kernel_cases[c].text ? &kernel_plain_map : &kernel_gram_map;
    DORM__OWNED(dorm__kernel) *kernel = kernel_opened(context, kernel_case_text(c, text), map);
    DORM__AT_END(dorm__kernel_rows_free) dorm__kernel_rows rows;
    UNIT_OK(context, dorm__kernel_rows_build(context, kernel, dataset, map, 1, &rows));
    double gram[7 * 9], diagonal[COUNT];
    CU_ASSERT_TRUE(
        dorm__kernel_tile(kernel, rows.width, 7, rows.values + rows.width, 9, rows.values + 3 * rows.width, gram));
    for (size_t i = 0; i < 7; i++)
      for (size_t j = 0; j < 9; j++)
        UNIT_CLOSE(gram[i * 9 + j], kernel_case_pair(c, dataset, 1 + i, 3 + j), 1e-13);
    CU_ASSERT_TRUE(dorm__kernel_diagonal(kernel, rows.width, COUNT, rows.values, diagonal));
    for (size_t i = 0; i < COUNT; i++)
      UNIT_CLOSE(diagonal[i], kernel_case_pair(c, dataset, i, i), 1e-13);
  }
}

/* Checks that a common offset of all features takes no digits from a distance. */
UNIT_TEST_IN(context, far_features_keep_their_distances)
{
  static const size_t ids[2] = {1, 2};
  dorm__feature_map map = {.num_ids = 2, .ids = ids, .normalisation = DORM__NORMALISATION_NONE, .rank_block = 0};
  DORM__OWNED(dorm__kernel) *kernel = kernel_opened(context, "rbf:gamma=1", &map);
  static const float rows[3][2] = {{1048576, 1048577}, {1048576.5F, 1048577}, {1048577, 1048578}};
  double gram[9];
  CU_ASSERT_TRUE(dorm__kernel_tile(kernel, 2, 3, rows[0], 3, rows[0], gram));
  CU_ASSERT_TRUE(unit_close(gram[1], exp(-0.25), 1e-14) && unit_close(gram[2], exp(-2), 1e-14));
  CU_ASSERT_TRUE(unit_close(gram[5], exp(-1.25), 1e-14) && unit_close(gram[8], 1, 1e-14));
  static const float uneven[2][2] = {{1048576, 0.1F}, {1048576.5F, 0.3F}}; /* squares of 2^40 and of 0.01 */
  double apart = (double)uneven[1][1] - (double)uneven[0][1];
  CU_ASSERT_TRUE(dorm__kernel_tile(kernel, 2, 2, uneven[0], 2, uneven[0], gram));
  UNIT_CLOSE(gram[1], exp(-0.25 - apart * apart), 1e-14);
}

/* ---- Gamma, centres and files -------------------------------------------------------- */

/* Rows that are 0 but for a 1 in a column of their own, up to `num_distinct`; the rows after those are all 0. Any two
 * that differ are 2 apart, by |x - y|^2 and by |x - y|_1, or 1 if one of them is all 0. */
static dorm__kernel_rows unit_rows(size_t count, size_t num_distinct)
{
  dorm__kernel_rows rows = {count, count, dorm__alloc_zero(count, count * sizeof(float)), NULL};
  CU_ASSERT_PTR_NOT_NULL_FATAL(rows.values);
  for (size_t i = 0; i < num_distinct; i++)
    rows.values[i * count + i] = 1;
  return rows;
}

/* gamma = auto is scale / (2 median) of squared distances, or scale / median of distances; scale / mean where more than
 * half of the pairs are equal, which is known up to the chance of the pairs; and scale where all rows are equal. */
UNIT_TEST_IN(context, gamma_of_its_own_is_one_over_the_median)
{
  enum { ROWS = 40 };
  static const struct {
    size_t num_distinct;
    double least, most; /* of the typical distance */
  } cases[] = {{ROWS, 2, 2}, {4, 0.12, 0.25}, {0, 1, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    DORM__AT_END(dorm__kernel_rows_free) dorm__kernel_rows rows = unit_rows(ROWS, cases[i].num_distinct);
    size_t ids[ROWS];
    for (size_t f = 0; f < ROWS; f++)
      ids[f] = f + 1;
    dorm__feature_map map = {.num_ids = ROWS, .ids = ids, .normalisation = DORM__NORMALISATION_NONE, .rank_block = 0};
    dorm__kernel *kernel = kernel_opened(context, "rbf:scale=3 + laplacian:scale=5", &map);
    UNIT_OK(context, dorm__kernel_set_auto(context, kernel, &rows, unit_seed()));
    for (size_t n = 0; n < kernel->num_nodes; n++) {
      const dorm__kernel_node *node = &kernel->nodes[n];
      bool is_rbf = node->kind == DORM__KERNEL_RBF;
      if (!is_rbf && node->kind != DORM__KERNEL_LAPLACIAN)
        continue;
      double typical = (is_rbf ? 1.5 : 5) / node->parameters[0].values[0];
      CU_ASSERT_TRUE(typical > cases[i].least - 1e-12 && typical < cases[i].most + 1e-12);
      CU_ASSERT_EQUAL(node->parameters[1].values[0], 1);
    }
    dorm__kernel_free(kernel);
    kernel = kernel_opened(context, "rbf:scale=1e-300", &map);
    for (size_t k = 0; k < ROWS * ROWS; k++)
      rows.values[k] *= 1e30F;
    if (i == 0) /* 1e-300 / 4e60 is 0 */
      UNIT_FAILS(context, dorm__kernel_set_auto(context, kernel, &rows, unit_seed()), DORM_NUMERICAL_FAILURE,
                 "gamma = auto has no value");
    dorm__kernel_free(kernel);
  }
}

UNIT_TEST_DRAWN(context, random, what_is_no_kernel_is_said)
{
  static const unit_refusal bad[] = {
      {"1 2\n2 1\n", "the Gram matrix is not positive semi-definite"},
      {"0 1\n1 0\n", "the Gram matrix is not positive semi-definite"},
      {"1 0\n0 1\n0 0\n", ":3: the Gram matrix has more rows than its 2 columns"},
      {"1 0 0\n0 1 0\n", "the Gram matrix has 2 rows and 3 columns"},
      {"1 0\n0 1 0\n", ":2: 3 numbers, but the first row of the Gram matrix has 2"},
      {"1 0\n0 nan\n", ":2: entry 2 of the Gram matrix: 'nan' is not a finite number"},
      {"1 inf\n0 1\n", ":1: entry 2 of the Gram matrix: 'inf' is not a finite number"},
      {"1 0.5\n0.4 1\n", "the Gram matrix is not symmetric: row 2, column 1 is 0.4, the other way round 0.5"},
      {"\n", "the Gram matrix is empty"},
  };
  size_t size;
  double *matrix;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    UNIT_BAD_DATA(dorm__gram_read(context, unit_temporary_file(bad[i].given), &size, &matrix), bad[i].message);
    CU_ASSERT_PTR_NULL(matrix);
  }
  UNIT_FAILS(context, dorm__gram_read(context, "no such", &size, &matrix), DORM_IO_ERROR, "no such");
  /* what differs less than 1e-9 of the largest entry is made symmetric */
  UNIT_OK(context, dorm__gram_read(context, unit_temporary_file("100 0.1\n0.10000002 1\n"), &size, &matrix));
  CU_ASSERT_TRUE(size == 2 && matrix[1] == matrix[2] && unit_close(matrix[1], 0.10000001, 1e-12));
  dorm__free(matrix);

  /* either factor finds a matrix that is not positive semi-definite */
  kernel_cases_write_gram();
  DORM__OWNED(dorm_dataset) *dataset = kernel_small_data(context, random);
  char text[128];
  DORM__OWNED(dorm__kernel) *kernel =
      kernel_opened(context, kernel_case_text(NUM_KERNEL_CASES - 1, text), &kernel_gram_map);
  DORM__AT_END(dorm__kernel_rows_free) dorm__kernel_rows rows;
  dorm__cholesky cholesky;
  UNIT_OK(context, dorm__kernel_rows_build(context, kernel, dataset, &kernel_gram_map, 1, &rows));
  double *entries = (double *)kernel->nodes[kernel->root].gram; /* no other kernel shares the matrix */
  entries[3 * COUNT + 7] = entries[7 * COUNT + 3] = 3;
  UNIT_BAD_DATA(dorm__cholesky_on_demand(context, kernel, &rows, COUNT, 1, 1, &cholesky), "not positive semi-definite");
  UNIT_BAD_DATA(dorm__cholesky_whole(context, kernel, &rows, &cholesky), "not positive semi-definite");
  entries[3 * COUNT + 7] = NAN;
  UNIT_FAILS(context, dorm__cholesky_whole(context, kernel, &rows, &cholesky), DORM_NUMERICAL_FAILURE, "not finite");
}

/* A product B B' with fewer columns than rows is taken; one whose smallest eigenvalue is a little below 0 is not. */
UNIT_TEST_DRAWN(context, random, gram_matrices_may_be_singular)
{
  enum { SIZE = 7 };
  for (size_t rank = 1; rank <= 3; rank++)
    for (int less = 0; less < 2; less++) {
      double factor[SIZE][3], *matrix = NULL;
      char text[SIZE * SIZE * 32] = "";
      size_t size = 0, used = 0;
      for (size_t i = 0; i < SIZE; i++)
        for (size_t k = 0; k < rank; k++)
          factor[i][k] = dorm__random_normal(random);
      for (size_t i = 0; i < SIZE; i++)
        for (size_t j = 0; j < SIZE; j++) {
          double entry = i == j && less ? -1e-4 : 0;
          for (size_t k = 0; k < rank; k++)
            entry += factor[i][k] * factor[j][k];
          used += (size_t)snprintf(text + used, sizeof text - used, "%.17g%c", entry, j + 1 < SIZE ? ' ' : '\n');
        }
      UNIT_FAILS(context, dorm__gram_read(context, unit_temporary_file(text), &size, &matrix),
                 less ? DORM_BAD_DATA : DORM_OK, less ? "is not positive semi-definite" : NULL);
      CU_ASSERT_TRUE(less ? !matrix : size == SIZE);
      dorm__free(matrix);
    }
}

static dorm_status join_paths(void *user, const char *path)
{
  char *list = user;
  strcat(strcat(list, path), ";");
  return strlen(list) > 60 ? DORM_STOPPED : DORM_OK;
}

/* Checks that paths which contain marks of expressions can be in quotes, and are handed out without them. */
UNIT_TEST_IN(context, paths_of_kernels_are_handed_out_whole)
{
  static const char text[] = "gram:\"my (old) matrix, a*b: 1.txt\"(7) + 2 * gram: other.txt (6)";
  char list[200] = "";
  DORM__OWNED(dorm__kernel) *kernel = unit_kernel(context, text);
  UNIT_OK(context, dorm__kernel_each_path(kernel, join_paths, list));
  CU_ASSERT_STRING_EQUAL(list, "my (old) matrix, a*b: 1.txt;other.txt;");
  DORM__FREED char *written = dorm__kernel_text(context, kernel, 0);
  CU_ASSERT_STRING_EQUAL(written, "gram:\"my (old) matrix, a*b: 1.txt\"(7) + 2 * gram:other.txt(6)");
  dorm__kernel *again = unit_kernel(context, written);
  CU_ASSERT_EQUAL(dorm__kernel_each_path(again, join_paths, list), DORM_STOPPED); /* at the first path */
  CU_ASSERT_STRING_EQUAL(list, "my (old) matrix, a*b: 1.txt;other.txt;my (old) matrix, a*b: 1.txt;");
  dorm__kernel_free(again);
  UNIT_BAD_USAGE(dorm__kernel_parse(context, "gram:\"a(1)", &again), "are not closed");
}

/* Checks that what is chosen from a kernel finds the matrix that was read before, though its file is gone. */
UNIT_TEST_DRAWN(context, random, a_gram_file_is_read_once)
{
  const char *gram_path = kernel_cases_write_gram();
  DORM__OWNED(dorm_dataset) *dataset = kernel_small_data(context, random);
  char gram[128];
  dorm__kernel *chosen[3] = {NULL, NULL, NULL};
  dorm__kernel *kernel = unit_kernel(context, unit_text("0.5|2 * %s", kernel_case_text(NUM_KERNEL_CASES - 1, gram)));
  for (size_t i = 0; i < 3; i++) {
    UNIT_OK(context, dorm__kernel_choose(context, kernel, i % 2, &chosen[i]));
    UNIT_OK(context, dorm__kernel_resolve(context, chosen[i], &kernel_gram_map));
    unlink(gram_path);
  }
  dorm__kernel_free(kernel); /* what was chosen from it keeps the matrix alive */
  dorm__kernel_free(chosen[0]);
  for (size_t i = 1; i < 3; i++) {
    DORM__AT_END(dorm__kernel_rows_free) dorm__kernel_rows rows;
    double tile[COUNT * COUNT];
    UNIT_OK(context, dorm__kernel_rows_build(context, chosen[i], dataset, &kernel_gram_map, 1, &rows));
    CU_ASSERT_TRUE(dorm__kernel_tile(chosen[i], rows.width, COUNT, rows.values, COUNT, rows.values, tile));
    for (size_t k = 0; k < COUNT * COUNT; k++) {
      double entry = kernel_case_pair(NUM_KERNEL_CASES - 1, dataset, k / COUNT, k % COUNT);
      UNIT_CLOSE(tile[k], (i == 1 ? 2 : 0.5) * entry, 1e-15);
    }
    dorm__kernel_free(chosen[i]);
  }
}

/* A word begins with a letter or '_'; digits and '-' may follow. */
UNIT_TEST(words_of_expressions_end_where_they_should)
{
  static const struct {
    const char *text;
    size_t length;
  } words[] = {{"rbf", 3}, {"chi2-square_b(1)", 13}, {"_a*b", 2}, {"2a", 0}, {"-a", 0}, {"a.b", 1}, {"", 0}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    CU_ASSERT_EQUAL(dorm__expression_word(words[i].text), words[i].length);
}
