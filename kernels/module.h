/* module.h: what module.c offers to the other files of this folder. */
#ifndef DORM_KERNELS_MODULE_H
#define DORM_KERNELS_MODULE_H

#include "base/base.h"
#include "kernels/kernels.h"

/* Makes it ready for blocks, once: values[num_parameters of the module], whose
 * texts live as long as the kernel. Passes the self-check. */
dorm_status dorm__user_kernel_create(dorm_context *context, dorm__user_kernel *kernel, const dorm_loss_value *values);
/* block[num_x][num_y], diagonal[num_x] from packed rows of `width`; false when
 * the module fails or a number is not finite. */
bool dorm__user_kernel_block(dorm__user_kernel *kernel, size_t width, size_t num_x, const double *x, size_t num_y,
                             const double *y, double *block);
bool dorm__user_kernel_diagonal(dorm__user_kernel *kernel, size_t width, size_t num_x, const double *x,
                                double *diagonal);
/* What went wrong first and its status, NULL when nothing did. */
const char *dorm__user_kernel_failure(const dorm__user_kernel *kernel, dorm_status *status);

#endif
