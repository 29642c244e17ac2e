/* module.h: calls into the kernel of a user's module. */
#ifndef DORM_KERNELS_MODULE_H
#define DORM_KERNELS_MODULE_H

#include "kernels/kernels.h"

/* Creates a kernel that is ready for tiles from one that was opened, which must live longer. values[num_parameters of
 * the module] are copied. Closed by dorm__user_kernel_close. */
dorm_status dorm__user_kernel_create(dorm_context *context, const dorm__user_kernel *opened,
                                     const dorm_loss_value *values, dorm__user_kernel **created);
/* Fill tile[num_x][num_y] or diagonal[num_x] from packed rows of `width`; false when the module fails or a number is
 * not finite. */
bool dorm__user_kernel_tile(dorm__user_kernel *kernel, size_t width, size_t num_x, const double *x, size_t num_y,
                            const double *y, double *tile);
bool dorm__user_kernel_diagonal(dorm__user_kernel *kernel, size_t width, size_t num_x, const double *x,
                                double *diagonal);
/* The reason of the first failure and its status; NULL when there was none. */
const char *dorm__user_kernel_failure(const dorm__user_kernel *kernel, dorm_status *status);
/* Forgets the failure, so that the next one is the first again. */
void dorm__user_kernel_forget_failure(dorm__user_kernel *kernel);

#endif
