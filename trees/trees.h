/*
 * trees.h: boosted regression trees. An ensemble is a list of trees for each of its outputs. An objective defines the
 * cost that the outputs minimise, and the score of a document from its outputs. Boosting adds one round of trees after
 * the other. Trees are grown on bins of the feature values, with histograms of gradients.
 *
 * Several processes can grow the same trees together, each with some of the documents (base/processes.h). They exchange
 * whole numbers, whose sums do not depend on the distribution of the documents.
 *
 * Reading order: ensemble, sums, objectives, bins, histogram, split, grow, boosting.
 */
#ifndef DORM_TREES_TREES_H
#define DORM_TREES_TREES_H

#include "base/base.h"
#include "lambdas/lambdas.h"

/* ---- ensemble.c --------------------------------------------------------- */

/* A row x goes from a split to node `child` if x[feature] < threshold, to node child + 1 if it is not, and to
 * child + absent if x[feature] is NaN. A split by a set sends the categories in its set to `child`, and all other
 * values to child + 1. */
typedef struct dorm__tree_node {
  float threshold; /* infinite for a leaf, so that a row stays there; DORM__IN_SET for a set */
  uint32_t feature;
  uint32_t child;      /* number within the tree, larger than the split's own, or the own number of a leaf */
  uint32_t absent : 1; /* 0 or 1 */
  uint32_t set : 31;   /* 1 + place of its set in `sets` of the tree, or 0 for a threshold */
} dorm__tree_node;

/* The threshold of a split by a set, which is compared with 0 for a category of the set and with 1 for other values. */
#define DORM__IN_SET 0.5F

/* Nodes in breadth-first order, the root first. The children of the n-th split are nodes 2 n - 1 and 2 n. */
typedef struct dorm__tree {
  size_t num_nodes;
  dorm__tree_node *nodes; /* [num_nodes] */
  double *values;         /* [num_nodes], added to the output by a leaf, 0 for splits */
  double *gains;          /* [num_nodes], improvement of the fit by a split, 0 for leaves */
  size_t sets_size, sets_capacity;
  float *sets; /* [sets_size], of each set its size and then its categories, increasing */
} dorm__tree;

bool dorm__tree_node_is_leaf(const dorm__tree *tree, size_t node);
/* Makes a tree of zeros with room for these nodes. Returns false when out of memory. */
bool dorm__tree_make(size_t num_nodes, dorm__tree *tree);
void dorm__tree_clear(dorm__tree *tree);
/* Makes a split of this node by a set of categories, which increase. Returns false when out of memory. */
bool dorm__tree_add_set(dorm__tree *tree, size_t node, size_t count, const float *categories);
/* Returns the set of a split and its size, or NULL if it has a threshold. */
const float *dorm__tree_set(const dorm__tree *tree, const dorm__tree_node *node, size_t *count);
/* Returns the side to which a value goes at a split, 0 or 1 (node child + side). */
size_t dorm__tree_side(const dorm__tree *tree, const dorm__tree_node *node, float value);
/* Multiplies the values of the leaves and the gains of the splits. */
void dorm__tree_scale(dorm__tree *tree, double factor);
/* Returns the fault of a tree over rows of this width as a sentence, or NULL. Every node but the root must be the child
 * of one split, in breadth-first order (which excludes cycles). Features must be below `width`, thresholds and values
 * finite, and categories increasing. *node becomes the node at fault. */
const char *dorm__tree_fault(const dorm__tree *tree, size_t width, size_t *node);
/* Fills leaves[count] with the leaf of each of the rows [count][width], row-major. */
void dorm__tree_find_leaves(const dorm__tree *tree, size_t width, size_t count, const float *rows, uint32_t *leaves);

/* Trees t = 0, 1, .... Tree t adds to output t modulo num_outputs. */
typedef struct dorm__ensemble {
  size_t width; /* of the rows */
  size_t num_outputs;
  size_t num_trees;
  dorm__tree *trees; /* [num_trees], owned */
  size_t capacity;
} dorm__ensemble;

/* Appends a tree, and takes it over, even on failure. */
dorm_status dorm__ensemble_add(dorm_context *context, dorm__ensemble *ensemble, dorm__tree *tree);
/* Copies the first num_trees trees. */
dorm_status dorm__ensemble_copy(dorm_context *context, const dorm__ensemble *ensemble, size_t num_trees,
                                dorm__ensemble *copy);
void dorm__ensemble_clear(dorm__ensemble *ensemble);
/* Marks the features by whose categories a tree splits in is_category [width], all false before. Returns false if
 * another split on one of them has a threshold between values. */
bool dorm__ensemble_find_categories(const dorm__ensemble *ensemble, bool *is_category);
/* Returns whether a tree splits on a feature whose number is at least `first`. */
bool dorm__ensemble_uses(const dorm__ensemble *ensemble, size_t first);
size_t dorm__ensemble_num_leaves(const dorm__ensemble *ensemble);
/* Adds the values of the trees from number `first` on for the rows [count][width] to outputs[count][num_outputs]. Costs
 * O(depth) for each row and tree. The result does not depend on the number of threads. */
void dorm__ensemble_add_outputs(const dorm__ensemble *ensemble, size_t first, size_t count, const float *rows,
                                size_t num_threads, double *outputs);

/* Receives rows [count] of features, row-major. The first row is document `first`. */
typedef void (*dorm__take_tree_rows)(void *taker, size_t first, size_t count, const float *rows);

/* Rows of features, in memory or made in batches. NaN is a missing value. */
typedef struct dorm__tree_rows {
  size_t num_docs;
  size_t num_ranks;        /* the last features are ranks of the first ones: as many, or 0 */
  const float *values;     /* [num_docs][width], row-major, or NULL if `visit` makes them */
  size_t num_sparse;       /* approximate number of values that are not 0, if these are few, otherwise 0 */
  const bool *is_category; /* [width], features whose values are categories, or NULL for none */
  /* Makes `num_features` of the features from number `first` on, all but ranks, and behind them their ranks if there
   * are any. Calls take for batches of these rows, in order. */
  dorm_status (*visit)(dorm_context *context, void *user, size_t first, size_t num_features, dorm__take_tree_rows take,
                       void *taker);
  void *user;
} dorm__tree_rows;

/* Does the same for such rows and the outputs of all documents. */
dorm_status dorm__ensemble_add_outputs_of(dorm_context *context, const dorm__ensemble *ensemble,
                                          const dorm__tree_rows *rows, size_t num_threads, double *outputs);

/* ---- objectives.c ------------------------------------------------------- */

/* The formula of a score from outputs F, for programs that read exported trees. T are the levels. `score` of the
 * objective computes it. */
typedef enum dorm__tree_link {
  DORM__LINK_OUTPUT,   /* F_0, the only output, which is the default of objectives */
  DORM__LINK_LOGISTIC, /* T_0 + sum_k (T_k - T_{k-1}) / (1 + exp(-2 F_{k-1})), k = 1 .. number of outputs */
  DORM__LINK_SOFTMAX   /* sum_k exp(F_k) T_k / sum_k exp(F_k) */
} dorm__tree_link;

/* The training data of an objective. */
typedef struct dorm__tree_targets {
  size_t num_docs;
  size_t num_queries;
  const size_t *query_start;  /* [num_queries + 1] */
  const double *labels;       /* [num_docs] */
  size_t num_levels;          /* 0 if the objective needs none */
  const double *levels;       /* [num_levels], the distinct labels, increasing */
  const dorm__lambda *lambda; /* opened for these data, or NULL if the objective needs none */
  double regression_share;    /* weight of the squared error to the labels beside the λ-gradients */
  const double *start;        /* [num_docs] start of the only output, or NULL if all begin at 0 */
  const double *other_start;  /* the same for the other rows of the bins */
  const double *weights;      /* [num_docs] weights of the documents, or NULL for 1 */
} dorm__tree_targets;

/* The function to fit. An objective is a cost of the outputs F [num_docs][num_outputs] of all documents, defined by its
 * derivatives. Costs of whole queries, as with λ-gradients, can be objectives too, since `derive` gets all documents
 * at once. */
typedef struct dorm__tree_objective {
  const char *name;
  const char *other_name; /* NULL if there is only one name */
  bool needs_levels;
  bool follows_lambda; /* of the targets */
  size_t (*num_outputs)(size_t num_levels);
  /* Computes gradient and curvature [num_outputs][num_docs] of the cost at F, for each document without its weight.
   * Random parts differ by `round`. */
  dorm_status (*derive)(dorm_context *context, const dorm__tree_targets *targets, size_t round, const double *outputs,
                        size_t num_threads, double *gradient, double *curvature);
  /* Returns the factor of a leaf: its value is minus this times the sum of gradients, divided by the sum of
   * leaf_penalty and the curvatures of its documents. */
  double (*leaf_factor)(size_t num_levels);
  double leaf_penalty;
  /* Whether splits maximise (sum of gradients)^2 / (leaf_penalty + sum of curvatures). Otherwise each document has
   * curvature 1, so that a tree is the least-squares fit to minus the gradients. */
  bool splits_by_curvature;
  /* Returns the score of a document from its outputs [num_outputs] and the levels. */
  double (*score)(size_t num_levels, const double *levels, const double *outputs);
  dorm__tree_link link; /* the result of `score` */
} dorm__tree_objective;

/* Returns the objective with a name from trees.objective, or NULL if there is none. */
const dorm__tree_objective *dorm__tree_objective_named(const char *name);

/* ---- bins.c ------------------------------------------------------------- */

/* The values of each feature as numbers of bins, one byte each. */
typedef struct dorm__tree_bins dorm__tree_bins;

/* Puts rows into bins chosen for them, at most `most` and 255 per feature. Then puts the other rows (or NULL) into the
 * same bins. No tree is fitted to these, but their leaves are found. All processes call it together, and get the same
 * cuts. */
dorm_status dorm__tree_bins_new(dorm_context *context, size_t width, const dorm__tree_rows *rows,
                                const dorm__tree_rows *others, size_t most, size_t num_threads, dorm__tree_bins **bins);
void dorm__tree_bins_free(dorm__tree_bins *bins);
DORM__OWNER(dorm__tree_bins, dorm__tree_bins_free)

/* Adds the values of the trees from number `first` on, which were grown on the bins, for the first `count` documents to
 * outputs[count][num_outputs]. */
dorm_status dorm__tree_bins_add_outputs(dorm_context *context, const dorm__tree_bins *bins,
                                        const dorm__ensemble *ensemble, size_t first, size_t count, size_t num_threads,
                                        double *outputs);

/* ---- grow.c ------------------------------------------------------------- */

/* Grows one tree after the other on the same bins, which are borrowed. */
typedef struct dorm__tree_grower dorm__tree_grower;

dorm_status dorm__tree_grower_new(dorm_context *context, const dorm__tree_bins *bins, size_t num_threads,
                                  dorm__tree_grower **grower);
void dorm__tree_grower_free(dorm__tree_grower *grower);

/* Flags that restrict how outputs depend on a feature. */
enum { DORM__NEVER_FALLS = 1, DORM__NEVER_RISES = 2 };

/* The gradients to which a tree is fitted. */
typedef struct dorm__tree_growth {
  const bool *is_drawn;     /* [num_docs of the bins], the documents to which it is fitted */
  const double *gradient;   /* of the drawn documents, by document */
  const double *curvature;  /* the same */
  const uint32_t *features; /* [num_features] that it may use, increasing */
  size_t num_features;
  size_t leaves;        /* at most */
  size_t least_docs;    /* least number of drawn documents of a leaf, at least 1 */
  double penalty;       /* added to the sum of curvatures of a leaf in the gain of a split */
  const uint8_t *order; /* [width] flags that each split obeys, or NULL for any order */
} dorm__tree_growth;

/* Grows a tree best-first. *leaves [num_docs of the bins] becomes the leaf of each document, drawn or not, until the
 * next tree is grown. The values of the leaves are 0. All processes call it together. The tree depends neither on
 * their number nor on the number of threads. O(num_docs * num_features) for each level. */
dorm_status dorm__tree_grow(dorm_context *context, dorm__tree_grower *grower, const dorm__tree_growth *growth,
                            dorm__tree *tree, const uint32_t **leaves);

/* ---- boosting.c --------------------------------------------------------- */

typedef struct dorm__boosting_options {
  size_t leaves;         /* largest number in a tree, at least 2 */
  size_t least_docs;     /* of a leaf */
  double learning_rate;  /* factor of the leaf values */
  double docs_share;     /* share of the documents to which a tree is fitted, drawn for each tree */
  double features_share; /* share of the features that a tree may use, likewise */
  double penalty;        /* of leaves (L2), added to the penalty of the objective */
  uint64_t seed;
  const uint8_t *order; /* [width] flags that restrict how outputs depend on each feature, or NULL */
  size_t first_draw;    /* number of draws of λ-functions by earlier trees, which these continue */
  size_t num_threads;
} dorm__boosting_options;

typedef struct dorm__boosting dorm__boosting;

/* Begins with no trees, at the start of the targets. Bins and targets are borrowed. The first documents of the bins are
 * the documents of the targets. */
dorm_status dorm__boosting_new(dorm_context *context, const dorm__tree_bins *bins, const dorm__tree_targets *targets,
                               const dorm__tree_objective *objective, const dorm__boosting_options *options,
                               dorm__boosting **boosting);
/* Makes one round: a tree for each output, all fitted at the outputs before the round (McRank, Algorithm 1). All
 * processes call it together. The same seed gives the same trees for any number of threads and processes. */
dorm_status dorm__boosting_round(dorm_context *context, dorm__boosting *boosting);
const dorm__ensemble *dorm__boosting_ensemble(const dorm__boosting *boosting);
/* Returns [num_docs of the bins][num_outputs], the start plus the values of the trees. */
const double *dorm__boosting_outputs(const dorm__boosting *boosting);
/* Returns [documents behind the training documents][num_outputs]. */
const double *dorm__boosting_other_outputs(const dorm__boosting *boosting);
void dorm__boosting_free(dorm__boosting *boosting);
DORM__OWNER(dorm__boosting, dorm__boosting_free)

#endif
