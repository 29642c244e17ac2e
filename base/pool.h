/* pool.h: what pool.c offers to the other files of this folder. */
#ifndef DORM_BASE_POOL_H
#define DORM_BASE_POOL_H

#include "base/base.h"

typedef struct dorm__pool_link dorm__pool_link;

/* Memory for many items of one size, which start at cache lines. For one thread
 * at a time. */
typedef struct dorm__pool {
  size_t size;                 /* of an item, whole cache lines */
  size_t slab_bytes;           /* of the last slab */
  char *fresh;                 /* items of it that were never taken */
  size_t num_fresh;            /* of them */
  dorm__pool_link *given_back; /* items */
  dorm__pool_link *slabs;      /* owned */
} dorm__pool;

dorm__pool dorm__pool_of(size_t size);   /* of items of so many bytes */
void *dorm__pool_take(dorm__pool *pool); /* NULL when out of memory */
void dorm__pool_give(dorm__pool *pool, void *item);
void dorm__pool_clear(dorm__pool *pool); /* frees all items, taken or not */

#endif
