/* context.h: things that a context keeps until it is freed. */
#ifndef DORM_BASE_CONTEXT_H
#define DORM_BASE_CONTEXT_H

#include "base/base.h"

/* Something that stays until the context is freed, found again by its kind and name. */
typedef struct dorm__kept {
  struct dorm__kept *next;
  const char *kind; /* static */
  void *data;
  char name[];
} dorm__kept;
/* Returns the thing kept under this kind and name, NULL if there is none. */
dorm__kept *dorm__kept_of(const dorm_context *context, const char *kind, const char *name);
/* The same; keeps `size` bytes of zeros by that name if nothing is there. NULL when out of memory. */
dorm__kept *dorm__keep(dorm_context *context, const char *kind, const char *name, size_t size);
/* A copy of a text that stays until the context is freed. NULL when out of memory. */
const char *dorm__keep_text(dorm_context *context, const char *text);
/* Frees what is kept. */
void dorm__kept_free(dorm_context *context);
/* dorm__warn, unless this context has had the same warning. */
void dorm__warn_once(dorm_context *context, const char *format, ...) DORM__PRINTF(2, 3);

#endif
