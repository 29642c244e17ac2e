/*
 * histogram.c: histograms of whole numbers. Sums of whole numbers are exact, so they are the same in any order, and the
 * histogram of one child of a split is the parent's minus the other child's, to the last bit.
 *
 * Documents are taken in batches whose codes stay in the cache for all features, eight features at a time. Threads
 * share the documents of large leaves, each with a histogram of its own. In smaller leaves they share the features.
 */
#include "trees/histogram.h"
#include "base/processes.h"

#include <math.h>
#include <string.h>

enum {
  BATCH = 64,
  EIGHT = 8,
  LEAST_SHARED = 1 << 17 /* updates below which waking other threads costs more than it saves */
};

static const bool is_little_endian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

/* ---- Words ---------------------------------------------------------------------------------- */

static double bent(double curvature)
{
  return curvature > 0 ? curvature : 0;
}

/* Computes the sums of absolute gradients and of curvatures as whole numbers, the number of documents, and the number
 * of documents with the largest curvature. */
static void sum_terms(const dorm__tree_terms *terms, const dorm__tree_scales *scales, uint64_t sums[4])
{
  uint64_t gradients = 0, curvatures = 0, num_drawn = 0, num_largest = 0;
#pragma omp parallel for reduction(+ : gradients, curvatures, num_drawn, num_largest)                                  \
    num_threads((int)terms->num_threads) if (terms->num_threads > 1 && terms->num_docs > 4096)
  for (size_t j = 0; j < terms->num_docs; j++) {
    if (!terms->is_drawn[j])
      continue;
    gradients += dorm__tree_whole(fabs(terms->gradient[j]), scales->gradient);
    curvatures += dorm__tree_whole(bent(terms->curvature[j]), scales->curvature);
    num_drawn++;
    num_largest += terms->curvature[j] >= scales->largest_curvature;
  }
  memcpy(sums, (const uint64_t[]){gradients, curvatures, num_drawn, num_largest}, 4 * sizeof *sums);
}

dorm_status dorm__tree_words_fill(dorm_context *context, const dorm__tree_terms *terms, dorm__tree_words *words)
{
  dorm__tree_scales scales;
  dorm_status status = dorm__tree_scales_find(context, terms, &scales);
  if (status != DORM_OK)
    return status;
  uint64_t numbers[4];
  sum_terms(terms, &scales, numbers);
  status = dorm__processes_totals(context, 4, numbers);
  double gradients = dorm__tree_total(numbers[0], scales.gradient);
  double curvatures = dorm__tree_total(numbers[1], scales.curvature);
  /* Rounding adds at most a half for each document. One unit is left for the rounding of the sums. */
  double room = (double)numbers[2] / 2 + 64;
  words->gradient_scale = gradients > 0 ? (0x1p31 * (1 - 0x1p-30) - room) / gradients : 1;
  words->curvature_scale = curvatures > 0 ? (0x1p32 * (1 - 0x1p-30) - room) / curvatures : 1;
  words->largest_curvature = (uint32_t)(scales.largest_curvature * words->curvature_scale + 0.5);
  words->num_drawn = numbers[2];
  words->is_constant = numbers[3] == numbers[2];
#pragma omp parallel for num_threads((int)terms->num_threads) if (terms->num_threads > 1 && terms->num_docs > 4096)
  for (size_t j = 0; j < terms->num_docs; j++) {
    words->words[j] = 0;
    if (!terms->is_drawn[j])
      continue;
    int32_t high = (int32_t)floor(terms->gradient[j] * words->gradient_scale + 0.5);
    uint32_t low = (uint32_t)(bent(terms->curvature[j]) * words->curvature_scale + 0.5);
    words->words[j] = (uint64_t)(uint32_t)high << 32 | low;
  }
  return status;
}

/* ---- Filling ----------------------------------------------------------------------------------- */

void dorm__histogram_choose(dorm__histogram_shape *shape, size_t num_features, const uint32_t *features)
{
  const dorm__tree_bins *bins = shape->bins;
  shape->num_features = num_features;
  shape->features = features;
  shape->start[0] = 0;
  for (size_t f = 0; bins->is_sparse && f < bins->width; f++)
    shape->place[f] = SIZE_MAX;
  for (size_t k = 0; k < num_features; k++) {
    size_t codes = bins->is_sparse ? dorm__tree_bins_missing(bins, features[k]) + 1 : bins->stride;
    shape->start[k + 1] = shape->start[k] + codes;
    if (bins->is_sparse)
      shape->place[features[k]] = shape->start[k];
  }
}

size_t dorm__histogram_size(const dorm__histogram_shape *shape)
{
  return shape->start[shape->num_features];
}

/* Some documents with their data for the loops over features, and the documents whose codes are fetched meanwhile. */
typedef struct batch {
  size_t count;
  const uint8_t *codes[BATCH];
  const uint8_t *ahead[BATCH];
  uint64_t words[BATCH];
} batch;

/* Takes the first documents of docs[count], and fetches as many behind them. */
static void take_batch(const dorm__tree_bins *bins, size_t count, const uint32_t *docs, const uint64_t *words,
                       batch *taken)
{
  taken->count = count < BATCH ? count : BATCH;
  for (size_t i = 0; i < taken->count; i++) {
    size_t next = i + BATCH < count ? i + BATCH : i;
    taken->codes[i] = bins->codes + (size_t)docs[i] * bins->width;
    taken->ahead[i] = bins->codes + (size_t)docs[next] * bins->width;
    taken->words[i] = words[docs[i]];
    __builtin_prefetch(words + docs[next]);
  }
}

/* Adds eight neighbouring features, whose codes are one word. */
static void add_neighbours(const batch *taken, size_t first, size_t stride, uint64_t *restrict histogram)
{
  for (size_t i = 0; i < taken->count; i++) {
    uint64_t codes;
    uint64_t word = taken->words[i];
    __builtin_prefetch(taken->ahead[i] + first);
    memcpy(&codes, taken->codes[i] + first, sizeof codes);
    for (size_t k = 0; k < EIGHT; k++)
      histogram[k * stride + (codes >> 8 * k & 255)] += word;
  }
}

static void add_eight(const batch *taken, const uint32_t *features, size_t stride, uint64_t *restrict histogram)
{
  for (size_t i = 0; i < taken->count; i++) {
    const uint8_t *codes = taken->codes[i];
    uint64_t word = taken->words[i];
    __builtin_prefetch(taken->ahead[i] + features[EIGHT - 1]);
    for (size_t k = 0; k < EIGHT; k++)
      histogram[k * stride + codes[features[k]]] += word;
  }
}

static void add_one(const batch *taken, size_t feature, uint64_t *restrict histogram)
{
  for (size_t i = 0; i < taken->count; i++)
    histogram[taken->codes[i][feature]] += taken->words[i];
}

static void add_batch(const dorm__histogram_shape *shape, const batch *taken, size_t from, size_t to,
                      uint64_t *histogram)
{
  size_t stride = shape->bins->stride;
  size_t k = from;
  for (; k + EIGHT <= to; k += EIGHT) {
    const uint32_t *features = shape->features + k;
    if (features[EIGHT - 1] - features[0] == EIGHT - 1 && is_little_endian)
      add_neighbours(taken, features[0], stride, histogram + k * stride);
    else
      add_eight(taken, features, stride, histogram + k * stride);
  }
  for (; k < to; k++)
    add_one(taken, shape->features[k], histogram + k * stride);
}

/* Fills a histogram of sparse rows: the usual code gets the whole sum minus the others. */
static void fill_sparse(const dorm__histogram_shape *shape, size_t count, const uint32_t *docs, const uint64_t *words,
                        uint64_t *histogram)
{
  const dorm__tree_bins *bins = shape->bins;
  uint64_t sum = 0;
  memset(histogram, 0, dorm__histogram_size(shape) * sizeof *histogram);
  for (size_t i = 0; i < count; i++) {
    uint64_t word = words[docs[i]];
    sum += word;
    for (size_t e = bins->row_start[docs[i]]; e < bins->row_start[docs[i] + 1]; e++)
      if (shape->place[bins->features[e]] != SIZE_MAX)
        histogram[shape->place[bins->features[e]] + bins->entry_codes[e]] += word;
  }
  for (size_t k = 0; k < shape->num_features; k++) {
    uint64_t others = 0;
    for (size_t b = shape->start[k]; b < shape->start[k + 1]; b++)
      others += histogram[b];
    histogram[shape->start[k] + bins->usual[shape->features[k]]] = sum - others;
  }
}

/* Fills the part of a histogram for the features from .. to - 1. */
static void fill_part(const dorm__histogram_shape *shape, size_t count, const uint32_t *docs, const uint64_t *words,
                      size_t from, size_t to, uint64_t *histogram)
{
  size_t stride = shape->bins->stride;
  batch taken;
  if (shape->bins->is_sparse) {
    fill_sparse(shape, count, docs, words, histogram);
    return;
  }
  memset(histogram + from * stride, 0, (to - from) * stride * sizeof *histogram);
  for (size_t i = 0; i < count; i += BATCH) {
    take_batch(shape->bins, count - i, docs + i, words, &taken);
    add_batch(shape, &taken, from, to, histogram);
  }
}

/* Each thread fills a histogram of its own with some of the documents. */
static void fill_by_docs(const dorm__histogram_shape *shape, size_t count, const uint32_t *docs, const uint64_t *words,
                         uint64_t *histogram)
{
  size_t size = dorm__histogram_size(shape);
  size_t num_threads = shape->num_threads;
#pragma omp parallel num_threads((int)num_threads)
  {
#pragma omp for schedule(static)
    for (size_t t = 0; t < num_threads; t++) {
      size_t first = count / num_threads * t;
      size_t end = t + 1 < num_threads ? first + count / num_threads : count;
      fill_part(shape, end - first, docs + first, words, 0, shape->num_features,
                t ? shape->scratch + (t - 1) * size : histogram);
    }
#pragma omp for schedule(static)
    for (size_t i = 0; i < size; i++)
      for (size_t t = 1; t < num_threads; t++)
        histogram[i] += shape->scratch[(t - 1) * size + i];
  }
}

void dorm__histogram_fill(const dorm__histogram_shape *shape, size_t count, const uint32_t *docs, const uint64_t *words,
                          uint64_t *histogram)
{
  size_t num_blocks = (shape->num_features + EIGHT - 1) / EIGHT;
  size_t size = dorm__histogram_size(shape);
  const dorm__tree_bins *bins = shape->bins;
  size_t updates =
      bins->is_sparse ? bins->row_start[bins->num_docs] / (bins->num_docs + 1) * count : count * shape->num_features;
  if (shape->num_threads == 1 || updates < LEAST_SHARED ||
      (bins->is_sparse && updates / shape->num_threads < 4 * size)) {
    fill_part(shape, count, docs, words, 0, shape->num_features, histogram);
    return;
  }
  if (updates / shape->num_threads > 4 * size) {
    fill_by_docs(shape, count, docs, words, histogram);
    return;
  }
#pragma omp parallel for schedule(dynamic) num_threads((int)shape->num_threads)
  for (size_t block = 0; block < num_blocks; block++) {
    size_t from = block * EIGHT;
    size_t to = from + EIGHT < shape->num_features ? from + EIGHT : shape->num_features;
    fill_part(shape, count, docs, words, from, to, histogram);
  }
}

void dorm__histogram_subtract(const dorm__histogram_shape *shape, const uint64_t *part, uint64_t *whole)
{
  size_t size = dorm__histogram_size(shape);
  for (size_t i = 0; i < size; i++)
    whole[i] -= part[i];
}
