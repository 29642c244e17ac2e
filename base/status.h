/* status.h: objects that a context keeps until it is freed, and structs that callers allocate and that contain the size
 * of the caller's version. */
#ifndef DORM_BASE_STATUS_H
#define DORM_BASE_STATUS_H

#include "base/base.h"

/* An object that lives until the context is freed, identified by kind and name. */
typedef struct dorm__kept {
  struct dorm__kept *next;
  const char *kind; /* a string constant */
  void *data;
  char name[];
} dorm__kept;
/* Returns the object with this kind and name, or NULL. */
dorm__kept *dorm__kept_of(const dorm_context *context, const char *kind, const char *name);
/* Returns the object with this kind and name. If there is none, creates one of `size` zero bytes. NULL when out of
 * memory. */
dorm__kept *dorm__keep(dorm_context *context, const char *kind, const char *name, size_t size);
/* Copies a text to memory that lives until the context is freed. NULL when out of memory. */
const char *dorm__keep_text(dorm_context *context, const char *text);
/* Warns like dorm__warn, but only once per context and message. */
void dorm__warn_once(dorm_context *context, const char *format, ...) DORM__PRINTF(2, 3);

/* ---- Structs ----------------------------------------------------------------------------------- */

/* A public struct whose first field is size_t struct_size. Structs only grow at the end. `older` lists the sizes of
 * earlier released versions in any order, and ends with 0. */
typedef struct dorm__struct {
  const char *name;
  size_t size;
  size_t older[4];
} dorm__struct;
#define DORM__STRUCT(type) (&(const dorm__struct){#type, sizeof(type), {0}})

/* Returns DORM_BAD_USAGE, with a message that names the argument, if struct_size is none of the known sizes. */
dorm_status dorm__struct_check(dorm_context *context, const char *argument, const dorm__struct *known,
                               const void *given);
/* Checks the struct and copies it to `full`, a struct of this version. Fields that an older version lacks become 0.
 * NULL counts as a struct of zeros. */
dorm_status dorm__struct_take(dorm_context *context, const char *argument, const dorm__struct *known, const void *given,
                              void *full);
/* Copies from a struct of this version to a caller's struct, whose size was checked, the fields that the caller has. */
void dorm__struct_give(const void *full, void *given);

#endif
