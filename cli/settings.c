/* settings.c: the settings of a command, from its configuration file and its options -s, and the ratings that they
 * name. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A configuration is obeyed as a program is, so its name or --config says that a file is one, never what is in it. */
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
    return (dorm_status)cli_usage_error("%s: '%s' is one argument too many: it takes a configuration (FILE.ini, "
                                        "FILE.conf or --config FILE) and %s",
                                        command, argv[optind + most_files],
                                        most_files ? "training and validation data" : "nothing else");
  for (int i = optind; i < argc; i++)
    if (is_configuration(argv[i]))
      return (dorm_status)cli_usage_error(
          "%s: '%s' is no data by its name: there is at most one configuration, and it comes first", command, argv[i]);
  return DORM_OK;
}

dorm_status cli_read_settings(dorm_context *context, const char *config, const cli_texts *assignments,
                              dorm_settings **settings)
{
  dorm_status status = dorm_settings_new(context, settings);
  if (status == DORM_OK && config)
    status = dorm_settings_read(context, *settings, config);
  if (status != DORM_OK)
    return (dorm_status)cli_failure(context, status);
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

void cli_print_settings(const char *sections)
{
  enum { INDENT = 6 };
  const dorm_setting_info *info;
  printf("Settings (in CONFIG as [section] and key = value):\n");
  for (size_t i = 0; (info = dorm_setting_at(i)) != NULL; i++) {
    if (!is_wanted(info->key, sections))
      continue;
    cli_print(stdout, "\n  %s = %s%s\n%*s", info->key, info->default_text, info->is_list ? "   (a list)" : "", INDENT,
              "");
    cli_print_wrapped(info->help, INDENT, INDENT);
    if (info->choices)
      cli_print(stdout, "%*sone of: %s\n", INDENT, "", info->choices);
    else if (info->kind == DORM_SETTING_NUMBER || info->kind == DORM_SETTING_INTEGER)
      cli_print(stdout, "%*s%s from %g to %g\n", INDENT, "",
                info->kind == DORM_SETTING_INTEGER ? "whole number" : "number", info->min, info->max);
  }
}

dorm_status cli_read_ratings(dorm_context *context, const dorm_settings *settings, dorm_ratings **training,
                             dorm_ratings **held_out)
{
  const char *path = dorm_settings_get(settings, "ratings.file");
  const char *held_out_path = dorm_settings_get(settings, "ratings.held_out");
  bool splits = strcmp(dorm_settings_get(settings, "ratings.split"), "none") != 0;
  dorm_ratings *all = NULL;
  *training = NULL;
  *held_out = NULL;
  if (!*path)
    return (dorm_status)cli_usage_error("ratings.file is not set: name the ratings in CONFIG, or by -s "
                                        "ratings.file=FILE");
  if (*held_out_path && splits)
    return (dorm_status)cli_usage_error(
        "ratings.held_out and ratings.split both say which ratings are held out; set one of them");
  dorm_status status = dorm_ratings_read(context, settings, path, *held_out_path ? held_out_path : NULL,
                                         splits ? &all : training, *held_out_path ? held_out : NULL);
  if (status == DORM_OK && splits)
    status = dorm_ratings_split(context, settings, all, training, held_out);
  dorm_ratings_free(all);
  return status == DORM_OK ? DORM_OK : (dorm_status)cli_failure(context, status);
}

void cli_print_note(void *user, const dorm_event *event)
{
  (void)user;
  if (event->kind == DORM_EVENT_NOTE || event->kind == DORM_EVENT_WARNING)
    cli_print(stderr, "dorm: %s%s\n", event->kind == DORM_EVENT_WARNING ? "warning: " : "", event->text);
}
