/*
 * kernel_files.h: the files that kernels name, each read or loaded once. A kernel and all that are chosen from its
 * lists share one dorm__kernel_files, which ends with the last of them.
 */
#ifndef DORM_KERNELS_KERNEL_FILES_H
#define DORM_KERNELS_KERNEL_FILES_H

#include "base/base.h"
#include "kernels/module.h"

typedef struct dorm__kernel_files dorm__kernel_files;

/* Held once; NULL when out of memory. */
dorm__kernel_files *dorm__kernel_files_new(void);
dorm__kernel_files *dorm__kernel_files_hold(dorm__kernel_files *files); /* returns `files` */
void dorm__kernel_files_release(dorm__kernel_files *files);
/* What follows is owned by `files` and lives as long. */

/* The matrix in a file, checked (gram_file.h). */
dorm_status dorm__kernel_files_gram(dorm_context *context, dorm__kernel_files *files, const char *path, size_t *size,
                                    const double **matrix);
/* The kernel in a module, not ready for tiles. */
dorm_status dorm__kernel_files_open(dorm_context *context, dorm__kernel_files *files, const char *path,
                                    dorm__user_kernel **opened);
/* The kernel of a module with values[num_parameters of the module], ready for tiles; it has passed its self-check. */
dorm_status dorm__kernel_files_create(dorm_context *context, dorm__kernel_files *files, const dorm__user_kernel *opened,
                                      const dorm_loss_value *values, dorm__user_kernel **created);

#endif
