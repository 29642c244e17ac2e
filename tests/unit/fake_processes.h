/* fake_processes.h: processes that are threads of the test, each with a context of its own, so that what several
 * processes do together is tested without MPI. */
#ifndef DORM_TESTS_FAKE_PROCESSES_H
#define DORM_TESTS_FAKE_PROCESSES_H

#include <stddef.h>

#include "dorm/dorm.h"

/* What a process does; called once for each number, at the same time. It makes no CUnit checks. */
typedef void (*fake_process)(dorm_context *context, size_t number, void *user);
/* Runs `size` processes and waits for them. */
void fake_processes_run(size_t size, fake_process work, void *user);

#endif
