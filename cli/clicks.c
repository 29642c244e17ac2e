/* clicks.c: logs of clicks for `dorm train`, and what `dorm eval --clicks` prints. */
#include "cli/cli.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Settings ---------------------------------------------------------------------- */

enum { PATH_SIZE = PATH_MAX + 1 }; /* a longer path is cut, and no file has the cut one */

/* Takes the argument of "file:PATH", with or without quotes. */
static void take_path(const char *argument, char path[PATH_SIZE])
{
  size_t size = strlen(argument);
  bool is_quoted = size > 1 && *argument == '"' && argument[size - 1] == '"';
  snprintf(path, PATH_SIZE, "%.*s", (int)(is_quoted ? size - 2 : size), argument + is_quoted);
}

/* The options that the settings clicks.* name; `path` keeps the path among them. */
static dorm_click_options options_of(const dorm_settings *settings, char path[PATH_SIZE])
{
  static const struct {
    const char *word;
    dorm_propensity propensity;
  } words[] = {{"auto", DORM_PROPENSITY_AUTO},       {"power", DORM_PROPENSITY_POWER}, {"file", DORM_PROPENSITY_FILE},
               {"harvest", DORM_PROPENSITY_HARVEST}, {"em", DORM_PROPENSITY_EM},       {"none", DORM_PROPENSITY_NONE}};
  const char *curve = dorm_settings_get(settings, "clicks.curve");
  dorm_click_options options = {
      .struct_size = sizeof options,
      .curve = strcmp(curve, "free") == 0    ? DORM_CURVE_FREE
               : strcmp(curve, "power") == 0 ? DORM_CURVE_POWER
                                             : DORM_CURVE_AUTO,
  };
  const char *text = dorm_settings_get(settings, "clicks.propensity");
  size_t size = strcspn(text, ":");
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strlen(words[i].word) == size && strncmp(words[i].word, text, size) == 0)
      options.propensity = words[i].propensity;
  if (options.propensity == DORM_PROPENSITY_POWER)
    options.eta = strtod(text + size + 1, NULL);
  if (options.propensity == DORM_PROPENSITY_FILE) {
    take_path(text + size + 1, path);
    options.path = path;
  }
  return options;
}

/* Gives a spec that begins with ndcg or dcg, and says nothing of the gain, linear gains: gains of clicks are real
 * numbers, which are to be taken as they are. */
static dorm_status make_linear(dorm_context *context, dorm_settings *settings, const char *key)
{
  const char *text = dorm_settings_get(settings, key);
  size_t name = strncmp(text, "ndcg", 4) == 0 ? 4 : strncmp(text, "dcg", 3) == 0 ? 3 : 0;
  bool is_known = name && (!text[name] || text[name] == ':' || text[name] == '@');
  const char *gain = strstr(text, "gain=");
  if (strcmp(text, "auto") == 0 || (is_known && gain && strncmp(gain, "gain=linear", 11) == 0))
    return DORM_OK;
  if (gain || !is_known)
    return (dorm_status)cli_usage_error("%s = %s: clicks train and choose by ndcg or dcg with linear gains", key, text);
  size_t size = strlen(text) + sizeof ":gain=linear";
  char *linear = malloc(size);
  if (!linear)
    return (dorm_status)cli_out_of_memory();
  snprintf(linear, size, "%s%sgain=linear", text, strchr(text, ':') ? "," : ":");
  dorm_status status = dorm_settings_set(context, settings, key, linear);
  free(linear);
  return status == DORM_OK ? DORM_OK : (dorm_status)cli_failure(context, status);
}

dorm_status cli_prepare_clicks(dorm_context *context, dorm_settings *settings)
{
  bool has_training = *dorm_settings_get(settings, "data.clicks") != '\0';
  if (*dorm_settings_get(settings, "data.validation_clicks") && !*dorm_settings_get(settings, "data.validation"))
    return (dorm_status)cli_usage_error("data.validation_clicks: there are no validation data, data.validation");
  if (!has_training && !*dorm_settings_get(settings, "data.validation_clicks"))
    return DORM_OK;
  dorm_status status = has_training ? make_linear(context, settings, "loss.name") : DORM_OK;
  return status == DORM_OK ? make_linear(context, settings, "selection.measure") : status;
}

/* ---- Training ------------------------------------------------------------------------- */

/* Puts the clicks of the log at `path` in the place of labels; the propensities are those of `shared`, or, where this
 * is NULL, what the settings say. */
static dorm_status take_clicks(dorm_context *context, const dorm_settings *settings, const char *path,
                               const dorm_clicks *shared, dorm_dataset *dataset, dorm_clicks **clicks)
{
  char curve[PATH_SIZE];
  dorm_click_options options = options_of(settings, curve);
  dorm_status status = dorm_clicks_read(context, path, dataset, clicks);
  if (status == DORM_OK)
    status = shared ? dorm_clicks_share_propensities(context, *clicks, shared)
                    : dorm_clicks_set_propensities(context, *clicks, dataset, &options);
  return status == DORM_OK ? dorm_dataset_set_clicks(context, dataset, *clicks) : status;
}

dorm_status cli_take_clicks(dorm_context *context, const dorm_settings *settings, dorm_dataset *train,
                            dorm_dataset *validation)
{
  const char *path = dorm_settings_get(settings, "data.clicks");
  const char *validation_path = dorm_settings_get(settings, "data.validation_clicks");
  dorm_clicks *clicks = NULL, *validation_clicks = NULL;
  dorm_status status = *path ? take_clicks(context, settings, path, NULL, train, &clicks) : DORM_OK;
  if (status == DORM_OK && *validation_path && validation)
    status = take_clicks(context, settings, validation_path, clicks, validation, &validation_clicks);
  dorm_clicks_free(clicks);
  dorm_clicks_free(validation_clicks);
  return status;
}

/* ---- Evaluation -------------------------------------------------------------------------- */

/* The settings clicks.* of a model, or the defaults, with what the options change. */
static dorm_status find_settings(dorm_context *context, const cli_click_evaluation *asked, const char *model_path,
                                 dorm_settings **settings)
{
  dorm_model *model = NULL;
  dorm_status status = model_path ? dorm_model_read(context, model_path, &model) : DORM_OK;
  if (status == DORM_OK)
    status = model ? dorm_model_settings(context, model, settings) : dorm_settings_new(context, settings);
  if (status != DORM_OK)
    cli_failure(context, status);
  for (size_t i = 0; status == DORM_OK && i < asked->assignments.count; i++)
    status = cli_set_setting(context, *settings, asked->assignments.items[i]);
  if (status == DORM_OK)
    cli_note_file(model, *settings, "clicks.propensity", "--set");
  dorm_model_free(model);
  return status;
}

static void print_error(double error, double by_impressions)
{
  printf(" +- %.5f over queries", error);
  if (!isnan(by_impressions))
    printf(", +- %.5f over impressions", by_impressions);
  printf("\n");
}

static dorm_status evaluate_systems(dorm_context *context, const dorm_clicks *clicks, cli_results *results)
{
  size_t num_systems = results->num_systems;
  dorm_status status = DORM_OK;
  results->estimates = calloc(2 * num_systems - 1, sizeof *results->estimates);
  if (!results->estimates)
    return (dorm_status)cli_out_of_memory();
  for (size_t i = 0; status == DORM_OK && i < 2 * num_systems - 1; i++) {
    const cli_system *system = &results->systems[i < num_systems ? i : 0];
    const double *baseline = i < num_systems ? NULL : results->systems[i - num_systems + 1].scores;
    results->estimates[i].struct_size = sizeof *results->estimates;
    status = dorm_clicks_evaluate(context, clicks, results->dataset, system->scores, baseline,
                                  results->click_truncation, &results->estimates[i]);
  }
  return status == DORM_OK ? DORM_OK : (dorm_status)cli_failure(context, status);
}

dorm_status cli_evaluate_clicks(dorm_context *context, const cli_click_evaluation *asked, const char *model_path,
                                cli_results *results)
{
  dorm_settings *settings = NULL;
  dorm_clicks *clicks = NULL;
  dorm_status status = find_settings(context, asked, model_path, &settings);
  if (status != DORM_OK) {
    dorm_settings_free(settings);
    return status;
  }
  char curve[PATH_SIZE];
  dorm_click_options options = options_of(settings, curve);
  status = dorm_clicks_read(context, asked->path, results->dataset, &clicks);
  if (status == DORM_OK)
    status = dorm_clicks_set_propensities(context, clicks, results->dataset, &options);
  results->click_truncation = asked->truncation;
  results->click_eta = dorm_clicks_eta(clicks);
  status = status == DORM_OK ? evaluate_systems(context, clicks, results) : (dorm_status)cli_failure(context, status);
  dorm_settings_free(settings);
  dorm_clicks_free(clicks);
  return status;
}

void cli_print_estimates(const cli_click_evaluation *asked, const cli_results *results)
{
  char top[32] = "";
  if (results->click_truncation)
    snprintf(top, sizeof top, "@%zu", results->click_truncation);
  cli_print(stdout, "%s: %zu impressions, %zu clicks", asked->path, results->estimates->num_impressions,
            results->estimates->num_clicks);
  if (!isnan(results->click_eta))
    printf("; propensities 1 / position^%.4f", results->click_eta);
  printf("\n");
  for (size_t i = 0; i < 2 * results->num_systems - 1; i++) {
    const dorm_click_evaluation *made = &results->estimates[i];
    size_t other = i < results->num_systems ? 0 : i - results->num_systems + 1;
    cli_print(stdout, "\n%s%s%s, by clicks:\n", results->systems[other ? 0 : i].name, other ? " minus " : "",
              other ? results->systems[other].name : "");
    cli_print(stdout, "  IPS DCG%s = %.6f", top, made->ips);
    print_error(made->ips_error, made->ips_error_impressions);
    cli_print(stdout, "  SNIPS%s = %.6f", top, made->snips);
    print_error(made->snips_error, made->snips_error_impressions);
  }
}
