/* valued_docs.c: the documents of a query in the order of one feature, from which their ranks are taken. Documents of
 * equal value come in any order, since they share a rank. */
#include "features/valued_docs.h"

#include <stdlib.h>

static int compare_descending(const void *x, const void *y)
{
  const dorm__valued_doc *a = x;
  const dorm__valued_doc *b = y;
  return (a->value < b->value) - (a->value > b->value);
}

/* qsort calls a function for each comparison, which short lists need not. */
void dorm__sort_valued(size_t count, dorm__valued_doc *items)
{
  enum { SHORT_LIST = 64 };
  if (count <= SHORT_LIST) {
    for (size_t i = 1; i < count; i++) {
      dorm__valued_doc item = items[i];
      size_t place = i;
      for (; place > 0 && item.value > items[place - 1].value; place--)
        items[place] = items[place - 1];
      items[place] = item;
    }
    return;
  }
  qsort(items, count, sizeof *items, compare_descending);
}
