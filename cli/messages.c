/* messages.c: messages, arguments and settings, in the same way for all subcommands. */
#include "cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Writes text [size] to `shown`, escaped. Characters that differ from `plain` [size] stay unchanged. Changes the text.
 */
static void escape_pieces(char *text, size_t size, const char *plain, cli_escape_function escape, char *shown)
{
  for (size_t i = 0, begin = 0; i <= size; i++) {
    char own = text[i];
    if (i < size && own == plain[i])
      continue;
    text[i] = '\0';
    shown += escape(text + begin, shown);
    *shown = own; /* includes the end of the text */
    shown++;
    begin = i + 1;
  }
}

/* Formats twice, the second time without the kept characters of the format, to recognise the arguments. */
char *cli_format_escaped(const char *format, va_list arguments, const char *kept, cli_escape_function escape)
{
  va_list again;
  va_copy(again, arguments);
  int size = vsnprintf(NULL, 0, format, again);
  va_end(again);
  size_t room = size < 0 ? 1 : (size_t)size + 1;
  char *plain_format = strdup(format), *text = calloc(room, 2), *shown = malloc(room * CLI_MOST_ESCAPED);
  for (char *c = plain_format; c && *c; c++)
    *c = strchr(kept, *c) ? ' ' : *c;
  if (plain_format && text && shown) {
    va_copy(again, arguments);
    vsnprintf(text, room, format, again);
    va_end(again);
    vsnprintf(text + room, room, plain_format, arguments);
    escape_pieces(text, room - 1, text + room, escape, shown);
  } else {
    free(shown);
    shown = NULL;
  }
  free(plain_format);
  free(text);
  return shown;
}

static size_t escape_printable(const char *text, char *shown)
{
  return strlen(dorm_printable(text, shown));
}

static char *format_printable(const char *format, va_list arguments)
{
  return cli_format_escaped(format, arguments, "\n\t", escape_printable);
}

void cli_print(FILE *file, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  char *text = format_printable(format, arguments);
  va_end(arguments);
  fputs(text ? text : "", file);
  free(text);
}

/* Prints a text in lines of at most `width` columns that break between words and at the text's own line ends. The
 * cursor is at column `at`. All lines but the first begin with `indent` blanks. */
static void put_lines(FILE *file, size_t width, const char *text, size_t at, size_t indent)
{
  bool is_first = true;
  while (*text) {
    size_t blanks = is_first ? 0 : strspn(text, " "), size = strcspn(text + blanks, " \n");
    bool ends = *text == '\n';
    if (ends || (!is_first && at + blanks + size > width)) {
      fprintf(file, "\n%*s", (int)indent, "");
      at = indent;
      text += ends ? 1 : blanks;
      is_first = ends;
      continue;
    }
    cli_print(file, "%.*s", (int)(blanks + size), text);
    at += blanks + size;
    text += blanks + size;
    is_first = false;
  }
  fputc('\n', file);
}

enum { COLUMNS = 80, NAME_COLUMNS = 12 };

void cli_print_wrapped(const char *text, size_t at, size_t indent)
{
  put_lines(stdout, COLUMNS - 1, text, at, indent);
}

void cli_print_lines(FILE *file, size_t indent, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  char *text = format_printable(format, arguments);
  va_end(arguments);
  fprintf(file, "%*s", (int)indent, "");
  put_lines(file, COLUMNS, text ? text : "", indent, indent + 2);
  free(text);
}

void cli_print_named(FILE *file, const char *name, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  char *text = format_printable(format, arguments);
  va_end(arguments);
  cli_print(file, "%-*s ", NAME_COLUMNS - 1, name);
  size_t at = strlen(name) < NAME_COLUMNS ? NAME_COLUMNS : strlen(name) + 1;
  if (at > NAME_COLUMNS && at + strlen(text ? text : "") > COLUMNS) { /* a long name has a line of its own */
    fprintf(file, "\n%*s", NAME_COLUMNS, "");
    at = NAME_COLUMNS;
  }
  put_lines(file, COLUMNS, text ? text : "", at, NAME_COLUMNS);
  free(text);
}

size_t cli_terminal_width(void)
{
  struct winsize window;
  if (!isatty(STDERR_FILENO))
    return SIZE_MAX;
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col ? window.ws_col : COLUMNS;
}

/* Prints a message after "dorm: " or a similar start. On a terminal, lines break between words. */
static void put_message(const char *start, const char *text)
{
  fputs(start, stderr);
  put_lines(stderr, cli_terminal_width() - 1, text, strlen(start), 2);
}

void cli_print_note(void *user, const dorm_event *event)
{
  (void)user;
  if (event->kind == DORM_EVENT_NOTE || event->kind == DORM_EVENT_WARNING)
    put_message(event->kind == DORM_EVENT_WARNING ? "dorm: warning: " : "dorm: ", event->text);
}

dorm_status cli_failure(const dorm_context *context, dorm_status status)
{
  put_message("dorm: ", dorm_context_message(context));
  return status;
}

dorm_status cli_usage_error(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  char *text = format_printable(format, arguments);
  bool names_command = format[strspn(format, "abcdefghijklmnopqrstuvwxyz")] == ':' || strncmp(format, "%s: ", 4) == 0;
  put_message(names_command ? "dorm " : "dorm: ", text ? text : "out of memory"); /* "dorm train: ..." */
  free(text);
  va_end(arguments);
  return DORM_BAD_USAGE;
}

dorm_status cli_out_of_memory(void)
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
    return cli_usage_error("'%s' is not of the form key=value", assignment);
  size_t size = (size_t)(equals - assignment);
  char *key = malloc(size + 1);
  if (!key)
    return cli_out_of_memory();
  memcpy(key, assignment, size);
  key[size] = '\0';
  dorm_status status = dorm_settings_set(context, settings, key, equals + 1);
  free(key);
  return status == DORM_OK ? DORM_OK : cli_failure(context, status);
}

const char *cli_plural(size_t count, const char *one, const char *several)
{
  return count == 1 ? one : several;
}
