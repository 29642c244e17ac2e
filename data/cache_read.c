/* cache_read.c: reads a cache of a data set, or the share of one process. Reads only the blocks that contain its
 * shards, which it finds through query_start. Each block has its own checksum. The sizes in the header must add up to
 * the size of the file before anything is allocated. The contents of the arrays are checked like the contents of a
 * text. */
#include "base/hash.h"
#include "data/cache.h"
#include "data/dataset.h"

#include <limits.h>
#include <math.h>
#include <string.h>

typedef struct share_reader {
  dorm_context *context;
  const char *path;
  dorm__byte_reader *bytes;
  dorm__cache_header header;
  bool is_whole;      /* all queries are read */
  const char *folder; /* of the file for the values, or NULL */
  dorm__cache_section sections[DORM__CACHE_NUM_SECTIONS];
  uint64_t place[DORM__CACHE_NUM_SECTIONS]; /* of the sections in the file */
  size_t block[DORM__CACHE_NUM_SECTIONS];   /* index of their first checksums */
  uint64_t *checksums;
} share_reader;

static dorm_status refuse(const share_reader *reader, const char *why)
{
  return dorm__fail(reader->context, DORM_BAD_DATA, "%s: this data cache cannot be used: %s", reader->path, why);
}

static dorm_status refuse_contents(const share_reader *reader)
{
  return refuse(reader, "what it holds is no data set");
}

static dorm_status out_of_memory(const share_reader *reader)
{
  return dorm__out_of_memory(reader->context, "a data set");
}

bool dorm__cache_is(const dorm__byte_reader *bytes)
{
  return dorm__byte_reader_starts_with(bytes, dorm__cache_magic);
}

/* ---- Valid contents --------------------------------------------------------------------- */

/* Whether starts[0 .. count] run from 0 to `end` in steps of at least `least`. */
static bool are_starts(size_t count, const size_t *starts, size_t end, size_t least)
{
  bool is_good = starts[0] == 0 && starts[count] == end;
  for (size_t i = 0; is_good && i < count; i++)
    is_good = starts[i] <= end && starts[i + 1] >= starts[i] + least;
  return is_good;
}

static bool are_texts(size_t count, const size_t *offsets, size_t size)
{
  bool is_good = true;
  for (size_t i = 0; i < count; i++)
    is_good = is_good && offsets[i] < size;
  return is_good;
}

static bool are_columns(const dorm_dataset *dataset)
{
  for (size_t j = 0; j < dataset->num_docs; j++)
    for (size_t e = dataset->row_start[j]; e < dataset->row_start[j + 1]; e++)
      if (dataset->indices[e] >= dataset->num_features ||
          (e > dataset->row_start[j] && dataset->indices[e] <= dataset->indices[e - 1]))
        return false;
  return true;
}

/* Whether order[count] contains each number below count once. Marks numbers in place, and removes the marks. */
static bool is_permutation(size_t count, size_t *order)
{
  const size_t mark = (size_t)1 << (sizeof mark * CHAR_BIT - 1);
  bool is_good = true;
  for (size_t i = 0; is_good && i < count; i++) {
    size_t number = order[i] & ~mark;
    is_good = number < count && !(order[number] & mark);
    if (is_good)
      order[number] |= mark;
  }
  for (size_t i = 0; i < count; i++)
    order[i] &= ~mark;
  return is_good;
}

static bool are_weights(size_t count, const double *weights)
{
  bool is_good = true;
  for (size_t i = 0; weights && i < count; i++)
    is_good = is_good && isfinite(weights[i]) && weights[i] >= 0;
  return is_good;
}

/* Whether all values are finite, or missing if the file allows missing values. */
static bool are_values(const dorm__cache_header *header, const dorm_dataset *dataset)
{
  enum { AT_ONCE = DORM__CACHE_BLOCK / sizeof *dataset->values };
  float worst = 0; /* becomes NaN at the first NaN or infinity */
  for (uint64_t first = 0; first < header->num_entries; first += AT_ONCE) {
    uint64_t end = header->num_entries - first < AT_ONCE ? header->num_entries : first + AT_ONCE;
    dorm__file_memory_use(dataset->file, dataset->values + first, (size_t)(end - first) * sizeof *dataset->values);
    for (uint64_t e = first; e < end; e++)
      if (!header->has_missing || !isnan(dataset->values[e]))
        worst += dataset->values[e] * 0;
  }
  return worst == 0;
}

static bool is_sound(const dorm__cache_header *header, const dorm_dataset *dataset)
{
  size_t size = (size_t)header->texts_size;
  bool is_good = dataset->num_docs && size && header->is_sparse <= 1 && header->has_missing <= 1 &&
                 header->has_order <= 1 && header->has_query_weights <= 1 && header->has_doc_weights <= 1 &&
                 are_weights(dataset->num_queries, dataset->query_weights) &&
                 are_weights(dataset->num_docs, dataset->doc_weights) &&
                 (!header->has_order || is_permutation(dataset->num_docs, dataset->input_order)) &&
                 are_starts(dataset->num_queries, dataset->query_start, dataset->num_docs, 1) &&
                 dataset->texts[0] == '\0' && dataset->texts[size - 1] == '\0' &&
                 are_texts(dataset->num_queries, dataset->query_texts, size) &&
                 are_texts(dataset->num_docs, dataset->doc_texts, size);
  for (size_t j = 0; j < dataset->num_docs; j++)
    is_good = is_good && isfinite(dataset->labels[j]) && dataset->labels[j] >= 0;
  for (size_t f = 0; f < dataset->num_features; f++)
    is_good = is_good && dataset->feature_ids[f] <= DORM__LARGEST_ID &&
              (f == 0 || dataset->feature_ids[f] > dataset->feature_ids[f - 1]);
  if (header->is_sparse)
    is_good = is_good && header->num_features <= UINT32_MAX &&
              are_starts(dataset->num_docs, dataset->row_start, (size_t)header->num_entries, 0) && are_columns(dataset);
  return is_good && are_values(header, dataset);
}

/* ---- Header --------------------------------------------------------------------------- */

static dorm_status check_header(const share_reader *reader)
{
  const dorm__cache_header *header = &reader->header;
  uint64_t file_size = dorm__byte_reader_size(reader->bytes);
  if (header->byte_order != DORM__CACHE_BYTE_ORDER)
    return refuse(reader, "it is of a machine of another byte order");
  if (header->version != DORM__CACHE_VERSION)
    return refuse(reader, "it is of another version of dorm");
  if (header->header_checksum != dorm__cache_header_checksum(header))
    return refuse(reader, "its header is damaged");
  if (!DORM__CACHE_HAS_WIDE_SIZES)
    return refuse(reader, "it needs a machine of 64 bits");
  const uint64_t counts[] = {header->num_docs,    header->num_queries, header->num_features,
                             header->num_entries, header->texts_size,  header->is_sparse};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    if (counts[i] > file_size)
      return refuse(reader, "its sizes do not fit the file");
  bool has_all = header->num_features ? header->num_entries / header->num_features == header->num_docs &&
                                            header->num_entries % header->num_features == 0
                                      : header->num_entries == 0;
  if (!header->is_sparse && !has_all)
    return refuse_contents(reader);
  dorm_dataset none;
  dorm__cache_section sections[DORM__CACHE_NUM_SECTIONS];
  dorm__cache_list(header, &none, sections);
  uint64_t total = sizeof *header;
  for (size_t i = 0; i < DORM__CACHE_NUM_SECTIONS; i++)
    total += dorm__cache_padded(sections[i].count * sections[i].size); /* counts are below 2^60 */
  total += dorm__cache_all_blocks(sections) * sizeof(uint64_t);
  return total == file_size ? DORM_OK : refuse(reader, "it is cut short, or its sizes do not fit the file");
}

/* Reads `size` bytes at an offset of the file. */
static dorm_status read_at(const share_reader *reader, uint64_t at, void *to, size_t size)
{
  size_t got = 0;
  dorm_status status = DORM__ALL(dorm__byte_reader_limit(reader->context, reader->bytes, at, at + size),
                                 dorm__byte_reader_read(reader->context, reader->bytes, to, size, &got));
  return status == DORM_OK && got < size ? refuse(reader, "it is cut short") : status;
}

/* Reads the header and the checksums of all blocks, which are at the end. Makes a data set with the features and no
 * queries. */
static dorm_status open_share(share_reader *reader, dorm_dataset **dataset)
{
  dorm__cache_header *header = &reader->header;
  dorm_status status = DORM__ALL(read_at(reader, 0, header, sizeof *header), check_header(reader));
  if (status != DORM_OK)
    return status;
  dorm_dataset *made = dorm__alloc_zero(1, sizeof *made);
  if (!made || !(made->name = dorm__copy_text(reader->path))) {
    dorm__free(made);
    return out_of_memory(reader);
  }
  *dataset = made;
  made->num_features = (size_t)header->num_features;
  made->has_missing = header->has_missing != 0;
  dorm__cache_list(header, made, reader->sections);
  uint64_t at = sizeof *header;
  size_t count = 0;
  for (size_t i = 0; i < DORM__CACHE_NUM_SECTIONS; i++) {
    reader->place[i] = at;
    reader->block[i] = count;
    at += dorm__cache_padded(reader->sections[i].count * reader->sections[i].size);
    count += (size_t)dorm__cache_num_blocks(&reader->sections[i]);
  }
  size_t size = count * sizeof *reader->checksums;
  reader->checksums = dorm__alloc(size, 1);
  if (!reader->checksums)
    return out_of_memory(reader);
  status = read_at(reader, at, reader->checksums, size);
  return status == DORM_OK && dorm__hash_words(0, reader->checksums, size) != header->checksum
             ? refuse(reader, "its checksum is wrong: it is damaged")
             : status;
}

/* ---- Items ------------------------------------------------------------------------------ */

/* Reads block `at` of `size` bytes, and its padding if it is the last of the section, and verifies both. `block` has
 * room for a whole block. */
static dorm_status read_block(const share_reader *reader, size_t which, uint64_t at, size_t size, char *block)
{
  size_t padded = dorm__cache_padded(size);
  dorm_status status = read_at(reader, reader->place[which] + at, block, padded);
  if (status != DORM_OK)
    return status;
  bool is_good = dorm__hash_words(0, block, size) == reader->checksums[reader->block[which] + at / DORM__CACHE_BLOCK];
  for (size_t k = size; k < padded; k++)
    is_good = is_good && block[k] == 0;
  return is_good ? DORM_OK : refuse(reader, "its checksum is wrong: it is damaged");
}

/* Reads items [first, first + count) of a section to their place in memory, or in `file` unless that is NULL. Verifies
 * every block that contains any of them. */
static dorm_status read_items_to(const share_reader *reader, size_t which, uint64_t first, size_t count, void *items,
                                 dorm__file_memory *file)
{
  const dorm__cache_section *one = &reader->sections[which];
  size_t size = one->count * one->size;
  size_t begin = (size_t)first * one->size, end = begin + count * one->size;
  DORM__FREED char *block = dorm__alloc(DORM__CACHE_BLOCK, 1);
  dorm_status status = block ? DORM_OK : out_of_memory(reader);
  for (size_t at = begin / DORM__CACHE_BLOCK * DORM__CACHE_BLOCK; status == DORM_OK && at < end;
       at += DORM__CACHE_BLOCK) {
    size_t length = dorm__cache_block_size(size, at);
    bool is_direct = !file && at >= begin && at + DORM__CACHE_BLOCK <= end;
    status = read_block(reader, which, at, length, is_direct ? (char *)items + (at - begin) : block);
    size_t from = at < begin ? begin : at;
    size_t to = at + length < end ? at + length : end;
    if (status == DORM_OK && file)
      status = dorm__file_memory_put(reader->context, file, from - begin, block + (from - at), to - from);
    else if (status == DORM_OK && !is_direct)
      memcpy((char *)items + (from - begin), block + (from - at), to - from);
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
    return out_of_memory(reader);
  return read_items(reader, which, first, count, *one->bytes);
}

/* Finds the first query of a shard, and its first document. */
static dorm_status find_shard(const share_reader *reader, size_t shard, size_t num_shards, size_t *query,
                              uint64_t *docs_before)
{
  size_t low = 0;
  size_t high = (size_t)reader->header.num_queries;
  size_t start = 0;
  dorm_status status = DORM_OK;
  while (status == DORM_OK && low < high) { /* queries before low are in earlier shards, those from high on are not */
    size_t middle = low + (high - low) / 2;
    status = read_items(reader, DORM__CACHE_QUERY_START, middle, 1, &start);
    if (dorm__shard_of(start, reader->header.num_docs, num_shards) < shard)
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
  size_t all = (size_t)reader->header.texts_size;
  dorm_status status = DORM_OK;
  for (*end = 0; status == DORM_OK && !*end; offset += sizeof bytes) {
    size_t count = all - offset < sizeof bytes ? all - offset : sizeof bytes;
    if (offset >= all)
      return refuse_contents(reader);
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
  dorm_status status = DORM__ALL(read_items(reader, DORM__CACHE_TEXTS, 0, 1, &zero),
                                 zero ? refuse(reader, "its texts do not begin with an empty one") : DORM_OK,
                                 find_texts(reader, made, &first, &end));
  DORM__FREED char *part = status == DORM_OK ? dorm__alloc_zero(end - first + 1, 1) : NULL;
  if (status == DORM_OK)
    status = part ? read_items(reader, DORM__CACHE_TEXTS, first, end - first, part) : out_of_memory(reader);
  if (status == DORM_OK) {
    size_t size = 1;
    made->texts = dorm__alloc_zero(size + texts_of(part, first, made->num_queries, made->query_texts) +
                                       texts_of(part, first, made->num_docs, made->doc_texts),
                                   1);
    if (made->texts) {
      move_texts(part, first, made->num_queries, made->query_texts, made->texts, &size);
      move_texts(part, first, made->num_docs, made->doc_texts, made->texts, &size);
    } else
      status = out_of_memory(reader);
  }
  return status;
}

/* Allocates the values of `count` entries, in a file if a folder is given. */
static dorm_status make_values(const share_reader *reader, size_t count, dorm_dataset *made)
{
  if (reader->folder && reader->header.is_sparse)
    return dorm__fail(
        reader->context, DORM_BAD_USAGE,
        "%s: its rows are sparse, and data.storage = file keeps dense ones: name the text that it was made "
        "of, or leave data.storage at auto",
        reader->path);
  size_t size = dorm__cache_padded(count * sizeof *made->values);
  if (!reader->folder)
    return (made->values = dorm__alloc(size, 1)) ? DORM_OK : out_of_memory(reader);
  dorm_status status = dorm__file_memory_new(reader->context, reader->folder, size, &made->file);
  made->values = status == DORM_OK ? dorm__file_memory_bytes(made->file) : NULL;
  return status;
}

/* Reads rows [first, first + num_docs). */
static dorm_status take_rows(const share_reader *reader, uint64_t first, dorm_dataset *made)
{
  const dorm__cache_header *header = &reader->header;
  size_t num_docs = made->num_docs;
  size_t count = num_docs * made->num_features;
  if (!header->is_sparse || reader->folder)
    return DORM__ALL(
        make_values(reader, count, made),
        read_items_to(reader, DORM__CACHE_VALUES, first * made->num_features, count, made->values, made->file));
  dorm_status status = take_items(reader, DORM__CACHE_ROW_START, first, num_docs + 1);
  if (status != DORM_OK)
    return status;
  size_t entry = made->row_start[0];
  count = made->row_start[num_docs] - entry;
  if (entry > header->num_entries || count > header->num_entries - entry ||
      (reader->is_whole && count < header->num_entries))
    return refuse_contents(reader);
  for (size_t i = 0; i <= num_docs; i++)
    made->row_start[i] -= entry;
  return DORM__ALL(take_items(reader, DORM__CACHE_INDICES, entry, count),
                   take_items(reader, DORM__CACHE_VALUES, entry, count));
}

/* Reads the queries [first, end). docs_before documents precede them. */
static dorm_status take_share(const share_reader *reader, size_t first, size_t end, uint64_t docs_before,
                              dorm_dataset *made)
{
  const dorm__cache_header *header = &reader->header;
  made->num_queries = end - first;
  dorm_status status = take_items(reader, DORM__CACHE_QUERY_START, first, made->num_queries + 1);
  for (size_t q = 0; status == DORM_OK && q <= made->num_queries; q++)
    made->query_start[q] -= (size_t)docs_before;
  if (status != DORM_OK)
    return status;
  made->num_docs = made->query_start[made->num_queries];
  if (made->num_docs > header->num_docs - docs_before || (reader->is_whole && made->num_docs < header->num_docs))
    return refuse_contents(reader);
  const struct {
    size_t which;
    uint64_t first;
    size_t count;
    bool is_there;
  } parts[] = {{DORM__CACHE_LABELS, docs_before, made->num_docs, true},
               {DORM__CACHE_FEATURE_IDS, 0, made->num_features, true},
               {DORM__CACHE_QUERY_TEXTS, first, made->num_queries, true},
               {DORM__CACHE_DOC_TEXTS, docs_before, made->num_docs, true},
               {DORM__CACHE_TEXTS, 0, (size_t)header->texts_size, reader->is_whole},
               {DORM__CACHE_INPUT_ORDER, 0, made->num_docs, reader->is_whole && header->has_order},
               {DORM__CACHE_QUERY_WEIGHTS, first, made->num_queries, header->has_query_weights != 0},
               {DORM__CACHE_DOC_WEIGHTS, docs_before, made->num_docs, header->has_doc_weights != 0}};
  for (size_t i = 0; status == DORM_OK && i < sizeof parts / sizeof *parts; i++)
    if (parts[i].is_there)
      status = take_items(reader, parts[i].which, parts[i].first, parts[i].count);
  return DORM__ALL(status, reader->is_whole ? DORM_OK : take_texts(reader, made), take_rows(reader, docs_before, made));
}

/* Whether the arrays hold only what can be read from a text. */
static bool is_sound_share(const share_reader *reader, const dorm_dataset *made)
{
  dorm__cache_header own = reader->header;
  if (!reader->is_whole) {
    if (!made->num_docs)
      return !made->num_queries;
    own.num_entries = made->row_start ? made->row_start[made->num_docs] : made->num_docs * made->num_features;
    own.texts_size = dorm__cache_texts_size(made);
    own.has_order = 0;
  }
  return is_sound(&own, made);
}

dorm_status dorm__cache_read(dorm_context *context, const char *path, dorm__byte_reader *bytes,
                             const dorm__shard_span *span, const char *folder, dorm__cache_share *share,
                             dorm_dataset **dataset)
{
  uint64_t docs_end = 0;
  dorm_dataset *made = NULL;
  share_reader reader = {.context = context, .path = path, .bytes = bytes, .folder = folder, .is_whole = !span};
  dorm_status status = open_share(&reader, &made);
  *share = (dorm__cache_share){.num_queries = reader.header.num_queries,
                               .num_docs = reader.header.num_docs,
                               .stamp = reader.header.stamp,
                               .is_reordered = reader.header.has_order != 0};
  size_t end = (size_t)share->num_queries;
  if (status == DORM_OK && span)
    status =
        DORM__ALL(find_shard(&reader, span->first_shard, span->num_shards, &share->queries_before, &share->docs_before),
                  find_shard(&reader, span->end_shard, span->num_shards, &end, &docs_end),
                  end < share->queries_before || docs_end < share->docs_before ? refuse_contents(&reader) : DORM_OK);
  status = DORM__ALL(status, take_share(&reader, share->queries_before, end, share->docs_before, made),
                     is_sound_share(&reader, made) ? DORM_OK : refuse_contents(&reader));
  dorm__free(reader.checksums);
  return DORM__GIVE(status, dataset, made, dorm_dataset_free);
}
