/* trees.h: boosted trees as a trainer. */
#ifndef DORM_TRAINING_TREES_H
#define DORM_TRAINING_TREES_H

#include "training/training.h"

extern const dorm__trainer dorm__trees_trainer;

#endif
