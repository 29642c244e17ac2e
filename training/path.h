/* path.h: what path.c offers to the other files of this folder. */
#ifndef DORM_TRAINING_PATH_H
#define DORM_TRAINING_PATH_H

#include "base/base.h"
#include "solver/solver.h"
#include "training/run.h"

/* Trains one reference of one problem over all values of C. */
dorm_status dorm__path_train(dorm__run *run, const dorm__problem *problem, const char *reference_word);
/* Rounds that a reference takes. */
size_t dorm__path_rounds(const dorm_settings *settings, const dorm__reference *reference);

#endif
