/*
 * plugin.h: the interface between dorm and modules: losses and kernels of
 * one's own. This header alone suffices to write one; a module has no undefined
 * dorm symbol, since the host hands it a table of its own functions. The
 * built-in losses use the same struct.
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

/* ---- What losses and kernels share ---------------------------------------- */

/* Functions of the host, for the duration of the call that hands them over. */
typedef struct dorm_host {
  uint32_t abi;
  uint32_t struct_size;
  /* Sets the sentence that the user will see; returns 1, so that a module
   * fails with `return host->fail(host, "...")`. printf-style. A sentence that
   * begins with "out of memory" makes the call DORM_OUT_OF_MEMORY. */
  int (*fail)(const struct dorm_host *host, const char *format, ...);
  /* Copies one feature of all documents of the query at hand, as in the data
   * file, before any normalisation: values[num_docs], 0 where absent, also for
   * an id that no document has. Only while the table of a loss is filled; a
   * kernel is handed what it sees. */
  void (*feature)(const struct dorm_host *host, size_t feature_id, double *values);
} dorm_host;

/* A parameter of a loss or a kernel, as in `ndcg:truncation=10,gain=exp2`. */
typedef struct dorm_loss_parameter {
  const char *name;
  const char *default_text;
  const char *choices; /* "exp2, linear": one of these words; "": any text; NULL: a number */
  double min;          /* of a number, inclusive */
  double max;
  int is_integer;
  const char *help; /* one line */
} dorm_loss_parameter;

/* The value of a parameter, checked by the host against its row. */
typedef struct dorm_loss_value {
  double number;    /* 0 for a word or a text */
  const char *text; /* the word or the text, or the number as given */
} dorm_loss_value;

typedef dorm_loss_parameter dorm_kernel_parameter;
typedef dorm_loss_value dorm_kernel_value;

/* ---- Losses ---------------------------------------------------------------
 *
 * A loss is what a ranking of one query costs. Ranks count from 0 (the top);
 * rank[j] is the position of document j. Three forms:
 *
 *   product   Delta = sum_j b[j] (a[ideal rank of j] - a[rank[j]])
 *             a[p], p = 0 .. num_docs - 1: weight of a position, non-increasing
 *             b[j]: gain of a document
 *   general   Delta = sum_j cost[j][rank[j]] - min over rankings of the same
 *
 * so that Delta >= 0 always, and 0 for every ideal ranking (Le and Smola 2007,
 * sections 3.2 and 3.3, eq. 19), and for what is no sum over positions:
 *
 *   structured   outputs y of the loss's own kind (pairs in the wrong order, a
 *             subset, a ranking), each with Delta(y) >= 0 and a coefficient of
 *             each document, so that scores g cost at most
 *                 max over y of  Delta(y) + sum_j coefficient_j(y) g[j].
 *             The right output is one of them: Delta = 0, all coefficients 0.
 *
 * A module fills one form.
 */

/* One query; its features are there through host->feature. */
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

  /* values[num_parameters]; *state may stay NULL. May be NULL. Returns 0, or 1 after
   * host->fail. The strings in `values` live until destroy. */
  int (*create)(const dorm_host *host, const dorm_loss_value *values, void **state);
  void (*destroy)(void *state); /* may be NULL */

  /* Exactly one of these two and find_worst is set. They may be called by several
   * threads at once with one state. Return 0, or 1 after host->fail. */
  int (*fill_product)(const dorm_host *host, const void *state, const dorm_loss_query *query, double *a, double *b);
  int (*fill_costs)(const dorm_host *host, const void *state, const dorm_loss_query *query, double *cost);

  /* The structured form: an output y that maximises the sum above at scores[num_docs], which are finite; fills
   * coefficients[num_docs] and *delta. */
  int (*find_worst)(const dorm_host *host, const void *state, const dorm_loss_query *query, const double *scores,
                    double *coefficients, double *delta);
  /* May be NULL. Sees the labels of all queries of a data set (without host->feature) before anything is asked
   * about that data set, so that a loss may take numbers of its own from them. Never called while another call is. */
  int (*prepare)(const dorm_host *host, void *state, size_t num_queries, const dorm_loss_query *queries);
} dorm_loss_module;

/* When it opens a module, the host fills tables, or asks for worst outputs, for
 * small queries: labels between 0 and 4, fractions among them, all equal or all
 * 0 in some; two features; one document to six. A loss that refuses these is
 * refused. */

/* The one function a module of a loss exports: the struct, static, or NULL. */
DORM_PLUGIN_EXPORT const dorm_loss_module *dorm_loss_module_entry(void);

/* ---- Kernels --------------------------------------------------------------
 *
 * A kernel k(x, y) between document-query pairs (Le and Smola 2007, section
 * 2.3), symmetric and positive semi-definite. A document is the row of its
 * features, normalised as data.normalisation says: those that the expression
 * names, as in `my_kernel(1-20) from ./my_kernel.so`, by increasing id, and
 * behind them, where there is a rank block, their ranks within the query.
 */

/* Rows of documents. */
typedef struct dorm_kernel_rows {
  uint32_t struct_size;
  size_t count;
  size_t width;         /* features; the same for all rows of a training */
  const double *values; /* [count][width], row-major, finite */
} dorm_kernel_rows;

typedef struct dorm_kernel_module {
  uint32_t abi;          /* DORM_PLUGIN_ABI */
  uint32_t struct_size;  /* sizeof(dorm_kernel_module) */
  const char *name;      /* a word: letters, digits, '-', '_', a letter first; no built-in kernel's */
  const char *help;      /* one line */
  size_t num_parameters; /* at most 8 */
  const dorm_kernel_parameter *parameters;

  /* As those of a loss. A text may not hold blanks or any of `|,()*`. */
  int (*create)(const dorm_host *host, const dorm_kernel_value *values, void **state);
  void (*destroy)(void *state);

  /* block[x->count][y->count] = k(x_i, y_j), row-major. Called by several
   * threads at once with one state. Returns 0, or 1 after host->fail. */
  int (*fill_block)(const dorm_host *host, const void *state, const dorm_kernel_rows *x, const dorm_kernel_rows *y,
                    double *block);
  /* diagonal[x->count] = k(x_i, x_i), under the same rules. May be NULL: then
   * fill_block is called for each row with itself. */
  int (*fill_diagonal)(const dorm_host *host, const void *state, const dorm_kernel_rows *x, double *diagonal);
} dorm_kernel_module;

/* When it opens a module, the host fills blocks of a dozen rows of one, two and
 * five features between 0 and 1, some of them equal, some 0. A kernel that
 * refuses these is refused, and so is one whose blocks are not finite,
 * symmetric, positive semi-definite, the same when filled again or in parts,
 * and of the diagonal it says. */

/* The one function a module of a kernel exports: the struct, static, or NULL.
 * A module may hold a loss and a kernel. */
DORM_PLUGIN_EXPORT const dorm_kernel_module *dorm_kernel_module_entry(void);

#ifdef __cplusplus
}
#endif

#endif
