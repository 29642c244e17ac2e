/*
 * storage_bench.c: the two steps of storage.sh, of which command.sh takes the second.
 *
 *   storage_bench make QUERIES FOLDER FILE     writes a cache of QUERIES queries of 120 documents with 136 features,
 * uniform in [0, 1); labels 0 to 4 follow a linear target with noise. Its values stand in a file while they are made,
 * so that memory does not limit the size. storage_bench run COMMAND...        runs a command, and prints its seconds,
 * its processor seconds and the peak of its resident memory in MB
 */
#include "base/file_memory.h"
#include "base/random.h"
#include "data/data.h"
#include "data/dataset.h"

#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { DOCS = 120, FEATURES = 136, MOST_DIGITS = 24 };

static const double noise = 0.5;

/* The values of a row, and its label. */
static double fill_row(dorm__random *random, const double *weights, float *row)
{
  static const double least[] = {0.3, 0.8, 1.2, 1.7}; /* of labels 1 to 4, in standard deviations of the target */
  double target = noise * dorm__random_normal(random), label = 0;
  for (size_t f = 0; f < FEATURES; f++) {
    row[f] = (float)dorm__random_uniform(random);
    target += weights[f] * ((double)row[f] - 0.5);
  }
  for (size_t i = 0; i < sizeof least / sizeof *least; i++)
    label += target >= least[i];
  return label;
}

/* The values stand in a file in `folder` while they are made. */
static dorm_status fill(dorm_context *context, const char *folder, dorm_dataset *made)
{
  double weights[FEATURES];
  dorm__random random;
  dorm__random_seed(&random, 1);
  for (size_t f = 0; f < FEATURES; f++) {
    weights[f] = 0.25 * dorm__random_normal(&random);
    made->feature_ids[f] = f + 1;
  }
  dorm_status status =
      dorm__file_memory_new(context, folder, made->num_docs * FEATURES * sizeof *made->values, &made->file);
  if (status != DORM_OK)
    return status;
  made->values = dorm__file_memory_bytes(made->file);
  for (size_t j = 0; j < made->num_docs; j++) {
    float *row = made->values + j * FEATURES;
    dorm__file_memory_fill(made->file, row, FEATURES * sizeof *row);
    made->labels[j] = fill_row(&random, weights, row);
  }
  for (size_t q = 0, end = 1; q < made->num_queries; q++) {
    made->query_start[q + 1] = (q + 1) * DOCS;
    made->query_texts[q] = end;
    end += (size_t)snprintf(made->texts + end, MOST_DIGITS, "%zu", q + 1) + 1;
  }
  return DORM_OK;
}

static int make(size_t num_queries, const char *folder, const char *path)
{
  dorm_context *context = dorm_context_new();
  dorm_dataset *made = NULL;
  dorm_status status = dorm__dataset_new_without_values(context, "storage_bench", num_queries * DOCS, num_queries,
                                                        FEATURES, num_queries * MOST_DIGITS, false, &made);
  if (status == DORM_OK)
    status = fill(context, folder, made);
  if (status == DORM_OK)
    status = dorm_dataset_write_cache(context, made, path);
  if (status != DORM_OK)
    fprintf(stderr, "storage_bench: %s\n", dorm_context_message(context));
  dorm_dataset_free(made);
  dorm_context_free(context);
  return status == DORM_OK ? 0 : 1;
}

static double seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int run(char **command)
{
  struct rusage usage;
  int status = 1;
  double begin = seconds();
  pid_t child;
  if (posix_spawnp(&child, *command, NULL, NULL, command, environ) != 0 || wait4(child, &status, 0, &usage) < 0)
    return 1;
  double processor = (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
                     1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  printf("%.4f %.4f %.0f\n", seconds() - begin, processor, (double)usage.ru_maxrss / 1024);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
  if (argc == 5 && strcmp(argv[1], "make") == 0)
    return make((size_t)strtoull(argv[2], NULL, 10), argv[3], argv[4]);
  if (argc > 2 && strcmp(argv[1], "run") == 0)
    return run(argv + 2);
  fprintf(stderr, "usage: storage_bench make QUERIES FOLDER FILE | run COMMAND...\n");
  return 1;
}
