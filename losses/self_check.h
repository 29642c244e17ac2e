/* self_check.h: what self_check.c offers to the other files of this folder. */
#ifndef DORM_LOSSES_SELF_CHECK_H
#define DORM_LOSSES_SELF_CHECK_H

#include "base/base.h"
#include "losses/losses.h"

/* Tries by brute force what a loss promises; DORM_BAD_MODULE with the reason. */
dorm_status dorm__loss_self_check(dorm_context *context, const dorm__loss *loss);

#endif
