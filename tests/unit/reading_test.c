/*
 * reading_test.c: reading text of many chunks, by several threads, into dense and sparse rows; training in the memory
 * of the data; caches.
 */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <time.h>
#include <zlib.h>

/* Documents as they were drawn, and the text that describes them. */
typedef struct drawn {
  size_t num_docs;
  size_t docs_per_query;
  size_t num_ids; /* ids are 1 + step * f */
  size_t step;
  float *values; /* [num_docs][num_ids] */
  size_t *lines; /* [num_docs] from 1 */
  char *text;
  size_t size;
  size_t capacity;
} drawn;

static void add_text(drawn *set, const char *format, ...) DORM__PRINTF(2, 3);
static void add_text(drawn *set, const char *format, ...)
{
  if (set->size + 256 > set->capacity) {
    set->capacity = 2 * set->capacity + 65536;
    set->text = realloc(set->text, set->capacity);
    CU_ASSERT_PTR_NOT_NULL_FATAL(set->text);
  }
  va_list arguments;
  va_start(arguments, format);
  set->size += (size_t)vsnprintf(set->text + set->size, 256, format, arguments);
  va_end(arguments);
}

/* Draws documents; one in `present` values is in the text. */
static drawn draw(size_t num_docs, size_t num_ids, size_t step, size_t present)
{
  drawn set = {.num_docs = num_docs, .docs_per_query = 7, .num_ids = num_ids, .step = step};
  set.values = calloc(num_docs * num_ids, sizeof *set.values);
  set.lines = calloc(num_docs, sizeof *set.lines);
  CU_ASSERT_FATAL(set.values && set.lines);
  dorm__random random = unit_random(0);
  size_t line = 0;
  for (size_t j = 0; j < num_docs; j++) {
    for (; dorm__random_below(&random, 20) == 0; line++)
      add_text(&set, line % 2 ? "# 5 qid:1 1:1\r\n" : " \t\n");
    set.lines[j] = ++line;
    add_text(&set, "%zu qid:q%zu", j % 5, j / set.docs_per_query);
    for (size_t f = 0; f < num_ids; f++) {
      if (dorm__random_below(&random, present))
        continue;
      char number[DORM__NUMBER_SIZE];
      float value = dorm__random_below(&random, 8) ? (float)dorm__random_normal(&random) : 0;
      set.values[j * num_ids + f] = value;
      add_text(&set, " %zu:%s", 1 + step * f, dorm__format_float(number, value));
    }
    add_text(&set, j % 3 ? "\n" : " # docid = D%zu inc = 1\r\n", j);
  }
  return set;
}

static void clear(drawn *set)
{
  free(set->values);
  free(set->lines);
  free(set->text);
}

static void check_read(const drawn *set, const dorm_dataset *dataset)
{
  CU_ASSERT_PTR_NOT_NULL_FATAL(dataset);
  CU_ASSERT_EQUAL_FATAL(dorm_dataset_num_docs(dataset), set->num_docs);
  CU_ASSERT_EQUAL_FATAL(dorm_dataset_num_queries(dataset),
                        (set->num_docs + set->docs_per_query - 1) / set->docs_per_query);
  size_t num_wrong = 0;
  for (size_t c = 0; c < dorm_dataset_num_features(dataset); c++) {
    size_t f = (dorm_dataset_feature_id(dataset, c) - 1) / set->step;
    CU_ASSERT_EQUAL_FATAL(dorm_dataset_feature_id(dataset, c), 1 + set->step * f);
    for (size_t j = 0; j < set->num_docs; j++)
      num_wrong += dorm_dataset_value(dataset, j, c) != set->values[j * set->num_ids + f];
  }
  for (size_t j = 0; j < set->num_docs; j++) {
    char id[32] = "";
    if (j % 3 == 0)
      snprintf(id, sizeof id, "D%zu", j);
    num_wrong += strcmp(dorm_dataset_doc_id(dataset, j), id) != 0;
    num_wrong += dorm_dataset_label(dataset, j) != (double)(j % 5);
  }
  CU_ASSERT_EQUAL(num_wrong, 0);
}

static bool same_bytes(const void *x, const void *y, size_t size)
{
  return (!x && !y) || (x && y && memcmp(x, y, size) == 0);
}

/* Whether two data sets are the same bit for bit. */
static bool same_dataset(const dorm_dataset *x, const dorm_dataset *y)
{
  if (x->num_docs != y->num_docs || x->num_queries != y->num_queries || x->num_features != y->num_features ||
      !x->row_start != !y->row_start)
    return false;
  size_t entries = x->row_start ? x->row_start[x->num_docs] : x->num_docs * x->num_features;
  return same_bytes(x->query_start, y->query_start, (x->num_queries + 1) * sizeof *x->query_start) &&
         same_bytes(x->labels, y->labels, x->num_docs * sizeof *x->labels) &&
         same_bytes(x->feature_ids, y->feature_ids, x->num_features * sizeof *x->feature_ids) &&
         same_bytes(x->row_start, y->row_start, (x->num_docs + 1) * sizeof *x->row_start) &&
         same_bytes(x->values, y->values, entries * sizeof *x->values) &&
         same_bytes(x->indices, y->indices, entries * sizeof *x->indices) &&
         same_bytes(x->query_texts, y->query_texts, x->num_queries * sizeof *x->query_texts) &&
         same_bytes(x->doc_texts, y->doc_texts, x->num_docs * sizeof *x->doc_texts);
}

static void write_gzip(const char *path, const char *text, size_t size)
{
  gzFile file = gzopen(path, "wb1");
  CU_ASSERT_EQUAL_FATAL(gzwrite(file, text, (unsigned)size), (int)size);
  CU_ASSERT_EQUAL_FATAL(gzclose(file), Z_OK);
}

/* Reads several buffers of several chunks, plain and gzip, into each storage, with 1 to 5 threads: the data are those
 * that were drawn, and the same bit for bit. */
UNIT_TEST_IN(context, text_reads_the_same_in_any_way)
{
  static const struct {
    size_t docs, ids, step, present;
    bool is_sparse; /* the storage that the reader chooses */
  } shapes[] = {{20000, 30, 1, 1, false}, {30000, 60, 40000, 20, true}, {8000, 90, 11000000, 3, false}};
  const char *path = unit_temporary_file("");
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
    DORM__AT_END(clear) drawn set = draw(shapes[s].docs, shapes[s].ids, shapes[s].step, shapes[s].present);
    unit_write_file(path, set.text, set.size);
    dorm_dataset *first =
        unit_read(context, path, &(dorm_read_options){.struct_size = sizeof(dorm_read_options), .num_threads = 1});
    check_read(&set, first);
    CU_ASSERT_EQUAL((first->row_start != NULL), shapes[s].is_sparse);
    for (int storage = DORM_STORAGE_DENSE; storage <= DORM_STORAGE_SPARSE; storage++) {
      dorm_read_options options = {.struct_size = sizeof options, .num_threads = 2, .storage = (dorm_storage)storage};
      DORM__OWNED(dorm_dataset) *stored = unit_read(context, path, &options);
      check_read(&set, stored);
      CU_ASSERT_EQUAL((stored->row_start != NULL), storage == DORM_STORAGE_SPARSE);
    }
    for (size_t threads = 2; threads <= 5; threads++) {
      DORM__OWNED(dorm_dataset) *again = NULL;
      if (threads == 4)
        write_gzip(path, set.text, set.size);
      UNIT_OK(context,
              dorm_dataset_read_with(
                  context, path, &(dorm_read_options){.struct_size = sizeof(dorm_read_options), .num_threads = threads},
                  &again));
      CU_ASSERT_TRUE_FATAL(again && same_dataset(first, again));
    }
    dorm_dataset_free(first);
  }
}

/* Reads text whose storage must change on the way: dense lines first and then rare ids, and the other way round. */
UNIT_TEST_IN(context, storage_changes_on_the_way)
{
  const char *path = unit_temporary_file("");
  for (int order = 0; order < 2; order++) {
    DORM__AT_END(clear) drawn set = {.docs_per_query = 7};
    enum { DOCS = 60000, DENSE_IDS = 30 };
    for (size_t j = 0; j < DOCS; j++) {
      bool is_dense = (j < DOCS / 2) == (order == 0);
      add_text(&set, "%zu qid:q%zu", j % 5, j / set.docs_per_query);
      for (size_t f = 0; is_dense && f < DENSE_IDS; f++)
        add_text(&set, " %zu:%zu", f + 1, j % 1000 + f);
      for (size_t f = 0; !is_dense && f < 20; f++)
        add_text(&set, " %zu:%zu", 1000 + f * 400 + j % 400, j % 1000 + f);
      add_text(&set, "\n");
    }
    unit_write_file(path, set.text, set.size);
    dorm_dataset *dataset =
        unit_read(context, path, &(dorm_read_options){.struct_size = sizeof(dorm_read_options), .num_threads = 2});
    CU_ASSERT_PTR_NOT_NULL(dataset->row_start);
    CU_ASSERT_EQUAL_FATAL(dorm_dataset_num_features(dataset), DENSE_IDS + 8000);
    size_t num_wrong = 0;
    for (size_t j = 0; j < DOCS; j++) {
      bool is_dense = (j < DOCS / 2) == (order == 0);
      size_t f = j % 20;
      size_t column = is_dense ? f : DENSE_IDS + f * 400 + j % 400;
      num_wrong += dorm_dataset_value(dataset, j, column) != (float)(j % 1000 + f);
      num_wrong += dorm_dataset_value(dataset, j, is_dense ? DENSE_IDS + f : f) != 0;
    }
    CU_ASSERT_EQUAL(num_wrong, 0);
    dorm_dataset_free(dataset);
  }
}

/* Of two bad lines in different chunks the first one is named, by its number. */
UNIT_TEST_DRAWN(context, random, the_first_bad_line_is_named)
{
  DORM__AT_END(clear) drawn set = draw(60000, 20, 1, 1);
  CU_ASSERT_FATAL(set.size > (9U << 20)); /* three buffers */
  char path[64];
  strcpy(path, unit_temporary_file(""));
  for (size_t i = 0; i < 12; i++) {
    size_t bad[2] = {dorm__random_below(random, set.num_docs), dorm__random_below(random, set.num_docs)};
    size_t first = bad[0] < bad[1] ? bad[0] : bad[1];
    char *text = unit_alloc(set.size, 1);
    memcpy(text, set.text, set.size);
    size_t line = 1;
    for (size_t at = 0; at < set.size; at++) {
      for (size_t k = 0; k < 2; k++)
        if ((at == 0 || text[at - 1] == '\n') && line == set.lines[bad[k]])
          text[at] = 'x'; /* spoils its label */
      line += text[at] == '\n';
    }
    unit_write_file(path, text, set.size);
    free(text);
    char message[128];
    snprintf(message, sizeof message, "%s:%zu: label 'x' is not", path, set.lines[first]);
    dorm_dataset *dataset = NULL;
    dorm_read_options options = {.struct_size = sizeof options, .num_threads = 1 + i % 3};
    UNIT_BAD_DATA(dorm_dataset_read_with(context, path, &options, &dataset), message);
    CU_ASSERT_PTR_NULL(dataset);
  }
  /* a query that comes back in a later chunk, before and after a bad value */
  for (size_t i = 0; i < 2; i++) {
    size_t size = set.size;
    add_text(&set, i ? "1 qid:q3 1:x\n" : "1 qid:q3 1:1\n1 qid:q3 1:x\n");
    unit_write_file(path, set.text, set.size);
    set.size = size;
    dorm_dataset *dataset = NULL;
    UNIT_BAD_DATA(dorm_dataset_read(context, path, &dataset), ": query 'q3' comes back");
  }
}

/* Reads a line longer than a buffer, and lines that end where buffers end. */
UNIT_TEST_IN(context, long_lines_are_read)
{
  DORM__AT_END(clear) drawn set = {.docs_per_query = 1};
  enum { IDS = 700000 };
  add_text(&set, "1 qid:a 5:2\n2 qid:b");
  for (size_t f = 1; f <= IDS; f++)
    add_text(&set, " %zu:%zu", f, f % 100);
  add_text(&set, "\n3 qid:c 7:1");
  CU_ASSERT_FATAL(set.size > (5U << 20));
  const char *path = unit_temporary_file("");
  unit_write_file(path, set.text, set.size);
  DORM__OWNED(dorm_dataset) *dataset = unit_read(context, path, NULL);
  CU_ASSERT_EQUAL_FATAL(dorm_dataset_num_docs(dataset), 3);
  CU_ASSERT_EQUAL_FATAL(dorm_dataset_num_features(dataset), IDS);
  size_t num_wrong = 0;
  for (size_t f = 0; f < IDS; f++)
    num_wrong += dorm_dataset_value(dataset, 1, f) != (float)((f + 1) % 100);
  CU_ASSERT_EQUAL(num_wrong, 0);
  CU_ASSERT_EQUAL(dorm_dataset_value(dataset, 0, 4), 2);
  CU_ASSERT_EQUAL(dorm_dataset_value(dataset, 2, 6), 1);
}

/* ---- Memory -------------------------------------------------------------------- */

/* Checks that training in the memory of the data makes the same model, bit for bit, as training beside the data; also
 * with folds, with retraining, and when it is stopped. */
UNIT_TEST_IN(context, consuming_training_makes_the_same_model)
{
  static const struct {
    const char *rank_block, *folds, *retrain;
    bool has_validation, stops, takes;
  } cases[] = {
      {"0", "0", "no", false, false, true},       {"0", "0", "no", true, false, true},
      {"0, 0.5", "0", "no", true, false, true},   {"0.5, 0", "0", "no", true, false, false},
      {"0, 0.5", "0", "yes", true, false, false}, {"0", "3", "no", false, false, true},
      {"0.5", "0", "no", true, true, true},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    DORM__OWNED(dorm_settings) *settings =
        unit_defaults(context, UNIT_PAIRS("training.trainer", "svm", "data.rank_block", cases[i].rank_block,
                                          "selection.folds", cases[i].folds, "selection.retrain", cases[i].retrain));
    if (cases[i].stops) /* several would be at another place each time */
      UNIT_OK(context, dorm_settings_set(context, settings, "solver.threads", "1"));
    DORM__OWNED(dorm_dataset) *train = unit_artificial(context, 60, 12, 9, 0, 4, 1);
    DORM__OWNED(dorm_dataset) *validation =
        cases[i].has_validation ? unit_artificial(context, 60, 12, 9, 0, 4, 2) : NULL;
    dorm_training *both[2] = {NULL, NULL};
    dorm_status expected = cases[i].stops ? DORM_STOPPED : DORM_OK;
    for (size_t k = 0; k < 2; k++) {
      int left = 40; /* asked about once per pass */
      if (cases[i].stops)
        dorm_context_set_cancel(context, unit_stop_after, &left);
      dorm_status status = k == 0 ? dorm_train(context, settings, train, validation, &both[k])
                                  : dorm_train_consuming(context, settings, train, validation, &both[k]);
      CU_ASSERT_EQUAL(status, expected);
      CU_ASSERT_PTR_NOT_NULL_FATAL(both[k]);
      CU_ASSERT_EQUAL((train->values == NULL), k == 1 && cases[i].takes);
      CU_ASSERT_TRUE(k == 1 || dorm_dataset_value(train, 3, 2) != 0);
    }
    if (cases[i].takes) {
      double scores[60 * 12];
      static const char taken[] = "training took the values of the data";
      const dorm_model *model = dorm_training_model(both[1]);
      UNIT_BAD_USAGE(dorm_model_score(context, model, train, 1, scores), taken);
      UNIT_BAD_USAGE(dorm_dataset_write(context, train, "no such data"), taken);
      CU_ASSERT_NOT_EQUAL(access("no such data", F_OK), 0);
    }
    CU_ASSERT_TRUE(unit_same_weights(both[0], both[1]));
    if (cases[i].has_validation && strcmp(cases[i].retrain, "no") == 0)
      UNIT_CLOSE(dorm_training_validation(both[0]), dorm_training_validation(both[1]), 1e-12);
    dorm_context_set_cancel(context, NULL, NULL);
    dorm_training_free(both[0]);
    dorm_training_free(both[1]);
  }
}

/* ---- The cache ------------------------------------------------------------------- */

/* A cache whose checksums are right may still hold what no data set may hold. */
UNIT_TEST_IN(context, a_cache_of_bad_contents_is_refused)
{
  static const double bad[] = {NAN, INFINITY, -1};
  DORM__OWNED(dorm_dataset) *dataset = unit_read_text(context, "2 qid:1 1:1\n1 qid:1 1:2\n0 qid:2 1:3\n");
  const char *cache = unit_temporary_file("");
  for (size_t i = 0; i < 9; i++) {
    dorm_dataset *back = NULL;
    double kept = dataset->labels[i % 3];
    dataset->labels[i % 3] = bad[i / 3];
    UNIT_OK(context, dorm_dataset_write_cache(context, dataset, cache));
    CU_ASSERT_EQUAL(dorm_dataset_read_with(context, cache, NULL, &back), DORM_BAD_DATA);
    CU_ASSERT_PTR_NULL(back);
    dataset->labels[i % 3] = kept;
  }
  dorm_dataset *back = NULL;
  dataset->texts[0] = 'x'; /* where the empty text stands */
  UNIT_OK(context, dorm_dataset_write_cache(context, dataset, cache));
  CU_ASSERT_EQUAL(dorm_dataset_read_with(context, cache, NULL, &back), DORM_BAD_DATA);
  CU_ASSERT_PTR_NULL(back);
}

UNIT_TEST_IN(context, a_cache_reads_back_bit_for_bit)
{
  const char *path = unit_temporary_file("");
  const char *cache = unit_temporary_file("");
  DORM__AT_END(clear) drawn set = draw(500, 20, 30000, 3);
  unit_write_file(path, set.text, set.size);
  for (int storage = DORM_STORAGE_DENSE; storage <= DORM_STORAGE_FILE; storage++) {
    dorm_read_options options = {.struct_size = sizeof options, .storage = (dorm_storage)storage};
    const dorm_read_options *reading = storage == DORM_STORAGE_FILE ? &options : NULL;
    DORM__OWNED(dorm_dataset) *dataset = unit_read(context, path, &options);
    UNIT_OK(context, dorm_dataset_write_cache(context, dataset, cache));
    dorm_dataset *back = unit_read(context, cache, reading);
    CU_ASSERT_TRUE_FATAL(back && same_dataset(dataset, back));
    check_read(&set, back);
    dorm_dataset_free(back);

    /* a file with any bit changed, or of any other length, is refused */
    size_t size;
    DORM__FREED char *bytes = unit_read_file(cache, &size);
    dorm__random random = unit_random(0);
    for (size_t i = 0; i < 400; i++) {
      size_t at = i < 96 ? i : dorm__random_below(&random, size);
      char kept = bytes[at];
      bytes[at] = (char)(kept ^ (1 << dorm__random_below(&random, 8)));
      unit_write_file(cache, bytes, size);
      CU_ASSERT_EQUAL(dorm_dataset_read_with(context, cache, reading, &back), DORM_BAD_DATA);
      CU_ASSERT_PTR_NULL(back);
      bytes[at] = kept;
    }
    for (size_t i = 0; i < 50; i++) {
      unit_write_file(cache, bytes, i < 25 ? 8 * i + 8 : dorm__random_below(&random, size));
      CU_ASSERT_EQUAL(dorm_dataset_read_with(context, cache, reading, &back), DORM_BAD_DATA);
    }
  }
}

/* Checks that the cache beside a text is used while the text is the same, and is made anew when the text or the cache
 * has changed. */
UNIT_TEST_IN(context, the_cache_beside_a_text_follows_it)
{
  const char *path = unit_temporary_file("1 qid:1 1:1\n0 qid:1 1:2\n");
  const char *cache = unit_text("%s.dorm-cache", path);
  const dorm_read_options options = {.struct_size = sizeof options, .use_cache = 1};
  for (size_t i = 0; i < 5; i++) {
    if (i == 2)
      unit_write_file(path, "1 qid:1 1:7.25\n", 15);
    if (i == 4)
      unit_write_file(cache, "dormdata, but not quite", 23);
    dorm_dataset *dataset = unit_read(context, path, &options);
    CU_ASSERT_EQUAL(dorm_dataset_num_docs(dataset), i < 2 ? 2 : 1);
    CU_ASSERT_EQUAL(dorm_dataset_value(dataset, 0, 0), i < 2 ? 1 : 7.25F);
    CU_ASSERT_STRING_EQUAL(dataset->name, path);
    dorm_dataset_free(dataset);
    CU_ASSERT_EQUAL(access(cache, F_OK), 0);
  }
  /* Other bytes of the same number, and the time of the text set back. */
  struct stat about;
  nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL); /* longer than a tick of the file system's clock */
  CU_ASSERT_EQUAL(stat(path, &about), 0);
  unit_write_file(path, "1 qid:1 1:8.25\n", 15);
  CU_ASSERT_EQUAL(utimensat(AT_FDCWD, path, (struct timespec[]){about.st_atim, about.st_mtim}, 0), 0);
  dorm_dataset *dataset = unit_read(context, path, &options);
  CU_ASSERT_EQUAL(dorm_dataset_value(dataset, 0, 0), 8.25F);
  dorm_dataset_free(dataset);
  /* Labels that one reading could do without are no labels for another. */
  const dorm_read_options without = {.struct_size = sizeof without, .use_cache = 1, .labels_optional = 1};
  unit_write_file(path, "qid:1 1:1\n", 10);
  UNIT_OK(context, dorm_dataset_read_with(context, path, &without, &dataset));
  dorm_dataset_free(dataset);
  UNIT_BAD_DATA(dorm_dataset_read_with(context, path, &options, &dataset), "label");
}

/* Lines in an order drawn at random, with missing values, against what the same lines give in the right order. */
UNIT_TEST_DRAWN(context, random, queries_that_are_apart_are_brought_together)
{
  enum { QUERIES = 9, DOCS = 6, LINES = QUERIES * DOCS, LONGEST = 60 };
  char lines[LINES][LONGEST], sorted[LINES * LONGEST] = "", mixed[LINES * LONGEST + 3] = "\xef\xbb\xbf";
  size_t order[LINES], first[QUERIES], num_met = 0, met[QUERIES], at = 0;
  bool is_met[QUERIES] = {false};
  dorm__random_permutation(random, LINES, order);
  for (size_t i = 0; i < LINES; i++)
    snprintf(lines[i], LONGEST, "%zu qid:q%zu %s:%zu # docid = D%zu\n", i % 3, order[i] / DOCS,
             i % 2 ? "0" : "4294967295", i % 5, i);
  for (size_t i = 0; i < LINES; i++) {
    size_t query = order[i] / DOCS;
    if (i % 7 == 3)
      snprintf(strstr(lines[i], "5:") ? strstr(lines[i], "5:") + 2 : strstr(lines[i], " 0:") + 3, 24,
               "%s #docid = D%zu\n", i % 2 ? "NaN" : "?", i);
    strcat(mixed, lines[i]);
    if (!is_met[query])
      met[num_met++] = query;
    is_met[query] = true;
  }
  for (size_t k = 0; k < num_met; k++) {
    first[k] = at;
    for (size_t i = 0; i < LINES; i++)
      if (order[i] / DOCS == met[k]) {
        strcat(sorted, lines[i]);
        at++;
      }
  }
  for (int is_sparse = 0; is_sparse < 2; is_sparse++) {
    const dorm_read_options options = {.struct_size = sizeof options,
                                       .storage = is_sparse ? DORM_STORAGE_SPARSE : DORM_STORAGE_DENSE,
                                       .sort_queries = 1};
    DORM__OWNED(dorm_dataset) *together = NULL;
    const char *path = NULL;
    path = unit_temporary_file(mixed);
    CU_ASSERT_EQUAL(dorm_dataset_read(context, path, &together), DORM_BAD_DATA);
    CU_ASSERT_PTR_NOT_NULL(strstr(dorm_context_message(context), "data.sort_queries = yes"));
    dorm_dataset *apart = unit_read(context, path, &options);
    UNIT_OK(context, dorm_dataset_write_cache(context, apart, path)); /* a cache knows the order of the lines, too */
    dorm_dataset_free(apart);
    UNIT_OK(context, dorm_dataset_read(context, path, &apart));
    path = unit_temporary_file(sorted);
    UNIT_OK(context, dorm_dataset_read_with(context, path, &options, &together));
    CU_ASSERT_EQUAL(together->input_order, NULL);
    CU_ASSERT_TRUE(apart->has_missing && together->has_missing);
    CU_ASSERT_EQUAL_FATAL(apart->num_docs, LINES);
    CU_ASSERT_EQUAL_FATAL(apart->num_queries, num_met);
    for (size_t k = 0; k < num_met; k++)
      CU_ASSERT_EQUAL(apart->query_start[k], first[k]);
    for (size_t j = 0; j < LINES; j++) {
      CU_ASSERT_STRING_EQUAL(dorm_dataset_doc_id(apart, j), unit_text("D%zu", dorm_dataset_input_doc(apart, j)));
    }
    CU_ASSERT_TRUE(unit_is_part(apart, together, 0));
    dorm_dataset_free(apart);
  }
}
