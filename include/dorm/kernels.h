/* kernels.h: kernels, built in or of modules. */
#ifndef DORM_KERNELS_H
#define DORM_KERNELS_H

#include <stddef.h>

#include "dorm/context.h"
#include "dorm/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A built-in kernel. */
typedef struct dorm_kernel_info {
  const char *usage; /* the kernel with all its parameters: "rbf:gamma=auto,scale=1" */
  const char *formula;
} dorm_kernel_info;

/* Built-in kernel number `index`, static; NULL after the last. */
DORM_API const dorm_kernel_info *dorm_kernel_info_at(size_t index);

/* A kernel of a module. */
typedef struct dorm_kernel dorm_kernel;

/* Opens the kernel of a module from a text such as "my_kernel:alpha=2 from
 * ./my_kernel.so" or, with the default parameters, "from ./my_kernel.so", and
 * checks it; the caller closes it. A kernel that fails its check is DORM_BAD_MODULE, and the message says why. For
 * training, kernel.kernel names the module instead. */
DORM_API dorm_status dorm_kernel_open(dorm_context *context, const char *spec, dorm_kernel **kernel);
/* Closes a kernel and its module. */
DORM_API void dorm_kernel_close(dorm_kernel *kernel);
/* Describes an open kernel: name, help and parameters, owned by the kernel. */
DORM_API const dorm_kernel_module *dorm_kernel_describe(const dorm_kernel *kernel);

#ifdef __cplusplus
}
#endif

#endif
