/*
 * arrays_test.c: data sets from arrays of every layout, the arrays of data sets, scores of plain rows, and models that
 * leave their training and go through memory. Everything is compared with what files give.
 */
#include "tests/unit/training_cases.h"

enum { NUM_DOCS = 5, NUM_FEATURES = 3 };
static const char text[] =
    "2 qid:A 2:0.5 7:-1\n1 qid:A 7:0.25\n0 qid:B 2:nan 3:4\n1 qid:B\n0 qid:B 2:1 3:2 7:3 # docid = x\n";
static const size_t feature_ids[] = {2, 3, 7};
static const size_t query_start[] = {0, 2, 5};
static const char *const query_ids[] = {"A", "B"};
static const char *const doc_ids[] = {"", "", "", "", "x"};
static const double labels[] = {2, 1, 0, 1, 0};
static const double dense[NUM_DOCS][NUM_FEATURES] = {{0.5, 0, -1}, {0, 0, 0.25}, {NAN, 4, 0}, {0, 0, 0}, {1, 2, 3}};
static const size_t row_start[] = {0, 2, 3, 5, 5, 8};
static const uint32_t indices[] = {0, 2, 2, 0, 1, 0, 1, 2};
static const double entries[] = {0.5, -1, 0.25, NAN, 4, 1, 2, 3};
enum { NUM_ENTRIES = sizeof entries / sizeof *entries };

static dorm_arrays some_arrays(void)
{
  return (dorm_arrays){.struct_size = sizeof(dorm_arrays),
                       .num_docs = NUM_DOCS,
                       .num_queries = 2,
                       .query_start = query_start,
                       .num_features = NUM_FEATURES,
                       .feature_ids = feature_ids,
                       .query_ids = query_ids,
                       .doc_ids = doc_ids,
                       .labels = labels,
                       .doubles = &dense[0][0]};
}

static void check_same(dorm_context *context, const dorm_arrays *arrays, const dorm_dataset *expected)
{
  DORM__OWNED(dorm_dataset) *made = NULL;
  UNIT_OK(context, dorm_dataset_new(context, arrays, &made));
  CU_ASSERT_EQUAL(made->num_queries, expected->num_queries);
  CU_ASSERT_EQUAL_FATAL(made->num_features, expected->num_features);
  CU_ASSERT_EQUAL(made->has_missing, expected->has_missing);
  CU_ASSERT_FALSE(made->is_borrowed);
  for (size_t f = 0; f < made->num_features; f++)
    CU_ASSERT_EQUAL(dorm_dataset_feature_id(made, f), dorm_dataset_feature_id(expected, f));
  CU_ASSERT_TRUE(unit_is_part(made, expected, 0));
}

/* Fills floats with every second number in use, and columns one after the other. */
static void spread_out(float gaps[NUM_DOCS][2 * NUM_FEATURES], double columns[NUM_FEATURES][NUM_DOCS])
{
  for (size_t j = 0; j < NUM_DOCS; j++)
    for (size_t f = 0; f < NUM_FEATURES; f++) {
      gaps[NUM_DOCS - 1 - j][2 * f] = (float)dense[j][f];
      gaps[NUM_DOCS - 1 - j][2 * f + 1] = 99;
      columns[f][j] = dense[j][f];
    }
}

UNIT_TEST_IN(context, every_layout)
{
  float gaps[NUM_DOCS][2 * NUM_FEATURES], floats[NUM_DOCS][NUM_FEATURES], some[NUM_ENTRIES];
  double columns[NUM_FEATURES][NUM_DOCS];
  DORM__OWNED(dorm_dataset) *expected = unit_read_text(context, text);
  spread_out(gaps, columns);
  for (size_t i = 0; i < NUM_DOCS * NUM_FEATURES; i++)
    floats[i / NUM_FEATURES][i % NUM_FEATURES] = (float)dense[i / NUM_FEATURES][i % NUM_FEATURES];
  for (size_t e = 0; e < NUM_ENTRIES; e++)
    some[e] = (float)entries[e];
  dorm_arrays arrays = some_arrays();
  check_same(context, &arrays, expected);
  arrays.doubles = &columns[0][0];
  arrays.row_stride = 1;
  arrays.column_stride = NUM_DOCS;
  check_same(context, &arrays, expected);
  arrays.doubles = NULL;
  arrays.floats = gaps[NUM_DOCS - 1]; /* rows from the last to the first */
  arrays.row_stride = -2 * NUM_FEATURES;
  arrays.column_stride = 2;
  check_same(context, &arrays, expected);
  arrays.floats = floats[0];
  arrays.row_stride = arrays.column_stride = 0;
  check_same(context, &arrays, expected);
  arrays.row_start = row_start;
  arrays.indices = indices;
  arrays.floats = some;
  check_same(context, &arrays, expected);
  arrays.floats = NULL;
  arrays.doubles = entries;
  check_same(context, &arrays, expected);
}

/* Dense and sparse arrays become dense or sparse rows with the same values; auto goes by size and density. */
UNIT_TEST_IN(context, every_storage)
{
  enum { MANY = 6000, WIDTH = 50 }; /* above the size up to which rows are dense whatever their density */
  DORM__OWNED(dorm_dataset) *expected = unit_read_text(context, text);
  for (int is_sparse = 0; is_sparse < 2; is_sparse++)
    for (dorm_storage storage = DORM_STORAGE_AUTO; storage <= DORM_STORAGE_SPARSE; storage++) {
      DORM__OWNED(dorm_dataset) *made = NULL;
      dorm_arrays arrays = some_arrays();
      arrays.storage = storage;
      arrays.doubles = is_sparse ? entries : arrays.doubles;
      arrays.row_start = is_sparse ? row_start : NULL;
      arrays.indices = is_sparse ? indices : NULL;
      check_same(context, &arrays, expected);
      UNIT_OK(context, dorm_dataset_new(context, &arrays, &made));
      CU_ASSERT_EQUAL((made->row_start != NULL), (storage == DORM_STORAGE_SPARSE));
      CU_ASSERT_TRUE(!made->row_start || made->row_start[NUM_DOCS] == NUM_ENTRIES);
    }
  DORM__FREED float *values = unit_alloc((size_t)MANY * WIDTH, sizeof *values);
  for (int filled = 1; filled < WIDTH; filled += WIDTH / 3) { /* 2 %, 34 % and 66 % of the values */
    DORM__OWNED(dorm_dataset) *made = NULL;
    dorm_arrays arrays = {.struct_size = sizeof arrays, .num_docs = MANY, .num_features = WIDTH, .floats = values};
    for (size_t j = 0; j < MANY; j++)
      for (int f = 0; f < filled; f++)
        values[j * WIDTH + (size_t)f] = 1;
    UNIT_OK(context, dorm_dataset_new(context, &arrays, &made));
    CU_ASSERT_EQUAL((made->row_start != NULL), (filled == 1));
  }
}

UNIT_TEST_IN(context, arrays_of_a_data_set)
{
  DORM__OWNED(dorm_dataset) *expected = unit_read_text(context, text);
  dorm_arrays arrays = {.struct_size = sizeof arrays};
  UNIT_OK(context, dorm_dataset_arrays(context, expected, &arrays));
  arrays.query_ids = query_ids;
  arrays.doc_ids = doc_ids;
  check_same(context, &arrays, expected);
  arrays.struct_size--;
  UNIT_BAD_USAGE(dorm_dataset_arrays(context, expected, &arrays), "struct_size");
}

static void refuses(dorm_arrays arrays, dorm_status status, const char *message)
{
  DORM__OWNED(dorm_context) *context = unit_context();
  dorm_dataset *dataset = (dorm_dataset *)context; /* not NULL, so that a call that leaves it is noticed */
  UNIT_FAILS(context, dorm_dataset_new(context, &arrays, &dataset), status, message);
  CU_ASSERT_PTR_NULL(dataset);
}

#define REFUSES(field, value, status, message)                                                                         \
  do {                                                                                                                 \
    dorm_arrays wrong = some_arrays();                                                                                 \
    wrong.field = (value);                                                                                             \
    refuses(wrong, (status), (message));                                                                               \
  } while (0)

UNIT_TEST(bad_arrays)
{
  static const double infinite[NUM_DOCS] = {0, 0, INFINITY, 0, 0};
  static const double negative[NUM_DOCS] = {0, 0, 0, -1, 0};
  static const double infinite_entries[NUM_ENTRIES] = {[4] = INFINITY};
  static const double large[NUM_DOCS * NUM_FEATURES] = {[7] = 1e39};
  static const char *const no_texts[NUM_DOCS] = {"a"};
  static const float some_floats[1] = {0};
  REFUSES(struct_size, 8, DORM_BAD_USAGE, "arrays.struct_size is 8");
  REFUSES(storage, (dorm_storage)3, DORM_BAD_USAGE, "arrays.storage is 3");
  REFUSES(num_docs, 0, DORM_BAD_USAGE, "0 documents");
  REFUSES(num_docs, 4, DORM_BAD_USAGE, "ends with 5");
  REFUSES(num_queries, 0, DORM_BAD_USAGE, "at least one query");
  REFUSES(query_start, ((size_t[]){0, 0, 5}), DORM_BAD_USAGE, "query 0 has no document");
  REFUSES(query_start, ((size_t[]){0, 7, 5}), DORM_BAD_USAGE, "query 0 ends at 7, but there are 5 documents");
  REFUSES(query_start, ((size_t[]){1, 2, 5}), DORM_BAD_USAGE, "begins with 1");
  REFUSES(feature_ids, ((size_t[]){2, 2, 3}), DORM_BAD_USAGE, "id 2 of feature 1");
  REFUSES(feature_ids, ((size_t[]){2, 3, (size_t)UINT32_MAX + 1}), DORM_BAD_USAGE, "of feature 2");
  REFUSES(query_ids, no_texts, DORM_BAD_USAGE, "query_ids: entry 1 is NULL");
  REFUSES(doc_ids, no_texts, DORM_BAD_USAGE, "doc_ids: entry 1 is NULL");
  REFUSES(labels, infinite, DORM_BAD_DATA, "document 2 has the label inf");
  REFUSES(labels, negative, DORM_BAD_DATA, "document 3 has the label -1");
  REFUSES(doubles, large, DORM_BAD_DATA, "document 2, feature 1");
  REFUSES(doubles, NULL, DORM_BAD_USAGE, "one of 'floats' and 'doubles'");
  REFUSES(query_start, NULL, DORM_BAD_USAGE, "all documents are one query, but num_queries is 2");
  REFUSES(floats, some_floats, DORM_BAD_USAGE, "one of 'floats' and 'doubles'");
  REFUSES(row_start, row_start, DORM_BAD_USAGE, "'indices'");
  REFUSES(row_start, ((size_t[]){1, 2, 3, 5, 5, 8}), DORM_BAD_USAGE, "begin with 0");
  REFUSES(row_start, ((size_t[]){0, 2, 1, 5, 5, 8}), DORM_BAD_USAGE, "decreases after document 1");
  dorm_arrays wrong = some_arrays();
  wrong.row_start = row_start;
  wrong.indices = (uint32_t[]){0, 2, 3, 0, 1, 0, 1, 2};
  refuses(wrong, DORM_BAD_USAGE, "index 3 does not increase or is not below 3");
  wrong.indices = (uint32_t[]){0, 2, 2, 1, 1, 0, 1, 2};
  refuses(wrong, DORM_BAD_USAGE, "document 2: index 1");
  wrong.indices = indices;
  wrong.doubles = infinite_entries;
  refuses(wrong, DORM_BAD_DATA, "document 2, feature 1");
}

/* Trains on data of its own. */
static dorm_training *train(dorm_context *context, const char *normalisation, dorm_dataset *data)
{
  DORM__OWNED(dorm_settings) *settings =
      unit_svm(context, UNIT_PAIRS("data.normalisation", normalisation, "data.rank_block", "0.5", "solver.C", "1",
                                   "loss.name", "ndcg@5"));
  return unit_train(context, settings, data, NULL);
}

/* Plain rows have the scores of the data set, whether values are borrowed or copied. */
UNIT_TEST_IN(context, scores_of_rows)
{
  DORM__OWNED(dorm_dataset) *data = training_artificial_data(context, unit_seed(), 12);
  DORM__OWNED(dorm_training) *training = train(context, "minmax", data);
  const dorm_model *model = dorm_training_model(training);
  size_t num_docs = dorm_dataset_num_docs(data), num_features = dorm_dataset_num_features(data);
  double *expected = calloc(num_docs, sizeof *expected);
  double *scores = calloc(num_docs, sizeof *scores);
  double *doubles = calloc(num_docs * num_features, sizeof *doubles);
  CU_ASSERT_FATAL(expected && scores && doubles);
  UNIT_OK(context, dorm_model_score(context, model, data, 1, expected));
  dorm_arrays arrays = {.struct_size = sizeof arrays};
  UNIT_OK(context, dorm_dataset_arrays(context, data, &arrays));
  CU_ASSERT_PTR_NOT_NULL_FATAL(arrays.floats);
  for (size_t threads = 1; threads <= 2; threads++) {
    UNIT_OK(context, dorm_model_score_rows(context, model, &arrays, threads, scores));
    CU_ASSERT_EQUAL(memcmp(scores, expected, num_docs * sizeof *scores), 0);
  }
  for (size_t j = 0; j < num_docs; j++)
    for (size_t f = 0; f < num_features; f++)
      doubles[f * num_docs + j] = (double)dorm_dataset_value(data, j, f);
  arrays.floats = NULL;
  arrays.doubles = doubles;
  arrays.labels = NULL;
  arrays.row_stride = 1;
  arrays.column_stride = (ptrdiff_t)num_docs;
  memset(scores, 0, num_docs * sizeof *scores);
  UNIT_OK(context, dorm_model_score_rows(context, model, &arrays, 1, scores));
  CU_ASSERT_EQUAL(memcmp(scores, expected, num_docs * sizeof *scores), 0);
  arrays.query_start = NULL; /* all documents of one query: other minima and maxima, so other scores */
  arrays.num_queries = 1;
  UNIT_OK(context, dorm_model_score_rows(context, model, &arrays, 1, scores));
  CU_ASSERT_NOT_EQUAL(memcmp(scores, expected, num_docs * sizeof *scores), 0);
  free(expected);
  free(scores);
  free(doubles);
}

/* A model taken from its training stays when that is freed; its text in memory equals its file, and reads back. */
UNIT_TEST_IN(context, models_through_memory)
{
  char *model_text = NULL, *again = NULL;
  size_t size = 0, size_again = 0;
  dorm_model *back = NULL;
  dorm_dataset *data = training_artificial_data(context, unit_seed(), 12);
  dorm_training *training = train(context, "global-zscore", data);
  DORM__OWNED(dorm_model) *model = dorm_training_take_model(training);
  CU_ASSERT_PTR_NOT_NULL_FATAL(model);
  CU_ASSERT_PTR_NULL(dorm_training_take_model(training));
  CU_ASSERT_PTR_NULL(dorm_training_model(training));
  dorm_training_free(training);
  dorm_dataset_free(data);
  const char *path = unit_temporary_file("");
  UNIT_OK(context, dorm_model_write(context, model, path));
  UNIT_OK(context, dorm_model_to_text(context, model, &model_text, &size));
  DORM__FREED char *expected = unit_read_file(path, NULL);
  CU_ASSERT_EQUAL(size, strlen(expected));
  CU_ASSERT_STRING_EQUAL(model_text, expected);
  UNIT_OK(context, dorm_model_from_text(context, model_text, size, &back));
  UNIT_OK(context, dorm_model_to_text(context, back, &again, &size_again));
  CU_ASSERT_STRING_EQUAL(again, expected);
  dorm_model_free(back);
  UNIT_BAD_DATA(dorm_model_from_text(context, model_text, size / 2, &back), "the text of a model");
  CU_ASSERT_PTR_NULL(back);
  UNIT_BAD_DATA(dorm_model_from_text(context, "", 0, &back), "the model is not whole");
  dorm_text_free(model_text);
  dorm_text_free(again);
}

UNIT_TEST_IN(context, models_as_json)
{
  char *json = NULL;
  DORM__OWNED(dorm_dataset) *data = training_artificial_data(context, unit_seed(), 12);
  DORM__OWNED(dorm_training) *training = train(context, "minmax", data);
  UNIT_OK(context, dorm_model_describe(context, dorm_training_model(training), &json));
  CU_ASSERT_PTR_NOT_NULL(strstr(json, "\"normalisation\": \"minmax\""));
  CU_ASSERT_PTR_NOT_NULL(strstr(json, "\"needs_query\": 1"));
  CU_ASSERT_PTR_NOT_NULL(strstr(json, "\"kind\": \"linear\""));
  CU_ASSERT_PTR_NOT_NULL(strstr(json, "\"loss.name\": \"ndcg"));
  dorm_text_free(json);
}

UNIT_TEST(versions_agree)
{
  CU_ASSERT_STRING_EQUAL(dorm_version(),
                         unit_text("%d.%d.%d", DORM_VERSION_MAJOR, DORM_VERSION_MINOR, DORM_VERSION_PATCH));
}
