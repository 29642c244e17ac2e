/* status.c: the context: messages, log, cancellation, kept objects, and the clock. */
#include "base/status.h"

#include <string.h>
#include <time.h>

#ifndef DORM_VERSION
#define DORM_VERSION PACKAGE_VERSION
#endif

int dorm_has(const char *what)
{
  bool has_glpk = false;
  bool has_openblas = false;
#ifdef HAVE_GLPK
  has_glpk = true;
#endif
#ifdef HAVE_OPENBLAS
  has_openblas = true;
#endif
  return what && ((has_glpk && strcmp(what, "glpk") == 0) || (has_openblas && strcmp(what, "openblas") == 0));
}

const char *dorm_version(void)
{
  return DORM_VERSION;
}

const char *dorm_status_name(dorm_status status)
{
  static const char *const names[] = {
      [DORM_OK] = "ok",
      [DORM_STOPPED] = "stopped",
      [DORM_BAD_USAGE] = "bad usage",
      [DORM_IO_ERROR] = "cannot read or write",
      [DORM_BAD_DATA] = "bad data",
      [DORM_NUMERICAL_FAILURE] = "numerical failure",
      [DORM_BAD_MODULE] = "bad module",
      [DORM_OUT_OF_MEMORY] = "out of memory",
  };
  bool is_known = (size_t)status < sizeof names / sizeof *names && names[status];
  return is_known ? names[status] : "unknown status";
}

dorm_context *dorm_context_new(void)
{
  return dorm__alloc_zero(1, sizeof(dorm_context));
}

const char *dorm_context_message(const dorm_context *context)
{
  return context ? context->message : "";
}

void dorm_context_set_log(dorm_context *context, dorm_log_function log, void *user)
{
  if (!context)
    return;
  context->log = log;
  context->log_user = user;
}

void dorm_context_set_cancel(dorm_context *context, dorm_cancel_function cancel, void *user)
{
  if (!context)
    return;
  context->cancel = cancel;
  context->cancel_user = user;
}

/* Copies a text into message [DORM__MESSAGE_SIZE], or only the beginning and the end of a long one, so that a very long
 * name does not hide the error. The text is UTF-8, and no character is cut. */
static void shorten(const char *text, char *message)
{
  static const char gap[] = " ... ";
  size_t size = strlen(text);
  size_t begin = (DORM__MESSAGE_SIZE - sizeof gap) / 2, end = size - begin;
  if (size < DORM__MESSAGE_SIZE) {
    memcpy(message, text, size + 1);
    return;
  }
  while ((text[begin] & 0xc0) == 0x80)
    begin--;
  while ((text[end] & 0xc0) == 0x80)
    end++;
  memcpy(message, text, begin);
  memcpy(message + begin, gap, sizeof gap - 1);
  memcpy(message + begin + sizeof gap - 1, text + end, size - end + 1);
}

dorm_status dorm__fail(dorm_context *context, dorm_status status, const char *format, ...)
{
  char text[DORM__MESSAGE_SIZE], shown[4 * DORM__MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  int size = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  size_t room = size < DORM__MESSAGE_SIZE ? 0 : (size_t)size + 1;
  char *whole = room ? dorm__alloc(room, 1 + 4) : NULL; /* the text, and its printable form */
  if (whole) {
    va_start(arguments, format);
    vsnprintf(whole, room, format, arguments);
    va_end(arguments);
  }
  shorten(whole ? dorm_printable(whole, whole + room) : dorm_printable(text, shown), context->message);
  dorm__free(whole);
  return status;
}

dorm_status dorm__fail_within(dorm_context *context, dorm_status status, const char *format, ...)
{
  char text[DORM__MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return dorm__fail(context, status, "%s: %s", text, context->message);
}

bool dorm__lacks(dorm_context *context, const char *function, size_t count, const dorm__argument *arguments)
{
  const char *lacking = NULL;
  for (size_t i = count; i-- > 0;) {
    if (arguments[i].result)
      memset(arguments[i].result, 0, sizeof(void *));
    else if (!arguments[i].given)
      lacking = arguments[i].name;
  }
  if (context && lacking)
    dorm__fail(context, DORM_BAD_USAGE, "%s: the argument '%s' is NULL", function, lacking);
  return !context || lacking;
}

dorm_status dorm__out_of_memory(dorm_context *context, const char *what)
{
  return dorm__fail(context, DORM_OUT_OF_MEMORY, "out of memory for %s", what);
}

void dorm__log(const dorm_context *context, const dorm_event *event)
{
  if (context->log)
    context->log(context->log_user, event);
}

void dorm__tell(const dorm_context *context, dorm_event_kind kind, const char *format, ...)
{
  char text[DORM__MESSAGE_SIZE], shown[4 * DORM__MESSAGE_SIZE];
  va_list arguments;
  if (!context->log)
    return;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  dorm__log(context, &(dorm_event){.kind = kind, .text = dorm_printable(text, shown)});
}

bool dorm__cancelled(const dorm_context *context)
{
  return context->processes.size > 1 ? context->is_stopping : dorm__cancelled_here(context);
}

bool dorm__cancelled_here(const dorm_context *context)
{
  return context->cancel && context->cancel(context->cancel_user) != 0;
}

double dorm__seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- Kept -------------------------------------------------------------------------------------- */

/* A list, because a context keeps few things. */

dorm__kept *dorm__kept_of(const dorm_context *context, const char *kind, const char *name)
{
  dorm__kept *kept = context->kept;
  while (kept && (strcmp(kept->kind, kind) != 0 || strcmp(kept->name, name) != 0))
    kept = kept->next;
  return kept;
}

dorm__kept *dorm__keep(dorm_context *context, const char *kind, const char *name, size_t size)
{
  dorm__kept *kept = dorm__kept_of(context, kind, name);
  if (kept)
    return kept;
  size_t name_size = strlen(name) + 1;
  kept = dorm__alloc(1, sizeof *kept + name_size);
  void *data = dorm__alloc_zero(1, size);
  if (!kept || !data) {
    dorm__free(kept);
    dorm__free(data);
    return NULL;
  }
  *kept = (dorm__kept){.next = context->kept, .kind = kind, .data = data};
  memcpy(kept->name, name, name_size);
  context->kept = kept;
  return kept;
}

const char *dorm__keep_text(dorm_context *context, const char *text)
{
  const dorm__kept *kept = dorm__keep(context, "text", text, 0);
  return kept ? kept->name : NULL;
}

void dorm__warn_once(dorm_context *context, const char *format, ...)
{
  char text[DORM__MESSAGE_SIZE];
  va_list arguments;
  if (!context->log)
    return;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (dorm__kept_of(context, "warning", text))
    return;
  dorm__keep(context, "warning", text, 0); /* if memory is short, the warning may be repeated */
  dorm__warn(context, "%s", text);
}

/* ---- Structs ----------------------------------------------------------------------------------- */

dorm_status dorm__struct_check(dorm_context *context, const char *argument, const dorm__struct *known,
                               const void *given)
{
  size_t size = *(const size_t *)given;
  bool is_known = size == known->size;
  for (size_t i = 0; i < sizeof known->older / sizeof *known->older; i++)
    is_known = is_known || (size && size == known->older[i]);
  if (is_known)
    return DORM_OK;
  return dorm__fail(context, DORM_BAD_USAGE,
                    "%s.struct_size is %zu: it has to be sizeof(%s), which is %zu in this version", argument, size,
                    known->name, known->size);
}

dorm_status dorm__struct_take(dorm_context *context, const char *argument, const dorm__struct *known, const void *given,
                              void *full)
{
  dorm_status status = given ? dorm__struct_check(context, argument, known, given) : DORM_OK;
  memset(full, 0, known->size);
  if (given && status == DORM_OK)
    memcpy(full, given, *(const size_t *)given);
  memcpy(full, &known->size, sizeof known->size);
  return status;
}

void dorm__struct_give(const void *full, void *given)
{
  size_t size = *(const size_t *)given;
  memcpy(given, full, size);
  memcpy(given, &size, sizeof size);
}

/* ---- Printable --------------------------------------------------------------------------------- */

/* Makes texts safe for a terminal: UTF-8 (RFC 3629) without control characters. O(size). */

/* The size of the UTF-8 character at s (RFC 3629), or 0 if it is invalid or a control character. */
static size_t printable_size(const unsigned char *s)
{
  static const struct {
    unsigned char first, last; /* bounds of the first byte */
    unsigned char least, most; /* of the second */
    unsigned char size;
  } rows[] = {{' ', '~', 0, 0xff, 1},      {0xc2, 0xc2, 0xa0, 0xbf, 2}, {0xc3, 0xdf, 0x80, 0xbf, 2},
              {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3},
              {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4},
              {0xf4, 0xf4, 0x80, 0x8f, 4}};
  size_t r = 0, size = 2;
  while (r < sizeof rows / sizeof *rows && (*s < rows[r].first || *s > rows[r].last))
    r++;
  if (r == sizeof rows / sizeof *rows || s[1] < rows[r].least || s[1] > rows[r].most)
    return 0;
  while (size < rows[r].size && (s[size] & 0xc0) == 0x80)
    size++;
  return rows[r].size <= size ? rows[r].size : 0;
}

const char *dorm_printable(const char *text, char *shown)
{
  static const char digits[] = "0123456789abcdef";
  char *end = shown;
  while (text && *text) {
    size_t size = printable_size((const unsigned char *)text);
    if (size) {
      memcpy(end, text, size);
    } else {
      unsigned char byte = (unsigned char)*text;
      memcpy(end, (const char[]){'\\', 'x', digits[byte >> 4], digits[byte & 15]}, 4);
    }
    text += size ? size : 1;
    end += size ? size : 4;
  }
  *end = '\0';
  return shown;
}
