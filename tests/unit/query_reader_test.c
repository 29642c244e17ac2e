/*
 * query_reader_test.c: queries that are read one by one equal the whole file's: their values, words, lines and storage;
 * reading goes on where it ended.
 */
#include "tests/unit/unit.h"

#include <stdarg.h>

enum { QUERIES = 12, MOST_DOCS = 9, FEATURES = 30, MOST_TEXT = 1 << 21 };

/* A text, and the lines of each query. */
typedef struct drawn {
  char *text;
  size_t size;
  size_t first_line[QUERIES]; /* from 1 */
  size_t last_line[QUERIES];
  size_t num_values; /* of the first query, other than 0 */
  size_t num_places; /* of the first query: its documents times the features that it names */
} drawn;

static void put(drawn *made, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  made->size += (size_t)vsnprintf(made->text + made->size, MOST_TEXT - made->size, format, arguments);
  va_end(arguments);
}

static const char *blank(dorm__random *random)
{
  static const char *const blanks[] = {" ", "  ", "\t", " \t "};
  return blanks[dorm__random_below(random, 4)];
}

/* Each feature is in a line with the probability `share`; a value is 0, or missing, now and then. One query is longer
 * than the reader's buffer. */
static drawn draw(dorm__random *random, double share)
{
  drawn made = {.text = dorm__alloc(MOST_TEXT, 1)};
  bool is_named[FEATURES] = {false};
  size_t line = 0;
  CU_ASSERT_PTR_NOT_NULL_FATAL(made.text);
  for (size_t q = 0; q < QUERIES; q++) {
    size_t num_docs = q == QUERIES / 2 ? 3000 : 1 + dorm__random_below(random, MOST_DOCS);
    for (; dorm__random_below(random, 3) == 0; line++)
      put(&made, "# a comment\n");
    made.first_line[q] = line + 1;
    for (size_t j = 0; j < num_docs; j++, line++) {
      put(&made, "%zu%sqid:%zu", dorm__random_below(random, 5), blank(random), 7 * q);
      for (size_t f = 0; f < FEATURES; f++) {
        if (dorm__random_uniform(random) >= share)
          continue;
        size_t kind = dorm__random_below(random, 8);
        double value = kind == 0 ? 0 : 1 + dorm__random_uniform(random);
        put(&made, kind == 1 && q > 2 ? "%s%zu:nan" : "%s%zu:%.5f", blank(random), 1 + 3 * f, value);
        is_named[f] = is_named[f] || q == 0;
        made.num_values += q == 0 && value != 0;
      }
      put(&made, dorm__random_below(random, 2) ? " # docid = d%zu\n" : "\n", j);
    }
    made.last_line[q] = line;
    for (size_t f = 0; f < FEATURES; f++)
      made.num_places += q == 0 && is_named[f] ? num_docs : 0;
  }
  return made;
}

static bool has_missing(const dorm_dataset *whole, size_t query)
{
  bool is_there = false;
  for (size_t j = whole->query_start[query]; j < whole->query_start[query + 1]; j++)
    for (size_t f = 0; f < whole->num_features; f++)
      is_there = is_there || isnan(dorm_dataset_value(whole, j, f));
  return is_there;
}

/* Reads from query `first` on, of which it is told by `place`. */
static void read_on(dorm_context *context, const char *path, dorm_storage storage, const drawn *made,
                    const dorm_dataset *whole, size_t first, dorm__query_place *places)
{
  dorm__query_reader *reader = NULL;
  dorm_dataset *query = NULL;
  bool is_sparse =
      storage == DORM_STORAGE_SPARSE || (storage == DORM_STORAGE_AUTO && 3 * made->num_values < made->num_places);
  UNIT_OK(context, dorm__query_reader_open(context, path, storage, &reader));
  if (first)
    UNIT_OK(context, dorm__query_reader_go_on(context, reader, &places[first - 1]));
  for (size_t q = first; q < QUERIES; q++) {
    UNIT_OK(context, dorm__query_reader_next(context, reader, &query));
    CU_ASSERT_TRUE(query->num_queries == 1 && unit_is_part(query, whole, q));
    CU_ASSERT_EQUAL(query->has_missing, has_missing(whole, q));
    CU_ASSERT_TRUE(first || (query->row_start != NULL) == is_sparse);
    dorm__query_place place = dorm__query_reader_place(reader);
    CU_ASSERT_TRUE(place.num_queries == q + 1 && place.num_lines == made->last_line[q]);
    CU_ASSERT_EQUAL(place.first_line, made->first_line[q]);
    CU_ASSERT_TRUE(!first || place.hash == places[q].hash);
    places[q] = place;
    dorm_dataset_free(query);
  }
  UNIT_OK(context, dorm__query_reader_next(context, reader, &query));
  CU_ASSERT_PTR_NULL(query);
  dorm__query_reader_close(reader);
}

UNIT_TEST_DRAWN(context, random, queries_are_those_of_the_file)
{
  static const dorm_storage storages[] = {DORM_STORAGE_AUTO, DORM_STORAGE_DENSE, DORM_STORAGE_SPARSE};
  static const double shares[] = {0.1, 0.5, 1};
  for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
    drawn made = draw(random, shares[i]);
    dorm__query_place places[QUERIES];
    const char *path = unit_temporary_file(made.text);
    DORM__OWNED(dorm_dataset) *whole = unit_read(context, path, NULL);
    CU_ASSERT_EQUAL_FATAL(whole->num_queries, QUERIES);
    for (size_t s = 0; s < sizeof storages / sizeof *storages; s++)
      read_on(context, path, storages[s], &made, whole, 0, places);
    for (size_t first = 1; first < QUERIES; first += 2)
      read_on(context, path, DORM_STORAGE_DENSE, &made, whole, first, places);
    dorm__free(made.text);
  }
}

/* The text at a place has to equal the text read up to there. */
UNIT_TEST_IN(context, other_lines_are_refused)
{
  static const char text[] = "1 qid:a 1:1\n0 qid:a 1:2\n2 qid:b 1:3\n";
  static const unit_refusal others[] = {
      {"1 qid:a 1:1\n0 qid:a 1:3\n2 qid:b 1:3\n", ":2: this is not the line that was learned from before"},
      {"1 qid:a 1:1\n", "it has 1 lines, but 2 were learned from before"},
      {text, NULL}};
  dorm__query_reader *reader = NULL;
  DORM__OWNED(dorm_dataset) *query = NULL;
  const char *path = NULL;
  path = unit_temporary_file(text);
  UNIT_OK(context, dorm__query_reader_open(context, path, DORM_STORAGE_AUTO, &reader));
  UNIT_OK(context, dorm__query_reader_next(context, reader, &query));
  dorm__query_place place = dorm__query_reader_place(reader);
  dorm__query_reader_close(reader);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    path = unit_temporary_file(others[i].given);
    UNIT_OK(context, dorm__query_reader_open(context, path, DORM_STORAGE_AUTO, &reader));
    UNIT_FAILS(context, dorm__query_reader_go_on(context, reader, &place), others[i].message ? DORM_BAD_DATA : DORM_OK,
               others[i].message);
    dorm__query_reader_close(reader);
  }
}
