/*
 * module.c: λ-functions from shared objects. Opening one checks its promises on queries of one to six documents. It
 * must write only its outputs. They must be finite, the same at a second call, and the curvature not negative. If
 * promised, the λ must add up to 0 and the cost must be finite.
 */
#include "lambdas/kinds.h"
#include "lambdas/lambda.h"

#include <math.h>
#include <string.h>

enum { MOST_DOCS = 6, GUARD = 8, NUM_NUMBERS = MOST_DOCS + 2 * GUARD };

static const double guard_value = -7.0e77;

/* The largest allowed |sum of λ| / sum of |λ| if λ should add up to 0. */
static const double rounding = 1e-9;

/* ---- Calls --------------------------------------------------------------------------------- */

static dorm_status call_fill(dorm_context *context, const dorm__lambda_module *module, const dorm_lambda_query *query,
                             double *lambdas, double *curvature, double *cost)
{
  dorm__host_call call;
  dorm__host_call_start(&call);
  if (module->module.fill(&call.host, module->state, query, lambdas, curvature, cost) == 0)
    return DORM_OK;
  return dorm__fail(context, dorm__host_call_status(&call, DORM_BAD_MODULE), "lambda-function '%s': %s",
                    module->module.name, call.message);
}

/* Calls the module's function. This is the `fill` of its kind. */
static dorm_status fill(dorm_context *context, dorm__lambda_call *call)
{
  double cost = 0;
  const char *query_id = dorm_dataset_query_id(call->lambda->dataset, call->query);
  dorm_lambda_query query = {
      .struct_size = sizeof query, .num_docs = call->num_docs, .labels = call->labels, .scores = call->scores};
  dorm_status status = call_fill(context, call->lambda->module, &query, call->lambdas, call->curvature, &cost);
  if (status != DORM_OK)
    return dorm__fail_within(context, status, "query '%.80s'", query_id);
  for (size_t j = 0; j < call->num_docs; j++)
    if (!(call->curvature[j] >= 0))
      return dorm__fail(context, DORM_BAD_MODULE,
                        "query '%.80s': lambda-function '%s': the curvature of document %zu is %g", query_id,
                        call->lambda->module->module.name, j + 1, call->curvature[j]);
  if (call->cost)
    *call->cost = cost;
  call->num_pairs = dorm__lambda_count_moved(call);
  return DORM_OK;
}

/* ---- The check --------------------------------------------------------------------------------- */

static const double label_sets[][MOST_DOCS] = {
    {0, 0, 0, 0, 0, 0}, {1, 1, 1, 1, 1, 1}, {2, 0, 1, 0, 2, 1}, {0, 1, 2, 3, 4, 3}, {4, 3, 2, 1, 0.5, 0.25},
};
static const double score_sets[][MOST_DOCS] = {
    {0, 0, 0, 0, 0, 0},
    {0.3, -1.2, 0.8, 2.1, -0.4, 0.1},
    {1, 2, 1, 2, 3, 3},
    {-1000, 1000, 0, 500, -500, 1},
};

typedef struct checked {
  double lambdas[NUM_NUMBERS]; /* with guards on both sides */
  double curvature[NUM_NUMBERS];
  double cost;
} checked;

static dorm_status refuse(dorm_context *context, const dorm__lambda_module *module, size_t num_docs, const char *what)
{
  return dorm__fail(context, DORM_BAD_MODULE, "lambda-function '%s' fails its check on a query of %zu documents: %s",
                    module->module.name, num_docs, what);
}

static bool is_guarded(size_t count, const double *numbers)
{
  for (size_t i = 0; i < GUARD; i++)
    if (numbers[i] != guard_value || numbers[GUARD + count + i] != guard_value)
      return false;
  return true;
}

static dorm_status fill_checked(dorm_context *context, const dorm__lambda_module *module,
                                const dorm_lambda_query *query, checked *made)
{
  *made = (checked){.cost = module->module.has_cost ? NAN : 0};
  for (size_t i = 0; i < NUM_NUMBERS; i++) {
    bool is_guard = i < GUARD || i >= GUARD + query->num_docs;
    made->lambdas[i] = is_guard ? guard_value : 0;
    made->curvature[i] = made->lambdas[i];
  }
  dorm_status status = call_fill(context, module, query, made->lambdas + GUARD, made->curvature + GUARD, &made->cost);
  if (status != DORM_OK)
    return dorm__fail_within(context, status, "its check on a query of %zu documents", query->num_docs);
  if (!is_guarded(query->num_docs, made->lambdas) || !is_guarded(query->num_docs, made->curvature))
    return refuse(context, module, query->num_docs, "it writes outside its arrays");
  return DORM_OK;
}

static dorm_status check_query(dorm_context *context, const dorm__lambda_module *module, const dorm_lambda_query *query)
{
  checked first;
  checked second;
  double sum = 0;
  double size = 1;
  dorm_status status =
      DORM__ALL(fill_checked(context, module, query, &first), fill_checked(context, module, query, &second));
  if (status != DORM_OK)
    return status;
  for (size_t i = GUARD; i < GUARD + query->num_docs; i++) {
    if (!isfinite(first.lambdas[i]) || !isfinite(first.curvature[i]))
      return refuse(context, module, query->num_docs, "a lambda or a curvature is infinite or not a number");
    if (first.curvature[i] < 0)
      return refuse(context, module, query->num_docs, "a curvature is negative");
    sum += first.lambdas[i];
    size += fabs(first.lambdas[i]);
  }
  if (memcmp(first.lambdas, second.lambdas, sizeof first.lambdas) != 0 ||
      memcmp(first.curvature, second.curvature, sizeof first.curvature) != 0)
    return refuse(context, module, query->num_docs, "asked twice, its numbers are not the same");
  if (module->module.sums_to_zero && fabs(sum) > rounding * size)
    return refuse(context, module, query->num_docs, "its lambdas do not add up to 0, as it promises");
  if (module->module.has_cost && !isfinite(first.cost))
    return refuse(context, module, query->num_docs, "the cost that it promises is missing, infinite or not a number");
  return DORM_OK;
}

static dorm_status self_check(dorm_context *context, const dorm__lambda_module *module)
{
  dorm_status status = DORM_OK;
  enum { LABEL_SETS = sizeof label_sets / sizeof *label_sets, SCORE_SETS = sizeof score_sets / sizeof *score_sets };
  for (size_t i = 0; i < LABEL_SETS; i++)
    for (size_t k = 0; k < SCORE_SETS; k++)
      for (size_t num_docs = 1; status == DORM_OK && num_docs <= MOST_DOCS; num_docs++) {
        dorm_lambda_query query = {
            .struct_size = sizeof query, .num_docs = num_docs, .labels = label_sets[i], .scores = score_sets[k]};
        status = check_query(context, module, &query);
      }
  return status;
}

/* ---- Opening --------------------------------------------------------------------------------- */

static dorm_status check_struct(dorm_context *context, const char *path, const dorm_lambda_module *given,
                                dorm_lambda_module *made)
{
  if (!given)
    return dorm__fail(context, DORM_BAD_MODULE, "%s: dorm_lambda_module_entry returned no lambda-function", path);
  dorm_status status = dorm__module_check_interface(context, path, given->abi, given->struct_size, sizeof *given);
  if (status != DORM_OK)
    return status;
  *made = *given;
  status = dorm__module_check_head(context, path, "lambda-function", made->name, made->help, made->num_parameters,
                                   made->parameters);
  if (status == DORM_OK && !made->fill)
    status = dorm__fail(context, DORM_BAD_MODULE, "%s: fill must be set", path);
  return status;
}

dorm_status dorm__lambda_module_open(dorm_context *context, const char *path, dorm__lambda_module **module)
{
  dorm__module_function entry = NULL;
  *module = NULL;
  dorm__lambda_module *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return dorm__out_of_memory(context, "a lambda-function");
  made->path = dorm__copy_text(path);
  dorm_status status =
      DORM__ALL(made->path ? DORM_OK : dorm__out_of_memory(context, "a lambda-function"),
                dorm__module_open(context, path, "lambda-function", "dorm_lambda_module_entry", &made->library, &entry),
                check_struct(context, path, ((const dorm_lambda_module *(*)(void))entry)(), &made->module));
  if (status != DORM_OK) {
    dorm__lambda_module_close(made);
    return status;
  }
  made->kind = (dorm__lambda_kind){.info = {.name = made->module.name,
                                            .formula = made->module.help,
                                            .source = made->path,
                                            .has_cost = made->module.has_cost != 0,
                                            .sums_to_zero = made->module.sums_to_zero != 0,
                                            .num_parameters = made->module.num_parameters,
                                            .parameters = made->module.parameters},
                                   .fill = fill};
  *module = made;
  return DORM_OK;
}

dorm_status dorm__lambda_module_create(dorm_context *context, dorm__lambda_module *module,
                                       const dorm_loss_value *values)
{
  dorm__host_call call;
  dorm__host_call_start(&call);
  if (module->module.create && module->module.create(&call.host, values, &module->state) != 0)
    return dorm__fail(context, dorm__host_call_status(&call, DORM_BAD_MODULE), "lambda-function '%s': %s",
                      module->module.name, call.message);
  module->is_created = true;
  return self_check(context, module);
}

void dorm__lambda_module_close(dorm__lambda_module *module)
{
  if (!module)
    return;
  if (module->is_created && module->module.destroy)
    module->module.destroy(module->state);
  dorm__free(module->path);
  dorm__module_close(module->library);
  dorm__free(module);
}
