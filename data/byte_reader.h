/* byte_reader.h: the bytes of a plain or compressed file. */
#ifndef DORM_DATA_BYTE_READER_H
#define DORM_DATA_BYTE_READER_H

#include "base/base.h"

enum { DORM__MAGIC_SIZE = 8, DORM__LARGEST_LINE = 1 << 28 };

/* The bytes of a file, inflated when it is gzip. */
typedef struct dorm__byte_reader dorm__byte_reader;
dorm_status dorm__byte_reader_open(dorm_context *context, const char *path, dorm__byte_reader **reader);
/* The same for a reader of what is written meanwhile: a pipe is taken as plain text, gzip or not. */
dorm_status dorm__byte_reader_open_live(dorm_context *context, const char *path, dorm__byte_reader **reader);
/* Hands out bytes [size] in memory, which stay where they are until the reader is closed. */
dorm_status dorm__byte_reader_from_memory(dorm_context *context, const char *bytes, size_t size,
                                          dorm__byte_reader **reader);
void dorm__byte_reader_close(dorm__byte_reader *reader);
/* Whether the file is plain and starts with these bytes. */
bool dorm__byte_reader_starts_with(const dorm__byte_reader *reader, const char magic[DORM__MAGIC_SIZE]);
uint64_t dorm__byte_reader_size(const dorm__byte_reader *reader); /* of a regular file */
/* The most bytes that can come; reading fails where a gzip file inflates to more. UINT64_MAX for a pipe. */
uint64_t dorm__byte_reader_most(const dorm__byte_reader *reader);
/* From now on the reader hands out the bytes [begin, end) of the file, inflated; the file may end before. It is called
 * before the first read, or later where begin is above 0, with a regular file. */
dorm_status dorm__byte_reader_limit(dorm_context *context, dorm__byte_reader *reader, uint64_t begin, uint64_t end);
/* Reads `size` bytes; *count is smaller only at the end of the file. */
dorm_status dorm__byte_reader_read(dorm_context *context, dorm__byte_reader *reader, void *bytes, size_t size,
                                   size_t *count);
/* Reads the bytes that are there, at most `size`, and waits for the first one; *count is 0 only at the end of the file.
 * DORM_STOPPED, with a message, when the work is cancelled meanwhile. */
dorm_status dorm__byte_reader_read_some(dorm_context *context, dorm__byte_reader *reader, void *bytes, size_t size,
                                        size_t *count);

#endif
