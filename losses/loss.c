/*
 * loss.c: calls the module of an opened loss, each time with the query, and answers questions about the loss.
 */
#include "losses/loss.h"
#include "base/processes.h"
#include "losses/gains.h"
#include "losses/losses.h"

#include <math.h>
#include <string.h>

static const double rounding = 1e-9; /* of a value that is 0 but for rounding, over the sum of its parts */
static const double far_apart = 1e6; /* the distance of scores whose order no Delta overrules */

/* ---- Properties of a loss ------------------------------------------- */

const char *dorm__loss_spec(const dorm__loss *loss)
{
  return loss->text;
}

const dorm_loss_module *dorm__loss_module_of(const dorm__loss *loss)
{
  return loss->module;
}

const dorm_loss_value *dorm__loss_values(const dorm__loss *loss)
{
  return loss->values;
}

const char *dorm__loss_measure(const dorm__loss *loss)
{
  return loss->source->measure;
}

size_t dorm__loss_truncation(const dorm__loss *loss)
{
  const dorm_loss_module *module = loss->module;
  size_t row = dorm__spec_row(module->num_parameters, module->parameters, "truncation");
  return row < module->num_parameters ? (size_t)loss->values[row].number : 0;
}

bool dorm__loss_is_prepared(const dorm__loss *loss)
{
  return loss->module->prepare != NULL;
}

bool dorm__loss_is_general(const dorm__loss *loss)
{
  return loss->module->fill_costs != NULL;
}

bool dorm__loss_is_own(const dorm__loss *loss)
{
  return loss->source->is_own;
}

bool dorm__loss_is_foreign(const dorm__loss *loss)
{
  return loss->source->library || loss->source->is_own;
}

bool dorm__loss_reads_features(const dorm__loss *loss)
{
  return dorm__loss_is_foreign(loss) || dorm__loss_is_general(loss);
}

dorm_status dorm__loss_fault(const dorm__loss *loss)
{
  return dorm__loss_is_foreign(loss) ? DORM_BAD_MODULE : DORM_BAD_DATA;
}

bool dorm__loss_is_structured(const dorm__loss *loss)
{
  return loss->module->find_worst != NULL;
}

/* ---- Weights of documents -------------------------------------------------- */

dorm_status dorm__loss_check_weights(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset)
{
  if (!dataset->doc_weights || loss->source->weighing != DORM__WEIGHING_NONE)
    return DORM_OK;
  return dorm__fail(context, DORM_BAD_USAGE,
                    "%s has weights of documents, but loss '%s' has no gain of a document that they could multiply, as "
                    "dcg, ndcg, mwta, eru, precision and wta have; weights of queries suit every loss",
                    dataset->name, loss->module->name);
}

/* Returns whether the loss divides its gains by the worth of an ideal ranking. A loss with a parameter `normalised`
 * does so at its default. */
static bool divides_by_ideal(const dorm__loss *loss)
{
  const dorm_loss_module *module = loss->module;
  size_t row = dorm__spec_row(module->num_parameters, module->parameters, "normalised");
  return loss->source->weighing == DORM__WEIGHING_IDEAL &&
         (row == module->num_parameters || strcmp(loss->values[row].text, module->parameters[row].default_text) == 0);
}

void dorm__loss_weigh_gains(const dorm__loss *loss, const dorm_dataset *dataset, size_t query, const double *a,
                            double *b, double *scratch)
{
  size_t first = dataset->query_start[query];
  size_t num_docs = dataset->query_start[query + 1] - first;
  if (!dataset->doc_weights)
    return;
  double before = dorm__ideal_worth(num_docs, a, b, scratch);
  for (size_t j = 0; j < num_docs; j++)
    b[j] *= dataset->doc_weights[first + j];
  double after = dorm__ideal_worth(num_docs, a, b, scratch);
  for (size_t j = 0; divides_by_ideal(loss) && after > 0 && j < num_docs; j++)
    b[j] *= before / after;
}

/* ---- Calls to the module -------------------------------------------------- */

/* A call and its query. */
typedef struct loss_call {
  dorm__host_call call; /* first, so that the host's address is this struct's */
  const dorm_dataset *dataset;
  size_t query;
} loss_call;

/* Fills the values of a feature. O(features + documents), times a logarithm for sparse rows. */
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

static loss_call start_call(const dorm__loss *loss, const dorm_dataset *dataset, size_t query)
{
  loss_call call = {.dataset = dataset, .query = query};
  dorm__host_call_start(&call.call);
  call.call.host.user = loss->source->user;
  call.call.host.feature = host_feature;
  return call;
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
  loss_call call = start_call(loss, dataset, query);
  dorm_loss_query asked = query_of(dataset, query);
  if (loss->module->fill_product(&call.call.host, loss->state, &asked, a, b) != 0)
    return fail_by_call(context, loss, &call.call);
  return DORM_OK;
}

dorm_status dorm__loss_fill_costs(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset,
                                  size_t query, double *cost)
{
  loss_call call = start_call(loss, dataset, query);
  dorm_loss_query asked = query_of(dataset, query);
  if (loss->module->fill_costs(&call.call.host, loss->state, &asked, cost) != 0)
    return fail_by_call(context, loss, &call.call);
  return DORM_OK;
}

dorm_status dorm__loss_prepare(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset)
{
  if (!loss->module->prepare)
    return DORM_OK;
  if (dorm__processes_size(context) > 1)
    return dorm__fail(context, DORM_BAD_USAGE,
                      "loss '%s' looks at all queries before training: train on one machine, by dorm train",
                      loss->module->name);
  dorm_status status = DORM_OK;
  dorm__host_call call;
  DORM__FREED dorm_loss_query *queries = dorm__alloc(dataset->num_queries, sizeof *queries);
  if (!queries)
    return dorm__out_of_memory(context, "a loss");
  for (size_t q = 0; q < dataset->num_queries; q++)
    queries[q] = query_of(dataset, q);
  dorm__host_call_start(&call);
  call.host.user = loss->source->user;
  if (loss->module->prepare(&call.host, loss->state, dataset->num_queries, queries) != 0)
    status = fail_by_call(context, loss, &call);
  return status;
}

dorm_status dorm__loss_find_worst(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset,
                                  size_t query, const double *scores, double *coefficients, double *delta)
{
  loss_call call = start_call(loss, dataset, query);
  dorm_loss_query asked = query_of(dataset, query);
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
  return status == DORM_OK ? status
                           : dorm__fail_within(context, status, "query '%.80s'", dorm_dataset_query_id(dataset, query));
}

/* ---- Module ------------------------------------------------------------------------------------ */

/* Losses from shared objects (base/module.c), checked before they are called. */

/* The struct ended here before the structured form existed. Members that a module's struct lacks become NULL. */
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
