/*
 * export.c: models in the formats of other programs (models/export/parts.h). Ranks and features that are normalised
 * within queries need the other documents of the query, and no format has kernels, so dorm refuses models with any of
 * these. JSON, C and ONNX hold every other model. The formats of engines hold a linear model or trees whose score is a
 * sum of leaves, and no nets. Trees of several parts follow one another, with their leaves multiplied by the weights of
 * their parts.
 */
#include "models/export/parts.h"
#include "models/models.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* Engines read nested JSON and XML recursively, and each level of a tree is two levels of JSON. Jackson fails at a
 * nesting of 1000. */
enum { DEEPEST_TREE = 250 };

static const struct format {
  const char *name;
  dorm_status (*write)(dorm_context *context, const dorm__exported *all);
  bool takes_linear; /* linear models without other parts */
  bool takes_all;    /* every model that can be exported */
  bool nests;        /* nodes of trees hold their children */
  bool takes_missing;
} formats[] = {{"elasticsearch", dorm__export_elasticsearch, true, false, true, false},
               {"opensearch", dorm__export_elasticsearch, true, false, true, false},
               {"solr", dorm__export_solr, true, false, true, false},
               {"ranklib", dorm__export_ranklib, true, false, true, false},
               {"xgboost", dorm__export_xgboost, false, false, false, true},
               {"xgboost-dump", dorm__export_xgboost_dump, false, false, false, true},
               {"xgboost-json-dump", dorm__export_xgboost_json_dump, false, false, true, true},
               {"onnx", dorm__export_onnx, true, true, false, true},
               {"json", dorm__export_json, true, true, false, true},
               {"c", dorm__export_c, true, true, false, true}};
enum { NUM_FORMATS = sizeof formats / sizeof *formats };

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
  return dorm__fail(context, DORM_BAD_USAGE,
                    "unknown format '%.40s'%s%s%s; the formats are elasticsearch, opensearch, solr, ranklib, xgboost, "
                    "xgboost-dump, xgboost-json-dump, onnx, json and c",
                    name, nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

/* ---- Exportable models ---------------------------------------------------------- */

/* Returns whether hidden units use ranks, whose weights come after the weights of the values. */
static bool net_uses_ranks(const dorm__net *net, size_t num_ids)
{
  const double *outputs = net->weights + net->hidden * net->width;
  bool uses = false;
  for (size_t k = 0; k < net->hidden; k++)
    for (size_t f = num_ids; outputs[k] != 0 && f < net->width; f++)
      uses = uses || net->weights[k * net->width + f] != 0;
  return uses;
}

/* Returns whether the linear part, trees or nets of the model use ranks within the query. */
static bool uses_ranks(const dorm_model *model)
{
  double rank_block = 0;
  dorm__model_trees trees;
  dorm__model_net net;
  const double *weights = dorm__model_linear_weights(model, &rank_block);
  bool uses = false;
  for (size_t f = 0; weights && rank_block > 0 && f < model->map.num_ids; f++)
    uses = uses || weights[model->map.num_ids + f] != 0;
  for (size_t i = 0; dorm__model_trees_at(model, i, &trees); i++)
    uses = uses || dorm__ensemble_uses(trees.ensemble, model->map.num_ids);
  for (size_t i = 0; dorm__model_net_at(model, i, &net); i++)
    uses = uses || net_uses_ranks(net.net, model->map.num_ids);
  return uses;
}

/* Returns whether the score of a document depends on the other documents of its query by normalisation. Trees on raw
 * values do not use it. */
static bool uses_queries(const dorm_model *model)
{
  dorm__model_trees trees;
  double rank_block = 0;
  const double *weights = dorm__model_linear_weights(model, &rank_block);
  bool uses = false;
  for (size_t f = 0; weights && f < model->map.num_ids; f++)
    uses = uses || weights[f] != 0;
  for (size_t i = 0; i < model->num_parts; i++) {
    const dorm__part *part = &model->parts[i];
    bool is_raw = dorm__part_trees(part, &trees) && trees.normalisation == DORM__NORMALISATION_NONE;
    uses = uses || (part->kind != &dorm__linear_part && !is_raw);
  }
  return uses && dorm__normalisation_is_within_queries(model->map.normalisation);
}

/* Kernels use the features of the map and rank blocks of their own, and functions of positions rank whole queries. */
int dorm_model_needs_query(const dorm_model *model)
{
  bool needs = model && (uses_queries(model) || uses_ranks(model));
  for (size_t i = 0; model && i < model->num_parts; i++)
    needs = needs || model->parts[i].kind == &dorm__positions_part;
  for (size_t i = 0;; i++) {
    size_t num_pivots;
    double rank_block;
    if (!dorm_model_kernel(model, i, &num_pivots, &rank_block))
      return needs;
    needs = needs || rank_block > 0;
  }
}

/* Refuses weights [num_ids] of normalised features that, alone or with the threshold, leave the range of numbers when
 * they become weights of raw values (parts.c). */
static dorm_status check_weights(dorm_context *context, const dorm_model *model, const double *weights,
                                 double threshold)
{
  double sum = fabs(threshold); /* no number of the exported model is larger */
  for (size_t f = 0; model->map.spread && f < model->map.num_ids; f++) {
    double raw = model->map.spread[f] > 0 ? fabs(weights[f] / model->map.spread[f]) : 0;
    sum += raw * fmax(1, fabs(model->map.shift[f]));
    if (!isfinite(sum))
      return dorm__fail(context, DORM_BAD_DATA,
                        "the weight %g of feature %zu leaves the range of numbers when it is divided by the spread %g "
                        "of the feature, as an exported model needs it",
                        weights[f], model->map.ids[f], model->map.spread[f]);
  }
  return DORM_OK;
}

static dorm_status check_range(dorm_context *context, const dorm_model *model)
{
  double rank_block;
  dorm__model_net from;
  const double *weights = dorm__model_linear_weights(model, &rank_block);
  dorm_status status = weights ? check_weights(context, model, weights, 0) : DORM_OK;
  for (size_t i = 0; dorm__model_net_at(model, i, &from); i++) {
    const dorm__net *net = from.net;
    const double *thresholds = net->weights + net->hidden * (net->width + 1);
    for (size_t k = 0; status == DORM_OK && k < net->hidden; k++)
      status = check_weights(context, model, net->weights + k * net->width, thresholds[k]);
  }
  return status;
}

/* Refuses a model that has parts that no format holds, or whose scores depend on more than the features of the
 * document. Also refuses weights that leave the range of numbers when divided by the spreads of the features. */
dorm_status dorm_model_check_export(dorm_context *context, const dorm_model *model)
{
  if (DORM__LACKS(context, DORM__GIVEN(model)))
    return DORM_BAD_USAGE;
  static const char remedy[] =
      "train with --for-serving, or with data.rank_block = 0 and data.normalisation = global-minmax, global-zscore or "
      "none";
  for (size_t i = 0; i < model->num_parts; i++) {
    const dorm__part *part = &model->parts[i];
    if (part->kind != &dorm__linear_part && part->kind != &dorm__trees_part && part->kind != &dorm__net_part)
      return dorm__fail(context, DORM_BAD_DATA,
                        "the model has a %s part, '%.200s', and only linear models and trees, and nets as json, c or "
                        "onnx, can be exported",
                        part->kind->word, part->kind->describe(part->state));
  }
  if (model->map.cross)
    return dorm__fail(context, DORM_BAD_DATA,
                      "the model has products of features (features.cross = %s), which no format holds",
                      model->map.cross->text);
  if (uses_ranks(model))
    return dorm__fail(context, DORM_BAD_DATA,
                      "the model looks at ranks of features within the query, which an exported model cannot see: %s",
                      remedy);
  if (uses_queries(model))
    return dorm__fail(
        context, DORM_BAD_DATA,
        "the model normalises features within the query (data.normalisation = %s), which an exported model "
        "cannot do: %s",
        dorm__normalisation_name(model->map.normalisation), remedy);
  return check_range(context, model);
}

static dorm_status check_trees(dorm_context *context, const struct format *format, const dorm__exported_part *part)
{
  if (part->from.objective->link != DORM__LINK_OUTPUT)
    return dorm__fail(context, DORM_BAD_DATA,
                      "the score of the trees part '%.200s' is not a sum of leaves, and the format %s holds nothing "
                      "else: export it as json, c or onnx, or train with trees.objective = dorm, lambda or regression",
                      part->from.description, format->name);
  for (size_t t = 0; format->nests && t < part->from.ensemble->num_trees; t++) {
    const dorm__exported_tree *tree = &part->trees[t];
    size_t depth =
        tree->nodes[tree->num_nodes - 1].depth; /* in breadth-first order the last node is one of the deepest */
    if (depth > DEEPEST_TREE)
      return dorm__fail(context, DORM_BAD_DATA,
                        "tree %zu of the trees part '%.200s' is %zu splits deep, and the format %s takes %d: export it "
                        "as xgboost, onnx, json or c",
                        t + 1, part->from.description, depth, format->name, DEEPEST_TREE);
  }
  return DORM_OK;
}

/* Refuses a model that the format cannot express. */
static dorm_status check_format(dorm_context *context, const struct format *format, const dorm__exported *all)
{
  dorm_status status = DORM_OK;
  if (all->num_nets && !format->takes_all)
    return dorm__fail(context, DORM_BAD_DATA,
                      "the model has a net part, '%.200s', which the format %s does not hold: export it as json, c "
                      "or onnx",
                      all->nets[0].from.description, format->name);
  if (!all->num_parts && !format->takes_linear)
    return dorm__fail(context, DORM_BAD_DATA, "the model has no trees part, and the format %s holds trees alone",
                      format->name);
  if (!all->num_parts || format->takes_all)
    return DORM_OK;
  if (all->weights)
    return dorm__fail(
        context, DORM_BAD_DATA,
        "the model has a linear part beside its trees, and the format %s holds either: export it as json, "
        "c or onnx, or train with training.trainer = trees alone and trees.start = none",
        format->name);
  for (size_t i = 0; status == DORM_OK && i < all->num_parts; i++)
    status = check_trees(context, format, &all->parts[i]);
  return status;
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

/* Writes the file, whole or not at all. */
static dorm_status write(dorm_context *context, const struct format *format, const char *path, dorm__exported *all)
{
  dorm_status status = dorm__output_open(context, path, &all->output);
  if (status != DORM_OK)
    return status;
  status = format->write(context, all);
  if (status == DORM_OK)
    return dorm__output_commit(context, all->output);
  dorm__output_abandon(all->output);
  return status;
}

dorm_status dorm_model_export(dorm_context *context, const dorm_model *model, const char *format, const char *name,
                              const char *names_path, const char *path)
{
  if (DORM__LACKS(context, DORM__GIVEN(model), DORM__GIVEN(format), DORM__GIVEN(name), DORM__GIVEN(path)))
    return DORM_BAD_USAGE;
  const struct format *found = NULL;
  DORM__AT_END(dorm__exported_clear) dorm__exported all = {.model = model, .name = name};
  dorm_status status = DORM__ALL(find_format(context, format, &found), check_name(context, format, name),
                                 dorm_model_check_export(context, model),
                                 dorm_feature_names_read(context, model, names_path, &all.feature_names));
  all.takes_missing = found && found->takes_missing;
  if (status == DORM_OK)
    status = DORM__ALL(dorm__exported_prepare(context, &all), check_format(context, found, &all),
                       write(context, found, path, &all));
  dorm_feature_names_free(model, all.feature_names);
  return status;
}
