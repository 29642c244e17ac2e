/*
 * cholesky.c: pivoted Cholesky factors of a Gram matrix, K ~ L L'. The plain step takes the document p with the largest
 * residual e_p = K_pp - |L_p|^2 and appends the column (K_.p - L L_p') / sqrt(e_p) to L. See Fine and Scheinberg,
 * "Efficient SVM training using low-rank kernel representations", 2001. That is one pass over L for each of its
 * columns, and the processor waits for memory.
 *
 * On demand, columns of L are made in panels. The documents with the largest residuals are candidates, their own small
 * residual matrix is factored greedily, and its pivots give a panel of columns by dgemm and dtrsm. The residuals of all
 * other documents are at most the smallest of the candidates', and never rise. So a panel grows while its best
 * candidate has at least `weakness` times that, and every pivot is within this factor of the largest residual. This is
 * a weak greedy choice (Binev, Cohen, Dahmen, DeVore, Petrova and Wojtaszczyk, "Convergence rates for greedy algorithms
 * in reduced basis methods", 2011). Equal residuals, which an RBF kernel has before its first pivot, are ordered at
 * random from the seed.
 *
 * K - L L' is a Schur complement, hence positive semi-definite if K is. A residual below zero by more than rounding
 * proves that K is not.
 */
#include "kernels/cholesky.h"
#include "base/random.h"
#include "kernels/kernel_files.h"
#include "kernels/kernel_table.h"
#include "kernels/kernels.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { PANEL = 64, MOST_CANDIDATES = 192, CHUNK = 512 };
static const double weakness = 0.5;
static const double definiteness_tolerance = 1e-8; /* of the largest diagonal entry */

void dorm__cholesky_free(dorm__cholesky *cholesky)
{
  dorm__region_clear(&cholesky->memory);
  *cholesky = (dorm__cholesky){0};
}

static dorm_status not_definite(dorm_context *context, size_t row)
{
  return dorm__fail(context, DORM_BAD_DATA,
                    "kernel.kernel: the kernel is not positive semi-definite on these data (found at document %zu)",
                    row + 1);
}

/* Computes the diagonal and the trace of K. *largest becomes the largest entry of the diagonal. */
static dorm_status start(dorm_context *context, const dorm__kernel *kernel, const dorm__kernel_rows *rows,
                         size_t capacity, dorm__cholesky *cholesky, double *largest)
{
  *cholesky = (dorm__cholesky){.num_rows = rows->count, .capacity = capacity};
  dorm__region *memory = &cholesky->memory;
  cholesky->pivots = dorm__region_take(memory, capacity, sizeof *cholesky->pivots);
  cholesky->factor = dorm__region_take_zero(memory, rows->count, capacity * sizeof *cholesky->factor);
  cholesky->residual = dorm__region_take(memory, rows->count, sizeof *cholesky->residual);
  if (memory->is_short)
    return dorm__out_of_memory(context, "a factor of the Gram matrix");
  if (!dorm__kernel_diagonal(kernel, rows->width, rows->count, rows->values, cholesky->residual))
    return dorm__kernel_fault(context, kernel, "the diagonal of a Gram matrix");
  *largest = 0;
  for (size_t i = 0; i < rows->count; i++) {
    if (!isfinite(cholesky->residual[i]))
      return dorm__fail(context, DORM_NUMERICAL_FAILURE,
                        "kernel.kernel: the kernel of document %zu with itself is not finite", i + 1);
    if (cholesky->residual[i] < 0)
      return not_definite(context, i);
    cholesky->trace += cholesky->residual[i];
    *largest = fmax(*largest, cholesky->residual[i]);
  }
  return DORM_OK;
}

/* Returns the largest residual that rounding alone may leave. */
static double negligible_residual(size_t num_rows, double largest)
{
  return (double)num_rows * DBL_EPSILON * largest;
}

/* ---- On demand ------------------------------------------------------------------ */

/* One call of dorm__cholesky_on_demand. */
typedef struct panel_maker {
  dorm__region memory; /* of the arrays */
  const dorm__kernel *kernel;
  const dorm__kernel_rows *rows;
  dorm__cholesky *cholesky;
  double largest;    /* largest entry of the diagonal of K */
  double negligible; /* largest residual that counts as zero */
  uint64_t *keys;    /* [num_rows] order of equal residuals */
  bool *is_pivot;    /* [num_rows] */

  size_t num_candidates;
  size_t candidates[MOST_CANDIDATES]; /* a heap with the smallest residual on top */
  double others;                      /* bound on the residuals of documents that are not candidates */
  float *points;                      /* [MOST_CANDIDATES][width] rows of the candidates, then of the new pivots */
  double *parts;                      /* [MOST_CANDIDATES][capacity] their rows of L, then of the new pivots */
  double *gram;                       /* [MOST_CANDIDATES][MOST_CANDIDATES] their residual matrix */
  double *columns;                    /* [MOST_CANDIDATES][PANEL] its factor */
  size_t num_new;
  size_t fresh[PANEL]; /* numbers of candidates that became pivots */
  double *triangle;    /* [PANEL][PANEL] lower, of the new pivots */
} panel_maker;

static bool is_less(const panel_maker *maker, size_t i, size_t j)
{
  const double *residual = maker->cholesky->residual;
  return residual[i] != residual[j] ? residual[i] < residual[j] : maker->keys[i] < maker->keys[j];
}

static void sift_down(panel_maker *maker, size_t at)
{
  size_t *heap = maker->candidates;
  for (;;) {
    size_t least = at;
    for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < maker->num_candidates; child++)
      if (is_less(maker, heap[child], heap[least]))
        least = child;
    if (least == at)
      return;
    size_t moved = heap[at];
    heap[at] = heap[least];
    heap[least] = moved;
    at = least;
  }
}

static void add_candidate(panel_maker *maker, size_t row)
{
  if (maker->num_candidates < MOST_CANDIDATES) {
    maker->candidates[maker->num_candidates++] = row;
    if (maker->num_candidates == MOST_CANDIDATES)
      for (size_t at = MOST_CANDIDATES / 2; at-- > 0;)
        sift_down(maker, at);
  } else if (is_less(maker, maker->candidates[0], row)) {
    maker->candidates[0] = row;
    sift_down(maker, 0);
  }
}

/* Finds the documents with the largest residuals. */
static void find_candidates(panel_maker *maker)
{
  const double *residual = maker->cholesky->residual;
  size_t num_left = 0;
  maker->num_candidates = 0;
  for (size_t i = 0; i < maker->cholesky->num_rows; i++) {
    if (maker->is_pivot[i] || residual[i] <= maker->negligible)
      continue;
    num_left++;
    add_candidate(maker, i);
  }
  maker->others = num_left <= MOST_CANDIDATES ? 0 : residual[maker->candidates[0]];
}

/* Copies the rows, and the rows of L, of the documents chosen[count]. */
static void gather(panel_maker *maker, size_t count, const size_t *chosen)
{
  const dorm__cholesky *cholesky = maker->cholesky;
  size_t width = maker->rows->width;
  for (size_t c = 0; c < count; c++) {
    memcpy(maker->points + c * width, maker->rows->values + chosen[c] * width, width * sizeof *maker->points);
    memcpy(maker->parts + c * cholesky->capacity, cholesky->factor + chosen[c] * cholesky->capacity,
           cholesky->rank * sizeof *maker->parts);
  }
}

/* Fills gram[num_x][num_y] with K - L L' of rows x, whose rows of L are x_parts, against the gathered points. */
static bool residual_tile(const panel_maker *maker, size_t num_x, const float *x, const double *x_parts, size_t num_y,
                          double *gram)
{
  size_t capacity = maker->cholesky->capacity;
  if (!dorm__kernel_tile(maker->kernel, maker->rows->width, num_x, x, num_y, maker->points, gram))
    return false;
  dorm__multiply_transposed(num_x, num_y, maker->cholesky->rank, -1, x_parts, capacity, maker->parts, capacity, 1, gram,
                            num_y);
  return true;
}

/* Chooses greedy pivots among the candidates, at most `most`, and keeps their triangle. */
static void choose_pivots(panel_maker *maker, size_t most)
{
  size_t count = maker->num_candidates;
  double diagonal[MOST_CANDIDATES];
  for (size_t c = 0; c < count; c++)
    diagonal[c] = maker->gram[c * count + c];
  maker->num_new = 0;
  while (maker->num_new < most) {
    size_t best = 0;
    for (size_t c = 1; c < count; c++)
      if (diagonal[c] > diagonal[best])
        best = c;
    /* The first has the largest residual of all, and is always taken. */
    if (diagonal[best] <= maker->negligible || (maker->num_new && diagonal[best] < weakness * maker->others))
      break;
    size_t t = maker->num_new++;
    double root = sqrt(diagonal[best]);
    maker->fresh[t] = best;
    for (size_t c = 0; c < count; c++) {
      double entry =
          maker->gram[c * count + best] - dorm__dot(t, maker->columns + c * PANEL, maker->columns + best * PANEL);
      maker->columns[c * PANEL + t] = c == best ? root : entry / root;
      diagonal[c] -= maker->columns[c * PANEL + t] * maker->columns[c * PANEL + t];
    }
    diagonal[best] = -INFINITY;
  }
  for (size_t t = 0; t < maker->num_new; t++)
    for (size_t s = 0; s <= t; s++)
      maker->triangle[t * PANEL + s] = maker->columns[maker->fresh[t] * PANEL + s];
}

/* Adds the new columns of L to the rows of one chunk. Returns false when out of memory. */
static bool add_columns(panel_maker *maker, size_t first)
{
  dorm__cholesky *cholesky = maker->cholesky;
  size_t count = cholesky->num_rows - first < CHUNK ? cholesky->num_rows - first : CHUNK;
  size_t num_new = maker->num_new;
  DORM__FREED double *tile = dorm__alloc(count * num_new, sizeof *tile);
  bool good = tile && residual_tile(maker, count, maker->rows->values + first * maker->rows->width,
                                    cholesky->factor + first * cholesky->capacity, num_new, tile);
  if (good)
    dorm__solve_rows_lower(count, num_new, maker->triangle, PANEL, tile, num_new);
  for (size_t i = 0; good && i < count; i++) {
    if (maker->is_pivot[first + i])
      continue; /* the row of a pivot ends at its own column of L */
    double *row = cholesky->factor + (first + i) * cholesky->capacity + cholesky->rank;
    for (size_t t = 0; t < num_new; t++) {
      row[t] = tile[i * num_new + t];
      cholesky->residual[first + i] -= row[t] * row[t];
    }
  }
  return good;
}

/* Writes the rows of the new pivots, which end exactly at the diagonal. */
static void take_pivots(panel_maker *maker, const size_t *chosen)
{
  dorm__cholesky *cholesky = maker->cholesky;
  for (size_t t = 0; t < maker->num_new; t++) {
    double *row = cholesky->factor + chosen[t] * cholesky->capacity + cholesky->rank;
    memset(row, 0, maker->num_new * sizeof *row);
    memcpy(row, maker->triangle + t * PANEL, (t + 1) * sizeof *row);
    cholesky->residual[chosen[t]] = 0;
    cholesky->pivots[cholesky->rank + t] = chosen[t];
    maker->is_pivot[chosen[t]] = true;
  }
  cholesky->rank += maker->num_new;
}

static dorm_status clamp_residuals(dorm_context *context, const panel_maker *maker)
{
  dorm__cholesky *cholesky = maker->cholesky;
  for (size_t i = 0; i < cholesky->num_rows; i++) {
    if (!(cholesky->residual[i] >= -definiteness_tolerance * maker->largest))
      return isnan(cholesky->residual[i]) ? dorm__fail(context, DORM_NUMERICAL_FAILURE,
                                                       "kernel.kernel: the kernel of document %zu is not finite", i + 1)
                                          : not_definite(context, i);
    cholesky->residual[i] = fmax(cholesky->residual[i], 0);
  }
  return DORM_OK;
}

static dorm_status add_panel(dorm_context *context, panel_maker *maker, size_t rank, size_t num_threads,
                             dorm__watch *watch)
{
  dorm__cholesky *cholesky = maker->cholesky;
  size_t chosen[PANEL];
  gather(maker, maker->num_candidates, maker->candidates);
  if (!residual_tile(maker, maker->num_candidates, maker->points, maker->parts, maker->num_candidates, maker->gram))
    return dorm__kernel_fault(context, maker->kernel, "a tile of a Gram matrix");
  choose_pivots(maker, rank - cholesky->rank < PANEL ? rank - cholesky->rank : PANEL);
  for (size_t t = 0; t < maker->num_new; t++)
    chosen[t] = maker->candidates[maker->fresh[t]];
  gather(maker, maker->num_new, chosen);
  size_t num_chunks = (cholesky->num_rows + CHUNK - 1) / CHUNK;
  bool good = true;
#pragma omp parallel for schedule(dynamic) num_threads((int)num_threads) reduction(&& : good)
  for (size_t chunk = 0; chunk < num_chunks; chunk++)
    if (dorm__watch_step(watch, maker->num_new))
      good = add_columns(maker, chunk * CHUNK) && good;
  dorm_status status = dorm__watch_status(watch);
  if (status != DORM_OK)
    return status;
  if (!good)
    return dorm__kernel_fault(context, maker->kernel, "a tile of a Gram matrix");
  take_pivots(maker, chosen);
  return clamp_residuals(context, maker);
}

static bool maker_start(panel_maker *maker, size_t rank, uint64_t seed)
{
  size_t num_rows = maker->rows->count;
  dorm__random random;
  dorm__random_seed(&random, seed);
  maker->keys = dorm__region_take(&maker->memory, num_rows, sizeof *maker->keys);
  maker->is_pivot = dorm__region_take_zero(&maker->memory, num_rows, sizeof *maker->is_pivot);
  maker->points = dorm__region_take(&maker->memory, MOST_CANDIDATES, (maker->rows->width + 1) * sizeof *maker->points);
  maker->parts = dorm__region_take(&maker->memory, MOST_CANDIDATES, (rank + 1) * sizeof *maker->parts);
  maker->gram = dorm__region_take(&maker->memory, (size_t)MOST_CANDIDATES * MOST_CANDIDATES, sizeof *maker->gram);
  maker->columns = dorm__region_take(&maker->memory, (size_t)MOST_CANDIDATES * PANEL, sizeof *maker->columns);
  maker->triangle = dorm__region_take_zero(&maker->memory, (size_t)PANEL * PANEL, sizeof *maker->triangle);
  if (maker->memory.is_short)
    return false;
  for (size_t i = 0; i < num_rows; i++)
    maker->keys[i] = dorm__random_bits(&random);
  return true;
}

static void maker_clear(panel_maker *maker)
{
  dorm__region_clear(&maker->memory);
}

dorm_status dorm__cholesky_on_demand(dorm_context *context, const dorm__kernel *kernel, const dorm__kernel_rows *rows,
                                     size_t rank, uint64_t seed, size_t num_threads, dorm__cholesky *cholesky)
{
  DORM__AT_END(maker_clear) panel_maker maker = {.kernel = kernel, .rows = rows, .cholesky = cholesky};
  rank = rank < rows->count ? rank : rows->count;
  dorm_status status = DORM__ALL(
      start(context, kernel, rows, rank, cholesky, &maker.largest),
      !maker_start(&maker, rank, seed) ? dorm__out_of_memory(context, "a factor of the Gram matrix") : DORM_OK);
  maker.negligible = negligible_residual(rows->count, maker.largest);
  dorm__watch watch = dorm__watch_new(context, "Gram matrix", rank * ((rows->count + CHUNK - 1) / CHUNK));
  while (status == DORM_OK && cholesky->rank < rank) {
    find_candidates(&maker);
    size_t before = cholesky->rank;
    if (maker.num_candidates)
      status = add_panel(context, &maker, rank, num_threads, &watch);
    if (cholesky->rank == before)
      break; /* nothing is left */
  }
  if (status != DORM_OK)
    dorm__cholesky_free(cholesky);
  return status;
}

/* ---- The whole matrix ------------------------------------------------------------ */

/* Computes K[num_rows][num_rows]. A triangle would be enough. */
static dorm_status whole_gram(dorm_context *context, const dorm__kernel *kernel, const dorm__kernel_rows *rows,
                              dorm__watch *watch, double *gram)
{
  enum { ROWS_AT_ONCE = 128 };
  size_t num_rows = rows->count;
  for (size_t first = 0, count; first < num_rows; first += count) {
    count = num_rows - first < ROWS_AT_ONCE ? num_rows - first : ROWS_AT_ONCE;
    if (!dorm__kernel_tile(kernel, rows->width, count, rows->values + first * rows->width, num_rows, rows->values,
                           gram + first * num_rows))
      return dorm__kernel_fault(context, kernel, "a Gram matrix");
    if (!dorm__watch_step(watch, count))
      break;
  }
  return dorm__watch_status(watch);
}

static dorm_status factor_whole(dorm_context *context, double *gram, double largest, dorm__watch *watch,
                                dorm__cholesky *cholesky)
{
  size_t num_rows = cholesky->num_rows;
  double tolerance = negligible_residual(num_rows, largest);
  for (size_t i = 0; i < num_rows * num_rows; i++)
    if (!isfinite(gram[i]))
      return dorm__fail(context, DORM_NUMERICAL_FAILURE,
                        "kernel.kernel: the kernel of documents %zu and %zu is not finite", i / num_rows + 1,
                        i % num_rows + 1);
  dorm_status status = DORM_OK;
  dorm__steps steps = dorm__watch_steps(watch);
  if (largest > 0)
    status = dorm__pivoted_cholesky(context, num_rows, gram, tolerance, &steps, cholesky->pivots, &cholesky->rank);
  if (status == DORM_OK)
    status = dorm__watch_status(watch);
  if (status != DORM_OK)
    return status;
  for (size_t j = 0; j < num_rows && largest > 0; j++) {
    size_t row = cholesky->pivots[j];
    size_t count = j + 1 < cholesky->rank ? j + 1 : cholesky->rank;
    memcpy(cholesky->factor + row * num_rows, gram + j * num_rows, count * sizeof *gram);
    double residual = cholesky->residual[row] - dorm__dot(count, gram + j * num_rows, gram + j * num_rows);
    if (residual < -definiteness_tolerance * largest)
      return not_definite(context, row);
    cholesky->residual[row] = j < cholesky->rank ? 0 : fmax(residual, 0);
  }
  return DORM_OK;
}

dorm_status dorm__cholesky_whole(dorm_context *context, const dorm__kernel *kernel, const dorm__kernel_rows *rows,
                                 dorm__cholesky *cholesky)
{
  double largest = 0;
  size_t num_rows = rows->count;
  double *gram = dorm__alloc(num_rows, num_rows * sizeof *gram);
  dorm_status status = start(context, kernel, rows, num_rows, cholesky, &largest);
  dorm__watch watch = dorm__watch_new(context, "Gram matrix", 2 * num_rows); /* rows are made, then factored */
  if (status == DORM_OK && !gram)
    status = dorm__out_of_memory(context, "a Gram matrix");
  if (status == DORM_OK)
    status = DORM__ALL(whole_gram(context, kernel, rows, &watch, gram),
                       factor_whole(context, gram, largest, &watch, cholesky));
  dorm__free(gram);
  if (status != DORM_OK)
    dorm__cholesky_free(cholesky);
  return status;
}
