/* job_answers.c: what trainers ask of an open job: whether it is interrupted, the numbers of starts and candidates, and
 * what scores are worth. */
#include "base/processes.h"
#include "jobs/job.h"

#include <string.h>

dorm_status dorm__job_set(dorm__job *job, dorm__setting setting, const char *text)
{
  return dorm_settings_set(job->context, job->settings, dorm__setting_table[setting].key, text);
}

bool dorm__job_is_interrupted(const dorm__job *job)
{
  bool is_stopping = job->clock.deadline > 0 && dorm__seconds() > job->clock.deadline;
  dorm__processes_stop(job->context, &is_stopping); /* a failure is found again in the next call to the processes */
  return is_stopping || dorm__cancelled(job->context);
}

dorm_status dorm__job_say_interrupted(const dorm__job *job)
{
  if (dorm__cancelled_here(job->context) || !(job->clock.deadline > 0))
    return dorm__fail(job->context, DORM_STOPPED, "stopped on request");
  return dorm__fail(job->context, DORM_STOPPED, "stopped at solver.max_seconds = %g",
                    dorm__settings_number(job->settings, DORM__SOLVER_MAX_SECONDS));
}

bool dorm__job_has_start(const dorm__job *job)
{
  const char *start = dorm__settings_text(job->settings, DORM__SOLVER_START);
  return strcmp(start, "ridge") == 0 || strcmp(start, "gains") == 0;
}

size_t dorm__job_num_starts(const dorm__job *job)
{
  size_t count = dorm__settings_count(job->settings, DORM__SOLVER_RIDGE);
  return dorm__job_has_start(job) && count ? count : 1;
}

size_t dorm__job_num_centres(const dorm__job *job)
{
  return job->from ? dorm__settings_count(job->settings, DORM__SOLVER_RHO) : 1;
}

double dorm__job_rho(const dorm__job *job, size_t index)
{
  return job->from ? dorm__settings_number_at(job->settings, DORM__SOLVER_RHO, index) : 0;
}

bool dorm__job_starts_at_model(const dorm__job *job, double rho)
{
  return job->from && (rho > 0 || strcmp(dorm__settings_text(job->settings, DORM__SOLVER_START), "from") == 0);
}

bool dorm__job_averages_folds(const dorm__job *job)
{
  bool found = false;
  for (size_t i = 0; i < job->num_trainers; i++)
    found = found || (job->num_folds && job->trainers[i]->averages_folds);
  return found;
}

size_t dorm__job_grid_size(const dorm__job *job)
{
  size_t size = 0;
  for (size_t i = 0; i < job->num_trainers; i++)
    size += job->trainers[i]->count(job);
  return size * job->kernels.count * dorm__settings_count(job->settings, DORM__DATA_RANK_BLOCK);
}

dorm_status dorm__job_measure(const dorm__job *job, const dorm_dataset *dataset, double *scores, double *values,
                              dorm_evaluation *evaluation)
{
  dorm_status status = DORM_OK;
  if (job->diversity.is_on)
    status = dorm_diversify(job->context, job->settings, dataset, scores, scores);
  return status == DORM_OK ? dorm__measure_dataset(job->context, job->measure, dataset, scores, values, evaluation)
                           : status;
}
