/*
 * estimate.c: what a ranking would be worth to the users of a log who saw other rankings. dorm/clicks.h has the
 * formulas of ips and snips.
 *
 * Standard errors: for a ratio m = sum T / sum N over units (queries, or impressions with N = 1) the residuals are
 * e = T - m N, and the error is sqrt(n / (n - 1) sum e^2) / sum N, n units (Cochran, "Sampling techniques", 1977,
 * section 2.11). snips has D in the place of N. The error over queries includes the choice of the queries; the error
 * over impressions takes these queries as given. If the propensities were estimated, each click also moves these, and
 * a click counts in e by both ways (uncertainty.c).
 *
 * Documents that the log never showed have no clicks, so that they count 0. Their gains are from 0 to 1, which gives
 * the bounds.
 */
#include "base/sort.h"
#include "base/status.h"
#include "clicks/log.h"

#include <math.h>
#include <string.h>

/* A sum over impressions, divided by `lower`: each click adds the weight of its cell, each document its constant, and
 * each impression per_impression. */
typedef struct linear_estimate {
  double *weight;   /* [num_cells] */
  double *constant; /* [num_docs]; NULL: 0 */
  double per_impression, lower;
} linear_estimate;

typedef struct moments {
  double count, sum, squares;
} moments;

static void add_unit(moments *made, double count, double value)
{
  made->count += count;
  made->sum += count * value;
  made->squares += count * value * value;
}

static double error_of(const moments *made, double lower)
{
  double squares = made->squares - made->sum * made->sum / made->count;
  return made->count > 1 ? sqrt(fmax(squares, 0) * made->count / (made->count - 1)) / lower : (double)NAN;
}

static double error_over_queries(const dorm_clicks *clicks, const dorm_dataset *dataset, const linear_estimate *made)
{
  moments queries = {0};
  for (size_t q = 0; q < clicks->num_queries; q++) {
    double value = clicks->impressions[q] * made->per_impression;
    for (size_t j = dataset->query_start[q]; j < dataset->query_start[q + 1]; j++) {
      value += made->constant ? made->constant[j] : 0;
      for (size_t i = clicks->cell_start[j]; i < clicks->cell_start[j + 1]; i++)
        value += clicks->cells[i].clicks * made->weight[i];
    }
    if (clicks->impressions[q] > 0)
      add_unit(&queries, 1, value);
  }
  return error_of(&queries, made->lower);
}

/* The constants have the same sum in each impression, nearly; they are left out. */
static double error_over_impressions(const dorm_clicks *clicks, const linear_estimate *made)
{
  moments single = {0};
  double value = 0;
  for (size_t i = 0; i < clicks->num_clicks; i++) {
    value += made->weight[clicks->single[i].cell];
    if (i + 1 == clicks->num_clicks || clicks->single[i + 1].begins) {
      add_unit(&single, 1, value + made->per_impression);
      value = 0;
    }
  }
  add_unit(&single, (double)clicks->num_impressions - single.count, made->per_impression);
  return error_of(&single, made->lower);
}

/* Fills weights [num_docs] of the whole data: the weight of each document's position by its score, documents of equal
 * scores sharing theirs; or adds them, times `sign`. */
static dorm_status add_weights(dorm_context *context, const dorm_dataset *dataset, const double *scores,
                               size_t truncation, double sign, double *weights)
{
  size_t most = dorm__dataset_max_docs(dataset);
  dorm__sort_scratch scratch;
  uint32_t *order = dorm__alloc(most, sizeof *order);
  double *sorted = dorm__alloc(most, sizeof *sorted);
  bool is_made = dorm__sort_scratch_alloc(most, &scratch) && order && sorted;
  for (size_t q = 0; is_made && q < dataset->num_queries; q++) {
    size_t start = dataset->query_start[q], count = dataset->query_start[q + 1] - start;
    dorm__sort_descending(count, scores + start, order, sorted, &scratch);
    for (size_t p = 0, end; p < count; p = end) {
      double sum = 0;
      for (end = p; end < count && sorted[end] == sorted[p]; end++)
        sum += truncation && end >= truncation ? 0 : 1 / log2((double)end + 2);
      for (size_t i = p; i < end; i++)
        weights[start + order[i]] += sign * sum / (double)(end - p);
    }
  }
  dorm__sort_scratch_free(&scratch);
  dorm__free(order);
  dorm__free(sorted);
  return is_made ? DORM_OK : dorm__out_of_memory(context, "clicks");
}

/* ---- Sums over clicks ------------------------------------------------------------------- */

/* What the estimates are made of. */
typedef struct click_sums {
  double value, mass, base; /* of T, D and the impressions */
  double unshown, weight;   /* of the weights of documents that were never shown, and of all */
  double worse, better;     /* of the weights below and above 0 of documents that were never shown */
} click_sums;

static click_sums sum_all(const dorm_clicks *clicks, const double *weights)
{
  click_sums sums = {0};
  for (size_t q = 0; q < clicks->num_queries; q++)
    sums.base += clicks->impressions[q];
  for (size_t j = 0; j < clicks->num_docs; j++) {
    double num = clicks->impressions[clicks->query_of[j]], clicked = 0, weight = num * weights[j];
    for (size_t i = clicks->cell_start[j]; i < clicks->cell_start[j + 1]; i++)
      clicked += clicks->cells[i].clicks;
    double worth = clicked > 0 ? clicked * dorm__click_worth(clicks, j) : 0;
    sums.value += worth * weights[j];
    sums.mass += worth;
    sums.weight += fabs(weight);
    if (clicks->cell_start[j] == clicks->cell_start[j + 1]) {
      sums.unshown += fabs(weight);
      sums.worse += fmin(weight, 0);
      sums.better += fmax(weight, 0);
    }
  }
  return sums;
}

/* Fills the weights of the cells for clicks that are worth `worth * (weights[doc] - ratio)`; slope [num_positions] and
 * effect [num_cells] are room. */
static dorm_status fill_cells(dorm_context *context, const dorm_clicks *clicks, const double *weights, double ratio,
                              double *slope, double *effect, double *cell_weights)
{
  memset(slope, 0, clicks->num_positions * sizeof *slope);
  for (size_t j = 0; j < clicks->num_docs; j++) {
    size_t start = clicks->cell_start[j], end = clicks->cell_start[j + 1];
    double worth = end > start ? dorm__click_worth(clicks, j) : 0, clicked = 0;
    for (size_t i = start; i < end; i++) {
      cell_weights[i] = worth * (weights[j] - ratio);
      clicked += clicks->cells[i].clicks;
    }
    for (size_t i = start; clicked > 0 && i < end; i++)
      slope[clicks->cells[i].position] -= clicked * cell_weights[i] * dorm__click_look_share(clicks, i) * worth /
                                          clicks->impressions[clicks->query_of[j]];
  }
  dorm_status status = dorm__click_effects(context, clicks, slope, effect);
  for (size_t i = 0; status == DORM_OK && i < clicks->num_cells; i++)
    cell_weights[i] += effect[i];
  return status;
}

static dorm_status fill_errors(dorm_context *context, const dorm_clicks *clicks, const dorm_dataset *dataset,
                               const double *weights, const click_sums *sums, dorm_click_evaluation *made)
{
  double *room = dorm__alloc(clicks->num_positions + 2 * clicks->num_cells, sizeof *room);
  double *effect = room ? room + clicks->num_positions : NULL, *cells = room ? effect + clicks->num_cells : NULL;
  dorm_status status = room ? DORM_OK : dorm__out_of_memory(context, "clicks");
  linear_estimate ips = {cells, NULL, -made->ips, sums->base}, snips = {cells, NULL, 0, sums->mass};
  made->ips_error_impressions = made->snips_error_impressions = (double)NAN;
  if (status == DORM_OK)
    status = fill_cells(context, clicks, weights, 0, room, effect, cells);
  if (status == DORM_OK) {
    made->ips_error = error_over_queries(clicks, dataset, &ips);
    if (clicks->single)
      made->ips_error_impressions = error_over_impressions(clicks, &ips);
    status = fill_cells(context, clicks, weights, made->snips, room, effect, cells);
  }
  if (status == DORM_OK) {
    made->snips_error = error_over_queries(clicks, dataset, &snips);
    if (clicks->single)
      made->snips_error_impressions = error_over_impressions(clicks, &snips);
  }
  dorm__free(room);
  return status;
}

static size_t count_shown_queries(const dorm_clicks *clicks)
{
  size_t count = 0;
  for (size_t q = 0; q < clicks->num_queries; q++)
    count += clicks->impressions[q] > 0;
  return count;
}

dorm_status dorm_clicks_evaluate(dorm_context *context, const dorm_clicks *clicks, const dorm_dataset *dataset,
                                 const double *scores, const double *baseline, size_t truncation,
                                 dorm_click_evaluation *evaluation)
{
  if (DORM__LACKS(context, DORM__GIVEN(clicks), DORM__GIVEN(dataset), DORM__GIVEN(scores), DORM__GIVEN(evaluation)))
    return DORM_BAD_USAGE;
  dorm_status status = dorm__struct_check(context, "evaluation", DORM__STRUCT(dorm_click_evaluation), evaluation);
  if (status == DORM_OK)
    status = dorm__clicks_check(context, clicks, dataset);
  double *weights = status == DORM_OK ? dorm__alloc_zero(dataset->num_docs, sizeof *weights) : NULL;
  if (status == DORM_OK && !weights)
    status = dorm__out_of_memory(context, "clicks");
  if (status == DORM_OK)
    status = add_weights(context, dataset, scores, truncation, 1, weights);
  if (status == DORM_OK && baseline)
    status = add_weights(context, dataset, baseline, truncation, -1, weights);
  if (status == DORM_OK) {
    click_sums sums = sum_all(clicks, weights);
    dorm_click_evaluation made = {
        .struct_size = evaluation->struct_size,
        .num_impressions = clicks->num_impressions,
        .num_queries = count_shown_queries(clicks),
        .num_clicks = clicks->num_clicks,
        .ips = sums.value / sums.base,
        .snips = sums.value / sums.mass,
        .unshown = sums.weight > 0 ? sums.unshown / sums.weight : 0,
        .ips_least = (sums.value + sums.worse) / sums.base,
        .ips_most = (sums.value + sums.better) / sums.base,
    };
    status = fill_errors(context, clicks, dataset, weights, &sums, &made);
    if (status == DORM_OK)
      dorm__struct_give(&made, evaluation);
  }
  dorm__free(weights);
  return status;
}
