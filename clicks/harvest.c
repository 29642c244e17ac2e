/*
 * harvest.c: propensities from documents that were shown at several positions (intervention harvesting; Agarwal et al.,
 * "Estimating position bias without intrusive interventions", WSDM 2019). Where a document of a query stood at k and at
 * k', its relevance was the same, so that the ratio of its rates of clicks is that of the propensities:
 *
 *   c[k][k'] = sum over these documents of v clicks_k / shown_k,  v = shown_k shown_k' / (shown_k + shown_k')
 *   E c[k][k'] / E c[k'][k] = p_k / p_k'
 *
 * The weights v have nothing to do with clicks and give a pair the smaller variance the more it was shown; Agarwal et
 * al. weigh alike. `chain` multiplies the ratios of neighbours. `all pairs` maximises
 *
 *   sum over k, k' of c[k][k'] log (p_k / (p_k + p_k'))
 *
 * which is the likelihood of counts with the Poisson distribution after the relevance of each pair is maximised out;
 * Agarwal et al. have the binomial distribution, which is the same for rare clicks. It is that of Bradley and Terry
 * (1952), concave in log p, and Hunter's steps (2004) climb it: p_k = sum_k' c[k][k'] / sum_k' (c[k][k'] + c[k'][k]) /
 * (p_k + p_k'). O(cells positions + positions^2 steps), for the first 200 positions.
 */
#include "clicks/log.h"

#include <math.h>
#include <string.h>

enum { MOST_POSITIONS = 200, MOST_STEPS = 20000 };
static const double accuracy = 1e-9; /* of a step, relative */

double dorm__clicks_on_moved(const dorm_clicks *clicks)
{
  double sum = 0;
  for (size_t j = 0; j < clicks->num_docs; j++)
    for (size_t i = clicks->cell_start[j]; clicks->cell_start[j + 1] > clicks->cell_start[j] + 1; i++) {
      if (i == clicks->cell_start[j + 1])
        break;
      sum += clicks->cells[i].clicks;
    }
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

static void multiply_neighbours(size_t num, const double *rates, double *curve)
{
  curve[0] = 1;
  for (size_t k = 1; k < num; k++) {
    double here = rates[k * num + k - 1], before = rates[(k - 1) * num + k];
    curve[k] = here > 0 && before > 0 ? curve[k - 1] * here / before : 0;
  }
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

/* curve [num]: 0 where a position has no wins, or nothing to be compared with. */
static void compare_all(size_t num, const double *rates, double *curve)
{
  for (size_t k = 0; k < num; k++) {
    double wins = 0;
    for (size_t other = 0; other < num; other++)
      wins += rates[k * num + other];
    curve[k] = wins > 0 ? 1 : 0;
  }
  for (size_t step = 0; step < MOST_STEPS && climb(num, rates, curve) > accuracy; step++) {
    double first = curve[0] > 0 ? curve[0] : 1;
    for (size_t k = 0; k < num; k++)
      curve[k] /= first;
  }
}

dorm_status dorm__harvest(dorm_context *context, const dorm_clicks *clicks, bool neighbours_alone, double *curve,
                          double *weight)
{
  size_t num = clicks->num_positions < MOST_POSITIONS ? clicks->num_positions : MOST_POSITIONS;
  double *rates = dorm__alloc_zero(num * num, sizeof *rates);
  if (!rates)
    return dorm__out_of_memory(context, "clicks");
  memset(curve, 0, clicks->num_positions * sizeof *curve);
  memset(weight, 0, clicks->num_positions * sizeof *weight);
  sum_pairs(clicks, num, rates);
  if (neighbours_alone)
    multiply_neighbours(num, rates, curve);
  else
    compare_all(num, rates, curve);
  for (size_t k = 0; k < num; k++)
    for (size_t other = 0; curve[k] > 0 && other < num; other++)
      weight[k] += neighbours_alone && other + 1 != k && other != k + 1 ? 0 : rates[k * num + other];
  dorm__free(rates);
  return DORM_OK;
}
