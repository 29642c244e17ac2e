/* module.h: a λ-function from a shared object (plugin.h). */
#ifndef DORM_LAMBDAS_MODULE_H
#define DORM_LAMBDAS_MODULE_H

#include "base/base.h"

typedef struct dorm__lambda_module dorm__lambda_module;
struct dorm__lambda_kind;

/* Loads the module and checks its struct. */
dorm_status dorm__lambda_module_open(dorm_context *context, const char *path, dorm__lambda_module **module);
/* Makes its state with these values [num_parameters], which must live as long as the module, and tries on small queries
 * what it promises. DORM_BAD_MODULE where it breaks a promise. */
dorm_status dorm__lambda_module_create(dorm_context *context, dorm__lambda_module *module,
                                       const dorm_loss_value *values);
void dorm__lambda_module_close(dorm__lambda_module *module);
/* It as a function like the built-in ones; owned by the module. */
const struct dorm__lambda_kind *dorm__lambda_module_kind(const dorm__lambda_module *module);
const char *dorm__lambda_module_path(const dorm__lambda_module *module);

#endif
