/*
 * boosting.c: gradient boosting (Friedman 2001). In a round the objective gives gradient and curvature of every
 * document for every output; for each output libxgboost splits the documents that are drawn into leaves, and each leaf
 * gets
 *
 *   value = -shrinkage * factor * (sum of gradients) / (penalty + sum of curvatures)      over its drawn documents.
 *
 * With several bags that is done for each of them at outputs of its own, with other draws (bagging; Ganjisaffar,
 * Caruana and Lopes 2011). The ensemble is their mean: all their trees, with values divided by the number of bags.
 *
 * Gradient and curvature of a document are multiplied by its weight, so that a weight of 2 does what a second copy of
 * the document would.
 *
 * The gradients that the splits are found with are rounded to multiples of a power of two, 24 bits of the largest: sums
 * of them are exact, so the trees do not depend on the order in which threads add them.
 */
#include "base/random.h"
#include "trees/trees.h"
#include "trees/xgboost.h"

#include <math.h>
#include <string.h>

struct dorm__boosting {
  dorm__tree_grower *grower;
  size_t width;
  const float *rows; /* [num_docs][width] */
  dorm__tree_targets targets;
  const dorm__tree_objective *objective;
  dorm__boosting_options options;
  dorm__random random;
  size_t num_draws; /* of λ-functions: one for each bag and round, and those that came before */
  dorm__ensemble ensemble;
  double *outputs;        /* [bags][num_docs][num_outputs] */
  double *gradient;       /* [num_outputs][num_docs] */
  double *curvature;      /* [num_outputs][num_docs] */
  float *split_gradient;  /* [num_docs], of one output, as the splits see it; 0 where a document is not drawn */
  float *split_curvature; /* [num_docs] */
  bool *is_drawn;         /* [num_docs] */
  uint32_t *leaves;       /* [num_docs] */
};

void dorm__boosting_free(dorm__boosting *boosting)
{
  if (!boosting)
    return;
  dorm__ensemble_clear(&boosting->ensemble);
  dorm__free(boosting->outputs);
  dorm__free(boosting->gradient);
  dorm__free(boosting->curvature);
  dorm__free(boosting->split_gradient);
  dorm__free(boosting->split_curvature);
  dorm__free(boosting->is_drawn);
  dorm__free(boosting->leaves);
  dorm__free(boosting);
}

dorm_status dorm__boosting_new(dorm_context *context, dorm__tree_grower *grower, size_t width, const float *rows,
                               const dorm__tree_targets *targets, const dorm__tree_objective *objective,
                               const dorm__boosting_options *options, dorm__boosting **boosting)
{
  size_t num_docs = targets->num_docs;
  size_t num_outputs = objective->num_outputs(targets->num_levels);
  dorm__boosting *made = dorm__alloc_zero(1, sizeof *made);
  *boosting = NULL;
  if (made) {
    *made = (dorm__boosting){.grower = grower,
                             .width = width,
                             .rows = rows,
                             .targets = *targets,
                             .objective = objective,
                             .options = *options,
                             .num_draws = options->first_draw,
                             .ensemble = {.width = width, .num_outputs = num_outputs},
                             .outputs = dorm__alloc_zero(num_docs, options->bags * num_outputs * sizeof(double)),
                             .gradient = dorm__alloc(num_docs, num_outputs * sizeof(double)),
                             .curvature = dorm__alloc(num_docs, num_outputs * sizeof(double)),
                             .split_gradient = dorm__alloc(num_docs, sizeof(float)),
                             .split_curvature = dorm__alloc(num_docs, sizeof(float)),
                             .is_drawn = dorm__alloc(num_docs, sizeof(bool)),
                             .leaves = dorm__alloc(num_docs, sizeof(uint32_t))};
    dorm__random_seed(&made->random, options->seed);
  }
  if (!made || !made->outputs || !made->gradient || !made->curvature || !made->split_gradient ||
      !made->split_curvature || !made->is_drawn || !made->leaves) {
    dorm__boosting_free(made);
    return dorm__out_of_memory(context, "trees");
  }
  for (size_t bag = 0; targets->start && bag < options->bags; bag++)
    memcpy(made->outputs + bag * num_docs, targets->start, num_docs * sizeof *made->outputs);
  *boosting = made;
  return DORM_OK;
}

/* Copies the numbers of the drawn documents, rounded to multiples of 2^-23 of the power of two at or below the largest,
 * so that sums of fewer than 2^29 of them are exact in double precision. */
static void round_for_splits(size_t count, const bool *is_drawn, const double *numbers, float *rounded)
{
  enum { DIGITS = 23 };
  double largest = 0;
  for (size_t j = 0; j < count; j++)
    largest = fmax(largest, fabs(numbers[j]));
  double unit = largest > 0 ? ldexp(1, ilogb(largest) - DIGITS) : 1;
  for (size_t j = 0; j < count; j++)
    rounded[j] = is_drawn[j] ? (float)(nearbyint(numbers[j] / unit) * unit) : 0;
}

static double weight_of(const dorm__boosting *boosting, size_t doc)
{
  return boosting->targets.weights ? boosting->targets.weights[doc] : 1;
}

/* The smallest sum of split_curvature that a leaf may have: that of least_docs drawn documents on average. */
static double least_curvature(const dorm__boosting *boosting)
{
  double sum = 0;
  double drawn_weight = 0;
  for (size_t j = 0; j < boosting->targets.num_docs; j++)
    if (boosting->is_drawn[j]) {
      sum += (double)boosting->split_curvature[j];
      drawn_weight += weight_of(boosting, j);
    }
  return drawn_weight > 0 ? (double)boosting->options.least_docs * sum / drawn_weight : 0;
}

/* The curvature of each drawn document where splits do not look at curvatures: its weight. */
static void count_docs(const dorm__boosting *boosting)
{
  size_t num_docs = boosting->targets.num_docs;
  if (boosting->targets.weights)
    round_for_splits(num_docs, boosting->is_drawn, boosting->targets.weights, boosting->split_curvature);
  for (size_t j = 0; !boosting->targets.weights && j < num_docs; j++)
    boosting->split_curvature[j] = boosting->is_drawn[j];
}

/* Draws the documents that a tree is fitted to. */
static void draw_docs(dorm__boosting *boosting)
{
  for (size_t j = 0; j < boosting->targets.num_docs; j++)
    boosting->is_drawn[j] =
        boosting->options.docs_share >= 1 || dorm__random_uniform(&boosting->random) < boosting->options.docs_share;
}

static void find_leaves(const dorm__boosting *boosting, const dorm__tree *tree)
{
  enum { BATCH = 512 };
  size_t num_docs = boosting->targets.num_docs;
  size_t num_batches = (num_docs + BATCH - 1) / BATCH;
#pragma omp parallel for num_threads((int)boosting->options.num_threads) if (boosting->options.num_threads > 1)
  for (size_t batch = 0; batch < num_batches; batch++) {
    size_t first = batch * BATCH;
    dorm__tree_find_leaves(tree, boosting->width, num_docs - first < BATCH ? num_docs - first : BATCH,
                           boosting->rows + first * boosting->width, boosting->leaves + first);
  }
}

/* Gives the leaves their values; `sums` [num_nodes] is for the sums of curvatures. */
static void set_values(const dorm__boosting *boosting, size_t output, dorm__tree *tree, double *sums)
{
  static const double least = 1e-150; /* below it a leaf's documents are fitted as well as a double can say */
  size_t num_docs = boosting->targets.num_docs;
  const double *gradient = boosting->gradient + output * num_docs;
  const double *curvature = boosting->curvature + output * num_docs;
  double factor = boosting->options.shrinkage * boosting->objective->leaf_factor(boosting->targets.num_levels);
  for (size_t n = 0; n < tree->num_nodes; n++)
    tree->values[n] = sums[n] = 0;
  for (size_t j = 0; j < num_docs; j++) {
    if (!boosting->is_drawn[j])
      continue;
    tree->values[boosting->leaves[j]] -= gradient[j];
    sums[boosting->leaves[j]] += curvature[j];
  }
  for (size_t n = 0; n < tree->num_nodes; n++)
    tree->values[n] = sums[n] > least ? factor * tree->values[n] / (boosting->objective->leaf_penalty + sums[n]) : 0;
}

/* Checks that the library split as it was asked to. */
static dorm_status check_tree(dorm_context *context, const dorm__boosting *boosting, const dorm__tree *tree)
{
  size_t node;
  const char *fault = dorm__tree_fault(tree, boosting->width, &node);
  return fault ? dorm__fail(context, DORM_NUMERICAL_FAILURE, "node %zu of a tree from libxgboost: %s", node, fault)
               : DORM_OK;
}

/* Grows the tree of one output and adds it to the outputs [num_docs][num_outputs] of its bag and to the ensemble. */
static dorm_status add_tree(dorm_context *context, dorm__boosting *boosting, size_t output, double *outputs)
{
  size_t num_docs = boosting->targets.num_docs;
  size_t num_outputs = boosting->ensemble.num_outputs;
  bool by_curvature = boosting->objective->splits_by_curvature;
  dorm__tree_growth growth = {.leaves = boosting->options.leaves,
                              .bins = boosting->options.bins,
                              .penalty = boosting->objective->leaf_penalty,
                              .features_share = boosting->options.features_share,
                              .seed = dorm__random_bits(&boosting->random)};
  dorm__tree tree = {0};
  draw_docs(boosting);
  round_for_splits(num_docs, boosting->is_drawn, boosting->gradient + output * num_docs, boosting->split_gradient);
  if (by_curvature)
    round_for_splits(num_docs, boosting->is_drawn, boosting->curvature + output * num_docs, boosting->split_curvature);
  else
    count_docs(boosting);
  growth.least_curvature = by_curvature ? least_curvature(boosting) : (double)boosting->options.least_docs;
  dorm_status status =
      dorm__tree_grow(context, boosting->grower, &growth, boosting->split_gradient, boosting->split_curvature, &tree);
  if (status == DORM_OK)
    status = check_tree(context, boosting, &tree);
  double *sums = dorm__alloc(tree.num_nodes + 1, sizeof *sums);
  if (status == DORM_OK && !sums)
    status = dorm__out_of_memory(context, "trees");
  if (status == DORM_OK) {
    find_leaves(boosting, &tree);
    set_values(boosting, output, &tree, sums);
    for (size_t j = 0; j < num_docs; j++)
      outputs[j * num_outputs + output] += tree.values[boosting->leaves[j]];
    for (size_t n = 0; n < tree.num_nodes; n++)
      tree.values[n] /= (double)boosting->options.bags;
    status = dorm__ensemble_add(context, &boosting->ensemble, &tree);
  }
  dorm__tree_clear(&tree);
  dorm__free(sums);
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

/* The trees of one bag in a round. */
static dorm_status add_trees(dorm_context *context, dorm__boosting *boosting, size_t bag)
{
  double *outputs = boosting->outputs + bag * boosting->targets.num_docs * boosting->ensemble.num_outputs;
  dorm_status status =
      boosting->objective->derive(context, &boosting->targets, boosting->num_draws++, outputs,
                                  boosting->options.num_threads, boosting->gradient, boosting->curvature);
  if (status == DORM_OK)
    weigh(boosting);
  for (size_t output = 0; status == DORM_OK && output < boosting->ensemble.num_outputs; output++)
    status = add_tree(context, boosting, output, outputs);
  return status;
}

dorm_status dorm__boosting_round(dorm_context *context, dorm__boosting *boosting)
{
  dorm_status status = DORM_OK;
  for (size_t bag = 0; status == DORM_OK && bag < boosting->options.bags; bag++)
    status = add_trees(context, boosting, bag);
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
