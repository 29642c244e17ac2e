/*
 * losses.h: what a ranking costs. Losses as tables for training (plugin.h),
 * and measures for evaluation, which share no code with them.
 */
#ifndef DORM_LOSSES_LOSSES_H
#define DORM_LOSSES_LOSSES_H

#include "data/data.h"

/* ---- module.c ------------------------------------------------------------- */

/* Opens a shared object that exports dorm_loss_module_entry. DORM_BAD_MODULE,
 * "path: why", unless its struct has this ABI, its size, a name and one form.
 * *loss is a copy, for as long as *library is open. */
dorm_status dorm__loss_module_open(dorm_context *context, const char *path, dorm__module **library,
                                   dorm_loss_module *loss);

/* ---- self_check.c -------------------------------------------------------- */

typedef struct dorm_loss dorm__loss;

/* Tries by brute force what a loss promises; DORM_BAD_MODULE with the reason. */
dorm_status dorm__loss_self_check(dorm_context *context, const dorm__loss *loss);

/* ---- structured_check.c -------------------------------------------------- */

/* The same for a structured loss on a data set of one query of up to six documents. */
dorm_status dorm__structured_check(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset);
/* DORM_BAD_MODULE: the loss fails its check on a query of num_docs: what. */
dorm_status dorm__loss_refuse(dorm_context *context, const dorm__loss *loss, size_t num_docs, const char *what);

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
/* Built-in modules, NULL past the last. */
const dorm_loss_module *dorm__loss_builtin(size_t index);

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

/* Shows the loss the labels of a data set, before anything else is asked about
 * that. The message of a failure names the loss, here and below. */
dorm_status dorm__loss_prepare(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset);
/* Puts the query before the message of a loss; returns status. */
dorm_status dorm__name_query(dorm_context *context, dorm_status status, const char *query);
/* Fill the tables of one query through the module: a[num_docs], b[num_docs] in
 * the product form, cost[num_docs][num_docs] in the general one. */
bool dorm__loss_is_general(const dorm__loss *loss);
/* Whether its tables may depend on the raw feature values of the data set: a
 * module's may, and a general one's; the built-in others see labels alone. */
bool dorm__loss_reads_features(const dorm__loss *loss);
/* What a bad table of this loss is: DORM_BAD_MODULE for a module. */
dorm_status dorm__loss_fault(const dorm__loss *loss);
dorm_status dorm__loss_fill_product(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset,
                                    size_t query, double *a, double *b);
dorm_status dorm__loss_fill_costs(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset,
                                  size_t query, double *cost);
/* The structured form: the worst output at scores[num_docs], checked: finite,
 * *delta >= 0, and *delta + sum_j coefficients[j] scores[j] >= 0. */
bool dorm__loss_is_structured(const dorm__loss *loss);
dorm_status dorm__loss_find_worst(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset,
                                  size_t query, const double *scores, double *coefficients, double *delta);
/* Delta of the output that a ranking predicts, which is the worst one where the
 * scores are far apart. scratch [2][num_docs]. */
dorm_status dorm__loss_of_ranking(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset,
                                  size_t query, const uint32_t *order, double *scratch, double *delta);

/* ---- The built-in losses, one file each ---------------------------------- */

extern const dorm_loss_module dorm__loss_wta;
extern const dorm_loss_module dorm__loss_mwta;
extern const dorm_loss_module dorm__loss_mrr;
extern const dorm_loss_module dorm__loss_dcg;
extern const dorm_loss_module dorm__loss_ndcg;
extern const dorm_loss_module dorm__loss_precision;
extern const dorm_loss_module dorm__loss_eru;
extern const dorm_loss_module dorm__loss_cost;
extern const dorm_loss_module dorm__loss_rsvm;
extern const dorm_loss_module dorm__loss_rsvm_ir;
extern const dorm_loss_module dorm__loss_roc_area;
extern const dorm_loss_module dorm__loss_map;
extern const dorm_loss_module dorm__loss_precision_set;

/* ---- gains.c: what several of them share --------------------------------- */

#define DORM__ROW_TRUNCATION(default_text)                                                                             \
  {                                                                                                                    \
    "truncation", default_text, NULL, 0, 1e9, 1, "positions that count; 0: all"                                        \
  }
#define DORM__ROW_GAIN                                                                                                 \
  {                                                                                                                    \
    "gain", "exp2", "exp2, linear", 0, 0, 0, "gain of label r: 2^r - 1, or r"                                          \
  }
#define DORM__ROW_DISCOUNT                                                                                             \
  {                                                                                                                    \
    "discount", "log2", "log2, letor", 0, 0, 0,                                                                        \
        "position p from 0 is divided by log2(p+2), or as LETOR does by 1, 1, log2(3), log2(4), ..."                   \
  }
#define DORM__ROW_LEVELS(default_text)                                                                                 \
  {                                                                                                                    \
    "levels", default_text, "all, two", 0, 0, 0, "pairs of any two labels, or of relevant and irrelevant documents"    \
  }
#define DORM__ROW_THRESHOLD(default_text)                                                                              \
  {                                                                                                                    \
    "threshold", default_text, NULL, 0, 1e300, 0, "smallest label of a relevant document; 0: the query's largest"      \
  }

/* What the parameters of the built-in losses say; a loss has some of them. */
typedef struct dorm__loss_rules {
  size_t truncation; /* 0: all positions */
  double threshold;  /* 0: the largest label of the query */
  double half_life;
  double neutral;
  bool linear_gain;
  bool letor_discount;
  bool is_normalised;
  bool counts_all;     /* top documents, not the first listed */
  bool is_mean;        /* over pairs, not their sum */
  bool has_two_levels; /* pairs of relevant and other documents */
} dorm__loss_rules;

/* A module's create: makes a dorm__loss_rules from its rows, by their names. */
int dorm__loss_rules_create(const dorm_host *host, size_t num_rows, const dorm_loss_parameter *rows,
                            const dorm_loss_value *values, void **state);
/* b[j] = 2^r - 1 or r. Returns 0, or 1 after host->fail for a label whose gain
 * would leave nothing of the others. */
int dorm__fill_gains(const dorm_host *host, const dorm__loss_rules *rules, const dorm_loss_query *query, double *b);
/* a[p] for p < truncation (0: num_docs), 0 behind it. */
void dorm__fill_discounts(const dorm__loss_rules *rules, size_t truncation, size_t num_docs, double *a);
/* sum_p a[p] b_(p), b sorted downwards; scratch [num_docs]. */
double dorm__ideal_worth(size_t num_docs, const double *a, const double *b, double *scratch);
/* b /= that worth; b = 0 where it is 0. */
int dorm__divide_by_ideal(const dorm_host *host, size_t num_docs, const double *a, double *b);
double dorm__largest_label(const dorm_loss_query *query);
/* relevance[num_docs] = 1 where 0 < label >= threshold (0: the query's largest),
 * else 0; returns the number of relevant documents. */
size_t dorm__fill_relevance(const dorm_loss_query *query, double threshold, double *relevance);
/* For qsort of doubles, the largest first. */
int dorm__descending(const void *x, const void *y);

/* ---- sorted_halves.c: what the losses of two levels share ------------------ */

/* The relevant and the other documents of a query, each by falling score, ties as listed. */
typedef struct dorm__sorted_halves {
  size_t num_relevant;
  size_t num_others;
  uint32_t *relevant; /* [num_relevant] */
  uint32_t *others;   /* [num_others], behind them in one block */
} dorm__sorted_halves;

/* False when out of memory; to be freed also then. O(num_docs log num_docs) */
bool dorm__sorted_halves_make(const dorm_loss_query *query, double threshold, const double *scores,
                              dorm__sorted_halves *halves);
void dorm__sorted_halves_free(dorm__sorted_halves *halves);

/* ---- pairs.c: what the losses over pairs of documents share --------------- */

#define DORM__ROW_PAIRS                                                                                                \
  {                                                                                                                    \
    "pairs", "mean", "mean, sum", 0, 0, 0, "a query costs the mean over its pairs, or their sum"                       \
  }

/* Weights of pairs by their labels. */
typedef struct dorm__pair_weights {
  size_t num_labels;
  size_t stride;
  const double *labels;  /* [num_labels], rising */
  const double *weights; /* [num_labels][stride], of the better and the worse label; >= 0 */
} dorm__pair_weights;

/* The worst output of the hinge over pairs, sum over pairs (i better than j) of
 * weight max(0, 1 - (g_i - g_j)), which is the set of those with g_i - g_j < 1:
 * coefficients and Delta, over the number of pairs where is_mean. labels
 * [num_docs]; weights NULL: 1 each, O(num_docs log num_docs), otherwise
 * O(num_docs (log num_docs + levels)). Returns 0, or 1 after host->fail. */
int dorm__pairs_find_worst(const dorm_host *host, size_t num_docs, const double *labels,
                           const dorm__pair_weights *weights, bool is_mean, const double *scores, double *coefficients,
                           double *delta);

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

/* ---- ranking.c ---------------------------------------------------------- */

typedef enum dorm__tie_rule {
  DORM__TIES_ORDER,   /* the earlier document first */
  DORM__TIES_DOC_ID,  /* the larger document id first, as trec_eval does */
  DORM__TIES_WORST,   /* the smaller label first */
  DORM__TIES_EXPECTED /* tied documents stay a group */
} dorm__tie_rule;

/* One query from the top of its ranking, with scratch space for the measures. */
typedef struct dorm__scored_doc dorm__scored_doc;
typedef struct dorm__labelled_doc {
  double label;
  uint32_t doc;
} dorm__labelled_doc;
typedef struct dorm__ranking {
  const dorm_dataset *dataset;
  size_t query;
  size_t first_doc; /* of the query, in the data set */
  size_t num_docs;
  size_t num_found;             /* positions behind it hold documents of score -infinity: judged, but not retrieved */
  dorm__scored_doc *docs;       /* sorted */
  uint32_t *order;              /* document order[p] of the query is at position p */
  double *labels;               /* by position */
  double *ideal;                /* labels sorted downwards */
  size_t *group_end;            /* by position: where its group of tied documents ends */
  double *gains;                /* scratch [num_docs] */
  double *chances;              /* scratch [num_docs + 1] */
  uint32_t *before;             /* scratch [num_docs] */
  dorm__labelled_doc *by_label; /* scratch [num_docs] */
  double *seen;                 /* scratch [subtopics of the query] */
} dorm__ranking;

/* Room for the queries of a data set; to be freed also after a failure. */
bool dorm__ranking_alloc(dorm__ranking *ranking, const dorm_dataset *dataset);
void dorm__ranking_free(dorm__ranking *ranking);
/* scores of the whole data set. DORM_BAD_DATA for a score that is no number. */
dorm_status dorm__rank_query(dorm_context *context, const dorm_dataset *dataset, size_t query, const double *scores,
                             dorm__tie_rule ties, dorm__ranking *ranking);

/* Labels of documents that share a group with one above become 0, and the ideal
 * ranking that of the best of each group. */
void dorm__ranking_drop_repeats(dorm__ranking *ranking);

/* ---- measure_values.c, diversity_values.c --------------------------------------------------- */

typedef enum dorm__empty_rule { DORM__EMPTY_IS_0, DORM__EMPTY_IS_1, DORM__EMPTY_IS_SKIPPED } dorm__empty_rule;

typedef struct dorm__conventions {
  size_t truncation; /* 0: all */
  bool linear_gain;
  bool letor_discount;
  double threshold; /* 0: the query's largest label */
  bool has_two_levels;
  bool divides_by_reachable;
  double max_label;
  double half_life;
  double neutral;
  bool is_normalised;
  double alpha;
  bool repeats_are_irrelevant;
  dorm__empty_rule empty;
  dorm__tie_rule ties;
} dorm__conventions;

/* *is_empty: there was nothing to find. NaN or infinite: a label is too large. */
double dorm__value_dcg(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_ndcg(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_mean_ndcg(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_mwta(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_map(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_mrr(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_wta(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_precision(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_recall(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_err(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_eru(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_pair_error(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_redundancy(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_alpha_ndcg(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_err_ia(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_subtopic_recall(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_roc_area(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);
double dorm__value_tau(const dorm__conventions *rules, const dorm__ranking *ranking, bool *is_empty);

/* ---- measures.c --------------------------------------------------------- */

/* A measure with its conventions, from a text such as "ndcg@10:empty=skip", or
 * "minus_loss(cost:file=costs.txt)" for a loss that has no measure. */
typedef struct dorm__measure dorm__measure;

dorm_status dorm__measure_open(dorm_context *context, const char *spec, dorm__measure **measure);
void dorm__measure_close(dorm__measure *measure);
/* The measure with every convention spelled out; owned by the measure. */
const char *dorm__measure_spec(const dorm__measure *measure);
/* True where less is better. */
bool dorm__measure_is_cost(const dorm__measure *measure);
/* The spec of the measure `name` with the values of those parameters that it
 * has too. *spec: caller frees by dorm__free. */
dorm_status dorm__measure_spec_for(dorm_context *context, const char *name, size_t num_rows,
                                   const dorm_loss_parameter *rows, const dorm_loss_value *values, char **spec);
/* "minus_loss(SPEC)"; caller frees by dorm__free. */
dorm_status dorm__measure_minus_loss_spec(dorm_context *context, const char *loss_spec, char **spec);
/* Mean over the queries that count; per_query may be NULL. */
dorm_status dorm__measure_dataset(dorm_context *context, const dorm__measure *measure, const dorm_dataset *dataset,
                                  const double *scores, double *per_query, dorm_evaluation *evaluation);

/* ---- comparison.c ------------------------------------------------------- */

/* Two-sided p-value of Student's t. */
double dorm__student_p_value(double t, double degrees);

#endif
