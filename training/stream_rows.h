/* stream_rows.h: the rows of queries that come one after the other, whose features are numbered as they appear. */
#ifndef DORM_TRAINING_STREAM_ROWS_H
#define DORM_TRAINING_STREAM_ROWS_H

#include "base/index_map.h"
#include "training/training.h"

/* Feature `i` in the order of appearance has the weight i of the rows, or, with a rank block, 2 i for its value and 2 i
 * + 1 for its rank. */
typedef struct dorm__stream_rows {
  dorm__feature_map map; /* normalisation and rank block; its arrays are those of `from`, or NULL */
  dorm__id_ranges chosen;
  bool keeps_values;      /* rows are copies, and the data sets keep their values */
  const dorm_model *from; /* with its normalisation; NULL: none; borrowed */
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
/* A linear model with these weights [width]. */
dorm_status dorm__stream_rows_model(dorm_context *context, const dorm__stream_rows *rows, const double *weights,
                                    const dorm_settings *settings, dorm_model **model);
/* The *width weights of rows->from in the numbering of the rows; the caller frees them. */
dorm_status dorm__stream_rows_weights(dorm_context *context, const dorm__stream_rows *rows, double **weights,
                                      size_t *width);

#endif
