/* model_file_test.c: model files read back exactly, and damaged ones are refused. */
#include "tests/unit/unit.h"

/* Feature 3 was the third column; the others have no names. */
static void check_names(const dorm_model *model)
{
  char name[20], cut[5];
  CU_ASSERT_EQUAL(dorm_model_num_features(model), 3);
  CU_ASSERT_EQUAL(dorm_model_feature_id(model, 1), 8);
  CU_ASSERT_EQUAL(dorm_model_feature_id(model, 3), 0);
  CU_ASSERT_EQUAL(dorm_model_feature_name(model, 0, name, sizeof name), strlen("body length"));
  CU_ASSERT_STRING_EQUAL(name, "body length");
  CU_ASSERT_EQUAL(dorm_model_feature_name(model, 0, cut, sizeof cut), strlen("body length"));
  CU_ASSERT_STRING_EQUAL(cut, "body");
  dorm_model_feature_name(model, 1, name, sizeof name);
  CU_ASSERT_STRING_EQUAL(name, "feature_8");
  CU_ASSERT_EQUAL(dorm_model_feature_name(model, 2, NULL, 0), strlen("feature_4294967295"));
  CU_ASSERT_EQUAL(dorm_model_feature_name(model, 3, name, sizeof name), 0);
  CU_ASSERT_STRING_EQUAL(name, "");
}

UNIT_TEST_IN(context, models_read_back_exactly)
{
  DORM__OWNED(dorm_settings) *settings = unit_defaults(
      context, UNIT_PAIRS("solver.C", "2,  5", "data.train", "a = b # c.txt", "data.columns", "a,b,body length"));
  static const size_t ids[] = {3, 8, UINT32_MAX};
  for (int ranks = 0; ranks < 2; ranks++) {
    static const double shift[] = {1.0 / 3, -7, 0};
    static const double spread[] = {1e-300, 0, 4.5};
    static const double mean[] = {0.1, -7, 1e300};
    dorm__feature_map map = {.num_ids = 3,
                             .ids = ids,
                             .normalisation =
                                 ranks == 0 ? DORM__NORMALISATION_NONE : DORM__NORMALISATION_GLOBAL_Z_SCORE,
                             .rank_block = ranks * 0.3,
                             .shift = shift,
                             .spread = spread,
                             .mean = mean};
    DORM__OWNED(dorm_model) *model = unit_model(context, &map, settings);
    double weights[6], rank_block;
    dorm__random random = unit_random(0);
    size_t width = dorm__feature_map_width(&map);
    for (size_t f = 0; f < width; f++)
      weights[f] = dorm__random_normal(&random) * 1e-7;
    unit_add_linear(context, model, weights, map.rank_block, 1);
    const char *path = unit_temporary_file("");
    UNIT_OK(context, dorm_model_write(context, model, path));
    DORM__OWNED(dorm_model) *back = NULL;
    UNIT_OK(context, dorm_model_read(context, path, &back));
    CU_ASSERT_EQUAL_FATAL(back->map.num_ids, 3);
    CU_ASSERT_EQUAL(back->map.normalisation, model->map.normalisation);
    const double *back_weights = dorm__model_linear_weights(back, &rank_block);
    CU_ASSERT_EQUAL(rank_block, map.rank_block);
    CU_ASSERT_EQUAL((back->map.shift != NULL), ranks);
    if (back->map.shift) {
      CU_ASSERT_EQUAL(memcmp(back->map.shift, shift, sizeof shift), 0);
      CU_ASSERT_EQUAL(memcmp(back->map.spread, spread, sizeof spread), 0);
    }
    CU_ASSERT_PTR_NOT_NULL_FATAL(back->map.mean);
    CU_ASSERT_EQUAL(memcmp(back->map.mean, mean, sizeof mean), 0);
    CU_ASSERT_EQUAL(memcmp(back_weights, weights, width * sizeof(double)), 0);
    CU_ASSERT_EQUAL(memcmp(back->map.ids, ids, sizeof ids), 0);
    CU_ASSERT_STRING_EQUAL(dorm_model_setting(back, "solver.C"), "2,  5");
    check_names(back);
    CU_ASSERT_STRING_EQUAL(dorm_model_setting(back, "data.train"), "a = b # c.txt");
    for (const dorm_model *of = model; of; of = of == model ? back : NULL) {
      CU_ASSERT_EQUAL(dorm_model_setting_is_given(of, "solver.C"), 1);
      CU_ASSERT_EQUAL(dorm_model_setting_is_given(of, "solver.gap"), 0);
      CU_ASSERT_EQUAL(dorm_model_setting_is_given(of, "solver.D"), 0);
    }
  }
}

UNIT_TEST_IN(context, bad_models_are_named)
{
  static const unit_refusal bad[] = {
      {"", "'normalisation' is missing"},
      {"dorm model 2\n", ":1: not a model of this version"},
      {"hello\n", ":1: not a model of this version"},
      {"dorm model 1\nnormalisation whole\n", ":2: normalisation 'whole'"},
      {"dorm model 1\nglobal 1 2\n", ":2: 'global' needs an id, a shift and a spread"},
      {"dorm model 1\nglobal 1 2 -1\n", ":2: 'global' needs an id, a shift and a spread"},
      {"dorm model 1\nrank_block 0\nnormalisation global-zscore\nglobal 2 1 1\nfeature 1 1\nend 1\n",
       "ids of the 'global' lines do not match"},
      {"dorm model 1\nrank_block 0\nnormalisation global-zscore\nfeature 1 1\nend 1\n",
       "ids of the 'global' lines do not match"},
      {"dorm model 1\nrank_block 0\nnormalisation minmax\nglobal 1 1 1\nfeature 1 1\nend 1\n",
       "ids of the 'global' lines do not match"},
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
      {"dorm model 1\nrank_block 0\nnormalisation none\nend 0\nmore\n", ":5: nothing may follow 'end' but a checksum"},
      {"dorm model 1\nsetting solver.D = 1\n", ":2: unknown setting 'solver.D'"},
      {"dorm model 1\nsetting solver.C = x\n", ":2: solver.C: 'x' is not a number"},
      {"dorm model 1\nsetting solver.C\n", ":2: 'setting' needs a key"},
      {"dorm model 1\nset solver.C solver.D\n", ":2: set 'solver.D', which is no setting"},
      {"dorm model 1\nweights 1 2 3\n", ":2: 'weights' is not known here"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    unit_refuses_model(context, bad[i].given, bad[i].message);
}

/* A setting that was given its default is given; one that has another value without being given is not, but in files
 * without a line about it. */
UNIT_TEST_IN(context, given_settings_are_kept)
{
  static const char *const lines[] = {"set solver.gap data.bits trees.shrinkage", ""};
  for (int is_old = 0; is_old < 2; is_old++) {
    char text[400];
    DORM__OWNED(dorm_model) *model = NULL;
    snprintf(
        text, sizeof text,
        "dorm model 1\nsetting solver.C = 7\nsetting solver.gap = 0.01\n%s\nrank_block 0\nnormalisation none\nend 0\n",
        lines[is_old]);
    UNIT_OK(context, dorm_model_read(context, unit_temporary_file(text), &model));
    CU_ASSERT_EQUAL(dorm_model_setting_is_given(model, "solver.C"), is_old);
    CU_ASSERT_EQUAL(dorm_model_setting_is_given(model, "solver.gap"), !is_old);
    CU_ASSERT_EQUAL(dorm_model_setting_is_given(model, "solver.rho"), 0);
  }
}

UNIT_TEST_IN(context, settings_that_are_gone_are_skipped)
{
  static const char *const lines[] =
      UNIT_TEXTS("data.bits = 16", "trees.shrinkage = 0.1", "clicks.propensity = power", "clicks.propensity = file",
                 "clicks.eta = 2", "clicks.file = curve", "data.folder = /var/tmp", "diversity.overlap = yes",
                 "ratings.least_rest = 5", "net.penalty = 0.1", "net.lambda = softmax", "net.patience = 15",
                 "trees.patience = 5", "trees.lambda = softmax|ranknet");
  DORM__OWNED(dorm_settings) *settings = unit_defaults(context, NULL);
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    char text[400], key[100];
    DORM__OWNED(dorm_model) *model = NULL;
    snprintf(text, sizeof text,
             "dorm model 1\nsetting %s\nsetting solver.C = 7\nrank_block 0\nnormalisation none\nend 0\n", lines[i]);
    UNIT_OK(context, dorm_model_read(context, unit_temporary_file(text), &model));
    CU_ASSERT_STRING_EQUAL(dorm_model_setting(model, "solver.C"), "7");
    snprintf(key, sizeof key, "%.*s", (int)strcspn(lines[i], " "), lines[i]);
    UNIT_BAD_USAGE(dorm_settings_set(context, settings, key, strchr(lines[i], '=') + 2), " is gone: ");
  }
  UNIT_BAD_USAGE(dorm_settings_set(context, settings, "data.bits", "16"), "data.bits is gone: use data.storage = file");
}
