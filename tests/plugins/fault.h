/* fault.h: the fault that a bad module has: the one that it was compiled with, as -DFAULT='"NAME"', or the one that the
 * environment names. */
#ifndef DORM_TESTS_FAULT_H
#define DORM_TESTS_FAULT_H

#include <stdlib.h>
#include <string.h>

#ifndef FAULT
#define FAULT getenv("DORM_TEST_FAULT")
#endif

static int has(const char *fault)
{
  const char *own = FAULT;
  return own && strcmp(own, fault) == 0;
}

#endif
