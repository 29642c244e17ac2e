/* alone.c: the program `dorm`, which is one process. mpi.c has the same functions for dorm-mpi. */
#include "cli/cli.h"

const char *cli_program(void)
{
  return "dorm";
}

bool cli_processes_start(dorm_context *context, int *argc, char ***argv)
{
  (void)context;
  (void)argc;
  (void)argv;
  return true;
}

bool cli_is_first(void)
{
  return true;
}

dorm_status cli_agree(dorm_status status)
{
  return status;
}

void cli_processes_leave(dorm_context *context)
{
  (void)context;
}

void cli_processes_end(int status)
{
  (void)status;
}
