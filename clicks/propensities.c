/*
 * propensities.c: sets the propensities of a log, which are the probabilities that a user looks at a position. They are
 * given by a power law, read from a file, or estimated (curve.c, affine.c).
 */
#include "base/status.h"
#include "clicks/log.h"

#include <math.h>
#include <string.h>

static const double least_propensity = 1e-9; /* least value in a file */
/* Clicks on documents that were shown at several positions. With fewer, `auto` chooses regression instead of
 * harvesting, and estimates with trust fail. */
static const double enough_clicks = 100;

/* ---- Given ----------------------------------------------------------------------- */

typedef struct curve_reader {
  dorm_context *context;
  dorm_clicks *clicks;
  size_t count;
} curve_reader;

static dorm_status read_line(void *user, const dorm__line_reader *lines, const char *line, const char *end)
{
  curve_reader *reader = user;
  double value = 1;
  const char *rest = dorm__parse_double(line, end, &value);
  while (rest && rest < end && (*rest == ' ' || *rest == '\t' || *rest == '\r'))
    rest++;
  if (rest != end || !(value >= least_propensity && value <= 1))
    return dorm__line_reader_fail(reader->context, lines, "the propensity '%.*s' is not a number from 1e-9 to 1",
                                  end - line > 40 ? 40 : (int)(end - line), line);
  if (reader->count < reader->clicks->num_positions)
    reader->clicks->curve.look[reader->count] = value;
  reader->count++;
  return DORM_OK;
}

/* Fills look from a file, one propensity per line. Fails unless the file covers all positions of the log. Lines for
 * further positions are checked and ignored. */
static dorm_status read_curve(dorm_context *context, dorm_clicks *clicks, const char *path)
{
  curve_reader reader = {context, clicks, 0};
  dorm_status status = dorm__each_line(context, path, read_line, &reader);
  if (status == DORM_OK && reader.count < clicks->num_positions)
    status = dorm__fail(context, DORM_BAD_DATA, "%s: %zu propensities, but %s shows documents at %zu positions", path,
                        reader.count, clicks->path, clicks->num_positions);
  clicks->curve.eta = (double)NAN;
  return status;
}

/* ---- Estimated -------------------------------------------------------------------- */

/* Logs the estimate as a note, and warns if it is doubtful. */
static void note_estimate(const dorm_context *context, const dorm_clicks *clicks, dorm_click_curve shape)
{
  const dorm__click_curve *curve = &clicks->curve;
  dorm__note(context, "%s: propensities by %s: 1 / position^%.3f +- %.3f%s", clicks->path,
             curve->rate ? "regression" : "harvesting", curve->eta, curve->eta_error,
             curve->is_free ? " fits them best" : "");
  if (curve->misfit < DORM__LEAST_MISFIT && shape != DORM_CURVE_FREE)
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
        "to another block follow from the power law alone",
        clicks->path, curve->num_components);
}

static dorm_status estimate(dorm_context *context, dorm_clicks *clicks, const dorm_dataset *dataset,
                            dorm_propensity kind, dorm_click_curve shape)
{
  bool is_regression = kind == DORM_PROPENSITY_EM;
  dorm__click_curve *curve = &clicks->curve;
  dorm_status status = DORM__ALL(
      is_regression ? dorm__click_regression(context, clicks, dataset, shape == DORM_CURVE_FREE, curve) : DORM_OK,
      dorm__curve_fit(context, clicks, shape, curve));
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
  dorm__click_curve *curve = &clicks->curve;
  dorm_status status =
      DORM__ALL(dorm__struct_take(context, "options", DORM__STRUCT(dorm_click_options), options, &full),
                check_options(context, &full), dorm__clicks_check(context, clicks, dataset));
  if (status != DORM_OK)
    return status;
  dorm_propensity kind = full.propensity;
  double on_moved = dorm__clicks_on_moved(clicks);
  if (kind == DORM_PROPENSITY_AUTO)
    kind = on_moved >= enough_clicks ? DORM_PROPENSITY_HARVEST : DORM_PROPENSITY_EM;
  dorm__curve_clear(curve);
  dorm__curve_fill(curve, clicks->num_positions, kind == DORM_PROPENSITY_NONE ? 0 : full.eta, 0);
  dorm__clicks_count(clicks);
  if (kind == DORM_PROPENSITY_NONE)
    curve->eta = (double)NAN;
  else if (kind == DORM_PROPENSITY_AFFINE && on_moved < enough_clicks)
    status = dorm__fail(context, DORM_BAD_DATA,
                        "%s: propensities with trust cannot be estimated: documents that were shown at several "
                        "positions have %.0f clicks, and %.0f are needed",
                        clicks->path, on_moved, enough_clicks);
  else if (kind == DORM_PROPENSITY_AFFINE)
    status = dorm__affine_estimate(context, clicks);
  else if (kind == DORM_PROPENSITY_FILE)
    status = read_curve(context, clicks, full.path);
  else if (kind != DORM_PROPENSITY_POWER)
    status = estimate(context, clicks, dataset, kind, full.curve);
  if (status != DORM_OK) {
    dorm__curve_clear(curve);
    dorm__curve_fill(curve, clicks->num_positions, 1, 0);
  }
  dorm__clicks_count(clicks);
  return status;
}

dorm_status dorm_clicks_share_propensities(dorm_context *context, dorm_clicks *clicks, const dorm_clicks *from)
{
  if (DORM__LACKS(context, DORM__GIVEN(clicks), DORM__GIVEN(from)))
    return DORM_BAD_USAGE;
  const dorm__click_curve *given = &from->curve;
  dorm__click_curve *curve = &clicks->curve;
  if (clicks == from)
    return DORM_OK;
  dorm__curve_clear(curve); /* without an estimate of its own, errors of results take the propensities as exact */
  dorm__curve_fill(curve, clicks->num_positions, isnan(given->eta) ? 0 : given->eta, given->tau);
  for (size_t k = 0; k < clicks->num_positions; k++)
    if (k < from->num_positions)
      curve->look[k] = given->look[k];
    else if (k && isnan(given->eta))
      curve->look[k] = curve->look[k - 1];
  curve->eta = given->eta;
  curve->eta_error = given->eta_error;
  memcpy(curve->affine, given->affine, sizeof curve->affine);
  dorm__clicks_count(clicks);
  return DORM_OK;
}

size_t dorm_clicks_num_positions(const dorm_clicks *clicks)
{
  return clicks ? clicks->num_positions : 0;
}

double dorm_clicks_propensity(const dorm_clicks *clicks, size_t position)
{
  return clicks && position - 1 < clicks->num_positions ? clicks->curve.look[position - 1] : (double)NAN;
}

double dorm_clicks_trust(const dorm_clicks *clicks, size_t position)
{
  return clicks && position - 1 < clicks->num_positions ? clicks->curve.trust[position - 1] : (double)NAN;
}

double dorm_clicks_eta_error(const dorm_clicks *clicks)
{
  return clicks ? clicks->curve.eta_error : (double)NAN;
}

double dorm_clicks_eta(const dorm_clicks *clicks)
{
  return clicks ? clicks->curve.eta : (double)NAN;
}
