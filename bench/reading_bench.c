/*
 * reading_bench.c: measures how fast a data set is read. The first file is LETOR
 * text, and the others hold the same data (gzip, caches). Speeds are in megabytes of
 * that text per second, the medians of several readings that take turns. Each reading
 * has a process of its own, which also gives its peak of memory.
 *
 *   reading_bench REPEATS TEXT [SAME-DATA]...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "data/data.h"
#include "dorm/dorm.h"

enum { MOST_FILES = 16, MOST_RUNS = 99, MOST_THREADS = 2 };

typedef struct measurement {
  double seconds;
  double peak;  /* bytes */
  double floor; /* bytes of the values, as a dense matrix or as entries */
} measurement;

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static measurement read_once(const char *path, size_t num_threads)
{
  measurement taken = {0};
  dorm_context *context = dorm_context_new();
  dorm_dataset *dataset = NULL;
  dorm_read_options options = {.struct_size = sizeof options, .num_threads = num_threads};
  double start = now();
  if (!context || dorm_dataset_read_with(context, path, &options, &dataset) != DORM_OK) {
    fprintf(stderr, "%s\n", context ? dorm_context_message(context) : "out of memory");
    exit(1);
  }
  taken.seconds = now() - start;
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  taken.peak = 1024.0 * (double)usage.ru_maxrss;
  taken.floor = 4.0 * (double)dorm_dataset_num_docs(dataset) * (double)dorm_dataset_num_features(dataset);
  dorm_dataset_free(dataset);
  dorm_context_free(context);
  return taken;
}

static measurement read_in_a_process(const char *path, size_t num_threads)
{
  measurement taken = {0};
  int ends[2];
  if (pipe(ends) != 0)
    exit(1);
  pid_t child = fork();
  if (child == 0) {
    taken = read_once(path, num_threads);
    _exit(write(ends[1], &taken, sizeof taken) == (ssize_t)sizeof taken ? 0 : 1);
  }
  close(ends[1]);
  if (child < 0 || read(ends[0], &taken, sizeof taken) != (ssize_t)sizeof taken)
    exit(1);
  close(ends[0]);
  waitpid(child, NULL, 0);
  return taken;
}

static int compare(const void *x, const void *y)
{
  double a = *(const double *)x;
  double b = *(const double *)y;
  return (a > b) - (a < b);
}

int main(int argc, char **argv)
{
  static double seconds[MOST_FILES][MOST_THREADS][MOST_RUNS];
  static measurement last[MOST_FILES][MOST_THREADS];
  struct stat about;
  int num_runs = argc > 1 ? atoi(argv[1]) : 0;
  int num_files = argc - 2;
  if (num_runs < 1 || num_runs > MOST_RUNS || num_files < 1 || num_files > MOST_FILES || stat(argv[2], &about) != 0) {
    fprintf(stderr, "usage: reading_bench REPEATS TEXT [SAME-DATA]...\n");
    return 2;
  }
  for (int run = 0; run < num_runs; run++)
    for (int i = 0; i < num_files; i++)
      for (int t = 0; t < MOST_THREADS; t++) {
        last[i][t] = read_in_a_process(argv[2 + i], (size_t)t + 1);
        seconds[i][t][run] = last[i][t].seconds;
      }
  double megabytes = (double)about.st_size / 1e6;
  double text_seconds = 0;
  printf("%-28s %7s %9s %8s %12s %10s %8s\n", "file", "threads", "seconds", "MB/s", "x text on 2", "peak MB",
         "/ dense");
  for (int t = MOST_THREADS; t-- > 0;)
    for (int i = 0; i < num_files; i++) {
      qsort(seconds[i][t], (size_t)num_runs, sizeof(double), compare);
      double median = seconds[i][t][num_runs / 2];
      if (i == 0 && t == MOST_THREADS - 1)
        text_seconds = median;
      printf("%-28s %7d %9.4f %8.0f %12.2f %10.1f %8.3f\n", argv[2 + i], t + 1, median, megabytes / median,
             text_seconds / median, last[i][t].peak / 1e6, last[i][t].peak / last[i][t].floor);
    }
  return 0;
}
