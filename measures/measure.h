/* measure.h: an opened measure, for the files of this folder. */
#ifndef DORM_MEASURES_MEASURE_H
#define DORM_MEASURES_MEASURE_H

#include "base/spec.h"
#include "measures/measure_values.h"
#include "measures/measures.h"
#include "measures/ranking.h"

enum { DORM__MOST_MEASURE_ROWS = 8 };

/* diversity_values.c */
dorm__query_value dorm__value_redundancy, dorm__value_alpha_ndcg, dorm__value_err_ia, dorm__value_subtopic_recall,
    dorm__value_exposure_share, dorm__value_ee_l, dorm__value_ee_d, dorm__value_ee_r, dorm__value_gini;

/* trec_values.c: the measures of trec_eval, numbers of documents retrieved, relevant and both (*is_empty is always
 * false), and the logarithm of the average precision */
dorm__query_value dorm__value_r_precision, dorm__value_bpref, dorm__value_success, dorm__value_iprec, dorm__value_rbp,
    dorm__value_set_precision, dorm__value_set_recall, dorm__value_set_f, dorm__value_num_ret, dorm__value_num_rel,
    dorm__value_num_rel_ret, dorm__value_gm_map;

/* The method that summarises the values of the queries. */
typedef enum dorm__measure_summary {
  DORM__SUMMARY_MEAN,
  DORM__SUMMARY_GEOMETRIC, /* the exponential of the mean of values, which are logarithms */
  DORM__SUMMARY_SUM
} dorm__measure_summary;

/* The properties of a data set that a measure needs. */
typedef enum dorm__measure_needs {
  DORM__NEEDS_LABELS,     /* at the positions of the ranking */
  DORM__NEEDS_JUDGEMENTS, /* and which documents were judged */
  DORM__NEEDS_DOCS,       /* and the ids of the documents */
  DORM__NEEDS_GROUPS,     /* of the documents, or labels as they are without repeats */
  DORM__NEEDS_SUBTOPICS   /* of the documents */
} dorm__measure_needs;

typedef struct dorm__measure_kind {
  dorm_measure_info info;
  dorm__query_value *value;
  dorm__measure_needs needs;
  dorm__measure_summary summary;
} dorm__measure_kind;

/* Turns the number of "iprec@0.1" into its recall. dorm__spec_parse has stored it as a truncation. */
void dorm__measure_kind_name_number(const dorm__measure_kind *kind, dorm__spec *given);
/* Finds a measure by name. If there is none, returns NULL with a message that names the nearest measure. */
const dorm__measure_kind *dorm__measure_kind_find(dorm_context *context, const char *name);
/* Writes the spec with every parameter, as in "ndcg@10:gain=exp2,...". A truncation is the first row, and `repeats` the
 * last. NULL when out of memory. The caller frees it by dorm__free. */
char *dorm__measure_kind_text(const dorm__measure_kind *kind, const dorm_loss_value *values);
/* Converts values [info.num_parameters] to conventions. */
dorm__conventions dorm__measure_kind_rules(const dorm__measure_kind *kind, const dorm_loss_value *values);

/* ---- Trec names -------------------------------------------------------------------------------- */

/* Translates "ndcg_cut_10" or "ndcg_cut.10:empty=skip" to dorm's "ndcg@10:gain=linear,ties=docid,empty=skip". Copies
 * any other text. Parameters in the text override trec_eval's conventions. NULL when out of memory. The caller frees it
 * by dorm__free. */
char *dorm__trec_measure_text(const char *text);

/* ---- Measure ------------------------------------------------------------------------------------ */

/* The tables of minus a loss for a data set (minus_loss.c). */
typedef struct dorm__loss_tables dorm__minus_tables;

struct dorm__measure {
  const dorm__measure_kind *kind; /* NULL for minus a loss */
  dorm__conventions rules;
  dorm_loss *loss;    /* owned, NULL unless minus a loss */
  char *text, *group; /* group: used by the rules */
};

dorm__measure_needs dorm__measure_needs_of(const dorm__measure *measure);
/* Computes the value of a ranked query. NaN if the query does not count. *is_empty is set if there was nothing to find.
 * `tables` are NULL unless the measure is minus a loss. */
dorm_status dorm__measure_ranked(dorm_context *context, const dorm__measure *measure, const dorm__minus_tables *tables,
                                 dorm__ranking *ranking, double *value, bool *is_empty);

/* ---- Minus a loss ------------------------------------------------------------------------------- */

/* Writes the measure that a loss optimises, such as "ndcg@10:gain=exp2,discount=log2,empty=0", or "minus_loss(SPEC)" if
 * there is no other. The caller frees *spec by dorm__free. */
dorm_status dorm__measure_spec_of_loss(dorm_context *context, const dorm_loss *loss, char **spec);
/* Whether a spec begins with "minus_loss(". */
bool dorm__is_minus_loss(const char *spec);
/* Opens the loss of "minus_loss(SPEC)", and sets the text. Fails if the bracket is not closed or the loss is bad. */
dorm_status dorm__minus_loss_open(dorm_context *context, const char *spec, dorm__measure *made);
/* Does the same with a copy of an open loss, which shares its module. */
dorm_status dorm__minus_loss_of(dorm_context *context, const dorm_loss *loss, dorm__measure *made);
/* Computes the value of a ranked query. *is_empty becomes true if all its rankings have the same loss. */
dorm_status dorm__minus_loss_value(dorm_context *context, const dorm__minus_tables *tables,
                                   const dorm__ranking *ranking, double *value, bool *is_empty);
/* Makes the tables of a measure, NULL unless it is minus a loss. */
dorm_status dorm__minus_tables_new(dorm_context *context, const dorm__measure *measure, const dorm_dataset *dataset,
                                   size_t num_threads, dorm__minus_tables **tables);
void dorm__minus_tables_free(dorm__minus_tables *tables);
DORM__OWNER(dorm__minus_tables, dorm__minus_tables_free)
/* Closes the loss, which may be NULL. */
void dorm__minus_loss_close(dorm_loss *loss);
bool dorm__minus_loss_is_prepared(const dorm_loss *loss);

/* ---- Comparison -------------------------------------------------------------------------------- */

/* I_x(a, b) for 0 <= x <= 1. y = 1 - x is a separate argument, because it may be very small. */
double dorm__incomplete_beta(double a, double b, double x, double y);
/* The two-sided p-value of Student's t. */
double dorm__student_p_value(double t, double degrees);

#endif
