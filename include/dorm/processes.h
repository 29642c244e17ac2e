/* processes.h: one training by several processes, such as those of MPI. Each process has a share of the data and calls
 * the same functions in the same order; all get the same model, to the same bits whatever their number. */
#ifndef DORM_PROCESSES_H
#define DORM_PROCESSES_H

#include "dorm/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the processes reach each other. The functions return 0, or another value when the others cannot be reached; all
 * processes call the same function at the same time, except for send and receive. They are called only from the thread
 * that called the library. */
typedef struct dorm_processes {
  size_t struct_size;
  void *user;    /* handed to the functions */
  size_t size;   /* the number of processes, at least 1 */
  size_t number; /* of this process, 0 .. size - 1 */
  /* Gathers counts[i] bytes of each process i, in the order of the processes, without gaps, into all [sum of counts],
   * on every process. mine [counts[number]] is what this process has; counts [size] is the same everywhere. */
  int (*gather)(void *user, const void *mine, const size_t *counts, void *all);
  /* data [bytes] of process `from` replaces data [bytes] of all others. */
  int (*broadcast)(void *user, size_t from, void *data, size_t bytes);
  /* Hands data [bytes] to process `to`, which receives as many. */
  int (*send)(void *user, size_t to, const void *data, size_t bytes);
  int (*receive)(void *user, size_t from, void *data, size_t bytes);
} dorm_processes;

/* From now on calls with this context are made by all the processes together: dorm_dataset_read_with
 * and dorm_read_options.num_shards above 0 reads this process's share, and dorm_train trains on the shares of all. If a
 * call fails on some processes, it fails on all, with the status and the sentence of the lowest process that failed.
 * But where the memory of a process does not even hold what all share, or a function of the table fails, the call may
 * return on that process alone, while the others wait within theirs: end the program then, as by MPI_Abort.
 * The struct is copied; NULL: this process is alone again. DORM_BAD_USAGE if the size or the number makes no sense, or
 * a function is missing. */
DORM_API dorm_status dorm_context_set_processes(dorm_context *context, const dorm_processes *processes);

#ifdef __cplusplus
}
#endif

#endif
