/* smooth.h: the trainer `smooth`: linear models that minimise a cost on scores. */
#ifndef DORM_TRAINING_SMOOTH_H
#define DORM_TRAINING_SMOOTH_H

#include "training/training.h"

extern const dorm__trainer dorm__smooth_trainer;

#endif
