/* module.h: shared objects that users write, calls into them, and libraries that are loaded on demand. */
#ifndef DORM_BASE_MODULE_H
#define DORM_BASE_MODULE_H

#include "base/base.h"

typedef struct dorm__module dorm__module; /* a shared object, as the dynamic linker knows it */
typedef void (*dorm__module_function)(void);

/* Loads a shared object from an explicit path and finds the function `entry`. `what` ("loss") names the expected
 * content. Fails with DORM_BAD_MODULE, "path: why". */
dorm_status dorm__module_open(dorm_context *context, const char *path, const char *what, const char *entry,
                              dorm__module **module, dorm__module_function *function);
void dorm__module_close(dorm__module *module);
/* Check the common first members of module structs. The interface is checked first, because the other members have
 * other offsets if it differs. */
dorm_status dorm__module_check_interface(dorm_context *context, const char *path, uint32_t abi, uint32_t struct_size,
                                         size_t needed);
dorm_status dorm__module_check_head(dorm_context *context, const char *path, const char *what, const char *name,
                                    const char *help, size_t num_parameters, const dorm_loss_parameter *parameters);

/* The host's side of a call into a module. `message` receives the text that the module passes to host->fail. */
typedef struct dorm__host_call {
  dorm_host host;     /* first, so that host and call have the same address */
  dorm_status status; /* DORM_OK unless dorm__host_pass set it */
  char message[DORM__MESSAGE_SIZE / 2];
} dorm__host_call;
void dorm__host_call_start(dorm__host_call *call);
/* The status of a failed call: `fault`, or DORM_OUT_OF_MEMORY if the module reported it. */
dorm_status dorm__host_call_status(const dorm__host_call *call, dorm_status fault);
/* Replaces host->fail for a built-in loss. Passes on the message of a context and, if the host is this library's,
 * `status`. Returns 1. */
int dorm__host_pass(const dorm_host *host, const dorm_context *context, dorm_status status);

#endif
