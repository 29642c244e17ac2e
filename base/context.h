/* context.h: objects that a context keeps until it is freed. */
#ifndef DORM_BASE_CONTEXT_H
#define DORM_BASE_CONTEXT_H

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
/* Frees all objects. */
void dorm__kept_free(dorm_context *context);
/* Warns like dorm__warn, but only once per context and message. */
void dorm__warn_once(dorm_context *context, const char *format, ...) DORM__PRINTF(2, 3);

#endif
