/* module.c: shared objects. No other file calls dlopen. A user's file is loaded only from an explicit path and never
 * searched for. It is rejected with a message unless the library can call its struct. A system library is loaded by
 * name, as the dynamic linker finds it. */
#include "base/module.h"
#include "base/file.h"
#include "base/spec.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { MOST_PARAMETERS = 100, LONGEST_NAME = 60 };

dorm_status dorm__module_open(dorm_context *context, const char *path, const char *what, const char *entry,
                              dorm__module **module, dorm__module_function *function)
{
  *module = NULL;
  *function = NULL;
  /* dlopen would search the system for a path without a slash. */
  DORM__FREED char *file = dorm__join_texts(strchr(path, '/') ? "" : "./", path);
  if (!file)
    return dorm__out_of_memory(context, "a module");
  if (access(file, R_OK) != 0)
    return dorm__fail(context, DORM_IO_ERROR, "%s: cannot read the %s module: %s", path, what, strerror(errno));
  dorm_status status = dorm__input_add(context, path);
  if (status != DORM_OK)
    return status;
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *why = dlerror();
    return dorm__fail(context, DORM_BAD_MODULE, "%s: cannot be loaded: %.600s", path, why ? why : "no reason given");
  }
  void *symbol = dlsym(library, entry);
  if (!symbol) {
    dlclose(library);
    return dorm__fail(context, DORM_BAD_MODULE, "%s: has no function %s", path, entry);
  }
  memcpy(function, &symbol, sizeof *function); /* ISO C cannot cast an object pointer to a function pointer */
  *module = library;
  return DORM_OK;
}

void dorm__module_close(dorm__module *module)
{
  if (module)
    dlclose(module);
}

dorm_status dorm__module_check_interface(dorm_context *context, const char *path, uint32_t abi, uint32_t struct_size,
                                         size_t needed)
{
  if (abi != DORM_PLUGIN_ABI)
    return dorm__fail(context, DORM_BAD_MODULE, "%s: built for plug-in interface %u, but this is %u", path,
                      (unsigned)abi, (unsigned)DORM_PLUGIN_ABI);
  if (struct_size < needed)
    return dorm__fail(context, DORM_BAD_MODULE, "%s: its struct has %u bytes, at least %zu are needed", path,
                      (unsigned)struct_size, needed);
  return DORM_OK;
}

static bool is_word(const char *text)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  size_t size = strlen(text);
  return size > 0 && size <= LONGEST_NAME && strspn(text, letters) == size;
}

dorm_status dorm__module_check_head(dorm_context *context, const char *path, const char *what, const char *name,
                                    const char *help, size_t num_parameters, const dorm_loss_parameter *parameters)
{
  if (!name || !is_word(name))
    return dorm__fail(context, DORM_BAD_MODULE, "%s: the name of the %s is not a word of letters, digits, '-' and '_'",
                      path, what);
  if (!help)
    return dorm__fail(context, DORM_BAD_MODULE, "%s: the %s has no help text", path, what);
  if (num_parameters > MOST_PARAMETERS || (num_parameters && !parameters))
    return dorm__fail(context, DORM_BAD_MODULE, "%s: the %s has no table for its parameters, or one without an end",
                      path, what);
  for (size_t i = 0; i < num_parameters; i++) {
    const dorm_loss_parameter *row = &parameters[i];
    if (!row->name || !is_word(row->name) || !row->default_text || !row->help)
      return dorm__fail(context, DORM_BAD_MODULE, "%s: parameter %zu lacks a name, a default or a help text", path,
                        i + 1);
    if (dorm__spec_row(i, parameters, row->name) < i)
      return dorm__fail(context, DORM_BAD_MODULE, "%s: parameter '%s' is there twice", path, row->name);
    dorm_loss_value value;
    if (dorm__spec_check(context, what, name, row, row->default_text, &value) != DORM_OK) {
      char message[DORM__MESSAGE_SIZE];
      memcpy(message, context->message, sizeof message);
      return dorm__fail(context, DORM_BAD_MODULE, "%s: a default breaks its own rule: %.800s", path, message);
    }
  }
  return DORM_OK;
}

/* ---- Calls into modules ------------------------------------------------------- */

static int host_fail(const dorm_host *host, const char *format, ...) DORM__PRINTF(2, 3);
static int host_fail(const dorm_host *host, const char *format, ...)
{
  dorm__host_call *call = (dorm__host_call *)host; /* the host is part of a call that dorm__host_call_start filled */
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(call->message, sizeof call->message, format, arguments);
  va_end(arguments);
  return 1;
}

static void no_feature(const dorm_host *host, size_t feature_id, double *values)
{
  (void)host;
  (void)feature_id;
  (void)values;
}

void dorm__host_call_start(dorm__host_call *call)
{
  call->host =
      (dorm_host){.abi = DORM_PLUGIN_ABI, .struct_size = sizeof(dorm_host), .fail = host_fail, .feature = no_feature};
  call->status = DORM_OK;
  snprintf(call->message, sizeof call->message, "it gave no reason");
}

int dorm__host_pass(const dorm_host *host, const dorm_context *context, dorm_status status)
{
  if (host->fail == host_fail)
    ((dorm__host_call *)host)->status = status;
  return host->fail(host, "%s", dorm_context_message(context));
}

dorm_status dorm__host_call_status(const dorm__host_call *call, dorm_status fault)
{
  static const char words[] = "out of memory";
  if (call->status != DORM_OK)
    return call->status;
  return strncmp(call->message, words, sizeof words - 1) == 0 ? DORM_OUT_OF_MEMORY : fault;
}
