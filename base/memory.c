/* memory.c: allocation with overflow checks, in one place. */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

static bool byte_count(size_t count, size_t size, size_t *bytes)
{
  if (size && count > SIZE_MAX / 2 / size)
    return false;
  *bytes = count * size;
  if (!*bytes)
    *bytes = 1;
  return true;
}

void *dorm__alloc(size_t count, size_t size)
{
  size_t bytes;
  return byte_count(count, size, &bytes) ? malloc(bytes) : NULL;
}

void *dorm__alloc_zero(size_t count, size_t size)
{
  size_t bytes;
  return byte_count(count, size, &bytes) ? calloc(1, bytes) : NULL;
}

void *dorm__realloc(void *block, size_t count, size_t size)
{
  size_t bytes;
  return byte_count(count, size, &bytes) ? realloc(block, bytes) : NULL;
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
