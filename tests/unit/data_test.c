/* data_test.c: LETOR text, data sets from arrays, score files, artificial data. */
#include "tests/unit/unit.h"

#include "data/reader_parts.h"

#include <zlib.h>

UNIT_TEST_IN(context, letor_text_is_read)
{
  DORM__OWNED(dorm_dataset) *dataset =
      unit_read_text(context, "# a comment line\r\n"
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
}

UNIT_TEST_IN(context, bad_letor_lines_are_named)
{
  static const unit_refusal bad[] = {
      {"qid:1 1:1\n", ":1: no label before 'qid:1'"},
      {"1 qid:1 1:1\nx qid:1 1:1\n", ":2: label 'x' is not a finite number"},
      {"nan qid:1 1:1\n", ":1: label 'nan' is not a finite number"},
      {"1e999 qid:1 1:1\n", ":1: label '1e999' is not a finite number"},
      {"-1 qid:1 1:1\n", ":1: label '-1' is negative"},
      {"1 1:1\n", ":1: 'qid:' expected after the label, not '1:1'"},
      {"1\n", ":1: 'qid:' expected"},
      {"1 qid: 1:1\n", ":1: the query id is empty"},
      {"1 qid:1 1:nanx\n", ":1: feature 1: 'nanx' is not a finite number"},
      {"1 qid:1 1:-nan\n", ":1: feature 1: '-nan' is not a finite number"},
      {"1 qid:1 1:1\n1 qid:1 1:0.", ":2: the file ends within '1:0.'"},
      {"1 qid:1 1:1\n1 qid:1 1:1e", ":2: feature 1: '1e' is not a finite number"},
      {"1 qid:1 1:inf\n", ":1: feature 1: 'inf' is not a finite number"},
      {"1 qid:1 1:1e39\n", ":1: feature 1: '1e39' is not a finite number"},
      {"1 qid:1 1:1x\n", ":1: feature 1: '1x' is not a finite number"},
      {"1 qid:1 1:\n", ":1: feature 1: '' is not a finite number"},
      {"1 qid:1 1: 2\n", ":1: feature 1: '' is not a finite number"},
      {"1 qid:1 1\n", ":1: '1' is not feature:value"},
      {"1 qid:1 a:1\n", ":1: 'a:1' is not feature:value"},
      {"1 qid:1 4294967296:1\n", ":1: feature id in '4294967296:1' is above 4294967295"},
      {"1 qid:1 -1:1\n", ":1: '-1:1' is not feature:value"},
      {"1 qid:1 99999999999999999999:1\n", ":1: feature id in '99999999999999999999:1' is above"},
      {"1 qid:1 2:1 1:1\n", ":1: feature id 1 does not increase after 2"},
      {"1 qid:1 2:1 2:1\n", ":1: feature id 2 does not increase after 2"},
      {"1 qid:1 1:1\n1 qid:2 1:1\n\n1 qid:1 1:1\n", ":4: query '1' comes back"},
      {"", ": no document"},
      {"# nothing\n\n", ": no document"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    dorm_dataset *dataset = (dorm_dataset *)context;
    const char *path = unit_temporary_file(bad[i].given);
    UNIT_BAD_DATA(dorm_dataset_read(context, path, &dataset), bad[i].message);
    UNIT_BAD_DATA(DORM_BAD_DATA, path); /* the message names the file */
    CU_ASSERT_PTR_NULL(dataset);
  }
  dorm_dataset *dataset = NULL;
  UNIT_FAILS(context, dorm_dataset_read(context, "no such file", &dataset), DORM_IO_ERROR, "no such file");
  UNIT_FAILS(context, dorm_dataset_read(context, ".", &dataset), DORM_IO_ERROR, ".: cannot read");
}

/* Random rows, ids in any gaps, written by dorm and read again. */
UNIT_TEST_DRAWN(context, random, written_text_reads_back)
{
  enum { DOCS = 300, IDS = 40 };
  float values[DOCS][IDS];
  DORM__FREED char *text = unit_alloc(DOCS * IDS * 32, 1);
  size_t size = 0;
  for (size_t j = 0; j < DOCS; j++) {
    size += (size_t)sprintf(text + size, "%zu qid:q%zu", dorm__random_below(random, 3), j / 7);
    for (size_t f = 0; f < IDS; f++) {
      values[j][f] = 0;
      if (dorm__random_below(random, IDS) > f) /* high ids are rare and turn up late */
        continue;
      values[j][f] = (float)(dorm__random_normal(random) * pow(10, (double)dorm__random_below(random, 20) - 10));
      char number[DORM__NUMBER_SIZE];
      size += (size_t)sprintf(text + size, " %zu:%s", f * f * 1000 + 1, dorm__format_float(number, values[j][f]));
    }
    size += (size_t)sprintf(text + size, "\n");
  }
  DORM__OWNED(dorm_dataset) *dataset = unit_read_text(context, text);
  const char *path = unit_temporary_file("");
  UNIT_OK(context, dorm_dataset_write(context, dataset, path));
  DORM__OWNED(dorm_dataset) *back = unit_read(context, path, NULL);
  CU_ASSERT_EQUAL_FATAL(dorm_dataset_num_docs(back), DOCS);
  CU_ASSERT_EQUAL(dorm_dataset_num_queries(back), (DOCS + 6) / 7);
  for (size_t c = 0; c < dorm_dataset_num_features(back); c++) {
    size_t id = dorm_dataset_feature_id(back, c);
    size_t f = (size_t)lround(sqrt((double)((id - 1) / 1000)));
    CU_ASSERT_EQUAL_FATAL(id, f * f * 1000 + 1);
    for (size_t j = 0; j < DOCS; j++)
      CU_ASSERT_EQUAL_FATAL(dorm_dataset_value(back, j, c), values[j][f]);
  }
}

UNIT_TEST_IN(context, gzip_reads_as_plain_text_does)
{
  const char *path = unit_temporary_file("");
  gzFile file = gzopen(path, "wb");
  for (int j = 0; j < 4000; j++)
    gzprintf(file, "%d qid:%d 1:%d 2:0.5\n", j % 3, j / 10, j);
  gzclose(file);
  dorm_dataset *dataset = unit_read(context, path, NULL);
  CU_ASSERT_EQUAL(dorm_dataset_num_docs(dataset), 4000);
  CU_ASSERT_EQUAL(dorm_dataset_value(dataset, 3999, 0), 3999);
  dorm_dataset_free(dataset);
  const dorm_read_options many = {.struct_size = sizeof many, .num_threads = SIZE_MAX};
  UNIT_OK(context, dorm_dataset_read_with(context, path, &many, &dataset));
  CU_ASSERT_EQUAL(dorm_dataset_value(dataset, 3999, 0), 3999);
  dorm_dataset_free(dataset);

  size_t size;
  DORM__FREED char *bytes = unit_read_file(path, &size);
  unit_write_file(path, bytes, size < 4096 ? size / 2 : 2048);
  UNIT_BAD_DATA(dorm_dataset_read(context, path, &dataset), "end too early");
}

/* arrays_test.c has the refusals of both calls. */
UNIT_TEST_IN(context, arrays_are_taken)
{
  static const size_t start[] = {0, 2, 3}, rows[] = {0, 1, 3};
  static const double labels[] = {1, 0, 2};
  static const uint32_t columns[] = {4, 0, 1};
  static const float values[] = {1, 2, 3, 4, 5, 6};
  DORM__OWNED(dorm_dataset) *dense = unit_dataset(context, 2, start, 2, labels, values), *sparse = NULL;
  CU_ASSERT_EQUAL(dorm_dataset_value(dense, 2, 1), 6);
  CU_ASSERT_STRING_EQUAL(dorm_dataset_query_id(dense, 1), "2");
  CU_ASSERT_STRING_EQUAL(dorm_dataset_doc_id(dense, 1), "");
  UNIT_OK(context, dorm_dataset_from_sparse(context, 1, start, 5, labels, rows, columns, values, &sparse));
  CU_ASSERT_EQUAL(dorm_dataset_value(sparse, 0, 4), 1);
  CU_ASSERT_EQUAL(dorm_dataset_value(sparse, 0, 0), 0);
  CU_ASSERT_EQUAL(dorm_dataset_value(sparse, 1, 1), 3);
  dorm_dataset *made = sparse; /* not NULL, so that a call that leaves it is noticed */
  UNIT_BAD_USAGE(dorm_dataset_from_arrays(context, 0, start, 2, labels, values, &made), "at least one query");
  CU_ASSERT_PTR_NULL(made);
  UNIT_BAD_USAGE(dorm_dataset_from_sparse(context, 1, start, 4, labels, rows, columns, values, &made), "index 4");
  CU_ASSERT_PTR_NULL(made);
}

UNIT_TEST_IN(context, scores_are_read_line_by_line)
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
  double scores[3];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *path = unit_temporary_file(cases[i].text);
    UNIT_FAILS(context, dorm_scores_read(context, path, 3, scores), cases[i].status, cases[i].message);
  }
  double given[3] = {1.0 / 3, -1e300, 0};
  const char *path = unit_temporary_file("");
  UNIT_OK(context, dorm_scores_write(context, path, 3, given));
  UNIT_OK(context, dorm_scores_read(context, path, 3, scores));
  CU_ASSERT_EQUAL(memcmp(scores, given, sizeof scores), 0);
}

UNIT_TEST_IN(context, artificial_data_are_as_described)
{
  dorm_artificial parameters = {sizeof parameters, 100, 50, 10, 0, 1, 2};
  DORM__OWNED(dorm_dataset) *dataset = NULL;
  UNIT_OK(context, dorm_dataset_generate_artificial(context, &parameters, &dataset));
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
  UNIT_BAD_USAGE(dorm_dataset_generate_artificial(context, &parameters, &again), "num_features: 0 is not between");
}

/* x^power of each document, less its mean and divided by its standard deviation, is added to the targets. */
static void add_standardised(const dorm_dataset *dataset, size_t num_docs, double power, double sign, double *targets)
{
  double mean = 0, square = 0;
  for (size_t j = 0; j < num_docs; j++) {
    double term = pow((double)dorm_dataset_value(dataset, j, 0), power);
    mean += term / (double)num_docs;
    square += term * term / (double)num_docs;
  }
  for (size_t j = 0; j < num_docs; j++)
    targets[j] += sign * (pow((double)dorm_dataset_value(dataset, j, 0), power) - mean) / sqrt(square - mean * mean);
}

/* Of one feature the target is z(x) + z(x^2) + z(x^3) or -z(x) + z(x^2) + z(x^3), where z has mean 0 and variance 1. */
UNIT_TEST_IN(context, artificial_targets_weigh_terms_alike)
{
  enum { NUM_DOCS = 200 };
  for (uint64_t seed = 1; seed <= 4; seed++) {
    DORM__OWNED(dorm_dataset) *dataset = unit_artificial(context, 10, NUM_DOCS / 10, 1, 0, seed, seed);
    size_t least_wrong = NUM_DOCS * NUM_DOCS;
    for (int sign = -1; sign <= 1; sign += 2) {
      double targets[NUM_DOCS] = {0};
      add_standardised(dataset, NUM_DOCS, 1, sign, targets);
      add_standardised(dataset, NUM_DOCS, 2, 1, targets);
      add_standardised(dataset, NUM_DOCS, 3, 1, targets);
      size_t wrong = 0;
      for (size_t j = 0; j < NUM_DOCS; j++)
        for (size_t k = 0; k < NUM_DOCS; k++)
          wrong += dorm_dataset_label(dataset, j) > dorm_dataset_label(dataset, k) && targets[j] < targets[k] - 1e-9;
      least_wrong = wrong < least_wrong ? wrong : least_wrong;
    }
    CU_ASSERT_EQUAL(least_wrong, 0);
  }
}

UNIT_TEST_IN(context, sparse_artificial_data_are_as_described)
{
  dorm_artificial parameters = {
      .struct_size = sizeof parameters, .num_queries = 20, .docs_per_query = 50, .num_features = 30, .data_seed = 3};
  for (size_t entries = 1; entries <= 30; entries += 29) {
    DORM__OWNED(dorm_dataset) *dataset = NULL;
    UNIT_OK(context, dorm_dataset_generate_sparse(context, &parameters, entries, &dataset));
    size_t num_relevant = 0;
    for (size_t j = 0; j < 1000; j++) {
      size_t present = 0;
      for (size_t f = 0; f < 30; f++)
        present += dorm_dataset_value(dataset, j, f) > 0;
      CU_ASSERT_EQUAL(present, entries);
      num_relevant += dorm_dataset_label(dataset, j) > 0;
    }
    CU_ASSERT_EQUAL(num_relevant, 500);
  }
  dorm_dataset *dataset = NULL;
  UNIT_BAD_USAGE(dorm_dataset_generate_sparse(context, &parameters, 31, &dataset),
                 "entries: 31 is not between 1 and 30");
}

UNIT_TEST_IN(context, every_part_has_a_share)
{
  static const int takes[] = {1, 0, 0, 1};
  static const char *const files[] = {"no first part", "no second part"};
  const double shares[][2] = {{0, 1}, {1, 0}, {NAN, 1}, {1, INFINITY}};
  static const char *const messages[] = {"the share 0 of part 1", "the share 0 of part 2", "of part 1", "of part 2"};
  const char *path = unit_temporary_file("1 qid:1 1:1\n0 qid:2 1:1\n");
  for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
    UNIT_BAD_USAGE(dorm_split(context, path, NULL, 2, shares[i], 1, 2, files, takes), messages[i]);
  UNIT_BAD_USAGE(dorm_split(context, path, NULL, 1, shares[1], 1, 2, files, takes), "1 parts");
  const dorm_read_options without = {.struct_size = sizeof without, .labels_optional = 1};
  UNIT_BAD_USAGE(dorm_split(context, path, &without, 2, shares[1], 1, 2, files, takes), "labels_optional");
  CU_ASSERT_NOT_EQUAL(access(files[0], F_OK), 0);
}

/* Of queries that are all alike, each part gets its share to the last one. */
UNIT_TEST_IN(context, parts_have_their_shares)
{
  enum { QUERIES = 200 };
  static const double shares[] = {0.8, 0.15, 0.05};
  static const int takes[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  static char text[QUERIES * 40];
  char *used = text, paths[3][20];
  const char *files[] = {paths[0], paths[1], paths[2]};
  for (size_t q = 0; q < QUERIES; q++)
    used += sprintf(used, "1 qid:%zu 1:1\n0 qid:%zu 1:0\n", q, q);
  for (size_t p = 0; p < 3; p++)
    snprintf(paths[p], sizeof paths[p], "part%zu.txt", p);
  UNIT_OK(context, dorm_split(context, unit_temporary_file(text), NULL, 3, shares, 7, 3, files, takes));
  for (size_t p = 0; p < 3; p++) {
    DORM__OWNED(dorm_dataset) *part = unit_read(context, files[p], NULL);
    CU_ASSERT_EQUAL(dorm_dataset_num_queries(part), lround(QUERIES * shares[p]));
    unlink(files[p]);
  }
}

/* With labels_optional a line without a label reads like one with the label 0. */
UNIT_TEST_IN(context, labels_may_be_missing)
{
  const char *path = unit_temporary_file("qid:1 1:0.5\n2 qid:1 1:1\nqid:2 2:3\n");
  const dorm_read_options options = {.struct_size = sizeof options, .labels_optional = 1};
  DORM__OWNED(dorm_dataset) *dataset = NULL;
  UNIT_BAD_DATA(dorm_dataset_read(context, path, &dataset), ":1: no label");
  UNIT_OK(context, dorm_dataset_read_with(context, path, &options, &dataset));
  CU_ASSERT_EQUAL(dorm_dataset_num_docs(dataset), 3);
  for (size_t j = 0; j < 3; j++)
    CU_ASSERT_EQUAL(dorm_dataset_label(dataset, j), j == 1 ? 2 : 0);
  CU_ASSERT_EQUAL(dorm_dataset_value(dataset, 0, 0), 0.5F);
  CU_ASSERT_EQUAL(dorm_dataset_value(dataset, 2, 1), 3);
}

static int compare_ids(const void *x, const void *y)
{
  uint32_t a = *(const uint32_t *)x;
  uint32_t b = *(const uint32_t *)y;
  return (a > b) - (a < b);
}

UNIT_TEST(id_sets_rank_as_sorting_does)
{
  enum { COUNT = 3000 };
  dorm__random random = unit_random(0);
  uint32_t ids[COUNT];
  size_t listed[COUNT];
  dorm__id_set *set = dorm__id_set_new();
  dorm__id_set *other = dorm__id_set_new();
  CU_ASSERT_FATAL(set && other);
  for (size_t i = 0; i < COUNT; i++) {
    size_t bound = i % 3 == 0 ? 5000 : i % 3 == 1 ? 200000 : (size_t)DORM__LARGEST_ID;
    ids[i] = i == 7 ? DORM__LARGEST_ID : i == 8 ? 0 : (uint32_t)dorm__random_below(&random, bound);
    CU_ASSERT_TRUE(dorm__id_set_add(i % 2 ? set : other, ids[i]));
  }
  CU_ASSERT_TRUE(dorm__id_set_add_all(set, other));
  qsort(ids, COUNT, sizeof *ids, compare_ids);
  size_t distinct = 0;
  for (size_t i = 0; i < COUNT; i++)
    if (i == 0 || ids[i] != ids[i - 1])
      ids[distinct++] = ids[i];
  CU_ASSERT_EQUAL_FATAL(dorm__id_set_count(set), distinct);
  dorm__id_set_rank_all(set);
  dorm__id_set_list(set, listed);
  for (size_t i = 0; i < distinct; i++) {
    CU_ASSERT_EQUAL(listed[i], ids[i]);
    CU_ASSERT_EQUAL(dorm__id_set_rank(set, ids[i]), i);
  }
  dorm__id_set_free(set);
  dorm__id_set_free(other);
}
