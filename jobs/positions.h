/* positions.h: what ranking.position_functions asks of a job: functions of the first positions beside the one that all
 * positions share (models/positions_part.c). */
#ifndef DORM_JOBS_POSITIONS_H
#define DORM_JOBS_POSITIONS_H

#include "jobs/rows.h"

/* scores [num_docs of the validation data] come in as those of the first block of w, and become ones that fall along
 * the rankings of all of w [dorm__training_rows_width]. */
dorm_status dorm__positions_rank(const dorm__job *job, const dorm__training_rows *rows, const double *w,
                                 double *scores);
/* Makes the part of weights [count][width] of rows with num_ids features and this rank block, with the position weights
 * of the settings. */
dorm_status dorm__positions_part_from(dorm_context *context, const dorm_settings *settings, size_t num_ids,
                                      double rank_block, size_t count, const double *weights, dorm__part *part);

#endif
