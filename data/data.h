/*
 * data.h: everything read or written: data sets, features made from them,
 * model files, score files, artificial data.
 */
#ifndef DORM_DATA_DATA_H
#define DORM_DATA_DATA_H

#include "base/base.h"

/* ---- byte_reader.c: the only door to zlib -------------------------------- */

enum { DORM__MAGIC_SIZE = 8, DORM__LARGEST_LINE = 1 << 28 };

/* The bytes of a file, inflated when it is gzip. */
typedef struct dorm__byte_reader dorm__byte_reader;
dorm_status dorm__byte_reader_open(dorm_context *context, const char *path, dorm__byte_reader **reader);
void dorm__byte_reader_close(dorm__byte_reader *reader);
/* Whether a plain file starts so. */
bool dorm__byte_reader_starts_with(const dorm__byte_reader *reader, const char magic[DORM__MAGIC_SIZE]);
uint64_t dorm__byte_reader_size(const dorm__byte_reader *reader); /* of a regular file */
/* No more bytes than this can come, UINT64_MAX from a pipe: gzip packs 1032 into one at best. */
uint64_t dorm__byte_reader_most(const dorm__byte_reader *reader);
/* *count < size only at the end of the file. */
dorm_status dorm__byte_reader_read(dorm_context *context, dorm__byte_reader *reader, void *bytes, size_t size,
                                   size_t *count);

/* ---- line_reader.c ------------------------------------------------------- */

/* Reads a text file, plain or gzip, line by line. */
typedef struct dorm__line_reader dorm__line_reader;
dorm_status dorm__line_reader_open(dorm_context *context, const char *path, dorm__line_reader **reader);
void dorm__line_reader_close(dorm__line_reader *reader);
/* The next line [*line, *end) without its end, *end is followed by a byte that
 * may be read; *line is NULL behind the last. Valid until the next call. */
dorm_status dorm__line_reader_next(dorm_context *context, dorm__line_reader *reader, const char **line,
                                   const char **end);
uint64_t dorm__line_reader_most(const dorm__line_reader *reader); /* bytes of all lines, as above */
size_t dorm__line_reader_number(const dorm__line_reader *reader); /* of the last line, from 1 */
/* Words of a line between blanks. Returns how many, at most `most` + 1; the first
 * `most` are filled in. */
typedef struct dorm__word {
  const char *begin;
  size_t size;
} dorm__word;
size_t dorm__split_words(const char *line, const char *end, size_t most, dorm__word *words);
/* "path:line: ..." */
dorm_status dorm__line_reader_fail(dorm_context *context, const dorm__line_reader *reader, const char *format, ...)
    DORM__PRINTF(3, 4);

/* ---- setting_lines.c ------------------------------------------------------ */

/* "setting KEY = VALUE", one line a setting. */
void dorm__setting_lines_write(const dorm_settings *settings, dorm__output *output);
/* "KEY = VALUE", behind the word setting; writes into text. */
dorm_status dorm__setting_line_read(dorm_context *context, const dorm__line_reader *lines, char *text,
                                    dorm_settings *settings);

/* ---- text_blocks.c ------------------------------------------------------- */

/* A text file in blocks of whole lines; the next block can be fetched while
 * the present one is worked on. */
typedef struct dorm__text_blocks dorm__text_blocks;
dorm_status dorm__text_blocks_new(dorm_context *context, const char *path, dorm__byte_reader *bytes,
                                  dorm__text_blocks **blocks); /* bytes are borrowed */
void dorm__text_blocks_free(dorm__text_blocks *blocks);
/* Reads ahead; a failure waits for the next call of dorm__text_blocks_next. May
 * run beside users of the present block. */
void dorm__text_blocks_fetch(dorm__text_blocks *blocks);
/* The next block [*begin, *end), *begin is NULL behind the last; valid until the
 * call after the next fetch. *end holds a line end unless (*end)[-1] does.
 * num_lines: in the blocks so far, for messages. */
dorm_status dorm__text_blocks_next(dorm_context *context, dorm__text_blocks *blocks, size_t num_lines,
                                   const char **begin, const char **end);

/* ---- id_set.c ------------------------------------------------------------ */

enum { DORM__LARGEST_ID = 1000000000 };

/* A set of feature ids, 0 .. DORM__LARGEST_ID; memory goes with the ids that
 * are in it. Adding returns false when out of memory. */
typedef struct dorm__id_set dorm__id_set;
dorm__id_set *dorm__id_set_new(void);
void dorm__id_set_free(dorm__id_set *set);
size_t dorm__id_set_count(const dorm__id_set *set);
bool dorm__id_set_add(dorm__id_set *set, uint32_t id);
bool dorm__id_set_add_all(dorm__id_set *set, const dorm__id_set *other);
/* Before dorm__id_set_rank, after the last change. */
void dorm__id_set_rank_all(dorm__id_set *set);
uint32_t dorm__id_set_rank(const dorm__id_set *set, uint32_t id); /* of a member: how many are smaller */
void dorm__id_set_list(const dorm__id_set *set, size_t *ids);     /* [count], increasing */

/* ---- letor_chunk.c -------------------------------------------------------- */

/* A piece of text inside a chunk. */
typedef struct dorm__span {
  uint32_t offset;
  uint32_t size;
} dorm__span;

/* One document line. */
typedef struct dorm__letor_row {
  double label;
  dorm__span query; /* the id behind "qid:"; of size 0 when the line has none */
  dorm__span doc;   /* docid = X of the comment, else empty */
  uint32_t line;    /* of the chunk, from 0 */
  uint32_t end;     /* of its entries */
} dorm__letor_row;

enum { DORM__CHUNK_MESSAGE_SIZE = 160 };

/* Some whole lines and what they hold. Arrays grow and are kept from use to use. */
typedef struct dorm__letor_chunk {
  const char *begin, *end;
  bool may_lack_query;
  size_t num_lines;
  size_t num_rows;
  size_t num_entries;
  size_t num_nonzero; /* among the entries */
  dorm__letor_row *rows;
  uint32_t *ids; /* of the entries */
  float *values;
  dorm_status status; /* DORM_BAD_DATA: line num_lines (from 1) is bad; out of memory */
  bool has_query;     /* the bad line's query, rows[num_rows].query, was still read */
  char message[DORM__CHUNK_MESSAGE_SIZE];
  size_t rows_capacity, ids_capacity, values_capacity;
  size_t first_row, first_nonzero; /* in the row store */
} dorm__letor_chunk;

/* Reads the lines [begin, end) up to the first bad one; feature ids go into
 * `ids` too. begin[-1] and *end need not be there, but end[-1] or *end is a
 * line end. O(size of the text). */
void dorm__letor_chunk_read(dorm__letor_chunk *chunk, const char *begin, const char *end, dorm__id_set *ids);
void dorm__letor_chunk_clear(dorm__letor_chunk *chunk);

/* ---- row_store.c ---------------------------------------------------------- */

/* The rows read so far. Dense: values [num_rows][width] with columns by rank in
 * `ids`. Sparse: entries other than 0, `columns` being ids. */
typedef struct dorm__row_store {
  const char *path;     /* for messages; borrowed */
  dorm_storage storage; /* wanted */
  size_t num_threads;
  bool is_dense;
  size_t num_rows;
  size_t num_nonzero;
  size_t width;
  dorm__id_set *ids; /* of all rows */
  float *values;
  size_t *row_start; /* sparse: [num_rows + 1] */
  uint32_t *columns;
  size_t values_capacity, starts_capacity, columns_capacity;
} dorm__row_store;

dorm_status dorm__row_store_open(dorm_context *context, const char *path, dorm_storage storage, size_t num_threads,
                                 dorm__row_store *store);
void dorm__row_store_clear(dorm__row_store *store);
/* Appends the rows of the chunks. `ids`: of all rows, of these and of before. */
dorm_status dorm__row_store_append(dorm_context *context, dorm__row_store *store, size_t num_chunks,
                                   dorm__letor_chunk *chunks, const dorm__id_set *ids);
/* Settles the storage and moves the rows to the data set, with feature ids. */
dorm_status dorm__row_store_finish(dorm_context *context, dorm__row_store *store, dorm_dataset *dataset);

/* ---- dataset.c ---------------------------------------------------------- */

/* Some numbers with weights for each document (doc_lists.c): groups that it
 * belongs to, or subtopics that it is relevant to. Numbers of groups mean
 * something within a query alone; those of subtopics count from 0 in each. */
typedef struct dorm__doc_lists {
  size_t *start;         /* [num_docs + 1] */
  uint32_t *numbers;     /* [start[num_docs]] */
  double *weights;       /* the same; > 0 */
  size_t *num_subtopics; /* [num_queries]; of groups 0 */
} dorm__doc_lists;

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
  size_t *row_start;          /* [num_docs + 1]; NULL: dense */
  uint32_t *columns;          /* [row_start[num_docs]]; NULL: dense */
  char *texts;                /* the ids below, each ended by '\0' */
  size_t *query_texts;        /* [num_queries], offsets into texts */
  size_t *doc_texts;          /* [num_docs] */
  char *name;                 /* the file's path, or what made it */
  dorm__doc_lists *groups;    /* NULL: none are known */
  dorm__doc_lists *subtopics; /* NULL: none are known */
};

/* An empty dense data set with room for the counts; the arrays are zero. */
dorm_status dorm__dataset_new(dorm_context *context, const char *name, size_t num_docs, size_t num_queries,
                              size_t num_features, size_t texts_size, dorm_dataset **dataset);
/* The same with compressed rows: room for num_entries, row_start all 0. */
dorm_status dorm__dataset_new_sparse(dorm_context *context, const char *name, size_t num_docs, size_t num_queries,
                                     size_t num_features, size_t num_entries, size_t texts_size,
                                     dorm_dataset **dataset);
size_t dorm__dataset_max_docs(const dorm_dataset *dataset); /* of a query */

/* ---- cache.c --------------------------------------------------------------- */

/* Whether the file is a cache of a data set. */
bool dorm__cache_is(const dorm__byte_reader *bytes);
dorm_status dorm__cache_read(dorm_context *context, const char *path, dorm__byte_reader *bytes, uint64_t *stamp,
                             dorm_dataset **dataset);
dorm_status dorm__cache_write(dorm_context *context, const dorm_dataset *dataset, uint64_t stamp, const char *path);
/* Differs when the text, the file of its queries' sizes (may be NULL) or the
 * storage asked for is another. */
uint64_t dorm__cache_stamp(const char *path, const char *groups_path, dorm_storage storage);

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

/* ---- doc_lists.c, source_groups.c, subtopics.c, json.c ------------------ */

typedef struct dorm__doc_entry {
  size_t doc;
  uint32_t number;
  double weight;
} dorm__doc_entry;

/* All zero, with room for num_entries. */
dorm_status dorm__doc_lists_new(dorm_context *context, size_t num_docs, size_t num_queries, size_t num_entries,
                                dorm__doc_lists **lists);
/* The entries of a document stay in their order. */
dorm_status dorm__doc_lists_from(dorm_context *context, size_t num_docs, size_t num_queries, size_t count,
                                 const dorm__doc_entry *entries, dorm__doc_lists **lists);
void dorm__doc_lists_free(dorm__doc_lists *lists);

/* Hands the texts of the list "ids" of a JSON object to `take`. */
dorm_status dorm__json_ids(dorm_context *context, const dorm__line_reader *reader, const char *line, const char *end,
                           dorm_status (*take)(void *user, const char *id), void *user);

/* ---- trec_write.c, trec_read.c ------------------------------------------ */

/* The id of a document, or "D17" for line 17 where the data give none. */
typedef struct dorm__doc_name {
  const char *given; /* owned by the data set */
  char made[24];
} dorm__doc_name;

dorm__doc_name dorm__doc_name_of(const dorm_dataset *dataset, size_t doc);
const char *dorm__doc_name_text(const dorm__doc_name *name);

/* ---- feature_map.c, features.c, features_dense.c, features_sparse.c, ---- */
/* ---- block_scores.c ------------------------------------------------------ */

typedef enum dorm__normalisation {
  DORM__NORMALISATION_NONE,
  DORM__NORMALISATION_MIN_MAX,        /* (x - min) / (max - min) within the query */
  DORM__NORMALISATION_Z_SCORE,        /* (x - mean) / standard deviation within the query */
  DORM__NORMALISATION_GLOBAL_MIN_MAX, /* by the numbers of the training data */
  DORM__NORMALISATION_GLOBAL_Z_SCORE,
  DORM__NUM_NORMALISATIONS
} dorm__normalisation;

const char *dorm__normalisation_name(dorm__normalisation normalisation);
bool dorm__normalisation_from(const char *name, dorm__normalisation *normalisation);
bool dorm__normalisation_is_global(dorm__normalisation normalisation);

/* How a model sees a document: for each id its value, normalised, 0 where the
 * feature is constant; then, when rank_block > 0, rank_block times its mid-rank
 * within the query, 1 - (above + (ties - 1) / 2) / (docs - 1), 1/2 where
 * constant. */
typedef struct dorm__feature_map {
  size_t num_ids;
  const size_t *ids; /* increasing */
  dorm__normalisation normalisation;
  double rank_block;    /* 0: no rank features */
  const double *shift;  /* [num_ids] of global normalisations: (x - shift) / spread; else NULL */
  const double *spread; /* [num_ids] 0 where constant */
} dorm__feature_map;

/* The features that data.features names, normalised as data.normalisation
 * says, without a rank block; owns its arrays. O(entries of the data set). */
dorm_status dorm__feature_map_new(dorm_context *context, const dorm_settings *settings, const dorm_dataset *dataset,
                                  dorm__feature_map *map);
void dorm__feature_map_clear(dorm__feature_map *map);
/* How many features of a data set data.features names. */
dorm_status dorm__features_chosen(dorm_context *context, const dorm_settings *settings, const dorm_dataset *dataset,
                                  size_t *count);

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
  size_t stride;     /* only every so many queries have their rows so far (dorm__features_begin); 0: all have */
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
/* The same in the memory of the data set, which keeps its labels and ids but
 * no values, also on failure. Needs no second matrix; with a rank block on
 * sparse rows it does. */
dorm_status dorm__features_take(dorm_context *context, dorm_dataset *dataset, const dorm__feature_map *map,
                                size_t num_threads, dorm__features *features);
/* The same two, the latter where `owned` is the data set and not NULL; of a `stride`
 * other than 0 dense rows are made for every stride-th query only, from the first. The
 * others are for dorm__features_finish, when weights are known that all rows are to be
 * scored with: large data then come from memory once for both. */
dorm_status dorm__features_begin(dorm_context *context, const dorm_dataset *dataset, dorm_dataset *owned,
                                 const dorm__feature_map *map, size_t stride, size_t num_threads,
                                 dorm__features *features);
/* Makes the rows that are missing; scores[num_docs] = <weights, row> of all. */
dorm_status dorm__features_finish(dorm_context *context, const dorm_dataset *dataset, const dorm__feature_map *map,
                                  const double *weights, size_t num_threads, dorm__features *features, double *scores);
void dorm__features_free(dorm__features *features);
dorm__row dorm__features_row(const dorm__features *features, size_t doc);
/* scores[i] = <weights, row first + i>, i < count; sums in double. */
void dorm__features_score(const dorm__features *features, size_t first, size_t count, const double *weights,
                          double *scores);
/* The same for a query behind which the next one is wanted, after some other
 * work: that one comes from memory meanwhile. */
void dorm__features_score_in_turn(const dorm__features *features, size_t first, size_t count, const double *weights,
                                  double *scores);
/* The same for whole queries in parallel, scores [query_start[num_queries]]. */
void dorm__features_score_queries(const dorm__features *features, size_t num_queries, const size_t *query_start,
                                  const double *weights, size_t num_threads, double *scores);
/* Row doc is wanted soon: its beginning is brought from memory. */
void dorm__features_fetch(const dorm__features *features, size_t doc);
/* result += factor * row doc */
void dorm__features_add(const dorm__features *features, size_t doc, double factor, double *result);

/* scores[num_docs] = <weights, row> of every document, the rows made and
 * forgotten block by block. */
dorm_status dorm__score_by_blocks(dorm_context *context, const dorm_dataset *dataset, const dorm__feature_map *map,
                                  size_t num_threads, const double *weights, double *scores);

/* Rows of the given storage for a map whose id i is column columns[i] of the
 * data set (num_features: nowhere in it). `owned` is the data set when its
 * memory may be taken, else NULL. False when out of memory. */
bool dorm__features_build_dense(const dorm_dataset *dataset, dorm_dataset *owned, const dorm__feature_map *map,
                                const size_t *columns, size_t stride, size_t num_threads, dorm__features *features);
/* What dorm__features_begin left. */
bool dorm__features_finish_dense(const dorm_dataset *dataset, const dorm__feature_map *map, const double *weights,
                                 size_t num_threads, dorm__features *features, double *scores);
bool dorm__features_build_sparse(const dorm_dataset *dataset, dorm_dataset *owned, const dorm__feature_map *map,
                                 const size_t *columns, size_t num_threads, dorm__features *features);

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

/* A module whose kernel parts of the model may use. */
typedef struct dorm__model_module {
  char *kernel; /* its name */
  char *path;
} dorm__model_module;

/* A linear model of the rows that a feature map makes, and kernel parts beside it. */
struct dorm_model {
  size_t num_ids;
  size_t *ids; /* [num_ids], increasing */
  dorm__normalisation normalisation;
  double rank_block;
  double *shift, *spread; /* [num_ids], global normalisations; else NULL */
  double *weights;        /* [width of the map]: values first, then ranks */
  size_t num_parts;
  dorm__model_part *parts; /* [num_parts] */
  size_t num_modules;      /* that the program named; none from a file */
  dorm__model_module *modules;
  dorm_settings *settings; /* that made it, with what was left to auto filled in */
};

/* Weights 0; the map and the settings are copied. */
dorm_status dorm__model_new(dorm_context *context, const dorm__feature_map *map, const dorm_settings *settings,
                            dorm_model **model);
dorm__feature_map dorm__model_map(const dorm_model *model);
/* Copies a part into the model. */
dorm_status dorm__model_add_part(dorm_context *context, dorm_model *model, const dorm__model_part *part);
dorm__feature_map dorm__model_part_map(const dorm_model *model, const dorm__model_part *part);
/* Lets the model use the module at `path` for the kernel of that name; a later one replaces an earlier. */
dorm_status dorm__model_add_module(dorm_context *context, dorm_model *model, const char *kernel, const char *path);
/* The path of the module with that kernel, NULL when it is not known. */
const char *dorm__model_module_path(const dorm_model *model, const char *kernel);
/* What the text says; kernels/model.c checks the kernels (dorm_model_read). */
dorm_status dorm__model_read(dorm_context *context, const char *path, dorm_model **model);

/* ---- feature_names.c, export.c --------------------------------------------- */

/* names[num_ids of the model], from lines `ID NAME`; path NULL: feature_ID. */
dorm_status dorm__feature_names_read(dorm_context *context, const char *path, const dorm_model *model, char ***names);
void dorm__feature_names_free(const dorm_model *model, char **names);

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
/* The next finite number of a line, up to one of `stops` or the end; *text moves
 * behind it. */
bool dorm__next_number(char **text, const char *stops, double *value);
void dorm__part_reader_clear(dorm__part_reader *reader);

#endif
