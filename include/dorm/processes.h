/* processes.h: one training by several processes, such as the processes of MPI. */
#ifndef DORM_PROCESSES_H
#define DORM_PROCESSES_H

#include "dorm/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The connection of the processes. Each process has a share of the data and calls the same functions of dorm in the
 * same order. All get the same model, with the same bits for any number of processes.
 *
 * The functions return 0, or another value if the other processes cannot be reached. All processes call the same
 * function at the same time, except for send and receive. The functions are called only from the thread that called the
 * library. */
typedef struct dorm_processes {
  size_t struct_size;
  void *user;    /* passed to the functions */
  size_t size;   /* the number of processes, at least 1 */
  size_t number; /* of this process, 0 .. size - 1 */
  /* Gathers counts[i] bytes from each process i, in the order of the processes, without gaps, into all [sum of counts],
   * on every process. mine [counts[number]] is the contribution of this process. counts [size] is the same in all
   * processes. */
  int (*gather)(void *user, const void *mine, const size_t *counts, void *all);
  /* Replaces data [bytes] of all other processes by data [bytes] of process `from`. */
  int (*broadcast)(void *user, size_t from, void *data, size_t bytes);
  /* Sends data [bytes] to process `to`, which receives as many. */
  int (*send)(void *user, size_t to, const void *data, size_t bytes);
  int (*receive)(void *user, size_t from, void *data, size_t bytes);
} dorm_processes;

/* Connects this context with the other processes. From now on all processes make the calls with this context together.
 * dorm_dataset_read_with, with dorm_read_options.num_shards above 0, reads the share of this process. dorm_train trains
 * on the shares of all. The struct is copied. NULL disconnects the context, so that this process is alone again.
 * Returns DORM_BAD_USAGE if the size or the number is invalid, or if a function is missing.
 *
 * If a call fails on some processes, it fails on all, with the status and the message of the lowest process that
 * failed. There are two exceptions: a process has too little memory even for the data that all share, or a function of
 * the struct fails. The call may then return on that process alone, while the others wait. In this case end the
 * program, for example by MPI_Abort. */
DORM_API dorm_status dorm_context_set_processes(dorm_context *context, const dorm_processes *processes);

#ifdef __cplusplus
}
#endif

#endif
