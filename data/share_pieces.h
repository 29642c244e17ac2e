/* share_pieces.h: the pieces of files that a process reads. */
#ifndef DORM_DATA_SHARE_PIECES_H
#define DORM_DATA_SHARE_PIECES_H

#include "base/base.h"
#include "data/file_list.h"
#include "data/letor.h"
#include "data/share_plan.h"

typedef struct dorm__share_pieces {
  size_t count;
  dorm__letor_piece *pieces;
  char **received; /* [count] bytes of files that only other processes see; NULL: of a file */
} dorm__share_pieces;

/* Finds the pieces of this process. Where each process sees its own file only, those that have lines of others send
 * them, in rounds of limited size; memory for the bytes that this process receives. */
dorm_status dorm__share_pieces_find(dorm_context *context, const dorm__file_list *files, const dorm__share_plan *plan,
                                    dorm__share_pieces *found);
void dorm__share_pieces_clear(dorm__share_pieces *found);

#endif
