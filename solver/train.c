/*
 * train.c: dorm_train. All combinations of the settings that are lists are
 * trained: for each rank block, each kernel, each truncation of the loss, each
 * choice of position weights and each reference, a path over the values of C, whose
 * solves start from the columns and duals of the one before; for each C the
 * rounds of the convex-concave procedure from the ridge start. Every round is
 * a candidate.
 */
#include "solver/solver.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* One call of dorm_train. */
typedef struct training_run {
  dorm_context *context;
  dorm_settings *settings; /* effective */
  const dorm_dataset *train;
  const dorm_dataset *validation; /* may be NULL */
  dorm__measure *measure;
  size_t num_threads;
  dorm__kernel_grid kernels;
  dorm_training *training;
  size_t num_expected;
  double started;
  bool is_limited; /* some solve ended at its limit of iterations */

  /* of the combination being trained */
  dorm_candidate candidate;
  dorm__features train_features;
  dorm__features validation_features;
  const dorm__kernel_factor *kernel; /* NULL: linear; owned by the training result */
  double *start;
  double *scores; /* of the larger of the two data sets */
} training_run;

/* ---- Candidates -------------------------------------------------------------- */

/* Standard deviation of scores within queries, pooled over the queries. */
static double spread_within_queries(const dorm_dataset *dataset, const double *scores)
{
  double sum = 0;
  for (size_t q = 0; q < dataset->num_queries; q++) {
    size_t first = dataset->query_start[q];
    size_t end = dataset->query_start[q + 1];
    double mean = 0;
    for (size_t j = first; j < end; j++)
      mean += scores[j] / (double)(end - first);
    for (size_t j = first; j < end; j++)
      sum += (scores[j] - mean) * (scores[j] - mean);
  }
  return sqrt(sum / (double)dataset->num_docs);
}

static dorm_status keep_candidate(training_run *run, const double *w)
{
  dorm_training *training = run->training;
  size_t width = run->train_features.num_features;
  run->candidate.number = training->num_trained + 1;
  dorm__features_score(&run->train_features, 0, run->train->num_docs, w, run->scores);
  run->candidate.score_scale = spread_within_queries(run->train, run->scores);
  run->candidate.validation = NAN;
  if (run->validation) {
    dorm_evaluation evaluation;
    dorm__features_score(&run->validation_features, 0, run->validation->num_docs, w, run->scores);
    dorm_status status =
        dorm__measure_dataset(run->context, run->measure, run->validation, run->scores, NULL, &evaluation);
    if (status != DORM_OK)
      return status;
    run->candidate.validation = evaluation.mean;
  }
  dorm__trained made = {.candidate = run->candidate, .kernel = run->kernel};
  made.reference = dorm__copy_text(run->candidate.reference);
  made.position_weights = dorm__copy_text(run->candidate.position_weights);
  made.w = dorm__alloc(width, sizeof *made.w);
  if (!made.reference || !made.position_weights || !made.w ||
      !dorm__grow((void **)&training->trained, &training->capacity, training->num_trained + 1,
                  sizeof *training->trained)) {
    dorm__free(made.reference);
    dorm__free(made.position_weights);
    dorm__free(made.w);
    return dorm__out_of_memory(run->context, "a candidate");
  }
  memcpy(made.w, w, width * sizeof *w);
  made.candidate.reference = made.reference;
  made.candidate.position_weights = made.position_weights;
  training->trained[training->num_trained++] = made;
  dorm__log(run->context, &(dorm_event){.kind = DORM_EVENT_CANDIDATE,
                                        .text = "",
                                        .candidate = &made.candidate,
                                        .num_candidates = run->num_expected,
                                        .seconds = dorm__seconds() - run->started});
  return DORM_OK;
}

static dorm_status report_pass(void *user, const double *w, const dorm_certificate *certificate)
{
  (void)w;
  training_run *run = user;
  run->candidate.number = run->training->num_trained + 1;
  run->candidate.certificate = *certificate;
  dorm__log(run->context, &(dorm_event){.kind = DORM_EVENT_ITERATION,
                                        .text = "",
                                        .candidate = &run->candidate,
                                        .num_candidates = run->num_expected,
                                        .seconds = dorm__seconds() - run->started});
  return DORM_OK;
}

/* ---- One path over C --------------------------------------------------------- */

static double reference_constant(const dorm__working_set *set, const dorm__reference *reference, double C)
{
  double sum = 0;
  for (size_t i = 0; i < set->problem->num_queries; i++)
    sum += set->reference_loss[i];
  return reference->kind == DORM__REFERENCE_MU ? C * reference->mu * sum : 0;
}

static size_t num_rounds(const dorm_settings *settings, const dorm__reference *reference)
{
  size_t rounds = dorm__settings_integer(settings, DORM__RANKING_ROUNDS);
  return rounds && !dorm__reference_moves(reference) ? 1 : rounds;
}

/* The rounds at one C; w holds the start and becomes the last solution. */
static dorm_status train_rounds(training_run *run, dorm__working_set *set, const dorm__reference *reference, double C,
                                double *w)
{
  const dorm_settings *settings = run->settings;
  size_t rounds = num_rounds(settings, reference);
  dorm__cutting_plane_options options = {
      .C = C,
      .gap = dorm__settings_number(settings, DORM__SOLVER_GAP),
      .max_iterations = dorm__settings_integer(settings, DORM__SOLVER_MAX_ITERATIONS),
      .most_bytes = SIZE_MAX,
      .after_pass = report_pass,
      .user = run,
  };
  for (size_t round = 1; round <= rounds; round++) {
    run->candidate.round = round;
    dorm_status status = dorm__working_set_set_reference(run->context, set, reference, w);
    if (status != DORM_OK)
      return status;
    run->candidate.certificate = (dorm_certificate){0};
    dorm_status solved = dorm__cutting_plane(run->context, set, &options, w, &run->candidate.certificate);
    if (solved != DORM_OK && solved != DORM_STOPPED)
      return solved;
    run->candidate.certificate.reference_constant = reference_constant(set, reference, C);
    run->candidate.kernel_bound = run->kernel ? dorm__kernel_bound(set, run->kernel) : 0;
    status = keep_candidate(run, w);
    if (status != DORM_OK)
      return status;
    if (dorm__cancelled(run->context))
      return dorm__fail(run->context, DORM_STOPPED, "stopped on request");
    run->is_limited = run->is_limited || solved == DORM_STOPPED;
  }
  return DORM_OK;
}

static dorm_status train_path(training_run *run, const dorm__problem *problem, const char *reference_word)
{
  const dorm_settings *settings = run->settings;
  size_t width = problem->features->num_features;
  bool by_queries = strcmp(dorm__settings_text(settings, DORM__SOLVER_C_SCALE), "queries") == 0;
  dorm__reference reference = dorm__reference_from(reference_word);
  dorm__working_set *set = NULL;
  dorm_status status = dorm__working_set_new(run->context, problem, false, (dorm__bounds){0}, &set);
  double *w = dorm__alloc(width, sizeof *w);
  if (status == DORM_OK && !w)
    status = dorm__out_of_memory(run->context, "a training path");
  double previous = 0;
  run->candidate.reference = reference_word;
  for (size_t i = 0; status == DORM_OK && i < dorm__settings_count(settings, DORM__SOLVER_C); i++) {
    run->candidate.C = dorm__settings_number_at(settings, DORM__SOLVER_C, i);
    double C = by_queries ? run->candidate.C / (double)problem->num_queries : run->candidate.C;
    if (previous > 0)
      dorm__working_set_scale(set, C / previous);
    previous = C;
    memcpy(w, run->start, width * sizeof *w);
    status = train_rounds(run, set, &reference, C, w);
  }
  dorm__free(w);
  dorm__working_set_free(set);
  return status;
}

/* ---- The grid ---------------------------------------------------------------- */

static dorm__oracle_method oracle_method(const dorm_settings *settings)
{
  const char *word = dorm__settings_text(settings, DORM__SOLVER_ORACLE);
  for (size_t i = 0; i < DORM__NUM_ORACLE_METHODS; i++)
    if (strcmp(word, dorm__oracle_method_name((dorm__oracle_method)i)) == 0)
      return (dorm__oracle_method)i;
  return DORM__ORACLE_AUTO;
}

static dorm_status train_problem(training_run *run, dorm__loss_tables *tables, const char *position_weights)
{
  const dorm_settings *settings = run->settings;
  dorm__problem *problem = NULL;
  dorm_status status = dorm__problem_new(run->context, run->train, &run->train_features, tables, position_weights,
                                         oracle_method(settings), run->num_threads, &problem);
  if (status == DORM_OK && !problem->num_queries)
    status = dorm__fail(run->context, DORM_BAD_DATA,
                        "%s: no query to train on: under this loss every ranking of every query costs the same",
                        run->train->name);
  if (status == DORM_OK)
    run->training->num_training_queries = problem->num_queries;
  run->candidate.position_weights = position_weights;
  for (size_t i = 0; status == DORM_OK && i < dorm__settings_count(settings, DORM__RANKING_REFERENCE); i++)
    status = train_path(run, problem, dorm__settings_word_at(settings, DORM__RANKING_REFERENCE, i));
  dorm__problem_free(problem);
  return status;
}

/* The loss with truncation number `index`; spec is freed by the caller. */
static dorm_status open_loss(training_run *run, size_t index, dorm__loss **loss)
{
  const dorm_settings *settings = run->settings;
  const char *name = dorm__settings_text(settings, DORM__LOSS_NAME);
  *loss = NULL;
  if (dorm__settings_is_auto(settings, DORM__LOSS_TRUNCATION))
    return dorm__loss_open(run->context, name, loss);
  char *spec = NULL;
  dorm_status status = dorm__loss_with_parameter(run->context, name, "truncation",
                                                 dorm__settings_word_at(settings, DORM__LOSS_TRUNCATION, index), &spec);
  if (status == DORM_OK)
    status = dorm__loss_open(run->context, spec, loss);
  dorm__free(spec);
  return status;
}

static size_t num_truncations(const dorm_settings *settings)
{
  size_t count = dorm__settings_count(settings, DORM__LOSS_TRUNCATION);
  return count ? count : 1;
}

static size_t truncation_of(const dorm__loss *loss)
{
  const dorm_loss_module *module = dorm__loss_module_of(loss);
  size_t row = dorm__spec_row(module->num_parameters, module->parameters, "truncation");
  return row < module->num_parameters ? (size_t)dorm__loss_values(loss)[row].number : 0;
}

/* All trainings with one rank block and one truncation. */
static dorm_status train_loss(training_run *run, size_t index)
{
  const dorm_settings *settings = run->settings;
  dorm__loss *loss = NULL;
  dorm__loss_tables *tables = NULL;
  dorm_status status = open_loss(run, index, &loss);
  if (status == DORM_OK)
    status = dorm__loss_tables_build(run->context, loss, run->train, &tables);
  if (status == DORM_OK)
    run->candidate.truncation = truncation_of(loss);
  for (size_t i = 0; status == DORM_OK && i < dorm__settings_count(settings, DORM__RANKING_POSITION_WEIGHTS); i++)
    status = train_problem(run, tables, dorm__settings_word_at(settings, DORM__RANKING_POSITION_WEIGHTS, i));
  dorm__loss_tables_free(tables);
  dorm__loss_close(loss);
  return status;
}

static bool starts_from_ridge(const dorm_settings *settings)
{
  return strcmp(dorm__settings_text(settings, DORM__SOLVER_START), "ridge") == 0;
}

static size_t num_starts(const dorm_settings *settings)
{
  size_t count = dorm__settings_count(settings, DORM__SOLVER_RIDGE);
  return starts_from_ridge(settings) && count ? count : 1;
}

/* The ridge start is a candidate of its own. */
static dorm_status make_start(training_run *run, size_t index)
{
  const dorm_settings *settings = run->settings;
  size_t width = run->train_features.num_features;
  run->candidate.reference = "";
  run->candidate.position_weights = "";
  run->candidate.C = 0;
  run->candidate.round = 0;
  run->candidate.truncation = 0;
  run->candidate.certificate = (dorm_certificate){0};
  run->candidate.kernel_bound = 0;
  memset(run->start, 0, width * sizeof *run->start);
  if (!starts_from_ridge(settings))
    return DORM_OK;
  if (dorm__settings_is_auto(settings, DORM__SOLVER_RIDGE))
    run->candidate.ridge = run->candidate.rank_block > 0 ? 0.3 : 0.15;
  else
    run->candidate.ridge = dorm__settings_number_at(settings, DORM__SOLVER_RIDGE, index);
  dorm_status status =
      dorm__start(run->context, run->train, &run->train_features, run->candidate.ridge, run->num_threads, run->start);
  return status == DORM_OK ? keep_candidate(run, run->start) : status;
}

/* All trainings with one rank block and one kernel. */
static dorm_status train_kernel(training_run *run, size_t index, const dorm__feature_map *map)
{
  const dorm_settings *settings = run->settings;
  run->candidate = (dorm_candidate){.rank_block = map->rank_block, .kernel = "linear"};
  dorm_status status =
      dorm__kernel_grid_features(run->context, &run->kernels, index, run->train, run->validation, map, run->num_threads,
                                 run->training, &run->kernel, &run->train_features, &run->validation_features);
  if (status == DORM_OK && run->kernel) {
    run->candidate.kernel = run->kernel->text;
    run->candidate.kernel_rank = run->kernel->rank;
    run->candidate.kernel_residual = run->kernel->residual_trace;
    run->candidate.kernel_trace = run->kernel->trace;
  }
  if (status == DORM_OK) {
    run->start = dorm__alloc(run->train_features.num_features, sizeof *run->start);
    status = run->start ? DORM_OK : dorm__out_of_memory(run->context, "the ridge start");
  }
  for (size_t i = 0; status == DORM_OK && i < num_starts(settings); i++) {
    status = make_start(run, i);
    for (size_t k = 0; status == DORM_OK && k < num_truncations(settings); k++)
      status = train_loss(run, k);
  }
  dorm__features_free(&run->train_features);
  dorm__features_free(&run->validation_features);
  dorm__free(run->start);
  run->start = NULL;
  return status;
}

static dorm_status train_rank_block(training_run *run, double rank_block)
{
  dorm_status status = DORM_OK;
  dorm__feature_map map = {
      .num_ids = run->train->num_features,
      .ids = run->train->feature_ids,
      .min_max = strcmp(dorm__settings_text(run->settings, DORM__DATA_NORMALISATION), "minmax") == 0,
      .rank_block = rank_block,
  };
  for (size_t i = 0; status == DORM_OK && i < run->kernels.count; i++)
    status = train_kernel(run, i, &map);
  return status;
}

static size_t count_candidates(const training_run *run)
{
  const dorm_settings *settings = run->settings;
  size_t rounds = 0;
  for (size_t i = 0; i < dorm__settings_count(settings, DORM__RANKING_REFERENCE); i++) {
    dorm__reference reference = dorm__reference_from(dorm__settings_word_at(settings, DORM__RANKING_REFERENCE, i));
    rounds += num_rounds(settings, &reference);
  }
  size_t trained = num_truncations(settings) * dorm__settings_count(settings, DORM__RANKING_POSITION_WEIGHTS) *
                   dorm__settings_count(settings, DORM__SOLVER_C) * rounds;
  return dorm__settings_count(settings, DORM__DATA_RANK_BLOCK) * run->kernels.count * num_starts(settings) *
         (starts_from_ridge(settings) + trained);
}

/* ---- Before and after -------------------------------------------------------- */

/* Fills in what was left to auto. */
static dorm_status resolve_settings(training_run *run)
{
  static const struct {
    dorm__setting setting;
    const char *with_validation, *without;
  } defaults[] = {
      {DORM__DATA_RANK_BLOCK, "0, 0.5", "0"},
      {DORM__RANKING_REFERENCE, "mu:0.3, mu:1", "mu:0.3"},
  };
  for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) {
    if (!dorm__settings_is_auto(run->settings, defaults[i].setting))
      continue;
    dorm_status status = dorm_settings_set(run->context, run->settings, dorm__setting_table[defaults[i].setting].key,
                                           run->validation ? defaults[i].with_validation : defaults[i].without);
    if (status != DORM_OK)
      return status;
  }
  size_t threads = dorm__settings_integer(run->settings, DORM__SOLVER_THREADS);
  run->num_threads = threads ? threads : (size_t)omp_get_num_procs();
  dorm_status status = dorm__kernel_grid_open(run->context, run->settings, &run->kernels);
  run->num_expected = status == DORM_OK ? count_candidates(run) : 0;
  return status;
}

/* The measure that chooses: the one named, or the loss's own at its first
 * truncation. */
static dorm_status open_measure(training_run *run)
{
  const char *key = dorm__setting_table[DORM__SELECTION_MEASURE].key;
  dorm__loss *loss = NULL;
  char *spec = NULL;
  dorm_status status = open_loss(run, 0, &loss); /* also finds a bad loss before anything is trained */
  if (status == DORM_OK && dorm__settings_is_auto(run->settings, DORM__SELECTION_MEASURE)) {
    status = dorm__loss_measure_spec(run->context, loss, &spec);
    if (status == DORM_OK)
      status = dorm_settings_set(run->context, run->settings, key, spec);
  }
  if (status == DORM_OK)
    status =
        dorm__measure_open(run->context, dorm__settings_text(run->settings, DORM__SELECTION_MEASURE), &run->measure);
  dorm__free(spec);
  dorm__loss_close(loss);
  return status;
}

static dorm_status prepare(training_run *run, const dorm_settings *settings)
{
  size_t most_docs = run->train->num_docs;
  if (run->validation && run->validation->num_docs > most_docs)
    most_docs = run->validation->num_docs;
  run->training = dorm__alloc_zero(1, sizeof *run->training);
  run->scores = dorm__alloc(most_docs, sizeof *run->scores);
  if (!run->training || !run->scores)
    return dorm__out_of_memory(run->context, "training");
  run->training->validation = NAN;
  dorm_status status = dorm__settings_copy(run->context, settings, &run->settings);
  if (status == DORM_OK)
    status = resolve_settings(run);
  return status == DORM_OK ? open_measure(run) : status;
}

static dorm_status finish(training_run *run)
{
  dorm_training *training = run->training;
  dorm_status status = dorm__select(run->context, run->settings, run->train, run->validation != NULL,
                                    dorm__settings_integer(run->settings, DORM__SELECTION_AVERAGE), training);
  if (status != DORM_OK || !run->validation)
    return status;
  dorm_evaluation evaluation;
  status = dorm_model_score(run->context, training->model, run->validation, run->scores);
  if (status == DORM_OK)
    status = dorm__measure_dataset(run->context, run->measure, run->validation, run->scores, NULL, &evaluation);
  if (status == DORM_OK)
    training->validation = evaluation.mean;
  return status;
}

dorm_status dorm_train(dorm_context *context, const dorm_settings *settings, const dorm_dataset *train,
                       const dorm_dataset *validation, dorm_training **training)
{
  training_run run = {.context = context, .train = train, .validation = validation, .started = dorm__seconds()};
  *training = NULL;
  dorm_status status = prepare(&run, settings);
  for (size_t i = 0; status == DORM_OK && i < dorm__settings_count(run.settings, DORM__DATA_RANK_BLOCK); i++)
    status = train_rank_block(&run, dorm__settings_number_at(run.settings, DORM__DATA_RANK_BLOCK, i));
  if (status == DORM_OK && run.is_limited)
    status = dorm__fail(context, DORM_STOPPED, "some solves stopped at solver.max_iterations = %zu before the gap",
                        dorm__settings_integer(run.settings, DORM__SOLVER_MAX_ITERATIONS));
  if (status == DORM_OK || (status == DORM_STOPPED && run.training->num_trained)) {
    char message[DORM__MESSAGE_SIZE];
    memcpy(message, context->message, sizeof message);
    dorm_status finished = finish(&run);
    if (finished == DORM_OK) {
      memcpy(context->message, message, sizeof message);
      *training = run.training;
      run.training = NULL;
    } else {
      status = finished;
    }
  }
  dorm_training_free(run.training);
  dorm__kernel_grid_close(&run.kernels);
  dorm_settings_free(run.settings);
  dorm__measure_close(run.measure);
  dorm__free(run.scores);
  return status;
}

void dorm_training_free(dorm_training *training)
{
  if (!training)
    return;
  for (size_t i = 0; i < training->num_trained; i++) {
    dorm__free(training->trained[i].reference);
    dorm__free(training->trained[i].position_weights);
    dorm__free(training->trained[i].w);
  }
  dorm__free(training->trained);
  for (size_t i = 0; i < training->num_kernels; i++)
    dorm__kernel_factor_free(training->kernels[i]);
  dorm__free(training->kernels);
  dorm_model_free(training->model);
  dorm__free(training);
}

const dorm_model *dorm_training_model(const dorm_training *training)
{
  return training->model;
}

size_t dorm_training_num_candidates(const dorm_training *training)
{
  return training->num_trained;
}

const dorm_candidate *dorm_training_candidate(const dorm_training *training, size_t index)
{
  return index < training->num_trained ? &training->trained[index].candidate : NULL;
}

size_t dorm_training_num_training_queries(const dorm_training *training)
{
  return training->num_training_queries;
}

double dorm_training_validation(const dorm_training *training)
{
  return training->validation;
}
