/* report.c: `dorm report`, and the report at the end of `dorm train`: one self-contained file of HTML. */
#include "cli/report/report.h"
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "chosen on these queries" for data that the model was trained on. */
static const char *note_on(const dorm_model *model, const char *path)
{
  const char *train = dorm_model_setting(model, "data.train");
  const char *validation = dorm_model_setting(model, "data.validation");
  if (train && *path && strcmp(train, path) == 0)
    return "the model was trained on this file, so the value is too good";
  return validation && *path && strcmp(validation, path) == 0 ? "the model was chosen on this file" : "";
}

/* Scores the data set by a model and evaluates it. Fills scores[num_docs] and values[num_queries]. */
static void measure(const report *made, const dorm_model *model, const dorm_dataset *dataset, double *scores,
                    double *values, dorm_evaluation *evaluation)
{
  evaluation->struct_size = sizeof *evaluation;
  cli_check(made->context, dorm_model_score(made->context, model, dataset, made->asked->reading.num_threads, scores));
  cli_check(made->context, dorm_evaluate(made->context, made->measure, dataset, scores, values, evaluation));
}

static void measure_chance(const report *made, report_data *data)
{
  cli_system chance = {.is_chance = true};
  double *scores = cli_alloc(data->summary.num_docs, sizeof *scores);
  char *text = cli_measure_text(made->measure, &chance);
  data->chance.struct_size = sizeof data->chance;
  cli_check(made->context, dorm_evaluate(made->context, text, data->dataset, scores, NULL, &data->chance));
  free(scores);
  free(text);
}

/* Measures the other model, and compares it with the model. */
static void compare(const report *made, report_data *data)
{
  double *scores = cli_alloc(data->summary.num_docs, sizeof *scores);
  dorm_arrays arrays = {.struct_size = sizeof arrays};
  data->comparison.struct_size = sizeof data->comparison;
  data->others = cli_alloc(data->summary.num_queries, sizeof *data->others);
  measure(made, made->other, data->dataset, scores, data->others, &data->other);
  free(scores);
  cli_check(made->context, dorm_dataset_arrays(made->context, data->dataset, &arrays));
  cli_check(made->context, dorm_compare_weighted(made->context, data->summary.num_queries, data->values, data->others,
                                                 arrays.query_weights, 10000, 1, &data->comparison));
}

static void read_data(const report *made, const char *path, report_data *data)
{
  dorm_read_options reading = made->asked->reading;
  reading.sort_queries = 1;
  data->dataset = cli_read_data(made->context, made->model, path, &reading);
  cli_summarise(made->context, data->dataset, path, &data->summary);
  data->note = note_on(made->model, path);
  data->scores = cli_alloc(data->summary.num_docs, sizeof *data->scores);
  data->values = cli_alloc(data->summary.num_queries, sizeof *data->values);
  measure(made, made->model, data->dataset, data->scores, data->values, &data->evaluation);
  measure_chance(made, data);
  if (made->other)
    compare(made, data);
}

static void data_clear(report_data *data)
{
  cli_data_clear(&data->summary);
  dorm_dataset_free(data->dataset);
  free(data->scores);
  free(data->values);
  free(data->others);
}

/* ---- The page ----------------------------------------------------------------------------------- */

static const char page_start[] =
    "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
    "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'\"><style>"
    ":root{color-scheme:light "
    "dark;--back:#fff;--ink:#1c2024;--soft:#5b6570;--grid:#dde1e6;--main:#1668b8;--bar:#a9b4c0}"
    "@media(prefers-color-scheme:dark){:root{--back:#15181c;--ink:#e4e7eb;--soft:#99a3ad;--grid:#31373e;--main:#5aa9f0;"
    "--bar:#59636e}}body{font:16px/1.5 system-ui,sans-serif;background:var(--back);color:var(--ink);max-width:62rem;"
    "margin:0 auto;padding:1rem}h1,li,td{overflow-wrap:anywhere}h1{font-size:1.6rem;margin:.5rem 0}h2{font-size:1.2rem;"
    "margin:2.2rem 0 .5rem;border-top:1px solid var(--grid);padding-top:1rem}h3{font-size:1rem;margin:1rem 0 0}"
    "p{max-width:42rem}.soft{color:var(--soft);font-size:.9rem}.wide{overflow-x:auto}.wide td{white-space:nowrap}"
    "table{border-collapse:collapse}td,th{padding:.15rem .9rem .15rem 0;text-align:left;vertical-align:top}"
    ".number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}.all{width:100%;table-layout:fixed}"
    ".all td{width:27%}.all .bars{width:36%}.all .number{padding-right:0;white-space:normal}.bars "
    "svg{width:100%;height:1.5rem;display:block;"
    "overflow:visible}.charts{display:grid;gap:0 "
    "1.5rem;grid-template-columns:repeat(auto-fill,minmax(min(100%,20rem),1fr)"
    ")}svg text{font-size:13px;fill:var(--soft)}svg .mid{text-anchor:middle}svg .end{text-anchor:end}.grid{stroke:"
    "var(--grid);fill:none}.line{stroke:var(--main);fill:none;stroke-width:2}.line.other{stroke:var(--bar)}.main{fill:"
    "var(--main)}.bar{fill:var(--"
    "bar)}"
    ".error{stroke:var(--ink);stroke-width:2;vector-effect:non-scaling-stroke}</style><title>";

static void put_making(FILE *file, const report *made)
{
  const dorm_setting_info *info;
  const char *text, *kind;
  fputs("<ul>", file);
  for (size_t i = 0; (text = dorm_model_part(made->model, i, &kind, NULL)) != NULL; i++)
    report_put(file, "<li>%s: %s", kind, text);
  for (size_t i = 0; (text = dorm_model_remark(made->model, i)) != NULL && i <= 10; i++)
    report_put(file, "<li>%s", text);
  if (made->num_data)
    report_put(file, "<li>measured by %s", made->data->evaluation.conventions);
  fprintf(file, "<li>dorm %s</ul><table>", dorm_version());
  for (size_t i = 0; (info = dorm_setting_info_at(i)) != NULL; i++)
    if (dorm_model_setting_is_given(made->model, info->key))
      report_put(file, "<tr><td>%s<td>%s</tr>\n", info->key, dorm_model_setting(made->model, info->key));
  fputs("</table><p class=soft>Other settings were not set.</p>\n", file);
}

static void write_page(FILE *file, const report *made)
{
  static const struct {
    const char *title;
    void (*put)(FILE *file, const report *made);
    bool needs_training, needs_data, needs_features, needs_other;
  } sections[] = {{"Value", report_put_values, 0, 0, 0, 0},          {"Candidates", report_put_candidates, 1, 0, 0, 0},
                  {"Features", report_put_features, 0, 1, 1, 0},     {"Queries", report_put_queries, 0, 1, 0, 0},
                  {"Wins and losses", report_put_rival, 0, 1, 0, 1}, {"Data", report_put_data, 0, 1, 0, 0},
                  {"Model and settings", put_making, 0, 0, 0, 0}};
  fputs(page_start, file);
  report_put(file, "%s</title><h1>%s</h1>\n", made->asked->model, made->asked->model);
  for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
    if ((sections[i].needs_training && !made->training) || (sections[i].needs_data && !made->num_data) ||
        (sections[i].needs_features && !made->num_features) || (sections[i].needs_other && !made->other))
      continue;
    fprintf(file, "<h2>%s</h2>\n", sections[i].title);
    sections[i].put(file, made);
  }
  fputs("</html>\n", file);
}

void cli_write_report(dorm_context *context, const cli_report_options *asked, const dorm_model *model,
                      const dorm_model *other, const dorm_training *training)
{
  report made = {.context = context, .asked = asked, .model = model, .other = other, .training = training};
  dorm_settings *settings = NULL;
  FILE *file = NULL;
  made.measure = asked->measure ? asked->measure : cli_measure_of_model(context, model, &settings);
  made.data = cli_alloc(asked->data.count, sizeof *made.data);
  cli_check(context, dorm_feature_names_read(context, model, asked->names, &made.names));
  for (size_t i = 0; i < asked->data.count; i++)
    read_data(&made, asked->data.items[i], &made.data[made.num_data++]);
  if (made.num_data)
    report_find_effects(&made);
  cli_expect(cli_open_output(context, asked->output, &file));
  write_page(file, &made);
  cli_expect(cli_close_output(file, asked->output));
  for (size_t i = 0; i < made.num_data; i++)
    data_clear(&made.data[i]);
  free(made.data);
  free(made.features);
  dorm_feature_names_free(model, made.names);
  dorm_settings_free(settings);
}

int command_report(dorm_context *context, int argc, char **argv)
{
  static const cli_usage usage = {
      .command = "report",
      .synopsis = "dorm report MODEL [DATA]... [-o FILE] [--against MODEL] [OPTION]...",
      .about =
          "Writes one HTML file about a model, which refers to no other file: its value on each data file beside "
          "chance, the effects of its features, the values by query with the lowest ones, the data, and the "
          "settings that made it. Features and queries are shown for the first file; labels are needed. dorm train "
          "--report adds the estimate and the candidates, which a model does not keep."};
  cli_report_options asked = {.output = "report.html"};
  cli_texts modules = {0};
  const cli_option options[] = {
      CLI_OPTION("output", 'o', CLI_TEXT, &asked.output, "FILE", "the file to write (report.html)"),
      CLI_OPTION("against", 0, CLI_TEXT, &asked.against, "MODEL", "adds wins and losses against this model"),
      CLI_OPTION("measure", 'm', CLI_TEXT, &asked.measure, "MEASURE", "the measure (the one that chose the model)"),
      CLI_OPTION("features", 0, CLI_TEXT, &asked.names, "FILE",
                 "names of the features, one line `ID NAME` for each (the columns of CSV, or feature_ID)"),
      CLI_THREADS_OPTION(&asked.reading.num_threads),
      CLI_MODULE_OPTION(&modules),
      CLI_COLUMN_OPTIONS(&asked.reading),
      CLI_NO_MORE};
  cli_take_options(&usage, options, argc, argv);
  if (argc - optind < 1 || argc - optind > CLI_MOST_TEXTS)
    return cli_usage_error("report: needs MODEL");
  asked.model = argv[optind];
  for (int i = optind + 1; i < argc; i++)
    asked.data.items[asked.data.count++] = argv[i];
  dorm_model *model = cli_read_model(context, asked.model, &modules);
  dorm_model *other = asked.against ? cli_read_model(context, asked.against, &modules) : NULL;
  cli_write_report(context, &asked, model, other, NULL);
  if (strcmp(asked.output, "-") != 0)
    cli_print(stdout, "%s\n", asked.output);
  dorm_model_free(model);
  dorm_model_free(other);
  return DORM_OK;
}
