/* messages.c: messages, arguments and settings that all subcommands treat alike. */
#include "cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Prints text [size] as dorm_printable shows it, except characters that differ from `plain` [size], which stay
 * unchanged. Changes the text. */
static void print_shown(FILE *file, char *text, size_t size, const char *plain, char *shown)
{
  for (size_t i = 0, begin = 0; i <= size; i++) {
    char own = text[i];
    if (i < size && own == plain[i])
      continue;
    text[i] = '\0';
    fputs(dorm_printable(text + begin, shown), file);
    if (i < size)
      fputc(own, file);
    begin = i + 1;
  }
}

/* Formats twice, the second time without the line ends and tabs of the format: all others are from arguments. */
static void print(FILE *file, const char *format, va_list arguments)
{
  va_list again;
  va_copy(again, arguments);
  int size = vsnprintf(NULL, 0, format, again);
  va_end(again);
  size_t room = size < 0 ? 1 : (size_t)size + 1;
  char *plain_format = strdup(format), *text = malloc(room * (1 + 1 + 4));
  for (char *c = plain_format; c && *c; c++)
    *c = *c == '\n' || *c == '\t' ? ' ' : *c;
  if (plain_format && text) {
    va_copy(again, arguments);
    vsnprintf(text, room, format, again);
    va_end(again);
    vsnprintf(text + room, room, plain_format, arguments);
    print_shown(file, text, room - 1, text + room, text + 2 * room);
  }
  free(plain_format);
  free(text);
}

void cli_print(FILE *file, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  print(file, format, arguments);
  va_end(arguments);
}

void cli_print_wrapped(const char *text, size_t at, size_t indent)
{
  enum { COLUMNS = 79 };
  bool is_first = true;
  while (*text) {
    size_t size = strcspn(text, " \n");
    if (!is_first && (text[-1] == '\n' || at + 1 + size > COLUMNS)) {
      cli_print(stdout, "\n%*s", (int)indent, "");
      at = indent;
    } else if (!is_first) {
      putchar(' ');
      at++;
    }
    cli_print(stdout, "%.*s", (int)size, text);
    at += size;
    is_first = false;
    text += size;
    text += *text != '\0';
  }
  putchar('\n');
}

int cli_failure(const dorm_context *context, dorm_status status)
{
  cli_print(stderr, "dorm: %s\n", dorm_context_message(context));
  return (int)status;
}

int cli_usage_error(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  bool names_command = format[strspn(format, "abcdefghijklmnopqrstuvwxyz")] == ':' || strncmp(format, "%s: ", 4) == 0;
  fputs(names_command ? "dorm " : "dorm: ", stderr); /* "dorm train: ..." */
  print(stderr, format, arguments);
  fputs("\n", stderr);
  va_end(arguments);
  return DORM_BAD_USAGE;
}

int cli_out_of_memory(void)
{
  fputs("dorm: out of memory\n", stderr);
  return DORM_OUT_OF_MEMORY;
}

bool cli_parse_count(const char *text, unsigned long long *value)
{
  char *end;
  errno = 0;
  *value = strtoull(text, &end, 10);
  return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
}

bool cli_parse_threads(const char *text, size_t *num_threads)
{
  enum { MOST_THREADS = 1024 };
  unsigned long long value;
  if (!cli_parse_count(text, &value) || value > MOST_THREADS)
    return false;
  *num_threads = (size_t)value;
  return true;
}

int cli_flush(int status)
{
  if (fflush(stdout) == 0 && !ferror(stdout))
    return status;
  cli_print(stderr, "dorm: standard output: cannot write: %s\n", strerror(errno));
  return status == DORM_OK ? DORM_IO_ERROR : status;
}

dorm_status cli_set_setting(dorm_context *context, dorm_settings *settings, const char *assignment)
{
  const char *equals = strchr(assignment, '=');
  if (!equals)
    return (dorm_status)cli_usage_error("'%s' is not of the form key=value", assignment);
  size_t size = (size_t)(equals - assignment);
  char *key = malloc(size + 1);
  if (!key)
    return (dorm_status)cli_out_of_memory();
  memcpy(key, assignment, size);
  key[size] = '\0';
  dorm_status status = dorm_settings_set(context, settings, key, equals + 1);
  free(key);
  return status == DORM_OK ? DORM_OK : (dorm_status)cli_failure(context, status);
}

const char *cli_plural(size_t count, const char *one, const char *several)
{
  return count == 1 ? one : several;
}
