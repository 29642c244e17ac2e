/* lambda.h: an opened λ-function, one call of it, and the scratch space of a thread. */
#ifndef DORM_LAMBDAS_LAMBDA_H
#define DORM_LAMBDAS_LAMBDA_H

#include "assignment/assignment.h"
#include "base/base.h"
#include "base/sort.h"
#include "base/spec.h"
#include "data/data.h"
#include "lambdas/lambdas.h"
#include "lambdas/module.h"
#include "lambdas/pairs.h"
#include "lambdas/smoothed.h"
#include "lambdas/swap.h"
#include "lambdas/target.h"

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
  uint64_t round;
  dorm__target *target;                  /* NULL: none */
  dorm__smoothed *smoothed;              /* NULL: no draws */
  dorm__lambda_module *module;           /* NULL: built in */
  dorm__lambda_workspace *own_workspace; /* of the public interface, made by dorm_lambda_open */
};

struct dorm__lambda_workspace {
  size_t max_docs;
  dorm__sort_scratch sort;
  double *keys;          /* [max_docs] */
  double *sorted;        /* [max_docs] */
  uint32_t *order;       /* [max_docs] */
  uint32_t *other_order; /* [max_docs] */
  dorm__pairs pairs;
  dorm__swap swap;                /* only with a target */
  dorm__oracle_workspace *oracle; /* only where oracles are asked */
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
