/* job_answers.c: answers of an open job to its trainers: whether it is interrupted, the numbers of starts and
 * candidates, and the value of scores. Also ranks by candidates that have functions of the first positions. job.c
 * refuses these together with many other settings. */
#include "base/processes.h"
#include "jobs/job.h"
#include "jobs/rows.h"

#include <math.h>
#include <string.h>

dorm_status dorm__job_set(dorm__job *job, dorm__setting setting, const char *text)
{
  return dorm__settings_become(job->context, job->settings, setting, text);
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
  dorm__setting limit = job->clock.is_budget ? DORM__TRAINING_BUDGET : DORM__SOLVER_MAX_SECONDS;
  return dorm__fail(job->context, DORM_STOPPED, "stopped at %s = %g", dorm__setting_table[limit].key,
                    dorm__settings_number(job->settings, limit));
}

bool dorm__job_has_trainer(const dorm__job *job, const char *name)
{
  bool has = false;
  for (size_t i = 0; i < job->num_trainers; i++)
    has = has || strcmp(job->trainers[i]->name, name) == 0;
  return has;
}

/* Returns the budget in seconds, or 0 if there is none or it stops the training as a whole (set_deadline in job.c). */
static double budget_of(const dorm__job *job)
{
  bool has_checkpoint = *dorm__settings_text(job->settings, DORM__OUTPUT_CHECKPOINT) != 0;
  return has_checkpoint ? 0 : dorm__settings_number(job->settings, DORM__TRAINING_BUDGET);
}

/* Returns the seconds until the budget ends, less a fifth for choosing and measuring, or INFINITY without a budget. */
static double seconds_left(const dorm__job *job)
{
  static const double share_of_training = 0.8;
  double budget = budget_of(job);
  return budget > 0 ? job->clock.started + share_of_training * budget - dorm__seconds() : INFINITY;
}

/* Returns the seconds for everything but growing trees, as the mean over the `num_sets` sets of rows that the job has
 * begun. */
static double seconds_beside_trees(const dorm__job *job, const dorm__progress *progress, size_t num_sets)
{
  double grown = progress->spent[DORM__BUDGET_TREES].seconds;
  return (dorm__seconds() - job->clock.started - grown) / (double)num_sets;
}

bool dorm__job_lacks_time(const dorm__job *job, const dorm__progress *progress)
{
  size_t num_sets = progress->spent[DORM__BUDGET_TREES].num_sets;
  double count = (double)dorm__settings_count(job->settings, DORM__DATA_RANK_BLOCK);
  int64_t lacks_time = num_sets && seconds_left(job) < 2 * count * seconds_beside_trees(job, progress, num_sets);
  dorm__processes_max(job->context, &lacks_time); /* a failure is found again in the next call to the processes */
  return lacks_time;
}

double dorm__job_seconds_each(const dorm__job *job, const dorm__progress *progress, dorm__budget which, size_t count)
{
  static const double linear_share = 0.3;
  const dorm__spent *own = &progress->spent[which];
  double budget = budget_of(job), seconds = seconds_left(job);
  size_t num_blocks = dorm__settings_count(job->settings, DORM__DATA_RANK_BLOCK);
  size_t num_sets = ((job->num_folds ? job->num_folds : 1) + job->retrains) * num_blocks;
  size_t left = num_sets > own->num_sets ? num_sets - own->num_sets : 1;
  double at_once = fmin((double)count, (double)job->num_run_threads);
  bool is_asked = dorm__settings_is_given(job->given, DORM__TRAINING_BUDGET) ||
                  dorm__settings_is_auto(job->given, DORM__TRAINING_TRAINER);
  if (!(budget > 0) || (which == DORM__BUDGET_LINEAR && !is_asked))
    return INFINITY;
  if (which == DORM__BUDGET_LINEAR)
    seconds = fmin(seconds, budget * (dorm__job_has_trainer(job, "trees") ? linear_share : 1) - own->seconds);
  double share = seconds / (double)left;
  if (which == DORM__BUDGET_TREES) {
    /* Keeps time beside trees for the other sets and, after folds, for the linear models on all queries. Trees get at
     * least as much as the rest of this set. Folds that then lack time are not begun. */
    double beside = seconds_beside_trees(job, progress, own->num_sets + 1);
    size_t others = left - 1 + (job->num_folds ? num_blocks : 0);
    share = fmax((seconds - beside * (double)others) / (double)left, fmin(beside, seconds));
  }
  return fmax(0, share) * at_once / (double)count;
}

bool dorm__job_has_start(const dorm__job *job)
{
  return dorm__settings_choice(job->settings, DORM__SOLVER_START) <= DORM__START_GAINS;
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
  return job->from && (rho > 0 || dorm__settings_choice(job->settings, DORM__SOLVER_START) == DORM__START_FROM);
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

/* ---- Functions of the first positions ------------------------------------------------------------ */

dorm_status dorm__positions_rank(const dorm__job *job, const dorm__training_rows *rows, const double *w, double *scores)
{
  const dorm_dataset *validation = rows->validation;
  const dorm__features *features = &rows->validation_features;
  dorm__position_functions functions = {job->num_own, job->position_weights[0].weights};
  DORM__FREED double *own = dorm__alloc(validation->num_docs, job->num_own * sizeof *own);
  if (!own)
    return dorm__out_of_memory(job->context, "scores");
  for (size_t p = 0; p < job->num_own; p++)
    dorm__features_score_queries(features, validation->num_queries, validation->query_start,
                                 w + (p + 1) * features->num_features, job->num_threads,
                                 own + p * validation->num_docs);
  return dorm__rank_by_positions(job->context, validation, &functions, own, job->num_threads, scores);
}

dorm_status dorm__positions_part_from(dorm_context *context, const dorm_settings *settings, size_t num_ids,
                                      double rank_block, size_t count, const double *weights, dorm__part *part)
{
  dorm__position_functions functions = {.count = count};
  const char *word = dorm__settings_word_at(settings, DORM__RANKING_POSITION_WEIGHTS, 0);
  dorm_status status = DORM__ALL(dorm__position_weights_from(context, word, &functions.c),
                                 dorm__positions_part_new(context, num_ids, rank_block, &functions, weights, part));
  dorm__position_weights_clear(&functions.c);
  return status;
}
