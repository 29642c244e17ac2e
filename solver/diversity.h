/* diversity.h: what diversity.c offers to the other files of this folder. */
#ifndef DORM_SOLVER_DIVERSITY_H
#define DORM_SOLVER_DIVERSITY_H

#include "base/base.h"
#include "data/data.h"
#include "solver/solver.h"

dorm_status dorm__query_groups_make(dorm_context *context, const dorm_dataset *dataset, size_t query,
                                    const dorm__diversity *diversity, dorm__query_groups *made);
void dorm__query_groups_clear(dorm__query_groups *made);

#endif
