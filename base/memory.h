/* memory.h: memory that is freed together: many items of one size, or blocks of any size. */
#ifndef DORM_BASE_MEMORY_H
#define DORM_BASE_MEMORY_H

#include "base/base.h"

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

/* Blocks of any size. After a failure is_out stays true, so that one check after all calls suffices. Not thread-safe.
 */
typedef struct dorm__region {
  dorm__pool_link *blocks; /* owned */
  bool is_out;             /* of memory */
} dorm__region;

/* Returns count * size zero bytes, or NULL when out of memory. */
void *dorm__region_take(dorm__region *region, size_t count, size_t size);
void dorm__region_clear(dorm__region *region); /* frees all blocks */

#endif
