/* self_check.h: what self_check.c offers to the other files of this folder. */
#ifndef DORM_KERNELS_SELF_CHECK_H
#define DORM_KERNELS_SELF_CHECK_H

#include "base/base.h"
#include "kernels/kernels.h"

/* Tries on small rows what a kernel promises; DORM_BAD_MODULE with the reason. */
dorm_status dorm__user_kernel_self_check(dorm_context *context, dorm__user_kernel *kernel);

#endif
