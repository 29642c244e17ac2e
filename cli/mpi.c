/*
 * mpi.c: the program dorm-mpi, whose processes MPI starts, as in `mpirun -n 4 dorm-mpi train ...`. This is the only
 * file that calls MPI. All processes run the command; the first one alone writes files and prints. With the variable
 * DORM_MPI_COUNTS in the environment it says at the end how often the processes met, and how many bytes they handed to
 * one another.
 */
#include "cli/cli.h"

#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

/* The one MPI of this process: MPI itself is started once for a process, and so are these. */
typedef struct counted {
  unsigned long long calls, bytes;
} counted;

typedef struct world {
  dorm_processes table;
  int *numbers; /* [2][size] counts and offsets of a gather */
  counted gathers, broadcasts, sends;
} world;

static world here;

static int count(counted *kind, size_t bytes, int result)
{
  kind->calls++;
  kind->bytes += bytes;
  return result == MPI_SUCCESS ? 0 : 1;
}

/* The offsets of MPI are ints; numbers of 8 bytes reach further than bytes. */
static int gather(void *user, const void *mine, const size_t *counts, void *all)
{
  world *meeting = user;
  size_t size = meeting->table.size, total = 0, unit = 8;
  int *lengths = meeting->numbers, *offsets = meeting->numbers + size;
  for (size_t i = 0; i < size; i++)
    unit = counts[i] % 8 ? 1 : unit;
  for (size_t i = 0; i < size; i++) {
    if (total / unit > INT_MAX || counts[i] / unit > INT_MAX)
      return 1;
    lengths[i] = (int)(counts[i] / unit);
    offsets[i] = (int)(total / unit);
    total += counts[i];
  }
  MPI_Datatype type = unit == 8 ? MPI_UINT64_T : MPI_BYTE;
  return count(&meeting->gathers, total,
               MPI_Allgatherv(mine, lengths[meeting->table.number], type, all, lengths, offsets, type, MPI_COMM_WORLD));
}

enum { MOST_AT_ONCE = 1 << 30 }; /* bytes of one message */

static int broadcast(void *user, size_t from, void *data, size_t bytes)
{
  world *meeting = user;
  int failed = count(&meeting->broadcasts, bytes, MPI_SUCCESS);
  for (size_t at = 0; at < bytes && !failed; at += MOST_AT_ONCE) {
    int size = (int)(bytes - at < MOST_AT_ONCE ? bytes - at : MOST_AT_ONCE);
    failed = MPI_Bcast((char *)data + at, size, MPI_BYTE, (int)from, MPI_COMM_WORLD) != MPI_SUCCESS;
  }
  return failed;
}

static int send_to(void *user, size_t to, const void *data, size_t bytes)
{
  world *meeting = user;
  int failed = count(&meeting->sends, bytes, MPI_SUCCESS);
  for (size_t at = 0; at < bytes && !failed; at += MOST_AT_ONCE) {
    int size = (int)(bytes - at < MOST_AT_ONCE ? bytes - at : MOST_AT_ONCE);
    failed = MPI_Send((const char *)data + at, size, MPI_BYTE, (int)to, 0, MPI_COMM_WORLD) != MPI_SUCCESS;
  }
  return failed;
}

static int receive_from(void *user, size_t from, void *data, size_t bytes)
{
  int failed = 0;
  (void)user;
  for (size_t at = 0; at < bytes && !failed; at += MOST_AT_ONCE) {
    int size = (int)(bytes - at < MOST_AT_ONCE ? bytes - at : MOST_AT_ONCE);
    failed =
        MPI_Recv((char *)data + at, size, MPI_BYTE, (int)from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) != MPI_SUCCESS;
  }
  return failed;
}

const char *cli_program(void)
{
  return "dorm-mpi";
}

bool cli_processes_start(dorm_context *context, int *argc, char ***argv)
{
  int size = 1, number = 0, level = 0;
  if (MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS)
    return false;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &number);
  here.numbers = calloc(2 * (size_t)size, sizeof *here.numbers);
  here.table = (dorm_processes){.struct_size = sizeof here.table,
                                .user = &here,
                                .size = (size_t)size,
                                .number = (size_t)number,
                                .gather = gather,
                                .broadcast = broadcast,
                                .send = send_to,
                                .receive = receive_from};
  if (number && (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)))
    return false;
  return here.numbers && dorm_context_set_processes(context, &here.table) == DORM_OK;
}

bool cli_is_first(void)
{
  return here.table.number == 0;
}

dorm_status cli_as_first(dorm_status status)
{
  int first = (int)status;
  return MPI_Bcast(&first, 1, MPI_INT, 0, MPI_COMM_WORLD) == MPI_SUCCESS ? (dorm_status)first : DORM_IO_ERROR;
}

void cli_processes_leave(dorm_context *context)
{
  dorm_context_set_processes(context, NULL);
}

void cli_processes_end(void)
{
  if (cli_is_first() && getenv("DORM_MPI_COUNTS"))
    fprintf(stderr,
            "dorm-mpi: gathers %llu calls %llu bytes, broadcasts %llu calls %llu bytes, sends %llu calls %llu bytes\n",
            here.gathers.calls, here.gathers.bytes, here.broadcasts.calls, here.broadcasts.bytes, here.sends.calls,
            here.sends.bytes);
  free(here.numbers);
  MPI_Finalize();
}
