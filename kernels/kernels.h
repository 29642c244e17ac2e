/*
 * kernels.h: non-linear rankers through the linear solver (Le and Smola 2007, section 2.3). A kernel between
 * document-query pairs is written as an expression. A pivoted Cholesky factor of its Gram matrix, K ~ L L', gives every
 * document a row of features for the linear solver.
 *
 * Reading order: kernel_table, parser, expression, expression_text, user_term, module, self_check, kernel_files,
 * resolve, gram_file, tile, cholesky, factor.
 */
#ifndef DORM_KERNELS_KERNELS_H
#define DORM_KERNELS_KERNELS_H

#include "base/base.h"
#include "data/data.h"
#include "features/features.h"

/* ---- module.c ----------------------------------------------------------- */

/* The kernel of a module. If a call of it fails, dorm__kernel_fault returns the reason. */
typedef struct dorm__user_kernel dorm__user_kernel;

/* Loads a module from an explicit path and checks its struct. */
dorm_status dorm__user_kernel_open(dorm_context *context, const char *path, dorm__user_kernel **kernel);
void dorm__user_kernel_close(dorm__user_kernel *kernel);
const dorm_kernel_module *dorm__user_kernel_module(const dorm__user_kernel *kernel);

/* ---- Expressions (expression.c, expression_text.c, kernel_files.c, user_term.c) ----- */

typedef enum dorm__kernel_kind {
  DORM__KERNEL_CONSTANT,   /* value, >= 0 */
  DORM__KERNEL_LINEAR,     /* <x, y> */
  DORM__KERNEL_POLYNOMIAL, /* (scale <x, y> + offset)^degree */
  DORM__KERNEL_RBF,        /* exp(-gamma |x - y|^2) */
  DORM__KERNEL_LAPLACIAN,  /* exp(-gamma |x - y|_1) */
  DORM__KERNEL_HISTOGRAM,  /* sum_f min(x_f, y_f), x and y >= 0 */
  DORM__KERNEL_GRAM,       /* matrix[x][y] from a file; x and y are row numbers */
  DORM__KERNEL_USER,       /* of a module */
  DORM__KERNEL_SUM,
  DORM__KERNEL_PRODUCT,
  DORM__NUM_KERNEL_KINDS
} dorm__kernel_kind;

enum { DORM__KERNEL_MOST_PARAMETERS = 8, DORM__KERNEL_MOST_NODES = 64, DORM__KERNEL_MOST_CHOICES = 100000 };

/* A parameter with its list of values. NaN is "auto". */
typedef struct dorm__kernel_parameter {
  size_t count;
  double *values; /* of built-in kernels, owned */
  char *key;      /* its name, of users' kernels, whose values the tables of their modules check; owned */
  char **texts;   /* [count] of users' kernels, owned with the texts */
} dorm__kernel_parameter;

typedef struct dorm__kernel_node {
  dorm__kernel_kind kind;
  size_t left, right; /* terms of a sum or product */
  size_t num_parameters;
  dorm__kernel_parameter parameters[DORM__KERNEL_MOST_PARAMETERS]; /* in the order of its table */
  size_t num_ranges;       /* ranges of feature ids that make the block, 0 for all features */
  size_t (*ranges)[2];     /* [num_ranges] first and last id, owned */
  char *path;              /* of a Gram matrix or a user's module, NULL in a model until its caller gives it; owned */
  char *name;              /* of a user's kernel, or in a model the path of a Gram matrix in training; owned */
  dorm__user_kernel *user; /* of the kernel's files, or NULL if a model names a kernel whose module is unknown */

  /* Set by dorm__kernel_resolve. */
  size_t num_columns;
  size_t *columns; /* [num_columns] indices into rows of the feature map, owned */
  size_t gram_size;
  const double *gram; /* [gram_size][gram_size] of the kernel's files */
} dorm__kernel_node;

typedef struct dorm__kernel {
  size_t num_nodes;
  size_t root;
  dorm__kernel_node nodes[DORM__KERNEL_MOST_NODES];
  struct dorm__kernel_files *files; /* opened once, shared by all kernels chosen from this expression */
} dorm__kernel;

/* Parses an expression such as "rbf:gamma=0.5|1 (1-20) * linear(21-46) + 0.1":
 *
 *   sum     = product { "+" product }
 *   product = factor { "*" factor }
 *   factor  = "(" sum ")" | numbers | term | term "from" path | "gram:" path "(" id ")"     path: also in quotes
 *   term    = name [":" key "=" numbers {"," ...}] ["(" ids ")"]
 *   numbers = number { "|" number }       several: a list to choose from; words for users' kernels
 *   ids     = id ["-" id] {"," ...}       the features that the kernel sees
 *
 * Loads the module of a term with a path. Returns DORM_BAD_USAGE with the position of the fault, or DORM_BAD_MODULE. */
dorm_status dorm__kernel_parse(dorm_context *context, const char *text, dorm__kernel **kernel);
/* Does the same for the text in a model. Opens no file: kernels of modules are written `name from module`, paths to
 * modules are refused, and the path of a Gram matrix is only its name. */
dorm_status dorm__kernel_parse_model(dorm_context *context, const char *text, dorm__kernel **kernel);
/* Makes the kernel with combination `choice` of its lists, not resolved. It shares the opened files, so that a training
 * that chooses many times from one kernel reads a Gram matrix and loads and checks a module once. */
dorm_status dorm__kernel_choose(dorm_context *context, const dorm__kernel *kernel, size_t choice,
                                dorm__kernel **chosen);
void dorm__kernel_free(dorm__kernel *kernel);
DORM__OWNER(dorm__kernel, dorm__kernel_free)
/* Hands out the paths of Gram matrices and modules. Ends with the first status of `take` other than DORM_OK. */
typedef dorm_status (*dorm__kernel_take_path)(void *user, const char *path);
dorm_status dorm__kernel_each_path(const dorm__kernel *kernel, dorm__kernel_take_path take, void *user);

/* Returns the number of combinations of values from the kernel's lists. */
size_t dorm__kernel_num_choices(const dorm__kernel *kernel);
/* Loads the module of the path node->path for a node of the kernel, unless it is loaded already, and fills in missing
 * parameters. */
dorm_status dorm__kernel_open_user(dorm_context *context, const dorm__kernel *kernel, dorm__kernel_node *node);
/* Returns whether the whole expression is `linear` over all features. */
bool dorm__kernel_is_linear(const dorm__kernel *kernel);

/* ---- resolve.c ---------------------------------------------------------- */

/* Dense rows of a feature map. */
typedef struct dorm__kernel_rows {
  size_t count;
  size_t width;
  float *values;           /* [count][width], owned */
  dorm__file_memory *file; /* that holds the values, or NULL if they are in memory */
} dorm__kernel_rows;

/* Finds the features of every block, reads the Gram matrices whose paths are known, and prepares the loaded users'
 * kernels. Each list must have one value. A kernel without a block uses all features but the row numbers of Gram
 * matrices. */
dorm_status dorm__kernel_resolve(dorm_context *context, dorm__kernel *kernel, const dorm__feature_map *map);

/* Makes the rows of a data set under the map. Row numbers of Gram matrices keep their values in the data. Checks that
 * every kernel accepts the rows. */
dorm_status dorm__kernel_rows_build(dorm_context *context, const dorm__kernel *kernel, const dorm_dataset *dataset,
                                    const dorm__feature_map *map, size_t num_threads, dorm__kernel_rows *rows);
void dorm__kernel_rows_free(dorm__kernel_rows *rows);

/* ---- tile.c ------------------------------------------------------------- */

/* Fills the tile gram[num_x][num_y] with k(x_i, y_j) for rows x[num_x][width], y[num_y][width]. Returns false when out
 * of memory or if a user's kernel failed (dorm__kernel_fault). O(num_x num_y width), by dgemm if the kernel is a
 * function of inner products or Euclidean distances. */
bool dorm__kernel_tile(const dorm__kernel *kernel, size_t width, size_t num_x, const float *x, size_t num_y,
                       const float *y, double *gram);
/* Fails after a tile or a diagonal failed: with the message of the user's kernel if it left one, otherwise as out of
 * memory for `what`. */
dorm_status dorm__kernel_fault(dorm_context *context, const dorm__kernel *kernel, const char *what);

/* ---- factor.c ----------------------------------------------------------- */

typedef struct dorm__kernel_options {
  size_t rank; /* 0 for all */
  uint64_t seed;
  size_t num_threads;
} dorm__kernel_options;

/* A kernel fitted to training data: from rows of a feature map to features. */
typedef struct dorm__kernel_factor {
  dorm__kernel *kernel; /* without the linear part, single-valued, owned */
  char *text;           /* of the whole expression, owned */
  char *part_text;      /* of `kernel`, owned */
  bool has_linear;      /* the features begin with the rows of the map */
  double rank_block;    /* of the map */
  size_t map_width;
  size_t rank;
  dorm__kernel_rows pivots;
  double *triangle;      /* [rank][rank], lower: L[pivots] */
  size_t num_docs;       /* of the training data */
  double *residual;      /* [num_docs], the diagonal of K - L L' */
  double trace;          /* of K */
  double residual_trace; /* of K - L L' */
} dorm__kernel_factor;

/* The result of fitting a kernel. */
typedef struct dorm__kernel_fitted {
  dorm__kernel_factor **factor;
  dorm__features *features;
} dorm__kernel_fitted;

/* Fits combination `choice` of the expression, and makes the features of the training data, in double: for each
 * document map_width numbers if has_linear, and then [rank]. */
dorm_status dorm__kernel_fit(dorm_context *context, const dorm__kernel *kernel, size_t choice,
                             const dorm__kernel_options *options, const dorm_dataset *train,
                             const dorm__feature_map *map, const dorm__kernel_fitted *fitted);
void dorm__kernel_factor_free(dorm__kernel_factor *factor);
/* Makes the features of other data, k_P(x) L_P^-T, by a triangular solve. */
dorm_status dorm__kernel_features(dorm_context *context, const dorm__kernel_factor *factor, const dorm_dataset *dataset,
                                  const dorm__feature_map *map, size_t num_threads, dorm__features *features);
/* Turns weights of the features into weights of the pivots, in place: the score is <w, L_P^-1 k_P(x)> = <L_P^-T w,
 * k_P(x)>. */
void dorm__kernel_pivot_weights(const dorm__kernel_factor *factor, double *weights);

#endif
