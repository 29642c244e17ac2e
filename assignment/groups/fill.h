/* fill.h: completes a ranking of which only the first positions are filled. */
#ifndef DORM_ASSIGNMENT_GROUPS_FILL_H
#define DORM_ASSIGNMENT_GROUPS_FILL_H

#include "base/base.h"

/* Puts the documents that order[0 .. top - 1] leaves out after them, in document order; holder [num_docs] becomes the
 * position of each document in front, DORM__NO_DOC for the others. O(num_docs) */
void dorm__fill_after(size_t num_docs, size_t top, uint32_t *holder, uint32_t *order);

#endif
