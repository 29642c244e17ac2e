/* checkpoint.h: what checkpoint.c offers to the other files of this folder. */
#ifndef DORM_TRAINING_CHECKPOINT_H
#define DORM_TRAINING_CHECKPOINT_H

#include "base/base.h"
#include "solver/solver.h"
#include "training/run.h"

/* Reads the file where the run is to resume and it exists. */
dorm_status dorm__checkpoint_open(dorm__run *run, dorm__checkpoint **checkpoint);
void dorm__checkpoint_close(dorm__checkpoint *checkpoint);
/* Whether enough time went by since the last one. */
bool dorm__checkpoint_is_due(const dorm__checkpoint *checkpoint);
/* `round_start` is the w of the references, `w` the best point of the solve. */
dorm_status dorm__checkpoint_save(dorm__run *run, const dorm__working_set *set, const double *round_start,
                                  const double *w, const dorm_certificate *certificate);
/* Whether grid number `grid` is done; gives the present one its candidates. */
bool dorm__checkpoint_has_done(const dorm__checkpoint *checkpoint, size_t grid);
dorm_status dorm__checkpoint_restore_grid(dorm__run *run);
/* Fills in the solve that the checkpoint interrupted, when it is this one. */
dorm_status dorm__checkpoint_restore_solve(dorm__run *run, dorm__working_set *set, double *round_start, double *w,
                                           dorm_certificate *certificate);
/* A run that is done needs none. */
void dorm__checkpoint_remove(dorm__checkpoint *checkpoint);

#endif
