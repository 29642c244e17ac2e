/* batch_scores.h: a data set query by query, some at a time, for rows that are made and forgotten again. */
#ifndef DORM_FEATURES_BATCH_SCORES_H
#define DORM_FEATURES_BATCH_SCORES_H

#include "data/data.h"

/* The end of the batch of queries that begins at `first`: one query or more, of some million values. */
size_t dorm__batch_end(const dorm_dataset *dataset, size_t first);
/* Shows the queries first .. end - 1 as a data set that borrows everything but query_start [end - first + 1], and has
 * their values come in where these stand in a file. */
dorm_dataset dorm__batch(const dorm_dataset *dataset, size_t first, size_t end, size_t *query_start);

#endif
