/*
 * lambdas_bench.c: gradients of a query per second, for each λ-function at NDCG@10, beside the plain double loop over
 * all pairs of documents (an exponential and the formula of |ΔNDCG@10| for each). Queries of l documents with labels 0
 * to 4, most of them 0, and scores that lean to the labels. Each figure is the median of seven runs, which alternate
 * between the function and the plain loop.
 */
#include "base/base.h"
#include "base/random.h"
#include "lambdas/lambdas.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 7, TOP = 10, MOST_DOCS = 1000, QUERIES = 16 };

static const double seconds_per_run = 0.02;

typedef struct bench_data {
  size_t num_docs; /* of each query */
  double labels[QUERIES * MOST_DOCS];
  double scores[QUERIES * MOST_DOCS];
  double lambdas[MOST_DOCS];
  double curvature[MOST_DOCS];
  dorm_dataset *dataset;
} bench_data;

static void fail(const dorm_context *context)
{
  fprintf(stderr, "lambdas_bench: %s\n", dorm_context_message(context));
  exit(1);
}

/* About three documents to a group, and two of eight subtopics to a document. */
static void draw_lists(dorm_context *context, dorm__random *random, dorm_dataset *dataset)
{
  enum { SUBTOPICS = 8 };
  static size_t group_start[QUERIES * MOST_DOCS + 1], subtopic_start[QUERIES * MOST_DOCS + 1];
  static uint32_t groups[QUERIES * MOST_DOCS], subtopics[2 * QUERIES * MOST_DOCS];
  size_t num_subtopics[QUERIES], num_docs = dataset->num_docs;
  for (size_t q = 0; q < QUERIES; q++)
    num_subtopics[q] = SUBTOPICS;
  for (size_t j = 0; j < num_docs; j++) {
    group_start[j + 1] = j + 1;
    subtopic_start[j + 1] = 2 * (j + 1);
    groups[j] = (uint32_t)dorm__random_below(random, num_docs / QUERIES / 3);
    subtopics[2 * j] = (uint32_t)dorm__random_below(random, SUBTOPICS);
    subtopics[2 * j + 1] = (subtopics[2 * j] + 1) % SUBTOPICS;
  }
  if (dorm_dataset_set_groups(context, dataset, group_start, groups, NULL) != DORM_OK ||
      dorm_dataset_set_subtopics(context, dataset, num_subtopics, subtopic_start, subtopics, NULL) != DORM_OK)
    fail(context);
}

static void draw(dorm_context *context, dorm__random *random, size_t num_docs, bench_data *data)
{
  size_t query_start[QUERIES + 1];
  data->num_docs = num_docs;
  for (size_t q = 0; q <= QUERIES; q++)
    query_start[q] = q * num_docs;
  for (size_t j = 0; j < QUERIES * num_docs; j++) {
    double uniform = dorm__random_uniform(random);
    data->labels[j] = uniform < 0.5 ? 0 : uniform < 0.75 ? 1 : uniform < 0.9 ? 2 : uniform < 0.97 ? 3 : 4;
    data->scores[j] = data->labels[j] / 2 + dorm__random_normal(random);
  }
  if (dorm_dataset_from_arrays(context, QUERIES, query_start, 0, data->labels, NULL, &data->dataset) != DORM_OK)
    fail(context);
  draw_lists(context, random, data->dataset);
}

/* ---- The plain double loop ------------------------------------------------------------------ */

static int downwards(const void *x, const void *y)
{
  double left = *(const double *)x;
  double right = *(const double *)y;
  return (left < right) - (left > right);
}

static const double *sorted_scores;

static int by_score(const void *x, const void *y)
{
  return downwards(&sorted_scores[*(const size_t *)x], &sorted_scores[*(const size_t *)y]);
}

/* ranknet, or ranknet-weight-pairs of ndcg@10, as the formulas say. */
static void plain(bench_data *data, size_t query, bool is_weighted)
{
  size_t num_docs = data->num_docs;
  const double *labels = data->labels + query * num_docs;
  const double *scores = data->scores + query * num_docs;
  size_t order[MOST_DOCS];
  double discount[MOST_DOCS];
  double ideal[MOST_DOCS];
  double best = 0;
  for (size_t j = 0; j < num_docs; j++) {
    order[j] = j;
    ideal[j] = labels[j];
    data->lambdas[j] = 0;
    data->curvature[j] = 0;
  }
  sorted_scores = scores;
  qsort(order, num_docs, sizeof *order, by_score);
  qsort(ideal, num_docs, sizeof *ideal, downwards);
  for (size_t p = 0; p < num_docs; p++) {
    discount[order[p]] = p < TOP ? 1 / log2((double)p + 2) : 0;
    best += p < TOP ? (exp2(ideal[p]) - 1) / log2((double)p + 2) : 0;
  }
  for (size_t i = 0; i < num_docs; i++)
    for (size_t j = 0; j < num_docs; j++) {
      if (labels[i] <= labels[j])
        continue;
      double weight = is_weighted ? fabs((exp2(labels[i]) - exp2(labels[j])) * (discount[i] - discount[j])) / best : 1;
      double share = 1 / (1 + exp(scores[i] - scores[j]));
      data->lambdas[i] += weight * share;
      data->lambdas[j] -= weight * share;
      data->curvature[i] += weight * share * (1 - share);
      data->curvature[j] += weight * share * (1 - share);
    }
}

/* ---- Timing -------------------------------------------------------------------------------------- */

typedef struct timed {
  dorm_context *context;
  bench_data *data;
  const dorm__lambda *lambda; /* NULL: the plain loop */
  dorm__lambda_workspace *workspace;
  bool is_weighted; /* of the plain loop */
} timed;

static double queries_per_second(const timed *what)
{
  bench_data *data = what->data;
  double started = dorm__seconds();
  double passed = 0;
  size_t count = 0;
  while (passed < seconds_per_run) {
    for (size_t q = 0; q < QUERIES; q++, count++)
      if (!what->lambda)
        plain(data, q, what->is_weighted);
      else if (dorm__lambda_at(what->context, what->lambda, q, data->scores + q * data->num_docs, what->workspace,
                               &(const dorm__lambda_result){data->lambdas, data->curvature, NULL, NULL}) != DORM_OK)
        fail(what->context);
    passed = dorm__seconds() - started;
  }
  return (double)count / passed;
}

static double median(double *values)
{
  qsort(values, RUNS, sizeof *values, downwards);
  return values[RUNS / 2];
}

static void compare(dorm_context *context, bench_data *data, const char *spec, bool is_weighted)
{
  dorm__lambda *lambda = NULL;
  timed fast = {.context = context, .data = data};
  timed slow = {.data = data, .is_weighted = is_weighted};
  double fast_rates[RUNS];
  double slow_rates[RUNS];
  double ratios[RUNS];
  if (dorm__lambda_open(context, spec, NULL, data->dataset, 1, &lambda) != DORM_OK ||
      dorm__lambda_workspace_new(context, lambda, &fast.workspace) != DORM_OK)
    fail(context);
  fast.lambda = lambda;
  for (size_t run = 0; run < RUNS; run++) {
    fast_rates[run] = queries_per_second(&fast);
    slow_rates[run] = queries_per_second(&slow);
    ratios[run] = fast_rates[run] / slow_rates[run];
  }
  printf("%-50s %6zu %14.0f %14.0f %9.1f\n", spec, data->num_docs, median(fast_rates), median(slow_rates),
         median(ratios));
  dorm__lambda_workspace_free(fast.workspace);
  dorm__lambda_close(lambda);
}

int main(void)
{
  static const size_t sizes[] = {10, 100, 1000};
  static const struct {
    const char *spec;
    bool is_weighted; /* what it is compared with: LambdaRank's plain loop, else RankNet's */
  } functions[] = {
      {"ranknet", false},
      {"ranknet-weight-pairs of ndcg@10", true},
      {"ranknet-weight-pairs of ndcg", true},
      {"ranknet-weight-pairs of map", true},
      {"ranknet-weight-pairs of mrr", true},
      {"ranknet-weight-pairs of err", true},
      {"ranknet-weight-pairs of ndcg@10:repeats=irrelevant", true},
      {"ranknet-weight-pairs of err@10:repeats=irrelevant", true},
      {"ranknet-weight-pairs of alpha_ndcg@10", true},
      {"spring-smooth of ndcg@10", true},
      {"margin", false},
      {"local-cost of ndcg@10", true},
      {"local-gradient of ndcg@10", true},
      {"discrete-bounded of ndcg@10", true},
      {"softmax", false},
      {"dorm of ndcg@10", true},
      {"perturbed of ndcg@10", true},
      {"smoothrank of ndcg@10", true},
  };
  static bench_data data;
  dorm_context *context = dorm_context_new();
  dorm__random random;
  dorm__random_seed(&random, 1);
  if (!context)
    return 1;
  printf("Queries per second on one thread, medians of %d runs; plain: the double loop over all pairs, of RankNet for\n"
         "ranknet, margin and softmax, else of LambdaRank at NDCG@10\n\n",
         RUNS);
  printf("%-50s %6s %14s %14s %9s\n", "function", "l", "queries/s", "plain", "ratio");
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    draw(context, &random, sizes[i], &data);
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
      compare(context, &data, functions[f].spec, functions[f].is_weighted);
    dorm_dataset_free(data.dataset);
  }
  dorm_context_free(context);
  return 0;
}
