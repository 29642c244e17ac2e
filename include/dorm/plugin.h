/*
 * plugin.h: the interface between dorm, the host, and modules, which are losses,
 * kernels and gradient functions of your own. This header is all that a module needs. A module
 * calls no function of dorm by name, since the host passes it a table of
 * functions. The built-in losses use the same struct.
 */
#ifndef DORM_PLUGIN_H
#define DORM_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes when this header changes incompatibly; structs only grow at the end. */
#define DORM_PLUGIN_ABI 1u

#if defined(__GNUC__)
#define DORM_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define DORM_PLUGIN_EXPORT
#endif

/* ---- What all modules share ----------------------------------------------- */

/* Functions of the host. A module may use them during the call that it gets them
 * with. */
typedef struct dorm_host {
  uint32_t abi;
  uint32_t struct_size;
  /* Sets the sentence that the user will see, from a format as for printf. It
   * returns 1, so that a module fails by `return host->fail(host, "...")`. If the
   * sentence begins with "out of memory", the status is DORM_OUT_OF_MEMORY. */
  int (*fail)(const struct dorm_host *host, const char *format, ...);
  /* Copies the values of one feature of all documents of the present query into
   * values[num_docs], as they are in the data file, before any normalisation. A
   * value that is absent is 0, also for an id that no document has; one that is
   * missing (nan in the file) is NaN. Only
   * fill_product and fill_costs of a loss may call it; kernels get their features
   * as arguments. */
  void (*feature)(const struct dorm_host *host, size_t feature_id, double *values);
  /* What a program has registered with a loss of its own (dorm_loss_register); NULL for modules. */
  void *user;
} dorm_host;

/* A parameter of a loss, a kernel or a gradient function, such as truncation or gain in
 * `ndcg:truncation=10,gain=exp2`. */
typedef struct dorm_loss_parameter {
  const char *name;
  const char *default_text;
  const char *choices; /* "exp2, linear": one of these words; "": any text; NULL: a number */
  double min;          /* of a number, inclusive */
  double max;
  int is_integer;
  const char *help; /* one line */
} dorm_loss_parameter;

/* The value of a parameter. The host has checked it against its row. */
typedef struct dorm_loss_value {
  double number;    /* 0 for a word or a text */
  const char *text; /* the word, the text, or the number as the user wrote it */
} dorm_loss_value;

typedef dorm_loss_parameter dorm_kernel_parameter;
typedef dorm_loss_value dorm_kernel_value;

/* ---- Losses ---------------------------------------------------------------
 *
 * A loss is what a ranking of one query costs. Positions count from 0 (the top);
 * rank[j] is the position of document j. A loss has one of three forms:
 *
 *   product   Delta = sum_j b[j] (a[ideal rank of j] - a[rank[j]])
 *             a[p], p = 0 .. num_docs - 1: weight of a position, non-increasing
 *             b[j]: gain of a document
 *   general   Delta = sum_j cost[j][rank[j]] - min over rankings of the same
 *
 * In both, Delta >= 0, and Delta = 0 for every ideal ranking (Le and Smola 2007,
 * sections 3.2 and 3.3, eq. 19). A loss that is not a sum over positions has the
 * third form:
 *
 *   structured   The loss has outputs y of its own kind (a set of pairs in the
 *             wrong order, a set of documents, a ranking), each with a cost
 *             Delta(y) >= 0 and a coefficient for each document, so that the cost
 *             of the ranking by scores g is at most
 *                 max over y of  Delta(y) + sum_j coefficient_j(y) g[j].
 *             One of them is the right output: Delta = 0, all coefficients 0.
 */

/* One query; host->feature gives its features. */
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

  /* Makes the state of a loss with values[num_parameters]; the texts in `values`
   * stay valid until destroy. *state may stay NULL. Returns 0, or 1 after
   * host->fail. `create` itself may be NULL. */
  int (*create)(const dorm_host *host, const dorm_loss_value *values, void **state);
  void (*destroy)(void *state); /* may be NULL */

  /* Exactly one of fill_product, fill_costs and find_worst is set. Several threads
   * may call it at the same time with one state. It returns 0, or 1 after
   * host->fail. fill_product fills a[num_docs] and b[num_docs], fill_costs fills
   * cost[num_docs][num_docs], row-major, with a row for each document. */
  int (*fill_product)(const dorm_host *host, const void *state, const dorm_loss_query *query, double *a, double *b);
  int (*fill_costs)(const dorm_host *host, const void *state, const dorm_loss_query *query, double *cost);

  /* Fills coefficients[num_docs] and *delta of an output y that maximises the sum of the structured form for
   * scores[num_docs], which are finite. */
  int (*find_worst)(const dorm_host *host, const void *state, const dorm_loss_query *query, const double *scores,
                    double *coefficients, double *delta);
  /* May be NULL. Gets the labels of all queries of a data set (without host->feature) before any other call for that
   * data set, so that a loss can compute numbers from them. No other function runs during this call. */
  int (*prepare)(const dorm_host *host, void *state, size_t num_queries, const dorm_loss_query *queries);
} dorm_loss_module;

/* When the host opens a module, it asks for the tables or the worst outputs of
 * small queries of one to six documents with two features. Their labels are
 * between 0 and 4, also fractions, and in some queries all equal or all 0. A
 * module that fails for one of these queries is refused. */

/* The one function that a module of a loss exports. It returns a static struct,
 * or NULL. */
DORM_PLUGIN_EXPORT const dorm_loss_module *dorm_loss_module_entry(void);

/* ---- Gradient functions ------------------------------------------------------
 *
 * A gradient function, or lambda-function, says for each document of a query how
 * its score should move (Burges, "Ranking as Learning Structured Outputs"):
 * lambda[j] > 0 where document j should rise. Trainers that take Newton steps also
 * use a curvature >= 0. If a cost C of the scores g exists, lambda[j] is
 * -dC/dg[j]; it need not exist.
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

  /* As those of a loss. */
  int (*create)(const dorm_host *host, const dorm_loss_value *values, void **state);
  void (*destroy)(void *state);

  /* What the function promises: 1 or 0. */
  int sums_to_zero; /* the lambdas of every query add up to 0 */
  int has_cost;     /* fill computes a cost whose negative gradient the lambdas are */

  /* Fills lambda[num_docs] and curvature[num_docs], which are 0 before the call, and
   * *cost if has_cost is 1. Several threads may call it at the same time with one
   * state. Returns 0, or 1 after host->fail. */
  int (*fill)(const dorm_host *host, const void *state, const dorm_lambda_query *query, double *lambda,
              double *curvature, double *cost);
} dorm_lambda_module;

/* When the host opens a module, it asks for the gradients of small queries of one
 * to six documents, with labels between 0 and 4 and scores that are spread, tied
 * and far apart. A module that fails for one of them is refused. So is one that
 * writes outside its arrays, whose numbers are not finite, not the same when they
 * are asked for again, or not what it promises, or whose curvature is negative. */

/* The one function that a module of a gradient function exports. It returns a
 * static struct, or NULL. */
DORM_PLUGIN_EXPORT const dorm_lambda_module *dorm_lambda_module_entry(void);

/* ---- Kernels --------------------------------------------------------------
 *
 * A kernel is a function k(x, y) of two documents, each of some query (Le and
 * Smola 2007, section 2.3), that is symmetric and positive semi-definite. A
 * document is a row of features, normalised as data.normalisation says: the
 * features that the expression names, as in `my_kernel(1-20) from
 * ./my_kernel.so`, by increasing id, and after them, if there is a rank block,
 * their ranks within the query.
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

  /* As those of a loss. The text of a value has no blanks and none of `|,()*`. */
  int (*create)(const dorm_host *host, const dorm_kernel_value *values, void **state);
  void (*destroy)(void *state);

  /* Fills block[x->count][y->count] with k(x_i, y_j), row-major. Several threads
   * may call it at the same time with one state. Returns 0, or 1 after
   * host->fail. */
  int (*fill_block)(const dorm_host *host, const void *state, const dorm_kernel_rows *x, const dorm_kernel_rows *y,
                    double *block);
  /* Fills diagonal[x->count] with k(x_i, x_i), under the same rules. If it is
   * NULL, fill_block is called for each row with itself. */
  int (*fill_diagonal)(const dorm_host *host, const void *state, const dorm_kernel_rows *x, double *diagonal);
} dorm_kernel_module;

/* When the host opens a module, it asks for the kernel of a dozen rows of one, two
 * and five features between 0 and 1; some values are equal and some are 0. A
 * module that fails for these rows is refused. So is one whose values are not
 * finite, not symmetric, not positive semi-definite, not the same when they are
 * asked for again or in parts, or not those of fill_diagonal. */

/* The one function that a module of a kernel exports. It returns a static
 * struct, or NULL. A module may have a loss, a kernel and a gradient function. */
DORM_PLUGIN_EXPORT const dorm_kernel_module *dorm_kernel_module_entry(void);

#ifdef __cplusplus
}
#endif

#endif
