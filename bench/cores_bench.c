/*
 * cores_bench.c: how reading, training and scoring gain from threads.
 *
 *   cores_bench [QUERIES DOCS FEATURES [THREADS [TASK]]]     default: 6000 120 136, one thread for each processor, all
 *                                                           tasks; TASK is part of names, as in svm or reading
 *
 * Each task runs on 1, 2, 4 ... THREADS threads, RUNS times in turn. A line has, of the fastest run,
 *
 *   seconds   on the wall
 *   speed-up  seconds on one thread / seconds
 *   work      processor seconds of all threads / those on one thread: what threads do in vain is above 1
 *   serial    the share of all work that the first thread did and no other shared, in percent. Waiting threads sleep
 *             (OMP_WAIT_POLICY=passive, which the program sets), so a processor second is work; n threads that share
 *             work evenly each do as much of it as one of the others did on average. So the first thread's other
 *             seconds were alone. Noise of other programs on the machine does not enter.
 *   16, 64    the speed-up on so many cores that Amdahl's law gives with this share
 *
 * and training of the structured SVM also the waits of threads for each other and the seconds of joining (certificate).
 * Data are artificial, as by `dorm generate`.
 */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "dorm/dorm.h"

enum { RUNS = 3, MOST_THREADS = 1024 };

typedef struct bench {
  dorm_context *context;
  dorm_dataset *dataset;
  dorm_model *model; /* of the last training */
  double *scores;    /* [documents] */
  char path[64];     /* of the data as text */
  char scores_path[64];
  dorm_certificate certificate; /* of the last training by the structured SVM */
} bench;

/* Something to do on some threads. */
typedef struct bench_task {
  const char *name;
  void (*run)(bench *made, const struct bench_task *task, size_t num_threads);
  const char *settings[6][2];
} bench_task;

/* Processor seconds of the first thread and of all others together, and seconds on the wall. */
typedef struct spent {
  double wall, first, others;
} spent;

static void fail(const char *message)
{
  fprintf(stderr, "cores_bench: %s\n", message);
  exit(1);
}

static void need(const bench *made, dorm_status status)
{
  if (status != DORM_OK)
    fail(dorm_context_message(made->context));
}

/* ---- Tasks ------------------------------------------------------------------------------ */

static dorm_dataset *read_data(bench *made, size_t num_threads)
{
  dorm_read_options options = {.struct_size = sizeof options, .num_threads = num_threads};
  dorm_dataset *dataset = NULL;
  need(made, dorm_dataset_read_with(made->context, made->path, &options, &dataset));
  return dataset;
}

static void read_text(bench *made, const bench_task *task, size_t num_threads)
{
  (void)task;
  dorm_dataset_free(read_data(made, num_threads));
}

/* Does what `dorm predict` does. */
static void predict(bench *made, const bench_task *task, size_t num_threads)
{
  dorm_dataset *dataset = read_data(made, num_threads);
  (void)task;
  need(made, dorm_model_score(made->context, made->model, dataset, num_threads, made->scores));
  need(made, dorm_scores_write(made->context, made->scores_path, dorm_dataset_num_docs(dataset), made->scores));
  dorm_dataset_free(dataset);
}

/* Does what `dorm eval` does with scores of `predict`. */
static void evaluate(bench *made, const bench_task *task, size_t num_threads)
{
  dorm_dataset *dataset = read_data(made, num_threads);
  dorm_evaluation evaluation = {.struct_size = sizeof evaluation};
  (void)task;
  need(made, dorm_scores_read(made->context, made->scores_path, dorm_dataset_num_docs(dataset), made->scores));
  need(made, dorm_evaluate(made->context, "ndcg@10", dataset, made->scores, NULL, &evaluation));
  dorm_dataset_free(dataset);
}

static void train(bench *made, const bench_task *task, size_t num_threads)
{
  char threads[24];
  dorm_settings *settings = NULL;
  dorm_training *training = NULL;
  snprintf(threads, sizeof threads, "%zu", num_threads);
  need(made, dorm_settings_new(made->context, &settings));
  need(made, dorm_settings_set(made->context, settings, "solver.threads", threads));
  for (size_t i = 0; i < sizeof task->settings / sizeof *task->settings && task->settings[i][0]; i++)
    need(made, dorm_settings_set(made->context, settings, task->settings[i][0], task->settings[i][1]));
  need(made, dorm_train(made->context, settings, made->dataset, NULL, &training));
  size_t last = dorm_training_num_candidates(training) - 1;
  made->certificate = dorm_training_candidate(training, last)->certificate;
  dorm_model_free(made->model);
  made->model = dorm_training_take_model(training);
  dorm_training_free(training);
  dorm_settings_free(settings);
}

static void score(bench *made, const bench_task *task, size_t num_threads)
{
  (void)task;
  need(made, dorm_model_score(made->context, made->model, made->dataset, num_threads, made->scores));
}

static const bench_task tasks[] = {
    {"reading", read_text, {{NULL, NULL}}},
    {"svm", train, {{"training.trainer", "svm"}, {"solver.C", "10"}, {"ranking.reference", "mu:1"}}},
    {"scoring, svm", score, {{NULL, NULL}}},
    {"predict, svm", predict, {{NULL, NULL}}},
    {"eval, svm", evaluate, {{NULL, NULL}}},
    {"net", train, {{"training.trainer", "net"}, {"net.hidden", "10"}, {"net.epochs", "10"}}},
    {"scoring, net", score, {{NULL, NULL}}},
    {"trees", train, {{"training.trainer", "trees"}, {"trees.trees", "30"}, {"trees.leaves", "10"}}},
    {"scoring, trees", score, {{NULL, NULL}}},
};

/* ---- Figures ---------------------------------------------------------------------------- */

static double processor_seconds(clockid_t clock)
{
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static spent run_once(bench *made, const bench_task *task, size_t num_threads)
{
  double wall = dorm__seconds(), first = processor_seconds(CLOCK_THREAD_CPUTIME_ID);
  double all = processor_seconds(CLOCK_PROCESS_CPUTIME_ID);
  task->run(made, task, num_threads);
  first = processor_seconds(CLOCK_THREAD_CPUTIME_ID) - first;
  return (spent){.wall = dorm__seconds() - wall,
                 .first = first,
                 .others = processor_seconds(CLOCK_PROCESS_CPUTIME_ID) - all - first};
}

static double serial_share(const spent *run, size_t num_threads)
{
  return fmax(0, run->first - run->others / (double)(num_threads - 1)) / (run->first + run->others);
}

static double amdahl(double serial, double num_cores)
{
  return 1 / (serial + (1 - serial) / num_cores);
}

static void print_line(const bench *made, const bench_task *task, size_t num_threads, const spent *run,
                       const spent *alone)
{
  double seconds = run->first + run->others;
  printf("%-15s %7zu %9.3f %9.2f %6.2f", task->name, num_threads, run->wall, alone->wall / run->wall,
         seconds / (alone->first + alone->others));
  if (num_threads > 1) {
    double serial = serial_share(run, num_threads);
    printf(" %7.1f %6.1f %6.1f", 100 * serial, amdahl(serial, 16), amdahl(serial, 64));
  } else
    printf(" %7s %6s %6s", "", "", "");
  if (strcmp(task->name, "svm") == 0)
    printf("  %zu passes, %zu waits, %.4f s of joining", made->certificate.iterations, made->certificate.num_barriers,
           made->certificate.join_seconds);
  printf("\n");
  fflush(stdout);
}

static void measure(bench *made, const bench_task *task, size_t most_threads)
{
  spent alone = {.wall = INFINITY};
  for (size_t num_threads = 1; num_threads <= most_threads; num_threads *= 2) {
    spent best = {.wall = INFINITY};
    for (size_t i = 0; i < RUNS; i++) {
      spent run = run_once(made, task, num_threads);
      best = run.wall < best.wall ? run : best;
    }
    alone = num_threads == 1 ? best : alone;
    print_line(made, task, num_threads, &best, &alone);
  }
}

/* ---- Main ------------------------------------------------------------------------------- */

static void open_bench(bench *made, const size_t sizes[3])
{
  dorm_artificial parameters = {.struct_size = sizeof parameters,
                                .num_queries = sizes[0],
                                .docs_per_query = sizes[1],
                                .num_features = sizes[2],
                                .noise = 0.3,
                                .model_seed = 1,
                                .data_seed = 1};
  *made = (bench){.context = dorm_context_new()};
  snprintf(made->path, sizeof made->path, "cores_bench.%ld.txt", (long)getpid());
  snprintf(made->scores_path, sizeof made->scores_path, "cores_bench.%ld.scores", (long)getpid());
  if (!made->context)
    fail("out of memory");
  need(made, dorm_dataset_generate_artificial(made->context, &parameters, &made->dataset));
  need(made, dorm_dataset_write(made->context, made->dataset, made->path));
  made->scores = dorm__alloc_zero(sizes[0] * sizes[1], sizeof *made->scores);
  if (!made->scores)
    fail("out of memory");
}

static void close_bench(bench *made)
{
  remove(made->path);
  remove(made->scores_path);
  dorm__free(made->scores);
  dorm_model_free(made->model);
  dorm_dataset_free(made->dataset);
  dorm_context_free(made->context);
}

int main(int argc, char **argv)
{
  size_t sizes[4] = {6000, 120, 136, (size_t)omp_get_num_procs()};
  bench made;
  if (!getenv("OMP_WAIT_POLICY")) { /* read when the program starts */
    setenv("OMP_WAIT_POLICY", "passive", 1);
    execv("/proc/self/exe", argv);
  }
  for (int i = 1; i < argc && i <= 4; i++)
    sizes[i - 1] = strtoul(argv[i], NULL, 10);
  const char *wanted = argc > 5 ? argv[5] : "";
  if (!sizes[0] || !sizes[1] || !sizes[2] || !sizes[3] || sizes[3] > MOST_THREADS)
    fail("usage: cores_bench [QUERIES DOCS FEATURES [THREADS [TASK]]], each number 1 or more");
  dorm_set_blas_threads(1);
  open_bench(&made, sizes);
  printf("%zu queries of %zu documents, %zu features; %d processors; the fastest of %d runs\n", sizes[0], sizes[1],
         sizes[2], omp_get_num_procs(), RUNS);
  printf("%-15s %7s %9s %9s %6s %7s %6s %6s\n", "task", "threads", "seconds", "speed-up", "work", "serial", "16", "64");
  for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++)
    if (strstr(tasks[i].name, wanted))
      measure(&made, &tasks[i], sizes[3]);
  close_bench(&made);
  return 0;
}
