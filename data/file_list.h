/* file_list.h: the files that several processes read as one. */
#ifndef DORM_DATA_FILE_LIST_H
#define DORM_DATA_FILE_LIST_H

#include "base/base.h"

typedef struct dorm__file_list {
  size_t count;
  char **paths;     /* [count] in the order in which they are read */
  uint64_t *sizes;  /* [count] bytes as they stand there; of files that this process cannot see, 0 */
  bool is_own_each; /* process r alone sees file r */
} dorm__file_list;

/* Finds the files of `path`: itself; where no file has this name and it has a *, ?, [ or {, the files that it matches,
 * in the order of their names; where it has %r, a file for each process of the context, %r being its number. All
 * processes call it together. */
dorm_status dorm__file_list_find(dorm_context *context, const char *path, dorm__file_list *list);
void dorm__file_list_clear(dorm__file_list *list);

#endif
