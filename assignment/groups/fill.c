/* fill.c: completes a ranking of which only the first positions are filled. */
#include "assignment/call.h"
#include "assignment/groups/groups.h"

void dorm__fill_after(size_t num_docs, size_t top, uint32_t *holder, uint32_t *order)
{
  for (size_t j = 0; j < num_docs; j++)
    holder[j] = DORM__NO_DOC;
  for (size_t p = 0; p < top; p++)
    holder[order[p]] = (uint32_t)p;
  for (size_t j = 0, p = top; j < num_docs; j++)
    if (holder[j] == DORM__NO_DOC)
      order[p++] = (uint32_t)j;
}
