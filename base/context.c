/* context.c: makes and frees contexts, with all that they hold. */
#include "base/file.h"
#include "base/inputs.h"
#include "base/kept.h"

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
