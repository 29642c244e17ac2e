/* processes.h: communication between the processes of one training. If the context has no table of functions
 * (dorm/processes.h), this process is alone, and every function returns at once.
 *
 * All processes make the same calls in the same order. Every call begins with one word from each process. If a process
 * has failed, the next call of the others fails with the status and message of the lowest failing process. All later
 * calls fail in the same way. So a failing step only returns its status, up to the function that all processes called
 * together. That function ends with dorm__processes_end. */
#ifndef DORM_BASE_PROCESSES_H
#define DORM_BASE_PROCESSES_H

#include "base/base.h"
#include <stddef.h>

/* The number of processes (1 without a table), and the number of this process, from 0. */
size_t dorm__processes_size(const dorm_context *context);
size_t dorm__processes_number(const dorm_context *context);

/* Begins a call that all processes make together. */
void dorm__processes_begin(dorm_context *context);
/* Ends the call. All processes return the same status: `status` if no process failed, otherwise the status of the
 * lowest failing process, with its message. */
dorm_status dorm__processes_end(dorm_context *context, dorm_status status);

/* Records a failure whose status this process cannot return to its caller. Every later call fails with this status.
 * Returns the status. Does nothing for DORM_OK. */
dorm_status dorm__processes_keep(dorm_context *context, dorm_status status);

/* Concatenates `mine` [bytes] of all processes, in the order of the processes, in *all. start [processes + 1] receives
 * the offsets of the processes in *all. `bytes` may differ between processes. The caller frees *all, which is NULL on
 * failure. */
dorm_status dorm__processes_gather(dorm_context *context, const void *mine, size_t bytes, void **all, size_t *start);
/* Concatenates likewise into all [room], which the caller allocates. Fails unless the bytes of all are `room`. */
dorm_status dorm__processes_gather_into(dorm_context *context, const void *mine, size_t bytes, void *all, size_t room);
/* Concatenates likewise mine [count] of items of `size` bytes. *all_count is the total number of items. The caller
 * frees *all. */
dorm_status dorm__processes_gather_items(dorm_context *context, size_t size, size_t count, const void *mine, void **all,
                                         size_t *all_count);
/* Replaces each of numbers [count] by its sum over the processes. */
dorm_status dorm__processes_totals(dorm_context *context, size_t count, uint64_t *numbers);
/* Sums `mine` over the processes with smaller numbers (*before) and over all processes (*total). */
dorm_status dorm__processes_count(dorm_context *context, uint64_t mine, uint64_t *before, uint64_t *total);
/* Replaces *value by its largest value over the processes. */
dorm_status dorm__processes_max(dorm_context *context, int64_t *value);
/* Copies data [bytes] from process `from` to all others. */
dorm_status dorm__processes_broadcast(dorm_context *context, size_t from, void *data, size_t bytes);
/* Sets *is_stopping in all processes if it is set in one of them, or if one of them is cancelled. From then on
 * dorm__cancelled returns true in all of them. */
dorm_status dorm__processes_stop(dorm_context *context, bool *is_stopping);

/* Sums vectors in an order that does not depend on the number of processes. Each process has parts [count][width]. The
 * parts of process 0 come first. sum [width] becomes part 0 + part 1 + ... on all processes, added from left to right,
 * or 0 if there are no parts. Every process allocates memory for all parts. sum and parts may be the same array. */
dorm_status dorm__processes_sum(dorm_context *context, size_t count, size_t width, const double *parts, double *sum);
/* Sums large vectors, such as matrices, likewise, but with fewer of them in memory. The parts are added in a binary
 * tree. A process receives the sums of the processes before it, adds its own parts, and sends the sums on. `part`
 * writes part i of this process into value [width].
 *
 * A process makes all its parts before it waits for others. So all processes work at once, and none fails while others
 * wait for it. With n parts in all, memory holds at most 3 log2 n vectors (log2 n if the process is alone) and the
 * current one. */
typedef dorm_status (*dorm__make_part)(void *user, size_t i, double *value);
dorm_status dorm__processes_sum_along(dorm_context *context, size_t count, size_t width, dorm__make_part part,
                                      void *user, double *sum);

#endif
