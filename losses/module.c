/*
 * module.c: losses from shared objects; the only door to dlopen. A file is
 * loaded only when its path was given, never searched for, and refused with
 * one sentence unless its struct is one that this library can call.
 */
#include "losses/losses.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

struct dorm__module {
  void *library;
  const dorm_loss_module *loss;
};

enum { MOST_PARAMETERS = 100, LONGEST_NAME = 60 };

static bool is_word(const char *text)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  size_t size = strlen(text);
  return size > 0 && size <= LONGEST_NAME && strspn(text, letters) == size;
}

static dorm_status refuse(dorm_context *context, const char *path, const char *why)
{
  return dorm__fail(context, DORM_BAD_MODULE, "%s: %s", path, why);
}

static dorm_status check_parameters(dorm_context *context, const char *path, const dorm_loss_module *loss)
{
  if (loss->num_parameters > MOST_PARAMETERS || (loss->num_parameters && !loss->parameters))
    return refuse(context, path, "the loss has no table for its parameters, or one without an end");
  for (size_t i = 0; i < loss->num_parameters; i++) {
    const dorm_loss_parameter *row = &loss->parameters[i];
    if (!row->name || !is_word(row->name) || !row->default_text || !row->help)
      return dorm__fail(context, DORM_BAD_MODULE, "%s: parameter %zu lacks a name, a default or a help text", path,
                        i + 1);
    if (dorm__spec_row(i, loss->parameters, row->name) < i)
      return dorm__fail(context, DORM_BAD_MODULE, "%s: parameter '%s' stands twice", path, row->name);
    dorm_loss_value value;
    if (dorm__spec_check(context, "loss", loss->name, row, row->default_text, &value) != DORM_OK) {
      char message[DORM__MESSAGE_SIZE];
      memcpy(message, context->message, sizeof message);
      return dorm__fail(context, DORM_BAD_MODULE, "%s: a default breaks its own rule: %.800s", path, message);
    }
  }
  return DORM_OK;
}

static dorm_status check_struct(dorm_context *context, const char *path, const dorm_loss_module *loss)
{
  if (!loss)
    return refuse(context, path, "dorm_loss_module_entry returned no loss");
  if (loss->abi != DORM_PLUGIN_ABI) /* nothing behind it has a known place */
    return dorm__fail(context, DORM_BAD_MODULE, "%s: built for plug-in interface %u, but this is %u", path,
                      (unsigned)loss->abi, (unsigned)DORM_PLUGIN_ABI);
  if (loss->struct_size < sizeof *loss)
    return dorm__fail(context, DORM_BAD_MODULE, "%s: its struct has %u bytes, at least %zu are needed", path,
                      (unsigned)loss->struct_size, sizeof *loss);
  if (!loss->name || !is_word(loss->name))
    return refuse(context, path, "the name of the loss is not a word of letters, digits, '-' and '_'");
  if (!loss->help)
    return refuse(context, path, "the loss has no help text");
  if (!loss->fill_product == !loss->fill_costs)
    return refuse(context, path, "exactly one of fill_product and fill_costs must be set");
  return check_parameters(context, path, loss);
}

/* dlopen searches the system for a name without a slash; a path is a path. */
static char *explicit_path(const char *path)
{
  size_t size = strlen(path) + 3;
  char *text = dorm__alloc(size, 1);
  if (text)
    snprintf(text, size, "%s%s", strchr(path, '/') ? "" : "./", path);
  return text;
}

dorm_status dorm__module_open(dorm_context *context, const char *path, dorm__module **module)
{
  dorm_status status = DORM_OK;
  *module = NULL;
  dorm__module *made = dorm__alloc_zero(1, sizeof *made);
  char *file = explicit_path(path);
  if (!made || !file) {
    status = dorm__out_of_memory(context, "a loss module");
    goto done;
  }
  if (access(file, R_OK) != 0) {
    status = dorm__fail(context, DORM_BAD_MODULE, "%s: cannot read the loss module: %s", path, strerror(errno));
    goto done;
  }
  made->library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!made->library) {
    const char *why = dlerror();
    status = dorm__fail(context, DORM_BAD_MODULE, "%s: cannot be loaded: %.600s", path, why ? why : "no reason given");
    goto done;
  }
  const dorm_loss_module *(*entry)(void) = NULL;
  void *symbol = dlsym(made->library, "dorm_loss_module_entry");
  memcpy(&entry, &symbol, sizeof entry); /* ISO C has no cast between the two */
  if (!entry) {
    status = refuse(context, path, "has no function dorm_loss_module_entry");
    goto done;
  }
  made->loss = entry();
  status = check_struct(context, path, made->loss);
  if (status != DORM_OK)
    goto done;
  *module = made;
  made = NULL;
done:
  dorm__free(file);
  dorm__module_close(made);
  return status;
}

void dorm__module_close(dorm__module *module)
{
  if (!module)
    return;
  if (module->library)
    dlclose(module->library);
  dorm__free(module);
}

const dorm_loss_module *dorm__module_loss(const dorm__module *module)
{
  return module->loss;
}
