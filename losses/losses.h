/*
 * losses.h: what a ranking costs. Losses as tables for training (plugin.h),
 * and measures for evaluation, which share no code with them.
 */
#ifndef DORM_LOSSES_LOSSES_H
#define DORM_LOSSES_LOSSES_H

#include "base/base.h"
#include "data/data.h"

/* ---- self_check.c ------------------------------------------------------- */

typedef struct dorm_loss dorm__loss;

/* ---- registry.c --------------------------------------------------------- */

/* A loss with its parameters, opened from a text such as
 * "ndcg:truncation=10,gain=exp2,discount=log2", or, for a module,
 * "my_loss:alpha=2 from ./my_loss.so" (without a name: the module's own).
 * A module passes its self-check first. */
dorm_status dorm__loss_open(dorm_context *context, const char *spec, dorm__loss **loss);
void dorm__loss_close(dorm__loss *loss);
/* The spec with every parameter spelled out; owned by the loss. */
const char *dorm__loss_spec(const dorm__loss *loss);
/* Name, help, parameter rows; and the values of those rows for this loss. */
const dorm_loss_module *dorm__loss_module_of(const dorm__loss *loss);
const dorm_loss_value *dorm__loss_values(const dorm__loss *loss);
/* Its parameter `truncation`, 0 where it has none. */
size_t dorm__loss_truncation(const dorm__loss *loss);

/* The spec with one parameter replaced and everything else spelled out:
 * ("ndcg:gain=linear", "truncation", "10"). DORM_BAD_USAGE when the loss has
 * no such parameter or refuses the value. *changed: caller frees by dorm__free. */
dorm_status dorm__loss_with_parameter(dorm_context *context, const char *spec, const char *key, const char *value,
                                      char **changed);
/* loss.name and loss.module as one spec; a module goes by its own name where
 * loss.name has its default. *spec: caller frees by dorm__free. */
dorm_status dorm__loss_spec_of_settings(dorm_context *context, const dorm_settings *settings, char **spec);
/* The measure that the loss optimises, such as
 * "ndcg@10:gain=exp2,discount=log2,empty=0". *measure: caller frees by
 * dorm__free. */
dorm_status dorm__loss_measure_spec(dorm_context *context, const dorm__loss *loss, char **measure);
/* Fill the tables of one query through the module: a[num_docs], b[num_docs] in
 * the product form, cost[num_docs][num_docs] in the general one. */
bool dorm__loss_is_general(const dorm__loss *loss);
/* Whether its tables may depend on the raw feature values of the data set: a
 * module's may, and a general one's; the built-in others see labels alone. */
bool dorm__loss_reads_features(const dorm__loss *loss);
/* The structured form: the worst output at scores[num_docs], checked: finite,
 * *delta >= 0, and *delta + sum_j coefficients[j] scores[j] >= 0. */
bool dorm__loss_is_structured(const dorm__loss *loss);
dorm_status dorm__loss_find_worst(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset,
                                  size_t query, const double *scores, double *coefficients, double *delta);
/* Delta of the output that a ranking predicts, which is the worst one where the
 * scores are far apart. scratch [2][num_docs]. */
dorm_status dorm__loss_of_ranking(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset,
                                  size_t query, const uint32_t *order, double *scratch, double *delta);

/* ---- gains.c ------------------------------------------------------------ */

#define DORM__ROW_LEVELS(default_text)                                                                                 \
  {                                                                                                                    \
    "levels", default_text, "all, two", 0, 0, 0, "pairs of any two labels, or of relevant and irrelevant documents"    \
  }

/* ---- loss_tables.c ------------------------------------------------------ */

/* The tables of one query: product form (a and b) or general form (cost). Of
 * the structured form there are none: the loss itself is asked. */
typedef struct dorm__query_loss {
  size_t num_docs;
  const dorm__loss *structured; /* borrowed; NULL in the other forms */
  const double *a;              /* [num_docs], non-increasing; NULL in the general form */
  const double *b;              /* [num_docs]; NULL in the general form */
  const double *cost;           /* [num_docs][num_docs], cost[j][p]; NULL in the product form */
  size_t depth;                 /* positions behind which a is 0; num_docs in the other forms */
  double minimum; /* min over rankings of sum_j cost[j][rank[j]]; cost = -a[p] b[j] in the product form. In the
                   * general form NaN until dorm__loss_tables_set_minimum */
  bool trains;    /* some ranking costs more than the minimum */
} dorm__query_loss;

/* How many positions of weights that do not increase count: those behind weigh 0. */
size_t dorm__weights_depth(size_t count, const double *weights);

/* The tables of a whole data set under one loss; immutable once built (and,
 * in the general form, once every minimum is set). */
typedef struct dorm__loss_tables dorm__loss_tables;

/* Fails where a table is not finite or a increases, naming query and position.
 * In the structured form the loss has to stay open. Queries in parallel. */
dorm_status dorm__loss_tables_build(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset,
                                    size_t num_threads, dorm__loss_tables **tables);
void dorm__loss_tables_free(dorm__loss_tables *tables);
const dorm__query_loss *dorm__loss_tables_query(const dorm__loss_tables *tables, size_t query);
/* The general form's minimum is an assignment problem, whose solver lives in
 * another room: whoever trains finds the ranking of least cost of each query
 * that `trains` (the oracle with g = 0 and t = -1 maximises -cost), and sets
 * the minimum to the sum of its costs before the first call of
 * dorm__query_loss_of. With groups, where not every ranking is feasible, the
 * same in the product form. */
void dorm__loss_tables_set_minimum(dorm__loss_tables *tables, size_t query, double minimum);
/* Delta of the ranking that puts document order[p] at position p; not in the
 * structured form. O(depth) */
double dorm__query_loss_of(const dorm__query_loss *loss, const uint32_t *order);

#endif
