/* sink.h: the sink, which takes the candidates of a grid from the trainers. */
#ifndef DORM_JOBS_SINK_H
#define DORM_JOBS_SINK_H

#include "jobs/grid.h"

struct dorm__sink {
  const dorm__job *job;
  dorm__grid *grid;
  double *scores;    /* [num_docs of the validation data]; made when first needed */
  size_t num_before; /* candidates of the grid that come before those of this sink and are not in its training */
};

/* The standard deviation of scores [num_docs] within queries, pooled over the queries. */
double dorm__spread_within_queries(const dorm_dataset *dataset, const double *scores, size_t num_threads);
void dorm__sink_clear(dorm__sink *sink);
/* *is_there becomes whether a checkpoint held the next candidate. If so, the candidate need not be made, and w
 * [num_features of the rows] becomes its weights. */
dorm_status dorm__sink_restore(dorm__sink *sink, const dorm__training_rows *rows, double *w, bool *is_there);
/* How many rounds the next candidate has: in a retraining as many as it was chosen with, otherwise `most`. */
size_t dorm__sink_rounds(const dorm__sink *sink, size_t most);
/* Whether the next candidate has left the race of the folds. The second function keeps and reports it without a model
 * and without a value; `reference` says which it is. */
bool dorm__sink_has_left(const dorm__sink *sink);
dorm_status dorm__sink_skip(dorm__sink *sink, const dorm__training_rows *rows, const char *reference);
/* Keeps and reports a candidate that another sink has measured on the same data; takes over what it owns. */
dorm_status dorm__sink_adopt(dorm__sink *sink, dorm__trained *made);
/* Reports a pass over the data, a round or an epoch that was made for the candidate. */
void dorm__sink_report_pass(dorm__sink *sink, dorm_candidate *candidate);

#endif
