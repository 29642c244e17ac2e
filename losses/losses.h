/*
 * losses.h: the costs of rankings: losses by name or from modules (plugin.h), and their tables for the queries of a
 * data set. Of measures, this folder knows only the name of the one that a loss optimises.
 */
#ifndef DORM_LOSSES_LOSSES_H
#define DORM_LOSSES_LOSSES_H

#include "base/base.h"
#include "data/data.h"

typedef struct dorm_loss dorm__loss;

/* ---- Opening (registry.c) ------------------------------------------------- */

/* Opens a loss with its parameters, from a text such as "ndcg:truncation=10,gain=exp2,discount=log2" or, for a module,
 * "my_loss:alpha=2 from ./my_loss.so" (the name may be missing). Loads the module and runs its self-check. */
dorm_status dorm__loss_open(dorm_context *context, const char *spec, dorm__loss **loss);
/* Makes the same loss with another truncation. It shares the loaded module with `loss`, so nothing is loaded or
 * self-checked again. The two may be closed in any order, but not by two threads at once. Returns DORM_BAD_USAGE if the
 * loss has no parameter `truncation` or refuses the number. */
dorm_status dorm__loss_with_truncation(dorm_context *context, const dorm__loss *loss, size_t truncation,
                                       dorm__loss **changed);
/* Makes the same loss with a state of its own, for another data set. It shares the loaded module likewise. */
dorm_status dorm__loss_copy(dorm_context *context, const dorm__loss *loss, dorm__loss **copy);
void dorm__loss_close(dorm__loss *loss);
DORM__OWNER(dorm__loss, dorm__loss_close)

/* ---- Properties of a loss (loss.c) ----------------------------------- */

/* Returns the spec with all parameters, owned by the loss. */
const char *dorm__loss_spec(const dorm__loss *loss);
/* Return name, help and parameter rows of a loss, and the values of these rows. */
const dorm_loss_module *dorm__loss_module_of(const dorm__loss *loss);
const dorm_loss_value *dorm__loss_values(const dorm__loss *loss);
/* Returns the name of the measure that the loss optimises, with the loss's values for parameters of equal name, or NULL
 * if there is no such measure. */
const char *dorm__loss_measure(const dorm__loss *loss);
/* Returns the value of its parameter `truncation`, or 0 if it has none. */
size_t dorm__loss_truncation(const dorm__loss *loss);
bool dorm__loss_is_general(const dorm__loss *loss);
/* Returns whether loss tables first show it the labels of their data set (`prepare` of plugin.h). No other call of the
 * loss may run during that. */
bool dorm__loss_is_prepared(const dorm__loss *loss);
bool dorm__loss_is_structured(const dorm__loss *loss);
/* Returns whether the calling program registered it (dorm_loss_register). */
bool dorm__loss_is_own(const dorm__loss *loss);
/* Returns whether its tables may depend on the raw feature values of the data set, as for a module, a loss of the
 * program, or a general loss. The other built-in losses use labels alone. */
bool dorm__loss_reads_features(const dorm__loss *loss);

/* Finds the worst output of the structured form at scores[num_docs]. Checks that all numbers are finite, *delta >= 0,
 * and *delta + sum_j coefficients[j] scores[j] >= 0. */
dorm_status dorm__loss_find_worst(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset,
                                  size_t query, const double *scores, double *coefficients, double *delta);
/* Computes, for the structured form, Delta of the output that a ranking predicts, which is the worst one at scores that
 * are far apart. scratch [2][num_docs]. */
dorm_status dorm__loss_of_ranking(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset,
                                  size_t query, const uint32_t *order, double *scratch, double *delta);

/* ---- Tables (loss_tables.c) ----------------------------------------------- */

/* The tables of one query: product form (a and b) or general form (cost). The structured form has none, and solvers
 * call the loss. */
typedef struct dorm__query_loss {
  size_t num_docs;
  const dorm__loss *structured; /* borrowed, or NULL in the other forms */
  const double *a;              /* [num_docs], non-increasing, or NULL in the general form */
  const double *b;              /* [num_docs], or NULL in the general form */
  const double *cost;           /* [num_docs][num_docs], cost[j][p], or NULL in the product form */
  size_t depth;                 /* position from which on a is 0, or num_docs in the other forms */
  double minimum; /* min over rankings of sum_j cost[j][rank[j]], with cost = -a[p] b[j] in the product form; in the
                   * general form NaN until dorm__loss_tables_set_minimum */
  bool trains;    /* some ranking costs more than the minimum */
} dorm__query_loss;

/* Returns the number of positions up to the last whose weight is not 0. */
size_t dorm__weights_depth(size_t count, const double *weights);

/* The tables of a whole data set under one loss. They are constant once built and, in the general form, once every
 * minimum is set. */
typedef struct dorm__loss_tables dorm__loss_tables;

/* Fails if a table is not finite or a increases, and names query and position. In the structured form the loss must
 * stay open. The failure of the first query is reported, for any number of threads. */
dorm_status dorm__loss_tables_build(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset,
                                    size_t num_threads, dorm__loss_tables **tables);
void dorm__loss_tables_free(dorm__loss_tables *tables);
DORM__OWNER(dorm__loss_tables, dorm__loss_tables_free)
const dorm__query_loss *dorm__loss_tables_query(const dorm__loss_tables *tables, size_t query);
/* Sets the minimum of the general form, an assignment problem whose solver is in another folder. The caller finds the
 * cheapest ranking of each query that `trains` (the oracle with g = 0 and t = -1 maximises -cost). Before the first
 * call of dorm__query_loss_of it sets the minimum to the sum of the costs. With groups some rankings are not feasible,
 * so the caller also sets the minimum of the product form. */
void dorm__loss_tables_set_minimum(dorm__loss_tables *tables, size_t query, double minimum);
/* Returns Delta of the ranking that puts document order[p] at position p. Not for the structured form. O(depth). */
double dorm__query_loss_of(const dorm__query_loss *loss, const uint32_t *order);

#endif
