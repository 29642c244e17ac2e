/*
 * oom.c: lets the n-th allocation of libdorm fail, for n = 1, 2, 3 and so on, in
 * small tasks of all kinds (runs.c). The linker directs every call of malloc,
 * calloc, realloc and free in libdorm, all of them in base/memory.c, to the
 * functions here. Each time:
 *
 *   the task must end with DORM_OUT_OF_MEMORY and a message, or with DORM_OK and
 *   the result that it has without a failure; and every block must be freed.
 *
 *   fault_oom [STEP]    every STEP-th allocation (1: all)
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

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

static bool fails_now(void)
{
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
  dorm_status status = of->run(context, &result);
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

static size_t check_run(const fault_run *of, long step)
{
  enum { MOST_REPORTS = 5 };
  dorm_context *context = dorm_context_new();
  uint64_t wanted = DORM__HASH_START;
  countdown = -1;
  dorm_status status = of->run(context, &wanted);
  size_t num_bad = status != DORM_OK;
  if (num_bad)
    printf("FAILED: %s without a failure: %s\n", of->name, dorm_context_message(context));
  dorm_context_free(context);
  long n = 1;
  bool has_failed = true;
  for (; has_failed && num_bad < MOST_REPORTS; n += step)
    num_bad += !check_once(of, n, wanted, &has_failed);
  printf("%-18s %6ld allocations, every %ld. failed: %s\n", of->name, n - 1 - step, step, num_bad ? "FAILED" : "good");
  return num_bad;
}

int main(int argc, char **argv)
{
  long step = argc > 1 ? strtol(argv[1], NULL, 10) : 1;
  countdown = -1;
  dorm_set_blas_threads(1);
  if (!fault_prepare())
    return 1;
  size_t num_bad = fault_run_all(check_run, step);
  fault_clean();
  return num_bad != 0;
}
