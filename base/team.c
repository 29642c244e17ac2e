/* team.c: finds the first failing item of a loop that several threads share, for any number of threads. */
#include "base/team.h"

#include <omp.h>
#include <string.h>

/* One thread's first failure. */
typedef struct member {
  dorm_context context;
  size_t item; /* or SIZE_MAX if none failed */
  dorm_status status;
  char message[DORM__MESSAGE_SIZE]; /* of that item (the context's message may belong to a later one) */
} member;

enum { MOST_THREADS = 1024 };

size_t dorm__threads_for(size_t asked)
{
  int processors = omp_get_num_procs(), most = omp_get_max_threads();
  if (asked)
    return asked < MOST_THREADS ? asked : MOST_THREADS;
  return (size_t)(processors < most ? processors : most);
}

struct dorm__team {
  size_t least_failed; /* of all threads, accessed atomically */
  size_t num_threads;
  member *members; /* [num_threads] */
};

static void reset(dorm__team *team)
{
  team->least_failed = SIZE_MAX;
  for (size_t i = 0; i < team->num_threads; i++)
    team->members[i].item = SIZE_MAX;
}

dorm_status dorm__team_new(dorm_context *context, size_t num_threads, const char *what, dorm__team **team)
{
  *team = NULL;
  dorm__team *made = dorm__alloc_zero(1, sizeof *made);
  if (made)
    *made = (dorm__team){.num_threads = num_threads, .members = dorm__alloc_zero(num_threads, sizeof *made->members)};
  bool is_whole = made && made->members;
  if (is_whole)
    reset(made);
  return DORM__GIVE(is_whole ? DORM_OK : dorm__out_of_memory(context, what), team, made, dorm__team_free);
}

dorm_context *dorm__team_context(dorm__team *team)
{
  return &team->members[omp_get_thread_num()].context;
}

bool dorm__team_skips(const dorm__team *team, size_t item)
{
  size_t least;
#pragma omp atomic read
  least = team->least_failed;
  return least < item;
}

void dorm__team_note(dorm__team *team, size_t item, dorm_status status)
{
  member *mine = &team->members[omp_get_thread_num()];
  if (status == DORM_OK || item >= mine->item)
    return;
  mine->item = item;
  mine->status = status;
  memcpy(mine->message, mine->context.message, sizeof mine->message);
#pragma omp critical(dorm__team)
  if (item < team->least_failed) {
#pragma omp atomic write
    team->least_failed = item;
  }
}

dorm_status dorm__team_settle(dorm_context *context, dorm__team *team)
{
  const member *first = NULL;
  if (!team)
    return DORM_OK;
  for (size_t i = 0; i < team->num_threads; i++)
    if (team->members[i].item != SIZE_MAX && team->members[i].item == team->least_failed)
      first = &team->members[i];
  dorm_status status = first ? dorm__fail(context, first->status, "%s", first->message) : DORM_OK;
  reset(team);
  return status;
}

void dorm__team_free(dorm__team *team)
{
  if (team)
    dorm__free(team->members);
  dorm__free(team);
}

dorm_status dorm__team_end(dorm_context *context, dorm__team *team)
{
  dorm_status status = dorm__team_settle(context, team);
  dorm__team_free(team);
  return status;
}
