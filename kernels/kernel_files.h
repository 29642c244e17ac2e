/*
 * kernel_files.h: the files that kernels name, each read or loaded once. A kernel and all kernels chosen from its lists
 * share one dorm__kernel_files, which is freed with the last of them. Several threads may use such kernels at the same
 * time, but only one thread at a time may make or resolve them.
 */
#ifndef DORM_KERNELS_KERNEL_FILES_H
#define DORM_KERNELS_KERNEL_FILES_H

#include "base/linalg.h"
#include "kernels/kernels.h"

/* ---- Kernels of modules ------------------------------------------------------------------------ */

/* Creates a kernel that is ready for tiles from an opened one, which must live longer. Copies values[num_parameters of
 * the module]. dorm__user_kernel_close closes it. */
dorm_status dorm__user_kernel_create(dorm_context *context, const dorm__user_kernel *opened,
                                     const dorm_loss_value *values, dorm__user_kernel **created);
/* Fill tile[num_x][num_y] or diagonal[num_x] from packed rows of `width`. Return false if the module fails or a number
 * is not finite. */
bool dorm__user_kernel_tile(dorm__user_kernel *kernel, size_t width, size_t num_x, const double *x, size_t num_y,
                            const double *y, double *tile);
bool dorm__user_kernel_diagonal(dorm__user_kernel *kernel, size_t width, size_t num_x, const double *x,
                                double *diagonal);
/* Returns the reason of the first failure and its status, or NULL if there was none. */
const char *dorm__user_kernel_failure(const dorm__user_kernel *kernel, dorm_status *status);
/* Forgets the failure, so that the next one is the first again. */
void dorm__user_kernel_forget_failure(dorm__user_kernel *kernel);

/* ---- Files -------------------------------------------------------------------------------------- */

typedef struct dorm__kernel_files dorm__kernel_files;

/* Returns an empty object, held once, or NULL when out of memory. */
dorm__kernel_files *dorm__kernel_files_new(void);
dorm__kernel_files *dorm__kernel_files_hold(dorm__kernel_files *files); /* returns `files` */
void dorm__kernel_files_release(dorm__kernel_files *files);
/* `files` owns the results of the next three functions. */

/* Reads and checks the matrix in a file (dorm__gram_read). */
dorm_status dorm__kernel_files_gram(dorm_context *context, dorm__kernel_files *files, const char *path, size_t *size,
                                    const double **matrix);
/* Loads the kernel in a module, which is then not ready for tiles. */
dorm_status dorm__kernel_files_open(dorm_context *context, dorm__kernel_files *files, const char *path,
                                    dorm__user_kernel **opened);
/* Creates the kernel of a module with values[num_parameters of the module]. It has passed its self-check and is ready
 * for tiles. */
dorm_status dorm__kernel_files_create(dorm_context *context, dorm__kernel_files *files, const dorm__user_kernel *opened,
                                      const dorm_loss_value *values, dorm__user_kernel **created);

/* ---- Gram file --------------------------------------------------------------------------------- */

/* Reads a square, symmetric, positive semi-definite matrix, one row per line. It is positive semi-definite if matrix +
 * 1e-8 trace / size on the diagonal has a Cholesky factor. The caller frees *matrix by dorm__free. O(size^3). */
dorm_status dorm__gram_read(dorm_context *context, const char *path, size_t *size, double **matrix);

/* ---- Watch ------------------------------------------------------------------------------------- */

typedef struct dorm__watch {
  dorm_context *context;
  const char *what; /* name of the result, such as "Gram matrix" */
  size_t total;     /* pieces in all */
  size_t done;
  bool is_stopped;
  double last; /* time of the last report, on dorm__seconds */
} dorm__watch;

dorm__watch dorm__watch_new(dorm_context *context, const char *what, size_t total);
/* Counts `count` more pieces as done. Returns false if the work must stop. */
bool dorm__watch_step(dorm__watch *watch, size_t count);
/* Returns the steps of a factorisation, whose rows are the pieces. */
dorm__steps dorm__watch_steps(dorm__watch *watch);
/* Returns DORM_STOPPED, with its message, if the work had to stop. */
dorm_status dorm__watch_status(const dorm__watch *watch);

#endif
