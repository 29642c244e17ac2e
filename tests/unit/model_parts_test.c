/*
 * model_parts_test.c: stumps, a kind of part that the library does not know, join a linear part. The model is
 * written, read and scored, and its scores are the weighted sum.
 */
#include "tests/unit/stumps.h"

static const dorm__part_kind *const kinds[] = {&stumps_kind};

/* Artificial data and a model without normalisation for them, with a linear part of random weights, times 2, and,
 * if `given` is one, with stumps of weight -0.3. */
static dorm_model *new_model(dorm_context *context, const dorm_dataset *dataset, const double *weights,
                             const stumps *given)
{
  dorm__feature_map map = {.num_ids = STUMPS, .ids = dataset->feature_ids, .normalisation = DORM__NORMALISATION_NONE};
  dorm_model *model = unit_model(context, &map, NULL);
  unit_add_linear(context, model, weights, 0, 2);
  if (given) {
    dorm__part part = {&stumps_kind, -0.3, calloc(1, sizeof *given)};
    memcpy(part.state, given, sizeof *given);
    UNIT_OK(context, dorm__model_add(context, model, part));
  }
  return model;
}

UNIT_TEST_DRAWN(context, random, a_kind_of_part_is_added)
{
  DORM__OWNED(dorm_model) *model = NULL, *read = NULL;
  double weights[STUMPS], scores[120], again[120];
  stumps given;
  DORM__OWNED(dorm_dataset) *dataset = unit_artificial(context, 4, 30, STUMPS, 0, 7, 1);
  for (size_t f = 0; f < STUMPS; f++) {
    weights[f] = dorm__random_normal(random);
    given.thresholds[f] = 0.3 * dorm__random_normal(random);
    given.values[f] = dorm__random_normal(random);
  }
  model = new_model(context, dataset, weights, &given);
  UNIT_OK(context, dorm_model_score(context, model, dataset, 1, scores));
  for (size_t j = 0; j < dataset->num_docs; j++) {
    double sum = 0;
    for (size_t f = 0; f < STUMPS; f++) {
      double x = (double)dorm_dataset_value(dataset, j, f);
      sum += 2 * weights[f] * x - (x > given.thresholds[f] ? 0.3 * given.values[f] : 0);
    }
    UNIT_CLOSE(scores[j], sum, 1e-12);
  }

  const char *path = unit_temporary_file("");
  UNIT_OK(context, dorm_model_write(context, model, path));
  UNIT_BAD_DATA(dorm_model_read(context, path, &read), "a part of the kind 'stumps' is not known here");
  UNIT_OK(context, dorm__model_read(context, path, 1, kinds, &read));
  for (size_t num_threads = 0; num_threads < 4; num_threads++) {
    UNIT_OK(context, dorm_model_score(context, read, dataset, num_threads < 3 ? num_threads : SIZE_MAX, again));
    CU_ASSERT_EQUAL(memcmp(scores, again, sizeof scores), 0);
  }
  const char *kind;
  double weight;
  CU_ASSERT_STRING_EQUAL(dorm_model_part(read, 0, &kind, &weight), "5 features, rank block 0");
  CU_ASSERT_TRUE(strcmp(kind, "linear") == 0 && weight == 1);
  CU_ASSERT_STRING_EQUAL(dorm_model_part(read, 1, &kind, &weight), "of one level");
  CU_ASSERT_TRUE(strcmp(kind, "stumps") == 0 && weight == -0.3);
  CU_ASSERT_PTR_NULL(dorm_model_part(read, 2, &kind, &weight));
  UNIT_FAILS(
      context, dorm_model_export(context, read, "json", "name", NULL, path), DORM_BAD_DATA,
      "the model has a stumps part, 'of one level', and only linear models and trees, and nets as json, c or onnx, can "
      "be exported");
  dorm__part part;
  UNIT_OK(context, dorm__linear_part_new(context, STUMPS, 0, weights, &part));
  UNIT_BAD_USAGE(dorm__model_add(context, read, part), "at most one linear part");
}

/* A model without a linear part has the scores of its other parts, and its file has weights of 0. */
UNIT_TEST_IN(context, a_model_need_not_be_linear)
{
  static const size_t ids[STUMPS] = {1, 2, 3, 4, 5};
  dorm__feature_map map = {.num_ids = STUMPS, .ids = ids, .normalisation = DORM__NORMALISATION_NONE};
  DORM__OWNED(dorm_model) *model = unit_model(context, &map, NULL), *read = NULL;
  double scores[2][20], value = NAN, rank = NAN;
  size_t id = 0;
  DORM__OWNED(dorm_dataset) *dataset = unit_artificial(context, 2, 10, STUMPS, 0, 7, 1);
  dorm__part part = {&stumps_kind, 1, calloc(1, sizeof(stumps))};
  ((stumps *)part.state)->values[0] = 1;
  UNIT_OK(context, dorm__model_add(context, model, part));
  UNIT_OK(context, dorm_model_score(context, model, dataset, 2, scores[0]));
  for (size_t j = 0; j < dataset->num_docs; j++)
    CU_ASSERT_EQUAL(scores[0][j], dorm_dataset_value(dataset, j, 0) > 0 ? 1 : 0);
  CU_ASSERT_TRUE(dorm_model_weight(model, 1, &id, &value, &rank) && id == 2 && value == 0 && rank == 0);
  const char *path = unit_temporary_file("");
  UNIT_OK(context, dorm_model_write(context, model, path));
  UNIT_OK(context, dorm__model_read(context, path, 1, kinds, &read));
  UNIT_OK(context, dorm_model_score(context, read, dataset, 2, scores[1]));
  CU_ASSERT_EQUAL(memcmp(scores[0], scores[1], sizeof scores[0]), 0);
}

UNIT_TEST_IN(context, damaged_parts_are_refused)
{
  static const char head[] = "dorm model 1\nnormalisation none\nrank_block 0\n"
                             "feature 1 0\nfeature 2 0\nfeature 3 0\nfeature 4 0\nfeature 5 0\n";
  static const unit_refusal bad[] = {
      {"part\nend 5\n", ":9: a part of the kind '' is not known here"},
      {"part linear 1\nend 5\n", ":9: a part of the kind 'linear' is not known here"},
      {"part kernel 1 0 0 linear\nend 5\n", ":9: a part of the kind 'kernel' is not known here"},
      {"linear 1\nend 5\n", ":9: 'linear' is not known here"},
      {"stumps of one level\nend 5\n", ":9: 'stumps' is not known here"},
      {"part stumps\nend 5\n", ":9: 'part stumps' needs a finite weight"},
      {"part stumps inf of one level\nend 5\n", ":9: 'part stumps' needs a finite weight"},
      {"part stumps 1 of two levels\nend 5\n", ":9: stumps of of two levels"},
      {"part stumps 1 of one level\nstump 1 2\n# more\nstump 1\nend 5\n", ":12: 'stump' needs two numbers"},
      {"part stumps 1 of one level\nstump 1 2\nend 5\n", ":11: expected a line 'stump', but found 'end'"},
      {"part stumps 1 of one level\nstump 1 2\n", ":10: expected a line 'stump', but found the end of the file"},
  };
  char text[1024];
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    dorm_model *model = NULL;
    snprintf(text, sizeof text, "%s%s", head, bad[i].given);
    UNIT_BAD_DATA(dorm__model_read(context, unit_temporary_file(text), 1, kinds, &model), bad[i].message);
    CU_ASSERT_PTR_NULL(model);
  }
}

/* The importance of a feature is the deviation of the scores of a model that has the weights of this feature alone. */
UNIT_TEST_DRAWN(context, random, importances_are_deviations_of_scores)
{
  enum { WIDTH = 5, DOCS = 60 };
  static const dorm__normalisation normalisations[] = {DORM__NORMALISATION_NONE, DORM__NORMALISATION_MIN_MAX};
  dorm_artificial parameters = {sizeof parameters, 3, DOCS / 3, WIDTH, 0, 7, 1};
  DORM__OWNED(dorm_dataset) *dense = NULL, *sparse = NULL;
  UNIT_OK(context, dorm_dataset_generate_artificial(context, &parameters, &dense));
  UNIT_OK(context, dorm_dataset_generate_sparse(context, &parameters, 2, &sparse));
  for (size_t k = 0; k < 4; k++) {
    const dorm_dataset *dataset = k % 2 ? sparse : dense;
    dorm__feature_map map = {
        .num_ids = dataset->num_features, .ids = dataset->feature_ids, .normalisation = normalisations[k / 2]};
    size_t count = dataset->num_features;
    double weights[2 * WIDTH], alone[2 * WIDTH], importance[WIDTH], scores[DOCS];
    CU_ASSERT_FATAL(count <= WIDTH && dataset->num_docs == DOCS);
    for (size_t f = 0; f < 2 * count; f++)
      weights[f] = dorm__random_normal(random);
    for (size_t f = 0; f <= count; f++) { /* the whole model last */
      for (size_t i = 0; i < 2 * count; i++)
        alone[i] = f == count || i % count == f ? weights[i] : 0;
      DORM__OWNED(dorm_model) *model = unit_model(context, &map, NULL);
      unit_add_linear(context, model, alone, 0.5, 1);
      double found[WIDTH];
      UNIT_OK(context, dorm_model_importance(context, model, dataset, found));
      if (f < count) {
        UNIT_OK(context, dorm_model_score(context, model, dataset, 1, scores));
        importance[f] = unit_spread(dataset, scores);
        CU_ASSERT_DOUBLE_EQUAL(found[f], importance[f], 1e-6);
      }
      for (size_t i = 0; f == count && i < count; i++)
        CU_ASSERT_DOUBLE_EQUAL(found[i], importance[i], 1e-6);
    }
  }
}

/* Remarks are written and read as they are. */
UNIT_TEST_IN(context, remarks_are_kept)
{
  DORM__OWNED(dorm_model) *read = NULL;
  double weights[STUMPS] = {1};
  DORM__OWNED(dorm_dataset) *dataset = unit_artificial(context, 2, 10, STUMPS, 0, 7, 1);
  DORM__OWNED(dorm_model) *model = new_model(context, dataset, weights, NULL);
  UNIT_OK(context, dorm__model_remark(context, model, "mean of 2 of 3 candidates"));
  UNIT_OK(context, dorm__model_remark(context, model, "candidate 1: start"));
  UNIT_OK(context, dorm_model_write(context, model, "unit-remarks"));
  UNIT_OK(context, dorm_model_read(context, "unit-remarks", &read));
  CU_ASSERT_STRING_EQUAL(dorm_model_remark(read, 0), "mean of 2 of 3 candidates");
  CU_ASSERT_STRING_EQUAL(dorm_model_remark(read, 1), "candidate 1: start");
  CU_ASSERT_PTR_NULL(dorm_model_remark(read, 2));
  unlink("unit-remarks");
}
