/*
 * svm.c: the structured SVM as a trainer: for each ridge of the start, each truncation of the loss, each choice of
 * position weights and each reference, a path over the values of C (path.c). The starts are candidates too.
 */
#include "training/svm.h"
#include "training/bounds.h"
#include "training/path.h"

#include <string.h>

/* Trains with one truncation and one choice of position weights. */
static dorm_status train_problem(dorm__path_options *path, dorm__loss_tables *tables,
                                 const dorm__named_position_weights *position_weights)
{
  const dorm__job *job = path->job;
  dorm__grid *grid = path->sink->grid;
  dorm__progress *progress = grid->progress;
  dorm__problem_options options = {
      .position_weights = &position_weights->weights,
      .method = dorm__oracle_method_from(job->settings),
      .checks_oracles = strcmp(dorm__settings_text(job->settings, DORM__SOLVER_ORACLE_CHECK), "yes") == 0,
      .diversity = job->diversity,
      .num_threads = job->num_threads,
      .num_own = job->num_own};
  dorm__problem *problem = NULL;
  dorm__scored_point *point = NULL;
  dorm_status status =
      dorm__problem_new(job->context, path->rows->train, &path->rows->train_features, tables, &options, &problem);
  if (status == DORM_OK && !dorm__problem_num_queries(problem))
    status = dorm__fail(job->context, DORM_BAD_DATA,
                        "%s: no query to train on: under this loss every ranking of every query costs the same",
                        path->rows->train->name);
  if (status == DORM_OK)
    status = dorm__scored_point_new(job->context, problem, &point);
  if (status != DORM_OK)
    goto done;
  if (dorm__problem_num_short(problem) && !progress->has_said_short) {
    dorm__note(job->context,
               "%s: %zu queries have fewer documents that may stand together than positions (diversity.top = %zu): "
               "there the groups hold for as many positions as can be filled",
               path->rows->train->name, dorm__problem_num_short(problem), job->diversity.top);
    progress->has_said_short = true;
  }
  grid->training->num_training_queries = dorm__problem_num_queries(problem);
  if (path->start->has_scores)
    dorm__scored_point_know(point, path->start->w, path->start->scores);
  path->problem = problem;
  path->point = point;
  path->candidate.position_weights = position_weights->word;
  for (size_t i = 0; status == DORM_OK && i < job->num_references; i++)
    status = dorm__path_train(path, &job->references[i]);
  dorm__problem_count_oracles(problem, &progress->oracles, progress->oracle_seconds);
done:
  dorm__scored_point_free(point);
  dorm__problem_free(problem);
  return status;
}

/* Trains with one truncation of the loss. */
static dorm_status train_loss(dorm__path_options *path, const dorm__loss *loss)
{
  const dorm__job *job = path->job;
  dorm__loss_tables *tables = NULL;
  dorm_status status = dorm__loss_tables_build(job->context, loss, path->rows->train, job->num_threads, &tables);
  path->candidate.truncation = dorm__loss_truncation(loss);
  for (size_t i = 0; status == DORM_OK && i < job->num_position_weights; i++)
    status = train_problem(path, tables, &job->position_weights[i]);
  dorm__loss_tables_free(tables);
  return status;
}

/* The number of starts with one factor of the centre. */
static size_t num_starts_with(const dorm__job *job, double rho)
{
  return dorm__job_starts_at_model(job, rho) ? 1 : dorm__job_num_starts(job);
}

/* Trains from one start. */
static dorm_status train_from(const dorm__job *job, dorm__training_rows *rows, dorm__sink *sink,
                              const dorm__bounds *bounds, const dorm__start *start)
{
  dorm__path_options path = {.job = job,
                             .rows = rows,
                             .sink = sink,
                             .bounds = *bounds,
                             .start = start,
                             .candidate = dorm__training_rows_candidate(rows)};
  dorm_status status = DORM_OK;
  path.candidate.ridge = start->ridge;
  path.candidate.rho = start->rho;
  for (size_t i = 0; status == DORM_OK && i < job->num_losses; i++)
    status = train_loss(&path, job->losses[i]);
  return status;
}

static dorm_status train(const dorm__job *job, dorm__training_rows *rows, dorm__sink *sink)
{
  dorm__bounds bounds;
  dorm__start start;
  dorm_status status = dorm__start_new(job, rows, &start);
  dorm_status bounded = dorm__bounds_make(job, rows, &bounds);
  status = status == DORM_OK ? bounded : status;
  for (size_t i = 0; status == DORM_OK && i < dorm__job_num_centres(job); i++) {
    double rho = dorm__job_rho(job, i);
    for (size_t k = 0; status == DORM_OK && k < num_starts_with(job, rho); k++) {
      status = dorm__job_starts_at_model(job, rho) ? dorm__start_at_model(job, rows, &bounds, rho, sink, &start)
                                                   : dorm__start_make(job, rows, &bounds, k, sink, &start);
      if (status == DORM_OK)
        status = train_from(job, rows, sink, &bounds, &start);
    }
  }
  dorm__start_clear(&start);
  dorm__bounds_clear(&bounds);
  return status;
}

static size_t count(const dorm__job *job)
{
  size_t rounds = 0;
  for (size_t i = 0; i < job->num_references; i++)
    rounds += dorm__path_rounds(job->settings, &job->references[i].reference);
  size_t trained = job->num_losses * job->num_position_weights * dorm__settings_count(job->settings, DORM__SOLVER_C);
  size_t all = 0;
  for (size_t i = 0; i < dorm__job_num_centres(job); i++) {
    double rho = dorm__job_rho(job, i);
    bool is_candidate = dorm__job_starts_at_model(job, rho) || dorm__job_has_start(job);
    all += num_starts_with(job, rho) * (is_candidate + trained * rounds);
  }
  return all;
}

static dorm_status check(const dorm__job *job)
{
  double rank_block = 0;
  if (!job->from || (job->from->num_parts == 1 && dorm__model_linear_weights(job->from, &rank_block)))
    return DORM_OK;
  return dorm__fail(
      job->context, DORM_BAD_USAGE,
      "data.from = %s: the model is not linear, so that trainer svm cannot go on from it; trees can go on "
      "from trees, and nets from a net",
      dorm__settings_text(job->settings, DORM__DATA_FROM));
}

const dorm__trainer dorm__svm_trainer = {.name = "svm",
                                         .samples_rows = true,
                                         .takes_kernels = true,
                                         .takes_weights = true,
                                         .goes_on = true,
                                         .resumes = true,
                                         .check = check,
                                         .count = count,
                                         .train = train};
