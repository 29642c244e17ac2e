/* options.c: reads the options of a command from a table, and prints its help from the same table. */
#include "cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OPTIONS = 40, FIRST_VALUE = 1000 };

/* ---- Help ------------------------------------------------------------------------------- */

/* Writes "  -o, --output FILE" to line and returns its length. */
static size_t name_option(const cli_option *option, size_t size, char *line)
{
  const char letter[] = {'-', option->letter, ',', '\0'};
  return (size_t)snprintf(line, size, "  %3s --%s%s%s", option->letter ? letter : "", option->name,
                          option->value ? " " : "", option->value ? option->value : "");
}

static void print_help(const cli_usage *usage, const cli_option *options)
{
  char line[80];
  size_t width = 0;
  for (const cli_option *option = options; option->name; option++) {
    size_t length = name_option(option, sizeof line, line);
    width = length > width ? length : width;
  }
  printf("usage: ");
  cli_print_wrapped(usage->synopsis, strlen("usage: "), strlen("usage: "));
  putchar('\n');
  cli_print_wrapped(usage->about, 0, 0);
  putchar('\n');
  for (const cli_option *option = options; option->name; option++) {
    name_option(option, sizeof line, line);
    cli_print(stdout, "%-*s  ", (int)width, line);
    cli_print_wrapped(option->help, width + 2, width + 2);
  }
  if (usage->after) {
    putchar('\n');
    cli_print_wrapped(usage->after, 0, 0);
  }
  if (usage->settings) {
    putchar('\n');
    cli_print_settings(*usage->settings ? usage->settings : NULL);
  }
}

/* ---- Values ------------------------------------------------------------------------------- */

/* Rejects a number with a message about its kind and its bounds, if there are any. */
static int refuse_number(const cli_usage *usage, const cli_option *option, const char *text, const char *kind)
{
  char bounds[80] = "";
  if (option->most > option->least)
    snprintf(bounds, sizeof bounds, " from %.10g to %.10g", option->least, option->most);
  else if (option->least > 0)
    snprintf(bounds, sizeof bounds, " of %.10g or more", option->least);
  return cli_usage_error("%s: --%s '%s' is not %s%s", usage->command, option->name, text, kind, bounds);
}

static bool is_within(const cli_option *option, double value)
{
  bool has_bounds = option->least < option->most || option->least > option->most;
  return !has_bounds || (value >= option->least && (option->most < option->least || value <= option->most));
}

bool cli_parse_number(const char *text, double *value)
{
  char *end;
  errno = 0;
  *value = strtod(text, &end);
  return end != text && !*end && !errno;
}

static int take_text(const cli_usage *usage, const cli_option *option, const char *text)
{
  cli_texts *texts = option->target;
  if (option->kind == CLI_TEXT)
    *(const char **)option->target = text;
  else if (texts->count == CLI_MOST_TEXTS)
    return cli_usage_error("%s: --%s is given more than %d times", usage->command, option->name, CLI_MOST_TEXTS);
  else
    texts->items[texts->count++] = text;
  return DORM_OK;
}

static int take_value(const cli_usage *usage, const cli_option *option, const char *text)
{
  unsigned long long count;
  switch (option->kind) {
  case CLI_FLAG:
    *(bool *)option->target = true;
    return DORM_OK;
  case CLI_SWITCH:
    *(int *)option->target = 1;
    return DORM_OK;
  case CLI_SEED:
  case CLI_SIZE:
    if (!cli_parse_count(text, &count) || !is_within(option, (double)count) ||
        (option->kind == CLI_SIZE && count != (size_t)count))
      return refuse_number(usage, option, text, "a whole number");
    if (option->kind == CLI_SEED)
      *(uint64_t *)option->target = count;
    else
      *(size_t *)option->target = (size_t)count;
    return DORM_OK;
  case CLI_NUMBER:
    if (!cli_parse_number(text, option->target) || !is_within(option, *(double *)option->target))
      return refuse_number(usage, option, text, "a number");
    return DORM_OK;
  case CLI_FUNCTION:
    return option->take(option->target, text);
  default:
    return take_text(usage, option, text);
  }
}

/* ---- The options of a command ----------------------------------------------------------------- */

void cli_take_options(const cli_usage *usage, const cli_option *options, int argc, char **argv)
{
  struct option names[MOST_OPTIONS + 2] = {{"help", no_argument, NULL, 'h'}};
  char letters[2 * MOST_OPTIONS + 2] = "h";
  size_t used = 1;
  for (size_t i = 0; options[i].name && i < MOST_OPTIONS; i++) {
    const cli_option *option = &options[i];
    int argument = option->kind == CLI_FLAG || option->kind == CLI_SWITCH ? no_argument : required_argument;
    names[i + 1] = (struct option){option->name, argument, NULL, FIRST_VALUE + (int)i};
    if (option->letter) {
      letters[used++] = option->letter;
      if (argument == required_argument)
        letters[used++] = ':';
    }
  }
  char name[40]; /* for the messages of getopt */
  snprintf(name, sizeof name, "dorm %s", usage->command);
  argv[0] = name;
  int found;
  while ((found = getopt_long(argc, argv, letters, names, NULL)) != -1) {
    const cli_option *option = options;
    if (found == 'h') {
      print_help(usage, options);
      cli_end(DORM_OK);
    }
    if (found == '?')
      cli_end(DORM_BAD_USAGE); /* getopt has printed the reason */
    if (found >= FIRST_VALUE)
      option += found - FIRST_VALUE;
    else
      while (option->letter != found)
        option++;
    cli_expect(take_value(usage, option, optarg));
  }
}
