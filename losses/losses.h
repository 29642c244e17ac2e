/*
 * losses.h: what a ranking costs. Losses as tables for training (plugin.h),
 * and measures for evaluation, which share no code with them.
 */
#ifndef DORM_LOSSES_LOSSES_H
#define DORM_LOSSES_LOSSES_H

#include "data/data.h"
#include "dorm/plugin.h"

/* ---- registry.c --------------------------------------------------------- */

/* A loss with its parameters, opened from a text such as
 * "ndcg:truncation=10,gain=exp2,discount=log2". */
typedef struct dorm__loss dorm__loss;

dorm_status dorm__loss_open(dorm_context *context, const char *spec, dorm__loss **loss);
void dorm__loss_close(dorm__loss *loss);
/* The spec with every parameter spelled out; owned by the loss. */
const char *dorm__loss_spec(const dorm__loss *loss);
/* Built-in modules, NULL past the last. */
const dorm_loss_module *dorm__loss_builtin(size_t index);

/* ---- loss_tables.c ------------------------------------------------------ */

/* The tables of one query: product form (a and b) or general form (cost). */
typedef struct dorm__query_loss {
  size_t num_docs;
  const double *a;    /* [num_docs], non-increasing; NULL in the general form */
  const double *b;    /* [num_docs]; NULL in the general form */
  const double *cost; /* [num_docs][num_docs], cost[j][p]; NULL in the product form */
  double minimum;     /* min over rankings of sum_j cost[j][rank[j]]; cost = -a[p] b[j] in the product form */
  bool trains;        /* some ranking costs more than the minimum */
} dorm__query_loss;

/* The tables of a whole data set under one loss; immutable once built. */
typedef struct dorm__loss_tables dorm__loss_tables;

/* Fails where a table is not finite or a increases, naming query and position. */
dorm_status dorm__loss_tables_build(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset,
                                    dorm__loss_tables **tables);
void dorm__loss_tables_free(dorm__loss_tables *tables);
const dorm__query_loss *dorm__loss_tables_query(const dorm__loss_tables *tables, size_t query);
/* Delta of the ranking that puts document order[p] at position p. O(num_docs) */
double dorm__query_loss_of(const dorm__query_loss *loss, const uint32_t *order);

/* ---- measures.c --------------------------------------------------------- */

/* A measure with its conventions, from a text such as "ndcg@10:empty=skip". */
typedef struct dorm__measure dorm__measure;

dorm_status dorm__measure_open(dorm_context *context, const char *spec, dorm__measure **measure);
void dorm__measure_close(dorm__measure *measure);
/* Mean over the queries that count; per_query may be NULL. */
dorm_status dorm__measure_dataset(dorm_context *context, const dorm__measure *measure, const dorm_dataset *dataset,
                                  const double *scores, double *per_query, dorm_evaluation *evaluation);

#endif
