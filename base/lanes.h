/*
 * lanes.h: four numbers side by side. Vectors of the compiler (gcc, clang) become several of the machine where its own
 * are shorter.
 */
#ifndef DORM_BASE_LANES_H
#define DORM_BASE_LANES_H

#include "base/base.h"

enum { DORM__LANES = 4 };

typedef double dorm__lanes __attribute__((vector_size(DORM__LANES * sizeof(double))));
typedef int64_t dorm__lane_masks __attribute__((vector_size(DORM__LANES * sizeof(int64_t))));

#define DORM__LANES_OF(x)                                                                                              \
  {                                                                                                                    \
    (x), (x), (x), (x)                                                                                                 \
  }

/* *x becomes *y in those lanes where the mask is set. (Vectors are passed by address: as values they need a convention
 * that differs between machines.) */
static inline __attribute__((always_inline)) void dorm__pick_lanes(dorm__lanes *x, const dorm__lane_masks *mask,
                                                                   const dorm__lanes *y)
{
  *x = (dorm__lanes)(((dorm__lane_masks)*y & *mask) | ((dorm__lane_masks)*x & ~*mask));
}

/* Sets those lanes of *x where the mask is set. */
static inline __attribute__((always_inline)) void dorm__set_lanes(dorm__lanes *x, const dorm__lane_masks *mask,
                                                                  double value)
{
  dorm__lanes values = DORM__LANES_OF(value);
  dorm__pick_lanes(x, mask, &values);
}

/* Of a list in vectors: the mask of number `place`, where `vector` holds it; else no lane. */
static inline __attribute__((always_inline)) void dorm__find_lane(size_t place, size_t vector, dorm__lane_masks *is_own)
{
  int64_t lane = (int64_t)place - (int64_t)(vector * DORM__LANES);
  *is_own = (dorm__lane_masks){0, 1, 2, 3} == (dorm__lane_masks)DORM__LANES_OF(lane);
}

/* ---- Exponential ------------------------------------------------------------------------------- */

/* Replaces values[i] <= 0 by exp(values[i]), correct to 2 units in the last place; below -708 the result is 3e-308. */
void dorm__exponentials(size_t count, double *values);

#endif
