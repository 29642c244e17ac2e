/* stream_call.h: one call of dorm_train_stream, what it opens, and which settings it refuses. */
#ifndef DORM_TRAINING_STREAM_CALL_H
#define DORM_TRAINING_STREAM_CALL_H

#include "measures/measures.h"
#include "training/stream_rows.h"

/* The mean of values that come one after the other (Welford 1962). */
typedef struct dorm__running {
  uint64_t count;
  double mean;
  double squares; /* the sum of the squared distances from the mean */
} dorm__running;

/* One call of dorm_train_stream. */
typedef struct dorm__stream_call {
  dorm_context *context;
  dorm_settings *settings; /* effective: what was left to auto is filled in */
  dorm_model *from;        /* the model of data.from, or NULL */
  uint64_t from_hash;      /* of its text */
  dorm__loss *loss;
  dorm__measure *measure;
  dorm__position_weights position_weights;
  dorm__stream_options options;
  dorm__stream_rows rows;
  dorm__query_reader *reader;
  bool is_sparse; /* all queries are; known after the first query */
  dorm__stream *stream;
  double *scores; /* of the present query */
  size_t scores_capacity;
  uint64_t num_resumed;      /* queries of the checkpoint; 0: none */
  dorm__query_place place;   /* of the last query that was learned from */
  dorm__running all, recent; /* values of the measure; since the last report */
  double started;
  bool is_broken; /* a step failed half-way */
} dorm__stream_call;

/* Opens everything except the input: model, loss, measure, rows, stream. Refuses settings that a stream cannot obey,
 * and notes settings that have no effect. The caller closes the call also on failure. */
dorm_status dorm__stream_call_open(dorm__stream_call *call, const dorm_settings *given);
/* Opens the input. A resumed stream skips the queries of the checkpoint. */
dorm_status dorm__stream_call_open_input(dorm__stream_call *call, bool is_resumed);
void dorm__stream_call_close(dorm__stream_call *call);

#endif
