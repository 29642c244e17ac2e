/* context.c: creates contexts, and frees them with everything they hold. */
#include "base/context.h"
#include "base/base.h"
#include "base/file.h"
#include <string.h>

dorm_context *dorm_context_new(void)
{
  return dorm__alloc_zero(1, sizeof(dorm_context));
}

void dorm_context_free(dorm_context *context)
{
  if (context) {
    dorm__kept_free(context);
    dorm__unlock_outputs(context);
    dorm__inputs_free(context);
  }
  dorm__free(context);
}

/* ---- Kept -------------------------------------------------------------------------------------- */

/* A list, because a context keeps few things. */

void dorm__kept_free(dorm_context *context)
{
  while (context->kept) {
    dorm__kept *next = context->kept->next;
    dorm__free(context->kept->data);
    dorm__free(context->kept);
    context->kept = next;
  }
}

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
