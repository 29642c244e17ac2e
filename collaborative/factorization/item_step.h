/* item_step.h: offsets and rows of items for fixed users. */
#ifndef DORM_COLLABORATIVE_FACTORIZATION_ITEM_STEP_H
#define DORM_COLLABORATIVE_FACTORIZATION_ITEM_STEP_H

#include "base/base.h"
#include "collaborative/factorization/cutting_planes.h"
#include "collaborative/factorization/lists.h"
#include "collaborative/factorization/start.h"

/* Replaces offsets and rows of items of the point by the best ones found. A column of a list holds as many numbers as
 * the list has items. O(passes (num_ratings rank + sorting)), and O(num_ratings rank + columns size) per sweep. */
dorm_status dorm__item_step(dorm_context *context, const dorm__lists *lists, const dorm__point *start,
                            const dorm__step_options *options, dorm__point *point, dorm__step_info *info);

#endif
