/* letor.c: reads LETOR / SVMlight text into a data set. If lines lack a qid, FILE.query or FILE.group beside the data
 * gives the number of documents of each query (LightGBM, XGBoost).
 *
 * The text comes in buffers of whole lines. A buffer is cut into chunks, which threads parse in parallel while the next
 * buffer is fetched. The chunks are then joined in order: queries, texts, rows. Chunks do not depend on the number of
 * threads, so neither does the result. Memory: the data set, two buffers of text and the entries of one buffer. */
#include "data/letor.h"
#include "base/hash.h"
#include "base/team.h"
#include "data/data.h"
#include "data/dataset.h"
#include "data/line_reader.h"
#include "data/reader_parts.h"
#include "data/row_store.h"

#include <omp.h>
#include <string.h>
#include <sys/stat.h>

enum { CHUNK_SIZE = 1 << 18, SMALL_FILE = 1 << 24 };

typedef struct chunk_list {
  dorm__letor_chunk *items;
  size_t count;
  size_t capacity;
} chunk_list;

/* The documents of the joined chunks. */
typedef struct joined_docs {
  size_t count;
  double *labels;
  size_t *texts;
  size_t labels_capacity;
  size_t texts_capacity;
  size_t query;     /* of the previous document */
  bool is_mixed;    /* a query came back, so documents must be sorted by query */
  size_t *query_of; /* [num_docs], if may_sort */
  size_t query_of_capacity;
} joined_docs;

/* Their queries. */
typedef struct joined_queries {
  dorm__id_table ids; /* its texts have the ids of documents, too */
  size_t *start;
  size_t start_capacity;
  dorm__query_sizes sizes; /* for lines without qid */
  size_t sizes_end;        /* documents of the queries so far, by these sizes */
  bool is_sized;           /* lines have no qid */
} joined_queries;

typedef struct letor_reader {
  dorm_context *context;
  const char *path;
  dorm__text_buffers *buffers;
  size_t num_threads;
  size_t num_lines; /* of the joined chunks */
  uint64_t size;    /* bytes of a plain file, else 0 */
  uint64_t num_read;
  bool may_lack_label;
  bool may_sort;    /* a query may come back after another query */
  bool has_missing; /* values */

  chunk_list chunks;
  dorm__id_set **thread_ids; /* [num_threads] ids that each thread has met */
  dorm__id_set *ids;         /* ids of all rows so far */
  dorm__row_store rows;

  joined_docs docs;
  joined_queries known;
} letor_reader;

static dorm_status out_of_memory(const letor_reader *reader)
{
  return dorm__out_of_memory(reader->context, "a data set");
}

/* ---- Queries and texts -------------------------------------------------------- */

static dorm_status fail_returning(const letor_reader *reader, size_t line, const char *begin, size_t size)
{
  return dorm__fail(reader->context, DORM_BAD_DATA,
                    "%s:%zu: query '%.*s' comes back after another query; the lines of a query must be "
                    "together (data.sort_queries = yes, or --sort-queries, brings them together)",
                    reader->path, line, dorm__shown(size), begin);
}

/* Enters the next document into the query of the id [begin, begin + size): the last query, or a new one. */
static dorm_status enter_query(letor_reader *reader, size_t line, const char *begin, size_t size)
{
  dorm__id_table *ids = &reader->known.ids;
  size_t before = ids->count;
  const char *last = before ? dorm__id_table_text(ids, reader->docs.query) : NULL;
  if (last && strncmp(last, begin, size) == 0 && !last[size])
    return DORM_OK;
  uint32_t query = dorm__id_table_add(ids, begin, size);
  if (query == DORM__NO_ID || !DORM__GROW(reader->known.start, reader->known.start_capacity, ids->count + 1))
    return out_of_memory(reader);
  reader->docs.query = query;
  if (query < before) {
    reader->docs.is_mixed = true;
    return reader->may_sort ? DORM_OK : fail_returning(reader, line, begin, size);
  }
  reader->known.start[query] = reader->docs.count;
  return DORM_OK;
}

/* Adds the next document to the query that the file of sizes leaves incomplete. The names of such queries are their
 * numbers. */
static dorm_status enter_sized_query(letor_reader *reader, size_t line)
{
  reader->known.is_sized = true;
  if (reader->docs.count < reader->known.sizes_end)
    return DORM_OK;
  size_t query = reader->known.ids.count;
  if (query == reader->known.sizes.count)
    return dorm__fail(reader->context, DORM_BAD_DATA, "%s:%zu: more documents than the %zu that %s counts",
                      reader->path, line, reader->known.sizes_end, reader->known.sizes.path);
  char number[24];
  int size = snprintf(number, sizeof number, "%zu", query + 1);
  reader->known.sizes_end += reader->known.sizes.sizes[query];
  return enter_query(reader, line, number, (size_t)size);
}

static dorm_status enter(letor_reader *reader, size_t line, const dorm__letor_chunk *chunk, dorm__span query)
{
  const char *begin = chunk->begin + query.offset;
  if (query.size && reader->known.is_sized)
    return dorm__fail(reader->context, DORM_BAD_DATA, "%s:%zu: a query id, but the lines before have none",
                      reader->path, line);
  if (query.size)
    return enter_query(reader, line, begin, query.size);
  if (!reader->docs.count) { /* not earlier, since a file of that name may be something else */
    dorm_status status = dorm__query_sizes_find(reader->context, reader->path, &reader->known.sizes);
    if (status != DORM_OK)
      return status;
  }
  if (reader->known.sizes.path)
    return enter_sized_query(reader, line);
  size_t size = strcspn(begin, " \t\r\n#");
  return dorm__fail(reader->context, DORM_BAD_DATA, "%s:%zu: 'qid:' expected after the label, not '%.*s'", reader->path,
                    line, dorm__shown(size), begin);
}

/* Joins rows first .. end - 1 of a chunk, which have one query. */
static dorm_status join_rows(letor_reader *reader, const dorm__letor_chunk *chunk, size_t first, size_t end)
{
  const dorm__letor_row *rows = chunk->rows;
  joined_docs *docs = &reader->docs;
  dorm_status status = enter(reader, reader->num_lines + rows[first].line + 1, chunk, rows[first].query);
  if (status != DORM_OK)
    return status;
  size_t begin = rows[first].doc.offset, offset = 0;
  size_t size = (end < chunk->num_rows ? rows[end].doc.offset : chunk->texts.size) - begin;
  if (size && !dorm__id_table_keep(&reader->known.ids, chunk->texts.bytes + begin, size - 1, &offset))
    return out_of_memory(reader);
  for (size_t i = first; i < end; i++, docs->count++) {
    docs->labels[docs->count] = rows[i].label;
    docs->texts[docs->count] = rows[i].doc.size ? offset + rows[i].doc.offset - begin : 0; /* 0: the empty text */
    if (reader->may_sort)
      docs->query_of[docs->count] = docs->query;
  }
  return DORM_OK;
}

/* Joins a chunk, except its entries. */
static dorm_status join(letor_reader *reader, const dorm__letor_chunk *chunk)
{
  size_t num_docs = reader->docs.count + chunk->num_rows;
  if (!DORM__GROW(reader->docs.labels, reader->docs.labels_capacity, num_docs) ||
      !DORM__GROW(reader->docs.texts, reader->docs.texts_capacity, num_docs) ||
      (reader->may_sort && !DORM__GROW(reader->docs.query_of, reader->docs.query_of_capacity, num_docs)))
    return out_of_memory(reader);
  reader->has_missing = reader->has_missing || chunk->num_missing;
  dorm_status status = DORM_OK;
  for (size_t i = 0, end; status == DORM_OK && i < chunk->num_rows; i = end) {
    for (end = i + 1; end < chunk->num_rows && chunk->rows[end].is_same_query;)
      end++;
    status = join_rows(reader, chunk, i, end);
  }
  if (status == DORM_OK && chunk->status == DORM_OUT_OF_MEMORY)
    status = out_of_memory(reader);
  if (status == DORM_OK && chunk->status != DORM_OK) {
    size_t line = reader->num_lines + chunk->num_lines;
    if (chunk->has_query) /* the query id comes before the error in the line, so it is checked first */
      status = enter(reader, line, chunk, chunk->rows[chunk->num_rows].query);
    if (status == DORM_OK)
      status = dorm__fail(reader->context, chunk->status, "%s:%zu: %s", reader->path, line, chunk->message);
  }
  reader->num_lines += chunk->num_lines;
  return status;
}

/* ---- Buffers -------------------------------------------------------------------- */

/* Cuts whole lines into chunks of about CHUNK_SIZE. */
static bool cut(letor_reader *reader, const char *begin, const char *end)
{
  size_t most = (size_t)(end - begin) / CHUNK_SIZE + 1;
  size_t before = reader->chunks.capacity;
  if (!DORM__GROW(reader->chunks.items, reader->chunks.capacity, most))
    return false;
  if (reader->chunks.capacity > before)
    memset(reader->chunks.items + before, 0, (reader->chunks.capacity - before) * sizeof *reader->chunks.items);
  reader->chunks.count = 0;
  while (begin < end) {
    const char *stop = end;
    if (end - begin > CHUNK_SIZE) {
      const char *newline = memchr(begin + CHUNK_SIZE - 1, '\n', (size_t)(end - begin) - (CHUNK_SIZE - 1));
      stop = newline ? newline + 1 : end;
    }
    dorm__letor_chunk *chunk = &reader->chunks.items[reader->chunks.count++];
    chunk->may_lack_query = reader->known.sizes.path || !reader->docs.count; /* decided when rows are joined */
    chunk->may_lack_label = reader->may_lack_label;
    chunk->begin = begin;
    chunk->end = stop;
    begin = stop;
  }
  return true;
}

/* Parses the chunks and meanwhile fetches the next buffer. */
static void read_chunks(letor_reader *reader)
{
  size_t most = reader->chunks.count + 1, threads = reader->num_threads < most ? reader->num_threads : most;
#pragma omp parallel for schedule(dynamic, 1) num_threads((int)threads) if (threads > 1)
  for (size_t i = 0; i <= reader->chunks.count; i++) {
    if (i == 0) {
      dorm__text_buffers_fetch(reader->buffers);
      continue;
    }
    dorm__letor_chunk *chunk = &reader->chunks.items[i - 1];
    dorm__letor_chunk_read(chunk, chunk->begin, chunk->end, reader->thread_ids[omp_get_thread_num()]);
  }
}

static dorm_status read_buffer(letor_reader *reader, const char *begin, const char *end)
{
  if (!cut(reader, begin, end))
    return out_of_memory(reader);
  read_chunks(reader);
  dorm_status status = DORM_OK;
  for (size_t i = 0; status == DORM_OK && i < reader->chunks.count; i++)
    status = join(reader, &reader->chunks.items[i]);
  for (size_t i = 0; status == DORM_OK && i < reader->num_threads; i++)
    if (!dorm__id_set_add_all(reader->ids, reader->thread_ids[i]))
      status = out_of_memory(reader);
  reader->num_read += (uint64_t)(end - begin);
  reader->rows.share_read = reader->size ? (double)reader->num_read / (double)reader->size : 0;
  return DORM__ALL(status, dorm__row_store_append(reader->context, &reader->rows, reader->chunks.count,
                                                  reader->chunks.items, reader->ids));
}

/* ---- Conversion to a data set --------------------------------------------------- */

static dorm_status check_sizes(const letor_reader *reader)
{
  size_t sum = 0;
  for (size_t i = 0; reader->known.is_sized && i < reader->known.sizes.count; i++)
    sum += reader->known.sizes.sizes[i];
  if (reader->known.is_sized && sum != reader->docs.count)
    return dorm__fail(reader->context, DORM_BAD_DATA, "%s counts %zu documents, but %s holds %zu",
                      reader->known.sizes.path, sum, reader->path, reader->docs.count);
  if (!reader->docs.count)
    return dorm__fail(reader->context, DORM_BAD_DATA, "%s: no document in it", reader->path);
  return DORM_OK;
}

static dorm_status finish(letor_reader *reader, const char *name, dorm_dataset **dataset)
{
  dorm_status status = check_sizes(reader);
  if (status != DORM_OK)
    return status;
  dorm_dataset *made = dorm__alloc_zero(1, sizeof *made);
  if (!made || !(made->name = dorm__copy_text(name))) {
    dorm__free(made);
    return out_of_memory(reader);
  }
  status = dorm__row_store_finish(reader->context, &reader->rows, reader->ids, made);
  if (status != DORM_OK) {
    dorm_dataset_free(made);
    return status;
  }
  dorm__id_table *ids = &reader->known.ids;
  reader->known.start[ids->count] = reader->docs.count;
  made->num_docs = reader->docs.count;
  made->num_queries = ids->count;
  made->query_start = reader->known.start;
  made->query_texts = ids->offsets;
  made->labels = dorm__shrink(reader->docs.labels, reader->docs.count, sizeof *made->labels);
  made->doc_texts = dorm__shrink(reader->docs.texts, reader->docs.count, sizeof *made->doc_texts);
  made->texts = dorm__shrink(ids->texts, ids->texts_size, 1);
  reader->known.start = NULL;
  reader->docs.labels = NULL;
  reader->docs.texts = NULL;
  ids->offsets = NULL;
  ids->texts = NULL;
  made->has_missing = reader->has_missing;
  return DORM__GIVE(reader->docs.is_mixed ? dorm__dataset_order(reader->context, made, reader->docs.query_of) : DORM_OK,
                    dataset, made, dorm_dataset_free);
}

static dorm_status open_reader(letor_reader *reader, const char *name, const dorm_read_options *options)
{
  dorm_status status = dorm__row_store_open(reader->context, name, options->storage, dorm__read_folder(options),
                                            reader->num_threads, &reader->rows);
  if (status != DORM_OK)
    return status;
  size_t empty;
  reader->ids = dorm__id_set_new();
  reader->thread_ids = dorm__alloc_zero(reader->num_threads, sizeof(dorm__id_set *));
  bool is_good = reader->ids && reader->thread_ids && dorm__id_table_keep(&reader->known.ids, "", 0, &empty);
  for (size_t i = 0; is_good && i < reader->num_threads; i++)
    is_good = (reader->thread_ids[i] = dorm__id_set_new()) != NULL;
  return is_good ? DORM_OK : out_of_memory(reader);
}

static void reader_clear(letor_reader *reader)
{
  for (size_t i = 0; i < reader->chunks.capacity; i++)
    dorm__letor_chunk_clear(&reader->chunks.items[i]);
  for (size_t i = 0; reader->thread_ids && i < reader->num_threads; i++)
    dorm__id_set_free(reader->thread_ids[i]);
  dorm__text_buffers_free(reader->buffers);
  dorm__row_store_clear(&reader->rows);
  dorm__id_set_free(reader->ids);
  dorm__id_table_clear(&reader->known.ids);
  dorm__query_sizes_clear(&reader->known.sizes);
  dorm__free(reader->chunks.items);
  dorm__free(reader->thread_ids);
  dorm__free(reader->docs.labels);
  dorm__free(reader->docs.texts);
  dorm__free(reader->docs.query_of);
  dorm__free(reader->known.start);
}

/* Chooses one thread per processor, but one thread for a small file, because waking others would cost more than it
 * saves. */
static size_t threads_for(const char *path)
{
  struct stat about;
  bool is_small = stat(path, &about) == 0 && S_ISREG(about.st_mode) && about.st_size < SMALL_FILE;
  return is_small ? 1 : dorm__threads_for(0);
}

/* Skips the byte order mark of UTF-8. */
static const char *skip_mark(const char *begin, const char *end)
{
  static const char mark[] = "\xef\xbb\xbf";
  size_t size = sizeof mark - 1;
  return (size_t)(end - begin) >= size && memcmp(begin, mark, size) == 0 ? begin + size : begin;
}

/* Checks a last line without a line end, which may be truncated. Its last word is an error if it cannot be complete: a
 * number does not end in a point, a sign or the letter of an exponent. Otherwise prints a warning. */
static dorm_status check_last_line(const letor_reader *reader, const char *begin, const char *end)
{
  if (begin == end || end[-1] == '\n')
    return DORM_OK;
  const char *line = end;
  while (line > begin && line[-1] != '\n')
    line--;
  const char *stop = memchr(line, '#', (size_t)(end - line));
  const char *word = end;
  while (word > line && word[-1] != ' ' && word[-1] != '\t')
    word--;
  if (line + strspn(line, " \t\r") == end || stop == line)
    return DORM_OK;
  if (!stop && word < end && strchr(".+-eE:", end[-1]))
    return dorm__fail(reader->context, DORM_BAD_DATA, "%s:%zu: the file ends within '%.*s': it was cut short",
                      reader->path, reader->num_lines, dorm__shown((size_t)(end - word)), word);
  dorm__warn(reader->context, "%s: the last line has no line end; if the file was cut short, so was its last %s",
             reader->path, stop ? "comment" : "number");
  return DORM_OK;
}

static dorm_status read_lines(letor_reader *reader, dorm__byte_reader *bytes)
{
  bool is_first = true;
  uint64_t size = dorm__byte_reader_size(bytes);
  reader->size = size == dorm__byte_reader_most(bytes) ? size : 0;
  const char *begin = NULL;
  const char *end = NULL;
  dorm_status status =
      dorm__text_buffers_new(reader->context, reader->path, bytes, reader->num_threads, &reader->buffers);
  while (status == DORM_OK) {
    status = dorm__text_buffers_next(reader->context, reader->buffers, reader->num_lines, &begin, &end);
    if (status != DORM_OK || !begin)
      break;
    begin = is_first ? skip_mark(begin, end) : begin;
    is_first = false;
    status = DORM__ALL(read_buffer(reader, begin, end), check_last_line(reader, begin, end));
  }
  dorm__text_buffers_free(reader->buffers);
  reader->buffers = NULL;
  return status;
}

dorm_status dorm__letor_read(dorm_context *context, const char *path, dorm__byte_reader *bytes,
                             const dorm_read_options *options, dorm_dataset **dataset)
{
  DORM__AT_END(reader_clear)
  letor_reader reader = {.context = context,
                         .path = path,
                         .num_threads =
                             options->num_threads ? dorm__threads_for(options->num_threads) : threads_for(path),
                         .may_lack_label = options->labels_optional != 0,
                         .may_sort = options->sort_queries != 0};
  return DORM__ALL(open_reader(&reader, path, options), read_lines(&reader, bytes), finish(&reader, path, dataset));
}
