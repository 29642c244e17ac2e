/* row_store.h: the rows of features while a file is read. */
#ifndef DORM_DATA_ROW_STORE_H
#define DORM_DATA_ROW_STORE_H

#include "data/data.h"
#include "data/letor.h"
#include "data/line_reader.h"
#include "data/reader_parts.h"

/* Dense rows: values [num_rows][width] in the order of `ids`. Sparse rows: the entries other than 0. `indices` holds
 * ids until the end. */
typedef struct dorm__row_store {
  const char *path;     /* for messages (borrowed) */
  dorm_storage storage; /* requested by the caller */
  size_t num_threads;
  bool is_dense;
  size_t num_rows;
  size_t num_nonzero;
  size_t width;
  dorm__id_set *ids; /* of all rows */
  float *values;
  dorm__file_memory *file; /* holds dense values, or NULL if they are in memory */
  size_t *row_start;       /* sparse: [num_rows + 1] */
  uint32_t *indices;
  size_t values_capacity, starts_capacity, indices_capacity;
  double share_read; /* of the text, with the next append, or 0 if not known */
} dorm__row_store;

/* The rule of DORM_STORAGE_AUTO: rows are dense if there are few of them, or if they are dense enough. */
bool dorm__rows_are_few(uint64_t num_rows, size_t width);
bool dorm__dense_suits(uint64_t num_rows, uint64_t num_nonzero, size_t width);

/* Opens a store, which is cleared in any case. `folder` is for the file of DORM_STORAGE_FILE, else NULL. */
dorm_status dorm__row_store_open(dorm_context *context, const char *path, dorm_storage storage, const char *folder,
                                 size_t num_threads, dorm__row_store *store);
void dorm__row_store_clear(dorm__row_store *store);
/* Appends the rows of the chunks. `ids` are the ids of all rows including these. */
dorm_status dorm__row_store_append(dorm_context *context, dorm__row_store *store, size_t num_chunks,
                                   dorm__letor_chunk *chunks, const dorm__id_set *ids);
/* Makes the final choice of storage, and moves rows and feature ids to the data set. `ids` are the ids of all rows. */
dorm_status dorm__row_store_finish(dorm_context *context, dorm__row_store *store, const dorm__id_set *ids,
                                   dorm_dataset *dataset);

/* ---- Weights ----------------------------------------------------------------------------------- */

/* Replaces the weights of the data set by FILE.weight beside the data FILE (weights.c). Does nothing if there is no
 * such file. For the share of a process, all processes call it together, and each must see the file. is_reordered says
 * that the order of the documents of all processes differs from the file. */
dorm_status dorm__weights_read(dorm_context *context, const char *data_path, bool is_reordered, dorm_dataset *dataset);
/* Fails if any of values[count] is negative or not finite. The message calls it entry i of `what`. values may be
 * NULL. */
dorm_status dorm__weights_check(dorm_context *context, const char *what, size_t count, const double *values);
/* Finds the first of the files data_path + ending that exists, then without the .gz of data_path. *path is NULL if
 * there is none. The caller frees it. */
dorm_status dorm__file_beside(dorm_context *context, const char *data_path, size_t num_endings,
                              const char *const *endings, char **path);
/* The path of the weights beside a data file. The caller frees it by dorm__free. NULL when out of memory. */
char *dorm__weights_path(const char *data_path);

/* ---- Query sizes ------------------------------------------------------------------------------- */

/* Query sizes from FILE.query or FILE.group beside the data FILE. */
typedef struct dorm__query_sizes {
  char *path;    /* or NULL if there is no such file */
  size_t *sizes; /* [count] documents of each query */
  size_t count;
} dorm__query_sizes;

dorm_status dorm__query_sizes_find(dorm_context *context, const char *data_path, dorm__query_sizes *found);
void dorm__query_sizes_clear(dorm__query_sizes *found);

/* ---- Query order ------------------------------------------------------------------------------- */

/* Sorts the documents by query_of[num_docs], the numbers of their queries, and sets query_start. Documents of a query
 * keep their order. Sets `input_order` to the previous places. O(values). */
dorm_status dorm__dataset_order(dorm_context *context, dorm_dataset *dataset, const size_t *query_of);

#endif
