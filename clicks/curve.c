/*
 * curve.c: estimates the propensities p_k and their standard errors from clicks, by harvesting or by regression. If
 * document d is clicked, the click is at position k with probability
 *
 *   share_k = n_k p_k / (rate + T),   T = sum over k of n_k p_k,   n_k the times that d was shown at k
 *
 * Harvesting (Agarwal et al., "Estimating position bias without intrusive interventions", WSDM 2019) has rate = 0. It
 * compares positions of the same document, so the relevance of the document cancels in the likelihood of Poisson
 * clicks. Regression (click_regression.c) has a Gamma prior of the relevance, with shape phi and mean m. It sets rate =
 * phi / m, as if each document had phi additional clicks at no position. Both methods maximise the concave function
 *
 *   sum over cells of clicks log p - sum over documents of (phi + clicks) log (rate + T)
 *
 * by Newton steps, either over eta with p_k = 1 / k^eta or over a free p for each position. If the changes of log p in
 * a step have the range r = maximum - minimum, the step is multiplied by log(1 + r) / r, so it never overshoots (Bach,
 * "Self-concordant analysis for logistic regression", 2010).
 *
 * Harvesting knows only the ratios of positions that can be compared. Position k wins against position l if a document
 * that was shown at both was clicked at k. Two positions are in the same component if each wins against the other one,
 * directly or through others. Within a component the maximum exists (Ford, 1957). A document counts separately in each
 * component. The first position of a component has the p of the power law, because the ratios between components are
 * unknown.
 *
 * Errors: a click at k changes the gradient by h = e_k - share, and log p by H^-1 h, with H the negative Hessian. The
 * score test of the power law tests, by chi-square, whether the gradient is a multiple of H log k. The covariance V of
 * the gradient is the sum over cells of h h' times the variance of the clicks of a cell. Regression uses H instead of
 * V, and takes phi and m as known. O(positions^3 + documents (positions of a document)^2) per step, for the first 200
 * positions.
 */
#include "base/linalg.h"
#include "clicks/log.h"

#include <math.h>
#include <string.h>

enum { MOST_POSITIONS = 200, MOST_STEPS = 200 };
static const double accuracy = 1e-10;        /* of log p */
static const double least_look = 1e-9;       /* bounds estimates to [least_look, 1 / least_look] */
static const double least_propensity = 0.01; /* smaller propensities count as this one in gains (gains.c) */

typedef struct curve_fit {
  const dorm_clicks *clicks;
  dorm__click_curve *curve;
  size_t size;
  double *information, *variance, *matrix; /* [size][size] H, V, scratch */
  double *slope, *line, *x;                /* [size] the gradient by log p, H x, and x = log k (0 if p_k is unknown) */
  double *step;                            /* [size] scratch */
  double *share;                           /* [num_positions] scratch */
} curve_fit;

double dorm__click_variance(const dorm__click_cell *cell)
{
  return cell->shown > 1 ? cell->clicks * (cell->shown - cell->clicks) / (cell->shown - 1) : cell->clicks;
}

/* Returns the logarithm of a position, which the power law counts from 1. */
static double log_of(size_t k)
{
  return log((double)k + 1);
}

/* Returns whether position k is fixed: it is unknown, or it is the first one of its component, whose scale is
 * arbitrary. */
static bool is_fixed(const dorm__click_curve *curve, size_t k)
{
  return !(curve->value[k] > 0) || curve->component[k] == k;
}

/* Fills share[cells of the document]. Cells whose positions are in another component than the position of `cell` have
 * share 0. Returns the number of clicks on the cells whose share is above 0. */
static double fill_share(const dorm_clicks *clicks, const dorm__click_curve *curve, size_t cell, double *share)
{
  size_t doc = clicks->cells[cell].doc, start = clicks->cell_start[doc], count = clicks->cell_start[doc + 1] - start;
  size_t k = clicks->cells[cell].position;
  double looks = curve->rate ? curve->rate[doc] : 0, num_clicks = 0;
  for (size_t i = 0; i < count; i++) {
    const dorm__click_cell *other = &clicks->cells[start + i];
    size_t l = other->position;
    bool is_compared = k < curve->size && l < curve->size && curve->component[k] == curve->component[l];
    share[i] = is_compared && curve->value[k] > 0 ? other->shown * curve->value[l] : 0;
    num_clicks += share[i] > 0 ? other->clicks : 0;
    looks += share[i];
  }
  for (size_t i = 0; i < count; i++)
    share[i] /= looks > 0 ? looks : 1;
  return num_clicks;
}

void dorm__curve_clear(dorm__click_curve *curve)
{
  dorm__free(curve->value);
  dorm__free(curve->component);
  dorm__free(curve->inverse);
  dorm__free(curve->by_eta);
  dorm__free(curve->rate);
  *curve =
      (dorm__click_curve){.look = curve->look, .trust = curve->trust, .eta_error = (double)NAN, .misfit = (double)NAN};
}

void dorm__curve_fill(dorm__click_curve *curve, size_t num_positions, double eta, double tau)
{
  curve->eta = eta;
  curve->tau = tau;
  for (size_t k = 0; k < num_positions; k++) {
    double position = (double)k + 1, look = pow(position, -eta);
    curve->look[k] = look * (1 - tau / position);
    curve->trust[k] = look * tau / position;
  }
}

void dorm__clicks_count(dorm_clicks *clicks)
{
  for (size_t j = 0; j < clicks->num_docs; j++) {
    clicks->looks[j] = clicks->net[j] = 0;
    for (size_t i = clicks->cell_start[j]; i < clicks->cell_start[j + 1]; i++) {
      const dorm__click_cell *cell = &clicks->cells[i];
      clicks->looks[j] += cell->shown * fmax(clicks->curve.look[cell->position], least_propensity);
      clicks->net[j] += cell->clicks;
      clicks->net[j] -= cell->shown * clicks->curve.trust[cell->position];
    }
  }
}

double dorm__click_look_share(const dorm_clicks *clicks, size_t cell)
{
  double propensity = clicks->curve.look[clicks->cells[cell].position];
  return propensity > least_propensity ? clicks->cells[cell].shown * propensity : 0;
}

/* ---- The likelihood -------------------------------------------------------------------- */

/* Adds the clicks on the document of `cell`, at positions in the component of `cell`, to gradient, H and V. */
static void add_group(const curve_fit *fit, size_t cell)
{
  size_t doc = fit->clicks->cells[cell].doc, start = fit->clicks->cell_start[doc], size = fit->size;
  size_t count = fit->clicks->cell_start[doc + 1] - start;
  const dorm__click_cell *cells = fit->clicks->cells + start;
  const double *share = fit->share;
  double all = fill_share(fit->clicks, fit->curve, cell, fit->share) + fit->curve->phi, noisy = 0;
  for (size_t i = 0; i < count; i++)
    noisy += share[i] > 0 ? dorm__click_variance(&cells[i]) : 0;
  for (size_t i = 0; i < count; i++) {
    size_t k = cells[i].position;
    if (!(share[i] > 0))
      continue;
    fit->slope[k] += cells[i].clicks - all * share[i];
    fit->information[k * size + k] += all * share[i];
    fit->variance[k * size + k] += dorm__click_variance(&cells[i]);
    for (size_t j = 0; j < count; j++) {
      size_t l = cells[j].position;
      if (!(share[j] > 0))
        continue;
      fit->information[k * size + l] -= all * share[i] * share[j];
      fit->variance[k * size + l] += noisy * share[i] * share[j] - share[i] * dorm__click_variance(&cells[j]) -
                                     share[j] * dorm__click_variance(&cells[i]);
    }
  }
}

/* Returns whether `cell` is the first cell of its document in its component, so that each document counts once per
 * component. */
static bool is_first_of_group(const dorm_clicks *clicks, const dorm__click_curve *curve, size_t cell)
{
  size_t k = clicks->cells[cell].position;
  for (size_t i = clicks->cell_start[clicks->cells[cell].doc]; k < curve->size && i < cell; i++)
    if (clicks->cells[i].position < curve->size && curve->component[clicks->cells[i].position] == curve->component[k])
      return false;
  return k < curve->size;
}

/* Computes gradient, H, V and H x at the present p. */
static void add_all(const curve_fit *fit)
{
  memset(fit->information, 0, fit->size * fit->size * sizeof *fit->information);
  memset(fit->variance, 0, fit->size * fit->size * sizeof *fit->variance);
  memset(fit->slope, 0, fit->size * sizeof *fit->slope);
  for (size_t i = 0; i < fit->clicks->num_cells; i++)
    if (is_first_of_group(fit->clicks, fit->curve, i))
      add_group(fit, i);
  dorm__matrix_vector(fit->size, fit->size, fit->information, fit->x, fit->line);
}

/* ---- Which positions can be compared ------------------------------------------------------ */

/* Sets component[k] to the first position of the component of k. wins [size][size] is scratch, false at first.
 * wins[k][l] becomes true if k wins against l, directly or through others. */
static void find_components(const curve_fit *fit, bool *wins)
{
  const dorm_clicks *clicks = fit->clicks;
  size_t size = fit->size, *component = fit->curve->component;
  for (size_t i = 0; i < clicks->num_cells; i++)
    for (size_t j = clicks->cell_start[clicks->cells[i].doc]; j < clicks->cell_start[clicks->cells[i].doc + 1]; j++)
      if (clicks->cells[i].clicks > 0 && clicks->cells[i].position < size && clicks->cells[j].position < size)
        wins[clicks->cells[i].position * size + clicks->cells[j].position] = true;
  for (size_t by = 0; by < size; by++)
    for (size_t k = 0; k < size; k++)
      for (size_t other = 0; wins[k * size + by] && other < size; other++)
        wins[k * size + other] |= wins[by * size + other];
  for (size_t k = 0; k < size; k++) {
    component[k] = 0;
    while (component[k] < k && !(wins[k * size + component[k]] && wins[component[k] * size + k]))
      component[k]++;
  }
}

/* Sets value[k] = 1 if position k can be compared with another one, otherwise 0. Returns the number of components with
 * two or more positions. With regression all positions are in one component. If p is also free, positions without
 * clicks have value 0, and so get the power law. Regression returns 0 if fewer than two positions have clicks. */
static size_t mark_known(const curve_fit *fit, bool is_free)
{
  dorm__click_curve *curve = fit->curve;
  size_t num_components = 0, num_clicked = 0;
  double *clicked = fit->step;
  for (size_t i = 0; i < fit->clicks->num_cells; i++)
    if (fit->clicks->cells[i].position < fit->size)
      clicked[fit->clicks->cells[i].position] += fit->clicks->cells[i].clicks;
  for (size_t k = 0; k < fit->size; k++) {
    size_t members = 0;
    for (size_t other = 0; other < fit->size; other++)
      members += curve->component[other] == curve->component[k];
    num_clicked += clicked[k] > 0;
    curve->value[k] = curve->rate ? !is_free || clicked[k] > 0 : members > 1;
    fit->x[k] = curve->value[k] > 0 ? log_of(k) : 0;
    num_components += members > 1 && curve->component[k] == k;
  }
  return curve->rate ? num_clicked > 1 : num_components;
}

/* ---- The climb ------------------------------------------------------------------------------ */

/* Replaces the rows and columns of fixed positions by 0, and their diagonal entries by `diagonal`. */
static void fix(const curve_fit *fit, double *matrix, double diagonal)
{
  for (size_t k = 0; k < fit->size; k++)
    for (size_t l = 0; l < fit->size; l++)
      if (is_fixed(fit->curve, k) || is_fixed(fit->curve, l))
        matrix[k * fit->size + l] = k == l ? diagonal : 0;
}

/* Inverts the part of `of` at positions that are not fixed. The result is in fit->matrix, with 0 at fixed positions.
 * Returns false if that part is not positive definite. */
static bool invert(const curve_fit *fit, const double *of)
{
  memcpy(fit->matrix, of, fit->size * fit->size * sizeof *of);
  fix(fit, fit->matrix, 1);
  bool is_regular = dorm__invert_positive_definite(fit->size, fit->matrix);
  fix(fit, fit->matrix, 0);
  return is_regular;
}

/* Returns the factor of a Newton step with this range. */
static double damped(double range)
{
  return range > accuracy ? log1p(range) / range : 1;
}

/* Maximises over eta, from eta = 1. Fills value with the power law. */
static void climb_power(const curve_fit *fit)
{
  dorm__click_curve *curve = fit->curve;
  curve->eta = 1;
  for (size_t i = 0; i < MOST_STEPS; i++) {
    for (size_t k = 0; k < fit->size; k++)
      curve->value[k] = curve->value[k] > 0 ? exp(-curve->eta * log_of(k)) : 0;
    add_all(fit);
    double bend = dorm__dot(fit->size, fit->x, fit->line);
    double change = bend > 0 ? -dorm__dot(fit->size, fit->x, fit->slope) / bend : 0;
    change *= damped(fabs(change) * log((double)fit->size));
    curve->eta = fmin(fmax(curve->eta + change, -DORM__LARGEST_ETA), DORM__LARGEST_ETA);
    if (fabs(change) <= accuracy)
      break;
  }
}

/* Maximises over free p, from the power law in `value`. Returns false if the Hessian is singular. */
static bool climb_free(const curve_fit *fit)
{
  double *value = fit->curve->value;
  for (size_t i = 0; i < MOST_STEPS; i++) {
    double most = 0, least = 0;
    add_all(fit);
    if (!invert(fit, fit->information))
      return false;
    dorm__matrix_vector(fit->size, fit->size, fit->matrix, fit->slope, fit->step);
    for (size_t k = 0; k < fit->size; k++) {
      most = fmax(most, fit->step[k]);
      least = fmin(least, fit->step[k]);
    }
    for (size_t k = 0; k < fit->size; k++)
      value[k] *= exp(fit->step[k] * damped(most - least));
    if (most - least <= accuracy)
      break;
  }
  return true;
}

/* Returns the upper tail of the chi-square distribution (Wilson and Hilferty 1931). */
static double chi_square_tail(double value, double degrees)
{
  double spread = 2 / (9 * degrees);
  return erfc((cbrt(value / degrees) - 1 + spread) / sqrt(2 * spread)) / 2;
}

/* Returns the p-value of the score test of the power law, or NaN if there are too few positions. */
static double misfit_of(const curve_fit *fit)
{
  size_t size = fit->size, num = 0;
  for (size_t k = 0; k < size; k++)
    num += !is_fixed(fit->curve, k);
  if (num < 2 || !invert(fit, fit->curve->rate ? fit->information : fit->variance))
    return (double)NAN;
  dorm__matrix_vector(size, size, fit->matrix, fit->slope, fit->step);
  double all = dorm__dot(size, fit->slope, fit->step), both = dorm__dot(size, fit->line, fit->step);
  dorm__matrix_vector(size, size, fit->matrix, fit->line, fit->step);
  double line = dorm__dot(size, fit->line, fit->step);
  return line > 0 ? chi_square_tail(fmax(all - both * both / line, 0), (double)num - 1) : (double)NAN;
}

/* ---- The propensities and their errors ------------------------------------------------------- */

/* Returns lambda' h for one click at a cell. lambda has [size] entries, and share [num_positions] is scratch. */
static double effect_of(const dorm_clicks *clicks, const dorm__click_curve *curve, size_t cell, const double *lambda,
                        double *share)
{
  size_t doc = clicks->cells[cell].doc, start = clicks->cell_start[doc];
  fill_share(clicks, curve, cell, share);
  if (!(share[cell - start] > 0))
    return 0;
  double effect = lambda[clicks->cells[cell].position];
  for (size_t i = start; i < clicks->cell_start[doc + 1]; i++)
    effect -= share[i - start] > 0 ? share[i - start] * lambda[clicks->cells[i].position] : 0;
  return effect;
}

/* Computes the standard error of eta, and fills look with the power law. */
static void take_power(const curve_fit *fit)
{
  dorm__click_curve *curve = fit->curve;
  double bend = dorm__dot(fit->size, fit->x, fit->line), sum = 0;
  for (size_t k = 0; k < fit->size; k++)
    curve->by_eta[k] = bend > 0 ? -fit->x[k] / bend : 0;
  for (size_t i = 0; i < fit->clicks->num_cells; i++)
    sum += dorm__click_variance(&fit->clicks->cells[i]) *
           pow(effect_of(fit->clicks, curve, i, curve->by_eta, fit->share), 2);
  curve->eta_error = bend > 0 ? sqrt(sum) : (double)NAN;
  dorm__curve_fill(curve, fit->clicks->num_positions, curve->eta, 0);
}

/* Returns whether look[k] is a free estimate. Otherwise it follows the power law. */
static bool is_taken(const dorm__click_curve *curve, size_t k)
{
  return curve->is_free && k < curve->size && curve->value[k] > 0;
}

dorm_status dorm__curve_effects(dorm_context *context, const dorm_clicks *clicks, const double *by_look, double *effect)
{
  const dorm__click_curve *curve = &clicks->curve;
  DORM__FREED double *lambda = dorm__alloc_zero(curve->size + clicks->num_positions, sizeof *lambda);
  double along = 0;
  if (!lambda)
    return dorm__out_of_memory(context, "clicks");
  for (size_t k = 0; k < clicks->num_positions; k++)
    along -= by_look[k] * log_of(is_taken(curve, k) ? curve->component[k] : k);
  for (size_t k = 0; k < curve->size; k++)
    lambda[k] += curve->by_eta[k] * along;
  for (size_t k = 0; k < curve->size; k++)
    if (is_taken(curve, k))
      dorm__add_scaled(curve->size, by_look[k], curve->inverse + k * curve->size, lambda);
  for (size_t i = 0; curve->size && i < clicks->num_cells; i++)
    effect[i] += effect_of(clicks, curve, i, lambda, lambda + curve->size);
  return DORM_OK;
}

dorm_status dorm__curve_fit(dorm_context *context, const dorm_clicks *clicks, dorm_click_curve shape,
                            dorm__click_curve *curve)
{
  size_t size = clicks->num_positions < MOST_POSITIONS ? clicks->num_positions : MOST_POSITIONS, square = size * size;
  DORM__FREED double *room = dorm__alloc_zero(2 * square + 4 * size + clicks->num_positions, sizeof *room);
  DORM__FREED bool *wins = dorm__alloc_zero(square, sizeof *wins);
  curve->size = size;
  curve->value = dorm__alloc_zero(size, sizeof *curve->value);
  curve->component = dorm__alloc_zero(size, sizeof *curve->component);
  curve->inverse = dorm__alloc_zero(square, sizeof *curve->inverse);
  curve->by_eta = dorm__alloc_zero(size, sizeof *curve->by_eta);
  if (!room || !wins || !curve->value || !curve->component || !curve->inverse || !curve->by_eta)
    return dorm__out_of_memory(context, "clicks");
  double *rows = room + 2 * square;
  curve_fit fit = {.clicks = clicks,
                   .curve = curve,
                   .size = size,
                   .information = room,
                   .variance = room + square,
                   .matrix = curve->inverse,
                   .slope = rows,
                   .line = rows + size,
                   .x = rows + 2 * size,
                   .step = rows + 3 * size,
                   .share = rows + 4 * size};
  if (!curve->rate)
    find_components(&fit, wins);
  curve->num_components = mark_known(&fit, shape == DORM_CURVE_FREE);
  if (!curve->num_components)
    return DORM_OK;
  climb_power(&fit);
  curve->misfit = misfit_of(&fit);
  take_power(&fit);
  bool is_free =
      shape == DORM_CURVE_FREE || (shape == DORM_CURVE_AUTO && !curve->rate && curve->misfit < DORM__LEAST_MISFIT);
  curve->is_free = is_free && climb_free(&fit); /* climb_free fails if clicks hardly compare some positions */
  for (size_t k = 0; k < size; k++)
    if (is_taken(curve, k))
      curve->look[k] = fmin(fmax(curve->value[k], least_look), 1 / least_look);
  return DORM_OK;
}
