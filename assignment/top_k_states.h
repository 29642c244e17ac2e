/* top_k_states.h: what top_k_states.c offers to the other files of this folder. */
#ifndef DORM_ASSIGNMENT_TOP_K_STATES_H
#define DORM_ASSIGNMENT_TOP_K_STATES_H

#include "assignment/assignment.h"
#include "assignment/top_k.h"
#include "base/base.h"

/* C(num_positions + num_levels, num_levels), or 0 where that is too many. */
size_t dorm__top_k_num_states(size_t num_levels, size_t num_positions);
/* Of possible numbers. About 3 bytes a state and level. */
dorm_status dorm__top_k_states_new(dorm_context *context, size_t num_levels, size_t num_positions,
                                   dorm__top_k_states **states);
void dorm__top_k_states_free(dorm__top_k_states *states);
/* The same once for all who ask the cache. */
dorm_status dorm__top_k_states_cached(dorm_context *context, dorm__oracle_cache *cache, size_t num_levels,
                                      size_t num_positions, const dorm__top_k_states **states);

#endif
