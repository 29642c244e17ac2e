/*
 * parallel.c: makes several runs at the same time. Each run has its own copy of the calling thread's context, job and
 * grid, with a log that keeps the messages of the run. The calling thread trains nothing. It passes on the messages in
 * the order of the runs, takes over their candidates in turn, and calls the caller's cancel function when a run asks
 * whether it is cancelled.
 *
 * The threads are not OpenMP's, so that a loop inside a run is the outermost one of its thread.
 */
#include "trainers/trainers.h"

#include <pthread.h>
#include <string.h>

/* A message for the log. */
typedef struct message {
  dorm_event_kind kind;
  dorm__trained
      trained; /* owned, for DORM_EVENT_CANDIDATE; for DORM_EVENT_ITERATION only its field `candidate` is set */
  char *text;  /* the name of the candidate for DORM_EVENT_ITERATION, otherwise the text */
} message;

typedef struct run_team run_team;

/* A run with copies of the calling thread's objects. */
typedef struct run_state {
  run_team *team;
  size_t index;
  dorm_context context;
  dorm__job job;
  dorm__progress progress;
  dorm_training training; /* of the grid; candidates wait here until their event is queued */
  dorm__grid grid;
  dorm__sink sink;
  /* The fields below are under the lock. */
  message *messages; /* [num_messages] */
  size_t num_messages, capacity, num_passed_on;
  bool lacks_memory; /* a message was lost */
  bool is_over;      /* done, or never begun because an earlier run failed */
  dorm_status status;
} run_state;

struct run_team {
  dorm__run_function train;
  const void *user;
  size_t count;
  run_state *runs; /* [count] */
  pthread_mutex_t lock;
  pthread_cond_t has_news; /* for the calling thread */
  size_t next;             /* the first run that no thread has begun */
  size_t first_failed;     /* `count` if none */
  size_t num_asked;        /* questions of the runs that the cancel function has yet to answer */
  bool is_stopping;        /* the cancel function returned true, or the calling thread failed */
};

/* ---- Threads of runs ------------------------------------------------ */

static bool copy_message(run_state *run, const dorm_event *event, message *made)
{
  *made = (message){.kind = event->kind};
  if (event->kind == DORM_EVENT_CANDIDATE)
    made->trained = run->training.trained[--run->training.num_trained];
  else
    made->text = dorm__copy_text(event->kind == DORM_EVENT_ITERATION ? event->candidate->reference : event->text);
  if (event->kind == DORM_EVENT_ITERATION) {
    made->trained.candidate = *event->candidate;
    made->trained.candidate.reference = made->text;
  }
  return event->kind == DORM_EVENT_CANDIDATE || made->text;
}

/* The log of a run's context. */
static void record(void *user, const dorm_event *event)
{
  run_state *run = user;
  pthread_mutex_lock(&run->team->lock);
  bool has_room = DORM__GROW(run->messages, run->capacity, run->num_messages + 1);
  if (has_room && copy_message(run, event, &run->messages[run->num_messages]))
    run->num_messages++;
  else
    run->lacks_memory = true;
  pthread_cond_signal(&run->team->has_news);
  pthread_mutex_unlock(&run->team->lock);
}

/* Is the cancel function of a run's context. The calling thread answers later. Until then its last answer holds. */
static int is_cancelled(void *user)
{
  const run_state *run = user;
  run_team *team = run->team;
  pthread_mutex_lock(&team->lock);
  bool stops = team->is_stopping || run->lacks_memory || run->index > team->first_failed;
  team->num_asked++;
  pthread_cond_signal(&team->has_news);
  pthread_mutex_unlock(&team->lock);
  return stops;
}

/* Returns the next run to train, or NULL if there is none or an earlier one has failed. */
static run_state *begin_next(run_team *team)
{
  pthread_mutex_lock(&team->lock);
  while (team->next < team->count && team->next > team->first_failed)
    team->runs[team->next++].is_over = true;
  run_state *run = team->next < team->count ? &team->runs[team->next++] : NULL;
  pthread_cond_signal(&team->has_news);
  pthread_mutex_unlock(&team->lock);
  return run;
}

static void end(run_state *run, dorm_status status)
{
  run_team *team = run->team;
  pthread_mutex_lock(&team->lock);
  run->status = run->lacks_memory ? dorm__out_of_memory(&run->context, "the candidates of a run") : status;
  run->is_over = true;
  if (run->status != DORM_OK && run->index < team->first_failed)
    team->first_failed = run->index;
  pthread_cond_signal(&team->has_news);
  pthread_mutex_unlock(&team->lock);
}

static void *work(void *user)
{
  run_team *team = user;
  for (run_state *run = begin_next(team); run; run = begin_next(team))
    end(run, team->train(&run->job, &run->sink, run->index, team->user));
  return NULL;
}

/* ---- The calling thread --------------------------------------------------- */

static dorm_status pass_on(dorm__sink *sink, message *one)
{
  dorm_status status = DORM_OK;
  if (one->kind == DORM_EVENT_CANDIDATE)
    status = dorm__sink_adopt(sink, &one->trained);
  else if (one->kind == DORM_EVENT_ITERATION)
    dorm__sink_report_pass(sink, &one->trained.candidate);
  else
    dorm__log(sink->job->context, &(dorm_event){.kind = one->kind, .text = one->text});
  dorm__free(one->text);
  return status;
}

/* Calls the cancel function once for each question of the runs. Called under the lock. */
static void answer(const dorm_context *context, run_team *team)
{
  for (; team->num_asked; team->num_asked--) {
    pthread_mutex_unlock(&team->lock);
    bool stops = dorm__cancelled(context);
    pthread_mutex_lock(&team->lock);
    team->is_stopping = team->is_stopping || stops;
  }
}

/* Waits until the run has a message, which becomes *one, or is over. Returns false if it is over. */
static bool wait_for(const dorm_context *context, run_state *run, message *one)
{
  run_team *team = run->team;
  pthread_mutex_lock(&team->lock);
  answer(context, team);
  while (run->num_passed_on == run->num_messages && !run->is_over) {
    pthread_cond_wait(&team->has_news, &team->lock);
    answer(context, team);
  }
  bool has_one = run->num_passed_on < run->num_messages;
  if (has_one)
    *one = run->messages[run->num_passed_on++];
  pthread_mutex_unlock(&team->lock);
  return has_one;
}

static void stop(run_team *team)
{
  pthread_mutex_lock(&team->lock);
  team->is_stopping = true;
  pthread_mutex_unlock(&team->lock);
}

/* Adds the counts of a run, except for passes and candidates, which were counted when they were passed on. */
static void add_counts(const run_state *run, dorm__sink *sink)
{
  dorm__progress *progress = sink->grid->progress;
  progress->is_limited = progress->is_limited || run->progress.is_limited;
  for (size_t i = 0; i < DORM__NUM_ORACLE_METHODS; i++) {
    progress->oracles.calls[i] += run->progress.oracles.calls[i];
    progress->oracle_seconds[i] += run->progress.oracle_seconds[i];
  }
  progress->oracles.unproved += run->progress.oracles.unproved;
  for (size_t i = 0; i < DORM__NUM_BUDGETS; i++)
    progress->spent[i].num_cut += run->progress.spent[i].num_cut;
  if (run->training.num_training_queries)
    sink->grid->training->num_training_queries = run->training.num_training_queries;
}

/* Passes on the messages of all runs, and returns the status of the first failure. After a stop, also passes on the
 * candidates of later runs. In folds it does not, because the sums of folds belong to candidates by number, without
 * gaps. After another failure the training has no result. */
static dorm_status follow(run_team *team, dorm__sink *sink)
{
  dorm_context *context = sink->job->context;
  dorm_status status = DORM_OK;
  bool goes_on = true;
  for (size_t i = 0; i < team->count && goes_on; i++) {
    run_state *run = &team->runs[i];
    dorm_status passed = DORM_OK;
    message one;
    while (passed == DORM_OK && wait_for(context, run, &one))
      passed = pass_on(sink, &one);
    if (passed == DORM_OK)
      add_counts(run, sink);
    if (passed != DORM_OK)
      status = passed;
    else if (status == DORM_OK && run->status != DORM_OK)
      status = dorm__fail(context, run->status, "%s", run->context.message);
    goes_on = status == DORM_OK || (status == DORM_STOPPED && !sink->job->num_folds);
  }
  if (status != DORM_OK)
    stop(team);
  return status;
}

static void open_run(run_team *team, const dorm__sink *sink, size_t index, run_state *run)
{
  run->team = team;
  run->index = index;
  run->context = (dorm_context){.log = record, .log_user = run, .cancel = is_cancelled, .cancel_user = run};
  run->job = *sink->job;
  run->job.context = &run->context;
  run->job.num_threads = 1;
  run->progress.num_passes = sink->grid->progress->num_passes;
  run->grid = *sink->grid;
  run->grid.progress = &run->progress;
  run->grid.training = &run->training;
  run->sink =
      (dorm__sink){.job = &run->job, .grid = &run->grid, .num_before = sink->grid->training->num_trained + index};
}

static void close_run(run_state *run)
{
  for (size_t i = run->num_passed_on; i < run->num_messages; i++) {
    dorm__trained_clear(&run->messages[i].trained);
    dorm__free(run->messages[i].text);
  }
  dorm__free(run->messages);
  while (run->training.num_trained)
    dorm__training_drop_last(&run->training);
  dorm__free(run->training.trained);
  dorm__sink_clear(&run->sink);
}

/* Trains the runs of the team on threads of their own. If the system starts fewer threads, those train all runs. */
static dorm_status train_team(run_team *team, dorm__sink *sink)
{
  size_t most = sink->job->num_run_threads < team->count ? sink->job->num_run_threads : team->count;
  size_t num_threads = 0;
  DORM__FREED pthread_t *threads = dorm__alloc(most, sizeof *threads);
  if (!threads)
    return dorm__out_of_memory(sink->job->context, "threads");
  while (num_threads < most && pthread_create(&threads[num_threads], NULL, work, team) == 0)
    num_threads++;
  dorm_status status = num_threads ? follow(team, sink) : dorm__out_of_memory(sink->job->context, "a thread");
  for (size_t i = 0; i < num_threads; i++)
    pthread_join(threads[i], NULL);
  return status;
}

dorm_status dorm__parallel_train(const dorm__job *job, dorm__sink *sink, size_t count, dorm__run_function train,
                                 const void *user)
{
  dorm_status in_turn = DORM_OK;
  if (job->num_run_threads == 1 || count < job->num_threads || count < 2) {
    for (size_t i = 0; in_turn == DORM_OK && i < count; i++)
      in_turn = train(job, sink, i, user);
    return in_turn;
  }
  run_team team = {.train = train,
                   .user = user,
                   .count = count,
                   .first_failed = count,
                   .is_stopping = dorm__cancelled(job->context)};
  team.runs = dorm__alloc_zero(count, sizeof *team.runs);
  if (!team.runs)
    return dorm__out_of_memory(job->context, "runs");
  for (size_t i = 0; i < count; i++)
    open_run(&team, sink, i, &team.runs[i]);
  pthread_mutex_init(&team.lock, NULL);
  pthread_cond_init(&team.has_news, NULL);
  dorm_status status = train_team(&team, sink);
  for (size_t i = 0; i < count; i++)
    close_run(&team.runs[i]);
  pthread_cond_destroy(&team.has_news);
  pthread_mutex_destroy(&team.lock);
  dorm__free(team.runs);
  return status;
}
