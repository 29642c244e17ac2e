/* lanes.h: vectors of four numbers, by vector types of gcc and clang. If the machine has shorter vectors, the compiler
 * splits them. */
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

/* Copies *y to *x in the lanes that the mask selects. (Vectors are passed by address, because the convention for vector
 * values differs between machines.) */
static inline __attribute__((always_inline)) void dorm__pick_lanes(dorm__lanes *x, const dorm__lane_masks *mask,
                                                                   const dorm__lanes *y)
{
  *x = (dorm__lanes)(((dorm__lane_masks)*y & *mask) | ((dorm__lane_masks)*x & ~*mask));
}

/* Sets the lanes of *x that the mask selects. */
static inline __attribute__((always_inline)) void dorm__set_lanes(dorm__lanes *x, const dorm__lane_masks *mask,
                                                                  double value)
{
  dorm__lanes values = DORM__LANES_OF(value);
  dorm__pick_lanes(x, mask, &values);
}

/* Makes the mask of number `place` of a list in vectors, for vector `vector`. The mask is empty if the number is in
 * another vector. */
static inline __attribute__((always_inline)) void dorm__find_lane(size_t place, size_t vector, dorm__lane_masks *is_own)
{
  int64_t lane = (int64_t)place - (int64_t)(vector * DORM__LANES);
  *is_own = (dorm__lane_masks){0, 1, 2, 3} == (dorm__lane_masks)DORM__LANES_OF(lane);
}

/* ---- Exponential ------------------------------------------------------------------------------- */

/* Replaces values[i] <= 0 by exp(values[i]), correct to 2 units in the last place. Below -708 the result is 3e-308. */
void dorm__exponentials(size_t count, double *values);

#endif
