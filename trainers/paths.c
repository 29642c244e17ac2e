/*
 * paths.c: trains several paths at the same time. Each path has a context, a job and a grid of its own, copies of those
 * of the calling thread but for the log, in which what the path says is recorded. The calling thread trains nothing: it
 * passes on what the paths have said, in the order of the paths, takes over their candidates as it comes to them, and
 * asks the caller's cancel function when a path asks whether it is cancelled.
 *
 * The threads are not those of OpenMP, so that a loop inside a path is the outermost one of its thread.
 */
#include "trainers/path.h"

#include <pthread.h>
#include <string.h>

/* Something that a path has said. */
typedef struct said {
  dorm_event_kind kind;
  dorm__trained trained; /* DORM_EVENT_CANDIDATE: owned; DORM_EVENT_ITERATION: only its field `candidate` is set */
  char *text;            /* otherwise */
} said;

typedef struct path_crew path_crew;

/* A path with all that the calling thread has, too. */
typedef struct path_run {
  path_crew *crew;
  size_t index;
  dorm_context context;
  dorm__job job;
  dorm__progress progress;
  dorm_training training; /* of the grid; each candidate stays in it only until it is said */
  dorm__grid grid;
  dorm__sink sink;
  /* the fields below: under the lock */
  said *said; /* [num_said] */
  size_t num_said, capacity, num_passed_on;
  bool lacks_memory; /* something could not be said */
  bool is_over;      /* done, or never begun because an earlier path failed */
  dorm_status status;
} path_run;

struct path_crew {
  dorm__path_function train;
  const void *user;
  size_t count;
  path_run *runs; /* [count] */
  pthread_mutex_t lock;
  pthread_cond_t has_news; /* for the calling thread */
  size_t next;             /* the first path that no thread has begun */
  size_t first_failed;     /* count: none */
  size_t num_asked;        /* questions of the paths that the cancel function has yet to answer */
  bool is_stopping;        /* what the cancel function said, or the calling thread failed */
};

/* ---- What the threads of paths do ------------------------------------------------ */

static bool copy_said(path_run *run, const dorm_event *event, said *made)
{
  *made = (said){.kind = event->kind};
  if (event->kind == DORM_EVENT_CANDIDATE)
    made->trained = run->training.trained[--run->training.num_trained];
  else if (event->kind == DORM_EVENT_ITERATION)
    made->trained.candidate = *event->candidate;
  else
    made->text = dorm__copy_text(event->text);
  return made->trained.candidate.reference || made->text;
}

/* The log of a path's context. */
static void record(void *user, const dorm_event *event)
{
  path_run *run = user;
  pthread_mutex_lock(&run->crew->lock);
  bool has_room = dorm__grow((void **)&run->said, &run->capacity, run->num_said + 1, sizeof *run->said);
  if (has_room && copy_said(run, event, &run->said[run->num_said]))
    run->num_said++;
  else
    run->lacks_memory = true;
  pthread_cond_signal(&run->crew->has_news);
  pthread_mutex_unlock(&run->crew->lock);
}

/* The cancel function of a path's context. The calling thread answers when it comes to it; until then its last answer
 * holds. */
static int is_cancelled(void *user)
{
  const path_run *run = user;
  path_crew *crew = run->crew;
  pthread_mutex_lock(&crew->lock);
  bool stops = crew->is_stopping || run->lacks_memory || run->index > crew->first_failed;
  crew->num_asked++;
  pthread_cond_signal(&crew->has_news);
  pthread_mutex_unlock(&crew->lock);
  return stops;
}

/* The next path to train; NULL where there is none, or an earlier one has failed. */
static path_run *begin_next(path_crew *crew)
{
  pthread_mutex_lock(&crew->lock);
  while (crew->next < crew->count && crew->next > crew->first_failed)
    crew->runs[crew->next++].is_over = true;
  path_run *run = crew->next < crew->count ? &crew->runs[crew->next++] : NULL;
  pthread_cond_signal(&crew->has_news);
  pthread_mutex_unlock(&crew->lock);
  return run;
}

static void end(path_run *run, dorm_status status)
{
  path_crew *crew = run->crew;
  pthread_mutex_lock(&crew->lock);
  run->status = run->lacks_memory ? dorm__out_of_memory(&run->context, "the candidates of a path") : status;
  run->is_over = true;
  if (run->status != DORM_OK && run->index < crew->first_failed)
    crew->first_failed = run->index;
  pthread_cond_signal(&crew->has_news);
  pthread_mutex_unlock(&crew->lock);
}

static void *train_paths(void *user)
{
  path_crew *crew = user;
  for (path_run *run = begin_next(crew); run; run = begin_next(crew))
    end(run, crew->train(&run->job, &run->sink, run->index, crew->user));
  return NULL;
}

/* ---- What the calling thread does --------------------------------------------------- */

static dorm_status pass_on(dorm__sink *sink, said *one)
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

/* Puts the questions of the paths to the cancel function, as often as they asked; called under the lock. */
static void answer(const dorm_context *context, path_crew *crew)
{
  for (; crew->num_asked; crew->num_asked--) {
    pthread_mutex_unlock(&crew->lock);
    bool stops = dorm__cancelled(context);
    pthread_mutex_lock(&crew->lock);
    crew->is_stopping = crew->is_stopping || stops;
  }
}

/* Waits until the path has something to be passed on, which becomes *one, or is over; returns false for the latter. */
static bool wait_for(const dorm_context *context, path_run *run, said *one)
{
  path_crew *crew = run->crew;
  pthread_mutex_lock(&crew->lock);
  answer(context, crew);
  while (run->num_passed_on == run->num_said && !run->is_over) {
    pthread_cond_wait(&crew->has_news, &crew->lock);
    answer(context, crew);
  }
  bool has_one = run->num_passed_on < run->num_said;
  if (has_one)
    *one = run->said[run->num_passed_on++];
  pthread_mutex_unlock(&crew->lock);
  return has_one;
}

static void stop(path_crew *crew)
{
  pthread_mutex_lock(&crew->lock);
  crew->is_stopping = true;
  pthread_mutex_unlock(&crew->lock);
}

/* Adds what a path counted; its passes and candidates were counted when they were passed on. */
static void add_counts(const path_run *run, dorm__sink *sink)
{
  dorm__progress *progress = sink->grid->progress;
  progress->is_limited = progress->is_limited || run->progress.is_limited;
  for (size_t i = 0; i < DORM__NUM_ORACLE_METHODS; i++) {
    progress->oracles.calls[i] += run->progress.oracles.calls[i];
    progress->oracle_seconds[i] += run->progress.oracle_seconds[i];
  }
  progress->oracles.unproved += run->progress.oracles.unproved;
  progress->num_cut += run->progress.num_cut;
  if (run->training.num_training_queries)
    sink->grid->training->num_training_queries = run->training.num_training_queries;
}

/* Passes on what all paths say, and returns how the first one that failed did. After a stop the candidates of the paths
 * behind it are passed on too, but with folds, whose sums belong to candidates by their places from the first one on;
 * after another failure the training has no result. */
static dorm_status follow(path_crew *crew, dorm__sink *sink)
{
  dorm_context *context = sink->job->context;
  dorm_status status = DORM_OK;
  bool goes_on = true;
  for (size_t i = 0; i < crew->count && goes_on; i++) {
    path_run *run = &crew->runs[i];
    dorm_status passed = DORM_OK;
    said one;
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
    stop(crew);
  return status;
}

static void open_run(path_crew *crew, const dorm__sink *sink, size_t index, path_run *run)
{
  run->crew = crew;
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

static void close_run(path_run *run)
{
  for (size_t i = run->num_passed_on; i < run->num_said; i++) {
    dorm__trained_clear(&run->said[i].trained);
    dorm__free(run->said[i].text);
  }
  dorm__free(run->said);
  while (run->training.num_trained)
    dorm__training_drop_last(&run->training);
  dorm__free(run->training.trained);
  dorm__sink_clear(&run->sink);
}

/* Trains the paths of the crew on threads of their own. Fewer of them than asked for are enough. */
static dorm_status run_crew(path_crew *crew, dorm__sink *sink)
{
  size_t most = sink->job->num_path_threads < crew->count ? sink->job->num_path_threads : crew->count;
  size_t num_threads = 0;
  pthread_t *threads = dorm__alloc(most, sizeof *threads);
  if (!threads)
    return dorm__out_of_memory(sink->job->context, "threads");
  while (num_threads < most && pthread_create(&threads[num_threads], NULL, train_paths, crew) == 0)
    num_threads++;
  dorm_status status = num_threads ? follow(crew, sink) : dorm__out_of_memory(sink->job->context, "a thread");
  for (size_t i = 0; i < num_threads; i++)
    pthread_join(threads[i], NULL);
  dorm__free(threads);
  return status;
}

dorm_status dorm__paths_train(const dorm__job *job, dorm__sink *sink, size_t count, dorm__path_function train,
                              const void *user)
{
  dorm_status in_turn = DORM_OK;
  if (job->num_path_threads == 1 || count < job->num_threads || count < 2) {
    for (size_t i = 0; in_turn == DORM_OK && i < count; i++)
      in_turn = train(job, sink, i, user);
    return in_turn;
  }
  path_crew crew = {.train = train,
                    .user = user,
                    .count = count,
                    .first_failed = count,
                    .is_stopping = dorm__cancelled(job->context)};
  crew.runs = dorm__alloc_zero(count, sizeof *crew.runs);
  if (!crew.runs)
    return dorm__out_of_memory(job->context, "paths");
  for (size_t i = 0; i < count; i++)
    open_run(&crew, sink, i, &crew.runs[i]);
  pthread_mutex_init(&crew.lock, NULL);
  pthread_cond_init(&crew.has_news, NULL);
  dorm_status status = run_crew(&crew, sink);
  for (size_t i = 0; i < count; i++)
    close_run(&crew.runs[i]);
  pthread_cond_destroy(&crew.has_news);
  pthread_mutex_destroy(&crew.lock);
  dorm__free(crew.runs);
  return status;
}
