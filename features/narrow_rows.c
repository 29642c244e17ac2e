/*
 * narrow_rows.c: products with rows whose values are whole multiples of a step, in 16 or 8 bits. Some of these numbers
 * at a time become floats, which hold them exactly, in a buffer that stays in the nearest cache; gcc's loops are faster
 * so than from narrow numbers to sums. Sums are in double, and what a row gives by values and by ranks is multiplied by
 * its step once.
 */
#include "features/narrow_rows.h"

#include <string.h>

enum { BUFFER = 4096 }; /* numbers at a time */

DORM__WIDE_VECTORS
static void widen_16(size_t count, const uint16_t *restrict codes, float *restrict numbers)
{
  for (size_t i = 0; i < count; i++)
    numbers[i] = (float)(int32_t)codes[i];
}

DORM__WIDE_VECTORS
static void widen_8(size_t count, const uint8_t *restrict codes, float *restrict numbers)
{
  for (size_t i = 0; i < count; i++)
    numbers[i] = (float)(int32_t)codes[i];
}

/* numbers[i] = code number first + i of all rows, i < count. */
static void widen(const dorm__features *features, size_t first, size_t count, float *numbers)
{
  if (features->code_size == sizeof(uint8_t))
    widen_8(count, (const uint8_t *)features->codes + first, numbers);
  else
    widen_16(count, (const uint16_t *)features->codes + first, numbers);
}

/* Some columns of rows: the first num_values hold multiples of `step`, the others of rank_step. */
typedef struct columns {
  size_t count;
  size_t num_values;
  double step, rank_step;
} columns;

static columns find_columns(const dorm__features *features, size_t first, size_t count)
{
  size_t before = features->num_values > first ? features->num_values - first : 0;
  return (columns){count, before < count ? before : count, features->step, features->rank_step};
}

/* sum = <numbers, weights> over begin .. end - 1 by eight partial sums, as in feature_rows.c. */
#define ADD_PRODUCTS(numbers, weights, begin, end, sum)                                                                \
  do {                                                                                                                 \
    double sums[8] = {0};                                                                                              \
    size_t f = (begin);                                                                                                \
    for (; f + 8 <= (end); f += 8)                                                                                     \
      for (size_t k = 0; k < 8; k++)                                                                                   \
        sums[k] += (double)(numbers)[f + k] * (weights)[f + k];                                                        \
    (sum) = ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));                 \
    for (; f < (end); f++)                                                                                             \
      (sum) += (double)(numbers)[f] * (weights)[f];                                                                    \
  } while (0)

/* Adds to scores[count] what these columns give. */
DORM__WIDE_VECTORS
static void add_scores(size_t count, columns of, const float *restrict rows, const double *restrict weights,
                       double *restrict scores)
{
  for (size_t i = 0; i < count; i++) {
    const float *row = rows + i * of.count;
    double of_values, of_ranks;
    ADD_PRODUCTS(row, weights, 0, of.num_values, of_values);
    ADD_PRODUCTS(row, weights, of.num_values, of.count, of_ranks);
    scores[i] += of.step * of_values + of.rank_step * of_ranks;
  }
}

void dorm__narrow_score(const dorm__features *features, size_t first, size_t count, const double *weights,
                        size_t num_ahead, double *scores)
{
  float numbers[BUFFER];
  size_t width = features->num_features, size = width * features->code_size;
  memset(scores, 0, count * sizeof *scores);
  if (!width)
    return;
  size_t most = width < BUFFER ? width : BUFFER, rows = BUFFER / most; /* one row where it does not fit as a whole */
  for (size_t i = 0; i < count; i += rows) {
    size_t few = count - i < rows ? count - i : rows;
    size_t ahead = num_ahead > i ? num_ahead - i : 0;
    dorm__fetch((const char *)features->codes + (first + count + i) * size, (ahead < few ? ahead : few) * size);
    for (size_t f = 0; f < width; f += most) {
      columns of = find_columns(features, f, width - f < most ? width - f : most);
      widen(features, (first + i) * width + f, few * of.count, numbers);
      add_scores(few, of, numbers, weights + f, scores + i);
    }
  }
}

DORM__WIDE_VECTORS
static void add_numbers(size_t count, double factor, const float *restrict numbers, double *restrict result)
{
  for (size_t f = 0; f < count; f++)
    result[f] += factor * (double)numbers[f];
}

void dorm__narrow_add(const dorm__features *features, size_t doc, double factor, double *result)
{
  float numbers[BUFFER];
  size_t width = features->num_features;
  for (size_t f = 0; f < width; f += BUFFER) {
    columns of = find_columns(features, f, width - f < BUFFER ? width - f : BUFFER);
    widen(features, doc * width + f, of.count, numbers);
    add_numbers(of.num_values, factor * of.step, numbers, result + f);
    add_numbers(of.count - of.num_values, factor * of.rank_step, numbers + of.num_values, result + f + of.num_values);
  }
}
