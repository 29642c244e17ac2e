/* letor.h: reading LETOR text. */
#ifndef DORM_DATA_LETOR_H
#define DORM_DATA_LETOR_H

#include "data/data.h"
#include "data/line_reader.h"
#include "data/reader_parts.h"

/* Reads a text from opened bytes. */
dorm_status dorm__letor_read(dorm_context *context, const char *path, dorm__byte_reader *bytes,
                             const dorm_read_options *options, dorm_dataset **dataset);

/* ---- csv.c ---------------------------------------------------------------------------------------- */

/* Whether a file name ends in .csv, .tsv, .csv.gz or .tsv.gz. */
bool dorm__csv_is(const char *path);
/* Also true for standard input if the options name columns. */
bool dorm__csv_is_meant(const char *path, const dorm_read_options *options);
/* Reads CSV or TSV, plain or gzip. DORM_BAD_DATA names file, line and value. O(size of the text). */
dorm_status dorm__csv_read(dorm_context *context, const char *path, const dorm_read_options *options,
                           dorm_dataset **dataset);

/* ---- Letor chunk ------------------------------------------------------------------------------- */

/* Recognises a file format by the first bytes, and names it and a command that converts it, for messages. NULL if
 * unknown. */
const char *dorm__foreign_format(const char *begin, size_t size);

/* A piece of text inside a chunk. */
typedef struct dorm__span {
  uint32_t offset;
  uint32_t size;
} dorm__span;

/* A line with a document. */
typedef struct dorm__letor_row {
  double label;
  dorm__span query;   /* the id after "qid:", empty if there is none */
  dorm__span doc;     /* X of "docid = X" in the comment, in `texts` of the chunk, else empty */
  uint32_t line;      /* its number in the chunk, from 0 */
  uint32_t end;       /* end of its entries */
  bool is_same_query; /* as the row above in the chunk, with an id */
} dorm__letor_row;

enum { DORM__CHUNK_MESSAGE_SIZE = 160 };

/* The ids of documents, each with a zero byte at its end. */
typedef struct dorm__chunk_texts {
  char *bytes; /* [size] */
  size_t size, capacity;
} dorm__chunk_texts;

typedef struct dorm__row_place {
  size_t row, nonzero;
} dorm__row_place;

/* Some whole lines and their parsed rows. The arrays grow and are reused for further lines. */
typedef struct dorm__letor_chunk {
  const char *begin, *end;
  bool may_lack_query;
  bool may_lack_label; /* a line without a label gets label 0 */
  size_t num_lines;
  size_t num_rows;
  size_t num_entries;
  size_t num_nonzero; /* among the entries */
  size_t num_missing; /* entries that are missing (NaN) */
  dorm__letor_row *rows;
  uint32_t *ids; /* of the entries */
  float *values;
  dorm__chunk_texts texts;
  dorm_status status; /* DORM_BAD_DATA: line num_lines (from 1) is bad, or DORM_OUT_OF_MEMORY */
  bool has_query;     /* rows[num_rows].query belongs to the bad line */
  char message[DORM__CHUNK_MESSAGE_SIZE];
  size_t rows_capacity, ids_capacity, values_capacity;
  dorm__row_place first; /* in the row store */
} dorm__letor_chunk;

/* Parses the lines [begin, end) up to the first bad one, and adds their feature ids to `ids`. end[-1] or *end must be a
 * line end. O(size of the text). */
void dorm__letor_chunk_read(dorm__letor_chunk *chunk, const char *begin, const char *end, dorm__id_set *ids);
void dorm__letor_chunk_clear(dorm__letor_chunk *chunk);

#endif
