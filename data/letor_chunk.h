/* letor_chunk.h: what letor_chunk.c offers to the other files of this folder. */
#ifndef DORM_DATA_LETOR_CHUNK_H
#define DORM_DATA_LETOR_CHUNK_H

#include "base/base.h"
#include "data/id_set.h"

/* A piece of text inside a chunk. */
typedef struct dorm__span {
  uint32_t offset;
  uint32_t size;
} dorm__span;

/* One document line. */
typedef struct dorm__letor_row {
  double label;
  dorm__span query; /* the id behind "qid:"; of size 0 when the line has none */
  dorm__span doc;   /* docid = X of the comment, else empty */
  uint32_t line;    /* of the chunk, from 0 */
  uint32_t end;     /* of its entries */
} dorm__letor_row;

enum { DORM__CHUNK_MESSAGE_SIZE = 160 };

/* Some whole lines and what they hold. Arrays grow and are kept from use to use. */
typedef struct dorm__letor_chunk {
  const char *begin, *end;
  bool may_lack_query;
  bool may_lack_label; /* a line without a label has the label 0 */
  size_t num_lines;
  size_t num_rows;
  size_t num_entries;
  size_t num_nonzero; /* among the entries */
  size_t num_missing; /* entries without a known value, which are NaN */
  dorm__letor_row *rows;
  uint32_t *ids; /* of the entries */
  float *values;
  dorm_status status; /* DORM_BAD_DATA: line num_lines (from 1) is bad; out of memory */
  bool has_query;     /* the bad line's query, rows[num_rows].query, was still read */
  char message[DORM__CHUNK_MESSAGE_SIZE];
  size_t rows_capacity, ids_capacity, values_capacity;
  size_t first_row, first_nonzero; /* in the row store */
} dorm__letor_chunk;

/* Reads the lines [begin, end) up to the first bad one; feature ids go into
 * `ids` too. begin[-1] and *end need not be there, but end[-1] or *end is a
 * line end. O(size of the text). */
void dorm__letor_chunk_read(dorm__letor_chunk *chunk, const char *begin, const char *end, dorm__id_set *ids);
void dorm__letor_chunk_clear(dorm__letor_chunk *chunk);

#endif
