/* losses.h: losses, built in or of modules. */
#ifndef DORM_LOSSES_H
#define DORM_LOSSES_H

#include <stddef.h>

#include "dorm/context.h"
#include "dorm/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A built-in loss with its parameters (plugin.h); NULL after the last. */
DORM_API const dorm_loss_module *dorm_loss_at(size_t index);

/* Opens a loss from a text such as "ndcg:truncation=10,gain=linear", or the loss
 * of a module from an explicit path, "my_loss:alpha=2 from ./my_loss.so" or, with
 * the default parameters, "from ./my_loss.so". A file that is not a module, or a
 * module that has another version of the interface or fails its self-check, is
 * DORM_BAD_MODULE, and the message says why. */
typedef struct dorm_loss dorm_loss;
DORM_API dorm_status dorm_loss_open(dorm_context *context, const char *spec, dorm_loss **loss);
DORM_API void dorm_loss_close(dorm_loss *loss);
/* Name, help and parameters; owned by the loss. */
DORM_API const dorm_loss_module *dorm_loss_module_of(const dorm_loss *loss);

#ifdef __cplusplus
}
#endif

#endif
