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
  double *constant; /* [num_docs] */
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
      value += made->constant[j];
      for (size_t i = clicks->cell_start[j]; i < clicks->cell_start[j + 1]; i++)
        value += clicks->cells[i].clicks * made->weight[i];
    }
    if (clicks->impressions[q] > 0)
      add_unit(&queries, 1, value);
  }
  return error_of(&queries, made->lower);
}

/* Adds the constants of the documents of a query to the values of its impressions. */
static void add_constants(const dorm_clicks *clicks, const dorm_dataset *dataset, const linear_estimate *made,
                          moments *single)
{
  for (size_t q = 0; q < clicks->num_queries; q++) {
    double constant = 0, value = clicks->impressions[q] * made->per_impression;
    for (size_t j = dataset->query_start[q]; j < dataset->query_start[q + 1]; j++) {
      constant += made->constant[j];
      for (size_t i = clicks->cell_start[j]; i < clicks->cell_start[j + 1]; i++)
        value += clicks->cells[i].clicks * made->weight[i];
    }
    if (!(clicks->impressions[q] > 0))
      continue;
    single->sum += constant;
    single->squares += 2 * value * constant / clicks->impressions[q] + constant * constant / clicks->impressions[q];
  }
}

static double error_over_impressions(const dorm_clicks *clicks, const dorm_dataset *dataset,
                                     const linear_estimate *made)
{
  moments single = {0};
  double value = 0;
  if (!clicks->single)
    return (double)NAN;
  for (size_t i = 0; i < clicks->num_clicks; i++) {
    value += made->weight[clicks->single[i].cell];
    if (i + 1 == clicks->num_clicks || clicks->single[i + 1].begins) {
      add_unit(&single, 1, value + made->per_impression);
      value = 0;
    }
  }
  add_unit(&single, (double)clicks->num_impressions - single.count, made->per_impression);
  add_constants(clicks, dataset, made, &single);
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
    double weight = clicks->impressions[clicks->query_of[j]] * weights[j];
    double num_clicks, looks = dorm__click_looks(clicks, j, &num_clicks);
    double worth = looks > 0 ? num_clicks * dorm__click_worth(clicks, j) : 0;
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

/* Room for one estimate. */
typedef struct click_room {
  double *by_look, *by_trust; /* [num_positions] slopes of the sum by log of the propensities and by trust */
  double *constant;           /* [num_docs] */
  double *effect, *cells;     /* [num_cells] */
} click_room;

/* Made in one piece, which begins at by_look. */
static dorm_status room_new(dorm_context *context, const dorm_clicks *clicks, click_room *room)
{
  size_t count = 2 * clicks->num_positions + clicks->num_docs + 2 * clicks->num_cells;
  room->by_look = dorm__alloc_zero(count, sizeof *room->by_look);
  if (!room->by_look)
    return dorm__out_of_memory(context, "clicks");
  room->by_trust = room->by_look + clicks->num_positions;
  room->constant = room->by_trust + clicks->num_positions;
  room->effect = room->constant + clicks->num_docs;
  room->cells = room->effect + clicks->num_cells;
  return DORM_OK;
}

/* Adds to the weights of cells by what the propensities move; *variance is what trust adds. */
static dorm_status add_effects(dorm_context *context, const dorm_clicks *clicks, const click_room *room,
                               double *variance)
{
  dorm_status status = dorm__click_effects(context, clicks, room->by_look, room->effect);
  for (size_t i = 0; status == DORM_OK && i < clicks->num_cells; i++)
    room->cells[i] += room->effect[i];
  *variance = clicks->affine.trust ? dorm__affine_variance(clicks, room->by_look, room->by_trust) : 0;
  return status;
}

/* Clicks, less those that trust explains, are worth `worth * (weights[doc] - ratio)`. */
static dorm_status fill_cells(dorm_context *context, const dorm_clicks *clicks, const double *weights, double ratio,
                              const click_room *room, double *variance)
{
  memset(room->by_look, 0, 2 * clicks->num_positions * sizeof *room->by_look);
  for (size_t j = 0; j < clicks->num_docs; j++) {
    double num_clicks, looks = dorm__click_looks(clicks, j, &num_clicks), raw = 0;
    double weight = looks > 0 ? dorm__click_worth(clicks, j) * (weights[j] - ratio) : 0;
    for (size_t i = clicks->cell_start[j]; i < clicks->cell_start[j + 1]; i++) {
      size_t k = clicks->cells[i].position;
      room->cells[i] = weight;
      raw += clicks->cells[i].clicks;
      room->by_look[k] -= num_clicks * weight * dorm__click_look_share(clicks, i) / looks;
      room->by_trust[k] -= weight * clicks->cells[i].shown;
    }
    room->constant[j] = weight * (num_clicks - raw);
  }
  return add_effects(context, clicks, room, variance);
}

static void fill_both(const dorm_clicks *clicks, const dorm_dataset *dataset, const linear_estimate *estimate,
                      double variance, double *error, double *error_impressions)
{
  double more = sqrt(fmax(variance, 0)) / estimate->lower;
  *error = hypot(error_over_queries(clicks, dataset, estimate), more);
  *error_impressions = hypot(error_over_impressions(clicks, dataset, estimate), more);
}

static dorm_status fill_errors(dorm_context *context, const dorm_clicks *clicks, const dorm_dataset *dataset,
                               const double *weights, const click_sums *sums, dorm_click_evaluation *made)
{
  click_room room = {NULL, NULL, NULL, NULL, NULL};
  double variance = 0;
  dorm_status status = room_new(context, clicks, &room);
  linear_estimate ips = {room.cells, room.constant, -made->ips, sums->base};
  linear_estimate snips = {room.cells, room.constant, 0, sums->mass};
  if (status == DORM_OK)
    status = fill_cells(context, clicks, weights, 0, &room, &variance);
  if (status == DORM_OK) {
    fill_both(clicks, dataset, &ips, variance, &made->ips_error, &made->ips_error_impressions);
    status = fill_cells(context, clicks, weights, made->snips, &room, &variance);
  }
  if (status == DORM_OK)
    fill_both(clicks, dataset, &snips, variance, &made->snips_error, &made->snips_error_impressions);
  dorm__free(room.by_look);
  return status;
}

/* How the model of clicks is corrected for one estimate: m becomes m (1 + slope (weight - mean)), so that it is right
 * on the average of documents and along the weights. */
typedef struct model_tilt {
  double mean, slope, squares;
  double gain; /* of the sum by the slope */
} model_tilt;

static double tilted(const dorm_clicks *clicks, const model_tilt *tilt, const double *weights, size_t doc)
{
  static const double least = 0.05;
  return clicks->model[doc] * fmax(1 + tilt->slope * (weights[doc] - tilt->mean), least);
}

static model_tilt find_tilt(const dorm_clicks *clicks, const double *weights)
{
  model_tilt tilt = {0};
  double all = 0, product = 0, num_clicks;
  for (size_t j = 0; j < clicks->num_docs; j++) {
    double expected = dorm__click_looks(clicks, j, &num_clicks) * clicks->model[j];
    all += expected;
    tilt.mean += all > 0 ? expected / all * (weights[j] - tilt.mean) : 0;
  }
  for (size_t j = 0; j < clicks->num_docs; j++) {
    double expected = dorm__click_looks(clicks, j, &num_clicks) * clicks->model[j], away = weights[j] - tilt.mean;
    product += away * (num_clicks - expected);
    tilt.squares += away * away * expected;
  }
  tilt.slope = tilt.squares > 0 ? product / tilt.squares : 0;
  for (size_t j = 0; j < clicks->num_docs; j++) {
    double looks = dorm__click_looks(clicks, j, &num_clicks), m = tilted(clicks, &tilt, weights, j);
    double kappa = clicks->phi / m, num = clicks->impressions[clicks->query_of[j]];
    tilt.gain += num * weights[j] * (weights[j] - tilt.mean) * clicks->model[j] * kappa / (kappa + looks);
  }
  return tilt;
}

/* The doubly robust estimate: the weights of clicks and constants of gains (gains.c). The model is wrong by a
 * document's own amount, whose variance, gain kappa / (kappa + T)^2 with kappa = phi / m, adds to that of clicks. */
static dorm_status fill_robust(dorm_context *context, const dorm_clicks *clicks, const dorm_dataset *dataset,
                               const double *weights, double base, dorm_click_evaluation *made)
{
  click_room room = {NULL, NULL, NULL, NULL, NULL};
  double value = 0, variance = 0, more = 0;
  model_tilt tilt = find_tilt(clicks, weights);
  dorm_status status = room_new(context, clicks, &room);
  for (size_t j = 0; status == DORM_OK && j < clicks->num_docs; j++) {
    double num_clicks, looks = dorm__click_looks(clicks, j, &num_clicks), raw = 0;
    double kappa = clicks->phi / tilted(clicks, &tilt, weights, j), gain = (clicks->phi + num_clicks) / (kappa + looks);
    double weight = clicks->impressions[clicks->query_of[j]] * weights[j];
    double by_tilt = tilt.squares > 0 ? tilt.gain * (weights[j] - tilt.mean) / tilt.squares : 0;
    value += weight * gain;
    variance += weight * weight * fmax(gain, 0) * kappa / pow(kappa + looks, 2);
    for (size_t i = clicks->cell_start[j]; i < clicks->cell_start[j + 1]; i++) {
      size_t k = clicks->cells[i].position;
      raw += clicks->cells[i].clicks;
      room.cells[i] = weight / (kappa + looks) + by_tilt;
      room.by_look[k] -= weight * gain * dorm__click_look_share(clicks, i) / looks;
      room.by_trust[k] -= room.cells[i] * clicks->cells[i].shown;
    }
    room.constant[j] = weight * (clicks->phi + num_clicks - raw) / (kappa + looks) - by_tilt * looks * clicks->model[j];
  }
  if (status == DORM_OK)
    status = add_effects(context, clicks, &room, &more);
  if (status == DORM_OK) {
    made->dr = value / base;
    linear_estimate robust = {room.cells, room.constant, -made->dr, base};
    fill_both(clicks, dataset, &robust, variance + more, &made->dr_error, &made->dr_error_impressions);
  }
  dorm__free(room.by_look);
  return status;
}

static size_t count_shown_queries(const dorm_clicks *clicks)
{
  size_t count = 0;
  for (size_t q = 0; q < clicks->num_queries; q++)
    count += clicks->impressions[q] > 0;
  return count;
}

static dorm_status evaluate(dorm_context *context, const dorm_clicks *clicks, const dorm_dataset *dataset,
                            const double *weights, dorm_click_evaluation *evaluation)
{
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
      .dr = (double)NAN,
      .dr_error = (double)NAN,
      .dr_error_impressions = (double)NAN,
  };
  dorm_status status = fill_errors(context, clicks, dataset, weights, &sums, &made);
  if (status == DORM_OK && clicks->model)
    status = fill_robust(context, clicks, dataset, weights, sums.base, &made);
  if (status == DORM_OK)
    dorm__struct_give(&made, evaluation);
  return status;
}

/* Subtracts the weights of the positions that the log shows, on the average over impressions. */
static void take_logged(const dorm_clicks *clicks, size_t truncation, double *weights)
{
  for (size_t i = 0; i < clicks->num_cells; i++) {
    const dorm__click_cell *cell = &clicks->cells[i];
    if (!truncation || cell->position < truncation)
      weights[cell->doc] -=
          cell->shown / clicks->impressions[clicks->query_of[cell->doc]] / log2((double)cell->position + 2);
  }
}

static const double logged = 0; /* its address is the baseline of the rankings that users saw */

static dorm_status evaluate_against(dorm_context *context, const dorm_clicks *clicks, const dorm_dataset *dataset,
                                    const double *scores, const double *baseline, size_t truncation,
                                    dorm_click_evaluation *evaluation)
{
  dorm_status status = dorm__struct_check(context, "evaluation", DORM__STRUCT(dorm_click_evaluation), evaluation);
  if (status == DORM_OK)
    status = dorm__clicks_check(context, clicks, dataset);
  double *weights = status == DORM_OK ? dorm__alloc_zero(dataset->num_docs, sizeof *weights) : NULL;
  if (status == DORM_OK && !weights)
    status = dorm__out_of_memory(context, "clicks");
  if (status == DORM_OK)
    status = add_weights(context, dataset, scores, truncation, 1, weights);
  if (status == DORM_OK && baseline == &logged)
    take_logged(clicks, truncation, weights);
  else if (status == DORM_OK && baseline)
    status = add_weights(context, dataset, baseline, truncation, -1, weights);
  if (status == DORM_OK)
    status = evaluate(context, clicks, dataset, weights, evaluation);
  dorm__free(weights);
  return status;
}

dorm_status dorm_clicks_evaluate(dorm_context *context, const dorm_clicks *clicks, const dorm_dataset *dataset,
                                 const double *scores, const double *baseline, size_t truncation,
                                 dorm_click_evaluation *evaluation)
{
  if (DORM__LACKS(context, DORM__GIVEN(clicks), DORM__GIVEN(dataset), DORM__GIVEN(scores), DORM__GIVEN(evaluation)))
    return DORM_BAD_USAGE;
  return evaluate_against(context, clicks, dataset, scores, baseline, truncation, evaluation);
}

dorm_status dorm_clicks_compare_logged(dorm_context *context, const dorm_clicks *clicks, const dorm_dataset *dataset,
                                       const double *scores, size_t truncation, dorm_click_evaluation *evaluation)
{
  if (DORM__LACKS(context, DORM__GIVEN(clicks), DORM__GIVEN(dataset), DORM__GIVEN(scores), DORM__GIVEN(evaluation)))
    return DORM_BAD_USAGE;
  return evaluate_against(context, clicks, dataset, scores, &logged, truncation, evaluation);
}
