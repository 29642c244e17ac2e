/*
 * kernel_files.h: the files that kernels name, each read or loaded once. A kernel and all kernels that are chosen from
 * its lists share one dorm__kernel_files, which is freed with the last of them. Kernels that share one may be used by
 * several threads at a time, but only one thread at a time may make or resolve them.
 */
#ifndef DORM_KERNELS_KERNEL_FILES_H
#define DORM_KERNELS_KERNEL_FILES_H

#include "base/base.h"
#include "kernels/module.h"

typedef struct dorm__kernel_files dorm__kernel_files;

/* Returns an empty one, held once; NULL when out of memory. */
dorm__kernel_files *dorm__kernel_files_new(void);
dorm__kernel_files *dorm__kernel_files_hold(dorm__kernel_files *files); /* returns `files` */
void dorm__kernel_files_release(dorm__kernel_files *files);
/* What the next three functions hand out is owned by `files`. */

/* The matrix in a file, read and checked (gram_file.h). */
dorm_status dorm__kernel_files_gram(dorm_context *context, dorm__kernel_files *files, const char *path, size_t *size,
                                    const double **matrix);
/* The kernel in a module as it is loaded, not ready for tiles. */
dorm_status dorm__kernel_files_open(dorm_context *context, dorm__kernel_files *files, const char *path,
                                    dorm__user_kernel **opened);
/* The kernel of a module created with values[num_parameters of the module]: it has passed its self-check and is ready
 * for tiles. */
dorm_status dorm__kernel_files_create(dorm_context *context, dorm__kernel_files *files, const dorm__user_kernel *opened,
                                      const dorm_loss_value *values, dorm__user_kernel **created);

#endif
