/* byte_reader.h: what byte_reader.c offers to the other files of this folder. */
#ifndef DORM_DATA_BYTE_READER_H
#define DORM_DATA_BYTE_READER_H

#include "base/base.h"

enum { DORM__MAGIC_SIZE = 8, DORM__LARGEST_LINE = 1 << 28 };

/* The bytes of a file, inflated when it is gzip. */
typedef struct dorm__byte_reader dorm__byte_reader;
dorm_status dorm__byte_reader_open(dorm_context *context, const char *path, dorm__byte_reader **reader);
void dorm__byte_reader_close(dorm__byte_reader *reader);
/* Whether a plain file starts so. */
bool dorm__byte_reader_starts_with(const dorm__byte_reader *reader, const char magic[DORM__MAGIC_SIZE]);
uint64_t dorm__byte_reader_size(const dorm__byte_reader *reader); /* of a regular file */
/* No more bytes than this can come, UINT64_MAX from a pipe: gzip packs 1032 into one at best. */
uint64_t dorm__byte_reader_most(const dorm__byte_reader *reader);
/* *count < size only at the end of the file. */
dorm_status dorm__byte_reader_read(dorm_context *context, dorm__byte_reader *reader, void *bytes, size_t size,
                                   size_t *count);

#endif
