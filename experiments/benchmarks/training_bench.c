/*
 * training_bench.c: what a training costs, phase by phase.
 *
 *   training_bench [-c C] [-g GAP] [-n RUNS] DATA...
 *
 * DATA is a LETOR file, or QUERIESxDOCSxFEATURES for artificial data made in
 * memory. Each is trained with one and with two threads: NDCG@10, c the loss's
 * own, reference mu:1, one round, one C. A line a data set and thread count
 * with medians over the runs, in seconds:
 *
 *   read     the text (files only)
 *   product  one matrix-vector product over all rows, the measure of the rest
 *   start    features and the ridge start
 *   score, oracle, qp, solve   the convex problem, of `passes` oracle passes
 *   times    solve / product
 */
#include <getopt.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "data/data.h"

enum { MOST_RUNS = 25, NUM_FIGURES = 7 };

typedef struct bench_run {
  dorm_context *context;
  const char *C;
  const char *gap;
  size_t num_runs;
  size_t threads;
} bench_run;

typedef struct progress {
  double start_seconds;
  dorm_certificate certificate;
} progress;

static void stop(const dorm_context *context)
{
  fprintf(stderr, "training_bench: %s\n", dorm_context_message(context));
  exit(1);
}

static void watch(void *user, const dorm_event *event)
{
  progress *seen = user;
  if (event->kind != DORM_EVENT_CANDIDATE)
    return;
  if (event->candidate->round == 0)
    seen->start_seconds = event->seconds;
  else
    seen->certificate = event->candidate->certificate;
}

static int compare_doubles(const void *x, const void *y)
{
  double one = *(const double *)x;
  double two = *(const double *)y;
  return (one > two) - (one < two);
}

static double median(double *values, size_t count)
{
  qsort(values, count, sizeof *values, compare_doubles);
  return values[count / 2];
}

static dorm_dataset *make_data(const bench_run *bench, const char *name, size_t num_threads, double *seconds)
{
  dorm_artificial parameters = {.noise = 0.3, .model_seed = 1, .data_seed = 1};
  dorm_dataset *dataset = NULL;
  char rest;
  double started = dorm__seconds();
  dorm_status status;
  if (sscanf(name, "%zux%zux%zu%c", &parameters.num_queries, &parameters.docs_per_query, &parameters.num_features,
             &rest) == 3) {
    status = dorm_dataset_generate_artificial(bench->context, &parameters, &dataset);
    started = dorm__seconds() + NAN; /* nothing was read */
  } else {
    dorm_read_options options = {.num_threads = num_threads};
    status = dorm_dataset_read_with(bench->context, name, &options, &dataset);
  }
  if (status != DORM_OK)
    stop(bench->context);
  *seconds = dorm__seconds() - started;
  return dataset;
}

/* One product of all rows with a vector, rows in parallel. */
static double time_product(const bench_run *bench, const dorm_dataset *dataset, size_t num_threads)
{
  dorm_settings *settings = NULL;
  dorm__feature_map map = {0};
  dorm__features features = {0};
  if (dorm_settings_new(bench->context, &settings) != DORM_OK ||
      dorm__feature_map_new(bench->context, settings, dataset, &map) != DORM_OK ||
      dorm__features_build(bench->context, dataset, &map, num_threads, &features) != DORM_OK)
    stop(bench->context);
  double *x = dorm__alloc_zero(features.num_features, sizeof *x);
  double *scores = dorm__alloc(features.num_docs, sizeof *scores);
  double seconds[MOST_RUNS];
  for (size_t run = 0; x && scores && run < MOST_RUNS; run++) {
    double started = dorm__seconds();
#pragma omp parallel for schedule(static) num_threads((int)num_threads)
    for (size_t q = 0; q < dataset->num_queries; q++)
      dorm__features_score(&features, dataset->query_start[q], dataset->query_start[q + 1] - dataset->query_start[q], x,
                           scores + dataset->query_start[q]);
    seconds[run] = dorm__seconds() - started;
  }
  dorm__free(x);
  dorm__free(scores);
  dorm__features_free(&features);
  dorm__feature_map_clear(&map);
  dorm_settings_free(settings);
  return median(seconds, MOST_RUNS);
}

static void train_once(const bench_run *bench, dorm_dataset *dataset, size_t num_threads, progress *seen)
{
  char threads[24];
  snprintf(threads, sizeof threads, "%zu", num_threads);
  const char *const pairs[][2] = {{"loss.name", "ndcg@10"},  {"data.rank_block", "0"},    {"ranking.reference", "mu:1"},
                                  {"ranking.rounds", "1"},   {"solver.threads", threads}, {"solver.C", bench->C},
                                  {"solver.gap", bench->gap}};
  dorm_settings *settings = NULL;
  dorm_training *training = NULL;
  if (dorm_settings_new(bench->context, &settings) != DORM_OK)
    stop(bench->context);
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    if (dorm_settings_set(bench->context, settings, pairs[i][0], pairs[i][1]) != DORM_OK)
      stop(bench->context);
  dorm_context_set_log(bench->context, watch, seen);
  if (dorm_train_consuming(bench->context, settings, dataset, NULL, &training) != DORM_OK)
    stop(bench->context);
  dorm_training_free(training);
  dorm_settings_free(settings);
}

static void measure(const bench_run *bench, const char *name, size_t num_threads)
{
  double figures[NUM_FIGURES][MOST_RUNS];
  progress seen = {0};
  double product = 0;
  for (size_t run = 0; run < bench->num_runs; run++) {
    dorm_dataset *dataset = make_data(bench, name, num_threads, &figures[0][run]);
    if (run == 0)
      product = time_product(bench, dataset, num_threads);
    train_once(bench, dataset, num_threads, &seen);
    const dorm_certificate *certificate = &seen.certificate;
    const double measured[] = {seen.start_seconds, certificate->score_seconds, certificate->oracle_seconds,
                               certificate->qp_seconds, certificate->seconds};
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++)
      figures[1 + i][run] = measured[i];
    dorm_dataset_free(dataset);
  }
  double medians[NUM_FIGURES];
  for (size_t i = 0; i < 6; i++)
    medians[i] = median(figures[i], bench->num_runs);
  printf("%s\t%zu\t%s\t%zu\t%.2e\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.1f\n", name, num_threads, bench->C,
         seen.certificate.iterations, seen.certificate.gap, medians[0], product, medians[1], medians[2], medians[3],
         medians[4], medians[5], medians[5] / product);
  fflush(stdout);
}

int main(int argc, char **argv)
{
  bench_run bench = {.context = dorm_context_new(), .C = "10", .gap = "0.001", .num_runs = 3};
  int option;
  while ((option = getopt(argc, argv, "c:g:n:t:")) != -1) {
    if (option == 'c')
      bench.C = optarg;
    else if (option == 'g')
      bench.gap = optarg;
    else if (option == 't')
      bench.threads = (size_t)atol(optarg);
    else if (option == 'n' && atol(optarg) >= 1 && atol(optarg) <= MOST_RUNS)
      bench.num_runs = (size_t)atol(optarg);
    else
      return 2;
  }
  if (!bench.context || optind == argc)
    return 2;
  dorm_set_blas_threads(1);
  printf("data\tthreads\tC\tpasses\tgap\tread\tproduct\tstart\tscore\toracle\tqp\tsolve\ttimes\n");
  for (int i = optind; i < argc; i++)
    for (size_t threads = 1; threads <= 2; threads++)
      if (!bench.threads || bench.threads == threads)
        measure(&bench, argv[i], threads);
  dorm_context_free(bench.context);
  return 0;
}
