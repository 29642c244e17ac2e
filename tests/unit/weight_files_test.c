/*
 * weight_files_test.c: where weights of queries and documents come from and where they go: FILE.weight, arrays, caches,
 * data sets that are written, gathered and split; and what is refused.
 */
#include "tests/unit/unit.h"

/* Three queries of 2, 1 and 3 documents. */
static const char text[] = "1 qid:a 1:1\n0 qid:a 1:2\n2 qid:b 1:3\n0 qid:c 1:4\n1 qid:c 1:5\n0 qid:c 1:6\n";

static char data_path[64], weights_path[80];

/* Writes data and, if they are not NULL, the weights beside them. */
static void write_data(const char *data, const char *weights)
{
  snprintf(data_path, sizeof data_path, "%s", unit_temporary_file(data));
  snprintf(weights_path, sizeof weights_path, "%s.weight", data_path);
  if (weights)
    unit_write_file(weights_path, weights, strlen(weights));
}

static dorm_dataset *read_with(dorm_context *context, const char *data, const char *weights,
                               const dorm_read_options *options)
{
  write_data(data, weights);
  return unit_read(context, data_path, options);
}

static void check_numbers(size_t count, const double *numbers, const double *expected)
{
  CU_ASSERT_EQUAL_FATAL(!numbers, !expected);
  for (size_t i = 0; numbers && i < count; i++)
    CU_ASSERT_EQUAL(numbers[i], expected[i]);
}

static void check_weights(const dorm_dataset *dataset, const double *of_queries, const double *of_docs)
{
  check_numbers(dataset->num_queries, dataset->query_weights, of_queries);
  check_numbers(dataset->num_docs, dataset->doc_weights, of_docs);
  for (size_t q = 0; q < dataset->num_queries; q++)
    CU_ASSERT_EQUAL(dorm_dataset_query_weight(dataset, q), of_queries ? of_queries[q] : 1);
  for (size_t j = 0; j < dataset->num_docs; j++)
    CU_ASSERT_EQUAL(dorm_dataset_doc_weight(dataset, j), of_docs ? of_docs[j] : 1);
}

UNIT_TEST_IN(context, the_number_of_lines_decides)
{
  static const struct {
    const char *weights;
    const double of_queries[3], of_docs[6];
  } cases[] = {
      {NULL, {0}, {0}},
      {"2\n0.5\n1e1\n", {2, 0.5, 10}, {0}},
      {"2\r\n\n 0.5 \n\t7", {2, 0.5, 7}, {0}},
      {"1\n2\n3\n4\n5\n6\n", {0}, {1, 2, 3, 4, 5, 6}},
      {"2\n2\n7\n0\n0\n0\n", {2, 7, 0}, {0}}, /* the same for all documents of each query */
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    DORM__OWNED(dorm_dataset) *dataset = read_with(context, text, cases[i].weights, NULL);
    check_weights(dataset, cases[i].of_queries[0] > 0 ? cases[i].of_queries : NULL,
                  cases[i].of_docs[0] > 0 ? cases[i].of_docs : NULL);
  }
}

UNIT_TEST_IN(context, bad_weights_are_refused)
{
  static const char *const cases[][2] = {
      {"1\n2\n", ": 2 weights, but "},
      {"1\n2\n", " has 3 queries and 6 documents"},
      {"1\n2\n3\n4\n5\n6\n7\n", ": 7 weights, but "},
      {"", ": 0 weights, but "},
      {"1\n-2\n3\n", ".weight:2: the weight '-2' is not a finite number of 0 or more"},
      {"1\n2\nnan\n", ".weight:3: the weight 'nan'"},
      {"inf\n2\n3\n", ".weight:1: the weight 'inf'"},
      {"1\n2 3\n4\n", ".weight:2: the weight '2 3'"},
      {"1\nx\n4\n", ".weight:2: the weight 'x'"},
      {"1\n2\n3\n4\n5\n6\n7\n-1\n", ".weight:8: the weight '-1'"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    DORM__OWNED(dorm_dataset) *dataset = (dorm_dataset *)context;
    dorm_read_options ignoring = {.struct_size = sizeof ignoring, .ignore_weights = 1};
    write_data(text, cases[i][0]);
    UNIT_BAD_DATA(dorm_dataset_read(context, data_path, &dataset), cases[i][1]);
    CU_ASSERT_PTR_NULL(dataset);
    UNIT_OK(context, dorm_dataset_read_with(context, data_path, &ignoring, &dataset));
    check_weights(dataset, NULL, NULL);
  }
}

/* The lines of weights are in the order of the lines of the data; queries in the order of their first lines. */
UNIT_TEST_IN(context, weights_are_sorted_with_the_documents)
{
  static const char mixed[] = "0 qid:a 1:1\n0 qid:b 1:2\n0 qid:a 1:3\n0 qid:b 1:4\n0 qid:c 1:5\n";
  static const double of_queries[] = {7, 8, 9}, of_docs[] = {1, 3, 2, 4, 5};
  dorm_read_options options = {.struct_size = sizeof options, .sort_queries = 1};
  dorm_dataset *dataset = read_with(context, mixed, "7\n8\n9\n", &options);
  check_weights(dataset, of_queries, NULL);
  dorm_dataset_free(dataset);
  dataset = read_with(context, mixed, "1\n2\n3\n4\n5\n", &options);
  check_weights(dataset, NULL, of_docs);
  dorm_dataset_free(dataset);
  dataset = read_with(context, mixed, "7\n8\n7\n8\n9\n", &options);
  check_weights(dataset, of_queries, NULL);
  dorm_dataset_free(dataset);
}

/* A cache beside the text does not hide that the weights have changed; a cache that is written holds them. */
UNIT_TEST_IN(context, caches_keep_weights)
{
  static const double first[] = {1, 2, 3}, second[] = {4, 5, 6}, of_docs[] = {0, 2, 3, 4, 5, 6};
  dorm_read_options options = {.struct_size = sizeof options, .use_cache = 1},
                    ignoring = {.struct_size = sizeof ignoring, .ignore_weights = 1};
  dorm_dataset *dataset = NULL;
  write_data(text, "1\n2\n3\n");
  const char *cache_path = unit_text("%s.dorm-cache", data_path);
  for (int i = 0; i < 4; i++) {
    if (i == 2)
      unit_write_file(weights_path, "4\n5\n6\n", strlen("4\n5\n6\n"));
    UNIT_OK(context, dorm_dataset_read_with(context, data_path, &options, &dataset));
    check_weights(dataset, i < 2 ? first : second, NULL);
    dorm_dataset_free(dataset);
  }
  unit_write_file(weights_path, "0\n2\n3\n4\n5\n6\n", strlen("0\n2\n3\n4\n5\n6\n"));
  for (int i = 0; i < 2; i++) {
    UNIT_OK(context, dorm_dataset_read(context, data_path, &dataset));
    UNIT_OK(context, dorm_dataset_set_weights(context, dataset, i ? first : NULL, of_docs));
    UNIT_OK(context, dorm_dataset_write_cache(context, dataset, cache_path));
    dorm_dataset_free(dataset);
    UNIT_OK(context, dorm_dataset_read(context, cache_path, &dataset));
    check_weights(dataset, i ? first : NULL, of_docs);
    dorm_dataset_free(dataset);
    UNIT_OK(context, dorm_dataset_read_with(context, cache_path, &ignoring, &dataset));
    check_weights(dataset, NULL, NULL);
    dorm_dataset_free(dataset);
  }
}

UNIT_TEST_IN(context, written_data_have_their_weights_beside_them)
{
  static const double of_queries[] = {0, 2.5, 1.0 / 3}, of_docs[] = {1, 2, 3, 4, 5, 1e-300};
  DORM__OWNED(dorm_dataset) *dataset = unit_read_text(context, text);
  dorm_dataset *again = NULL;
  write_data("", NULL);
  for (int i = 0; i < 2; i++) {
    UNIT_OK(context, dorm_dataset_set_weights(context, dataset, i ? NULL : of_queries, i ? of_docs : NULL));
    UNIT_OK(context, dorm_dataset_write(context, dataset, data_path));
    UNIT_OK(context, dorm_dataset_read(context, data_path, &again));
    check_weights(again, i ? NULL : of_queries, i ? of_docs : NULL);
    dorm_dataset_free(again);
    UNIT_BAD_USAGE(dorm_dataset_write(context, dataset, "-"), "a file of weights beside it");
  }
  UNIT_OK(context, dorm_dataset_set_weights(context, dataset, of_queries, of_docs));
  UNIT_BAD_USAGE(dorm_dataset_write(context, dataset, data_path), "of queries or of documents");
}

UNIT_TEST_IN(context, gathered_queries_keep_their_weights)
{
  static const double of_queries[] = {4, 5, 6}, of_docs[] = {1, 2, 3, 4, 5, 6};
  static const double gathered_queries[] = {6, 1, 4}, gathered_docs[] = {4, 5, 6, 1, 1, 2};
  DORM__OWNED(dorm_dataset) *one = unit_read_text(context, text), *two = unit_read_text(context, text);
  UNIT_OK(context, dorm_dataset_set_weights(context, one, of_queries, of_docs));
  dorm__query_of queries[] = {{one, 2}, {two, 1}, {one, 0}};
  dorm_dataset *made = unit_gather(context, 3, queries);
  check_weights(made, gathered_queries, gathered_docs);
  dorm_dataset_free(made);
  dorm__query_of others[] = {{two, 2}, {two, 1}};
  UNIT_OK(context, dorm__dataset_gather(context, "gathered", 2, others, &made));
  check_weights(made, NULL, NULL);
  dorm_dataset_free(made);
}

UNIT_TEST_IN(context, arrays_bring_weights)
{
  static const size_t start[] = {0, 2, 3};
  static const double of_queries[] = {2, 0.5}, of_docs[] = {0, 1, 2}, bad[] = {1, -1, 2}, infinite[] = {1, INFINITY, 2};
  dorm_dataset *dataset = NULL;
  dorm_arrays arrays = {.struct_size = sizeof arrays,
                        .num_docs = 3,
                        .num_queries = 2,
                        .query_start = start,
                        .query_weights = of_queries,
                        .doc_weights = of_docs};
  dorm_arrays given = {.struct_size = sizeof given};
  UNIT_OK(context, dorm_dataset_new(context, &arrays, &dataset));
  check_weights(dataset, of_queries, of_docs);
  UNIT_OK(context, dorm_dataset_arrays(context, dataset, &given));
  CU_ASSERT_PTR_EQUAL(given.query_weights, dataset->query_weights);
  CU_ASSERT_PTR_EQUAL(given.doc_weights, dataset->doc_weights);
  CU_ASSERT_TRUE(isnan(dorm_dataset_query_weight(dataset, 2)) && isnan(dorm_dataset_doc_weight(dataset, 3)));
  UNIT_BAD_DATA(dorm_dataset_set_weights(context, dataset, bad, NULL), "query_weights: entry 1 is -1");
  UNIT_BAD_DATA(dorm_dataset_set_weights(context, dataset, NULL, infinite), "doc_weights: entry 1 is inf");
  check_weights(dataset, of_queries, of_docs);
  dorm_dataset_free(dataset);
  arrays.doc_weights = bad;
  UNIT_BAD_DATA(dorm_dataset_new(context, &arrays, &dataset), "doc_weights: entry 1 is -1");
  arrays.query_weights = infinite;
  UNIT_BAD_DATA(dorm_dataset_new(context, &arrays, &dataset), "query_weights: entry 1 is inf");
}

/* Each document of the parts has the weight that it had in the whole. */
UNIT_TEST_IN(context, parts_get_their_weights)
{
  enum { QUERIES = 9, DOCS = 3, NUM_PARTS = 2 };
  static const char *const paths[NUM_PARTS] = {"weights-part1", "weights-part2"};
  static const char *const weight_paths[NUM_PARTS] = {"weights-part1.weight", "weights-part2.weight"};
  static const double shares[NUM_PARTS] = {2, 1};
  static const int takes[] = {1, 0, 0, 1};
  for (int of_docs = 0; of_docs < 2; of_docs++) {
    char data[4000] = "", weights[1000] = "";
    size_t num_docs = 0;
    for (size_t j = 0; j < DOCS; j++) /* the lines of a query are apart; the feature is the weight */
      for (size_t q = 0; q < QUERIES; q++) {
        size_t weight = of_docs ? 1 + j * QUERIES + q : 1 + q;
        snprintf(data + strlen(data), sizeof data - strlen(data), "%zu qid:%zu 1:%zu\n", j % 2, q, weight);
        if (of_docs || j == 0)
          snprintf(weights + strlen(weights), sizeof weights - strlen(weights), "%zu\n", weight);
      }
    write_data(data, weights);
    dorm_read_options options = {.struct_size = sizeof options, .sort_queries = 1};
    UNIT_OK(context, dorm_split(context, data_path, &options, NUM_PARTS, shares, 3, NUM_PARTS, paths, takes));
    for (size_t p = 0; p < NUM_PARTS; p++) {
      DORM__OWNED(dorm_dataset) *part = unit_read(context, paths[p], &options);
      for (size_t q = 0; q < part->num_queries; q++)
        for (size_t j = part->query_start[q]; j < part->query_start[q + 1]; j++) {
          double weight = of_docs ? dorm_dataset_doc_weight(part, j) : dorm_dataset_query_weight(part, q);
          CU_ASSERT_EQUAL(weight, (double)dorm_dataset_value(part, j, 0));
        }
      num_docs += part->num_docs;
      unlink(paths[p]);
      unlink(weight_paths[p]);
    }
    CU_ASSERT_EQUAL(num_docs, QUERIES * DOCS);
  }
}
