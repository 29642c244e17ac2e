/*
 * kernel_files.h: the files that kernels name, each read or loaded once. A kernel and all kernels that are chosen from
 * its lists share one dorm__kernel_files, which is freed with the last of them. Kernels that share one may be used by
 * several threads at a time, but only one thread at a time may make or resolve them.
 */
#ifndef DORM_KERNELS_KERNEL_FILES_H
#define DORM_KERNELS_KERNEL_FILES_H

#include "base/base.h"
#include "base/linalg.h"
#include "kernels/kernels.h"

/* ---- Kernels of modules ------------------------------------------------------------------------ */

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

/* ---- Files -------------------------------------------------------------------------------------- */

typedef struct dorm__kernel_files dorm__kernel_files;

/* Returns an empty one, held once; NULL when out of memory. */
dorm__kernel_files *dorm__kernel_files_new(void);
dorm__kernel_files *dorm__kernel_files_hold(dorm__kernel_files *files); /* returns `files` */
void dorm__kernel_files_release(dorm__kernel_files *files);
/* `files` owns the results of the next three functions. */

/* The matrix in a file, read and checked (kernel_files.h). */
dorm_status dorm__kernel_files_gram(dorm_context *context, dorm__kernel_files *files, const char *path, size_t *size,
                                    const double **matrix);
/* The kernel in a module as it is loaded, not ready for tiles. */
dorm_status dorm__kernel_files_open(dorm_context *context, dorm__kernel_files *files, const char *path,
                                    dorm__user_kernel **opened);
/* The kernel of a module created with values[num_parameters of the module]: it has passed its self-check and is ready
 * for tiles. */
dorm_status dorm__kernel_files_create(dorm_context *context, dorm__kernel_files *files, const dorm__user_kernel *opened,
                                      const dorm_loss_value *values, dorm__user_kernel **created);

/* ---- Gram file --------------------------------------------------------------------------------- */

/* Reads a square, symmetric, positive semi-definite matrix, one row per line. It is positive semi-definite if matrix
 * + 1e-8 trace / size on the diagonal has a Cholesky factor. *matrix is freed by dorm__free. O(size^3). */
dorm_status dorm__gram_read(dorm_context *context, const char *path, size_t *size, double **matrix);

/* ---- Watch ------------------------------------------------------------------------------------- */

typedef struct dorm__watch {
  dorm_context *context;
  const char *what; /* the name of the thing made, as in "Gram matrix" */
  size_t total;     /* pieces in all */
  size_t done;
  bool is_stopped;
  double last; /* time of the last report, on dorm__seconds */
} dorm__watch;

dorm__watch dorm__watch_new(dorm_context *context, const char *what, size_t total);
/* Counts `count` more pieces as done. False when the work is to stop. */
bool dorm__watch_step(dorm__watch *watch, size_t count);
/* The same for a factorisation, whose rows are the pieces. */
dorm__steps dorm__watch_steps(dorm__watch *watch);
/* DORM_STOPPED, with its message, when the work was to stop. */
dorm_status dorm__watch_status(const dorm__watch *watch);

#endif
