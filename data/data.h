/*
 * data.h: everything read or written: data sets, features made from them,
 * model files, score files, artificial data.
 */
#ifndef DORM_DATA_DATA_H
#define DORM_DATA_DATA_H

#include "base/base.h"

/* ---- line_reader.c: the only door to zlib -------------------------------- */

/* Reads a text file, plain or gzip, line by line. */
typedef struct dorm__line_reader dorm__line_reader;
dorm_status dorm__line_reader_open(dorm_context *context, const char *path, dorm__line_reader **reader);
void dorm__line_reader_close(dorm__line_reader *reader);
/* The next line [*line, *end) without its end, *end is followed by a byte that
 * may be read; *line is NULL behind the last. Valid until the next call. */
dorm_status dorm__line_reader_next(dorm_context *context, dorm__line_reader *reader, const char **line,
                                   const char **end);
size_t dorm__line_reader_number(const dorm__line_reader *reader); /* of the last line, from 1 */
/* "path:line: ..." */
dorm_status dorm__line_reader_fail(dorm_context *context, const dorm__line_reader *reader, const char *format, ...)
    DORM__PRINTF(3, 4);

/* ---- dataset.c ---------------------------------------------------------- */

/* Dense: values [num_docs][num_features], row-major. Sparse (compressed rows):
 * the entries of row j are values[row_start[j] .. row_start[j + 1] - 1], their
 * columns increase, what is absent is 0. */
struct dorm_dataset {
  size_t num_docs;
  size_t num_queries;
  size_t num_features;
  size_t *query_start; /* [num_queries + 1] */
  double *labels;      /* [num_docs] */
  size_t *feature_ids; /* [num_features], increasing */
  float *values;
  size_t *row_start;   /* [num_docs + 1]; NULL: dense */
  uint32_t *columns;   /* [row_start[num_docs]]; NULL: dense */
  char *texts;         /* the ids below, each ended by '\0' */
  size_t *query_texts; /* [num_queries], offsets into texts */
  size_t *doc_texts;   /* [num_docs] */
  char *name;          /* the file's path, or what made it */
};

/* An empty dense data set with room for the counts; the arrays are zero. */
dorm_status dorm__dataset_new(dorm_context *context, const char *name, size_t num_docs, size_t num_queries,
                              size_t num_features, size_t texts_size, dorm_dataset **dataset);
/* The same with compressed rows: room for num_entries, row_start all 0. */
dorm_status dorm__dataset_new_sparse(dorm_context *context, const char *name, size_t num_docs, size_t num_queries,
                                     size_t num_features, size_t num_entries, size_t texts_size,
                                     dorm_dataset **dataset);
size_t dorm__dataset_max_docs(const dorm_dataset *dataset); /* of a query */

/* ---- gather.c ------------------------------------------------------------- */

/* A query of a data set. */
typedef struct dorm__query_of {
  const dorm_dataset *dataset;
  size_t query;
} dorm__query_of;

/* A data set of its own from `count` queries, in that order. The queries may
 * come from two data sets; features are then the union of both. */
dorm_status dorm__dataset_gather(dorm_context *context, const char *name, size_t count, const dorm__query_of *queries,
                                 dorm_dataset **dataset);

/* ---- group_file.c ------------------------------------------------------- */

/* Documents a query, from FILE.query or FILE.group beside the data FILE. */
typedef struct dorm__groups {
  char *path; /* NULL: there is no such file */
  size_t *sizes;
  size_t count;
} dorm__groups;

dorm_status dorm__groups_find(dorm_context *context, const char *data_path, dorm__groups *groups);
void dorm__groups_clear(dorm__groups *groups);

/* ---- trec_write.c, trec_read.c ------------------------------------------ */

/* The id of a document, or "D17" for line 17 where the data give none. */
typedef struct dorm__doc_name {
  const char *given; /* owned by the data set */
  char made[24];
} dorm__doc_name;

dorm__doc_name dorm__doc_name_of(const dorm_dataset *dataset, size_t doc);
const char *dorm__doc_name_text(const dorm__doc_name *name);

/* ---- features.c, features_dense.c, features_sparse.c --------------------- */

/* How a model sees a document: for each id its value, normalised within the
 * query, then, when rank_block > 0, rank_block times its mid-rank within the
 * query, 1 - (above + (ties - 1) / 2) / (docs - 1), 1/2 where constant. */
typedef struct dorm__feature_map {
  size_t num_ids;
  const size_t *ids; /* borrowed, increasing */
  bool min_max;      /* x -> (x - min) / (max - min) within the query, 0 where constant */
  double rank_block; /* 0: no rank features */
} dorm__feature_map;

/* Rows, stored as the data set's are: dense, or sparse with increasing
 * columns. A constant added to a feature of all documents of a query changes
 * no ranking, so sparse rows leave out the shift that would fill them (min-max
 * is x / (max - min), a rank is less the rank of 0): scores differ from those
 * of dense rows by a constant within each query. */
typedef struct dorm__features {
  size_t num_docs;
  size_t num_features; /* num_ids, or twice that with a rank block */
  float *values;
  size_t *row_start; /* [num_docs + 1]; NULL: dense */
  uint32_t *columns; /* NULL: dense */
  double *exact;     /* [num_docs][num_features], instead of `values`, for rows that are computed (kernels/) */
} dorm__features;

/* One row: feature indices[i] (i itself when indices is NULL: dense) has
 * values[i], i < count; all others are 0. */
typedef struct dorm__row {
  const uint32_t *indices;
  const float *values;
  const double *exact; /* instead of values; else NULL */
  size_t count;
} dorm__row;

size_t dorm__feature_map_width(const dorm__feature_map *map);
/* O(entries), with a rank block O(entries log docs_per_query). */
dorm_status dorm__features_build(dorm_context *context, const dorm_dataset *dataset, const dorm__feature_map *map,
                                 size_t num_threads, dorm__features *features);
/* Dense rows whatever the storage of the data: a kernel sees the shifts too. */
dorm_status dorm__features_build_full(dorm_context *context, const dorm_dataset *dataset, const dorm__feature_map *map,
                                      size_t num_threads, dorm__features *features);
void dorm__features_free(dorm__features *features);
dorm__row dorm__features_row(const dorm__features *features, size_t doc);
/* scores[i] = <weights, row first + i>, i < count; sums in double. */
void dorm__features_score(const dorm__features *features, size_t first, size_t count, const double *weights,
                          double *scores);
/* result += factor * row doc */
void dorm__features_add(const dorm__features *features, size_t doc, double factor, double *result);

/* Rows of the given storage for a map whose id i is column columns[i] of the
 * data set (num_features: nowhere in it). Out of memory: false. */
bool dorm__features_build_dense(const dorm_dataset *dataset, const dorm__feature_map *map, const size_t *columns,
                                size_t num_threads, dorm__features *features);
bool dorm__features_build_sparse(const dorm_dataset *dataset, const dorm__feature_map *map, const size_t *columns,
                                 size_t num_threads, dorm__features *features);

/* Sorts by falling value; equal values in the order of the documents. */
typedef struct dorm__valued_doc {
  float value;
  uint32_t doc;
} dorm__valued_doc;
void dorm__sort_valued(size_t count, dorm__valued_doc *items);

/* ---- model.c, model_file.c ---------------------------------------------- */

/* A part of a model that is a kernel's: score += sum_p weights[p] k(x, pivots[p])
 * over rows of the feature map with this rank block. */
typedef struct dorm__model_part {
  char *kernel; /* expression (kernels/expression.c), every parameter spelled out */
  double rank_block;
  size_t num_pivots;
  float *pivots;   /* [num_pivots][width of the map] */
  double *weights; /* [num_pivots] */
} dorm__model_part;

/* A linear model of the rows that a feature map makes, and kernel parts beside it. */
struct dorm_model {
  size_t num_ids;
  size_t *ids; /* [num_ids], increasing */
  bool min_max;
  double rank_block;
  double *weights; /* [width of the map]: values first, then ranks */
  size_t num_parts;
  dorm__model_part *parts; /* [num_parts] */
  dorm_settings *settings; /* that made it, with what was left to auto filled in */
};

/* Weights 0; ids and settings are copied. */
dorm_status dorm__model_new(dorm_context *context, const dorm__feature_map *map, const dorm_settings *settings,
                            dorm_model **model);
dorm__feature_map dorm__model_map(const dorm_model *model);
/* Copies a part into the model. */
dorm_status dorm__model_add_part(dorm_context *context, dorm_model *model, const dorm__model_part *part);
dorm__feature_map dorm__model_part_map(const dorm_model *model, const dorm__model_part *part);
/* What the text says; kernels/model.c checks the kernels (dorm_model_read). */
dorm_status dorm__model_read(dorm_context *context, const char *path, dorm_model **model);

/* ---- model_parts.c: kernel parts in the model file ----------------------- */

/* A part being read: pivots come line after line. */
typedef struct dorm__part_reader {
  dorm__model_part part;
  size_t expected; /* pivots */
  size_t width;
  size_t pivots_capacity, weights_capacity;
} dorm__part_reader;

void dorm__model_parts_write(const dorm_model *model, dorm__output *output);
/* "RANK_BLOCK NUM_PIVOTS EXPRESSION", behind the word kernel. */
dorm_status dorm__part_reader_start(dorm_context *context, const dorm__line_reader *lines, size_t num_ids, char *text,
                                    dorm__part_reader *reader);
/* "WEIGHT id:value ... [/ id:rank ...]", behind the word pivot. */
dorm_status dorm__part_reader_pivot(dorm_context *context, const dorm__line_reader *lines, size_t num_ids,
                                    const size_t *ids, char *text, dorm__part_reader *reader);
void dorm__part_reader_clear(dorm__part_reader *reader);

#endif
