/*
 * path.c: one reference of one problem over the values of C. Each solve starts
 * from the columns and duals of the one before; for each C the rounds of the
 * convex-concave procedure from the start.
 */
#include "training/path.h"
#include "settings/settings.h"
#include "solver/solver.h"
#include "training/candidates.h"
#include "training/checkpoint.h"
#include "training/kernel_grid.h"
#include "training/run.h"

#include <string.h>

/* One path. */
typedef struct c_path {
  dorm__run *run;
  dorm__working_set *set;
  dorm__reference reference;
  double C;            /* of one query */
  double *w;           /* [width] the best point of the solve */
  double *round_start; /* [width] where the references were taken */
} c_path;

static double reference_constant(const c_path *path)
{
  double sum = 0;
  for (size_t i = 0; i < path->set->problem->num_queries; i++)
    sum += path->set->reference_loss[i];
  return path->reference.kind == DORM__REFERENCE_MU ? path->C * path->reference.mu * sum : 0;
}

size_t dorm__path_rounds(const dorm_settings *settings, const dorm__reference *reference)
{
  size_t rounds = dorm__settings_integer(settings, DORM__RANKING_ROUNDS);
  return rounds && !dorm__reference_moves(reference) ? 1 : rounds;
}

static bool is_interrupted(const dorm__run *run)
{
  return dorm__cancelled(run->context) || (run->deadline > 0 && dorm__seconds() > run->deadline);
}

/* A checkpoint that cannot be written costs the training nothing. */
static void save(const c_path *path, const double *w, const dorm_certificate *certificate)
{
  dorm__run *run = path->run;
  if (run->checkpoint && dorm__checkpoint_save(run, path->set, path->round_start, w, certificate) != DORM_OK)
    dorm__warn(run->context, "%s", dorm_context_message(run->context));
}

static dorm_status after_pass(void *user, const double *w, const dorm_certificate *certificate)
{
  c_path *path = user;
  dorm__run *run = path->run;
  run->num_passes++;
  run->candidate.number = run->training->num_trained + 1;
  run->candidate.certificate = *certificate;
  dorm__log(run->context, &(dorm_event){.kind = DORM_EVENT_ITERATION,
                                        .text = "",
                                        .candidate = &run->candidate,
                                        .num_done = run->num_done,
                                        .num_candidates = run->num_expected,
                                        .seconds = dorm__seconds() - run->started});
  bool is_done = certificate->gap <= dorm__settings_number(run->settings, DORM__SOLVER_GAP);
  if (is_done || !run->checkpoint || !dorm__checkpoint_is_due(run->checkpoint))
    return DORM_OK;
  save(path, w, certificate);
  return DORM_OK;
}

/* One convex problem, from the path's w, or from where a checkpoint left it.
 * DORM_STOPPED without a pass (certificate->iterations is 0) when the run is
 * interrupted after others; each call of dorm_train makes a pass at least, so
 * that one which is stopped and resumed again and again gets on. */
static dorm_status solve(c_path *path, dorm_certificate *certificate)
{
  dorm__run *run = path->run;
  const dorm_settings *settings = run->settings;
  size_t width = run->train_features.num_features;
  dorm__cutting_plane_options options = {
      .C = path->C,
      .gap = dorm__settings_number(settings, DORM__SOLVER_GAP),
      .max_iterations = dorm__settings_integer(settings, DORM__SOLVER_MAX_ITERATIONS),
      .most_bytes = (size_t)(dorm__settings_number(settings, DORM__SOLVER_WORKING_SET) * 1e6),
      .deadline = run->deadline,
      .after_pass = after_pass,
      .user = path,
  };
  *certificate = (dorm_certificate){0};
  memcpy(path->round_start, path->w, width * sizeof *path->w);
  dorm_status status = dorm__checkpoint_restore_solve(run, path->set, path->round_start, path->w, certificate);
  if (status == DORM_OK)
    status = dorm__working_set_set_reference(run->context, path->set, &path->reference, path->round_start);
  if (status == DORM_OK && run->num_passes && is_interrupted(run)) {
    save(path, path->w, certificate);
    return DORM_STOPPED;
  }
  if (status == DORM_OK)
    status = dorm__cutting_plane(run->context, path->set, &options, path->w, certificate);
  return status;
}

static dorm_status say_why_stopped(const dorm__run *run)
{
  if (dorm__cancelled(run->context))
    return dorm__fail(run->context, DORM_STOPPED, "stopped on request");
  return dorm__fail(run->context, DORM_STOPPED, "stopped at solver.time_limit = %g minutes",
                    dorm__settings_number(run->settings, DORM__SOLVER_TIME_LIMIT));
}

/* The rounds at one C; w holds the start and becomes the last solution. */
static dorm_status train_rounds(c_path *path)
{
  dorm__run *run = path->run;
  size_t rounds = dorm__path_rounds(run->settings, &path->reference);
  size_t most_iterations = dorm__settings_integer(run->settings, DORM__SOLVER_MAX_ITERATIONS);
  for (size_t round = 1; round <= rounds; round++) {
    run->candidate.round = round;
    bool is_there;
    dorm_status restored = dorm__candidate_restore(run, path->w, &is_there);
    if (restored != DORM_OK)
      return restored;
    if (is_there)
      continue;
    dorm_certificate certificate;
    dorm_status solved = solve(path, &certificate);
    if (solved != DORM_OK && solved != DORM_STOPPED)
      return solved;
    /* A solve at its limit of iterations is finished; the next one then stops. */
    bool stops = solved == DORM_STOPPED && is_interrupted(run) && certificate.iterations < most_iterations;
    if (stops && !certificate.iterations)
      return say_why_stopped(run);
    if (stops)
      save(path, path->w, &certificate);
    run->candidate.certificate = certificate;
    run->candidate.certificate.reference_constant = reference_constant(path);
    run->candidate.kernel_bound = run->kernel ? dorm__kernel_bound(path->set, run->kernel) : 0;
    dorm_status status = dorm__candidate_keep(run, path->w);
    if (status != DORM_OK)
      return status;
    if (stops)
      return say_why_stopped(run);
    run->is_limited = run->is_limited || solved == DORM_STOPPED;
  }
  return DORM_OK;
}

dorm_status dorm__path_train(dorm__run *run, const dorm__problem *problem, const char *reference_word)
{
  const dorm_settings *settings = run->settings;
  size_t width = problem->features->num_features;
  bool by_queries = strcmp(dorm__settings_text(settings, DORM__SOLVER_C_SCALE), "queries") == 0;
  bool is_one_slack = strcmp(dorm__settings_text(settings, DORM__SOLVER_SOLVER), "one-slack") == 0;
  c_path path = {.run = run, .reference = dorm__reference_from(reference_word)};
  dorm_status status = dorm__working_set_new(run->context, problem, is_one_slack, run->bounds, &path.set);
  path.w = dorm__alloc(width, sizeof *path.w);
  path.round_start = dorm__alloc(width, sizeof *path.round_start);
  if (status == DORM_OK && (!path.w || !path.round_start))
    status = dorm__out_of_memory(run->context, "a training path");
  run->candidate.reference = reference_word;
  double previous = 0;
  for (size_t i = 0; status == DORM_OK && i < dorm__settings_count(settings, DORM__SOLVER_C); i++) {
    run->candidate.C = dorm__settings_number_at(settings, DORM__SOLVER_C, i);
    path.C = by_queries ? run->candidate.C / (double)problem->num_queries : run->candidate.C;
    if (previous > 0)
      dorm__working_set_scale(path.set, path.C / previous);
    previous = path.C;
    memcpy(path.w, run->start, width * sizeof *path.w);
    status = train_rounds(&path);
  }
  dorm__free(path.w);
  dorm__free(path.round_start);
  dorm__working_set_free(path.set);
  return status;
}
