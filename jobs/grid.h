/* grid.h: one pair of data sets on which a job trains all combinations of the settings that are lists. */
#ifndef DORM_JOBS_GRID_H
#define DORM_JOBS_GRID_H

#include "jobs/candidates.h"
#include "jobs/job.h"

typedef struct dorm__checkpoint dorm__checkpoint;
typedef struct dorm__committee dorm__committee;

/* One grid of a job: for a fold, the whole data, or a retraining. */
typedef struct dorm__grid {
  size_t number; /* in the order in which the job trains them, from 0 */
  const dorm_dataset *train;
  const dorm_dataset *validation;      /* may be NULL */
  dorm_dataset *own_train;             /* `train` if rows may take over its memory, else NULL */
  dorm_dataset *own_validation;        /* likewise */
  const dorm_training *chosen_from;    /* in a retraining, the candidates among which the job chose, else NULL */
  const dorm_dataset *whole;           /* of a fold, the data that it is a part of, else NULL */
  const dorm__feature_map *shared_map; /* shared by all grids of a cross-validation; NULL: `train` has its own */
  const dorm__committee *committee;    /* means over the folds, which replace trainers that average folds, or NULL */
  dorm__progress *progress;
  dorm__checkpoint *checkpoint;      /* NULL: none */
  const dorm__fold_sums *fold_sums;  /* written into the checkpoint */
  dorm_training *training;           /* the candidates, owned */
  size_t num_restored;               /* candidates from a checkpoint that the trainers have not reached yet */
  dorm__feature_map map;             /* without rank block, owned */
  struct dorm__training_rows *taken; /* rows in the data's memory, kept to measure the model, owned, or NULL */
} dorm__grid;

/* ---- Sink --------------------------------------------------------------------------------------- */

struct dorm__sink {
  const dorm__job *job;
  dorm__grid *grid;
  double *scores;    /* [num_docs of the validation data], made when first needed */
  size_t num_before; /* candidates of the grid that other sinks have taken before */
};

/* *spread becomes the standard deviation of scores [num_docs] within queries, pooled over the queries of all processes,
 * which call it together. */
dorm_status dorm__spread_within_queries(dorm_context *context, const dorm_dataset *dataset, const double *scores,
                                        size_t num_threads, double *spread);
void dorm__sink_clear(dorm__sink *sink);
/* *is_there becomes whether a checkpoint held the next candidate. If so, the candidate need not be made, and w
 * [num_features of the rows] becomes its weights. */
dorm_status dorm__sink_restore(dorm__sink *sink, const dorm__training_rows *rows, double *w, bool *is_there);
/* Returns the number of rounds of the next candidate: in a retraining as many as it was chosen with, otherwise
 * `most`. */
size_t dorm__sink_rounds(const dorm__sink *sink, size_t most);
/* Returns whether the next candidate has left the race of the folds. The second function keeps and reports it without a
 * model and without a value, under the name `reference`. */
bool dorm__sink_has_left(const dorm__sink *sink);
dorm_status dorm__sink_skip(dorm__sink *sink, const dorm__training_rows *rows, const char *reference);
/* Keeps and reports a candidate that another sink has measured on the same data. Takes over all that it owns. */
dorm_status dorm__sink_adopt(dorm__sink *sink, dorm__trained *made);
/* Reports a pass over the data, a round or an epoch that was made for the candidate. */
void dorm__sink_report_pass(dorm__sink *sink, dorm_candidate *candidate);

#endif
