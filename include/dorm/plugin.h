/*
 * plugin.h: the interface between dorm, called the host, and modules. A module is a shared library with a loss, a
 * kernel or a gradient function of your own. It needs no other header. It calls no function of dorm by name, because
 * the host passes it a table of functions. The built-in losses use dorm_loss_module, too.
 */
#ifndef DORM_PLUGIN_H
#define DORM_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the interface. It changes when an older module would no longer work. Otherwise structs only get new
 * fields at their end, which struct_size shows. */
#define DORM_PLUGIN_ABI 1u

#if defined(__GNUC__)
#define DORM_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define DORM_PLUGIN_EXPORT
#endif

/* ---- Shared by all modules ------------------------------------------------ */

/* The functions of the host. A module may use them only during the call that passes them. */
typedef struct dorm_host {
  uint32_t abi;
  uint32_t struct_size;
  /* Sets the error message for the user, with a format as for printf. Returns 1, so that a module fails by `return
   * host->fail(host, "...")`. If the message begins with "out of memory", the status is DORM_OUT_OF_MEMORY. */
  int (*fail)(const struct dorm_host *host, const char *format, ...);
  /* Fills values[num_docs] with one feature of the documents of the present query. The values are as in the data file,
   * before any normalisation. A value that the file leaves out is 0, and so is every value of an id that no document
   * has. A missing value (nan in the file) is NaN. Only fill_product and fill_costs of a loss may call it. Kernels get
   * their features as arguments. */
  void (*feature)(const struct dorm_host *host, size_t feature_id, double *values);
  /* The pointer that a program gave dorm_loss_register with a loss of its own. NULL for modules. */
  void *user;
} dorm_host;

/* A parameter of a loss, a kernel or a gradient function, such as truncation or gain in
 * `ndcg:truncation=10,gain=exp2`. */
typedef struct dorm_loss_parameter {
  const char *name;
  const char *default_text;
  const char *choices; /* "exp2, linear": one of these words; "": any text; NULL: a number */
  double min;          /* a number must be between min and max, both included */
  double max;
  int is_integer;
  const char *help; /* one line */
} dorm_loss_parameter;

/* The value of a parameter. The host has checked it against its dorm_loss_parameter. */
typedef struct dorm_loss_value {
  double number;    /* 0 for a word or a text */
  const char *text; /* the word, the text, or the number as the user wrote it */
} dorm_loss_value;

typedef dorm_loss_parameter dorm_kernel_parameter;
typedef dorm_loss_value dorm_kernel_value;

/* ---- Losses ---------------------------------------------------------------
 *
 * A loss is the cost of a ranking of one query. Positions count from 0 (the top), and rank[j] is the position of
 * document j. A loss has one of three forms:
 *
 *   product   Delta = sum_j b[j] (a[ideal rank of j] - a[rank[j]])
 *             a[p], p = 0 .. num_docs - 1: weight of a position, non-increasing
 *             b[j]: gain of a document
 *   general   Delta = sum_j cost[j][rank[j]] - min over rankings of the same
 *
 * In both forms, Delta >= 0, and Delta = 0 for every ideal ranking (Le and Smola 2007, sections 3.2 and 3.3, eq. 19). A
 * loss that is not a sum over positions has the third form:
 *
 *   structured   The loss has outputs y of its own kind (a set of pairs in the
 *             wrong order, a set of documents, a ranking), each with a cost
 *             Delta(y) >= 0 and a coefficient for each document, so that the cost
 *             of the ranking by scores g is at most
 *                 max over y of  Delta(y) + sum_j coefficient_j(y) g[j].
 *             One of them is the right output: Delta = 0, all coefficients 0.
 */

/* One query. host->feature gives its features. */
typedef struct dorm_loss_query {
  uint32_t struct_size;
  size_t num_docs;      /* >= 1 */
  const double *labels; /* [num_docs], finite and >= 0 */
} dorm_loss_query;

typedef struct dorm_loss_module {
  uint32_t abi;         /* DORM_PLUGIN_ABI */
  uint32_t struct_size; /* sizeof(dorm_loss_module) */
  const char *name;     /* a word: letters, digits, '-', '_' */
  const char *help;     /* one line */
  size_t num_parameters;
  const dorm_loss_parameter *parameters;

  /* Makes the state of a loss from values[num_parameters]. The texts in `values` are valid until destroy. *state may
   * stay NULL. Returns 0, or 1 after host->fail. `create` itself may be NULL. */
  int (*create)(const dorm_host *host, const dorm_loss_value *values, void **state);
  void (*destroy)(void *state); /* may be NULL */

  /* A loss sets exactly one of fill_product, fill_costs and find_worst, and leaves the others NULL. Several threads may
   * call this function at the same time with one state. It returns 0, or 1 after host->fail. fill_product fills
   * a[num_docs] and b[num_docs]. fill_costs fills cost[num_docs][num_docs], row-major, with a row for each document. */
  int (*fill_product)(const dorm_host *host, const void *state, const dorm_loss_query *query, double *a, double *b);
  int (*fill_costs)(const dorm_host *host, const void *state, const dorm_loss_query *query, double *cost);

  /* Finds an output y that maximises the sum of the structured form for scores[num_docs], which are finite. Fills
   * coefficients[num_docs] and *delta of y. */
  int (*find_worst)(const dorm_host *host, const void *state, const dorm_loss_query *query, const double *scores,
                    double *coefficients, double *delta);
  /* Receives the labels of all queries [num_queries] of a data set before any other call for this data set, so that the
   * loss can compute numbers from them and keep these in its state. The call must not use host->feature. No other
   * function of the module runs during the call. Returns 0, or 1 after host->fail. `prepare` itself may be NULL. */
  int (*prepare)(const dorm_host *host, void *state, size_t num_queries, const dorm_loss_query *queries);
} dorm_loss_module;

/* When the host opens a loss module, it tries the module: it computes the tables or the worst outputs of small queries.
 * These have one to six documents and two features. Labels are between 0 and 4, and some are fractions. In some queries
 * all labels are equal, or all are 0. If the module fails for one of these queries, the host refuses it. */

/* The function that a module with a loss must export. Returns a static struct, or NULL on failure. */
DORM_PLUGIN_EXPORT const dorm_loss_module *dorm_loss_module_entry(void);

/* ---- Gradient functions ------------------------------------------------------
 *
 * A gradient function, or lambda-function, gives the direction in which the score of each document of a query should
 * move (Burges, "Ranking as Learning Structured Outputs"): lambda[j] > 0 if document j should rise. Trainers that take
 * Newton steps also use a curvature >= 0. If the lambdas are derived from a cost C of the scores g, lambda[j] is
 * -dC/dg[j]. A cost need not exist.
 */

/* One query. */
typedef struct dorm_lambda_query {
  uint32_t struct_size;
  size_t num_docs;      /* >= 1 */
  const double *labels; /* [num_docs], finite and >= 0 */
  const double *scores; /* [num_docs], finite; higher is better */
} dorm_lambda_query;

typedef struct dorm_lambda_module {
  uint32_t abi;         /* DORM_PLUGIN_ABI */
  uint32_t struct_size; /* sizeof(dorm_lambda_module) */
  const char *name;     /* a word: letters, digits, '-', '_' */
  const char *help;     /* one line, if possible the formula */
  size_t num_parameters;
  const dorm_loss_parameter *parameters;

  /* As for a loss. */
  int (*create)(const dorm_host *host, const dorm_loss_value *values, void **state);
  void (*destroy)(void *state);

  /* Properties that the function promises: 1, or 0 if it does not promise them. */
  int sums_to_zero; /* the lambdas of every query add up to 0 */
  int has_cost;     /* fill computes a cost, and the lambdas are its negative gradient */

  /* Fills lambda[num_docs] and curvature[num_docs], which are 0 before the call, and *cost if has_cost is 1. Several
   * threads may call it at the same time with one state. Returns 0, or 1 after host->fail. */
  int (*fill)(const dorm_host *host, const void *state, const dorm_lambda_query *query, double *lambda,
              double *curvature, double *cost);
} dorm_lambda_module;

/* When the host opens the module of a gradient function, it computes the gradients of small queries of one to six
 * documents. Labels are between 0 and 4. Scores are spread, tied or far apart. The host refuses the module in any of
 * these cases:
 * - It fails for one of the queries.
 * - It writes outside its arrays.
 * - Its numbers are not finite, or a curvature is negative.
 * - Its numbers differ when they are computed again.
 * - It breaks one of its promises. */

/* The function that a module with a gradient function must export. Returns a static struct, or NULL on failure. */
DORM_PLUGIN_EXPORT const dorm_lambda_module *dorm_lambda_module_entry(void);

/* ---- Kernels --------------------------------------------------------------
 *
 * A kernel is a function k(x, y) of two documents, each of some query (Le and Smola 2007, section 2.3). It must be
 * symmetric and positive semi-definite. A document is a row of features, normalised by data.normalisation. The row has
 * the features that the expression names, as in `my_kernel(1-20) from ./my_kernel.so`, by increasing id. If there is a
 * rank block, their ranks within the query follow in the same order.
 */

/* Rows of documents. */
typedef struct dorm_kernel_rows {
  uint32_t struct_size;
  size_t count;
  size_t width;         /* number of features, the same for all rows of a training */
  const double *values; /* [count][width], row-major, finite */
} dorm_kernel_rows;

typedef struct dorm_kernel_module {
  uint32_t abi;          /* DORM_PLUGIN_ABI */
  uint32_t struct_size;  /* sizeof(dorm_kernel_module) */
  const char *name;      /* a word: a letter, then letters, digits, '-', '_'; not the name of a built-in kernel */
  const char *help;      /* one line */
  size_t num_parameters; /* at most 8 */
  const dorm_kernel_parameter *parameters;

  /* As for a loss. The text of a value contains no blank and none of the characters `|,()*`. */
  int (*create)(const dorm_host *host, const dorm_kernel_value *values, void **state);
  void (*destroy)(void *state);

  /* Fills block[x->count][y->count], row-major, with k(x_i, y_j) for row i of x and row j of y. Several threads may
   * call it at the same time with one state. Returns 0, or 1 after host->fail. */
  int (*fill_block)(const dorm_host *host, const void *state, const dorm_kernel_rows *x, const dorm_kernel_rows *y,
                    double *block);
  /* Fills diagonal[x->count] with k(x_i, x_i). Threads and return value are as for fill_block. If fill_diagonal is
   * NULL, the host calls fill_block for each row with itself. */
  int (*fill_diagonal)(const dorm_host *host, const void *state, const dorm_kernel_rows *x, double *diagonal);
} dorm_kernel_module;

/* When the host opens the module of a kernel, it computes the kernel of a dozen rows of one, two and five features
 * between 0 and 1. Some values are equal and some are 0. The host refuses the module in any of these cases:
 * - It fails for these rows.
 * - Its values are not finite, not symmetric, or not positive semi-definite.
 * - Its values differ when they are computed again or in parts.
 * - Its values differ from fill_diagonal. */

/* The function that a module with a kernel must export. Returns a static struct, or NULL on failure. One module may
 * export a loss, a kernel and a gradient function. */
DORM_PLUGIN_EXPORT const dorm_kernel_module *dorm_kernel_module_entry(void);

#ifdef __cplusplus
}
#endif

#endif
