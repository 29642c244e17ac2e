/*
 * pairs.c: the force of RankNet (Donmez, Svore and Burges 2009, equation 6) between all pairs of documents i and j of
 * different label, each with a weight w >= 0:
 *
 *   λ_ij = w S_ij / (1 + exp(S_ij σ (g_i - g_j)))      added to i, subtracted from j; S_ij = 1 if i has the larger
 *   h_ij = w σ ρ (1 - ρ), ρ = |λ_ij| / w               label, else -1; h_ij is added to both
 *
 * Let e_i = exp(σ (g_i - largest g)). If i is more relevant, ρ = e_j / (e_i + e_j). So each document needs one
 * exponential, each pair only one division, and vectors of pairs are computed at once. If σ times the range of the
 * scores exceeds `widest`, e_i could underflow. Each pair then computes its own exponential. Row sums are kept in
 * lanes, which are added in a fixed order, so every vector width gives the same bits.
 */
#include "lambdas/pairs.h"

#include <math.h>
#include <string.h>

static const double widest = 600;        /* exp(-600) is 1e-261, far from the smallest normal double */
static const double most_exponent = 700; /* exp(700) is 1e304 */

void dorm__pairs_alloc(size_t max_docs, dorm__region *memory, dorm__pairs *pairs)
{
  double **arrays[] = {&pairs->scores,  &pairs->labels,  &pairs->exps,     &pairs->row_exps,
                       &pairs->weights, &pairs->lambdas, &pairs->curvature};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    *arrays[i] = dorm__region_take_zero(memory, max_docs + DORM__PAIR_LANES, sizeof **arrays[i]);
}

void dorm__pairs_begin(size_t num_docs, const uint32_t *order, const double *scores, const double *labels, double sigma,
                       dorm__pairs *pairs)
{
  double largest = -INFINITY;
  double smallest = INFINITY;
  pairs->num_docs = num_docs;
  pairs->sigma = sigma;
  pairs->count = 0;
  for (size_t i = 0; i < num_docs; i++) {
    pairs->scores[i] = scores[order[i]];
    pairs->labels[i] = labels[order[i]];
    largest = pairs->scores[i] > largest ? pairs->scores[i] : largest;
    smallest = pairs->scores[i] < smallest ? pairs->scores[i] : smallest;
  }
  pairs->is_narrow = sigma * (largest - smallest) <= widest;
  for (size_t i = 0; pairs->is_narrow && i < num_docs; i++)
    pairs->exps[i] = exp(sigma * (pairs->scores[i] - largest));
  memset(pairs->lambdas, 0, num_docs * sizeof *pairs->lambdas);
  memset(pairs->curvature, 0, num_docs * sizeof *pairs->curvature);
  for (size_t i = num_docs; i < num_docs + DORM__PAIR_LANES; i++) {
    pairs->exps[i] = 1;
    pairs->row_exps[i] = 1;
    pairs->labels[i] = 0;
  }
}

/* Pairs one document, given by its exponential and label, with the documents at places 0 .. count - 1 of the arrays.
 * Adds their λ and h to `lambdas` and `curvature`. Fills sums with the λ and the h of the one document, and with its
 * number of pairs that have a weight > 0 and different labels. From place count to the next multiple of LANES, weights
 * must be 0. */
DORM__WIDE_VECTORS
static void add_row(size_t count, double own_exp, double own_label, double sigma, const double *restrict exps,
                    const double *restrict labels, const double *restrict weights, double *restrict lambdas,
                    double *restrict curvature, double sums[3])
{
  enum { LANES = DORM__PAIR_LANES };
  double lane_lambdas[LANES] = {0};
  double lane_curvature[LANES] = {0};
  double lane_counts[LANES] = {0};
  for (size_t q = 0; q < count; q += LANES)
    for (size_t k = 0; k < LANES; k++) {
      double other = exps[q + k];
      double share = 1 / (own_exp + other);
      double low = own_exp * share;
      double high = other * share;
      bool is_above = own_label > labels[q + k];
      double weight = own_label == labels[q + k] ? 0 : weights[q + k];
      double force = weight * (is_above ? high : -low);
      double bend = sigma * weight * low * high;
      lambdas[q + k] -= force;
      curvature[q + k] += bend;
      lane_lambdas[k] += force;
      lane_curvature[k] += bend;
      lane_counts[k] += weight > 0 ? 1 : 0;
    }
  for (size_t k = 1; k < LANES; k++) {
    lane_lambdas[0] += lane_lambdas[k];
    lane_curvature[0] += lane_curvature[k];
    lane_counts[0] += lane_counts[k];
  }
  sums[0] = lane_lambdas[0];
  sums[1] = lane_curvature[0];
  sums[2] = lane_counts[0];
}

void dorm__pairs_add_row(dorm__pairs *pairs, size_t i, size_t begin, size_t end)
{
  double sums[3];
  double own = 1;
  const double *exps = pairs->row_exps;
  for (size_t k = end; k < end + DORM__PAIR_LANES; k++)
    pairs->weights[k] = 0;
  if (pairs->is_narrow) {
    own = pairs->exps[i];
    exps = pairs->exps;
  } else {
    for (size_t k = begin; k < end; k++)
      pairs->row_exps[k] =
          exp(fmax(-most_exponent, fmin(most_exponent, pairs->sigma * (pairs->scores[k] - pairs->scores[i]))));
  }
  if (begin >= end)
    return;
  add_row(end - begin, own, pairs->labels[i], pairs->sigma, exps + begin, pairs->labels + begin, pairs->weights + begin,
          pairs->lambdas + begin, pairs->curvature + begin, sums);
  pairs->lambdas[i] += sums[0];
  pairs->curvature[i] += sums[1];
  pairs->count += sums[2];
}

void dorm__pairs_end(const dorm__pairs *pairs, const uint32_t *order, double *lambdas, double *curvature)
{
  for (size_t i = 0; i < pairs->num_docs; i++) {
    lambdas[order[i]] = pairs->lambdas[i];
    curvature[order[i]] = pairs->curvature[i];
  }
}

double dorm__softplus(double x)
{
  return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}
