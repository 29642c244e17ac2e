/* dataset.h: data sets with sparse rows, to be filled in. */
#ifndef DORM_DATA_DATASET_H
#define DORM_DATA_DATASET_H

#include "base/base.h"
#include "data/data.h"

/* dorm__dataset_new for sparse rows, with room for num_entries; row_start is all 0. */
dorm_status dorm__dataset_new_sparse(dorm_context *context, const char *name, size_t num_docs, size_t num_queries,
                                     size_t num_features, size_t num_entries, size_t texts_size,
                                     dorm_dataset **dataset);

#endif
