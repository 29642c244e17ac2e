/* json.h: what json.c offers to the other files of this folder. */
#ifndef DORM_DATA_JSON_H
#define DORM_DATA_JSON_H

#include "base/base.h"
#include "data/data.h"

/* Hands the texts of the list "ids" of a JSON object to `take`. */
dorm_status dorm__json_ids(dorm_context *context, const dorm__line_reader *reader, const char *line, const char *end,
                           dorm_status (*take)(void *user, const char *id), void *user);

#endif
