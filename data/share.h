/* share.h: reading of a whole data set, and of the share of one process. */
#ifndef DORM_DATA_SHARE_H
#define DORM_DATA_SHARE_H

#include "data/data.h"

/* dataset_read.c: reads all of a file, whatever options->num_shards is. */
dorm_status dorm__dataset_read_whole(dorm_context *context, const char *path, const dorm_read_options *options,
                                     dorm_dataset **dataset);

#endif
