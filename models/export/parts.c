/*
 * parts.c: a model in the form that all formats share. If features are normalised globally or not at all, the score of
 * a document depends on its own features alone. In a linear part it is
 *
 *   sum_f weight[f] (x_f - shift[f]) / spread[f],   without the features whose spread is 0.
 *
 * Trees are rewritten for values that are not normalised. The normalised value of a float x does not fall as x rises,
 * even when rounded. So "normalised x < threshold" holds exactly for the floats x below the smallest one whose
 * normalised value is not below the threshold. That float becomes the new threshold. Splits at which all floats go the
 * same way, such as splits at constant features, are left out. They stay if they send missing values the other way and
 * the format has a place for these. Each split takes 32 steps. No format has to know sets of categories, which become
 * splits by thresholds that search for the value, with a copy of what follows behind each category.
 *
 * The input of a hidden unit of a net is such a sum plus a threshold. The threshold of the exported unit includes the
 * terms of the shifts.
 *
 * An absent feature counts as 0. In a linear part and in nets a missing one has the mean of the training data. dorm
 * rounds a normalised value to a float, and these sums do not.
 */
#include "models/export/parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- Features --------------------------------------------------------------------- */

double dorm__exported_shift(const dorm__exported *all, size_t f)
{
  return all->model->map.shift ? all->model->map.shift[f] : 0;
}

double dorm__exported_spread(const dorm__exported *all, size_t f)
{
  return all->model->map.spread ? all->model->map.spread[f] : 1;
}

double dorm__exported_mean(const dorm__exported *all, size_t f)
{
  return all->model->map.mean ? all->model->map.mean[f] : dorm__exported_shift(all, f);
}

/* Converts the weight of a normalised feature to the weight of its value in the data. */
static double raw_weight(const dorm__exported *all, size_t f, double weight)
{
  double spread = dorm__exported_spread(all, f);
  return spread > 0 ? weight / spread : 0;
}

double dorm__exported_weight(const dorm__exported *all, size_t f)
{
  return all->weights ? raw_weight(all, f, all->weights[f]) : 0;
}

double dorm__exported_constant(const dorm__exported *all)
{
  double sum = 0;
  for (size_t i = 0; i < all->count; i++)
    sum -= dorm__exported_weight(all, all->features[i]) * dorm__exported_shift(all, all->features[i]);
  return sum;
}

bool dorm__exported_is_min_max(const dorm__exported *all)
{
  return all->model->map.normalisation == DORM__NORMALISATION_GLOBAL_MIN_MAX;
}

void dorm__exported_range(const dorm__exported *all, size_t f, double numbers[2])
{
  double spread = dorm__exported_spread(all, f);
  numbers[0] = dorm__exported_shift(all, f);
  numbers[1] = dorm__exported_is_min_max(all) ? numbers[0] + spread : spread;
}

void dorm__exported_write_weights(const dorm__exported *all, const char *key, dorm__json *json)
{
  dorm__json_begin(json, key, '{', false);
  for (size_t i = 0; i < all->count; i++) {
    dorm__json_number(json, all->feature_names[all->features[i]], all->weights[all->features[i]]);
  }
  dorm__json_end(json);
}

void dorm__exported_write_sides(const dorm__exported_node *split, size_t missing, dorm__json *json)
{
  dorm__json_whole(json, "yes", split->yes);
  dorm__json_whole(json, "no", split->no);
  dorm__json_whole(json, "missing", missing);
}

/* ---- Thresholds -------------------------------------------------------------------- */

/* The finite floats in increasing order, numbered so that 0 has number 0. */
static const int64_t largest_float = 0x7f7fffff;

static float float_of_number(int64_t number)
{
  uint32_t bits = (uint32_t)(number < 0 ? -number : number);
  float x;
  memcpy(&x, &bits, sizeof x);
  return number < 0 ? -x : x;
}

float dorm__first_at_least(float bound, float (*rise)(const void *user, float x), const void *user)
{
  int64_t low = -largest_float; /* the number of the wanted float is in [low, end] */
  int64_t end = largest_float + 1;
  while (low < end) {
    int64_t middle = low + (end - low) / 2;
    if (rise(user, float_of_number(middle)) >= bound)
      end = middle;
    else
      low = middle + 1;
  }
  return end > largest_float ? INFINITY : float_of_number(end);
}

/* The normalisation of a feature, in the arithmetic of features/features_dense.c. */
typedef struct normaliser {
  double shift, factor;
} normaliser;

static normaliser normaliser_of(const dorm__exported *all, size_t f)
{
  double spread = dorm__exported_spread(all, f);
  return (normaliser){dorm__exported_shift(all, f), spread > 0 ? 1 / spread : 0};
}

static float normalised(const void *user, float x)
{
  const normaliser *from = user;
  return (float)(((double)x - from->shift) * from->factor);
}

/* ---- Trees ------------------------------------------------------------------------- */

/* Returns the threshold for values that are not normalised. */
static float raw_threshold(const dorm__exported *all, bool is_raw, const dorm__tree_node *split)
{
  if (is_raw)
    return split->threshold;
  normaliser normal = normaliser_of(all, split->feature);
  return dorm__first_at_least(split->threshold, normalised, &normal);
}

/* Returns whether there are floats on both sides of a threshold. */
static bool divides(float threshold)
{
  return isfinite(threshold) && threshold > -FLT_MAX;
}

/* A node of a tree on its way into an exported tree. A split by a set becomes splits by thresholds: a search for the
 * value among the categories, and a comparison with the float behind the one that was found. */
typedef struct place {
  size_t node;
  size_t low, end; /* categories of the set that the value may still be */
  bool is_found;   /* the value is `low` or lies between this category and the next one */
} place;

static place enter(const dorm__tree *tree, size_t n)
{
  place at = {.node = n};
  dorm__tree_set(tree, &tree->nodes[n], &at.end);
  return at;
}

static float threshold_at(const dorm__exported *all, bool is_raw, const dorm__tree *tree, const place *at)
{
  size_t count;
  const float *set = dorm__tree_set(tree, &tree->nodes[at->node], &count);
  if (!set)
    return raw_threshold(all, is_raw, &tree->nodes[at->node]);
  return at->is_found ? nextafterf(set[at->low], INFINITY) : set[(at->low + at->end) / 2];
}

/* Returns the side of missing values. */
static size_t missing_side(const dorm__tree *tree, const place *at)
{
  const dorm__tree_node *node = &tree->nodes[at->node];
  return node->set && !at->is_found ? !node->absent : node->absent;
}

/* Returns the place of the values below the threshold (side 0) or of the others (1). */
static place child_of(const dorm__tree *tree, const place *at, size_t side)
{
  const dorm__tree_node *node = &tree->nodes[at->node];
  place next = *at;
  if (!node->set || (at->is_found && !side))
    return enter(tree, node->child + side);
  next.is_found = !at->is_found && side;
  if (at->is_found)
    next.low++;
  else
    *(side ? &next.low : &next.end) = (at->low + at->end) / 2;
  return next.low == next.end ? enter(tree, node->child + 1) : next;
}

/* Returns the side to which all rows go that reach exported node n, or 2 if some go to either side. */
static size_t only_side(const dorm__exported *all, const dorm__exported_node *nodes, size_t n, size_t feature,
                        float threshold, size_t side_of_missing)
{
  float low = -FLT_MAX, high = INFINITY; /* low <= value < high */
  bool has_missing = all->takes_missing;
  for (; n; n = nodes[n].parent) {
    const dorm__exported_node *above = &nodes[nodes[n].parent];
    if (above->feature != feature)
      continue;
    has_missing = has_missing && above->missing == n;
    if (above->yes == n)
      high = fminf(high, above->threshold);
    else
      low = fmaxf(low, above->threshold);
  }
  size_t side = threshold <= low ? 1 : threshold >= high ? 0 : 2;
  return side < 2 && has_missing && side != side_of_missing ? 2 : side;
}

/* Follows the children of splits at which everything goes the same way, from a place on, to another split or a leaf.
 * This becomes exported node n, whose threshold is set. */
static place pass_constant_splits(const dorm__exported *all, bool is_raw, const dorm__tree *tree, place at, size_t n,
                                  dorm__exported_node *nodes)
{
  while (!dorm__tree_node_is_leaf(tree, at.node)) {
    nodes[n].threshold = threshold_at(all, is_raw, tree, &at);
    size_t side = only_side(all, nodes, n, tree->nodes[at.node].feature, nodes[n].threshold, missing_side(tree, &at));
    if (side > 1)
      break;
    at = child_of(tree, &at, side);
  }
  return at;
}

/* Makes exported node n a leaf or a split of which `count` is the first child. Returns the child that comes first. */
static size_t fill_node(const dorm__exported *all, const dorm__tree *tree, const place *at, size_t count,
                        dorm__exported_node *node)
{
  node->is_leaf = dorm__tree_node_is_leaf(tree, at->node);
  node->value = tree->values[at->node];
  if (node->is_leaf)
    return 0;
  /* If only missing values go to one side, that side is `yes`, and no value is below the threshold. */
  size_t yes = divides(node->threshold) ? 0 : missing_side(tree, at);
  node->threshold = divides(node->threshold) ? node->threshold : -FLT_MAX;
  node->feature = tree->nodes[at->node].feature;
  all->is_split[node->feature] = true;
  node->yes = count;
  node->no = count + 1;
  node->missing = missing_side(tree, at) == yes ? node->yes : node->no;
  return yes;
}

/* Rewrites a tree. */
static dorm_status rewrite(dorm_context *context, const dorm__exported *all, bool is_raw, const dorm__tree *tree,
                           dorm__exported_tree *to)
{
  enum { MOST_NODES = 1 << 20 };
  size_t capacities[2] = {0}, count = 0;
  DORM__FREED place *places = NULL;
  for (size_t i = 0; i <= count; i++) {
    if (!DORM__GROW(to->nodes, capacities[0], count + 3) || !DORM__GROW(places, capacities[1], count + 3))
      return dorm__out_of_memory(context, "an exported model");
    if (count > MOST_NODES)
      return dorm__fail(context, DORM_BAD_DATA,
                        "a tree with sets of categories becomes more than %d splits by thresholds: train with fewer "
                        "leaves, or with fewer features in data.categorical",
                        MOST_NODES / 2);
    if (i == 0) {
      to->nodes[0] = (dorm__exported_node){0};
      places[0] = pass_constant_splits(all, is_raw, tree, enter(tree, 0), 0, to->nodes);
    }
    size_t yes = fill_node(all, tree, &places[i], count + 1, &to->nodes[i]);
    for (size_t child = 0; child < 2 && !to->nodes[i].is_leaf; child++) {
      to->nodes[++count] = (dorm__exported_node){.parent = i, .depth = to->nodes[i].depth + 1};
      places[count] =
          pass_constant_splits(all, is_raw, tree, child_of(tree, &places[i], child ^ yes), count, to->nodes);
    }
  }
  to->num_nodes = count + 1;
  return DORM_OK;
}

/* Rewrites the trees of a part. */
static dorm_status prepare_part(dorm_context *context, dorm__exported *all, const dorm__exported_part *part)
{
  const dorm__ensemble *ensemble = part->from.ensemble;
  dorm_status status = DORM_OK;
  for (size_t t = 0; status == DORM_OK && t < ensemble->num_trees; t++) {
    part->trees[t].weight = part->from.weight;
    status = rewrite(context, all, part->from.normalisation == DORM__NORMALISATION_NONE, &ensemble->trees[t],
                     &part->trees[t]);
  }
  return status;
}

/* Fills parts, trees and is_split. */
static dorm_status prepare_trees(dorm_context *context, dorm__exported *all)
{
  dorm__model_trees from;
  size_t num_trees = 0;
  for (; dorm__model_trees_at(all->model, all->num_parts, &from); all->num_parts++)
    all->num_trees += from.ensemble->num_trees;
  all->parts = dorm__region_take_zero(&all->memory, all->num_parts, sizeof *all->parts);
  all->trees = dorm__region_take_zero(&all->memory, all->num_trees, sizeof *all->trees);
  all->is_split = dorm__region_take_zero(&all->memory, all->model->map.num_ids, sizeof *all->is_split);
  dorm_status status = all->memory.is_short ? dorm__out_of_memory(context, "an exported model") : DORM_OK;
  for (size_t i = 0; status == DORM_OK && i < all->num_parts; i++) {
    dorm__exported_part *part = &all->parts[i];
    dorm__model_trees_at(all->model, i, &part->from);
    part->trees = all->trees + num_trees;
    num_trees += part->from.ensemble->num_trees;
    status = prepare_part(context, all, part);
  }
  return status;
}

/* ---- Nets -------------------------------------------------------------------------- */

static void fold_unit(const dorm__exported *all, size_t k, dorm__exported_net *net)
{
  const dorm__net *from = net->from.net;
  double *weights = net->weights + k * all->count;
  net->thresholds[k] = from->weights[from->hidden * (from->width + 1) + k];
  for (size_t i = 0; i < all->count; i++) {
    size_t f = all->features[i];
    weights[i] = raw_weight(all, f, from->weights[k * from->width + f]);
    net->thresholds[k] -= weights[i] * dorm__exported_shift(all, f);
  }
}

/* Fills nets, for the exported features. */
static dorm_status prepare_nets(dorm_context *context, dorm__exported *all)
{
  dorm__model_net from;
  while (dorm__model_net_at(all->model, all->num_nets, &from))
    all->num_nets++;
  all->nets = dorm__region_take_zero(&all->memory, all->num_nets, sizeof *all->nets);
  for (size_t i = 0; !all->memory.is_short && i < all->num_nets; i++) {
    dorm__exported_net *net = &all->nets[i];
    dorm__model_net_at(all->model, i, &net->from);
    net->hidden = net->from.net->hidden;
    net->outputs = net->from.net->weights + net->hidden * net->from.net->width;
    net->thresholds = dorm__region_take_zero(&all->memory, net->hidden, sizeof *net->thresholds);
    net->weights = dorm__region_take_zero(&all->memory, net->hidden * all->count, sizeof *net->weights);
    for (size_t k = 0; !all->memory.is_short && k < net->hidden; k++)
      fold_unit(all, k, net);
  }
  return all->memory.is_short ? dorm__out_of_memory(context, "an exported model") : DORM_OK;
}

/* ---- Models ------------------------------------------------------------------------ */

static bool has_weights(const dorm__exported *all)
{
  bool has = false;
  for (size_t f = 0; all->weights && f < all->model->map.num_ids; f++)
    has = has || all->weights[f] != 0;
  return has;
}

static dorm_status list_features(dorm_context *context, dorm__exported *all)
{
  all->features = dorm__region_take_zero(&all->memory, all->model->map.num_ids, sizeof *all->features);
  all->columns = dorm__region_take_zero(&all->memory, all->model->map.num_ids, sizeof *all->columns);
  if (all->memory.is_short)
    return dorm__out_of_memory(context, "an exported model");
  for (size_t f = 0; f < all->model->map.num_ids; f++)
    if (dorm__exported_spread(all, f) > 0 || all->is_split[f]) {
      all->columns[f] = all->count;
      all->features[all->count++] = f;
    }
  return DORM_OK;
}

dorm_status dorm__exported_prepare(dorm_context *context, dorm__exported *all)
{
  double rank_block;
  dorm_status status = DORM__ALL(prepare_trees(context, all), list_features(context, all), prepare_nets(context, all));
  all->weights = dorm__model_linear_weights(all->model, &rank_block);
  if (!has_weights(all) && (all->num_parts || all->num_nets))
    all->weights = NULL;
  return status;
}

void dorm__exported_clear(dorm__exported *all)
{
  for (size_t t = 0; all->trees && t < all->num_trees; t++)
    dorm__free(all->trees[t].nodes);
  dorm__region_clear(&all->memory);
}
