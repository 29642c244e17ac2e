/* feature_map.h: what feature_map.c offers to the other files of this folder. */
#ifndef DORM_FEATURES_FEATURE_MAP_H
#define DORM_FEATURES_FEATURE_MAP_H

#include "base/base.h"

/* Sorts by falling value; equal values in the order of the documents. */
typedef struct dorm__valued_doc {
  float value;
  uint32_t doc;
} dorm__valued_doc;

#endif
