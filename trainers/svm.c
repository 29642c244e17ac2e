/*
 * svm.c: the structured SVM as a trainer: for each ridge of the start, each truncation of the loss, each choice of
 * position weights and each reference, a path over the values of C (path.c). On small data the paths of one start are
 * trained at the same time (parallel.c). The starts are candidates too.
 */
#include "trainers/combinations.h"
#include "trainers/ridge.h"
#include "trainers/trainers.h"

#include <string.h>

/* The data that paths of one truncation and one choice of position weights share. It is kept for the next path. */
typedef struct ground {
  const dorm__loss *loss;                               /* of the tables */
  const dorm__named_position_weights *position_weights; /* of the problem */
  dorm__loss_tables *tables;
  dorm__problem *problem;    /* NULL until it is made */
  dorm__scored_point *point; /* of the problem */
} ground;

/* Counts the oracle calls of the problem, and frees it. */
static void clear_problem(ground *under, dorm__progress *progress)
{
  if (under->problem)
    dorm__problem_count_oracles(under->problem, &progress->oracles, progress->oracle_seconds);
  dorm__scored_point_free(under->point);
  dorm__problem_free(under->problem);
  under->point = NULL;
  under->problem = NULL;
}

static void clear_ground(ground *under, dorm__progress *progress)
{
  clear_problem(under, progress);
  dorm__loss_tables_free(under->tables);
  *under = (ground){0};
}

/* Makes the problem and the point of a path from the tables. */
static dorm_status make_problem(const dorm__path_options *path, ground *under)
{
  const dorm__job *job = path->job;
  const dorm_dataset *train = path->rows->train;
  dorm__progress *progress = path->sink->grid->progress;
  dorm__problem_options options = {.position_weights = &under->position_weights->weights,
                                   .method = dorm__oracle_method_from(job->settings),
                                   .checks_oracles =
                                       dorm__settings_say_yes(job->settings, DORM__SOLVER_ORACLE_CHECK, 0),
                                   .diversity = job->diversity,
                                   .num_threads = job->num_threads,
                                   .num_own = job->num_own};
  dorm_status status =
      dorm__problem_new(job->context, train, &path->rows->train_features, under->tables, &options, &under->problem);
  if (status == DORM_OK && !dorm__problem_num_queries(under->problem))
    status = dorm__fail(job->context, DORM_BAD_DATA,
                        "%s: no query to train on: under this loss every ranking of every query costs the same",
                        train->name);
  if (status == DORM_OK)
    status = dorm__scored_point_new(job->context, under->problem, &under->point);
  if (status != DORM_OK)
    return status;
  if (dorm__problem_num_short(under->problem) && !progress->has_said_short) {
    dorm__note(job->context,
               "%s: %zu queries have fewer documents that may be together than positions (diversity.top = %zu): "
               "there the groups hold for as many positions as can be filled",
               train->name, dorm__problem_num_short(under->problem), job->diversity.top);
    progress->has_said_short = true;
  }
  path->sink->grid->training->num_training_queries = dorm__problem_num_queries(under->problem);
  return DORM_OK;
}

/* Makes the missing parts of a path's ground. */
static dorm_status prepare(const dorm__path_options *path, const dorm__loss *loss,
                           const dorm__named_position_weights *position_weights, ground *under)
{
  const dorm__job *job = path->job;
  dorm__progress *progress = path->sink->grid->progress;
  dorm_status status = DORM_OK;
  if (loss != under->loss) {
    clear_ground(under, progress);
    status = dorm__loss_tables_build(job->context, loss, path->rows->train, job->num_threads, &under->tables);
    under->loss = loss;
  }
  if (status != DORM_OK || (under->problem && position_weights == under->position_weights))
    return status;
  clear_problem(under, progress);
  under->position_weights = position_weights;
  return make_problem(path, under);
}

static size_t num_paths(const dorm__job *job)
{
  return job->num_losses * job->num_position_weights * job->references.count;
}

/* Trains path number `index` of a start. */
static dorm_status train_path(dorm__path_options path, size_t index, ground *under)
{
  const dorm__job *job = path.job;
  const dorm__named_reference *reference = &job->references.items[index % job->references.count];
  size_t problem = index / job->references.count;
  const dorm__named_position_weights *weights = &job->position_weights[problem % job->num_position_weights];
  const dorm__loss *loss = job->losses[problem / job->num_position_weights];
  dorm_status status = prepare(&path, loss, weights, under);
  if (status != DORM_OK)
    return status;
  path.problem = under->problem;
  path.point = under->point;
  path.candidate.truncation = dorm__loss_truncation(loss);
  path.candidate.position_weights = weights->word;
  if (path.start->has_scores)
    dorm__scored_point_know(path.point, path.start->w, path.start->scores);
  return dorm__path_train(&path, reference);
}

/* Does the same for paths that are trained at the same time. Each has a ground of its own. */
static dorm_status train_path_apart(const dorm__job *job, dorm__sink *sink, size_t index, const void *options)
{
  dorm__path_options path = *(const dorm__path_options *)options;
  ground under = {0};
  path.job = job;
  path.sink = sink;
  dorm_status status = train_path(path, index, &under);
  clear_ground(&under, sink->grid->progress);
  return status;
}

/* Trains all paths of one start. */
static dorm_status train_from(const dorm__job *job, dorm__training_rows *rows, dorm__sink *sink,
                              const dorm__bounds *bounds, const dorm__start *start, double seconds)
{
  dorm__path_options path = {.job = job,
                             .rows = rows,
                             .sink = sink,
                             .bounds = *bounds,
                             .start = start,
                             .seconds = seconds,
                             .candidate = dorm__training_rows_candidate(rows)};
  path.candidate.ridge = start->ridge;
  path.candidate.rho = start->rho;
  if (job->num_threads == 1 && job->num_run_threads > 1 && num_paths(job) > 1)
    return dorm__parallel_train(job, sink, num_paths(job), train_path_apart, &path);
  ground under = {0};
  dorm_status status = DORM_OK;
  for (size_t i = 0; status == DORM_OK && i < num_paths(job); i++)
    status = train_path(path, i, &under);
  clear_ground(&under, sink->grid->progress);
  return status;
}

/* Returns the number of starts with one factor of the centre. */
static size_t num_starts_with(const dorm__job *job, double rho)
{
  return dorm__job_starts_at_model(job, rho) ? 1 : dorm__job_num_starts(job);
}

static size_t count(const dorm__job *job)
{
  size_t rounds = 0;
  for (size_t i = 0; i < job->references.count; i++)
    rounds += dorm__path_rounds(job->settings, &job->references.items[i].reference);
  size_t trained = job->num_losses * job->num_position_weights * dorm__settings_count(job->settings, DORM__SOLVER_C);
  size_t all = 0;
  for (size_t i = 0; i < dorm__job_num_centres(job); i++) {
    double rho = dorm__job_rho(job, i);
    bool is_candidate = dorm__job_starts_at_model(job, rho) || dorm__job_has_start(job);
    all += num_starts_with(job, rho) * (is_candidate + trained * rounds);
  }
  return all;
}

static dorm_status train(const dorm__job *job, dorm__training_rows *rows, dorm__sink *sink)
{
  DORM__AT_END(dorm__bounds_clear) dorm__bounds bounds = {0};
  DORM__AT_END(dorm__start_clear) dorm__start start;
  dorm__spent *spent = &sink->grid->progress->spent[DORM__BUDGET_LINEAR];
  double started = dorm__seconds();
  double seconds = dorm__job_seconds_each(job, sink->grid->progress, DORM__BUDGET_LINEAR, count(job));
  dorm_status status = DORM__ALL(dorm__start_new(job, rows, &start), dorm__bounds_make(job, rows, &bounds));
  for (size_t i = 0; status == DORM_OK && i < dorm__job_num_centres(job); i++) {
    double rho = dorm__job_rho(job, i);
    for (size_t k = 0; status == DORM_OK && k < num_starts_with(job, rho); k++)
      status =
          DORM__ALL(dorm__job_starts_at_model(job, rho) ? dorm__start_at_model(job, rows, &bounds, rho, sink, &start)
                                                        : dorm__start_make(job, rows, &bounds, k, sink, &start),
                    train_from(job, rows, sink, &bounds, &start, seconds));
  }
  spent->num_sets++;
  spent->seconds += dorm__seconds() - started;
  return status;
}

static dorm_status check(const dorm__job *job)
{
  double rank_block = 0;
  if (!job->from || (job->from->num_parts == 1 && dorm__model_linear_weights(job->from, &rank_block)))
    return DORM_OK;
  return dorm__fail(
      job->context, DORM_BAD_USAGE,
      "data.from = %s: the model is not linear, so that trainer svm cannot continue from it; trees can continue "
      "from trees, and nets from a net",
      dorm__settings_text(job->settings, DORM__DATA_FROM));
}

const dorm__trainer dorm__svm_trainer = {.name = "svm",
                                         .samples_rows = true,
                                         .takes_kernels = true,
                                         .takes_weights = true,
                                         .keeps_order = true,
                                         .shares_queries = true,
                                         .goes_on = true,
                                         .resumes = true,
                                         .check = check,
                                         .count = count,
                                         .train = train};
