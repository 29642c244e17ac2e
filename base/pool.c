/*
 * pool.c: items of one size, many of them, in few large blocks: no call of the
 * system for every few items, one page of memory after the other, and nothing to
 * walk through at the end. Each block is twice as large as the one before, so
 * that few items take little and many get large pages (memory.c).
 */
#include "base/pool.h"

#include <stdint.h>

enum { LINE = 64, FIRST_BLOCK = 1 << 15, LARGEST_BLOCK = 1 << 25 }; /* bytes */

/* An item that was given back, or the beginning of a block: a link to the next one. */
struct dorm__pool_link {
  dorm__pool_link *next;
};

static bool add_block(dorm__pool *pool)
{
  size_t bytes = pool->block_bytes ? 2 * pool->block_bytes : FIRST_BLOCK;
  if (bytes > LARGEST_BLOCK)
    bytes = LARGEST_BLOCK;
  size_t count = bytes / pool->size + 1;
  dorm__pool_link *block = pool->size < SIZE_MAX / 4 ? dorm__alloc(count * pool->size + 2 * LINE, 1) : NULL;
  if (!block)
    return false;
  block->next = pool->blocks;
  pool->blocks = block;
  pool->block_bytes = bytes;
  pool->fresh = (char *)block + 2 * LINE - (uintptr_t)block % LINE;
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
  if (!pool->num_fresh && !add_block(pool))
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
  while (pool->blocks) {
    dorm__pool_link *block = pool->blocks;
    pool->blocks = block->next;
    dorm__free(block);
  }
  *pool = dorm__pool_of(pool->size);
}
