/* mpi.c: the program dorm-mpi, whose processes MPI starts, as in `mpirun -n 4 dorm-mpi train ...`. No other file calls
 * MPI. All processes run the command. Only the first process writes files and prints. If the environment variable
 * DORM_MPI_COUNTS is set, the program prints at the end how often the processes met and how many bytes they
 * exchanged. */
#include "cli/cli.h"

#include <fcntl.h>
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The MPI state of this process. It is global because MPI is started once per process. */
typedef struct counted {
  unsigned long long calls, bytes;
} counted;

typedef struct world {
  dorm_processes table;
  int *numbers; /* [2][size] counts and offsets of a gather */
  int said;     /* pipe with the standard error of a process that does not print, else -1 */
  int errors;   /* the original standard error of such a process, else STDERR_FILENO */
  MPI_Comm end; /* on which the processes report their end */
  bool is_left; /* only the first process has work left, which may take long */
  counted gathers, broadcasts, sends;
} world;

static world here = {.said = -1, .errors = STDERR_FILENO};

static int count(counted *kind, size_t bytes, int result)
{
  kind->calls++;
  kind->bytes += bytes;
  return result == MPI_SUCCESS ? 0 : 1;
}

/* Gathers numbers of 8 bytes. MPI's offsets are ints, so numbers reach further than bytes. */
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

/* Redirects standard error to a pipe, which cli_agree prints. Text that exceeds the size of the pipe is lost. */
static bool write_aside(void)
{
  int ends[2];
  here.errors = dup(STDERR_FILENO);
  if (here.errors < 0 || !freopen("/dev/null", "w", stdout) || pipe(ends) != 0)
    return false;
  here.said = ends[0];
  bool is_good = fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0 && fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0;
  is_good = is_good && dup2(ends[1], STDERR_FILENO) >= 0;
  close(ends[1]);
  return is_good;
}

/* Whether Slurm started several tasks, each of which believes that it is the only process. */
static bool is_split(int size)
{
  const char *tasks = getenv("SLURM_NTASKS");
  return size == 1 && tasks && strtol(tasks, NULL, 10) > 1 && !getenv("OMPI_COMM_WORLD_SIZE") && !getenv("PMI_SIZE");
}

bool cli_processes_start(dorm_context *context, int *argc, char ***argv)
{
  int size = 1, number = 0, level = 0;
  if (MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS)
    return false;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &number);
  MPI_Comm_dup(MPI_COMM_WORLD, &here.end);
  if (is_split(size)) {
    cli_print(stderr, "dorm-mpi: Slurm has %s tasks, but MPI one process: start it by srun --mpi=pmix, or by mpirun\n",
              getenv("SLURM_NTASKS"));
    MPI_Finalize();
    exit(DORM_BAD_USAGE);
  }
  here.numbers = calloc(2 * (size_t)size, sizeof *here.numbers);
  here.table = (dorm_processes){.struct_size = sizeof here.table,
                                .user = &here,
                                .size = (size_t)size,
                                .number = (size_t)number,
                                .gather = gather,
                                .broadcast = broadcast,
                                .send = send_to,
                                .receive = receive_from};
  if (number && !write_aside())
    return false;
  return here.numbers && dorm_context_set_processes(context, &here.table) == DORM_OK;
}

bool cli_is_first(void)
{
  return here.table.number == 0;
}

enum { MOST_SAID = 4096 }; /* bytes printed of the message of a failed process */

/* Returns the text that this process, which does not print, has written to standard error since the last call. */
static void take_said(char text[MOST_SAID])
{
  char rest[256];
  ssize_t size = here.said >= 0 ? read(here.said, text, MOST_SAID - 1) : 0;
  text[size > 0 ? size : 0] = '\0';
  while (here.said >= 0 && read(here.said, rest, sizeof rest) > 0)
    continue;
}

dorm_status cli_agree(dorm_status status)
{
  char text[MOST_SAID] = "";
  int number = (int)here.table.number, lowest = 0, agreed = (int)status;
  int mine = status == DORM_OK ? INT_MAX : number;
  if (MPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD) != MPI_SUCCESS)
    return DORM_IO_ERROR;
  if (lowest == INT_MAX)
    return DORM_OK;
  if (lowest == number)
    take_said(text);
  if (MPI_Bcast(&agreed, 1, MPI_INT, lowest, MPI_COMM_WORLD) != MPI_SUCCESS ||
      MPI_Bcast(text, sizeof text, MPI_CHAR, lowest, MPI_COMM_WORLD) != MPI_SUCCESS)
    return DORM_IO_ERROR;
  if (cli_is_first())
    fputs(text, stderr); /* empty for the first process, which has printed it */
  return (dorm_status)agreed;
}

void cli_processes_leave(dorm_context *context)
{
  here.is_left = true;
  dorm_context_set_processes(context, NULL);
}

/* Prints the failure of this process and ends all others, which wait in a call that this process has left. */
static void end_all(int status)
{
  char text[MOST_SAID];
  take_said(text);
  dprintf(here.errors, "%sdorm-mpi: process %zu of %zu failed alone (exit code %d) and ends the others\n", text,
          here.table.number + 1, here.table.size, status);
  MPI_Abort(MPI_COMM_WORLD, status);
}

/* Waits until all processes have ended. A process that failed ends all of them after 10 s, because they would have
 * learned of its failure within moments if they could. */
static void meet_at_end(int status)
{
  static const struct timespec moment = {.tv_nsec = 10000000};
  enum { MOMENTS = 1000 }; /* 10 s in all */
  MPI_Request request;
  int have_come = 0;
  if (MPI_Ibarrier(here.end, &request) != MPI_SUCCESS)
    return;
  bool is_patient = status == DORM_OK || status == DORM_STOPPED || here.is_left;
  for (int i = 0; !have_come && (is_patient || i < MOMENTS); i++)
    if (MPI_Test(&request, &have_come, MPI_STATUS_IGNORE) == MPI_SUCCESS && !have_come)
      nanosleep(&moment, NULL);
  if (!have_come)
    end_all(status);
}

void cli_processes_end(int status)
{
  meet_at_end(status);
  if (cli_is_first() && getenv("DORM_MPI_COUNTS"))
    fprintf(stderr,
            "dorm-mpi: gathers %llu calls %llu bytes, broadcasts %llu calls %llu bytes, sends %llu calls %llu bytes\n",
            here.gathers.calls, here.gathers.bytes, here.broadcasts.calls, here.broadcasts.bytes, here.sends.calls,
            here.sends.bytes);
  free(here.numbers);
  MPI_Comm_free(&here.end);
  MPI_Finalize();
}
