/* sums.h: sums over documents that do not depend on their order, for trees alone. */
#ifndef DORM_TREES_SUMS_H
#define DORM_TREES_SUMS_H

#include "base/base.h"

/* Terms of two sums, for each document. */
typedef struct dorm__tree_terms {
  size_t num_docs;
  const bool *is_drawn;               /* [num_docs], the documents that count, or NULL for all */
  const double *gradient, *curvature; /* [num_docs] */
  size_t num_threads;
} dorm__tree_terms;

/* Factors that make terms whole numbers (dorm__tree_whole), whose sum over all processes fits into 64 bits. */
typedef struct dorm__tree_scales {
  double gradient, curvature;
  double largest_curvature; /* of a document of any process */
} dorm__tree_scales;

/* Finds the scales. All processes call it together. */
dorm_status dorm__tree_scales_find(dorm_context *context, const dorm__tree_terms *terms, dorm__tree_scales *scales);

/* Returns a term of a sum of whole numbers. The bits of negative terms add up as well. */
static inline uint64_t dorm__tree_whole(double term, double scale)
{
  return (uint64_t)(int64_t)(term * scale);
}

/* Returns the sum, from the sum of the whole numbers. */
static inline double dorm__tree_total(uint64_t whole, double scale)
{
  return (double)(int64_t)whole / scale;
}

#endif
