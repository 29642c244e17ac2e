/*
 * bins.c: replaces each feature value by the number of a bin, one byte per value, or in sparse rows five for each value
 * that is not the usual one.
 *
 * Time: O(width * num_docs). Memory: num_docs * width bytes, or 5 bytes for each entry.
 */
#include "trees/bins.h"
#include "base/processes.h"

#include <math.h>
#include <string.h>

enum { LANES = 8 }; /* rows whose codes are searched side by side */

/* ---- Dense codes -------------------------------------------------------------------------------- */

/* Finds codes of one feature for LANES rows, by branch-free searches side by side among cuts padded to 255. */
static void find_codes(const float padded[256], const float values[LANES], uint32_t codes[LANES])
{
  for (size_t i = 0; i < LANES; i++)
    codes[i] = 0;
  for (uint32_t step = 128; step; step /= 2)
    for (size_t i = 0; i < LANES; i++)
      codes[i] += padded[codes[i] + step - 1] <= values[i] ? step : 0;
}

/* Returns the code of a value with `found` cuts that are not above it. */
static uint8_t code_found(const dorm__tree_bins *bins, size_t feature, size_t found, float value)
{
  bool is_known = found && bins->cuts[bins->cut_start[feature] + found - 1] == value;
  return (uint8_t)(bins->is_category[feature] && !is_known ? 0 : found);
}

/* Fills codes [count][width] of one feature from rows [count][width]. */
static void code_feature(const dorm__tree_bins *bins, size_t feature, size_t count, const float *rows, uint8_t *codes)
{
  float padded[256];
  size_t width = bins->width;
  size_t num_cuts = dorm__tree_bins_num_cuts(bins, feature);
  memcpy(padded, bins->cuts + bins->cut_start[feature], num_cuts * sizeof *padded);
  for (size_t i = num_cuts; i < 256; i++)
    padded[i] = INFINITY;
  for (size_t j = 0; j < count; j += LANES) {
    float values[LANES];
    uint32_t found[LANES];
    size_t some = count - j < LANES ? count - j : LANES;
    for (size_t i = 0; i < LANES; i++)
      values[i] = rows[(j + (i < some ? i : 0)) * width + feature];
    find_codes(padded, values, found);
    for (size_t i = 0; i < some; i++)
      codes[(j + i) * width + feature] =
          values[i] != values[i] ? (uint8_t)(num_cuts + 1)
                                 : code_found(bins, feature, found[i] < num_cuts ? found[i] : num_cuts, values[i]);
  }
}

static void code_rows(const dorm__tree_bins *bins, size_t first, size_t count, const float *rows, size_t num_threads)
{
  enum { BLOCK = 512 };
  size_t num_blocks = (count + BLOCK - 1) / BLOCK;
#pragma omp parallel for num_threads((int)num_threads) if (num_threads > 1)
  for (size_t block = 0; block < num_blocks; block++) {
    size_t start = block * BLOCK;
    size_t some = start + BLOCK < count ? BLOCK : count - start;
    for (size_t f = 0; f < bins->width; f++)
      code_feature(bins, f, some, rows + start * bins->width, bins->codes + (first + start) * bins->width);
  }
}

/* ---- Sparse codes ------------------------------------------------------------------------------- */

/* Returns the number of cuts that are not above a value. */
static size_t count_cuts(const dorm__tree_bins *bins, size_t feature, float value)
{
  const float *cuts = bins->cuts + bins->cut_start[feature];
  size_t low = 0, high = dorm__tree_bins_num_cuts(bins, feature);
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (cuts[middle] <= value)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Returns the code of a value that is not missing. */
static uint8_t code_of(const dorm__tree_bins *bins, size_t feature, float value)
{
  return code_found(bins, feature, count_cuts(bins, feature, value), value);
}

uint8_t dorm__tree_bins_sparse_code(const dorm__tree_bins *bins, size_t doc, size_t feature)
{
  size_t low = bins->row_start[doc], high = bins->row_start[doc + 1];
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (bins->features[middle] < feature)
      low = middle + 1;
    else
      high = middle;
  }
  return low < bins->row_start[doc + 1] && bins->features[low] == feature ? bins->entry_codes[low]
                                                                          : bins->usual[feature];
}

/* Makes room for `count` more entries. */
static bool make_room(dorm__tree_bins *bins, size_t used, size_t count)
{
  size_t capacity = bins->capacity;
  if (!DORM__GROW(bins->features, capacity, used + count))
    return false;
  return DORM__GROW(bins->entry_codes, bins->capacity, used + count);
}

static void add_row(dorm__tree_bins *bins, size_t doc, const float *row)
{
  size_t used = bins->row_start[doc];
  for (size_t f = 0; f < bins->width; f++) {
    if (row[f] == 0)
      continue;
    uint8_t code = row[f] != row[f] ? (uint8_t)dorm__tree_bins_missing(bins, f) : code_of(bins, f, row[f]);
    if (code == bins->usual[f])
      continue;
    bins->num_others[f]++;
    bins->features[used] = (uint32_t)f;
    bins->entry_codes[used++] = code;
  }
  bins->row_start[doc + 1] = used;
}

/* ---- Both --------------------------------------------------------------------------------------- */

/* Rows on their way into bins. */
typedef struct coding {
  dorm__tree_bins *bins;
  size_t first; /* document of the first row */
  size_t num_threads;
  bool is_bad; /* out of memory */
} coding;

static void take_rows(void *user, size_t first, size_t count, const float *rows)
{
  coding *made = user;
  dorm__tree_bins *bins = made->bins;
  first += made->first;
  if (!bins->is_sparse) {
    code_rows(bins, first, count, rows, made->num_threads);
    return;
  }
  for (size_t j = 0; j < count; j++) {
    made->is_bad = made->is_bad || !make_room(bins, bins->row_start[first + j], bins->width);
    if (!made->is_bad)
      add_row(bins, first + j, rows + j * bins->width);
  }
}

static dorm_status code_all(dorm_context *context, const dorm__tree_rows *rows, coding *made)
{
  dorm_status status = DORM_OK;
  if (rows->values)
    take_rows(made, 0, rows->num_docs, rows->values);
  else
    status = rows->visit(context, rows->user, 0, made->bins->width - rows->num_ranks, take_rows, made);
  made->first += rows->num_docs;
  return status == DORM_OK && made->is_bad ? dorm__out_of_memory(context, "bins of trees") : status;
}

/* Makes room for codes. Entries of sparse rows are allocated later. */
static bool make_codes(dorm__tree_bins *bins)
{
  if (!bins->is_sparse) {
    bins->codes = dorm__alloc(bins->num_docs, bins->width);
    return bins->codes != NULL;
  }
  bins->row_start = dorm__alloc_zero(bins->num_docs + 1, sizeof *bins->row_start);
  bins->usual = dorm__alloc(bins->width, 1);
  bins->num_others = dorm__alloc_zero(bins->width, sizeof *bins->num_others);
  for (size_t f = 0; bins->usual && f < bins->width; f++)
    bins->usual[f] = code_of(bins, f, 0);
  return bins->row_start && bins->usual && bins->num_others;
}

/* ---- Scores ------------------------------------------------------------------------------------- */

/* The side to which each code goes at a split, 0 or 1. */
typedef uint8_t code_sides[256];

static void find_sides(const dorm__tree_bins *bins, const dorm__tree *tree, code_sides *sides)
{
  for (size_t n = 0; n < tree->num_nodes; n++) {
    const dorm__tree_node *node = &tree->nodes[n];
    size_t num_cuts = dorm__tree_bins_num_cuts(bins, node->feature);
    const float *cuts = bins->cuts + bins->cut_start[node->feature];
    size_t first = node->set ? 1 : count_cuts(bins, node->feature, node->threshold); /* code on the right */
    for (size_t code = 0; code <= num_cuts; code++)
      sides[n][code] =
          code && node->set ? (uint8_t)dorm__tree_side(tree, node, cuts[code - 1]) : (code >= first || node->set);
    sides[n][num_cuts + 1] = node->absent;
  }
}

static uint32_t find_leaf(const dorm__tree_bins *bins, const dorm__tree *tree, code_sides *sides, size_t doc)
{
  uint32_t n = 0;
  while (!dorm__tree_node_is_leaf(tree, n))
    n = tree->nodes[n].child + sides[n][dorm__tree_bins_code(bins, doc, tree->nodes[n].feature)];
  return n;
}

dorm_status dorm__tree_bins_add_outputs(dorm_context *context, const dorm__tree_bins *bins,
                                        const dorm__ensemble *ensemble, size_t first, size_t count, size_t num_threads,
                                        double *outputs)
{
  size_t most = 0;
  for (size_t t = first; t < ensemble->num_trees; t++)
    most = ensemble->trees[t].num_nodes > most ? ensemble->trees[t].num_nodes : most;
  DORM__FREED code_sides *sides = dorm__alloc(most, sizeof *sides);
  if (!sides)
    return dorm__out_of_memory(context, "scores");
  for (size_t t = first; t < ensemble->num_trees; t++) {
    const dorm__tree *tree = &ensemble->trees[t];
    find_sides(bins, tree, sides);
#pragma omp parallel for num_threads((int)num_threads) if (num_threads > 1 && count > 4096)
    for (size_t j = 0; j < count; j++)
      outputs[j * ensemble->num_outputs + t % ensemble->num_outputs] += tree->values[find_leaf(bins, tree, sides, j)];
  }
  return DORM_OK;
}

/* ---- The whole ---------------------------------------------------------------------------------- */

void dorm__tree_bins_free(dorm__tree_bins *bins)
{
  if (!bins)
    return;
  dorm__free(bins->cut_start);
  dorm__free(bins->cuts);
  dorm__free(bins->is_category);
  dorm__free(bins->codes);
  dorm__free(bins->row_start);
  dorm__free(bins->features);
  dorm__free(bins->entry_codes);
  dorm__free(bins->usual);
  dorm__free(bins->num_others);
  dorm__free(bins);
}

dorm_status dorm__tree_bins_new(dorm_context *context, size_t width, const dorm__tree_rows *rows,
                                const dorm__tree_rows *others, size_t most, size_t num_threads, dorm__tree_bins **bins)
{
  *bins = NULL;
  if (!width)
    return dorm__fail(context, DORM_BAD_DATA, "training.trainer = trees: the data have no feature to split on");
  dorm__tree_bins *made = dorm__alloc_zero(1, sizeof *made);
  if (made)
    *made = (dorm__tree_bins){.num_docs = rows->num_docs + (others ? others->num_docs : 0),
                              .width = width,
                              .cut_start = dorm__alloc_zero(width + 1, sizeof *made->cut_start),
                              .is_category = dorm__alloc_zero(width, sizeof *made->is_category)};
  dorm_status status =
      made && made->cut_start && made->is_category ? DORM_OK : dorm__out_of_memory(context, "bins of trees");
  if (status == DORM_OK && rows->is_category)
    memcpy(made->is_category, rows->is_category, width * sizeof *made->is_category);
  if (status == DORM_OK)
    status = dorm__tree_cuts_fill(context, rows, most < DORM__MOST_BINS ? most : DORM__MOST_BINS, num_threads, made);
  if (status == DORM_OK && !make_codes(made))
    status = dorm__out_of_memory(context, "bins of trees");
  coding coded = {.bins = made, .num_threads = num_threads};
  if (status == DORM_OK)
    status = code_all(context, rows, &coded);
  if (status == DORM_OK && others)
    status = code_all(context, others, &coded);
  if (status == DORM_OK && made->is_sparse)
    status = dorm__processes_totals(context, width, made->num_others);
  return DORM__GIVE(status, bins, made, dorm__tree_bins_free);
}
