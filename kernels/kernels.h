/*
 * kernels.h: non-linear rankers through the linear solver (Le and Smola 2007, section 2.3). A kernel between
 * document-query pairs is written as an expression; a pivoted Cholesky factor of its Gram matrix, K ~ L L', gives every
 * document a row of features, and the linear solver does the rest.
 *
 * Reading order: kernel, kernel_table, parser, expression, expression_text, user_term, module, self_check,
 * kernel_files, resolve, rows, gram_file, tile, watch, cholesky, factor, public.
 */
#ifndef DORM_KERNELS_KERNELS_H
#define DORM_KERNELS_KERNELS_H

#include "base/base.h"
#include "data/data.h"
#include "features/features.h"

/* ---- module.c ----------------------------------------------------------- */

/* The kernel of a module. When a call of it fails, dorm__kernel_fault says why. */
typedef struct dorm__user_kernel dorm__user_kernel;

/* Loads a module from an explicit path and checks its struct. */
dorm_status dorm__user_kernel_open(dorm_context *context, const char *path, dorm__user_kernel **kernel);
void dorm__user_kernel_close(dorm__user_kernel *kernel);
const dorm_kernel_module *dorm__user_kernel_module(const dorm__user_kernel *kernel);

/* ---- kernel_table.c ----------------------------------------------------- */

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

/* A parameter with its list of values to choose from; a value of NaN is "auto". */
typedef struct dorm__kernel_parameter {
  size_t count;
  double *values; /* owned; of built-in kernels */
  char *key;      /* owned; its name, of users' kernels, whose values are checked by the tables of their modules */
  char **texts;   /* owned, and each of its texts; [count], of users' kernels */
} dorm__kernel_parameter;

typedef struct dorm__kernel_node {
  dorm__kernel_kind kind;
  size_t left, right; /* of a sum or product: the nodes that it joins */
  size_t num_parameters;
  dorm__kernel_parameter parameters[DORM__KERNEL_MOST_PARAMETERS]; /* in the order of its table */
  size_t num_ranges;       /* ranges of feature ids that make the block; 0: all features */
  size_t (*ranges)[2];     /* owned; [num_ranges], first and last id */
  char *path;              /* owned; of a Gram matrix or a user's module; NULL in a model until its caller gives it */
  char *name;              /* owned; of a user's kernel; in a model also of a Gram matrix: its path in training */
  dorm__user_kernel *user; /* of the kernel's files; NULL if a model names a kernel whose module is not known */

  /* set by dorm__kernel_resolve: */
  size_t num_columns;
  size_t *columns; /* owned; [num_columns], indices into rows of the feature map */
  size_t gram_size;
  const double *gram; /* of the kernel's files; [gram_size][gram_size] */
} dorm__kernel_node;

typedef struct dorm__kernel {
  size_t num_nodes;
  size_t root;
  dorm__kernel_node nodes[DORM__KERNEL_MOST_NODES];
  struct dorm__kernel_files
      *files; /* Gram matrices and modules, each opened once; shared with what is chosen from it */
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
 * A term with a path is the kernel of a module, which is loaded. DORM_BAD_USAGE
 * with the position of what is wrong, DORM_BAD_MODULE. */
dorm_status dorm__kernel_parse(dorm_context *context, const char *text, dorm__kernel **kernel);
/* The same for the text in a model. It opens no file: kernels of modules are written
 * `name from module`, paths to modules are refused, and the path of a Gram matrix is
 * only its name. */
dorm_status dorm__kernel_parse_model(dorm_context *context, const char *text, dorm__kernel **kernel);
/* The kernel with combination `choice` of its lists, not resolved. It shares the opened files, so that a training that
 * chooses many times from one kernel reads a Gram matrix and loads and checks a module once. */
dorm_status dorm__kernel_choose(dorm_context *context, const dorm__kernel *kernel, size_t choice,
                                dorm__kernel **chosen);
void dorm__kernel_free(dorm__kernel *kernel);
DORM__OWNER(dorm__kernel, dorm__kernel_free)
/* Hands out the paths of Gram matrices and modules. Ends with the first status of `take` other than DORM_OK. */
typedef dorm_status (*dorm__kernel_take_path)(void *user, const char *path);
dorm_status dorm__kernel_each_path(const dorm__kernel *kernel, dorm__kernel_take_path take, void *user);

/* The number of combinations of values from the kernel's lists. */
size_t dorm__kernel_num_choices(const dorm__kernel *kernel);
/* Loads the module of the path node->path for a node of the kernel, unless it is loaded already, and spells out the
 * parameters that were not given. */
dorm_status dorm__kernel_open_user(dorm_context *context, const dorm__kernel *kernel, dorm__kernel_node *node);
/* Whether the whole expression is `linear` over all features. */
bool dorm__kernel_is_linear(const dorm__kernel *kernel);

/* ---- resolve.c ---------------------------------------------------------- */

/* Dense rows of a feature map. */
typedef struct dorm__kernel_rows {
  size_t count;
  size_t width;
  float *values;           /* owned; [count][width] */
  dorm__file_memory *file; /* that holds the values; NULL: they are in memory */
} dorm__kernel_rows;

/* Finds the features of every block, reads the Gram matrices whose paths are known, and prepares the users' kernels
 * that are loaded. Each list must have one value. A kernel without a block sees all features but the row numbers of
 * Gram matrices. */
dorm_status dorm__kernel_resolve(dorm_context *context, dorm__kernel *kernel, const dorm__feature_map *map);

/* ---- rows.c ------------------------------------------------------------- */

/* Makes the rows of a data set under the map; row numbers of Gram matrices stay as they are in the data. Checks that
 * every kernel can take them. */
dorm_status dorm__kernel_rows_build(dorm_context *context, const dorm__kernel *kernel, const dorm_dataset *dataset,
                                    const dorm__feature_map *map, size_t num_threads, dorm__kernel_rows *rows);
void dorm__kernel_rows_free(dorm__kernel_rows *rows);

/* ---- tile.c ------------------------------------------------------------- */

/* Fills the tile gram[num_x][num_y] with k(x_i, y_j) for rows x[num_x][width], y[num_y][width]. False when out of
 * memory or when a user's kernel failed (dorm__kernel_fault). O(num_x num_y width), by dgemm where the kernel is a
 * function of inner products or Euclidean distances. */
bool dorm__kernel_tile(const dorm__kernel *kernel, size_t width, size_t num_x, const float *x, size_t num_y,
                       const float *y, double *gram);
/* Fails after a tile or a diagonal failed: with the message of the user's kernel if it left one, otherwise as out of
 * memory for `what`. */
dorm_status dorm__kernel_fault(dorm_context *context, const dorm__kernel *kernel, const char *what);

/* ---- factor.c ----------------------------------------------------------- */

typedef struct dorm__kernel_options {
  size_t rank; /* 0: all */
  uint64_t seed;
  size_t num_threads;
} dorm__kernel_options;

/* A kernel fitted to training data: from rows of a feature map to features. */
typedef struct dorm__kernel_factor {
  dorm__kernel *kernel; /* owned; without the linear part, single-valued */
  char *text;           /* owned; of the whole expression */
  char *part_text;      /* owned; of `kernel` */
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

/* Fits combination `choice` of the expression and makes the features of the
 * training data, in double: [map_width if has_linear][rank]. */
dorm_status dorm__kernel_fit(dorm_context *context, const dorm__kernel *kernel, size_t choice,
                             const dorm__kernel_options *options, const dorm_dataset *train,
                             const dorm__feature_map *map, const dorm__kernel_fitted *fitted);
void dorm__kernel_factor_free(dorm__kernel_factor *factor);
/* Makes the features of other data: k_P(x) L_P^-T, a triangular solve. */
dorm_status dorm__kernel_features(dorm_context *context, const dorm__kernel_factor *factor, const dorm_dataset *dataset,
                                  const dorm__feature_map *map, size_t num_threads, dorm__features *features);
/* Turns weights of the features into weights of the pivots, in place: the score is <w, L_P^-1 k_P(x)> = <L_P^-T w,
 * k_P(x)>. */
void dorm__kernel_pivot_weights(const dorm__kernel_factor *factor, double *weights);

#endif
