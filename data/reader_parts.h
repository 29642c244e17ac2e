/* reader_parts.h: parts that the readers share: bytes of a file, texts, ids, lists of documents. */
#ifndef DORM_DATA_READER_PARTS_H
#define DORM_DATA_READER_PARTS_H

#include "data/data.h"

/* ---- Byte reader ------------------------------------------------------------------------------- */

enum { DORM__MAGIC_SIZE = 8, DORM__LARGEST_LINE = 1 << 28 };

/* The bytes of a file, inflated when it is gzip. */
typedef struct dorm__byte_reader dorm__byte_reader;
dorm_status dorm__byte_reader_open(dorm_context *context, const char *path, dorm__byte_reader **reader);
/* Opens an input that is being written meanwhile. Takes a pipe as plain text. */
dorm_status dorm__byte_reader_open_live(dorm_context *context, const char *path, dorm__byte_reader **reader);
/* Reads bytes [size] in memory, which the caller keeps until the reader is closed. */
dorm_status dorm__byte_reader_from_memory(dorm_context *context, const char *bytes, size_t size,
                                          dorm__byte_reader **reader);
void dorm__byte_reader_close(dorm__byte_reader *reader);
/* Whether the file is plain and starts with these bytes. */
bool dorm__byte_reader_starts_with(const dorm__byte_reader *reader, const char magic[DORM__MAGIC_SIZE]);
uint64_t dorm__byte_reader_size(const dorm__byte_reader *reader); /* of a regular file */
/* An upper bound of the bytes to come. Reading fails if a gzip file inflates to more. UINT64_MAX for a pipe. */
uint64_t dorm__byte_reader_most(const dorm__byte_reader *reader);
/* Restricts the reader to the bytes [begin, end) of the inflated file, which may end earlier. Must be called before the
 * first read, or later on a regular file with begin > 0. */
dorm_status dorm__byte_reader_limit(dorm_context *context, dorm__byte_reader *reader, uint64_t begin, uint64_t end);
/* Reads `size` bytes. *count is smaller only at the end of the file. */
dorm_status dorm__byte_reader_read(dorm_context *context, dorm__byte_reader *reader, void *bytes, size_t size,
                                   size_t *count);
/* Reads the available bytes, at most `size`, and waits for the first one. *count is 0 only at the end of the file.
 * Returns DORM_STOPPED, with a message, when cancelled. */
dorm_status dorm__byte_reader_read_some(dorm_context *context, dorm__byte_reader *reader, void *bytes, size_t size,
                                        size_t *count);

/* ---- Text buffers ------------------------------------------------------------------------------ */

/* A text file in buffers of whole lines. The next buffer can be fetched while the current one is parsed. */
typedef struct dorm__text_buffers dorm__text_buffers;
/* A buffer has half a megabyte for one thread and four megabytes for several. `bytes` are borrowed. */
dorm_status dorm__text_buffers_new(dorm_context *context, const char *path, dorm__byte_reader *bytes,
                                   size_t num_threads, dorm__text_buffers **buffers);
void dorm__text_buffers_free(dorm__text_buffers *buffers);
/* Reads ahead. The next call of dorm__text_buffers_next reports a failure. May run while other threads use the current
 * buffer. */
void dorm__text_buffers_fetch(dorm__text_buffers *buffers);
/* Returns the next buffer [*begin, *end), or *begin = NULL after the last. It is valid until the call after the next
 * fetch. *end is a line end unless (*end)[-1] is one. num_lines is the number of lines in earlier buffers, for
 * messages. */
dorm_status dorm__text_buffers_next(dorm_context *context, dorm__text_buffers *buffers, size_t num_lines,
                                    const char **begin, const char **end);

/* ---- Id set ------------------------------------------------------------------------------------ */

/* A set of feature ids from 0 to DORM__LARGEST_ID. Its memory grows with its members. Adding returns false when out of
 * memory. */
typedef struct dorm__id_set dorm__id_set;
dorm__id_set *dorm__id_set_new(void);
void dorm__id_set_free(dorm__id_set *set);
size_t dorm__id_set_count(const dorm__id_set *set);
bool dorm__id_set_add(dorm__id_set *set, uint32_t id);
bool dorm__id_set_add_all(dorm__id_set *set, const dorm__id_set *other);
/* Computes the ranks. Must be called after the last change and before dorm__id_set_rank. */
void dorm__id_set_rank_all(dorm__id_set *set);
uint32_t dorm__id_set_rank(const dorm__id_set *set, uint32_t id); /* number of smaller members */
void dorm__id_set_list(const dorm__id_set *set, size_t *ids);     /* [count], increasing */

/* ---- Doc lists --------------------------------------------------------------------------------- */

typedef struct dorm__doc_entry {
  size_t doc;
  uint32_t number;
  double weight;
} dorm__doc_entry;

/* Makes lists with room for num_entries. All numbers are zero. */
dorm_status dorm__doc_lists_new(dorm_context *context, size_t num_docs, size_t num_queries, size_t num_entries,
                                dorm__doc_lists **lists);
/* Makes lists from entries in any order. The entries of a document keep their order. */
dorm_status dorm__doc_lists_from(dorm_context *context, size_t num_docs, size_t num_queries, size_t count,
                                 const dorm__doc_entry *entries, dorm__doc_lists **lists);
void dorm__doc_lists_free(dorm__doc_lists *lists);

#endif
