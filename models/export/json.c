/*
 * json.c: models in JSON of dorm's own, which holds every part that can be exported:
 *
 *   {"name", "constant",
 *    "features": [{"id", "name", "weight", "missing"}],
 *    "trees": [{"weight", "score", "outputs", "values": [...], "trees": [[NODE, ...], ...]}],    if there are trees
 *    "nets": [{"weight", "units": [{"output", "threshold", "weights": [...]}]}]}                 if there are nets
 *   NODE is {"value"} or {"feature", "threshold", "yes", "no", "missing"}
 *
 * The score is constant + sum of weight times value over the features + sum of weight times part over "trees" and
 * "nets". "missing" of a feature replaces a missing value, except in trees.
 *
 * Tree t of a part adds the value of the leaf that the document reaches from node 0 to output F[t modulo outputs]. At a
 * split the document goes to node number yes if the value of the feature, in single precision, is below the threshold,
 * otherwise to no. If the value is missing, it goes to node number missing. The part is then, with the numbers T of
 * "values",
 *
 *   sum        F[0]
 *   logistic   T[0] + sum_k (T[k] - T[k - 1]) / (1 + exp(-2 F[k - 1])), k = 1 .. outputs
 *   softmax    sum_k exp(F[k]) T[k] / sum_k exp(F[k])
 *
 * A net is the sum over its hidden units of output times tanh(threshold + sum_i weights[i] x[i]), with x[i] the value
 * of the i-th of "features".
 */
#include "models/export/parts.h"

static const char *const links[] = {
    [DORM__LINK_OUTPUT] = "sum", [DORM__LINK_LOGISTIC] = "logistic", [DORM__LINK_SOFTMAX] = "softmax"};

static void write_features(const dorm__exported *all, dorm__json *json)
{
  dorm__json_begin(json, "features", '[', false);
  for (size_t i = 0; i < all->count; i++) {
    size_t f = all->features[i];
    dorm__json_begin(json, NULL, '{', true);
    dorm__json_whole(json, "id", all->model->map.ids[f]);
    dorm__json_text(json, "name", all->feature_names[f]);
    dorm__json_number(json, "weight", dorm__exported_weight(all, f));
    dorm__json_number(json, "missing", dorm__exported_mean(all, f));
    dorm__json_end(json);
  }
  dorm__json_end(json);
}

static void write_node(const dorm__exported *all, const dorm__exported_node *node, dorm__json *json)
{
  dorm__json_begin(json, NULL, '{', true);
  if (node->is_leaf) {
    dorm__json_number(json, "value", node->value);
  } else {
    dorm__json_whole(json, "feature", all->model->map.ids[node->feature]);
    dorm__json_float(json, "threshold", node->threshold);
    dorm__exported_write_sides(node, node->missing, json);
  }
  dorm__json_end(json);
}

static void write_part(const dorm__exported *all, const dorm__exported_part *part, dorm__json *json)
{
  const dorm__ensemble *ensemble = part->from.ensemble;
  dorm__json_begin(json, NULL, '{', false);
  dorm__json_number(json, "weight", part->from.weight);
  dorm__json_text(json, "score", links[part->from.objective->link]);
  dorm__json_whole(json, "outputs", ensemble->num_outputs);
  dorm__json_begin(json, "values", '[', true);
  for (size_t k = 0; k < part->from.num_levels; k++)
    dorm__json_number(json, NULL, part->from.levels[k]);
  dorm__json_end(json);
  dorm__json_begin(json, "trees", '[', false);
  for (size_t t = 0; t < ensemble->num_trees; t++) {
    dorm__json_begin(json, NULL, '[', true);
    for (size_t n = 0; n < part->trees[t].num_nodes; n++)
      write_node(all, &part->trees[t].nodes[n], json);
    dorm__json_end(json);
  }
  dorm__json_end(json);
  dorm__json_end(json);
}

static void write_net(const dorm__exported *all, const dorm__exported_net *net, dorm__json *json)
{
  dorm__json_begin(json, NULL, '{', false);
  dorm__json_number(json, "weight", net->from.weight);
  dorm__json_begin(json, "units", '[', false);
  for (size_t k = 0; k < net->hidden; k++) {
    dorm__json_begin(json, NULL, '{', true);
    dorm__json_number(json, "output", net->outputs[k]);
    dorm__json_number(json, "threshold", net->thresholds[k]);
    dorm__json_begin(json, "weights", '[', true);
    for (size_t i = 0; i < all->count; i++)
      dorm__json_number(json, NULL, net->weights[k * all->count + i]);
    dorm__json_end(json);
    dorm__json_end(json);
  }
  dorm__json_end(json);
  dorm__json_end(json);
}

dorm_status dorm__export_json(dorm_context *context, const dorm__exported *all)
{
  dorm__json json = dorm__json_on(all->output);
  dorm__json_begin(&json, NULL, '{', false);
  dorm__json_text(&json, "name", all->name);
  dorm__json_number(&json, "constant", dorm__exported_constant(all));
  write_features(all, &json);
  if (all->num_parts) {
    dorm__json_begin(&json, "trees", '[', false);
    for (size_t i = 0; i < all->num_parts; i++)
      write_part(all, &all->parts[i], &json);
    dorm__json_end(&json);
  }
  if (all->num_nets) {
    dorm__json_begin(&json, "nets", '[', false);
    for (size_t i = 0; i < all->num_nets; i++)
      write_net(all, &all->nets[i], &json);
    dorm__json_end(&json);
  }
  dorm__json_end(&json);
  return dorm__json_finish(context, &json);
}
