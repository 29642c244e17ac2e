/* weights.h: weights of queries and of documents, from a file beside the data or from arrays. */
#ifndef DORM_DATA_WEIGHTS_H
#define DORM_DATA_WEIGHTS_H

#include "base/base.h"
#include "data/data.h"

/* Gives the data set the weights of FILE.weight beside the data FILE (weights.c says how lines are read), in place of
 * those that it has; where there is no such file nothing changes. */
dorm_status dorm__weights_read(dorm_context *context, const char *data_path, dorm_dataset *dataset);
/* The same for the share of a process; all processes call it together, and each sees the file. */
dorm_status dorm__weights_read_share(dorm_context *context, const char *data_path, bool is_reordered,
                                     dorm_dataset *dataset);
/* Fails where one of values[count] is negative or not finite, and calls it entry number i of `what`. values may be
 * NULL. */
dorm_status dorm__weights_check(dorm_context *context, const char *what, size_t count, const double *values);
/* The path of the weights beside a data file; the caller frees it by dorm__free. NULL when out of memory. */
char *dorm__weights_path(const char *data_path);

#endif
