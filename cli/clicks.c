/* clicks.c: logs of clicks for `dorm train`, and what `dorm eval --clicks` prints. */
#include "cli/cli.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Settings ---------------------------------------------------------------------- */

enum { PATH_SIZE = PATH_MAX + 1 }; /* a longer path is cut, and no such file exists */

/* Takes the argument of "file:PATH", with or without quotes. */
static void take_path(const char *argument, char path[PATH_SIZE])
{
  size_t size = strlen(argument);
  bool is_quoted = size > 1 && *argument == '"' && argument[size - 1] == '"';
  snprintf(path, PATH_SIZE, "%.*s", (int)(is_quoted ? size - 2 : size), argument + is_quoted);
}

/* Collects the options from the settings clicks.*. `path` holds the path among them. */
static dorm_click_options options_of(const dorm_settings *settings, char path[PATH_SIZE])
{
  static const struct {
    const char *word;
    dorm_propensity propensity;
  } words[] = {{"auto", DORM_PROPENSITY_AUTO},       {"power", DORM_PROPENSITY_POWER}, {"file", DORM_PROPENSITY_FILE},
               {"harvest", DORM_PROPENSITY_HARVEST}, {"em", DORM_PROPENSITY_EM},       {"none", DORM_PROPENSITY_NONE},
               {"affine", DORM_PROPENSITY_AFFINE}};
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

/* Adds gain=linear to a spec that begins with ndcg or dcg and has no gain, because gains of clicks are real numbers and
 * must not be transformed. */
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

/* Replaces the labels by the clicks of the log at `path`. Takes the propensities of `shared`, or of the settings if
 * `shared` is NULL. */
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

/* Finds the settings clicks.* of a model, or the defaults, and applies the options. */
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

/* Attaches the click model of --click-model to the log. */
static dorm_status set_model(dorm_context *context, const char *path, const dorm_dataset *dataset, dorm_clicks *clicks)
{
  dorm_model *model = NULL;
  double *scores = malloc(dorm_dataset_num_docs(dataset) * sizeof *scores);
  dorm_status status = scores ? dorm_model_read(context, path, &model) : (dorm_status)cli_out_of_memory();
  if (status == DORM_OK)
    status = dorm_model_score(context, model, dataset, 0, scores);
  if (status == DORM_OK)
    status = dorm_clicks_set_model(context, clicks, dataset, scores);
  dorm_model_free(model);
  free(scores);
  return status;
}

static dorm_status keep_curve(const dorm_clicks *clicks, cli_click_curve *curve)
{
  size_t count = dorm_clicks_num_positions(clicks);
  *curve = (cli_click_curve){dorm_clicks_eta(clicks), dorm_clicks_eta_error(clicks), count,
                             malloc(count * sizeof *curve->values)};
  if (!curve->values)
    return (dorm_status)cli_out_of_memory();
  for (size_t k = 0; k < count; k++)
    curve->values[k] = dorm_clicks_propensity(clicks, k + 1);
  return DORM_OK;
}

static dorm_status write_curve(dorm_context *context, const cli_click_curve *curve, const char *path)
{
  FILE *file = NULL;
  dorm_status status = cli_open_output(context, path, &file);
  if (status != DORM_OK)
    return status;
  double largest = 1; /* an estimate may exceed the first position's */
  for (size_t k = 0; k < curve->num_positions; k++)
    largest = curve->values[k] > largest ? curve->values[k] : largest;
  for (size_t k = 0; k < curve->num_positions; k++)
    fprintf(file, "%.17g\n", curve->values[k] / largest);
  return cli_close_output(file, path);
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
  if (asked->propensities && options.propensity == DORM_PROPENSITY_AFFINE) {
    dorm_settings_free(settings);
    return (dorm_status)cli_usage_error("eval: --propensities: a file has no place for clicks.propensity = affine");
  }
  status = dorm_clicks_read(context, asked->path, results->dataset, &clicks);
  if (status == DORM_OK)
    status = dorm_clicks_set_propensities(context, clicks, results->dataset, &options);
  if (status == DORM_OK && asked->model)
    status = set_model(context, asked->model, results->dataset, clicks);
  results->click_truncation = asked->truncation;
  status = status == DORM_OK ? evaluate_systems(context, clicks, results) : (dorm_status)cli_failure(context, status);
  if (status == DORM_OK)
    status = keep_curve(clicks, &results->click_curve);
  if (status == DORM_OK && asked->propensities)
    status = write_curve(context, &results->click_curve, asked->propensities);
  dorm_settings_free(settings);
  dorm_clicks_free(clicks);
  return status;
}

static void print_curve(const cli_click_curve *curve)
{
  enum { MOST = 10 };
  if (!isnan(curve->eta))
    printf("; propensities 1 / position^%.4f", curve->eta);
  if (!isnan(curve->eta_error))
    printf(" +- %.4f", curve->eta_error);
  printf("\n");
  size_t count = curve->num_positions < MOST ? curve->num_positions : MOST;
  char values[MOST * 16] = "";
  for (size_t k = 0, size = 0; k < count && size < sizeof values; k++)
    size += (size_t)snprintf(values + size, sizeof values - size, " %.3f", curve->values[k]);
  cli_print_lines(stdout, 0, "propensities of positions 1 to %zu:%s", count, values);
}

static void print_error(double error, double by_impressions)
{
  if (!isnan(error))
    printf(" +- %.5f over queries", error);
  if (!isnan(by_impressions))
    cli_print(stdout, "%s +- %.5f over impressions", isnan(error) ? "" : ",", by_impressions);
  printf("\n");
}

/* The larger known error. */
static double error_of(const dorm_click_evaluation *made)
{
  double error = isnan(made->ips_error) ? 0 : made->ips_error;
  return made->ips_error_impressions > error ? made->ips_error_impressions : error;
}

static const double most_unshown = 0.02; /* share of the weight without a warning */

/* Prints how much the documents that the log never showed could matter. */
static void print_unshown(const dorm_click_evaluation *made, bool is_difference, const char *name)
{
  char range[80] = "";
  if (made->unshown > 0)
    snprintf(range, sizeof range, "; with their clicks IPS would be from %.6f to %.6f", made->ips_least,
             made->ips_most);
  cli_print_lines(stdout, 2, "%.1f %% of the weight is at documents that the log never showed%s", 100 * made->unshown,
                  range);
  double least = made->ips_least - 1.96 * error_of(made), most = made->ips_most + 1.96 * error_of(made);
  if (is_difference && made->unshown > 0 && least < 0 && most > 0)
    cli_print(stdout, "  the log does not show which of both is better\n");
  fflush(stdout);
  if (!is_difference && made->unshown > most_unshown)
    cli_print(stderr,
              "dorm: warning: %s: %.1f %% of its weight is at documents that the log never showed, which count 0\n",
              name, 100 * made->unshown);
}

void cli_print_estimates(const cli_click_evaluation *asked, const cli_results *results)
{
  char top[32] = "";
  if (results->click_truncation)
    snprintf(top, sizeof top, "@%zu", results->click_truncation);
  cli_print(stdout, "%s: %zu impressions, %zu clicks", asked->path, results->estimates->num_impressions,
            results->estimates->num_clicks);
  print_curve(&results->click_curve);
  for (size_t i = 0; i < 2 * results->num_systems - 1; i++) {
    const dorm_click_evaluation *made = &results->estimates[i];
    size_t other = i < results->num_systems ? 0 : i - results->num_systems + 1;
    cli_print(stdout, "\n%s%s%s, by clicks:\n", results->systems[other ? 0 : i].name, other ? " minus " : "",
              other ? results->systems[other].name : "");
    cli_print(stdout, "  IPS DCG%s = %.6f", top, made->ips);
    print_error(made->ips_error, made->ips_error_impressions);
    cli_print(stdout, "  SNIPS%s = %.6f", top, made->snips);
    print_error(made->snips_error, made->snips_error_impressions);
    if (!isnan(made->dr)) {
      cli_print(stdout, "  doubly robust DCG%s = %.6f", top, made->dr);
      print_error(made->dr_error, made->dr_error_impressions);
    }
    print_unshown(made, other, results->systems[other ? 0 : i].name);
  }
}

/* ---- Safe training ------------------------------------------------------------------------- */

/* Compares the model with the rankings in the log of the validation data. *is_safe is true if the lower end of the
 * one-sided 95 % interval of the difference in DCG@10 is at least 0. Documents that the log never showed are taken at
 * their worst. Prints the result, and a failure. */
static dorm_status check_logged(dorm_context *context, const dorm_settings *settings, const dorm_model *model,
                                const dorm_dataset *validation, bool *is_safe)
{
  enum { TOP = 10 };
  char curve[PATH_SIZE];
  const char *path = dorm_settings_get(settings, "data.validation_clicks");
  dorm_click_options options = options_of(settings, curve);
  dorm_click_evaluation made = {.struct_size = sizeof made};
  dorm_clicks *clicks = NULL;
  double *scores = malloc(dorm_dataset_num_docs(validation) * sizeof *scores);
  *is_safe = false;
  if (!scores)
    return (dorm_status)cli_out_of_memory();
  dorm_status status = dorm_model_score(context, model, validation, 0, scores);
  if (status == DORM_OK)
    status = dorm_clicks_read(context, path, validation, &clicks);
  if (status == DORM_OK)
    status = dorm_clicks_set_propensities(context, clicks, validation, &options);
  if (status == DORM_OK)
    status = dorm_clicks_compare_logged(context, clicks, validation, scores, TOP, &made);
  dorm_clicks_free(clicks);
  free(scores);
  if (status != DORM_OK)
    return (dorm_status)cli_failure(context, status);
  double least = made.ips_least - 1.645 * error_of(&made);
  *is_safe = isfinite(made.ips_error) && least >= 0;
  cli_print(stdout,
            "logged      DCG@10 by %s: %+.4f +- %.4f over the rankings that users saw; at least %+.4f (95 %%)\n", path,
            made.ips, error_of(&made), least);
  return DORM_OK;
}

dorm_status cli_write_if_safe(dorm_context *context, const dorm_settings *settings, const dorm_model *model,
                              const dorm_dataset *validation, dorm_status trained)
{
  const char *path = dorm_settings_get(settings, "output.model");
  size_t size = strlen(path) + sizeof ".refused";
  char *name = malloc(size);
  bool is_safe = false;
  if (!name)
    return (dorm_status)cli_out_of_memory();
  dorm_status status = check_logged(context, settings, model, validation, &is_safe);
  if (status == DORM_OK) {
    snprintf(name, size, "%s%s", path, is_safe ? "" : ".refused");
    status = dorm_model_write(context, model, name);
    if (status != DORM_OK)
      cli_failure(context, status);
  }
  if (status == DORM_OK && !is_safe)
    cli_print(stderr,
              "dorm: clicks do not show that the model ranks as well as the rankings that users saw: it is %s\n", name);
  free(name);
  return status == DORM_OK && !is_safe ? DORM_STOPPED : status == DORM_OK ? trained : status;
}
