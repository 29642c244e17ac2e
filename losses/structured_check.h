/* structured_check.h: what structured_check.c offers to the other files of this folder. */
#ifndef DORM_LOSSES_STRUCTURED_CHECK_H
#define DORM_LOSSES_STRUCTURED_CHECK_H

#include "base/base.h"
#include "data/data.h"
#include "losses/losses.h"

/* The same for a structured loss on a data set of one query of up to six documents. */
dorm_status dorm__structured_check(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset);
/* DORM_BAD_MODULE: the loss fails its check on a query of num_docs: what. */
dorm_status dorm__loss_refuse(dorm_context *context, const dorm__loss *loss, size_t num_docs, const char *what);

#endif
