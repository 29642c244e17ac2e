/*
 * oom.c: lets the n-th allocation of libdorm fail, for n = 1, 2, 3 and so on, in
 * small tasks of all kinds (runs.c). The linker directs every call of malloc,
 * calloc, realloc and free in libdorm, all of them in base/memory.c, to the
 * functions here. Each time:
 *
 *   the task must end with DORM_OUT_OF_MEMORY and a message, or with DORM_OK and
 *   the result that it has without a failure; and every block must be freed.
 *
 *   fault_oom           all allocations
 *   fault_oom places    the first allocation of each place in the code, by the innermost calls
 */
#include <execinfo.h>
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
  if (block)
    atomic_fetch_add(&num_live, 1);
  return block;
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
  void *moved = __real_realloc(block, size);
  return block ? moved : live(moved);
}

void __wrap_free(void *block)
{
  if (block)
    atomic_fetch_sub(&num_live, 1);
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

int main(int argc, char **argv)
{
  void *calls[1];
  backtrace(calls, 1); /* loads what it needs */
  countdown = -1;
  dorm_set_blas_threads(1);
  if (!fault_prepare())
    return 1;
  size_t num_bad = fault_run_all(check_run, argc < 2 || strcmp(argv[1], "places") != 0);
  fault_clean();
  return num_bad != 0;
}
