/*
 * watch.h: lets a loop over pieces of a Gram matrix, which several threads may share, say how far it is and stop when
 * the caller of the library asks for it. The log and the cancel function of a context may be called from the thread
 * that called the library alone, so the other threads only count what they have done and read whether to stop.
 */
#ifndef DORM_KERNELS_WATCH_H
#define DORM_KERNELS_WATCH_H

#include "base/base.h"
#include "base/linalg.h"

typedef struct dorm__watch {
  dorm_context *context;
  const char *what; /* what is made, as in "Gram matrix" */
  size_t total;     /* pieces in all */
  size_t done;
  bool is_stopped;
  double last; /* time of the last report, on dorm__seconds */
} dorm__watch;

dorm__watch dorm__watch_new(dorm_context *context, const char *what, size_t total);
/* Counts `count` more pieces as done. False when the work is to stop. */
bool dorm__watch_step(dorm__watch *watch, size_t count);
/* The same for a factorisation, whose rows are the pieces. */
dorm__steps dorm__watch_steps(dorm__watch *watch);
/* DORM_STOPPED, with its message, when the work was to stop. */
dorm_status dorm__watch_status(const dorm__watch *watch);

#endif
