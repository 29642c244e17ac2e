/* registry.h: what registry.c offers to the other files of this folder. */
#ifndef DORM_LOSSES_REGISTRY_H
#define DORM_LOSSES_REGISTRY_H

#include "base/base.h"
#include "data/data.h"
#include "losses/losses.h"


/* Built-in modules, NULL past the last. */
const dorm_loss_module *dorm__loss_builtin(size_t index);

/* Shows the loss the labels of a data set, before anything else is asked about
 * that. The message of a failure names the loss, here and below. */
dorm_status dorm__loss_prepare(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset);
/* Puts the query before the message of a loss; returns status. */
dorm_status dorm__name_query(dorm_context *context, dorm_status status, const char *query);
/* What a bad table of this loss is: DORM_BAD_MODULE for a module. */
dorm_status dorm__loss_fault(const dorm__loss *loss);
dorm_status dorm__loss_fill_product(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset,
                                    size_t query, double *a, double *b);
dorm_status dorm__loss_fill_costs(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset,
                                  size_t query, double *cost);

#endif
