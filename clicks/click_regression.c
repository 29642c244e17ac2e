/*
 * click_regression.c: estimates propensities p_k from clicks and features, whether documents moved or not. A user who
 * looks at document d clicks it with probability s_d. If d was shown n_dk times at position k, its clicks there are
 * modelled as Poisson with mean n_dk p_k s_d. s_d has a Gamma distribution with shape phi and mean
 *
 *   m_d = 1 / (1 + exp(-v - sum over features f of h_f(x_df)))
 *
 * h_f is constant in each fifth of the values of the feature. Steps from one fifth to the next have the prior N(0, 1).
 * The number of documents of the query is an additional feature. Let C_d be the clicks of d and T_d = sum over k of
 * n_dk p_k. With s_d integrated out, the log likelihood is maximised over log p, v, log phi and the steps:
 *
 *   sum over k of (clicks at k) log p_k + sum over d of [phi log (phi / m_d) - (phi + C_d) log (phi / m_d + T_d)
 *           + log Gamma (phi + C_d) - log Gamma (phi)] - (squares of the steps) / 2,    p_1 = 1
 *
 * The derivative by log p_k is the clicks at k minus the expected clicks for s_d = (phi + C_d) / (phi / m_d + T_d).
 * This s_d lies between the model and the document's own clicks, and closer to the clicks the more there are. The mean
 * of the derivative is 0 at the true p if the m_d are right on average, whatever the distributions. If documents were
 * shown at several positions and clicked often, features hardly matter, and the method is harvesting. Otherwise it is
 * the regression-EM of Wang et al. ("Position bias estimation for unbiased learning to rank in personal search", WSDM
 * 2018), with an additive model instead of their trees and an effect per document. L-BFGS needs fewer passes than EM.
 * If documents were not moved, relevance that the rankings reflect but the features do not is mistaken for position
 * bias.
 *
 * O(cells + entries of features) for each of some hundred calls. It can be stopped between calls. Memory: a byte per
 * entry. The fifths are computed from at most 100,000 documents.
 */
#include "base/minimise.h"
#include "clicks/log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BINS = 5, STEPS = BINS - 1, MOST_CALLS = 500, MOST_SAMPLED = 100000 };
static const double tolerance = 1e-8;

/* The variables are log p (or only the exponent), v, log phi and the steps, in this order. L-BFGS works on variables
 * divided by their `unit`, so that all curvatures are of similar size. */
typedef struct click_regression {
  dorm_context *context;
  const dorm_clicks *clicks;
  const dorm_dataset *dataset;
  bool is_free; /* each position has its own p, if false p_k = 1 / k^eta */
  size_t size;  /* number of variables */
  size_t v, phi, first_step;
  size_t num_features;    /* of the data, plus the number of documents of the query */
  unsigned char *code;    /* [entries] bin of the value */
  unsigned char *zero;    /* [num_features] bin of 0 */
  double *unit, *x;       /* [size], x not divided by unit */
  double *height, *slope; /* [num_features][BINS] h, and the gradient by h */
  double *look;           /* [num_positions] p, and: */
  double *position_slope, *position_clicks;
} click_regression;

/* ---- Bins -------------------------------------------------------------------------- */

/* The feature entries of a document: the number of documents of its query, then its row. */
typedef struct entries {
  size_t first, count;     /* among the entries of all documents */
  const float *values;     /* of the row */
  const uint32_t *indices; /* of the row, NULL if dense */
  size_t last_feature;
} entries;

static entries entries_of(const click_regression *made, size_t doc)
{
  const dorm_dataset *dataset = made->dataset;
  size_t first = dataset->row_start ? dataset->row_start[doc] : doc * dataset->num_features;
  size_t count = dataset->row_start ? dataset->row_start[doc + 1] - first : dataset->num_features;
  return (entries){first + doc, count + 1, dataset->values + first,
                   dataset->row_start ? dataset->indices + first : NULL, dataset->num_features};
}

static size_t feature_of(const entries *row, size_t nth)
{
  return nth == 0 ? row->last_feature : row->indices ? row->indices[nth - 1] : nth - 1;
}

static float value_of(const click_regression *made, const entries *row, size_t doc, size_t nth)
{
  const size_t *start = made->dataset->query_start + made->clicks->query_of[doc];
  float value = nth ? row->values[nth - 1] : (float)(start[1] - start[0]);
  return isnan(value) ? 0 : value;
}

static int compare_values(const void *x, const void *y)
{
  float a = *(const float *)x, b = *(const float *)y;
  return (a > b) - (a < b);
}

/* Fills cuts, the bounds between bins, with the distinct quantiles 1/5, 2/5, ... of all values. These are the sorted
 * values [count] and `num_zeros` zeros. */
static void find_cuts(size_t count, const float *values, size_t num_zeros, float *cuts)
{
  size_t negative = 0, num = 0;
  while (negative < count && values[negative] < 0)
    negative++;
  for (size_t b = 1; b < BINS && count + num_zeros; b++) {
    size_t at = (count + num_zeros - 1) * b / BINS;
    float cut = at < negative ? values[at] : at < negative + num_zeros ? 0 : values[at - num_zeros];
    if (num == 0 || cut > cuts[num - 1])
      cuts[num++] = cut;
  }
  while (num < STEPS)
    cuts[num++] = INFINITY;
}

static unsigned char bin_of(const float *cuts, float value)
{
  unsigned char bin = 0;
  while (bin < STEPS && value > cuts[bin])
    bin++;
  return bin;
}

/* Returns the entries of a document whose values are about to be read. */
static entries use_entries(const click_regression *made, size_t doc)
{
  entries row = entries_of(made, doc);
  dorm__file_memory_use(made->dataset->file, row.values, (row.count - 1) * sizeof *row.values);
  return row;
}

/* Fills values [start[num_features]] with the entries of each `stride`-th document, sorted by feature and value. */
static void sort_values(const click_regression *made, size_t stride, float *values, size_t *start)
{
  for (size_t j = 0; j < made->dataset->num_docs; j += stride) { /* moves each start to the next one */
    entries row = use_entries(made, j);
    for (size_t e = 0; e < row.count; e++)
      values[start[feature_of(&row, e)]++] = value_of(made, &row, j, e);
  }
  memmove(start + 1, start, (made->num_features - 1) * sizeof *start);
  start[0] = 0;
  for (size_t f = 0; f < made->num_features; f++)
    qsort(values + start[f], start[f + 1] - start[f], sizeof *values, compare_values);
}

/* Finds the bins of all entries, with bounds from a sample of documents. */
static dorm_status fill_codes(dorm_context *context, click_regression *made)
{
  size_t num_docs = made->dataset->num_docs, stride = 1 + num_docs / MOST_SAMPLED;
  DORM__FREED float *cuts = dorm__alloc(made->num_features, STEPS * sizeof *cuts);
  DORM__FREED size_t *start = dorm__alloc_zero(made->num_features + 1, sizeof *start);
  for (size_t j = 0; start && j < num_docs; j += stride) {
    entries row = entries_of(made, j);
    for (size_t e = 0; e < row.count; e++)
      start[feature_of(&row, e) + 1]++;
  }
  for (size_t f = 0; start && f < made->num_features; f++)
    start[f + 1] += start[f];
  DORM__FREED float *values = start ? dorm__alloc(start[made->num_features], sizeof *values) : NULL;
  if (!values || !cuts)
    return dorm__out_of_memory(context, "clicks");
  sort_values(made, stride, values, start);
  for (size_t f = 0; f < made->num_features; f++) {
    size_t count = start[f + 1] - start[f];
    find_cuts(count, values + start[f], (num_docs + stride - 1) / stride - count, cuts + f * STEPS);
    made->zero[f] = bin_of(cuts + f * STEPS, 0);
  }
  for (size_t j = 0; j < num_docs; j++) {
    entries row = use_entries(made, j);
    for (size_t e = 0; e < row.count; e++)
      made->code[row.first + e] = bin_of(cuts + feature_of(&row, e) * STEPS, value_of(made, &row, j, e));
  }
  return DORM_OK;
}

/* ---- The likelihood ---------------------------------------------------------------- */

/* Returns the derivative of log Gamma at x > 0, by its recurrence and its asymptotic series (Abramowitz and Stegun
 * 6.3.18). */
static double digamma(double x)
{
  double sum = 0;
  for (; x < 8; x++)
    sum -= 1 / x;
  double square = 1 / (x * x);
  return sum + log(x) - 1 / (2 * x) - square * (1.0 / 12 - square * (1.0 / 120 - square / 252));
}

/* Computes heights from steps. Returns v plus the heights of a row of zeros. */
static double fill_heights(click_regression *made)
{
  double base = made->x[made->v];
  for (size_t f = 0; f < made->num_features; f++) {
    double *height = made->height + f * BINS;
    height[0] = 0;
    for (size_t b = 0; b < STEPS; b++)
      height[b + 1] = height[b] + made->x[made->first_step + f * STEPS + b];
    base += height[made->zero[f]];
  }
  return base;
}

static double score_of(const click_regression *made, size_t doc, double base)
{
  entries row = entries_of(made, doc);
  double score = base;
  for (size_t e = 0; e < row.count; e++) {
    size_t f = feature_of(&row, e);
    score += made->height[f * BINS + made->code[row.first + e]] - made->height[f * BINS + made->zero[f]];
  }
  return score;
}

static void add_slope(const click_regression *made, size_t doc, double slope)
{
  entries row = entries_of(made, doc);
  for (size_t e = 0; e < row.count; e++) {
    size_t f = feature_of(&row, e);
    made->slope[f * BINS + made->code[row.first + e]] += slope;
    made->slope[f * BINS + made->zero[f]] -= slope;
  }
}

/* Adds minus the log likelihood of a shown document, without the sum over positions, and its derivatives. Returns the
 * derivative by the score. */
static double add_doc(const click_regression *made, size_t doc, double base, double *value, double *by_phi)
{
  const dorm_clicks *clicks = made->clicks;
  double expected = 0, num = clicks->net[doc], score = score_of(made, doc, base);
  for (size_t i = clicks->cell_start[doc]; i < clicks->cell_start[doc + 1]; i++)
    expected += clicks->cells[i].shown * made->look[clicks->cells[i].position];
  double phi = exp(made->x[made->phi]), rate = phi * (1 + exp(-score)), attraction = (phi + num) / (rate + expected);
  int sign;
  *value += (phi + num) * log(rate + expected) - phi * log(rate) - lgamma_r(phi + num, &sign) + lgamma_r(phi, &sign);
  for (size_t i = clicks->cell_start[doc]; i < clicks->cell_start[doc + 1]; i++) {
    size_t k = clicks->cells[i].position;
    made->position_slope[k] += attraction * clicks->cells[i].shown * made->look[k];
  }
  double by_rate = attraction * rate - phi, slope = -by_rate / (1 + exp(score)); /* by log rate, by the score */
  *by_phi += by_rate + phi * (log1p(expected / rate) - digamma(phi + num) + digamma(phi));
  add_slope(made, doc, slope);
  return slope;
}

/* Returns log p_k from the variables. */
static double log_look(const click_regression *made, size_t k)
{
  return made->is_free ? (k ? made->x[k] : 0) : -made->x[0] * log((double)k + 1);
}

/* Adds the terms of the positions, and turns the gradient by log p and h into the gradient by the variables. */
static void add_positions(const click_regression *made, double *value, double *gradient)
{
  for (size_t k = 1; k < made->clicks->num_positions; k++) {
    double slope = made->position_slope[k] - made->position_clicks[k];
    *value -= made->position_clicks[k] * log_look(made, k);
    if (made->is_free)
      gradient[k] = slope;
    else
      gradient[0] -= slope * log((double)k + 1);
  }
}

static void add_steps(const click_regression *made, double slopes, double *value, double *gradient)
{
  for (size_t f = 0; f < made->num_features; f++) {
    double above = 0;
    made->slope[f * BINS + made->zero[f]] += slopes;
    for (size_t b = STEPS; b-- > 0;) {
      size_t i = made->first_step + f * STEPS + b;
      above += made->slope[f * BINS + b + 1];
      gradient[i] = above + made->x[i];
      *value += made->x[i] * made->x[i] / 2;
    }
  }
}

static dorm_status fill_slope(void *user, const double *moved, double *value, double *gradient)
{
  click_regression *made = user;
  const dorm_clicks *clicks = made->clicks;
  if (dorm__cancelled(made->context))
    return dorm__fail(made->context, DORM_STOPPED, "stopped on request");
  *value = 0;
  memset(gradient, 0, made->size * sizeof *gradient);
  memset(made->position_slope, 0, clicks->num_positions * sizeof *made->position_slope);
  memset(made->slope, 0, made->num_features * BINS * sizeof *made->slope);
  for (size_t i = 0; i < made->size; i++)
    made->x[i] = moved[i] * made->unit[i];
  for (size_t k = 0; k < clicks->num_positions; k++)
    made->look[k] = exp(log_look(made, k));
  double base = fill_heights(made), slopes = 0;
  for (size_t j = 0; j < made->dataset->num_docs; j++)
    if (clicks->cell_start[j + 1] > clicks->cell_start[j])
      slopes += add_doc(made, j, base, value, &gradient[made->phi]);
  gradient[made->v] = slopes;
  add_positions(made, value, gradient);
  add_steps(made, slopes, value, gradient);
  for (size_t i = 0; i < made->size; i++)
    gradient[i] *= made->unit[i];
  return DORM_OK;
}

/* ---- The call ---------------------------------------------------------------------- */

/* Counts clicks per position, and sets the units of the variables to about 1 / sqrt(curvature). */
static void count_clicks(click_regression *made)
{
  const dorm_clicks *clicks = made->clicks;
  double num_shown = 0;
  for (size_t i = 0; i < made->size; i++)
    made->unit[i] = 1;
  for (size_t i = 0; i < clicks->num_cells; i++)
    made->position_clicks[clicks->cells[i].position] += clicks->cells[i].clicks;
  for (size_t j = 0; j < clicks->num_docs; j++)
    num_shown += clicks->cell_start[j + 1] > clicks->cell_start[j];
  for (size_t k = 0; k < clicks->num_positions; k++)
    made->unit[made->is_free ? k : 0] += made->position_clicks[k] * (made->is_free ? 1 : pow(log((double)k + 1), 2));
  for (size_t i = made->v; i < made->size; i++)
    made->unit[i] += num_shown / (i < made->first_step ? 1 : 2 * BINS);
  for (size_t i = 0; i < made->size; i++)
    made->unit[i] = 1 / sqrt(made->unit[i]);
}

/* Allocates the regression. The caller frees *room (all doubles) and made->code (all codes). */
static dorm_status open_regression(dorm_context *context, click_regression *made, double **room)
{
  const dorm_dataset *dataset = made->dataset;
  size_t num_positions = made->clicks->num_positions, num_heights = made->num_features * BINS;
  size_t num_entries = entries_of(made, dataset->num_docs - 1).first + entries_of(made, dataset->num_docs - 1).count;
  made->v = made->is_free ? num_positions : 1;
  made->phi = made->v + 1;
  made->first_step = made->v + 2;
  made->size = made->first_step + made->num_features * STEPS;
  *room = dorm__alloc_zero(2 * made->size + 2 * num_heights + 3 * num_positions, sizeof **room);
  made->code = dorm__alloc(num_entries + made->num_features, sizeof *made->code);
  if (!*room || !made->code)
    return dorm__out_of_memory(context, "clicks");
  made->zero = made->code + num_entries;
  made->unit = *room;
  made->x = made->unit + made->size;
  made->height = made->x + made->size;
  made->slope = made->height + num_heights;
  made->look = made->slope + num_heights;
  made->position_slope = made->look + num_positions;
  made->position_clicks = made->position_slope + num_positions;
  count_clicks(made);
  return fill_codes(context, made);
}

dorm_status dorm__click_regression(dorm_context *context, const dorm_clicks *clicks, const dorm_dataset *dataset,
                                   bool is_free, dorm__click_curve *curve)
{
  click_regression made = {.context = context,
                           .clicks = clicks,
                           .dataset = dataset,
                           .is_free = is_free,
                           .num_features = dataset->num_features + 1};
  dorm__minimise_options options = {
      .slope = fill_slope, .user = &made, .tolerance = tolerance, .most_calls = MOST_CALLS};
  dorm__minimum minimum;
  DORM__FREED double *room = NULL;
  dorm_status status = open_regression(context, &made, &room);
  DORM__FREED unsigned char *codes = made.code;
  DORM__FREED double *moved = dorm__alloc_zero(made.size, sizeof *moved);
  curve->rate = dorm__alloc(clicks->num_docs, sizeof *curve->rate);
  if (status == DORM_OK && !(moved && curve->rate && codes))
    status = dorm__out_of_memory(context, "clicks");
  for (size_t k = 0; status == DORM_OK && k < made.v; k++) /* starts at p_k = 1 / k */
    moved[k] = (made.is_free ? -log((double)k + 1) : 1) / made.unit[k];
  if (status == DORM_OK)
    status = dorm__minimise(context, made.size, &options, moved, &minimum);
  if (status != DORM_OK)
    return status;
  for (size_t i = 0; i < made.size; i++)
    made.x[i] = moved[i] * made.unit[i];
  double base = fill_heights(&made);
  curve->phi = exp(made.x[made.phi]);
  for (size_t j = 0; j < clicks->num_docs; j++)
    curve->rate[j] = curve->phi * (1 + exp(-score_of(&made, j, base)));
  return DORM_OK;
}
