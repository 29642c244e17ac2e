/*
 * registry.c: finds and opens λ-functions by name. A text is NAME[:KEY=VALUE,...][ of TARGET], and "margin:0.5" is
 * short for "margin:delta=0.5". The text after the first " of " is a measure or a loss (target.c). A function from a
 * module is [NAME[:KEY=VALUE,...] ]from PATH.
 */
#include "lambdas/kinds.h"
#include "lambdas/lambda.h"
#include "lambdas/lambdas.h"
#include "lambdas/target.h"

#include <string.h>

static const dorm__lambda_kind *const kinds[] = {
    &dorm__lambda_ranknet,
    &dorm__lambda_weight_pairs,
    &dorm__lambda_misranked_pairs,
    &dorm__lambda_spring_smooth,
    &dorm__lambda_lambdaloss,
    &dorm__lambda_margin,
    &dorm__lambda_local_cost,
    &dorm__lambda_local_gradient,
    &dorm__lambda_discrete_bounded,
    &dorm__lambda_softmax,
    &dorm__lambda_listmle,
    &dorm__lambda_push,
    &dorm__lambda_approx_ndcg,
    &dorm__lambda_softrank,
    &dorm__lambda_dorm,
    &dorm__lambda_perturbed,
    &dorm__lambda_smoothrank,
};

enum { NUM_KINDS = sizeof kinds / sizeof *kinds };

static const char first_target[] = "ndcg@10";

const dorm_lambda_info *dorm_lambda_info_at(size_t index)
{
  return index < NUM_KINDS ? &kinds[index]->info : NULL;
}

static dorm_status find_kind(dorm_context *context, const char *name, const dorm__lambda_kind **kind)
{
  const char *names[NUM_KINDS];
  for (size_t i = 0; i < NUM_KINDS; i++) {
    names[i] = kinds[i]->info.name;
    if (dorm__equal_words(names[i], name)) {
      *kind = kinds[i];
      return DORM_OK;
    }
  }
  return dorm__fail_unknown(context, "lambda-function", name, names, NUM_KINDS);
}

/* ---- Texts --------------------------------------------------------------------------------- */

/* Cuts `text` at " of " and returns the rest, or NULL if there is no " of ". */
static char *cut_target(char *text)
{
  static const char word[] = " of ";
  char *at = strstr(text, word);
  if (!at)
    return NULL;
  *at = '\0';
  return dorm__trim(at + strlen(word));
}

/* Returns "margin:delta=0.5" for "margin:0.5", in a new text. NULL when out of memory. */
static char *spell_out_margin(const char *text)
{
  static const char name[] = "margin:";
  const char *value = text + strlen(name);
  bool is_short = strncmp(text, name, strlen(name)) == 0 && !memchr(value, '=', strcspn(value, ","));
  size_t size = strlen(text) + sizeof "delta=";
  char *made = dorm__alloc(size, 1);
  if (made && is_short)
    snprintf(made, size, "%sdelta=%s", name, value);
  else if (made)
    snprintf(made, size, "%s", text);
  return made;
}

/* Returns a new text with all parameters and the target. NULL when out of memory. */
static char *whole_text(const dorm__lambda *lambda)
{
  const dorm_lambda_info *info = &lambda->kind->info;
  char *text = dorm__spec_text(info->name, info->num_parameters, info->parameters, lambda->values);
  if (lambda->module)
    return dorm__spec_join(text, "from", lambda->module->path);
  return dorm__spec_join(text, "of", lambda->target ? dorm__measure_spec(lambda->target->measure) : NULL);
}

/* ---- Opening ------------------------------------------------------------------------------- */

/* Returns the value of a parameter, or `otherwise` if the function has none of that name. */
static double number_or(const dorm__lambda *lambda, const char *name, double otherwise)
{
  const dorm_lambda_info *info = &lambda->kind->info;
  size_t row = dorm__spec_row(info->num_parameters, info->parameters, name);
  return row < info->num_parameters ? lambda->values[row].number : otherwise;
}

/* Finds the function, built in or from the module at `path` (NULL: built in). */
static dorm_status find_source(dorm_context *context, const char *text, const char *path, dorm__lambda *made)
{
  dorm_status status;
  if (!path) {
    status = dorm__spec_parse(context, "lambda-function", text, &made->given);
    return status == DORM_OK ? find_kind(context, made->given.name, &made->kind) : status;
  }
  status = dorm__lambda_module_open(context, path, &made->module);
  if (status != DORM_OK)
    return status;
  made->kind = &made->module->kind;
  return dorm__spec_parse_of_module(context, "lambda-function", text, made->kind->info.name, path, &made->given);
}

static bool gives(const dorm__spec *given, const char *key)
{
  for (size_t i = 0; i < given->num_pairs; i++)
    if (strcmp(given->pairs[i].key, key) == 0)
      return true;
  return false;
}

/* Sets the group parameters to their defaults, if the function has them and the text does not set them. */
static void set_defaults(const dorm__lambda_defaults *defaults, dorm__lambda *made)
{
  const dorm_lambda_info *info = &made->kind->info;
  const struct {
    const char *key;
    double number;
  } rows[] = {{"top", (double)defaults->top}, {"capacity", defaults->capacity}, {"seconds", defaults->seconds}};
  if (!defaults->top || made->module || gives(&made->given, rows[0].key))
    return;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    size_t row = dorm__spec_row(info->num_parameters, info->parameters, rows[i].key);
    if (row == info->num_parameters || gives(&made->given, rows[i].key))
      continue;
    made->values[row] = (dorm_loss_value){rows[i].number, dorm__format_double(made->defaults[i], rows[i].number)};
  }
}

static dorm_status open_kind(dorm_context *context, const char *text, const char *path, dorm__lambda *made)
{
  dorm_status status = find_source(context, text, path, made);
  if (status != DORM_OK)
    return status;
  const dorm_lambda_info *info = &made->kind->info;
  made->values = dorm__alloc_zero(info->num_parameters, sizeof *made->values);
  if (!made->values)
    return dorm__out_of_memory(context, "a lambda-function");
  status =
      dorm__spec_values(context, "lambda-function", &made->given, info->num_parameters, info->parameters, made->values);
  made->sigma = made->module ? 1 : number_or(made, "sigma", 1);
  made->alpha = made->module ? 0 : number_or(made, "alpha", 0);
  if (status == DORM_OK && made->module)
    status = dorm__lambda_module_create(context, made->module, made->values);
  return status;
}

/* Opens the target `text`, or `otherwise` if `text` is NULL. */
static dorm_status open_target(dorm_context *context, const char *text, const char *otherwise, size_t num_threads,
                               dorm__lambda *made)
{
  const dorm__lambda_kind *kind = made->kind;
  if (!kind->info.has_target)
    return text ? dorm__fail(context, DORM_BAD_USAGE,
                             "lambda-function '%s' is not of a measure or a loss: leave out 'of %s'", kind->info.name,
                             text)
                : DORM_OK;
  dorm_status status = dorm__target_open(context, text ? text : otherwise, made->dataset, num_threads, &made->target);
  if (status != DORM_OK)
    return status;
  if (made->target->form == DORM__TARGET_STRUCTURED && !kind->takes_structured)
    return dorm__fail(context, DORM_BAD_USAGE,
                      "lambda-function '%s' needs what a swap changes, and a structured loss has none: %s",
                      kind->info.name, dorm__measure_spec(made->target->measure));
  return DORM_OK;
}

static dorm_status open_draws(dorm_context *context, dorm__lambda *made)
{
  if (!made->kind->has_draws)
    return DORM_OK;
  dorm__smoothed_options options = {.draws_normal = made->kind->draws_normal,
                                    .power = dorm__lambda_number(made, "power"),
                                    .seed = (uint64_t)dorm__lambda_number(made, "seed"),
                                    .top = (size_t)number_or(made, "top", 0),
                                    .capacity = number_or(made, "capacity", 1),
                                    .seconds = number_or(made, "seconds", 0)};
  return dorm__smoothed_new(context, made->target, made->dataset, &options, &made->smoothed);
}

/* Fails if documents have weights but the target has no gains. Weights multiply only gains. */
static dorm_status check_weights(dorm_context *context, const dorm__lambda *lambda)
{
  const dorm_dataset *dataset = lambda->dataset;
  if (!dataset->doc_weights || (lambda->target && lambda->target->form == DORM__TARGET_PRODUCT))
    return DORM_OK;
  return dorm__fail(
      context, DORM_BAD_USAGE,
      "%s has weights of documents, but the lambda-function '%s' has no gain of a document that they could "
      "multiply, as functions of ndcg or dcg have",
      dataset->name, lambda->kind->info.name);
}

dorm_status dorm__lambda_open(dorm_context *context, const char *spec, const dorm__lambda_defaults *defaults,
                              const dorm_dataset *dataset, size_t num_threads, dorm__lambda **lambda)
{
  const char *otherwise = defaults && defaults->target ? defaults->target : first_target;
  dorm_status status = DORM_OK;
  *lambda = NULL;
  DORM__OWNED(dorm__lambda) *made = dorm__alloc_zero(1, sizeof *made);
  DORM__FREED char *given = dorm__copy_text(spec);
  DORM__FREED char *text = NULL;
  if (!made || !given)
    return dorm__out_of_memory(context, "a lambda-function");
  made->dataset = dataset;
  const char *target = cut_target(given);
  const char *path = target ? NULL : dorm__spec_cut_path(given);
  text = spell_out_margin(dorm__trim(given));
  if (!text)
    return dorm__out_of_memory(context, "a lambda-function");
  status = open_kind(context, text, path, made);
  if (status == DORM_OK && defaults)
    set_defaults(defaults, made);
  if (status == DORM_OK)
    status = DORM__ALL(open_target(context, target, otherwise, num_threads, made), check_weights(context, made),
                       open_draws(context, made));
  if (status != DORM_OK)
    return status;
  made->text = whole_text(made);
  if (!made->text)
    return dorm__out_of_memory(context, "a lambda-function");
  *lambda = made;
  made = NULL;
  return status;
}

void dorm__lambda_close(dorm__lambda *lambda)
{
  if (!lambda)
    return;
  dorm__smoothed_free(lambda->smoothed);
  dorm__target_close(lambda->target);
  dorm__spec_free(&lambda->given);
  dorm__free(lambda->values);
  dorm__free(lambda->text);
  dorm__lambda_module_close(lambda->module); /* last: names and defaults lie in it */
  dorm__free(lambda);
}

const char *dorm__lambda_spec(const dorm__lambda *lambda)
{
  return lambda->text;
}

bool dorm__lambda_has_cost(const dorm__lambda *lambda)
{
  bool is_structured = lambda->target && lambda->target->form == DORM__TARGET_STRUCTURED;
  return lambda->kind->info.has_cost || is_structured;
}
