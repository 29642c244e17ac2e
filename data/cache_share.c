/* cache_share.c: reads the share of one process from a cache. Reads only the blocks that contain its shards, which it
 * finds through query_start. Each block has its own checksum. */
#include "base/hash.h"
#include "data/cache.h"
#include "data/cache_format.h"
#include "data/dataset.h"

#include <string.h>

typedef struct share_reader {
  dorm_context *context;
  const char *path;
  dorm__byte_reader *bytes;
  const dorm__cache_header *header;
  const char *folder; /* of the file for the values, or NULL */
  dorm__cache_section sections[DORM__CACHE_NUM_SECTIONS];
  uint64_t place[DORM__CACHE_NUM_SECTIONS]; /* of the sections in the file */
  size_t block[DORM__CACHE_NUM_SECTIONS];   /* index of their first checksums */
  uint64_t *checksums;
} share_reader;

static dorm_status open_share(share_reader *reader, dorm_dataset *dataset)
{
  uint64_t at = sizeof *reader->header;
  size_t block = 0;
  dorm__cache_list(reader->header, dataset, reader->sections);
  for (size_t i = 0; i < DORM__CACHE_NUM_SECTIONS; i++) {
    reader->place[i] = at;
    reader->block[i] = block;
    at += dorm__cache_padded(reader->sections[i].count * reader->sections[i].size);
    block += (size_t)dorm__cache_num_blocks(&reader->sections[i]);
  }
  return dorm__cache_read_checksums(reader->context, reader->path, reader->bytes, reader->header, reader->sections,
                                    &reader->checksums);
}

/* Reads items [first, first + count) of a section to their place in memory, which may be in `file`. Verifies every
 * block that contains any of them. */
static dorm_status read_items_to(const share_reader *reader, size_t which, uint64_t first, size_t count, void *items,
                                 dorm__file_memory *file)
{
  const dorm__cache_section *one = &reader->sections[which];
  uint64_t size = (uint64_t)one->count * one->size;
  uint64_t begin = first * one->size;
  uint64_t end = begin + (uint64_t)count * one->size;
  DORM__FREED char *block = dorm__alloc(DORM__CACHE_BLOCK, 1);
  dorm_status status = block ? DORM_OK : dorm__out_of_memory(reader->context, "a data set");
  for (uint64_t at = begin / DORM__CACHE_BLOCK * DORM__CACHE_BLOCK; status == DORM_OK && at < end;
       at += DORM__CACHE_BLOCK) {
    size_t length = size - at < DORM__CACHE_BLOCK ? (size_t)(size - at) : (size_t)DORM__CACHE_BLOCK;
    status =
        dorm__cache_read_at(reader->context, reader->path, reader->bytes, reader->place[which] + at, block, length);
    if (status == DORM_OK &&
        dorm__hash_words(0, block, length) != reader->checksums[reader->block[which] + at / DORM__CACHE_BLOCK])
      status = dorm__cache_refuse(reader->context, reader->path, "its checksum is wrong: it is damaged");
    uint64_t from = at < begin ? begin : at;
    uint64_t to = at + length < end ? at + length : end;
    if (status == DORM_OK) {
      dorm__file_memory_fill(file, (char *)items + (from - begin), (size_t)(to - from));
      memcpy((char *)items + (from - begin), block + (from - at), (size_t)(to - from));
    }
  }
  return status;
}

static dorm_status read_items(const share_reader *reader, size_t which, uint64_t first, size_t count, void *items)
{
  return read_items_to(reader, which, first, count, items, NULL);
}

/* Allocates items of a section in the data set, and reads them. */
static dorm_status take_items(const share_reader *reader, size_t which, uint64_t first, size_t count)
{
  const dorm__cache_section *one = &reader->sections[which];
  if (!(*one->bytes = dorm__alloc(count, one->size)))
    return dorm__out_of_memory(reader->context, "a data set");
  return read_items(reader, which, first, count, *one->bytes);
}

/* Finds the first query of a shard, and its first document. */
static dorm_status find_shard(const share_reader *reader, size_t shard, size_t num_shards, size_t *query,
                              uint64_t *docs_before)
{
  size_t low = 0;
  size_t high = (size_t)reader->header->num_queries;
  size_t start = 0;
  dorm_status status = DORM_OK;
  while (status == DORM_OK && low < high) { /* queries before low are in earlier shards, those from high on are not */
    size_t middle = low + (high - low) / 2;
    status = read_items(reader, DORM__CACHE_QUERY_START, middle, 1, &start);
    if (dorm__shard_of(start, reader->header->num_docs, num_shards) < shard)
      low = middle + 1;
    else
      high = middle;
  }
  if (status == DORM_OK)
    status = read_items(reader, DORM__CACHE_QUERY_START, low, 1, &start);
  *query = low;
  *docs_before = start;
  return status;
}

/* Finds the end of the text that begins at `offset`. */
static dorm_status find_text_end(const share_reader *reader, size_t offset, size_t *end)
{
  char bytes[256];
  size_t all = (size_t)reader->header->texts_size;
  dorm_status status = DORM_OK;
  for (*end = 0; status == DORM_OK && !*end; offset += sizeof bytes) {
    size_t count = all - offset < sizeof bytes ? all - offset : sizeof bytes;
    if (offset >= all)
      return dorm__cache_refuse(reader->context, reader->path, "what it holds is no data set");
    status = read_items(reader, DORM__CACHE_TEXTS, offset, count, bytes);
    const char *stop = status == DORM_OK ? memchr(bytes, '\0', count) : NULL;
    *end = stop ? offset + (size_t)(stop - bytes) + 1 : 0;
  }
  return status;
}

/* Finds the part [*first, *end) of the texts that contains the texts at these offsets. */
static dorm_status find_texts(const share_reader *reader, const dorm_dataset *made, size_t *first, size_t *end)
{
  size_t last = 0;
  *first = SIZE_MAX;
  for (size_t i = 0; i < made->num_queries + made->num_docs; i++) {
    size_t offset = i < made->num_queries ? made->query_texts[i] : made->doc_texts[i - made->num_queries];
    last = offset > last ? offset : last;
    *first = offset && offset < *first ? offset : *first;
  }
  if (*first != SIZE_MAX)
    return find_text_end(reader, last, end);
  *first = *end = 0;
  return DORM_OK;
}

/* Copies the texts at these offsets from a part that begins at `first` to the data set. Offset 0, the empty text,
 * stays. */
static void move_texts(const char *part, size_t first, size_t count, size_t *offsets, char *own, size_t *size)
{
  for (size_t i = 0; i < count; i++) {
    if (!offsets[i])
      continue;
    size_t length = strlen(part + (offsets[i] - first)) + 1;
    memcpy(own + *size, part + (offsets[i] - first), length);
    offsets[i] = *size;
    *size += length;
  }
}

static size_t texts_of(const char *part, size_t first, size_t count, const size_t *offsets)
{
  size_t size = 0;
  for (size_t i = 0; i < count; i++)
    size += offsets[i] ? strlen(part + (offsets[i] - first)) + 1 : 0;
  return size;
}

/* Reads the texts of the queries and documents in the share. */
static dorm_status take_texts(const share_reader *reader, dorm_dataset *made)
{
  size_t first = 0, end = 0;
  char zero = 0;
  dorm_status status = DORM__ALL(
      read_items(reader, DORM__CACHE_TEXTS, 0, 1, &zero),
      zero ? dorm__cache_refuse(reader->context, reader->path, "its texts do not begin with an empty one") : DORM_OK,
      find_texts(reader, made, &first, &end));
  DORM__FREED char *part = status == DORM_OK ? dorm__alloc_zero(end - first + 1, 1) : NULL;
  if (status == DORM_OK)
    status = part ? read_items(reader, DORM__CACHE_TEXTS, first, end - first, part)
                  : dorm__out_of_memory(reader->context, "a data set");
  if (status == DORM_OK) {
    size_t size = 1;
    made->texts = dorm__alloc_zero(size + texts_of(part, first, made->num_queries, made->query_texts) +
                                       texts_of(part, first, made->num_docs, made->doc_texts),
                                   1);
    if (made->texts) {
      move_texts(part, first, made->num_queries, made->query_texts, made->texts, &size);
      move_texts(part, first, made->num_docs, made->doc_texts, made->texts, &size);
    } else
      status = dorm__out_of_memory(reader->context, "a data set");
  }
  return status;
}

/* Reads rows [first, first + num_docs). */
static dorm_status take_rows(const share_reader *reader, uint64_t first, dorm_dataset *made)
{
  size_t num_docs = made->num_docs;
  size_t width = made->num_features;
  if (!reader->header->is_sparse || reader->folder) {
    dorm_status made_room =
        dorm__cache_make_values(reader->context, reader->path, reader->header, reader->folder, num_docs * width, made);
    return made_room == DORM_OK
               ? read_items_to(reader, DORM__CACHE_VALUES, first * width, num_docs * width, made->values, made->file)
               : made_room;
  }
  dorm_status status = take_items(reader, DORM__CACHE_ROW_START, first, num_docs + 1);
  size_t entry = status == DORM_OK ? made->row_start[0] : 0;
  size_t count = status == DORM_OK ? made->row_start[num_docs] - entry : 0;
  if (status == DORM_OK && (entry > reader->header->num_entries || count > reader->header->num_entries - entry))
    status = dorm__cache_refuse(reader->context, reader->path, "what it holds is no data set");
  if (status == DORM_OK)
    status = DORM__ALL(take_items(reader, DORM__CACHE_INDICES, entry, count),
                       take_items(reader, DORM__CACHE_VALUES, entry, count));
  for (size_t i = 0; status == DORM_OK && i <= num_docs; i++)
    made->row_start[i] -= entry;
  return status;
}

/* Reads the queries [first, end). docs_before documents precede them. */
static dorm_status take_share(const share_reader *reader, size_t first, size_t end, uint64_t docs_before,
                              dorm_dataset *made)
{
  const dorm__cache_header *header = reader->header;
  made->num_queries = end - first;
  dorm_status status = take_items(reader, DORM__CACHE_QUERY_START, first, made->num_queries + 1);
  for (size_t q = 0; status == DORM_OK && q <= made->num_queries; q++)
    made->query_start[q] -= (size_t)docs_before;
  if (status != DORM_OK)
    return status;
  made->num_docs = made->query_start[made->num_queries];
  if (made->num_docs > header->num_docs - docs_before)
    return dorm__cache_refuse(reader->context, reader->path, "what it holds is no data set");
  const struct {
    size_t which;
    uint64_t first;
    size_t count;
    bool is_there;
  } parts[] = {{DORM__CACHE_LABELS, docs_before, made->num_docs, true},
               {DORM__CACHE_FEATURE_IDS, 0, made->num_features, true},
               {DORM__CACHE_QUERY_TEXTS, first, made->num_queries, true},
               {DORM__CACHE_DOC_TEXTS, docs_before, made->num_docs, true},
               {DORM__CACHE_QUERY_WEIGHTS, first, made->num_queries, header->has_query_weights != 0},
               {DORM__CACHE_DOC_WEIGHTS, docs_before, made->num_docs, header->has_doc_weights != 0}};
  for (size_t i = 0; status == DORM_OK && i < sizeof parts / sizeof *parts; i++)
    if (parts[i].is_there)
      status = take_items(reader, parts[i].which, parts[i].first, parts[i].count);
  if (status == DORM_OK)
    status = take_texts(reader, made);
  return status == DORM_OK ? take_rows(reader, docs_before, made) : status;
}

/* Whether the arrays of a share hold only what can be read from a text. */
static bool is_sound_share(const dorm__cache_header *header, const dorm_dataset *made)
{
  dorm__cache_header own = *header;
  if (!made->num_docs)
    return !made->num_queries;
  own.num_docs = made->num_docs;
  own.num_queries = made->num_queries;
  own.num_entries = made->row_start ? made->row_start[made->num_docs] : 0; /* only for sparse rows */
  own.texts_size = dorm__cache_texts_size(made);
  own.has_order = 0;
  return dorm__cache_is_sound(&own, made);
}

dorm_status dorm__cache_read_share(dorm_context *context, const char *path, dorm__byte_reader *bytes,
                                   const dorm__shard_span *span, const char *folder, dorm__cache_share *share,
                                   dorm_dataset **dataset)
{
  dorm__cache_header header;
  size_t end = 0;
  uint64_t docs_end = 0;
  dorm_dataset *made = NULL;
  *dataset = NULL;
  dorm_status status = dorm__cache_open(context, path, bytes, &header, &made);
  if (status != DORM_OK)
    return status;
  share_reader reader = {.context = context, .path = path, .bytes = bytes, .header = &header, .folder = folder};
  *share = (dorm__cache_share){
      .num_queries = header.num_queries, .num_docs = header.num_docs, .is_reordered = header.has_order != 0};
  status =
      DORM__ALL(open_share(&reader, made),
                find_shard(&reader, span->first_shard, span->num_shards, &share->queries_before, &share->docs_before),
                find_shard(&reader, span->end_shard, span->num_shards, &end, &docs_end));
  if (status == DORM_OK && (end < share->queries_before || docs_end < share->docs_before))
    status = dorm__cache_refuse(context, path, "what it holds is no data set");
  if (status == DORM_OK)
    status = take_share(&reader, share->queries_before, end, share->docs_before, made);
  if (status == DORM_OK && !is_sound_share(&header, made))
    status = dorm__cache_refuse(context, path, "what it holds is no data set");
  dorm__free(reader.checksums);
  return DORM__GIVE(status, dataset, made, dorm_dataset_free);
}
