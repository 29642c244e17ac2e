/* settings.c: the settings of a command, from its configuration file and its options -s, and the ratings that the
 * settings name. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Decides by the name alone whether a file is a configuration. Its settings are obeyed like a program, so the content
 * of a file must not decide this. */
static bool is_configuration(const char *path)
{
  const char *ending = strrchr(path, '.');
  return ending && (strcmp(ending, ".ini") == 0 || strcmp(ending, ".conf") == 0);
}

dorm_status cli_find_configuration(const char *command, int argc, char **argv, int most_files, const char **config)
{
  if (!*config && optind < argc && is_configuration(argv[optind]))
    *config = argv[optind++];
  if (argc - optind > most_files)
    return cli_usage_error("%s: '%s' is one argument too many: it takes a configuration (FILE.ini, "
                           "FILE.conf or --config FILE) and %s",
                           command, argv[optind + most_files],
                           most_files ? "training and validation data" : "nothing else");
  for (int i = optind; i < argc; i++)
    if (is_configuration(argv[i]))
      return cli_usage_error("%s: '%s' is no data by its name: there is at most one configuration, and it comes first",
                             command, argv[i]);
  return DORM_OK;
}

dorm_status cli_read_settings(dorm_context *context, const char *config, const cli_texts *assignments,
                              dorm_settings **settings)
{
  dorm_status status = dorm_settings_new(context, settings);
  if (status == DORM_OK && config)
    status = dorm_settings_read(context, *settings, config);
  if (status != DORM_OK)
    return cli_failure(context, status);
  dorm_settings_obey_all(*settings);
  for (size_t i = 0; status == DORM_OK && i < assignments->count; i++)
    status = cli_set_setting(context, *settings, assignments->items[i]);
  return status;
}

static bool is_wanted(const char *key, const char *sections)
{
  size_t size = strcspn(key, ".");
  for (const char *s = sections; s && *s; s += strcspn(s, " "), s += strspn(s, " "))
    if (strcspn(s, " ") == size && strncmp(s, key, size) == 0)
      return true;
  return !sections;
}

static void print_setting(const dorm_setting_info *info)
{
  enum { INDENT = 6 };
  printf("\n");
  cli_print_lines(stdout, 2, "%s = %s%s", info->key, info->default_text, info->is_list ? "   (a list)" : "");
  cli_print(stdout, "%*s", INDENT, "");
  cli_print_wrapped(info->help, INDENT, INDENT);
  if (info->choices)
    cli_print_lines(stdout, INDENT, "one of: %s", info->choices);
  else if (info->kind == DORM_SETTING_NUMBER || info->kind == DORM_SETTING_INTEGER)
    cli_print(stdout, "%*s%s from %g to %g\n", INDENT, "",
              info->kind == DORM_SETTING_INTEGER ? "whole number" : "number", info->min, info->max);
}

void cli_print_settings(const char *sections)
{
  const dorm_setting_info *info;
  printf("Settings (in CONFIG as [section] and key = value):\n");
  for (size_t i = 0; (info = dorm_setting_info_at(i)) != NULL; i++)
    if (is_wanted(info->key, sections))
      print_setting(info);
}

static const char help_on_config[] =
    "A configuration is a text file whose name ends in .ini or .conf, or that follows --config:\n\n"
    "  [data]\n  train = train.txt         # a comment\n  [solver]\n  C = 1, 10                 # a list: both are "
    "tried\n\n"
    "On the command line, -s solver.C=1,10 sets the same, and overrides the file. dorm help SECTION lists the settings "
    "of "
    "a section, dorm help SETTING explains one. Sections:\n";
static const char help_on_formats[] =
    "Data are lines of text, one for each document; the lines of a query are together:\n\n"
    "  2 qid:10 1:0.03 2:0.67 5:1.2 # docid = GX001\n\n"
    "a label, the query, and features by number; a feature that is absent is 0, and nan, NA or ? is missing. This is "
    "the "
    "format of LETOR, SVMlight, RankLib, XGBoost and LightGBM. Files whose names end in .csv or .tsv have a header, "
    "and "
    "--query, --label and --id name columns that have no usual name; all others are features. Both may be packed "
    "by gzip, and - is standard input. dorm data FILE describes a file, and manual/formats.md has all formats.\n";

/* Prints the sections, grouped by topic. */
static void print_sections(void)
{
  const dorm_setting_info *info, *last = NULL;
  char text[400];
  size_t size = 0;
  for (size_t i = 0; (info = dorm_setting_info_at(i)) != NULL && size < sizeof text; last = info, i++) {
    size_t section = strcspn(info->key, ".") + 1;
    if (!last || strncmp(last->key, info->key, section) != 0)
      size += (size_t)snprintf(text + size, sizeof text - size, " %.*s", (int)section - 1, info->key);
  }
  cli_print_wrapped(text, 0, 1);
}

bool cli_print_topic(const char *topic)
{
  const dorm_setting_info *info;
  size_t count = 0, size = strlen(topic);
  if (strcmp(topic, "formats") == 0 || strcmp(topic, "config") == 0) {
    cli_print_wrapped(*topic == 'f' ? help_on_formats : help_on_config, 0, 0);
    if (*topic == 'c')
      print_sections();
    return true;
  }
  for (size_t i = 0; (info = dorm_setting_info_at(i)) != NULL; i++) {
    size_t section = strcspn(info->key, ".");
    bool is_meant = strcmp(info->key, topic) == 0 || strcmp(info->key + section + 1, topic) == 0 ||
                    (section == size && strncmp(info->key, topic, size) == 0);
    if (is_meant)
      print_setting(info);
    count += is_meant;
  }
  return count > 0;
}

void cli_read_ratings(dorm_context *context, const dorm_settings *settings, dorm_ratings **training,
                      dorm_ratings **held_out)
{
  const char *path = dorm_settings_get(settings, "ratings.file");
  const char *held_out_path = dorm_settings_get(settings, "ratings.held_out");
  bool splits = strcmp(dorm_settings_get(settings, "ratings.split"), "none") != 0;
  dorm_ratings *all = NULL;
  *training = *held_out = NULL;
  if (!*path)
    cli_end(cli_usage_error("ratings.file is not set: name the ratings in CONFIG, or by -s ratings.file=FILE"));
  if (*held_out_path && splits)
    cli_end(cli_usage_error("ratings.held_out and ratings.split both say which ratings are held out; set one of them"));
  cli_check(context, dorm_ratings_read(context, settings, path, *held_out_path ? held_out_path : NULL,
                                       splits ? &all : training, *held_out_path ? held_out : NULL));
  if (splits)
    cli_check(context, dorm_ratings_split(context, settings, all, training, held_out));
  dorm_ratings_free(all);
}
