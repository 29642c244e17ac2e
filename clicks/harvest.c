/*
 * harvest.c: propensities from documents that were shown at several positions (intervention harvesting; Agarwal et al.,
 * "Estimating position bias without intrusive interventions", WSDM 2019). Where a document of a query stood at k and at
 * k', its relevance was the same, so that the ratio of its rates of clicks is that of the propensities:
 *
 *   c[k][k'] = sum over these documents of v clicks_k / shown_k,  v = shown_k shown_k' / (shown_k + shown_k')
 *   E c[k][k'] / E c[k'][k] = p_k / p_k'
 *
 * The weights v have nothing to do with clicks and give a pair the smaller variance the more it was shown; Agarwal et
 * al. weigh alike. The propensities maximise
 *
 *   sum over k, k' of c[k][k'] log (p_k / (p_k + p_k'))
 *
 * which is the likelihood of counts with the Poisson distribution after the relevance of each pair is maximised out;
 * Agarwal et al. have the binomial distribution, which is the same for rare clicks. It is that of Bradley and Terry
 * (1952), concave in log p, and Hunter's steps (2004) climb it: p_k = sum_k' c[k][k'] / sum_k' (c[k][k'] + c[k'][k]) /
 * (p_k + p_k').
 *
 * Where documents moved only within blocks of positions, nothing is known of the ratios between blocks. The maximum
 * exists where every position wins against every other one, directly or by way of others (Ford, 1957): the positions
 * fall into components of which this is true, comparisons between components are left out, and the height of the curve
 * in each component means nothing beside that in another. O(cells positions + positions^3 + positions^2 steps), for the
 * first 200 positions.
 */
#include "clicks/log.h"

#include <math.h>

enum { MOST_POSITIONS = 200, MOST_STEPS = 20000 };
static const double accuracy = 1e-9; /* of a step, relative */

bool dorm__curve_has(const dorm__click_curve *curve, size_t component, size_t k)
{
  return curve->component[k] == component && curve->value[k] > 0 && curve->weight[k] > 0;
}

dorm__curve_means dorm__curve_means_of(size_t count, const dorm__click_curve *curve, size_t component)
{
  dorm__curve_means means = {0};
  for (size_t k = component; k < count; k++)
    if (dorm__curve_has(curve, component, k)) {
      means.num++;
      means.weight += curve->weight[k];
      means.x += (curve->weight[k] * (log((double)k + 1) - means.x)) / means.weight;
      means.y += (curve->weight[k] * (log(curve->value[k]) - means.y)) / means.weight;
    }
  return means;
}

size_t dorm_clicks_num_moved(const dorm_clicks *clicks)
{
  size_t count = 0;
  for (size_t j = 0; clicks && j < clicks->num_docs; j++)
    count += clicks->cell_start[j + 1] > clicks->cell_start[j] + 1;
  return count;
}

double dorm__clicks_on_moved(const dorm_clicks *clicks)
{
  double sum = 0;
  for (size_t j = 0; j < clicks->num_docs; j++)
    for (size_t i = clicks->cell_start[j]; i < clicks->cell_start[j + 1]; i++)
      sum += clicks->cell_start[j + 1] > clicks->cell_start[j] + 1 ? clicks->cells[i].clicks : 0;
  return sum;
}

/* rates [num][num]: c of the pairs of cells of every document. */
static void sum_pairs(const dorm_clicks *clicks, size_t num, double *rates)
{
  for (size_t j = 0; j < clicks->num_docs; j++)
    for (size_t i = clicks->cell_start[j]; i < clicks->cell_start[j + 1]; i++)
      for (size_t other = clicks->cell_start[j]; other < clicks->cell_start[j + 1]; other++) {
        const dorm__click_cell *here = &clicks->cells[i], *there = &clicks->cells[other];
        if (i != other && here->position < num && there->position < num)
          rates[here->position * num + there->position] += here->clicks * there->shown / (here->shown + there->shown);
      }
}

/* Numbers the components, each by its first position, and leaves out comparisons between different ones. wins
 * [num][num] is room for who wins against whom by way of others. */
static void divide(size_t num, double *rates, bool *wins, size_t *component)
{
  for (size_t i = 0; i < num * num; i++)
    wins[i] = rates[i] > 0;
  for (size_t by = 0; by < num; by++)
    for (size_t k = 0; k < num; k++)
      for (size_t other = 0; wins[k * num + by] && other < num; other++)
        wins[k * num + other] |= wins[by * num + other];
  for (size_t k = 0; k < num; k++) {
    component[k] = 0;
    while (component[k] < k && !(wins[k * num + component[k]] && wins[component[k] * num + k]))
      component[k]++;
  }
  for (size_t k = 0; k < num; k++)
    for (size_t other = 0; other < num; other++)
      if (component[k] != component[other])
        rates[k * num + other] = 0;
}

/* One step of all positions; returns the largest relative change. */
static double climb(size_t num, const double *rates, double *curve)
{
  double change = 0;
  for (size_t k = 0; k < num; k++) {
    double wins = 0, all = 0;
    for (size_t other = 0; other < num; other++) {
      double both = rates[k * num + other] + rates[other * num + k];
      wins += rates[k * num + other];
      all += both > 0 ? both / (curve[k] + curve[other]) : 0;
    }
    if (!(wins > 0))
      continue;
    change = fmax(change, fabs(wins / all / curve[k] - 1));
    curve[k] = wins / all;
  }
  return change;
}

/* The height of each component is anything, that of the first position 1. */
static void compare_all(size_t num, const double *rates, double *curve)
{
  for (size_t k = 0; k < num; k++)
    curve[k] = 1;
  for (size_t step = 0; step < MOST_STEPS && climb(num, rates, curve) > accuracy; step++) {
    double first = curve[0];
    for (size_t k = 0; k < num; k++)
      curve[k] /= first;
  }
}

dorm_status dorm__harvest(dorm_context *context, const dorm_clicks *clicks, const dorm__click_curve *curve)
{
  size_t num = clicks->num_positions < MOST_POSITIONS ? clicks->num_positions : MOST_POSITIONS;
  double *rates = dorm__alloc_zero(num * num, sizeof *rates);
  bool *wins = dorm__alloc(num * num, sizeof *wins);
  if (rates && wins) {
    sum_pairs(clicks, num, rates);
    divide(num, rates, wins, curve->component);
    compare_all(num, rates, curve->value);
    for (size_t k = 0; k < num; k++) {
      for (size_t other = 0; other < num; other++)
        curve->weight[k] += rates[k * num + other];
      curve->value[k] = curve->weight[k] > 0 ? curve->value[k] : 0;
    }
  }
  dorm_status status = rates && wins ? DORM_OK : dorm__out_of_memory(context, "clicks");
  dorm__free(rates);
  dorm__free(wins);
  return status;
}
