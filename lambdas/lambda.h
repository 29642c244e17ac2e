/* lambda.h: an opened λ-function, one call of it, and the scratch space of a thread. */
#ifndef DORM_LAMBDAS_LAMBDA_H
#define DORM_LAMBDAS_LAMBDA_H

#include "assignment/assignment.h"
#include "base/module.h"
#include "base/sort.h"
#include "base/spec.h"
#include "lambdas/lambdas.h"
#include "lambdas/pairs.h"
#include "lambdas/swap.h"
#include "lambdas/target.h"

/* ---- Smoothed ---------------------------------------------------------------------------------- */

typedef struct dorm__smoothed dorm__smoothed;

typedef struct dorm__smoothed_options {
  bool draws_normal; /* true: normal noise, no oracles; false: Gumbel noise, one oracle per query */
  double power;      /* c[p] = (p + 2)^-power, or a if this is 0 */
  uint64_t seed;
  size_t top;      /* with oracles: rankings respect groups in the first `top` positions (0: in all) */
  double capacity; /* largest total weight of a group's documents in them */
  double seconds;  /* time limit of one mixed-integer program, for groups that overlap (0: none) */
} dorm__smoothed_options;

/* Prepares draws and oracles. DORM_BAD_USAGE if power is 0 but the target has no position weights a, or if groups
 * should be respected but the data have none. */
dorm_status dorm__smoothed_new(dorm_context *context, const dorm__target *target, const dorm_dataset *dataset,
                               const dorm__smoothed_options *options, dorm__smoothed **smoothed);
void dorm__smoothed_free(dorm__smoothed *smoothed);

/* ---- Lambda ------------------------------------------------------------------------------------ */

/* One query with its scores, and the outputs to fill. */
typedef struct dorm__lambda_call {
  const dorm__lambda *lambda;
  size_t query;
  size_t num_docs; /* >= 1 */
  const double *labels;
  const double *scores; /* finite */
  dorm__lambda_workspace *workspace;
  double *lambdas;   /* [num_docs], to be filled (all outputs start at 0) */
  double *curvature; /* [num_docs] */
  double *cost;      /* NULL if not wanted or if none exists */
  size_t num_pairs;
} dorm__lambda_call;

/* A built-in λ-function. */
typedef struct dorm__lambda_kind {
  dorm_lambda_info info;
  bool takes_structured; /* the target may be a structured loss */
  bool has_draws;        /* adds random noise to the scores */
  bool draws_normal;     /* true: normal noise, false: Gumbel noise */
  dorm_status (*fill)(dorm_context *context, dorm__lambda_call *call);
} dorm__lambda_kind;

/* ---- Module ------------------------------------------------------------------------------------ */

typedef struct dorm__lambda_module {
  dorm__module *library;
  dorm_lambda_module module; /* a copy of the library's struct */
  dorm__lambda_kind kind;    /* the module's function in the form of a built-in one */
  char *path;
  void *state;
  bool is_created;
} dorm__lambda_module;

/* Loads the module and checks its struct. */
dorm_status dorm__lambda_module_open(dorm_context *context, const char *path, dorm__lambda_module **module);
/* Creates the module's state with values [num_parameters], which must live as long as the module, and tests its
 * promises on small queries. DORM_BAD_MODULE if it breaks one. */
dorm_status dorm__lambda_module_create(dorm_context *context, dorm__lambda_module *module,
                                       const dorm_loss_value *values);
void dorm__lambda_module_close(dorm__lambda_module *module);

/* ---- Opened ------------------------------------------------------------------------------------ */

struct dorm_lambda {
  const dorm__lambda_kind *kind;
  const dorm_dataset *dataset; /* borrowed */
  dorm__spec given;
  dorm_loss_value *values;             /* [kind->info.num_parameters] */
  char defaults[3][DORM__NUMBER_SIZE]; /* texts of values taken from the defaults */
  char *text;
  double sigma; /* 1 and 0 if the function lacks the parameter */
  double alpha;
  dorm__target *target;                  /* NULL: none */
  dorm__smoothed *smoothed;              /* NULL: no draws */
  dorm__lambda_module *module;           /* NULL: built in */
  dorm__lambda_workspace *own_workspace; /* for the public interface, made by dorm_lambda_open */
};

struct dorm__lambda_workspace {
  dorm__region memory; /* of the arrays */
  uint64_t round;      /* of random draws */
  size_t max_docs;
  dorm__sort_scratch sort;
  double *keys;          /* [max_docs] */
  double *sorted;        /* [max_docs] */
  uint32_t *order;       /* [max_docs] */
  uint32_t *other_order; /* [max_docs] */
  dorm__pairs pairs;
  dorm__swap swap;                /* only with a target */
  dorm__oracle_workspace *oracle; /* only for functions with oracles */
};

/* Returns the value of the parameter `name`, which must exist. */
double dorm__lambda_number(const dorm__lambda *lambda, const char *name);
/* Fills the workspace's `order` with the documents by falling score, ties in document order. */
void dorm__lambda_rank(const dorm__lambda_call *call);
/* Fills the workspace's `order` in the same way by falling label. */
void dorm__lambda_order_by_label(const dorm__lambda_call *call);
/* Fails unless the target is a sum over positions of a times b, in which repeats count like other documents. */
dorm_status dorm__lambda_needs_sum(dorm_context *context, const dorm__lambda_call *call);
/* Counts λ_j other than 0. For functions without pairs this is the number of "effective pairs". */
size_t dorm__lambda_count_moved(const dorm__lambda_call *call);

#endif
