/* user_step.h: rows of users for fixed items, of one user or of all. */
#ifndef DORM_COLLABORATIVE_FACTORIZATION_USER_STEP_H
#define DORM_COLLABORATIVE_FACTORIZATION_USER_STEP_H

#include "base/base.h"
#include "collaborative/factorization/cutting_planes.h"
#include "collaborative/factorization/lists.h"
#include "collaborative/factorization/start.h"

/* One user's problem: row [rank] is where the user is and becomes the best row found, centre [rank] is what it is drawn
 * to. info may be NULL. Does not depend on any other user. O(passes (size log size + size rank)). */
dorm_status dorm__user_step_one(dorm_context *context, const dorm__lists *lists, size_t list, const dorm__point *point,
                                const double *centre, const dorm__step_options *options, double *row,
                                dorm__step_info *info);
/* All users, in parallel. info->passes is the largest number of any user. */
dorm_status dorm__user_step(dorm_context *context, const dorm__lists *lists, const dorm__point *start,
                            const dorm__step_options *options, dorm__point *point, dorm__step_info *info);

#endif
