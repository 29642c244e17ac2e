/* net_start.h: where the training of a net starts. */
#ifndef DORM_TRAINING_NET_START_H
#define DORM_TRAINING_NET_START_H

#include "nets/nets.h"
#include "training/training.h"

/* Sets the weights of the net as net.start says. `features` are the rows that it is trained on. */
dorm_status dorm__net_start(const dorm__job *job, const dorm__training_rows *rows, const dorm__features *features,
                            dorm__random *random, dorm__net *net);

#endif
