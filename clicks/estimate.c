/*
 * estimate.c: estimates the value of a ranking from a log whose users saw other rankings. dorm/clicks.h has the
 * formulas of ips and snips.
 *
 * Standard errors: the estimate is a ratio m = sum T / sum N over n units (queries, or impressions with N = 1). The
 * residuals are e = T - m N, and the error is sqrt(n / (n - 1) sum e^2) / sum N (Cochran, "Sampling techniques", 1977,
 * section 2.11). snips has D instead of N. The error over queries includes the choice of the queries. The error over
 * impressions takes these queries as given. If the propensities were estimated, each click also moves them (curve.c). A
 * click then moves the estimate by c for fixed propensities, and by f through the propensities. Over queries both are
 * part of e. Over impressions f adds ((c + f)^2 - c^2) times the variance of the clicks of each cell, because its
 * effects on a document have mean 0.
 *
 * Documents that the log never showed have no clicks, so they count 0. Their gains are between 0 and 1, which gives the
 * bounds.
 */
#include "base/status.h"
#include "clicks/log.h"

#include <math.h>
#include <string.h>

/* Adds `sign` times the position weight of each document, by its score, to weights [num_docs of the data set].
 * Documents of equal score share their weights. */
static dorm_status add_weights(dorm_context *context, const dorm_dataset *dataset, const double *scores,
                               size_t truncation, double sign, double *weights)
{
  DORM__FREED uint32_t *orders = dorm__alloc(dataset->num_docs, sizeof *orders);
  dorm_status status =
      orders ? dorm__dataset_rankings(context, dataset, scores, orders) : dorm__out_of_memory(context, "clicks");
  for (size_t q = 0; status == DORM_OK && q < dataset->num_queries; q++) {
    size_t start = dataset->query_start[q], count = dataset->query_start[q + 1] - start;
    const uint32_t *order = orders + start;
    for (size_t p = 0, end; p < count; p = end) {
      double sum = 0;
      for (end = p; end < count && scores[start + order[end]] == scores[start + order[p]]; end++)
        sum += truncation && end >= truncation ? 0 : 1 / log2((double)end + 2);
      for (size_t i = p; i < end; i++)
        weights[start + order[i]] += sign * sum / (double)(end - p);
    }
  }
  return status;
}

/* ---- Gains of documents --------------------------------------------------------------------- */

/* How gains follow from clicks: a share `ips` of clicks / looks, the rest from the model of clicks (gains.c). The
 * model's m is corrected to m (1 + slope (weight - mean)). Its bias is then 0 on average, and does not grow with the
 * weights. */
typedef struct gain_rule {
  double ips;
  double mean, slope, squares;
  double by_slope; /* derivative of the value by the slope */
} gain_rule;

static const gain_rule by_clicks_alone = {.ips = 1};

typedef struct doc_gain {
  double robust, by_click; /* gain by the model, and its derivative by clicks */
  double variance;         /* of s given the clicks, if model errors of documents are independent */
} doc_gain;

static doc_gain robust_gain(const dorm_clicks *clicks, const gain_rule *rule, const double *weights, size_t doc)
{
  static const double least = 0.05;
  if (!clicks->model)
    return (doc_gain){0};
  double m = clicks->model[doc] * fmax(1 + rule->slope * (weights[doc] - rule->mean), least), kappa = clicks->phi / m;
  double by_click = 1 / (kappa + clicks->looks[doc]), robust = (clicks->phi + clicks->net[doc]) * by_click;
  return (doc_gain){robust, by_click, fmax(robust, 0) * kappa * by_click * by_click};
}

static double tilt_of(const gain_rule *rule, double weight)
{
  return rule->squares > 0 ? rule->by_slope * (weight - rule->mean) / rule->squares : 0;
}

static void find_tilt(const dorm_clicks *clicks, const double *weights, gain_rule *rule)
{
  double all = 0, product = 0;
  for (size_t j = 0; j < clicks->num_docs; j++) {
    double expected = clicks->looks[j] * clicks->model[j];
    all += expected;
    rule->mean += all > 0 ? expected / all * (weights[j] - rule->mean) : 0;
  }
  for (size_t j = 0; j < clicks->num_docs; j++) {
    double expected = clicks->looks[j] * clicks->model[j], away = weights[j] - rule->mean;
    product += away * (clicks->net[j] - expected);
    rule->squares += away * away * expected;
  }
  rule->slope = rule->squares > 0 ? product / rule->squares : 0;
  for (size_t j = 0; j < clicks->num_docs; j++) {
    double weight = clicks->impressions[clicks->query_of[j]] * weights[j] * (weights[j] - rule->mean);
    rule->by_slope +=
        weight * clicks->model[j] * (1 - clicks->looks[j] * robust_gain(clicks, rule, weights, j).by_click);
  }
}

/* Finds how much to trust the model. Its errors are similar on all documents that a ranking prefers, which `variance`
 * ignores. So the model is compared with IPS on the shown documents. The mean of their difference is the bias of the
 * model, and its variance is known. The estimate moves to IPS by the share 1 - variance / difference^2, or by 0 if that
 * is negative (James and Stein). */
static gain_rule robust_rule(const dorm_clicks *clicks, const double *weights)
{
  gain_rule rule = {0};
  double difference = 0, variance = 0;
  find_tilt(clicks, weights, &rule);
  for (size_t i = 0; i < clicks->num_cells; i++) {
    size_t j = clicks->cells[i].doc;
    doc_gain doc = robust_gain(clicks, &rule, weights, j);
    double weight = clicks->impressions[clicks->query_of[j]] * weights[j];
    if (i == clicks->cell_start[j])
      difference += weight * (doc.robust - clicks->net[j] / clicks->looks[j]);
    double by_click = weight * (doc.by_click - 1 / clicks->looks[j]) + tilt_of(&rule, weights[j]);
    variance += clicks->cells[i].clicks * by_click * by_click;
  }
  rule.ips = difference * difference > variance ? 1 - variance / (difference * difference) : 0;
  return rule;
}

/* ---- Estimates and errors ----------------------------------------------------------------------- */

/* The sum of weights times gains over impressions, which is linear in clicks. The arrays are parts of `room`. */
typedef struct linear_estimate {
  double *cells;              /* [num_cells] effect of one click with fixed propensities */
  double *effect;             /* [num_cells] effect of one click through the propensities */
  double *constant;           /* [num_docs] value without clicks */
  double *by_look, *by_trust; /* [num_positions] derivatives by log propensity and by trust */
  double value, mass;         /* the sum, and the sum of gains */
  double variance;            /* without the variance of clicks */
} linear_estimate;

/* Fills the estimate of gains times (weights - ratio), with the effects of clicks through the propensities. */
static dorm_status fill(dorm_context *context, const dorm_clicks *clicks, const double *weights, double ratio,
                        const gain_rule *rule, linear_estimate *made)
{
  memset(made->by_look, 0, 2 * clicks->num_positions * sizeof *made->by_look);
  memset(made->effect, 0, clicks->num_cells * sizeof *made->effect);
  made->value = made->mass = made->variance = 0;
  for (size_t j = 0; j < clicks->num_docs; j++) {
    doc_gain doc = robust_gain(clicks, rule, weights, j);
    double num = clicks->impressions[clicks->query_of[j]], weight = num * (weights[j] - ratio), raw = 0;
    double looks = clicks->looks[j], net = clicks->net[j];
    double ips = looks > 0 || rule->ips == 1 ? rule->ips : 0, by_look = ips && looks > 0 ? ips / looks : 0;
    double by_click = (1 - ips) * doc.by_click + by_look, tilt = (1 - ips) * tilt_of(rule, weights[j]);
    double gain = (1 - ips) * doc.robust + by_look * net;
    made->value += weight * gain;
    made->mass += num * gain;
    made->variance += weight * weight * (1 - ips) * (1 - ips) * doc.variance;
    for (size_t i = clicks->cell_start[j]; i < clicks->cell_start[j + 1]; i++) {
      size_t k = clicks->cells[i].position;
      raw += clicks->cells[i].clicks;
      made->cells[i] = weight * by_click + tilt;
      made->by_look[k] -= weight * gain * dorm__click_look_share(clicks, i) / looks;
      made->by_trust[k] -= made->cells[i] * clicks->cells[i].shown;
    }
    made->constant[j] = weight * (gain - raw * by_click);
    if (tilt)
      made->constant[j] += tilt * (net - raw - looks * clicks->model[j]);
  }
  dorm_status status = dorm__curve_effects(context, clicks, made->by_look, made->effect);
  made->variance = fmax(made->variance + dorm__affine_variance(clicks, made->by_look, made->by_trust), 0);
  return status;
}

typedef struct moments {
  double count, sum, squares;
} moments;

static void add_unit(moments *made, double count, double value)
{
  made->count += count;
  made->sum += count * value;
  made->squares += count * value * value;
}

static double error_of(const moments *made, double variance, double lower)
{
  double squares = fmax(made->squares - made->sum * made->sum / made->count, 0);
  return made->count > 1 ? sqrt(fmax(squares * made->count / (made->count - 1) + variance, 0)) / lower : (double)NAN;
}

/* Computes the errors of made->value / lower over queries and over impressions. Each impression adds per_impression. */
static void find_errors(const dorm_clicks *clicks, const dorm_dataset *dataset, const linear_estimate *made,
                        double per_impression, double lower, double *errors[2])
{
  moments queries = {0}, single = {0};
  double clicked = 0, more = made->variance;
  for (size_t q = 0; q < clicks->num_queries; q++) {
    double constant = 0, num = clicks->impressions[q], value = num * per_impression, effect = 0;
    for (size_t j = dataset->query_start[q]; j < dataset->query_start[q + 1]; j++) {
      constant += made->constant[j];
      for (size_t i = clicks->cell_start[j]; i < clicks->cell_start[j + 1]; i++) {
        value += clicks->cells[i].clicks * made->cells[i];
        effect += clicks->cells[i].clicks * made->effect[i];
        more += dorm__click_variance(&clicks->cells[i]) * made->effect[i] * (2 * made->cells[i] + made->effect[i]);
      }
    }
    if (!(num > 0))
      continue;
    add_unit(&queries, 1, value + effect + constant);
    single.sum += constant; /* shared by the impressions of the query */
    single.squares += (2 * value + constant) * constant / num;
  }
  for (size_t i = 0; clicks->single && i < clicks->num_clicks; i++) {
    clicked += made->cells[clicks->single[i].cell];
    if (i + 1 == clicks->num_clicks || clicks->single[i + 1].begins) {
      add_unit(&single, 1, clicked + per_impression);
      clicked = 0;
    }
  }
  if (clicks->single)
    add_unit(&single, (double)clicks->num_impressions - single.count, per_impression);
  *errors[0] = error_of(&queries, made->variance, lower);
  *errors[1] = error_of(&single, more, lower);
}

static dorm_status estimate_all(dorm_context *context, const dorm_clicks *clicks, const dorm_dataset *dataset,
                                const double *weights, dorm_click_evaluation *made)
{
  size_t num_positions = clicks->num_positions;
  DORM__FREED double *room = dorm__alloc(2 * num_positions + clicks->num_docs + 2 * clicks->num_cells, sizeof *room);
  if (!room)
    return dorm__out_of_memory(context, "clicks");
  linear_estimate sums = {.by_look = room, .by_trust = room + num_positions, .constant = room + 2 * num_positions};
  sums.cells = sums.constant + clicks->num_docs;
  sums.effect = sums.cells + clicks->num_cells;
  double base = (double)clicks->num_impressions;
  dorm_status status = fill(context, clicks, weights, 0, &by_clicks_alone, &sums);
  double mass = sums.mass;
  made->ips = sums.value / base;
  made->snips = sums.value / mass;
  find_errors(clicks, dataset, &sums, -made->ips, base, (double *[]){&made->ips_error, &made->ips_error_impressions});
  if (status == DORM_OK)
    status = fill(context, clicks, weights, made->snips, &by_clicks_alone, &sums);
  find_errors(clicks, dataset, &sums, 0, mass, (double *[]){&made->snips_error, &made->snips_error_impressions});
  if (status != DORM_OK || !clicks->model)
    return status;
  gain_rule rule = robust_rule(clicks, weights);
  status = fill(context, clicks, weights, 0, &rule, &sums);
  made->dr = sums.value / base;
  find_errors(clicks, dataset, &sums, -made->dr, base, (double *[]){&made->dr_error, &made->dr_error_impressions});
  return status;
}

/* ---- The calls ------------------------------------------------------------------------------------- */

/* Computes the share of the weights on documents that the log never showed, and the bounds from it. */
static void find_bounds(const dorm_clicks *clicks, const double *weights, dorm_click_evaluation *made)
{
  double all = 0, unshown = 0, worse = 0, better = 0, base = (double)clicks->num_impressions;
  for (size_t j = 0; j < clicks->num_docs; j++) {
    double weight = clicks->impressions[clicks->query_of[j]] * weights[j];
    all += fabs(weight);
    if (clicks->cell_start[j] < clicks->cell_start[j + 1])
      continue;
    unshown += fabs(weight);
    worse += fmin(weight, 0);
    better += fmax(weight, 0);
  }
  made->unshown = all > 0 ? unshown / all : 0;
  made->ips_least = made->ips + worse / base;
  made->ips_most = made->ips + better / base;
}

/* Subtracts the mean weight over impressions of the positions at which the log shows each document. */
static void take_logged(const dorm_clicks *clicks, size_t truncation, double *weights)
{
  for (size_t i = 0; i < clicks->num_cells; i++) {
    const dorm__click_cell *cell = &clicks->cells[i];
    if (!truncation || cell->position < truncation)
      weights[cell->doc] -=
          cell->shown / clicks->impressions[clicks->query_of[cell->doc]] / log2((double)cell->position + 2);
  }
}

/* Evaluates a ranking minus the baseline, or minus the rankings in the log. */
static dorm_status compare(dorm_context *context, const dorm_clicks *clicks, const dorm_dataset *dataset,
                           const double *const scores[2], bool is_against_logged, size_t truncation,
                           dorm_click_evaluation *evaluation)
{
  dorm_click_evaluation made = {.struct_size = evaluation->struct_size,
                                .num_impressions = clicks->num_impressions,
                                .num_clicks = clicks->num_clicks,
                                .dr = (double)NAN,
                                .dr_error = (double)NAN,
                                .dr_error_impressions = (double)NAN};
  DORM__FREED double *weights = dorm__alloc_zero(dataset->num_docs, sizeof *weights);
  dorm_status status = DORM__ALL(
      dorm__struct_check(context, "evaluation", DORM__STRUCT(dorm_click_evaluation), evaluation),
      dorm__clicks_check(context, clicks, dataset), weights ? DORM_OK : dorm__out_of_memory(context, "clicks"),
      add_weights(context, dataset, scores[0], truncation, 1, weights),
      scores[1] ? add_weights(context, dataset, scores[1], truncation, -1, weights) : DORM_OK);
  if (status != DORM_OK)
    return status;
  if (is_against_logged)
    take_logged(clicks, truncation, weights);
  for (size_t q = 0; q < clicks->num_queries; q++)
    made.num_queries += clicks->impressions[q] > 0;
  status = estimate_all(context, clicks, dataset, weights, &made);
  find_bounds(clicks, weights, &made);
  if (status == DORM_OK)
    dorm__struct_give(&made, evaluation);
  return status;
}

dorm_status dorm_clicks_evaluate(dorm_context *context, const dorm_clicks *clicks, const dorm_dataset *dataset,
                                 const double *scores, const double *baseline, size_t truncation,
                                 dorm_click_evaluation *evaluation)
{
  if (DORM__LACKS(context, DORM__GIVEN(clicks), DORM__GIVEN(dataset), DORM__GIVEN(scores), DORM__GIVEN(evaluation)))
    return DORM_BAD_USAGE;
  return compare(context, clicks, dataset, (const double *[]){scores, baseline}, false, truncation, evaluation);
}

dorm_status dorm_clicks_compare_logged(dorm_context *context, const dorm_clicks *clicks, const dorm_dataset *dataset,
                                       const double *scores, size_t truncation, dorm_click_evaluation *evaluation)
{
  if (DORM__LACKS(context, DORM__GIVEN(clicks), DORM__GIVEN(dataset), DORM__GIVEN(scores), DORM__GIVEN(evaluation)))
    return DORM_BAD_USAGE;
  return compare(context, clicks, dataset, (const double *[]){scores, NULL}, true, truncation, evaluation);
}
