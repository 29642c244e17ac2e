/*
 * bins.c: replaces each feature value by the number of a bin, one byte per value. A feature with at most `most`
 * distinct values has a bin for each. Otherwise the bins hold about equally many of the values of a sample of rows, and
 * a value that is more frequent than that has a bin of its own. Cuts lie half-way between neighbouring values of the
 * sample.
 *
 * Time: O(width * (sample + 8 num_docs)); memory: num_docs * width bytes.
 */
#include "trees/bins.h"

#include <math.h>
#include <omp.h>
#include <string.h>

enum {
  MOST_BINS = 255, /* codes 0 .. 254; one more code is for missing values */
  MOST_SAMPLED = 200000,
  FETCHED = 16, /* features whose values are fetched from a row together */
  LANES = 8     /* rows whose codes are searched side by side */
};

/* ---- The cuts of one feature ------------------------------------------------------------------ */

/* Order-preserving integers for floats: positive ones get the sign bit, of negative ones all bits are flipped. -0 must
 * have been replaced by 0. */
static uint32_t key_of(float value)
{
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

static float value_of(uint32_t key)
{
  uint32_t bits = key & 0x80000000u ? key & 0x7fffffffu : ~key;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Sorts keys [count] by their bytes, the lowest byte first. A byte that all keys share is skipped. */
static void sort_keys(size_t count, uint32_t *keys, uint32_t *other)
{
  for (unsigned shift = 0; shift < 32; shift += 8) {
    size_t start[257] = {0};
    for (size_t i = 0; i < count; i++)
      start[(keys[i] >> shift & 255) + 1]++;
    if (count && start[(keys[0] >> shift & 255) + 1] == count)
      continue;
    for (size_t b = 0; b < 256; b++)
      start[b + 1] += start[b];
    for (size_t i = 0; i < count; i++)
      other[start[keys[i] >> shift & 255]++] = keys[i];
    memcpy(keys, other, count * sizeof *keys);
  }
}

/* A float t with low < t <= high, half-way where there is one. */
static float cut_between(float low, float high)
{
  float middle = (float)(((double)low + (double)high) / 2);
  return middle > low ? middle : high;
}

/* Replaces sorted keys [count] by the distinct ones, and puts their numbers into counts. Returns how many there are. */
static size_t count_distinct(size_t count, uint32_t *keys, uint32_t *counts)
{
  size_t distinct = 0;
  for (size_t i = 0; i < count; i++) {
    if (distinct && keys[distinct - 1] == keys[i]) {
      counts[distinct - 1]++;
      continue;
    }
    keys[distinct] = keys[i];
    counts[distinct++] = 1;
  }
  return distinct;
}

/* Fills cuts [most - 1 at most] from distinct keys with their counts, and returns their number. A bin is closed
 * when it has its share of what is left, or when the next value alone has more than a share. */
static size_t choose_cuts(size_t distinct, const uint32_t *keys, const uint32_t *counts, size_t most, float *cuts)
{
  size_t num_cuts = 0;
  double left = 0; /* values in this bin and the later ones */
  double inside = 0;
  for (size_t i = 0; i < distinct; i++)
    left += counts[i];
  double share = left / (double)most;
  for (size_t i = 0; i + 1 < distinct && num_cuts + 1 < most; i++) {
    inside += counts[i];
    if (distinct > most && inside < share && inside + counts[i + 1] / 2.0 < share && counts[i + 1] < share)
      continue;
    cuts[num_cuts++] = cut_between(value_of(keys[i]), value_of(keys[i + 1]));
    left -= inside;
    inside = 0;
    share = left / (double)(most - num_cuts);
  }
  return num_cuts;
}

/* ---- All features ------------------------------------------------------------------------------- */

/* The row that is number `i` of `count` sampled ones: a random one of the i-th of `count` equal parts. */
static size_t sampled_row(size_t num_docs, size_t count, size_t i)
{
  if (count == num_docs)
    return i;
  size_t first = (size_t)((double)num_docs / (double)count * (double)i);
  size_t end = (size_t)((double)num_docs / (double)count * (double)(i + 1));
  uint64_t bits = (i + 1) * UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */
  bits = (bits ^ bits >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  bits = (bits ^ bits >> 27) * UINT64_C(0x94d049bb133111eb);
  return first + (end > first ? (size_t)((bits ^ bits >> 31) % (end - first)) : 0);
}

/* What the threads share while they choose cuts. */
typedef struct cutting {
  const dorm__tree_bins *bins;
  const float *rows;
  size_t num_sampled;
  size_t most;      /* bins of a feature, MOST_BINS at most */
  float *cuts;      /* [width][MOST_BINS - 1] */
  size_t *num_cuts; /* [width] */
} cutting;

/* Chooses the cuts of the features first .. first + count - 1, whose sampled values are fetched together, since they
 * are neighbours in memory; scratch [FETCHED + 2][num_sampled]. */
static void cut_features(const cutting *made, size_t first, size_t count, uint32_t *scratch)
{
  size_t num_docs = made->bins->num_docs;
  size_t width = made->bins->width;
  size_t size = made->num_sampled;
  size_t num_keys[FETCHED] = {0};
  uint32_t *other = scratch + FETCHED * size;
  for (size_t i = 0; i < size; i++) {
    const float *row = made->rows + sampled_row(num_docs, size, i) * width + first;
    for (size_t f = 0; f < count; f++)
      if (row[f] == row[f])
        scratch[f * size + num_keys[f]++] = key_of(row[f] + 0.0F); /* -0 becomes 0 */
  }
  for (size_t f = 0; f < count; f++) {
    uint32_t *keys = scratch + f * size;
    sort_keys(num_keys[f], keys, other);
    size_t distinct = count_distinct(num_keys[f], keys, other + size);
    made->num_cuts[first + f] =
        choose_cuts(distinct, keys, other + size, made->most, made->cuts + (first + f) * (MOST_BINS - 1));
  }
}

/* Puts the cuts of all features behind one another. */
static bool join_cuts(const cutting *made, dorm__tree_bins *bins)
{
  size_t most = 1;
  for (size_t f = 0; f < bins->width; f++) {
    bins->cut_start[f + 1] = bins->cut_start[f] + made->num_cuts[f];
    most = made->num_cuts[f] + 1 > most ? made->num_cuts[f] + 1 : most;
  }
  bins->cuts = dorm__alloc(bins->cut_start[bins->width], sizeof *bins->cuts);
  if (!bins->cuts)
    return false;
  for (size_t f = 0; f < bins->width; f++)
    memcpy(bins->cuts + bins->cut_start[f], made->cuts + f * (MOST_BINS - 1), made->num_cuts[f] * sizeof *bins->cuts);
  bins->missing = most;
  bins->stride = (most / 16) * 16 + 8;
  bins->stride += bins->stride > most ? 0 : 16;
  return true;
}

static bool make_cuts(dorm__tree_bins *bins, const float *rows, size_t most, size_t num_threads)
{
  cutting made = {.bins = bins,
                  .rows = rows,
                  .num_sampled = bins->num_docs < MOST_SAMPLED ? bins->num_docs : MOST_SAMPLED,
                  .most = most,
                  .cuts = dorm__alloc(bins->width, (MOST_BINS - 1) * sizeof *made.cuts),
                  .num_cuts = dorm__alloc_zero(bins->width, sizeof *made.num_cuts)};
  size_t size = (FETCHED + 2) * made.num_sampled;
  size_t num_blocks = (bins->width + FETCHED - 1) / FETCHED;
  uint32_t *scratch = dorm__alloc(num_threads * size, sizeof *scratch);
  bool good = made.cuts && made.num_cuts && scratch;
#pragma omp parallel for schedule(dynamic) num_threads((int)num_threads) if (good && num_threads > 1)
  for (size_t block = 0; block < num_blocks; block++) {
    size_t first = block * FETCHED;
    size_t count = bins->width - first < FETCHED ? bins->width - first : FETCHED;
    if (good)
      cut_features(&made, first, count, scratch + (size_t)omp_get_thread_num() * size);
  }
  good = good && join_cuts(&made, bins);
  dorm__free(scratch);
  dorm__free(made.cuts);
  dorm__free(made.num_cuts);
  return good;
}

/* ---- Codes ---------------------------------------------------------------------------------------- */

/* Codes of one feature for LANES rows, by branch-free searches side by side among cuts that are padded to 255. */
static void find_codes(const float padded[256], const float values[LANES], uint32_t codes[LANES])
{
  for (size_t i = 0; i < LANES; i++)
    codes[i] = 0;
  for (uint32_t step = 128; step; step /= 2)
    for (size_t i = 0; i < LANES; i++)
      codes[i] += padded[codes[i] + step - 1] <= values[i] ? step : 0;
}

/* Fills the codes of one feature of the rows `first` .. `end` - 1. Returns whether a value is missing. */
static bool code_feature(const dorm__tree_bins *bins, const float *rows, size_t feature, size_t first, size_t end)
{
  float padded[256];
  size_t width = bins->width;
  size_t num_cuts = dorm__tree_bins_num_cuts(bins, feature);
  bool has_missing = false;
  memcpy(padded, bins->cuts + bins->cut_start[feature], num_cuts * sizeof *padded);
  for (size_t i = num_cuts; i < 256; i++)
    padded[i] = INFINITY;
  for (size_t j = first; j < end; j += LANES) {
    float values[LANES];
    uint32_t codes[LANES];
    size_t count = end - j < LANES ? end - j : LANES;
    for (size_t i = 0; i < LANES; i++)
      values[i] = rows[(j + (i < count ? i : 0)) * width + feature];
    find_codes(padded, values, codes);
    for (size_t i = 0; i < count; i++) {
      bool is_missing = values[i] != values[i];
      has_missing = has_missing || is_missing;
      bins->codes[(j + i) * width + feature] = (uint8_t)(is_missing            ? bins->missing
                                                         : codes[i] < num_cuts ? codes[i]
                                                                               : num_cuts);
    }
  }
  return has_missing;
}

static void make_codes(dorm__tree_bins *bins, const float *rows, size_t num_threads)
{
  enum { BLOCK = 512 };
  size_t num_blocks = (bins->num_docs + BLOCK - 1) / BLOCK;
#pragma omp parallel for num_threads((int)num_threads) if (num_threads > 1)
  for (size_t block = 0; block < num_blocks; block++) {
    size_t first = block * BLOCK;
    size_t end = first + BLOCK < bins->num_docs ? first + BLOCK : bins->num_docs;
    for (size_t f = 0; f < bins->width; f++)
      if (code_feature(bins, rows, f, first, end)) {
#pragma omp atomic write
        bins->has_missing[f] = true;
      }
  }
}

void dorm__tree_bins_free(dorm__tree_bins *bins)
{
  if (!bins)
    return;
  dorm__free(bins->codes);
  dorm__free(bins->cut_start);
  dorm__free(bins->cuts);
  dorm__free(bins->has_missing);
  dorm__free(bins);
}

dorm_status dorm__tree_bins_new(dorm_context *context, size_t num_docs, size_t width, const float *rows, size_t most,
                                size_t num_threads, dorm__tree_bins **bins)
{
  *bins = NULL;
  if (!width)
    return dorm__fail(context, DORM_BAD_DATA, "training.trainer = trees: the data have no feature to split on");
  dorm__tree_bins *made = dorm__alloc_zero(1, sizeof *made);
  if (made)
    *made = (dorm__tree_bins){.num_docs = num_docs,
                              .width = width,
                              .codes = dorm__alloc(num_docs, width),
                              .cut_start = dorm__alloc_zero(width + 1, sizeof *made->cut_start),
                              .has_missing = dorm__alloc_zero(width, sizeof *made->has_missing)};
  if (!made || !made->codes || !made->cut_start || !made->has_missing ||
      !make_cuts(made, rows, most < MOST_BINS ? most : MOST_BINS, num_threads)) {
    dorm__tree_bins_free(made);
    return dorm__out_of_memory(context, "bins of trees");
  }
  make_codes(made, rows, num_threads);
  *bins = made;
  return DORM_OK;
}

size_t dorm__tree_bins_width(const dorm__tree_bins *bins)
{
  return bins->width;
}
