/*
 * propensities.c: how likely users look at a position: given, read from a file, or estimated (curve.c, affine.c).
 */
#include "base/linalg.h"
#include "base/status.h"
#include "clicks/log.h"

#include <math.h>
#include <string.h>

static const double least_propensity = 1e-9; /* in a file */
static const double enough_clicks = 100;     /* on documents that moved, for harvesting */
static const double least_misfit = 0.01;     /* the probability below which a curve is no power law */

/* ---- Given ----------------------------------------------------------------------- */

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
      clicks->curve.look[count] = value;
    count++;
  }
  dorm__line_reader_close(lines);
  if (status == DORM_OK && count < clicks->num_positions)
    status = dorm__fail(context, DORM_BAD_DATA, "%s: %zu propensities, but %s shows documents at %zu positions", path,
                        count, clicks->path, clicks->num_positions);
  clicks->curve.eta = (double)NAN;
  return status;
}

/* ---- Estimated -------------------------------------------------------------------- */

/* Says what was estimated. */
static void note_estimate(const dorm_context *context, const dorm_clicks *clicks, dorm_click_curve shape)
{
  const dorm__click_curve *curve = &clicks->curve;
  dorm__note(context, "%s: propensities by %s: 1 / position^%.3f +- %.3f%s", clicks->path,
             curve->rate ? "regression" : "harvesting", curve->eta, curve->eta_error,
             curve->is_free ? " fits them best" : "");
  if (curve->misfit < least_misfit && shape != DORM_CURVE_FREE)
    dorm__warn(context, "%s: looks do not fall as a power of the position (chi-square test, p = %.2g): %s",
               clicks->path, curve->misfit,
               curve->is_free ? "the propensities are the estimates of each position"
                              : "clicks.curve = free takes the estimates of each position");
  if (curve->eta <= 0)
    dorm__warn(context,
               "%s: propensities 1 / position^%.3f: users seem to look no less at low positions, so the log may lack "
               "documents that were shown and not clicked",
               clicks->path, curve->eta);
  if (curve->num_components > 1)
    dorm__note(
        context,
        "%s: clicked documents moved only within %zu blocks of positions: the propensities of one block relative "
        "to those of another follow from the power law alone",
        clicks->path, curve->num_components);
}

static dorm_status estimate(dorm_context *context, dorm_clicks *clicks, const dorm_dataset *dataset,
                            dorm_propensity kind, dorm_click_curve shape)
{
  bool is_regression = kind == DORM_PROPENSITY_EM;
  dorm__click_curve *curve = &clicks->curve;
  dorm_status status = DORM_OK;
  if (is_regression)
    status = dorm__click_regression(context, clicks, dataset, shape == DORM_CURVE_FREE, curve);
  if (status == DORM_OK)
    status = dorm__curve_fit(context, clicks, shape, curve);
  if (status == DORM_OK && !curve->num_components)
    status = dorm__fail(context, DORM_BAD_DATA,
                        "%s: propensities cannot be estimated%s: %zu documents of %zu clicks in all were shown at more "
                        "than one position, and no two positions can be compared",
                        clicks->path, is_regression ? "" : " by harvesting", dorm_clicks_num_moved(clicks),
                        clicks->num_clicks);
  if (status == DORM_OK)
    note_estimate(context, clicks, shape);
  return status;
}

static dorm_status estimate_affine(dorm_context *context, dorm_clicks *clicks)
{
  if (dorm__clicks_on_moved(clicks) < enough_clicks)
    return dorm__fail(context, DORM_BAD_DATA,
                      "%s: propensities with trust cannot be estimated: documents that were shown at several positions "
                      "have %.0f clicks, and %.0f are needed",
                      clicks->path, dorm__clicks_on_moved(clicks), enough_clicks);
  clicks->curve.trust = dorm__alloc_zero(clicks->num_positions, sizeof *clicks->curve.trust);
  return clicks->curve.trust ? dorm__affine_estimate(context, clicks) : dorm__out_of_memory(context, "clicks");
}

dorm_status dorm__curve_effects(dorm_context *context, const dorm_clicks *clicks, const double *by_look,
                                const double *by_trust, double *effect, double *variance)
{
  const dorm__click_curve *curve = &clicks->curve;
  DORM__FREED double *lambda = dorm__alloc_zero(curve->size + clicks->num_positions, sizeof *lambda);
  double beyond = 0;
  *variance = curve->trust ? dorm__affine_variance(clicks, by_look, by_trust) : 0;
  if (!lambda)
    return dorm__out_of_memory(context, "clicks");
  for (size_t k = curve->size; k < clicks->num_positions; k++)
    beyond -= by_look[k] * log((double)k + 1);
  for (size_t k = 0; k < curve->size; k++)
    lambda[k] = curve->by_eta[k] * beyond;
  for (size_t k = 0; k < curve->size; k++)
    dorm__add_scaled(curve->size, by_look[k], curve->solve + k * curve->size, lambda);
  for (size_t i = 0; curve->size && i < clicks->num_cells; i++)
    effect[i] += dorm__curve_effect(clicks, curve, i, lambda, lambda + curve->size);
  return DORM_OK;
}

/* ---- The call -------------------------------------------------------------------------- */

static dorm_status check_options(dorm_context *context, const dorm_click_options *options)
{
  if ((int)options->propensity < DORM_PROPENSITY_AUTO || options->propensity > DORM_PROPENSITY_AFFINE)
    return dorm__fail(context, DORM_BAD_USAGE, "propensity: %d is none of the kinds", (int)options->propensity);
  if ((int)options->curve < DORM_CURVE_AUTO || options->curve > DORM_CURVE_FREE)
    return dorm__fail(context, DORM_BAD_USAGE, "curve: %d is none of the kinds", (int)options->curve);
  if (!(options->eta >= 0 && options->eta <= DORM__LARGEST_ETA))
    return dorm__fail(context, DORM_BAD_USAGE, "eta: %g is not between 0 and %g", options->eta, DORM__LARGEST_ETA);
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
  dorm__curve_clear(&clicks->curve);
  if (kind == DORM_PROPENSITY_AUTO)
    kind = dorm__clicks_on_moved(clicks) >= enough_clicks ? DORM_PROPENSITY_HARVEST : DORM_PROPENSITY_EM;
  if (kind == DORM_PROPENSITY_POWER || kind == DORM_PROPENSITY_NONE)
    dorm__curve_fill_power(&clicks->curve, clicks->num_positions, kind == DORM_PROPENSITY_NONE ? 0 : full.eta);
  else if (kind == DORM_PROPENSITY_AFFINE)
    status = estimate_affine(context, clicks);
  else if (kind == DORM_PROPENSITY_FILE)
    status = read_curve(context, clicks, full.path);
  else
    status = estimate(context, clicks, dataset, kind, full.curve);
  if (kind == DORM_PROPENSITY_NONE)
    clicks->curve.eta = (double)NAN;
  if (status != DORM_OK) {
    dorm__curve_clear(&clicks->curve);
    dorm__curve_fill_power(&clicks->curve, clicks->num_positions, 1);
  }
  return status;
}

dorm_status dorm_clicks_share_propensities(dorm_context *context, dorm_clicks *clicks, const dorm_clicks *from)
{
  if (DORM__LACKS(context, DORM__GIVEN(clicks), DORM__GIVEN(from)))
    return DORM_BAD_USAGE;
  const dorm__click_curve *given = &from->curve;
  dorm__click_curve *curve = &clicks->curve;
  dorm__curve_clear(curve); /* errors then take the propensities as given */
  dorm__curve_fill_power(curve, clicks->num_positions, isnan(given->eta) ? 0 : given->eta);
  for (size_t k = 0; k < clicks->num_positions; k++)
    if (k < from->num_positions)
      curve->look[k] = given->look[k];
    else if (isnan(given->eta))
      curve->look[k] = given->look[from->num_positions - 1];
  curve->eta = given->eta;
  curve->eta_error = given->eta_error;
  if (!given->trust)
    return DORM_OK;
  curve->trust = dorm__alloc_zero(clicks->num_positions, sizeof *curve->trust);
  if (!curve->trust)
    return dorm__out_of_memory(context, "clicks");
  memcpy(curve->affine, given->affine, sizeof curve->affine);
  dorm__affine_fill(clicks, given->eta, given->tau);
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
  return clicks->curve.look[position - 1];
}

double dorm_clicks_trust(const dorm_clicks *clicks, size_t position)
{
  if (!clicks || position < 1 || position > clicks->num_positions)
    return (double)NAN;
  return clicks->curve.trust ? clicks->curve.trust[position - 1] : 0;
}

double dorm_clicks_eta_error(const dorm_clicks *clicks)
{
  return clicks ? clicks->curve.eta_error : (double)NAN;
}

double dorm_clicks_eta(const dorm_clicks *clicks)
{
  return clicks ? clicks->curve.eta : (double)NAN;
}
