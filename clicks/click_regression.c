/*
 * click_regression.c: propensities from clicks and features, where documents were not moved: a click is a look at the
 * position, with probability p_k, at a document that attracts, with probability s_d = 1 / (1 + exp(-<w, x_d> - v)):
 *
 *   maximise sum over documents d and positions k of clicks log (p_k s_d) + (shown - clicks) log (1 - p_k s_d)
 *            - |w|^2 / 2,    p_1 = 1, p_k = 1 / (1 + exp(-u_k))
 *
 * This is the likelihood that the regression-EM of Wang et al. ("Position bias estimation for unbiased learning to rank
 * in personal search", WSDM 2018) climbs, there with boosted trees; L-BFGS gets to its maximum in fewer passes.
 * Features are divided by their largest absolute value, missing ones are 0. O(cells + shown documents features) for
 * each of some hundred calls. Where relevance is no function of this form, and the rankings follow relevance, what the
 * regression misses goes into the propensities.
 */
#include "base/minimise.h"
#include "clicks/log.h"

#include <math.h>
#include <string.h>

static const double least_probability = 1e-12;

typedef struct click_regression {
  const dorm_clicks *clicks;
  const dorm_dataset *dataset;
  double *scale; /* [num_features] 1 / largest value, 0 where all are 0 */
  double *look;  /* [num_positions] p */
} click_regression;

/* The number of entries of a row, whose first one is *first. */
static size_t row_of(const dorm_dataset *dataset, size_t doc, size_t *first)
{
  *first = dataset->row_start ? dataset->row_start[doc] : doc * dataset->num_features;
  return dataset->row_start ? dataset->row_start[doc + 1] - *first : dataset->num_features;
}

static double value_of(const click_regression *made, size_t entry, size_t nth, size_t *feature)
{
  double value = (double)made->dataset->values[entry];
  *feature = made->dataset->row_start ? made->dataset->indices[entry] : nth;
  return isnan(value) ? 0 : value * made->scale[*feature];
}

static void find_scales(click_regression *made)
{
  const dorm_dataset *dataset = made->dataset;
  for (size_t f = 0; f < dataset->num_features; f++)
    made->scale[f] = 0;
  for (size_t j = 0; j < dataset->num_docs; j++) {
    size_t first, count = row_of(dataset, j, &first);
    for (size_t e = 0; e < count; e++) {
      double *scale = &made->scale[dataset->row_start ? dataset->indices[first + e] : e];
      *scale = fmax(*scale, fabs((double)dataset->values[first + e])); /* fmax leaves out NaN */
    }
  }
  for (size_t f = 0; f < dataset->num_features; f++)
    made->scale[f] = made->scale[f] > 0 ? 1 / made->scale[f] : 0;
}

/* x: u [num_positions], whose first one is not used, v, w [num_features]. */
static double score_of(const click_regression *made, size_t doc, const double *x)
{
  const double *w = x + made->clicks->num_positions + 1;
  double score = w[-1];
  size_t first, count = row_of(made->dataset, doc, &first);
  for (size_t e = 0; e < count; e++) {
    size_t feature;
    double value = value_of(made, first + e, e, &feature);
    score += w[feature] * value;
  }
  return score;
}

/* Adds minus the log likelihood of a document, and its slope. */
static double add_doc(const click_regression *made, size_t doc, const double *x, double *gradient)
{
  const dorm_clicks *clicks = made->clicks;
  double attraction = 1 / (1 + exp(-score_of(made, doc, x)));
  double value = 0, slope = 0; /* by the score */
  for (size_t i = clicks->cell_start[doc]; i < clicks->cell_start[doc + 1]; i++) {
    const dorm__click_cell *cell = &clicks->cells[i];
    double look = made->look[cell->position];
    double click = fmin(fmax(look * attraction, least_probability), 1 - least_probability);
    double by_click = -cell->clicks / click + (cell->shown - cell->clicks) / (1 - click);
    value -= cell->clicks * log(click) + (cell->shown - cell->clicks) * log(1 - click);
    slope += by_click * look * attraction * (1 - attraction);
    if (cell->position > 0)
      gradient[cell->position] += by_click * attraction * look * (1 - look);
  }
  double *w = gradient + clicks->num_positions + 1;
  size_t first, count = row_of(made->dataset, doc, &first);
  w[-1] += slope;
  for (size_t e = 0; e < count; e++) {
    size_t feature;
    double entry = value_of(made, first + e, e, &feature);
    w[feature] += slope * entry;
  }
  return value;
}

static dorm_status fill_slope(void *user, const double *x, double *value, double *gradient)
{
  click_regression *made = user;
  size_t num_positions = made->clicks->num_positions, num_features = made->dataset->num_features;
  memset(gradient, 0, (num_positions + 1 + num_features) * sizeof *gradient);
  *value = 0;
  for (size_t k = 0; k < num_positions; k++)
    made->look[k] = k == 0 ? 1 : 1 / (1 + exp(-x[k]));
  for (size_t j = 0; j < made->dataset->num_docs; j++)
    if (made->clicks->cell_start[j + 1] > made->clicks->cell_start[j])
      *value += add_doc(made, j, x, gradient);
  for (size_t f = 0; f < num_features; f++) {
    double w = x[num_positions + 1 + f];
    *value += w * w / 2;
    gradient[num_positions + 1 + f] += w;
  }
  return DORM_OK;
}

dorm_status dorm__click_regression(dorm_context *context, const dorm_clicks *clicks, const dorm_dataset *dataset,
                                   const dorm__click_curve *curve)
{
  enum { MOST_CALLS = 1000 };
  size_t size = clicks->num_positions + 1 + dataset->num_features;
  click_regression made = {.clicks = clicks,
                           .dataset = dataset,
                           .scale = dorm__alloc(dataset->num_features, sizeof *made.scale),
                           .look = curve->value};
  double *x = dorm__alloc_zero(size, sizeof *x);
  dorm__minimise_options options = {.slope = fill_slope, .user = &made, .tolerance = 1e-7, .most_calls = MOST_CALLS};
  dorm__minimum minimum;
  dorm_status status = made.scale && x ? DORM_OK : dorm__out_of_memory(context, "clicks");
  if (status == DORM_OK) {
    find_scales(&made);
    status = dorm__minimise(context, size, &options, x, &minimum);
  }
  for (size_t i = 0; status == DORM_OK && i < clicks->num_cells; i++)
    curve->weight[clicks->cells[i].position] += clicks->cells[i].clicks;
  for (size_t k = 0; status == DORM_OK && k < clicks->num_positions; k++)
    curve->value[k] = !(curve->weight[k] > 0) ? 0 : k == 0 ? 1 : 1 / (1 + exp(-x[k]));
  dorm__free(made.scale);
  dorm__free(x);
  return status;
}
