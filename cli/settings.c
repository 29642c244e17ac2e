/* settings.c: settings of a command: its configuration file, then its -s. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

/* "key=value" from the command line. */
static dorm_status set_from_argument(dorm_context *context, dorm_settings *settings, const char *argument)
{
  const char *equals = strchr(argument, '=');
  if (!equals)
    return (dorm_status)cli_usage_error("-s %s: needs key=value", argument);
  size_t size = (size_t)(equals - argument);
  char *key = malloc(size + 1);
  if (!key)
    return (dorm_status)cli_out_of_memory();
  memcpy(key, argument, size);
  key[size] = '\0';
  dorm_status status = dorm_settings_set(context, settings, key, equals + 1);
  free(key);
  return status == DORM_OK ? DORM_OK : (dorm_status)cli_failure(context, status);
}

dorm_status cli_read_settings(dorm_context *context, const char *path, size_t num_assignments,
                              const char *const *assignments, dorm_settings **settings)
{
  dorm_status status = dorm_settings_new(context, settings);
  if (status == DORM_OK && path)
    status = dorm_settings_read(context, *settings, path);
  if (status != DORM_OK)
    return (dorm_status)cli_failure(context, status);
  for (size_t i = 0; status == DORM_OK && i < num_assignments; i++)
    status = set_from_argument(context, *settings, assignments[i]);
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
