/* bins.h: the content of bins, for the grower alone. */
#ifndef DORM_TREES_BINS_H
#define DORM_TREES_BINS_H

#include "trees/trees.h"

enum { DORM__MOST_BINS = 255 }; /* codes 0 .. 254, and one more code for missing values */

/* Bin b of a feature holds the values v with cuts[b - 1] <= v < cuts[b]. If the values are categories, bin b holds the
 * category cuts[b - 1], and bin 0 all values that are not among them. Dense rows have a code for each feature,
 * sparse rows an entry for each feature whose code is not the usual one. */
struct dorm__tree_bins {
  size_t num_docs;
  size_t width;
  size_t *cut_start; /* [width + 1] feature f has cuts cut_start[f] .. cut_start[f + 1] - 1, and one bin more */
  float *cuts;       /* increasing within a feature */
  bool *is_category; /* [width] */
  bool is_sparse;
  /* dense: */
  uint8_t *codes; /* [num_docs][width], row-major */
  size_t stride;  /* entries of a histogram for each feature: 8 times an odd number, more than all codes */
  /* sparse: */
  size_t *row_start;    /* [num_docs + 1] */
  uint32_t *features;   /* [row_start[num_docs]], increasing within a row */
  uint8_t *entry_codes; /* [row_start[num_docs]] */
  size_t capacity;      /* of both */
  uint8_t *usual;       /* [width], the code of 0 */
  uint64_t *num_others; /* [width], number of documents of all processes with another code */
};

static inline size_t dorm__tree_bins_num_cuts(const dorm__tree_bins *bins, size_t feature)
{
  return bins->cut_start[feature + 1] - bins->cut_start[feature];
}

/* Returns the code of missing values of a feature. */
static inline size_t dorm__tree_bins_missing(const dorm__tree_bins *bins, size_t feature)
{
  return dorm__tree_bins_num_cuts(bins, feature) + 1;
}

/* Returns the code of a feature of a sparse row. O(log entries). */
uint8_t dorm__tree_bins_sparse_code(const dorm__tree_bins *bins, size_t doc, size_t feature);

static inline uint8_t dorm__tree_bins_code(const dorm__tree_bins *bins, size_t doc, size_t feature)
{
  return bins->is_sparse ? dorm__tree_bins_sparse_code(bins, doc, feature) : bins->codes[doc * bins->width + feature];
}

/* ---- cuts.c ------------------------------------------------------------- */

/* Fills the cuts of all features, at most `most` - 1 for each. Also finds whether the rows are so sparse that their
 * codes should be sparse. */
dorm_status dorm__tree_cuts_fill(dorm_context *context, const dorm__tree_rows *rows, size_t most, size_t num_threads,
                                 dorm__tree_bins *bins);

#endif
