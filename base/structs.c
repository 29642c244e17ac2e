/* structs.c: structs that callers allocate. Their first field says how large the caller's version of them is. */
#include "base/structs.h"

#include <string.h>

dorm_status dorm__struct_check(dorm_context *context, const char *argument, const dorm__struct *known,
                               const void *given)
{
  size_t size = *(const size_t *)given;
  bool is_known = size == known->size;
  for (size_t i = 0; i < sizeof known->older / sizeof *known->older; i++)
    is_known = is_known || (size && size == known->older[i]);
  if (is_known)
    return DORM_OK;
  return dorm__fail(context, DORM_BAD_USAGE,
                    "%s.struct_size is %zu: it has to be sizeof(%s), which is %zu in this version", argument, size,
                    known->name, known->size);
}

dorm_status dorm__struct_take(dorm_context *context, const char *argument, const dorm__struct *known, const void *given,
                              void *full)
{
  dorm_status status = given ? dorm__struct_check(context, argument, known, given) : DORM_OK;
  memset(full, 0, known->size);
  if (given && status == DORM_OK)
    memcpy(full, given, *(const size_t *)given);
  memcpy(full, &known->size, sizeof known->size);
  return status;
}

void dorm__struct_give(const void *full, void *given)
{
  size_t size = *(const size_t *)given;
  memcpy(given, full, size);
  memcpy(given, &size, sizeof size);
}
