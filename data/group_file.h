/* group_file.h: what group_file.c offers to the other files of this folder. */
#ifndef DORM_DATA_GROUP_FILE_H
#define DORM_DATA_GROUP_FILE_H

#include "base/base.h"

/* Documents a query, from FILE.query or FILE.group beside the data FILE. */
typedef struct dorm__groups {
  char *path; /* NULL: there is no such file */
  size_t *sizes;
  size_t count;
} dorm__groups;

dorm_status dorm__groups_find(dorm_context *context, const char *data_path, dorm__groups *groups);
void dorm__groups_clear(dorm__groups *groups);

#endif
