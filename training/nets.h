/* nets.h: nets as a trainer. */
#ifndef DORM_TRAINING_NETS_H
#define DORM_TRAINING_NETS_H

#include "training/training.h"

extern const dorm__trainer dorm__net_trainer;

#endif
