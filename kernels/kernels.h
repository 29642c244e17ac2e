/*
 * kernels.h: non-linear rankers through the linear solver (Le and Smola 2007,
 * section 2.3). A kernel between document-query pairs is written as an
 * expression; a pivoted Cholesky factor of its Gram matrix, K ~ L L', gives
 * every document a row of features, and the linear solver does the rest.
 *
 * Reading order: kernel_table, expression, module, resolve, rows, gram_file,
 * exponential, block, cholesky, landmarks, factor, model.
 */
#ifndef DORM_KERNELS_KERNELS_H
#define DORM_KERNELS_KERNELS_H

#include "data/data.h"

/* ---- module.c, self_check.c: kernels of the user's own ---------------------- */

/* The kernel of a module; its calls leave what went wrong for dorm__kernel_fault. */
typedef struct dorm__user_kernel dorm__user_kernel;

/* Loads a module from an explicit path and checks its struct. */
dorm_status dorm__user_kernel_open(dorm_context *context, const char *path, dorm__user_kernel **kernel);
void dorm__user_kernel_close(dorm__user_kernel *kernel);
const dorm_kernel_module *dorm__user_kernel_module(const dorm__user_kernel *kernel);
/* Makes it ready for blocks, once: values[num_parameters of the module], whose
 * texts live as long as the kernel. Passes the self-check. */
dorm_status dorm__user_kernel_create(dorm_context *context, dorm__user_kernel *kernel, const dorm_loss_value *values);
/* block[num_x][num_y], diagonal[num_x] from packed rows of `width`; false when
 * the module fails or a number is not finite. */
bool dorm__user_kernel_block(dorm__user_kernel *kernel, size_t width, size_t num_x, const double *x, size_t num_y,
                             const double *y, double *block);
bool dorm__user_kernel_diagonal(dorm__user_kernel *kernel, size_t width, size_t num_x, const double *x,
                                double *diagonal);
/* What went wrong first and its status, NULL when nothing did. */
const char *dorm__user_kernel_failure(const dorm__user_kernel *kernel, dorm_status *status);
/* Tries on small rows what a kernel promises; DORM_BAD_MODULE with the reason. */
dorm_status dorm__user_kernel_self_check(dorm_context *context, dorm__user_kernel *kernel);

/* ---- kernel_table.c, expression.c, user_term.c, expression_text.c
 * -------------------------------------------------------------- */

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

/* What a kernel is called and takes. */
typedef struct dorm__kernel_parameter_form {
  const char *name;
  double min; /* exclusive where `above_min` */
  double max;
  bool above_min;
  bool is_integer;
  double default_value; /* NaN: auto */
} dorm__kernel_parameter_form;

typedef struct dorm__kernel_form {
  const char *name;
  dorm__kernel_kind kind;
  const char *usage; /* as text, with every parameter */
  const char *formula;
  size_t num_parameters;
  dorm__kernel_parameter_form parameters[DORM__KERNEL_MOST_PARAMETERS];
} dorm__kernel_form;

/* Row `index`, NULL past the last. */
const dorm__kernel_form *dorm__kernel_form_at(size_t index);
/* NULL for users' kernels, constants, sums and products. */
const dorm__kernel_form *dorm__kernel_form_of(dorm__kernel_kind kind);

/* A parameter with the values to choose from. NaN is "auto". */
typedef struct dorm__kernel_parameter {
  size_t count;
  double *values; /* owned; of built-in kernels */
  char *key;      /* owned; of users' kernels, whose values are checked by their modules' tables */
  char **texts;   /* owned, and each of its texts; [count], of users' kernels */
} dorm__kernel_parameter;

typedef struct dorm__kernel_node {
  dorm__kernel_kind kind;
  size_t left, right; /* of a sum or product: numbers of nodes */
  size_t num_parameters;
  dorm__kernel_parameter parameters[DORM__KERNEL_MOST_PARAMETERS]; /* in the order of its table */
  size_t num_ranges;                                               /* the block of feature ids; 0: all */
  size_t (*ranges)[2];                                             /* owned; [num_ranges], first and last id */
  char *path;                                                      /* owned; of a Gram matrix, or of a user's module */
  char *name;                                                      /* owned; of a user's kernel */
  dorm__user_kernel *user; /* owned; NULL where a model names a kernel whose module is not known */

  /* from dorm__kernel_resolve */
  size_t num_columns;
  size_t *columns; /* owned; [num_columns], of the rows of the feature map */
  size_t gram_size;
  double *gram; /* owned; [gram_size][gram_size] */
} dorm__kernel_node;

typedef struct dorm__kernel {
  size_t num_nodes;
  size_t root;
  dorm__kernel_node nodes[DORM__KERNEL_MOST_NODES];
} dorm__kernel;

/* Parses an expression such as "rbf:gamma=0.5|1 (1-20) * linear(21-46) + 0.1":
 *
 *   sum     = product { "+" product }
 *   product = factor { "*" factor }
 *   factor  = "(" sum ")" | numbers | term | term "from" path | "gram:" path "(" id ")"
 *   term    = name [":" key "=" numbers {"," ...}] ["(" ids ")"]
 *   numbers = number { "|" number }       several: a list to choose from; words for users' kernels
 *   ids     = id ["-" id] {"," ...}       the features that the kernel sees
 *
 * A term with a path is the kernel of a module, which is loaded. DORM_BAD_USAGE
 * with the position of what is wrong, DORM_BAD_MODULE. */
dorm_status dorm__kernel_parse(dorm_context *context, const char *text, dorm__kernel **kernel);
/* The same for the text in a model: kernels of modules stand there as
 * `name from module`, and are not loaded; paths to modules are refused. */
dorm_status dorm__kernel_parse_model(dorm_context *context, const char *text, dorm__kernel **kernel);
void dorm__kernel_free(dorm__kernel *kernel);
/* What the readers of its parts share. */
typedef struct dorm__expression {
  dorm_context *context;
  const char *text;
  const char *at;
  size_t depth;
  bool is_model; /* `from module` in place of paths, and nothing is loaded */
  dorm__kernel *kernel;
} dorm__expression;

/* "kernel.kernel: at character 5 of 'rbf(': <what><word>" */
dorm_status dorm__expression_fail(const dorm__expression *parser, const char *at, const char *what, const char *word);
void dorm__expression_skip(dorm__expression *parser); /* blanks */
bool dorm__expression_take(dorm__expression *parser, char c);
dorm_status dorm__expression_expect(dorm__expression *parser, char c);
size_t dorm__expression_word(const char *at); /* length of the word there */
dorm_status dorm__expression_node(dorm__expression *parser, dorm__kernel_kind kind, size_t *number);
dorm_status dorm__expression_block(dorm__expression *parser, dorm__kernel_node *node); /* ids ")" */
dorm_status dorm__expression_unknown(const dorm__expression *parser, const char *at, size_t length);
/* The kernel of a module, whose name has `length` characters. */
dorm_status dorm__expression_user_term(dorm__expression *parser, size_t length, size_t *number);

/* Over all combinations of its lists. */
size_t dorm__kernel_num_choices(const dorm__kernel *kernel);
/* The expression with combination `choice` of its lists, every parameter
 * spelled out; numbers read back exactly. NULL when out of memory, freed by
 * dorm__free. */
char *dorm__kernel_text(const dorm__kernel *kernel, size_t choice);
/* Of a kernel without lists as a model keeps it: without paths of modules. */
char *dorm__kernel_model_text(const dorm__kernel *kernel);
/* Loads the module of a user's kernel from node->path, and spells out the
 * parameters that were not given. */
dorm_status dorm__kernel_open_user(dorm_context *context, dorm__kernel_node *node);
/* Makes the user's kernel of a node without lists ready for blocks. */
dorm_status dorm__kernel_create_user(dorm_context *context, dorm__kernel_node *node);
/* Whether the whole is `linear` over all features. */
bool dorm__kernel_is_linear(const dorm__kernel *kernel);
/* Takes one term `linear` over all features out of a sum, so that it can be
 * kept exactly beside the rest. False when there is none, or when features are
 * row numbers of a Gram matrix, which `linear` would have to leave out. */
bool dorm__kernel_take_linear(dorm__kernel *kernel);

/* ---- resolve.c: an expression meets data --------------------------------- */

/* Rows of a feature map, dense. */
typedef struct dorm__kernel_rows {
  size_t count;
  size_t width;
  float *values; /* owned; [count][width] */
} dorm__kernel_rows;

/* Finds the columns of every block, reads the Gram matrices and makes users'
 * kernels ready where they are loaded; each list must have one value. A kernel without a block sees all features but
 * the row numbers of Gram matrices. */
dorm_status dorm__kernel_resolve(dorm_context *context, dorm__kernel *kernel, const dorm__feature_map *map);
/* Sets what is "auto" from pairs of rows: gamma = scale / (2 median |x - y|^2)
 * for rbf, scale / median |x - y|_1 for laplacian; 2000 random pairs. */
dorm_status dorm__kernel_set_auto(dorm_context *context, dorm__kernel *kernel, const dorm__kernel_rows *rows,
                                  uint64_t seed);

/* ---- rows.c --------------------------------------------------------------- */

/* The rows of a data set under the map, with row numbers of Gram matrices as
 * they stand in the data; checks that every kernel can take them. */
dorm_status dorm__kernel_rows_build(dorm_context *context, const dorm__kernel *kernel, const dorm_dataset *dataset,
                                    const dorm__feature_map *map, size_t num_threads, dorm__kernel_rows *rows);
void dorm__kernel_rows_free(dorm__kernel_rows *rows);

/* ---- gram_file.c ---------------------------------------------------------- */

/* A square, symmetric, positive semi-definite matrix, one row a line. The last
 * is checked whole: matrix + 1e-8 trace / size must have a Cholesky factor.
 * *matrix: caller frees by dorm__free. O(size^3). */
dorm_status dorm__gram_read(dorm_context *context, const char *path, size_t *size, double **matrix);

/* ---- exponential.c -------------------------------------------------------- */

/* values[i] = exp(values[i]) for values <= 0, correct to 2 units in the last
 * place; below -708 the result is that
 * of -708, 3e-308. */
void dorm__exponentials(size_t count, double *values);

/* ---- block.c -------------------------------------------------------------- */

/* gram[num_x][num_y] = k(x_i, y_j) for rows x[num_x][width], y[num_y][width].
 * False when out of memory or a user's kernel failed (dorm__kernel_fault).
 * O(num_x num_y columns), by dgemm where the kernel is a function of inner
 * products or Euclidean distances. */
bool dorm__kernel_block(const dorm__kernel *kernel, size_t width, size_t num_x, const float *x, size_t num_y,
                        const float *y, double *gram);
/* diagonal[i] = k(x_i, x_i); false as for blocks. */
bool dorm__kernel_diagonal(const dorm__kernel *kernel, size_t width, size_t num_x, const float *x, double *diagonal);
/* After either returned false: what the user's kernel said, else out of memory
 * for `what`. */
dorm_status dorm__kernel_fault(dorm_context *context, const dorm__kernel *kernel, const char *what);

/* ---- cholesky.c ------------------------------------------------------------ */

/* A partial factorisation K ~ L L' with L[pivots] lower triangular; K - L L' is
 * positive semi-definite, with the diagonal `residual`. */
typedef struct dorm__cholesky {
  size_t num_rows;
  size_t capacity; /* columns that L has room for: the distance of its rows */
  size_t rank;
  size_t *pivots;   /* [rank], rows, in order */
  double *factor;   /* [num_rows][capacity] */
  double *residual; /* [num_rows], >= 0 */
  double trace;     /* of K */
} dorm__cholesky;

/* Greedy pivots, columns on demand; the Gram matrix is never formed. Stops at
 * `rank` or when nothing is left. O(num_rows rank (columns + rank)). */
dorm_status dorm__cholesky_on_demand(dorm_context *context, const dorm__kernel *kernel, const dorm__kernel_rows *rows,
                                     size_t rank, uint64_t seed, size_t num_threads, dorm__cholesky *cholesky);
/* The whole matrix by LAPACK (dpstrf). O(num_rows^3). */
dorm_status dorm__cholesky_whole(dorm_context *context, const dorm__kernel *kernel, const dorm__kernel_rows *rows,
                                 dorm__cholesky *cholesky);
void dorm__cholesky_free(dorm__cholesky *cholesky);

/* ---- landmarks.c ----------------------------------------------------------- */

typedef enum dorm__landmarks {
  DORM__LANDMARKS_PIVOTS,
  DORM__LANDMARKS_KMEANS,
  DORM__LANDMARKS_UNIFORM
} dorm__landmarks;

dorm__landmarks dorm__landmarks_from(const char *word); /* checked by the settings */
/* `count` rows drawn without replacement. */
dorm_status dorm__landmarks_uniform(dorm_context *context, const dorm__kernel_rows *rows, size_t count, uint64_t seed,
                                    dorm__kernel_rows *landmarks);
/* The centres of k-means (Lloyd's steps from k-means++ seeds). */
dorm_status dorm__landmarks_kmeans(dorm_context *context, const dorm__kernel_rows *rows, size_t count, uint64_t seed,
                                   size_t num_threads, dorm__kernel_rows *landmarks);

/* ---- factor.c -------------------------------------------------------------- */

typedef struct dorm__kernel_options {
  size_t rank; /* 0: all */
  dorm__landmarks landmarks;
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

/* Fits combination `choice` of the expression and makes the features of the
 * training data, in double: [map_width if has_linear][rank]. */
dorm_status dorm__kernel_fit(dorm_context *context, const dorm__kernel *kernel, size_t choice,
                             const dorm__kernel_options *options, const dorm_dataset *train,
                             const dorm__feature_map *map, dorm__kernel_factor **factor, dorm__features *features);
void dorm__kernel_factor_free(dorm__kernel_factor *factor);
/* The features of other data: k_P(x) L_P^-T, a triangular solve. */
dorm_status dorm__kernel_features(dorm_context *context, const dorm__kernel_factor *factor, const dorm_dataset *dataset,
                                  const dorm__feature_map *map, size_t num_threads, dorm__features *features);
/* From weights of the features to weights of the pivots, in place: the score
 * <w, L_P^-1 k_P(x)> = <L_P^-T w, k_P(x)>. */
void dorm__kernel_pivot_weights(const dorm__kernel_factor *factor, double *weights);

/* ---- public.c: dorm_kernel_at, dorm_kernel_open ------------------------------ */
/* ---- model.c: dorm_model_read, dorm_model_use_module, dorm_model_score ------------------------------ */

#endif
