/* query_order.h: brings the documents of a query together. */
#ifndef DORM_DATA_QUERY_ORDER_H
#define DORM_DATA_QUERY_ORDER_H

#include "base/base.h"
#include "data/data.h"

/* Sorts the documents by query_of[num_docs], the number of each one's query, and sets query_start; documents of one
 * query keep their order. `input_order` then says where each one stood. O(values). */
dorm_status dorm__dataset_order(dorm_context *context, dorm_dataset *dataset, const size_t *query_of);

#endif
