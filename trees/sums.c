/*
 * sums.c: sums over documents that do not depend on the order of their terms, and so neither on threads nor on
 * processes. Each term is multiplied by a power of 2 and rounded to a whole number. The power is so large that the sum
 * just fits into 62 bits. With n documents the error of a term is less than n / 2^62 of the largest term.
 */
#include "trees/sums.h"
#include "base/processes.h"

#include <math.h>

/* Returns the factor for `count` terms of at most this size. */
static double scale_for(double count, double largest)
{
  enum { BITS = 62, MOST_EXPONENT = 1000 };
  int exponent;
  if (!(largest > 0))
    return 1;
  frexp(count * largest, &exponent);
  return ldexp(1, BITS - exponent < MOST_EXPONENT ? BITS - exponent : MOST_EXPONENT);
}

dorm_status dorm__tree_scales_find(dorm_context *context, const dorm__tree_terms *terms, dorm__tree_scales *scales)
{
  double gradient = 0, curvature = 0;
#pragma omp parallel for reduction(max                                                                                 \
                                   : gradient, curvature)                                                              \
    num_threads((int)terms->num_threads) if (terms->num_threads > 1 && terms->num_docs > 4096)
  for (size_t j = 0; j < terms->num_docs; j++) {
    if (terms->is_drawn && !terms->is_drawn[j])
      continue;
    gradient = fabs(terms->gradient[j]) > gradient ? fabs(terms->gradient[j]) : gradient;
    curvature = fabs(terms->curvature[j]) > curvature ? fabs(terms->curvature[j]) : curvature;
  }
  const double mine[3] = {gradient, curvature, (double)terms->num_docs};
  size_t size = dorm__processes_size(context);
  double largest[3] = {0};
  DORM__FREED double *all = dorm__alloc(size, sizeof mine);
  dorm_status status = all ? dorm__processes_gather_into(context, mine, sizeof mine, all, size * sizeof mine)
                           : dorm__out_of_memory(context, "sums");
  for (size_t i = 0; status == DORM_OK && i < size; i++) {
    largest[0] = fmax(largest[0], all[3 * i]);
    largest[1] = fmax(largest[1], all[3 * i + 1]);
    largest[2] += all[3 * i + 2];
  }
  *scales = (dorm__tree_scales){.gradient = scale_for(largest[2], largest[0]),
                                .curvature = scale_for(largest[2], largest[1]),
                                .largest_curvature = largest[1]};
  return status;
}
