/* dataset.h: data sets to be filled in. */
#ifndef DORM_DATA_DATASET_H
#define DORM_DATA_DATASET_H

#include "base/base.h"
#include "data/data.h"

typedef struct dorm__dataset_sizes {
  size_t num_docs, num_queries, num_features;
  size_t texts_size; /* bytes of ids, each ended by '\0' */
} dorm__dataset_sizes;

/* Makes a data set without values and indices; row_start, all 0, where its rows are to be sparse. */
dorm_status dorm__dataset_new_without_values(dorm_context *context, const char *name, const dorm__dataset_sizes *sizes,
                                             bool is_sparse, dorm_dataset **dataset);
/* dorm__dataset_new for sparse rows, with room for num_entries; row_start is all 0. */
dorm_status dorm__dataset_new_sparse(dorm_context *context, const char *name, const dorm__dataset_sizes *sizes,
                                     size_t num_entries, dorm_dataset **dataset);
/* The folder of the file that the values go to; NULL: they go to memory. */
const char *dorm__read_folder(const dorm_read_options *options);

#endif
