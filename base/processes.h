/* processes.h: communication between the processes of one training. Without a table in the context (dorm/processes.h)
 * this process is alone, and every function returns at once.
 *
 * All processes make the same calls in the same order. Every call begins with one word from each process. If a process
 * has failed, the others learn of it in their next call, which fails with the status and message of the lowest failing
 * process. So a failing step only has to return its status up to the function that the processes called together, which
 * ends with dorm__processes_end. After a failure every call fails with it. */
#ifndef DORM_BASE_PROCESSES_H
#define DORM_BASE_PROCESSES_H

#include "base/base.h"
#include <stddef.h>

/* The number of processes (1 without a table), and the number of this process, from 0. */
size_t dorm__processes_size(const dorm_context *context);
size_t dorm__processes_number(const dorm_context *context);

/* Begins a call that all processes make together. */
void dorm__processes_begin(dorm_context *context);
/* Ends the call. All processes return the same status: `status` if no process failed or all know the failure, otherwise
 * the status of the lowest failing process, with its message. */
dorm_status dorm__processes_end(dorm_context *context, dorm_status status);

/* Records a failure of this process whose status cannot be returned. Every later call fails with it. Returns the
 * status. */
dorm_status dorm__processes_keep(dorm_context *context, dorm_status status);

/* Concatenates the bytes of all processes, in their order, to *all. Fills start [size + 1] with their offsets. `bytes`
 * may differ between processes. The caller frees *all, which is NULL on failure. */
dorm_status dorm__processes_gather(dorm_context *context, const void *mine, size_t bytes, void **all, size_t *start);
/* Does the same into all [room bytes], if all processes know the size. */
dorm_status dorm__processes_gather_into(dorm_context *context, const void *mine, size_t bytes, void *all, size_t room);
/* Does the same for items of `size` bytes. *all_count is the total number. */
dorm_status dorm__processes_gather_items(dorm_context *context, size_t size, size_t count, const void *mine, void **all,
                                         size_t *all_count);
/* Replaces each of numbers [count] by its sum over the processes. */
dorm_status dorm__processes_totals(dorm_context *context, size_t count, uint64_t *numbers);
/* Sums `mine` over the processes before this one (*before) and over all (*total). */
dorm_status dorm__processes_count(dorm_context *context, uint64_t mine, uint64_t *before, uint64_t *total);
/* Replaces *value by its largest value over the processes. */
dorm_status dorm__processes_max(dorm_context *context, int64_t *value);
/* Copies data [bytes] from process `from` to all others. */
dorm_status dorm__processes_broadcast(dorm_context *context, size_t from, void *data, size_t bytes);
/* Sets *is_stopping if it is set in some process, or if one is cancelled. From then on dorm__cancelled is true. */
dorm_status dorm__processes_stop(dorm_context *context, bool *is_stopping);

/* Sums vectors in an order that does not depend on the number of processes. Each process has parts [count][width].
 * Process 0 comes first. sum [width] becomes part 0 + part 1 + ... on all processes, from left to right, or 0 without
 * parts. Takes memory for all parts. sum may be parts. */
dorm_status dorm__processes_sum(dorm_context *context, size_t count, size_t width, const double *parts, double *sum);
/* Does the same for large vectors, such as matrices. The parts are added in a tree, whose sums pass from process to
 * process, each of which adds its own. `part` writes part i of this process into value [width].
 *
 * A process makes all its parts before it waits for others. So all processes work at once, and none fails while others
 * wait for it. With n parts in all, memory holds at most 3 log2 n vectors (log2 n if the process is alone) and the
 * current one. */
typedef dorm_status (*dorm__make_part)(void *user, size_t i, double *value);
dorm_status dorm__processes_sum_along(dorm_context *context, size_t count, size_t width, dorm__make_part part,
                                      void *user, double *sum);

/* ---- Tree sum ---------------------------------------------------------------------------------- */

enum { DORM__TREE_SUM_PARTS = 128 }; /* two per bit of a size_t */

/* The sums of consecutive vectors, from left to right. Each sum covers 2^level vectors. The run is empty if all but
 * width and next are zero. */
typedef struct dorm__tree_sum {
  size_t width; /* numbers of a vector */
  size_t next;  /* the next vector, relative to the start of the first run */
  size_t count;
  unsigned level[DORM__TREE_SUM_PARTS];
  double *part[DORM__TREE_SUM_PARTS]; /* [width] each, owned */
} dorm__tree_sum;

/* Appends a sum of 2^level vectors and takes ownership. level is 0 for a single vector. */
void dorm__tree_sum_push(dorm__tree_sum *sum, unsigned level, double *values);
/* Appends the following run, which becomes empty. */
void dorm__tree_sum_join(dorm__tree_sum *sum, dorm__tree_sum *following);
/* Writes the total into values [width], 0 if the run is empty. */
void dorm__tree_sum_total(const dorm__tree_sum *sum, double *values);
void dorm__tree_sum_clear(dorm__tree_sum *sum);

#endif
