/*
 * oom.c: lets the n-th allocation of libdorm fail, for n = 1, 2, 3 and so on, in
 * small tasks of all kinds (runs.c). The linker directs every call of malloc,
 * calloc, realloc and free in libdorm, all of them in base/memory.c, to the
 * functions here. Each time:
 *
 *   the task must end with DORM_OUT_OF_MEMORY and a message, or with DORM_OK and
 *   the result that it has without a failure; and every block must be freed.
 *
 * At last it measures the memory of a training of trees.
 *
 *   fault_oom           all allocations
 *   fault_oom places    the first allocation of each place in the code, by the innermost calls
 */
#include <execinfo.h>
#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/hash.h"
#include "tests/faults/runs.h"

/* ---- The allocator ------------------------------------------------------------ */

static atomic_long countdown; /* number of allocations before the one that fails; negative: none fails */
static atomic_long num_failed;
static atomic_long num_live;
static atomic_long num_bytes, most_bytes; /* in live blocks, now and at most */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
#pragma GCC visibility push(default) /* shared libraries call these functions too */
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);
#pragma GCC visibility pop

/* ---- Places in the code ------------------------------------------------------- */

enum { MOST_PLACES = 1 << 14, CALLS = 10 };

/* The first allocation of each place of a run, which is numbered from 1. */
typedef struct places {
  pthread_mutex_t lock;
  long num_allocations;
  size_t count;
  uint64_t hash[MOST_PLACES];
  long first[MOST_PLACES];
} places;

static places seen = {.lock = PTHREAD_MUTEX_INITIALIZER};
static bool notes_places;

static void note_place(void)
{
  void *calls[CALLS + 2];
  int num_calls = backtrace(calls, CALLS + 2);
  uint64_t hash = dorm__hash_bytes(DORM__HASH_START, calls, (size_t)num_calls * sizeof *calls);
  pthread_mutex_lock(&seen.lock);
  seen.num_allocations++;
  size_t i = 0;
  while (i < seen.count && seen.hash[i] != hash)
    i++;
  if (i == seen.count && i < MOST_PLACES) {
    seen.hash[seen.count] = hash;
    seen.first[seen.count++] = seen.num_allocations;
  }
  pthread_mutex_unlock(&seen.lock);
}

static bool fails_now(void)
{
  if (notes_places)
    note_place();
  bool is_failure = atomic_fetch_sub(&countdown, 1) == 1;
  if (is_failure)
    atomic_fetch_add(&num_failed, 1);
  return is_failure;
}

static void *live(void *block)
{
  long most = most_bytes;
  if (block) {
    long bytes = atomic_fetch_add(&num_bytes, (long)malloc_usable_size(block)) + (long)malloc_usable_size(block);
    while (bytes > most && !atomic_compare_exchange_weak(&most_bytes, &most, bytes))
      ;
    atomic_fetch_add(&num_live, 1);
  }
  return block;
}

/* Notes that a block is no longer live. */
static void leaves(void *block)
{
  if (block) {
    atomic_fetch_sub(&num_bytes, (long)malloc_usable_size(block));
    atomic_fetch_sub(&num_live, 1);
  }
}

void *__wrap_malloc(size_t size)
{
  return fails_now() ? NULL : live(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
  return fails_now() ? NULL : live(__real_calloc(count, size));
}

void *__wrap_realloc(void *block, size_t size)
{
  if (fails_now())
    return NULL;
  leaves(block);
  void *moved = __real_realloc(block, size);
  live(moved ? moved : block);
  return moved;
}

void __wrap_free(void *block)
{
  leaves(block);
  __real_free(block);
}

/* ---- The loop ------------------------------------------------------------------------ */

static bool check_once(const fault_run *of, long n, uint64_t wanted, bool *has_failed)
{
  char message[400];
  long before = num_live;
  dorm_context *context = dorm_context_new();
  uint64_t result = DORM__HASH_START;
  num_failed = 0;
  countdown = n;
  dorm_status status = fault_run_once(of, context, &result);
  countdown = -1;
  *has_failed = num_failed > 0;
  snprintf(message, sizeof message, "%s", dorm_context_message(context));
  dorm_context_free(context); /* which keeps texts of evaluations */
  bool good = status == DORM_OK ? result == wanted : status == DORM_OUT_OF_MEMORY && *message;
  if (!good || num_live != before)
    printf("FAILED: %s, allocation %ld: status %d, %ld blocks left, message '%s'%s\n", of->name, n, (int)status,
           num_live - before, message, status == DORM_OK ? ", another result" : "");
  good = good && num_live == before;
  return good;
}

/* The result of a run without a failure; `seen` becomes the places of its allocations. */
static bool run_whole(const fault_run *of, uint64_t *wanted)
{
  DORM__OWNED(dorm_context) *context = dorm_context_new();
  *wanted = DORM__HASH_START;
  countdown = -1;
  seen.num_allocations = 0;
  seen.count = 0;
  notes_places = true;
  dorm_status status = fault_run_once(of, context, wanted);
  notes_places = false;
  if (status != DORM_OK)
    printf("FAILED: %s without a failure: %s\n", of->name, dorm_context_message(context));
  if (seen.count == MOST_PLACES)
    printf("FAILED: %s allocates in more than %d places\n", of->name, MOST_PLACES - 1);
  return status == DORM_OK && seen.count < MOST_PLACES;
}

static size_t check_run(const fault_run *of, long looks_at_all)
{
  enum { MOST_REPORTS = 5 };
  uint64_t wanted;
  size_t num_bad = !run_whole(of, &wanted);
  bool has_failed = true;
  long num_failures = 0;
  for (long i = 0; has_failed && num_bad < MOST_REPORTS && (looks_at_all || i < (long)seen.count); i++) {
    num_bad += !check_once(of, looks_at_all ? i + 1 : seen.first[i], wanted, &has_failed);
    num_failures += has_failed;
    has_failed = has_failed || !looks_at_all; /* threads do not allocate in the same order each time */
  }
  printf("%-18s %6ld of %6ld allocations failed: %s\n", of->name, num_failures, seen.num_allocations,
         num_bad ? "FAILED" : "good");
  return num_bad;
}

/* ---- Memory of trees --------------------------------------------------------------------- */

/* The bytes that training of trees allocates on this many queries of `values` values, above the data, at most. */
static double bytes_of_trees(size_t num_queries, double *values)
{
  enum { DOCS = 120, FEATURES = 136 };
  dorm_artificial parameters = {sizeof parameters, num_queries, DOCS, FEATURES, 0.3, 1, 1};
  DORM__OWNED(dorm_context) *context = dorm_context_new();
  DORM__OWNED(dorm_settings) *settings = NULL;
  DORM__OWNED(dorm_dataset) *train = NULL;
  DORM__OWNED(dorm_training) *training = NULL;
  dorm_status status = DORM__ALL(
      fault_settings(context,
                     FAULT_SMALL "training.trainer=trees;trees.trees=2;trees.leaves=3;trees.learning_rate=0.1;"
                                 "data.rank_block=0;selection.folds=0",
                     &settings),
      dorm_dataset_generate_artificial(context, &parameters, &train));
  long before = num_bytes;
  most_bytes = before;
  *values = (double)(num_queries * DOCS * FEATURES);
  if (status == DORM_OK)
    status = dorm_train(context, settings, train, NULL, &training);
  if (status != DORM_OK)
    printf("FAILED: memory of trees: %s\n", dorm_context_message(context));
  return status == DORM_OK ? (double)(most_bytes - before) : INFINITY;
}

/* Trees take a byte for each value and some for each document, but no second matrix of floats. */
static size_t check_memory_of_trees(void)
{
  double some, more, bytes = bytes_of_trees(150, &some);
  bytes = (bytes_of_trees(450, &more) - bytes) / (more - some);
  bool is_good = bytes > 1 && bytes < 1.5;
  printf("memory of trees: %.3f bytes for each value, above the data: %s\n", bytes, is_good ? "good" : "FAILED");
  return !is_good;
}

int main(int argc, char **argv)
{
  void *calls[1];
  backtrace(calls, 1); /* loads what it needs */
  countdown = -1;
  dorm_set_blas_threads(1);
  if (!fault_prepare())
    return 1;
  size_t num_bad = fault_run_all(check_run, argc < 2 || strcmp(argv[1], "places") != 0);
  num_bad += check_memory_of_trees();
  fault_clean();
  return num_bad != 0;
}
