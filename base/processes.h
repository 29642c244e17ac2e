/*
 * processes.h: how the processes of one training reach each other. Without a table in the context (dorm/processes.h)
 * this process is alone: then every function returns at once.
 *
 * All processes make the same calls in the same order. Every call begins with one word of each process. If one has
 * failed, the others learn of it in the next call that they make: that call fails as the lowest failing process did,
 * with its sentence. So a step that fails needs no word of its own; it only has to return its status up to the
 * function that the processes called together, which ends with dorm__processes_end. After a failure every call fails
 * with it.
 */
#ifndef DORM_BASE_PROCESSES_H
#define DORM_BASE_PROCESSES_H

#include "base/base.h"
#include <stddef.h>

/* The number of processes, 1 if there is no table; and the number of this one, from 0. */
size_t dorm__processes_size(const dorm_context *context);
size_t dorm__processes_number(const dorm_context *context);

/* Begins a call that all processes make together. */
void dorm__processes_begin(dorm_context *context);
/* Ends the call. All processes return one status: `status` if no process failed or all know the failure, else the
 * status of the lowest failing process, with its message. */
dorm_status dorm__processes_end(dorm_context *context, dorm_status status);

/* Keeps a failure of this process whose status cannot be returned, so that every later call fails with it. Returns the
 * status. */
dorm_status dorm__processes_keep(dorm_context *context, dorm_status status);

/* *all becomes the bytes of all processes in their order, without gaps, and start [size + 1] their offsets; `bytes` may
 * differ. The caller frees *all, which is NULL on failure. */
dorm_status dorm__processes_gather(dorm_context *context, const void *mine, size_t bytes, void **all, size_t *start);
/* The same into all [room bytes], if all know the size. */
dorm_status dorm__processes_gather_into(dorm_context *context, const void *mine, size_t bytes, void *all, size_t room);
/* The same for items of `size` bytes; *all_count becomes their number. */
dorm_status dorm__processes_gather_items(dorm_context *context, size_t size, size_t count, const void *mine, void **all,
                                         size_t *all_count);
/* Each of numbers [count] becomes its sum over the processes. */
dorm_status dorm__processes_totals(dorm_context *context, size_t count, uint64_t *numbers);
/* *before becomes the sum of `mine` over the processes before this one, and *total the sum over all. */
dorm_status dorm__processes_count(dorm_context *context, uint64_t mine, uint64_t *before, uint64_t *total);
/* *value becomes the largest of all. */
dorm_status dorm__processes_max(dorm_context *context, int64_t *value);
/* data [bytes] of process `from` replaces the data of all others. */
dorm_status dorm__processes_broadcast(dorm_context *context, size_t from, void *data, size_t bytes);
/* *is_stopping becomes whether some process is: cancelled, or said so itself. From then on dorm__cancelled is true. */
dorm_status dorm__processes_stop(dorm_context *context, bool *is_stopping);

/* Sums vectors in one order whatever the number of processes: each process has parts [count][width]; process 0 comes
 * first. sum [width] becomes part 0 + part 1 + ... on all processes, from left to right. Takes memory for all parts.
 * The sum is 0 if there are none. sum may be parts. */
dorm_status dorm__processes_sum(dorm_context *context, size_t count, size_t width, const double *parts, double *sum);
/* The same for large vectors, such as matrices: one tree adds the parts, and its sums go from process to process, each
 * of which adds its own. `part` puts part i of this process into value [width]. A process makes all its parts before it
 * waits for others, so that all work at once and none fails while others wait for it. With n parts in all it takes
 * memory for at most 3 log2 n vectors, and log2 n in a process that is alone, beside the present one. */
typedef dorm_status (*dorm__make_part)(void *user, size_t i, double *value);
dorm_status dorm__processes_sum_along(dorm_context *context, size_t count, size_t width, dorm__make_part part,
                                      void *user, double *sum);

/* ---- Tree sum ---------------------------------------------------------------------------------- */

enum { DORM__TREE_SUM_PARTS = 128 }; /* two for each bit of a size_t */

/* The sums of a run of vectors, from left to right: each covers 2^level vectors. All zero but for width and next, it is
 * empty. */
typedef struct dorm__tree_sum {
  size_t width; /* numbers of a vector */
  size_t next;  /* the next vector, counted from the vector of the first run */
  size_t count;
  unsigned level[DORM__TREE_SUM_PARTS];
  double *part[DORM__TREE_SUM_PARTS]; /* [width] each, owned */
} dorm__tree_sum;

/* Adds a sum of 2^level vectors, which become owned, at the end; level is 0 for a vector. */
void dorm__tree_sum_push(dorm__tree_sum *sum, unsigned level, double *values);
/* Adds the run that follows, which becomes empty. */
void dorm__tree_sum_join(dorm__tree_sum *sum, dorm__tree_sum *following);
/* The sum of all, 0 if there are none, into values [width]. */
void dorm__tree_sum_total(const dorm__tree_sum *sum, double *values);
void dorm__tree_sum_clear(dorm__tree_sum *sum);

#endif
