/* moves.h: rows of numbers, one for each shard, that the processes hand to one another. */
#ifndef DORM_SOLVER_MOVES_H
#define DORM_SOLVER_MOVES_H

#include "base/base.h"

/* Gathers rows own [num_own][stride] of every process into all [count][stride]. Of the first num_features numbers of a
 * row only those are sent that differ from base [num_features], which is the same on all processes (NULL: 0), where
 * there are so many that few differ; the others are sent as they are. */
dorm_status dorm__moves_gather(dorm_context *context, size_t num_own, size_t count, size_t num_features, size_t stride,
                               const double *base, const double *own, double *all);

#endif
