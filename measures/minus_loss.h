/* minus_loss.h: the measure "minus_loss(SPEC)": minus the loss of each ranking, for a loss that has no measure. */
#ifndef DORM_MEASURES_MINUS_LOSS_H
#define DORM_MEASURES_MINUS_LOSS_H

#include "base/base.h"
#include "data/data.h"
#include "measures/ranking.h"

typedef struct dorm__minus_loss dorm__minus_loss;

/* Finds the measure that a loss optimises, such as "ndcg@10:gain=exp2,discount=log2,empty=0". The caller frees *spec by
 * dorm__free. */
dorm_status dorm__measure_spec_of_loss(dorm_context *context, const dorm_loss *loss, char **spec);
/* Whether a spec names this measure. */
bool dorm__is_minus_loss(const char *spec);
dorm_status dorm__minus_loss_open(dorm_context *context, const char *spec, dorm__minus_loss **minus);
/* The same measure for an opened loss, whose module is shared. */
dorm_status dorm__minus_loss_of(dorm_context *context, const dorm_loss *loss, dorm__minus_loss **minus);
void dorm__minus_loss_close(dorm__minus_loss *minus);
/* The spec with every parameter of the loss. Owned by the measure. */
const char *dorm__minus_loss_spec(const dorm__minus_loss *minus);
/* Whether its tables show the loss the data set first. No other call of the loss may run at the same time. */
bool dorm__minus_loss_is_prepared(const dorm__minus_loss *minus);
/* The tables of the loss for a data set, which is borrowed. */
typedef struct dorm__minus_tables dorm__minus_tables;
dorm_status dorm__minus_tables_new(dorm_context *context, const dorm__minus_loss *minus, const dorm_dataset *dataset,
                                   size_t num_threads, dorm__minus_tables **tables);
void dorm__minus_tables_free(dorm__minus_tables *tables);
/* Computes the value of a ranked query. scratch [2][documents of the query]. *is_empty is set if all rankings have the
 * same cost. */
dorm_status dorm__minus_loss_ranked(dorm_context *context, const dorm__minus_tables *tables,
                                    const dorm__ranking *ranking, double *scratch, double *value, bool *is_empty);
/* Fills values [num_queries] for scores of the whole data set. *num_empty is the number of queries whose rankings all
 * have the same cost. `ranking` is scratch. */
dorm_status dorm__minus_loss_values(dorm_context *context, const dorm__minus_loss *minus, const dorm_dataset *dataset,
                                    const double *scores, dorm__ranking *ranking, double *values, size_t *num_empty);

#endif
