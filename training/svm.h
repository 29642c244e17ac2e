/* svm.h: the trainer `svm`, the structured SVM of the paper. */
#ifndef DORM_TRAINING_SVM_H
#define DORM_TRAINING_SVM_H

#include "training/training.h"

extern const dorm__trainer dorm__svm_trainer;

#endif
