/*
 * lambdas_test.c: λ-functions against plain double loops over documents, in which what a swap changes is the measure
 * computed again after it; costs by finite differences.
 */
#include "tests/unit/unit.h"

#include "base/base.h"
#include "base/random.h"
#include "data/data.h"
#include "lambdas/lambda.h"
#include "lambdas/lambdas.h"
#include "lambdas/swap.h"
#include "lambdas/target.h"
#include "measures/measures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_DOCS = 9, ROUNDS = 60 };

/* ---- Random queries ------------------------------------------------------------------------ */

/* One query; some have one document or one level, or tied scores. */
typedef struct random_query {
  size_t num_docs;
  double labels[MOST_DOCS];
  double scores[MOST_DOCS];
  dorm_dataset *dataset; /* with one feature, which some losses read */
} random_query;

static void draw_scores(dorm__random *random, size_t round, random_query *query)
{
  static const double scales[] = {1, 0.1, 1, 300};
  for (size_t j = 0; j < query->num_docs; j++)
    query->scores[j] =
        round % 3 == 1 ? (double)dorm__random_below(random, 3) : scales[round % 4] * dorm__random_normal(random);
}

static void draw_query(dorm_context *context, dorm__random *random, size_t round, random_query *query)
{
  float features[MOST_DOCS];
  size_t levels = 1 + dorm__random_below(random, 5);
  query->num_docs = round < 4 ? 1 + round / 2 : 2 + dorm__random_below(random, MOST_DOCS - 1);
  for (size_t j = 0; j < query->num_docs; j++) {
    query->labels[j] = (double)dorm__random_below(random, levels) * (round % 5 == 0 ? 0.75 : 1);
    features[j] = (float)dorm__random_below(random, 2);
  }
  draw_scores(random, round, query);
  const size_t query_start[] = {0, query->num_docs};
  query->dataset = NULL;
  UNIT_OK(context, dorm_dataset_from_arrays(context, 1, query_start, 1, query->labels, features, &query->dataset));
  CU_ASSERT_PTR_NOT_NULL_FATAL(query->dataset);
}

/* Documents by falling score, ties in document order. */
static void plain_order(const random_query *query, uint32_t *order)
{
  for (uint32_t j = 0; j < query->num_docs; j++) {
    size_t place = 0;
    for (uint32_t k = 0; k < query->num_docs; k++)
      place += query->scores[k] > query->scores[j] || (query->scores[k] == query->scores[j] && k < j);
    order[place] = j;
  }
}

/* The measure of a ranking; one that is better when lower counts negatively. */
static double measure_of(dorm_context *context, const dorm__measure *measure, const dorm_dataset *dataset,
                         const uint32_t *order)
{
  double scores[MOST_DOCS];
  dorm_evaluation evaluation;
  for (size_t p = 0; p < dataset->num_docs; p++)
    scores[order[p]] = -(double)p;
  UNIT_OK(context, dorm__measure_dataset(context, measure, dataset, scores, NULL, &evaluation));
  return dorm__measure_is_cost(measure) ? -evaluation.mean : evaluation.mean;
}

/* changes[p][q] of the measure when positions p and q change places. */
static void plain_changes(dorm_context *context, const char *spec, const random_query *query, const uint32_t *order,
                          double changes[MOST_DOCS][MOST_DOCS])
{
  dorm__measure *measure = NULL;
  uint32_t swapped[MOST_DOCS];
  UNIT_OK(context, dorm__measure_open(context, spec, &measure));
  CU_ASSERT_PTR_NOT_NULL_FATAL(measure);
  double before = measure_of(context, measure, query->dataset, order);
  for (size_t p = 0; p < query->num_docs; p++)
    for (size_t q = 0; q < query->num_docs; q++) {
      memcpy(swapped, order, query->num_docs * sizeof *order);
      swapped[p] = order[q];
      swapped[q] = order[p];
      changes[p][q] = measure_of(context, measure, query->dataset, swapped) - before;
    }
  dorm__measure_close(measure);
}

/* ---- What a swap changes ------------------------------------------------------------------------ */

static const char *const measure_specs[] = {
    "ndcg@1",
    "ndcg@3",
    "ndcg",
    "ndcg@10:gain=linear,discount=letor",
    "dcg@2:discount=letor",
    "dcg",
    "mean_ndcg",
    "mwta",
    "wta",
    "p@2",
    "p@3:threshold=2",
    "recall@2",
    "recall@4:threshold=0",
    "eru",
    "eru:half_life=2,neutral=1,normalised=no",
    "map",
    "map@3",
    "map@2:threshold=2,divide=reachable",
    "mrr",
    "mrr@3:threshold=2",
    "mrr:threshold=0",
    "err",
    "err@3",
    "err:max_label=5",
    "pair_error",
    "roc_area",
    "roc_area:levels=two,threshold=2",
    "tau",
    "minus_loss(ndcg@3)",
    "minus_loss(mrr)",
    "minus_loss(mrr:top=any)",
    "minus_loss(dcg@2:gain=linear)",
    "minus_loss(precision@2)",
    "minus_loss(eru)",
    "minus_loss(wta)",
    "minus_loss(mwta)",
};

enum { NUM_SPECS = sizeof measure_specs / sizeof *measure_specs };

static void compare_swaps(dorm_context *context, const char *spec, const random_query *query)
{
  dorm__target *target = NULL;
  dorm__swap swap;
  uint32_t order[MOST_DOCS];
  double row[MOST_DOCS];
  double changes[MOST_DOCS][MOST_DOCS];
  UNIT_OK(context, dorm__target_open(context, spec, query->dataset, 1, &target));
  CU_ASSERT_PTR_NOT_NULL_FATAL(target);
  CU_ASSERT_TRUE_FATAL(dorm__swap_alloc(target, query->num_docs, &swap));
  plain_order(query, order);
  plain_changes(context, spec, query, order, changes);
  dorm__swap_begin(target, 0, order, &swap);
  for (size_t p = 0; p + 1 < query->num_docs; p++) {
    dorm__swap_row(&swap, p, query->num_docs, row);
    for (size_t q = p + 1; q < query->num_docs; q++) {
      if (!unit_close(row[q - p - 1], changes[p][q], 1e-12))
        printf("\n    %s: swap of %zu and %zu of %zu: %.17g, from scratch %.17g\n", spec, p, q, query->num_docs,
               row[q - p - 1], changes[p][q]);
      CU_ASSERT_TRUE_FATAL(unit_close(row[q - p - 1], changes[p][q], 1e-12));
    }
  }
  dorm__swap_free(&swap);
  dorm__target_close(target);
}

static void swaps_change_the_measure_by_as_much(void)
{
  dorm_context *context = unit_context();
  dorm__random random;
  char path[64];
  char spec[200];
  dorm__random_seed(&random, unit_seed());
  unit_compile_module("front_page.c", "", path);
  snprintf(spec, sizeof spec, "minus_loss(front_page:size=2,feature=1 from %s)", path);
  for (size_t round = 0; round < ROUNDS; round++) {
    random_query query;
    draw_query(context, &random, round, &query);
    for (size_t i = 0; i < NUM_SPECS; i++)
      compare_swaps(context, measure_specs[i], &query);
    compare_swaps(context, spec, &query);
    dorm_dataset_free(query.dataset);
  }
  unlink(path);
  dorm_context_free(context);
}

/* ---- Plain double loops ---------------------------------------------------------------------------- */

typedef struct plain_result {
  double lambdas[MOST_DOCS];
  double curvature[MOST_DOCS];
  size_t num_pairs;
} plain_result;

/* The RankNet forces with weights[p][q] by position. */
static void plain_pairs(const random_query *query, const uint32_t *order, double sigma,
                        double weights[MOST_DOCS][MOST_DOCS], plain_result *result)
{
  for (size_t p = 0; p < query->num_docs; p++)
    for (size_t q = 0; q < query->num_docs; q++) {
      uint32_t i = order[p];
      uint32_t j = order[q];
      if (query->labels[i] <= query->labels[j])
        continue;
      double o = sigma * (query->scores[i] - query->scores[j]);
      double force = weights[p][q] / (1 + exp(o));
      double bend = sigma * weights[p][q] / ((1 + exp(o)) * (1 + exp(-o)));
      result->lambdas[i] += force;
      result->lambdas[j] -= force;
      result->curvature[i] += bend;
      result->curvature[j] += bend;
      result->num_pairs += weights[p][q] > 0;
    }
}

static double plain_unit(const char *spec, const random_query *query)
{
  double least = INFINITY;
  double best[MOST_DOCS];
  double ideal = 0;
  memcpy(best, query->labels, sizeof best);
  for (size_t i = 0; i < query->num_docs; i++)
    for (size_t j = 0; j < query->num_docs; j++) {
      if (query->labels[i] > query->labels[j])
        least = fmin(least, exp2(query->labels[i]) - exp2(query->labels[j]));
      if (i < j && best[i] < best[j]) {
        double label = best[i];
        best[i] = best[j];
        best[j] = label;
      }
    }
  for (size_t p = 0; p < query->num_docs && p < 3; p++)
    ideal += (exp2(best[p]) - 1) / log2((double)p + 2);
  CU_ASSERT_STRING_EQUAL_FATAL(spec, "ndcg@3");
  return least / ideal;
}

/* The weights of the pairs of a function of spec. */
static void plain_weights(const char *name, const char *spec, const random_query *query,
                          double changes[MOST_DOCS][MOST_DOCS])
{
  double unit = strcmp(name, "spring-smooth") == 0 ? plain_unit(spec, query) : 1;
  for (size_t p = 0; p < query->num_docs; p++)
    for (size_t q = 0; q < query->num_docs; q++) {
      double weight = fabs(changes[p][q]) < 1e-14 ? 0 : fabs(changes[p][q]);
      bool are_neighbours = p + 1 == q || q + 1 == p;
      if (strcmp(name, "ranknet") == 0)
        weight = 1;
      else if (strcmp(name, "spring-smooth") == 0)
        weight = fmax(1, weight / unit);
      else if (strcmp(name, "local-cost") == 0 && !are_neighbours)
        weight = 0;
      changes[p][q] = weight;
    }
}

static void plain_local_gradient(const random_query *query, const uint32_t *order, double sigma, double margin,
                                 double changes[MOST_DOCS][MOST_DOCS], plain_result *result)
{
  for (size_t p = 0; p < query->num_docs; p++) {
    double slope = 0;
    double bend = 0;
    double count = 0;
    for (size_t q = 0; q < query->num_docs; q++) {
      if (p + 1 != q && q + 1 != p)
        continue;
      double d = sigma * fabs(query->scores[order[p]] - query->scores[order[q]]) + margin;
      slope += (q < p ? 1 : -1) * changes[p][q] / d;
      bend += sigma * fabs(changes[p][q]) / (d * d);
      count++;
    }
    result->lambdas[order[p]] = count > 0 ? slope / count : 0;
    result->curvature[order[p]] = count > 0 ? bend / count : 0;
  }
}

static void plain_discrete_bounded(const random_query *query, const uint32_t *order,
                                   double changes[MOST_DOCS][MOST_DOCS], plain_result *result)
{
  for (size_t p = 0; p < query->num_docs; p++) {
    size_t t = 0; /* the position after a stable sort by label */
    for (size_t q = 0; q < query->num_docs; q++)
      t += query->labels[order[q]] > query->labels[order[p]] ||
           (query->labels[order[q]] == query->labels[order[p]] && q < p);
    result->lambdas[order[p]] = (t < p ? 1 : -1) * (t == p ? 0 : fmin(1, changes[p][t]));
  }
}

static void plain_margin(const random_query *query, double delta, double sigma, plain_result *result)
{
  for (size_t i = 0; i < query->num_docs; i++)
    for (size_t j = 0; j < query->num_docs; j++) {
      double x = sigma * (query->scores[i] - query->scores[j]);
      if (query->labels[i] <= query->labels[j])
        continue;
      double force = x > delta ? 0 : x < 0 ? 1 : delta - x;
      result->lambdas[i] += force;
      result->lambdas[j] -= force;
      result->num_pairs += force != 0;
      result->curvature[i] += x >= 0 && x <= delta ? sigma : 0;
      result->curvature[j] += x >= 0 && x <= delta ? sigma : 0;
    }
}

static void plain_softmax(const random_query *query, double sigma, plain_result *result)
{
  for (size_t j = 0; j < query->num_docs; j++) {
    double labels = 0;
    double scores = 0;
    for (size_t k = 0; k < query->num_docs; k++) {
      labels += exp(query->labels[k] - query->labels[j]);
      scores += exp(sigma * (query->scores[k] - query->scores[j]));
    }
    result->lambdas[j] = 1 / labels - 1 / scores;
    result->curvature[j] = sigma / scores * (1 - 1 / scores);
  }
}

static void plain_of(dorm_context *context, const char *name, const char *spec, double sigma, const random_query *query,
                     plain_result *result)
{
  uint32_t order[MOST_DOCS];
  double changes[MOST_DOCS][MOST_DOCS];
  *result = (plain_result){.num_pairs = 0};
  plain_order(query, order);
  plain_changes(context, spec, query, order, changes);
  if (strcmp(name, "local-gradient") == 0) {
    plain_local_gradient(query, order, sigma, 0.5, changes, result);
  } else if (strcmp(name, "discrete-bounded") == 0) {
    plain_discrete_bounded(query, order, changes, result);
  } else if (strcmp(name, "margin") == 0) {
    plain_margin(query, 0.7, sigma, result);
  } else if (strcmp(name, "softmax") == 0) {
    plain_softmax(query, sigma, result);
  } else {
    plain_weights(name, spec, query, changes);
    plain_pairs(query, order, sigma, changes, result);
  }
}

/* λ-functions and targets, which are compared for several sigmas; the text of a function has the place of sigma. */
static const struct {
  const char *name;
  const char *pattern;
  bool has_target;
  bool counts_pairs;
} functions[] = {
    {"ranknet", "ranknet:sigma=%g", false, true},
    {"ranknet-weight-pairs", "ranknet-weight-pairs:sigma=%g of ", true, true},
    {"local-cost", "local-cost:sigma=%g of ", true, true},
    {"local-gradient", "local-gradient:margin=0.5,sigma=%g of ", true, false},
    {"margin", "margin:0.7,sigma=%g", false, true},
    {"softmax", "softmax:sigma=%g", false, false},
    {"spring-smooth", "spring-smooth:sigma=%g of ", true, true},
    {"discrete-bounded", "discrete-bounded of ", true, false},
};

enum { NUM_FUNCTIONS = sizeof functions / sizeof *functions, MOST_TEXT = 300 };

typedef struct opened {
  dorm__lambda *lambda;
  dorm__lambda_workspace *workspace;
} opened;

static opened open_lambda(dorm_context *context, const char *text, const dorm_dataset *dataset)
{
  opened made = {0};
  UNIT_OK(context, dorm__lambda_open(context, text, NULL, dataset, 1, &made.lambda));
  CU_ASSERT_PTR_NOT_NULL_FATAL(made.lambda);
  UNIT_OK(context, dorm__lambda_workspace_new(context, made.lambda, &made.workspace));
  CU_ASSERT_PTR_NOT_NULL_FATAL(made.workspace);
  return made;
}

static void close_lambda(opened *made)
{
  dorm__lambda_workspace_free(made->workspace);
  dorm__lambda_close(made->lambda);
}

static void compare_with_plain(dorm_context *context, size_t function, const char *spec, double sigma,
                               const random_query *query)
{
  char pattern[MOST_TEXT / 2];
  char text[MOST_TEXT];
  plain_result plain;
  plain_result fast = {.num_pairs = 0};
  snprintf(pattern, sizeof pattern, functions[function].pattern, sigma);
  snprintf(text, sizeof text, "%s%s", pattern, functions[function].has_target ? spec : "");
  opened made = open_lambda(context, text, query->dataset);
  UNIT_OK(context, dorm__lambda_at(context, made.lambda, 0, query->scores, made.workspace, fast.lambdas, fast.curvature,
                                   NULL, &fast.num_pairs));
  plain_of(context, functions[function].name, spec, sigma, query, &plain);
  double sum = 0;
  for (size_t j = 0; j < query->num_docs; j++) {
    bool is_same = unit_close(fast.lambdas[j], plain.lambdas[j], 1e-12) &&
                   unit_close(fast.curvature[j], plain.curvature[j], 1e-12);
    if (!is_same)
      printf("\n    %s: document %zu of %zu: %.17g %.17g, plain %.17g %.17g\n", text, j, query->num_docs,
             fast.lambdas[j], fast.curvature[j], plain.lambdas[j], plain.curvature[j]);
    CU_ASSERT_TRUE_FATAL(is_same);
    CU_ASSERT_TRUE(fast.curvature[j] >= 0);
    sum += fast.lambdas[j];
  }
  if (dorm__lambda_sums_to_zero(made.lambda))
    CU_ASSERT_TRUE(fabs(sum) < 1e-12 * (double)(1 + query->num_docs * query->num_docs));
  if (functions[function].counts_pairs)
    CU_ASSERT_EQUAL(fast.num_pairs, plain.num_pairs);
  close_lambda(&made);
}

static void forces_are_those_of_plain_double_loops(void)
{
  dorm_context *context = unit_context();
  dorm__random random;
  dorm__random_seed(&random, unit_seed() + 1);
  for (size_t round = 0; round < ROUNDS; round++) {
    random_query query;
    double sigma = round % 2 ? 1 : 2.5;
    draw_query(context, &random, round, &query);
    for (size_t f = 0; f < NUM_FUNCTIONS; f++) {
      bool is_of_ndcg = !functions[f].has_target || strcmp(functions[f].name, "spring-smooth") == 0;
      for (size_t i = 0; !is_of_ndcg && i < NUM_SPECS; i++)
        compare_with_plain(context, f, measure_specs[i], sigma, &query);
      compare_with_plain(context, f, "ndcg@3", sigma, &query);
    }
    dorm_dataset_free(query.dataset);
  }
  dorm_context_free(context);
}

/* ---- Costs ---------------------------------------------------------------------------------------------- */

static double cost_at(dorm_context *context, const opened *made, const double *scores)
{
  double lambdas[MOST_DOCS];
  double curvature[MOST_DOCS];
  double cost = NAN;
  UNIT_OK(context, dorm__lambda_at(context, made->lambda, 0, scores, made->workspace, lambdas, curvature, &cost, NULL));
  return cost;
}

/* λ = -∂C/∂g by central differences; queries in which two scores or a joint are close are left out. */
static void compare_with_differences(dorm_context *context, const char *text, double step, const random_query *query)
{
  double lambdas[MOST_DOCS];
  double curvature[MOST_DOCS];
  double cost;
  opened made = open_lambda(context, text, query->dataset);
  CU_ASSERT_TRUE(dorm__lambda_has_cost(made.lambda));
  UNIT_OK(context,
          dorm__lambda_at(context, made.lambda, 0, query->scores, made.workspace, lambdas, curvature, &cost, NULL));
  CU_ASSERT_TRUE(isfinite(cost));
  for (size_t j = 0; j < query->num_docs; j++) {
    double scores[MOST_DOCS];
    memcpy(scores, query->scores, sizeof scores);
    scores[j] += step;
    double above = cost_at(context, &made, scores);
    scores[j] -= 2 * step;
    double below = cost_at(context, &made, scores);
    double slope = (below - above) / (2 * step);
    if (!unit_close(lambdas[j], slope, 1e-6))
      printf("\n    %s: document %zu of %zu: %.17g, by differences %.17g\n", text, j, query->num_docs, lambdas[j],
             slope);
    CU_ASSERT_TRUE_FATAL(unit_close(lambdas[j], slope, 1e-6));
  }
  close_lambda(&made);
}

/* Scores whose differences are neither 0, 0.7 (the joint of the margin) nor 1 (that of the ranking SVM), within 0.01.
 */
static void draw_smooth_query(dorm_context *context, dorm__random *random, size_t round, random_query *query)
{
  draw_query(context, random, round, query);
  bool is_smooth;
  do {
    is_smooth = true;
    for (size_t j = 0; j < query->num_docs; j++)
      query->scores[j] = dorm__random_normal(random);
    for (size_t j = 0; j < query->num_docs; j++)
      for (size_t k = 0; k < j; k++) {
        double distance = fabs(query->scores[j] - query->scores[k]);
        is_smooth = is_smooth && distance > 0.01 && fabs(distance - 0.7) > 0.01 && fabs(distance - 1) > 0.01;
      }
  } while (!is_smooth);
}

static void forces_are_slopes_of_the_cost(void)
{
  static const char *const texts[] = {
      "ranknet",
      "ranknet:sigma=3,alpha=0.2",
      "margin:0.7",
      "margin:delta=0.7,alpha=1",
      "softmax",
      "softmax:sigma=0.3,alpha=0.01",
      "ranknet-weight-pairs of rsvm",
  };
  /* Their costs are linear between kinks, which a short step meets with a chance below 1e-4. */
  static const char *const kinked[] = {
      "perturbed of ndcg@3",
      "perturbed:sigma=0.5,power=0.5,draws=7,alpha=0.1 of map",
      "dorm:sigma=0.5 of ndcg@3",
      "dorm:power=0.5,draws=3,mu=0.3 of precision@2",
  };
  dorm_context *context = unit_context();
  dorm__random random;
  dorm__random_seed(&random, unit_seed() + 2);
  for (size_t round = 0; round < ROUNDS; round++) {
    random_query query;
    draw_smooth_query(context, &random, round, &query);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
      compare_with_differences(context, texts[i], 1e-5, &query);
    for (size_t i = 0; i < sizeof kinked / sizeof *kinked; i++)
      compare_with_differences(context, kinked[i], 1e-8, &query);
    dorm_dataset_free(query.dataset);
  }
  dorm_context_free(context);
}

/* ---- Without noise --------------------------------------------------------------------------------------- */

/* The weights c of each document in the best of all rankings of five, by trying them. */
static void best_of_all(const random_query *query, const double *c, const double *a, const double *b, double t,
                        double *weights)
{
  static uint32_t rankings[UNIT_RANKINGS_OF_FIVE][5];
  unit_rankings_of_five(rankings);
  double best = -INFINITY;
  for (size_t r = 0; r < UNIT_RANKINGS_OF_FIVE; r++) {
    double value = 0;
    for (size_t p = 0; p < 5; p++)
      value += c[p] * query->scores[rankings[r][p]] - t * a[p] * b[rankings[r][p]];
    if (value <= best)
      continue;
    best = value;
    for (size_t p = 0; p < 5; p++)
      weights[rankings[r][p]] = c[p];
  }
}

static void without_noise_dorm_is_the_best_of_all_rankings(void)
{
  dorm_context *context = unit_context();
  dorm__random random;
  dorm__random_seed(&random, unit_seed() + 4);
  for (size_t round = 0; round < ROUNDS; round++) {
    random_query query;
    double a[5] = {0};
    double b[5];
    double c[5];
    double ideal = 0;
    double sorted[5];
    do {
      draw_smooth_query(context, &random, 10, &query);
      if (query.num_docs < 5)
        dorm_dataset_free(query.dataset);
    } while (query.num_docs < 5);
    const size_t query_start[] = {0, 5};
    dorm_dataset *dataset = NULL;
    UNIT_OK(context, dorm_dataset_from_arrays(context, 1, query_start, 0, query.labels, NULL, &dataset));
    CU_ASSERT_PTR_NOT_NULL_FATAL(dataset);
    memcpy(sorted, query.labels, sizeof sorted);
    for (size_t i = 0; i < 5; i++)
      for (size_t j = i + 1; j < 5; j++)
        if (sorted[i] < sorted[j]) {
          double label = sorted[i];
          sorted[i] = sorted[j];
          sorted[j] = label;
        }
    for (size_t p = 0; p < 3; p++) {
      a[p] = 1 / log2((double)p + 2);
      ideal += a[p] * (exp2(sorted[p]) - 1);
    }
    for (size_t i = 0; i < 5; i++)
      b[i] = ideal > 0 ? (exp2(query.labels[i]) - 1) / ideal : 0;
    for (size_t i = 0; i < 5; i++)
      c[i] = round % 2 ? pow((double)i + 2, -0.5) : a[i];
    const double mu = round % 3 ? 3 : 0.3;
    char text[MOST_TEXT];
    double worst[5];
    double reference[5];
    double lambdas[5];
    double curvature[5];
    snprintf(text, sizeof text, "dorm:sigma=0,mu=%g,draws=2,power=%s of ndcg@3", mu, round % 2 ? "0.5" : "0");
    opened made = open_lambda(context, text, dataset);
    UNIT_OK(context,
            dorm__lambda_at(context, made.lambda, 0, query.scores, made.workspace, lambdas, curvature, NULL, NULL));
    best_of_all(&query, c, a, b, 1, worst);
    best_of_all(&query, c, a, b, -mu, reference);
    for (size_t j = 0; j < 5; j++) {
      double half = (reference[j] - worst[j]) / 2;
      CU_ASSERT_TRUE(unit_close(lambdas[j], reference[j] - worst[j], 1e-12));
      CU_ASSERT_TRUE(unit_close(curvature[j], half * half, 1e-12));
    }
    close_lambda(&made);
    dorm_dataset_free(dataset);
    dorm_dataset_free(query.dataset);
  }
  dorm_context_free(context);
}

/* Noise is the same at every call, other in another round, and goes to 0 with sigma. */
static void draws_are_fixed_within_a_round(void)
{
  const double labels[] = {0, 2, 1, 0, 1};
  const double scores[] = {0.1, 0.2, 0.3, 0.4, 0.5};
  dorm_context *context = unit_context();
  dorm_dataset *dataset = unit_one_query(context, 5, labels);
  static const char *const texts[] = {"dorm of ndcg@3", "perturbed of ndcg@3"};
  for (size_t i = 0; i < 2; i++) {
    double lambdas[4][5];
    double curvature[5];
    opened made = open_lambda(context, texts[i], dataset);
    for (size_t k = 0; k < 4; k++) {
      dorm__lambda_set_round(made.lambda, k == 2);
      UNIT_OK(context,
              dorm__lambda_at(context, made.lambda, 0, scores, made.workspace, lambdas[k], curvature, NULL, NULL));
    }
    CU_ASSERT_EQUAL(memcmp(lambdas[0], lambdas[1], sizeof lambdas[0]), 0);
    CU_ASSERT_EQUAL(memcmp(lambdas[0], lambdas[3], sizeof lambdas[0]), 0);
    CU_ASSERT_NOT_EQUAL(memcmp(lambdas[0], lambdas[2], sizeof lambdas[0]), 0);
    close_lambda(&made);
  }
  double lambdas[5];
  double curvature[5];
  opened made = open_lambda(context, "perturbed:sigma=1e-6 of wta", dataset);
  UNIT_OK(context, dorm__lambda_at(context, made.lambda, 0, scores, made.workspace, lambdas, curvature, NULL, NULL));
  const double expected[] = {0, 1, 0, 0, -1}; /* the only document of the top level, the one on top */
  for (size_t j = 0; j < 5; j++)
    CU_ASSERT_TRUE(unit_close(lambdas[j], expected[j], 1e-12));
  close_lambda(&made);
  dorm_dataset_free(dataset);
  dorm_context_free(context);
}

/* ---- The interface ------------------------------------------------------------------------------------------ */

/* Bulk results equal those of the queries alone, bit for bit, for every number of threads. */
static void all_queries_are_as_each_alone(void)
{
  static const char *const texts[] = {
      "ranknet", "ranknet-weight-pairs of map", "spring-smooth", "softmax:alpha=0.5", "ranknet-weight-pairs of rsvm",
      "dorm",    "dorm:power=1 of wta",         "perturbed"};
  dorm_context *context = unit_context();
  dorm_artificial parameters = {.num_queries = 40, .docs_per_query = 17, .num_features = 3, .data_seed = 5};
  dorm_dataset *dataset = NULL;
  UNIT_OK(context, dorm_dataset_generate_artificial(context, &parameters, &dataset));
  CU_ASSERT_PTR_NOT_NULL_FATAL(dataset);
  enum { NUM_DOCS = 40 * 17 };
  double scores[NUM_DOCS];
  double results[2][2][NUM_DOCS];
  for (size_t j = 0; j < NUM_DOCS; j++)
    scores[j] = (double)dorm_dataset_value(dataset, j, 0);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    dorm_lambda_summary summaries[2];
    for (size_t k = 0; k < 2; k++)
      UNIT_OK(context,
              dorm_lambdas(context, texts[i], dataset, scores, 1 + 2 * k, results[k][0], results[k][1], &summaries[k]));
    CU_ASSERT_EQUAL(memcmp(results[0], results[1], sizeof results[0]), 0);
    CU_ASSERT_EQUAL(summaries[0].num_pairs, summaries[1].num_pairs);
    dorm_lambda *lambda = NULL;
    double cost = 0;
    size_t num_pairs = 0;
    UNIT_OK(context, dorm_lambda_open(context, texts[i], dataset, &lambda));
    CU_ASSERT_PTR_NOT_NULL_FATAL(lambda);
    for (size_t q = 0; q < 40; q++) {
      double one_cost;
      size_t one_pairs;
      UNIT_OK(context, dorm_lambda_at(context, lambda, q, scores + 17 * q, results[1][0] + 17 * q,
                                      results[1][1] + 17 * q, &one_cost, &one_pairs));
      cost += one_cost;
      num_pairs += one_pairs;
    }
    CU_ASSERT_EQUAL(memcmp(results[0], results[1], sizeof results[0]), 0);
    CU_ASSERT_EQUAL(num_pairs, summaries[0].num_pairs);
    CU_ASSERT_TRUE(isnan(cost) ? isnan(summaries[0].cost) : cost == summaries[0].cost);
    UNIT_FAILS(context, dorm_lambda_at(context, lambda, 40, scores, results[1][0], results[1][1], NULL, NULL),
               DORM_BAD_USAGE, "no query number 40");
    dorm_lambda_close(lambda);
  }
  scores[100] = NAN;
  UNIT_FAILS(context, dorm_lambdas(context, "ranknet", dataset, scores, 2, results[0][0], results[0][1], NULL),
             DORM_BAD_DATA, "query '6': the score of document 16 is not a finite number");
  dorm_dataset_free(dataset);
  dorm_context_free(context);
}

/* For a structured loss λ is minus the coefficients of its most violated output. */
static void structured_losses_give_their_most_violated_output(void)
{
  static const char *const losses[] = {"rsvm", "map", "roc_area:levels=two", "precision_set@2"};
  dorm_context *context = unit_context();
  dorm__random random;
  dorm__random_seed(&random, unit_seed() + 3);
  for (size_t round = 0; round < ROUNDS; round++) {
    random_query query;
    draw_query(context, &random, round, &query);
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
      char text[MOST_TEXT];
      double lambdas[MOST_DOCS];
      double curvature[MOST_DOCS];
      double coefficients[MOST_DOCS];
      double delta;
      double cost;
      dorm__loss *loss = NULL;
      snprintf(text, sizeof text, "ranknet-weight-pairs of minus_loss(%s)", losses[i]);
      opened made = open_lambda(context, text, query.dataset);
      UNIT_OK(context, dorm__loss_open(context, losses[i], &loss));
      UNIT_OK(context,
              dorm__lambda_at(context, made.lambda, 0, query.scores, made.workspace, lambdas, curvature, &cost, NULL));
      UNIT_OK(context, dorm__loss_find_worst(context, loss, query.dataset, 0, query.scores, coefficients, &delta));
      for (size_t j = 0; j < query.num_docs; j++) {
        CU_ASSERT_EQUAL(lambdas[j], 0 - coefficients[j]);
        delta += coefficients[j] * query.scores[j];
      }
      CU_ASSERT_TRUE(unit_close(cost, delta, 1e-12));
      dorm__loss_close(loss);
      close_lambda(&made);
    }
    dorm_dataset_free(query.dataset);
  }
  dorm_context_free(context);
}

static void texts_are_checked_and_spelled_out(void)
{
  static const char *const good[][2] = {
      {"ranknet", "ranknet:sigma=1,alpha=0"},
      {"ranknet-weight-pairs", "ranknet-weight-pairs:sigma=1,alpha=0 of "
                               "ndcg@10:gain=exp2,discount=log2,empty=0,ties=order"},
      {"RankNet-weight-pairs of NDCG@3", "ranknet-weight-pairs:sigma=1,alpha=0 of "
                                         "ndcg@3:gain=exp2,discount=log2,empty=0,ties=order"},
      {" margin:0.5 ", "margin:delta=0.5,sigma=1,alpha=0"},
      {"margin:2,sigma=3", "margin:delta=2,sigma=3,alpha=0"},
      {"local-cost:sigma=2 of precision@3", "local-cost:sigma=2,alpha=0 of "
                                            "minus_loss(precision:truncation=3,threshold=1)"},
  };
  static const char *const bad[][2] = {
      {"rank-net", "unknown lambda-function 'rank-net'; did you mean 'ranknet'?"},
      {"ranknet:sigma=-1", "sigma=-1 is not between"},
      {"ranknet:theta=1", "has no parameter 'theta'"},
      {"ranknet of ndcg", "is not of a measure or a loss: leave out 'of ndcg'"},
      {"ranknet-weight-pairs of ndgc@10", "unknown measure 'ndgc'; did you mean 'ndcg'?"},
      {"ranknet-weight-pairs of minus_loss(ndcg", "needs a closing bracket"},
      {"ranknet-weight-pairs of ", "the name of a measure is missing"},
      {"local-cost of rsvm", "needs what a swap changes, and a structured loss has none"},
      {"ranknet-weight-pairs of redundancy@5", "not of groups or subtopics"},
      {"ranknet-weight-pairs of ndcg@5:repeats=irrelevant", "not of groups or subtopics"},
      {"dorm of map", "needs a measure that is a sum over positions"},
      {"perturbed of map", "has no weights of positions"},
      {"", "the name of a lambda-function is missing"},
  };
  const double labels[] = {0, 2, 1};
  dorm_context *context = unit_context();
  dorm_dataset *dataset = unit_one_query(context, 3, labels);
  dorm__lambda *lambda = NULL;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    UNIT_OK(context, dorm__lambda_open(context, good[i][0], NULL, dataset, 1, &lambda));
    CU_ASSERT_PTR_NOT_NULL_FATAL(lambda);
    CU_ASSERT_STRING_EQUAL(dorm__lambda_spec(lambda), good[i][1]);
    dorm__lambda_close(lambda);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    UNIT_FAILS(context, dorm__lambda_open(context, bad[i][0], NULL, dataset, 1, &lambda), DORM_BAD_USAGE, bad[i][1]);
    CU_ASSERT_PTR_NULL(lambda);
  }
  UNIT_FAILS(context, dorm__lambda_open(context, "local-cost of err:max_label=1", NULL, dataset, 1, &lambda),
             DORM_BAD_DATA, "label 2 is too large for err");
  dorm_dataset_free(dataset);
  dorm_context_free(context);
}

/* ---- Modules ------------------------------------------------------------------------------------------------- */

static void a_module_is_a_function(void)
{
  dorm_context *context = unit_context();
  dorm__random random;
  char path[64];
  char text[MOST_TEXT];
  char expected[MOST_TEXT];
  dorm__random_seed(&random, unit_seed() + 5);
  unit_compile_module("square_hinge.c", "", path);
  snprintf(text, sizeof text, "square_hinge:margin=2 from %s", path);
  for (size_t round = 0; round < 20; round++) {
    random_query query;
    double lambdas[MOST_DOCS];
    double curvature[MOST_DOCS];
    draw_smooth_query(context, &random, round, &query);
    compare_with_differences(context, text, 1e-5, &query);
    opened made = open_lambda(context, text, query.dataset);
    CU_ASSERT_STRING_EQUAL(dorm__lambda_spec(made.lambda), text);
    UNIT_OK(context,
            dorm__lambda_at(context, made.lambda, 0, query.scores, made.workspace, lambdas, curvature, NULL, NULL));
    for (size_t i = 0; i < query.num_docs; i++) {
      double sum = 0;
      for (size_t j = 0; j < query.num_docs; j++) {
        double sign = (query.labels[i] > query.labels[j]) - (query.labels[i] < query.labels[j]);
        sum += sign * fmax(0, 2 - sign * (query.scores[i] - query.scores[j]));
      }
      CU_ASSERT_TRUE(unit_close(lambdas[i], sum, 1e-12));
    }
    close_lambda(&made);
    dorm_dataset_free(query.dataset);
  }
  const double labels[] = {1, 0};
  dorm_dataset *dataset = unit_one_query(context, 2, labels);
  dorm__lambda *lambda = NULL;
  snprintf(text, sizeof text, "from %s", path);
  snprintf(expected, sizeof expected, "square_hinge:margin=1 from %s", path);
  UNIT_OK(context, dorm__lambda_open(context, text, NULL, dataset, 1, &lambda));
  CU_ASSERT_PTR_NOT_NULL_FATAL(lambda);
  CU_ASSERT_STRING_EQUAL(dorm__lambda_spec(lambda), expected);
  dorm__lambda_close(lambda);
  snprintf(text, sizeof text, "ranknet from %s", path);
  UNIT_FAILS(context, dorm__lambda_open(context, text, NULL, dataset, 1, &lambda), DORM_BAD_USAGE,
             "holds the lambda-function 'square_hinge', not 'ranknet'");
  snprintf(text, sizeof text, "square_hinge:margin=-1 from %s", path);
  UNIT_FAILS(context, dorm__lambda_open(context, text, NULL, dataset, 1, &lambda), DORM_BAD_USAGE, "not between");
  unlink(path);
  UNIT_FAILS(context, dorm__lambda_open(context, text, NULL, dataset, 1, &lambda), DORM_IO_ERROR, "cannot read");
  dorm_dataset_free(dataset);
  dorm_context_free(context);
}

static void modules_that_break_a_promise_are_refused(void)
{
  static const char *const bad[][2] = {
      {"-DWRONG_ABI", "interface 2"},
      {"-DSMALL", "struct"},
      {"-DMISSING_SYMBOL", "has no function dorm_lambda_module_entry"},
      {"-DWITHOUT_FILL", "fill must be set"},
      {"-DFAILING", "three documents are not to its taste"},
      {"-DNOT_A_NUMBER", "infinite or not a number"},
      {"-DNEGATIVE", "a curvature is negative"},
      {"-DOUTSIDE", "writes outside its arrays"},
      {"-DWITHOUT_COST", "the cost that it promises is missing"},
      {"-DCHANGING", "asked twice"},
      {"-DNOT_ZERO", "do not add up to 0"},
  };
  const double labels[] = {1, 0};
  dorm_context *context = unit_context();
  dorm_dataset *dataset = unit_one_query(context, 2, labels);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char path[64];
    char text[MOST_TEXT];
    dorm__lambda *lambda = NULL;
    unit_compile_module("bad_lambda.c", bad[i][0], path);
    snprintf(text, sizeof text, "from %s", path);
    UNIT_FAILS(context, dorm__lambda_open(context, text, NULL, dataset, 1, &lambda), DORM_BAD_MODULE, bad[i][1]);
    CU_ASSERT_PTR_NULL(lambda);
    unlink(path);
  }
  dorm_dataset_free(dataset);
  dorm_context_free(context);
}

static const unit_test tests[] = {
    {"swaps change the measure by as much", swaps_change_the_measure_by_as_much},
    {"forces are those of plain double loops", forces_are_those_of_plain_double_loops},
    {"forces are slopes of the cost", forces_are_slopes_of_the_cost},
    {"without noise dorm is the best of all rankings", without_noise_dorm_is_the_best_of_all_rankings},
    {"draws are fixed within a round", draws_are_fixed_within_a_round},
    {"structured losses give their most violated output", structured_losses_give_their_most_violated_output},
    {"all queries are as each alone", all_queries_are_as_each_alone},
    {"texts are checked and spelled out", texts_are_checked_and_spelled_out},
    {"a module is a function", a_module_is_a_function},
    {"modules that break a promise are refused", modules_that_break_a_promise_are_refused},
    {NULL, NULL},
};

const unit_suite lambdas_suite = {"lambdas", tests};
