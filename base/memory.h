/* memory.h: blocks that are freed together, and memory for many items of one size. */
#ifndef DORM_BASE_MEMORY_H
#define DORM_BASE_MEMORY_H

#include "base/base.h"

/* Blocks of different sizes. {0} is an empty region. If an allocation fails, is_short becomes true and stays so. A
 * struct with many arrays thus needs one check and one call to free them. */
typedef struct dorm__region {
  struct dorm__region_link *blocks; /* owned */
  bool is_short;
} dorm__region;

/* Allocate like dorm__alloc and dorm__alloc_zero. */
void *dorm__region_take(dorm__region *region, size_t count, size_t size);
void *dorm__region_take_zero(dorm__region *region, size_t count, size_t size);
void dorm__region_clear(dorm__region *region); /* frees all blocks */

typedef struct dorm__pool_link dorm__pool_link;

/* Each item starts at a cache line. Not thread-safe. */
typedef struct dorm__pool {
  size_t size;                 /* of an item, in whole cache lines */
  size_t slab_bytes;           /* of the last slab */
  char *fresh;                 /* items of the last slab that were never used */
  size_t num_fresh;            /* number of these */
  dorm__pool_link *given_back; /* items */
  dorm__pool_link *slabs;      /* owned */
} dorm__pool;

dorm__pool dorm__pool_of(size_t size);   /* `size`: bytes per item */
void *dorm__pool_take(dorm__pool *pool); /* NULL when out of memory */
void dorm__pool_give(dorm__pool *pool, void *item);
void dorm__pool_clear(dorm__pool *pool); /* frees all items, taken or not */

#endif
