/*
 * boosting.c: gradient boosting (Friedman 2001). In a round the objective computes gradient and curvature of every
 * document for every output. For each output a tree splits the drawn documents into leaves, and each leaf gets
 *
 *   value = -learning_rate * factor * (sum of gradients) / (penalty + sum of curvatures)      over its drawn documents.
 *
 * Gradient and curvature of a document are multiplied by its weight, so a weight of 2 has the effect of a second copy
 * of the document. Both sums are exact but for the rounding of their terms (sums.c), and so is the tree: its bits
 * depend neither on threads nor on processes.
 */
#include "base/processes.h"
#include "base/random.h"
#include "trees/bins.h"
#include "trees/sums.h"

#include <float.h>
#include <math.h>
#include <string.h>

struct dorm__boosting {
  dorm__tree_grower *grower;
  dorm__tree_targets targets;
  const dorm__tree_objective *objective;
  dorm__boosting_options options;
  dorm__random random;
  size_t num_draws; /* of λ-functions, one for each round after first_draw */
  dorm__ensemble ensemble;
  uint64_t num_before, all_docs; /* training documents of the processes before this one, and of all */
  size_t num_rows;               /* of the bins: the training documents, then the others */
  double *outputs;               /* [num_rows][num_outputs] */
  double *gradient;              /* [num_outputs][num_docs] */
  double *curvature;             /* [num_outputs][num_docs] */
  double *ones;                  /* [num_docs] curvatures for splits, if these use neither curvatures nor weights */
  uint32_t *features;            /* [width] of a tree */
  bool *is_drawn;                /* [num_rows] */
  const uint32_t *leaves;        /* [num_rows] of the last tree, borrowed from the grower */
};

void dorm__boosting_free(dorm__boosting *boosting)
{
  if (!boosting)
    return;
  dorm__tree_grower_free(boosting->grower);
  dorm__ensemble_clear(&boosting->ensemble);
  dorm__free(boosting->outputs);
  dorm__free(boosting->gradient);
  dorm__free(boosting->curvature);
  dorm__free(boosting->ones);
  dorm__free(boosting->features);
  dorm__free(boosting->is_drawn);
  dorm__free(boosting);
}

dorm_status dorm__boosting_new(dorm_context *context, const dorm__tree_bins *bins, const dorm__tree_targets *targets,
                               const dorm__tree_objective *objective, const dorm__boosting_options *options,
                               dorm__boosting **boosting)
{
  size_t num_docs = targets->num_docs, num_rows = bins->num_docs;
  size_t num_outputs = objective->num_outputs(targets->num_levels);
  DORM__OWNED(dorm__boosting) *made = dorm__alloc_zero(1, sizeof *made);
  *boosting = NULL;
  if (!made)
    return dorm__out_of_memory(context, "trees");
  *made = (dorm__boosting){.targets = *targets,
                           .objective = objective,
                           .options = *options,
                           .num_draws = options->first_draw,
                           .ensemble = {.width = bins->width, .num_outputs = num_outputs},
                           .num_rows = num_rows,
                           .outputs = dorm__alloc_zero(num_rows, num_outputs * sizeof(double)),
                           .gradient = dorm__alloc(num_docs, num_outputs * sizeof(double)),
                           .curvature = dorm__alloc(num_docs, num_outputs * sizeof(double)),
                           .features = dorm__alloc(bins->width, sizeof(uint32_t)),
                           .is_drawn = dorm__alloc_zero(num_rows, sizeof(bool))};
  bool needs_ones = !objective->splits_by_curvature && !targets->weights;
  if (needs_ones)
    made->ones = dorm__alloc(num_docs, sizeof *made->ones);
  dorm__random_seed(&made->random, options->seed);
  if (!made->outputs || !made->gradient || !made->curvature || !made->features || !made->is_drawn ||
      (needs_ones && !made->ones))
    return dorm__out_of_memory(context, "trees");
  dorm_status status = DORM__ALL(dorm__tree_grower_new(context, bins, options->num_threads, &made->grower),
                                 dorm__processes_count(context, num_docs, &made->num_before, &made->all_docs));
  if (status != DORM_OK)
    return status;
  for (size_t j = 0; needs_ones && j < num_docs; j++)
    made->ones[j] = 1;
  if (targets->start)
    memcpy(made->outputs, targets->start, num_docs * sizeof *made->outputs);
  if (targets->other_start)
    memcpy(made->outputs + num_docs, targets->other_start, (num_rows - num_docs) * sizeof *made->outputs);
  *boosting = made;
  made = NULL;
  return DORM_OK;
}

/* Draws the documents for a tree, none of weight 0. Uses a random number for each document of all processes. */
static void draw_docs(dorm__boosting *boosting)
{
  double share = boosting->options.docs_share;
  const double *weights = boosting->targets.weights;
  dorm__random_skip(&boosting->random, share < 1 ? (size_t)boosting->num_before : 0);
  for (size_t j = 0; j < boosting->targets.num_docs; j++)
    boosting->is_drawn[j] =
        (share >= 1 || dorm__random_uniform(&boosting->random) < share) && (!weights || weights[j] > 0);
  dorm__random_skip(&boosting->random,
                    share < 1 ? (size_t)(boosting->all_docs - boosting->num_before) - boosting->targets.num_docs : 0);
}

/* Draws the features that a tree may use, in increasing order. Returns their number. */
static size_t draw_features(dorm__boosting *boosting)
{
  size_t width = boosting->ensemble.width;
  size_t left = (size_t)(boosting->options.features_share * (double)width);
  size_t count = 0;
  left = left ? left : 1;
  for (size_t f = 0; f < width; f++) /* taken with probability wanted / (features that are left) */
    if (left >= width - f || dorm__random_below(&boosting->random, width - f) < left) {
      boosting->features[count++] = (uint32_t)f;
      left--;
    }
  return count;
}

static double penalty_of(const dorm__boosting *boosting)
{
  return boosting->objective->leaf_penalty + boosting->options.penalty;
}

static const double least = 1e-150; /* below it a leaf's documents are fitted to the precision of a double */

/* Moves the values of the leaves, from sums of -gradients and of curvatures [num_nodes], so that they obey the order.
 * The leaves on the two sides of a split on an ordered feature stay on the two sides of the middle of their values. The
 * bounds of a node, low and high [num_nodes], come from the splits above it. */
static void keep_order(const dorm__boosting *boosting, double factor, dorm__tree *tree, double *sums, double *low,
                       double *high)
{
  double *values = tree->values;
  for (size_t n = tree->num_nodes; n-- > 0;) { /* children come after their parents */
    size_t child = tree->nodes[n].child;
    if (!dorm__tree_node_is_leaf(tree, n)) {
      values[n] = values[child] + values[child + 1];
      sums[n] = sums[child] + sums[child + 1];
    }
  }
  for (size_t n = 0; n < tree->num_nodes; n++)
    values[n] = sums[n] > least ? factor * values[n] / (penalty_of(boosting) + sums[n]) : 0;
  low[0] = -INFINITY;
  high[0] = INFINITY;
  for (size_t n = 0; n < tree->num_nodes; n++) {
    const dorm__tree_node *node = &tree->nodes[n];
    values[n] = fmax(low[n], fmin(high[n], values[n]));
    if (dorm__tree_node_is_leaf(tree, n))
      continue;
    size_t left = node->child, right = left + 1;
    unsigned order = node->threshold > -FLT_MAX && !node->set ? boosting->options.order[node->feature] : 0;
    low[left] = low[right] = low[n];
    high[left] = high[right] = high[n];
    double middle = (fmax(low[n], fmin(high[n], values[left])) + fmax(low[n], fmin(high[n], values[right]))) / 2;
    if (order & DORM__NEVER_FALLS)
      high[left] = low[right] = middle;
    if (order & DORM__NEVER_RISES)
      low[left] = high[right] = middle;
    values[n] = 0;
  }
}

/* Fills the values of the leaves with the sums of -gradients, and sums [num_nodes] with the sums of curvatures, over
 * the drawn documents of all processes. */
static dorm_status sum_leaves(dorm_context *context, const dorm__boosting *boosting, size_t output, dorm__tree *tree,
                              double *sums)
{
  size_t num_docs = boosting->targets.num_docs, num_nodes = tree->num_nodes;
  const dorm__tree_terms terms = {num_docs, boosting->is_drawn, boosting->gradient + output * num_docs,
                                  boosting->curvature + output * num_docs, boosting->options.num_threads};
  dorm__tree_scales scales;
  DORM__FREED uint64_t *whole = dorm__alloc_zero(num_nodes, 2 * sizeof *whole);
  dorm_status status = whole ? dorm__tree_scales_find(context, &terms, &scales) : dorm__out_of_memory(context, "trees");
  for (size_t j = 0; status == DORM_OK && j < num_docs; j++) {
    if (!boosting->is_drawn[j])
      continue;
    uint64_t *leaf = whole + 2 * boosting->leaves[j];
    leaf[0] -= dorm__tree_whole(terms.gradient[j], scales.gradient);
    leaf[1] += dorm__tree_whole(terms.curvature[j], scales.curvature);
  }
  if (status == DORM_OK)
    status = dorm__processes_totals(context, 2 * num_nodes, whole);
  for (size_t n = 0; status == DORM_OK && n < num_nodes; n++) {
    tree->values[n] = dorm__tree_total(whole[2 * n], scales.gradient);
    sums[n] = dorm__tree_total(whole[2 * n + 1], scales.curvature);
  }
  return status;
}

/* Computes the values of the leaves from their sums. `sums` [3][num_nodes] has room for bounds as well. */
static void set_values(const dorm__boosting *boosting, dorm__tree *tree, double *sums)
{
  double factor = boosting->options.learning_rate * boosting->objective->leaf_factor(boosting->targets.num_levels);
  if (boosting->options.order) {
    keep_order(boosting, factor, tree, sums, sums + tree->num_nodes, sums + 2 * tree->num_nodes);
    return;
  }
  for (size_t n = 0; n < tree->num_nodes; n++)
    tree->values[n] = sums[n] > least ? factor * tree->values[n] / (penalty_of(boosting) + sums[n]) : 0;
}

/* Grows the tree of one output and adds it to the outputs and to the ensemble. */
static dorm_status add_tree(dorm_context *context, dorm__boosting *boosting, size_t output)
{
  size_t num_docs = boosting->targets.num_docs;
  size_t num_outputs = boosting->ensemble.num_outputs;
  DORM__AT_END(dorm__tree_clear) dorm__tree tree = {0};
  draw_docs(boosting);
  dorm__tree_growth growth = {.is_drawn = boosting->is_drawn,
                              .gradient = boosting->gradient + output * num_docs,
                              .curvature = boosting->objective->splits_by_curvature
                                               ? boosting->curvature + output * num_docs
                                           : boosting->ones ? boosting->ones
                                                            : boosting->targets.weights,
                              .features = boosting->features,
                              .num_features = draw_features(boosting),
                              .leaves = boosting->options.leaves,
                              .least_docs = boosting->options.least_docs,
                              .penalty = penalty_of(boosting),
                              .order = boosting->options.order};
  dorm_status status = dorm__tree_grow(context, boosting->grower, &growth, &tree, &boosting->leaves);
  DORM__FREED double *sums = dorm__alloc(tree.num_nodes + 1, 3 * sizeof *sums);
  if (status == DORM_OK && !sums)
    status = dorm__out_of_memory(context, "trees");
  if (status == DORM_OK)
    status = sum_leaves(context, boosting, output, &tree, sums);
  if (status == DORM_OK) {
    set_values(boosting, &tree, sums);
    for (size_t j = 0; j < boosting->num_rows; j++)
      boosting->outputs[j * num_outputs + output] += tree.values[boosting->leaves[j]];
    status = dorm__ensemble_add(context, &boosting->ensemble, &tree);
  }
  return status;
}

/* Multiplies gradients and curvatures by the weights of the documents. */
static void weigh(const dorm__boosting *boosting)
{
  size_t num_docs = boosting->targets.num_docs;
  for (size_t output = 0; boosting->targets.weights && output < boosting->ensemble.num_outputs; output++)
    for (size_t j = 0; j < num_docs; j++) {
      boosting->gradient[output * num_docs + j] *= boosting->targets.weights[j];
      boosting->curvature[output * num_docs + j] *= boosting->targets.weights[j];
    }
}

dorm_status dorm__boosting_round(dorm_context *context, dorm__boosting *boosting)
{
  dorm_status status =
      boosting->objective->derive(context, &boosting->targets, boosting->num_draws++, boosting->outputs,
                                  boosting->options.num_threads, boosting->gradient, boosting->curvature);
  if (status == DORM_OK)
    weigh(boosting);
  for (size_t output = 0; status == DORM_OK && output < boosting->ensemble.num_outputs; output++)
    status = add_tree(context, boosting, output);
  return status;
}

const dorm__ensemble *dorm__boosting_ensemble(const dorm__boosting *boosting)
{
  return &boosting->ensemble;
}

const double *dorm__boosting_outputs(const dorm__boosting *boosting)
{
  return boosting->outputs;
}

const double *dorm__boosting_other_outputs(const dorm__boosting *boosting)
{
  return boosting->outputs + boosting->targets.num_docs * boosting->ensemble.num_outputs;
}
