/*
 * explain.c: the contribution of each feature to the score of each document, compared with the other documents of its
 * query.
 *
 * The linear part adds w_f (x_f - mean of x_f over the query), and the same for the rank of the feature.
 *
 * A tree adds the Shapley values of its features (Lundberg, Erion and Lee 2018, "Consistent Individualized Feature
 * Attribution for Tree Ensembles"). The value of a set of features is a mean of leaves: at a split on a feature of the
 * set the document goes its own way, at other splits to each side with the share of the query's documents there. If
 * none of them reaches such a split, the document goes its own way. The Shapley values add up to the leaf less the mean
 * of the query. O(leaves * depth^2) for each document and tree.
 *
 * The score g may be a function of several outputs F (classification, ordinal). Each contribution to output k is then
 * multiplied by the mean of dg/dF_k along the straight line from the query's mean outputs to the outputs of the
 * document. These are the integrated gradients of Sundararajan, Taly and Yan (2017). Their products with the
 * differences of the outputs add up to the difference of g.
 *
 * In the end every column gets mean 0 within each query, so that a row adds up to the score less the query's mean
 * score.
 */
#include "models/models.h"

#include <math.h>
#include <string.h>

enum { NOWHERE = -1 };

/* The contributions, and the columns of the model's features. */
typedef struct table {
  const dorm_dataset *dataset;
  size_t num_ids;   /* of the model */
  ptrdiff_t *place; /* [num_ids] the number of the feature in the data set, or NOWHERE if it is 0 in all documents */
  double *numbers;  /* [num_docs][num_features] */
} table;

static void add_to(const table *all, size_t doc, size_t feature, double number)
{
  ptrdiff_t place = all->place[feature % all->num_ids];
  if (place != NOWHERE)
    all->numbers[doc * all->dataset->num_features + (size_t)place] += number;
}

static bool find_places(const dorm_model *model, table *all)
{
  all->place = dorm__alloc(model->map.num_ids, sizeof *all->place);
  if (!all->place)
    return false;
  for (size_t i = 0, f = 0; i < model->map.num_ids; i++) {
    while (f < all->dataset->num_features && all->dataset->feature_ids[f] < model->map.ids[i])
      f++;
    bool is_there = f < all->dataset->num_features && all->dataset->feature_ids[f] == model->map.ids[i];
    all->place[i] = is_there ? (ptrdiff_t)f : NOWHERE;
  }
  return true;
}

/* ---- The linear part --------------------------------------------------------------- */

static dorm_status add_linear(dorm_context *context, const dorm_model *model, const table *all)
{
  dorm__feature_map map = model->map;
  const double *weights = dorm__model_linear_weights(model, &map.rank_block);
  dorm__features rows = {0};
  if (!weights)
    return DORM_OK;
  dorm_status status = dorm__features_build_full(context, all->dataset, &map, 1, &rows);
  for (size_t j = 0; status == DORM_OK && j < rows.num_docs; j++)
    for (size_t f = 0; f < rows.num_features; f++)
      add_to(all, j, f, weights[f] * (double)rows.values[j * rows.num_features + f]);
  dorm__features_free(&rows);
  return status;
}

/* ---- The weight of an output --------------------------------------------------------- */

/* Computes slopes[num_outputs] += factor times the derivatives of the score by the outputs. */
static void add_slopes(const dorm__model_trees *part, const double *outputs, double factor, double *slopes)
{
  size_t num_outputs = part->ensemble->num_outputs;
  const double *values = part->levels;
  if (part->objective->link == DORM__LINK_OUTPUT) {
    slopes[0] += factor;
  } else if (part->objective->link == DORM__LINK_LOGISTIC) {
    for (size_t k = 0; k < num_outputs; k++) {
      double p = 1 / (1 + exp(-2 * outputs[k]));
      slopes[k] += factor * 2 * p * (1 - p) * (values[k + 1] - values[k]);
    }
  } else {
    double largest = outputs[0];
    double sum = 0;
    double score = part->objective->score(part->num_levels, values, outputs);
    for (size_t k = 1; k < num_outputs; k++)
      largest = fmax(largest, outputs[k]);
    for (size_t k = 0; k < num_outputs; k++)
      sum += exp(outputs[k] - largest);
    for (size_t k = 0; k < num_outputs; k++)
      slopes[k] += factor * exp(outputs[k] - largest) / sum * (values[k] - score);
  }
}

/* Fills slopes[num_outputs] with the mean derivatives along the line from `mean` to `outputs`, by the rule of Gauss
 * with four points in each of PIECES pieces. `point` [num_outputs] is scratch. */
static void mean_slopes(const dorm__model_trees *part, const double *mean, const double *outputs, double *point,
                        double *slopes)
{
  enum { PIECES = 8, POINTS = 4 };
  static const double places[POINTS] = {0.06943184420297371, 0.33000947820757187, 0.66999052179242813,
                                        0.93056815579702629};
  static const double shares[POINTS] = {0.17392742256872693, 0.32607257743127307, 0.32607257743127307,
                                        0.17392742256872693};
  size_t num_outputs = part->ensemble->num_outputs;
  memset(slopes, 0, num_outputs * sizeof *slopes);
  for (size_t i = 0; i < (size_t)PIECES * POINTS; i++) {
    double share = ((double)(i / POINTS) + places[i % POINTS]) / PIECES;
    for (size_t k = 0; k < num_outputs; k++)
      point[k] = mean[k] + share * (outputs[k] - mean[k]);
    add_slopes(part, point, shares[i % POINTS] / PIECES, slopes);
  }
}

/* Replaces outputs[num_docs][num_outputs] by their mean derivatives of the score, weight included. */
static dorm_status outputs_to_slopes(dorm_context *context, const dorm__model_trees *part, const dorm_dataset *dataset,
                                     double *outputs)
{
  size_t num_outputs = part->ensemble->num_outputs;
  DORM__FREED double *room = dorm__alloc(3 * num_outputs, sizeof *room);
  if (!room)
    return dorm__out_of_memory(context, "contributions");
  double *mean = room, *point = room + num_outputs, *slopes = room + 2 * num_outputs;
  for (size_t q = 0; q < dataset->num_queries; q++) {
    size_t start = dataset->query_start[q], end = dataset->query_start[q + 1];
    memset(mean, 0, num_outputs * sizeof *mean);
    for (size_t j = start; j < end; j++)
      for (size_t k = 0; k < num_outputs; k++)
        mean[k] += outputs[j * num_outputs + k] / (double)(end - start);
    for (size_t j = start; j < end; j++) {
      mean_slopes(part, mean, outputs + j * num_outputs, point, slopes);
      for (size_t k = 0; k < num_outputs; k++)
        outputs[j * num_outputs + k] = part->weight * slopes[k];
    }
  }
  return DORM_OK;
}

/* ---- Trees --------------------------------------------------------------------------- */

/* One feature of a path from the root. A document stays on the path with probability `zero` without the feature, and
 * with probability `one`, 0 or 1, with it. `weight` belongs to the path and not to this feature: step number k has the
 * sum of the weights of all sets of k features of the path. */
typedef struct step {
  size_t feature;
  double zero, one, weight;
} step;

/* Scratch for one tree. */
typedef struct paths {
  dorm__region memory;
  uint32_t *leaves;  /* [num_docs] */
  uint32_t *parents; /* [num_nodes] */
  double *counts;    /* [num_nodes] documents of a query that pass */
  step *steps;       /* the paths to all nodes that are being visited */
} paths;

/* A document, and the place of its contributions. */
typedef struct visit {
  const table *all;
  const dorm__tree *tree;
  const double *counts;
  const float *row;
  size_t doc;
  double slope; /* of the score by the output of the tree */
} visit;

/* Lengthens a path of `last` steps by one (Lundberg, Erion and Lee 2018, Algorithm 2, EXTEND). */
static void extend(step *path, size_t last, step added)
{
  double length = (double)last + 1;
  path[last] = added;
  path[last].weight = last ? 0 : 1;
  for (size_t i = last; i-- > 0;) {
    path[i + 1].weight += added.one * path[i].weight * (double)(i + 1) / length;
    path[i].weight *= added.zero * (double)(last - i) / length;
  }
}

/* Computes the weights of a path whose last step is number `last` without step number i (UNWIND). Fills weights [last]
 * unless it is NULL. Returns their sum. */
static double unwind(const step *path, size_t last, size_t i, step *weights)
{
  double length = (double)last + 1, next = path[last].weight, sum = 0;
  for (size_t j = last; j-- > 0;) {
    double weight;
    if (path[i].one > 0) {
      weight = next * length / (double)(j + 1);
      next = path[j].weight - weight * path[i].zero * (double)(last - j) / length;
    } else {
      weight = path[j].weight * length / (path[i].zero * (double)(last - j));
    }
    sum += weight;
    if (weights)
      weights[j].weight = weight;
  }
  return sum;
}

/* Removes step number i from a path. */
static void remove_step(step *path, size_t last, size_t i)
{
  unwind(path, last, i, path);
  for (size_t j = i; j < last; j++) {
    path[j].feature = path[j + 1].feature;
    path[j].zero = path[j + 1].zero;
    path[j].one = path[j + 1].one;
  }
}

/* Adds the contributions of the leaves below `node`, whose path begins with `last` steps of `above` and `added`. */
static void visit_node(const visit *of, size_t n, const step *above, size_t last, step added)
{
  const dorm__tree_node *node = &of->tree->nodes[n];
  step *path = (step *)above + last + 1; /* behind the path above */
  memcpy(path, above, last * sizeof *path);
  extend(path, last, added);
  if (dorm__tree_node_is_leaf(of->tree, n)) {
    for (size_t i = 1; i <= last; i++)
      add_to(of->all, of->doc, path[i].feature,
             of->slope * unwind(path, last, i, NULL) * (path[i].one - path[i].zero) * of->tree->values[n]);
    return;
  }
  float value = of->row[node->feature];
  size_t side = dorm__tree_side(of->tree, node, value);
  step before = {.zero = 1, .one = 1};
  size_t i = 1;
  while (i <= last && path[i].feature != node->feature)
    i++;
  if (i <= last) {
    before = path[i];
    remove_step(path, last--, i);
  }
  for (size_t child = 0; child < 2; child++) {
    double share = of->counts[n] > 0 ? of->counts[node->child + child] / of->counts[n] : child == side;
    step next = {.feature = node->feature, .zero = before.zero * share, .one = child == side ? before.one : 0};
    if (next.zero > 0 || next.one > 0)
      visit_node(of, node->child + child, path, last + 1, next);
  }
}

/* Counts the documents start .. end - 1 in all nodes. */
static void count_docs(const dorm__tree *tree, size_t start, size_t end, const paths *room)
{
  memset(room->counts, 0, tree->num_nodes * sizeof *room->counts);
  for (size_t j = start; j < end; j++)
    room->counts[room->leaves[j]]++;
  for (size_t n = tree->num_nodes; n-- > 1;) /* children come after their parents */
    room->counts[room->parents[n]] += room->counts[n];
}

static void add_tree(const table *all, const dorm__tree *tree, const dorm__features *rows, size_t num_outputs,
                     const double *slopes, const paths *room)
{
  const dorm_dataset *dataset = all->dataset;
  for (size_t n = 0; n < tree->num_nodes; n++)
    if (!dorm__tree_node_is_leaf(tree, n))
      room->parents[tree->nodes[n].child] = room->parents[tree->nodes[n].child + 1] = (uint32_t)n;
  for (size_t q = 0; q < dataset->num_queries; q++) {
    count_docs(tree, dataset->query_start[q], dataset->query_start[q + 1], room);
    for (size_t j = dataset->query_start[q]; j < dataset->query_start[q + 1]; j++) {
      visit of = {.all = all,
                  .tree = tree,
                  .counts = room->counts,
                  .row = rows->values + j * rows->num_features,
                  .doc = j,
                  .slope = slopes[j * num_outputs]};
      visit_node(&of, 0, room->steps, 0, (step){.zero = 1, .one = 1});
    }
  }
}

/* Finds the number of splits on the longest path. */
static size_t depth_of(const dorm__tree *tree, uint32_t *depths)
{
  size_t depth = 0;
  depths[0] = 0;
  for (size_t n = 0; n < tree->num_nodes; n++) {
    depth = depths[n] > depth ? depths[n] : depth;
    if (!dorm__tree_node_is_leaf(tree, n))
      depths[tree->nodes[n].child] = depths[tree->nodes[n].child + 1] = depths[n] + 1;
  }
  return depth;
}

static dorm_status make_room(dorm_context *context, const dorm_dataset *dataset, const dorm__ensemble *ensemble,
                             paths *room)
{
  size_t most_nodes = 1, depth = 0;
  for (size_t t = 0; t < ensemble->num_trees; t++)
    most_nodes = ensemble->trees[t].num_nodes > most_nodes ? ensemble->trees[t].num_nodes : most_nodes;
  room->leaves = dorm__region_take_zero(&room->memory, dataset->num_docs, sizeof *room->leaves);
  room->parents = dorm__region_take_zero(&room->memory, most_nodes, sizeof *room->parents);
  room->counts = dorm__region_take_zero(&room->memory, most_nodes, sizeof *room->counts);
  for (size_t t = 0; room->parents && t < ensemble->num_trees; t++) {
    size_t its_depth = depth_of(&ensemble->trees[t], room->parents);
    depth = its_depth > depth ? its_depth : depth;
  }
  /* paths of 0, 1, ... depth + 1 steps */
  room->steps = dorm__region_take_zero(&room->memory, (depth + 2) * (depth + 3), sizeof *room->steps);
  return room->memory.is_short ? dorm__out_of_memory(context, "contributions") : DORM_OK;
}

static dorm_status add_trees(dorm_context *context, const dorm_model *model, const dorm__model_trees *part,
                             const table *all)
{
  const dorm__ensemble *ensemble = part->ensemble;
  dorm__feature_map map = model->map;
  dorm__features rows = {0};
  paths room = {0};
  map.normalisation = part->normalisation;
  map.rank_block = part->rank_block;
  map.keeps_missing = true;
  map.is_category = part->is_category;
  DORM__FREED double *slopes = dorm__alloc_zero(all->dataset->num_docs, ensemble->num_outputs * sizeof *slopes);
  dorm_status status = DORM__ALL(slopes ? DORM_OK : dorm__out_of_memory(context, "contributions"),
                                 make_room(context, all->dataset, ensemble, &room),
                                 dorm__features_build_full(context, all->dataset, &map, 1, &rows));
  if (status == DORM_OK) {
    dorm__ensemble_add_outputs(ensemble, 0, rows.num_docs, rows.values, 1, slopes);
    status = outputs_to_slopes(context, part, all->dataset, slopes);
  }
  for (size_t t = 0; status == DORM_OK && t < ensemble->num_trees; t++) {
    dorm__tree_find_leaves(&ensemble->trees[t], ensemble->width, rows.num_docs, rows.values, room.leaves);
    add_tree(all, &ensemble->trees[t], &rows, ensemble->num_outputs, slopes + t % ensemble->num_outputs, &room);
  }
  dorm__features_free(&rows);
  dorm__region_clear(&room.memory);
  return status;
}

/* ---- All parts ------------------------------------------------------------------------- */

/* Gives every column the mean 0 within each query. means [num_features] is scratch. */
static void centre(const table *all, double *means)
{
  const dorm_dataset *dataset = all->dataset;
  size_t width = dataset->num_features;
  for (size_t q = 0; q < dataset->num_queries; q++) {
    size_t start = dataset->query_start[q], end = dataset->query_start[q + 1];
    memset(means, 0, width * sizeof *means);
    for (size_t j = start; j < end; j++)
      for (size_t f = 0; f < width; f++)
        means[f] += all->numbers[j * width + f] / (double)(end - start);
    for (size_t j = start; j < end; j++)
      for (size_t f = 0; f < width; f++)
        all->numbers[j * width + f] -= means[f];
  }
}

static dorm_status check_kinds(dorm_context *context, const dorm_model *model)
{
  if (model->map.cross)
    return dorm__fail(
        context, DORM_BAD_DATA,
        "the model has products of features (features.cross = %s): what a product adds to a score does not "
        "belong to one feature",
        model->map.cross->text);
  for (size_t i = 0; i < model->num_parts; i++) {
    const dorm__part_kind *kind = model->parts[i].kind;
    if (kind != &dorm__linear_part && kind != &dorm__trees_part)
      return dorm__fail(
          context, DORM_BAD_DATA,
          "the model has a part of the kind '%s': only linear parts and trees can be explained by features",
          kind->word);
  }
  return DORM_OK;
}

dorm_status dorm_model_explain(dorm_context *context, const dorm_model *model, const dorm_dataset *dataset,
                               double *contributions)
{
  bool has_numbers = dataset && dataset->num_docs && dataset->num_features;
  if (DORM__LACKS(context, DORM__GIVEN(model), DORM__GIVEN(dataset), DORM__GIVEN_IF(has_numbers, contributions)))
    return DORM_BAD_USAGE;
  dorm_status status = check_kinds(context, model);
  if (status != DORM_OK || !has_numbers)
    return status;
  table all = {.dataset = dataset, .num_ids = model->map.num_ids, .numbers = contributions};
  DORM__FREED double *means = dorm__alloc(dataset->num_features, sizeof *means);
  memset(contributions, 0, dataset->num_docs * dataset->num_features * sizeof *contributions);
  if (!means || !find_places(model, &all))
    status = dorm__out_of_memory(context, "contributions");
  if (status == DORM_OK)
    status = add_linear(context, model, &all);
  for (size_t i = 0; status == DORM_OK && i < model->num_parts; i++) {
    dorm__model_trees part;
    if (dorm__part_trees(&model->parts[i], &part))
      status = add_trees(context, model, &part, &all);
  }
  if (status == DORM_OK)
    centre(&all, means);
  dorm__free(all.place);
  return status;
}
