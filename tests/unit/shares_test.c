/*
 * shares_test.c: the shares that several processes read of caches of random small data sets, against the whole data set
 * cut at the borders of the shards; damaged caches.
 */
#include "tests/unit/process_team.h"
#include "tests/unit/unit.h"

#include <stdarg.h>

enum { TEXT_SIZE = 1 << 18, MOST_PROCESSES = 7 };

typedef struct text {
  char bytes[TEXT_SIZE];
  size_t size;
  size_t num_lines;
  size_t line_start[2000];
} text;

static void add(text *made, const char *format, ...) DORM__PRINTF(2, 3);
static void add(text *made, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  made->size += (size_t)vsnprintf(made->bytes + made->size, TEXT_SIZE - made->size, format, arguments);
  va_end(arguments);
}

static void add_document(text *made, dorm__random *random, size_t query, size_t most_id)
{
  static const char *const blanks[] = {" ", " ", " ", "\t", "   ", " \t"};
  add(made, "%s%d%sqid:%zu", dorm__random_below(random, 8) ? "" : blanks[dorm__random_below(random, 6)],
      (int)dorm__random_below(random, 4), blanks[dorm__random_below(random, 6)], 10 + query % 7 * 100 + query);
  for (size_t id = 1; id <= most_id; id += 1 + dorm__random_below(random, most_id > 20 ? 400 : 2))
    add(made, dorm__random_below(random, 40) ? " %zu:%.3f" : " %zu:nan", id, dorm__random_normal(random));
  if (dorm__random_below(random, 2))
    add(made, " # docid = D%zu", dorm__random_below(random, 1000));
}

/* Random lines: comments, blank lines, blanks of all kinds, both kinds of line ends; the last line may lack its own. */
static void draw(dorm__random *random, text *made)
{
  size_t num_queries = 1 + dorm__random_below(random, 12);
  size_t most_id = dorm__random_below(random, 3) ? 1 + dorm__random_below(random, 8) : 3000;
  memset(made, 0, sizeof *made);
  if (!dorm__random_below(random, 5))
    add(made, "\xef\xbb\xbf");
  for (size_t q = 0; q < num_queries; q++)
    for (size_t left = 1 + dorm__random_below(random, dorm__random_below(random, 4) ? 5 : 30); left > 0;) {
      made->line_start[made->num_lines++] = made->size;
      size_t kind = dorm__random_below(random, 12);
      if (kind == 0)
        add(made, dorm__random_below(random, 2) ? "# 1 qid:3 1:1" : " \t # 1 qid:3 1:1");
      else if (kind > 1) {
        add_document(made, random, q, most_id);
        left--;
      }
      add(made, dorm__random_below(random, 3) ? "\n" : "\r\n");
    }
  if (!dorm__random_below(random, 3)) {
    made->size -= made->bytes[made->size - 2] == '\r' ? 2 : 1;
    if (strchr(".+-eE:", made->bytes[made->size - 1]))
      add(made, "\n");
  }
}

/* The share that one process reads. */
typedef struct reader {
  char path[64];
  size_t num_shards;
  dorm_storage storage;
  dorm_dataset *dataset;
  dorm_status status;
  char message[DORM__MESSAGE_SIZE];
} reader;

static void read_share(dorm_context *context, size_t number, void *own)
{
  reader *me = own;
  dorm_read_options options = {.struct_size = sizeof options,
                               .num_threads = 1 + number % 2,
                               .storage = me->storage,
                               .num_shards = me->num_shards};
  me->status = dorm_dataset_read_with(context, me->path, &options, &me->dataset);
  snprintf(me->message, sizeof me->message, "%s", dorm_context_message(context));
}

/* Whether share holds the queries first .. end - 1 of whole. */
static bool is_cut(const dorm_dataset *share, const dorm_dataset *whole, size_t first, size_t end)
{
  return share->num_queries == end - first && share->has_missing == whole->has_missing &&
         share->num_features == whole->num_features && !share->row_start == !whole->row_start &&
         memcmp(share->feature_ids, whole->feature_ids, share->num_features * sizeof(size_t)) == 0 &&
         unit_is_part(share, whole, first) && !share->query_weights == !whole->query_weights &&
         !share->doc_weights == !whole->doc_weights;
}

/* The first query of shard s, by the definition. */
static size_t shard_begin(const dorm_dataset *whole, size_t s, size_t num_shards)
{
  size_t q = 0;
  while (q < whole->num_queries && whole->query_start[q] * num_shards / whole->num_docs < s)
    q++;
  return q;
}

static bool is_dealt(const dorm_dataset *share, const dorm_dataset *whole, size_t num_shards, size_t first_shard,
                     size_t end_shard)
{
  const dorm__shards *shards = share->shards;
  size_t first = shard_begin(whole, first_shard, num_shards);
  bool is_good = shards && shards->total == num_shards && shards->first == first_shard &&
                 shards->count == end_shard - first_shard && shards->before == first &&
                 shards->all_queries == whole->num_queries && shards->all_docs == whole->num_docs;
  for (size_t s = first_shard; is_good && s <= end_shard; s++)
    is_good = shards->start[s - first_shard] == shard_begin(whole, s, num_shards) - first;
  return is_good;
}

/* Lets processes read `path`, and compares what they have with `whole`. */
static size_t compare(const char *path, size_t size, size_t num_shards, dorm_storage storage, const dorm_dataset *whole)
{
  reader readers[MOST_PROCESSES] = {0};
  size_t num_wrong = 0;
  for (size_t i = 0; i < size; i++) {
    snprintf(readers[i].path, sizeof readers[i].path, "%s", path);
    readers[i].num_shards = num_shards;
    readers[i].storage = storage;
  }
  process_team_run(size, read_share, readers, sizeof *readers);
  for (size_t i = 0; i < size; i++) {
    size_t first = i * num_shards / size;
    size_t end = (i + 1) * num_shards / size;
    const reader *one = &readers[i];
    bool is_good =
        one->status == DORM_OK && is_dealt(one->dataset, whole, num_shards, first, end) &&
        is_cut(one->dataset, whole, shard_begin(whole, first, num_shards), shard_begin(whole, end, num_shards));
    if (!is_good && !num_wrong)
      printf("\n%s, process %zu of %zu, %zu shards: %s\n", path, i, size, num_shards, one->message);
    num_wrong += !is_good;
    dorm_dataset_free(one->dataset);
  }
  return num_wrong;
}

static const char *share_path(void)
{
  static char path[64];
  snprintf(path, sizeof path, "/tmp/dorm-shares-%ld.txt", (long)getpid());
  return path;
}

/* Reads by one process, without shards; NULL and the message if that fails. */
static dorm_dataset *read_whole(const char *path, dorm_storage storage, char message[DORM__MESSAGE_SIZE])
{
  DORM__OWNED(dorm_context) *context = unit_context();
  dorm_read_options options = {.struct_size = sizeof options, .num_threads = 1, .storage = storage};
  dorm_dataset *whole = NULL;
  dorm_dataset_read_with(context, path, &options, &whole);
  snprintf(message, DORM__MESSAGE_SIZE, "%s", dorm_context_message(context));
  return whole;
}

static const char *weights_path(void)
{
  static char path[80];
  snprintf(path, sizeof path, "%s.weight", share_path());
  return path;
}

/* Writes weights of the queries or of the documents beside the text, or removes them. */
static void write_weights(dorm__random *random, const dorm_dataset *whole)
{
  size_t kind = dorm__random_below(random, 4);
  size_t query = SIZE_MAX;
  double weight = 1;
  FILE *file = kind ? fopen(weights_path(), "w") : NULL;
  for (size_t j = 0; file && j < whole->num_docs; j++) {
    bool is_new = query == SIZE_MAX || j >= whole->query_start[query + 1];
    query += is_new;
    weight = is_new || kind == 3 ? (double)dorm__random_below(random, 50) / 8 : weight;
    if (is_new || kind > 1)
      fprintf(file, "%g\n", weight);
  }
  if (file)
    fclose(file);
}

/* Compares shares of a cache of the data, which has their weights or, with `beside`, finds them beside it. */
static size_t compare_cached(dorm__random *random, dorm_storage storage, const dorm_dataset *written, bool beside)
{
  char path[64], weights[80], message[DORM__MESSAGE_SIZE];
  DORM__OWNED(dorm_context) *context = unit_context();
  snprintf(path, sizeof path, "/tmp/dorm-shares-%ld.cache", (long)getpid());
  snprintf(weights, sizeof weights, "%s.weight", path);
  UNIT_OK(context, dorm_dataset_write_cache(context, written, path));
  if (beside)
    rename(weights_path(), weights);
  DORM__OWNED(dorm_dataset) *whole = read_whole(path, storage, message);
  CU_ASSERT_PTR_NOT_NULL_FATAL(whole);
  size_t num_wrong = compare(path, 2 + dorm__random_below(random, MOST_PROCESSES - 1),
                             1 + dorm__random_below(random, 12), storage, whole);
  unlink(path);
  unlink(weights);
  return num_wrong;
}

UNIT_TEST(shares_are_cuts_of_the_whole)
{
  enum { NUM_TEXTS = 100 };
  text *made = calloc(1, sizeof *made);
  size_t num_wrong = 0;
  char message[DORM__MESSAGE_SIZE];
  dorm__random random = unit_random(0);
  for (size_t i = 0; i < NUM_TEXTS; i++) {
    dorm_storage storage = (dorm_storage)dorm__random_below(&random, 3);
    draw(&random, made);
    unit_write_file(share_path(), made->bytes, made->size);
    unlink(weights_path());
    DORM__OWNED(dorm_dataset) *unweighted = read_whole(share_path(), storage, message);
    CU_ASSERT_PTR_NOT_NULL_FATAL(unweighted);
    write_weights(&random, unweighted);
    DORM__OWNED(dorm_dataset) *whole = read_whole(share_path(), storage, message);
    CU_ASSERT_PTR_NOT_NULL_FATAL(whole);
    num_wrong += compare_cached(&random, storage, whole, false) != 0;
    num_wrong += compare_cached(&random, storage, unweighted, true) != 0;
  }
  CU_ASSERT_EQUAL(num_wrong, 0);
  unlink(weights_path());
  unlink(share_path());
  free(made);
}

/* A byte of a cache changes: the processes that read it say so, and all fail; nobody takes other data for the true
 * ones. */
UNIT_TEST_IN(context, damaged_caches_are_refused)
{
  enum { NUM_TRIES = 200 };
  text *made = calloc(1, sizeof *made);
  size_t num_wrong = 0, num_refused = 0;
  char message[DORM__MESSAGE_SIZE];
  dorm__random random = unit_random(3);
  draw(&random, made);
  unit_write_file(share_path(), made->bytes, made->size);
  DORM__OWNED(dorm_dataset) *whole = read_whole(share_path(), DORM_STORAGE_AUTO, message);
  CU_ASSERT_PTR_NOT_NULL_FATAL(whole);
  UNIT_OK(context, dorm_dataset_write_cache(context, whole, share_path()));
  size_t size;
  DORM__FREED char *bytes = unit_read_file(share_path(), &size);
  for (size_t i = 0; i < NUM_TRIES; i++) {
    reader readers[3] = {0};
    size_t at = dorm__random_below(&random, size);
    bytes[at] ^= 1;
    unit_write_file(share_path(), bytes, size);
    bytes[at] ^= 1;
    for (size_t k = 0; k < 3; k++) {
      snprintf(readers[k].path, sizeof readers[k].path, "%s", share_path());
      readers[k].num_shards = 5;
    }
    process_team_run(3, read_share, readers, sizeof *readers);
    num_refused += readers[0].status != DORM_OK;
    for (size_t k = 0; k < 3; k++) {
      size_t first = k * 5 / 3, end = (k + 1) * 5 / 3;
      num_wrong += readers[k].status != readers[0].status ||
                   (readers[k].status == DORM_OK &&
                    !is_cut(readers[k].dataset, whole, shard_begin(whole, first, 5), shard_begin(whole, end, 5)));
      dorm_dataset_free(readers[k].dataset);
    }
  }
  CU_ASSERT_EQUAL(num_wrong, 0);
  CU_ASSERT(num_refused > NUM_TRIES / 2);
  unlink(share_path());
  free(made);
}
