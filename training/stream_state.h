/* stream_state.h: a training on a stream, and the checkpoint from which it goes on. */
#ifndef DORM_TRAINING_STREAM_STATE_H
#define DORM_TRAINING_STREAM_STATE_H

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

void dorm__running_add(dorm__running *running, double value);
/* NaN for fewer than two values. */
double dorm__running_error(const dorm__running *running);

/* Writes the checkpoint that output.checkpoint names, if it names one. */
dorm_status dorm__stream_state_save(const dorm__stream_call *call);
/* Reads it where output.resume = yes and the file is there; refuses to replace one that is not to be replaced.
 * *is_there says whether one was read. */
dorm_status dorm__stream_state_read(dorm__stream_call *call, bool *is_there);

#endif
