/*
 * letor.c: from LETOR / SVMlight text to a data set. Where lines lack a qid, FILE.query or FILE.group beside the data
 * says how many documents each query has (LightGBM, XGBoost). The text comes in buffers of whole lines. A buffer is cut
 * into chunks, which are read in parallel while the next buffer is fetched, and are then joined in order: queries,
 * texts, rows. Chunks are the same for any number of threads, and so is everything made of them. Memory: the data set,
 * two buffers of text and the entries of one buffer.
 */
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

typedef struct letor_reader {
  dorm_context *context;
  const char *path;
  dorm__text_buffers *buffers;
  size_t num_threads;
  size_t num_lines; /* of the chunks joined */
  bool may_lack_label;
  bool may_sort;    /* a query may come back after another one */
  bool has_missing; /* values */

  dorm__letor_chunk *chunks;
  size_t num_chunks;
  size_t chunks_capacity;
  dorm__id_set **thread_ids; /* [num_threads] ids seen by each */
  dorm__id_set *ids;         /* ids of all rows so far */
  dorm__row_store rows;

  size_t num_docs;
  double *labels;
  size_t *doc_texts;
  size_t labels_capacity, doc_texts_capacity;

  size_t query;     /* of the document before */
  bool is_mixed;    /* some query came back: the documents are to be sorted by query */
  size_t *query_of; /* [num_docs] of each document, if may_sort */
  size_t query_of_capacity;

  size_t num_queries;
  size_t *query_start;
  size_t *query_texts;
  size_t query_start_capacity, query_texts_capacity;
  dorm__index_map *queries; /* hash of the id -> query */
  dorm__query_sizes sizes;  /* for lines without qid */
  size_t sizes_end;         /* documents of the queries entered so far, by these sizes */
  bool is_sized;            /* the lines are without qid */

  char *texts;
  size_t texts_size;
  size_t texts_capacity;
} letor_reader;

static dorm_status out_of_memory(const letor_reader *reader)
{
  return dorm__out_of_memory(reader->context, "a data set");
}

/* ---- Queries and texts -------------------------------------------------------- */

/* Appends a text; *offset becomes its place. */
static bool keep_text(letor_reader *reader, const char *begin, size_t size, size_t *offset)
{
  if (!dorm__grow((void **)&reader->texts, &reader->texts_capacity, reader->texts_size + size + 1, 1))
    return false;
  memcpy(reader->texts + reader->texts_size, begin, size);
  reader->texts[reader->texts_size + size] = '\0';
  *offset = reader->texts_size;
  reader->texts_size += size + 1;
  return true;
}

static bool same_text(const letor_reader *reader, size_t offset, const char *begin, size_t size)
{
  return strncmp(reader->texts + offset, begin, size) == 0 && reader->texts[offset + size] == '\0';
}

static dorm_status fail_returning(const letor_reader *reader, size_t line, const char *begin, size_t size)
{
  return dorm__fail(reader->context, DORM_BAD_DATA,
                    "%s:%zu: query '%.*s' comes back after another query; the lines of a query must be "
                    "together (data.sort_queries = yes, or --sort-queries, brings them together)",
                    reader->path, line, size > 40 ? 40 : (int)size, begin);
}

/* Enters the next document into the query of the id [begin, begin + size): the last query, or a new one. */
static dorm_status enter_query(letor_reader *reader, size_t line, const char *begin, size_t size)
{
  if (reader->num_queries && same_text(reader, reader->query_texts[reader->query], begin, size))
    return DORM_OK;
  uint64_t key = dorm__index_map_key(reader->queries, begin, size);
  size_t cursor = 0;
  size_t query;
  while (dorm__index_map_find(reader->queries, key, &cursor, &query))
    if (same_text(reader, reader->query_texts[query], begin, size)) {
      reader->query = query;
      reader->is_mixed = true;
      return reader->may_sort ? DORM_OK : fail_returning(reader, line, begin, size);
    }
  size_t offset;
  if (!dorm__grow((void **)&reader->query_texts, &reader->query_texts_capacity, reader->num_queries + 1,
                  sizeof *reader->query_texts) ||
      !dorm__grow((void **)&reader->query_start, &reader->query_start_capacity, reader->num_queries + 2,
                  sizeof *reader->query_start) ||
      !keep_text(reader, begin, size, &offset) || !dorm__index_map_add(reader->queries, key, reader->num_queries))
    return out_of_memory(reader);
  reader->query = reader->num_queries;
  reader->query_texts[reader->num_queries] = offset;
  reader->query_start[reader->num_queries] = reader->num_docs;
  reader->num_queries++;
  return DORM_OK;
}

/* Enters the next document into the query that still lacks documents by the file of sizes; queries are named by their
 * numbers. */
static dorm_status enter_sized_query(letor_reader *reader, size_t line)
{
  reader->is_sized = true;
  if (reader->num_docs < reader->sizes_end)
    return DORM_OK;
  size_t query = reader->num_queries;
  if (query == reader->sizes.count)
    return dorm__fail(reader->context, DORM_BAD_DATA, "%s:%zu: more documents than the %zu that %s counts",
                      reader->path, line, reader->sizes_end, reader->sizes.path);
  char number[24];
  int size = snprintf(number, sizeof number, "%zu", query + 1);
  reader->sizes_end += reader->sizes.sizes[query];
  return enter_query(reader, line, number, (size_t)size);
}

static dorm_status enter(letor_reader *reader, size_t line, const dorm__letor_chunk *chunk, dorm__span query)
{
  const char *begin = chunk->begin + query.offset;
  if (query.size && reader->is_sized)
    return dorm__fail(reader->context, DORM_BAD_DATA, "%s:%zu: a query id, but the lines before have none",
                      reader->path, line);
  if (query.size)
    return enter_query(reader, line, begin, query.size);
  if (!reader->num_docs) { /* not before, since a file of that name may be something else */
    dorm_status status = dorm__query_sizes_find(reader->context, reader->path, &reader->sizes);
    if (status != DORM_OK)
      return status;
  }
  if (reader->sizes.path)
    return enter_sized_query(reader, line);
  size_t size = strcspn(begin, " \t\r\n#");
  return dorm__fail(reader->context, DORM_BAD_DATA, "%s:%zu: 'qid:' expected after the label, not '%.*s'", reader->path,
                    line, size > 40 ? 40 : (int)size, begin);
}

static dorm_status join_row(letor_reader *reader, const dorm__letor_chunk *chunk, const dorm__letor_row *row)
{
  size_t line = reader->num_lines + row->line + 1;
  dorm_status status = enter(reader, line, chunk, row->query);
  if (status != DORM_OK)
    return status;
  size_t offset = 0; /* where the empty text stands */
  if (row->doc.size && !keep_text(reader, chunk->begin + row->doc.offset, row->doc.size, &offset))
    return out_of_memory(reader);
  reader->labels[reader->num_docs] = row->label;
  reader->doc_texts[reader->num_docs] = offset;
  if (reader->may_sort)
    reader->query_of[reader->num_docs] = reader->query;
  reader->num_docs++;
  return DORM_OK;
}

/* Joins everything of a chunk but its entries. */
static dorm_status join(letor_reader *reader, const dorm__letor_chunk *chunk)
{
  if (!dorm__grow((void **)&reader->labels, &reader->labels_capacity, reader->num_docs + chunk->num_rows,
                  sizeof *reader->labels) ||
      !dorm__grow((void **)&reader->doc_texts, &reader->doc_texts_capacity, reader->num_docs + chunk->num_rows,
                  sizeof *reader->doc_texts) ||
      (reader->may_sort && !dorm__grow((void **)&reader->query_of, &reader->query_of_capacity,
                                       reader->num_docs + chunk->num_rows, sizeof *reader->query_of)))
    return out_of_memory(reader);
  reader->has_missing = reader->has_missing || chunk->num_missing;
  dorm_status status = DORM_OK;
  for (size_t i = 0; status == DORM_OK && i < chunk->num_rows; i++)
    status = join_row(reader, chunk, &chunk->rows[i]);
  if (status == DORM_OK && chunk->status == DORM_OUT_OF_MEMORY)
    status = out_of_memory(reader);
  if (status == DORM_OK && chunk->status != DORM_OK) {
    size_t line = reader->num_lines + chunk->num_lines;
    if (chunk->has_query) /* the query id stands before the mistake in the line, so it is checked first */
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
  size_t before = reader->chunks_capacity;
  if (!dorm__grow((void **)&reader->chunks, &reader->chunks_capacity, most, sizeof *reader->chunks))
    return false;
  if (reader->chunks_capacity > before)
    memset(reader->chunks + before, 0, (reader->chunks_capacity - before) * sizeof *reader->chunks);
  reader->num_chunks = 0;
  while (begin < end) {
    const char *stop = end;
    if (end - begin > CHUNK_SIZE) {
      const char *newline = memchr(begin + CHUNK_SIZE - 1, '\n', (size_t)(end - begin) - (CHUNK_SIZE - 1));
      stop = newline ? newline + 1 : end;
    }
    reader->chunks[reader->num_chunks].may_lack_query =
        reader->sizes.path || !reader->num_docs; /* joining the rows decides */
    reader->chunks[reader->num_chunks].may_lack_label = reader->may_lack_label;
    reader->chunks[reader->num_chunks].begin = begin;
    reader->chunks[reader->num_chunks++].end = stop;
    begin = stop;
  }
  return true;
}

/* Reads the chunks, and meanwhile fetches the next buffer. */
static void read_chunks(letor_reader *reader)
{
  size_t threads = reader->num_threads < reader->num_chunks ? reader->num_threads : reader->num_chunks;
#pragma omp parallel for schedule(dynamic, 1) num_threads((int)threads) if (threads > 1)
  for (size_t i = 0; i <= reader->num_chunks; i++) {
    if (i == 0) {
      dorm__text_buffers_fetch(reader->buffers);
      continue;
    }
    dorm__letor_chunk *chunk = &reader->chunks[i - 1];
    dorm__letor_chunk_read(chunk, chunk->begin, chunk->end, reader->thread_ids[omp_get_thread_num()]);
  }
}

static dorm_status read_buffer(letor_reader *reader, const char *begin, const char *end)
{
  if (!cut(reader, begin, end))
    return out_of_memory(reader);
  read_chunks(reader);
  dorm_status status = DORM_OK;
  for (size_t i = 0; status == DORM_OK && i < reader->num_chunks; i++)
    status = join(reader, &reader->chunks[i]);
  for (size_t i = 0; status == DORM_OK && i < reader->num_threads; i++)
    if (!dorm__id_set_add_all(reader->ids, reader->thread_ids[i]))
      status = out_of_memory(reader);
  if (status != DORM_OK)
    return status;
  return dorm__row_store_append(reader->context, &reader->rows, reader->num_chunks, reader->chunks, reader->ids);
}

/* ---- From the reader's arrays to a data set ------------------------------------- */

/* Gives memory back to the system; when that fails the larger piece is kept. */
static void *shrink(void *block, size_t count, size_t size)
{
  void *smaller = dorm__realloc(block, count, size);
  return smaller ? smaller : block;
}

static dorm_status check_sizes(const letor_reader *reader)
{
  size_t sum = 0;
  for (size_t i = 0; reader->is_sized && i < reader->sizes.count; i++)
    sum += reader->sizes.sizes[i];
  if (reader->is_sized && sum != reader->num_docs)
    return dorm__fail(reader->context, DORM_BAD_DATA, "%s counts %zu documents, but %s holds %zu", reader->sizes.path,
                      sum, reader->path, reader->num_docs);
  if (!reader->num_docs)
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
  reader->query_start[reader->num_queries] = reader->num_docs;
  made->num_docs = reader->num_docs;
  made->num_queries = reader->num_queries;
  made->query_start = reader->query_start;
  made->query_texts = reader->query_texts;
  made->labels = shrink(reader->labels, reader->num_docs, sizeof *made->labels);
  made->doc_texts = shrink(reader->doc_texts, reader->num_docs, sizeof *made->doc_texts);
  made->texts = shrink(reader->texts, reader->texts_size, 1);
  reader->query_start = NULL;
  reader->query_texts = NULL;
  reader->labels = NULL;
  reader->doc_texts = NULL;
  reader->texts = NULL;
  made->has_missing = reader->has_missing;
  status = reader->is_mixed ? dorm__dataset_order(reader->context, made, reader->query_of) : DORM_OK;
  if (status == DORM_OK)
    *dataset = made;
  else
    dorm_dataset_free(made);
  return status;
}

static dorm_status open_reader(letor_reader *reader, const char *name, const dorm_read_options *options)
{
  dorm_status status = dorm__row_store_open(reader->context, name, options->storage, dorm__read_folder(options),
                                            reader->num_threads, &reader->rows);
  if (status != DORM_OK)
    return status;
  size_t empty;
  reader->queries = dorm__index_map_new();
  reader->ids = dorm__id_set_new();
  reader->thread_ids = dorm__alloc_zero(reader->num_threads, sizeof(dorm__id_set *));
  bool is_good = reader->queries && reader->ids && reader->thread_ids && keep_text(reader, "", 0, &empty);
  for (size_t i = 0; is_good && i < reader->num_threads; i++)
    is_good = (reader->thread_ids[i] = dorm__id_set_new()) != NULL;
  return is_good ? DORM_OK : out_of_memory(reader);
}

static void reader_clear(letor_reader *reader)
{
  for (size_t i = 0; i < reader->chunks_capacity; i++)
    dorm__letor_chunk_clear(&reader->chunks[i]);
  for (size_t i = 0; reader->thread_ids && i < reader->num_threads; i++)
    dorm__id_set_free(reader->thread_ids[i]);
  dorm__text_buffers_free(reader->buffers);
  dorm__row_store_clear(&reader->rows);
  dorm__id_set_free(reader->ids);
  dorm__index_map_free(reader->queries);
  dorm__query_sizes_clear(&reader->sizes);
  dorm__free(reader->chunks);
  dorm__free(reader->thread_ids);
  dorm__free(reader->labels);
  dorm__free(reader->doc_texts);
  dorm__free(reader->query_of);
  dorm__free(reader->query_start);
  dorm__free(reader->query_texts);
  dorm__free(reader->texts);
}

/* One thread per processor, but one thread alone for a small file: waking the others would cost more than they save. */
static size_t threads_for(const char *path)
{
  struct stat about;
  bool is_small = stat(path, &about) == 0 && S_ISREG(about.st_mode) && about.st_size < SMALL_FILE;
  return is_small ? 1 : dorm__threads_for(0);
}

/* A text may begin with the mark of UTF-8. */
static const char *skip_mark(const char *begin, const char *end)
{
  static const char mark[] = "\xef\xbb\xbf";
  size_t size = sizeof mark - 1;
  return (size_t)(end - begin) >= size && memcmp(begin, mark, size) == 0 ? begin + size : begin;
}

/* A last line without a line end may have been cut short. It is refused where its last word cannot be whole: a number
 * does not end in a point, a sign or the letter of an exponent. In other cases there is only a warning. */
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
                      reader->path, reader->num_lines, end - word > 40 ? 40 : (int)(end - word), word);
  dorm__warn(reader->context, "%s: the last line has no line end; if the file was cut short, so was its last %s",
             reader->path, stop ? "comment" : "number");
  return DORM_OK;
}

static dorm_status read_lines(letor_reader *reader, dorm__byte_reader *bytes)
{
  bool is_first = true;
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
    status = read_buffer(reader, begin, end);
    if (status == DORM_OK)
      status = check_last_line(reader, begin, end);
  }
  dorm__text_buffers_free(reader->buffers);
  reader->buffers = NULL;
  return status;
}

dorm_status dorm__letor_read(dorm_context *context, const char *path, dorm__byte_reader *bytes,
                             const dorm_read_options *options, dorm_dataset **dataset)
{
  letor_reader reader = {.context = context,
                         .path = path,
                         .num_threads = options->num_threads ? options->num_threads : threads_for(path),
                         .may_lack_label = options->labels_optional != 0,
                         .may_sort = options->sort_queries != 0};
  dorm_status status = open_reader(&reader, path, options);
  if (status == DORM_OK)
    status = read_lines(&reader, bytes);
  if (status == DORM_OK)
    status = finish(&reader, path, dataset);
  reader_clear(&reader);
  return status;
}
