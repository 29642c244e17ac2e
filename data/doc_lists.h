/* doc_lists.h: what doc_lists.c offers to the other files of this folder. */
#ifndef DORM_DATA_DOC_LISTS_H
#define DORM_DATA_DOC_LISTS_H

#include "base/base.h"
#include "data/data.h"

typedef struct dorm__doc_entry {
  size_t doc;
  uint32_t number;
  double weight;
} dorm__doc_entry;

/* All zero, with room for num_entries. */
dorm_status dorm__doc_lists_new(dorm_context *context, size_t num_docs, size_t num_queries, size_t num_entries,
                                dorm__doc_lists **lists);
/* The entries of a document stay in their order. */
dorm_status dorm__doc_lists_from(dorm_context *context, size_t num_docs, size_t num_queries, size_t count,
                                 const dorm__doc_entry *entries, dorm__doc_lists **lists);
void dorm__doc_lists_free(dorm__doc_lists *lists);

#endif
