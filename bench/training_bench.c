/*
 * training_bench.c: measures what training costs, phase by phase.
 *
 *   training_bench [-c C] [-g GAP] [-n REPEATS] [-t THREADS] DATA...
 *
 * DATA is a LETOR file, or QUERIESxDOCSxFEATURES for artificial data made in memory. The trainer is svm with NDCG@10,
 * the position weights of the loss, reference mu:1, one round and one C. Trains REPEATS times (3) on each data set with
 * one thread and with two, or with THREADS alone. Prints a line per data set and number of threads, which is about the
 * fastest training. Its columns are seconds, unless they are said to be something else:
 *
 *   read     reading the text (files only)
 *   product  one matrix-vector product over all rows, the fastest of 25
 *   start    from the beginning to the first candidate: making the rows, and the ridge regression
 *   prepare  loss tables, oracle plans, references
 *   score, oracle, qp   parts of solving the convex problem, per thread: products with the rows, the search for most
 *            violated rankings, adding columns and solving their QPs
 *   rest     total minus start, prepare, score, oracle and qp: for example waiting, and making the model
 *   total    the whole training, without reading
 *   solve/p  seconds of solving the convex problem / product
 *   total/p  total / product
 *   speedup  total of one thread / total, or nan if one thread was not measured
 */
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "data/data.h"
#include "features/features.h"
#include "jobs/jobs.h"

enum { MOST_RUNS = 25, NUM_PRODUCTS = 25 };

typedef struct bench_run {
  dorm_context *context;
  const char *C;
  const char *gap;
  size_t num_runs;
  size_t num_threads; /* 0: one, then two */
  double one_thread;  /* `total` of one thread on this data set, or NAN */
} bench_run;

/* One training, measured in seconds. */
typedef struct run_figures {
  double read;
  double start;
  double prepare;
  double total;
  dorm_certificate certificate;
} run_figures;

static void stop(const dorm_context *context)
{
  fprintf(stderr, "training_bench: %s\n", dorm_context_message(context));
  exit(1);
}

static void watch(void *user, const dorm_event *event)
{
  run_figures *seen = user;
  if (event->kind != DORM_EVENT_CANDIDATE)
    return;
  if (event->candidate->round == 0) {
    seen->start = event->seconds;
    return;
  }
  seen->certificate = event->candidate->certificate;
  seen->prepare = event->seconds - seen->start - seen->certificate.seconds;
}

static dorm_dataset *make_data(const bench_run *bench, const char *name, size_t num_threads, double *seconds)
{
  dorm_artificial parameters = {.struct_size = sizeof parameters, .noise = 0.3, .model_seed = 1, .data_seed = 1};
  dorm_dataset *dataset = NULL;
  char rest;
  double started = dorm__seconds();
  dorm_status status;
  if (sscanf(name, "%zux%zux%zu%c", &parameters.num_queries, &parameters.docs_per_query, &parameters.num_features,
             &rest) == 3) {
    status = dorm_dataset_generate_artificial(bench->context, &parameters, &dataset);
    started = dorm__seconds() + NAN; /* nothing was read */
  } else {
    dorm_read_options options = {.struct_size = sizeof options, .num_threads = num_threads};
    status = dorm_dataset_read_with(bench->context, name, &options, &dataset);
  }
  if (status != DORM_OK)
    stop(bench->context);
  *seconds = dorm__seconds() - started;
  return dataset;
}

/* Returns the least seconds of NUM_PRODUCTS products of all rows with a vector. The threads share the rows. */
static double time_product(const bench_run *bench, const dorm_dataset *dataset, size_t num_threads)
{
  dorm_settings *settings = NULL;
  dorm__feature_map map = {0};
  dorm__features features = {0};
  if (dorm_settings_new(bench->context, &settings) != DORM_OK ||
      dorm__feature_map_from(bench->context, settings, dataset, &map) != DORM_OK ||
      dorm__features_build(bench->context, dataset, &map, num_threads, &features) != DORM_OK)
    stop(bench->context);
  double *x = dorm__alloc_zero(features.num_features, sizeof *x);
  double *scores = dorm__alloc(features.num_docs, sizeof *scores);
  double least = INFINITY;
  for (size_t run = 0; x && scores && run < NUM_PRODUCTS; run++) {
    double started = dorm__seconds();
    dorm__features_score_queries(&features, dataset->num_queries, dataset->query_start, x, num_threads, scores);
    least = fmin(least, dorm__seconds() - started);
  }
  dorm__free(x);
  dorm__free(scores);
  dorm__features_free(&features);
  dorm__feature_map_clear(&map);
  dorm_settings_free(settings);
  return least;
}

static void train_once(const bench_run *bench, dorm_dataset *dataset, size_t num_threads, run_figures *seen)
{
  char threads[24];
  snprintf(threads, sizeof threads, "%zu", num_threads);
  const char *const pairs[][2] = {{"loss.name", "ndcg@10"}, {"data.rank_block", "0"},    {"ranking.reference", "mu:1"},
                                  {"ranking.rounds", "1"},  {"training.trainer", "svm"}, {"solver.threads", threads},
                                  {"solver.C", bench->C},   {"solver.gap", bench->gap}};
  dorm_settings *settings = NULL;
  dorm_training *training = NULL;
  if (dorm_settings_new(bench->context, &settings) != DORM_OK)
    stop(bench->context);
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    if (dorm_settings_set(bench->context, settings, pairs[i][0], pairs[i][1]) != DORM_OK)
      stop(bench->context);
  dorm_context_set_log(bench->context, watch, seen);
  double started = dorm__seconds();
  if (dorm_train_consuming(bench->context, settings, dataset, NULL, &training) != DORM_OK)
    stop(bench->context);
  seen->total = dorm__seconds() - started;
  dorm_training_free(training);
  dorm_settings_free(settings);
}

static void print_line(const bench_run *bench, const char *name, size_t num_threads, double product,
                       const run_figures *run)
{
  const dorm_certificate *certificate = &run->certificate;
  double rest = run->total - run->start - run->prepare - certificate->score_seconds - certificate->oracle_seconds -
                certificate->qp_seconds;
  printf("%s\t%zu\t%s\t%zu\t%.2e", name, num_threads, bench->C, certificate->iterations, certificate->gap);
  printf("\t%.4f\t%.6f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f", run->read, product, run->start, run->prepare,
         certificate->score_seconds, certificate->oracle_seconds, certificate->qp_seconds, rest, run->total);
  printf("\t%.1f\t%.1f\t%.2f\n", certificate->seconds / product, run->total / product, bench->one_thread / run->total);
  fflush(stdout);
}

static void measure(bench_run *bench, const char *name, size_t num_threads)
{
  run_figures best = {.total = INFINITY};
  double product = 0;
  for (size_t run = 0; run < bench->num_runs; run++) {
    run_figures seen = {0};
    dorm_dataset *dataset = make_data(bench, name, num_threads, &seen.read);
    if (run == 0)
      product = time_product(bench, dataset, num_threads);
    train_once(bench, dataset, num_threads, &seen);
    if (seen.total < best.total)
      best = seen;
    dorm_dataset_free(dataset);
  }
  if (num_threads == 1)
    bench->one_thread = best.total;
  print_line(bench, name, num_threads, product, &best);
}

int main(int argc, char **argv)
{
  bench_run bench = {.context = dorm_context_new(), .C = "10", .gap = "0.001", .num_runs = 3, .one_thread = NAN};
  int option;
  while ((option = getopt(argc, argv, "c:g:n:t:")) != -1) {
    if (option == 'c')
      bench.C = optarg;
    else if (option == 'g')
      bench.gap = optarg;
    else if (option == 'n' && atol(optarg) >= 1 && atol(optarg) <= MOST_RUNS)
      bench.num_runs = (size_t)atol(optarg);
    else if (option == 't' && atol(optarg) >= 1)
      bench.num_threads = (size_t)atol(optarg);
    else
      return 2;
  }
  if (!bench.context || optind == argc)
    return 2;
  dorm_set_blas_threads(1);
  printf(
      "data\tthreads\tC\tpasses\tgap\tread\tproduct\tstart\tprepare\tscore\toracle\tqp\trest\ttotal\tsolve/p\ttotal/p\t"
      "speedup\n");
  size_t fewest = bench.num_threads ? bench.num_threads : 1;
  size_t most = bench.num_threads ? bench.num_threads : 2;
  for (int i = optind; i < argc; i++)
    for (size_t threads = fewest; threads <= most; threads++)
      measure(&bench, argv[i], threads);
  dorm_context_free(bench.context);
  return 0;
}
