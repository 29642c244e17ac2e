/*
 * path.c: trains with one reference of one problem, for all values of C in turn. Each solve starts from the columns and
 * dual variables of the one before. For each C the rounds of the convex-concave procedure begin at the same start
 * (ridge.c).
 */
#include "trainers/combinations.h"

#include <math.h>
#include <string.h>

/* The state of one path. */
typedef struct c_path {
  const dorm__path_options *on;
  const dorm__job *job;
  dorm__progress *progress;
  dorm__checkpoint *checkpoint; /* NULL: none */
  dorm__working_set *set;
  dorm__reference reference;
  double C;                 /* the slack of query i costs C weight[i] */
  double *w;                /* [num_features] the best point of the solve */
  double *round_start;      /* [num_features] the point of the references */
  dorm_candidate candidate; /* the one being trained */
} c_path;

/* Returns the part of the bound on the loss that the convex problem leaves out. The hinge of a reference argmax <w,
 * Phi> - mu Delta is xi_i + mu Delta_i(reference). The second term is constant while the reference is fixed
 * (solver/reference.c). */
static double reference_constant(const c_path *path)
{
  return path->reference.kind == DORM__REFERENCE_MU
             ? path->C * path->reference.mu * dorm__working_set_reference_loss(path->set)
             : 0;
}

size_t dorm__path_rounds(const dorm_settings *settings, const dorm__reference *reference)
{
  size_t rounds = dorm__settings_integer(settings, DORM__RANKING_ROUNDS);
  return rounds && !dorm__reference_moves(reference) ? 1 : rounds;
}

static dorm__solve_state solve_state(const c_path *path, double *w, dorm_certificate *certificate)
{
  return (dorm__solve_state){.width = dorm__training_rows_width(path->on->rows),
                             .set = path->set,
                             .round_start = path->round_start,
                             .w = w,
                             .certificate = certificate};
}

/* Saves a checkpoint. If that fails, the training warns and continues. */
static void save(const c_path *path, const double *w, const dorm_certificate *certificate)
{
  dorm_certificate copy = *certificate;
  dorm__solve_state state = solve_state(path, (double *)w, &copy);
  if (path->checkpoint && dorm__checkpoint_save(path->job, path->on->sink->grid, &state) != DORM_OK)
    dorm__warn(path->job->context, "%s", dorm_context_message(path->job->context));
}

static dorm_status after_pass(void *user, const double *w, const dorm_certificate *certificate)
{
  c_path *path = user;
  path->candidate.certificate = *certificate;
  dorm__sink_report_pass(path->on->sink, &path->candidate);
  bool is_done = certificate->gap <= dorm__settings_number(path->job->settings, DORM__SOLVER_GAP);
  if (!is_done && path->checkpoint && dorm__checkpoint_is_due(path->job, path->checkpoint))
    save(path, w, certificate);
  return DORM_OK;
}

/* Returns the time at which a solve must end, by its share of the budget or by the job's deadline, or 0. */
static double deadline_of(const c_path *path)
{
  double end = dorm__seconds() + path->on->seconds;
  double of_job = path->job->clock.deadline;
  return isfinite(end) && !(of_job > 0 && of_job < end) ? end : of_job;
}

/* Solves one convex problem, from the path's w or from the state in a checkpoint. Each call of dorm_train makes at
 * least one pass, so that a training that is stopped and resumed again and again makes progress. If this call has made
 * passes already and the job is interrupted, returns DORM_STOPPED without a pass (certificate->iterations is 0). */
static dorm_status solve(c_path *path, dorm_certificate *certificate)
{
  const dorm__job *job = path->job;
  dorm__cutting_plane_options options = {
      .C = path->C,
      .gap = dorm__settings_number(job->settings, DORM__SOLVER_GAP),
      .max_iterations = dorm__settings_integer(job->settings, DORM__SOLVER_MAX_ITERATIONS),
      .deadline = deadline_of(path),
      .after_pass = after_pass,
      .user = path,
  };
  *certificate = (dorm_certificate){0};
  dorm__solve_state state = solve_state(path, path->w, certificate);
  memcpy(path->round_start, path->w, state.width * sizeof *path->w);
  dorm_status status =
      DORM__ALL(dorm__checkpoint_restore_solve(job, path->checkpoint, &state),
                dorm__working_set_set_reference(job->context, path->set, &path->reference, path->round_start));
  if (status == DORM_OK && path->progress->num_passes && dorm__job_is_interrupted(job)) {
    save(path, path->w, certificate);
    return DORM_STOPPED;
  }
  return DORM__ALL(status, dorm__cutting_plane(job->context, path->set, &options, path->w, certificate));
}

/* Hands the path's w to the sink as a candidate. */
static dorm_status keep(c_path *path, const dorm_certificate *certificate)
{
  const dorm__training_rows *rows = path->on->rows;
  path->candidate.certificate = *certificate;
  path->candidate.certificate.reference_constant = reference_constant(path);
  path->candidate.kernel_bound = rows->kernel ? dorm__kernel_bound(path->set, rows->kernel) : 0;
  dorm__scored_point_move(path->on->point, path->w);
  dorm__offer offer = {.candidate = path->candidate,
                       .train_scores = dorm__scored_point_scores(path->on->point),
                       .w = path->w,
                       .ends_path = path->candidate.round == dorm__path_rounds(path->job->settings, &path->reference)};
  return dorm__sink_take(path->on->sink, rows, &offer);
}

/* Makes the rounds at one C. path->w holds the start and becomes the last solution. */
static dorm_status train_rounds(c_path *path)
{
  const dorm__job *job = path->job;
  size_t rounds = dorm__path_rounds(job->settings, &path->reference);
  size_t most_iterations = dorm__settings_integer(job->settings, DORM__SOLVER_MAX_ITERATIONS);
  for (size_t round = 1; round <= rounds; round++) {
    path->candidate.round = round;
    bool is_there;
    dorm_status restored = dorm__sink_restore(path->on->sink, path->on->rows, path->w, &is_there);
    if (restored != DORM_OK)
      return restored;
    if (is_there)
      continue;
    dorm_certificate certificate;
    dorm_status solved = solve(path, &certificate);
    if (solved != DORM_OK && solved != DORM_STOPPED)
      return solved;
    /* A solve that reached its limit of iterations, or used its share of the budget, counts as finished. The job then
     * stops in the next one. */
    bool stops = solved == DORM_STOPPED && dorm__job_is_interrupted(job) && certificate.iterations < most_iterations;
    if (stops && !certificate.iterations)
      return dorm__job_say_interrupted(job);
    if (stops)
      save(path, path->w, &certificate);
    dorm_status status = keep(path, &certificate);
    if (status != DORM_OK)
      return status;
    if (stops)
      return dorm__job_say_interrupted(job);
    bool is_cut = solved == DORM_STOPPED && certificate.iterations < most_iterations;
    path->progress->is_limited = path->progress->is_limited || (solved == DORM_STOPPED && !is_cut);
    path->progress->spent[DORM__BUDGET_LINEAR].num_cut += is_cut;
  }
  return DORM_OK;
}

dorm_status dorm__path_train(const dorm__path_options *options, const dorm__named_reference *reference)
{
  const dorm__job *job = options->job;
  const dorm_settings *settings = job->settings;
  size_t width = dorm__training_rows_width(options->rows);
  double total_weight = dorm__problem_total_weight(options->problem);
  c_path path = {.on = options,
                 .job = job,
                 .progress = options->sink->grid->progress,
                 .checkpoint = options->sink->grid->checkpoint,
                 .reference = reference->reference,
                 .candidate = options->candidate};
  path.candidate.reference = reference->word;
  dorm_status status =
      dorm__working_set_new(job->context, options->problem, options->point, options->bounds, &path.set);
  if (status == DORM_OK && options->start->rho > 0)
    status = dorm__working_set_set_centre(job->context, path.set, options->start->centre);
  DORM__FREED double *points = dorm__alloc(width, 2 * sizeof *points);
  if (status == DORM_OK && !points)
    status = dorm__out_of_memory(job->context, "a training path");
  path.w = points;
  path.round_start = points + width;
  double previous = 0;
  for (size_t i = 0; status == DORM_OK && i < dorm__settings_count(settings, DORM__SOLVER_C); i++) {
    path.candidate.C = dorm__settings_number_at(settings, DORM__SOLVER_C, i);
    path.C = path.candidate.C / total_weight;
    if (previous > 0)
      dorm__working_set_scale(path.set, path.C / previous);
    previous = path.C;
    memcpy(path.w, options->start->w, width * sizeof *path.w);
    status = train_rounds(&path);
  }
  dorm__working_set_free(path.set);
  return status;
}
