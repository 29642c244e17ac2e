/* smoothed.h: what the functions with random draws keep for a data set. */
#ifndef DORM_LAMBDAS_SMOOTHED_H
#define DORM_LAMBDAS_SMOOTHED_H

#include "assignment/assignment.h"
#include "base/base.h"
#include "data/data.h"
#include "lambdas/target.h"

typedef struct dorm__smoothed dorm__smoothed;

typedef struct dorm__smoothed_options {
  bool draws_normal; /* normal numbers without oracles; otherwise Gumbel numbers and an oracle for each query */
  double power;      /* c[p] = (p + 2)^-power; 0: c = a */
  uint64_t seed;
  size_t top;      /* with oracles: rankings respect the groups of the data among so many first positions; 0: all */
  double capacity; /* largest total weight of a group's documents there */
  double seconds;  /* of one mixed-integer programme, which groups that overlap may need; 0: no limit */
} dorm__smoothed_options;

/* DORM_BAD_USAGE where the target has no position weights a and c is to be a, or the data have no groups to respect. */
dorm_status dorm__smoothed_new(dorm_context *context, const dorm__target *target, const dorm_dataset *dataset,
                               const dorm__smoothed_options *options, dorm__smoothed **smoothed);
void dorm__smoothed_free(dorm__smoothed *smoothed);
/* Whether calls need an oracle workspace. */
bool dorm__smoothed_has_oracles(const dorm__smoothed *smoothed);

#endif
