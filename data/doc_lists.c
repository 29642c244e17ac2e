/* doc_lists.c: numbers with weights for each document: its groups, or the subtopics that it is relevant to. */
#include "data/doc_lists.h"
#include "data/data.h"

#include <string.h>

void dorm__doc_lists_free(dorm__doc_lists *lists)
{
  if (!lists)
    return;
  dorm__free(lists->start);
  dorm__free(lists->numbers);
  dorm__free(lists->weights);
  dorm__free(lists->num_subtopics);
  dorm__free(lists);
}

dorm_status dorm__doc_lists_new(dorm_context *context, size_t num_docs, size_t num_queries, size_t num_entries,
                                dorm__doc_lists **lists)
{
  *lists = NULL;
  dorm__doc_lists *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return dorm__out_of_memory(context, "groups");
  made->start = dorm__alloc_zero(num_docs + 1, sizeof *made->start);
  made->numbers = dorm__alloc_zero(num_entries, sizeof *made->numbers);
  made->weights = dorm__alloc_zero(num_entries, sizeof *made->weights);
  made->num_subtopics = dorm__alloc_zero(num_queries, sizeof *made->num_subtopics);
  if (!made->start || !made->numbers || !made->weights || !made->num_subtopics) {
    dorm__doc_lists_free(made);
    return dorm__out_of_memory(context, "groups");
  }
  *lists = made;
  return DORM_OK;
}

dorm_status dorm__doc_lists_from(dorm_context *context, size_t num_docs, size_t num_queries, size_t count,
                                 const dorm__doc_entry *entries, dorm__doc_lists **lists)
{
  dorm_status status = dorm__doc_lists_new(context, num_docs, num_queries, count, lists);
  if (status != DORM_OK)
    return status;
  size_t *start = (*lists)->start;
  for (size_t i = 0; i < count; i++)
    start[entries[i].doc + 1]++;
  for (size_t j = 0; j < num_docs; j++)
    start[j + 1] += start[j];
  for (size_t i = count; i-- > 0;) { /* backwards, so that start[j + 1] ends where the entries of document j begin */
    size_t at = --start[entries[i].doc + 1];
    (*lists)->numbers[at] = entries[i].number;
    (*lists)->weights[at] = entries[i].weight;
  }
  /* start[j + 1] is now where document j begins */
  memmove(start, start + 1, num_docs * sizeof *start);
  start[num_docs] = count;
  return DORM_OK;
}
