/* doc_lists.h: making lists of numbers with weights for documents. */
#ifndef DORM_DATA_DOC_LISTS_H
#define DORM_DATA_DOC_LISTS_H

#include "base/base.h"
#include "data/data.h"

typedef struct dorm__doc_entry {
  size_t doc;
  uint32_t number;
  double weight;
} dorm__doc_entry;

/* Makes lists with room for num_entries; all numbers are zero. */
dorm_status dorm__doc_lists_new(dorm_context *context, size_t num_docs, size_t num_queries, size_t num_entries,
                                dorm__doc_lists **lists);
/* Makes lists from entries in any order; those of one document keep their order. */
dorm_status dorm__doc_lists_from(dorm_context *context, size_t num_docs, size_t num_queries, size_t count,
                                 const dorm__doc_entry *entries, dorm__doc_lists **lists);
void dorm__doc_lists_free(dorm__doc_lists *lists);

#endif
