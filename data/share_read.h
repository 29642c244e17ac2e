/* share_read.h: reading the share of one process from files that all share. */
#ifndef DORM_DATA_SHARE_READ_H
#define DORM_DATA_SHARE_READ_H

#include "data/data.h"

/* Whether the path names several files: a pattern that no file has as its name, or one with %r. */
bool dorm__share_is_pattern(const char *path);
/* Reads the shards of this process, options->num_shards of all, and deals them: from a cache, or from text. All
 * processes call it together. */
dorm_status dorm__share_read(dorm_context *context, const char *path, const dorm_read_options *options,
                             dorm_dataset **dataset);

#endif
