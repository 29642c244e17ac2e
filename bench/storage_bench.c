/*
 * storage_bench.c: makes data and measures commands for storage.sh and scale.sh. command.sh uses only `run`.
 *
 *   storage_bench make QUERIES FOLDER FILE
 *       Writes a cache of QUERIES queries of 120 documents with 136 features, uniform in [0, 1). Labels 0 to 4 follow
 *       a linear target with noise. While dorm makes the values, they are in an unnamed file in FOLDER, so that memory
 *       does not limit the size.
 *
 *   storage_bench text QUERIES FILE
 *       Writes the same data as LETOR text. Each value is cut off after six digits.
 *
 *   storage_bench run COMMAND...
 *       Runs a command, and prints its seconds, its processor seconds and the peak of its resident memory in MB. Exits
 *       with the status of the command, with 255 if a signal ended it, or with 1 if it could not be started.
 */
#include "base/file.h"
#include "base/random.h"
#include "data/data.h"
#include "data/dataset.h"

#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { DOCS = 120, FEATURES = 136, MOST_DIGITS = 24 };

static const double noise = 0.5;

/* Fills row [FEATURES] with random values. Returns the label of the row, by weights [FEATURES] of the target. */
static double fill_row(dorm__random *random, const double *weights, float *row)
{
  static const double least[] = {0.3, 0.8, 1.2,
                                 1.7}; /* least targets of labels 1 to 4; a target's deviation is about 1 */
  double target = noise * dorm__random_normal(random), label = 0;
  for (size_t f = 0; f < FEATURES; f++) {
    row[f] = (float)dorm__random_uniform(random);
    target += weights[f] * ((double)row[f] - 0.5);
  }
  for (size_t i = 0; i < sizeof least / sizeof *least; i++)
    label += target >= least[i];
  return label;
}

/* Seeds `random`, so that `make` and `text` draw the same data, and draws weights [FEATURES] of the target. */
static void begin_rows(dorm__random *random, double *weights)
{
  dorm__random_seed(random, 1);
  for (size_t f = 0; f < FEATURES; f++)
    weights[f] = 0.25 * dorm__random_normal(random);
}

/* Fills a data set that has no values yet. Its values are in an unnamed file in `folder`. */
static dorm_status fill(dorm_context *context, const char *folder, dorm_dataset *made)
{
  double weights[FEATURES];
  dorm__random random;
  begin_rows(&random, weights);
  for (size_t f = 0; f < FEATURES; f++)
    made->feature_ids[f] = f + 1;
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
  dorm_status status =
      dorm__dataset_new_without_values(context, "storage_bench",
                                       &(const dorm__dataset_sizes){num_queries * DOCS, num_queries, FEATURES,
                                                                    num_queries * MOST_DIGITS, false, 0, NULL},
                                       &made);
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

/* Writes " ID:0.DDDDDD" to `at`, which has room for MOST_DIGITS characters, and returns the end. The value is from 0 to
 * 1. Faster than printf. */
static char *put_value(char *at, size_t id, double value)
{
  char digits[MOST_DIGITS];
  size_t count = 0;
  unsigned long millionths = (unsigned long)fmin(1e6 * value, 999999);
  for (; count < 6; count++, millionths /= 10)
    digits[count] = (char)('0' + millionths % 10);
  digits[count++] = '.';
  digits[count++] = '0';
  digits[count++] = ':';
  for (; id; id /= 10)
    digits[count++] = (char)('0' + id % 10);
  *at++ = ' ';
  while (count)
    *at++ = digits[--count];
  return at;
}

static int write_text(size_t num_queries, const char *path)
{
  FILE *file = fopen(path, "w");
  if (!file) {
    perror(path);
    return 1;
  }
  double weights[FEATURES];
  float row[FEATURES];
  char line[FEATURES * MOST_DIGITS + 1];
  dorm__random random;
  begin_rows(&random, weights);
  for (size_t j = 0; j < num_queries * DOCS; j++) {
    fprintf(file, "%.0f qid:%zu", fill_row(&random, weights, row), j / DOCS + 1);
    char *end = line;
    for (size_t f = 0; f < FEATURES; f++)
      end = put_value(end, f + 1, (double)row[f]);
    *end++ = '\n';
    fwrite(line, 1, (size_t)(end - line), file);
  }
  bool failed = ferror(file) != 0;
  if (fclose(file) != 0 || failed) {
    perror(path);
    return 1;
  }
  return 0;
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
  return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

int main(int argc, char **argv)
{
  if (argc == 5 && strcmp(argv[1], "make") == 0)
    return make((size_t)strtoull(argv[2], NULL, 10), argv[3], argv[4]);
  if (argc == 4 && strcmp(argv[1], "text") == 0)
    return write_text((size_t)strtoull(argv[2], NULL, 10), argv[3]);
  if (argc > 2 && strcmp(argv[1], "run") == 0)
    return run(argv + 2);
  fprintf(stderr, "usage: storage_bench make QUERIES FOLDER FILE | text QUERIES FILE | run COMMAND...\n");
  return 1;
}
