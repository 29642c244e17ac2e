/* settings.c: the settings of a command, from its configuration file and its options -s, and the ratings that they
 * name. */
#include "cli/cli.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a file is by its beginning: 'd' data, 'c' a configuration, '?' it cannot be looked at. */
static char kind_of_file(const char *path)
{
  enum { LOOKED_AT = 4096 };
  char text[LOOKED_AT + 1];
  struct stat about;
  if (strcmp(path, "-") == 0)
    return 'd';
  FILE *file = stat(path, &about) == 0 && S_ISREG(about.st_mode) ? fopen(path, "rb") : NULL;
  if (!file)
    return '?';
  size_t size = fread(text, 1, LOOKED_AT, file);
  fclose(file);
  text[size] = '\0';
  if (strlen(text) < size) /* gzip, or a binary cache */
    return 'd';
  const char *line = strncmp(text, "\xef\xbb\xbf", 3) == 0 ? text + 3 : text; /* a byte order mark */
  while (*line == '#' || *line == ';' || isspace((unsigned char)*line))
    line += *line == '#' || *line == ';' ? strcspn(line, "\n") : 1;
  return *line && strchr("0123456789+-.", *line) ? 'd' : 'c';
}

/* Whether the path stands for several files of data. */
static bool is_pattern(const char *path)
{
  return strstr(path, "%r") || (strpbrk(path, "*?[{") && access(path, F_OK) != 0);
}

bool cli_is_data(const char *path)
{
  return is_pattern(path) || kind_of_file(path) == 'd';
}

bool cli_is_configuration(const char *path)
{
  return kind_of_file(path) == 'c';
}

dorm_status cli_read_settings(dorm_context *context, const char *command, int argc, char **argv, size_t num_assignments,
                              const char *const *assignments, dorm_settings **settings)
{
  if (argc - optind > 1)
    return (dorm_status)cli_usage_error("%s: '%s' is one argument too many: there is at most one configuration file",
                                        command, argv[optind + 1]);
  if (optind < argc && cli_is_data(argv[optind]))
    return (dorm_status)cli_usage_error("%s: '%s' is data, not a configuration", command, argv[optind]);
  dorm_status status = dorm_settings_new(context, settings);
  if (status == DORM_OK && optind < argc)
    status = dorm_settings_read(context, *settings, argv[optind]);
  if (status != DORM_OK)
    return (dorm_status)cli_failure(context, status);
  dorm_settings_obey_all(*settings);
  for (size_t i = 0; status == DORM_OK && i < num_assignments; i++)
    status = cli_set_setting(context, *settings, assignments[i]);
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
  const dorm_setting_info *info;
  printf("Settings (in CONFIG as [section] and key = value):\n");
  for (size_t i = 0; (info = dorm_setting_at(i)) != NULL; i++) {
    if (!is_wanted(info->key, sections))
      continue;
    printf("\n  %s = %s%s\n      %s\n", info->key, info->default_text, info->is_list ? "   (a list)" : "", info->help);
    if (info->choices)
      printf("      one of: %s\n", info->choices);
    else if (info->kind == DORM_SETTING_NUMBER || info->kind == DORM_SETTING_INTEGER)
      printf("      %s from %g to %g\n", info->kind == DORM_SETTING_INTEGER ? "whole number" : "number", info->min,
             info->max);
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
    fprintf(stderr, "dorm: %s%s\n", event->kind == DORM_EVENT_WARNING ? "warning: " : "", event->text);
}
