/* settings_test.c: the table of settings, values that are refused, words and paths, and configuration files. */
#include "tests/unit/unit.h"

UNIT_TEST_IN(context, the_settings_table_is_whole)
{
  for (size_t i = 0; i < DORM__NUM_SETTINGS; i++) {
    const dorm_setting_info *info = dorm_setting_info_at(i);
    CU_ASSERT_PTR_NOT_NULL_FATAL(info->key);
    CU_ASSERT_PTR_NOT_NULL(strchr(info->key, '.'));
    CU_ASSERT_TRUE(strlen(info->help) > 0);
    for (size_t j = 0; j < i; j++)
      CU_ASSERT_STRING_NOT_EQUAL(info->key, dorm_setting_info_at(j)->key);
  }
  CU_ASSERT_PTR_NULL(dorm_setting_info_at(DORM__NUM_SETTINGS));
  DORM__OWNED(dorm_settings) *settings = NULL;
  UNIT_OK(context, dorm_settings_new(context, &settings)); /* every default passes its own check */
}

/* Files of users hold such values: who changes a bound changes it here, too. */
UNIT_TEST(numbers_keep_their_bounds)
{
  static const struct {
    const char *key;
    bool is_list;
    double min, max;
  } rows[] = {
      {"data.rank_block", true, 0, 1e6},
      {"kernel.rank", true, 0, 1e6},
      {"training.patience", false, 0, 1e6},
      {"training.seed", true, 0, 1e15},
      {"training.budget", false, 0, 1e9},
      {"trees.regression_share", true, 0, 1e6},
      {"trees.trees", false, 1, 1e6},
      {"trees.leaves", true, 2, 65536},
      {"trees.learning_rate", true, 1e-6, 1},
      {"trees.bins", false, 2, 256},
      {"trees.min_docs_in_leaf", true, 1, 1e9},
      {"trees.l2", true, 0, 1e9},
      {"trees.row_share", true, 1e-6, 1},
      {"trees.feature_share", true, 1e-6, 1},
      {"net.hidden", true, 0, 1e4},
      {"net.learning_rate", true, 1e-300, 1e300},
      {"net.epochs", false, 1, 1e6},
      {"net.batch", false, 0, 1e9},
      {"smooth.C", true, 1e-12, 1e12},
      {"loss.truncation", true, 0, 1e9},
      {"ranking.position_functions", false, 1, 100},
      {"ranking.rounds", false, 0, 1000},
      {"solver.C", true, 1e-12, 1e12},
      {"solver.gap", false, 1e-10, 1},
      {"solver.max_iterations", false, 1, 1e9},
      {"solver.rho", true, 0, 1e9},
      {"solver.ridge", true, 1e-12, 1e12},
      {"solver.threads", false, 0, 1024},
      {"solver.shards", false, 1, 1e5},
      {"solver.max_seconds", false, 0, 1e9},
      {"diversity.top", false, 1, 1e9},
      {"diversity.capacity", false, 1e-9, 1e9},
      {"selection.average", false, 1, 1e6},
      {"selection.blend", true, 0, 1},
      {"selection.folds", false, 0, 1000},
      {"stream.every", false, 1, 1e15},
      {"ratings.folds", false, 1, 100},
      {"ratings.repeats", false, 1, 100},
      {"factorization.rank", false, 1, 1000},
      {"factorization.penalty", false, 1e-6, 1e9},
      {"factorization.rounds", false, 0, 1000},
      {"output.checkpoint_seconds", false, 0, 1e9},
  };
  size_t num_numbers = 0;
  for (size_t i = 0; i < DORM__NUM_SETTINGS; i++)
    num_numbers +=
        dorm_setting_info_at(i)->kind == DORM_SETTING_NUMBER || dorm_setting_info_at(i)->kind == DORM_SETTING_INTEGER;
  CU_ASSERT_EQUAL(num_numbers, sizeof rows / sizeof *rows);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const dorm_setting_info *info = dorm_setting_info_at(dorm__setting_of_key(rows[i].key));
    CU_ASSERT_PTR_NOT_NULL_FATAL(info);
    bool is_kept = info->is_list == rows[i].is_list && info->min == rows[i].min && info->max == rows[i].max;
    CU_ASSERT_TRUE(is_kept);
    if (!is_kept)
      printf("%s has other bounds\n", rows[i].key);
  }
}

/* Which settings take several words is what files of users rely on, too. */
UNIT_TEST(words_keep_their_lists)
{
  static const char *const lists[] = {
      "data.normalisation",       "training.trainer",  "trees.objective",  "trees.raw_values", "trees.start",
      "ranking.position_weights", "ranking.reference", "ratings.features", "ratings.kernels",  "ratings.write"};
  enum { NUM_LISTS = sizeof lists / sizeof *lists };
  size_t found = 0;
  for (size_t i = 0; i < DORM__NUM_SETTINGS; i++) {
    const dorm_setting_info *info = dorm_setting_info_at(i);
    bool is_list = false;
    for (size_t k = 0; k < NUM_LISTS; k++)
      is_list = is_list || strcmp(info->key, lists[k]) == 0;
    if (info->kind == DORM_SETTING_NUMBER || info->kind == DORM_SETTING_INTEGER)
      continue;
    found += is_list;
    CU_ASSERT_EQUAL(info->is_list, is_list);
    if (info->is_list != is_list)
      printf("%s: one word or several\n", info->key);
  }
  CU_ASSERT_EQUAL(found, NUM_LISTS);
}

UNIT_TEST_IN(context, settings_are_checked)
{
  static const struct {
    const char *key, *text, *message;
  } bad[] = {
      {"solver.c", "1", "did you mean 'solver.C'"},
      {"solver.C", "1,x", "'x' is not a number"},
      {"solver.C", "1,,2", "a value is missing"},
      {"solver.C", "", "a value is missing"},
      {"solver.C", "-1", "not between"},
      {"solver.C", "nan", "not a number"},
      {"solver.C", "1e999", "not between"},
      {"solver.threads", "1.5", "not a whole number"},
      {"solver.threads", "2,3", "not a number"},
      {"solver.gap", "auto", "not a number"},
      {"ranking.reference", "best", "none of: listed"},
      {"ranking.reference", "mu", "needs a value"},
      {"ranking.reference", "mu:x", "'mu:x' is not a number"},
      {"ranking.reference", "mu:-1", "not between"},
      {"ranking.reference", "listed:3", "takes no value"},
      {"ranking.position_weights", "file:a,b.txt", "quote a path with a comma"},
      {"ranking.position_weights", "file:\"a,b.txt", "do not enclose a path"},
      {"ranking.position_weights", "file:\"\"", "do not enclose a path"},
      {"trees.shrinkage", "0.1", "trees.shrinkage is gone: it is now trees.learning_rate"},
      {"ratings.rank", "3", "ratings.rank is gone: the vectors of users and items in the affinities have length 20"},
      {"clicks.eta", "1", "clicks.eta is gone: use clicks.propensity = power:ETA"},
      {"clicks.file", "a", "clicks.file is gone: use clicks.propensity = file:PATH"},
      {"clicks.propensity", "power", "clicks.propensity = power is gone: use power:ETA"},
      {"clicks.propensity", "power:11", "power:11 is not between 0 and 10"},
      {"clicks.propensity", "em:1", "'em:1' takes no value"},
      {"net.lambda", "ranknet", "net.lambda is gone: it is now training.lambda"},
      {"trees.features", "0.1", "it is now trees.feature_share"},
      {"data.normalisation", "maxmin", "none of: none, minmax, zscore, global-minmax, global-zscore"},
  };
  DORM__OWNED(dorm_settings) *settings = unit_defaults(context, NULL);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    UNIT_BAD_USAGE(dorm_settings_set(context, settings, bad[i].key, bad[i].text), bad[i].message);
  CU_ASSERT_STRING_EQUAL(dorm_settings_get(settings, "solver.C"),
                         "1, 3, 10, 30, 100"); /* a refused value changes nothing */

  UNIT_OK(context, dorm_settings_set(context, settings, "training.seed", "0")); /* 0 is a seed as any other */
  UNIT_OK(context, dorm_settings_set(context, settings, "ranking.reference", " mu:0.5 ,listed"));
  CU_ASSERT_EQUAL(dorm__settings_count(settings, DORM__RANKING_REFERENCE), 2);
  CU_ASSERT_STRING_EQUAL(dorm__settings_word_at(settings, DORM__RANKING_REFERENCE, 0), "mu:0.5");
  CU_ASSERT_STRING_EQUAL(dorm__settings_word_at(settings, DORM__RANKING_REFERENCE, 1), "listed");
  CU_ASSERT_STRING_EQUAL(dorm_settings_get(settings, "ranking.reference"), "mu:0.5 ,listed");
  UNIT_OK(context, dorm_settings_set(context, settings, "ranking.reference", "auto"));
  CU_ASSERT_TRUE(dorm__settings_is_auto(settings, DORM__RANKING_REFERENCE));
  CU_ASSERT_EQUAL(dorm__settings_count(settings, DORM__RANKING_REFERENCE), 0);
  CU_ASSERT_TRUE(dorm__settings_is_auto(settings, DORM__NET_EPOCHS));
  CU_ASSERT_EQUAL(dorm__settings_number(settings, DORM__NET_EPOCHS), 0);
}

UNIT_TEST_IN(context, choices_are_indices_of_the_words_of_the_table)
{
  DORM__OWNED(dorm_settings) *settings = unit_defaults(context, NULL);
  /* The word auto is a choice of the first setting, and none of the second. */
  CU_ASSERT_EQUAL(dorm__settings_choice(settings, DORM__DATA_STORAGE), 0);
  CU_ASSERT_EQUAL(dorm__settings_choice(settings, DORM__RANKING_REFERENCE), SIZE_MAX);
  UNIT_OK(context, dorm_settings_set(context, settings, "data.storage", "sparse"));
  CU_ASSERT_EQUAL(dorm__settings_choice(settings, DORM__DATA_STORAGE), 2);
  UNIT_OK(context, dorm_settings_set(context, settings, "ranking.reference", "mu:0.25, none, listed"));
  CU_ASSERT_EQUAL(dorm__settings_choice(settings, DORM__RANKING_REFERENCE), 4);
  CU_ASSERT_EQUAL(dorm__settings_number_at(settings, DORM__RANKING_REFERENCE, 0), 0.25);
  CU_ASSERT_STRING_EQUAL(dorm__settings_argument_at(settings, DORM__RANKING_REFERENCE, 0), "0.25");
  CU_ASSERT_PTR_NULL(dorm__settings_argument_at(settings, DORM__RANKING_REFERENCE, 1));
}

typedef struct path_list {
  size_t count;
  char text[400]; /* "setting=path;" for each path */
} path_list;

static dorm_status note_path(void *user, dorm__setting setting, const char *path)
{
  path_list *list = user;
  size_t used = strlen(list->text);
  snprintf(list->text + used, sizeof list->text - used, "%s=%s;", dorm__setting_table[setting].key, path);
  return ++list->count == 100 ? DORM_STOPPED : DORM_OK;
}

UNIT_TEST_IN(context, paths_are_handed_out_whole)
{
  path_list list = {0};
  DORM__OWNED(dorm_settings) *settings =
      unit_defaults(context, UNIT_PAIRS("data.train", " my data, part 1: a \"b\".txt ", "output.model", "",
                                        "ratings.output", "", "diversity.groups", "file:hosts, of: all.txt"));
  UNIT_OK(context, dorm_settings_set(context, settings, "ranking.position_weights",
                                     "file:my c:1.txt, loss, file:\"a, b: c.txt\" ,power:0.5"));
  UNIT_OK(context, dorm__settings_each_path(settings, note_path, &list));
  CU_ASSERT_EQUAL(list.count, 4);
  CU_ASSERT_STRING_EQUAL(list.text, "data.train=my data, part 1: a \"b\".txt;"
                                    "ranking.position_weights=my c:1.txt;"
                                    "ranking.position_weights=a, b: c.txt;"
                                    "diversity.groups=hosts, of: all.txt;");
  CU_ASSERT_EQUAL(dorm__settings_count(settings, DORM__RANKING_POSITION_WEIGHTS), 4);
  CU_ASSERT_STRING_EQUAL(dorm__settings_word_at(settings, DORM__RANKING_POSITION_WEIGHTS, 2), "file:a, b: c.txt");
  DORM__OWNED(dorm_settings) *copy = NULL;
  path_list again = {0};
  UNIT_OK(context, dorm__settings_copy(context, settings, &copy));
  UNIT_OK(context, dorm__settings_each_path(copy, note_path, &again));
  CU_ASSERT_STRING_EQUAL(again.text, list.text);
  list.count = 99;
  CU_ASSERT_EQUAL(dorm__settings_each_path(settings, note_path, &list), DORM_STOPPED);
  CU_ASSERT_EQUAL(list.count, 100); /* the first refusal ends it */
}

/* Checks that settings of a model file name no file where they are used, and all others keep their values. */
UNIT_TEST_IN(context, settings_of_a_model_file_name_no_file)
{
  static const struct {
    const char *key, *text;
    bool names_file;
  } cases[] = {
      {"data.from", "a.dorm", true},
      {"net.start", "file:a", true},
      {"ranking.position_weights", "log, file:\"a, b\"", true},
      {"diversity.groups", "file:a", true},
      {"clicks.propensity", "file:a", true},
      {"clicks.propensity", "power:2", false},
      {"loss.name", "from a.so", true},
      {"loss.name", "x:k=1  from a.so", true},
      {"loss.name", "cost: file = a", true},
      {"selection.measure", "minus_loss(x from a.so)", true},
      {"selection.measure", "minus_loss(cost:attribute=2,file=\"a, b\")", true},
      {"training.lambda", "lambdarank of x from a.so", true},
      {"kernel.kernel", "linear+2*gram:a(1)", true},
      {"kernel.kernel", "linear + gram : \"a\"(1)", true},
      {"kernel.kernel", "histogram", false},
      {"loss.name", "mrr", false},
      {"data.normalisation", "zscore", false},
      {"diversity.groups", "docid:^from-file", false},
      {"solver.C", "1, 7", false},
      {"data.columns", "from, file", false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    DORM__OWNED(dorm_settings) *record = NULL;
    dorm_settings *usable = NULL;
    const dorm_setting_info *info = &dorm__setting_table[dorm__setting_of_key(cases[i].key)];
    DORM__OWNED(dorm_settings) *settings = unit_defaults(context, UNIT_PAIRS(cases[i].key, cases[i].text));
    UNIT_OK(context, dorm__settings_copy_usable(context, settings, &usable));
    CU_ASSERT_STRING_EQUAL(dorm_settings_get(usable, cases[i].key), cases[i].text); /* they are of a caller */
    dorm_settings_free(usable);
    dorm__settings_mark_record(settings, (dorm__setting)dorm__setting_of_key(cases[i].key));
    UNIT_OK(context, dorm__settings_copy(context, settings, &record));
    UNIT_OK(context, dorm__settings_copy_usable(context, record, &usable));
    CU_ASSERT_STRING_EQUAL(dorm_settings_get(record, cases[i].key), cases[i].text);
    CU_ASSERT_STRING_EQUAL(dorm_settings_get(usable, cases[i].key),
                           cases[i].names_file ? info->default_text : cases[i].text);
    CU_ASSERT_EQUAL(dorm__settings_is_given(usable, (dorm__setting)dorm__setting_of_key(cases[i].key)),
                    !cases[i].names_file);
    dorm_settings_free(usable);
    UNIT_OK(context, dorm_settings_set(context, record, cases[i].key, cases[i].text)); /* by a caller again */
    UNIT_OK(context, dorm__settings_copy_usable(context, record, &usable));
    CU_ASSERT_STRING_EQUAL(dorm_settings_get(usable, cases[i].key), cases[i].text);
    dorm_settings_free(usable);
  }
}

UNIT_TEST_IN(context, configuration_files_say_where_they_are_wrong)
{
  static const unit_refusal bad[] = {
      {"[solver]\nC = 1\n\n[loss]\ntrunkation = 3\n",
       ":5: unknown setting 'loss.trunkation'; did you mean 'loss.truncation'?"},
      {"[solver]\nC = 1\nC = 2\n", ":3: solver.C was already given on line 2"},
      {"[solver\nC = 1\n", ":1: neither [section]"},
      {"[solver]\nC\n", ":2: neither [section]"},
      {"C = 1\n", ":1: unknown setting 'C'"},
      {"[solver]\r\ngap = zero\r\n", ":2: solver.gap: 'zero' is not a number"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    DORM__OWNED(dorm_settings) *settings = unit_defaults(context, NULL);
    const char *path = unit_temporary_file(bad[i].given);
    UNIT_BAD_USAGE(dorm_settings_read(context, settings, path), bad[i].message);
  }
  DORM__OWNED(dorm_settings) *settings = unit_defaults(context, NULL);
  const char *path = unit_temporary_file(
      "# a comment\n[loss]\nname = ndcg:gain=linear,discount=log2 ; another\n[solver]\r\nC=1,2\r\n");
  UNIT_OK(context, dorm_settings_read(context, settings, path));
  CU_ASSERT_STRING_EQUAL(dorm_settings_get(settings, "loss.name"), "ndcg:gain=linear,discount=log2");
  CU_ASSERT_EQUAL(dorm__settings_number_at(settings, DORM__SOLVER_C, 1), 2);
  UNIT_FAILS(context, dorm_settings_read(context, settings, "no such file"), DORM_IO_ERROR, "no such file");
  DORM__FREED char *long_text = unit_alloc(3000, 1);
  memset(long_text, 'x', 2999);
  memcpy(long_text, "[data]\ntrain = ", 15);
  long_text[2999] = '\0';
  path = unit_temporary_file(long_text);
  UNIT_BAD_USAGE(dorm_settings_read(context, settings, path), ":2: line longer");
}
