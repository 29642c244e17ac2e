/*
 * trees_bench.c: boosted trees beside XGBoost's own, on artificial data: the same rows, number of rounds, leaves, bins,
 * shares of documents and features, and threads.
 *
 *   trees_bench [QUERIES DOCS FEATURES ROUNDS THREADS]     default: 6000 120 136 20 1
 *
 * "boosting" is all of training from dense rows in memory: XGBoost's matrix and its bins, gradients, trees, and the
 * scores of the training documents, by dorm's objective lambda (ranknet-weight-pairs of ndcg@10), and by XGBoost's
 * rank:ndcg, whose objective draws one other document for each document where dorm takes all pairs. "gradients" is what
 * an objective alone takes for all queries; XGBoost's is the mean time of a round less that of a round with given
 * gradients. "scoring" is what the trees give all documents, from dense rows. Each figure is the median of three runs,
 * which alternate.
 */
#include "base/base.h"
#include "data/data.h"
#include "lambdas/lambdas.h"
#include "trees/trees.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <xgboost/c_api.h>

enum { RUNS = 3, LEAVES = 10, BINS = 256 };

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

/* Seconds of one run, of dorm and of XGBoost. */
typedef struct seconds {
  double boosting, gradients, scoring;
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

static void open_bench(bench *made, const size_t sizes[5])
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
  for (size_t j = 0; j < dataset->num_docs; j++)
    made->labels[j] = (float)dataset->labels[j];
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

static seconds run_dorm(const bench *made)
{
  const dorm_dataset *dataset = made->dataset;
  dorm__tree_targets targets = {.num_docs = dataset->num_docs,
                                .num_queries = dataset->num_queries,
                                .query_start = dataset->query_start,
                                .labels = dataset->labels};
  dorm__boosting_options options = {.bags = 1,
                                    .leaves = LEAVES,
                                    .bins = BINS,
                                    .least_docs = 30,
                                    .shrinkage = 0.1,
                                    .docs_share = 0.7,
                                    .features_share = 0.5,
                                    .seed = 1,
                                    .num_threads = made->num_threads};
  dorm__tree_grower *grower = NULL;
  dorm__boosting *boosting = NULL;
  seconds spent = {0, 0, 0};
  double started = dorm__seconds();
  need(made,
       dorm__lambda_open(made->context, "ranknet-weight-pairs", NULL, dataset, made->num_threads, &targets.lambda));
  need(made, dorm__tree_grower_new(made->context, dataset->num_docs, dataset->num_features, dataset->values,
                                   made->num_threads, &grower));
  need(made, dorm__boosting_new(made->context, grower, dataset->num_features, dataset->values, &targets,
                                dorm__tree_objective_named("lambda"), &options, &boosting));
  for (size_t i = 0; i < made->num_rounds; i++)
    need(made, dorm__boosting_round(made->context, boosting));
  spent.boosting = dorm__seconds() - started;
  double *numbers = dorm__alloc_zero(dataset->num_docs, 2 * sizeof *numbers);
  double *scores = dorm__alloc_zero(dataset->num_docs, sizeof *scores);
  if (!numbers || !scores)
    fail("out of memory");
  started = dorm__seconds();
  need(made, dorm__lambdas_of_dataset(made->context, targets.lambda, dorm__boosting_outputs(boosting),
                                      made->num_threads, numbers, numbers + dataset->num_docs, NULL));
  spent.gradients = dorm__seconds() - started;
  started = dorm__seconds();
  dorm__ensemble_add_outputs(dorm__boosting_ensemble(boosting), 0, dataset->num_docs, dataset->values,
                             made->num_threads, scores);
  spent.scoring = dorm__seconds() - started;
  dorm__free(numbers);
  dorm__free(scores);
  dorm__boosting_free(boosting);
  dorm__tree_grower_free(grower);
  dorm__lambda_close(targets.lambda);
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

static BoosterHandle new_booster(const bench *made, DMatrixHandle matrix)
{
  char leaves[16], bins[16], threads[16];
  const char *const parameters[][2] = {
      {"verbosity", "0"},   {"objective", "rank:ndcg"},  {"tree_method", "hist"}, {"grow_policy", "lossguide"},
      {"max_depth", "0"},   {"max_leaves", leaves},      {"max_bin", bins},       {"eta", "0.1"},
      {"subsample", "0.7"}, {"colsample_bytree", "0.5"}, {"nthread", threads}};
  BoosterHandle booster = NULL;
  snprintf(leaves, sizeof leaves, "%d", LEAVES);
  snprintf(bins, sizeof bins, "%d", BINS);
  snprintf(threads, sizeof threads, "%zu", made->num_threads);
  need_xgboost(XGBoosterCreate(&matrix, 1, &booster));
  for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++)
    need_xgboost(XGBoosterSetParam(booster, parameters[i][0], parameters[i][1]));
  return booster;
}

/* One round with given gradients, those of squared error to the labels; returns its seconds. */
static double boost_once(const bench *made, DMatrixHandle matrix, BoosterHandle booster)
{
  size_t num_docs = made->dataset->num_docs;
  for (size_t j = 0; j < num_docs; j++) {
    made->gradient[j] = 2 - made->labels[j];
    made->curvature[j] = 1;
  }
  double started = dorm__seconds();
  need_xgboost(XGBoosterBoostOneIter(booster, matrix, made->gradient, made->curvature, num_docs));
  return dorm__seconds() - started;
}

static seconds run_xgboost(const bench *made)
{
  static const char config[] = "{\"type\": 1, \"iteration_begin\": 0, \"iteration_end\": 0, \"missing\": NaN, "
                               "\"strict_shape\": true, \"cache_id\": 0}";
  seconds spent = {0, 0, 0};
  const float *scores = NULL;
  const bst_ulong *shape = NULL;
  bst_ulong dimensions = 0;
  char array[200];
  double started = dorm__seconds();
  DMatrixHandle matrix = new_matrix(made);
  BoosterHandle booster = new_booster(made, matrix);
  double first = started; /* the end of the first round, which makes the bins */
  for (size_t i = 0; i < made->num_rounds; i++) {
    need_xgboost(XGBoosterUpdateOneIter(booster, (int)i, matrix));
    first = i ? first : dorm__seconds();
  }
  double ended = dorm__seconds(), given = 0;
  spent.boosting = ended - started;
  XGBoosterFree(booster);
  booster = new_booster(made, matrix);
  for (size_t i = 0; i < made->num_rounds; i++) {
    double passed = boost_once(made, matrix, booster);
    given += i ? passed : 0;
  }
  spent.gradients = (ended - first - given) / (double)(made->num_rounds - 1);
  snprintf(array, sizeof array, "{\"data\": [%zu, true], \"shape\": [%zu, %zu], \"typestr\": \"<f4\", \"version\": 3}",
           (size_t)made->dataset->values, made->dataset->num_docs, made->dataset->num_features);
  started = dorm__seconds();
  need_xgboost(XGBoosterPredictFromDense(booster, array, config, NULL, &shape, &dimensions, &scores));
  spent.scoring = dorm__seconds() - started;
  XGBoosterFree(booster);
  XGDMatrixFree(matrix);
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
  size_t sizes[5] = {6000, 120, 136, 20, 1};
  static const char *const names[3] = {"boosting", "gradients", "scoring"};
  double of_dorm[3][RUNS], of_xgboost[3][RUNS], ratios[3][RUNS];
  bench made;
  for (int i = 1; i < argc && i <= 5; i++)
    sizes[i - 1] = strtoul(argv[i], NULL, 10);
  if (!sizes[0] || !sizes[1] || !sizes[2] || sizes[3] < 2 || !sizes[4])
    fail("the numbers must be 1 or more, and the rounds 2 or more");
  open_bench(&made, sizes);
  for (size_t run = 0; run < RUNS; run++) {
    seconds one = run_dorm(&made), other = run_xgboost(&made);
    const double pairs[3][2] = {
        {one.boosting, other.boosting}, {one.gradients, other.gradients}, {one.scoring, other.scoring}};
    for (size_t i = 0; i < 3; i++) {
      of_dorm[i][run] = pairs[i][0];
      of_xgboost[i][run] = pairs[i][1];
      ratios[i][run] = pairs[i][0] / pairs[i][1];
    }
  }
  printf("%zu queries of %zu documents, %zu features, %zu rounds, %zu threads; medians of %d runs\n", sizes[0],
         sizes[1], sizes[2], sizes[3], sizes[4], RUNS);
  printf("%-10s %10s %10s %13s\n", "seconds", "dorm", "XGBoost", "dorm/XGBoost");
  for (size_t i = 0; i < 3; i++)
    printf("%-10s %10.3f %10.3f %13.2f\n", names[i], median(of_dorm[i]), median(of_xgboost[i]), median(ratios[i]));
  close_bench(&made);
  return 0;
}
