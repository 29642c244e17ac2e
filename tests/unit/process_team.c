/* process_team.c: the functions of dorm/processes.h for threads: each shows the others where its bytes are. */
#include "tests/unit/process_team.h"
#include "tests/unit/unit.h"

#include <pthread.h>

typedef struct process_team {
  size_t size;
  pthread_barrier_t barrier;
  const void **shown; /* [size] */
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  const void **mail; /* [size] bytes for each process that were not received yet, else NULL */
} process_team;

typedef struct member {
  process_team *team;
  size_t number;
  process_work work;
  void *own;
} member;

static int gather(void *user, const void *mine, const size_t *counts, void *all)
{
  member *me = user;
  process_team *team = me->team;
  char *to = all;
  team->shown[me->number] = mine;
  pthread_barrier_wait(&team->barrier);
  for (size_t i = 0; i < team->size; i++) {
    if (counts[i])
      memcpy(to, team->shown[i], counts[i]);
    to += counts[i];
  }
  pthread_barrier_wait(&team->barrier);
  return 0;
}

static int broadcast(void *user, size_t from, void *data, size_t bytes)
{
  member *me = user;
  process_team *team = me->team;
  if (me->number == from)
    team->shown[from] = data;
  pthread_barrier_wait(&team->barrier);
  if (me->number != from)
    memcpy(data, team->shown[from], bytes);
  pthread_barrier_wait(&team->barrier);
  return 0;
}

static int send_to(void *user, size_t to, const void *data, size_t bytes)
{
  process_team *team = ((member *)user)->team;
  (void)bytes;
  pthread_mutex_lock(&team->mutex);
  team->mail[to] = data;
  pthread_cond_broadcast(&team->changed);
  while (team->mail[to])
    pthread_cond_wait(&team->changed, &team->mutex);
  pthread_mutex_unlock(&team->mutex);
  return 0;
}

static int receive(void *user, size_t from, void *data, size_t bytes)
{
  member *me = user;
  process_team *team = me->team;
  (void)from;
  pthread_mutex_lock(&team->mutex);
  while (!team->mail[me->number])
    pthread_cond_wait(&team->changed, &team->mutex);
  memcpy(data, team->mail[me->number], bytes);
  team->mail[me->number] = NULL;
  pthread_cond_broadcast(&team->changed);
  pthread_mutex_unlock(&team->mutex);
  return 0;
}

static void *run(void *user)
{
  member *me = user;
  dorm_processes processes = {.struct_size = sizeof processes,
                              .user = me,
                              .size = me->team->size,
                              .number = me->number,
                              .gather = gather,
                              .broadcast = broadcast,
                              .send = send_to,
                              .receive = receive};
  DORM__OWNED(dorm_context) *context = dorm_context_new();
  if (!context || dorm_context_set_processes(context, &processes) != DORM_OK)
    abort();
  me->work(context, me->number, me->own);
  return NULL;
}

void process_team_run(size_t size, process_work work, void *own, size_t bytes)
{
  process_team team = {.size = size};
  pthread_t *threads = calloc(size, sizeof *threads);
  member *members = calloc(size, sizeof *members);
  team.shown = calloc(size, sizeof *team.shown);
  team.mail = calloc(size, sizeof *team.mail);
  CU_ASSERT_FATAL(threads && members && team.shown && team.mail);
  pthread_barrier_init(&team.barrier, NULL, (unsigned)size);
  pthread_mutex_init(&team.mutex, NULL);
  pthread_cond_init(&team.changed, NULL);
  for (size_t i = 0; i < size; i++) {
    members[i] = (member){.team = &team, .number = i, .work = work, .own = (char *)own + i * bytes};
    CU_ASSERT_FATAL(pthread_create(&threads[i], NULL, run, &members[i]) == 0);
  }
  for (size_t i = 0; i < size; i++)
    pthread_join(threads[i], NULL);
  pthread_barrier_destroy(&team.barrier);
  pthread_mutex_destroy(&team.mutex);
  pthread_cond_destroy(&team.changed);
  free(threads);
  free(members);
  free(team.shown);
  free(team.mail);
}
