/* data_test.c: LETOR text, features, models, score files, artificial data. */
#include "tests/unit/unit.h"

#include "data/data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static dorm_dataset *read_text(dorm_context *context, const char *text)
{
  dorm_dataset *dataset = NULL;
  const char *path = unit_temporary_file(text);
  UNIT_OK(context, dorm_dataset_read(context, path, &dataset));
  unlink(path);
  CU_ASSERT_PTR_NOT_NULL_FATAL(dataset);
  return dataset;
}

static void letor_text_is_read(void)
{
  dorm_context *context = unit_context();
  dorm_dataset *dataset = read_text(context, "# a comment line\r\n"
                                             "2 qid:10 1:0.5 3:-1e-2 # docid = GX1 inc = 1\r\n"
                                             "\n"
                                             "0.5\tqid:10  7:3\t#docid=GX2\n"
                                             "   0 qid:word 3:1#x\n"
                                             "1 qid:123456789012345678901234567890 2:4"); /* no line end */
  CU_ASSERT_EQUAL(dorm_dataset_num_docs(dataset), 4);
  CU_ASSERT_EQUAL(dorm_dataset_num_queries(dataset), 3);
  CU_ASSERT_EQUAL(dorm_dataset_num_features(dataset), 4);
  static const size_t ids[] = {1, 2, 3, 7};
  static const size_t starts[] = {0, 2, 3, 4};
  static const double labels[] = {2, 0.5, 0, 1};
  static const float values[4][4] = {{0.5F, 0, -1e-2F, 0}, {0, 0, 0, 3}, {0, 0, 1, 0}, {0, 4, 0, 0}};
  for (size_t i = 0; i < 4; i++) {
    CU_ASSERT_EQUAL(dorm_dataset_feature_id(dataset, i), ids[i]);
    CU_ASSERT_EQUAL(dorm_dataset_query_start(dataset, i), starts[i]);
    CU_ASSERT_EQUAL(dorm_dataset_label(dataset, i), labels[i]);
    for (size_t f = 0; f < 4; f++)
      CU_ASSERT_EQUAL(dorm_dataset_value(dataset, i, f), values[i][f]);
  }
  CU_ASSERT_STRING_EQUAL(dorm_dataset_query_id(dataset, 0), "10");
  CU_ASSERT_STRING_EQUAL(dorm_dataset_query_id(dataset, 1), "word");
  CU_ASSERT_STRING_EQUAL(dorm_dataset_query_id(dataset, 2), "123456789012345678901234567890");
  CU_ASSERT_STRING_EQUAL(dorm_dataset_doc_id(dataset, 0), "GX1");
  CU_ASSERT_STRING_EQUAL(dorm_dataset_doc_id(dataset, 1), "GX2");
  CU_ASSERT_STRING_EQUAL(dorm_dataset_doc_id(dataset, 2), "");
  dorm_dataset_free(dataset);
  dorm_context_free(context);
}

static void bad_letor_lines_are_named(void)
{
  static const struct {
    const char *text, *message;
  } bad[] = {
      {"qid:1 1:1\n", ":1: no label before 'qid:1'"},
      {"1 qid:1 1:1\nx qid:1 1:1\n", ":2: label 'x' is not a finite number"},
      {"nan qid:1 1:1\n", ":1: label 'nan' is not a finite number"},
      {"1e999 qid:1 1:1\n", ":1: label '1e999' is not a finite number"},
      {"-1 qid:1 1:1\n", ":1: label '-1' is negative"},
      {"1 1:1\n", ":1: 'qid:' expected behind the label, not '1:1'"},
      {"1\n", ":1: 'qid:' expected"},
      {"1 qid: 1:1\n", ":1: the query id is empty"},
      {"1 qid:1 1:nan\n", ":1: feature 1: 'nan' is not a finite number"},
      {"1 qid:1 1:inf\n", ":1: feature 1: 'inf' is not a finite number"},
      {"1 qid:1 1:1e39\n", ":1: feature 1: '1e39' is not a finite number"},
      {"1 qid:1 1:1x\n", ":1: feature 1: '1x' is not a finite number"},
      {"1 qid:1 1:\n", ":1: feature 1: '' is not a finite number"},
      {"1 qid:1 1: 2\n", ":1: feature 1: '' is not a finite number"},
      {"1 qid:1 1\n", ":1: '1' is not feature:value"},
      {"1 qid:1 a:1\n", ":1: 'a:1' is not feature:value"},
      {"1 qid:1 0:1\n", ":1: feature id 0 is not between"},
      {"1 qid:1 -1:1\n", ":1: '-1:1' is not feature:value"},
      {"1 qid:1 99999999999999999999:1\n", ":1: feature id in '99999999999999999999:1' is above"},
      {"1 qid:1 2:1 1:1\n", ":1: feature id 1 does not increase after 2"},
      {"1 qid:1 2:1 2:1\n", ":1: feature id 2 does not increase after 2"},
      {"1 qid:1 1:1\n1 qid:2 1:1\n\n1 qid:1 1:1\n", ":4: query '1' comes back"},
      {"", ": no document"},
      {"# nothing\n\n", ": no document"},
  };
  dorm_context *context = unit_context();
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    dorm_dataset *dataset = (dorm_dataset *)context;
    const char *path = unit_temporary_file(bad[i].text);
    UNIT_FAILS(context, dorm_dataset_read(context, path, &dataset), DORM_BAD_DATA, bad[i].message);
    UNIT_FAILS(context, DORM_BAD_DATA, DORM_BAD_DATA, path); /* the message names the file */
    CU_ASSERT_PTR_NULL(dataset);
    unlink(path);
  }
  dorm_dataset *dataset = NULL;
  UNIT_FAILS(context, dorm_dataset_read(context, "no such file", &dataset), DORM_IO_ERROR, "no such file");
  UNIT_FAILS(context, dorm_dataset_read(context, ".", &dataset), DORM_IO_ERROR, ".: cannot read");
  dorm_context_free(context);
}

/* Random rows, ids in any gaps, written by dorm and read again. */
static void written_text_reads_back(void)
{
  dorm_context *context = unit_context();
  dorm__random random;
  dorm__random_seed(&random, unit_seed());
  enum { DOCS = 300, IDS = 40 };
  float values[DOCS][IDS];
  char *text = malloc(DOCS * IDS * 32);
  CU_ASSERT_PTR_NOT_NULL_FATAL(text);
  size_t size = 0;
  for (size_t j = 0; j < DOCS; j++) {
    size += (size_t)sprintf(text + size, "%zu qid:q%zu", dorm__random_below(&random, 3), j / 7);
    for (size_t f = 0; f < IDS; f++) {
      values[j][f] = 0;
      if (dorm__random_below(&random, IDS) > f) /* high ids are rare and turn up late */
        continue;
      values[j][f] = (float)(dorm__random_normal(&random) * pow(10, (double)dorm__random_below(&random, 20) - 10));
      char number[DORM__NUMBER_SIZE];
      size += (size_t)sprintf(text + size, " %zu:%s", f * f * 1000 + 1, dorm__format_float(number, values[j][f]));
    }
    size += (size_t)sprintf(text + size, "\n");
  }
  dorm_dataset *dataset = read_text(context, text);
  char path[64];
  strcpy(path, unit_temporary_file(""));
  UNIT_OK(context, dorm_dataset_write(context, dataset, path));
  dorm_dataset *back = NULL;
  UNIT_OK(context, dorm_dataset_read(context, path, &back));
  CU_ASSERT_PTR_NOT_NULL_FATAL(back);
  CU_ASSERT_EQUAL_FATAL(dorm_dataset_num_docs(back), DOCS);
  CU_ASSERT_EQUAL(dorm_dataset_num_queries(back), (DOCS + 6) / 7);
  for (size_t c = 0; c < dorm_dataset_num_features(back); c++) {
    size_t id = dorm_dataset_feature_id(back, c);
    size_t f = (size_t)lround(sqrt((double)((id - 1) / 1000)));
    CU_ASSERT_EQUAL_FATAL(id, f * f * 1000 + 1);
    for (size_t j = 0; j < DOCS; j++)
      CU_ASSERT_EQUAL_FATAL(dorm_dataset_value(back, j, c), values[j][f]);
  }
  unlink(path);
  free(text);
  dorm_dataset_free(dataset);
  dorm_dataset_free(back);
  dorm_context_free(context);
}

static void gzip_reads_as_plain_text_does(void)
{
  dorm_context *context = unit_context();
  char path[64];
  strcpy(path, unit_temporary_file(""));
  gzFile file = gzopen(path, "wb");
  for (int j = 0; j < 20000; j++)
    gzprintf(file, "%d qid:%d 1:%d 2:0.5\n", j % 3, j / 10, j);
  gzclose(file);
  dorm_dataset *dataset = NULL;
  UNIT_OK(context, dorm_dataset_read(context, path, &dataset));
  CU_ASSERT_PTR_NOT_NULL_FATAL(dataset);
  CU_ASSERT_EQUAL(dorm_dataset_num_docs(dataset), 20000);
  CU_ASSERT_EQUAL(dorm_dataset_value(dataset, 19999, 0), 19999);
  dorm_dataset_free(dataset);

  FILE *whole = fopen(path, "rb");
  char bytes[4096];
  size_t size = fread(bytes, 1, sizeof bytes, whole);
  fclose(whole);
  whole = fopen(path, "wb");
  fwrite(bytes, 1, size / 2, whole);
  fclose(whole);
  UNIT_FAILS(context, dorm_dataset_read(context, path, &dataset), DORM_BAD_DATA, "end too early");
  unlink(path);
  dorm_context_free(context);
}

static void arrays_are_checked(void)
{
  dorm_context *context = unit_context();
  dorm_dataset *dataset = NULL;
  static const size_t start[] = {0, 2, 3};
  static const size_t empty_query[] = {0, 2, 2};
  static const double labels[] = {1, 0, 2};
  static const double bad_labels[] = {1, -1, 2};
  static const float values[] = {1, 2, 3, 4, 5, 6};
  float infinite[] = {1, 2, 3, INFINITY, 5, 6};
  UNIT_OK(context, dorm_dataset_from_arrays(context, 2, start, 2, labels, values, &dataset));
  CU_ASSERT_PTR_NOT_NULL_FATAL(dataset);
  CU_ASSERT_EQUAL(dorm_dataset_value(dataset, 2, 1), 6);
  CU_ASSERT_STRING_EQUAL(dorm_dataset_query_id(dataset, 1), "2");
  CU_ASSERT_STRING_EQUAL(dorm_dataset_doc_id(dataset, 1), "");
  dorm_dataset_free(dataset);
  UNIT_FAILS(context, dorm_dataset_from_arrays(context, 2, empty_query, 2, labels, values, &dataset), DORM_BAD_USAGE,
             "query 1 has no document");
  UNIT_FAILS(context, dorm_dataset_from_arrays(context, 0, start, 2, labels, values, &dataset), DORM_BAD_USAGE,
             "at least one query");
  UNIT_FAILS(context, dorm_dataset_from_arrays(context, 2, start, 2, bad_labels, values, &dataset), DORM_BAD_DATA,
             "document 1 has the label -1");
  UNIT_FAILS(context, dorm_dataset_from_arrays(context, 2, start, 2, labels, infinite, &dataset), DORM_BAD_DATA,
             "document 1, feature 1 is not finite");
  CU_ASSERT_PTR_NULL(dataset);
  dorm_context_free(context);
}

/* Every entry against the definition, counted pair by pair. */
static void features_follow_their_definition(void)
{
  enum { QUERIES = 30, DOCS = 9, FEATURES = 5 };
  dorm_context *context = unit_context();
  dorm__random random;
  dorm__random_seed(&random, unit_seed());
  size_t start[QUERIES + 1];
  double labels[QUERIES * DOCS] = {0};
  float values[QUERIES * DOCS * FEATURES];
  for (size_t q = 0; q <= QUERIES; q++)
    start[q] = q ? start[q - 1] + 1 + q % DOCS : 0;
  for (size_t i = 0; i < QUERIES * DOCS * FEATURES; i++)
    values[i] = (float)dorm__random_below(&random, 4) - 1; /* many ties */
  dorm_dataset *dataset = NULL;
  UNIT_OK(context, dorm_dataset_from_arrays(context, QUERIES, start, FEATURES, labels, values, &dataset));
  static const size_t ids[] = {2, 4, 5, 77}; /* 77 is in no document */
  dorm__feature_map map = {.num_ids = 4, .ids = ids, .normalisation = DORM__NORMALISATION_MIN_MAX, .rank_block = 0.5};
  dorm__features features;
  UNIT_OK(context, dorm__features_build(context, dataset, &map, 2, &features));
  CU_ASSERT_EQUAL_FATAL(features.num_features, 8);
  for (size_t q = 0; q < QUERIES; q++)
    for (size_t j = start[q]; j < start[q + 1]; j++)
      for (size_t f = 0; f < 4; f++) {
        double low = INFINITY, high = -INFINITY, above = 0, ties = 0, own = 0;
        for (size_t i = start[q]; i < start[q + 1]; i++) {
          double x = f < 3 ? (double)values[i * FEATURES + ids[f] - 1] : 0;
          own = f < 3 ? (double)values[j * FEATURES + ids[f] - 1] : 0;
          low = fmin(low, x);
          high = fmax(high, x);
          above += x > own;
          ties += x == own;
        }
        double l = (double)(start[q + 1] - start[q]);
        double value = high > low ? (own - low) / (high - low) : 0;
        double rank = high > low ? 1 - (above + (ties - 1) / 2) / (l - 1) : 0.5;
        CU_ASSERT_TRUE_FATAL(unit_close((double)features.values[j * 8 + f], value, 1e-6));
        CU_ASSERT_TRUE_FATAL(unit_close((double)features.values[j * 8 + 4 + f], 0.5 * rank, 1e-6));
      }
  double weights[8], scores[QUERIES * DOCS], sum[8] = {0};
  for (size_t f = 0; f < 8; f++)
    weights[f] = dorm__random_normal(&random);
  dorm__features_score(&features, 3, 20, weights, scores);
  for (size_t i = 0; i < 20; i++) {
    double score = 0;
    for (size_t f = 0; f < 8; f++)
      score += weights[f] * (double)features.values[(3 + i) * 8 + f];
    CU_ASSERT_TRUE(unit_close(scores[i], score, 1e-14));
  }
  dorm__features_add(&features, 7, 2, sum);
  for (size_t f = 0; f < 8; f++)
    CU_ASSERT_EQUAL(sum[f], 2 * (double)features.values[7 * 8 + f]);
  dorm__features_free(&features);
  dorm_dataset_free(dataset);
  dorm_context_free(context);
}

enum { TWIN_QUERIES = 25, TWIN_DOCS = 10, TWIN_FEATURES = 12, TWIN_ROWS = TWIN_QUERIES * TWIN_DOCS };

/* The same random data stored in both ways; values of both signs, with ties,
 * explicit zeros and features that all documents of a query have. */
static void make_twins(dorm_context *context, dorm_dataset **dense, dorm_dataset **sparse)
{
  static const float levels[] = {-2, -0.5F, 0, 1, 1, 3};
  dorm__random random;
  dorm__random_seed(&random, unit_seed());
  size_t start[TWIN_QUERIES + 1];
  size_t row_start[TWIN_ROWS + 1] = {0};
  double labels[TWIN_ROWS] = {0};
  static float values[TWIN_ROWS * TWIN_FEATURES];
  static float entries[TWIN_ROWS * TWIN_FEATURES];
  static uint32_t columns[TWIN_ROWS * TWIN_FEATURES];
  size_t count = 0;
  for (size_t q = 0; q <= TWIN_QUERIES; q++)
    start[q] = q ? start[q - 1] + 1 + q % TWIN_DOCS : 0;
  for (size_t q = 0; q < TWIN_QUERIES; q++)
    for (size_t j = start[q]; j < start[q + 1]; j++) {
      for (size_t f = 0; f < TWIN_FEATURES; f++) {
        values[j * TWIN_FEATURES + f] = 0;
        if ((q + f) % 4 && dorm__random_below(&random, 3))
          continue;
        values[j * TWIN_FEATURES + f] = levels[dorm__random_below(&random, 6)];
        columns[count] = (uint32_t)f;
        entries[count++] = values[j * TWIN_FEATURES + f];
      }
      row_start[j + 1] = count;
    }
  UNIT_OK(context, dorm_dataset_from_arrays(context, TWIN_QUERIES, start, TWIN_FEATURES, labels, values, dense));
  UNIT_OK(context, dorm_dataset_from_sparse(context, TWIN_QUERIES, start, TWIN_FEATURES, labels, row_start, columns,
                                            entries, sparse));
  CU_ASSERT_PTR_NOT_NULL_FATAL(*dense);
  CU_ASSERT_PTR_NOT_NULL_FATAL(*sparse);
}

/* Scores by both differ by a constant within each query. */
static void check_twin_scores(const dorm_dataset *dense, const dorm_dataset *sparse, const dorm__feature_map *map)
{
  dorm_context *context = unit_context();
  dorm__features rows[2];
  double weights[2 * TWIN_FEATURES];
  double scores[2][TWIN_ROWS];
  dorm__random random;
  dorm__random_seed(&random, unit_seed());
  for (size_t f = 0; f < 2 * TWIN_FEATURES; f++)
    weights[f] = dorm__random_normal(&random);
  UNIT_OK(context, dorm__features_build(context, dense, map, 1, &rows[0]));
  UNIT_OK(context, dorm__features_build(context, sparse, map, 2, &rows[1]));
  CU_ASSERT_PTR_NULL(rows[0].row_start);
  CU_ASSERT_PTR_NOT_NULL(rows[1].row_start);
  CU_ASSERT_EQUAL_FATAL(rows[0].num_features, rows[1].num_features);
  for (size_t i = 0; i < 2; i++)
    dorm__features_score(&rows[i], 0, dense->num_docs, weights, scores[i]);
  for (size_t q = 0; q < dense->num_queries; q++)
    for (size_t j = dense->query_start[q]; j < dense->query_start[q + 1]; j++)
      CU_ASSERT_TRUE(unit_close(scores[0][j] - scores[0][dense->query_start[q]],
                                scores[1][j] - scores[1][dense->query_start[q]], 1e-6));
  /* a sparse row, its entries, its score and its sum agree */
  for (size_t j = 0; j < dense->num_docs; j++) {
    dorm__row row = dorm__features_row(&rows[1], j);
    double sum[2 * TWIN_FEATURES] = {0};
    double score = 0;
    dorm__features_add(&rows[1], j, 2, sum);
    for (size_t i = 0; i < row.count; i++) {
      CU_ASSERT_TRUE_FATAL(row.indices[i] < rows[1].num_features && (!i || row.indices[i] > row.indices[i - 1]));
      CU_ASSERT_EQUAL(sum[row.indices[i]], 2 * (double)row.values[i]);
      score += weights[row.indices[i]] * (double)row.values[i];
    }
    CU_ASSERT_TRUE(unit_close(score, scores[1][j], 1e-12));
  }
  dorm__features_free(&rows[0]);
  dorm__features_free(&rows[1]);
  dorm_context_free(context);
}

static void dense_and_sparse_storage_rank_alike(void)
{
  dorm_context *context = unit_context();
  dorm_dataset *dense = NULL;
  dorm_dataset *sparse = NULL;
  make_twins(context, &dense, &sparse);
  for (size_t j = 0; j < dense->num_docs; j++)
    for (size_t f = 0; f < TWIN_FEATURES; f++)
      CU_ASSERT_EQUAL(dorm_dataset_value(dense, j, f), dorm_dataset_value(sparse, j, f));
  static const size_t some_ids[] = {2, 3, 7, 12, 99};
  dorm_settings *settings = NULL;
  UNIT_OK(context, dorm_settings_new(context, &settings));
  for (size_t n = 0; n < DORM__NUM_NORMALISATIONS; n++) {
    UNIT_OK(context, dorm_settings_set(context, settings, "data.normalisation",
                                       dorm__normalisation_name((dorm__normalisation)n)));
    dorm__feature_map map;
    UNIT_OK(context, dorm__feature_map_new(context, settings, sparse, &map));
    for (int ranks = 0; ranks < 2; ranks++) {
      map.rank_block = ranks * 0.5;
      check_twin_scores(dense, sparse, &map);
      if (!dorm__normalisation_is_global(map.normalisation))
        check_twin_scores(
            dense, sparse,
            &(dorm__feature_map){
                .num_ids = 5, .ids = some_ids, .normalisation = map.normalisation, .rank_block = map.rank_block});
    }
    dorm__feature_map_clear(&map);
  }
  dorm_settings_free(settings);
  dorm_dataset_free(dense);
  dorm_dataset_free(sparse);
  dorm_context_free(context);
}

/* Every entry against the definition, over the documents that it speaks of. */
static void check_normalised(const dorm_dataset *dataset, const dorm__feature_map *map, const dorm__features *features)
{
  bool is_global = dorm__normalisation_is_global(map->normalisation);
  bool is_min_max =
      map->normalisation == DORM__NORMALISATION_MIN_MAX || map->normalisation == DORM__NORMALISATION_GLOBAL_MIN_MAX;
  for (size_t q = 0; q < dataset->num_queries; q++)
    for (size_t f = 0; f < TWIN_FEATURES; f++) {
      size_t first = is_global ? 0 : dataset->query_start[q];
      size_t end = is_global ? dataset->num_docs : dataset->query_start[q + 1];
      double low = INFINITY, high = -INFINITY, sum = 0, squares = 0;
      for (size_t j = first; j < end; j++) {
        double x = (double)dorm_dataset_value(dataset, j, f);
        low = fmin(low, x);
        high = fmax(high, x);
        sum += x;
        squares += x * x;
      }
      double mean = sum / (double)(end - first);
      double deviation = sqrt(fmax(0, squares / (double)(end - first) - mean * mean));
      double shift = is_min_max ? low : mean;
      double spread = is_min_max ? high - low : deviation;
      for (size_t j = dataset->query_start[q]; j < dataset->query_start[q + 1]; j++) {
        double x = (double)dorm_dataset_value(dataset, j, f);
        double expected = map->normalisation == DORM__NORMALISATION_NONE ? x : high > low ? (x - shift) / spread : 0;
        CU_ASSERT_TRUE(unit_close((double)features->values[j * TWIN_FEATURES + f], expected, 1e-6));
      }
    }
}

static void normalisations_follow_their_definitions(void)
{
  dorm_context *context = unit_context();
  dorm_dataset *dense = NULL;
  dorm_dataset *sparse = NULL;
  dorm_settings *settings = NULL;
  make_twins(context, &dense, &sparse);
  UNIT_OK(context, dorm_settings_new(context, &settings));
  for (size_t n = 0; n < DORM__NUM_NORMALISATIONS; n++) {
    const char *name = dorm__normalisation_name((dorm__normalisation)n);
    dorm__normalisation back;
    CU_ASSERT_TRUE(dorm__normalisation_from(name, &back) && back == (dorm__normalisation)n);
    UNIT_OK(context, dorm_settings_set(context, settings, "data.normalisation", name));
    dorm__feature_map map;
    dorm__features features;
    UNIT_OK(context, dorm__feature_map_new(context, settings, dense, &map));
    UNIT_OK(context, dorm__features_build(context, dense, &map, 2, &features));
    check_normalised(dense, &map, &features);
    dorm__features_free(&features);
    dorm__feature_map_clear(&map);
  }
  dorm_settings_free(settings);
  dorm_dataset_free(dense);
  dorm_dataset_free(sparse);
  dorm_context_free(context);
}

static void features_are_chosen_by_id(void)
{
  static const struct {
    const char *text;
    size_t count;
    size_t ids[TWIN_FEATURES];
    const char *message;
  } cases[] = {
      {"", 12, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, NULL}, {"3", 1, {3}, NULL},
      {" 2-4 , 11-900,3", 5, {2, 3, 4, 11, 12}, NULL},         {"12, 1", 2, {1, 12}, NULL},
      {"13-20", 0, {0}, "names none of the 12 features"},      {"4-2", 0, {0}, "'4-2' is no list of feature ids"},
      {"1,x", 0, {0}, "'1,x' is no list of feature ids"},      {"1.5", 0, {0}, "'1.5' is no list of feature ids"},
      {"1 2", 0, {0}, "'1 2' is no list of feature ids"},      {"1,,2", 0, {0}, "is no list of feature ids"},
  };
  dorm_context *context = unit_context();
  dorm_dataset *dense = NULL;
  dorm_dataset *sparse = NULL;
  dorm_settings *settings = NULL;
  make_twins(context, &dense, &sparse);
  UNIT_OK(context, dorm_settings_new(context, &settings));
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    dorm__feature_map map;
    UNIT_OK(context, dorm_settings_set(context, settings, "data.features", cases[i].text));
    UNIT_FAILS(context, dorm__feature_map_new(context, settings, dense, &map),
               cases[i].message ? DORM_BAD_USAGE : DORM_OK, cases[i].message);
    CU_ASSERT_EQUAL(map.num_ids, cases[i].count);
    for (size_t f = 0; f < cases[i].count; f++)
      CU_ASSERT_EQUAL(map.ids[f], cases[i].ids[f]);
    dorm__feature_map_clear(&map);
  }
  dorm_settings_free(settings);
  dorm_dataset_free(dense);
  dorm_dataset_free(sparse);
  dorm_context_free(context);
}

static void check_same_rows(const dorm__features *x, const dorm__features *y)
{
  CU_ASSERT_EQUAL_FATAL(x->num_docs, y->num_docs);
  CU_ASSERT_EQUAL_FATAL(x->num_features, y->num_features);
  for (size_t j = 0; j < x->num_docs; j++) {
    dorm__row a = dorm__features_row(x, j);
    dorm__row b = dorm__features_row(y, j);
    CU_ASSERT_EQUAL_FATAL(a.count, b.count);
    CU_ASSERT_EQUAL_FATAL(!a.indices, !b.indices);
    for (size_t i = 0; i < a.count; i++)
      CU_ASSERT_TRUE((!a.indices || a.indices[i] == b.indices[i]) && a.values[i] == b.values[i]);
  }
}

/* In the memory of the data set the same rows come out as in new memory. */
static void features_taken_are_features_built(void)
{
  static const size_t some_ids[] = {2, 3, 7, 12, 99};
  static const size_t many_ids[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20};
  static const struct {
    size_t count;
    const size_t *ids;
  } choices[] = {{TWIN_FEATURES, many_ids}, {5, some_ids}, {20, many_ids}, {0, many_ids}};
  dorm_context *context = unit_context();
  for (size_t c = 0; c < sizeof choices / sizeof *choices; c++)
    for (int ranks = 0; ranks < 2; ranks++) {
      dorm_dataset *both[2] = {NULL, NULL};
      make_twins(context, &both[0], &both[1]);
      dorm__feature_map map = {.num_ids = choices[c].count,
                               .ids = choices[c].ids,
                               .normalisation = DORM__NORMALISATION_MIN_MAX,
                               .rank_block = ranks * 0.5};
      for (size_t i = 0; i < 2; i++) {
        dorm__features built, taken;
        UNIT_OK(context, dorm__features_build(context, both[i], &map, 1, &built));
        UNIT_OK(context, dorm__features_take(context, both[i], &map, 2, &taken));
        check_same_rows(&built, &taken);
        CU_ASSERT_PTR_NULL(both[i]->values);
        dorm__features_free(&built);
        dorm__features_free(&taken);
        dorm_dataset_free(both[i]);
      }
    }
  dorm_context_free(context);
}

static void sparse_arrays_are_checked(void)
{
  dorm_context *context = unit_context();
  dorm_dataset *dataset = NULL;
  static const size_t start[] = {0, 2};
  static const size_t rows[] = {0, 1, 3};
  static const size_t falling[] = {0, 2, 1};
  static const double labels[] = {1, 0};
  static const uint32_t columns[] = {4, 0, 1};
  static const uint32_t twice[] = {4, 1, 1};
  static const float values[] = {1, 2, 3};
  static const float infinite[] = {1, 2, INFINITY};
  UNIT_OK(context, dorm_dataset_from_sparse(context, 1, start, 5, labels, rows, columns, values, &dataset));
  CU_ASSERT_PTR_NOT_NULL_FATAL(dataset);
  CU_ASSERT_EQUAL(dorm_dataset_value(dataset, 0, 4), 1);
  CU_ASSERT_EQUAL(dorm_dataset_value(dataset, 0, 0), 0);
  CU_ASSERT_EQUAL(dorm_dataset_value(dataset, 1, 1), 3);
  dorm_dataset_free(dataset);
  UNIT_FAILS(context, dorm_dataset_from_sparse(context, 1, start, 4, labels, rows, columns, values, &dataset),
             DORM_BAD_USAGE, "document 0: column 4");
  UNIT_FAILS(context, dorm_dataset_from_sparse(context, 1, start, 5, labels, rows, twice, values, &dataset),
             DORM_BAD_USAGE, "document 1: column 1 does not increase");
  UNIT_FAILS(context, dorm_dataset_from_sparse(context, 1, start, 5, labels, falling, columns, values, &dataset),
             DORM_BAD_USAGE, "row_start: falls behind document 1");
  UNIT_FAILS(context, dorm_dataset_from_sparse(context, 1, start, 5, labels, rows, columns, infinite, &dataset),
             DORM_BAD_DATA, "document 1, column 1 is not finite");
  CU_ASSERT_PTR_NULL(dataset);
  dorm_context_free(context);
}

static void models_read_back_exactly(void)
{
  dorm_context *context = unit_context();
  dorm_settings *settings = NULL;
  UNIT_OK(context, dorm_settings_new(context, &settings));
  UNIT_OK(context, dorm_settings_set(context, settings, "solver.C", "2,  5"));
  UNIT_OK(context, dorm_settings_set(context, settings, "data.train", "a = b # c.txt"));
  static const size_t ids[] = {3, 8, 1000000000};
  for (int ranks = 0; ranks < 2; ranks++) {
    static const double shift[] = {1.0 / 3, -7, 0};
    static const double spread[] = {1e-300, 0, 4.5};
    dorm__feature_map map = {
        3, ids, ranks == 0 ? DORM__NORMALISATION_NONE : DORM__NORMALISATION_GLOBAL_Z_SCORE, ranks * 0.3, shift, spread};
    dorm_model *model = NULL;
    UNIT_OK(context, dorm__model_new(context, &map, settings, &model));
    dorm__random random;
    dorm__random_seed(&random, unit_seed());
    size_t width = dorm__feature_map_width(&map);
    for (size_t f = 0; f < width; f++)
      model->weights[f] = dorm__random_normal(&random) * 1e-7;
    char path[64];
    strcpy(path, unit_temporary_file(""));
    UNIT_OK(context, dorm_model_write(context, model, path));
    dorm_model *back = NULL;
    UNIT_OK(context, dorm_model_read(context, path, &back));
    CU_ASSERT_PTR_NOT_NULL_FATAL(back);
    CU_ASSERT_EQUAL_FATAL(back->num_ids, 3);
    CU_ASSERT_EQUAL(back->normalisation, model->normalisation);
    CU_ASSERT_EQUAL(back->rank_block, model->rank_block);
    CU_ASSERT_EQUAL((back->shift != NULL), ranks);
    if (back->shift) {
      CU_ASSERT_EQUAL(memcmp(back->shift, shift, sizeof shift), 0);
      CU_ASSERT_EQUAL(memcmp(back->spread, spread, sizeof spread), 0);
    }
    CU_ASSERT_EQUAL(memcmp(back->weights, model->weights, width * sizeof(double)), 0);
    CU_ASSERT_EQUAL(memcmp(back->ids, ids, sizeof ids), 0);
    CU_ASSERT_STRING_EQUAL(dorm_model_setting(back, "solver.C"), "2,  5");
    CU_ASSERT_STRING_EQUAL(dorm_model_setting(back, "data.train"), "a = b # c.txt");
    unlink(path);
    dorm_model_free(model);
    dorm_model_free(back);
  }
  dorm_settings_free(settings);
  dorm_context_free(context);
}

static void bad_models_are_named(void)
{
  static const struct {
    const char *text, *message;
  } bad[] = {
      {"", "'normalisation' is missing"},
      {"dorm model 2\n", ":1: not a model of this version"},
      {"hello\n", ":1: not a model of this version"},
      {"dorm model 1\nnormalisation whole\n", ":2: normalisation 'whole'"},
      {"dorm model 1\nglobal 1 2\n", ":2: 'global' needs an id, a shift and a spread"},
      {"dorm model 1\nglobal 1 2 -1\n", ":2: 'global' needs an id, a shift and a spread"},
      {"dorm model 1\nrank_block 0\nnormalisation global-zscore\nglobal 2 1 1\nfeature 1 1\nend 1\n",
       "ids of the 'global' lines are not those"},
      {"dorm model 1\nrank_block 0\nnormalisation global-zscore\nfeature 1 1\nend 1\n",
       "ids of the 'global' lines are not those"},
      {"dorm model 1\nrank_block 0\nnormalisation minmax\nglobal 1 1 1\nfeature 1 1\nend 1\n",
       "ids of the 'global' lines are not those"},
      {"dorm model 1\nrank_block x\n", ":2: rank_block 'x'"},
      {"dorm model 1\nrank_block -1\n", ":2: rank_block '-1'"},
      {"dorm model 1\nrank_block 0\nrank_block 0\n", ":3: rank_block is given twice"},
      {"dorm model 1\nfeature 1 2\n", ":2: 'feature' before 'rank_block'"},
      {"dorm model 1\nrank_block 0\nfeature -1 2\n", ":3: 'feature' needs an id"},
      {"dorm model 1\nrank_block 0\nfeature 1 nan\n", ":3: feature 1 needs one finite weight"},
      {"dorm model 1\nrank_block 0\nfeature 1 1 1\n", ":3: feature 1 needs one finite weight"},
      {"dorm model 1\nrank_block 1\nfeature 1 1\n", ":3: feature 1 needs two finite weights"},
      {"dorm model 1\nrank_block 0\nfeature 2 1\nfeature 1 1\n", ":4: feature id 1 does not increase"},
      {"dorm model 1\nrank_block 0\nnormalisation none\nend 1\n", ":4: 'end 1', but 0 features"},
      {"dorm model 1\nrank_block 0\nnormalisation none\n", "'end' is missing"},
      {"dorm model 1\nrank_block 0\nnormalisation none\nend 0\nmore\n", ":5: something stands behind 'end'"},
      {"dorm model 1\nsetting solver.D = 1\n", ":2: unknown setting 'solver.D'"},
      {"dorm model 1\nsetting solver.C = x\n", ":2: solver.C: 'x' is not a number"},
      {"dorm model 1\nsetting solver.C\n", ":2: 'setting' needs a key"},
      {"dorm model 1\nweights 1 2 3\n", ":2: 'weights' is not known here"},
  };
  dorm_context *context = unit_context();
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    dorm_model *model = (dorm_model *)context;
    const char *path = unit_temporary_file(bad[i].text);
    UNIT_FAILS(context, dorm_model_read(context, path, &model), DORM_BAD_DATA, bad[i].message);
    CU_ASSERT_PTR_NULL(model);
    unlink(path);
  }
  dorm_context_free(context);
}

static void scores_are_read_line_by_line(void)
{
  static const struct {
    const char *text;
    dorm_status status;
    const char *message;
  } cases[] = {
      {"1\n-2.5e-3\n 7 \r\n", DORM_OK, NULL},
      {"1\n2\n3", DORM_OK, NULL},
      {"1\n2\n", DORM_BAD_DATA, "2 lines, but the data set has 3"},
      {"1\n2\n3\n4\n", DORM_BAD_DATA, ":4: more lines"},
      {"1\nx\n3\n", DORM_BAD_DATA, ":2: 'x' is not a finite number"},
      {"1\n\n3\n", DORM_BAD_DATA, ":2: '' is not a finite number"},
      {"1\nnan\n3\n", DORM_BAD_DATA, ":2: 'nan' is not"},
  };
  dorm_context *context = unit_context();
  double scores[3];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *path = unit_temporary_file(cases[i].text);
    UNIT_FAILS(context, dorm_scores_read(context, path, 3, scores), cases[i].status, cases[i].message);
    unlink(path);
  }
  double given[3] = {1.0 / 3, -1e300, 0};
  char path[64];
  strcpy(path, unit_temporary_file(""));
  UNIT_OK(context, dorm_scores_write(context, path, 3, given));
  UNIT_OK(context, dorm_scores_read(context, path, 3, scores));
  CU_ASSERT_EQUAL(memcmp(scores, given, sizeof scores), 0);
  unlink(path);
  dorm_context_free(context);
}

static void artificial_data_are_as_described(void)
{
  dorm_context *context = unit_context();
  dorm_artificial parameters = {100, 50, 10, 0, 1, 2};
  dorm_dataset *dataset = NULL;
  UNIT_OK(context, dorm_dataset_generate_artificial(context, &parameters, &dataset));
  CU_ASSERT_PTR_NOT_NULL_FATAL(dataset);
  size_t counts[5] = {0};
  for (size_t j = 0; j < 5000; j++) {
    counts[(size_t)dorm_dataset_label(dataset, j)]++;
    for (size_t f = 0; f < 10; f++)
      CU_ASSERT_TRUE_FATAL(fabs((double)dorm_dataset_value(dataset, j, f)) <= 1);
  }
  static const size_t expected[5] = {2500, 1000, 750, 500, 250};
  for (size_t r = 0; r < 5; r++)
    CU_ASSERT_EQUAL(counts[r], expected[r]);
  dorm_dataset *again = NULL;
  UNIT_OK(context, dorm_dataset_generate_artificial(context, &parameters, &again));
  CU_ASSERT_EQUAL(memcmp(again->values, dataset->values, 50000 * sizeof(float)), 0);
  CU_ASSERT_EQUAL(memcmp(again->labels, dataset->labels, 5000 * sizeof(double)), 0);
  dorm_dataset_free(again);
  parameters.data_seed = 3;
  UNIT_OK(context, dorm_dataset_generate_artificial(context, &parameters, &again));
  CU_ASSERT_NOT_EQUAL(memcmp(again->values, dataset->values, 50000 * sizeof(float)), 0);
  dorm_dataset_free(again);
  parameters.num_features = 0;
  UNIT_FAILS(context, dorm_dataset_generate_artificial(context, &parameters, &again), DORM_BAD_USAGE,
             "num_features: 0 is not between");
  dorm_dataset_free(dataset);
  dorm_context_free(context);
}

static void sparse_artificial_data_are_as_described(void)
{
  dorm_context *context = unit_context();
  dorm_artificial parameters = {.num_queries = 20, .docs_per_query = 50, .num_features = 30, .data_seed = 3};
  for (size_t entries = 1; entries <= 30; entries += 29) {
    dorm_dataset *dataset = NULL;
    UNIT_OK(context, dorm_dataset_generate_sparse(context, &parameters, entries, &dataset));
    CU_ASSERT_PTR_NOT_NULL_FATAL(dataset);
    size_t num_relevant = 0;
    for (size_t j = 0; j < 1000; j++) {
      size_t present = 0;
      for (size_t f = 0; f < 30; f++)
        present += dorm_dataset_value(dataset, j, f) > 0;
      CU_ASSERT_EQUAL(present, entries);
      num_relevant += dorm_dataset_label(dataset, j) > 0;
    }
    CU_ASSERT_EQUAL(num_relevant, 500);
    dorm_dataset_free(dataset);
  }
  dorm_dataset *dataset = NULL;
  UNIT_FAILS(context, dorm_dataset_generate_sparse(context, &parameters, 31, &dataset), DORM_BAD_USAGE,
             "entries: 31 is not between 1 and 30");
  dorm_context_free(context);
}

static const unit_test tests[] = {
    {"LETOR text is read", letor_text_is_read},
    {"bad LETOR lines are named", bad_letor_lines_are_named},
    {"written text reads back", written_text_reads_back},
    {"gzip reads as plain text does", gzip_reads_as_plain_text_does},
    {"arrays are checked", arrays_are_checked},
    {"features follow their definition", features_follow_their_definition},
    {"dense and sparse storage rank alike", dense_and_sparse_storage_rank_alike},
    {"normalisations follow their definitions", normalisations_follow_their_definitions},
    {"features are chosen by id", features_are_chosen_by_id},
    {"features taken are features built", features_taken_are_features_built},
    {"sparse arrays are checked", sparse_arrays_are_checked},
    {"models read back exactly", models_read_back_exactly},
    {"bad models are named", bad_models_are_named},
    {"scores are read line by line", scores_are_read_line_by_line},
    {"artificial data are as described", artificial_data_are_as_described},
    {"sparse artificial data are as described", sparse_artificial_data_are_as_described},
    {NULL, NULL},
};

const unit_suite data_suite = {"data", tests};
