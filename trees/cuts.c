/*
 * cuts.c: chooses the cuts between the bins of a feature. A feature with at most `most` distinct values has a bin for
 * each. Otherwise each bin holds about the same number of the values of a sample of rows, and a more frequent value has
 * a bin of its own. Cuts lie half-way between neighbouring values of the sample. A feature of
 * categories has a bin for each of the most frequent ones, and one bin for all others. Processes that train together
 * sample the rows of all processes, and exchange the values.
 *
 * Time: O(width * sample), for rows that are visited O(width * num_docs). Memory: a quarter of the memory of the codes,
 * for sparse rows some 100 MB.
 */
#include "base/processes.h"
#include "trees/bins.h"

#include <omp.h>
#include <string.h>

enum {
  MOST_SAMPLED = 200000,         /* rows */
  MOST_SAMPLED_VALUES = 1 << 23, /* of sparse rows */
  LEAST_KEYS = 1 << 18,          /* sampled values that a visit takes, at least */
  FETCHED = 16,                  /* features whose values are fetched from a row together */
  SPARSE = 10                    /* rows are sparse if fewer than one in SPARSE values is not 0 */
};

/* ---- The cuts of one feature ------------------------------------------------------------------ */

/* Returns an order-preserving integer for a float: positive floats get the sign bit, and all bits of negative floats
 * are flipped. The caller replaces -0 by 0. */
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

/* Sorts keys [count] by their bytes, the lowest byte first. Skips a byte that all keys share. */
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

/* Returns a float t with low < t <= high, half-way if there is one. */
static float cut_between(float low, float high)
{
  float middle = (float)(((double)low + (double)high) / 2);
  return middle > low ? middle : high;
}

/* Replaces sorted keys [count] by the distinct ones, and fills counts with their frequencies. Returns the number of
 * distinct keys. */
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

/* Adds the key of 0 with its count to distinct keys that lack it. Both arrays have room for one more. Returns the
 * number of distinct keys. */
static size_t add_zeros(size_t distinct, uint32_t *keys, uint32_t *counts, size_t num_zeros)
{
  uint32_t zero = key_of(0);
  size_t place = distinct;
  if (!num_zeros)
    return distinct;
  for (; place && keys[place - 1] > zero; place--) {
    keys[place] = keys[place - 1];
    counts[place] = counts[place - 1];
  }
  keys[place] = zero;
  counts[place] = (uint32_t)num_zeros;
  return distinct + 1;
}

/* Fills cuts [most - 1 at most] from distinct keys with their counts, and returns their number. A bin is closed when it
 * has its share of the remaining values, or when the next value alone has more than a share. */
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

/* Fills cuts [most - 1 at most] with categories, which increase, and returns their number. If there are more, takes the
 * most frequent ones, of equally frequent ones the smallest. */
static size_t choose_categories(size_t distinct, const uint32_t *keys, const uint32_t *counts, size_t most, float *cuts)
{
  size_t num_cuts = 0, above = distinct; /* categories that are more frequent than `least` */
  uint32_t least = 0;
  while (above > most - 1) {
    above = 0;
    least++;
    for (size_t i = 0; i < distinct; i++)
      above += counts[i] > least;
  }
  size_t room = most - 1 - above;
  for (size_t i = 0; i < distinct; i++)
    if (counts[i] > least || (counts[i] == least && room && room--))
      cuts[num_cuts++] = value_of(keys[i]);
  return num_cuts;
}

/* ---- The sample -------------------------------------------------------------------------------- */

/* The data that the threads share while they choose cuts. */
typedef struct cutting {
  dorm_context *context;
  size_t width, num_ids;        /* features, and those that are no ranks */
  size_t num_before, num_docs;  /* rows of the processes before this one, and of this one */
  size_t all_docs, num_sampled; /* of all processes */
  size_t most;                  /* bins of a feature */
  const bool *is_category;      /* [width] */
  float *cuts;                  /* [width][most] */
  size_t *num_cuts;             /* [width] */
  size_t num_threads;
} cutting;

/* Returns the sampled row number `i`, among the rows of all processes: a random row of the i-th of num_sampled equal
 * parts. */
static size_t sampled_row(const cutting *made, size_t i)
{
  if (made->num_sampled == made->all_docs)
    return i;
  double part = (double)made->all_docs / (double)made->num_sampled;
  size_t first = (size_t)(part * (double)i);
  size_t end = (size_t)(part * (double)(i + 1));
  uint64_t bits = (i + 1) * UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */
  bits = (bits ^ bits >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  bits = (bits ^ bits >> 27) * UINT64_C(0x94d049bb133111eb);
  return first + (end > first ? (size_t)((bits ^ bits >> 31) % (end - first)) : 0);
}

/* Chooses the cuts of a feature from its keys [count] and its number of zeros. `other` has room for count + 1 keys. */
static void cut_keys(const cutting *made, size_t feature, size_t num_zeros, size_t count, uint32_t *keys,
                     uint32_t *other)
{
  sort_keys(count, keys, other);
  size_t distinct = add_zeros(count_distinct(count, keys, other), keys, other, num_zeros);
  made->num_cuts[feature] = (made->is_category[feature] ? choose_categories : choose_cuts)(
      distinct, keys, other, made->most, made->cuts + feature * made->most);
}

/* Finds the next sampled row among the rows first .. first + count - 1 of this process, and its place among them. */
static bool find_sampled(const cutting *made, size_t first, size_t count, size_t *next, size_t *place)
{
  first += made->num_before;
  for (; *next < made->num_sampled && sampled_row(made, *next) < first + count; ++*next)
    if (sampled_row(made, *next) >= first) {
      *place = sampled_row(made, (*next)++) - first;
      return true;
    }
  return false;
}

/* ---- Dense rows -------------------------------------------------------------------------------- */

/* The sampled values of `count` features from number `first` on, and behind them of their ranks if there are any. */
typedef struct block {
  const cutting *made;
  size_t first, count, num_columns;
  size_t next;       /* of the sampled rows */
  size_t *num_keys;  /* [num_columns] */
  uint32_t *keys;    /* [num_columns][num_sampled] */
  uint32_t *scratch; /* [num_threads][num_sampled] */
} block;

static size_t feature_of(const block *of, size_t column)
{
  return column < of->count ? of->first + column : of->made->num_ids + of->first + column - of->count;
}

/* Adds the values of one row, of neighbouring columns. */
static void take_values(const block *of, size_t column, size_t count, const float *values)
{
  uint32_t *keys = of->keys + column * of->made->num_sampled;
  for (size_t f = 0; f < count; f++, keys += of->made->num_sampled)
    if (values[f] == values[f])
      keys[of->num_keys[column + f]++] = key_of(values[f] + 0.0F); /* -0 becomes 0 */
}

static void take_sampled(void *user, size_t first, size_t count, const float *rows)
{
  block *of = user;
  for (size_t place; find_sampled(of->made, first, count, &of->next, &place);)
    take_values(of, 0, of->num_columns, rows + place * of->num_columns);
}

/* Fills the block from rows in memory, FETCHED neighbouring columns at a time. */
static void fetch(const block *of, const float *rows)
{
  const cutting *made = of->made;
  size_t num_groups = (of->count + FETCHED - 1) / FETCHED; /* of features, and as many of ranks */
#pragma omp parallel for schedule(dynamic) num_threads((int)made->num_threads) if (made->num_threads > 1)
  for (size_t group = 0; group < num_groups * of->num_columns / of->count; group++) {
    size_t start = group % num_groups * FETCHED, column = group / num_groups * of->count + start;
    size_t some = of->count - start < FETCHED ? of->count - start : FETCHED;
    for (size_t next = 0, place; find_sampled(made, 0, made->num_docs, &next, &place);)
      take_values(of, column, some, rows + place * made->width + feature_of(of, column));
  }
}

/* Chooses the cuts of a block. Several processes exchange the values of one feature after the other. */
static dorm_status cut_block(block *of, const dorm__tree_rows *rows)
{
  const cutting *made = of->made;
  dorm_context *context = made->context;
  size_t size = made->num_sampled, num_threads = dorm__processes_size(context) > 1 ? 1 : made->num_threads;
  dorm_status status = DORM_OK;
  memset(of->num_keys, 0, of->num_columns * sizeof *of->num_keys);
  if (rows->values)
    fetch(of, rows->values);
  else
    status = rows->visit(context, rows->user, of->first, of->count, take_sampled, of);
  if (status != DORM_OK)
    return status;
#pragma omp parallel for schedule(dynamic) num_threads((int)num_threads) if (num_threads > 1)
  for (size_t c = 0; c < of->num_columns; c++) {
    uint32_t *keys = of->keys + c * size;
    DORM__FREED void *all = NULL;
    if (dorm__processes_size(context) > 1 && status == DORM_OK) {
      status = dorm__processes_gather_items(context, sizeof *keys, of->num_keys[c], keys, &all, &of->num_keys[c]);
      keys = all;
    }
    if (status == DORM_OK)
      cut_keys(made, feature_of(of, c), 0, of->num_keys[c], keys, of->scratch + (size_t)omp_get_thread_num() * size);
  }
  return status;
}

/* Chooses the cuts of dense rows. Each visit reads all rows for some features, whose sample takes at most a quarter of
 * the memory of the codes if that is not tiny. */
static dorm_status cut_dense_rows(const cutting *made, const dorm__tree_rows *rows, bool visits)
{
  size_t size = made->num_sampled + !made->num_sampled, halves = made->num_ids < made->width ? 2 : 1;
  size_t num_keys = made->all_docs * made->width / sizeof(uint32_t) / 4;
  size_t together =
      visits ? (num_keys > LEAST_KEYS ? num_keys : LEAST_KEYS) / size / halves : FETCHED * made->num_threads;
  together = together < 1 ? 1 : together < made->num_ids ? together : made->num_ids;
  DORM__FREED uint32_t *keys = dorm__alloc((together * halves + made->num_threads) * size, sizeof *keys);
  DORM__FREED size_t *num_keys_of = dorm__alloc(together * halves, sizeof *num_keys_of);
  dorm_status status = keys && num_keys_of ? DORM_OK : dorm__out_of_memory(made->context, "bins of trees");
  for (size_t first = 0; status == DORM_OK && first < made->num_ids; first += together) {
    size_t count = made->num_ids - first < together ? made->num_ids - first : together;
    status = cut_block(&(block){.made = made,
                                .first = first,
                                .count = count,
                                .num_columns = count * halves,
                                .num_keys = num_keys_of,
                                .keys = keys,
                                .scratch = keys + together * halves * size},
                       rows);
  }
  return status;
}

/* ---- Sparse rows ------------------------------------------------------------------------------- */

typedef struct entry {
  uint32_t feature, key;
} entry;

/* The values of the sampled rows that are neither 0 nor missing. */
typedef struct sample {
  const cutting *made;
  size_t next; /* of the sampled rows */
  entry *entries;
  size_t count, capacity;
  uint64_t *num_missing; /* [width] */
  bool is_bad;           /* out of memory */
} sample;

static void take_row(sample *taken, const float *row)
{
  size_t width = taken->made->width;
  if (taken->is_bad || !DORM__GROW(taken->entries, taken->capacity, taken->count + width)) {
    taken->is_bad = true;
    return;
  }
  for (size_t f = 0; f < width; f++) {
    if (row[f] == 0)
      continue;
    if (row[f] == row[f])
      taken->entries[taken->count++] = (entry){(uint32_t)f, key_of(row[f])};
    else
      taken->num_missing[f]++;
  }
}

static void take_sparse(void *user, size_t first, size_t count, const float *rows)
{
  sample *taken = user;
  for (size_t place; find_sampled(taken->made, first, count, &taken->next, &place);)
    take_row(taken, rows + place * taken->made->width);
}

static dorm_status share_entries(sample *taken)
{
  void *all = NULL;
  dorm_status status = dorm__processes_gather_items(taken->made->context, sizeof *taken->entries, taken->count,
                                                    taken->entries, &all, &taken->count);
  dorm__free(taken->entries);
  taken->entries = all;
  return status;
}

/* Chooses the cuts of each feature from the entries. start [width + 2]. */
static bool cut_entries(const sample *taken, size_t *start)
{
  const cutting *made = taken->made;
  size_t most = 1;
  for (size_t i = 0; i < taken->count; i++)
    start[taken->entries[i].feature + 2]++;
  for (size_t f = 0; f < made->width; f++) {
    most = start[f + 2] + 1 > most ? start[f + 2] + 1 : most;
    start[f + 2] += start[f + 1];
  }
  DORM__FREED uint32_t *keys = dorm__alloc(taken->count + 1, sizeof *keys);
  DORM__FREED uint32_t *scratch = dorm__alloc(made->num_threads * 2 * most, sizeof *scratch);
  bool good = keys && scratch;
  for (size_t i = 0; good && i < taken->count; i++)
    keys[start[taken->entries[i].feature + 1]++] = taken->entries[i].key;
#pragma omp parallel for schedule(dynamic, 64) num_threads((int)made->num_threads) if (good && made->num_threads > 1)
  for (size_t f = 0; f < made->width; f++) {
    if (!good)
      continue;
    size_t count = start[f + 1] - start[f];
    uint32_t *own = scratch + (size_t)omp_get_thread_num() * 2 * most;
    memcpy(own, keys + start[f], count * sizeof *own);
    cut_keys(made, f, made->num_sampled - count - (size_t)taken->num_missing[f], count, own, own + most);
  }
  return good;
}

static dorm_status cut_sparse_rows(const cutting *made, const dorm__tree_rows *rows, bool *is_sparse)
{
  dorm_context *context = made->context;
  sample taken = {.made = made, .num_missing = dorm__alloc_zero(made->width, sizeof *taken.num_missing)};
  DORM__FREED size_t *start = dorm__alloc_zero(made->width + 2, sizeof *start);
  dorm_status status = DORM_OK;
  taken.is_bad = !taken.num_missing || !start;
  if (!taken.is_bad && rows->values) /* another process may have to make its rows */
    take_sparse(&taken, 0, rows->num_docs, rows->values);
  else if (!taken.is_bad)
    status = rows->visit(context, rows->user, 0, made->num_ids, take_sparse, &taken);
  if (status == DORM_OK && taken.is_bad)
    status = dorm__out_of_memory(context, "bins of trees");
  if (status == DORM_OK)
    status = DORM__ALL(dorm__processes_size(context) > 1 ? share_entries(&taken) : DORM_OK,
                       dorm__processes_totals(context, made->width, taken.num_missing),
                       cut_entries(&taken, start) ? DORM_OK : dorm__out_of_memory(context, "bins of trees"));
  *is_sparse = taken.count < made->num_sampled * made->width / SPARSE;
  dorm__free(taken.entries);
  dorm__free(taken.num_missing);
  return status;
}

/* ---- All features ------------------------------------------------------------------------------- */

/* Puts the cuts of all features behind one another. */
static bool join_cuts(const cutting *made, dorm__tree_bins *bins)
{
  size_t most = 1;
  for (size_t f = 0; f < made->width; f++) {
    bins->cut_start[f + 1] = bins->cut_start[f] + made->num_cuts[f];
    most = made->num_cuts[f] + 1 > most ? made->num_cuts[f] + 1 : most;
  }
  bins->cuts = dorm__alloc(bins->cut_start[made->width], sizeof *bins->cuts);
  if (!bins->cuts)
    return false;
  for (size_t f = 0; f < made->width; f++)
    memcpy(bins->cuts + bins->cut_start[f], made->cuts + f * made->most, made->num_cuts[f] * sizeof *bins->cuts);
  bins->stride = (most / 16) * 16 + 8;
  bins->stride += bins->stride > most ? 0 : 16;
  return true;
}

dorm_status dorm__tree_cuts_fill(dorm_context *context, const dorm__tree_rows *rows, size_t most, size_t num_threads,
                                 dorm__tree_bins *bins)
{
  uint64_t before = 0, total = 0;
  uint64_t sums[] = {rows->num_sparse != 0, rows->num_sparse ? rows->num_sparse : rows->num_docs * bins->width,
                     !rows->values}; /* processes with sparse rows, values, processes that visit rows */
  dorm_status shared = DORM__ALL(dorm__processes_totals(context, 3, sums),
                                 dorm__processes_count(context, rows->num_docs, &before, &total));
  size_t all_docs = (size_t)total;
  size_t values = all_docs && sums[0] ? (size_t)sums[1] / all_docs + 1 : 1; /* of a row */
  size_t sampled = MOST_SAMPLED < MOST_SAMPLED_VALUES / values ? MOST_SAMPLED : MOST_SAMPLED_VALUES / values;
  cutting made = {.context = context,
                  .width = bins->width,
                  .num_ids = bins->width - rows->num_ranks,
                  .num_before = (size_t)before,
                  .num_docs = rows->num_docs,
                  .all_docs = all_docs,
                  .num_sampled = all_docs < sampled ? all_docs : sampled,
                  .most = most,
                  .is_category = bins->is_category,
                  .cuts = dorm__alloc(bins->width, most * sizeof *made.cuts),
                  .num_cuts = dorm__alloc_zero(bins->width, sizeof *made.num_cuts),
                  .num_threads = num_threads};
  dorm_status status = made.cuts && made.num_cuts ? shared : dorm__out_of_memory(context, "bins of trees");
  if (status == DORM_OK)
    status = sums[0] ? cut_sparse_rows(&made, rows, &bins->is_sparse) : cut_dense_rows(&made, rows, sums[2] != 0);
  if (status == DORM_OK && !join_cuts(&made, bins))
    status = dorm__out_of_memory(context, "bins of trees");
  dorm__free(made.cuts);
  dorm__free(made.num_cuts);
  return status;
}
