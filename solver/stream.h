/* stream.h: subgradient steps on queries, each used once. solver.h includes it. */
#ifndef DORM_SOLVER_STREAM_H
#define DORM_SOLVER_STREAM_H

#include "solver/solver.h"

/* The weights w after the queries so far. stream.c describes the step. */
typedef struct dorm__stream dorm__stream;

typedef struct dorm__stream_options {
  const dorm__position_weights *position_weights; /* borrowed */
  dorm__reference reference;
  dorm__oracle_method method;
  bool checks_oracles;
  double C;
  size_t prior; /* C is divided by the number of queries so far, but at least by `prior` > 0 */
} dorm__stream_options;

/* Makes a stream without features, whose w is 0. */
dorm_status dorm__stream_new(dorm_context *context, const dorm__stream_options *options, dorm__stream **stream);
void dorm__stream_free(dorm__stream *stream);
/* Makes `base` [width] the w of an empty stream, which then minimises over w - base. */
dorm_status dorm__stream_start_at(dorm_context *context, dorm__stream *stream, size_t width, const double *base);
/* Takes a data set of one query with its rows and loss tables. Fills scores [num_docs] with the scores that the query
 * has before the step, then takes the step. features->num_features may grow from query to query. New features are 0 in
 * earlier queries. On failure the stream may be partly changed. O(rows, and width if C is divided). */
dorm_status dorm__stream_take(dorm_context *context, dorm__stream *stream, const dorm_dataset *query,
                              const dorm__features *features, dorm__loss_tables *tables, double *scores);
/* Returns the number of queries so far, without queries whose rankings all cost the same. */
uint64_t dorm__stream_num_trained(const dorm__stream *stream);
/* Returns w [*width], borrowed until the next call. */
const double *dorm__stream_weights(const dorm__stream *stream, size_t *width);

/* Writes the state of the stream, without its options and its base. */
void dorm__stream_save(const dorm__stream *stream, dorm__record_writer *writer);
/* Reads a record into a new stream with the same options and base, which then continues to the same bits.
 * reader->is_bad becomes true if the record does not fit. */
dorm_status dorm__stream_restore(dorm_context *context, dorm__stream *stream, dorm__record_reader *reader);

#endif
