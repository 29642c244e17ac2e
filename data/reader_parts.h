/* reader_parts.h: the small parts that readers share: bytes of a file, texts, ids, lists of documents. */
#ifndef DORM_DATA_READER_PARTS_H
#define DORM_DATA_READER_PARTS_H

#include "base/base.h"
#include "data/data.h"

/* ---- Byte reader ------------------------------------------------------------------------------- */

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
/* The most bytes that can come; reading fails if a gzip file inflates to more. UINT64_MAX for a pipe. */
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

/* ---- Text buffers ------------------------------------------------------------------------------ */

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

/* ---- Id set ------------------------------------------------------------------------------------ */

/* A set of feature ids from 0 to DORM__LARGEST_ID. Its memory grows with the ids that are in it. Adding returns false
 * when out of memory. */
typedef struct dorm__id_set dorm__id_set;
dorm__id_set *dorm__id_set_new(void);
void dorm__id_set_free(dorm__id_set *set);
size_t dorm__id_set_count(const dorm__id_set *set);
bool dorm__id_set_add(dorm__id_set *set, uint32_t id);
bool dorm__id_set_add_all(dorm__id_set *set, const dorm__id_set *other);
/* Must be called after the last change and before dorm__id_set_rank. */
void dorm__id_set_rank_all(dorm__id_set *set);
uint32_t dorm__id_set_rank(const dorm__id_set *set, uint32_t id); /* how many members are smaller than this one */
void dorm__id_set_list(const dorm__id_set *set, size_t *ids);     /* [count], increasing */

/* ---- Doc lists --------------------------------------------------------------------------------- */

typedef struct dorm__doc_entry {
  size_t doc;
  uint32_t number;
  double weight;
} dorm__doc_entry;

/* Makes lists with room for num_entries; all numbers are zero. */
dorm_status dorm__doc_lists_new(dorm_context *context, size_t num_docs, size_t num_queries, size_t num_entries,
                                dorm__doc_lists **lists);
/* Makes lists from entries in any order; values of one document keep their order. */
dorm_status dorm__doc_lists_from(dorm_context *context, size_t num_docs, size_t num_queries, size_t count,
                                 const dorm__doc_entry *entries, dorm__doc_lists **lists);
void dorm__doc_lists_free(dorm__doc_lists *lists);

#endif
