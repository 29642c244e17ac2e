/*
 * estimate.c: what a ranking would be worth to the users of a log who saw other rankings. dorm/clicks.h has the
 * formulas of ips and snips.
 *
 * Standard errors: for a ratio m = sum T / sum N over units (queries, or impressions with N = 1) the residuals are
 * e = T - m N, and the error is sqrt(n / (n - 1) sum e^2) / sum N, n units (Cochran, "Sampling techniques", 1977,
 * section 2.11). snips has D in the place of N. That over queries includes the choice of the queries; that over
 * impressions does not, and takes these queries as given.
 */
#include "base/sort.h"
#include "base/status.h"
#include "clicks/log.h"

#include <math.h>
#include <string.h>

/* Sums over units: queries or impressions. */
typedef struct unit_sums {
  double count;
  double value, mass, base;                                         /* of T, D, N */
  double value_value, value_mass, mass_mass, value_base, base_base; /* of their products */
} unit_sums;

static void add_unit(unit_sums *sums, double value, double mass, double base)
{
  sums->count += 1;
  sums->value += value;
  sums->mass += mass;
  sums->base += base;
  sums->value_value += value * value;
  sums->value_mass += value * mass;
  sums->mass_mass += mass * mass;
  sums->value_base += value * base;
  sums->base_base += base * base;
}

/* The error of a ratio, whose lower part has these sums. */
static double error_of(const unit_sums *sums, double lower, double upper_lower, double lower_lower)
{
  double ratio = sums->value / lower;
  double squares = sums->value_value - 2 * ratio * upper_lower + ratio * ratio * lower_lower;
  if (!(sums->count > 1))
    return (double)NAN;
  return sqrt(fmax(squares, 0) * sums->count / (sums->count - 1)) / lower;
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

static unit_sums sum_queries(const dorm_clicks *clicks, const dorm_dataset *dataset, const double *weights)
{
  unit_sums sums = {0};
  for (size_t q = 0; q < clicks->num_queries; q++) {
    double value = 0, mass = 0;
    for (size_t i = clicks->cell_start[dataset->query_start[q]]; i < clicks->cell_start[dataset->query_start[q + 1]];
         i++) {
      const dorm__click_cell *cell = &clicks->cells[i];
      double worth = cell->clicks > 0 ? cell->clicks * dorm__click_worth(clicks, cell->doc) : 0;
      value += worth * weights[cell->doc];
      mass += worth;
    }
    if (clicks->impressions[q] > 0)
      add_unit(&sums, value, mass, clicks->impressions[q]);
  }
  return sums;
}

static unit_sums sum_impressions(const dorm_clicks *clicks, const double *weights)
{
  unit_sums sums = {0};
  double value = 0, mass = 0;
  for (size_t i = 0; i < clicks->num_clicks; i++) {
    const dorm__click_cell *cell = &clicks->cells[clicks->single[i].cell];
    double worth = dorm__click_worth(clicks, cell->doc);
    value += worth * weights[cell->doc];
    mass += worth;
    if (i + 1 == clicks->num_clicks || clicks->single[i + 1].begins) {
      add_unit(&sums, value, mass, 1);
      value = mass = 0;
    }
  }
  double without = (double)clicks->num_impressions - sums.count; /* a click */
  sums.count += without;
  sums.base += without;
  sums.base_base += without;
  return sums;
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
    unit_sums queries = sum_queries(clicks, dataset, weights);
    dorm_click_evaluation made = {
        .struct_size = evaluation->struct_size,
        .num_impressions = clicks->num_impressions,
        .num_queries = (size_t)queries.count,
        .num_clicks = clicks->num_clicks,
        .ips = queries.value / queries.base,
        .ips_error = error_of(&queries, queries.base, queries.value_base, queries.base_base),
        .ips_error_impressions = (double)NAN,
        .snips = queries.value / queries.mass,
        .snips_error = error_of(&queries, queries.mass, queries.value_mass, queries.mass_mass),
        .snips_error_impressions = (double)NAN,
    };
    if (clicks->single) {
      unit_sums single = sum_impressions(clicks, weights);
      made.ips_error_impressions = error_of(&single, single.base, single.value_base, single.base_base);
      made.snips_error_impressions = error_of(&single, single.mass, single.value_mass, single.mass_mass);
    }
    dorm__struct_give(&made, evaluation);
  }
  dorm__free(weights);
  return status;
}
