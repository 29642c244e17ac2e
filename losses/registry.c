/*
 * registry.c: losses by name, built in or from a module. Opens a loss from its
 * text, checks its parameters against the rows of its module and hands its
 * calls through.
 */
#include "losses/registry.h"
#include "base/module.h"
#include "base/spec.h"
#include "data/data.h"
#include "losses/builtin.h"
#include "losses/losses.h"
#include "losses/module.h"
#include "losses/self_check.h"
#include "measures/measures.h"
#include "settings/settings.h"

#include <math.h>
#include <string.h>

static const double rounding = 1e-9; /* of a value that is 0 but for rounding, over the sum of its parts */
static const double far_apart = 1e6; /* scores whose order no Delta overrules */

/* What is there without a file: the loss, and the measure that it optimises.
 * Parameters of equal name go over from the one to the other. */
static const struct {
  const dorm_loss_module *module;
  const char *measure;
} builtins[] = {
    {&dorm__loss_wta, "wta"},          {&dorm__loss_mwta, "mwta"},         {&dorm__loss_mrr, "mrr"},
    {&dorm__loss_dcg, "dcg"},          {&dorm__loss_ndcg, "ndcg"},         {&dorm__loss_precision, "p"},
    {&dorm__loss_eru, "eru"},          {&dorm__loss_cost, NULL},           {&dorm__loss_rsvm, "roc_area"},
    {&dorm__loss_rsvm_ir, "roc_area"}, {&dorm__loss_roc_area, "roc_area"}, {&dorm__loss_map, "map"},
    {&dorm__loss_precision_set, "p"},
};

enum { NUM_BUILTINS = sizeof builtins / sizeof *builtins };

struct dorm_loss {
  const dorm_loss_module *module;
  dorm__module *library;   /* that brought it; NULL: built in */
  dorm_loss_module loaded; /* its struct */
  char *path;              /* of the library, as given */
  const char *measure;     /* NULL: none but the loss itself */
  dorm__spec given;
  dorm_loss_value *values; /* [module->num_parameters] */
  char *text;              /* every parameter spelled out */
  void *state;             /* the module's */
  bool is_created;
};

/* A call with the query at hand. */
typedef struct loss_call {
  dorm__host_call call; /* first, as the host is in it */
  const dorm_dataset *dataset;
  size_t query;
} loss_call;

/* O(features + documents), with a logarithm for sparse rows. */
static void host_feature(const dorm_host *host, size_t feature_id, double *values)
{
  const loss_call *call = (const loss_call *)host;
  const dorm_dataset *dataset = call->dataset;
  size_t feature = 0;
  while (feature < dataset->num_features && dataset->feature_ids[feature] < feature_id)
    feature++;
  bool is_known = feature < dataset->num_features && dataset->feature_ids[feature] == feature_id;
  size_t start = dataset->query_start[call->query];
  size_t end = dataset->query_start[call->query + 1];
  for (size_t j = start; j < end; j++)
    values[j - start] = is_known ? (double)dorm_dataset_value(dataset, j, feature) : 0;
}

static void start_call(loss_call *call, const dorm_dataset *dataset, size_t query)
{
  dorm__host_call_start(&call->call);
  call->call.host.feature = host_feature;
  call->dataset = dataset;
  call->query = query;
}

const dorm_loss_module *dorm__loss_builtin(size_t index)
{
  return index < NUM_BUILTINS ? builtins[index].module : NULL;
}

static dorm_status find_module(dorm_context *context, dorm__loss *loss)
{
  const char *names[NUM_BUILTINS];
  for (size_t i = 0; i < NUM_BUILTINS; i++) {
    names[i] = builtins[i].module->name;
    if (strcmp(names[i], loss->given.name) == 0) {
      loss->module = builtins[i].module;
      loss->measure = builtins[i].measure;
      return DORM_OK;
    }
  }
  const char *nearest = dorm__nearest_word(loss->given.name, names, NUM_BUILTINS);
  return dorm__fail(context, DORM_BAD_USAGE, "unknown loss '%s'%s%s%s", loss->given.name,
                    nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

/* "my_loss:alpha=2 from ./my_loss.so": cuts `text` at " from ", which may also be
 * its beginning, and returns the path, NULL when there is none. */
static char *cut_path(char *text)
{
  static const char first[] = "from ";
  static const char later[] = " from ";
  bool is_first = strncmp(text, first, strlen(first)) == 0;
  char *at = is_first ? text : strstr(text, later);
  if (!at)
    return NULL;
  char *path = dorm__trim(at + strlen(is_first ? first : later));
  *at = '\0';
  return path;
}

/* The loss's module, from its file where one was given. */
static dorm_status find_loss(dorm_context *context, const char *spec, dorm__loss *loss)
{
  dorm_status status = DORM_OK;
  char *text = dorm__copy_text(spec);
  if (!text)
    return dorm__out_of_memory(context, "a loss");
  const char *path = cut_path(text);
  if (!path) {
    status = dorm__spec_parse(context, "loss", text, &loss->given);
    if (status == DORM_OK)
      status = find_module(context, loss);
    goto done;
  }
  status = dorm__loss_module_open(context, path, &loss->library, &loss->loaded);
  if (status != DORM_OK)
    goto done;
  loss->module = &loss->loaded;
  loss->path = dorm__copy_text(path);
  bool is_named = text[strspn(text, " \t")] != '\0';
  if (!loss->path)
    status = dorm__out_of_memory(context, "a loss");
  else
    status = dorm__spec_parse(context, "loss", is_named ? text : loss->module->name, &loss->given);
  if (status == DORM_OK && strcmp(loss->given.name, loss->module->name) != 0)
    status = dorm__fail(context, DORM_BAD_USAGE, "%s holds the loss '%s', not '%s'", path, loss->module->name,
                        loss->given.name);
done:
  dorm__free(text);
  return status;
}

/* Every parameter spelled out, and the module's file; NULL when out of memory. */
static char *loss_text(const dorm__loss *loss)
{
  const dorm_loss_module *module = loss->module;
  char *text = dorm__spec_text(module->name, module->num_parameters, module->parameters, loss->values);
  if (!text || !loss->path)
    return text;
  size_t size = strlen(text) + strlen(" from ") + strlen(loss->path) + 1;
  char *whole = dorm__alloc(size, 1);
  if (whole)
    snprintf(whole, size, "%s from %s", text, loss->path);
  dorm__free(text);
  return whole;
}

dorm_status dorm__loss_open(dorm_context *context, const char *spec, dorm__loss **loss)
{
  *loss = NULL;
  dorm__loss *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return dorm__out_of_memory(context, "a loss");
  dorm_status status = find_loss(context, spec, made);
  if (status != DORM_OK)
    goto done;
  const dorm_loss_module *module = made->module;
  made->values = dorm__alloc_zero(module->num_parameters, sizeof *made->values);
  if (!made->values) {
    status = dorm__out_of_memory(context, "a loss");
    goto done;
  }
  status = dorm__spec_values(context, "loss", &made->given, module->num_parameters, module->parameters, made->values);
  if (status != DORM_OK)
    goto done;
  made->text = loss_text(made);
  if (!made->text) {
    status = dorm__out_of_memory(context, "a loss");
    goto done;
  }
  dorm__host_call call;
  dorm__host_call_start(&call);
  if (module->create && module->create(&call.host, made->values, &made->state) != 0) {
    status = dorm__fail(context, dorm__host_call_status(&call, made->library ? DORM_BAD_MODULE : DORM_BAD_USAGE),
                        "loss '%s': %s", module->name, call.message);
    goto done;
  }
  made->is_created = true;
  if (made->library)
    status = dorm__loss_self_check(context, made);
  if (status != DORM_OK)
    goto done;
  *loss = made;
  made = NULL;
done:
  dorm__loss_close(made);
  return status;
}

void dorm__loss_close(dorm__loss *loss)
{
  if (!loss)
    return;
  if (loss->is_created && loss->module->destroy)
    loss->module->destroy(loss->state);
  dorm__free(loss->values);
  dorm__free(loss->text);
  dorm__free(loss->path);
  dorm__spec_free(&loss->given);
  dorm__module_close(loss->library); /* last: names and defaults lie in it */
  dorm__free(loss);
}

const char *dorm__loss_spec(const dorm__loss *loss)
{
  return loss->text;
}

const dorm_loss_module *dorm__loss_module_of(const dorm__loss *loss)
{
  return loss->module;
}

size_t dorm__loss_truncation(const dorm__loss *loss)
{
  const dorm_loss_module *module = dorm__loss_module_of(loss);
  size_t row = dorm__spec_row(module->num_parameters, module->parameters, "truncation");
  return row < module->num_parameters ? (size_t)dorm__loss_values(loss)[row].number : 0;
}

const dorm_loss_value *dorm__loss_values(const dorm__loss *loss)
{
  return loss->values;
}

/* ---- Specs made from specs ------------------------------------------------ */

dorm_status dorm__loss_with_parameter(dorm_context *context, const char *spec, const char *key, const char *value,
                                      char **changed)
{
  *changed = NULL;
  dorm__loss *loss = NULL;
  dorm__loss *check = NULL;
  char *text = NULL;
  dorm_status status = dorm__loss_open(context, spec, &loss);
  if (status != DORM_OK)
    return status;
  const dorm_loss_module *module = loss->module;
  size_t row = dorm__spec_row(module->num_parameters, module->parameters, key);
  if (row == module->num_parameters) {
    status = dorm__fail(context, DORM_BAD_USAGE, "loss '%s' has no parameter '%s'", module->name, key);
    goto done;
  }
  dorm_loss_value before = loss->values[row];
  loss->values[row].text = value;
  text = loss_text(loss);
  loss->values[row] = before;
  if (!text) {
    status = dorm__out_of_memory(context, "a loss");
    goto done;
  }
  status = dorm__loss_open(context, text, &check);
  if (status != DORM_OK)
    goto done;
  *changed = text;
  text = NULL;
done:
  dorm__free(text);
  dorm__loss_close(check);
  dorm__loss_close(loss);
  return status;
}

dorm_status dorm__loss_spec_of_settings(dorm_context *context, const dorm_settings *settings, char **spec)
{
  const char *name = dorm__settings_text(settings, DORM__LOSS_NAME);
  const char *path = dorm__settings_text(settings, DORM__LOSS_MODULE);
  if (*path && strcmp(name, dorm__setting_table[DORM__LOSS_NAME].default_text) == 0)
    name = "";
  size_t size = strlen(name) + strlen(" from ") + strlen(path) + 1;
  *spec = dorm__alloc(size, 1);
  if (!*spec)
    return dorm__out_of_memory(context, "a loss");
  snprintf(*spec, size, "%s%s%s", name, *path ? " from " : "", path);
  return DORM_OK;
}

dorm_status dorm__loss_measure_spec(dorm_context *context, const dorm__loss *loss, char **measure)
{
  if (!loss->measure)
    return dorm__measure_minus_loss_spec(context, loss->text, measure);
  return dorm__measure_spec_for(context, loss->measure, loss->module->num_parameters, loss->module->parameters,
                                loss->values, measure);
}

/* ---- Calls through to the module ------------------------------------------- */

bool dorm__loss_is_general(const dorm__loss *loss)
{
  return loss->module->fill_costs != NULL;
}

bool dorm__loss_reads_features(const dorm__loss *loss)
{
  return loss->library || dorm__loss_is_general(loss);
}

dorm_status dorm__loss_fault(const dorm__loss *loss)
{
  return loss->library ? DORM_BAD_MODULE : DORM_BAD_DATA;
}

dorm_status dorm__name_query(dorm_context *context, dorm_status status, const char *query)
{
  char message[DORM__MESSAGE_SIZE];
  memcpy(message, context->message, sizeof message);
  return dorm__fail(context, status, "query '%.80s': %.900s", query, message);
}

static dorm_status fail_by_call(dorm_context *context, const dorm__loss *loss, const dorm__host_call *call)
{
  return dorm__fail(context, dorm__host_call_status(call, dorm__loss_fault(loss)), "loss '%s': %s", loss->module->name,
                    call->message);
}

static dorm_loss_query query_of(const dorm_dataset *dataset, size_t query)
{
  size_t start = dataset->query_start[query];
  return (dorm_loss_query){.struct_size = sizeof(dorm_loss_query),
                           .num_docs = dataset->query_start[query + 1] - start,
                           .labels = dataset->labels + start};
}

dorm_status dorm__loss_fill_product(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset,
                                    size_t query, double *a, double *b)
{
  loss_call call;
  dorm_loss_query asked = query_of(dataset, query);
  start_call(&call, dataset, query);
  if (loss->module->fill_product(&call.call.host, loss->state, &asked, a, b) != 0)
    return fail_by_call(context, loss, &call.call);
  return DORM_OK;
}

dorm_status dorm__loss_fill_costs(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset,
                                  size_t query, double *cost)
{
  loss_call call;
  dorm_loss_query asked = query_of(dataset, query);
  start_call(&call, dataset, query);
  if (loss->module->fill_costs(&call.call.host, loss->state, &asked, cost) != 0)
    return fail_by_call(context, loss, &call.call);
  return DORM_OK;
}

bool dorm__loss_is_structured(const dorm__loss *loss)
{
  return loss->module->find_worst != NULL;
}

dorm_status dorm__loss_prepare(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset)
{
  if (!loss->module->prepare)
    return DORM_OK;
  dorm_status status = DORM_OK;
  dorm__host_call call;
  dorm_loss_query *queries = dorm__alloc(dataset->num_queries, sizeof *queries);
  if (!queries)
    return dorm__out_of_memory(context, "a loss");
  for (size_t q = 0; q < dataset->num_queries; q++)
    queries[q] = query_of(dataset, q);
  dorm__host_call_start(&call);
  if (loss->module->prepare(&call.host, loss->state, dataset->num_queries, queries) != 0)
    status = fail_by_call(context, loss, &call);
  dorm__free(queries);
  return status;
}

dorm_status dorm__loss_find_worst(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset,
                                  size_t query, const double *scores, double *coefficients, double *delta)
{
  loss_call call;
  dorm_loss_query asked = query_of(dataset, query);
  start_call(&call, dataset, query);
  if (loss->module->find_worst(&call.call.host, loss->state, &asked, scores, coefficients, delta) != 0)
    return fail_by_call(context, loss, &call.call);
  double value = *delta;
  double scale = 1 + fabs(*delta);
  for (size_t j = 0; j < asked.num_docs; j++) {
    value += coefficients[j] * scores[j];
    scale += fabs(coefficients[j] * scores[j]);
  }
  if (!isfinite(value))
    return dorm__fail(context, dorm__loss_fault(loss), "loss '%s': Delta or a coefficient is not a finite number",
                      loss->module->name);
  if (*delta < 0 || value < -rounding * scale)
    return dorm__fail(context, dorm__loss_fault(loss),
                      "loss '%s': the worst output costs less than the right one: Delta %g, value %g",
                      loss->module->name, *delta, value);
  return DORM_OK;
}

dorm_status dorm__loss_of_ranking(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset,
                                  size_t query, const uint32_t *order, double *scratch, double *delta)
{
  size_t num_docs = dataset->query_start[query + 1] - dataset->query_start[query];
  for (size_t p = 0; p < num_docs; p++)
    scratch[order[p]] = -far_apart * (double)p;
  dorm_status status = dorm__loss_find_worst(context, loss, dataset, query, scratch, scratch + num_docs, delta);
  return status == DORM_OK ? status : dorm__name_query(context, status, dorm_dataset_query_id(dataset, query));
}

/* ---- The public face -------------------------------------------------------- */

dorm_status dorm_loss_open(dorm_context *context, const char *spec, dorm_loss **loss)
{
  return dorm__loss_open(context, spec, loss);
}

void dorm_loss_close(dorm_loss *loss)
{
  dorm__loss_close(loss);
}

const dorm_loss_module *dorm_loss_module_of(const dorm_loss *loss)
{
  return loss->module;
}

const dorm_loss_module *dorm_loss_at(size_t index)
{
  return dorm__loss_builtin(index);
}
