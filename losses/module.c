/* module.c: losses from shared objects (base/module.c), checked before they are called. */
#include "losses/losses.h"

static dorm_status check_struct(dorm_context *context, const char *path, const dorm_loss_module *loss)
{
  if (!loss)
    return dorm__fail(context, DORM_BAD_MODULE, "%s: dorm_loss_module_entry returned no loss", path);
  dorm_status status = dorm__module_check_interface(context, path, loss->abi, loss->struct_size, sizeof *loss);
  if (status == DORM_OK)
    status =
        dorm__module_check_head(context, path, "loss", loss->name, loss->help, loss->num_parameters, loss->parameters);
  if (status == DORM_OK && !loss->fill_product == !loss->fill_costs)
    status = dorm__fail(context, DORM_BAD_MODULE, "%s: exactly one of fill_product and fill_costs must be set", path);
  return status;
}

dorm_status dorm__loss_module_open(dorm_context *context, const char *path, dorm__module **library,
                                   const dorm_loss_module **loss)
{
  dorm__module_function entry = NULL;
  dorm_status status = dorm__module_open(context, path, "loss", "dorm_loss_module_entry", library, &entry);
  *loss = NULL;
  if (status != DORM_OK)
    return status;
  const dorm_loss_module *made = ((const dorm_loss_module *(*)(void))entry)();
  status = check_struct(context, path, made);
  if (status == DORM_OK) {
    *loss = made;
  } else {
    dorm__module_close(*library);
    *library = NULL;
  }
  return status;
}
