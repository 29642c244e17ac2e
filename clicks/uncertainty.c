/*
 * uncertainty.c: how estimated propensities depend on clicks. Both estimates solve sum over cells i of clicks_i h_i = 0
 * for log p, with the counts of impressions as they are. A click of a document at position k adds by
 *
 *   harvesting   u = n_k' / (n_k + n_k') p_k' / (p_k + p_k') to h at k, and -u at k', for each other position k' of the
 *                document (the slope of the likelihood of harvest.c)
 *   regression   1 at k, and -n_k' p_k' / (rate + T) at each position k' of the document (click_regression.c; phi and
 *                the effects of features are taken as known)
 *
 * With H, minus the slope of the sum by log p, clicks move log p by H^-1 h each. The propensities in use follow from
 * log p by a linear map: the fitted power law, or, with a free curve, the power law where nothing else is known. So a
 * value with the slopes g moves by lambda' h, lambda = solve g. The scale of each component is free: its first position
 * is fixed.
 *
 * Whether the power law holds is tested by a chi-square of log p about it, whose covariance is H^-1 V H^-1, V the sum
 * over clicks of h h' (1 - rate of clicks of the position). O(positions^3 + documents (positions of a document)^3).
 */
#include "base/linalg.h"
#include "clicks/log.h"

#include <math.h>
#include <string.h>

enum { MOST_POSITIONS = 200 };

static double log_of(size_t k)
{
  return log((double)k + 1);
}

static bool may_compare(const dorm__click_sources *sources, size_t k, size_t other)
{
  return k < sources->size && other < sources->size && sources->component[k] == sources->component[other] &&
         sources->value[k] > 0 && sources->value[other] > 0;
}

/* The share of a click at `here` that harvesting credits against the position of `there`. */
static double credit(const dorm__click_sources *sources, const dorm__click_cell *here, const dorm__click_cell *there)
{
  double p = sources->value[here->position], other = sources->value[there->position];
  return there->shown / (here->shown + there->shown) * other / (p + other);
}

/* T of a document: how often users looked at it. */
static double looks_of(const dorm_clicks *clicks, const dorm__click_sources *sources, size_t doc)
{
  double looks = 0;
  for (size_t i = clicks->cell_start[doc]; i < clicks->cell_start[doc + 1]; i++)
    if (clicks->cells[i].position < sources->size)
      looks += clicks->cells[i].shown * sources->value[clicks->cells[i].position];
  return looks;
}

/* h[count of the cells of the document] of a click of cell i. */
static void fill_h(const dorm_clicks *clicks, const dorm__click_sources *sources, size_t i, double *h)
{
  const dorm__click_cell *here = &clicks->cells[i];
  size_t start = clicks->cell_start[here->doc], end = clicks->cell_start[here->doc + 1];
  double looks = sources->rate ? sources->rate[here->doc] + looks_of(clicks, sources, here->doc) : 0;
  memset(h, 0, (end - start) * sizeof *h);
  if (here->position >= sources->size || !(sources->value[here->position] > 0))
    return;
  if (sources->rate)
    h[i - start] = 1;
  for (size_t other = start; other < end; other++) {
    const dorm__click_cell *there = &clicks->cells[other];
    if (sources->rate) {
      if (there->position < sources->size)
        h[other - start] -= there->shown * sources->value[there->position] / looks;
    } else if (other != i && may_compare(sources, here->position, there->position)) {
      double u = credit(sources, here, there);
      h[i - start] += u;
      h[other - start] -= u;
    }
  }
}

/* effect[num_cells] = lambda' h; h [num_positions] is room. */
static void fill_effects(const dorm_clicks *clicks, const double *lambda, double *h, double *effect)
{
  for (size_t i = 0; i < clicks->num_cells; i++) {
    size_t start = clicks->cell_start[clicks->cells[i].doc], end = clicks->cell_start[clicks->cells[i].doc + 1];
    effect[i] = 0;
    fill_h(clicks, clicks->sources, i, h);
    for (size_t j = start; j < end; j++)
      if (clicks->cells[j].position < clicks->sources->size)
        effect[i] += lambda[clicks->cells[j].position] * h[j - start];
  }
}

dorm_status dorm__click_effects(dorm_context *context, const dorm_clicks *clicks, const double *slope, double *effect)
{
  const dorm__click_sources *sources = clicks->sources;
  memset(effect, 0, clicks->num_cells * sizeof *effect);
  if (!sources)
    return DORM_OK;
  size_t size = sources->size;
  double *lambda = dorm__alloc(size, sizeof *lambda), *h = dorm__alloc(clicks->num_positions, sizeof *h), beyond = 0;
  bool is_made = lambda && h;
  for (size_t k = size; k < clicks->num_positions; k++)
    beyond -= slope[k] * log_of(k);
  for (size_t k = 0; is_made && k < size; k++)
    lambda[k] = dorm__dot(size, sources->solve + k * size, slope) + sources->by_eta[k] * beyond;
  if (is_made)
    fill_effects(clicks, lambda, h, effect);
  dorm__free(lambda);
  dorm__free(h);
  return is_made ? DORM_OK : dorm__out_of_memory(context, "clicks");
}

/* ---- The matrices ------------------------------------------------------------------- */

typedef struct click_matrices {
  double *information; /* [size][size] H */
  double *inverse;     /* [size][size] of H, 0 at fixed positions */
  double *variance;    /* [size][size] V */
  double *score;       /* [size] the sum of clicks h, or H log p */
  double *omega;       /* [size] eta = omega' log p */
  double *scratch;     /* [num_positions] */
} click_matrices;

static bool is_fixed(const dorm__click_sources *sources, size_t k)
{
  return !(sources->value[k] > 0) || sources->component[k] == k;
}

/* Adds what the clicks of cell i say. */
static void add_cell(const dorm_clicks *clicks, const dorm__click_sources *sources, size_t i, double noise,
                     const click_matrices *made)
{
  const dorm__click_cell *here = &clicks->cells[i];
  size_t start = clicks->cell_start[here->doc], end = clicks->cell_start[here->doc + 1], size = sources->size;
  fill_h(clicks, sources, i, made->scratch);
  for (size_t j = start; j < end; j++)
    for (size_t other = start; other < end; other++) {
      size_t k = clicks->cells[j].position, l = clicks->cells[other].position;
      if (k < size && l < size)
        made->variance[k * size + l] += noise * here->clicks * made->scratch[j - start] * made->scratch[other - start];
    }
  for (size_t other = start; !sources->rate && other < end; other++) {
    size_t k = here->position, l = clicks->cells[other].position;
    if (other == i || !may_compare(sources, k, l))
      continue;
    double u = here->clicks * credit(sources, here, &clicks->cells[other]) * sources->value[k] /
               (sources->value[k] + sources->value[l]);
    made->information[k * size + k] += u;
    made->information[l * size + l] += u;
    made->information[k * size + l] -= u;
    made->information[l * size + k] -= u;
  }
}

/* H of a regression, and its sum of clicks h. */
static void add_doc(const dorm_clicks *clicks, const dorm__click_sources *sources, double phi, size_t doc,
                    const click_matrices *made)
{
  double num = phi, looks = sources->rate[doc] + looks_of(clicks, sources, doc);
  size_t start = clicks->cell_start[doc], end = clicks->cell_start[doc + 1], size = sources->size;
  for (size_t i = start; i < end; i++)
    num += clicks->cells[i].clicks;
  for (size_t i = start; i < end; i++) {
    size_t k = clicks->cells[i].position;
    if (k >= size)
      continue;
    double expected = clicks->cells[i].shown * sources->value[k] / looks;
    made->information[k * size + k] += num * expected;
    made->score[k] += clicks->cells[i].clicks - num * expected;
    for (size_t j = start; j < end; j++)
      if (clicks->cells[j].position < size)
        made->information[k * size + clicks->cells[j].position] -=
            num * expected * clicks->cells[j].shown * sources->value[clicks->cells[j].position] / looks;
  }
}

static void add_all(const dorm_clicks *clicks, const dorm__click_sources *sources, double phi,
                    const click_matrices *made)
{
  size_t size = sources->size;
  double *shown = made->scratch, *rate = made->inverse; /* not filled yet */
  memset(shown, 0, clicks->num_positions * sizeof *shown);
  for (size_t i = 0; i < clicks->num_cells; i++)
    if (clicks->cells[i].position < size) {
      shown[clicks->cells[i].position] += clicks->cells[i].shown;
      rate[clicks->cells[i].position] += clicks->cells[i].clicks;
    }
  for (size_t k = 0; k < size; k++)
    rate[k] = shown[k] > 0 ? rate[k] / shown[k] : 0;
  for (size_t i = 0; i < clicks->num_cells; i++)
    if (clicks->cells[i].position < size)
      add_cell(clicks, sources, i, 1 - rate[clicks->cells[i].position], made);
  for (size_t j = 0; sources->rate && j < clicks->num_docs; j++)
    if (clicks->cell_start[j + 1] > clicks->cell_start[j])
      add_doc(clicks, sources, phi, j, made);
  for (size_t k = 0; !sources->rate && k < size; k++) {
    made->score[k] = 0;
    for (size_t l = 0; l < size; l++)
      made->score[k] += sources->value[l] > 0 ? made->information[k * size + l] * log(sources->value[l]) : 0;
  }
}

/* Inverts a matrix at the positions that are not fixed; 0 elsewhere. */
static bool invert(const dorm__click_sources *sources, double *matrix)
{
  size_t size = sources->size;
  for (size_t k = 0; k < size; k++)
    for (size_t l = 0; l < size; l++)
      if (is_fixed(sources, k) || is_fixed(sources, l))
        matrix[k * size + l] = k == l;
  if (!dorm__invert_positive_definite(size, matrix))
    return false;
  for (size_t k = 0; k < size; k++)
    for (size_t l = 0; l < size; l++)
      if (is_fixed(sources, k) || is_fixed(sources, l))
        matrix[k * size + l] = 0;
  return true;
}

/* ---- The maps ------------------------------------------------------------------------ */

static void fill_omega(const dorm__click_curve *curve, size_t size, double *omega)
{
  double square = 0;
  for (size_t c = 0; c < size; c++) {
    dorm__curve_means means = dorm__curve_means_of(size, curve, c);
    for (size_t k = c; means.num > 1 && k < size; k++)
      if (dorm__curve_has(curve, c, k)) {
        omega[k] = -curve->weight[k] * (log_of(k) - means.x);
        square += curve->weight[k] * pow(log_of(k) - means.x, 2);
      }
  }
  for (size_t k = 0; square > 0 && k < size; k++)
    omega[k] /= square;
}

/* row[size]: the slopes of log p_k in use by the log p that were estimated. */
static void fill_map(const dorm__click_curve *curve, size_t size, size_t k, bool is_free, const double *omega,
                     double *row)
{
  size_t c = curve->component[k];
  bool is_known = is_free && dorm__curve_has(curve, c, k);
  dorm__curve_means means = dorm__curve_means_of(size, curve, c);
  bool is_first = is_known && dorm__curve_has(curve, c, 0);
  for (size_t l = 0; l < size; l++)
    if (!is_known)
      row[l] = -log_of(k) * omega[l];
    else if (is_first)
      row[l] = (double)(l == k) - (double)(l == 0);
    else
      row[l] =
          (double)(l == k) - (dorm__curve_has(curve, c, l) ? curve->weight[l] / means.weight : 0) - means.x * omega[l];
}

static void fill_solve(const dorm__click_curve *curve, bool is_free, const click_matrices *made,
                       dorm__click_sources *sources)
{
  size_t size = sources->size;
  if (sources->rate && !is_free) { /* the regression has eta itself as its variable */
    double square = 0;
    for (size_t k = 0; k < size; k++)
      for (size_t l = 0; l < size; l++)
        square += log_of(k) * made->information[k * size + l] * log_of(l);
    for (size_t k = 0; k < size; k++)
      sources->by_eta[k] = -log_of(k) / square;
    for (size_t k = 0; k < size; k++)
      for (size_t l = 0; l < size; l++)
        sources->solve[k * size + l] = -log_of(l) * sources->by_eta[k];
    return;
  }
  dorm__matrix_vector(size, size, made->inverse, made->omega, sources->by_eta);
  for (size_t l = 0; l < size; l++) {
    fill_map(curve, size, l, is_free, made->omega, made->scratch);
    for (size_t k = 0; k < size; k++)
      sources->solve[k * size + l] = dorm__dot(size, made->inverse + k * size, made->scratch);
  }
}

/* The upper tail of the chi-square distribution (Wilson and Hilferty 1931). */
static double chi_square_tail(double value, double degrees)
{
  double spread = 2 / (9 * degrees);
  return erfc((cbrt(value / degrees) - 1 + spread) / sqrt(2 * spread)) / 2;
}

/* The chi-square of score about multiples of H log k; `weight` is the inverse of the variance of the score. */
static double misfit_of(const dorm__click_sources *sources, const double *weight, const click_matrices *made)
{
  size_t size = sources->size, num = 0;
  double all = 0, both = 0, line = 0;
  for (size_t k = 0; k < size; k++) {
    double along = 0;
    for (size_t l = 0; l < size; l++)
      along += sources->value[l] > 0 ? made->information[k * size + l] * log_of(l) : 0;
    made->scratch[k] = along;
    num += !is_fixed(sources, k);
  }
  for (size_t k = 0; k < size; k++) {
    all += made->score[k] * dorm__dot(size, weight + k * size, made->score);
    both += made->scratch[k] * dorm__dot(size, weight + k * size, made->score);
    line += made->scratch[k] * dorm__dot(size, weight + k * size, made->scratch);
  }
  if (num < 2 || !(line > 0))
    return (double)NAN;
  return chi_square_tail(fmax(all - both * both / line, 0), (double)num - 1);
}

/* ---- The call ------------------------------------------------------------------------ */

static bool copy_curve(const dorm_clicks *clicks, const dorm__click_curve *curve, bool is_regression,
                       dorm__click_sources *sources)
{
  size_t size = sources->size;
  sources->value = dorm__alloc(size, sizeof *sources->value);
  sources->component = dorm__alloc(size, sizeof *sources->component);
  sources->solve = dorm__alloc_zero(size * size, sizeof *sources->solve);
  sources->by_eta = dorm__alloc_zero(size, sizeof *sources->by_eta);
  sources->rate = is_regression ? dorm__alloc(clicks->num_docs, sizeof *sources->rate) : NULL;
  if (!sources->value || !sources->component || !sources->solve || !sources->by_eta ||
      (is_regression && !sources->rate))
    return false;
  memcpy(sources->value, curve->value, size * sizeof *sources->value);
  memcpy(sources->component, curve->component, size * sizeof *sources->component);
  if (is_regression)
    memcpy(sources->rate, curve->rate, clicks->num_docs * sizeof *sources->rate);
  return true;
}

/* The error of eta; effect [num_cells] and h [num_positions] are room. */
static double eta_error(const dorm_clicks *clicks, double *h, double *effect)
{
  double sum = 0;
  fill_effects(clicks, clicks->sources->by_eta, h, effect);
  for (size_t i = 0; i < clicks->num_cells; i++)
    sum += clicks->cells[i].clicks * effect[i] * effect[i];
  return sqrt(sum);
}

static void free_matrices(click_matrices *made)
{
  dorm__free(made->information);
  dorm__free(made->inverse);
  dorm__free(made->variance);
  dorm__free(made->score);
  dorm__free(made->omega);
  dorm__free(made->scratch);
}

static bool alloc_matrices(size_t size, size_t num_positions, click_matrices *made)
{
  made->information = dorm__alloc_zero(size * size, sizeof *made->information);
  made->inverse = dorm__alloc_zero(size * size, sizeof *made->inverse);
  made->variance = dorm__alloc_zero(size * size, sizeof *made->variance);
  made->score = dorm__alloc_zero(size, sizeof *made->score);
  made->omega = dorm__alloc_zero(size, sizeof *made->omega);
  made->scratch = dorm__alloc_zero(num_positions, sizeof *made->scratch);
  return made->information && made->inverse && made->variance && made->score && made->omega && made->scratch;
}

dorm_status dorm__click_sources_new(dorm_context *context, dorm_clicks *clicks, const dorm__click_curve *curve,
                                    bool is_regression, bool is_free, double *misfit)
{
  size_t size = clicks->num_positions < MOST_POSITIONS ? clicks->num_positions : MOST_POSITIONS;
  dorm__click_sources *sources = dorm__alloc_zero(1, sizeof *sources);
  double *effect = dorm__alloc(clicks->num_cells, sizeof *effect);
  click_matrices made = {NULL};
  *misfit = (double)NAN;
  dorm__click_sources_free(clicks->sources);
  clicks->sources = sources;
  if (sources)
    sources->size = size;
  bool is_made = sources && effect && copy_curve(clicks, curve, is_regression, sources) &&
                 alloc_matrices(size, clicks->num_positions, &made);
  if (is_made) {
    add_all(clicks, sources, curve->phi, &made);
    memcpy(made.inverse, made.information, size * size * sizeof *made.inverse);
    fill_omega(curve, size, made.omega);
    bool is_regular = invert(sources, made.inverse);
    if (is_regular)
      fill_solve(curve, is_free, &made, sources);
    clicks->eta_error = is_regular ? eta_error(clicks, made.scratch, effect) : (double)NAN;
    if (is_regular && (is_regression || invert(sources, made.variance)))
      *misfit = misfit_of(sources, is_regression ? made.inverse : made.variance, &made);
  }
  free_matrices(&made);
  dorm__free(effect);
  return is_made ? DORM_OK : dorm__out_of_memory(context, "clicks");
}

void dorm__click_sources_free(dorm__click_sources *sources)
{
  if (!sources)
    return;
  dorm__free(sources->value);
  dorm__free(sources->component);
  dorm__free(sources->rate);
  dorm__free(sources->solve);
  dorm__free(sources->by_eta);
  dorm__free(sources);
}
