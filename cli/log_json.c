/* log_json.c: events and evaluations as JSON, one object per line. No other file of the command uses jansson. */
#include "cli/cli.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

static void add_number(json_t *object, const char *key, double value)
{
  json_object_set_new(object, key, isfinite(value) ? json_real(value) : json_null());
}

static void add_whole(json_t *object, const char *key, size_t value)
{
  json_object_set_new(object, key, json_integer((json_int_t)value));
}

static void add_text(json_t *object, const char *key, const char *text)
{
  json_object_set_new(object, key, json_string(text));
}

static void add_candidate(json_t *object, const dorm_candidate *candidate)
{
  const dorm_certificate *certificate = &candidate->certificate;
  add_whole(object, "candidate", candidate->number);
  add_text(object, "reference", candidate->reference);
  add_text(object, "position_weights", candidate->position_weights);
  add_whole(object, "truncation", candidate->truncation);
  add_number(object, "rank_block", candidate->rank_block);
  add_text(object, "kernel", candidate->kernel);
  add_whole(object, "kernel_rank", candidate->kernel_rank);
  add_number(object, "kernel_residual", candidate->kernel_residual);
  add_number(object, "kernel_bound", candidate->kernel_bound);
  add_number(object, "C", candidate->C);
  add_whole(object, "round", candidate->round);
  add_whole(object, "iterations", certificate->iterations);
  add_number(object, "primal", certificate->primal);
  add_number(object, "dual", certificate->dual);
  add_number(object, "gap", certificate->gap);
  add_number(object, "reference_constant", certificate->reference_constant);
  add_whole(object, "columns", certificate->num_columns);
  add_whole(object, "support_vectors", certificate->num_support);
  add_number(object, "solve_seconds", certificate->seconds);
  add_number(object, "score_seconds", certificate->score_seconds);
  add_number(object, "oracle_seconds", certificate->oracle_seconds);
  add_number(object, "qp_seconds", certificate->qp_seconds);
  add_number(object, "join_seconds", certificate->join_seconds);
  add_whole(object, "barriers", certificate->num_barriers);
}

/* Writes the whole line at once, so that an interrupted log does not end in half a line. */
static bool write_line(FILE *file, json_t *object)
{
  char *text = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(17));
  json_decref(object);
  bool good = text && fprintf(file, "%s\n", text) >= 0 && fflush(file) == 0;
  free(text);
  return good;
}

/* Does the same outside of logs. A failure of the file is reported when it is closed. */
static void print_line(FILE *file, json_t *object)
{
  if (!write_line(file, object) && !ferror(file))
    cli_end(cli_out_of_memory());
}

void cli_write_fields_json(FILE *file, size_t count, const cli_field *fields)
{
  json_t *object = json_object();
  for (size_t i = 0; i < count; i++)
    if (fields[i].text)
      add_text(object, fields[i].name, fields[i].text);
    else if (fields[i].number == floor(fields[i].number) && fabs(fields[i].number) < 1e15)
      json_object_set_new(object, fields[i].name, json_integer((json_int_t)fields[i].number));
    else
      add_number(object, fields[i].name, fields[i].number);
  print_line(file, object);
}

bool cli_write_json(FILE *file, const dorm_event *event)
{
  static const char *const kinds[] = {
      [DORM_EVENT_NOTE] = "note",           [DORM_EVENT_WARNING] = "warning", [DORM_EVENT_ITERATION] = "iteration",
      [DORM_EVENT_CANDIDATE] = "candidate", [DORM_EVENT_STEP] = "step",       [DORM_EVENT_DETAIL] = "detail",
  };
  json_t *object = json_object();
  add_text(object, "event", kinds[event->kind]);
  if (event->candidate)
    add_candidate(object, event->candidate);
  else
    add_text(object, "text", event->text);
  if (event->candidate)
    add_number(object, "validation", event->candidate->validation);
  if (event->kind == DORM_EVENT_ITERATION)
    add_number(object, "training", event->candidate->training);
  if (event->kind == DORM_EVENT_CANDIDATE)
    add_number(object, "score_scale", event->candidate->score_scale);
  add_number(object, "seconds", event->seconds);
  return write_line(file, object);
}

bool cli_write_stream_json(FILE *file, const dorm_stream_report *report)
{
  json_t *object = json_object();
  add_text(object, "event", "stream");
  add_whole(object, "queries", report->num_queries);
  add_whole(object, "lines", report->num_lines);
  add_whole(object, "trained", report->num_trained);
  add_whole(object, "features", report->num_features);
  add_whole(object, "measured", report->num_measured);
  add_number(object, "progressive", report->progressive);
  add_number(object, "progressive_error", report->progressive_error);
  add_whole(object, "num_recent", report->num_recent);
  add_number(object, "recent", report->recent);
  add_number(object, "recent_error", report->recent_error);
  add_number(object, "C", report->C);
  add_number(object, "seconds", report->seconds);
  add_whole(object, "resumed", report->num_resumed);
  return write_line(file, object);
}

bool cli_write_selection_json(FILE *file, const dorm_training *training)
{
  json_t *object = json_object();
  json_t *chosen = json_array();
  double largest_gap = NAN;
  for (size_t i = 0; i < dorm_training_num_candidates(training); i++) {
    const dorm_candidate *candidate = dorm_training_candidate(training, i);
    largest_gap = fmax(largest_gap, candidate->certificate.gap);
    if (candidate->is_selected)
      json_array_append_new(chosen, json_integer((json_int_t)candidate->number));
  }
  add_text(object, "event", "selection");
  json_object_set_new(object, "candidates", chosen);
  add_text(object, "measure", dorm_model_setting(dorm_training_model(training), "selection.measure"));
  add_number(object, "validation", dorm_training_validation(training));
  add_whole(object, "training_queries", dorm_training_num_training_queries(training));
  add_number(object, "largest_gap", largest_gap);
  return write_line(file, object);
}

static json_t *weights_json(const dorm_model *model, const char *const *names, const double *importance)
{
  json_t *weights = json_array();
  size_t id;
  double value, rank;
  for (size_t i = 0; dorm_model_weight(model, i, &id, &value, &rank); i++) {
    json_t *weight = json_object();
    add_whole(weight, "feature", id);
    if (names)
      add_text(weight, "name", names[i]);
    add_number(weight, "value", value);
    add_number(weight, "rank", rank);
    if (importance)
      add_number(weight, "importance", importance[i]);
    json_array_append_new(weights, weight);
  }
  return weights;
}

/* Adds the result of dorm_model_trees for a part. */
static void add_trees(json_t *part, const dorm_model *model, size_t index, const char *const *names)
{
  size_t num_ids = dorm_model_num_features(model);
  double *gain = cli_alloc(2 * num_ids, sizeof *gain);
  size_t *splits = cli_alloc(2 * num_ids, sizeof *splits);
  const dorm_trees *trees = dorm_model_trees(model, index, gain, splits);
  json_t *importance = json_array();
  for (size_t f = 0; trees && f < 2 * num_ids; f++) {
    if (!splits[f])
      continue;
    json_t *object = json_object();
    add_whole(object, "feature", dorm_model_feature_id(model, f % num_ids));
    if (names)
      add_text(object, "name", names[f % num_ids]);
    json_object_set_new(object, "rank", json_boolean(f >= num_ids));
    add_number(object, "gain", gain[f]);
    add_whole(object, "splits", splits[f]);
    json_array_append_new(importance, object);
  }
  free(splits);
  free(gain);
  if (!trees) {
    json_decref(importance);
    return;
  }
  add_text(part, "objective", trees->objective);
  add_whole(part, "trees", trees->num_trees);
  add_whole(part, "leaves", trees->num_leaves);
  add_whole(part, "outputs", trees->num_outputs);
  add_number(part, "rank_block", trees->rank_block);
  json_object_set_new(part, "importance", importance);
}

void cli_write_model_json(FILE *file, const dorm_model *model, const char *const *names, const double *importance)
{
  json_t *object = json_object();
  json_t *settings = json_object(), *parts = json_array(), *remarks = json_array();
  const dorm_setting_info *info;
  const char *text, *kind;
  double weight;
  for (size_t i = 0; (info = dorm_setting_info_at(i)) != NULL; i++)
    add_text(settings, info->key, dorm_model_setting(model, info->key));
  for (size_t i = 0; (text = dorm_model_part(model, i, &kind, &weight)) != NULL; i++) {
    json_t *part = json_object();
    add_text(part, "kind", kind);
    add_text(part, "description", text);
    add_number(part, "weight", weight);
    add_trees(part, model, i, names);
    json_array_append_new(parts, part);
  }
  for (size_t i = 0; (text = dorm_model_remark(model, i)) != NULL; i++)
    json_array_append_new(remarks, json_string(text));
  json_object_set_new(object, "settings", settings);
  json_object_set_new(object, "remarks", remarks);
  json_object_set_new(object, "parts", parts);
  json_object_set_new(object, "weights", weights_json(model, names, importance));
  print_line(file, object);
}

static json_t *evaluation_json(const cli_results *results, const cli_system *system, size_t measure)
{
  const dorm_evaluation *evaluation = &system->evaluations[measure];
  size_t num_queries = dorm_dataset_num_queries(system->dataset);
  json_t *object = json_object();
  json_t *per_query = json_object();
  add_text(object, "system", system->name);
  add_text(object, "measure", results->measures[measure]);
  add_text(object, "conventions", evaluation->conventions);
  json_object_set_new(object, "lower_is_better", json_boolean(evaluation->lower_is_better));
  add_number(object, "mean", evaluation->mean);
  add_number(object, "standard_error", evaluation->standard_error);
  add_whole(object, "queries", evaluation->num_queries);
  add_whole(object, "empty_queries", evaluation->num_empty);
  if (evaluation->is_weighted) {
    add_number(object, "total_weight", evaluation->total_weight);
    add_number(object, "effective_queries", evaluation->effective_queries);
  }
  for (size_t q = 0; q < num_queries; q++)
    add_number(per_query, dorm_dataset_query_id(system->dataset, q), system->values[measure * num_queries + q]);
  json_object_set_new(object, "per_query", per_query);
  return object;
}

static json_t *comparison_json(const cli_results *results, size_t system, size_t measure)
{
  const dorm_comparison *comparison = &results->comparisons[(system - 1) * results->num_measures + measure];
  json_t *object = json_object();
  add_text(object, "first", results->systems[0].name);
  add_text(object, "second", results->systems[system].name);
  add_text(object, "measure", results->measures[measure]);
  add_whole(object, "queries", comparison->num_pairs);
  add_number(object, "difference", comparison->difference);
  add_number(object, "standard_error", comparison->standard_error);
  add_number(object, "t", comparison->t);
  add_number(object, "t_test", comparison->t_test);
  add_number(object, "randomisation", comparison->randomisation);
  add_whole(object, "rounds", comparison->num_rounds);
  return object;
}

/* ips or snips of a system, or of the first system minus another one. */
static json_t *estimate_json(const cli_results *results, size_t nth, bool is_snips)
{
  const dorm_click_evaluation *made = &results->estimates[nth];
  size_t other = nth < results->num_systems ? 0 : nth - results->num_systems + 1;
  json_t *object = json_object();
  if (other) {
    add_text(object, "first", results->systems[0].name);
    add_text(object, "second", results->systems[other].name);
  } else {
    add_text(object, "system", results->systems[nth].name);
  }
  add_text(object, "estimate", is_snips ? "snips" : "ips");
  add_whole(object, "truncation", results->click_truncation);
  add_whole(object, "impressions", made->num_impressions);
  add_whole(object, "queries", made->num_queries);
  add_whole(object, "clicks", made->num_clicks);
  add_number(object, "eta", results->click_curve.eta);
  add_number(object, "eta_error", results->click_curve.eta_error);
  add_number(object, other ? "difference" : "value", is_snips ? made->snips : made->ips);
  add_number(object, "standard_error", is_snips ? made->snips_error : made->ips_error);
  add_number(object, "standard_error_impressions",
             is_snips ? made->snips_error_impressions : made->ips_error_impressions);
  add_number(object, "unshown", made->unshown);
  if (!is_snips) {
    add_number(object, "least", made->ips_least);
    add_number(object, "most", made->ips_most);
    add_number(object, "doubly_robust", made->dr);
    add_number(object, "doubly_robust_error", made->dr_error);
    add_number(object, "doubly_robust_error_impressions", made->dr_error_impressions);
  }
  json_t *curve = json_array();
  for (size_t k = 0; k < results->click_curve.num_positions; k++)
    json_array_append_new(curve, json_real(results->click_curve.values[k]));
  json_object_set_new(object, "propensities", curve);
  return object;
}

void cli_write_results_json(dorm_context *context, const cli_results *results, const char *path)
{
  FILE *file = NULL;
  cli_expect(cli_open_output(context, path, &file));
  for (size_t s = 0; s < results->num_systems; s++)
    for (size_t m = 0; m < results->num_measures; m++)
      print_line(file, evaluation_json(results, &results->systems[s], m));
  for (size_t s = 1; s < results->num_systems; s++)
    for (size_t m = 0; m < results->num_measures; m++)
      print_line(file, comparison_json(results, s, m));
  for (size_t i = 0; results->estimates && i < 2 * (2 * results->num_systems - 1); i++)
    print_line(file, estimate_json(results, i / 2, i % 2 == 1));
  cli_expect(cli_close_output(file, path));
}

/* ---- Probes ------------------------------------------------------------------------ */

static json_t *moves_json(const dorm_probe_moves *moves)
{
  json_t *object = json_object();
  json_t *rows = json_array();
  for (size_t r = 0; r < moves->num_rows; r++) {
    const dorm_probe_row *row = &moves->rows[r];
    json_t *one = json_object();
    add_number(one, "step", row->step);
    json_object_set_new(one, "in_units_of_w", json_boolean(2 * r >= moves->num_rows));
    add_number(one, "length", row->length);
    add_whole(one, "better", row->num_better);
    add_whole(one, "equal", row->num_equal);
    add_whole(one, "worse", row->num_worse);
    add_number(one, "largest_gain", row->largest_gain);
    add_number(one, "least_share", row->least_share);
    add_number(one, "most_share", row->most_share);
    json_array_append_new(rows, one);
  }
  add_whole(object, "moves", moves->num_moves);
  add_whole(object, "rising", moves->num_rising);
  add_number(object, "least_share", moves->least_share);
  add_number(object, "most_share", moves->most_share);
  json_object_set_new(object, "rows", rows);
  return object;
}

void cli_write_probe_json(FILE *file, const dorm_probe *probe)
{
  json_t *object = json_object();
  json_t *curves = json_array();
  size_t num_rows = probe->directions.num_rows;
  add_text(object, "measure", probe->measure);
  json_object_set_new(object, "lower_is_better", json_boolean(probe->lower_is_better));
  add_number(object, "value", probe->value);
  add_whole(object, "weights", probe->num_weights);
  add_number(object, "norm", probe->norm);
  add_number(object, "epsilon", probe->epsilon);
  add_number(object, "delta", probe->delta);
  json_object_set_new(object, "directions", moves_json(&probe->directions));
  json_object_set_new(object, "singles", moves_json(&probe->singles));
  for (size_t c = 0; c < probe->directions.num_moves && c < CLI_PROBE_CURVES; c++) {
    json_t *curve = json_array();
    for (size_t r = 0; r < num_rows; r++)
      json_array_append_new(curve, json_real(probe->curves[c * num_rows + r]));
    json_array_append_new(curves, curve);
  }
  json_object_set_new(object, "curves", curves);
  print_line(file, object);
}

/* ---- Data files ---------------------------------------------------------------------- */

static json_t *whole(size_t value)
{
  return json_integer((json_int_t)value);
}

static json_t *data_feature(const cli_data_feature *feature)
{
  json_t *object = json_object();
  add_whole(object, "id", feature->id);
  add_number(object, "min", feature->least);
  add_number(object, "mean", feature->mean);
  add_number(object, "max", feature->most);
  add_whole(object, "zeros", feature->zeros);
  add_whole(object, "missing", feature->missing);
  add_number(object, "correlation", feature->correlation);
  json_object_set_new(object, "constant", json_boolean(feature->is_constant));
  json_object_set_new(object, "equals", feature->is_copy ? whole(feature->copy_of) : json_null());
  return object;
}

static json_t *data_file(const cli_data *data)
{
  json_t *object = json_object(), *labels = json_array(), *features = json_array(), *mistakes = json_array();
  add_text(object, "file", data->path);
  add_whole(object, "queries", data->num_queries);
  add_whole(object, "documents", data->num_docs);
  add_whole(object, "min_documents", data->least_docs);
  add_number(object, "median_documents", data->median_docs);
  add_whole(object, "max_documents", data->most_docs);
  add_whole(object, "queries_without_relevant", data->num_irrelevant);
  add_whole(object, "queries_of_one_document", data->num_lone);
  add_whole(object, "queries_of_equal_labels", data->num_level);
  json_object_set_new(object, "sparse", json_boolean(data->is_sparse));
  for (size_t i = 0; i < data->num_labels; i++) {
    json_t *label = json_object();
    add_number(label, "label", data->labels[i]);
    add_whole(label, "documents", data->label_counts[i]);
    json_array_append_new(labels, label);
  }
  for (size_t f = 0; f < data->num_features; f++)
    json_array_append_new(features, data_feature(&data->features[f]));
  for (size_t i = 0; i < data->num_mistakes; i++)
    json_array_append_new(mistakes, json_string(data->mistakes[i]));
  json_object_set_new(object, "labels", labels);
  json_object_set_new(object, "features", features);
  json_object_set_new(object, "mistakes", mistakes);
  return object;
}

void cli_write_data_json(FILE *file, size_t num_files, const cli_data *files, const cli_data_comparison *comparison)
{
  json_t *object = json_object(), *list = json_array(), *differing = json_array();
  for (size_t i = 0; i < num_files; i++)
    json_array_append_new(list, data_file(&files[i]));
  json_object_set_new(object, "files", list);
  for (size_t i = 0; i < comparison->num_shifts; i++) {
    const cli_data_shift *shift = &comparison->shifts[i];
    json_t *feature = json_object();
    add_whole(feature, "id", shift->id);
    json_object_set_new(feature, "only_in", shift->only_in ? whole(shift->only_in) : json_null());
    add_number(feature, "outside_1", shift->outside[0]);
    add_number(feature, "outside_2", shift->outside[1]);
    json_array_append_new(differing, feature);
  }
  if (num_files == 2) {
    add_whole(object, "queries_in_both", comparison->num_shared);
    json_object_set_new(object, "differing_features", differing);
  } else {
    json_decref(differing);
  }
  print_line(file, object);
}
