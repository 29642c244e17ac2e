/* kept.h: what a context keeps until it is freed. */
#ifndef DORM_BASE_KEPT_H
#define DORM_BASE_KEPT_H

#include "base/base.h"

/* Frees what is kept. */
void dorm__kept_free(dorm_context *context);

#endif
