/*
 * missing_test.c: missing values in boosted trees. Scores are compared with naive walks over rows that follow the
 * definition, beside a linear part that sees means; trees are trained where only the gaps tell documents apart.
 */
#include "tests/unit/unit.h"

/* ---- Scores -------------------------------------------------------------------------------- */

/* The mid-rank of a value among the known ones, in units of the rank block 0.5; NaN for a missing one. */
static double rank_of(size_t count, const double *values, double value)
{
  double above = 0, ties = 0, known = 0;
  for (size_t i = 0; i < count; i++) {
    known += !isnan(values[i]);
    above += values[i] > value;
    ties += values[i] == value;
  }
  double rank = known > 1 ? 1 - (above + (ties - 1) / 2) / (known - 1) : 0.5;
  return isnan(value) ? NAN : 0.5 * rank;
}

/* The value by min-max over the known ones, NaN for a missing one. */
static double min_max_of(size_t count, const double *values, double value)
{
  double low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < count; i++) {
    low = fmin(low, values[i]); /* fmin and fmax pass over NaN */
    high = fmax(high, values[i]);
  }
  return isnan(value) ? NAN : high > low ? (value - low) / (high - low) : 0;
}

/* Two splits: value of feature 1 at 0.5, missing ones to the right; then the rank of feature 1 at 0.3, missing ones to
 * the left. */
static double walk(double value, double rank)
{
  bool goes_right = isnan(value) || value >= 0.5;
  if (!goes_right)
    return -1;
  return isnan(rank) || rank < 0.3 ? 10 : 20;
}

/* The linear part has the weight 3 on feature 1, and takes the mean of the known values of the query. */
UNIT_TEST_IN(context, trees_see_gaps_and_linear_parts_means)
{
  static const char text[] = "dorm model 1\nnormalisation minmax\nrank_block 0\nfeature 1 3\nfeature 2 0\n"
                             "part trees 1 regression relevance 0.5 1 1\nlevels\ntree 5\n"
                             "split value 1 0.5 1 absent:1 gain:2\nleaf -1\n"
                             "split rank 1 0.3 3 absent:0 gain:1\nleaf 10\nleaf 20\nend 2\n";
  /* A query with gaps, one with nothing else, one of constants; an absent feature is 0. */
  static const char data[] = "1 qid:1 1:4 2:1\n0 qid:1 1:nan 2:1\n0 qid:1 2:2\n0 qid:1 1:3\n1 qid:1 1:?\n"
                             "1 qid:2 1:NA\n0 qid:2 1:NA\n"
                             "1 qid:3 1:7\n0 qid:3 1:?\n0 qid:3 1:7\n";
  enum { DOCS = 10, QUERIES = 3 };
  static const double values[DOCS] = {4, NAN, 0, 3, NAN, NAN, NAN, 7, NAN, 7};
  static const size_t start[QUERIES + 1] = {0, 5, 7, 10};
  DORM__OWNED(dorm_model) *model = NULL, *again = NULL;
  double scores[DOCS], scores_again[DOCS];
  const char *path = NULL;
  path = unit_temporary_file(text);
  UNIT_OK(context, dorm_model_read(context, path, &model));
  UNIT_OK(context, dorm_model_write(context, model, path));
  UNIT_OK(context, dorm_model_read(context, path, &again));
  for (int storage = DORM_STORAGE_DENSE; storage <= DORM_STORAGE_SPARSE; storage++) {
    const dorm_read_options options = {.struct_size = sizeof options, .storage = (dorm_storage)storage};
    path = unit_temporary_file(data);
    DORM__OWNED(dorm_dataset) *dataset = unit_read(context, path, &options);
    UNIT_OK(context, dorm_model_score(context, model, dataset, 1, scores));
    UNIT_OK(context, dorm_model_score(context, again, dataset, 2, scores_again));
    CU_ASSERT_EQUAL(memcmp(scores, scores_again, sizeof scores), 0);
    for (size_t q = 0; q < QUERIES; q++) {
      size_t count = start[q + 1] - start[q];
      const double *own = values + start[q];
      double mean = 0, known = 0, expected[DOCS], shift = 0;
      for (size_t i = 0; i < count; i++) {
        mean += isnan(own[i]) ? 0 : own[i];
        known += !isnan(own[i]);
      }
      mean = known > 0 ? mean / known : 0;
      for (size_t i = 0; i < count; i++) {
        double linear = known > 0 ? min_max_of(count, own, isnan(own[i]) ? mean : own[i]) : 0;
        expected[i] = 3 * linear + walk(min_max_of(count, own, own[i]), rank_of(count, own, own[i]));
        shift = i ? shift : scores[start[q]] - expected[0]; /* of linear scores of sparse rows */
        UNIT_CLOSE(scores[start[q] + i] - shift, expected[i], 1e-6);
      }
      CU_ASSERT_TRUE(storage == DORM_STORAGE_SPARSE || fabs(shift) < 1e-6);
    }
  }
}

/* ---- Training ------------------------------------------------------------------------------ */

enum { TEXT_SIZE = 20000, NUM_QUERIES = 12, DOCS_EACH = 12 };

/* Queries whose labels are told by feature 1 alone, by its text for each label ("": absent); feature 2 is noise. */
static dorm_dataset *labelled_by(dorm_context *context, size_t num_labels, const char *const *texts)
{
  static char text[TEXT_SIZE];
  size_t size = 0;
  dorm__random random = unit_random(0);
  for (size_t j = 0; j < NUM_QUERIES * DOCS_EACH; j++) {
    size_t label = dorm__random_below(&random, num_labels);
    size += (size_t)snprintf(text + size, sizeof text - size, "%zu qid:%zu", label, j / DOCS_EACH);
    size += (size_t)snprintf(text + size, sizeof text - size, *texts[label] ? " 1:%s" : "%s", texts[label]);
    size += (size_t)snprintf(text + size, sizeof text - size, " 2:%zu\n", dorm__random_below(&random, 5));
  }
  CU_ASSERT_TRUE_FATAL(size + 1 < sizeof text);
  return unit_read_text(context, text);
}

/* Whether the scores of each label are all above the scores of the label below it, within queries. */
static bool are_separated(const dorm_dataset *dataset, const double *scores)
{
  for (size_t q = 0; q < dataset->num_queries; q++)
    for (size_t i = dataset->query_start[q]; i < dataset->query_start[q + 1]; i++)
      for (size_t j = dataset->query_start[q]; j < dataset->query_start[q + 1]; j++)
        if (dataset->labels[i] > dataset->labels[j] && !(scores[i] > scores[j]))
          return false;
  return true;
}

static dorm_training *train(dorm_context *context, const char *trainer, const char *normalisation,
                            const dorm_dataset *dataset)
{
  DORM__OWNED(dorm_settings) *settings =
      unit_svm(context, UNIT_PAIRS("trees.trees", "40", "trees.objective", "regression", "trees.leaves", "4",
                                   "trees.learning_rate", "0.5", "trees.min_docs_in_leaf", "1", "trees.row_share", "1",
                                   "data.rank_block", "0.5", "solver.C", "1, 10", "solver.threads", "1",
                                   "selection.folds", "0"));
  dorm_training *training = NULL;
  UNIT_OK(context, dorm_settings_set(context, settings, "training.trainer", trainer));
  UNIT_OK(context, dorm_settings_set(context, settings, "data.normalisation", normalisation));
  UNIT_OK(context, dorm_train(context, settings, dataset, NULL, &training));
  return training;
}

static bool trees_separate(dorm_context *context, const char *normalisation, size_t num_labels,
                           const char *const *texts)
{
  double scores[NUM_QUERIES * DOCS_EACH];
  DORM__OWNED(dorm_dataset) *dataset = labelled_by(context, num_labels, texts);
  DORM__OWNED(dorm_training) *training = train(context, "trees", normalisation, dataset);
  UNIT_OK(context, dorm_model_score(context, dorm_training_model(training), dataset, 1, scores));
  bool result = are_separated(dataset, scores);
  return result;
}

/* A missing value is neither a 0 nor a mean. With a 3 in place of the missing values, which is their mean, nothing but
 * noise is left. */
UNIT_TEST_IN(context, trees_learn_what_a_gap_means)
{
  static const char *const normalisations[] = {"none", "minmax", "zscore", "global-minmax", "global-zscore"};
  static const char *const two[] = {"3", "?"}, *const means[] = {"3", "3"};
  static const char *const three[][3] = {{"?", "", "3"}, {"", "nan", "3"}, {"3", "", "NA"}};
  for (size_t i = 0; i < sizeof normalisations / sizeof *normalisations; i++) {
    CU_ASSERT_TRUE(trees_separate(context, normalisations[i], 2, two));
    CU_ASSERT_FALSE(trees_separate(context, normalisations[i], 2, means));
    for (size_t k = 0; k < 3; k++)
      CU_ASSERT_TRUE(trees_separate(context, normalisations[i], 3, three[k]));
  }
}

/* Beside trees the SVM makes the candidates that it makes alone: it still sees means. */
UNIT_TEST_IN(context, linear_candidates_beside_trees_see_means)
{
  static const char *const texts[] = {"1", "?", "3"};
  DORM__OWNED(dorm_dataset) *dataset = labelled_by(context, 3, texts);
  double scores[NUM_QUERIES * DOCS_EACH];
  DORM__OWNED(dorm_training) *alone = train(context, "svm", "minmax", dataset);
  DORM__OWNED(dorm_training) *both = train(context, "svm, trees", "minmax", dataset);
  size_t count = dorm_training_num_candidates(alone);
  CU_ASSERT_EQUAL(dorm_training_num_candidates(both), count + 1);
  for (size_t i = 0; i < count; i++)
    CU_ASSERT_EQUAL(memcmp(alone->trained[i].w, both->trained[i].w, alone->trained[i].width * sizeof(double)), 0);
  UNIT_OK(context, dorm_model_score(context, dorm_training_model(both), dataset, 1, scores));
  for (size_t j = 0; j < NUM_QUERIES * DOCS_EACH; j++)
    CU_ASSERT_TRUE(isfinite(scores[j]));
}
