/* sort.h: sorts numbers, and documents by falling keys, completely or only the first few. */
#ifndef DORM_BASE_SORT_H
#define DORM_BASE_SORT_H

#include "base/base.h"
#include "base/memory.h"

/* Sorts values [count] in falling order. O(count log count). */
void dorm__sort_values(size_t count, double *values);
/* Sorts ids [count] in rising order. */
void dorm__sort_ids(size_t count, uint32_t *ids);
/* Fills order [count] with the items by falling key, ties in item order. Returns false when out of memory. */
bool dorm__order_descending(size_t count, const double *key, uint32_t *order);

typedef struct dorm__sort_scratch {
  uint64_t *pairs, *other_pairs; /* [max_docs] */
  uint32_t *words;               /* [max_docs] */
} dorm__sort_scratch;

/* Allocates scratch, which must be freed in any case. Returns false when out of memory. */
bool dorm__sort_scratch_alloc(size_t max_docs, dorm__sort_scratch *scratch);
void dorm__sort_scratch_free(dorm__sort_scratch *scratch);
/* Allocates scratch in a region, which frees it. */
dorm__sort_scratch dorm__sort_scratch_in(dorm__region *memory, size_t max_docs);

/* Fills order [count] with the documents by falling key, ties in document order, and sorted [count] with their keys. */
void dorm__sort_descending(size_t count, const double *key, uint32_t *order, double *sorted,
                           const dorm__sort_scratch *scratch);

enum { DORM__MOST_TOP_SORTED = 32 };
/* Does the same for the first `top` <= DORM__MOST_TOP_SORTED documents only. The others follow in document order.
 * O(count top), and O(count) for keys in random order. */
void dorm__sort_top(size_t count, size_t top, const double *key, uint32_t *order);
/* Sorts at least the first `top` documents, by the faster of the two functions. sorted [count] is scratch. */
void dorm__sort_first(size_t count, size_t top, const double *key, uint32_t *order, double *sorted,
                      const dorm__sort_scratch *scratch);

#endif
