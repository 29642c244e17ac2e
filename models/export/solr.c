/*
 * solr.c: writes a model for Solr's learning to rank, as the body of PUT schema/model-store. A linear model becomes a
 * LinearModel with normalisers. Trees become a MultipleAdditiveTreesModel, whose score is the sum over its trees of
 * weight times leaf. In all this Solr expects numbers as texts, except for the weights of a LinearModel.
 *
 * When Solr reads a threshold, it adds 1e-6 to it in single precision. A value then goes left if it is at most the sum.
 * In dorm a value goes left if it is below the threshold. So the file has the largest float whose sum with 1e-6 is
 * below dorm's threshold. This sum is the float just below dorm's threshold, so Solr splits as dorm does. Only for
 * thresholds nearer to 0 than about 1e-6 there may be no such float, and the sum is then up to 1.2e-13 lower.
 */
#include "models/export/parts.h"

#include <math.h>

/* ---- Linear models ------------------------------------------------------------------ */

/* Writes the normaliser of feature f, "norm": { "class": ..., "params": { "min": "0", "max": "1" } }, or "avg" and
 * "std". */
static void write_norm(const dorm__exported *all, size_t f, dorm__json *json)
{
  double numbers[2];
  bool is_wide = dorm__exported_is_min_max(all);
  dorm__exported_range(all, f, numbers);
  dorm__json_begin(json, "norm", '{', true);
  dorm__json_text(json, "class",
                  is_wide ? "org.apache.solr.ltr.norm.MinMaxNormalizer"
                          : "org.apache.solr.ltr.norm.StandardNormalizer");
  dorm__json_begin(json, "params", '{', true);
  dorm__json_text(json, is_wide ? "min" : "avg", DORM__NUMBER(numbers[0]));
  dorm__json_text(json, is_wide ? "max" : "std", DORM__NUMBER(numbers[1]));
  dorm__json_end(json);
  dorm__json_end(json);
}

/* ---- Trees -------------------------------------------------------------------------- */

/* Returns the number with which Solr compares values if its file has this threshold. */
static float solr_sum(const void *user, float threshold)
{
  (void)user;
  return threshold + 1e-6F;
}

static float solr_threshold(float threshold)
{
  return nextafterf(dorm__first_at_least(threshold, solr_sum, NULL), -INFINITY);
}

/* Writes node n of a tree: { "value": "0.5" } for a leaf, otherwise the split with its children. The recursion is as
 * deep as the tree. */
static void write_node(const dorm__exported *all, const dorm__exported_tree *tree, size_t n, const char *key,
                       dorm__json *json)
{
  const dorm__exported_node *node = &tree->nodes[n];
  dorm__json_begin(json, key, '{', true);
  if (node->is_leaf) {
    dorm__json_text(json, "value", DORM__FLOAT((float)(tree->weight * node->value)));
  } else {
    dorm__json_text(json, "feature", all->feature_names[node->feature]);
    dorm__json_text(json, "threshold", DORM__FLOAT(solr_threshold(node->threshold)));
    write_node(all, tree, node->yes, "left", json);
    write_node(all, tree, node->no, "right", json);
  }
  dorm__json_end(json);
}

/* Writes the trees of all parts. Their leaves are multiplied by the weight of the part, so each tree has weight 1. */
static void write_trees(const dorm__exported *all, dorm__json *json)
{
  dorm__json_begin(json, "trees", '[', false);
  for (size_t t = 0; t < all->num_trees; t++) {
    dorm__json_begin(json, NULL, '{', true);
    dorm__json_text(json, "weight", "1");
    write_node(all, &all->trees[t], 0, "root", json);
    dorm__json_end(json);
  }
  dorm__json_end(json);
}

/* ---- Both --------------------------------------------------------------------------- */

/* Writes the list of features. Solr computes every feature in it, so for trees it has only the features of splits. If
 * no tree has a split, it has all features, because Solr needs at least one. */
static void write_features(const dorm__exported *all, dorm__json *json)
{
  bool is_any_split = false;
  for (size_t i = 0; i < all->count; i++)
    is_any_split = is_any_split || all->is_split[all->features[i]];
  dorm__json_begin(json, "features", '[', false);
  for (size_t i = 0; i < all->count; i++) {
    size_t f = all->features[i];
    if (is_any_split && !all->is_split[f])
      continue;
    dorm__json_begin(json, NULL, '{', true);
    dorm__json_text(json, "name", all->feature_names[f]);
    if (!all->num_parts && all->model->map.shift)
      write_norm(all, f, json);
    dorm__json_end(json);
  }
  dorm__json_end(json);
}

dorm_status dorm__export_solr(dorm_context *context, const dorm__exported *all)
{
  dorm__json json = dorm__json_on(all->output);
  bool is_linear = all->num_parts == 0;
  dorm__json_begin(&json, NULL, '{', false);
  dorm__json_text(&json, "class",
                  is_linear ? "org.apache.solr.ltr.model.LinearModel"
                            : "org.apache.solr.ltr.model.MultipleAdditiveTreesModel");
  dorm__json_text(&json, "name", all->name);
  write_features(all, &json);
  dorm__json_begin(&json, "params", '{', false);
  if (is_linear)
    dorm__exported_write_weights(all, "weights", &json);
  else
    write_trees(all, &json);
  dorm__json_end(&json);
  dorm__json_end(&json);
  return dorm__json_finish(context, &json);
}
