/*
 * export.c: linear models as other programs read them. If features are normalised globally or not at all, the score
 * of a document depends on its own features alone,
 *
 *   sum_f weight[f] (x_f - shift[f]) / spread[f],   without the features whose spread is 0.
 *
 * A feature that is absent counts as 0. One that is missing has the mean of the training data, which C and JSON carry;
 * the other formats have no place for it.
 * It is written with the normalisers of the engine if there are any. Otherwise the normalisation is folded into
 * weights, weight[f] / spread[f] for x_f, and a constant. Features that are normalised within queries and ranks need
 * the other documents of the query, and no format has kernels: models with any of these are refused.
 * Formats: the linear models of the Elasticsearch and OpenSearch LTR plugins, Solr's LinearModel, RankLib's
 * Coordinate Ascent, JSON and C.
 */
#include "base/file.h"
#include "base/json.h"
#include "features/features.h"
#include "models/feature_names.h"
#include "models/models.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

typedef struct exported {
  dorm__output *output;
  const dorm_model *model;
  const double *weights; /* [num_ids], of the normalised features */
  const char *name;
  char **feature_names; /* [num_ids] */
  size_t count;
  size_t *features; /* [count], numbers of the features that are written */
} exported;

static double shift_of(const exported *all, size_t f)
{
  return all->model->shift ? all->model->shift[f] : 0;
}

static double spread_of(const exported *all, size_t f)
{
  return all->model->spread ? all->model->spread[f] : 1;
}

/* What stands for a missing value. */
static double mean_of(const exported *all, size_t f)
{
  return all->model->mean ? all->model->mean[f] : shift_of(all, f);
}

/* What the shifts of the features add to every score. */
static double constant_of(const exported *all)
{
  double sum = 0;
  for (size_t i = 0; i < all->count; i++) {
    size_t f = all->features[i];
    sum -= all->weights[f] * shift_of(all, f) / spread_of(all, f);
  }
  return sum;
}

/* The weight of a feature that is not normalised. */
static double folded_weight(const exported *all, size_t f)
{
  return all->weights[f] / spread_of(all, f);
}

static bool is_min_max(const dorm_model *model)
{
  return model->normalisation == DORM__NORMALISATION_GLOBAL_MIN_MAX;
}

/* The two numbers of a feature's normaliser: smallest and largest value, or mean and standard deviation. */
static void range_of(const exported *all, size_t f, double numbers[2])
{
  numbers[0] = shift_of(all, f);
  numbers[1] = is_min_max(all->model) ? numbers[0] + spread_of(all, f) : spread_of(all, f);
}

/* ---- Formats ------------------------------------------------------------------- */

/* Writes { "name": weight, ... } with the weights of the normalised features. */
static void write_weights(const exported *all, dorm__json *json)
{
  dorm__json_begin(json, '{', false);
  for (size_t i = 0; i < all->count; i++) {
    dorm__json_key(json, all->feature_names[all->features[i]]);
    dorm__json_number(json, all->weights[all->features[i]]);
  }
  dorm__json_end(json);
}

/* Writes { "minimum": 0, "maximum": 1 } or the like. */
static void write_elasticsearch_range(const exported *all, size_t f, dorm__json *json)
{
  double numbers[2];
  range_of(all, f, numbers);
  dorm__json_begin(json, '{', true);
  dorm__json_key(json, is_min_max(all->model) ? "minimum" : "mean");
  dorm__json_number(json, numbers[0]);
  dorm__json_key(json, is_min_max(all->model) ? "maximum" : "standard_deviation");
  dorm__json_number(json, numbers[1]);
  dorm__json_end(json);
}

/* The body of POST _ltr/_featureset/SET/_createmodel. The weights are JSON in a string. */
static dorm_status write_elasticsearch(dorm_context *context, const exported *all)
{
  dorm__json json = dorm__json_on(all->output);
  dorm__json_begin(&json, '{', false);
  dorm__json_key(&json, "model");
  dorm__json_begin(&json, '{', false);
  dorm__json_key(&json, "name");
  dorm__json_text(&json, all->name);
  dorm__json_key(&json, "model");
  dorm__json_begin(&json, '{', false);
  dorm__json_key(&json, "type");
  dorm__json_text(&json, "model/linear");
  if (all->model->shift) {
    dorm__json_key(&json, "feature_normalizers");
    dorm__json_begin(&json, '{', false);
    for (size_t i = 0; i < all->count; i++) {
      dorm__json_key(&json, all->feature_names[all->features[i]]);
      dorm__json_begin(&json, '{', true);
      dorm__json_key(&json, is_min_max(all->model) ? "min_max" : "standard");
      write_elasticsearch_range(all, all->features[i], &json);
      dorm__json_end(&json);
    }
    dorm__json_end(&json);
  }
  dorm__json_key(&json, "definition");
  dorm__json_begin_quoted(&json);
  write_weights(all, &json);
  dorm__json_end_quoted(&json);
  dorm__json_end(&json);
  dorm__json_end(&json);
  dorm__json_end(&json);
  return dorm__json_finish(context, &json);
}

/* Writes { "class": ..., "params": { "min": "0", "max": "1" } } or the like; Solr takes the numbers as texts. */
static void write_solr_norm(const exported *all, size_t f, dorm__json *json)
{
  double numbers[2];
  char text[DORM__NUMBER_SIZE];
  bool is_wide = is_min_max(all->model);
  range_of(all, f, numbers);
  dorm__json_begin(json, '{', true);
  dorm__json_key(json, "class");
  dorm__json_text(json, is_wide ? "org.apache.solr.ltr.norm.MinMaxNormalizer"
                                : "org.apache.solr.ltr.norm.StandardNormalizer");
  dorm__json_key(json, "params");
  dorm__json_begin(json, '{', true);
  dorm__json_key(json, is_wide ? "min" : "avg");
  dorm__json_text(json, dorm__format_double(text, numbers[0]));
  dorm__json_key(json, is_wide ? "max" : "std");
  dorm__json_text(json, dorm__format_double(text, numbers[1]));
  dorm__json_end(json);
  dorm__json_end(json);
}

/* The body of PUT schema/model-store. */
static dorm_status write_solr(dorm_context *context, const exported *all)
{
  dorm__json json = dorm__json_on(all->output);
  dorm__json_begin(&json, '{', false);
  dorm__json_key(&json, "class");
  dorm__json_text(&json, "org.apache.solr.ltr.model.LinearModel");
  dorm__json_key(&json, "name");
  dorm__json_text(&json, all->name);
  dorm__json_key(&json, "features");
  dorm__json_begin(&json, '[', false);
  for (size_t i = 0; i < all->count; i++) {
    dorm__json_begin(&json, '{', true);
    dorm__json_key(&json, "name");
    dorm__json_text(&json, all->feature_names[all->features[i]]);
    if (all->model->shift) {
      dorm__json_key(&json, "norm");
      write_solr_norm(all, all->features[i], &json);
    }
    dorm__json_end(&json);
  }
  dorm__json_end(&json);
  dorm__json_key(&json, "params");
  dorm__json_begin(&json, '{', false);
  dorm__json_key(&json, "weights");
  write_weights(all, &json);
  dorm__json_end(&json);
  dorm__json_end(&json);
  return dorm__json_finish(context, &json);
}

static dorm_status write_json(dorm_context *context, const exported *all)
{
  dorm__json json = dorm__json_on(all->output);
  dorm__json_begin(&json, '{', false);
  dorm__json_key(&json, "name");
  dorm__json_text(&json, all->name);
  dorm__json_key(&json, "constant");
  dorm__json_number(&json, constant_of(all));
  dorm__json_key(&json, "features");
  dorm__json_begin(&json, '[', false);
  for (size_t i = 0; i < all->count; i++) {
    size_t f = all->features[i];
    dorm__json_begin(&json, '{', true);
    dorm__json_key(&json, "id");
    dorm__json_whole(&json, all->model->ids[f]);
    dorm__json_key(&json, "name");
    dorm__json_text(&json, all->feature_names[f]);
    dorm__json_key(&json, "weight");
    dorm__json_number(&json, folded_weight(all, f));
    dorm__json_key(&json, "missing");
    dorm__json_number(&json, mean_of(all, f));
    dorm__json_end(&json);
  }
  dorm__json_end(&json);
  dorm__json_end(&json);
  return dorm__json_finish(context, &json);
}

/* Comments, then one line of feature:weight. The format has no place for a constant. */
static dorm_status write_ranklib(dorm_context *context, const exported *all)
{
  (void)context;
  dorm__output_text(all->output, "## Coordinate Ascent\n## trained by dorm %s, not by coordinate ascent\n",
                    dorm_version());
  for (size_t i = 0; i < all->count; i++) {
    dorm__output_text(all->output, "%s%zu:", i ? " " : "", all->model->ids[all->features[i]]);
    dorm__output_number(all->output, folded_weight(all, all->features[i]));
  }
  dorm__output_text(all->output, "\n");
  return DORM_OK;
}

/* Writes a string literal of C. */
static void write_literal(dorm__output *output, const char *text)
{
  dorm__output_text(output, "\"");
  for (const char *c = text; *c; c++)
    dorm__output_text(output, "%s%c", *c == '"' || *c == '\\' ? "\\" : "", *c);
  dorm__output_text(output, "\"");
}

/* C of 1989 that includes nothing and is valid C++ as well. */
static dorm_status write_c(dorm_context *context, const exported *all)
{
  (void)context;
  dorm__output *output = all->output;
  size_t size = all->count ? all->count : 1;
  dorm__output_text(output,
                    "/*\n * Written by dorm %s: the score of a document, higher ranks first.\n *\n"
                    " *   double %s_score(const double *features);\n *\n"
                    " * features[i], i < %zu, is the feature %s_names[i], whose id is %s_ids[i];\n"
                    " * 0 where the document lacks it, NaN where it is not known.\n */\n",
                    dorm_version(), all->name, all->count, all->name, all->name);
  dorm__output_text(output, "extern const unsigned long %s_ids[%zu];\nextern const char *const %s_names[%zu];\n",
                    all->name, size, all->name, size);
  dorm__output_text(output, "double %s_score(const double *features);\n\nconst unsigned long %s_ids[%zu] = {",
                    all->name, all->name, size);
  for (size_t i = 0; i < all->count; i++)
    dorm__output_text(output, "%s%zuUL", i ? ", " : "", all->model->ids[all->features[i]]);
  dorm__output_text(output, "%s};\nconst char *const %s_names[%zu] = {", all->count ? "" : "0UL", all->name, size);
  for (size_t i = 0; i < all->count; i++) {
    dorm__output_text(output, "%s\n    ", i ? "," : "");
    write_literal(output, all->feature_names[all->features[i]]);
  }
  dorm__output_text(output,
                    "%s};\n\ndouble %s_score(const double *features)\n{\n  double score = ", all->count ? "" : "\"\"",
                    all->name);
  dorm__output_number(output, constant_of(all));
  dorm__output_text(output, ";\n%s", all->count ? "" : "  (void)features;\n");
  for (size_t i = 0; i < all->count; i++) {
    dorm__output_text(output, "  score += ");
    dorm__output_number(output, folded_weight(all, all->features[i]));
    dorm__output_text(output, " * (features[%zu] == features[%zu] ? features[%zu] : ", i, i, i);
    dorm__output_number(output, mean_of(all, all->features[i]));
    dorm__output_text(output, ");\n");
  }
  dorm__output_text(output, "  return score;\n}\n");
  return DORM_OK;
}

static const struct format {
  const char *name;
  dorm_status (*write)(dorm_context *context, const exported *all);
} formats[] = {{"elasticsearch", write_elasticsearch},
               {"opensearch", write_elasticsearch},
               {"solr", write_solr},
               {"ranklib", write_ranklib},
               {"json", write_json},
               {"c", write_c}};
enum { NUM_FORMATS = sizeof formats / sizeof *formats };

/* ---- Models --------------------------------------------------------------------- */

static dorm_status find_format(dorm_context *context, const char *name, const struct format **format)
{
  const char *names[NUM_FORMATS];
  for (size_t i = 0; i < NUM_FORMATS; i++) {
    names[i] = formats[i].name;
    *format = &formats[i];
    if (strcmp(formats[i].name, name) == 0)
      return DORM_OK;
  }
  const char *nearest = dorm__nearest_word(name, names, NUM_FORMATS);
  return dorm__fail(
      context, DORM_BAD_USAGE,
      "unknown format '%.40s'%s%s%s; the formats are elasticsearch, opensearch, solr, ranklib, json and c", name,
      nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

/* Kernels see the features of the map, and rank blocks of their own. */
int dorm_model_needs_query(const dorm_model *model)
{
  double rank_block = 0;
  const double *weights = dorm__model_linear_weights(model, &rank_block);
  bool needs = dorm__normalisation_is_within_queries(model->normalisation);
  for (size_t f = 0; weights && rank_block > 0 && f < model->num_ids; f++)
    needs = needs || weights[model->num_ids + f] != 0;
  for (size_t i = 0;; i++) {
    size_t num_pivots;
    if (!dorm_model_kernel(model, i, &num_pivots, &rank_block))
      return needs;
    needs = needs || rank_block > 0;
  }
}

/* Refuses a model whose scores depend on more than the features of the document. */
dorm_status dorm_model_check_export(dorm_context *context, const dorm_model *model)
{
  static const char remedy[] =
      "train with --for-serving, or with data.rank_block = 0 and data.normalisation = global-minmax, global-zscore or "
      "none";
  double rank_block;
  const double *weights = dorm__model_linear_weights(model, &rank_block);
  for (size_t i = 0; i < model->num_parts; i++) {
    const dorm__part *part = &model->parts[i];
    if (part->kind != &dorm__linear_part)
      return dorm__fail(context, DORM_BAD_DATA,
                        "the model has a %s part, '%.200s', and only linear models can be exported", part->kind->word,
                        part->kind->describe(part->state));
  }
  for (size_t f = 0; f < model->num_ids && rank_block > 0; f++)
    if (weights[model->num_ids + f] != 0)
      return dorm__fail(context, DORM_BAD_DATA,
                        "the model weighs ranks of features within the query, which an exported model cannot see: %s",
                        remedy);
  if (model->normalisation != DORM__NORMALISATION_NONE && !dorm__normalisation_is_global(model->normalisation))
    return dorm__fail(
        context, DORM_BAD_DATA,
        "the model normalises features within the query (data.normalisation = %s), which an exported model "
        "cannot do: %s",
        dorm__normalisation_name(model->normalisation), remedy);
  return DORM_OK;
}

static dorm_status check_name(dorm_context *context, const char *format, const char *name)
{
  bool is_word = isalpha((unsigned char)*name) || *name == '_';
  for (const char *c = name; *c; c++)
    is_word = is_word && (isalnum((unsigned char)*c) || *c == '_');
  for (const char *c = name; *c; c++)
    if ((unsigned char)*c < ' ')
      return dorm__fail(context, DORM_BAD_USAGE, "the name of the model contains a control character");
  if (strcmp(format, "c") == 0 && !is_word)
    return dorm__fail(context, DORM_BAD_USAGE, "'%.60s' is not a valid name for a function in C", name);
  return DORM_OK;
}

dorm_status dorm_model_export(dorm_context *context, const dorm_model *model, const char *format, const char *name,
                              const char *names_path, const char *path)
{
  const struct format *found = NULL;
  double rank_block;
  exported all = {.model = model, .weights = dorm__model_linear_weights(model, &rank_block), .name = name};
  dorm_status status = find_format(context, format, &found);
  if (status == DORM_OK)
    status = check_name(context, format, name);
  if (status == DORM_OK)
    status = dorm_model_check_export(context, model);
  if (status == DORM_OK)
    status = dorm__feature_names_read(context, names_path, model, &all.feature_names);
  if (status != DORM_OK)
    return status;
  all.features = dorm__alloc(model->num_ids, sizeof *all.features);
  if (!all.features)
    status = dorm__out_of_memory(context, "an exported model");
  for (size_t f = 0; status == DORM_OK && f < model->num_ids; f++)
    if (spread_of(&all, f) > 0)
      all.features[all.count++] = f;
  if (status == DORM_OK)
    status = dorm__output_open(context, path, &all.output);
  if (status == DORM_OK) {
    status = found->write(context, &all);
    if (status == DORM_OK)
      status = dorm__output_commit(context, all.output);
    else
      dorm__output_abandon(all.output);
  }
  dorm__free(all.features);
  dorm__feature_names_free(model, all.feature_names);
  return status;
}
