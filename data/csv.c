/* csv.c: reads data sets from CSV and TSV with a header (RFC 4180, except that a value cannot contain a line end).
 * Three columns hold query, label and document. All others are features. The id of a feature is its place, from 1,
 * among the features or among the names of options->columns. */
#include "base/hash.h"
#include "data/data.h"
#include "data/letor.h"
#include "data/line_reader.h"
#include "data/reader_parts.h"

#include <math.h>
#include <string.h>
#include <strings.h>

enum { MOST_COLUMNS = 100000 };

/* Columns that are not features. */
enum { QUERY, LABEL, ID, NUM_ROLES };
#define NO_COLUMN SIZE_MAX

static const char *const role_names[NUM_ROLES] = {"query", "label", "document"};
static const char *const role_options[NUM_ROLES] = {"--query", "--label", "--id"};
static const char *const usual_names[NUM_ROLES][10] = {
    {"qid", "query_id", "queryid", "query", "group", "group_id", "session_id", "session", "srch_id", NULL},
    {"label", "relevance", "rel", "grade", "judgment", "judgement", "target", "y", NULL},
    {"docid", "doc_id", "document_id", "document", "doc", "item_id", "url", NULL}};

/* A line, cut into fields. */
typedef struct csv_line {
  char *text; /* owned */
  size_t capacity;
  char **fields; /* [count], in `text` */
  size_t count, fields_capacity;
} csv_line;

typedef struct csv_rows {
  size_t num_docs;
  double *labels;
  float *values;
  dorm__id_table ids;  /* of queries; its texts have the ids of documents, too */
  size_t *query_start; /* [number of queries + 1] */
  size_t *doc_texts;   /* [num_docs] offsets into the texts of `ids` */
  size_t labels_capacity, values_capacity, start_capacity, docs_capacity;
} csv_rows;

typedef struct csv_reader {
  dorm_context *context;
  const char *path;
  const dorm_read_options *options;
  dorm__line_reader *lines;
  char separator;
  csv_line line;      /* the current one */
  csv_line header;    /* its fields are the column names */
  size_t *feature_of; /* [header.count] number of the feature, or NO_COLUMN */
  size_t num_features;
  size_t columns[NUM_ROLES]; /* or NO_COLUMN */
  csv_rows rows;
} csv_reader;

#define FAIL(reader, ...) dorm__line_reader_fail((reader)->context, (reader)->lines, __VA_ARGS__)

static bool ends_with(const char *path, const char *ending)
{
  size_t size = strlen(path), length = strlen(ending);
  return size > length && strcasecmp(path + size - length, ending) == 0;
}

static char separator_of(const char *path)
{
  return ends_with(path, ".csv") || ends_with(path, ".csv.gz")   ? ','
         : ends_with(path, ".tsv") || ends_with(path, ".tsv.gz") ? '\t'
                                                                 : '\0';
}

bool dorm__csv_is(const char *path)
{
  return separator_of(path) != '\0';
}

bool dorm__csv_is_meant(const char *path, const dorm_read_options *options)
{
  bool names_columns =
      options->query_column || options->label_column || options->id_column || (options->columns && *options->columns);
  return dorm__csv_is(path) || (names_columns && strcmp(path, "-") == 0);
}

static dorm_status out_of_memory(const csv_reader *reader)
{
  return dorm__out_of_memory(reader->context, "a data set");
}

static dorm_status add_field(csv_reader *reader, char *field)
{
  if (reader->line.count == MOST_COLUMNS)
    return FAIL(reader, "more than %d columns", MOST_COLUMNS);
  if (!DORM__GROW(reader->line.fields, reader->line.fields_capacity, reader->line.count + 1))
    return out_of_memory(reader);
  reader->line.fields[reader->line.count++] = field;
  return DORM_OK;
}

/* Decodes the quoted value at `at`, which follows the opening quote. "" becomes a quote. Returns the text after the
 * closing quote, or NULL if there is none. */
static char *unquote(char *at)
{
  char *to = at;
  for (; *at; at++) {
    if (*at == '"' && at[1] != '"') {
      *to = '\0';
      return at + 1;
    }
    at += *at == '"';
    *to++ = *at;
  }
  return NULL;
}

/* Splits the line into fields, without blanks around them. */
static dorm_status cut_line(csv_reader *reader, const char *line, const char *end)
{
  size_t size = (size_t)(end - line);
  dorm_status status = DORM_OK;
  if (memchr(line, '\0', size))
    return FAIL(reader, "a zero byte: this is no text");
  if (!DORM__GROW(reader->line.text, reader->line.capacity, size + 1))
    return out_of_memory(reader);
  memcpy(reader->line.text, line, size);
  reader->line.text[size] = '\0';
  reader->line.count = 0;
  for (char *at = reader->line.text; status == DORM_OK && at;) {
    char *field = at + strspn(at, reader->separator == '\t' ? " " : " \t");
    char *rest = *field == '"' ? unquote(field + 1) : field;
    if (!rest)
      return FAIL(reader, "a quoted value does not end in its line");
    char *next = strchr(rest, reader->separator);
    if (next)
      *next = '\0';
    status = add_field(reader, *field == '"' ? field + 1 : dorm__trim(field));
    at = next ? next + 1 : NULL;
  }
  return status;
}

/* ---- The header ------------------------------------------------------------------------------- */

static size_t find_column(const csv_reader *reader, const char *name)
{
  for (size_t c = 0; c < reader->header.count; c++)
    if (strcasecmp(reader->header.fields[c], name) == 0)
      return c;
  return NO_COLUMN;
}

/* Writes "a, b, c and 4 more" for a message. */
static void list_columns(const csv_reader *reader, size_t size, char *list)
{
  enum { SHOWN = 8 };
  size_t used = 0;
  for (size_t c = 0; c < reader->header.count && c < SHOWN && used < size; c++)
    used += (size_t)snprintf(list + used, size - used, "%s%.40s", c ? ", " : "", reader->header.fields[c]);
  if (reader->header.count > SHOWN && used < size)
    snprintf(list + used, size - used, " and %zu more", reader->header.count - SHOWN);
}

/* Finds the column of a role: the one that the options name, or the one with a usual name. */
static dorm_status find_role(csv_reader *reader, size_t role)
{
  const dorm_read_options *options = reader->options;
  const char *const names[] = {options->query_column, options->label_column, options->id_column};
  const char *given = names[role] ? names[role] : "";
  bool is_needed = *given || role == QUERY || (role == LABEL && !options->labels_optional);
  char list[400];
  size_t column = *given ? find_column(reader, given) : NO_COLUMN;
  for (size_t i = 0; !*given && usual_names[role][i] && column == NO_COLUMN; i++)
    column = find_column(reader, usual_names[role][i]);
  reader->columns[role] = column;
  if (column != NO_COLUMN || !is_needed)
    return DORM_OK;
  list_columns(reader, sizeof list, list);
  return dorm__fail(reader->context, DORM_BAD_DATA,
                    "%s: no column %s%s%s for the %s; name one by %s. The columns are %s", reader->path,
                    *given ? "\"" : "is known", given, *given ? "\"" : "", role_names[role], role_options[role], list);
}

/* Numbers the features by the list of names. */
static dorm_status number_by_list(csv_reader *reader, char *list)
{
  for (char *name = list, *next; name; name = next) {
    next = strchr(name, ',');
    if (next)
      *next++ = '\0';
    name = dorm__trim(name);
    size_t c = find_column(reader, name);
    char all[400];
    list_columns(reader, sizeof all, all);
    if (c == NO_COLUMN)
      return dorm__fail(reader->context, DORM_BAD_DATA,
                        "%s: there is no column \"%s\", a feature by data.columns. The columns are %s", reader->path,
                        name, all);
    if (reader->feature_of[c] != NO_COLUMN)
      return dorm__fail(reader->context, DORM_BAD_USAGE, "data.columns names \"%s\" twice", name);
    reader->feature_of[c] = reader->num_features++;
  }
  return DORM_OK;
}

static dorm_status number_features(csv_reader *reader)
{
  const char *given = reader->options->columns;
  for (size_t c = 0; c < reader->header.count; c++)
    reader->feature_of[c] = NO_COLUMN;
  if (given && *given) {
    DORM__FREED char *list = dorm__copy_text(given);
    return list ? number_by_list(reader, list) : out_of_memory(reader);
  }
  for (size_t c = 0; c < reader->header.count; c++)
    if (c != reader->columns[QUERY] && c != reader->columns[LABEL] && c != reader->columns[ID])
      reader->feature_of[c] = reader->num_features++;
  return DORM_OK;
}

static dorm_status check_names(const csv_reader *reader)
{
  for (size_t c = 0; c < reader->header.count; c++) {
    if (!*reader->header.fields[c])
      return FAIL(reader, "column %zu has no name; the first line is a header", c + 1);
    if (strpbrk(reader->header.fields[c], ",\""))
      return FAIL(reader, "the name of column %zu holds a comma or a quote", c + 1);
    if (find_column(reader, reader->header.fields[c]) != c)
      return FAIL(reader, "two columns have the name \"%s\"", reader->header.fields[c]);
  }
  return DORM_OK;
}

static dorm_status say_columns(const csv_reader *reader)
{
  size_t used = reader->num_features;
  for (size_t role = 0; role < NUM_ROLES; role++)
    used += reader->columns[role] != NO_COLUMN && reader->feature_of[reader->columns[role]] == NO_COLUMN;
  const size_t *columns = reader->columns;
  dorm__note(reader->context, "%s: query \"%s\", label %s%s%s, %zu features%s", reader->path,
             reader->header.fields[columns[QUERY]], columns[LABEL] == NO_COLUMN ? "unknown" : "\"",
             columns[LABEL] == NO_COLUMN ? "" : reader->header.fields[columns[LABEL]],
             columns[LABEL] == NO_COLUMN ? "" : "\"", reader->num_features,
             used < reader->header.count ? "; other columns are not used" : "");
  return DORM_OK;
}

static dorm_status read_header(csv_reader *reader)
{
  const char *line = NULL, *end = NULL;
  dorm_status status = dorm__line_reader_next(reader->context, reader->lines, &line, &end);
  if (status == DORM_OK && !line)
    return dorm__fail(reader->context, DORM_BAD_DATA, "%s: the file is empty", reader->path);
  if (status != DORM_OK)
    return status;
  const char *format = dorm__foreign_format(line, (size_t)(end - line));
  if (format)
    return FAIL(reader, "this is %s", format);
  if (!reader->separator) /* standard input */
    reader->separator = memchr(line, '\t', (size_t)(end - line)) ? '\t' : ',';
  if (reader->separator == ',' && !memchr(line, ',', (size_t)(end - line)) && memchr(line, ';', (size_t)(end - line)))
    reader->separator = ';';
  status = cut_line(reader, line, end);
  reader->header = reader->line;
  reader->line = (csv_line){0};
  reader->feature_of = dorm__alloc(reader->header.count, sizeof *reader->feature_of);
  if (status == DORM_OK)
    status = reader->feature_of ? check_names(reader) : out_of_memory(reader);
  for (size_t role = 0; status == DORM_OK && role < NUM_ROLES; role++)
    status = find_role(reader, role);
  return DORM__ALL(status, number_features(reader), say_columns(reader));
}

/* ---- Rows ------------------------------------------------------------------------------------- */

static bool is_missing(const char *text)
{
  static const char *const words[] = {"", "na", "nan", "null", "none", "?"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcasecmp(text, words[i]) == 0)
      return true;
  return false;
}

static dorm_status take_value(csv_reader *reader, size_t column, float *value)
{
  const char *text = reader->line.fields[column];
  double number = NAN;
  if (!is_missing(text) && (!dorm__text_to_double(text, &number) || !isfinite((float)number)))
    return FAIL(reader,
                "column \"%s\": '%.60s' is not a number%s. If the column names documents, add --id %s; "
                "data.columns names the features, so that other columns are left out",
                reader->header.fields[column], text, strchr(text, ',') ? " (decimals need a point)" : "",
                reader->header.fields[column]);
  *value = (float)number;
  return DORM_OK;
}

static dorm_status take_label(csv_reader *reader, double *label)
{
  size_t column = reader->columns[LABEL];
  *label = 0;
  if (column == NO_COLUMN || (reader->options->labels_optional && is_missing(reader->line.fields[column])))
    return DORM_OK;
  if (!dorm__text_to_double(reader->line.fields[column], label) || !(*label >= 0 && isfinite(*label)))
    return FAIL(reader, "column \"%s\": '%.60s' is no label, a number from 0 up", reader->header.fields[column],
                reader->line.fields[column]);
  return DORM_OK;
}

/* Begins a query if this line has another query than the line before. */
static dorm_status take_query(csv_reader *reader)
{
  csv_rows *rows = &reader->rows;
  const char *query = reader->line.fields[reader->columns[QUERY]];
  size_t count = rows->ids.count;
  if (!*query)
    return FAIL(reader, "column \"%s\": the query is missing", reader->header.fields[reader->columns[QUERY]]);
  size_t number = dorm__id_table_add(&rows->ids, query, strlen(query));
  if (number == DORM__NO_ID || !DORM__GROW(rows->query_start, rows->start_capacity, rows->ids.count + 1))
    return out_of_memory(reader);
  if (number + 1 < count)
    return FAIL(reader,
                "query '%s' comes back; the rows of a query have to be together, so sort the file by this column",
                query);
  if (number == count)
    rows->query_start[count] = rows->num_docs;
  return DORM_OK;
}

static dorm_status take_row(csv_reader *reader)
{
  csv_rows *rows = &reader->rows;
  size_t j = rows->num_docs, width = reader->num_features;
  if (reader->line.count != reader->header.count)
    return FAIL(reader, "%zu values, and the header has %zu columns", reader->line.count, reader->header.count);
  if (!DORM__GROW(rows->labels, rows->labels_capacity, j + 1) ||
      !DORM__GROW(rows->values, rows->values_capacity, (j + 1) * width) ||
      !DORM__GROW(rows->doc_texts, rows->docs_capacity, j + 1))
    return out_of_memory(reader);
  dorm_status status = DORM__ALL(take_query(reader), take_label(reader, &rows->labels[j]));
  for (size_t c = 0; status == DORM_OK && c < reader->header.count; c++)
    if (reader->feature_of[c] != NO_COLUMN)
      status = take_value(reader, c, &rows->values[j * width + reader->feature_of[c]]);
  if (status != DORM_OK)
    return status;
  const char *id = reader->columns[ID] == NO_COLUMN ? "" : reader->line.fields[reader->columns[ID]];
  rows->doc_texts[j] = 0; /* the empty text */
  if (*id && !dorm__id_table_keep(&rows->ids, id, strlen(id), &rows->doc_texts[j]))
    return out_of_memory(reader);
  rows->num_docs++;
  rows->query_start[rows->ids.count] = rows->num_docs;
  return DORM_OK;
}

/* Returns the names of the features by id, "a,b,c". NULL when out of memory. */
static char *feature_names(const csv_reader *reader)
{
  size_t size = 1;
  for (size_t c = 0; c < reader->header.count; c++)
    size += strlen(reader->header.fields[c]) + 1;
  DORM__FREED const char **names = dorm__alloc(reader->num_features, sizeof *names);
  char *joined = names ? dorm__alloc_zero(size, 1) : NULL, *at = joined;
  if (!joined)
    return NULL;
  for (size_t c = 0; c < reader->header.count; c++)
    if (reader->feature_of[c] != NO_COLUMN)
      names[reader->feature_of[c]] = reader->header.fields[c];
  for (size_t f = 0; f < reader->num_features; f++)
    at += snprintf(at, size - (size_t)(at - joined), "%s%s", f ? "," : "", names[f]);
  return joined;
}

static void move_block(void **from, void **to)
{
  dorm__free(*to);
  *to = *from;
  *from = NULL;
}

static dorm_status make_dataset(csv_reader *reader, dorm_dataset **dataset)
{
  csv_rows *rows = &reader->rows;
  dorm_arrays arrays = {.struct_size = sizeof arrays,
                        .num_docs = rows->num_docs,
                        .num_queries = rows->ids.count,
                        .query_start = rows->query_start,
                        .num_features = reader->num_features,
                        .labels = rows->labels,
                        .floats = rows->values,
                        .storage = reader->options->storage == DORM_STORAGE_FILE ? DORM_STORAGE_DENSE
                                                                                 : reader->options->storage};
  dorm_status status = dorm_dataset_new(reader->context, &arrays, dataset);
  if (status != DORM_OK)
    return status;
  dorm_dataset *made = *dataset;
  move_block((void **)&rows->ids.texts, (void **)&made->texts);
  move_block((void **)&rows->ids.offsets, (void **)&made->query_texts);
  move_block((void **)&rows->doc_texts, (void **)&made->doc_texts);
  dorm__free(made->name);
  made->name = dorm__copy_text(reader->path);
  made->columns = feature_names(reader);
  return made->name && made->columns ? DORM_OK : out_of_memory(reader);
}

static void clear(csv_reader *reader)
{
  void *const owned[] = {reader->line.text,     reader->line.fields,      reader->header.text,
                         reader->header.fields, reader->feature_of,       reader->rows.labels,
                         reader->rows.values,   reader->rows.query_start, reader->rows.doc_texts};
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
    dorm__free(owned[i]);
  dorm__id_table_clear(&reader->rows.ids);
  dorm__line_reader_close(reader->lines);
}

dorm_status dorm__csv_read(dorm_context *context, const char *path, const dorm_read_options *options,
                           dorm_dataset **dataset)
{
  csv_reader reader = {.context = context, .path = path, .options = options, .separator = separator_of(path)};
  const char *line = NULL, *end = NULL;
  size_t empty;
  dorm_status status =
      DORM__ALL(dorm__line_reader_open(context, path, &reader.lines), read_header(&reader),
                dorm__id_table_keep(&reader.rows.ids, "", 0, &empty) ? DORM_OK : out_of_memory(&reader));
  while (status == DORM_OK) {
    status = dorm__line_reader_next(context, reader.lines, &line, &end);
    if (status != DORM_OK || !line)
      break;
    if (strspn(line, " \t\r") >= (size_t)(end - line)) /* an empty line */
      continue;
    status = DORM__ALL(cut_line(&reader, line, end), take_row(&reader));
  }
  if (status == DORM_OK && !reader.rows.num_docs)
    status = dorm__fail(context, DORM_BAD_DATA, "%s: there is no row behind the header", path);
  if (status == DORM_OK && dorm__line_reader_lacks_end(reader.lines))
    dorm__warn(context, "%s: the last line has no line end; if the file was cut short, so was its last value", path);
  if (status == DORM_OK)
    status = make_dataset(&reader, dataset);
  clear(&reader);
  return status;
}
