/* record.h: writes numbers, texts and arrays in sequence to a binary file and reads them back. The file is in this
 * machine's byte order and ends with the FNV-1a checksum of all bytes before it. It is written completely or not at all
 * (base/file.h). */
#ifndef DORM_BASE_RECORD_H
#define DORM_BASE_RECORD_H

#include "base/base.h"
#include "base/file.h"

typedef dorm__output dorm__record_writer;

dorm_status dorm__record_create(dorm_context *context, const char *path, dorm__record_writer **writer);
void dorm__record_put_bytes(dorm__record_writer *writer, const void *bytes, size_t size);
void dorm__record_put_count(dorm__record_writer *writer, uint64_t count);
void dorm__record_put_number(dorm__record_writer *writer, double number);
/* Writes only the numbers. The reader must know their count. */
void dorm__record_put_numbers(dorm__record_writer *writer, size_t count, const double *numbers);
void dorm__record_put_text(dorm__record_writer *writer, const char *text);
/* Writes the checksum and commits the file. */
dorm_status dorm__record_commit(dorm_context *context, dorm__record_writer *writer);

/* Reads from bytes[at, size). After an error is_bad stays true, and everything read is 0. */
typedef struct dorm__record_reader {
  const char *bytes; /* borrowed */
  size_t size;       /* without the checksum */
  size_t at;
  bool is_bad;
} dorm__record_reader;

/* Whether the last eight bytes are the checksum of the others. If so, `reader` starts at the first byte. */
bool dorm__record_open(const char *bytes, size_t size, dorm__record_reader *reader);
/* Returns `count` items of `size` bytes, borrowed, or NULL if fewer are left. */
const void *dorm__record_take(dorm__record_reader *reader, size_t count, size_t size);
uint64_t dorm__record_take_word(dorm__record_reader *reader);
/* Reads a word as a size. Sets is_bad if it exceeds size_t. */
size_t dorm__record_take_count(dorm__record_reader *reader);
double dorm__record_take_number(dorm__record_reader *reader);
void dorm__record_take_numbers(dorm__record_reader *reader, size_t count, double *numbers);
/* Reads a text, which the caller frees. Returns NULL if it is incomplete or memory is out. */
char *dorm__record_take_text(dorm__record_reader *reader);

#endif
