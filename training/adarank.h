/* adarank.h: the trainer `adarank`: boosting of single features (Xu and Li 2007). */
#ifndef DORM_TRAINING_ADARANK_H
#define DORM_TRAINING_ADARANK_H

#include "training/training.h"

extern const dorm__trainer dorm__adarank_trainer;

#endif
