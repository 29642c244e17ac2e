/* process_team.h: threads that are the processes of one training, each with a context of its own. */
#ifndef DORM_TESTS_PROCESS_TEAM_H
#define DORM_TESTS_PROCESS_TEAM_H

#include "tests/unit/unit.h"

/* The work of each process, with data of its own. */
typedef void (*process_work)(dorm_context *context, size_t number, void *own);
/* Lets `size` threads work at the same time; own [size] items of `bytes` each. */
void process_team_run(size_t size, process_work work, void *own, size_t bytes);

#endif
