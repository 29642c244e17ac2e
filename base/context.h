/* context.h: what a context keeps until it is freed. */
#ifndef DORM_BASE_CONTEXT_H
#define DORM_BASE_CONTEXT_H

#include "base/base.h"

/* Frees what is kept. */
void dorm__kept_free(dorm_context *context);
/* dorm__warn, unless this context has had the same warning. */
void dorm__warn_once(dorm_context *context, const char *format, ...) DORM__PRINTF(2, 3);

#endif
