/* xgboost.h: grows one tree at a time with libxgboost, from gradients and curvatures, and reads XGBoost's text form of
 * a tree. */
#ifndef DORM_TREES_XGBOOST_H
#define DORM_TREES_XGBOOST_H

#include "trees/trees.h"

typedef struct dorm__tree_growth {
  size_t leaves;
  size_t bins;
  double least_curvature; /* sum of curvatures of a leaf, at least */
  double penalty;         /* added to the sum of curvatures of a leaf in the gain of a split */
  double features_share;
  uint64_t seed; /* draws the features */
} dorm__tree_growth;

/* Grows a tree best-first. gradient and curvature [num_docs]; they are borrowed, but the interface of the library wants
 * them writable. The values of the leaves are those of the library, minus gradients over curvatures. */
dorm_status dorm__tree_grow(dorm_context *context, dorm__tree_grower *grower, const dorm__tree_growth *growth,
                            float *gradient, float *curvature, dorm__tree *tree);
/* The tree that XGBoost's text dump (with statistics) describes. DORM_BAD_DATA when it describes none. */
dorm_status dorm__tree_from_dump(dorm_context *context, const char *text, dorm__tree *tree);

#endif
