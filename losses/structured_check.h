/* structured_check.h: tries what a structured loss promises. */
#ifndef DORM_LOSSES_STRUCTURED_CHECK_H
#define DORM_LOSSES_STRUCTURED_CHECK_H

#include "base/base.h"
#include "data/data.h"
#include "losses/losses.h"

/* DORM_BAD_MODULE, with the reason, where a structured loss breaks a promise on a data set of one query of up to six
 * documents. */
dorm_status dorm__structured_check(dorm_context *context, const dorm__loss *loss, const dorm_dataset *dataset);
/* DORM_BAD_MODULE with the message that the loss fails its check on a query of num_docs documents, and `what` it does.
 */
dorm_status dorm__loss_refuse(dorm_context *context, const dorm__loss *loss, size_t num_docs, const char *what);

#endif
