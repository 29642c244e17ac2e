/* kernels.h: kernels, built in or from modules. */
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

/* Returns built-in kernel number `index`, static. Returns NULL after the last. */
DORM_API const dorm_kernel_info *dorm_kernel_info_at(size_t index);

/* A kernel from a module. */
typedef struct dorm_kernel dorm_kernel;

/* Opens and checks the kernel of a module. The caller closes it. `spec` is a text such as "my_kernel:alpha=2 from
 * ./my_kernel.so" or, with the default parameters, "from ./my_kernel.so". A kernel that fails its check returns
 * DORM_BAD_MODULE, with the reason in the message. For training, give the module in kernel.kernel instead. */
DORM_API dorm_status dorm_kernel_open(dorm_context *context, const char *spec, dorm_kernel **kernel);
/* Closes a kernel and its module. */
DORM_API void dorm_kernel_close(dorm_kernel *kernel);
/* Describes an open kernel: name, help and parameters, owned by the kernel. */
DORM_API const dorm_kernel_module *dorm_kernel_describe(const dorm_kernel *kernel);

#ifdef __cplusplus
}
#endif

#endif
