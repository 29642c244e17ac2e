/*
 * diversity_test.c: groups and subtopics from files and fields, diverse
 * prediction, measures of them.
 */
#include "tests/unit/unit.h"

static const char two_queries[] = "2 qid:a 1:1 2:7 # docid = http://X.org/1\n"
                                  "1 qid:a 1:2 2:7 # docid = http://x.org:80/2\n"
                                  "0 qid:a 1:3 # docid = http://y.org\n"
                                  "1 qid:b 1:4 2:8 # docid = http://x.org/3\n"
                                  "0 qid:b 1:5 2:7 # docid = z\n";

static dorm_status read_groups(dorm_context *context, dorm_dataset *dataset, const char *spec)
{
  DORM__OWNED(dorm_settings) *made = unit_defaults(context, UNIT_PAIRS("diversity.groups", spec));
  return dorm_dataset_read_groups(context, dataset, made);
}

/* Two documents share a group where the letters are equal; '.' is in none. */
static bool groups_are(const dorm_dataset *dataset, const char *letters)
{
  const dorm__doc_lists *groups = dataset->groups;
  for (size_t j = 0; j < dataset->num_docs; j++) {
    if ((groups->start[j + 1] > groups->start[j]) != (letters[j] != '.'))
      return false;
    for (size_t k = 0; k < j && letters[j] != '.'; k++)
      if (letters[k] != '.' &&
          (groups->numbers[groups->start[j]] == groups->numbers[groups->start[k]]) != (letters[j] == letters[k]))
        return false;
  }
  return true;
}

/* Texts that differ late are two groups. */
UNIT_TEST_IN(context, patterns_match_long_texts)
{
  enum { SIZE = 300 };
  char text[3 * SIZE], name[SIZE + 1];
  memset(name, 'x', SIZE);
  name[SIZE] = '\0';
  snprintf(text, sizeof text, "1 qid:1 1:1 # docid = %sa\n0 qid:1 1:2 # docid = %sb\n", name, name);
  DORM__OWNED(dorm_dataset) *dataset = unit_read_text(context, text);
  UNIT_OK(context, read_groups(context, dataset, "docid:(.*)"));
  CU_ASSERT_TRUE(groups_are(dataset, "ab"));
}

UNIT_TEST_IN(context, groups_come_from_fields_and_files)
{
  static const struct {
    const char *spec;    /* "file:" takes the text */
    const char *file;    /* or NULL */
    const char *letters; /* expected */
  } cases[] = {
      {"host", NULL, "aabac"},
      {"feature:2", NULL, "aa.ba"},
      {"docid:^http://([^/:]*)", NULL, "abcb."},
      {"docid:([0-9])$", NULL, "ab.c."},
      {"docid:([]0-9\\]{1,2}+)$", NULL, "ab.c."},
      {"file:", "# comment\nhttp://X.org/1 one\n\nz one 0.5\n http://y.org\ttwo\nhttp://x.org/3 one 0\n", "a.b.a"},
      {"file:", "{\"hash\":1,\"ids\":[\"z\",\"http://y.org\",\"unknown\"]}\n{\"ids\":[{\"id\":\"http://x.org/3\"}]}\n",
       "..aba"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    DORM__OWNED(dorm_dataset) *dataset = unit_read_text(context, two_queries);
    const char *path = cases[i].file ? unit_temporary_file(cases[i].file) : "";
    const char *spec = unit_text("%s%s", cases[i].spec, path);
    UNIT_OK(context, read_groups(context, dataset, spec));
    bool good = groups_are(dataset, cases[i].letters);
    if (!good)
      printf("\n    %s: not %s\n", spec, cases[i].letters);
    CU_ASSERT_TRUE(good);
  }
}

UNIT_TEST_IN(context, bad_groups_are_refused_with_file_line_and_value)
{
  static const struct {
    const char *spec, *file;
    dorm_status status;
    const char *message;
  } cases[] = {
      {"file:", "z one\nnobody two\n", DORM_BAD_DATA, ":2: document 'nobody' is not in "},
      {"file:", "{\"ids\":[\"nobody\"]}\n", DORM_BAD_DATA, "none of its 1 documents"},
      {"file:", "z one inf\n", DORM_BAD_DATA, ":1: the weight 'inf'"},
      {"file:", "z one -1\n", DORM_BAD_DATA, ":1: the weight '-1'"},
      {"file:", "z\n", DORM_BAD_DATA, ":1: not of the form: docid group [weight]"},
      {"file:", "{\"ids\":[\"z\"}\n", DORM_BAD_DATA, ":1: not JSON"},
      {"file:", "{\"hash\":1}\n", DORM_BAD_DATA, ":1: a group needs a list"},
      {"file:", "{\"ids\":[\"z\", 7]}\n", DORM_BAD_DATA, ":1: entry 2 of \"ids\""},
      {"feature:9", NULL, DORM_BAD_DATA, "no feature 9"},
      {"docid:z(", NULL, DORM_BAD_USAGE, "diversity.groups: 'z('"},
      {"docid:z", NULL, DORM_BAD_USAGE, "needs brackets"},
      {"docid:(z)+++++++++", NULL, DORM_BAD_USAGE, "repetitions are more than 500 parts"},
      {"docid:((z{20}){2,30})", NULL, DORM_BAD_USAGE, "repetitions are more than 500 parts"},
      {"docid:(z)\\1", NULL, DORM_BAD_USAGE, "refers back"},
      {"given", NULL, DORM_BAD_USAGE, "there are none"},
      {"file:no-such-file", NULL, DORM_IO_ERROR, "no-such-file"},
  };
  dorm_dataset *dataset = unit_read_text(context, two_queries);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *path = cases[i].file ? unit_temporary_file(cases[i].file) : "";
    const char *spec = unit_text("%s%s", cases[i].spec, path);
    DORM__OWNED(dorm_settings) *settings = unit_defaults(context, NULL);
    dorm_status status = dorm_settings_set(context, settings, "diversity.groups", spec);
    UNIT_FAILS(context, DORM__ALL(status, dorm_dataset_read_groups(context, dataset, settings)), cases[i].status,
               cases[i].message);
    CU_ASSERT_PTR_NULL(dataset->groups);
  }
  const size_t start[] = {0, 1, 1, 1, 1, 1};
  const uint32_t group = 3;
  const double weight = NAN;
  UNIT_BAD_DATA(dorm_dataset_set_groups(context, dataset, start, &group, &weight), "weights");
  dorm_dataset_free(dataset);
  dataset = unit_read_text(context, "1 qid:1 1:1\n0 qid:1 1:2\n");
  const char *spec = unit_text("file:%s", unit_temporary_file("z one\n"));
  UNIT_BAD_DATA(read_groups(context, dataset, spec), "no document has an id");
  dorm_dataset_free(dataset);
}

/* ---- Prediction ------------------------------------------------------------------ */

enum { MOST_DOCS = 40 };

/* One query of documents in drawn groups, 0: none. */
static dorm_dataset *draw_query(dorm_context *context, dorm__random *random, size_t num_docs, size_t *group)
{
  size_t start[] = {0, num_docs}, member_start[MOST_DOCS + 1] = {0};
  double labels[MOST_DOCS];
  float values[MOST_DOCS];
  uint32_t members[MOST_DOCS];
  size_t num_groups = 1 + dorm__random_below(random, num_docs);
  for (size_t j = 0; j < num_docs; j++) {
    labels[j] = (double)dorm__random_below(random, 3);
    values[j] = (float)dorm__random_normal(random);
    group[j] = dorm__random_below(random, num_groups + 1);
    members[member_start[j]] = (uint32_t)group[j];
    member_start[j + 1] = member_start[j] + (group[j] > 0);
  }
  dorm_dataset *dataset = unit_dataset(context, 1, start, 1, labels, values);
  UNIT_OK(context, dorm_dataset_set_groups(context, dataset, member_start, members, NULL));
  return dataset;
}

/* Documents of the ranking that still have room in their group, then the rest. */
static void rank_apart(size_t num_docs, const double *scores, const size_t *group, size_t capacity, uint32_t *order)
{
  uint32_t by_score[MOST_DOCS];
  size_t used[MOST_DOCS + 1] = {0}, count = 0;
  bool is_behind[MOST_DOCS] = {false};
  unit_sort_by(num_docs, scores, by_score);
  for (size_t i = 0; i < num_docs; i++) {
    uint32_t j = by_score[i];
    is_behind[j] = group[j] && used[group[j]]++ >= capacity;
    if (!is_behind[j])
      order[count++] = j;
  }
  for (size_t i = 0; i < num_docs; i++)
    if (is_behind[by_score[i]])
      order[count++] = by_score[i];
}

UNIT_TEST_DRAWN(context, random, diverse_prediction_puts_the_best_of_each_group_first)
{
  for (int i = 0; i < 500; i++) {
    size_t num_docs = 1 + dorm__random_below(random, MOST_DOCS), capacity = 1 + dorm__random_below(random, 3);
    size_t group[MOST_DOCS];
    uint32_t expected[MOST_DOCS], order[MOST_DOCS];
    double scores[MOST_DOCS], diverse[MOST_DOCS];
    DORM__OWNED(dorm_dataset) *dataset = draw_query(context, random, num_docs, group);
    for (size_t j = 0; j < num_docs; j++)
      scores[j] = i % 4 ? dorm__random_normal(random) : floor(3 * dorm__random_uniform(random));
    DORM__OWNED(dorm_settings) *settings =
        unit_defaults(context, UNIT_PAIRS("diversity.capacity", unit_text("%zu", capacity)));
    UNIT_OK(context, dorm_diversify(context, settings, dataset, scores, diverse));
    rank_apart(num_docs, scores, group, capacity, expected);
    unit_sort_by(num_docs, diverse, order);
    CU_ASSERT_EQUAL(memcmp(order, expected, num_docs * sizeof *order), 0);
    for (size_t p = 1; p < num_docs; p++) /* also in single precision */
      CU_ASSERT_TRUE((float)diverse[order[p]] < (float)diverse[order[p - 1]]);
    UNIT_OK(context, dorm_diversify(context, settings, dataset, scores, scores));
    CU_ASSERT_EQUAL(memcmp(scores, diverse, num_docs * sizeof *scores), 0);
  }
}

#ifdef HAVE_GLPK
UNIT_TEST_IN(context, groups_that_overlap_are_ranked_by_a_programme)
{
  /* 0 is with 1 and with 2; the best two are 1 and 2 (1.8 + 1.7 / log2 3), not 0 and 3. A program says so, or a file
   * that names 0 in both groups, and repeats a line. */
  const size_t start[] = {0, 2, 3, 4, 4};
  const uint32_t groups[] = {1, 2, 1, 2};
  const double scores[] = {2, 1.8, 1.7, 0};
  double diverse[4];
  for (int by_file = 0; by_file <= 1; by_file++) {
    DORM__OWNED(dorm_dataset) *dataset = unit_read_text(context, "1 qid:1 1:1 # docid = A\n1 qid:1 1:1 # docid = B\n"
                                                                 "1 qid:1 1:1 # docid = C\n1 qid:1 1:1 # docid = D\n");
    const char *path = unit_temporary_file("A one\nB one\nA two\nC two\nA one\n");
    DORM__OWNED(dorm_settings) *settings = unit_defaults(context, UNIT_PAIRS("diversity.top", "2"));
    UNIT_OK(context, dorm_settings_set(context, settings, "diversity.groups", unit_text("file:%s", path)));
    UNIT_OK(context, by_file ? dorm_dataset_read_groups(context, dataset, settings)
                             : dorm_dataset_set_groups(context, dataset, start, groups, NULL));
    UNIT_OK(context, dorm_diversify(context, settings, dataset, scores, diverse));
    CU_ASSERT_TRUE(diverse[1] == 1.8 && diverse[2] == 1.7 && diverse[0] < 1.7 && diverse[3] < diverse[0]);
  }
}
#endif

/* ---- Measures --------------------------------------------------------------------- */

/* ---- Exposure by all rankings ------------------------------------------------------------------- */

enum { FEW = 5 };

/* Exposure of each group, the mean over all permutations in which the keys do not rise. */
static void expose(const double *key, size_t top, const size_t *group_of, double *exposures)
{
  double count = 0;
  memset(exposures, 0, FEW * sizeof *exposures);
  uint32_t order[FEW];
  for (size_t r = 0; unit_ranking(FEW, r, order); r++) {
    bool falls = true;
    for (size_t p = 1; p < FEW; p++)
      falls = falls && key[order[p - 1]] >= key[order[p]];
    count += falls;
    for (size_t p = 0; falls && p < top; p++)
      exposures[group_of[order[p]]] += 1 / log2((double)p + 2);
  }
  for (size_t g = 0; g < FEW; g++)
    exposures[g] /= count;
}

/* Documents 3 and 4 of every second problem are in no group, each thus in one of its own. */
UNIT_TEST_DRAWN(context, random, measures_of_exposure_are_means_over_all_rankings)
{
  static const char *const names[] = {"ee_l", "ee_d", "ee_r", "gini", "exposure_share"};
  for (int round = 0; round < 100; round++) {
    const size_t query_start[] = {0, FEW}, own = round % 2 ? 2 : 0, top = 1 + dorm__random_below(random, FEW);
    double labels[FEW], scores[FEW], exposures[FEW], targets[FEW], expected[5] = {0}, sum = 0;
    size_t start[FEW + 1] = {0}, group_of[FEW], num_groups = 0;
    uint32_t groups[FEW];
    bool is_met[FEW] = {false};
    for (size_t j = 0; j < FEW; j++) {
      labels[j] = (double)dorm__random_below(random, 3);
      scores[j] = (double)dorm__random_below(random, 4);
      groups[j] = (uint32_t)dorm__random_below(random, 3);
      group_of[j] = j < FEW - own ? groups[j] : j;
      start[j + 1] = start[j] + (j < FEW - own);
      num_groups += !is_met[group_of[j]];
      is_met[group_of[j]] = true;
    }
    DORM__OWNED(dorm_dataset) *dataset = unit_dataset(context, 1, query_start, 0, labels, NULL);
    UNIT_OK(context, dorm_dataset_set_groups(context, dataset, start, groups, NULL));
    expose(scores, top, group_of, exposures);
    expose(labels, top, group_of, targets);
    for (size_t g = 0; g < FEW; g++) {
      sum += exposures[g];
      expected[0] += pow(exposures[g] - targets[g], 2);
      expected[1] += exposures[g] * exposures[g];
      expected[2] += exposures[g] * targets[g];
      for (size_t h = 0; h < FEW; h++)
        if (is_met[g] && is_met[h])
          expected[3] += fabs(exposures[g] - exposures[h]) / 2;
    }
    expected[3] /= (double)num_groups * sum;
    expected[4] = exposures[1] / sum;
    for (size_t m = 0; m < 5; m++) {
      UNIT_CLOSE(unit_evaluate(context, unit_text("%s@%zu:ties=expected%s", names[m], top, m == 4 ? ",group=1" : ""),
                               dataset, scores),
                 expected[m], 1e-12);
    }
  }
}

UNIT_TEST_IN(context, measures_of_groups_and_subtopics_are_those_worked_by_hand)
{
  /* from the top: labels 1 2 0 2 1, groups a a b b -, subtopics 1, 1 2, -, 2, 3 (and a 4 that nobody has) */
  static const char text[] = "1 qid:7 1:5 # docid = A\n2 qid:7 1:4 # docid = B\n0 qid:7 1:3 # docid = C\n"
                             "2 qid:7 1:2 # docid = D\n1 qid:7 1:1 # docid = E\n";
  static const double scores[] = {5, 4, 3, 2, 1};
  const size_t start[] = {0, 1, 2, 3, 4, 4};
  const uint32_t groups[] = {1, 1, 2, 2};
  const double e = 1 / log2(3), third = 1 / log2(4);
  DORM__OWNED(dorm_dataset) *dataset = unit_read_text(context, text);
  UNIT_BAD_USAGE(dorm_evaluate(context, "redundancy@10", dataset, scores, NULL,
                               &(dorm_evaluation){.struct_size = sizeof(dorm_evaluation)}),
                 "needs the groups");
  UNIT_BAD_USAGE(dorm_evaluate(context, "err_ia@10", dataset, scores, NULL,
                               &(dorm_evaluation){.struct_size = sizeof(dorm_evaluation)}),
                 "needs the subtopics");
  UNIT_CLOSE(unit_evaluate(context, "ee_d@3", dataset, scores), 1 + e * e + third * third, 1e-12);
  UNIT_OK(context, dorm_dataset_set_groups(context, dataset, start, groups, NULL));
  UNIT_BAD_USAGE(dorm_evaluate(context, "exposure_share:group=x", dataset, scores, NULL,
                               &(dorm_evaluation){.struct_size = sizeof(dorm_evaluation)}),
                 "has no group 'x'");
  const char *path = unit_temporary_file("7 1 A 1\n7 1 B 1\n7 2 B 1\n7 2 D 1\n7 3 E 2\n7 3 A 0\n7 4 Z 1\n8 1 A 1\n");
  UNIT_OK(context, dorm_dataset_read_subtopics(context, dataset, path));
  const struct {
    const char *measure;
    double expected;
  } cases[] = {
      {"redundancy@5", 2},
      {"redundancy@3", 1},
      {"redundancy@1", 0},
      {"exposure_share@3:group=1", (1 + e) / (1 + e + third)},
      {"ee_d@3", pow(1 + e, 2) + third * third},
      {"gini@3", (1 + e + third + fabs(1 + e - third)) / (3 * (1 + e + third))},
      /* A 1, B repeated, C 0, D repeated, E 1; ideal: 2, 2, 1 */
      {"dcg:gain=linear,repeats=irrelevant", 1 + 1 / log2(6)},
      {"ndcg:gain=linear,repeats=irrelevant", (1 + 1 / log2(6)) / (2 + 2 * e + third)},
      {"map:repeats=irrelevant", (1 + 2.0 / 5) / 3},
      {"p@5:repeats=irrelevant", 2.0 / 5},
      {"recall@5:repeats=irrelevant", 2.0 / 3},
      {"subtopic_recall@1", 1.0 / 4},
      {"subtopic_recall@2", 2.0 / 4},
      {"subtopic_recall@5", 3.0 / 4},
      /* A: 1; B: 1/2 + 1; D: 1/2; ideal: B 2, then E 1 and A or D 1/2 */
      {"alpha_ndcg@2", (1 + 1.5 * e) / (2 + e)},
      {"alpha_ndcg@4", (1 + 1.5 * e + 0.5 / log2(5)) / (2 + e + 0.5 * third + 0.5 / log2(5))},
      /* subtopic 1: A, B: 1/2 + 1/2 1/2 / 2; 2: B, D: 1/2 / 2 + 1/2 1/2 / 4; 3: E, judged 2: 3/2, so 1, over 5 */
      {"err_ia@5", (0.5 + 0.125 + 0.25 + 0.0625 + 0.2) / 4},
      {"err_ia@5:max_label=2", (0.25 + 0.75 * 0.25 / 2 + 0.25 / 2 + 0.75 * 0.25 / 4 + 0.75 / 5) / 4},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double value = unit_evaluate(context, cases[i].measure, dataset, scores);
    UNIT_CLOSE_OF(cases[i].measure, value, cases[i].expected, 1e-12);
  }
  UNIT_BAD_USAGE(dorm_evaluate(context, "ndcg:ties=expected,repeats=irrelevant", dataset, scores, NULL,
                               &(dorm_evaluation){.struct_size = sizeof(dorm_evaluation)}),
                 "ties=expected");
  path = unit_temporary_file("7 1 A\n");
  UNIT_BAD_DATA(dorm_dataset_read_subtopics(context, dataset, path), ":1: not of the form");
}

/* ---- Folds ---------------------------------------------------------------------------- */

UNIT_TEST_IN(context, groups_go_with_their_queries_into_folds)
{
  DORM__OWNED(dorm_dataset) *dataset = unit_read_text(context, two_queries),
                            *other = unit_read_text(context, two_queries);
  UNIT_OK(context, read_groups(context, dataset, "host"));
  const dorm__query_of queries[] = {{other, 0}, {dataset, 1}, {dataset, 0}};
  DORM__OWNED(dorm_dataset) *joined = unit_gather(context, 3, queries);
  CU_ASSERT_TRUE(groups_are(joined, "...aBaab"));
  CU_ASSERT_PTR_NULL(joined->subtopics);
}

/* Subtopics from arrays give the measures that those from a file give. */
UNIT_TEST_IN(context, subtopics_come_from_arrays)
{
  static const char *const measures[] = {"alpha_ndcg@5", "err_ia@4:max_label=3", "subtopic_recall@2"};
  static const size_t start[] = {0, 0, 2, 3, 5, 5}, late[] = {1, 1, 2, 3, 5, 5}, counts[] = {3, 2}, too_few[] = {2, 2};
  static const uint32_t subtopics[] = {0, 2, 1, 1, 0};
  static const double judgements[] = {1, 2, 1, 3, 1}, zero[] = {1, 2, 0, 3, 1};
  char text[300] = "";
  DORM__OWNED(dorm_dataset) *dataset = unit_read_text(context, two_queries),
                            *other = unit_read_text(context, two_queries);
  CU_ASSERT_EQUAL_FATAL(dataset->num_docs, 5);
  for (size_t q = 0; q < 2; q++) { /* a first entry of each subtopic numbers them; nobody has document 0 */
    for (size_t i = 0; i < counts[q]; i++)
      snprintf(text + strlen(text), sizeof text - strlen(text), "%s %zu none 1\n", dorm_dataset_query_id(dataset, q),
               i);
    for (size_t j = dataset->query_start[q]; j < dataset->query_start[q + 1]; j++)
      for (size_t e = start[j]; e < start[j + 1]; e++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s %u %s %g\n", dorm_dataset_query_id(dataset, q),
                 subtopics[e], dorm_dataset_doc_id(dataset, j), judgements[e]);
  }
  UNIT_OK(context, dorm_dataset_read_subtopics(context, other, unit_temporary_file(text)));
  UNIT_OK(context, dorm_dataset_set_subtopics(context, dataset, counts, start, subtopics, judgements));
  for (size_t i = 0; i < sizeof measures / sizeof *measures; i++) {
    const double scores[] = {4, 2, 3, 1, 3};
    dorm_evaluation one = {.struct_size = sizeof one};
    dorm_evaluation two = one;
    UNIT_OK(context, dorm_evaluate(context, measures[i], dataset, scores, NULL, &one));
    UNIT_OK(context, dorm_evaluate(context, measures[i], other, scores, NULL, &two));
    CU_ASSERT_TRUE(one.mean > 0);
    CU_ASSERT_EQUAL(one.mean, two.mean);
  }
  UNIT_BAD_USAGE(dorm_dataset_set_subtopics(context, dataset, too_few, start, subtopics, judgements),
                 "subtopics: entry 1 is 2, and query");
  UNIT_BAD_DATA(dorm_dataset_set_subtopics(context, dataset, counts, start, subtopics, zero),
                "judgements: entry 2 is 0");
  UNIT_BAD_USAGE(dorm_dataset_set_subtopics(context, dataset, counts, late, subtopics, judgements), "start: decreases");
}

/* Three queries of ambiguous data, one of them from a data set whose subtopics are not known. */
UNIT_TEST_IN(context, subtopics_go_with_their_queries_into_folds)
{
  DORM__OWNED(dorm_dataset) *dataset = NULL, *other = unit_read_text(context, two_queries);
  UNIT_OK(context, dorm_dataset_generate_ambiguous(context, 3, unit_seed(), &dataset));
  const dorm__query_of queries[] = {{dataset, 2}, {other, 1}, {dataset, 0}};
  DORM__OWNED(dorm_dataset) *joined = unit_gather(context, 3, queries);
  CU_ASSERT_FATAL(joined && joined->subtopics);
  for (size_t q = 0; q < 3; q++) {
    const dorm__doc_lists *from = queries[q].dataset->subtopics, *to = joined->subtopics;
    size_t first = queries[q].dataset->query_start[queries[q].query];
    CU_ASSERT_EQUAL(to->num_subtopics[q], from ? from->num_subtopics[queries[q].query] : 0);
    for (size_t j = joined->query_start[q]; j < joined->query_start[q + 1]; j++, first++) {
      size_t count = from ? from->start[first + 1] - from->start[first] : 0;
      CU_ASSERT_EQUAL_FATAL(to->start[j + 1] - to->start[j], count);
      for (size_t e = 0; e < count; e++) {
        CU_ASSERT_EQUAL(to->numbers[to->start[j] + e], from->numbers[from->start[first] + e]);
        CU_ASSERT_EQUAL(to->weights[to->start[j] + e], from->weights[from->start[first] + e]);
      }
    }
  }
}

/* 14 pages of one sense, one page on each of 8 others, and 20 without a sense. */
UNIT_TEST_IN(context, ambiguous_queries_have_the_senses_they_say)
{
  DORM__OWNED(dorm_dataset) *dataset = NULL;
  UNIT_OK(context, dorm_dataset_generate_ambiguous(context, 11, unit_seed(), &dataset));
  CU_ASSERT_FATAL(dataset && dataset->subtopics && dataset->num_docs == 11 * 42);
  const dorm__doc_lists *senses = dataset->subtopics;
  for (size_t q = 0; q < 11; q++) {
    size_t pages[9] = {0}, none = 0;
    CU_ASSERT_EQUAL(senses->num_subtopics[q], 9);
    for (size_t j = dataset->query_start[q]; j < dataset->query_start[q + 1]; j++) {
      size_t count = senses->start[j + 1] - senses->start[j];
      none += count == 0 && dataset->labels[j] == 0;
      if (count == 0)
        continue;
      uint32_t sense = senses->numbers[senses->start[j]];
      CU_ASSERT_FATAL(count == 1 && sense < 9);
      CU_ASSERT_EQUAL(senses->weights[senses->start[j]], 1);
      CU_ASSERT_EQUAL(dataset->labels[j], sense == 0 ? 2 : 1);
      pages[sense]++;
    }
    CU_ASSERT_EQUAL(none, 20);
    CU_ASSERT_EQUAL(pages[0], 14);
    for (size_t s = 1; s < 9; s++)
      CU_ASSERT_EQUAL(pages[s], 1);
  }
}
