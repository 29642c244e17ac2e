/* stream_call.h: one call of dorm_train_stream, the objects that it opens, and the settings that it refuses. */
#ifndef DORM_TRAINING_STREAM_CALL_H
#define DORM_TRAINING_STREAM_CALL_H

#include "base/hash.h"
#include "training/training.h"

/* ---- Stream rows ------------------------------------------------------------------------------- */

/* Feature `i` in the order of appearance has weight number i of the rows. With a rank block, it has weight number 2 i
 * for its value and 2 i + 1 for its rank. */
typedef struct dorm__stream_rows {
  dorm__feature_map map; /* normalisation and rank block, with arrays that belong to `from`, or are NULL */
  dorm__id_ranges chosen;
  bool keeps_values;      /* rows are copies, and the data sets keep their values */
  const dorm_model *from; /* with its normalisation, borrowed, or NULL */
  size_t num_ids, capacity;
  size_t *ids; /* [num_ids] in the order of appearance */
  dorm__index_map *numbers;
  size_t num_own, own_capacity;
  size_t *own;    /* [num_own] ids of the present query, increasing */
  size_t *places; /* [num_own] their numbers */
} dorm__stream_rows;

dorm_status dorm__stream_rows_open(dorm_context *context, const dorm_settings *settings, const dorm_model *from,
                                   dorm__stream_rows *rows);
void dorm__stream_rows_close(dorm__stream_rows *rows);
/* Numbers the features of `ids` as if they had appeared in this order. */
dorm_status dorm__stream_rows_add(dorm_context *context, dorm__stream_rows *rows, size_t count, const size_t *ids);
/* Makes the rows of a query. Unless the values are kept, the data set has none afterwards. O(entries), for dense rows
 * O(documents width). */
dorm_status dorm__stream_rows_make(dorm_context *context, dorm__stream_rows *rows, dorm_dataset *query,
                                   dorm__features *features);
size_t dorm__stream_rows_width(const dorm__stream_rows *rows);
/* Makes a linear model with these weights [width]. */
dorm_status dorm__stream_rows_model(dorm_context *context, const dorm__stream_rows *rows, const double *weights,
                                    const dorm_settings *settings, dorm_model **model);
/* Makes the *width weights of rows->from in the numbering of the rows. The caller frees them. */
dorm_status dorm__stream_rows_weights(dorm_context *context, const dorm__stream_rows *rows, double **weights,
                                      size_t *width);

/* ---- Stream call -------------------------------------------------------------------------------- */

/* The mean of values that come one after the other (Welford 1962). */
typedef struct dorm__running {
  uint64_t count;
  double mean;
  double squares; /* the sum of the squared distances from the mean */
} dorm__running;

/* One call of dorm_train_stream. */
typedef struct dorm__stream_call {
  dorm_context *context;
  dorm_settings *settings; /* effective, with values in place of auto */
  dorm_model *from;        /* the model of data.from, or NULL */
  uint64_t from_hash;      /* of its text */
  dorm__loss *loss;
  dorm__measure *measure;
  dorm__position_weights position_weights;
  dorm__stream_options options;
  dorm__stream_rows rows;
  dorm__query_reader *reader;
  bool is_sparse; /* whether all queries are, known after the first query */
  dorm__stream *stream;
  double *scores; /* of the present query */
  size_t scores_capacity;
  uint64_t num_resumed;      /* queries of the checkpoint, or 0 */
  dorm__query_place place;   /* of the last query that was learned from */
  dorm__running all, recent; /* values of the measure, of all queries and since the last report */
  double started;
  bool is_broken; /* a step failed half-way */
} dorm__stream_call;

/* Opens everything except the input: model, loss, measure, rows, stream. Refuses settings that a stream cannot obey,
 * and notes settings that have no effect. The caller closes the call, even on failure. */
dorm_status dorm__stream_call_open(dorm__stream_call *call, const dorm_settings *given);
/* Opens the input. A resumed stream skips the queries of the checkpoint. */
dorm_status dorm__stream_call_open_input(dorm__stream_call *call, bool is_resumed);
void dorm__stream_call_close(dorm__stream_call *call);

#endif
