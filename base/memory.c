/* memory.c: allocation with overflow checks. Asks the system for large pages for large blocks, because these are faster
 * to create, access and release. A system without large pages ignores this. */
#include "base/memory.h"
#include "base/base.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const size_t least_large = (size_t)4 << 20;
static const uintptr_t page_size = 4096;

static bool byte_count(size_t count, size_t size, size_t *bytes)
{
  if (size && count > SIZE_MAX / 2 / size)
    return false;
  *bytes = count * size;
  if (!*bytes)
    *bytes = 1;
  return true;
}

/* Advises the whole block, from the page with its first byte on. If only part of a mapping is advised, the kernel
 * splits it, and realloc must copy it instead of growing it in place. */
static void *advise(void *block, size_t bytes)
{
#ifdef MADV_HUGEPAGE
  if (block && bytes >= least_large) {
    uintptr_t first = (uintptr_t)block / page_size * page_size;
    madvise((void *)first, (uintptr_t)block + bytes - first, MADV_HUGEPAGE);
  }
#endif
  return block;
}

void *dorm__alloc(size_t count, size_t size)
{
  size_t bytes;
  return byte_count(count, size, &bytes) ? advise(malloc(bytes), bytes) : NULL;
}

void *dorm__alloc_zero(size_t count, size_t size)
{
  size_t bytes;
  return byte_count(count, size, &bytes) ? advise(calloc(1, bytes), bytes) : NULL;
}

void *dorm__realloc(void *block, size_t count, size_t size)
{
  size_t bytes;
  return byte_count(count, size, &bytes) ? advise(realloc(block, bytes), bytes) : NULL;
}

void *dorm__shrink(void *block, size_t count, size_t size)
{
  void *smaller = dorm__realloc(block, count, size);
  return smaller ? smaller : block;
}

void dorm__free(void *block)
{
  free(block);
}

void dorm__free_variable(void *pointer)
{
  void *block;
  memcpy(&block, pointer, sizeof block);
  dorm__free(block);
}

char *dorm__copy_text(const char *text)
{
  size_t size = strlen(text) + 1;
  char *copy = dorm__alloc(size, 1);
  return copy ? memcpy(copy, text, size) : NULL;
}

char *dorm__join_texts(const char *one, const char *other)
{
  size_t size = strlen(one), more = strlen(other) + 1;
  char *joined = dorm__alloc(size + more, 1);
  if (joined) {
    memcpy(joined, one, size);
    memcpy(joined + size, other, more);
  }
  return joined;
}

bool dorm__grow(void **items, size_t *capacity, size_t needed, size_t size)
{
  if (*items && needed <= *capacity)
    return true;
  size_t larger = *capacity < SIZE_MAX / 4 ? 2 * *capacity + 16 : needed;
  if (larger < needed)
    larger = needed;
  void *block = dorm__realloc(*items, larger, size);
  if (!block)
    return false;
  *items = block;
  *capacity = larger;
  return true;
}

/* ---- Region ------------------------------------------------------------------------------------ */

/* Precedes a block. */
struct dorm__region_link {
  _Alignas(max_align_t) struct dorm__region_link *next;
};

/* Links a new block, or notes that there is none. */
static void *add_block(dorm__region *region, struct dorm__region_link *link)
{
  region->is_short = region->is_short || !link;
  if (!link)
    return NULL;
  link->next = region->blocks;
  region->blocks = link;
  return link + 1;
}

void *dorm__region_take(dorm__region *region, size_t count, size_t size)
{
  size_t bytes;
  return add_block(region,
                   byte_count(count, size, &bytes) ? dorm__alloc(sizeof(struct dorm__region_link) + bytes, 1) : NULL);
}

void *dorm__region_take_zero(dorm__region *region, size_t count, size_t size)
{
  size_t bytes;
  return add_block(
      region, byte_count(count, size, &bytes) ? dorm__alloc_zero(sizeof(struct dorm__region_link) + bytes, 1) : NULL);
}

void dorm__region_clear(dorm__region *region)
{
  while (region->blocks) {
    DORM__FREED struct dorm__region_link *link = region->blocks;
    region->blocks = link->next;
  }
  region->is_short = false;
}

/* ---- Pool -------------------------------------------------------------------------------------- */

/* memory.c: many items of one size in few large slabs. This way memory is rarely requested from the system, items are
 * on consecutive pages, and all are freed without a loop over them. Each slab is twice as large as the previous one, so
 * that few items take little memory and many items get large pages (memory.c). */

enum { LINE = 64, FIRST_SLAB = 1 << 15, LARGEST_SLAB = 1 << 25 }; /* bytes */

/* A returned item, or the beginning of a slab. Links to the next one. */
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
    DORM__FREED dorm__pool_link *slab = pool->slabs;
    pool->slabs = slab->next;
  }
  *pool = dorm__pool_of(pool->size);
}
