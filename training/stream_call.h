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
  dorm__stream_options options; /* is_sparse is known with the first query */
  dorm__stream_rows rows;
  dorm__query_reader *reader;
  dorm__stream *stream;      /* NULL before the first query */
  uint64_t num_resumed;      /* queries of the checkpoint; 0: none */
  dorm__query_place place;   /* of the last query that was learned from */
  dorm__running all, recent; /* values of the measure; since the last report */
  double started;
  bool is_broken; /* a query was learned from in part */
} dorm__stream_call;

/* Opens what the settings name, but for the input: model, loss, measure, rows. Refuses settings that a stream would not
 * obey, and notes those that it has no use for. The call is closed also on failure. */
dorm_status dorm__stream_call_open(dorm__stream_call *call, const dorm_settings *given);
/* Opens the input, and passes over what was learned from before if the stream is resumed. */
dorm_status dorm__stream_call_open_input(dorm__stream_call *call, bool is_resumed);
void dorm__stream_call_close(dorm__stream_call *call);

#endif
