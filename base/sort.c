/* sort.c: sorts documents by falling keys.
 *
 * Long lists: keys are mapped to integers of 2 x 11 bits (2 x 7 or 2 x 9 for shorter lists). Two counting passes sort
 * these, low digit first. Rounding to integers leaves some documents unsorted, so an insertion pass over the exact keys
 * repairs the order. Keys with heavy tails share few integers. If the repair takes more than MOST_MOVES steps per
 * document, or if the range of the keys overflows or vanishes, a merge sort is used instead. Every pass is stable, so
 * ties stay in document order.
 *
 * O(count) for keys without heavy tails, O(count log count) always.
 *
 * The best few of many documents are found by keeping them sorted while the list is read. */
#include "base/sort.h"
#include "base/lanes.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  SHORT_LIST = 40,    /* sorted by insertion alone */
  FEW_DIGITS = 250,   /* shorter lists: 7 bits per pass */
  MORE_DIGITS = 2000, /* shorter lists: 9 bits per pass */
  MOST_MOVES = 8,
  MERGE_RUN = 8,
  MOST_BUCKETS = 1 << 11
};

/* Shell's sort, with the gaps of Gonnet and Baeza-Yates. */
void dorm__sort_values(size_t count, double *values)
{
  for (size_t gap = count; gap > 1;) {
    gap = gap < 5 ? 1 : (5 * gap - 1) / 11;
    for (size_t i = gap; i < count; i++) {
      double value = values[i];
      size_t at = i;
      for (; at >= gap && values[at - gap] < value; at -= gap)
        values[at] = values[at - gap];
      values[at] = value;
    }
  }
}

static int upwards(const void *x, const void *y)
{
  uint32_t left = *(const uint32_t *)x;
  uint32_t right = *(const uint32_t *)y;
  return (left > right) - (left < right);
}

void dorm__sort_ids(size_t count, uint32_t *ids)
{
  qsort(ids, count, sizeof *ids, upwards);
}

bool dorm__order_descending(size_t count, const double *key, uint32_t *order)
{
  dorm__sort_scratch scratch;
  DORM__FREED double *sorted = dorm__alloc(count, sizeof *sorted);
  bool is_made = dorm__sort_scratch_alloc(count, &scratch) && sorted;
  if (is_made)
    dorm__sort_descending(count, key, order, sorted, &scratch);
  dorm__sort_scratch_free(&scratch);
  return is_made;
}

bool dorm__sort_scratch_alloc(size_t max_docs, dorm__sort_scratch *scratch)
{
  scratch->pairs = dorm__alloc(max_docs, sizeof *scratch->pairs);
  scratch->other_pairs = dorm__alloc(max_docs, sizeof *scratch->other_pairs);
  scratch->words = dorm__alloc(max_docs, sizeof *scratch->words);
  return scratch->pairs && scratch->other_pairs && scratch->words;
}

void dorm__sort_scratch_free(dorm__sort_scratch *scratch)
{
  dorm__free(scratch->pairs);
  dorm__free(scratch->other_pairs);
  dorm__free(scratch->words);
}

dorm__sort_scratch dorm__sort_scratch_in(dorm__region *memory, size_t max_docs)
{
  return (dorm__sort_scratch){.pairs = dorm__region_take(memory, max_docs, sizeof(uint64_t)),
                              .other_pairs = dorm__region_take(memory, max_docs, sizeof(uint64_t)),
                              .words = dorm__region_take(memory, max_docs, sizeof(uint32_t))};
}

/* ---- Merge sort ------------------------------------------------------------ */

static void sort_run(const double *key, uint32_t *order, size_t first, size_t end)
{
  for (size_t i = first + 1; i < end; i++) {
    uint32_t doc = order[i];
    size_t place = i;
    for (; place > first && key[order[place - 1]] < key[doc]; place--)
      order[place] = order[place - 1];
    order[place] = doc;
  }
}

static void merge_runs(const double *key, const uint32_t *from, uint32_t *to, size_t first, size_t middle, size_t end)
{
  size_t left = first, right = middle;
  for (size_t i = first; i < end; i++) {
    bool takes_left = left < middle && (right == end || key[from[left]] >= key[from[right]]);
    to[i] = takes_left ? from[left++] : from[right++];
  }
}

static void merge_sort(size_t count, const double *key, uint32_t *order, uint32_t *scratch)
{
  for (size_t i = 0; i < count; i++)
    order[i] = (uint32_t)i;
  for (size_t first = 0; first < count; first += MERGE_RUN)
    sort_run(key, order, first, first + MERGE_RUN < count ? first + MERGE_RUN : count);
  uint32_t *from = order, *to = scratch;
  for (size_t width = MERGE_RUN; width < count; width *= 2) {
    for (size_t first = 0; first < count; first += 2 * width) {
      size_t middle = first + width < count ? first + width : count;
      size_t end = middle + width < count ? middle + width : count;
      merge_runs(key, from, to, first, middle, end);
    }
    uint32_t *other = from;
    from = to;
    to = other;
  }
  if (from != order)
    memcpy(order, from, count * sizeof *order);
}

/* ---- Counting passes ------------------------------------------------------- */

/* Insertion into falling order. Returns false if it takes too many moves. */
static bool repair(size_t count, uint32_t *order, double *sorted)
{
  size_t moves_left = MOST_MOVES * count;
  for (size_t i = 1; i < count; i++) {
    double key = sorted[i];
    if (sorted[i - 1] >= key)
      continue;
    uint32_t doc = order[i];
    size_t place = i;
    do {
      sorted[place] = sorted[place - 1];
      order[place] = order[place - 1];
      place--;
    } while (place > 0 && sorted[place - 1] < key);
    sorted[place] = key;
    order[place] = doc;
    if (i - place > moves_left)
      return false;
    moves_left -= i - place;
  }
  return true;
}

/* Turns the counts of digits into their first places. */
static void add_up(size_t buckets, uint32_t *counts)
{
  uint32_t sum = 0;
  for (size_t i = 0; i < buckets; i++) {
    uint32_t here = counts[i];
    counts[i] = sum;
    sum += here;
  }
}

/* Maps a key to the integer (highest - key) * factor of 2 * bits bits. */
typedef struct key_digits {
  double highest, factor;
  unsigned bits;
} key_digits;

/* Each pair holds the integer in its upper half and the document in its lower half. */
static void counting_passes(size_t count, const double *key, const key_digits *map, uint32_t *order, double *sorted,
                            uint64_t *pairs, uint64_t *other)
{
  uint32_t low[MOST_BUCKETS], high[MOST_BUCKETS];
  size_t buckets = (size_t)1 << map->bits;
  uint64_t mask = buckets - 1;
  memset(low, 0, buckets * sizeof *low);
  memset(high, 0, buckets * sizeof *high);
  for (size_t i = 0; i < count; i++) {
    uint64_t digits = (uint64_t)(int64_t)((map->highest - key[i]) * map->factor);
    low[digits & mask]++;
    high[digits >> map->bits]++;
    pairs[i] = digits << 32 | i;
  }
  add_up(buckets, low);
  add_up(buckets, high);
  for (size_t i = 0; i < count; i++)
    other[low[pairs[i] >> 32 & mask]++] = pairs[i];
  for (size_t i = 0; i < count; i++) {
    uint32_t doc = (uint32_t)other[i];
    uint32_t place = high[other[i] >> (32 + map->bits)]++;
    order[place] = doc;
    sorted[place] = key[doc];
  }
}

DORM__WIDE_VECTORS
static void find_range(size_t count, const double *key, double *lowest, double *highest)
{
  dorm__lanes low = DORM__LANES_OF(key[0]), high = low;
  size_t i = 0;
  for (; i + DORM__LANES <= count; i += DORM__LANES) {
    dorm__lanes keys;
    memcpy(&keys, key + i, sizeof keys);
    dorm__lane_masks is_lower = keys<low, is_higher = keys> high;
    dorm__pick_lanes(&low, &is_lower, &keys);
    dorm__pick_lanes(&high, &is_higher, &keys);
  }
  *lowest = *highest = key[0];
  for (size_t lane = 0; lane < DORM__LANES; lane++) {
    *lowest = low[lane] < *lowest ? low[lane] : *lowest;
    *highest = high[lane] > *highest ? high[lane] : *highest;
  }
  for (; i < count; i++) {
    *lowest = key[i] < *lowest ? key[i] : *lowest;
    *highest = key[i] > *highest ? key[i] : *highest;
  }
}

void dorm__sort_descending(size_t count, const double *key, uint32_t *order, double *sorted,
                           const dorm__sort_scratch *scratch)
{
  double lowest, highest;
  if (count <= SHORT_LIST) {
    for (size_t i = 0; i < count; i++) {
      size_t place = i;
      for (; place > 0 && sorted[place - 1] < key[i]; place--) {
        sorted[place] = sorted[place - 1];
        order[place] = order[place - 1];
      }
      sorted[place] = key[i];
      order[place] = (uint32_t)i;
    }
    return;
  }
  find_range(count, key, &lowest, &highest);
  unsigned bits = count < FEW_DIGITS ? 7 : count < MORE_DIGITS ? 9 : 11;
  double largest_integer = (double)(((uint32_t)1 << 2 * bits) - 1);
  double factor = largest_integer * (1 - DBL_EPSILON) / (highest - lowest);
  if (highest == lowest) {
    for (size_t i = 0; i < count; i++)
      order[i] = (uint32_t)i;
  } else if (factor > DBL_MIN && factor < DBL_MAX) { /* the range neither overflows nor vanishes */
    counting_passes(count, key, &(const key_digits){highest, factor, bits}, order, sorted, scratch->pairs,
                    scratch->other_pairs);
    if (repair(count, order, sorted))
      return;
    merge_sort(count, key, order, scratch->words);
  } else {
    merge_sort(count, key, order, scratch->words);
  }
  for (size_t i = 0; i < count; i++)
    sorted[i] = key[order[i]];
}

enum { LANES = 16 };

/* Returns a key that at least `top` <= LANES documents reach. Distributes the documents over LANES lanes, and takes the
 * key of rank `top` among the lanes' largest keys. */
DORM__WIDE_VECTORS
static double reached_by(size_t top, size_t count, const double *key)
{
  double largest[LANES];
  memcpy(largest, key, sizeof largest);
  for (size_t i = LANES; i + LANES <= count; i += LANES)
    for (size_t lane = 0; lane < LANES; lane++)
      largest[lane] = key[i + lane] > largest[lane] ? key[i + lane] : largest[lane];
  double reached = -INFINITY;
  for (size_t lane = 0; lane < LANES; lane++) {
    double above = 0; /* number of lanes that reach this key, including its own */
    for (size_t other = 0; other < LANES; other++)
      above += largest[other] >= largest[lane] ? 1 : 0;
    double candidate = above >= (double)top ? largest[lane] : -INFINITY;
    reached = candidate > reached ? candidate : reached;
  }
  return reached;
}

enum { MOST_COUNTED = 64 };

/* Fills ranks[count], count <= MOST_COUNTED, with the number of keys before each key in falling order. Among equal keys
 * the earlier one is first. Compares all pairs, because this needs no branches that depend on the keys. */
DORM__WIDE_VECTORS
static void count_before(size_t count, const double *key, int64_t *ranks)
{
  for (size_t first = 0; first < count; first += DORM__LANES) {
    dorm__lanes own;
    dorm__lane_masks before = {0};
    memcpy(&own, key + first, sizeof own);
    for (size_t i = 0; i < first; i++)
      before -= key[i] >= own;
    for (size_t i = first; i < first + DORM__LANES && i < count; i++) {
      const dorm__lane_masks lane = {0, 1, 2, 3};
      before -= (key[i] > own) | ((key[i] == own) & (lane > (int64_t)(i - first)));
    }
    for (size_t i = first + DORM__LANES; i < count; i++)
      before -= key[i] > own;
    memcpy(ranks + first, &before, sizeof before);
  }
}

/* Writes the best `top` of the increasing candidates docs[num_docs] to the beginning of order, and the same documents
 * in increasing order to rising. */
static void place_counted(size_t num_docs, size_t top, const double *key, const uint32_t *docs, uint32_t *best,
                          uint32_t *rising)
{
  double keys[MOST_COUNTED + DORM__LANES];
  int64_t ranks[MOST_COUNTED + DORM__LANES];
  for (size_t c = 0; c < num_docs; c++)
    keys[c] = key[docs[c]];
  memset(keys + num_docs, 0, DORM__LANES * sizeof *keys); /* their ranks are unused */
  count_before(num_docs, keys, ranks);
  size_t kept = 0;
  for (size_t c = 0; c < num_docs; c++)
    if (ranks[c] < (int64_t)top) {
      best[ranks[c]] = docs[c];
      rising[kept++] = docs[c];
    }
}

/* Does the same for any number of candidates, by insertion into the best so far. */
static void place_inserted(size_t num_docs, size_t top, const double *key, const uint32_t *docs, uint32_t *best,
                           uint32_t *rising)
{
  double best_key[DORM__MOST_TOP_SORTED + 1];
  size_t kept = 0;
  for (size_t c = 0; c < num_docs; c++) {
    uint32_t i = docs[c];
    if (kept == top && (top == 0 || !(key[i] > best_key[top - 1])))
      continue;
    kept += kept < top;
    size_t place = kept - 1;
    for (; place > 0 && best_key[place - 1] < key[i]; place--) {
      best_key[place] = best_key[place - 1];
      best[place] = best[place - 1];
    }
    best_key[place] = key[i];
    best[place] = i;
  }
  for (size_t i = 0; i < kept; i++) {
    size_t place = i;
    for (; place > 0 && rising[place - 1] > best[i]; place--)
      rising[place] = rising[place - 1];
    rising[place] = best[i];
  }
}

void dorm__sort_top(size_t count, size_t top, const double *key, uint32_t *order)
{
  uint32_t best[DORM__MOST_TOP_SORTED + 1], rising[DORM__MOST_TOP_SORTED + 1];
  size_t num_candidates = 0;
  top = top < count ? top : count;
  /* Skips most keys before comparing with the best. */
  double least = top <= LANES && count > 2 * LANES ? reached_by(top, count, key) : -INFINITY;
  for (uint32_t i = 0; i < (uint32_t)count; i++) {
    order[num_candidates] = i;
    num_candidates += key[i] >= least;
  }
  (num_candidates <= MOST_COUNTED ? place_counted : place_inserted)(num_candidates, top, key, order, best, rising);
  memcpy(order, best, top * sizeof *order);
  rising[top] = (uint32_t)count;
  uint32_t doc = 0;
  size_t p = top;
  for (size_t i = 0; i <= top; i++, doc++)
    for (; doc < rising[i]; doc++)
      order[p++] = doc;
}

void dorm__sort_first(size_t count, size_t top, const double *key, uint32_t *order, double *sorted,
                      const dorm__sort_scratch *scratch)
{
  if (top <= DORM__MOST_TOP_SORTED)
    dorm__sort_top(count, top, key, order);
  else
    dorm__sort_descending(count, key, order, sorted, scratch);
}
