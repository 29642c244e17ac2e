/* blend.h: how much of the model are parts such as trees, where there are linear models or kernels too. */
#ifndef DORM_TRAINING_BLEND_H
#define DORM_TRAINING_BLEND_H

#include "training/candidates.h"
#include "training/job.h"

/* Gives the marked candidates their shares in the mean. Where some are parts and some are not, it tries the shares of
 * selection.blend on the validation data, and takes the best: the first one, unless the paired difference of another
 * from it is above its own standard error; without validation data (NULL) the first one. `map` is the feature map
 * without rank block. */
dorm_status dorm__blend_choose(const dorm__job *job, const dorm_dataset *validation, const dorm__feature_map *map,
                               dorm_training *training);

#endif
