/*
 * propensities.c: how likely users look at a position: given, read from a file, or estimated. An estimated curve is
 * replaced by the power law p_k = 1 / k^eta that fits it best: least squares of log p_k = constant - eta log k, each
 * position with the number of its clicks as weight, which is the inverse of the variance of a logarithm of a count.
 * Each component of positions has a constant of its own.
 */
#include "base/status.h"
#include "clicks/log.h"

#include <math.h>
#include <string.h>

/* Exponents and propensities stay where sums of their inverses are finite. */
static const double largest_eta = 10, least_propensity = 1e-9;
static const double enough_clicks = 100; /* on documents that moved, for harvesting */
static const double least_misfit = 0.01; /* the probability below which a curve is no power law */

/* ---- Given ----------------------------------------------------------------------- */

static void fill_power(dorm_clicks *clicks, double eta)
{
  clicks->eta = eta;
  for (size_t k = 0; k < clicks->num_positions; k++)
    clicks->propensity[k] = pow((double)k + 1, -eta);
}

static dorm_status read_line(dorm_context *context, const dorm__line_reader *lines, const char *line, const char *end,
                             double *value)
{
  const char *rest = dorm__parse_double(line, end, value);
  while (rest && rest < end && (*rest == ' ' || *rest == '\t' || *rest == '\r'))
    rest++;
  if (rest == end && *value >= least_propensity && *value <= 1)
    return DORM_OK;
  return dorm__line_reader_fail(context, lines, "the propensity '%.*s' is not a number from 1e-9 to 1",
                                end - line > 40 ? 40 : (int)(end - line), line);
}

static dorm_status read_curve(dorm_context *context, dorm_clicks *clicks, const char *path)
{
  dorm__line_reader *lines = NULL;
  const char *line = NULL;
  const char *end = NULL;
  size_t count = 0;
  dorm_status status = dorm__line_reader_open(context, path, &lines);
  while (status == DORM_OK && (status = dorm__line_reader_next(context, lines, &line, &end)) == DORM_OK && line) {
    double value = 1;
    status = read_line(context, lines, line, end, &value);
    if (status == DORM_OK && count < clicks->num_positions)
      clicks->propensity[count] = value;
    count++;
  }
  dorm__line_reader_close(lines);
  if (status == DORM_OK && count < clicks->num_positions)
    status = dorm__fail(context, DORM_BAD_DATA, "%s: %zu propensities, but %s shows documents at %zu positions", path,
                        count, clicks->path, clicks->num_positions);
  clicks->eta = (double)NAN;
  return status;
}

/* ---- Estimated -------------------------------------------------------------------- */

/* The exponent that fits the components of two positions or more, of which *num_components are; false if none is. */
static bool fit_power(size_t count, const dorm__click_curve *curve, double *eta, size_t *num_components)
{
  double square = 0, product = 0;
  *num_components = 0;
  for (size_t c = 0; c < count; c++) {
    dorm__curve_means means = {0};
    if (curve->component[c] == c)
      means = dorm__curve_means_of(count, curve, c);
    *num_components += means.num > 1;
    for (size_t k = c; means.num > 1 && k < count; k++)
      if (dorm__curve_has(curve, c, k)) {
        double x = log((double)k + 1) - means.x;
        square += curve->weight[k] * x * x;
        product += curve->weight[k] * x * (log(curve->value[k]) - means.y);
      }
  }
  *eta = *num_components ? fmin(fmax(-product / square, -largest_eta), largest_eta) : 0;
  return *num_components > 0;
}

/* Takes the curve as it is, relative to the first position, and the power law where nothing is known. A component
 * without the first position gets the height of the power law: their logarithms have the same mean. */
static void take_curve(dorm_clicks *clicks, const dorm__click_curve *curve)
{
  size_t count = clicks->num_positions;
  for (size_t c = 0; c < count; c++) {
    if (curve->component[c] != c)
      continue;
    dorm__curve_means means = dorm__curve_means_of(count, curve, c);
    double top = dorm__curve_has(curve, c, 0) ? curve->value[0] : exp(means.y + clicks->eta * means.x);
    for (size_t k = c; means.num > 0 && k < count; k++)
      if (dorm__curve_has(curve, c, k))
        clicks->propensity[k] = fmin(fmax(curve->value[k] / top, least_propensity), 1 / least_propensity);
  }
}

/* Says what was estimated. */
static void note_estimate(const dorm_context *context, const dorm_clicks *clicks, bool is_regression, bool is_free,
                          double misfit, size_t num_components)
{
  dorm__note(context, "%s: propensities by %s: 1 / position^%.3f +- %.3f%s", clicks->path,
             is_regression ? "regression" : "harvesting", clicks->eta, clicks->eta_error,
             is_free ? " fits them best" : "");
  if (misfit < least_misfit)
    dorm__warn(context, "%s: looks do not fall as a power of the position (chi-square test, p = %.2g): %s",
               clicks->path, misfit,
               is_free ? "the propensities are the estimates of each position"
                       : "clicks.curve = free takes the estimates of each position");
  if (clicks->eta <= 0)
    dorm__warn(context,
               "%s: propensities 1 / position^%.3f: users seem to look no less at low positions, so the log may lack "
               "documents that were shown and not clicked",
               clicks->path, clicks->eta);
  if (num_components > 1)
    dorm__note(
        context,
        "%s: clicked documents moved only within %zu blocks of positions: the propensities of one block relative "
        "to those of another follow from the power law alone",
        clicks->path, num_components);
}

static dorm_status take_estimate(dorm_context *context, dorm_clicks *clicks, const dorm__click_curve *curve,
                                 dorm_propensity kind, dorm_click_curve shape)
{
  bool is_regression = kind == DORM_PROPENSITY_EM, is_free = shape == DORM_CURVE_FREE;
  double eta = 0, misfit = (double)NAN;
  size_t num_components = 0;
  if (!fit_power(clicks->num_positions, curve, &eta, &num_components))
    return dorm__fail(context, DORM_BAD_DATA,
                      "%s: propensities cannot be estimated%s: %zu documents of %zu clicks in all were shown at more "
                      "than one position, and no two positions can be compared",
                      clicks->path, is_regression ? "" : " by harvesting", dorm_clicks_num_moved(clicks),
                      clicks->num_clicks);
  fill_power(clicks, eta);
  dorm_status status = dorm__click_sources_new(context, clicks, curve, is_regression, is_free, &misfit);
  if (status == DORM_OK && shape == DORM_CURVE_AUTO && !is_regression && misfit < least_misfit) {
    is_free = true;
    status = dorm__click_sources_new(context, clicks, curve, is_regression, is_free, &misfit);
  }
  if (status != DORM_OK)
    return status;
  if (is_free)
    take_curve(clicks, curve);
  note_estimate(context, clicks, is_regression, is_free, shape == DORM_CURVE_FREE ? (double)NAN : misfit,
                num_components);
  return DORM_OK;
}

static dorm_status estimate(dorm_context *context, dorm_clicks *clicks, const dorm_dataset *dataset,
                            dorm_propensity kind, dorm_click_curve shape)
{
  dorm__click_curve curve = {
      .value = dorm__alloc_zero(clicks->num_positions, sizeof *curve.value),
      .weight = dorm__alloc_zero(clicks->num_positions, sizeof *curve.weight),
      .component = dorm__alloc_zero(clicks->num_positions, sizeof *curve.component),
      .rate = dorm__alloc_zero(clicks->num_docs, sizeof *curve.rate),
  };
  dorm_status status =
      curve.value && curve.weight && curve.component && curve.rate ? DORM_OK : dorm__out_of_memory(context, "clicks");
  if (status == DORM_OK)
    status = kind == DORM_PROPENSITY_EM
                 ? dorm__click_regression(context, clicks, dataset, shape == DORM_CURVE_FREE, &curve)
                 : dorm__harvest(context, clicks, &curve);
  if (status == DORM_OK)
    status = take_estimate(context, clicks, &curve, kind, shape);
  dorm__free(curve.value);
  dorm__free(curve.weight);
  dorm__free(curve.component);
  dorm__free(curve.rate);
  return status;
}

static dorm_status estimate_affine(dorm_context *context, dorm_clicks *clicks)
{
  if (dorm__clicks_on_moved(clicks) < enough_clicks)
    return dorm__fail(context, DORM_BAD_DATA,
                      "%s: propensities with trust cannot be estimated: documents that were shown at several positions "
                      "have %.0f clicks, and %.0f are needed",
                      clicks->path, dorm__clicks_on_moved(clicks), enough_clicks);
  clicks->affine.trust = dorm__alloc_zero(clicks->num_positions, sizeof *clicks->affine.trust);
  return clicks->affine.trust ? dorm__affine_estimate(context, clicks) : dorm__out_of_memory(context, "clicks");
}

static dorm_status check_options(dorm_context *context, const dorm_click_options *options)
{
  if ((int)options->propensity < DORM_PROPENSITY_AUTO || options->propensity > DORM_PROPENSITY_AFFINE)
    return dorm__fail(context, DORM_BAD_USAGE, "propensity: %d is none of the kinds", (int)options->propensity);
  if ((int)options->curve < DORM_CURVE_AUTO || options->curve > DORM_CURVE_FREE)
    return dorm__fail(context, DORM_BAD_USAGE, "curve: %d is none of the kinds", (int)options->curve);
  if (!(options->eta >= 0 && options->eta <= largest_eta))
    return dorm__fail(context, DORM_BAD_USAGE, "eta: %g is not between 0 and %g", options->eta, largest_eta);
  if (options->propensity == DORM_PROPENSITY_FILE && !(options->path && *options->path))
    return dorm__fail(context, DORM_BAD_USAGE, "path: propensities from a file need one");
  return DORM_OK;
}

dorm_status dorm_clicks_set_propensities(dorm_context *context, dorm_clicks *clicks, const dorm_dataset *dataset,
                                         const dorm_click_options *options)
{
  if (DORM__LACKS(context, DORM__GIVEN(clicks), DORM__GIVEN(dataset), DORM__GIVEN(options)))
    return DORM_BAD_USAGE;
  dorm_click_options full;
  dorm_status status = dorm__struct_take(context, "options", DORM__STRUCT(dorm_click_options), options, &full);
  if (status == DORM_OK)
    status = check_options(context, &full);
  if (status == DORM_OK)
    status = dorm__clicks_check(context, clicks, dataset);
  if (status != DORM_OK)
    return status;
  dorm_propensity kind = full.propensity;
  dorm__click_sources_free(clicks->sources);
  dorm__free(clicks->affine.trust);
  clicks->sources = NULL;
  clicks->affine.trust = NULL;
  clicks->eta_error = (double)NAN;
  if (kind == DORM_PROPENSITY_AUTO)
    kind = dorm__clicks_on_moved(clicks) >= enough_clicks ? DORM_PROPENSITY_HARVEST : DORM_PROPENSITY_EM;
  if (kind == DORM_PROPENSITY_POWER || kind == DORM_PROPENSITY_NONE)
    fill_power(clicks, kind == DORM_PROPENSITY_NONE ? 0 : full.eta);
  else if (kind == DORM_PROPENSITY_AFFINE)
    status = estimate_affine(context, clicks);
  else if (kind == DORM_PROPENSITY_FILE)
    status = read_curve(context, clicks, full.path);
  else
    status = estimate(context, clicks, dataset, kind, full.curve);
  if (kind == DORM_PROPENSITY_NONE)
    clicks->eta = (double)NAN;
  return status;
}

dorm_status dorm_clicks_share_propensities(dorm_context *context, dorm_clicks *clicks, const dorm_clicks *from)
{
  if (DORM__LACKS(context, DORM__GIVEN(clicks), DORM__GIVEN(from)))
    return DORM_BAD_USAGE;
  double last = from->propensity[from->num_positions - 1];
  for (size_t k = 0; k < clicks->num_positions; k++)
    if (k < from->num_positions)
      clicks->propensity[k] = from->propensity[k];
    else
      clicks->propensity[k] = isnan(from->eta) ? last : pow((double)k + 1, -from->eta);
  clicks->eta = from->eta;
  clicks->eta_error = from->eta_error;
  dorm__free(clicks->affine.trust);
  clicks->affine.trust = NULL;
  if (from->affine.trust) {
    clicks->affine.trust = dorm__alloc_zero(clicks->num_positions, sizeof *clicks->affine.trust);
    if (!clicks->affine.trust)
      return dorm__out_of_memory(context, "clicks");
    memcpy(clicks->affine.covariance, from->affine.covariance, sizeof clicks->affine.covariance);
    dorm__affine_fill(clicks, from->eta, from->affine.tau);
  }
  dorm__click_sources_free(clicks->sources); /* errors then take the propensities as given */
  clicks->sources = NULL;
  return DORM_OK;
}

size_t dorm_clicks_num_positions(const dorm_clicks *clicks)
{
  return clicks ? clicks->num_positions : 0;
}

double dorm_clicks_propensity(const dorm_clicks *clicks, size_t position)
{
  if (!clicks || position < 1 || position > clicks->num_positions)
    return (double)NAN;
  return clicks->propensity[position - 1];
}

double dorm_clicks_trust(const dorm_clicks *clicks, size_t position)
{
  if (!clicks || position < 1 || position > clicks->num_positions)
    return (double)NAN;
  return clicks->affine.trust ? clicks->affine.trust[position - 1] : 0;
}

double dorm_clicks_eta_error(const dorm_clicks *clicks)
{
  return clicks ? clicks->eta_error : (double)NAN;
}

double dorm_clicks_eta(const dorm_clicks *clicks)
{
  return clicks ? clicks->eta : (double)NAN;
}
