/* lambda.h: an opened λ-function, one call of it, and the scratch space of a thread. */
#ifndef DORM_LAMBDAS_LAMBDA_H
#define DORM_LAMBDAS_LAMBDA_H

#include "assignment/assignment.h"
#include "base/base.h"
#include "base/sort.h"
#include "base/spec.h"
#include "data/data.h"
#include "lambdas/lambdas.h"
#include "lambdas/pairs.h"
#include "lambdas/swap.h"
#include "lambdas/target.h"

/* ---- Smoothed ---------------------------------------------------------------------------------- */

typedef struct dorm__smoothed dorm__smoothed;

typedef struct dorm__smoothed_options {
  bool draws_normal; /* normal numbers without oracles; otherwise Gumbel numbers and an oracle for each query */
  double power;      /* c[p] = (p + 2)^-power; 0: c = a */
  uint64_t seed;
  size_t top;      /* with oracles: rankings respect the groups of the data among so many first positions; 0: all */
  double capacity; /* largest total weight of a group's documents there */
  double seconds;  /* of one mixed-integer programme, which groups that overlap may need; 0: no limit */
} dorm__smoothed_options;

/* DORM_BAD_USAGE if c should be a but the target has no position weights a, or if the data have no groups to respect.
 */
dorm_status dorm__smoothed_new(dorm_context *context, const dorm__target *target, const dorm_dataset *dataset,
                               const dorm__smoothed_options *options, dorm__smoothed **smoothed);
void dorm__smoothed_free(dorm__smoothed *smoothed);
/* Whether calls need an oracle workspace. */
bool dorm__smoothed_has_oracles(const dorm__smoothed *smoothed);

/* ---- Module ------------------------------------------------------------------------------------ */

typedef struct dorm__lambda_module dorm__lambda_module;
struct dorm__lambda_kind;

/* Loads the module and checks its struct. */
dorm_status dorm__lambda_module_open(dorm_context *context, const char *path, dorm__lambda_module **module);
/* Makes its state with these values [num_parameters], which must live as long as the module, and tries on small queries
 * what it promises. DORM_BAD_MODULE if it breaks a promise. */
dorm_status dorm__lambda_module_create(dorm_context *context, dorm__lambda_module *module,
                                       const dorm_loss_value *values);
void dorm__lambda_module_close(dorm__lambda_module *module);
/* It as a function like the built-in ones; owned by the module. */
const struct dorm__lambda_kind *dorm__lambda_module_kind(const dorm__lambda_module *module);
const char *dorm__lambda_module_path(const dorm__lambda_module *module);

/* ---- Lambda ------------------------------------------------------------------------------------ */

/* One query at some scores, and what is asked about it. */
typedef struct dorm__lambda_call {
  const dorm__lambda *lambda;
  size_t query;
  size_t num_docs; /* >= 1 */
  const double *labels;
  const double *scores; /* finite */
  dorm__lambda_workspace *workspace;
  double *lambdas;   /* [num_docs], to be filled; 0 at the start, like all that follows */
  double *curvature; /* [num_docs] */
  double *cost;      /* NULL: not asked for, or none exists */
  size_t num_pairs;
} dorm__lambda_call;

/* A built-in λ-function. */
typedef struct dorm__lambda_kind {
  dorm_lambda_info info;
  bool takes_structured; /* the target may be a structured loss */
  bool has_draws;        /* it adds random noise to the scores */
  bool draws_normal;     /* the noise is normal; otherwise it has Gumbel's distribution */
  dorm_status (*fill)(dorm_context *context, dorm__lambda_call *call);
} dorm__lambda_kind;

struct dorm_lambda {
  const dorm__lambda_kind *kind;
  const dorm_dataset *dataset; /* borrowed */
  dorm__spec given;
  dorm_loss_value *values;             /* [kind->info.num_parameters] */
  char defaults[3][DORM__NUMBER_SIZE]; /* the texts of values that defaults gave */
  char *text;
  double sigma; /* 1 and 0 for functions without these parameters */
  double alpha;
  dorm__target *target;                  /* NULL: none */
  dorm__smoothed *smoothed;              /* NULL: no draws */
  dorm__lambda_module *module;           /* NULL: built in */
  dorm__lambda_workspace *own_workspace; /* of the public interface, made by dorm_lambda_open */
};

struct dorm__lambda_workspace {
  uint64_t round; /* of random draws */
  size_t max_docs;
  dorm__sort_scratch sort;
  double *keys;          /* [max_docs] */
  double *sorted;        /* [max_docs] */
  uint32_t *order;       /* [max_docs] */
  uint32_t *other_order; /* [max_docs] */
  dorm__pairs pairs;
  dorm__swap swap;                /* only with a target */
  dorm__oracle_workspace *oracle; /* only if oracles are asked */
};

/* The value of the parameter `name`, which the function has. */
double dorm__lambda_number(const dorm__lambda *lambda, const char *name);
/* The workspace's `order` becomes the documents by falling score, ties in document order. */
void dorm__lambda_rank(const dorm__lambda_call *call);
/* The same by falling label. */
void dorm__lambda_order_by_label(const dorm__lambda_call *call);
/* Counts λ_j other than 0, the "effective pairs" of functions without pairs. */
size_t dorm__lambda_count_moved(const dorm__lambda_call *call);

#endif
