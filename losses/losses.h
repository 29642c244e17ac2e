/*
 * losses.h: what a ranking costs: losses by name or from modules (plugin.h), and their tables for the queries of a data
 * set. This folder knows of measures only the name of the measure that a loss optimises.
 */
#ifndef DORM_LOSSES_LOSSES_H
#define DORM_LOSSES_LOSSES_H

#include "base/base.h"
#include "data/data.h"

typedef struct dorm_loss dorm__loss;

/* ---- Opening (registry.c) ------------------------------------------------- */

/* A loss with its parameters, from a text such as "ndcg:truncation=10,gain=exp2,discount=log2", or, for a module,
 * "my_loss:alpha=2 from ./my_loss.so" (without a name: the module's own). A module is loaded and passes its self-check
 * here. */
dorm_status dorm__loss_open(dorm_context *context, const char *spec, dorm__loss **loss);
/* The same loss with another truncation. It shares the loaded module with `loss`, so nothing is loaded or self-checked
 * again; the two may be closed in any order, but not by two threads at once. DORM_BAD_USAGE when the loss has no
 * parameter `truncation` or refuses the number. */
dorm_status dorm__loss_with_truncation(dorm_context *context, const dorm__loss *loss, size_t truncation,
                                       dorm__loss **changed);
/* The same loss with a state of its own, for another data set; shares the loaded module likewise. */
dorm_status dorm__loss_copy(dorm_context *context, const dorm__loss *loss, dorm__loss **copy);
void dorm__loss_close(dorm__loss *loss);
DORM__OWNER(dorm__loss, dorm__loss_close)

/* ---- What a loss says of itself (loss.c) ----------------------------------- */

/* The spec with every parameter spelled out; owned by the loss. */
const char *dorm__loss_spec(const dorm__loss *loss);
/* The first function gives name, help and parameter rows of a loss, the second the values of these rows. */
const dorm_loss_module *dorm__loss_module_of(const dorm__loss *loss);
const dorm_loss_value *dorm__loss_values(const dorm__loss *loss);
/* The name of the measure that the loss optimises, with the loss's values for parameters of equal name; NULL: there is
 * no such measure. */
const char *dorm__loss_measure(const dorm__loss *loss);
/* The value of its parameter `truncation`, 0 if it has none. */
size_t dorm__loss_truncation(const dorm__loss *loss);
bool dorm__loss_is_general(const dorm__loss *loss);
/* Whether loss tables show it the labels of their data set first (`prepare` of plugin.h), beside which no other call of
 * the loss may run. */
bool dorm__loss_is_prepared(const dorm__loss *loss);
bool dorm__loss_is_structured(const dorm__loss *loss);
/* Whether the calling program registered it (dorm_loss_register). */
bool dorm__loss_is_own(const dorm__loss *loss);
/* Whether its tables may depend on the raw feature values of the data set: tables of a module, of a loss of the
 * program, or of a general loss may; the other built-in losses see labels alone. */
bool dorm__loss_reads_features(const dorm__loss *loss);

/* The structured form: the worst output at scores[num_docs]. It is checked: all numbers are finite, *delta >= 0, and
 * *delta + sum_j coefficients[j] scores[j] >= 0. */
dorm_status dorm__loss_find_worst(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset,
                                  size_t query, const double *scores, double *coefficients, double *delta);
/* The structured form: Delta of the output that a ranking predicts, which is the worst one at scores that are far
 * apart. scratch [2][num_docs]. */
dorm_status dorm__loss_of_ranking(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset,
                                  size_t query, const uint32_t *order, double *scratch, double *delta);

/* ---- Tables (loss_tables.c) ----------------------------------------------- */

/* The tables of one query: product form (a and b) or general form (cost). The structured form has none: the loss
 * itself is asked. */
typedef struct dorm__query_loss {
  size_t num_docs;
  const dorm__loss *structured; /* borrowed; NULL in the other forms */
  const double *a;              /* [num_docs], non-increasing; NULL in the general form */
  const double *b;              /* [num_docs]; NULL in the general form */
  const double *cost;           /* [num_docs][num_docs], cost[j][p]; NULL in the product form */
  size_t depth;                 /* a is 0 from this position on; num_docs in the other forms */
  double minimum; /* min over rankings of sum_j cost[j][rank[j]]; cost = -a[p] b[j] in the product form. In the
                   * general form NaN until dorm__loss_tables_set_minimum */
  bool trains;    /* some ranking costs more than the minimum */
} dorm__query_loss;

/* The number of positions up to the last whose weight is not 0. */
size_t dorm__weights_depth(size_t count, const double *weights);

/* The tables of a whole data set under one loss; they do not change once built and, in the general form, once every
 * minimum is set. */
typedef struct dorm__loss_tables dorm__loss_tables;

/* Fails if a table is not finite or a increases, and names query and position. In the structured form the loss has
 * to stay open. The failure of the first query is reported, whatever the number of threads. */
dorm_status dorm__loss_tables_build(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset,
                                    size_t num_threads, dorm__loss_tables **tables);
void dorm__loss_tables_free(dorm__loss_tables *tables);
DORM__OWNER(dorm__loss_tables, dorm__loss_tables_free)
const dorm__query_loss *dorm__loss_tables_query(const dorm__loss_tables *tables, size_t query);
/* The general form's minimum is an assignment problem, whose solver lives in another folder. Whoever trains finds the
 * ranking of least cost of each query that `trains` (the oracle with g = 0 and t = -1 maximises -cost), and sets the
 * minimum to the sum of its costs before the first call of dorm__query_loss_of. With groups, where not every ranking is
 * feasible, the product form needs the same. */
void dorm__loss_tables_set_minimum(dorm__loss_tables *tables, size_t query, double minimum);
/* Delta of the ranking that puts document order[p] at position p; not in the structured form. O(depth) */
double dorm__query_loss_of(const dorm__query_loss *loss, const uint32_t *order);

#endif
