/* query_sizes.h: how many documents each query has, where a file beside the data says so. */
#ifndef DORM_DATA_QUERY_SIZES_H
#define DORM_DATA_QUERY_SIZES_H

#include "base/base.h"

/* Query sizes from FILE.query or FILE.group beside the data FILE. */
typedef struct dorm__query_sizes {
  char *path;    /* NULL: there is no such file */
  size_t *sizes; /* [count] documents of each query */
  size_t count;
} dorm__query_sizes;

dorm_status dorm__query_sizes_find(dorm_context *context, const char *data_path, dorm__query_sizes *found);
void dorm__query_sizes_clear(dorm__query_sizes *found);

#endif
