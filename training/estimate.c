/*
 * estimate.c: what a model is worth on new queries. The value of the best candidate in the folds is too high, since it
 * was chosen for it. So each fold chooses candidates and the share of parts by the other folds alone, and its own
 * candidates so chosen rank its held-out queries. Every query is then ranked by a model that has seen it neither in
 * training nor in choosing. The mean over all queries is the cross-validated value of the whole choice.
 */
#include "jobs/jobs.h"
#include "training/folds.h"

#include <math.h>

/* Gives the candidates of a member their values in the other folds, and chooses among them by these. */
static dorm_status choose_by_others(const dorm__job *job, const dorm__committee *committee, size_t own,
                                    const dorm__fold_sums *sums)
{
  dorm_training *training = committee->members[own].training;
  dorm__share_sums shares;
  dorm__fold_sums_assign(sums, training);
  dorm_status status = dorm__share_sums_new(job, &shares);
  for (size_t k = 0; status == DORM_OK && k < committee->count; k++)
    if (k != own)
      dorm__share_sums_add(&committee->members[k].shares, &shares);
  if (status == DORM_OK)
    status = dorm__selection_mark(job->context, job->settings, true, training);
  if (status == DORM_OK)
    dorm__blend_choose(job, &shares, false, training);
  dorm__share_sums_clear(&shares);
  return status;
}

/* Ranks the held-out queries of a member by the candidates that it has chosen. values [num_queries of `whole`]. */
static dorm_status measure_member(const dorm__job *job, const dorm__folds *folds, dorm__committee_member *member,
                                  double *values)
{
  dorm_dataset *held_out = NULL;
  dorm_evaluation evaluation;
  dorm_status status = dorm__folds_gather(job, folds, member->fold, true, &held_out);
  if (status != DORM_OK)
    return status;
  double *scores = dorm__alloc(held_out->num_docs, sizeof *scores);
  double *own = dorm__alloc(held_out->num_queries, sizeof *own);
  status = scores && own ? dorm__blend_score(job, held_out, &member->map, member->training, scores)
                         : dorm__out_of_memory(job->context, "folds");
  if (status == DORM_OK)
    status = dorm__job_measure(job, held_out, scores, own, &evaluation);
  for (size_t q = 0, i = 0; status == DORM_OK && q < folds->whole->num_queries; q++)
    if (folds->fold_of[q] == member->fold)
      values[q] = own[i++];
  dorm__free(own);
  dorm__free(scores);
  dorm_dataset_free(held_out);
  return status;
}

/* Measures all members. own [committee->count][num_candidates] keeps the values that their candidates have. */
static dorm_status measure_members(const dorm__job *job, const dorm__folds *folds, dorm__committee *committee,
                                   double *values)
{
  dorm_status status = DORM_OK;
  dorm__fold_sums *others = dorm__alloc_zero(committee->count, sizeof *others);
  if (!others)
    return dorm__out_of_memory(job->context, "folds");
  for (size_t own = 0; status == DORM_OK && own < committee->count; own++) {
    status = dorm__fold_sums_reserve(job->context, committee->members[own].training->num_trained, &others[own]);
    for (size_t k = 0; status == DORM_OK && k < committee->count; k++)
      if (k != own)
        dorm__fold_sums_add(&others[own], committee->members[k].training, &committee->members[k].counted);
  }
  for (size_t own = 0; status == DORM_OK && own < committee->count; own++) {
    dorm__committee_member *member = &committee->members[own];
    status = choose_by_others(job, committee, own, &others[own]);
    if (status == DORM_OK)
      status = measure_member(job, folds, member, values);
    for (size_t i = 0; i < member->training->num_trained; i++)
      member->training->trained[i].candidate.is_selected = 0;
  }
  for (size_t k = 0; k < committee->count; k++)
    dorm__fold_sums_clear(&others[k]);
  dorm__free(others);
  return status;
}

dorm_status dorm__estimate(const dorm__job *job, const dorm__folds *folds, dorm__committee *committee,
                           dorm_evaluation *estimate)
{
  double *values = dorm__alloc(folds->whole->num_queries, sizeof *values);
  dorm_status status =
      values ? measure_members(job, folds, committee, values) : dorm__out_of_memory(job->context, "folds");
  if (status == DORM_OK)
    dorm__measure_summarise(job->measure, folds->whole, values, estimate);
  dorm__free(values);
  return status;
}
