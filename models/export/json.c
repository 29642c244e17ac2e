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
#include "base/json.h"
#include "models/export/parts.h"

static const char *const links[] = {
    [DORM__LINK_OUTPUT] = "sum", [DORM__LINK_LOGISTIC] = "logistic", [DORM__LINK_SOFTMAX] = "softmax"};

static void write_features(const dorm__exported *all, dorm__json *json)
{
  dorm__json_begin(json, '[', false);
  for (size_t i = 0; i < all->count; i++) {
    size_t f = all->features[i];
    dorm__json_begin(json, '{', true);
    dorm__json_key(json, "id");
    dorm__json_whole(json, all->model->ids[f]);
    dorm__json_key(json, "name");
    dorm__json_text(json, all->feature_names[f]);
    dorm__json_key(json, "weight");
    dorm__json_number(json, dorm__exported_weight(all, f));
    dorm__json_key(json, "missing");
    dorm__json_number(json, dorm__exported_mean(all, f));
    dorm__json_end(json);
  }
  dorm__json_end(json);
}

static void write_node(const dorm__exported *all, const dorm__exported_node *node, dorm__json *json)
{
  dorm__json_begin(json, '{', true);
  if (node->is_leaf) {
    dorm__json_key(json, "value");
    dorm__json_number(json, node->value);
  } else {
    dorm__json_key(json, "feature");
    dorm__json_whole(json, all->model->ids[node->feature]);
    dorm__json_key(json, "threshold");
    dorm__json_float(json, node->threshold);
    dorm__exported_write_sides(node, node->missing, json);
  }
  dorm__json_end(json);
}

static void write_part(const dorm__exported *all, const dorm__exported_part *part, dorm__json *json)
{
  const dorm__ensemble *ensemble = part->from.ensemble;
  dorm__json_begin(json, '{', false);
  dorm__json_key(json, "weight");
  dorm__json_number(json, part->from.weight);
  dorm__json_key(json, "score");
  dorm__json_text(json, links[part->from.objective->link]);
  dorm__json_key(json, "outputs");
  dorm__json_whole(json, ensemble->num_outputs);
  dorm__json_key(json, "values");
  dorm__json_begin(json, '[', true);
  for (size_t k = 0; k < part->from.num_levels; k++)
    dorm__json_number(json, part->from.levels[k]);
  dorm__json_end(json);
  dorm__json_key(json, "trees");
  dorm__json_begin(json, '[', false);
  for (size_t t = 0; t < ensemble->num_trees; t++) {
    dorm__json_begin(json, '[', true);
    for (size_t n = 0; n < part->trees[t].num_nodes; n++)
      write_node(all, &part->trees[t].nodes[n], json);
    dorm__json_end(json);
  }
  dorm__json_end(json);
  dorm__json_end(json);
}

static void write_net(const dorm__exported *all, const dorm__exported_net *net, dorm__json *json)
{
  dorm__json_begin(json, '{', false);
  dorm__json_key(json, "weight");
  dorm__json_number(json, net->from.weight);
  dorm__json_key(json, "units");
  dorm__json_begin(json, '[', false);
  for (size_t k = 0; k < net->hidden; k++) {
    dorm__json_begin(json, '{', true);
    dorm__json_key(json, "output");
    dorm__json_number(json, net->outputs[k]);
    dorm__json_key(json, "threshold");
    dorm__json_number(json, net->thresholds[k]);
    dorm__json_key(json, "weights");
    dorm__json_begin(json, '[', true);
    for (size_t i = 0; i < all->count; i++)
      dorm__json_number(json, net->weights[k * all->count + i]);
    dorm__json_end(json);
    dorm__json_end(json);
  }
  dorm__json_end(json);
  dorm__json_end(json);
}

dorm_status dorm__export_json(dorm_context *context, const dorm__exported *all)
{
  dorm__json json = dorm__json_on(all->output);
  dorm__json_begin(&json, '{', false);
  dorm__json_key(&json, "name");
  dorm__json_text(&json, all->name);
  dorm__json_key(&json, "constant");
  dorm__json_number(&json, dorm__exported_constant(all));
  dorm__json_key(&json, "features");
  write_features(all, &json);
  if (all->num_parts) {
    dorm__json_key(&json, "trees");
    dorm__json_begin(&json, '[', false);
    for (size_t i = 0; i < all->num_parts; i++)
      write_part(all, &all->parts[i], &json);
    dorm__json_end(&json);
  }
  if (all->num_nets) {
    dorm__json_key(&json, "nets");
    dorm__json_begin(&json, '[', false);
    for (size_t i = 0; i < all->num_nets; i++)
      write_net(all, &all->nets[i], &json);
    dorm__json_end(&json);
  }
  dorm__json_end(&json);
  return dorm__json_finish(context, &json);
}
