/*
 * plugin.h: the interface between dorm, the host, and modules: losses, kernels and gradient functions of your own. A
 * module needs no other header. It calls no function of dorm by name, because the host passes it a table of functions.
 * The built-in losses use the same struct.
 */
#ifndef DORM_PLUGIN_H
#define DORM_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the interface. It changes when this header changes incompatibly. Structs only grow at the end. */
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
  /* Copies the values of one feature of all documents of the present query to values[num_docs], as in the data file,
   * before any normalisation. An absent value is 0, also for an id that no document has. A missing value (nan in the
   * file) is NaN. Only fill_product and fill_costs of a loss may call it. Kernels get their features as arguments. */
  void (*feature)(const struct dorm_host *host, size_t feature_id, double *values);
  /* The pointer that a program registered with its own loss (dorm_loss_register), NULL for modules. */
  void *user;
} dorm_host;

/* A parameter of a loss, a kernel or a gradient function, such as truncation or gain in
 * `ndcg:truncation=10,gain=exp2`. */
typedef struct dorm_loss_parameter {
  const char *name;
  const char *default_text;
  const char *choices; /* "exp2, linear": one of these words, "": any text, NULL: a number */
  double min;          /* of a number, inclusive */
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
 * In both, Delta >= 0, and Delta = 0 for every ideal ranking (Le and Smola 2007, sections 3.2 and 3.3, eq. 19). A loss
 * that is not a sum over positions has the third form:
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

  /* A loss sets exactly one of fill_product, fill_costs and find_worst. Several threads may call it at the same time
   * with one state. It returns 0, or 1 after host->fail. fill_product fills a[num_docs] and b[num_docs]. fill_costs
   * fills cost[num_docs][num_docs], row-major, with a row for each document. */
  int (*fill_product)(const dorm_host *host, const void *state, const dorm_loss_query *query, double *a, double *b);
  int (*fill_costs)(const dorm_host *host, const void *state, const dorm_loss_query *query, double *cost);

  /* Finds an output y that maximises the sum of the structured form for scores[num_docs], which are finite. Fills
   * coefficients[num_docs] and *delta of y. */
  int (*find_worst)(const dorm_host *host, const void *state, const dorm_loss_query *query, const double *scores,
                    double *coefficients, double *delta);
  /* Gets the labels of all queries of a data set (without host->feature), before any other call for that data set, so
   * that a loss can compute numbers from them. No other function runs during this call. It may be NULL. */
  int (*prepare)(const dorm_host *host, void *state, size_t num_queries, const dorm_loss_query *queries);
} dorm_loss_module;

/* When the host opens a module, it checks it: it computes the tables or the worst outputs of small queries of one to
 * six documents with two features. Their labels are between 0 and 4, also fractions, and in some queries all equal or
 * all 0. A module that fails for one of these queries is refused. */

/* The only function that the module of a loss exports. Returns a static struct, or NULL. */
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
  const char *help;     /* one line, best the formula */
  size_t num_parameters;
  const dorm_loss_parameter *parameters;

  /* As for a loss. */
  int (*create)(const dorm_host *host, const dorm_loss_value *values, void **state);
  void (*destroy)(void *state);

  /* The promises of the function: 1 or 0. */
  int sums_to_zero; /* the lambdas of every query add up to 0 */
  int has_cost;     /* fill computes a cost, and the lambdas are its negative gradient */

  /* Fills lambda[num_docs] and curvature[num_docs], which are 0 before the call, and *cost if has_cost is 1. Several
   * threads may call it at the same time with one state. Returns 0, or 1 after host->fail. */
  int (*fill)(const dorm_host *host, const void *state, const dorm_lambda_query *query, double *lambda,
              double *curvature, double *cost);
} dorm_lambda_module;

/* When the host opens a module, it checks it: it computes the gradients of small queries of one to six documents, with
 * labels between 0 and 4 and scores that are spread, tied and far apart. A module is refused in any of these cases:
 * - It fails for one of the queries.
 * - It writes outside its arrays.
 * - Its numbers are not finite, or a curvature is negative.
 * - Its numbers differ when they are computed again.
 * - It breaks one of its promises. */

/* The only function that the module of a gradient function exports. Returns a static struct, or NULL. */
DORM_PLUGIN_EXPORT const dorm_lambda_module *dorm_lambda_module_entry(void);

/* ---- Kernels --------------------------------------------------------------
 *
 * A kernel is a function k(x, y) of two documents, each of some query (Le and Smola 2007, section 2.3). It must be
 * symmetric and positive semi-definite. A document is a row of features, normalised by data.normalisation: first the
 * features that the expression names, as in `my_kernel(1-20) from ./my_kernel.so`, by increasing id, then, if there is
 * a rank block, their ranks within the query.
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

  /* As for a loss. The text of a value has no blanks and none of `|,()*`. */
  int (*create)(const dorm_host *host, const dorm_kernel_value *values, void **state);
  void (*destroy)(void *state);

  /* Fills block[x->count][y->count] with k(x_i, y_j), row-major. Several threads
   * may call it at the same time with one state. Returns 0, or 1 after
   * host->fail. */
  int (*fill_block)(const dorm_host *host, const void *state, const dorm_kernel_rows *x, const dorm_kernel_rows *y,
                    double *block);
  /* Fills diagonal[x->count] with k(x_i, x_i), by the same rules. If it is NULL, fill_block is called for each row with
   * itself. */
  int (*fill_diagonal)(const dorm_host *host, const void *state, const dorm_kernel_rows *x, double *diagonal);
} dorm_kernel_module;

/* When the host opens a module, it checks it: it computes the kernel of a dozen rows of one, two and five features
 * between 0 and 1. Some values are equal and some are 0. A module is refused in any of these cases:
 * - It fails for these rows.
 * - Its values are not finite, not symmetric, or not positive semi-definite.
 * - Its values differ when they are computed again or in parts.
 * - Its values differ from fill_diagonal. */

/* The only function that the module of a kernel exports. Returns a static struct, or NULL. A module may have a loss, a
 * kernel and a gradient function. */
DORM_PLUGIN_EXPORT const dorm_kernel_module *dorm_kernel_module_entry(void);

#ifdef __cplusplus
}
#endif

#endif
