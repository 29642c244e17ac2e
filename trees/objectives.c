/*
 * objectives.c: the objectives of trees: gradients on scores, or the objectives of McRank (Li, Burges and Wu 2007), for
 * labels y of K levels.
 *
 * regression: one output F, squared error to the gain 2^y - 1 less its weighted mean over all documents (Algorithm 2).
 * That algorithm begins at the mean, a constant that changes no ranking and is left out here. The score is F.
 *
 * classification: K outputs, p_k = exp(F_k) / sum_s exp(F_s), cost -log p_y (Algorithm 1). A leaf's value is
 *   (K - 1) / K  sum (1[y = k] - p_k) / sum p_k (1 - p_k).
 *
 * ordinal: K - 1 outputs, one for each binary problem "y is at least level k", k = 1 .. K - 1 (section 4). Algorithm 1
 *   with two classes has F_0 = -F_1, so that one tree serves both: Pr(y >= level k) = 1 / (1 + exp(-2 F_k)), and a
 *   leaf's value is 1/2 sum (1[y >= level k] - p) / sum p (1 - p).
 *
 * The score of the last two is sum_k Pr(y = level k) T(k) (equation 5). For `ordinal`, the probabilities of levels are
 * differences (equation 8), so the score is T(0) + sum_k Pr(y >= level k) (T(k) - T(k - 1)).
 *
 * lambda (or dorm): one output F, which is the score. With λ and h of a λ-function at the scores of a query, and the
 *   regression share κ, the gradient is -λ_j + κ ((F_j - mean of F) - (y_j - mean of y)), with means over the query,
 *   and the curvature h_j + κ + 0.01. Leaves are Newton steps, and splits are chosen by their gain, as LambdaMART
 *   chooses them in XGBoost. `dorm` names the same objective; the caller takes the λ-function of the same name.
 */
#include "base/processes.h"
#include "trees/sums.h"
#include "trees/trees.h"

#include <math.h>
#include <string.h>

/* ---- Regression ---------------------------------------------------------------- */

static size_t one_output(size_t num_levels)
{
  (void)num_levels;
  return 1;
}

static double factor_of_one(size_t num_levels)
{
  (void)num_levels;
  return 1;
}

static dorm_status regression_derive(dorm_context *context, const dorm__tree_targets *targets, size_t round,
                                     const double *outputs, size_t num_threads, double *gradient, double *curvature)
{
  uint64_t sums[2] = {0, 0};
  dorm__tree_scales scales;
  (void)round;
  for (size_t j = 0; j < targets->num_docs; j++) { /* at first the terms of the mean */
    curvature[j] = targets->weights ? targets->weights[j] : 1;
    gradient[j] = curvature[j] * exp2(targets->labels[j]);
  }
  dorm_status status = dorm__tree_scales_find(
      context, &(const dorm__tree_terms){targets->num_docs, NULL, gradient, curvature, num_threads}, &scales);
  for (size_t j = 0; status == DORM_OK && j < targets->num_docs; j++) {
    sums[0] += dorm__tree_whole(gradient[j], scales.gradient);
    sums[1] += dorm__tree_whole(curvature[j], scales.curvature);
  }
  if (status == DORM_OK)
    status = dorm__processes_totals(context, 2, sums);
  double mean = sums[1] ? dorm__tree_total(sums[0], scales.gradient) / dorm__tree_total(sums[1], scales.curvature) : 0;
  for (size_t j = 0; j < targets->num_docs; j++) {
    gradient[j] = outputs[j] - (exp2(targets->labels[j]) - mean);
    curvature[j] = 1;
  }
  return status;
}

static double score_of_one(size_t num_levels, const double *levels, const double *outputs)
{
  (void)num_levels, (void)levels;
  return outputs[0];
}

/* ---- Classification -------------------------------------------------------------- */

static size_t output_for_each_level(size_t num_levels)
{
  return num_levels;
}

static double classification_factor(size_t num_levels)
{
  return (double)(num_levels - 1) / (double)num_levels;
}

/* Returns the sum of exp(F_k - largest F), and the largest. */
static double softmax_sum(size_t num_levels, const double *outputs, double *largest)
{
  double sum = 0;
  *largest = outputs[0];
  for (size_t k = 1; k < num_levels; k++)
    *largest = fmax(*largest, outputs[k]);
  for (size_t k = 0; k < num_levels; k++)
    sum += exp(outputs[k] - *largest);
  return sum;
}

static dorm_status classification_derive(dorm_context *context, const dorm__tree_targets *targets, size_t round,
                                         const double *outputs, size_t num_threads, double *gradient, double *curvature)
{
  size_t num_docs = targets->num_docs;
  size_t num_levels = targets->num_levels;
  (void)context, (void)round;
#pragma omp parallel for num_threads((int)num_threads) if (num_threads > 1)
  for (size_t j = 0; j < num_docs; j++) {
    double largest;
    double sum = softmax_sum(num_levels, outputs + j * num_levels, &largest);
    for (size_t k = 0; k < num_levels; k++) {
      double p = exp(outputs[j * num_levels + k] - largest) / sum;
      gradient[k * num_docs + j] = p - (targets->labels[j] == targets->levels[k]);
      curvature[k * num_docs + j] = p * (1 - p);
    }
  }
  return DORM_OK;
}

static double classification_score(size_t num_levels, const double *levels, const double *outputs)
{
  double largest;
  double sum = softmax_sum(num_levels, outputs, &largest);
  double score = 0;
  for (size_t k = 0; k < num_levels; k++)
    score += exp(outputs[k] - largest) / sum * levels[k];
  return score;
}

/* ---- Ordinal ----------------------------------------------------------------------- */

static size_t output_between_levels(size_t num_levels)
{
  return num_levels - 1;
}

static double ordinal_factor(size_t num_levels)
{
  (void)num_levels;
  return 0.5;
}

static dorm_status ordinal_derive(dorm_context *context, const dorm__tree_targets *targets, size_t round,
                                  const double *outputs, size_t num_threads, double *gradient, double *curvature)
{
  size_t num_docs = targets->num_docs;
  size_t num_outputs = targets->num_levels - 1;
  (void)context, (void)round;
#pragma omp parallel for num_threads((int)num_threads) if (num_threads > 1)
  for (size_t j = 0; j < num_docs; j++)
    for (size_t k = 0; k < num_outputs; k++) {
      double p = 1 / (1 + exp(-2 * outputs[j * num_outputs + k]));
      gradient[k * num_docs + j] = p - (targets->labels[j] >= targets->levels[k + 1]);
      curvature[k * num_docs + j] = p * (1 - p);
    }
  return DORM_OK;
}

static double ordinal_score(size_t num_levels, const double *levels, const double *outputs)
{
  double score = levels[0];
  for (size_t k = 1; k < num_levels; k++)
    score += (levels[k] - levels[k - 1]) / (1 + exp(-2 * outputs[k - 1]));
  return score;
}

/* ---- Gradients on scores --------------------------------------------------------------- */

/* Adds κ times the squared error to the labels, both centred within the query, and turns λ into a gradient. */
static void add_regression(double share, size_t num_docs, const double *labels, const double *outputs, double *gradient,
                           double *curvature)
{
  static const double least_curvature = 0.01; /* bounds the step of documents without curvature */
  double mean_error = 0;
  for (size_t j = 0; j < num_docs; j++)
    mean_error += (outputs[j] - labels[j]) / (double)num_docs;
  for (size_t j = 0; j < num_docs; j++) {
    gradient[j] = share * (outputs[j] - labels[j] - mean_error) - gradient[j];
    curvature[j] += share + least_curvature;
  }
}

static dorm_status lambda_derive(dorm_context *context, const dorm__tree_targets *targets, size_t round,
                                 const double *outputs, size_t num_threads, double *gradient, double *curvature)
{
  dorm_status status = dorm__lambdas_of_dataset(context, targets->lambda, round, outputs, num_threads,
                                                &(const dorm__lambdas_result){gradient, curvature, NULL});
  for (size_t q = 0; status == DORM_OK && q < targets->num_queries; q++) {
    size_t start = targets->query_start[q];
    add_regression(targets->regression_share, targets->query_start[q + 1] - start, targets->labels + start,
                   outputs + start, gradient + start, curvature + start);
  }
  return status;
}

/* ---- All of them ------------------------------------------------------------------- */

static const dorm__tree_objective objectives[] = {
    {.name = "lambda",
     .other_name = "dorm",
     .follows_lambda = true,
     .num_outputs = one_output,
     .derive = lambda_derive,
     .leaf_factor = factor_of_one,
     .leaf_penalty = 0.1,
     .splits_by_curvature = true,
     .score = score_of_one},
    {.name = "ordinal",
     .needs_levels = true,
     .num_outputs = output_between_levels,
     .derive = ordinal_derive,
     .leaf_factor = ordinal_factor,
     .score = ordinal_score,
     .link = DORM__LINK_LOGISTIC},
    {.name = "classification",
     .needs_levels = true,
     .num_outputs = output_for_each_level,
     .derive = classification_derive,
     .leaf_factor = classification_factor,
     .score = classification_score,
     .link = DORM__LINK_SOFTMAX},
    {.name = "regression",
     .num_outputs = one_output,
     .derive = regression_derive,
     .leaf_factor = factor_of_one,
     .score = score_of_one},
};
enum { NUM_OBJECTIVES = sizeof objectives / sizeof *objectives };

const dorm__tree_objective *dorm__tree_objective_named(const char *name)
{
  for (size_t i = 0; i < NUM_OBJECTIVES; i++) {
    const char *other_name = objectives[i].other_name;
    if (strcmp(objectives[i].name, name) == 0 || (other_name && strcmp(other_name, name) == 0))
      return &objectives[i];
  }
  return NULL;
}
