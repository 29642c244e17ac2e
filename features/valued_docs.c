/* valued_docs.c: the documents of a query in the order of one feature, from which their ranks are taken. */
#include "features/valued_docs.h"

#include <stdlib.h>

static int compare_descending(const void *x, const void *y)
{
  const dorm__valued_doc *a = x;
  const dorm__valued_doc *b = y;
  if (a->value != b->value)
    return a->value < b->value ? 1 : -1;
  return (a->doc > b->doc) - (a->doc < b->doc);
}

void dorm__sort_valued(size_t count, dorm__valued_doc *items)
{
  qsort(items, count, sizeof *items, compare_descending);
}
