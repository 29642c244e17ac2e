/* face.h: the best move of alpha on the face of the feasible set on which it lies. */
#ifndef DORM_SOLVER_FACE_H
#define DORM_SOLVER_FACE_H

#include "solver/working_set.h"

/* Writes into old_alpha of every column set the move that maximises the dual (without bounds on w) among those that
 * keep alpha = 0 where it is 0, and sum alpha where that is at its bound. *found is false, and old_alpha as it was,
 * where nothing can move, where the queries are dealt to processes, and where the face has more directions than sweeps
 * are slower for. O(n^2 num_features + n^3) for n columns with alpha > 0. */
dorm_status dorm__working_set_face_move(dorm_context *context, const dorm__working_set *set, double C, bool *found);

#endif
