/* positions.c: functions of the first positions in training: how a candidate ranks by them, and the part of the model.
 * What they do not go with is refused in job.c. */
#include "jobs/rows.h"

dorm_status dorm__positions_rank(const dorm__job *job, const dorm__training_rows *rows, const double *w, double *scores)
{
  const dorm_dataset *validation = rows->validation;
  const dorm__features *features = &rows->validation_features;
  dorm__position_functions functions = {job->num_own, job->position_weights[0].weights};
  double *own = dorm__alloc(validation->num_docs, job->num_own * sizeof *own);
  if (!own)
    return dorm__out_of_memory(job->context, "scores");
  for (size_t p = 0; p < job->num_own; p++)
    dorm__features_score_queries(features, validation->num_queries, validation->query_start,
                                 w + (p + 1) * features->num_features, job->num_threads,
                                 own + p * validation->num_docs);
  dorm_status status = dorm__rank_by_positions(job->context, validation, &functions, own, job->num_threads, scores);
  dorm__free(own);
  return status;
}

dorm_status dorm__positions_part_from(dorm_context *context, const dorm_settings *settings, size_t num_ids,
                                      double rank_block, size_t count, const double *weights, dorm__part *part)
{
  dorm__position_functions functions = {.count = count};
  const char *word = dorm__settings_word_at(settings, DORM__RANKING_POSITION_WEIGHTS, 0);
  dorm_status status = dorm__position_weights_from(context, word, &functions.c);
  if (status == DORM_OK)
    status = dorm__positions_part_new(context, num_ids, rank_block, &functions, weights, part);
  dorm__position_weights_clear(&functions.c);
  return status;
}
