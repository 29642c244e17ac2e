/* group_sort.h: what group_sort.c offers to the other files of this folder. */
#ifndef DORM_ASSIGNMENT_GROUPS_GROUP_SORT_H
#define DORM_ASSIGNMENT_GROUPS_GROUP_SORT_H

#include "base/base.h"

/* Puts what order [top] leaves out behind it, in document order; holder
 * [num_docs] becomes the position of each document in front. */
void dorm__fill_behind(size_t num_docs, size_t top, uint32_t *holder, uint32_t *order);

#endif
