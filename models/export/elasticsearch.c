/*
 * elasticsearch.c: models for the learning-to-rank plugins of Elasticsearch and OpenSearch: the body of POST
 * _ltr/_featureset/SET/_createmodel, whose definition is JSON in a string.
 *
 * A linear model has the type model/linear, with normalisers. Trees have the type model/xgboost+json, a list of trees
 * in the JSON of XGBoost's text dump. The score is the sum of the leaves. A value below split_condition goes to the
 * node `yes`. The plugins know no missing values apart from features that a document lacks. These are 0 for dorm, and 0
 * in versions of the plugins that ignore `missing`. So `missing` is the side of 0.
 *
 * The same list of trees, in which `missing` is the node for missing values, is XGBoost's text dump in JSON
 * (dump_model(file, dump_format="json")). Vespa reads it.
 */
#include "models/export/parts.h"

/* ---- Linear models ------------------------------------------------------------------ */

/* Writes "min_max": { "minimum": 0, "maximum": 1 } or the like. */
static void write_range(const dorm__exported *all, size_t f, dorm__json *json)
{
  double numbers[2];
  bool is_wide = dorm__exported_is_min_max(all);
  dorm__exported_range(all, f, numbers);
  dorm__json_begin(json, is_wide ? "min_max" : "standard", '{', true);
  dorm__json_number(json, is_wide ? "minimum" : "mean", numbers[0]);
  dorm__json_number(json, is_wide ? "maximum" : "standard_deviation", numbers[1]);
  dorm__json_end(json);
}

static void write_normalisers(const dorm__exported *all, dorm__json *json)
{
  dorm__json_begin(json, "feature_normalizers", '{', false);
  for (size_t i = 0; i < all->count; i++) {
    dorm__json_begin(json, all->feature_names[all->features[i]], '{', true);
    write_range(all, all->features[i], json);
    dorm__json_end(json);
  }
  dorm__json_end(json);
}

/* ---- Trees -------------------------------------------------------------------------- */

/* Writes { "nodeid": 1, "leaf": 0.5 } or a split with its children. Recursion is as deep as the tree. */
static void write_node(const dorm__exported *all, const dorm__exported_tree *tree, size_t n, dorm__json *json)
{
  const dorm__exported_node *node = &tree->nodes[n];
  dorm__json_begin(json, NULL, '{', true);
  dorm__json_whole(json, "nodeid", n);
  if (node->is_leaf) {
    dorm__json_float(json, "leaf", (float)(tree->weight * node->value));
  } else {
    dorm__json_whole(json, "depth", node->depth);
    dorm__json_text(json, "split", all->feature_names[node->feature]);
    dorm__json_float(json, "split_condition", node->threshold);
    size_t side_of_zero = 0 < node->threshold ? node->yes : node->no;
    dorm__exported_write_sides(node, all->takes_missing ? node->missing : side_of_zero, json);
    dorm__json_begin(json, "children", '[', true);
    write_node(all, tree, node->yes, json);
    write_node(all, tree, node->no, json);
    dorm__json_end(json);
  }
  dorm__json_end(json);
}

static void write_trees(const dorm__exported *all, bool is_inline, dorm__json *json)
{
  dorm__json_begin(json, NULL, '[', is_inline);
  for (size_t t = 0; t < all->num_trees; t++)
    write_node(all, &all->trees[t], 0, json);
  dorm__json_end(json);
}

dorm_status dorm__export_xgboost_json_dump(dorm_context *context, const dorm__exported *all)
{
  dorm__json json = dorm__json_on(all->output);
  write_trees(all, false, &json);
  return dorm__json_finish(context, &json);
}

/* ---- Both --------------------------------------------------------------------------- */

dorm_status dorm__export_elasticsearch(dorm_context *context, const dorm__exported *all)
{
  dorm__json json = dorm__json_on(all->output);
  bool is_linear = all->num_parts == 0;
  dorm__json_begin(&json, NULL, '{', false);
  dorm__json_begin(&json, "model", '{', false);
  dorm__json_text(&json, "name", all->name);
  dorm__json_begin(&json, "model", '{', false);
  dorm__json_text(&json, "type", is_linear ? "model/linear" : "model/xgboost+json");
  if (is_linear && all->model->map.shift)
    write_normalisers(all, &json);
  dorm__json_begin_quoted(&json, "definition");
  if (is_linear)
    dorm__exported_write_weights(all, NULL, &json);
  else
    write_trees(all, true, &json);
  dorm__json_end_quoted(&json);
  dorm__json_end(&json);
  dorm__json_end(&json);
  dorm__json_end(&json);
  return dorm__json_finish(context, &json);
}
