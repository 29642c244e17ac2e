/* trainers.c: the table of trainers. A new one is added here. */
#include "trainers/trainers.h"

const dorm__trainer *const dorm__trainers[] = {&dorm__svm_trainer,
                                               &dorm__ridge_trainer,
                                               &dorm__smooth_trainer,
                                               &dorm__adarank_trainer,
                                               &dorm__trees_trainer,
                                               &dorm__net_trainer,
                                               NULL};
