/* module.c: losses from shared objects (base/module.c), checked before they are called. */
#include "losses/module.h"
#include "base/module.h"

#include <string.h>

/* The struct ended here before there was the structured form; members that a module's struct lacks become NULL. */
static const size_t least_size = offsetof(dorm_loss_module, find_worst);

dorm_status dorm__loss_module_take(dorm_context *context, const char *path, const dorm_loss_module *given,
                                   dorm_loss_module *loss)
{
  dorm_status status = dorm__module_check_interface(context, path, given->abi, given->struct_size, least_size);
  if (status != DORM_OK)
    return status;
  *loss = (dorm_loss_module){0};
  memcpy(loss, given, given->struct_size < sizeof *loss ? given->struct_size : sizeof *loss);
  status =
      dorm__module_check_head(context, path, "loss", loss->name, loss->help, loss->num_parameters, loss->parameters);
  if (status == DORM_OK && (loss->fill_product != NULL) + (loss->fill_costs != NULL) + (loss->find_worst != NULL) != 1)
    status = dorm__fail(context, DORM_BAD_MODULE,
                        "%s: exactly one of fill_product, fill_costs and find_worst must be set", path);
  return status;
}

dorm_status dorm__loss_module_open(dorm_context *context, const char *path, dorm__module **library,
                                   dorm_loss_module *loss)
{
  dorm__module_function entry = NULL;
  dorm_status status = dorm__module_open(context, path, "loss", "dorm_loss_module_entry", library, &entry);
  if (status != DORM_OK)
    return status;
  const dorm_loss_module *given = ((const dorm_loss_module *(*)(void))entry)();
  if (given)
    status = dorm__loss_module_take(context, path, given, loss);
  else
    status = dorm__fail(context, DORM_BAD_MODULE, "%s: dorm_loss_module_entry returned no loss", path);
  if (status != DORM_OK) {
    dorm__module_close(*library);
    *library = NULL;
  }
  return status;
}
