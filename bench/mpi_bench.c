/*
 * mpi_bench.c: what training by several processes sends and costs, without MPI: the processes are forked, and reach
 * each other by memory that they share. It counts the calls of the table in dorm/processes.h, which are the same
 * whatever carries them.
 *
 *   mpi_bench [-c C] [-g SHARDS] [-G GAP] [-r] FILE PROCESSESxTHREADS...
 *
 * FILE is LETOR text; -r only reads it. There is one line for each PROCESSESxTHREADS:
 *
 *   passes   of the candidate with the largest C, over the data
 *   words    gathers of one word of each process, which say how its work goes
 *   moves    gathers of the moves of all shards, one for each sweep and sequential pass (and step along a sweep)
 *   others   all other calls
 *   bytes    that a process received in training, in all; bytes/move: in a gather of moves
 *   read, train   seconds;  score, oracle, qp   parts of the convex problem, per thread, of process 0
 *   word, move   microseconds that the fastest gather of each kind took, in which nobody waited for the others
 *   share    MB of the arrays of the largest share;  rss   MB that a process has grown by at most, after reading and in
 * all
 */
#include <dorm/dorm.h>
#include <getopt.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_PROCESSES = 64, SLOT_SIZE = 1 << 16, LARGEST_WORD = 64 };

/* The report of one process at its end. */
typedef struct process_figures {
  size_t num_words, num_moves, num_others;
  double move_bytes, bytes;
  double least_word, least_move; /* seconds */
  double read, train;
  double share, rss_read, rss_all;
  size_t num_features;
  dorm_certificate certificate;
} process_figures;

/* Memory that all processes see. */
typedef struct meeting {
  pthread_barrier_t barrier;
  process_figures figures[MOST_PROCESSES];
  char slots[MOST_PROCESSES][SLOT_SIZE];
} meeting;

typedef struct bench_process {
  meeting *meeting;
  size_t size, number;
  process_figures own;
  size_t least_move; /* bytes of a gather of moves */
} bench_process;

static double seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double peak_megabytes(void)
{
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)usage.ru_maxrss / 1024;
}

/* ---- Calls ----------------------------------------------------------------------------- */

static void note_gather(bench_process *process, size_t largest, size_t total, double took)
{
  process_figures *own = &process->own;
  if (largest <= LARGEST_WORD) {
    own->num_words++;
    own->least_word = fmin(own->least_word, took);
  } else if (process->least_move && total >= process->least_move) {
    own->num_moves++;
    own->move_bytes += (double)total;
    own->least_move = fmin(own->least_move, took);
  } else
    own->num_others++;
  own->bytes += (double)total;
}

static int gather(void *user, const void *mine, const size_t *counts, void *all)
{
  bench_process *process = user;
  meeting *shared = process->meeting;
  size_t largest = 0, total = 0;
  for (size_t i = 0; i < process->size; i++) {
    largest = counts[i] > largest ? counts[i] : largest;
    total += counts[i];
  }
  double started = seconds();
  for (size_t from = 0; from < largest; from += SLOT_SIZE) {
    size_t own = counts[process->number] > from ? counts[process->number] - from : 0;
    if (own)
      memcpy(shared->slots[process->number], (const char *)mine + from, own < SLOT_SIZE ? own : SLOT_SIZE);
    pthread_barrier_wait(&shared->barrier);
    char *to = all;
    for (size_t i = 0; i < process->size; to += counts[i++]) {
      size_t left = counts[i] > from ? counts[i] - from : 0;
      if (left)
        memcpy(to + from, shared->slots[i], left < SLOT_SIZE ? left : SLOT_SIZE);
    }
    pthread_barrier_wait(&shared->barrier);
  }
  note_gather(process, largest, total, seconds() - started);
  return 0;
}

/* Hands bytes from one process to another, or to all. */
static int hand_over(bench_process *process, size_t from, void *data, size_t bytes)
{
  meeting *shared = process->meeting;
  for (size_t done = 0; done < bytes; done += SLOT_SIZE) {
    size_t count = bytes - done < SLOT_SIZE ? bytes - done : SLOT_SIZE;
    if (process->number == from)
      memcpy(shared->slots[from], (char *)data + done, count);
    pthread_barrier_wait(&shared->barrier);
    if (process->number != from)
      memcpy((char *)data + done, shared->slots[from], count);
    pthread_barrier_wait(&shared->barrier);
  }
  return 0;
}

static int broadcast(void *user, size_t from, void *data, size_t bytes)
{
  bench_process *process = user;
  process->own.num_others++;
  process->own.bytes += (double)bytes;
  return hand_over(process, from, data, bytes);
}

/* A message from one process to the next goes through a pipe of its own. */
static int pipes[MOST_PROCESSES][2];

static int send_to(void *user, size_t to, const void *data, size_t bytes)
{
  bench_process *process = user;
  process->own.num_others++;
  for (size_t done = 0; done < bytes;) {
    ssize_t count = write(pipes[to][1], (const char *)data + done, bytes - done);
    if (count <= 0)
      return 1;
    done += (size_t)count;
  }
  return 0;
}

static int receive(void *user, size_t from, void *data, size_t bytes)
{
  bench_process *process = user;
  (void)from;
  process->own.num_others++;
  process->own.bytes += (double)bytes;
  for (size_t done = 0; done < bytes;) {
    ssize_t count = read(pipes[process->number][0], (char *)data + done, bytes - done);
    if (count <= 0)
      return 1;
    done += (size_t)count;
  }
  return 0;
}

/* ---- One process ------------------------------------------------------------------------- */

typedef struct bench_options {
  const char *path, *C, *gap;
  size_t num_shards;
  bool only_reads;
} bench_options;

static void stop(const dorm_context *context)
{
  fprintf(stderr, "mpi_bench: %s\n", dorm_context_message(context));
  _exit(1);
}

static void train(dorm_context *context, const bench_options *options, size_t num_threads, dorm_dataset *dataset,
                  process_figures *own)
{
  char threads[24], shards[24];
  snprintf(threads, sizeof threads, "%zu", num_threads);
  snprintf(shards, sizeof shards, "%zu", options->num_shards);
  const char *const pairs[][2] = {
      {"loss.name", "ndcg@10"},  {"data.rank_block", "0"},     {"ranking.reference", "mu:1"},
      {"ranking.rounds", "1"},   {"solver.threads", threads},  {"solver.C", options->C},
      {"solver.shards", shards}, {"solver.gap", options->gap}, {"training.trainer", "svm"}};
  dorm_settings *settings = NULL;
  dorm_training *training = NULL;
  if (dorm_settings_new(context, &settings) != DORM_OK)
    stop(context);
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    if (dorm_settings_set(context, settings, pairs[i][0], pairs[i][1]) != DORM_OK)
      stop(context);
  double started = seconds();
  if (dorm_train_consuming(context, settings, dataset, NULL, &training) != DORM_OK)
    stop(context);
  own->train = seconds() - started;
  own->certificate = dorm_training_candidate(training, dorm_training_num_candidates(training) - 1)->certificate;
  dorm_training_free(training);
  dorm_settings_free(settings);
}

static void work(const bench_options *options, size_t num_threads, bench_process *process)
{
  dorm_processes processes = {.struct_size = sizeof processes,
                              .user = process,
                              .size = process->size,
                              .number = process->number,
                              .gather = gather,
                              .broadcast = broadcast,
                              .send = send_to,
                              .receive = receive};
  dorm_read_options reading = {
      .struct_size = sizeof reading, .num_threads = num_threads, .num_shards = options->num_shards};
  dorm_context *context = dorm_context_new();
  dorm_dataset *dataset = NULL;
  process_figures *own = &process->own;
  if (!context || dorm_context_set_processes(context, &processes) != DORM_OK)
    stop(context);
  double before = peak_megabytes();
  double started = seconds();
  if (dorm_dataset_read_with(context, options->path, &reading, &dataset) != DORM_OK)
    stop(context);
  own->read = seconds() - started;
  own->num_features = dorm_dataset_num_features(dataset);
  /* values, labels, and the places of texts */
  own->share = (double)dorm_dataset_num_docs(dataset) * (4 * (double)own->num_features + 16) / 1e6;
  own->rss_read = peak_megabytes() - before;
  own->num_words = own->num_moves = own->num_others = 0;
  own->bytes = own->move_bytes = 0;
  own->least_word = own->least_move = INFINITY;
  process->least_move = options->num_shards * own->num_features * sizeof(double);
  if (!options->only_reads)
    train(context, options, num_threads, dataset, own);
  own->rss_all = peak_megabytes() - before;
  process->meeting->figures[process->number] = *own;
  dorm_dataset_free(dataset);
  dorm_context_free(context);
}

/* ---- All of them ---------------------------------------------------------------------------- */

static void print_line(const bench_options *options, size_t size, size_t threads, const process_figures *figures)
{
  double share = 0, rss_read = 0, rss_all = 0;
  const process_figures *own = &figures[0];
  for (size_t i = 0; i < size; i++) {
    share = fmax(share, figures[i].share);
    rss_read = fmax(rss_read, figures[i].rss_read);
    rss_all = fmax(rss_all, figures[i].rss_all);
  }
  printf("%zu\t%zu\t%zu\t%zu\t%zu\t%zu\t%zu\t%.0f\t%.0f", size, threads, options->num_shards,
         own->certificate.iterations, own->num_words, own->num_moves, own->num_others, own->bytes,
         own->num_moves ? own->move_bytes / (double)own->num_moves : 0);
  printf("\t%.1f\t%.1f", isfinite(own->least_word) ? 1e6 * own->least_word : 0,
         isfinite(own->least_move) ? 1e6 * own->least_move : 0);
  printf("\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\t%.1f\t%.1f\t%.1f\n", own->read, own->train, own->certificate.score_seconds,
         own->certificate.oracle_seconds, own->certificate.qp_seconds, share, rss_read, rss_all);
  fflush(stdout);
}

static bool run(const bench_options *options, size_t size, size_t threads)
{
  meeting *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_barrierattr_t attributes;
  bool is_good = shared != MAP_FAILED;
  if (!is_good)
    return false;
  pthread_barrierattr_init(&attributes);
  pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(&shared->barrier, &attributes, (unsigned)size);
  for (size_t i = 0; i < size; i++)
    is_good = pipe(pipes[i]) == 0 && is_good;
  for (size_t i = 0; is_good && i < size; i++)
    if (fork() == 0) {
      work(options, threads, &(bench_process){.meeting = shared, .size = size, .number = i});
      _exit(0);
    }
  for (size_t i = 0; is_good && i < size; i++) {
    int status = 0;
    is_good = wait(&status) > 0 && status == 0;
  }
  if (is_good)
    print_line(options, size, threads, shared->figures);
  for (size_t i = 0; i < size; i++) {
    close(pipes[i][0]);
    close(pipes[i][1]);
  }
  munmap(shared, sizeof *shared);
  return is_good;
}

int main(int argc, char **argv)
{
  bench_options options = {.C = "1", .gap = "0.001", .num_shards = 8};
  int option;
  while ((option = getopt(argc, argv, "c:g:G:r")) != -1) {
    if (option == 'c')
      options.C = optarg;
    else if (option == 'G')
      options.gap = optarg;
    else if (option == 'g' && atol(optarg) > 0)
      options.num_shards = (size_t)atol(optarg);
    else if (option == 'r')
      options.only_reads = true;
    else
      return 2;
  }
  if (argc - optind < 2)
    return 2;
  options.path = argv[optind];
  dorm_set_blas_threads(1);
  printf("processes\tthreads\tshards\tpasses\twords\tmoves\tothers\tbytes\tbytes/"
         "move\tword\tmove\tread\ttrain\tscore\toracle\tqp\t"
         "share\trss_read\trss_all\n");
  fflush(stdout);
  for (int i = optind + 1; i < argc; i++) {
    size_t size = 0, threads = 0;
    char rest;
    if (sscanf(argv[i], "%zux%zu%c", &size, &threads, &rest) != 2 || !size || size > MOST_PROCESSES || !threads)
      return 2;
    if (!run(&options, size, threads))
      return 1;
  }
  return 0;
}
