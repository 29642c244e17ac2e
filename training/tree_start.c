/*
 * tree_start.c: the linear model at which boosting starts. Its scores are divided by their standard deviation within
 * the training queries, since λ-functions look at differences of scores, and the steps of trees are of one size
 * whatever the start.
 */
#include "training/tree_start.h"
#include "training/linear_start.h"

/* Scores [num_docs of the data set] of the rows `features`; NULL when out of memory. */
static double *scores_of(const dorm__job *job, const dorm_dataset *dataset, const dorm__features *features,
                         const double *w)
{
  double *scores = dorm__alloc(dataset->num_docs, sizeof *scores);
  if (scores)
    dorm__features_score_queries(features, dataset->num_queries, dataset->query_start, w, job->num_threads, scores);
  return scores;
}

dorm_status dorm__tree_start_make(const dorm__job *job, dorm__training_rows *rows, size_t index,
                                  dorm__tree_start *start)
{
  const dorm__features *features = NULL;
  double spread = 0;
  *start = (dorm__tree_start){0};
  if (!dorm__linear_start_is(job, DORM__TREES_START, index))
    return DORM_OK;
  dorm_status status = dorm__training_rows_features(job, rows, &features);
  if (status != DORM_OK)
    return status;
  start->w = dorm__alloc(features->num_features, sizeof *start->w);
  if (!start->w)
    return dorm__out_of_memory(job->context, "a linear start");
  status = dorm__linear_start(job, rows, features, DORM__TREES_START, index, start->w, &spread);
  if (status != DORM_OK)
    return status;
  for (size_t f = 0; spread > 0 && f < features->num_features; f++)
    start->w[f] /= spread;
  start->scores = scores_of(job, rows->train, features, start->w);
  if (rows->validation)
    start->validation_scores = scores_of(job, rows->validation, &rows->validation_features, start->w);
  return start->scores && (!rows->validation || start->validation_scores)
             ? DORM_OK
             : dorm__out_of_memory(job->context, "a linear start");
}

void dorm__tree_start_clear(dorm__tree_start *start)
{
  dorm__free(start->w);
  dorm__free(start->scores);
  dorm__free(start->validation_scores);
  *start = (dorm__tree_start){0};
}
