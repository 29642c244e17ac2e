/* check.h: what must hold before a training begins. */
#ifndef DORM_TRAINING_CHECK_H
#define DORM_TRAINING_CHECK_H

#include "training/grid.h"

/* DORM_BAD_USAGE, on all processes, if a process has another setting, another file that a setting names, or data with
 * other features than the first process. The data of the grid may be NULL. */
dorm_status dorm__check_processes_agree(dorm_context *context, const dorm_settings *settings, const dorm__grid *grid);
/* DORM_BAD_USAGE if an output file of the settings is also another output, a file that they name to be read, or one
 * that the context has read (base/file.h); output.model may be data.from. */
dorm_status dorm__check_outputs(dorm_context *context, const dorm_settings *settings);

/* ---- Automatic -------------------------------------------------------------------------------- */

/* *settings becomes a copy of `given` in which training.trainer is not auto but what the training data allow;
 * freed by the caller. */
dorm_status dorm__settle_trainer(dorm_context *context, const dorm_settings *given, const dorm_dataset *train,
                                 dorm_settings **settings);

#endif
