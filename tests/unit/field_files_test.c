/* field_files_test.c: files that other programs use: TREC runs and qrels, query sizes of LightGBM and XGBoost. */
#include "tests/unit/unit.h"

/* Whether a file has this text; it is removed. */
static bool holds(const char *path, const char *expected)
{
  DORM__FREED char *text = unit_read_file(path, NULL);
  unlink(path);
  return strcmp(text, expected) == 0;
}

/* ---- TREC --------------------------------------------------------------------- */

static const char small_data[] = "1 qid:7 1:1 #docid = a\n"
                                 "0 qid:7 1:1 #docid = c\n"
                                 "2 qid:7 1:1 #docid = b\n"
                                 "0 qid:9 1:1\n"
                                 "1 qid:9 1:1\n";

UNIT_TEST_IN(context, runs_and_qrels_hold_what_they_should)
{
  /* The second score of query 7 is another double but the same float as the
   * first; b and c are tied and go by id downwards. */
  const double scores[] = {1 + 1e-12, 1, 1, -0.5, 3};
  dorm_dataset *dataset = unit_read_text(context, small_data);
  UNIT_OK(context, dorm_trec_run_write(context, "unit.run", dataset, scores, "me"));
  CU_ASSERT_TRUE(holds("unit.run", "7 Q0 a 1 1 me\n"
                                   "7 Q0 c 2 0.99999994 me\n"
                                   "7 Q0 b 3 0.99999994 me\n"
                                   "9 Q0 D5 1 3 me\n"
                                   "9 Q0 D4 2 -0.5 me\n"));
  UNIT_OK(context, dorm_trec_qrels_write(context, "unit.qrels", dataset));
  CU_ASSERT_TRUE(holds("unit.qrels", "7 0 a 1\n7 0 c 0\n7 0 b 2\n9 0 D4 0\n9 0 D5 1\n"));
  UNIT_BAD_USAGE(dorm_trec_run_write(context, "unit.run", dataset, scores, "two words"), "one word");
  dorm_dataset_free(dataset);

  dataset = unit_read_text(context, "1.5 qid:7 1:1\n");
  UNIT_BAD_DATA(dorm_trec_qrels_write(context, "unit.qrels", dataset), "label 1.5");
  CU_ASSERT_NOT_EQUAL(access("unit.qrels", F_OK), 0);
  dorm_dataset_free(dataset);
  dataset = unit_read_text(context, "1 qid:7 1:1 #docid = x\n1 qid:7 1:1 #docid = x\n");
  UNIT_BAD_DATA(dorm_trec_qrels_write(context, "unit.qrels", dataset), "two documents 'x'");
  dorm_dataset_free(dataset);
}

/* Checks that scores which lie within one unit of single precision keep their order. */
UNIT_TEST_DRAWN(context, random, crowded_scores_keep_their_order)
{
  enum { DOCS = 200 };
  double labels[DOCS];
  double scores[DOCS];
  DORM__OWNED(dorm_dataset) *joined = NULL;
  double *read_scores = NULL;
  for (size_t j = 0; j < DOCS; j++) {
    labels[j] = (double)dorm__random_below(random, 3);
    scores[j] = 0.7 + 1e-9 * (double)dorm__random_below(random, 40); /* some of them are ties */
  }
  DORM__OWNED(dorm_dataset) *dataset = unit_one_query(context, DOCS, labels);
  UNIT_OK(context, dorm_trec_run_write(context, "unit.run", dataset, scores, "me"));
  UNIT_OK(context, dorm_trec_qrels_write(context, "unit.qrels", dataset));
  UNIT_OK(context, dorm_trec_read(context, "unit.qrels", "unit.run", 0, &joined, &read_scores));
  CU_ASSERT_EQUAL_FATAL(dorm_dataset_num_docs(joined), DOCS);
  for (size_t i = 0; i < DOCS; i++) { /* qrels are in the order of the data */
    CU_ASSERT_EQUAL(dorm_dataset_label(joined, i), labels[i]);
    for (size_t j = 0; j < DOCS; j++)
      CU_ASSERT_EQUAL((float)read_scores[i] < (float)read_scores[j], scores[i] < scores[j]);
  }
  unlink("unit.run");
  unlink("unit.qrels");
  dorm_scores_free(read_scores);
}

/* In query 1 the documents a and b are relevant and c is judged not to be; the TREC run retrieves c, a and an
 * unjudged x, but not b. Query 2 is not in the TREC run, query 3 not in the qrels. */
UNIT_TEST_IN(context, incomplete_runs_miss_what_they_miss)
{
  static const char qrels[] = "1 0 a 1\n1 0 b 2\n1 0 c -1\n2 0 a 1\n";
  static const char run[] = "# a run\n1 Q0 c 1 2.5 me\n3 Q0 z 1 9 me\n\n1 Q0 a 2 1.5 me and more\n1\tQ0 x 3  1e0 me\n";
  const double third = 1 / log2(3);
  const struct {
    const char *measure;
    double value;
  } cases[] = {
      {"map:ties=docid", 0.5 / 2}, /* the second of two relevant documents */
      {"mrr:ties=docid", 0.5},
      {"p@10:ties=docid", 0.1},
      {"recall:ties=docid", 0.5},
      {"recall@1", 0},
      {"ndcg@10:gain=linear", third / (2 + third)}, /* the ideal ranking is b, a */
      {"ndcg@10:gain=linear,ties=expected", third / (2 + third)},
      {"eru:half_life=2,normalised=no", 0.5},
      {"err:max_label=2", 0.5 * 0.25}, /* label 1 of 2: a reader stops there with chance 1/4 */
      {"wta", 0},
  };
  dorm_dataset *joined = NULL;
  double *scores = NULL;
  const char *qrels_path = unit_temporary_file(qrels);
  const char *run_path = unit_temporary_file(run);
  UNIT_OK(context, dorm_trec_read(context, qrels_path, run_path, 0, &joined, &scores));
  CU_ASSERT_EQUAL(dorm_dataset_num_queries(joined), 1);
  CU_ASSERT_EQUAL(dorm_dataset_num_docs(joined), 4);
  CU_ASSERT_STRING_EQUAL(dorm_dataset_doc_id(joined, 3), "x");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    dorm_evaluation evaluation = {.struct_size = sizeof evaluation};
    UNIT_OK(context, dorm_evaluate(context, cases[i].measure, joined, scores, NULL, &evaluation));
    UNIT_CLOSE(evaluation.mean, cases[i].value, 1e-14);
  }
  dorm_scores_free(scores);
  dorm_dataset_free(joined);

  dorm_evaluation evaluation = {.struct_size = sizeof evaluation};
  UNIT_OK(context, dorm_trec_read(context, qrels_path, run_path, 1, &joined, &scores));
  CU_ASSERT_EQUAL(dorm_dataset_num_queries(joined), 2);
  UNIT_OK(context, dorm_evaluate(context, "mrr", joined, scores, NULL, &evaluation));
  CU_ASSERT_EQUAL(evaluation.mean, 0.25); /* query 2 counts 0 */
  CU_ASSERT_EQUAL(evaluation.num_empty, 0);
  dorm_scores_free(scores);
  dorm_dataset_free(joined);
}

UNIT_TEST_IN(context, bad_trec_lines_are_named)
{
  static const struct {
    const char *qrels, *run, *message;
  } bad[] = {
      {"1 0 a\n", "", ":1: not of the form: query 0"},
      {"1 0 a x\n", "", ":1: the label is not"},
      {"1 0 a 1\n1 0 a 0\n", "", ":2: the document is already judged"},
      {"1 0 a 1\n", "1 Q0 a 1 2.5\n", ":1: not of the form: query Q0"},
      {"1 0 a 1\n", "1 Q0 a 1 nan t\n", ":1: the score is not"},
      {"1 0 a 1\n", "1 Q0 a 1 2 t\n\n1 Q0 a 2 1 t\n", ":3: this query has the document already"},
      {"1 0 a 1\n", "2 Q0 a 1 2 t\n", "no query of the run is judged"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    dorm_dataset *dataset = NULL;
    double *scores = NULL;
    UNIT_BAD_DATA(dorm_trec_read(context, unit_temporary_file(bad[i].qrels), unit_temporary_file(bad[i].run), 0,
                                 &dataset, &scores),
                  bad[i].message);
    CU_ASSERT_PTR_NULL(dataset);
    CU_ASSERT_PTR_NULL(scores);
  }
}

/* ---- Sizes of queries --------------------------------------------------------- */

static void write_beside(const char *path, const char *ending, const char *text)
{
  unit_write_file(unit_text("%s%s", path, ending), text, strlen(text));
}

UNIT_TEST_IN(context, sizes_beside_the_data_make_queries)
{
  static const char *const endings[] = {".query", ".group"};
  for (size_t i = 0; i < 2; i++) {
    const char *path = unit_temporary_file("2 0:0.5 3:1\n0 3:2\n1 1:7\n");
    write_beside(path, endings[i], "1\n2\n");
    DORM__OWNED(dorm_dataset) *dataset = unit_read(context, path, NULL);
    CU_ASSERT_EQUAL(dorm_dataset_num_queries(dataset), 2);
    CU_ASSERT_EQUAL(dorm_dataset_query_start(dataset, 1), 1);
    CU_ASSERT_EQUAL(dorm_dataset_query_start(dataset, 2), 3);
    CU_ASSERT_STRING_EQUAL(dorm_dataset_query_id(dataset, 1), "2");
    CU_ASSERT_EQUAL(dorm_dataset_num_features(dataset), 3);
    CU_ASSERT_EQUAL(dorm_dataset_feature_id(dataset, 0), 0);
    CU_ASSERT_EQUAL(dorm_dataset_value(dataset, 0, 0), 0.5F);
    CU_ASSERT_EQUAL(dorm_dataset_value(dataset, 2, 1), 7);
    CU_ASSERT_EQUAL(dorm_dataset_label(dataset, 0), 2);
  }
}

/* Checks that a file which happens to have the name plays no part when lines have a qid. */
UNIT_TEST_IN(context, sizes_are_not_asked_for_in_vain)
{
  const char *path = unit_temporary_file("2 qid:5 1:1\n0 qid:5 1:2\n1 qid:6 1:7\n");
  write_beside(path, ".query", "where is the station\n");
  DORM__OWNED(dorm_dataset) *dataset = unit_read(context, path, NULL);
  CU_ASSERT_STRING_EQUAL(dorm_dataset_query_id(dataset, 0), "5");
}

UNIT_TEST_IN(context, sizes_that_do_not_fit_are_refused)
{
  static const struct {
    const char *data, *sizes, *message;
  } bad[] = {
      {"1 1:1\n1 1:2\n", "1\n", ":2: more documents than the 1 that"},
      {"1 1:1\n1 1:2\n", "1\n2\n", "counts 3 documents, but"},
      {"1 1:1\n1 1:2\n", "1\n1.5\n", ":2: the size of a query"},
      {"1 1:1\n1 1:2\n", "0\n2\n", ":1: the size of a query"},
      {"1 1:1\n1 qid:3 1:2\n", "2\n", ":2: a query id, but the lines before have none"},
      {"1 qid:3 1:1\n1 1:2\n", "2\n", ":2: 'qid:' expected"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const char *path = unit_temporary_file(bad[i].data);
    write_beside(path, ".query", bad[i].sizes);
    dorm_dataset *dataset = NULL;
    UNIT_BAD_DATA(dorm_dataset_read(context, path, &dataset), bad[i].message);
    CU_ASSERT_PTR_NULL(dataset);
  }
}

/* ---- Damage ------------------------------------------------------------------- */

/* Copies `text` with a few bytes changed, doubled or left out. */
static void damage(dorm__random *random, const char *text, char *damaged, size_t capacity)
{
  static const char bytes[] = "0129-.e:# \t\n\001xQ*";
  size_t used = 0;
  for (; *text && used + 2 < capacity; text++) {
    size_t what = dorm__random_below(random, 60);
    if (what == 0)
      continue;
    damaged[used++] = what == 1 ? bytes[dorm__random_below(random, sizeof bytes - 1)] : *text;
    if (what == 2)
      damaged[used++] = *text;
  }
  damaged[used] = '\0';
}

/* Checks that a reader answers any bytes with data or with one sentence. */
UNIT_TEST_DRAWN(context, random, damaged_files_are_read_or_refused)
{
  static const char qrels[] = "1 0 a 1\n1 0 b 2\n2 0 a 0\n2 0 c 1\n";
  static const char run[] = "1 Q0 a 1 2.5 me\n1 Q0 b 2 1.5 me\n2 Q0 c 1 1e3 me\n2 Q0 d 2 -4 me\n";
  static const char rows[] = "2 0:0.5 3:1\n0 3:2\n1 1:7\n";
  static const char sizes[] = "1\n2\n";
  size_t num_read = 0;
  size_t num_refused = 0;
  for (int round = 0; round < 400; round++) {
    char text[400];
    dorm_dataset *dataset = NULL;
    double *scores = NULL;
    damage(random, qrels, text, sizeof text);
    const char *qrels_path = unit_temporary_file(text);
    damage(random, run, text, sizeof text);
    const char *path = unit_temporary_file(text);
    dorm_status status = dorm_trec_read(context, qrels_path, path, round % 2, &dataset, &scores);
    CU_ASSERT_TRUE(status == DORM_OK || status == DORM_BAD_DATA);
    CU_ASSERT_EQUAL(status == DORM_OK, dataset != NULL && scores != NULL);
    num_read += status == DORM_OK;
    num_refused += status != DORM_OK;
    dorm_scores_free(scores);
    dorm_dataset_free(dataset);

    damage(random, rows, text, sizeof text);
    path = unit_temporary_file(text);
    damage(random, sizes, text, sizeof text);
    write_beside(path, ".group", text);
    status = dorm_dataset_read(context, path, &dataset);
    CU_ASSERT_TRUE(status == DORM_OK || status == DORM_BAD_DATA);
    num_read += status == DORM_OK;
    num_refused += status != DORM_OK;
    dorm_dataset_free(dataset);
  }
  CU_ASSERT_TRUE(num_read > 50 && num_refused > 50); /* both happen */
}
