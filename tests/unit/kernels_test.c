/*
 * kernels_test.c: kernels against their formulas, factors against the matrices
 * they stand for, and training against a dual solver that works on the Gram
 * matrix with every ranking enumerated.
 */
#include "tests/unit/unit.h"

#include "solver/solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DOCS = 5, RANKINGS = 120, FEATURES = 6, QUERIES = 4, COUNT = QUERIES * DOCS };

static char gram_path[64]; /* a positive semi-definite matrix [COUNT][COUNT], written by write_gram */

/* ---- The kernels written out, for one pair ------------------------------------ */

typedef double (*pair_function)(const float *x, const float *y);

static double dot_of(const float *x, const float *y, size_t first, size_t end)
{
  double sum = 0;
  for (size_t f = first; f < end; f++)
    sum += (double)x[f] * (double)y[f];
  return sum;
}

static double square_of(const float *x, const float *y, size_t first, size_t end)
{
  double sum = 0;
  for (size_t f = first; f < end; f++)
    sum += pow((double)x[f] - (double)y[f], 2);
  return sum;
}

static double linear_pair(const float *x, const float *y)
{
  return dot_of(x, y, 0, FEATURES);
}
static double quadratic_pair(const float *x, const float *y)
{
  return pow(dot_of(x, y, 0, FEATURES) + 1, 2);
}
static double cubic_pair(const float *x, const float *y)
{
  return pow(0.5 * dot_of(x, y, 0, FEATURES) + 0.25, 3);
}
static double rbf_pair(const float *x, const float *y)
{
  return exp(-0.7 * square_of(x, y, 0, FEATURES));
}
static double laplacian_pair(const float *x, const float *y)
{
  double sum = 0;
  for (size_t f = 0; f < FEATURES; f++)
    sum += fabs((double)x[f] - (double)y[f]);
  return exp(-0.3 * sum);
}
static double histogram_pair(const float *x, const float *y)
{
  double sum = 0;
  for (size_t f = 0; f < FEATURES; f++)
    sum += fmin((double)x[f], (double)y[f]);
  return sum;
}
static double sum_pair(const float *x, const float *y)
{
  return linear_pair(x, y) + 2 * exp(-0.7 * square_of(x, y, 0, FEATURES));
}
static double product_pair(const float *x, const float *y)
{
  return exp(-1.5 * square_of(x, y, 0, 2)) * (dot_of(x, y, 2, 6) + 0.1);
}
static double nested_pair(const float *x, const float *y)
{
  return (exp(-1.5 * square_of(x, y, 0, 2)) + exp(-0.5 * square_of(x, y, 4, 6))) * pow(dot_of(x, y, 1, 4) + 1, 2) +
         0.01 * linear_pair(x, y);
}

static const struct kernel_case {
  const char *text;
  pair_function pair; /* NULL: the Gram matrix of gram_path */
} kernel_cases[] = {
    {"1 * linear", linear_pair},
    {"polynomial", quadratic_pair},
    {"polynomial:degree=3,offset=0.25,scale=0.5", cubic_pair},
    {"rbf:gamma=0.7", rbf_pair},
    {"laplacian:gamma=0.3", laplacian_pair},
    {"histogram", histogram_pair},
    {"linear + 2 * rbf:gamma=0.35,scale=2", sum_pair},
    {"rbf:gamma=1.5(1-2) * (linear(3-6) + 0.1)", product_pair},
    {"(rbf:gamma=1.5(1,2) + rbf:gamma=0.5(5-6)) * polynomial(2-4) + 0.01 * linear", nested_pair},
    {NULL, NULL},
};
enum { NUM_CASES = sizeof kernel_cases / sizeof *kernel_cases };

static double gram_entry(size_t i, size_t j)
{
  return exp(-0.05 * fabs((double)i - (double)j)) * (1 + 0.1 * (double)(i % 3) * (double)(j % 3));
}

static void write_gram(void)
{
  char *text = malloc(COUNT * COUNT * 30);
  CU_ASSERT_PTR_NOT_NULL_FATAL(text);
  size_t used = 0;
  for (size_t i = 0; i < COUNT; i++)
    for (size_t j = 0; j < COUNT; j++)
      used += (size_t)snprintf(text + used, 30, "%.17g%c", gram_entry(i, j), j + 1 < COUNT ? ' ' : '\n');
  snprintf(gram_path, sizeof gram_path, "%s", unit_temporary_file(text));
  free(text);
}

/* ---- Data ------------------------------------------------------------------------ */

/* Features in [0, 1]; feature 7 is the number of the document, from 1. */
static dorm_dataset *small_data(dorm_context *context, dorm__random *random)
{
  size_t start[QUERIES + 1];
  double labels[COUNT];
  float values[COUNT][FEATURES + 1];
  dorm_dataset *dataset = NULL;
  for (size_t q = 0; q <= QUERIES; q++)
    start[q] = q * DOCS;
  for (size_t j = 0; j < COUNT; j++) {
    labels[j] = j % DOCS == 0 ? 2 : (double)dorm__random_below(random, 3);
    for (size_t f = 0; f < FEATURES; f++)
      values[j][f] = (float)dorm__random_uniform(random);
    values[j][FEATURES] = (float)(j + 1);
  }
  UNIT_OK(context, dorm_dataset_from_arrays(context, QUERIES, start, FEATURES + 1, labels, values[0], &dataset));
  CU_ASSERT_PTR_NOT_NULL_FATAL(dataset);
  return dataset;
}

static const size_t small_ids[FEATURES + 1] = {1, 2, 3, 4, 5, 6, 7};
/* As the data are: the features alone, or the row number too. */
static const dorm__feature_map plain_map = {
    .num_ids = FEATURES, .ids = small_ids, .normalisation = DORM__NORMALISATION_NONE, .rank_block = 0};
static const dorm__feature_map gram_map = {
    .num_ids = FEATURES + 1, .ids = small_ids, .normalisation = DORM__NORMALISATION_NONE, .rank_block = 0};

static const char *case_text(size_t c, char text[128])
{
  if (kernel_cases[c].text)
    return kernel_cases[c].text;
  snprintf(text, 128, "gram:%s(7)", gram_path);
  return text;
}

static double pair_of(size_t c, const dorm_dataset *dataset, size_t i, size_t j)
{
  const float *values = dataset->values;
  return kernel_cases[c].pair ? kernel_cases[c].pair(values + i * (FEATURES + 1), values + j * (FEATURES + 1))
                              : gram_entry(i, j);
}

static dorm__kernel *opened(dorm_context *context, const char *text, const dorm__feature_map *map)
{
  dorm__kernel *kernel = NULL;
  UNIT_OK(context, dorm__kernel_parse(context, text, &kernel));
  CU_ASSERT_PTR_NOT_NULL_FATAL(kernel);
  UNIT_OK(context, dorm__kernel_resolve(context, kernel, map));
  return kernel;
}

/* ---- Expressions ------------------------------------------------------------------ */

static void expressions_are_read_and_printed(void)
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
  static const struct {
    const char *text, *message;
  } bad[] = {
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
  dorm_context *context = unit_context();
  dorm__kernel *kernel = NULL;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    UNIT_OK(context, dorm__kernel_parse(context, good[i].text, &kernel));
    CU_ASSERT_PTR_NOT_NULL_FATAL(kernel);
    CU_ASSERT_EQUAL(dorm__kernel_num_choices(kernel), good[i].count);
    for (size_t choice = 0; choice<good[i].count; choice += good[i].count> 1 ? good[i].count - 1 : 1) {
      char *text = dorm__kernel_text(kernel, choice);
      dorm__kernel *again = NULL;
      CU_ASSERT_STRING_EQUAL(text, choice ? good[i].last : good[i].first);
      UNIT_OK(context, dorm__kernel_parse(context, text, &again));
      char *twice = dorm__kernel_text(again, 0);
      CU_ASSERT_STRING_EQUAL(text, twice);
      dorm__free(text);
      dorm__free(twice);
      dorm__kernel_free(again);
    }
    dorm__kernel_free(kernel);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    UNIT_FAILS(context, dorm__kernel_parse(context, bad[i].text, &kernel), DORM_BAD_USAGE, bad[i].message);
    CU_ASSERT_PTR_NULL(kernel);
  }
  dorm_context_free(context);
}

/* ---- Gram blocks ------------------------------------------------------------------ */

static void exponentials_agree_with_the_library(void)
{
  dorm__random random;
  dorm__random_seed(&random, unit_seed());
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

static void gram_blocks_agree_with_their_formulas(void)
{
  dorm_context *context = unit_context();
  dorm__random random;
  dorm__random_seed(&random, unit_seed());
  write_gram();
  dorm_dataset *dataset = small_data(context, &random);
  for (size_t c = 0; c < NUM_CASES; c++) {
    char text[128];
    const dorm__feature_map *map = kernel_cases[c].text ? &plain_map : &gram_map;
    dorm__kernel *kernel = opened(context, case_text(c, text), map);
    dorm__kernel_rows rows;
    UNIT_OK(context, dorm__kernel_rows_build(context, kernel, dataset, map, 1, &rows));
    double gram[7 * 9], diagonal[COUNT];
    CU_ASSERT_TRUE(
        dorm__kernel_block(kernel, rows.width, 7, rows.values + rows.width, 9, rows.values + 3 * rows.width, gram));
    for (size_t i = 0; i < 7; i++)
      for (size_t j = 0; j < 9; j++)
        CU_ASSERT_TRUE(unit_close(gram[i * 9 + j], pair_of(c, dataset, 1 + i, 3 + j), 1e-13));
    CU_ASSERT_TRUE(dorm__kernel_diagonal(kernel, rows.width, COUNT, rows.values, diagonal));
    for (size_t i = 0; i < COUNT; i++)
      CU_ASSERT_TRUE(unit_close(diagonal[i], pair_of(c, dataset, i, i), 1e-13));
    dorm__kernel_rows_free(&rows);
    dorm__kernel_free(kernel);
  }
  dorm_dataset_free(dataset);
  unlink(gram_path);
  dorm_context_free(context);
}

/* A common offset of all features takes no digits from a distance. */
static void far_features_keep_their_distances(void)
{
  dorm_context *context = unit_context();
  static const size_t ids[2] = {1, 2};
  dorm__feature_map map = {.num_ids = 2, .ids = ids, .normalisation = DORM__NORMALISATION_NONE, .rank_block = 0};
  dorm__kernel *kernel = opened(context, "rbf:gamma=1", &map);
  static const float rows[3][2] = {{1048576, 1048577}, {1048576.5F, 1048577}, {1048577, 1048578}};
  double gram[9];
  CU_ASSERT_TRUE(dorm__kernel_block(kernel, 2, 3, rows[0], 3, rows[0], gram));
  CU_ASSERT_TRUE(unit_close(gram[1], exp(-0.25), 1e-14) && unit_close(gram[2], exp(-2), 1e-14));
  CU_ASSERT_TRUE(unit_close(gram[5], exp(-1.25), 1e-14) && unit_close(gram[8], 1, 1e-14));
  dorm__kernel_free(kernel);
  dorm_context_free(context);
}

/* ---- Factors ------------------------------------------------------------------------ */

/* Documents in clusters, so that residuals fall unevenly. */
static dorm__kernel_rows clustered_rows(dorm__random *random, size_t count, size_t width)
{
  dorm__kernel_rows rows = {count, width, dorm__alloc(count, width * sizeof(float))};
  CU_ASSERT_PTR_NOT_NULL_FATAL(rows.values);
  for (size_t i = 0; i < count; i++)
    for (size_t f = 0; f < width; f++)
      rows.values[i * width + f] = (float)((double)((i * 7 + f) % 5) * 0.3 + 0.3 * dorm__random_uniform(random));
  return rows;
}

static double *whole_gram(const dorm__kernel *kernel, const dorm__kernel_rows *rows)
{
  double *gram = malloc(rows->count * rows->count * sizeof *gram);
  CU_ASSERT_PTR_NOT_NULL_FATAL(gram);
  CU_ASSERT_TRUE(dorm__kernel_block(kernel, rows->width, rows->count, rows->values, rows->count, rows->values, gram));
  return gram;
}

/* The residual matrix K - L L' from the factor's rows: its largest entry off
 * what the factor says of the diagonal, and its trace. */
static void check_factor(const dorm__cholesky *cholesky, const double *gram, double tolerance)
{
  size_t count = cholesky->num_rows;
  double trace = 0, residual_trace = 0;
  for (size_t i = 0; i < count; i++) {
    const double *row = cholesky->factor + i * cholesky->capacity;
    double residual = gram[i * count + i] - dorm__dot(cholesky->rank, row, row);
    CU_ASSERT_TRUE(fabs(residual - cholesky->residual[i]) < tolerance);
    trace += residual;
    residual_trace += cholesky->residual[i];
  }
  CU_ASSERT_TRUE(unit_close(trace, residual_trace, tolerance * (double)count));
  for (size_t p = 0; p < cholesky->rank; p++) /* lower triangular, and exact on the pivots */
    for (size_t q = 0; q < cholesky->rank; q++) {
      const double *one = cholesky->factor + cholesky->pivots[p] * cholesky->capacity;
      const double *two = cholesky->factor + cholesky->pivots[q] * cholesky->capacity;
      if (q > p)
        CU_ASSERT_EQUAL(one[q], 0);
      double entry = gram[cholesky->pivots[p] * count + cholesky->pivots[q]];
      CU_ASSERT_TRUE(fabs(dorm__dot(cholesky->rank, one, two) - entry) < tolerance);
    }
}

static void factors_leave_the_residuals_they_say(void)
{
  static const char *const texts[] = {"rbf:gamma=0.5", "laplacian:gamma=1", "polynomial", "linear + 0.2 * rbf:gamma=3",
                                      "linear"};
  static const size_t ids[6] = {1, 2, 3, 4, 5, 6};
  static const size_t ranks[] = {1, 7, 60, 500};
  dorm_context *context = unit_context();
  dorm__random random;
  dorm__random_seed(&random, unit_seed());
  dorm__feature_map map = {.num_ids = 6, .ids = ids, .normalisation = DORM__NORMALISATION_NONE, .rank_block = 0};
  dorm__kernel_rows rows = clustered_rows(&random, 500, 6);
  for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
    dorm__kernel *kernel = opened(context, texts[t], &map);
    double *gram = whole_gram(kernel, &rows);
    double last = INFINITY;
    for (size_t r = 0; r < sizeof ranks / sizeof *ranks; r++) {
      dorm__cholesky cholesky, threaded;
      UNIT_OK(context, dorm__cholesky_on_demand(context, kernel, &rows, ranks[r], 3, 1, &cholesky));
      UNIT_OK(context, dorm__cholesky_on_demand(context, kernel, &rows, ranks[r], 3, 3, &threaded));
      CU_ASSERT_EQUAL(cholesky.rank, threaded.rank);
      CU_ASSERT_EQUAL(
          memcmp(cholesky.factor, threaded.factor, rows.count * cholesky.capacity * sizeof *cholesky.factor), 0);
      CU_ASSERT_TRUE(cholesky.rank <= ranks[r]);
      check_factor(&cholesky, gram, 1e-9);
      double sum = 0;
      for (size_t i = 0; i < rows.count; i++)
        sum += cholesky.residual[i];
      CU_ASSERT_TRUE(sum <= last);
      last = sum;
      dorm__cholesky_free(&cholesky);
      dorm__cholesky_free(&threaded);
    }
    CU_ASSERT_TRUE(last < 1e-9);
    dorm__cholesky whole;
    UNIT_OK(context, dorm__cholesky_whole(context, kernel, &rows, &whole));
    check_factor(&whole, gram, 1e-9);
    if (strcmp(texts[t], "linear") == 0)
      CU_ASSERT_EQUAL(whole.rank, 6);
    dorm__cholesky_free(&whole);
    free(gram);
    dorm__kernel_free(kernel);
  }
  dorm__kernel_rows_free(&rows);
  dorm_context_free(context);
}

/* Each pivot has at least half of the largest residual at its turn, by the
 * textbook's one column at a time. */
static void pivots_are_nearly_the_largest_residuals(void)
{
  enum { SIZE = 700, RANK = 90 };
  static const size_t ids[4] = {1, 2, 3, 4};
  dorm_context *context = unit_context();
  dorm__random random;
  dorm__random_seed(&random, unit_seed());
  dorm__feature_map map = {.num_ids = 4, .ids = ids, .normalisation = DORM__NORMALISATION_NONE, .rank_block = 0};
  dorm__kernel_rows rows = clustered_rows(&random, SIZE, 4);
  dorm__kernel *kernel = opened(context, "rbf:gamma=2", &map);
  double *gram = whole_gram(kernel, &rows);
  dorm__cholesky cholesky;
  UNIT_OK(context, dorm__cholesky_on_demand(context, kernel, &rows, RANK, 1, 1, &cholesky));
  CU_ASSERT_EQUAL_FATAL(cholesky.rank, RANK);
  for (size_t t = 0; t < RANK; t++) {
    size_t pivot = cholesky.pivots[t];
    double largest = 0;
    for (size_t i = 0; i < SIZE; i++)
      largest = fmax(largest, gram[i * SIZE + i]);
    double own = gram[pivot * SIZE + pivot];
    CU_ASSERT_TRUE(own >= 0.5 * largest - 1e-12);
    double column[SIZE];
    for (size_t i = 0; i < SIZE; i++)
      column[i] = gram[i * SIZE + pivot];
    for (size_t i = 0; i < SIZE; i++)
      for (size_t j = 0; j < SIZE; j++)
        gram[i * SIZE + j] -= column[i] * column[j] / own;
  }
  free(gram);
  dorm__cholesky_free(&cholesky);
  dorm__kernel_free(kernel);
  dorm__kernel_rows_free(&rows);
  dorm_context_free(context);
}

/* ---- Training --------------------------------------------------------------------- */

static uint32_t rankings[RANKINGS][DOCS];

static void list_rankings(void)
{
  size_t count = 0;
  for (size_t code = 0; code < 3125; code++) {
    uint32_t order[DOCS];
    unsigned seen = 0;
    for (size_t p = 0, rest = code; p < DOCS; p++, rest /= DOCS) {
      order[p] = (uint32_t)(rest % DOCS);
      seen |= 1U << order[p];
    }
    if (seen == 31)
      memcpy(rankings[count++], order, sizeof order);
  }
  CU_ASSERT_EQUAL_FATAL(count, RANKINGS);
}

/* The kernel problem with every ranking a column, in terms of the Gram matrix
 * alone: scores = K v, v = sum alpha (c_reference - c_ranking). */
typedef struct gram_dual {
  size_t num_queries;
  size_t docs[QUERIES]; /* first document of a query that trains */
  double gram[COUNT][COUNT];
  double psi[QUERIES][RANKINGS + 1][DOCS]; /* the last column is the slack: zero */
  double loss[QUERIES][RANKINGS + 1];
  double alpha[QUERIES][RANKINGS + 1];
  double v[COUNT];
  double scores[COUNT];
} gram_dual;

static void gram_dual_start(gram_dual *dual, const dorm__problem *problem, const dorm_dataset *dataset, double C)
{
  dual->num_queries = problem->num_queries;
  memset(dual->alpha, 0, sizeof dual->alpha);
  memset(dual->v, 0, sizeof dual->v);
  memset(dual->scores, 0, sizeof dual->scores);
  for (size_t i = 0; i < problem->num_queries; i++) {
    size_t first = dual->docs[i] = problem->queries[i] * DOCS;
    const double *c = problem->c[i];
    double reference[DOCS];
    for (size_t j = 0; j < DOCS; j++) { /* listed: by label, ties as they stand */
      size_t rank = 0;
      for (size_t k = 0; k < DOCS; k++)
        rank += dorm_dataset_label(dataset, first + k) > dorm_dataset_label(dataset, first + j) ||
                (k < j && dorm_dataset_label(dataset, first + k) == dorm_dataset_label(dataset, first + j));
      reference[j] = c[rank];
    }
    memset(dual->psi[i][RANKINGS], 0, sizeof dual->psi[i][RANKINGS]);
    dual->loss[i][RANKINGS] = 0;
    dual->alpha[i][RANKINGS] = C;
    for (size_t r = 0; r < RANKINGS; r++) {
      memcpy(dual->psi[i][r], reference, sizeof reference);
      for (size_t p = 0; p < DOCS; p++)
        dual->psi[i][r][rankings[r][p]] -= c[p];
      dual->loss[i][r] = dorm__query_loss_of(dorm__problem_loss(problem, i), rankings[r]);
    }
  }
}

static double margin_of(const gram_dual *dual, size_t i, size_t r)
{
  return dual->loss[i][r] - dorm__dot(DOCS, dual->psi[i][r], dual->scores + dual->docs[i]);
}

/* A step from the worst column that has weight to the best (Guelat and Marcotte
 * 1986), exact in its length. */
static void pairwise_step(gram_dual *dual, size_t i)
{
  size_t best = RANKINGS, worst = RANKINGS + 1, first = dual->docs[i];
  double best_margin = -INFINITY, worst_margin = INFINITY;
  for (size_t r = 0; r <= RANKINGS; r++) {
    double margin = margin_of(dual, i, r);
    if (margin > best_margin) {
      best_margin = margin;
      best = r;
    }
    if (dual->alpha[i][r] > 0 && margin < worst_margin) {
      worst_margin = margin;
      worst = r;
    }
  }
  double direction[DOCS], curvature = 0;
  for (size_t j = 0; j < DOCS; j++)
    direction[j] = dual->psi[i][best][j] - dual->psi[i][worst][j];
  for (size_t j = 0; j < DOCS; j++)
    curvature += direction[j] * dorm__dot(DOCS, dual->gram[first + j] + first, direction);
  double step = curvature > 1e-14 ? (best_margin - worst_margin) / curvature : dual->alpha[i][worst];
  step = fmin(step, dual->alpha[i][worst]);
  if (best_margin <= worst_margin)
    return;
  dual->alpha[i][best] += step;
  dual->alpha[i][worst] -= step;
  for (size_t j = 0; j < DOCS; j++) {
    dual->v[first + j] += step * direction[j];
    dorm__add_scaled(COUNT, step * direction[j], dual->gram[first + j], dual->scores);
  }
}

static void gram_dual_values(const gram_dual *dual, double C, double *primal, double *value)
{
  double square = dorm__dot(COUNT, dual->v, dual->scores);
  *primal = 0.5 * square;
  *value = -0.5 * square;
  for (size_t i = 0; i < dual->num_queries; i++) {
    double slack = 0;
    for (size_t r = 0; r < RANKINGS; r++) {
      slack = fmax(slack, margin_of(dual, i, r));
      *value += dual->alpha[i][r] * dual->loss[i][r];
    }
    *primal += C * slack;
  }
}

static double gram_dual_solve(gram_dual *dual, double C)
{
  double primal = INFINITY, value = 0;
  for (size_t pass = 0; pass < 400000 && !(primal - value < 1e-14 * value); pass++) {
    for (size_t i = 0; i < dual->num_queries; i++)
      pairwise_step(dual, i);
    if (pass % 50 == 0)
      gram_dual_values(dual, C, &primal, &value);
  }
  return value;
}

/* Trains on features made by the caller, reference `listed`. */
typedef struct trained_features {
  dorm__loss *loss;
  dorm__loss_tables *tables;
  dorm__problem *problem;
  dorm__working_set *set;
  dorm_certificate certificate;
  double *w;
} trained_features;

static void train_features(dorm_context *context, const dorm_dataset *dataset, const dorm__features *features,
                           const char *weights, double C, double gap, trained_features *made)
{
  dorm__reference reference = dorm__reference_from("listed");
  dorm__cutting_plane_options options = {.C = C, .gap = gap, .max_iterations = 5000, .most_bytes = SIZE_MAX};
  *made = (trained_features){.w = calloc(features->num_features + 1, sizeof(double))};
  CU_ASSERT_PTR_NOT_NULL_FATAL(made->w);
  UNIT_OK(context, dorm__loss_open(context, "ndcg@3", &made->loss));
  UNIT_OK(context, dorm__loss_tables_build(context, made->loss, dataset, &made->tables));
  UNIT_OK(context,
          dorm__problem_new(context, dataset, features, made->tables, weights, DORM__ORACLE_AUTO, 1, &made->problem));
  CU_ASSERT_PTR_NOT_NULL_FATAL(made->problem);
  UNIT_OK(context, dorm__working_set_new(context, made->problem, false, (dorm__bounds){0}, &made->set));
  CU_ASSERT_PTR_NOT_NULL_FATAL(made->set);
  UNIT_OK(context, dorm__working_set_set_reference(context, made->set, &reference, made->w));
  UNIT_OK(context, dorm__cutting_plane(context, made->set, &options, made->w, &made->certificate));
}

static void trained_features_free(trained_features *made)
{
  dorm__working_set_free(made->set);
  dorm__problem_free(made->problem);
  dorm__loss_tables_free(made->tables);
  dorm__loss_close(made->loss);
  free(made->w);
}

/* Scores through a model of one part, as a user would get them. */
static void score_by_model(dorm_context *context, const dorm_dataset *dataset, const dorm__feature_map *map,
                           const dorm__kernel_factor *factor, const double *w, double *scores)
{
  dorm_settings *settings = NULL;
  dorm_model *model = NULL;
  double weights[COUNT + 1];
  size_t linear = factor->has_linear ? factor->map_width : 0;
  UNIT_OK(context, dorm_settings_new(context, &settings));
  UNIT_OK(context, dorm__model_new(context, map, settings, &model));
  CU_ASSERT_PTR_NOT_NULL_FATAL(model);
  if (linear)
    memcpy(model->weights, w, linear * sizeof *w);
  memcpy(weights, w + linear, factor->rank * sizeof *w);
  dorm__kernel_pivot_weights(factor, weights);
  dorm__model_part part = {factor->part_text, 0, factor->rank, factor->pivots.values, weights};
  UNIT_OK(context, dorm__model_add_part(context, model, &part));
  UNIT_OK(context, dorm_model_score(context, model, dataset, scores));
  dorm_model_free(model);
  dorm_settings_free(settings);
}

/* At full rank the scores, the primal and the dual are those of the exact
 * kernel problem; `linear` through a factor is `linear`. */
static void full_rank_agrees_with_a_dual_on_the_gram_matrix(void)
{
  static const char *const weights[] = {"loss", "power:0.5"};
  static const double Cs[] = {0.05, 0.5, 3};
  dorm_context *context = unit_context();
  dorm__random random;
  dorm__random_seed(&random, unit_seed());
  gram_dual *dual = malloc(sizeof *dual);
  CU_ASSERT_PTR_NOT_NULL_FATAL(dual);
  list_rankings();
  write_gram();
  double worst = 0, largest = 0;
  for (size_t trial = 0; trial < 4 * NUM_CASES; trial++) {
    size_t c = trial % NUM_CASES;
    char text[128];
    double C = Cs[trial % 3];
    dorm_dataset *dataset = small_data(context, &random);
    const dorm__feature_map *map = kernel_cases[c].text ? &plain_map : &gram_map;
    dorm__kernel *kernel = NULL;
    dorm__kernel_factor *factor = NULL;
    dorm__features features[2] = {{0}, {0}};
    dorm__kernel_options options = {.rank = trial % 2 ? COUNT : 0, .num_threads = 1};
    UNIT_OK(context, dorm__kernel_parse(context, case_text(c, text), &kernel));
    UNIT_OK(context, dorm__kernel_fit(context, kernel, 0, &options, dataset, map, &factor, &features[0]));
    CU_ASSERT_PTR_NOT_NULL_FATAL(factor);
    bool is_linear = c == 0; /* then the plain rows as well */
    if (is_linear)
      UNIT_OK(context, dorm__features_build(context, dataset, map, 1, &features[1]));
    for (size_t k = 0; k < (is_linear ? 2 : 1); k++) {
      trained_features made;
      train_features(context, dataset, &features[k], weights[trial / NUM_CASES % 2], C, 1e-13, &made);
      for (size_t i = 0; i < COUNT; i++)
        for (size_t j = 0; j < COUNT; j++)
          dual->gram[i][j] = pair_of(c, dataset, i, j);
      gram_dual_start(dual, made.problem, dataset, C);
      double value = gram_dual_solve(dual, C);
      CU_ASSERT_TRUE(unit_close(made.certificate.primal, value, 1e-9));
      CU_ASSERT_TRUE(unit_close(made.certificate.dual, value, 1e-9));
      double scores[COUNT], by_model[COUNT];
      dorm__features_score(&features[k], 0, COUNT, made.w, scores);
      if (k == 0)
        score_by_model(context, dataset, map, factor, made.w, by_model);
      for (size_t j = 0; j < COUNT; j++) {
        worst = fmax(worst, fabs(scores[j] - dual->scores[j]));
        largest = fmax(largest, fabs(scores[j]));
        CU_ASSERT_TRUE(fabs(scores[j] - dual->scores[j]) <= 1e-6);
        CU_ASSERT_TRUE(k == 1 || fabs(by_model[j] - dual->scores[j]) <= 1e-6);
      }
      trained_features_free(&made);
    }
    dorm__features_free(&features[0]);
    dorm__features_free(&features[1]);
    dorm__kernel_factor_free(factor);
    dorm__kernel_free(kernel);
    dorm_dataset_free(dataset);
  }
  CU_ASSERT_TRUE(largest > 0.5); /* there is something to compare */
  if (worst > 1e-6)
    printf("\n    largest difference of scores %g\n", worst);
  unlink(gram_path);
  free(dual);
  dorm_context_free(context);
}

/* The optimum of the exact kernel lies where a lower rank says it does; ranks
 * that change something are among them. */
static void the_bound_contains_the_exact_optimum(void)
{
  static const char *const texts[] = {"rbf:gamma=0.3", "laplacian", "polynomial", "linear + rbf", "histogram"};
  static const size_t ranks[] = {2, 5, 12, 30, 50};
  dorm_context *context = unit_context();
  double largest = 0;
  for (size_t trial = 0; trial < 10; trial++) {
    dorm_artificial parameters = {6, 10, 5, 0.2, 7, unit_seed() + trial};
    dorm_dataset *dataset = NULL;
    UNIT_OK(context, dorm_dataset_generate_artificial(context, &parameters, &dataset));
    dorm__feature_map map = {
        .num_ids = 5, .ids = small_ids, .normalisation = DORM__NORMALISATION_MIN_MAX, .rank_block = 0};
    dorm__kernel *kernel = NULL;
    UNIT_OK(context, dorm__kernel_parse(context, texts[trial % 5], &kernel));
    double exact_primal = 0, exact_dual = 0;
    for (size_t r = 0; r <= sizeof ranks / sizeof *ranks; r++) {
      dorm__kernel_options options = {.rank = r ? ranks[r - 1] : 0,
                                      .landmarks = (dorm__landmarks)(r ? trial % 3 : 0),
                                      .seed = trial,
                                      .num_threads = 1};
      dorm__kernel_factor *factor = NULL;
      dorm__features features;
      trained_features made;
      UNIT_OK(context, dorm__kernel_fit(context, kernel, 0, &options, dataset, &map, &factor, &features));
      CU_ASSERT_PTR_NOT_NULL_FATAL(factor);
      train_features(context, dataset, &features, trial % 2 ? "loss" : "power:1", 0.2 * (double)(1 + trial),
                     r ? 1e-3 : 1e-9, &made);
      double bound = dorm__kernel_bound(made.set, factor);
      double tolerance = 1e-9 * made.certificate.primal;
      if (!r) {
        CU_ASSERT_TRUE(bound < 1e-6);
        exact_primal = made.certificate.primal;
        exact_dual = made.certificate.dual;
      } else {
        CU_ASSERT_TRUE(exact_primal >= made.certificate.dual - bound - tolerance);
        CU_ASSERT_TRUE(exact_dual <= made.certificate.primal + tolerance);
        largest = fmax(largest, made.certificate.dual - exact_primal);
      }
      trained_features_free(&made);
      dorm__features_free(&features);
      dorm__kernel_factor_free(factor);
    }
    dorm__kernel_free(kernel);
    dorm_dataset_free(dataset);
  }
  CU_ASSERT_TRUE(largest > 1e-3); /* without the bound, the claim would be false */
  dorm_context_free(context);
}

/* Landmarks of every kind: the residual is the diagonal of K - L L', from the
 * features that are handed out, and new data get the same features. */
static void landmarks_leave_the_residuals_they_say(void)
{
  dorm_context *context = unit_context();
  dorm_artificial parameters = {12, 20, 5, 0, 7, 3};
  dorm_dataset *dataset = NULL;
  UNIT_OK(context, dorm_dataset_generate_artificial(context, &parameters, &dataset));
  dorm__feature_map map = {
      .num_ids = 5, .ids = small_ids, .normalisation = DORM__NORMALISATION_MIN_MAX, .rank_block = 0.5};
  dorm__kernel *kernel = NULL;
  UNIT_OK(context, dorm__kernel_parse(context, "linear + rbf", &kernel));
  for (int landmarks = 0; landmarks < 3; landmarks++) {
    dorm__kernel_options options = {.rank = 30, .landmarks = (dorm__landmarks)landmarks, .seed = 1, .num_threads = 2};
    dorm__kernel_factor *factor = NULL;
    dorm__features features, again;
    UNIT_OK(context, dorm__kernel_fit(context, kernel, 0, &options, dataset, &map, &factor, &features));
    CU_ASSERT_PTR_NOT_NULL_FATAL(factor);
    UNIT_OK(context, dorm__kernel_features(context, factor, dataset, &map, 1, &again));
    CU_ASSERT_EQUAL(features.num_features, 10 + factor->rank);
    double trace = 0;
    for (size_t j = 0; j < dataset->num_docs; j++) {
      const double *row = features.exact + j * features.num_features;
      double residual = 1 - dorm__dot(factor->rank, row + 10, row + 10);
      CU_ASSERT_TRUE(fabs(residual - factor->residual[j]) < 1e-9);
      trace += residual;
      for (size_t f = 0; f < features.num_features; f++)
        CU_ASSERT_TRUE(fabs(row[f] - again.exact[j * again.num_features + f]) < 1e-7);
    }
    CU_ASSERT_TRUE(unit_close(trace, factor->residual_trace, 1e-9) && factor->residual_trace > 1);
    CU_ASSERT_TRUE(unit_close(factor->trace, (double)dataset->num_docs, 1e-12));
    dorm__features_free(&features);
    dorm__features_free(&again);
    dorm__kernel_factor_free(factor);
  }
  dorm__kernel_free(kernel);
  dorm_dataset_free(dataset);
  dorm_context_free(context);
}

/* ---- Models -------------------------------------------------------------------------- */

static dorm_settings *kernel_settings(dorm_context *context, const char *kernel)
{
  static const char *const pairs[][2] = {{"solver.C", "3, 30"},
                                         {"ranking.rounds", "2"},
                                         {"ranking.reference", "mu:0.3"},
                                         {"kernel.rank", "5, 20"},
                                         {"data.rank_block", "0, 0.5"}};
  dorm_settings *settings = NULL;
  UNIT_OK(context, dorm_settings_new(context, &settings));
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    UNIT_OK(context, dorm_settings_set(context, settings, pairs[i][0], pairs[i][1]));
  UNIT_OK(context, dorm_settings_set(context, settings, "kernel.kernel", kernel));
  return settings;
}

/* The mean of the selected candidates, each from its own features. */
static void mean_of_candidates(dorm_context *context, const dorm_training *training, const dorm_dataset *dataset,
                               double *mean)
{
  double count = 0;
  memset(mean, 0, dataset->num_docs * sizeof *mean);
  for (size_t i = 0; i < training->num_trained; i++)
    count += training->trained[i].candidate.is_selected != 0;
  for (size_t i = 0; i < training->num_trained; i++) {
    const dorm__trained *trained = &training->trained[i];
    if (!trained->candidate.is_selected)
      continue;
    dorm__feature_map map = {.num_ids = dataset->num_features,
                             .ids = dataset->feature_ids,
                             .normalisation = DORM__NORMALISATION_MIN_MAX,
                             .rank_block = trained->candidate.rank_block};
    dorm__features features;
    UNIT_OK(context, dorm__kernel_features(context, trained->kernel, dataset, &map, 1, &features));
    CU_ASSERT_EQUAL(features.num_features, trained->width);
    for (size_t j = 0; j < dataset->num_docs; j++) {
      double score;
      dorm__features_score(&features, j, 1, trained->w, &score);
      mean[j] += score / trained->candidate.score_scale / count;
    }
    dorm__features_free(&features);
  }
}

static void kernel_models_are_the_mean_and_read_back(void)
{
  enum { SIZE = 30 * 15 };
  dorm_context *context = unit_context();
  dorm_artificial parameters = {30, 15, 6, 0.2, 7, 1};
  dorm_dataset *train = NULL, *validation = NULL;
  dorm_training *training = NULL;
  dorm_model *read = NULL;
  double scores[SIZE], mean[SIZE], again[SIZE];
  UNIT_OK(context, dorm_dataset_generate_artificial(context, &parameters, &train));
  parameters.data_seed = 2;
  UNIT_OK(context, dorm_dataset_generate_artificial(context, &parameters, &validation));
  dorm_settings *settings = kernel_settings(context, "linear + rbf:scale=0.5|2 * linear(1-3)");
  UNIT_OK(context, dorm_train(context, settings, train, validation, &training));
  CU_ASSERT_PTR_NOT_NULL_FATAL(training);
  /* 2 rank blocks x 2 scales x 2 ranks x (start + 2 C x 2 rounds) */
  CU_ASSERT_EQUAL(dorm_training_num_candidates(training), 2 * 2 * 2 * 5);
  size_t best_rank = 0;
  for (size_t i = 0; i < dorm_training_num_candidates(training); i++) {
    const dorm_candidate *candidate = dorm_training_candidate(training, i);
    CU_ASSERT_TRUE(candidate->kernel_rank == 5 || candidate->kernel_rank == 20);
    CU_ASSERT_TRUE(candidate->kernel_residual > 0 && candidate->kernel_residual < candidate->kernel_trace);
    CU_ASSERT_TRUE(candidate->round ? candidate->kernel_bound > 0 : candidate->kernel_bound == 0);
    best_rank = candidate->kernel_rank > best_rank ? candidate->kernel_rank : best_rank;
  }
  const dorm_model *model = dorm_training_model(training);
  UNIT_OK(context, dorm_model_score(context, model, validation, scores));
  mean_of_candidates(context, training, validation, mean);
  for (size_t j = 0; j < SIZE; j++)
    CU_ASSERT_TRUE(unit_close(scores[j], mean[j], 1e-6));

  const char *path = unit_temporary_file("");
  UNIT_OK(context, dorm_model_write(context, model, path));
  UNIT_OK(context, dorm_model_read(context, path, &read));
  CU_ASSERT_PTR_NOT_NULL_FATAL(read);
  CU_ASSERT_EQUAL(read->num_parts, model->num_parts);
  UNIT_OK(context, dorm_model_score(context, read, validation, again));
  CU_ASSERT_EQUAL(memcmp(scores, again, sizeof scores), 0);
  unlink(path);
  dorm_model_free(read);
  dorm_training_free(training);
  dorm_settings_free(settings);
  dorm_dataset_free(train);
  dorm_dataset_free(validation);
  dorm_context_free(context);
}

/* What a kernel sees does not depend on how the data are stored. */
static void sparse_data_have_the_same_kernels(void)
{
  dorm_context *context = unit_context();
  static const size_t start[] = {0, 3, 5};
  static const double labels[] = {2, 0, 1, 1, 0};
  static const float values[5][3] = {{1, 0, 3}, {0, 0, 2}, {5, 1, 0}, {0, 7, 0}, {1, 0, 0}};
  static const size_t row_start[] = {0, 2, 3, 5, 6, 7};
  static const uint32_t columns[] = {0, 2, 2, 0, 1, 1, 0};
  static const float entries[] = {1, 3, 2, 5, 1, 7, 1};
  dorm_dataset *dense = NULL, *sparse = NULL;
  UNIT_OK(context, dorm_dataset_from_arrays(context, 2, start, 3, labels, values[0], &dense));
  UNIT_OK(context, dorm_dataset_from_sparse(context, 2, start, 3, labels, row_start, columns, entries, &sparse));
  static const size_t ids[] = {1, 2, 3, 9};
  dorm__feature_map map = {.num_ids = 4, .ids = ids, .normalisation = DORM__NORMALISATION_MIN_MAX, .rank_block = 0.5};
  dorm__kernel *kernel = opened(context, "rbf:gamma=1", &map);
  dorm__kernel_rows one, two;
  UNIT_OK(context, dorm__kernel_rows_build(context, kernel, dense, &map, 1, &one));
  UNIT_OK(context, dorm__kernel_rows_build(context, kernel, sparse, &map, 1, &two));
  CU_ASSERT_EQUAL_FATAL(one.width, two.width);
  CU_ASSERT_EQUAL(memcmp(one.values, two.values, one.count * one.width * sizeof(float)), 0);
  dorm__kernel_rows_free(&one);
  dorm__kernel_rows_free(&two);
  dorm__kernel_free(kernel);
  dorm_dataset_free(dense);
  dorm_dataset_free(sparse);
  dorm_context_free(context);
}

static void damaged_kernel_models_are_refused(void)
{
  static const char head[] = "dorm model 1\nnormalisation minmax\nrank_block 0\nfeature 1 0.5\nfeature 3 1\n";
  static const struct {
    const char *text, *message;
  } bad[] = {
      {"kernel 0 1 rfb\npivot 1 1:1\nend 2\n", "a kernel expected"},
      {"kernel 0 1 rbf\npivot 1 1:1\nend 2\n", "has no number for gamma"},
      {"kernel 0 1 rbf:gamma=1|2\npivot 1 1:1\nend 2\n", "is a list"},
      {"kernel 0 2 linear(1)\npivot 1 1:1\nend 2\n", "a kernel of 2 pivots, but 1 were read"},
      {"kernel 0 0 linear(1)\npivot 1 1:1\nend 2\n", "more pivots than the 0"},
      {"kernel 0 1 linear(2)\npivot 1 1:1\nend 2\n", "no feature of the data is in the block"},
      {"kernel -1 1 linear\npivot 1 1:1\nend 2\n", "needs a rank block"},
      {"kernel 0 x linear\npivot 1 1:1\nend 2\n", "needs a number of pivots"},
      {"kernel 0 1\npivot 1 1:1\nend 2\n", "needs an expression"},
      {"kernel 0 1 linear\npivot nan 1:1\nend 2\n", "needs a finite weight"},
      {"kernel 0 1 linear\npivot 1 1:1e99\nend 2\n", "needs finite numbers"},
      {"kernel 0 1 linear\npivot 1 2:1\nend 2\n", "names the feature 2"},
      {"kernel 0 1 linear\npivot 1 3:1 1:1\nend 2\n", "names the feature 1 out of order"},
      {"kernel 0 1 linear\npivot 1 1:1 / 1:1\nend 2\n", "has more than it needs"},
      {"kernel 0.5 1 linear\npivot 1 1:1\nend 2\n", "needs '/' and its ranks"},
      {"kernel 0 1 linear\nfeature 4 1\npivot 1 1:1\nend 2\n", "'feature' behind 'kernel'"},
      {"pivot 1 1:1\nend 2\n", "'pivot' before 'kernel'"},
  };
  dorm_context *context = unit_context();
  dorm_model *model = NULL;
  char text[1024];
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    snprintf(text, sizeof text, "%s%s", head, bad[i].text);
    const char *path = unit_temporary_file(text);
    UNIT_FAILS(context, dorm_model_read(context, path, &model), DORM_BAD_DATA, bad[i].message);
    CU_ASSERT_PTR_NULL(model);
    unlink(path);
  }
  snprintf(text, sizeof text,
           "%skernel 0.5 2 rbf:gamma=2 * linear(1)\npivot 1 1:1 3:2 / 3:0.5\npivot -2 / 1:1\nend 2\n", head);
  const char *path = unit_temporary_file(text);
  UNIT_OK(context, dorm_model_read(context, path, &model));
  CU_ASSERT_PTR_NOT_NULL_FATAL(model);
  size_t num_pivots;
  double rank_block;
  CU_ASSERT_STRING_EQUAL(dorm_model_kernel(model, 0, &num_pivots, &rank_block), "rbf:gamma=2 * linear(1)");
  CU_ASSERT_TRUE(num_pivots == 2 && rank_block == 0.5);
  CU_ASSERT_PTR_NULL(dorm_model_kernel(model, 1, &num_pivots, &rank_block));
  CU_ASSERT_TRUE(model->parts[0].pivots[1] == 2 && model->parts[0].pivots[3] == 0.5F && model->parts[0].pivots[6] == 1);
  unlink(path);
  dorm_model_free(model);
  dorm_context_free(context);
}

/* ---- What cannot be a kernel --------------------------------------------------------- */

static void what_is_no_kernel_is_said(void)
{
  static const struct {
    const char *text, *message;
  } bad[] = {
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
  dorm_context *context = unit_context();
  size_t size;
  double *matrix;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const char *path = unit_temporary_file(bad[i].text);
    UNIT_FAILS(context, dorm__gram_read(context, path, &size, &matrix), DORM_BAD_DATA, bad[i].message);
    CU_ASSERT_PTR_NULL(matrix);
    unlink(path);
  }
  UNIT_FAILS(context, dorm__gram_read(context, "no such", &size, &matrix), DORM_IO_ERROR, "no such");

  /* a kernel that turns out not to be one is found by either factor */
  dorm__random random;
  dorm__random_seed(&random, unit_seed());
  write_gram();
  dorm_dataset *dataset = small_data(context, &random);
  char text[128];
  dorm__kernel *kernel = opened(context, case_text(NUM_CASES - 1, text), &gram_map);
  dorm__kernel_rows rows;
  dorm__cholesky cholesky;
  UNIT_OK(context, dorm__kernel_rows_build(context, kernel, dataset, &gram_map, 1, &rows));
  double *entries = kernel->nodes[kernel->root].gram;
  entries[3 * COUNT + 7] = entries[7 * COUNT + 3] = 3;
  UNIT_FAILS(context, dorm__cholesky_on_demand(context, kernel, &rows, COUNT, 1, 1, &cholesky), DORM_BAD_DATA,
             "not positive semi-definite");
  UNIT_FAILS(context, dorm__cholesky_whole(context, kernel, &rows, &cholesky), DORM_BAD_DATA,
             "not positive semi-definite");
  entries[3 * COUNT + 7] = NAN;
  UNIT_FAILS(context, dorm__cholesky_whole(context, kernel, &rows, &cholesky), DORM_NUMERICAL_FAILURE, "not finite");
  dorm__kernel_rows_free(&rows);
  dorm__kernel_free(kernel);
  dorm_dataset_free(dataset);
  unlink(gram_path);
  dorm_context_free(context);
}

static void what_kernels_cannot_train_on_is_said(void)
{
  static const struct {
    const char *kernel, *key, *text;
    dorm_status status;
    const char *message;
  } bad[] = {
      {"rbf(9)", "data.rank_block", "0", DORM_BAD_DATA, "no feature of the data is in the block from 9 to 9"},
      {"rbf +", "data.rank_block", "0", DORM_BAD_USAGE, "at character 6"},
      {"histogram", "data.normalisation", "none", DORM_BAD_DATA, "not positive semi-definite for negative features"},
      {"gram:GRAM(1)", "data.rank_block", "0", DORM_BAD_DATA, "which has the rows 1 to 20"},
      {"gram:no such(1)", "data.rank_block", "0", DORM_IO_ERROR, "no such"},
      {"gram:GRAM(1)", "kernel.landmarks", "kmeans", DORM_BAD_USAGE, "no means of row numbers"},
      {"rbf", "solver.weight_min", "0", DORM_BAD_USAGE, "need a linear part"},
      {"polynomial:degree=20,scale=1e12 * polynomial:degree=20,scale=1e12", "data.rank_block", "0",
       DORM_NUMERICAL_FAILURE, "is not finite"},
  };
  dorm_context *context = unit_context();
  dorm_artificial parameters = {5, 8, 3, 0, 7, 1};
  dorm_dataset *train = NULL;
  dorm_training *training = NULL;
  UNIT_OK(context, dorm_dataset_generate_artificial(context, &parameters, &train));
  write_gram();
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char text[128];
    bool is_gram = strncmp(bad[i].kernel, "gram:GRAM", 9) == 0;
    snprintf(text, sizeof text, "gram:%s(1)", gram_path);
    dorm_settings *settings = kernel_settings(context, is_gram ? text : bad[i].kernel);
    UNIT_OK(context, dorm_settings_set(context, settings, "data.rank_block", "0"));
    UNIT_OK(context, dorm_settings_set(context, settings, bad[i].key, bad[i].text));
    UNIT_FAILS(context, dorm_train(context, settings, train, NULL, &training), bad[i].status, bad[i].message);
    CU_ASSERT_PTR_NULL(training);
    dorm_settings_free(settings);
  }
  unlink(gram_path);
  dorm_dataset_free(train);
  dorm_context_free(context);
}

static const unit_test tests[] = {
    {"expressions are read and printed", expressions_are_read_and_printed},
    {"exponentials agree with the library", exponentials_agree_with_the_library},
    {"Gram blocks agree with their formulas", gram_blocks_agree_with_their_formulas},
    {"far features keep their distances", far_features_keep_their_distances},
    {"factors leave the residuals they say", factors_leave_the_residuals_they_say},
    {"pivots are nearly the largest residuals", pivots_are_nearly_the_largest_residuals},
    {"full rank agrees with a dual on the Gram matrix", full_rank_agrees_with_a_dual_on_the_gram_matrix},
    {"the bound contains the exact optimum", the_bound_contains_the_exact_optimum},
    {"landmarks leave the residuals they say", landmarks_leave_the_residuals_they_say},
    {"kernel models are the mean and read back", kernel_models_are_the_mean_and_read_back},
    {"sparse data have the same kernels", sparse_data_have_the_same_kernels},
    {"damaged kernel models are refused", damaged_kernel_models_are_refused},
    {"what is no kernel is said", what_is_no_kernel_is_said},
    {"what kernels cannot train on is said", what_kernels_cannot_train_on_is_said},
    {NULL, NULL},
};

const unit_suite kernels_suite = {"kernels", tests};
