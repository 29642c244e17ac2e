/*
 * checkpoint.h: saves a long training to a file, so that a later call of dorm_train can continue. A checkpoint holds
 * the sums of the folds, the candidates of the present grid, and the solve in progress with its working set. If a
 * cross-validation averages its candidates, it holds the candidates of the finished folds instead. It is a binary file
 * in this machine's number format with a checksum, written whole or not at all. A NULL checkpoint means a job without
 * one. All functions but dorm__checkpoint_is_due and dorm__checkpoint_save accept it.
 */
#ifndef DORM_JOBS_CHECKPOINT_H
#define DORM_JOBS_CHECKPOINT_H

#include "jobs/grid.h"
#include "jobs/job.h"

/* A solve in progress. Everything in it is borrowed. */
typedef struct dorm__solve_state {
  size_t width;
  dorm__working_set *set;
  double *round_start; /* [width] the w at which the references were made */
  double *w;           /* [width] the best point so far */
  dorm_certificate *certificate;
} dorm__solve_state;

/* Opens the checkpoint of a job. *checkpoint becomes NULL if the settings ask for none. If the job is to resume and the
 * file exists, reads it, and fills `sums` from it. */
dorm_status dorm__checkpoint_open(const dorm__job *job, const dorm_dataset *train, const dorm_dataset *validation,
                                  dorm__fold_sums *sums, dorm__checkpoint **checkpoint);
void dorm__checkpoint_close(dorm__checkpoint *checkpoint);
/* Returns whether output.checkpoint_seconds have passed since the last save began, on the clock of the first process. A
 * failed save counts. */
bool dorm__checkpoint_is_due(const dorm__job *job, const dorm__checkpoint *checkpoint);
/* Writes the sums of the folds, the candidates of the grid and the solve in progress. */
dorm_status dorm__checkpoint_save(const dorm__job *job, const dorm__grid *grid, const dorm__solve_state *state);
/* Returns whether grid number `grid` is done. */
bool dorm__checkpoint_has_done(const dorm__checkpoint *checkpoint, size_t grid);
/* Gives a grid the candidates that the checkpoint holds for it. */
dorm_status dorm__checkpoint_restore_grid(const dorm__job *job, dorm__grid *grid);
/* Fills `state` if this is the solve during which the checkpoint was saved. */
dorm_status dorm__checkpoint_restore_solve(const dorm__job *job, dorm__checkpoint *checkpoint,
                                           const dorm__solve_state *state);
/* Returns whether a cross-validation whose candidates are averaged keeps its finished folds, and nothing else. */
bool dorm__checkpoint_keeps_folds(const dorm__job *job);
/* Adds the candidates of a finished fold, and writes all folds so far. */
dorm_status dorm__checkpoint_keep_fold(const dorm__job *job, dorm__checkpoint *checkpoint, const dorm__grid *grid);
/* Gives a fold its candidates and its feature map if the checkpoint has them. Call it for the folds in their order. */
dorm_status dorm__checkpoint_restore_fold(const dorm__job *job, dorm__checkpoint *checkpoint, dorm__grid *grid,
                                          bool *is_there);
/* Removes the file of a job that is done. */
void dorm__checkpoint_remove(dorm__checkpoint *checkpoint);

/* ---- Fingerprint ------------------------------------------------------------------------------- */

/* A hash of the settings that change the result, of the files that they, the loss and the kernels name, and of the
 * data. If the data are split into shards, all processes call it, and the hash does not depend on their number.
 * `validation` may be NULL. O(bytes of the data and of the files). */
dorm_status dorm__fingerprint(const dorm__job *job, const dorm_dataset *train, const dorm_dataset *validation,
                              uint64_t *fingerprint);
/* Adds the bytes of the file that a setting names to *(uint64_t *)hash. Skips files of data.*, which are hashed as data
 * sets, and files of output.*, which are results. A dorm__settings_take_path. */
dorm_status dorm__fingerprint_add_file(void *hash, dorm__setting setting, const char *path);

#endif
