/*
 * pool.c: many items of one size in few large slabs. So the system is rarely asked for memory, items lie on consecutive
 * pages, and all of them are freed without a walk over the items. Each slab is twice as large as the one before, so
 * that few items take little memory, and many get large pages (memory.c).
 */
#include "base/pool.h"

#include <stdint.h>

enum { LINE = 64, FIRST_SLAB = 1 << 15, LARGEST_SLAB = 1 << 25 }; /* bytes */

/* An item that was given back, or the beginning of a slab: it holds a link to the next one. */
struct dorm__pool_link {
  dorm__pool_link *next;
};

static bool add_slab(dorm__pool *pool)
{
  size_t bytes = pool->slab_bytes ? 2 * pool->slab_bytes : FIRST_SLAB;
  if (bytes > LARGEST_SLAB)
    bytes = LARGEST_SLAB;
  size_t count = bytes / pool->size + 1;
  dorm__pool_link *slab = pool->size < SIZE_MAX / 4 ? dorm__alloc(count * pool->size + 2 * LINE, 1) : NULL;
  if (!slab)
    return false;
  slab->next = pool->slabs;
  pool->slabs = slab;
  pool->slab_bytes = bytes;
  pool->fresh = (char *)slab + 2 * LINE - (uintptr_t)slab % LINE;
  pool->num_fresh = count;
  return true;
}

dorm__pool dorm__pool_of(size_t size)
{
  return (dorm__pool){.size = size < SIZE_MAX - LINE ? (size + LINE - !!size) / LINE * LINE : size};
}

void *dorm__pool_take(dorm__pool *pool)
{
  dorm__pool_link *given = pool->given_back;
  if (given) {
    pool->given_back = given->next;
    return given;
  }
  if (!pool->num_fresh && !add_slab(pool))
    return NULL;
  char *item = pool->fresh;
  pool->fresh += pool->size;
  pool->num_fresh--;
  return item;
}

void dorm__pool_give(dorm__pool *pool, void *item)
{
  dorm__pool_link *given = item;
  given->next = pool->given_back;
  pool->given_back = given;
}

void dorm__pool_clear(dorm__pool *pool)
{
  while (pool->slabs) {
    dorm__pool_link *slab = pool->slabs;
    pool->slabs = slab->next;
    dorm__free(slab);
  }
  *pool = dorm__pool_of(pool->size);
}
