/* settings_test.c: the table of settings, values that are refused, words and paths, and configuration files. */
#include "base/base.h"
#include "settings/settings.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void the_settings_table_is_whole(void)
{
  dorm_context *context = unit_context();
  for (size_t i = 0; i < DORM__NUM_SETTINGS; i++) {
    const dorm_setting_info *info = dorm_setting_at(i);
    CU_ASSERT_PTR_NOT_NULL_FATAL(info->key);
    CU_ASSERT_PTR_NOT_NULL(strchr(info->key, '.'));
    CU_ASSERT_TRUE(strlen(info->help) > 0);
    for (size_t j = 0; j < i; j++)
      CU_ASSERT_STRING_NOT_EQUAL(info->key, dorm_setting_at(j)->key);
  }
  CU_ASSERT_PTR_NULL(dorm_setting_at(DORM__NUM_SETTINGS));
  dorm_settings *settings = NULL;
  UNIT_OK(context, dorm_settings_new(context, &settings)); /* every default passes its own check */
  dorm_settings_free(settings);
  dorm_context_free(context);
}

static void settings_are_checked(void)
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
      {"ranking.position_weights", "file:a,b.txt", "a path with a comma stands in quotes"},
      {"ranking.position_weights", "file:\"a,b.txt", "do not enclose a path"},
      {"ranking.position_weights", "file:\"\"", "do not enclose a path"},
      {"data.normalisation", "maxmin", "none of: none, minmax, zscore, global-minmax, global-zscore"},
  };
  dorm_context *context = unit_context();
  dorm_settings *settings = NULL;
  UNIT_OK(context, dorm_settings_new(context, &settings));
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    UNIT_FAILS(context, dorm_settings_set(context, settings, bad[i].key, bad[i].text), DORM_BAD_USAGE, bad[i].message);
  CU_ASSERT_STRING_EQUAL(dorm_settings_get(settings, "solver.C"),
                         "1, 3, 10, 30, 100"); /* a refused value changes nothing */

  static const char *const seeds[] = {"kernel.seed", "trees.seed", "net.seed", "selection.seed", "ratings.seed"};
  for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) /* 0 is a seed as any other */
    UNIT_OK(context, dorm_settings_set(context, settings, seeds[i], "0"));
  UNIT_OK(context, dorm_settings_set(context, settings, "ranking.reference", " mu:0.5 ,listed"));
  CU_ASSERT_EQUAL(dorm__settings_count(settings, DORM__RANKING_REFERENCE), 2);
  CU_ASSERT_STRING_EQUAL(dorm__settings_word_at(settings, DORM__RANKING_REFERENCE, 0), "mu:0.5");
  CU_ASSERT_STRING_EQUAL(dorm__settings_word_at(settings, DORM__RANKING_REFERENCE, 1), "listed");
  CU_ASSERT_STRING_EQUAL(dorm_settings_get(settings, "ranking.reference"), "mu:0.5 ,listed");
  UNIT_OK(context, dorm_settings_set(context, settings, "ranking.reference", "auto"));
  CU_ASSERT_TRUE(dorm__settings_is_auto(settings, DORM__RANKING_REFERENCE));
  dorm_settings_free(settings);
  dorm_context_free(context);
}

static void choices_are_indices_of_the_words_of_the_table(void)
{
  dorm_context *context = unit_context();
  dorm_settings *settings = NULL;
  UNIT_OK(context, dorm_settings_new(context, &settings));
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
  dorm_settings_free(settings);
  dorm_context_free(context);
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

static void paths_are_handed_out_whole(void)
{
  dorm_context *context = unit_context();
  dorm_settings *settings = NULL;
  path_list list = {0};
  UNIT_OK(context, dorm_settings_new(context, &settings));
  UNIT_OK(context, dorm_settings_set(context, settings, "data.train", " my data, part 1: a \"b\".txt "));
  UNIT_OK(context, dorm_settings_set(context, settings, "output.model", ""));
  UNIT_OK(context, dorm_settings_set(context, settings, "ratings.output", ""));
  UNIT_OK(context, dorm_settings_set(context, settings, "diversity.groups", "file:hosts, of: all.txt"));
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
  dorm_settings *copy = NULL;
  path_list again = {0};
  UNIT_OK(context, dorm__settings_copy(context, settings, &copy));
  UNIT_OK(context, dorm__settings_each_path(copy, note_path, &again));
  CU_ASSERT_STRING_EQUAL(again.text, list.text);
  list.count = 99;
  CU_ASSERT_EQUAL(dorm__settings_each_path(settings, note_path, &list), DORM_STOPPED);
  CU_ASSERT_EQUAL(list.count, 100); /* the first refusal ends it */
  dorm_settings_free(copy);
  dorm_settings_free(settings);
  dorm_context_free(context);
}

static void configuration_files_say_where_they_are_wrong(void)
{
  static const struct {
    const char *text, *message;
  } bad[] = {
      {"[solver]\nC = 1\n\n[loss]\ntrunkation = 3\n",
       ":5: unknown setting 'loss.trunkation'; did you mean 'loss.truncation'?"},
      {"[solver]\nC = 1\nC = 2\n", ":3: solver.C was already given on line 2"},
      {"[solver\nC = 1\n", ":1: neither [section]"},
      {"[solver]\nC\n", ":2: neither [section]"},
      {"C = 1\n", ":1: unknown setting 'C'"},
      {"[solver]\r\ngap = zero\r\n", ":2: solver.gap: 'zero' is not a number"},
  };
  dorm_context *context = unit_context();
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    dorm_settings *settings = NULL;
    UNIT_OK(context, dorm_settings_new(context, &settings));
    const char *path = unit_temporary_file(bad[i].text);
    UNIT_FAILS(context, dorm_settings_read(context, settings, path), DORM_BAD_USAGE, bad[i].message);
    unlink(path);
    dorm_settings_free(settings);
  }
  dorm_settings *settings = NULL;
  UNIT_OK(context, dorm_settings_new(context, &settings));
  const char *path = unit_temporary_file(
      "# a comment\n[loss]\nname = ndcg:gain=linear,discount=log2 ; another\n[solver]\r\nC=1,2\r\n");
  UNIT_OK(context, dorm_settings_read(context, settings, path));
  unlink(path);
  CU_ASSERT_STRING_EQUAL(dorm_settings_get(settings, "loss.name"), "ndcg:gain=linear,discount=log2");
  CU_ASSERT_EQUAL(dorm__settings_number_at(settings, DORM__SOLVER_C, 1), 2);
  UNIT_FAILS(context, dorm_settings_read(context, settings, "no such file"), DORM_IO_ERROR, "no such file");
  char *long_text = malloc(3000);
  CU_ASSERT_PTR_NOT_NULL_FATAL(long_text);
  memset(long_text, 'x', 2999);
  memcpy(long_text, "[data]\ntrain = ", 15);
  long_text[2999] = '\0';
  path = unit_temporary_file(long_text);
  UNIT_FAILS(context, dorm_settings_read(context, settings, path), DORM_BAD_USAGE, ":2: line longer");
  unlink(path);
  free(long_text);
  dorm_settings_free(settings);
  dorm_context_free(context);
}

static const unit_test tests[] = {
    {"the settings table is whole", the_settings_table_is_whole},
    {"settings are checked", settings_are_checked},
    {"choices are indices of the words of the table", choices_are_indices_of_the_words_of_the_table},
    {"paths are handed out whole", paths_are_handed_out_whole},
    {"configuration files say where they are wrong", configuration_files_say_where_they_are_wrong},
    {NULL, NULL},
};

const unit_suite settings_suite = {"settings", tests};
