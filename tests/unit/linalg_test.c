/* linalg_test.c: systems of equations, and factorisations that can be stopped compared with LAPACK's own. */
#include "base/minimise.h"
#include "tests/unit/unit.h"

#include <dirent.h>
#include <lapacke.h>

/* ---- Systems ---------------------------------------------------------------------- */

UNIT_TEST(positive_definite_systems_are_solved)
{
  double matrix[9] = {4, 1, 0.5, 1, 3, 0.2, 0.5, 0.2, 2};
  double copy[9];
  memcpy(copy, matrix, sizeof copy);
  double x[3] = {1, 2, 3};
  CU_ASSERT_TRUE_FATAL(dorm__solve_positive_definite(3, copy, x));
  double back[3];
  dorm__matrix_vector(3, 3, matrix, x, back);
  for (int i = 0; i < 3; i++)
    UNIT_CLOSE(back[i], i + 1, 1e-14);
  double indefinite[4] = {1, 2, 2, 1};
  double rhs[2] = {1, 1};
  CU_ASSERT_FALSE(dorm__solve_positive_definite(2, indefinite, rhs));
  double not_a_number[4] = {2, NAN, 0, 2};
  CU_ASSERT_FALSE(dorm__solve_positive_definite(2, not_a_number, rhs));
  double good[4] = {2, 1, 1, 2};
  rhs[1] = NAN;
  CU_ASSERT_FALSE(dorm__solve_positive_definite(2, good, rhs));
}

/* The threads of this process; 0 if the system does not say. */
static size_t num_tasks(void)
{
  size_t count = 0;
  DIR *folder = opendir("/proc/self/task");
  for (struct dirent *entry = folder ? readdir(folder) : NULL; entry; entry = readdir(folder))
    count += entry->d_name[0] != '.';
  if (folder)
    closedir(folder);
  return count;
}

/* OpenBLAS starts three threads beside this one, or has none of its own. */
UNIT_TEST(threads_of_blas_end_and_start_anew)
{
  enum { SIZE = 400 };
  static double x[SIZE * SIZE], alone[SIZE * SIZE], together[SIZE * SIZE];
  for (size_t i = 0; i < SIZE * SIZE; i++)
    x[i] = (double)(i * 7919 % 31); /* whole numbers: sums are exact */
  size_t before = num_tasks();
  dorm__multiply_transposed(SIZE, SIZE, SIZE, 1, x, SIZE, x, SIZE, 0, alone, SIZE);
  for (int turn = 0; turn < 2; turn++) {
    dorm_set_blas_threads(4);
    memset(together, 0, sizeof together);
    dorm__multiply_transposed(SIZE, SIZE, SIZE, 1, x, SIZE, x, SIZE, 0, together, SIZE);
    CU_ASSERT_EQUAL(memcmp(alone, together, sizeof alone), 0);
    dorm_set_blas_threads(1);
    size_t with = num_tasks();
    dorm_end_blas_threads();
    CU_ASSERT_TRUE(with < before + 3 || num_tasks() <= before);
  }
  dorm__multiply_transposed(SIZE, SIZE, SIZE, 1, x, SIZE, x, SIZE, 0, together, SIZE);
  CU_ASSERT_EQUAL(memcmp(alone, together, sizeof alone), 0);
}

/* The second difference of n numbers has the eigenvalues 2 - 2 cos(k pi / (n + 1)). */
UNIT_TEST_IN(context, eigenvalues_are_those_of_the_second_difference)
{
  enum { SIZE = 150 };
  static double matrix[SIZE * SIZE];
  double values[SIZE];
  memset(matrix, 0, sizeof matrix);
  for (size_t i = 0; i < SIZE; i++) {
    matrix[i * SIZE + i] = 2;
    if (i + 1 < SIZE)
      matrix[i * SIZE + i + 1] = matrix[(i + 1) * SIZE + i] = -1;
  }
  UNIT_OK(context, dorm__symmetric_eigenvalues(context, SIZE, matrix, values));
  for (int k = 0; k < SIZE; k++)
    CU_ASSERT_TRUE(fabs(values[k] - (2 - 2 * cos((k + 1) * acos(-1) / (SIZE + 1)))) < 1e-13);
  matrix[1] = NAN;
  CU_ASSERT_EQUAL(dorm__symmetric_eigenvalues(context, SIZE, matrix, values), DORM_NUMERICAL_FAILURE);
}

enum { CG_SIZE = 40, CG_WIDTH = 60 };

/* Computes result = (A'A + I) x for A [CG_WIDTH][CG_SIZE], row-major. */
static bool multiply_normal(void *user, const double *x, double *result)
{
  const double *a = user;
  for (size_t j = 0; j < CG_SIZE; j++)
    result[j] = x[j];
  for (size_t i = 0; i < CG_WIDTH; i++) {
    double product = 0;
    for (size_t j = 0; j < CG_SIZE; j++)
      product += a[i * CG_SIZE + j] * x[j];
    for (size_t j = 0; j < CG_SIZE; j++)
      result[j] += a[i * CG_SIZE + j] * product;
  }
  return true;
}

typedef struct counted_products {
  double *a;
  size_t products;
} counted_products;

static bool multiply_counted(void *user, const double *x, double *result)
{
  counted_products *at = user;
  at->products++;
  return multiply_normal(at->a, x, result);
}

static bool multiply_once(void *user, const double *x, double *result)
{
  (void)x;
  memset(result, 0, CG_SIZE * sizeof *result);
  return --*(int *)user > 0;
}

UNIT_TEST(conjugate_gradients_solve_what_cholesky_solves)
{
  static double a[CG_WIDTH * CG_SIZE], matrix[CG_SIZE * CG_SIZE];
  double expected[CG_SIZE], x[CG_SIZE], scratch[3 * CG_SIZE], unit[CG_SIZE];
  dorm__random random = unit_random(0);
  for (size_t i = 0; i < CG_WIDTH * CG_SIZE; i++)
    a[i] = dorm__random_normal(&random);
  for (size_t j = 0; j < CG_SIZE; j++) {
    memset(unit, 0, sizeof unit);
    unit[j] = 1;
    multiply_normal(a, unit, matrix + j * CG_SIZE);
    x[j] = expected[j] = dorm__random_normal(&random);
  }
  CU_ASSERT_TRUE_FATAL(dorm__solve_positive_definite(CG_SIZE, matrix, expected));
  CU_ASSERT_TRUE(dorm__conjugate_gradients(CG_SIZE, multiply_normal, a, x, scratch, 10 * CG_SIZE, 1e-13));
  for (size_t j = 0; j < CG_SIZE; j++)
    CU_ASSERT_TRUE(fabs(x[j] - expected[j]) < 1e-9);
  memset(x, 0, sizeof x); /* for a right side of zero the solution is zero, and nothing is divided by zero */
  CU_ASSERT_TRUE(dorm__conjugate_gradients(CG_SIZE, multiply_normal, a, x, scratch, 10, 1e-8));
  for (size_t j = 0; j < CG_SIZE; j++)
    CU_ASSERT_EQUAL(x[j], 0);
  counted_products at = {.a = a};
  for (size_t steps = 0; steps < 4; steps++) {
    at.products = 0;
    x[0] = 1;
    CU_ASSERT_TRUE(dorm__conjugate_gradients(CG_SIZE, multiply_counted, &at, x, scratch, steps, 1e-13));
    CU_ASSERT_EQUAL(at.products, steps);
  }
  int products = 1;
  x[0] = 1;
  CU_ASSERT_FALSE(dorm__conjugate_gradients(CG_SIZE, multiply_once, &products, x, scratch, 10, 1e-8));
  CU_ASSERT_EQUAL(products, 0);
}

/* ---- Factors ---------------------------------------------------------------------- */

/* X X' + ridge I of a random X [size][inner]. */
static double *random_gram(dorm__random *random, size_t size, size_t inner, double ridge)
{
  double *x = malloc(size * inner * sizeof *x);
  double *gram = calloc(size * size, sizeof *gram);
  CU_ASSERT_TRUE_FATAL(x && gram);
  for (size_t i = 0; i < size * inner; i++)
    x[i] = dorm__random_normal(random);
  dorm__multiply_transposed(size, size, inner, 1, x, inner, x, inner, 0, gram, size);
  for (size_t i = 0; i < size; i++)
    gram[i * size + i] += ridge;
  free(x);
  return gram;
}

/* The largest difference of the lower triangles, of the first `columns` columns. */
static double largest_difference(size_t size, size_t columns, const double *x, const double *y)
{
  double largest = 0;
  for (size_t i = 0; i < size; i++)
    for (size_t j = 0; j <= i && j < columns; j++)
      largest = fmax(largest, fabs(x[i * size + j] - y[i * size + j]));
  return largest;
}

/* Above and below the size from which on the factor is made in blocks. */
UNIT_TEST(factors_are_those_of_lapack)
{
  static const size_t sizes[] = {1, 300, 2048, 2049, 2500};
  dorm__random random = unit_random(0);
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    size_t size = sizes[s];
    double *own = random_gram(&random, size, 40, 1);
    DORM__FREED double *lapack = unit_alloc(size * size, sizeof *lapack);
    memcpy(lapack, own, size * size * sizeof *lapack);
    CU_ASSERT_TRUE(dorm__is_positive_definite(size, own, NULL));
    lapack_int num_rows = (lapack_int)size;
    lapack_int failed = 1;
    LAPACK_dpotrf("U", &num_rows, lapack, &num_rows, &failed);
    CU_ASSERT_EQUAL(failed, 0);
    CU_ASSERT_TRUE(largest_difference(size, size, own, lapack) < 1e-10);
    free(own);
  }
  double *indefinite = random_gram(&random, 2500, 40, 1);
  indefinite[2499 * 2500 + 2499] = 0; /* in the last block */
  CU_ASSERT_FALSE(dorm__is_positive_definite(2500, indefinite, NULL));
  free(indefinite);
}

UNIT_TEST_DRAWN(context, random, pivoted_factors_are_those_of_lapack)
{
  static const struct {
    size_t size, inner;
    double ridge;
    size_t rank;
  } cases[] = {{1, 1, 0, 1}, {63, 70, 0, 63}, {64, 30, 1, 64}, {200, 300, 0, 200}, {200, 90, 0, 90}, {65, 64, 0, 64}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    size_t size = cases[c].size;
    size_t pivots[200], rank;
    lapack_int num_rows = (lapack_int)size;
    lapack_int order[200], found, failed;
    double tolerance = 1e-9;
    double work[400];
    double *own = random_gram(random, size, cases[c].inner, cases[c].ridge);
    DORM__FREED double *lapack = unit_alloc(size * size, sizeof *lapack);
    memcpy(lapack, own, size * size * sizeof *lapack);
    UNIT_OK(context, dorm__pivoted_cholesky(context, size, own, 1e-9, NULL, pivots, &rank));
    LAPACK_dpstrf("U", &num_rows, lapack, &num_rows, order, &found, &tolerance, work, &failed);
    CU_ASSERT_EQUAL(rank, cases[c].rank);
    CU_ASSERT_EQUAL(rank, (size_t)found);
    for (size_t j = 0; j < rank; j++)
      CU_ASSERT_EQUAL(pivots[j], (size_t)order[j] - 1);
    CU_ASSERT_TRUE(largest_difference(size, rank, own, lapack) < 1e-10);
    free(own);
  }
}

/* Lets a factorisation go on `left` times. */
typedef struct counted_steps {
  size_t left, calls, rows;
} counted_steps;

static bool count_steps(void *user, size_t num_rows)
{
  counted_steps *counted = user;
  counted->calls++;
  counted->rows += num_rows;
  return counted->left-- > 0;
}

/* After the answer that it is to stop, a factorisation asks no more and has made no more than one panel. */
UNIT_TEST_DRAWN(context, random, factorisations_stop_when_told)
{
  enum { PIVOTED = 300, WHOLE = 2500 };
  double *gram = random_gram(random, PIVOTED, 40, 1);
  DORM__FREED double *copy = unit_alloc(WHOLE * WHOLE, sizeof *copy);
  size_t pivots[PIVOTED], rank;
  for (size_t left = 0; left <= 5; left++) {
    counted_steps counted = {.left = left};
    dorm__steps steps = {count_steps, &counted};
    memcpy(copy, gram, PIVOTED * PIVOTED * sizeof *copy);
    UNIT_OK(context, dorm__pivoted_cholesky(context, PIVOTED, copy, 1e-9, &steps, pivots, &rank));
    CU_ASSERT_EQUAL(counted.calls, left < 4 ? left + 1 : 5);
    CU_ASSERT_EQUAL(rank, left < 4 ? 64 * (left + 1) : PIVOTED);
    CU_ASSERT_EQUAL(counted.rows, rank);
  }
  free(gram);
  gram = random_gram(random, WHOLE, 40, 1);
  static const size_t allowed[] = {0, 3, 9, 100000};
  for (size_t i = 0; i < 4; i++) {
    counted_steps counted = {.left = allowed[i]};
    dorm__steps steps = {count_steps, &counted};
    memcpy(copy, gram, WHOLE * WHOLE * sizeof *copy);
    bool is_whole = dorm__is_positive_definite(WHOLE, copy, &steps);
    CU_ASSERT_EQUAL(is_whole, i == 3);
    CU_ASSERT_EQUAL(counted.rows == WHOLE, is_whole);
    if (!is_whole)
      CU_ASSERT_EQUAL(counted.calls, allowed[i] + 1);
  }
  free(gram);
}

/* ---- Minimisation ------------------------------------------------------------ */

enum { VALLEY = 6 };

typedef struct valley {
  size_t num_calls;
  size_t fails_at; /* 0: never */
} valley;

/* Rosenbrock's function in pairs of variables, plus 1: its least value is 1, at 1, 1, ... */
static dorm_status slope_of_valley(void *user, const double *x, double *value, double *gradient)
{
  valley *at = user;
  if (++at->num_calls == at->fails_at)
    return DORM_STOPPED;
  *value = 1;
  for (size_t i = 0; i < VALLEY; i += 2) {
    double across = x[i + 1] - x[i] * x[i];
    *value += 100 * across * across + (1 - x[i]) * (1 - x[i]);
    gradient[i] = -400 * across * x[i] - 2 * (1 - x[i]);
    gradient[i + 1] = 200 * across;
  }
  return DORM_OK;
}

/* 2 |x - 1|, which has no slope at its least value, plus half the square of x, in each variable. */
static dorm_status slope_of_kink(void *user, const double *x, double *value, double *gradient)
{
  valley *at = user;
  at->num_calls++;
  *value = 0;
  for (size_t i = 0; i < VALLEY; i++) {
    *value += 2 * fabs(x[i] - 1) + x[i] * x[i] / 2;
    gradient[i] = (x[i] > 1 ? 2 : -2) + x[i];
  }
  return DORM_OK;
}

UNIT_TEST_IN(context, least_values_are_found)
{
  valley at = {0};
  dorm__minimise_options options = {slope_of_valley, &at, 1e-20, 1000};
  dorm__minimum made;
  double x[VALLEY];
  for (size_t i = 0; i < VALLEY; i++)
    x[i] = i % 2 ? 1 : -1.2;
  UNIT_OK(context, dorm__minimise(context, VALLEY, &options, x, &made));
  CU_ASSERT_TRUE(made.is_reached && made.num_calls == at.num_calls && made.num_calls < 200);
  CU_ASSERT_TRUE(unit_close(made.value, 1, 1e-15) && made.square <= 2e-20 * made.value);
  for (size_t i = 0; i < VALLEY; i++)
    UNIT_CLOSE(x[i], 1, 1e-8);
  /* If the calls are used up, x is the best point that was accepted. */
  at = (valley){0};
  options.most_calls = 20;
  for (size_t i = 0; i < VALLEY; i++)
    x[i] = i % 2 ? 1 : -1.2;
  UNIT_OK(context, dorm__minimise(context, VALLEY, &options, x, &made));
  CU_ASSERT_TRUE(!made.is_reached && made.num_calls == 20 && at.num_calls == 20);
  double value, gradient[VALLEY];
  slope_of_valley(&at, x, &value, gradient);
  CU_ASSERT_EQUAL(value, made.value);
  at = (valley){.fails_at = 5};
  CU_ASSERT_EQUAL(dorm__minimise(context, VALLEY, &options, x, &made), DORM_STOPPED);
  at = (valley){0};
  options = (dorm__minimise_options){slope_of_kink, &at, 1e-9, 1000};
  memset(x, 0, sizeof x);
  UNIT_OK(context, dorm__minimise(context, VALLEY, &options, x, &made));
  CU_ASSERT_TRUE(!made.is_reached && unit_close(made.value, VALLEY / 2.0, 1e-3));
}
