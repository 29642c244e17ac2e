/* status.h: structs that callers allocate, which say how large the caller's version of them is. */
#ifndef DORM_BASE_STATUS_H
#define DORM_BASE_STATUS_H

#include "base/base.h"

/* A public struct whose first field is size_t struct_size. Structs only grow at the end: `older` has the sizes of
 * released versions before this one, in any order, 0 after the last. */
typedef struct dorm__struct {
  const char *name;
  size_t size;
  size_t older[4];
} dorm__struct;
#define DORM__STRUCT(type) (&(const dorm__struct){#type, sizeof(type), {0}})

/* DORM_BAD_USAGE, with a sentence that names the argument, if the struct_size of a struct is none of its sizes. */
dorm_status dorm__struct_check(dorm_context *context, const char *argument, const dorm__struct *known,
                               const void *given);
/* The same, and copies it to `full`, a struct of this version, in which the fields that an older version does not have
 * are 0. A struct that is NULL becomes one of zeros. */
dorm_status dorm__struct_take(dorm_context *context, const char *argument, const dorm__struct *known, const void *given,
                              void *full);
/* Fills a struct of a caller, whose size was checked, from one of this version: the fields that the caller has. */
void dorm__struct_give(const void *full, void *given);

#endif
