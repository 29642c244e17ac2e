/*
 * registry.c: finds losses by name. A loss is built in, registered by the calling program, or read from the file of a
 * module. Opens a loss from its text, and checks the parameters in the text against the rows of the loss's module.
 */
#include "base/status.h"
#include "losses/gains.h"
#include "losses/loss.h"
#include "losses/losses.h"

#include <string.h>

/* The built-in losses. Each has the name of the measure that it optimises (NULL for minus_loss) and the effect of
 * weights of documents. If loss and measure have a parameter of the same name, the measure takes the loss's value. */
static const struct {
  const dorm_loss_module *module;
  const char *measure;
  dorm__doc_weighing weighing;
} builtins[] = {
    {&dorm__loss_wta, "wta", DORM__WEIGHING_GAINS},          {&dorm__loss_mwta, "mwta", DORM__WEIGHING_IDEAL},
    {&dorm__loss_mrr, "mrr", DORM__WEIGHING_NONE},           {&dorm__loss_dcg, "dcg", DORM__WEIGHING_GAINS},
    {&dorm__loss_ndcg, "ndcg", DORM__WEIGHING_IDEAL},        {&dorm__loss_precision, "p", DORM__WEIGHING_GAINS},
    {&dorm__loss_eru, "eru", DORM__WEIGHING_IDEAL},          {&dorm__loss_cost, NULL, DORM__WEIGHING_NONE},
    {&dorm__loss_rsvm, "roc_area", DORM__WEIGHING_NONE},     {&dorm__loss_rsvm_ir, "roc_area", DORM__WEIGHING_NONE},
    {&dorm__loss_roc_area, "roc_area", DORM__WEIGHING_NONE}, {&dorm__loss_map, "map", DORM__WEIGHING_NONE},
    {&dorm__loss_precision_set, "p", DORM__WEIGHING_NONE},
};

enum { NUM_BUILTINS = sizeof builtins / sizeof *builtins };

const dorm_loss_module *dorm_loss_info_at(size_t index)
{
  return index < NUM_BUILTINS ? builtins[index].module : NULL;
}

/* ---- Sources of losses ---------------------------------------------- */

/* Ends one use of a source. Frees the source after its last use. */
static void source_release(dorm__loss_source *source)
{
  if (!source || --source->num_users > 0)
    return;
  dorm__free(source->path);
  dorm__spec_free(&source->given);
  dorm__module_close(source->library); /* last, because names and defaults are in it */
  dorm__free(source);
}

/* A loss that the calling program registered. The context keeps it under its name. */
typedef struct own_loss {
  dorm_loss_module module; /* its name is NULL if no registration under this name has succeeded */
  void *user;              /* of the program, passed to the functions of the module as host->user */
} own_loss;
static const char own_kind[] = "loss";

/* Finds the module of a loss that the program registered, or else of a built-in loss, by its name. */
static dorm_status find_module(dorm_context *context, dorm__loss_source *source)
{
  const dorm__kept *kept = dorm__kept_of(context, own_kind, source->given.name);
  const own_loss *own = kept ? kept->data : NULL;
  if (own && own->module.name) {
    source->loaded = own->module;
    source->module = &source->loaded;
    source->user = own->user;
    source->weighing = own->module.fill_product ? DORM__WEIGHING_GAINS : DORM__WEIGHING_NONE;
    source->is_own = true;
    return DORM_OK;
  }
  const char *names[NUM_BUILTINS];
  for (size_t i = 0; i < NUM_BUILTINS; i++) {
    names[i] = builtins[i].module->name;
    if (strcmp(names[i], source->given.name) == 0) {
      source->module = builtins[i].module;
      source->measure = builtins[i].measure;
      source->weighing = builtins[i].weighing;
      return DORM_OK;
    }
  }
  return dorm__fail_unknown(context, "loss", source->given.name, names, NUM_BUILTINS);
}

/* Parses the text of a loss, and finds its module. With "from PATH", opens the file PATH of the module. */
static dorm_status find_source(dorm_context *context, const char *spec, dorm__loss_source *source)
{
  dorm_status status = DORM_OK;
  DORM__FREED char *text = dorm__copy_text(spec);
  if (!text)
    return dorm__out_of_memory(context, "a loss");
  const char *path = dorm__spec_cut_path(text);
  if (!path)
    return DORM__ALL(dorm__spec_parse(context, "loss", text, &source->given), find_module(context, source));
  status = dorm__loss_module_open(context, path, &source->library, &source->loaded);
  if (status != DORM_OK)
    return status;
  source->module = &source->loaded;
  source->weighing = source->loaded.fill_product ? DORM__WEIGHING_GAINS : DORM__WEIGHING_NONE;
  source->path = dorm__copy_text(path);
  return source->path ? dorm__spec_parse_of_module(context, "loss", text, source->module->name, path, &source->given)
                      : dorm__out_of_memory(context, "a loss");
}

/* ---- Opening --------------------------------------------------------------- */

/* Returns the text of a loss with all its parameters and, if it has one, the path of its module. The caller frees it.
 * NULL when out of memory. */
static char *loss_text(const dorm__loss *loss)
{
  const dorm_loss_module *module = loss->module;
  char *text = dorm__spec_text(module->name, module->num_parameters, module->parameters, loss->values);
  return dorm__spec_join(text, "from", loss->source->path);
}

/* Allocates a loss of `source` with values that are all zero. Counts as a use of the source. Returns NULL when out of
 * memory. */
static dorm__loss *loss_new(dorm__loss_source *source)
{
  dorm__loss *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return NULL;
  made->source = source;
  made->module = source->module;
  source->num_users++;
  made->values = dorm__alloc_zero(made->module->num_parameters, sizeof *made->values);
  if (made->values)
    return made;
  dorm__loss_close(made);
  return NULL;
}

/* Fills the text of a loss from its values, and calls the module's `create`. */
static dorm_status create(dorm_context *context, dorm__loss *loss)
{
  const dorm_loss_module *module = loss->module;
  dorm__host_call call;
  loss->text = loss_text(loss);
  if (!loss->text)
    return dorm__out_of_memory(context, "a loss");
  dorm__host_call_start(&call);
  call.host.user = loss->source->user;
  if (module->create && module->create(&call.host, loss->values, &loss->state) != 0)
    return dorm__fail(context,
                      dorm__host_call_status(&call, dorm__loss_is_foreign(loss) ? DORM_BAD_MODULE : DORM_BAD_USAGE),
                      "loss '%s': %s", module->name, call.message);
  loss->is_created = true;
  return DORM_OK;
}

/* Opens the loss of a source. */
static dorm_status open_source(dorm_context *context, dorm__loss_source *source, dorm__loss **loss)
{
  dorm__loss *made = loss_new(source);
  if (!made)
    return dorm__out_of_memory(context, "a loss");
  return DORM__GIVE(DORM__ALL(dorm__spec_values(context, "loss", &source->given, made->module->num_parameters,
                                                made->module->parameters, made->values),
                              create(context, made),
                              dorm__loss_is_foreign(made) ? dorm__loss_self_check(context, made) : DORM_OK),
                    loss, made, dorm__loss_close);
}

dorm_status dorm__loss_open(dorm_context *context, const char *spec, dorm__loss **loss)
{
  *loss = NULL;
  dorm__loss_source *source = dorm__alloc_zero(1, sizeof *source);
  if (!source)
    return dorm__out_of_memory(context, "a loss");
  source->num_users = 1; /* this function, until its end */
  dorm_status status = DORM__ALL(find_source(context, spec, source), open_source(context, source, loss));
  source_release(source);
  return status;
}

/* Makes another loss with the same source and values, except for *truncation, if `truncation` is not NULL. */
static dorm_status loss_again(dorm_context *context, const dorm__loss *loss, const size_t *truncation,
                              dorm__loss **again)
{
  const dorm_loss_module *module = loss->module;
  size_t row = dorm__spec_row(module->num_parameters, module->parameters, "truncation");
  dorm_status status = DORM_OK;
  *again = NULL;
  if (truncation && row == module->num_parameters)
    return dorm__fail(context, DORM_BAD_USAGE, "loss '%s' has no parameter 'truncation'", module->name);
  dorm__loss *made = loss_new(loss->source);
  if (!made)
    return dorm__out_of_memory(context, "a loss");
  memcpy(made->values, loss->values, module->num_parameters * sizeof *made->values);
  memcpy(made->truncation_text, loss->truncation_text, sizeof made->truncation_text);
  if (truncation)
    snprintf(made->truncation_text, sizeof made->truncation_text, "%zu", *truncation);
  if (*made->truncation_text)
    status = dorm__spec_check(context, "loss", module->name, &module->parameters[row], made->truncation_text,
                              &made->values[row]);
  if (status == DORM_OK)
    status = create(context, made);
  return DORM__GIVE(status, again, made, dorm__loss_close);
}

dorm_status dorm__loss_with_truncation(dorm_context *context, const dorm__loss *loss, size_t truncation,
                                       dorm__loss **changed)
{
  return loss_again(context, loss, &truncation, changed);
}

dorm_status dorm__loss_copy(dorm_context *context, const dorm__loss *loss, dorm__loss **copy)
{
  return loss_again(context, loss, NULL, copy);
}

void dorm__loss_close(dorm__loss *loss)
{
  if (!loss)
    return;
  if (loss->is_created && loss->module->destroy)
    loss->module->destroy(loss->state);
  dorm__free(loss->values);
  dorm__free(loss->text);
  source_release(loss->source);
  dorm__free(loss);
}

/* ---- Public functions -------------------------------------------------------- */

dorm_status dorm_loss_open(dorm_context *context, const char *spec, dorm_loss **loss)
{
  if (DORM__LACKS(context, DORM__GIVEN(spec), DORM__RESULT(loss)))
    return DORM_BAD_USAGE;
  return dorm__loss_open(context, spec, loss);
}

dorm_status dorm_loss_register(dorm_context *context, const dorm_loss_module *loss, void *user)
{
  if (DORM__LACKS(context, DORM__GIVEN(loss)))
    return DORM_BAD_USAGE;
  own_loss made = {.user = user};
  dorm__loss *opened = NULL;
  dorm_status status = dorm__loss_module_take(context, "the program's loss", loss, &made.module);
  if (status != DORM_OK)
    return status;
  for (size_t i = 0; i < NUM_BUILTINS; i++)
    if (strcmp(builtins[i].module->name, made.module.name) == 0)
      return dorm__fail(context, DORM_BAD_USAGE, "loss '%s' is built in: give the program's loss another name",
                        made.module.name);
  const dorm__kept *kept = dorm__keep(context, own_kind, made.module.name, sizeof made);
  if (!kept)
    return dorm__out_of_memory(context, "a loss");
  own_loss *own = kept->data;
  const own_loss before = *own;
  *own = made;
  status = dorm__loss_open(context, kept->name, &opened);
  dorm__loss_close(opened);
  if (status != DORM_OK)
    *own = before;
  return status;
}

void dorm_loss_close(dorm_loss *loss)
{
  dorm__loss_close(loss);
}

const dorm_loss_module *dorm_loss_describe(const dorm_loss *loss)
{
  return loss ? loss->module : NULL;
}
