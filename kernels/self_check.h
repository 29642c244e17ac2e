/* self_check.h: the check that a module's kernel passes before it is used. */
#ifndef DORM_KERNELS_SELF_CHECK_H
#define DORM_KERNELS_SELF_CHECK_H

#include "base/base.h"
#include "kernels/kernels.h"

/* Tries the kernel on small rows; DORM_BAD_MODULE with the reason when it breaks a promise. */
dorm_status dorm__user_kernel_self_check(dorm_context *context, dorm__user_kernel *kernel);

#endif
