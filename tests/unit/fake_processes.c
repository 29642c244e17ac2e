/* fake_processes.c: a table of dorm_processes over threads that meet at barriers. */
#include "tests/unit/fake_processes.h"
#include "tests/unit/unit.h"

#include <pthread.h>
#include <string.h>

enum { MOST = 8 };

/* What the threads share. */
typedef struct meeting {
  size_t size;
  pthread_barrier_t barrier;
  const void *given[MOST]; /* by each process */
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  const void *parcel[MOST]; /* for each process; NULL: none */
} meeting;

typedef struct member {
  meeting *all;
  size_t number;
  fake_process work;
  void *user;
} member;

static int gather(void *user, const void *mine, const size_t *counts, void *all)
{
  member *self = user;
  char *to = all;
  self->all->given[self->number] = mine;
  pthread_barrier_wait(&self->all->barrier);
  for (size_t i = 0; i < self->all->size; i++) {
    if (counts[i])
      memcpy(to, self->all->given[i], counts[i]);
    to += counts[i];
  }
  pthread_barrier_wait(&self->all->barrier);
  return 0;
}

static int broadcast(void *user, size_t from, void *data, size_t bytes)
{
  member *self = user;
  self->all->given[self->number] = data;
  pthread_barrier_wait(&self->all->barrier);
  if (self->number != from)
    memcpy(data, self->all->given[from], bytes);
  pthread_barrier_wait(&self->all->barrier);
  return 0;
}

static int send_to(void *user, size_t to, const void *data, size_t bytes)
{
  meeting *all = ((member *)user)->all;
  (void)bytes;
  pthread_mutex_lock(&all->mutex);
  all->parcel[to] = data;
  pthread_cond_broadcast(&all->changed);
  while (all->parcel[to])
    pthread_cond_wait(&all->changed, &all->mutex);
  pthread_mutex_unlock(&all->mutex);
  return 0;
}

static int receive_from(void *user, size_t from, void *data, size_t bytes)
{
  member *self = user;
  meeting *all = self->all;
  (void)from;
  pthread_mutex_lock(&all->mutex);
  while (!all->parcel[self->number])
    pthread_cond_wait(&all->changed, &all->mutex);
  memcpy(data, all->parcel[self->number], bytes);
  all->parcel[self->number] = NULL;
  pthread_cond_broadcast(&all->changed);
  pthread_mutex_unlock(&all->mutex);
  return 0;
}

static void *run(void *user)
{
  member *self = user;
  DORM__OWNED(dorm_context) *context = dorm_context_new();
  dorm_processes table = {.struct_size = sizeof table,
                          .user = self,
                          .size = self->all->size,
                          .number = self->number,
                          .gather = gather,
                          .broadcast = broadcast,
                          .send = send_to,
                          .receive = receive_from};
  if (context && dorm_context_set_processes(context, &table) == DORM_OK)
    self->work(context, self->number, self->user);
  return NULL;
}

void fake_processes_run(size_t size, fake_process work, void *user)
{
  meeting all = {.size = size};
  pthread_t threads[MOST];
  member members[MOST];
  CU_ASSERT_FATAL(size <= MOST);
  pthread_barrier_init(&all.barrier, NULL, (unsigned)size);
  pthread_mutex_init(&all.mutex, NULL);
  pthread_cond_init(&all.changed, NULL);
  for (size_t i = 0; i < size; i++) {
    members[i] = (member){&all, i, work, user};
    CU_ASSERT_FATAL(pthread_create(&threads[i], NULL, run, &members[i]) == 0);
  }
  for (size_t i = 0; i < size; i++)
    pthread_join(threads[i], NULL);
  pthread_barrier_destroy(&all.barrier);
  pthread_mutex_destroy(&all.mutex);
  pthread_cond_destroy(&all.changed);
}
