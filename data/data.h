/*
 * data.h: data sets in memory, and the reading of text files. A data set holds the documents of some queries with
 * labels, features, ids, and if they are known their groups and subtopics.
 */
#ifndef DORM_DATA_DATA_H
#define DORM_DATA_DATA_H

#include "base/base.h"
#include "base/file.h"
#include "data/line_reader.h"

/* ---- query_reader.c ----------------------------------------------------- */

/* A file or a pipe of LETOR text that is read query by query, while it is written. */
typedef struct dorm__query_reader dorm__query_reader;

/* How far an input was read. */
typedef struct dorm__query_place {
  uint64_t num_queries; /* handed out */
  uint64_t num_lines;   /* up to the end of the last of them */
  uint64_t hash;        /* of its last line */
  uint64_t first_line;  /* of the last query that was handed out, from 1; 0: none */
} dorm__query_place;

/* Pipes have to be plain text. With DORM_STORAGE_AUTO the first query decides how all are kept. */
dorm_status dorm__query_reader_open(dorm_context *context, const char *path, dorm_storage storage,
                                    dorm__query_reader **reader);
void dorm__query_reader_close(dorm__query_reader *reader);
/* Before the first query is read: lines need no label, and an empty line also ends a query, so that it can be handed
 * out before the next one begins. */
void dorm__query_reader_follow(dorm__query_reader *reader);
/* The next query as a data set of its own, with the features that its lines name; *query is NULL after the last. A
 * query ends where the lines of another one begin. DORM_BAD_DATA names file and line; DORM_STOPPED when cancelled.
 * O(size of the text). */
dorm_status dorm__query_reader_next(dorm_context *context, dorm__query_reader *reader, dorm_dataset **query);
/* Continues from a place, before the first query is read. Skips the lines of a regular file up to the place; fails with
 * DORM_BAD_DATA if the last of them is another one. Any other input is taken to begin with the next query: its lines
 * are counted from 0. */
dorm_status dorm__query_reader_go_on(dorm_context *context, dorm__query_reader *reader, const dorm__query_place *place);
dorm__query_place dorm__query_reader_place(const dorm__query_reader *reader);

/* ---- reader_parts.c ----------------------------------------------------------- */

#define DORM__LARGEST_ID UINT32_MAX /* of a feature */

/* ---- dataset.c ---------------------------------------------------------- */

/* For each document some numbers with weights: the groups that it belongs to, or the subtopics that it is relevant
 * to. The number of a group has a meaning within its query only; subtopics are numbered from 0 in each query. */
typedef struct dorm__doc_lists {
  size_t *start;         /* [num_docs + 1] */
  uint32_t *numbers;     /* [start[num_docs]] */
  double *weights;       /* [start[num_docs]], > 0 */
  size_t *num_subtopics; /* [num_queries]; 0 for groups */
  size_t num_names;      /* 0: groups that a program gave, or a part of other data */
  char *names;           /* of groups, each ended by '\0'; NULL: none */
  size_t *name_at;       /* [num_names] */
} dorm__doc_lists;

/* Shards: the queries of all processes, dealt by their documents (shards.c). A data set of several processes holds the
 * shards first .. first + count - 1, one after the other, and nothing else. */
typedef struct dorm__shards {
  size_t total;         /* the number of shards of all processes */
  size_t first;         /* the first one of this process */
  size_t count;         /* of this process; may be 0 */
  size_t *start;        /* [count + 1] queries start[i] .. start[i + 1] - 1 are shard first + i */
  uint64_t before;      /* the number of queries in the shards before these */
  uint64_t all_queries; /* of all processes */
  uint64_t all_docs;    /* of all processes */
} dorm__shards;

/* Dense: values [num_docs][num_features], row-major. Sparse (compressed rows):
 * the entries of row j are values[row_start[j] .. row_start[j + 1] - 1], their
 * indices increase, what is absent is 0. A value that is NaN is missing: it is not known, which is not the same as 0.
 */
struct dorm_dataset {
  size_t num_docs;
  size_t num_queries;
  size_t num_features;
  size_t *query_start;        /* [num_queries + 1] */
  double *labels;             /* [num_docs] */
  unsigned char *is_unjudged; /* [num_docs] whether nobody gave the label, which is then 0; NULL: all are judged */
  size_t *feature_ids;        /* [num_features], increasing */
  float *values;
  size_t *row_start;          /* [num_docs + 1]; NULL: dense */
  uint32_t *indices;          /* [row_start[num_docs]]; NULL: dense */
  char *texts;                /* the ids below, each ended by '\0' */
  size_t *query_texts;        /* [num_queries], offsets into texts */
  size_t *doc_texts;          /* [num_docs] */
  char *name;                 /* the file's path, or what made it */
  char *columns;              /* names of the features, dorm_dataset_columns; NULL: none */
  bool has_missing;           /* some values are NaN */
  bool is_borrowed;           /* values and indices belong to the caller, who keeps them as long as the data set */
  size_t *input_order;        /* [num_docs] number of the document in the file; NULL: they are as in the file */
  double *query_weights;      /* [num_queries], >= 0; NULL: all 1 */
  double *doc_weights;        /* [num_docs], >= 0; NULL: all 1 */
  dorm__file_memory *file;    /* that holds the values of dense rows; NULL: they are in memory */
  dorm__doc_lists *groups;    /* NULL: none are known */
  dorm__doc_lists *subtopics; /* NULL: none are known */
  dorm__shards *shards;       /* NULL: the queries are not dealt, and all are here */
};
DORM__OWNER(dorm_dataset, dorm_dataset_free)

/* Makes a dense data set with room for these counts; the arrays are zero. */
dorm_status dorm__dataset_new(dorm_context *context, const char *name, size_t num_docs, size_t num_queries,
                              size_t num_features, size_t texts_size, dorm_dataset **dataset);
size_t dorm__dataset_max_docs(const dorm_dataset *dataset); /* of all queries */
/* Fills order [num_docs]: the documents of each query, counted from 0 within it, by falling scores [num_docs]. */
dorm_status dorm__dataset_rankings(dorm_context *context, const dorm_dataset *dataset, const double *scores,
                                uint32_t *order);
/* Prints how many of ids [num_ids] of `other` the data set has, and the reverse, unless the two sets are equal. This is
 * a note if nothing is missing or the data are sparse: few documents then lack many features. Otherwise, and if no
 * feature is shared, it is a warning. O(number of features of both). */
void dorm__compare_features(const dorm_context *context, const dorm_dataset *dataset, const char *other, size_t num_ids,
                            const size_t *ids);

/* ---- weights.c ---------------------------------------------------------- */

/* The sum of the weights of the queries; their number if they have none. */
double dorm__dataset_total_weight(const dorm_dataset *dataset);

/* ---- arrays.c ----------------------------------------------------------- */

/* dorm_dataset_new; with may_borrow the values are not copied if they already have the layout of a data set. Such a
 * data set is only for scores: training may take the memory of the values. */
dorm_status dorm__dataset_from_rows(dorm_context *context, const dorm_arrays *arrays, bool may_borrow,
                                    dorm_dataset **dataset);

/* ---- gather.c ----------------------------------------------------------- */

/* A query of a data set. */
typedef struct dorm__query_of {
  const dorm_dataset *dataset;
  size_t query;
} dorm__query_of;

/* Copies `count` queries, in that order, to a data set of its own. The queries may come from two data sets; the
 * features are then the union of both. */
dorm_status dorm__dataset_gather(dorm_context *context, const char *name, size_t count, const dorm__query_of *queries,
                                 dorm_dataset **dataset);

/* The same where the sources are shares of several processes, or dealt into shards: the result is dealt as they are.
 * The queries are in the order of their shards. All processes call it together; features are the union of the sources,
 * also if this process gathers no query. A source may be NULL. */
dorm_status dorm__dataset_gather_shards(dorm_context *context, const char *name, const dorm_dataset *one,
                                        const dorm_dataset *other, size_t count, const dorm__query_of *queries,
                                        dorm_dataset **dataset);

/* ---- shards.c ------------------------------------------------------------ */

/* Deals the queries of a data set of which this process has all, as one of one process. */
dorm_status dorm__shards_deal(dorm_context *context, const dorm_dataset *dataset, size_t num_shards,
                              dorm__shards **shards);
void dorm__shards_free(dorm__shards *shards);
/* The number of shards that are here, 1 if nothing was dealt; queries start .. end - 1 are shard i of these. */
size_t dorm__shards_here(const dorm_dataset *dataset);
void dorm__shard_range(const dorm_dataset *dataset, size_t i, size_t *start, size_t *end);
/* The number of queries in the shards before this process's. */
size_t dorm__queries_before(const dorm_dataset *dataset);
/* Of all processes. */
size_t dorm__all_queries(const dorm_dataset *dataset);
size_t dorm__all_docs(const dorm_dataset *dataset);
/* The sum over the documents of all processes of the weights of their queries. */
dorm_status dorm__all_weighted_docs(dorm_context *context, const dorm_dataset *dataset, double *sum);

/* ---- source_groups.c ---------------------------------------------------- */

/* The source of groups; in the order of the words of diversity.groups in settings/settings_table.c. */
typedef enum dorm__group_source {
  DORM__GROUPS_NONE,
  DORM__GROUPS_GIVEN, /* set by the program before */
  DORM__GROUPS_BY_HOST,
  DORM__GROUPS_BY_FEATURE,
  DORM__GROUPS_BY_DOC_ID,
  DORM__GROUPS_FROM_FILE
} dorm__group_source;

typedef struct dorm__group_options {
  dorm__group_source source;
  double feature;      /* its id, with BY_FEATURE */
  const char *pattern; /* POSIX extended regular expression, with BY_DOC_ID; borrowed */
  const char *path;    /* with FROM_FILE; borrowed */
} dorm__group_options;

/* Finds the groups of the documents of a data set and keeps them there. */
dorm_status dorm__groups_read(dorm_context *context, dorm_dataset *dataset, const dorm__group_options *options);

/* ---- trec_write.c ------------------------------------------------------- */

/* The id of a document, or "D17" for the 17th document where the data give none. */
typedef struct dorm__doc_name {
  const char *given; /* owned by the data set */
  char made[24];
} dorm__doc_name;

dorm__doc_name dorm__doc_name_of(const dorm_dataset *dataset, size_t doc);
const char *dorm__doc_name_text(const dorm__doc_name *name);

/* ---- names.c ------------------------------------------------------------ */

/* Finds queries, and documents of a query, by their ids, or by the names above. */
typedef struct dorm__names dorm__names;
dorm_status dorm__names_new(dorm_context *context, const dorm_dataset *dataset, dorm__names **names);
void dorm__names_free(dorm__names *names);
/* Find the queries or documents of an id, one after the other: *cursor is 0 before the first call. Return false after
 * the last. */
bool dorm__names_query(const dorm__names *names, dorm__word id, size_t *cursor, size_t *query);
bool dorm__names_doc(const dorm__names *names, size_t query, dorm__word id, size_t *cursor, size_t *doc);

#endif
