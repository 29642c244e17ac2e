/* data.h: data sets in memory, and reading of text files. A data set holds the documents of some queries with labels,
 * features and ids, and their groups and subtopics if known. */
#ifndef DORM_DATA_DATA_H
#define DORM_DATA_DATA_H

#include "base/file.h"
#include "data/line_reader.h"

/* ---- query_reader.c ----------------------------------------------------- */

/* A file or a pipe of LETOR text that is read query by query while another program writes it. */
typedef struct dorm__query_reader dorm__query_reader;

/* A position in an input. */
typedef struct dorm__query_place {
  uint64_t num_queries; /* number of queries returned */
  uint64_t num_lines;   /* lines up to the end of the last of them */
  uint64_t hash;        /* of its last line */
  uint64_t first_line;  /* of the last query returned, from 1, or 0 if none */
} dorm__query_place;

/* Opens an input. Pipes must be plain text. With DORM_STORAGE_AUTO the first query decides the storage of all
 * queries. */
dorm_status dorm__query_reader_open(dorm_context *context, const char *path, dorm_storage storage,
                                    dorm__query_reader **reader);
void dorm__query_reader_close(dorm__query_reader *reader);
/* Allows lines without labels, and lets an empty line end a query, so that it is returned before the next one begins.
 * Must be called before the first query is read. */
void dorm__query_reader_follow(dorm__query_reader *reader);
/* Reads the next query as a data set, with the features that its lines name. *query is NULL after the last. A query
 * ends at the first line of another query. DORM_BAD_DATA names file and line. Returns DORM_STOPPED when cancelled.
 * O(size of the text). */
dorm_status dorm__query_reader_next(dorm_context *context, dorm__query_reader *reader, dorm_dataset **query);
/* Continues from a place. Must be called before the first query is read. In a regular file, skips the lines up to the
 * place, and fails with DORM_BAD_DATA if the last of them differs. Other inputs must begin with the next query, and
 * their lines are counted from 0. */
dorm_status dorm__query_reader_go_on(dorm_context *context, dorm__query_reader *reader, const dorm__query_place *place);
dorm__query_place dorm__query_reader_place(const dorm__query_reader *reader);

/* ---- reader_parts.c ----------------------------------------------------------- */

#define DORM__LARGEST_ID UINT32_MAX /* of a feature */

/* ---- dataset.c ---------------------------------------------------------- */

/* A weighted list of numbers for each document: its groups, or the subtopics that it is relevant to. Group numbers are
 * local to a query. Subtopics are numbered from 0 in each query. */
typedef struct dorm__doc_lists {
  size_t *start;         /* [num_docs + 1] */
  uint32_t *numbers;     /* [start[num_docs]] */
  double *weights;       /* [start[num_docs]], > 0 */
  size_t *num_subtopics; /* [num_queries], 0 for groups */
  size_t num_names;      /* 0 for groups that a program gave, and in a part of other data */
  char *names;           /* of groups, each ended by '\0', or NULL */
  size_t *name_at;       /* [num_names] */
} dorm__doc_lists;

/* Shards: a division of the queries of all processes by their documents (shards.c). A data set that is shared by
 * several processes holds the consecutive shards first .. first + count - 1 and nothing else. */
typedef struct dorm__shards {
  size_t total;         /* the number of shards of all processes */
  size_t first;         /* the first one of this process */
  size_t count;         /* of this process, may be 0 */
  size_t *start;        /* [count + 1] queries start[i] .. start[i + 1] - 1 are shard first + i */
  uint64_t before;      /* number of queries in earlier shards */
  uint64_t all_queries; /* of all processes */
  uint64_t all_docs;    /* of all processes */
} dorm__shards;

/* Dense: values [num_docs][num_features], row-major. Sparse (compressed rows): the entries of row j are
 * values[row_start[j] .. row_start[j + 1] - 1]. Their indices increase, and absent values are 0. NaN is a missing
 * value, which is unknown and therefore not the same as 0. */
struct dorm_dataset {
  size_t num_docs;
  size_t num_queries;
  size_t num_features;
  size_t *query_start;        /* [num_queries + 1] */
  double *labels;             /* [num_docs] */
  unsigned char *is_unjudged; /* [num_docs], nobody gave the label, which is then 0, or NULL */
  size_t *feature_ids;        /* [num_features], increasing */
  float *values;
  size_t *row_start;          /* [num_docs + 1], or NULL if dense */
  uint32_t *indices;          /* [row_start[num_docs]], or NULL if dense */
  char *texts;                /* the ids below, each ended by '\0' */
  size_t *query_texts;        /* [num_queries], offsets into texts */
  size_t *doc_texts;          /* [num_docs] */
  char *name;                 /* the file's path, or the origin of the data */
  char *columns;              /* names of the features, dorm_dataset_columns, or NULL */
  bool has_missing;           /* some values are NaN */
  bool is_borrowed;           /* values and indices belong to the caller and must outlive the data set */
  size_t *input_order;        /* [num_docs] number of the document in the file, or NULL if unchanged */
  double *query_weights;      /* [num_queries], >= 0, or NULL if all are 1 */
  double *doc_weights;        /* [num_docs], >= 0, or NULL if all are 1 */
  dorm__file_memory *file;    /* holds the values of dense rows, or NULL if they are in memory */
  dorm__doc_lists *groups;    /* or NULL */
  dorm__doc_lists *subtopics; /* or NULL */
  dorm__shards *shards;       /* or NULL if all queries are here, undivided */
};
DORM__OWNER(dorm_dataset, dorm_dataset_free)

/* Makes a dense data set with these counts. All arrays are zero. */
dorm_status dorm__dataset_new(dorm_context *context, const char *name, size_t num_docs, size_t num_queries,
                              size_t num_features, size_t texts_size, dorm_dataset **dataset);
/* Appends a text to dataset->texts at *end, and moves *end behind it. Returns its offset. Offset 0 is the empty text.
 */
size_t dorm__dataset_put_text(dorm_dataset *dataset, size_t *end, const char *text);
size_t dorm__dataset_max_docs(const dorm_dataset *dataset); /* of all queries */
/* Fills order [num_docs]: the documents of each query, counted from 0 within it, by falling scores [num_docs]. */
dorm_status dorm__dataset_rankings(dorm_context *context, const dorm_dataset *dataset, const double *scores,
                                   uint32_t *order);
/* Prints how many of ids [num_ids] of `other` the data set has, and the reverse, unless the two sets are equal. This is
 * a note if nothing is missing or if the data are sparse, when few documents can lack many features. Otherwise, or if
 * no feature is shared, it is a warning. O(number of features of both). */
void dorm__compare_features(const dorm_context *context, const dorm_dataset *dataset, const char *other, size_t num_ids,
                            const size_t *ids);

/* ---- weights.c ---------------------------------------------------------- */

/* The sum of the weights of the queries, or their number if they have none. */
double dorm__dataset_total_weight(const dorm_dataset *dataset);

/* ---- arrays.c ----------------------------------------------------------- */

/* Does what dorm_dataset_new does. With may_borrow, values that already have the layout of a data set are not copied.
 * Such a data set is only for scores, because training may reuse the memory of the values. */
dorm_status dorm__dataset_from_rows(dorm_context *context, const dorm_arrays *arrays, bool may_borrow,
                                    dorm_dataset **dataset);

/* ---- gather.c ----------------------------------------------------------- */

/* A query of a data set. */
typedef struct dorm__query_of {
  const dorm_dataset *dataset;
  size_t query;
} dorm__query_of;

/* Copies `count` queries, in this order, to a new data set. If the queries come from two data sets, its features are
 * the union of theirs. */
dorm_status dorm__dataset_gather(dorm_context *context, const char *name, size_t count, const dorm__query_of *queries,
                                 dorm_dataset **dataset);

/* Does the same for sources that are divided into shards, also among several processes. The result has the same
 * division, with queries in the order of their shards. All processes call it together. Its features are the union over
 * the sources, also if this process gathers no query. A source may be NULL. */
dorm_status dorm__dataset_gather_shards(dorm_context *context, const char *name, const dorm_dataset *one,
                                        const dorm_dataset *other, size_t count, const dorm__query_of *queries,
                                        dorm_dataset **dataset);

/* ---- shards.c ------------------------------------------------------------ */

/* Divides the queries of a data set that is completely in this process into shards of a single process. */
dorm_status dorm__shards_deal(dorm_context *context, const dorm_dataset *dataset, size_t num_shards,
                              dorm__shards **shards);
void dorm__shards_free(dorm__shards *shards);
/* The number of shards in this process, 1 if undivided. Queries start .. end - 1 are shard i of these. */
size_t dorm__shards_here(const dorm_dataset *dataset);
void dorm__shard_range(const dorm_dataset *dataset, size_t i, size_t *start, size_t *end);
/* The number of queries in the shards of earlier processes. */
size_t dorm__queries_before(const dorm_dataset *dataset);
/* The number over all processes. */
size_t dorm__all_queries(const dorm_dataset *dataset);
size_t dorm__all_docs(const dorm_dataset *dataset);
/* Sums the weights of their queries over the documents of all processes. */
dorm_status dorm__all_weighted_docs(dorm_context *context, const dorm_dataset *dataset, double *sum);

/* ---- source_groups.c ---------------------------------------------------- */

/* The source of groups, in the order of the words of diversity.groups in settings/settings_list.h. */
typedef enum dorm__group_source {
  DORM__GROUPS_NONE,
  DORM__GROUPS_GIVEN, /* set by the program earlier */
  DORM__GROUPS_BY_HOST,
  DORM__GROUPS_BY_FEATURE,
  DORM__GROUPS_BY_DOC_ID,
  DORM__GROUPS_FROM_FILE
} dorm__group_source;

typedef struct dorm__group_options {
  dorm__group_source source;
  double feature;      /* its id, with BY_FEATURE */
  const char *pattern; /* POSIX extended regular expression, with BY_DOC_ID (borrowed) */
  const char *path;    /* with FROM_FILE (borrowed) */
} dorm__group_options;

/* Finds the groups of the documents and stores them in the data set. */
dorm_status dorm__groups_read(dorm_context *context, dorm_dataset *dataset, const dorm__group_options *options);

/* ---- trec_write.c ------------------------------------------------------- */

/* The id of a document, or "D17" for the 17th document if the data have no ids. */
typedef struct dorm__doc_name {
  const char *given; /* owned by the data set */
  char made[24];
} dorm__doc_name;

dorm__doc_name dorm__doc_name_of(const dorm_dataset *dataset, size_t doc);
const char *dorm__doc_name_text(const dorm__doc_name *name);

/* ---- names.c ------------------------------------------------------------ */

/* An index of the queries of a data set, and of the documents of each query, by their ids. A document without an id is
 * found by its name (dorm__doc_name_of). The data set is borrowed. */
typedef struct dorm__names dorm__names;
dorm_status dorm__names_new(dorm_context *context, const dorm_dataset *dataset, dorm__names **names);
void dorm__names_free(dorm__names *names);
/* Each call finds the next query, or the next document of a query, with this id. *cursor is 0 before the first call.
 * Returns false if there is no further one. */
bool dorm__names_query(const dorm__names *names, dorm__word id, size_t *cursor, size_t *query);
bool dorm__names_doc(const dorm__names *names, size_t query, dorm__word id, size_t *cursor, size_t *doc);

#endif
