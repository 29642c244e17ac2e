/* module.h: opens a loss from a shared object and checks its struct. */
#ifndef DORM_LOSSES_MODULE_H
#define DORM_LOSSES_MODULE_H

#include "base/base.h"
#include "base/module.h"

/* Opens a shared object that exports dorm_loss_module_entry. DORM_BAD_MODULE, "path: why", unless its struct has this
 * ABI, a known size, a name and exactly one form. *loss becomes a copy of the struct, valid while *library is open. */
dorm_status dorm__loss_module_open(dorm_context *context, const char *path, dorm__module **library,
                                   dorm_loss_module *loss);

/* Copies the struct of a loss, in which members that an older version lacks become NULL, if it is as above; `path` says
 * in a message where it is from. */
dorm_status dorm__loss_module_take(dorm_context *context, const char *path, const dorm_loss_module *given,
                                   dorm_loss_module *loss);

#endif
