/* user_step.h: finds the rows of users for fixed items, for one user or for all. */
#ifndef DORM_COLLABORATIVE_FACTORIZATION_USER_STEP_H
#define DORM_COLLABORATIVE_FACTORIZATION_USER_STEP_H

#include "base/base.h"
#include "collaborative/factorization/cutting_planes.h"
#include "collaborative/factorization/lists.h"
#include "collaborative/factorization/start.h"

/* Solves the problem of one user: row [rank] is the user's present row and becomes the best one found; centre [rank] is
 * the row that the penalty draws it to. The result does not depend on any other user. O(passes
 * (size log size + size rank)). */
dorm_status dorm__user_step_one(dorm_context *context, const dorm__lists *lists, size_t list, const dorm__point *point,
                                const double *centre, const dorm__step_options *options, double *row,
                                dorm__step_info *info);
/* Solves the problems of all users in parallel. info->passes becomes the largest number of passes of any user. */
dorm_status dorm__user_step(dorm_context *context, const dorm__lists *lists, const dorm__point *start,
                            const dorm__step_options *options, dorm__point *point, dorm__step_info *info);

#endif
