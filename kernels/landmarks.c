/*
 * landmarks.c: points for a low-rank kernel that are not chosen by residuals: a uniform sample (Williams and Seeger,
 * "Using the Nystroem method to speed up kernel machines", 2001), or the centres of k-means (Zhang, Tsang and Kwok,
 * "Improved Nystroem low-rank approximation and error analysis", 2008). They depend on the rows, not on the kernel, and
 * so take no account of blocks, products or scales.
 */
#include "kernels/landmarks.h"
#include "base/random.h"
#include "kernels/kernels.h"
#include "kernels/watch.h"

#include <math.h>
#include <omp.h>
#include <string.h>

enum { MOST_STEPS = 20 };

static bool landmarks_new(const dorm__kernel_rows *rows, size_t count, dorm__kernel_rows *landmarks)
{
  *landmarks = (dorm__kernel_rows){count < rows->count ? count : rows->count, rows->width, NULL, NULL};
  landmarks->values = dorm__alloc(landmarks->count, (rows->width + 1) * sizeof *landmarks->values);
  return landmarks->values != NULL;
}

static void copy_row(const dorm__kernel_rows *rows, size_t row, dorm__kernel_rows *landmarks, size_t landmark)
{
  memcpy(landmarks->values + landmark * rows->width, rows->values + row * rows->width,
         rows->width * sizeof *rows->values);
}

dorm_status dorm__landmarks_uniform(dorm_context *context, const dorm__kernel_rows *rows, size_t count, uint64_t seed,
                                    dorm__kernel_rows *landmarks)
{
  dorm__random random;
  dorm__random_seed(&random, seed);
  size_t *order = dorm__alloc(rows->count, sizeof *order);
  if (!order || !landmarks_new(rows, count, landmarks)) {
    dorm__free(order);
    return dorm__out_of_memory(context, "landmarks");
  }
  dorm__random_permutation(&random, rows->count, order);
  for (size_t i = 0; i < landmarks->count; i++)
    copy_row(rows, order[i], landmarks, i);
  dorm__free(order);
  return DORM_OK;
}

static double square_distance(size_t width, const float *x, const float *y)
{
  double sum = 0;
  for (size_t f = 0; f < width; f++) {
    double difference = (double)x[f] - (double)y[f];
    sum += difference * difference;
  }
  return sum;
}

/* k-means++ (Arthur and Vassilvitskii 2007): each new centre is a row drawn
 * with probability proportional to its squared distance from the nearest. */
static void seed_centres(const dorm__kernel_rows *rows, uint64_t seed, double *distances, size_t num_threads,
                         dorm__watch *watch, dorm__kernel_rows *centres)
{
  dorm__random random;
  dorm__random_seed(&random, seed);
  for (size_t i = 0; i < rows->count; i++)
    distances[i] = INFINITY;
  size_t next = dorm__random_below(&random, rows->count);
  for (size_t c = 0; c < centres->count && dorm__watch_step(watch, rows->count); c++) {
    copy_row(rows, next, centres, c);
#pragma omp parallel for num_threads((int)num_threads)
    for (size_t i = 0; i < rows->count; i++)
      distances[i] = fmin(distances[i], square_distance(rows->width, rows->values + i * rows->width,
                                                        centres->values + c * rows->width));
    double sum = 0;
    for (size_t i = 0; i < rows->count; i++)
      sum += distances[i];
    double left = sum * dorm__random_uniform(&random);
    next = 0;
    while (next + 1 < rows->count && (left -= distances[next]) >= 0)
      next++;
  }
}

/* Assigns every row to its nearest centre, and returns how many changed theirs. */
static size_t assign_rows(const dorm__kernel_rows *rows, const dorm__kernel_rows *centres, size_t num_threads,
                          dorm__watch *watch, size_t *nearest)
{
  size_t changed = 0;
#pragma omp parallel for num_threads((int)num_threads) reduction(+ : changed)
  for (size_t i = 0; i < rows->count; i++) {
    size_t best = 0;
    double least = INFINITY;
    if (!dorm__watch_step(watch, centres->count))
      continue;
    for (size_t c = 0; c < centres->count; c++) {
      double distance = square_distance(rows->width, rows->values + i * rows->width, centres->values + c * rows->width);
      if (distance < least) {
        least = distance;
        best = c;
      }
    }
    changed += nearest[i] != best;
    nearest[i] = best;
  }
  return changed;
}

/* Moves each centre to the mean of its rows; one without rows stays. */
static void move_centres(const dorm__kernel_rows *rows, const size_t *nearest, double *sums, size_t *sizes,
                         dorm__kernel_rows *centres)
{
  size_t width = rows->width;
  memset(sums, 0, centres->count * width * sizeof *sums);
  memset(sizes, 0, centres->count * sizeof *sizes);
  for (size_t i = 0; i < rows->count; i++) {
    sizes[nearest[i]]++;
    for (size_t f = 0; f < width; f++)
      sums[nearest[i] * width + f] += (double)rows->values[i * width + f];
  }
  for (size_t c = 0; c < centres->count; c++)
    for (size_t f = 0; f < width && sizes[c]; f++)
      centres->values[c * width + f] = (float)(sums[c * width + f] / (double)sizes[c]);
}

dorm_status dorm__landmarks_kmeans(dorm_context *context, const dorm__kernel_rows *rows, size_t count, uint64_t seed,
                                   size_t num_threads, dorm__kernel_rows *landmarks)
{
  dorm_status status = DORM_OK;
  bool made = landmarks_new(rows, count, landmarks);
  double *distances = dorm__alloc(rows->count, sizeof *distances);
  size_t *nearest = dorm__alloc(rows->count, sizeof *nearest);
  double *sums = dorm__alloc(landmarks->count, (rows->width + 1) * sizeof *sums);
  size_t *sizes = dorm__alloc(landmarks->count, sizeof *sizes);
  if (!made || !distances || !nearest || !sums || !sizes) {
    dorm__kernel_rows_free(landmarks);
    status = dorm__out_of_memory(context, "landmarks");
    goto done;
  }
  dorm__watch watch = dorm__watch_new(context, "k-means", (1 + (size_t)MOST_STEPS) * rows->count * landmarks->count);
  seed_centres(rows, seed, distances, num_threads, &watch, landmarks);
  for (size_t i = 0; i < rows->count; i++)
    nearest[i] = SIZE_MAX;
  for (size_t step = 0; step < MOST_STEPS; step++) {
    if (!assign_rows(rows, landmarks, num_threads, &watch, nearest) || watch.is_stopped)
      break;
    move_centres(rows, nearest, sums, sizes, landmarks);
  }
  status = dorm__watch_status(&watch);
  if (status != DORM_OK)
    dorm__kernel_rows_free(landmarks);
done:
  dorm__free(distances);
  dorm__free(nearest);
  dorm__free(sums);
  dorm__free(sizes);
  return status;
}
