/* sums.h: sums over documents, for trees alone. They do not depend on the order of the documents. */
#ifndef DORM_TREES_SUMS_H
#define DORM_TREES_SUMS_H

#include "base/base.h"

/* The terms of two sums, of gradients and of curvatures: one of each for each document. */
typedef struct dorm__tree_terms {
  size_t num_docs;
  const bool *is_drawn;               /* [num_docs], the documents that count, or NULL for all */
  const double *gradient, *curvature; /* [num_docs] */
  size_t num_threads;
} dorm__tree_terms;

/* Factors by which terms are multiplied before dorm__tree_whole rounds them to whole numbers. The sum of these over all
 * processes fits into 64 bits. */
typedef struct dorm__tree_scales {
  double gradient, curvature;
  double largest_curvature; /* largest curvature of a document that counts, in any process */
} dorm__tree_scales;

/* Finds the scales. All processes call it together, and get the same scales. */
dorm_status dorm__tree_scales_find(dorm_context *context, const dorm__tree_terms *terms, dorm__tree_scales *scales);

/* Returns term * scale, rounded toward 0, in two's complement: the words of positive and negative terms can be added.
 */
static inline uint64_t dorm__tree_whole(double term, double scale)
{
  return (uint64_t)(int64_t)(term * scale);
}

/* Returns the sum of the terms. `whole` is the sum of their words. */
static inline double dorm__tree_total(uint64_t whole, double scale)
{
  return (double)(int64_t)whole / scale;
}

#endif
