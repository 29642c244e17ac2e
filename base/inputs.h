/* inputs.h: which files a context has read, so that no output replaces one (dorm_context_guard_inputs). */
#ifndef DORM_BASE_INPUTS_H
#define DORM_BASE_INPUTS_H

#include "base/base.h"

/* Whether both names are of one file, by device and inode, or by name if there is none yet. "-" is standard input. */
bool dorm__is_same_file(const char *one, const char *two);
/* Remembers a regular file that is read, if the context guards its inputs. Fails only when out of memory. */
dorm_status dorm__input_add(dorm_context *context, const char *path);
/* Permits replacing a file that was read, such as the model that training started from. */
void dorm__input_remove(dorm_context *context, const char *path);
void dorm__inputs_free(dorm_context *context);

#endif
