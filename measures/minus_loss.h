/* minus_loss.h: the measure "minus_loss(SPEC)", whose value is minus the loss of a ranking. SPEC is the text of a loss.
 * It serves losses that optimise no other measure. */
#ifndef DORM_MEASURES_MINUS_LOSS_H
#define DORM_MEASURES_MINUS_LOSS_H

#include "base/base.h"
#include "data/data.h"
#include "measures/ranking.h"

typedef struct dorm__minus_loss dorm__minus_loss;

/* Writes the measure that a loss optimises, such as "ndcg@10:gain=exp2,discount=log2,empty=0", or "minus_loss(SPEC)" if
 * there is no other. The caller frees *spec by dorm__free. */
dorm_status dorm__measure_spec_of_loss(dorm_context *context, const dorm_loss *loss, char **spec);
/* Whether a spec begins with "minus_loss(". */
bool dorm__is_minus_loss(const char *spec);
/* Opens the measure and its loss from "minus_loss(SPEC)". Fails if the bracket is not closed or the loss is bad. */
dorm_status dorm__minus_loss_open(dorm_context *context, const char *spec, dorm__minus_loss **minus);
/* Opens the measure of an open loss. Copies the loss, which shares its module with the copy. */
dorm_status dorm__minus_loss_of(dorm_context *context, const dorm_loss *loss, dorm__minus_loss **minus);
void dorm__minus_loss_close(dorm__minus_loss *minus);
/* Returns "minus_loss(SPEC)" with every parameter of the loss. Owned by the measure. */
const char *dorm__minus_loss_spec(const dorm__minus_loss *minus);
/* Whether dorm__minus_tables_new calls the loss's function `prepare` (dorm/plugin.h). No other call of the loss may run
 * at the same time. */
bool dorm__minus_loss_is_prepared(const dorm__minus_loss *minus);
/* The tables of the loss for all queries of a data set. The data set and the measure are borrowed. */
typedef struct dorm__minus_tables dorm__minus_tables;
dorm_status dorm__minus_tables_new(dorm_context *context, const dorm__minus_loss *minus, const dorm_dataset *dataset,
                                   size_t num_threads, dorm__minus_tables **tables);
void dorm__minus_tables_free(dorm__minus_tables *tables);
/* Computes the value of a ranked query. scratch has [2][documents of the query] entries. *is_empty becomes true if all
 * rankings of the query have the same loss, otherwise false. */
dorm_status dorm__minus_loss_ranked(dorm_context *context, const dorm__minus_tables *tables,
                                    const dorm__ranking *ranking, double *scratch, double *value, bool *is_empty);
/* Ranks every query by scores [num_docs], and fills values [num_queries]. *num_empty is the number of queries whose
 * rankings all have the same loss. `ranking` is scratch, allocated for the data set. */
dorm_status dorm__minus_loss_values(dorm_context *context, const dorm__minus_loss *minus, const dorm_dataset *dataset,
                                    const double *scores, dorm__ranking *ranking, double *values, size_t *num_empty);

#endif
