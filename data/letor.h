/* letor.h: reading LETOR text, whole or in pieces. */
#ifndef DORM_DATA_LETOR_H
#define DORM_DATA_LETOR_H

#include "base/base.h"
#include "data/byte_reader.h"
#include "data/data.h"

/* Whole lines of a file. */
typedef struct dorm__letor_piece {
  const char *path;    /* for messages; also read, unless the bytes are in memory */
  const char *memory;  /* bytes [end - begin] of the piece; NULL: they are read from the file */
  uint64_t begin, end; /* bytes of the file, inflated; end is UINT64_MAX for all that follow */
  size_t lines_before; /* in the file */
  size_t returning;    /* a line whose query is known to come back, as lines of the file are numbered; 0: none */
  bool ends_with_file;
} dorm__letor_piece;

/* Reads a whole text, whose bytes were opened. */
dorm_status dorm__letor_read(dorm_context *context, const char *path, dorm__byte_reader *bytes,
                             const dorm_read_options *options, dorm_dataset **dataset);
/* Reads this process's pieces of a text `name` that the processes of the context read together: all data sets have the
 * features of all, and the storage that suits all; where one process has no document its data set is empty. */
dorm_status dorm__letor_read_pieces(dorm_context *context, const char *name, size_t count,
                                    const dorm__letor_piece *pieces, const dorm_read_options *options,
                                    dorm_dataset **dataset);
/* Reads pieces and keeps nothing: DORM_OK, or the failure of their first bad line. */
dorm_status dorm__letor_check_pieces(dorm_context *context, const char *name, size_t count,
                                     const dorm__letor_piece *pieces, const dorm_read_options *options);

#endif
