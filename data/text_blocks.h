/* text_blocks.h: what text_blocks.c offers to the other files of this folder. */
#ifndef DORM_DATA_TEXT_BLOCKS_H
#define DORM_DATA_TEXT_BLOCKS_H

#include "base/base.h"
#include "data/byte_reader.h"

/* A text file in blocks of whole lines; the next block can be fetched while
 * the present one is worked on. */
typedef struct dorm__text_blocks dorm__text_blocks;
dorm_status dorm__text_blocks_new(dorm_context *context, const char *path, dorm__byte_reader *bytes,
                                  dorm__text_blocks **blocks); /* bytes are borrowed */
void dorm__text_blocks_free(dorm__text_blocks *blocks);
/* Reads ahead; a failure waits for the next call of dorm__text_blocks_next. May
 * run beside users of the present block. */
void dorm__text_blocks_fetch(dorm__text_blocks *blocks);
/* The next block [*begin, *end), *begin is NULL behind the last; valid until the
 * call after the next fetch. *end holds a line end unless (*end)[-1] does.
 * num_lines: in the blocks so far, for messages. */
dorm_status dorm__text_blocks_next(dorm_context *context, dorm__text_blocks *blocks, size_t num_lines,
                                   const char **begin, const char **end);

#endif
