/* feature_rows.h: documents with the values that they are sorted by when ranks are taken. */
#ifndef DORM_FEATURES_FEATURE_ROWS_H
#define DORM_FEATURES_FEATURE_ROWS_H

#include "base/base.h"

typedef struct dorm__valued_doc {
  float value;
  uint32_t doc;
} dorm__valued_doc;

/* Sorts by falling value; equal values in any order. O(count log count). */
void dorm__sort_valued(size_t count, dorm__valued_doc *items);

#endif
