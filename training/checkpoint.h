/*
 * checkpoint.h: a long training written down: the sums of the folds, the candidates of the present grid, and the solve
 * in progress with its working set. A binary file of this machine's numbers with a checksum, written whole or not at
 * all. Functions take NULL for a job without checkpoint.
 */
#ifndef DORM_TRAINING_CHECKPOINT_H
#define DORM_TRAINING_CHECKPOINT_H

#include "training/grid.h"

/* A solve in progress; all borrowed. */
typedef struct dorm__solve_state {
  size_t width;
  dorm__working_set *set;
  double *round_start; /* [width] the w of the references */
  double *w;           /* [width] the best point */
  dorm_certificate *certificate;
} dorm__solve_state;

/* Reads the file where the job is to resume and it exists; the folds' sums come from it. *checkpoint is NULL where the
 * settings ask for none. */
dorm_status dorm__checkpoint_open(const dorm__job *job, const dorm_dataset *train, const dorm_dataset *validation,
                                  dorm__fold_sums *sums, dorm__checkpoint **checkpoint);
void dorm__checkpoint_close(dorm__checkpoint *checkpoint);
/* Whether enough time went by since the last one. */
bool dorm__checkpoint_is_due(const dorm__checkpoint *checkpoint);
dorm_status dorm__checkpoint_save(const dorm__job *job, const dorm__grid *grid, const dorm__solve_state *state);
/* Whether grid number `grid` is done. */
bool dorm__checkpoint_has_done(const dorm__checkpoint *checkpoint, size_t grid);
/* Gives a grid its candidates. */
dorm_status dorm__checkpoint_restore_grid(const dorm__job *job, dorm__grid *grid);
/* Fills in the solve that the checkpoint interrupted, when it is this one. */
dorm_status dorm__checkpoint_restore_solve(const dorm__job *job, dorm__checkpoint *checkpoint,
                                           const dorm__solve_state *state);
/* Removes the file of a job that is done. */
void dorm__checkpoint_remove(dorm__checkpoint *checkpoint);

#endif
