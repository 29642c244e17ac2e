/* end.c: how the program ends: after a command, at a failure, or because the system has no more memory or threads. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The command that runs. */
static struct {
  dorm_context *context;
  pid_t process; /* this process while the command runs, else 0 */
} running;

void cli_run_out(const char *sentence)
{
  ssize_t written = write(STDERR_FILENO, sentence, strlen(sentence));
  _exit(written < 0 ? DORM_IO_ERROR : DORM_OUT_OF_MEMORY);
}

/* Corrects the exit code 1 of libgomp, which calls exit(1) if it cannot create a thread. For dorm, 1 means that
 * training was stopped. */
static void check_exit(void)
{
  if (running.process == getpid())
    cli_run_out("dorm: a library ended the process, as libgomp does if the system makes no more threads: lower "
                "solver.threads or --threads\n");
}

void cli_begin(dorm_context *context)
{
  running.context = context;
  running.process = getpid();
  atexit(check_exit);
}

void cli_end(int status)
{
  dorm_context_free(running.context);
  running.process = 0;
  status = cli_flush(status); /* before MPI may end this process */
  cli_processes_end(status);
  exit(status);
}

void cli_check(const dorm_context *context, dorm_status status)
{
  if (status != DORM_OK)
    cli_end(cli_failure(context, status));
}

void cli_expect(int status)
{
  if (status != DORM_OK)
    cli_end(status);
}

void *cli_alloc(size_t count, size_t size)
{
  void *made = calloc(count ? count : 1, size);
  if (!made)
    cli_end(cli_out_of_memory());
  return made;
}
