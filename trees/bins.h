/* bins.h: the inside of bins, for the grower alone. */
#ifndef DORM_TREES_BINS_H
#define DORM_TREES_BINS_H

#include "trees/trees.h"

/* Bin b of a feature holds the values v with cuts[b - 1] <= v < cuts[b]. Missing values have the code `missing`. */
struct dorm__tree_bins {
  size_t num_docs;
  size_t width;
  uint8_t *codes;    /* [num_docs][width], row-major */
  size_t *cut_start; /* [width + 1]; feature f has cuts cut_start[f] .. cut_start[f + 1] - 1, and one bin more */
  float *cuts;       /* increasing within a feature */
  bool *has_missing; /* [width] */
  size_t missing;    /* the largest number of bins of a feature */
  size_t stride;     /* entries of a histogram for each feature: 8 times an odd number, more than `missing` */
};

static inline size_t dorm__tree_bins_num_cuts(const dorm__tree_bins *bins, size_t feature)
{
  return bins->cut_start[feature + 1] - bins->cut_start[feature];
}

#endif
