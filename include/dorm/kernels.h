/* kernels.h: kernels, built in or of modules. */
#ifndef DORM_KERNELS_H
#define DORM_KERNELS_H

#include <stddef.h>

#include "dorm/context.h"
#include "dorm/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A built-in kernel with its parameters as text ("rbf:gamma=auto,scale=1") and
 * its formula; both are static. Returns 0 after the last, otherwise 1. */
DORM_API int dorm_kernel_info_at(size_t index, const char **usage, const char **formula);

/* Opens the kernel of a module from a text such as "my_kernel:alpha=2 from
 * ./my_kernel.so" or, with the default parameters, "from ./my_kernel.so", and
 * checks it; what is refused is DORM_BAD_MODULE, and the message says why. For
 * training, kernel.kernel names the module instead. */
typedef struct dorm_kernel dorm_kernel;
DORM_API dorm_status dorm_kernel_open(dorm_context *context, const char *spec, dorm_kernel **kernel);
DORM_API void dorm_kernel_close(dorm_kernel *kernel);
/* Name, help and parameters; owned by the kernel. */
DORM_API const dorm_kernel_module *dorm_kernel_module_of(const dorm_kernel *kernel);

#ifdef __cplusplus
}
#endif

#endif
