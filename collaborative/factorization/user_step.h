/* user_step.h: what user_step.c offers to the other files of this folder. */
#ifndef DORM_COLLABORATIVE_FACTORIZATION_USER_STEP_H
#define DORM_COLLABORATIVE_FACTORIZATION_USER_STEP_H

#include "base/base.h"
#include "collaborative/factorization/lists.h"
#include "collaborative/factorization/start.h"

typedef struct dorm__step_options {
  double penalty; /* L */
  double gap;     /* relative, to stop at */
  size_t most_passes;
} dorm__step_options;

/* What a step came to. */
typedef struct dorm__step_info {
  size_t passes;  /* oracle passes over all lists; of the user step the most of any user */
  size_t columns; /* rankings held at the end, in all */
  double primal;
  double dual;
} dorm__step_info;

/* One user's problem: row [rank] is where it is and becomes the best row found,
 * centre [rank] what it is drawn to. info may be NULL. Independent of any other
 * user. O(passes (size log size + size rank)). */
dorm_status dorm__user_step_one(const dorm__lists *lists, size_t list, const dorm__point *point, const double *centre,
                                const dorm__step_options *options, double *row, dorm__step_info *info);
/* All users, in parallel. */
dorm_status dorm__user_step(dorm_context *context, const dorm__lists *lists, const dorm__point *start,
                            const dorm__step_options *options, dorm__point *point, dorm__step_info *info);

#endif
