/* status.c: the context: messages, log, cancellation, and the clock. */
#include "base/base.h"
#include "base/kept.h"

#include <string.h>
#include <time.h>

#ifndef DORM_VERSION
#define DORM_VERSION PACKAGE_VERSION
#endif

const char *dorm_version(void)
{
  return DORM_VERSION;
}

const char *dorm_status_name(dorm_status status)
{
  switch (status) {
  case DORM_OK:
    return "ok";
  case DORM_STOPPED:
    return "stopped";
  case DORM_BAD_USAGE:
    return "bad usage";
  case DORM_IO_ERROR:
    return "cannot read or write";
  case DORM_BAD_DATA:
    return "bad data";
  case DORM_NUMERICAL_FAILURE:
    return "numerical failure";
  case DORM_BAD_MODULE:
    return "bad module";
  case DORM_OUT_OF_MEMORY:
    return "out of memory";
  }
  return "unknown status";
}

dorm_context *dorm_context_new(void)
{
  return dorm__alloc_zero(1, sizeof(dorm_context));
}

void dorm_context_free(dorm_context *context)
{
  if (context)
    dorm__kept_free(context);
  dorm__free(context);
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

/* Puts the beginning and the end of a long text into message [DORM__MESSAGE_SIZE]: a name of hundreds of bytes must not
 * hide what is wrong with it. */
static void shorten(const char *text, size_t size, char *message)
{
  static const char gap[] = " ... ";
  size_t half = (DORM__MESSAGE_SIZE - sizeof gap) / 2;
  memcpy(message, text, half);
  memcpy(message + half, gap, sizeof gap - 1);
  memcpy(message + half + sizeof gap - 1, text + size - half, half + 1);
}

dorm_status dorm__fail(dorm_context *context, dorm_status status, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  int size = vsnprintf(context->message, sizeof context->message, format, arguments);
  va_end(arguments);
  char *whole = size < DORM__MESSAGE_SIZE ? NULL : dorm__alloc((size_t)size + 1, 1);
  if (whole) {
    va_start(arguments, format);
    vsnprintf(whole, (size_t)size + 1, format, arguments);
    va_end(arguments);
    shorten(whole, (size_t)size, context->message);
  }
  dorm__free(whole);
  return status;
}

dorm_status dorm__fail_within(dorm_context *context, dorm_status status, const char *format, ...)
{
  char message[DORM__MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  int size = vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  size_t used = size < 0 ? 0 : (size_t)size < sizeof message ? (size_t)size : sizeof message - 1;
  int room = (int)(sizeof message - used) - (int)sizeof ": ";
  snprintf(message + used, sizeof message - used, ": %.*s", room < 0 ? 0 : room, context->message);
  memcpy(context->message, message, sizeof message);
  return status;
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

static void log_text(const dorm_context *context, dorm_event_kind kind, const char *format, va_list arguments)
{
  if (!context->log)
    return;
  char text[DORM__MESSAGE_SIZE];
  vsnprintf(text, sizeof text, format, arguments);
  dorm__log(context, &(dorm_event){.kind = kind, .text = text});
}

void dorm__note(const dorm_context *context, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  log_text(context, DORM_EVENT_NOTE, format, arguments);
  va_end(arguments);
}

void dorm__step(const dorm_context *context, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  log_text(context, DORM_EVENT_STEP, format, arguments);
  va_end(arguments);
}

void dorm__warn(const dorm_context *context, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  log_text(context, DORM_EVENT_WARNING, format, arguments);
  va_end(arguments);
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
