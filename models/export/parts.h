/*
 * parts.h: a model in the form that all formats share, with features that are not normalised, and the functions that
 * write it. Except for JSON, C and ONNX, they take a linear model, or trees whose score is a sum of leaves.
 */
#ifndef DORM_MODELS_EXPORT_PARTS_H
#define DORM_MODELS_EXPORT_PARTS_H

#include "base/json.h"
#include "models/models.h"

/* A row x goes from a split to node `yes` if x[feature] < threshold, to `missing` if the value is missing, and
 * otherwise to `no`. x are the values in the data, in single precision. A split that divides missing values from
 * all others has the threshold -FLT_MAX, and only formats that take missing values have such splits. All other
 * thresholds are larger. */
typedef struct dorm__exported_node {
  bool is_leaf;
  double value; /* of a leaf */
  size_t feature;
  float threshold;
  size_t yes, no, missing; /* larger than the number of the split */
  size_t parent, depth;    /* 0 for the root */
} dorm__exported_node;

/* Nodes in breadth-first order, the root first. */
typedef struct dorm__exported_tree {
  double weight; /* of the part, for formats that multiply the leaves by it */
  size_t num_nodes;
  dorm__exported_node *nodes;
} dorm__exported_tree;

typedef struct dorm__exported_part {
  dorm__model_trees from;     /* borrowed from the model */
  dorm__exported_tree *trees; /* [from.ensemble->num_trees] among the trees of all parts */
} dorm__exported_part;

/* The score is the sum over the hidden units of output times tanh(threshold + <weights, x>), with x [count] the values
 * in the data of the exported features. The mean replaces a missing one. */
typedef struct dorm__exported_net {
  dorm__model_net from;  /* borrowed from the model */
  size_t hidden;         /* units */
  const double *outputs; /* [hidden], borrowed from the model */
  double *thresholds;    /* [hidden] */
  double *weights;       /* [hidden][count], row-major */
} dorm__exported_net;

typedef struct dorm__exported {
  dorm__output *output;
  const dorm_model *model;
  const char *name;
  dorm__region memory;   /* of the arrays below but feature_names, weights and the nodes of trees */
  bool takes_missing;    /* the format has a place for missing values in trees */
  char **feature_names;  /* [num_ids] */
  const double *weights; /* [num_ids] of the normalised features in the linear part, or NULL if there is none */
  size_t count;
  size_t *features; /* [count], numbers of the exported features, which are not constant or split on */
  size_t *columns;  /* [num_ids], the place of a feature among these */
  size_t num_parts;
  dorm__exported_part *parts; /* [num_parts], the trees parts */
  size_t num_trees;
  dorm__exported_tree *trees; /* [num_trees] of all parts, in their order */
  bool *is_split;             /* [num_ids], whether a tree splits on the feature */
  size_t num_nets;
  dorm__exported_net *nets; /* [num_nets], the net parts */
} dorm__exported;

/* ---- parts.c ---------------------------------------------------------- */

/* Fills weights, features, trees and nets of a model that dorm_model_check_export accepts. */
dorm_status dorm__exported_prepare(dorm_context *context, dorm__exported *all);
void dorm__exported_clear(dorm__exported *all);
double dorm__exported_shift(const dorm__exported *all, size_t f);
double dorm__exported_spread(const dorm__exported *all, size_t f);
/* Returns the value that replaces a missing one in a linear part and in nets. */
double dorm__exported_mean(const dorm__exported *all, size_t f);
/* Return the weight of a feature that is not normalised, and the sum that the shifts of the features add to every
 * score. */
double dorm__exported_weight(const dorm__exported *all, size_t f);
double dorm__exported_constant(const dorm__exported *all);
bool dorm__exported_is_min_max(const dorm__exported *all);
/* Finds the two numbers of a feature's normaliser: smallest and largest value, or mean and standard deviation. */
void dorm__exported_range(const dorm__exported *all, size_t f, double numbers[2]);
/* Writes { "name": weight, ... } with the weights of the normalised features, as a value of `key` unless it is NULL. */
void dorm__exported_write_weights(const dorm__exported *all, const char *key, dorm__json *json);
/* Writes the members "yes", "no" and "missing": the numbers of the nodes that a split leads to. */
void dorm__exported_write_sides(const dorm__exported_node *split, size_t missing, dorm__json *json);
/* Returns the smallest float x with rise(x) >= bound, or infinity if there is none. `rise` must not fall. */
float dorm__first_at_least(float bound, float (*rise)(const void *user, float x), const void *user);

/* ---- The formats, one file for each -------------------------------------- */

dorm_status dorm__export_elasticsearch(dorm_context *context, const dorm__exported *all);
dorm_status dorm__export_solr(dorm_context *context, const dorm__exported *all);
dorm_status dorm__export_ranklib(dorm_context *context, const dorm__exported *all);
dorm_status dorm__export_xgboost(dorm_context *context, const dorm__exported *all); /* trees alone */
/* Trees alone, in the formats of XGBoost's dump_model: text, and JSON (elasticsearch.c). */
dorm_status dorm__export_xgboost_dump(dorm_context *context, const dorm__exported *all);
dorm_status dorm__export_xgboost_json_dump(dorm_context *context, const dorm__exported *all);
dorm_status dorm__export_onnx(dorm_context *context, const dorm__exported *all);
dorm_status dorm__export_json(dorm_context *context, const dorm__exported *all);
dorm_status dorm__export_c(dorm_context *context, const dorm__exported *all);

#endif
