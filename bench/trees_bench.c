/*
 * trees_bench.c: boosted trees beside XGBoost, on artificial data: the same rows, leaves, bins and threads.
 *
 *   trees_bench [QUERIES DOCS FEATURES ROUNDS THREADS ZEROS]     default: 6000 120 136 20 1 0
 *
 * "bins" makes the bins, where XGBoost's figure is its first round, which makes them. "growing" is a round with given
 * gradients, of 10 and of 63 leaves. "boosting" is all of training from dense rows in memory with 10 leaves and shares
 * of documents and features: bins, gradients, trees, and the scores of the training documents, by dorm's objective
 * lambda (ranknet-weight-pairs of ndcg@10) and by XGBoost's rank:ndcg, whose objective draws one other document for
 * each document where dorm takes all pairs. "scoring" is what the trees give all documents, from dense rows. A share
 * ZEROS of the values is 0. Each figure is the median of three runs, which alternate. With one thread the seconds are
 * processor seconds, which other programs on the machine change little.
 */
#include "base/base.h"
#include "bench/xgboost_library.h"
#include "data/data.h"
#include "lambdas/lambdas.h"
#include "trees/trees.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RUNS = 3, LEAVES = 10, MORE_LEAVES = 63, BINS = 255, NUM_FIGURES = 5 };

typedef struct bench {
  dorm_context *context;
  dorm_dataset *dataset;
  float *labels;
  unsigned *group; /* documents of each query */
  float *gradient;
  float *curvature;
  size_t num_rounds;
  size_t num_threads;
} bench;

/* Seconds of one run, of dorm or of XGBoost. */
typedef struct seconds {
  double figures[NUM_FIGURES]; /* bins, growing, growing more leaves, boosting, scoring */
} seconds;

static void fail(const char *message)
{
  fprintf(stderr, "trees_bench: %s\n", message);
  exit(1);
}

static void need(const bench *made, dorm_status status)
{
  if (status != DORM_OK)
    fail(dorm_context_message(made->context));
}

static void need_xgboost(int result)
{
  if (result != 0)
    fail(XGBGetLastError());
}

static double now(const bench *made)
{
  struct timespec spent = {0};
  if (made->num_threads > 1)
    return dorm__seconds();
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
  return (double)spent.tv_sec + 1e-9 * (double)spent.tv_nsec;
}

static void open_bench(bench *made, const size_t sizes[6])
{
  dorm_artificial parameters = {sizeof parameters, sizes[0], sizes[1], sizes[2], 0.3, 1, 1};
  *made = (bench){.context = dorm_context_new(), .num_rounds = sizes[3], .num_threads = sizes[4]};
  if (!made->context)
    fail("out of memory");
  need(made, dorm_dataset_generate_artificial(made->context, &parameters, &made->dataset));
  const dorm_dataset *dataset = made->dataset;
  made->group = malloc(dataset->num_queries * sizeof *made->group);
  made->labels = malloc(dataset->num_docs * sizeof *made->labels);
  made->gradient = malloc(dataset->num_docs * sizeof *made->gradient);
  made->curvature = malloc(dataset->num_docs * sizeof *made->curvature);
  if (dataset->row_start || !made->group || !made->labels || !made->gradient || !made->curvature)
    fail("out of memory");
  for (size_t q = 0; q < dataset->num_queries; q++)
    made->group[q] = (unsigned)(dataset->query_start[q + 1] - dataset->query_start[q]);
  for (size_t j = 0; j < dataset->num_docs; j++) {
    made->labels[j] = (float)dataset->labels[j];
    made->gradient[j] = 2 - made->labels[j];
    made->curvature[j] = 1;
  }
  uint64_t bits = 1;
  for (size_t i = 0; sizes[5] && i < dataset->num_docs * dataset->num_features; i++) {
    bits = bits * UINT64_C(6364136223846793005) + 1442695040888963407;
    if (bits >> 33 < (UINT64_C(1) << 31) / 100 * sizes[5])
      dataset->values[i] = 0;
  }
}

static void close_bench(bench *made)
{
  free(made->labels);
  free(made->group);
  free(made->gradient);
  free(made->curvature);
  dorm_dataset_free(made->dataset);
  dorm_context_free(made->context);
}

/* ---- dorm -------------------------------------------------------------------------------- */

/* Mean seconds of a round with given gradients. */
static double grow(const bench *made, const dorm__tree_bins *bins, size_t leaves)
{
  size_t num_docs = made->dataset->num_docs, width = made->dataset->num_features;
  double *numbers = dorm__alloc(num_docs, 2 * sizeof *numbers);
  bool *is_drawn = dorm__alloc(num_docs, sizeof *is_drawn);
  uint32_t *features = dorm__alloc(width, sizeof *features);
  const uint32_t *places = NULL;
  dorm__tree_grower *grower = NULL;
  if (!numbers || !is_drawn || !features)
    fail("out of memory");
  for (size_t j = 0; j < num_docs; j++) {
    numbers[j] = (double)made->gradient[j];
    numbers[num_docs + j] = (double)made->curvature[j];
    is_drawn[j] = true;
  }
  for (uint32_t f = 0; f < width; f++)
    features[f] = f;
  dorm__tree_growth growth = {.is_drawn = is_drawn,
                              .gradient = numbers,
                              .curvature = numbers + num_docs,
                              .features = features,
                              .num_features = width,
                              .leaves = leaves,
                              .least_docs = 1,
                              .penalty = 1};
  need(made, dorm__tree_grower_new(made->context, bins, made->num_threads, &grower));
  double started = 0;
  for (size_t i = 0; i <= made->num_rounds; i++) {
    dorm__tree tree;
    started = i ? started : now(made);
    started = i == 1 ? now(made) : started; /* the first round is not counted */
    need(made, dorm__tree_grow(made->context, grower, &growth, &tree, &places));
    for (size_t j = 0; j < num_docs; j++) /* scores, as XGBoost keeps them */
      numbers[j] += 1e-3 * (double)places[j];
    dorm__tree_clear(&tree);
  }
  double seconds_each = (now(made) - started) / (double)made->num_rounds;
  dorm__tree_grower_free(grower);
  dorm__free(numbers);
  dorm__free(is_drawn);
  dorm__free(features);
  return seconds_each;
}

static seconds run_dorm(const bench *made)
{
  const dorm_dataset *dataset = made->dataset;
  dorm__tree_targets targets = {.num_docs = dataset->num_docs,
                                .num_queries = dataset->num_queries,
                                .query_start = dataset->query_start,
                                .labels = dataset->labels};
  dorm__lambda *lambda = NULL;
  dorm__boosting_options options = {.leaves = LEAVES,
                                    .least_docs = 30,
                                    .learning_rate = 0.1,
                                    .docs_share = 0.7,
                                    .features_share = 0.5,
                                    .seed = 1,
                                    .num_threads = made->num_threads};
  dorm__tree_bins *bins = NULL;
  dorm__boosting *boosting = NULL;
  seconds spent = {{0}};
  double started = now(made);
  need(made, dorm__lambda_open(made->context, "ranknet-weight-pairs", NULL, dataset, made->num_threads, &lambda));
  targets.lambda = lambda;
  double opened = now(made);
  dorm__tree_rows rows = {.num_docs = dataset->num_docs, .values = dataset->values};
  need(made, dorm__tree_bins_new(made->context, dataset->num_features, &rows, NULL, 255, made->num_threads, &bins));
  spent.figures[0] = now(made) - opened;
  need(made,
       dorm__boosting_new(made->context, bins, &targets, dorm__tree_objective_named("lambda"), &options, &boosting));
  for (size_t i = 0; i < made->num_rounds; i++)
    need(made, dorm__boosting_round(made->context, boosting));
  spent.figures[3] = now(made) - started;
  double *scores = dorm__alloc_zero(dataset->num_docs, sizeof *scores);
  if (!scores)
    fail("out of memory");
  started = now(made);
  dorm__ensemble_add_outputs(dorm__boosting_ensemble(boosting), 0, dataset->num_docs, dataset->values,
                             made->num_threads, scores);
  spent.figures[4] = now(made) - started;
  dorm__free(scores);
  dorm__boosting_free(boosting);
  dorm__lambda_close(lambda);
  spent.figures[1] = grow(made, bins, LEAVES);
  spent.figures[2] = grow(made, bins, MORE_LEAVES);
  dorm__tree_bins_free(bins);
  return spent;
}

/* ---- XGBoost ------------------------------------------------------------------------------- */

static DMatrixHandle new_matrix(const bench *made)
{
  const dorm_dataset *dataset = made->dataset;
  DMatrixHandle matrix = NULL;
  need_xgboost(XGDMatrixCreateFromMat_omp(dataset->values, dataset->num_docs, dataset->num_features, NAN, &matrix,
                                          (int)made->num_threads));
  need_xgboost(XGDMatrixSetFloatInfo(matrix, "label", made->labels, dataset->num_docs));
  need_xgboost(XGDMatrixSetUIntInfo(matrix, "group", made->group, dataset->num_queries));
  return matrix;
}

static BoosterHandle new_booster(const bench *made, DMatrixHandle matrix, int num_leaves, const char *share[2])
{
  char leaves[16], bins[16], threads[16];
  const char *const parameters[][2] = {
      {"verbosity", "0"},      {"objective", "rank:ndcg"},     {"tree_method", "hist"}, {"grow_policy", "lossguide"},
      {"max_depth", "0"},      {"max_leaves", leaves},         {"max_bin", bins},       {"eta", "0.1"},
      {"subsample", share[0]}, {"colsample_bytree", share[1]}, {"nthread", threads}};
  BoosterHandle booster = NULL;
  snprintf(leaves, sizeof leaves, "%d", num_leaves);
  snprintf(bins, sizeof bins, "%d", BINS);
  snprintf(threads, sizeof threads, "%zu", made->num_threads);
  need_xgboost(XGBoosterCreate(&matrix, 1, &booster));
  for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++)
    need_xgboost(XGBoosterSetParam(booster, parameters[i][0], parameters[i][1]));
  return booster;
}

/* Mean seconds of a round with given gradients, after the first; *first becomes the seconds of the first round. */
static double boost(const bench *made, int num_leaves, double *first)
{
  static const char *all[2] = {"1", "1"};
  size_t num_docs = made->dataset->num_docs;
  DMatrixHandle matrix = new_matrix(made);
  BoosterHandle booster = new_booster(made, matrix, num_leaves, all);
  double started = now(made);
  for (size_t i = 0; i <= made->num_rounds; i++) {
    need_xgboost(XGBoosterBoostOneIter(booster, matrix, made->gradient, made->curvature, num_docs));
    if (i == 0) {
      *first = now(made) - started;
      started = now(made);
    }
  }
  double seconds_each = (now(made) - started) / (double)made->num_rounds;
  XGBoosterFree(booster);
  XGDMatrixFree(matrix);
  return seconds_each;
}

static seconds run_xgboost(const bench *made)
{
  static const char config[] = "{\"type\": 1, \"iteration_begin\": 0, \"iteration_end\": 0, \"missing\": NaN, "
                               "\"strict_shape\": true, \"cache_id\": 0}";
  static const char *shares[2] = {"0.7", "0.5"};
  seconds spent = {{0}};
  const float *scores = NULL;
  const bst_ulong *shape = NULL;
  bst_ulong dimensions = 0;
  char array[200];
  double first;
  double started = now(made);
  DMatrixHandle matrix = new_matrix(made);
  BoosterHandle booster = new_booster(made, matrix, LEAVES, shares);
  for (size_t i = 0; i < made->num_rounds; i++)
    need_xgboost(XGBoosterUpdateOneIter(booster, (int)i, matrix));
  spent.figures[3] = now(made) - started;
  snprintf(array, sizeof array, "{\"data\": [%zu, true], \"shape\": [%zu, %zu], \"typestr\": \"<f4\", \"version\": 3}",
           (size_t)made->dataset->values, made->dataset->num_docs, made->dataset->num_features);
  started = now(made);
  need_xgboost(XGBoosterPredictFromDense(booster, array, config, NULL, &shape, &dimensions, &scores));
  spent.figures[4] = now(made) - started;
  XGBoosterFree(booster);
  XGDMatrixFree(matrix);
  spent.figures[2] = boost(made, MORE_LEAVES, &first);
  spent.figures[1] = boost(made, LEAVES, &spent.figures[0]);
  return spent;
}

/* ---- Main ------------------------------------------------------------------------------------ */

static int upwards(const void *x, const void *y)
{
  double left = *(const double *)x;
  double right = *(const double *)y;
  return (left > right) - (left < right);
}

static double median(double *values)
{
  qsort(values, RUNS, sizeof *values, upwards);
  return values[RUNS / 2];
}

int main(int argc, char **argv)
{
  size_t sizes[6] = {6000, 120, 136, 20, 1, 0};
  static const char *const names[NUM_FIGURES] = {"bins", "growing, 10", "growing, 63", "boosting", "scoring"};
  double of_dorm[NUM_FIGURES][RUNS], of_xgboost[NUM_FIGURES][RUNS], ratios[NUM_FIGURES][RUNS];
  bench made;
  for (int i = 1; i < argc && i <= 6; i++)
    sizes[i - 1] = strtoul(argv[i], NULL, 10);
  if (!sizes[0] || !sizes[1] || !sizes[2] || sizes[3] < 2 || !sizes[4] || sizes[5] > 100)
    fail("the numbers must be 1 or more, the rounds 2 or more, and the percentage of zeros 100 at most");
  bool has_xgboost = find_xgboost();
  open_bench(&made, sizes);
  for (size_t run = 0; run < RUNS; run++) {
    seconds one = run_dorm(&made), other = has_xgboost ? run_xgboost(&made) : (seconds){{0}};
    for (size_t i = 0; i < NUM_FIGURES; i++) {
      of_dorm[i][run] = one.figures[i];
      of_xgboost[i][run] = other.figures[i];
      ratios[i][run] = one.figures[i] / other.figures[i];
    }
  }
  printf("%zu queries of %zu documents, %zu features, %zu rounds, %zu threads, %zu %% zeros; medians of %d runs\n",
         sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], sizes[5], RUNS);
  printf("%-12s %10s %10s %13s\n", "seconds", "dorm", "XGBoost", "dorm/XGBoost");
  for (size_t i = 0; i < NUM_FIGURES; i++)
    printf("%-12s %10.4f %10.4f %13.2f\n", names[i], median(of_dorm[i]), median(of_xgboost[i]), median(ratios[i]));
  if (!has_xgboost)
    puts("there is no libxgboost.so.0 (Debian: python3-xgboost), so that dorm is alone");
  close_bench(&made);
  return 0;
}
