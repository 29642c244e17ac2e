/* self_check.h: tries what a loss promises before anything is trained with it. */
#ifndef DORM_LOSSES_SELF_CHECK_H
#define DORM_LOSSES_SELF_CHECK_H

#include "base/base.h"
#include "losses/losses.h"

/* DORM_BAD_MODULE, with the reason, where the loss breaks a promise on one of the small queries tried. */
dorm_status dorm__loss_self_check(dorm_context *context, const dorm__loss *loss);

#endif
