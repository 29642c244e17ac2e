/* item_step.h: what item_step.c offers to the other files of this folder. */
#ifndef DORM_COLLABORATIVE_FACTORIZATION_ITEM_STEP_H
#define DORM_COLLABORATIVE_FACTORIZATION_ITEM_STEP_H

#include "base/base.h"
#include "collaborative/factorization/lists.h"
#include "collaborative/factorization/start.h"
#include "collaborative/factorization/user_step.h"

/* Offsets and rows of items for fixed users. A column of a list holds its size + 1
 * numbers. O(passes (num_ratings rank + sorting)), and as much a sweep. */
dorm_status dorm__item_step(dorm_context *context, const dorm__lists *lists, const dorm__point *start,
                            const dorm__step_options *options, dorm__point *point, dorm__step_info *info);

#endif
