/* text_buffers.h: a text file in buffers of whole lines, read ahead. */
#ifndef DORM_DATA_TEXT_BUFFERS_H
#define DORM_DATA_TEXT_BUFFERS_H

#include "base/base.h"
#include "data/byte_reader.h"

/* A text file in buffers of whole lines; the next buffer can be fetched while
 * the present one is worked on. */
typedef struct dorm__text_buffers dorm__text_buffers;
/* A buffer has half a megabyte where one thread works on it, and four where several do. bytes are borrowed. */
dorm_status dorm__text_buffers_new(dorm_context *context, const char *path, dorm__byte_reader *bytes,
                                   size_t num_threads, dorm__text_buffers **buffers);
void dorm__text_buffers_free(dorm__text_buffers *buffers);
/* Reads ahead. A failure is reported by the next call of dorm__text_buffers_next. May run while other threads use the
 * present buffer. */
void dorm__text_buffers_fetch(dorm__text_buffers *buffers);
/* Hands out the next buffer [*begin, *end); *begin is NULL after the last. It stays valid until the call after the
 * next fetch. *end holds a line end unless (*end)[-1] does. num_lines is the number of lines in the buffers before,
 * for messages. */
dorm_status dorm__text_buffers_next(dorm_context *context, dorm__text_buffers *buffers, size_t num_lines,
                                    const char **begin, const char **end);

#endif
