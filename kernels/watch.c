/* watch.c: reports the progress of a long computation at most twice per second, and checks whether it must stop. */
#include "kernels/kernel_files.h"

#include <omp.h>

static const double seconds_between_steps = 0.5;

dorm__watch dorm__watch_new(dorm_context *context, const char *what, size_t total)
{
  return (dorm__watch){.context = context, .what = what, .total = total, .last = dorm__seconds()};
}

bool dorm__watch_step(dorm__watch *watch, size_t count)
{
  bool is_stopped;
  size_t done;
#pragma omp atomic capture
  {
    watch->done += count;
    done = watch->done;
  }
  if (omp_get_thread_num() == 0) {
    if (dorm__cancelled(watch->context)) {
#pragma omp atomic write
      watch->is_stopped = true;
    }
    if (dorm__seconds() - watch->last >= seconds_between_steps) {
      watch->last = dorm__seconds();
      dorm__step(watch->context, "%s: %.0f %%", watch->what,
                 100 * (double)(done < watch->total ? done : watch->total) / (double)watch->total);
    }
  }
#pragma omp atomic read
  is_stopped = watch->is_stopped;
  return !is_stopped;
}

static bool count_rows(void *user, size_t num_rows)
{
  return dorm__watch_step(user, num_rows);
}

dorm__steps dorm__watch_steps(dorm__watch *watch)
{
  return (dorm__steps){count_rows, watch};
}

dorm_status dorm__watch_status(const dorm__watch *watch)
{
  return watch->is_stopped ? dorm__fail(watch->context, DORM_STOPPED, "stopped on request") : DORM_OK;
}
