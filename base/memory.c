/*
 * memory.c: allocation with overflow checks, in one place. For large blocks of memory the system is asked for large
 * pages, which take a fraction of the time to be made, walked through and given back. A system that has none ignores
 * that.
 */
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

/* Advises the whole block, from the page that contains its first byte. If only part of a mapping is advised, the
 * kernel splits it in two, and realloc must then copy it instead of growing it in place. */
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

void dorm__free(void *block)
{
  free(block);
}

char *dorm__copy_text(const char *text)
{
  size_t size = strlen(text) + 1;
  char *copy = dorm__alloc(size, 1);
  return copy ? memcpy(copy, text, size) : NULL;
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
