/*
 * letor.c: LETOR / SVMlight text,
 *
 *   label qid:Q id:value id:value ... # comment, docid = X kept
 *
 * Without qid the sizes of the queries come from FILE.query or FILE.group
 * (LightGBM, XGBoost), and feature ids may begin with 0 as they do there.
 *
 * One pass over the lines. Rows go straight into a dense matrix whose columns
 * are the feature ids in the order in which they first appeared; ids are put
 * in increasing order at the end. A row usually names the same ids as the one
 * before, so the column of the next pair is guessed first and looked up only
 * when the guess is wrong. O(size of the text).
 */
#include "data/data.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const size_t largest_feature_id = 1000000000;
static const size_t smallest_matrix_limit = (size_t)1 << 30;

typedef struct letor_parser {
  dorm_context *context;
  dorm__line_reader *reader;
  size_t matrix_limit; /* bytes that the dense matrix may take */

  size_t num_docs;
  double *labels;
  size_t *doc_texts;
  size_t docs_capacity;
  size_t texts_capacity_docs;

  size_t num_queries;
  size_t *query_start;
  size_t *query_texts;
  size_t starts_capacity;
  size_t query_texts_capacity;
  dorm__index_map *queries; /* hash of the id -> query */
  dorm__groups groups;      /* for lines without qid */
  size_t groups_end;        /* documents in the groups entered so far */
  bool is_grouped;          /* the lines are without qid */

  size_t num_features;
  size_t *feature_ids; /* by column, in order of appearance */
  size_t features_capacity;
  dorm__index_map *features; /* id -> column */

  float *values; /* [docs][width], width >= num_features */
  size_t width;
  size_t values_capacity;

  char *texts;
  size_t texts_size;
  size_t texts_capacity;
} letor_parser;

static dorm_status out_of_memory(letor_parser *parser)
{
  return dorm__out_of_memory(parser->context, "a data set");
}

#define FAIL_LINE(parser, ...) dorm__line_reader_fail((parser)->context, (parser)->reader, __VA_ARGS__)

/* For messages: a token as "%.*s". */
static int shown(const char *begin, const char *end)
{
  return end - begin > 40 ? 40 : (int)(end - begin);
}

static const char *skip_blanks(const char *s, const char *end)
{
  while (s < end && (*s == ' ' || *s == '\t'))
    s++;
  return s;
}

static const char *token_end(const char *s, const char *end)
{
  while (s < end && *s != ' ' && *s != '\t' && *s != '#')
    s++;
  return s;
}

/* Appends a text; *offset is where it stands. */
static bool keep_text(letor_parser *parser, const char *begin, const char *end, size_t *offset)
{
  size_t size = (size_t)(end - begin);
  if (!dorm__grow((void **)&parser->texts, &parser->texts_capacity, parser->texts_size + size + 1, 1))
    return false;
  memcpy(parser->texts + parser->texts_size, begin, size);
  parser->texts[parser->texts_size + size] = '\0';
  *offset = parser->texts_size;
  parser->texts_size += size + 1;
  return true;
}

static bool same_text(const letor_parser *parser, size_t offset, const char *begin, size_t size)
{
  return strncmp(parser->texts + offset, begin, size) == 0 && parser->texts[offset + size] == '\0';
}

/* The document belongs to query [begin, end): the one before, or a new one. */
static dorm_status enter_query(letor_parser *parser, const char *begin, const char *end)
{
  size_t size = (size_t)(end - begin);
  if (parser->num_queries && same_text(parser, parser->query_texts[parser->num_queries - 1], begin, size))
    return DORM_OK;
  uint64_t hash = dorm__hash_text(begin, size);
  size_t cursor = 0;
  size_t query;
  while (dorm__index_map_find(parser->queries, hash, &cursor, &query))
    if (same_text(parser, parser->query_texts[query], begin, size))
      return FAIL_LINE(parser, "query '%.*s' comes back after another query; a query's lines must be together",
                       shown(begin, end), begin);
  size_t offset;
  if (!dorm__grow((void **)&parser->query_texts, &parser->query_texts_capacity, parser->num_queries + 1,
                  sizeof *parser->query_texts) ||
      !dorm__grow((void **)&parser->query_start, &parser->starts_capacity, parser->num_queries + 2,
                  sizeof *parser->query_start) ||
      !keep_text(parser, begin, end, &offset) || !dorm__index_map_add(parser->queries, hash, parser->num_queries))
    return out_of_memory(parser);
  parser->query_texts[parser->num_queries] = offset;
  parser->query_start[parser->num_queries] = parser->num_docs;
  parser->num_queries++;
  return DORM_OK;
}

/* Re-lays the rows for at least `needed` columns. */
static dorm_status widen(letor_parser *parser, size_t needed)
{
  size_t width = 2 * parser->width > needed ? 2 * parser->width : needed;
  size_t rows = parser->num_docs + 1; /* the one being read too */
  if (rows > parser->matrix_limit / sizeof(float) / needed)
    return FAIL_LINE(parser, "%zu documents with %zu features are more than dense storage holds here (%zu MB)", rows,
                     needed, parser->matrix_limit >> 20);
  if (rows > parser->matrix_limit / sizeof(float) / width)
    width = needed;
  if (!dorm__grow((void **)&parser->values, &parser->values_capacity, rows * width, sizeof *parser->values))
    return out_of_memory(parser);
  for (size_t i = rows; i-- > 0;) { /* from the back, so that nothing is overwritten */
    memmove(parser->values + i * width, parser->values + i * parser->width, parser->width * sizeof(float));
    memset(parser->values + i * width + parser->width, 0, (width - parser->width) * sizeof(float));
  }
  parser->width = width;
  return DORM_OK;
}

static dorm_status find_column(letor_parser *parser, size_t id, size_t *column)
{
  size_t cursor = 0;
  if (dorm__index_map_find(parser->features, id, &cursor, column))
    return DORM_OK;
  if (!dorm__grow((void **)&parser->feature_ids, &parser->features_capacity, parser->num_features + 1,
                  sizeof *parser->feature_ids) ||
      !dorm__index_map_add(parser->features, id, parser->num_features))
    return out_of_memory(parser);
  *column = parser->num_features;
  parser->feature_ids[parser->num_features++] = id;
  return parser->num_features > parser->width ? widen(parser, parser->num_features) : DORM_OK;
}

static dorm_status read_label(letor_parser *parser, const char **position, const char *end)
{
  const char *begin = *position;
  const char *stop = token_end(begin, end);
  double *label = &parser->labels[parser->num_docs];
  if (memchr(begin, ':', (size_t)(stop - begin)))
    return FAIL_LINE(parser, "no label before '%.*s'", shown(begin, stop), begin);
  if (dorm__parse_double(begin, stop, label) != stop || !isfinite(*label))
    return FAIL_LINE(parser, "label '%.*s' is not a finite number", shown(begin, stop), begin);
  if (*label < 0)
    return FAIL_LINE(parser, "label '%.*s' is negative", shown(begin, stop), begin);
  *position = skip_blanks(stop, end);
  return DORM_OK;
}

/* The document belongs to the group that has room; groups go by number. */
static dorm_status enter_group(letor_parser *parser)
{
  parser->is_grouped = true;
  if (parser->num_docs < parser->groups_end)
    return DORM_OK;
  size_t group = parser->num_queries;
  if (group == parser->groups.count)
    return FAIL_LINE(parser, "more documents than the %zu that %s counts", parser->groups_end, parser->groups.path);
  char number[24];
  int size = snprintf(number, sizeof number, "%zu", group + 1);
  parser->groups_end += parser->groups.sizes[group];
  return enter_query(parser, number, number + size);
}

static dorm_status read_query(letor_parser *parser, const char **position, const char *end)
{
  static const char prefix[] = "qid:";
  const char *begin = *position;
  const char *stop = token_end(begin, end);
  size_t prefix_size = sizeof prefix - 1;
  bool has_prefix = (size_t)(stop - begin) >= prefix_size && strncmp(begin, prefix, prefix_size) == 0;
  if (!has_prefix && parser->groups.path && (parser->is_grouped || !parser->num_docs))
    return enter_group(parser);
  if (has_prefix && parser->is_grouped)
    return FAIL_LINE(parser, "a query id, but the lines before have none");
  if (!has_prefix)
    return FAIL_LINE(parser, "'qid:' expected behind the label, not '%.*s'", shown(begin, stop), begin);
  begin += prefix_size;
  if (begin == stop || memchr(begin, '\0', (size_t)(stop - begin)))
    return FAIL_LINE(parser, "the query id is empty or holds a zero byte");
  *position = skip_blanks(stop, end);
  return enter_query(parser, begin, stop);
}

/* One `id:value` into the row being read; *guess is the column expected next. */
static dorm_status read_pair(letor_parser *parser, const char **position, const char *end, size_t *next_id,
                             size_t *guess)
{
  const char *begin = *position;
  const char *s = begin;
  size_t id = 0;
  while (s < end && *s >= '0' && *s <= '9' && id <= largest_feature_id)
    id = id * 10 + (size_t)(*s++ - '0');
  if (s == begin || s == end || *s != ':') {
    const char *stop = token_end(begin, end);
    if (id > largest_feature_id)
      return FAIL_LINE(parser, "feature id in '%.*s' is above %zu", shown(begin, stop), begin, largest_feature_id);
    return FAIL_LINE(parser, "'%.*s' is not feature:value", shown(begin, stop), begin);
  }
  size_t smallest_id = parser->is_grouped ? 0 : 1;
  if (id < smallest_id || id > largest_feature_id)
    return FAIL_LINE(parser, "feature id %zu is not between %zu and %zu", id, smallest_id, largest_feature_id);
  if (id < *next_id)
    return FAIL_LINE(parser, "feature id %zu does not increase after %zu", id, *next_id - 1);

  double value;
  const char *rest = dorm__parse_double(s + 1, end, &value);
  if (!rest || (rest < end && *rest != ' ' && *rest != '\t' && *rest != '#') || !(fabs(value) <= FLT_MAX)) {
    const char *stop = token_end(s + 1, end);
    return FAIL_LINE(parser, "feature %zu: '%.*s' is not a finite number", id, shown(s + 1, stop), s + 1);
  }
  size_t column = *guess;
  if (column >= parser->num_features || parser->feature_ids[column] != id) {
    dorm_status status = find_column(parser, id, &column);
    if (status != DORM_OK)
      return status;
  }
  parser->values[parser->num_docs * parser->width + column] = (float)value;
  *next_id = id + 1;
  *guess = column + 1;
  *position = skip_blanks(rest, end);
  return DORM_OK;
}

/* docid = X in a comment, "" otherwise. */
static dorm_status read_comment(letor_parser *parser, const char *s, const char *end)
{
  static const char word[] = "docid";
  size_t word_size = sizeof word - 1;
  const char *begin = end;
  const char *stop = end;
  for (; s + word_size < end; s++) {
    if (strncmp(s, word, word_size) != 0)
      continue;
    const char *t = skip_blanks(s + word_size, end);
    if (t < end && *t == '=') {
      begin = skip_blanks(t + 1, end);
      stop = begin;
      while (stop < end && *stop != ' ' && *stop != '\t' && *stop != '\0')
        stop++;
      break;
    }
  }
  size_t *offset = &parser->doc_texts[parser->num_docs];
  *offset = 0; /* the empty text stands at 0 */
  return begin == stop || keep_text(parser, begin, stop, offset) ? DORM_OK : out_of_memory(parser);
}

static dorm_status make_room_for_row(letor_parser *parser)
{
  size_t rows = parser->num_docs + 1;
  if (parser->width && rows > parser->matrix_limit / sizeof(float) / parser->width)
    return FAIL_LINE(parser, "%zu documents with %zu features are more than dense storage holds here (%zu MB)", rows,
                     parser->width, parser->matrix_limit >> 20);
  if (!dorm__grow((void **)&parser->labels, &parser->docs_capacity, rows, sizeof *parser->labels) ||
      !dorm__grow((void **)&parser->doc_texts, &parser->texts_capacity_docs, rows, sizeof *parser->doc_texts) ||
      !dorm__grow((void **)&parser->values, &parser->values_capacity, rows * parser->width, sizeof *parser->values))
    return out_of_memory(parser);
  if (parser->width) /* before the first feature there is no matrix */
    memset(parser->values + parser->num_docs * parser->width, 0, parser->width * sizeof *parser->values);
  return DORM_OK;
}

static dorm_status read_line(letor_parser *parser, const char *line, const char *end)
{
  const char *s = skip_blanks(line, end);
  if (s == end || *s == '#')
    return DORM_OK;
  dorm_status status = make_room_for_row(parser);
  if (status == DORM_OK)
    status = read_label(parser, &s, end);
  if (status == DORM_OK)
    status = read_query(parser, &s, end);
  size_t next_id = 0;
  size_t guess = 0;
  while (status == DORM_OK && s < end && *s != '#')
    status = read_pair(parser, &s, end, &next_id, &guess);
  if (status == DORM_OK)
    status = read_comment(parser, s, end);
  if (status == DORM_OK)
    parser->num_docs++;
  return status;
}

/* ---- From the parser's arrays to a data set -------------------------------- */

struct id_column {
  size_t id;
  size_t column;
};

static int compare_ids(const void *x, const void *y)
{
  size_t id_x = ((const struct id_column *)x)->id;
  size_t id_y = ((const struct id_column *)y)->id;
  return (id_x > id_y) - (id_x < id_y);
}

/* Rows of `width` columns become rows of num_features, ids increasing; in
 * place, from the front, since rows only shrink. */
static dorm_status order_columns(letor_parser *parser)
{
  size_t count = parser->num_features;
  dorm_status status = DORM_OK;
  struct id_column *order = dorm__alloc(count, sizeof *order);
  float *row = dorm__alloc(count, sizeof *row);
  if (!order || !row) {
    status = out_of_memory(parser);
    goto done;
  }
  bool in_order = count == parser->width;
  for (size_t f = 0; f < count; f++) {
    order[f] = (struct id_column){parser->feature_ids[f], f};
    in_order = in_order && (f == 0 || parser->feature_ids[f] > parser->feature_ids[f - 1]);
  }
  if (in_order)
    goto done;
  qsort(order, count, sizeof *order, compare_ids);
  for (size_t i = 0; i < parser->num_docs; i++) {
    const float *old = parser->values + i * parser->width;
    for (size_t f = 0; f < count; f++)
      row[f] = old[order[f].column];
    memcpy(parser->values + i * count, row, count * sizeof *row);
  }
  for (size_t f = 0; f < count; f++)
    parser->feature_ids[f] = order[f].id;
done:
  dorm__free(order);
  dorm__free(row);
  return status;
}

/* Gives memory back; the old block serves when that fails. */
static void *shrink(void *block, size_t count, size_t size)
{
  void *smaller = dorm__realloc(block, count, size);
  return smaller ? smaller : block;
}

static dorm_status finish(letor_parser *parser, const char *path, dorm_dataset **dataset)
{
  size_t grouped = 0;
  for (size_t i = 0; parser->is_grouped && i < parser->groups.count; i++)
    grouped += parser->groups.sizes[i];
  if (parser->is_grouped && grouped != parser->num_docs)
    return dorm__fail(parser->context, DORM_BAD_DATA, "%s counts %zu documents, but %s holds %zu", parser->groups.path,
                      grouped, path, parser->num_docs);
  if (!parser->num_docs)
    return dorm__fail(parser->context, DORM_BAD_DATA, "%s: no document in it", path);
  dorm_status status = order_columns(parser);
  if (status != DORM_OK)
    return status;
  dorm_dataset *made = dorm__alloc_zero(1, sizeof *made);
  char *name = dorm__copy_text(path);
  if (!made || !name) {
    dorm__free(made);
    dorm__free(name);
    return out_of_memory(parser);
  }
  parser->query_start[parser->num_queries] = parser->num_docs;
  made->num_docs = parser->num_docs;
  made->num_queries = parser->num_queries;
  made->num_features = parser->num_features;
  made->query_start = parser->query_start;
  made->labels = shrink(parser->labels, parser->num_docs, sizeof *made->labels);
  made->feature_ids = parser->feature_ids;
  made->values = shrink(parser->values, parser->num_docs * parser->num_features, sizeof *made->values);
  made->texts = parser->texts;
  made->query_texts = parser->query_texts;
  made->doc_texts = shrink(parser->doc_texts, parser->num_docs, sizeof *made->doc_texts);
  made->name = name;
  parser->labels = NULL;
  parser->feature_ids = NULL;
  parser->values = NULL;
  parser->texts = NULL;
  parser->query_texts = NULL;
  parser->doc_texts = NULL;
  parser->query_start = NULL;
  *dataset = made;
  return DORM_OK;
}

static void parser_clear(letor_parser *parser)
{
  dorm__line_reader_close(parser->reader);
  dorm__free(parser->labels);
  dorm__free(parser->doc_texts);
  dorm__free(parser->query_start);
  dorm__free(parser->query_texts);
  dorm__free(parser->feature_ids);
  dorm__free(parser->values);
  dorm__free(parser->texts);
  dorm__groups_clear(&parser->groups);
  dorm__index_map_free(parser->queries);
  dorm__index_map_free(parser->features);
}

/* Three quarters of the machine's memory. */
static size_t matrix_limit(void)
{
  long pages = sysconf(_SC_PHYS_PAGES);
  long page_size = sysconf(_SC_PAGESIZE);
  size_t limit = pages > 0 && page_size > 0 ? (size_t)pages / 4 * 3 * (size_t)page_size : 0;
  return limit > smallest_matrix_limit ? limit : smallest_matrix_limit;
}

dorm_status dorm_dataset_read(dorm_context *context, const char *path, dorm_dataset **dataset)
{
  letor_parser parser = {.context = context, .matrix_limit = matrix_limit()};
  *dataset = NULL;
  dorm_status status = dorm__line_reader_open(context, path, &parser.reader);
  if (status == DORM_OK)
    status = dorm__groups_find(context, path, &parser.groups);
  if (status != DORM_OK)
    goto done;
  parser.queries = dorm__index_map_new();
  parser.features = dorm__index_map_new();
  size_t empty;
  if (!parser.queries || !parser.features || !keep_text(&parser, "", "", &empty)) {
    status = out_of_memory(&parser);
    goto done;
  }
  const char *line = NULL;
  const char *end = NULL;
  while ((status = dorm__line_reader_next(context, parser.reader, &line, &end)) == DORM_OK && line) {
    status = read_line(&parser, line, end);
    if (status != DORM_OK)
      break;
  }
  if (status == DORM_OK)
    status = finish(&parser, path, dataset);
done:
  parser_clear(&parser);
  return status;
}
