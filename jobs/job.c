/* job.c: opens the job of a call of dorm_train: fills in the settings that were left to auto, and opens losses,
 * measure, kernel, references and position weights, once each. */
#include "jobs/job.h"
#include "base/processes.h"
#include "base/team.h"
#include "jobs/checkpoint.h"
#include "jobs/rows.h"

#include <stdio.h>
#include <string.h>

/* ---- Trainers -------------------------------------------------------------------------- */

static const dorm__trainer *trainer_named(const dorm__trainer_set *choice, const char *word)
{
  for (size_t k = 0; choice->known[k]; k++)
    if (strcmp(choice->known[k]->name, word) == 0)
      return choice->known[k];
  return NULL;
}

static dorm_status find_trainers(dorm__job *job, const dorm__trainer_set *choice)
{
  size_t num_named = dorm__settings_count(job->settings, DORM__TRAINING_TRAINER);
  job->trainers = dorm__alloc(num_named + choice->num_extra, sizeof *job->trainers);
  if (!job->trainers)
    return dorm__out_of_memory(job->context, "trainers");
  for (size_t i = 0; i < num_named; i++) {
    const char *word = dorm__settings_word_at(job->settings, DORM__TRAINING_TRAINER, i);
    const dorm__trainer *trainer = trainer_named(choice, word);
    if (trainer && dorm__job_has_trainer(job, word))
      return dorm__fail(job->context, DORM_BAD_USAGE, "training.trainer names '%s' twice", word);
    if (trainer)
      job->trainers[job->num_trainers++] = trainer;
  }
  for (size_t i = 0; i < choice->num_extra; i++)
    job->trainers[job->num_trainers++] = choice->extra[i];
  return DORM_OK;
}

size_t dorm__job_folds_from(const dorm_settings *settings, const dorm__trainer_set *choice, const dorm_dataset *train,
                            const dorm_dataset *validation)
{
  enum { DEFAULT = 5 };
  bool averages_folds = false;
  if (!dorm__settings_is_auto(settings, DORM__SELECTION_FOLDS))
    return dorm__settings_integer(settings, DORM__SELECTION_FOLDS);
  for (size_t i = 0; i < dorm__settings_count(settings, DORM__TRAINING_TRAINER); i++) {
    const dorm__trainer *trainer = trainer_named(choice, dorm__settings_word_at(settings, DORM__TRAINING_TRAINER, i));
    averages_folds = averages_folds || (trainer && trainer->averages_folds);
  }
  /* The earlier model may have been trained on the held-out queries. */
  bool has_earlier = *dorm__settings_text(settings, DORM__DATA_FROM);
  for (size_t i = 0; i < dorm__settings_count(settings, DORM__TREES_START); i++)
    has_earlier = has_earlier || dorm__settings_argument_at(settings, DORM__TREES_START, i);
  return averages_folds && !validation && !has_earlier && dorm__all_queries(train) >= DEFAULT ? DEFAULT : 0;
}

static dorm_status check_trainers(const dorm__job *job)
{
  for (size_t i = 0; i < job->num_trainers; i++) {
    dorm_status status = job->trainers[i]->check ? job->trainers[i]->check(job) : DORM_OK;
    if (status != DORM_OK)
      return status;
  }
  bool has_ridge = dorm__job_has_trainer(job, "ridge");
  if (has_ridge && !dorm__job_has_start(job))
    return dorm__fail(job->context, DORM_BAD_USAGE,
                      "training.trainer = ridge: with solver.start = zero there is no regression to make");
  if (has_ridge && dorm__job_has_trainer(job, "svm"))
    return dorm__fail(
        job->context, DORM_BAD_USAGE,
        "training.trainer = svm, ridge: the ridge starts of svm are candidates already; name one of both");
  return DORM_OK;
}

/* ---- The loss ---------------------------------------------------------------------------- */

static dorm_status open_losses(dorm__job *job)
{
  const dorm_settings *settings = job->settings;
  dorm__loss *loss = NULL;
  size_t count = dorm__settings_count(settings, DORM__LOSS_TRUNCATION); /* 0: the loss's own */
  job->losses = dorm__alloc_zero(count + 1, sizeof *job->losses);
  if (!job->losses)
    return dorm__out_of_memory(job->context, "losses");
  dorm_status status = dorm__loss_from(job->context, settings, &loss);
  for (size_t i = 0; status == DORM_OK && i < count; i++) {
    size_t truncation = (size_t)dorm__settings_number_at(settings, DORM__LOSS_TRUNCATION, i);
    status = dorm__loss_with_truncation(job->context, loss, truncation, &job->losses[i]);
    job->num_losses += status == DORM_OK;
  }
  if (count || status != DORM_OK)
    dorm__loss_close(loss);
  else
    job->losses[job->num_losses++] = loss;
  return status;
}

/* Gives each setting about rankings a single value for a structured loss. Such a loss has outputs of its own, so more
 * values would give equal candidates. For other losses, refuses the reference `none`. */
static dorm_status resolve_ranking(dorm__job *job)
{
  static const struct {
    dorm__setting setting;
    const char *structured; /* its value with a structured loss */
  } rankings[] = {
      {DORM__RANKING_POSITION_WEIGHTS, "loss"}, {DORM__RANKING_REFERENCE, "none"}, {DORM__SOLVER_ORACLE, "auto"}};
  const dorm__loss *loss = job->losses[0];
  const char *name = dorm__loss_module_of(loss)->name;
  dorm_status status = DORM_OK;
  if (dorm__loss_is_structured(loss)) {
    for (size_t i = 0; status == DORM_OK && i < sizeof rankings / sizeof *rankings; i++) {
      const char *text = dorm__settings_text(job->settings, rankings[i].setting);
      if (strcmp(text, "auto") != 0 && strcmp(text, rankings[i].structured) != 0)
        dorm__note(job->context, "%s = %s is not used: loss '%s' is structured, with outputs of its own",
                   dorm__setting_table[rankings[i].setting].key, text, name);
      status = dorm__job_set(job, rankings[i].setting, rankings[i].structured);
    }
    return status;
  }
  for (size_t i = 0; i < dorm__settings_count(job->settings, DORM__RANKING_REFERENCE); i++)
    if (dorm__reference_from(dorm__settings_word_at(job->settings, DORM__RANKING_REFERENCE, i)).kind ==
        DORM__REFERENCE_NONE)
      return dorm__fail(job->context, DORM_BAD_USAGE,
                        "ranking.reference = none is for structured losses; loss '%s' needs a reference ranking", name);
  return DORM_OK;
}

static dorm_status open_rankings(dorm__job *job)
{
  size_t num_references = dorm__settings_count(job->settings, DORM__RANKING_REFERENCE);
  size_t num_weights = dorm__settings_count(job->settings, DORM__RANKING_POSITION_WEIGHTS);
  dorm_status status = DORM_OK;
  job->references.items = dorm__alloc_zero(num_references, sizeof *job->references.items);
  job->position_weights = dorm__alloc_zero(num_weights, sizeof *job->position_weights);
  if (!job->references.items || !job->position_weights)
    return dorm__out_of_memory(job->context, "references");
  job->references.count = num_references;
  job->num_position_weights = num_weights;
  for (size_t i = 0; i < num_references; i++) {
    const char *word = dorm__settings_word_at(job->settings, DORM__RANKING_REFERENCE, i);
    job->references.items[i] = (dorm__named_reference){word, dorm__reference_from(word)};
  }
  for (size_t i = 0; status == DORM_OK && i < num_weights; i++) {
    job->position_weights[i].word = dorm__settings_word_at(job->settings, DORM__RANKING_POSITION_WEIGHTS, i);
    status =
        dorm__position_weights_from(job->context, job->position_weights[i].word, &job->position_weights[i].weights);
  }
  return status;
}

/* ---- Settings that were left to auto ------------------------------------------------------- */

/* Tries three ridges if there are few documents per feature, because then the ridge of the start affects the result
 * more than the training that follows. With many, no ridge gave other results on held-out data than 0.15
 * (experiments/paper/dorm/figure3.tsv). */
static dorm_status resolve_ridge(dorm__job *job, const dorm_dataset *train)
{
  enum { few_docs_per_feature = 50 };
  const dorm__kernel_grid *kernels = &job->kernels;
  size_t width = 0;
  size_t rank = 0; /* number of features that a kernel adds */
  for (size_t i = 0; i < kernels->num_ranks && !dorm__kernel_is_linear(kernels->kernel); i++) {
    size_t given = (size_t)dorm__settings_number_at(job->settings, DORM__KERNEL_RANK, i);
    given = given ? given : dorm__all_docs(train); /* 0: all of the Gram matrix */
    rank = given > rank ? given : rank;
  }
  dorm_status status = dorm__features_chosen_by(job->context, job->settings, train, &width);
  if (status == DORM_OK && dorm__all_docs(train) < few_docs_per_feature * (width + rank))
    status = dorm__job_set(job, DORM__SOLVER_RIDGE, "0.15, 1.5, 15");
  return status;
}

/* Refuses kernels for a trainer that would make no candidates of them. */
static dorm_status check_kernels(const dorm__job *job)
{
  for (size_t i = 0; i < job->num_trainers; i++)
    if (!job->trainers[i]->takes_kernels && !dorm__kernel_is_linear(job->kernels.kernel))
      return dorm__fail(job->context, DORM_BAD_USAGE, "kernel.kernel = %s: trainer '%s' takes no kernels but linear",
                        dorm__settings_text(job->settings, DORM__KERNEL_KERNEL), job->trainers[i]->name);
  if (*dorm__settings_text(job->settings, DORM__FEATURES_CROSS) && !dorm__kernel_is_linear(job->kernels.kernel))
    return dorm__fail(job->context, DORM_BAD_USAGE,
                      "features.cross makes products for linear models, trees and nets; kernel.kernel = %s has its own "
                      "(product kernels), so that one of both has to go",
                      dorm__settings_text(job->settings, DORM__KERNEL_KERNEL));
  return DORM_OK;
}

/* Refuses weights for a trainer that would not obey them. The model records which weights it is trained with. */
static dorm_status check_weights(dorm__job *job, const dorm_dataset *train)
{
  bool has_clicks = *dorm__settings_text(job->given, DORM__DATA_CLICKS);
  const char *kind = train->query_weights ? "queries" : "documents";
  const char *wanted = dorm__settings_text(job->settings, DORM__DATA_WEIGHTS);
  bool is_weighted = train->query_weights || train->doc_weights;
  for (size_t i = 0; i < job->num_trainers; i++)
    if (!job->trainers[i]->takes_weights && has_clicks)
      return dorm__fail(job->context, DORM_BAD_USAGE,
                        "data.clicks weighs each query by its impressions, which trainer '%s' cannot do; use trees, "
                        "svm, ridge or net",
                        job->trainers[i]->name);
    else if (!job->trainers[i]->takes_weights && is_weighted)
      return dorm__fail(job->context, DORM_BAD_USAGE,
                        "%s has weights of %s, which trainer '%s' does not take; data.weights = no leaves them out",
                        train->name, kind, job->trainers[i]->name);
  if ((strcmp(wanted, "queries") == 0 || strcmp(wanted, "documents") == 0) &&
      !(is_weighted && strcmp(wanted, kind) == 0))
    return dorm__fail(job->context, DORM_BAD_USAGE, "data.weights = %s, but %s has %s", wanted, train->name,
                      is_weighted ? "weights of the other kind" : "no weights");
  return is_weighted && !has_clicks ? dorm__job_set(job, DORM__DATA_WEIGHTS, kind) : DORM_OK;
}

bool dorm__job_keeps_order(const dorm__job *job)
{
  return *dorm__settings_text(job->settings, DORM__TRAINING_INCREASING) ||
         *dorm__settings_text(job->settings, DORM__TRAINING_DECREASING);
}

/* Refuses an order of features for a trainer that would not keep to it. */
static dorm_status check_order(const dorm__job *job)
{
  for (size_t i = 0; dorm__job_keeps_order(job) && i < job->num_trainers; i++)
    if (!job->trainers[i]->keeps_order)
      return dorm__fail(job->context, DORM_BAD_USAGE,
                        "trainer '%s' does not keep to training.increasing and training.decreasing; svm, ridge and "
                        "trees do",
                        job->trainers[i]->name);
  return DORM_OK;
}

/* Refuses settings that several processes cannot obey together. */
static dorm_status check_processes(const dorm__job *job)
{
  static const char alone[] = "train on one machine, by dorm train";
  size_t size = dorm__processes_size(job->context);
  for (size_t i = 0; size > 1 && i < job->num_trainers; i++)
    if (!job->trainers[i]->shares_queries)
      return dorm__fail(job->context, DORM_BAD_USAGE, "trainer '%s' does not train on several processes: %s",
                        job->trainers[i]->name, alone);
  if (size > 1 && !dorm__kernel_is_linear(job->kernels.kernel))
    return dorm__fail(job->context, DORM_BAD_USAGE,
                      "kernel.kernel = %s: a kernel compares documents of all processes; %s",
                      dorm__settings_text(job->settings, DORM__KERNEL_KERNEL), alone);
  return DORM_OK;
}

static dorm_status resolve_settings(dorm__job *job, const dorm_dataset *train, const dorm_dataset *validation)
{
  static const struct {
    dorm__setting setting;
    const char *with_validation, *without;
  } defaults[] = {
      {DORM__DATA_RANK_BLOCK, "0, 0.5", "0"},
      {DORM__RANKING_REFERENCE, "mu:0.3, mu:1", "mu:0.3"},
  };
  bool chooses = validation || job->num_folds;
  for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) {
    if (!dorm__settings_is_auto(job->settings, defaults[i].setting))
      continue;
    dorm_status status =
        dorm__job_set(job, defaults[i].setting, chooses ? defaults[i].with_validation : defaults[i].without);
    if (status != DORM_OK)
      return status;
  }
  dorm_status status = DORM__ALL(dorm__kernel_grid_open(job->context, job->settings, &job->kernels), check_kernels(job),
                                 check_processes(job), check_weights(job, train), check_order(job));
  if (status == DORM_OK && chooses && dorm__settings_is_auto(job->settings, DORM__SOLVER_RIDGE))
    status = resolve_ridge(job, train);
  return status;
}

/* Opens the measure by which candidates are chosen: the one that selection.measure names or, with auto, the measure of
 * the loss at its first truncation. */
static dorm_status open_measure(dorm__job *job)
{
  const char *key = dorm__setting_table[DORM__SELECTION_MEASURE].key;
  dorm_status status;
  if (dorm__settings_is_auto(job->settings, DORM__SELECTION_MEASURE)) {
    status = DORM__ALL(dorm__measure_open_for_loss(job->context, job->losses[0], &job->measure),
                       dorm__job_set(job, DORM__SELECTION_MEASURE, dorm__measure_spec(job->measure)));
  } else {
    status =
        dorm__measure_open(job->context, dorm__settings_text(job->settings, DORM__SELECTION_MEASURE), &job->measure);
  }
  if (status == DORM_OK && dorm__measure_is_cost(job->measure))
    status = dorm__fail(job->context, DORM_BAD_USAGE,
                        "%s: less is better under %s; name a measure under which more is better", key,
                        dorm__measure_spec(job->measure));
  return status;
}

/* Resolves the settings of diversity. diversity.top becomes a number, which the model keeps for prediction. */
static dorm_status resolve_diversity(dorm__job *job, const dorm_dataset *train, const dorm_dataset *validation)
{
  const dorm_dataset *data[] = {train, validation};
  char number[32];
  job->diversity = dorm__diversity_from(job->settings, dorm__loss_truncation(job->losses[0]));
  if (!job->diversity.is_on)
    return DORM_OK;
  for (size_t i = 0; i < 2; i++)
    if (data[i] && !data[i]->groups)
      return dorm__fail(job->context, DORM_BAD_USAGE,
                        "%s: diversity.groups is set, but the data have no groups (dorm_dataset_read_groups)",
                        data[i]->name);
  snprintf(number, sizeof number, "%zu", job->diversity.top);
  return dorm__job_set(job, DORM__DIVERSITY_TOP, number);
}

static bool has_averaged(const dorm__job *job)
{
  for (size_t i = 0; i < job->references.count; i++)
    if (job->references.items[i].reference.kind == DORM__REFERENCE_AVERAGED)
      return true;
  return false;
}

/* Refuses settings that functions of positions do not allow. */
static dorm_status check_positions(const dorm__job *job, const dorm_dataset *train)
{
  const struct {
    bool is_there;
    const char *what;
  } refused[] = {
      {job->num_trainers != 1 || !dorm__job_has_trainer(job, "svm"), "training.trainer other than svm"},
      {dorm__loss_is_structured(job->losses[0]), "a structured loss, which ranks no documents"},
      {job->num_position_weights > 1, "several values of ranking.position_weights; name one"},
      {job->position_weights[0].weights.kind == DORM__WEIGHTS_OF_LOSS,
       "ranking.position_weights = loss, which a model does not know when it ranks; name others, for example "
       "power:0.5"},
      {has_averaged(job),
       "ranking.reference = averaged, which is no ranking; listed, ideal, current and mu:NUMBER are"},
      {!dorm__kernel_is_linear(job->kernels.kernel), "kernel.kernel other than linear"},
      {job->from != NULL, "data.from"},
      {dorm__job_keeps_order(job), "training.increasing and training.decreasing"},
      {job->diversity.is_on, "diversity.groups"},
      {train->file != NULL, "data.storage = file"},
      {dorm__processes_size(job->context) > 1, "training on several processes"},
  };
  for (size_t i = 0; job->num_own && i < sizeof refused / sizeof *refused; i++)
    if (refused[i].is_there)
      return dorm__fail(job->context, DORM_BAD_USAGE, "ranking.position_functions = %zu does not go with %s",
                        job->num_own + 1, refused[i].what);
  return DORM_OK;
}

/* ---- Settings and data that are probably mistakes ------------------------------------------------- */

/* Notes settings of trainers that are not used. The settings of a trainer are in the section of its name. */
static void note_other_trainers(const dorm__job *job, const dorm__trainer_set *choice)
{
  for (size_t k = 0; choice->known[k]; k++) {
    char reason[80];
    snprintf(reason, sizeof reason, "it is for training.trainer = %s", choice->known[k]->name);
    if (!dorm__job_has_trainer(job, choice->known[k]->name))
      dorm__note_unused_section(job->context, job->given, choice->known[k]->name, reason);
  }
}

/* Notes settings that have no effect with these trainers or without validation data. Only settings that were given,
 * with a value other than the default, are named. */
static void note_unused_settings(const dorm__job *job, const dorm__trainer_set *choice, bool chooses)
{
  static const dorm__setting of_svm[] = {DORM__RANKING_POSITION_WEIGHTS,
                                         DORM__RANKING_POSITION_FUNCTIONS,
                                         DORM__RANKING_REFERENCE,
                                         DORM__RANKING_ROUNDS,
                                         DORM__SOLVER_C,
                                         DORM__SOLVER_GAP,
                                         DORM__SOLVER_MAX_ITERATIONS,
                                         DORM__SOLVER_ORACLE};
  static const dorm__setting of_scores[] = {DORM__TRAINING_LAMBDA, DORM__TRAINING_PATIENCE};
  static const dorm__setting of_model = DORM__SOLVER_RHO, of_trees = DORM__DATA_CATEGORICAL;
  static const dorm__setting of_kernels = DORM__KERNEL_RANK;
  static const dorm__setting of_choice[] = {DORM__SELECTION_MEASURE, DORM__SELECTION_AVERAGE, DORM__SELECTION_START,
                                            DORM__SELECTION_RETRAIN};
  static const dorm__setting of_both = DORM__SELECTION_RETRAIN;
  static const dorm__setting of_clicks[] = {DORM__CLICKS_PROPENSITY, DORM__CLICKS_CURVE};
  bool has_clicks = *dorm__settings_text(job->given, DORM__DATA_CLICKS) ||
                    *dorm__settings_text(job->given, DORM__DATA_VALIDATION_CLICKS);
  const struct {
    bool is_unused;
    size_t count;
    const dorm__setting *settings;
    const char *reason;
  } groups[] = {
      {!dorm__job_has_trainer(job, "svm"), sizeof of_svm / sizeof *of_svm, of_svm, "it is for training.trainer = svm"},
      {!dorm__job_has_trainer(job, "trees") && !dorm__job_has_trainer(job, "net"), 2, of_scores,
       "it is for training.trainer = trees or net"},
      {!dorm__job_has_trainer(job, "trees"), 1, &of_trees, "it is for training.trainer = trees"},
      {dorm__kernel_is_linear(job->kernels.kernel), 1, &of_kernels, "the kernel is linear"},
      {!job->from, 1, &of_model, "there is no data.from"},
      {!has_clicks, sizeof of_clicks / sizeof *of_clicks, of_clicks, "there is no data.clicks"},
      {!chooses, sizeof of_choice / sizeof *of_choice, of_choice,
       "there are neither validation data nor selection.folds to choose by"},
      {job->num_folds > 0, 1, &of_both, "there are folds, and the model is trained on all queries"},
  };
  for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
    for (size_t i = 0; groups[g].is_unused && i < groups[g].count; i++)
      dorm__note_unused(job->context, job->given, groups[g].settings[i], groups[g].reason);
  note_other_trainers(job, choice);
  static const char *const sections[] = {"stream", "ratings", "factorization"};
  for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
    dorm__note_unused_section(job->context, job->given, sections[i],
                              i ? "it is for dorm ratings and dorm factorize" : "it is for streams of queries");
}

/* Warns of validation data that cannot serve to choose among candidates. */
static dorm_status check_validation(const dorm__job *job, const dorm_dataset *validation)
{
  dorm_evaluation evaluation = {0};
  DORM__FREED double *scores = dorm__alloc_zero(validation->num_docs, sizeof *scores);
  if (!scores)
    return dorm__out_of_memory(job->context, "validation");
  dorm_status status = dorm__measure_dataset(job->context, job->measure, validation, scores, NULL, &evaluation);
  if (status == DORM_OK && evaluation.num_queries && evaluation.num_empty >= dorm__all_queries(validation))
    dorm__warn(job->context, "%s: no query has a relevant document, so that the validation data cannot choose",
               validation->name);
  return status;
}

/* ---- Opening and closing -------------------------------------------------------------------- */

static size_t allowed_threads(const dorm__job *job)
{
  size_t threads = dorm__settings_integer(job->given, DORM__SOLVER_THREADS);
  return dorm__threads_for(threads);
}

static size_t count_threads(const dorm__job *job, const dorm_dataset *train)
{
  size_t num_entries = train->row_start ? train->row_start[train->num_docs] : train->num_docs * train->num_features;
  return dorm__useful_threads(num_entries, allowed_threads(job));
}

/* Returns the number of threads that may train candidates. Some jobs need one: a checkpoint holds one solve in
 * progress, and programmes for groups have time limits that other work brings nearer. Processes must make the same
 * calls in the same order. Paths share losses and measure, which tables may change. */
static size_t count_run_threads(const dorm__job *job)
{
  bool keeps_solve = *dorm__settings_text(job->settings, DORM__OUTPUT_CHECKPOINT) && !dorm__checkpoint_keeps_folds(job);
  bool in_turn = keeps_solve || job->diversity.is_on || dorm__processes_size(job->context) > 1 ||
                 dorm__measure_is_prepared(job->measure);
  for (size_t i = 0; i < job->num_losses; i++)
    in_turn = in_turn || dorm__loss_is_prepared(job->losses[i]);
  return in_turn ? 1 : allowed_threads(job);
}

/* With a checkpoint, a given budget stops the training, and another call resumes it. */
static void set_deadline(dorm__job *job)
{
  bool has_checkpoint = *dorm__settings_text(job->settings, DORM__OUTPUT_CHECKPOINT) &&
                        dorm__settings_is_given(job->given, DORM__TRAINING_BUDGET);
  double budget = has_checkpoint ? dorm__settings_number(job->settings, DORM__TRAINING_BUDGET) : 0;
  double seconds = dorm__settings_number(job->settings, DORM__SOLVER_MAX_SECONDS);
  job->clock.is_budget = budget > 0 && !(seconds > 0 && seconds < budget);
  seconds = job->clock.is_budget ? budget : seconds;
  job->clock.deadline = seconds > 0 ? job->clock.started + seconds : 0;
}

dorm_status dorm__job_open(dorm_context *context, const dorm_settings *settings, const dorm_dataset *train,
                           const dorm_dataset *validation, const dorm__trainer_set *choice, dorm__job *job)
{
  *job = (dorm__job){.context = context, .given = settings, .clock.started = dorm__seconds()};
  dorm_status status = dorm__settings_copy(context, settings, &job->settings);
  if (status != DORM_OK)
    return status;
  set_deadline(job);
  job->num_own = dorm__settings_integer(job->settings, DORM__RANKING_POSITION_FUNCTIONS) - 1;
  job->num_folds = dorm__job_folds_from(settings, choice, train, validation);
  job->retrains = validation && dorm__settings_say_yes(job->settings, DORM__SELECTION_RETRAIN, 0);
  job->num_threads = count_threads(job, train);
  status = DORM__ALL(dorm__job_set(job, DORM__SOLVER_THREADS, "0"), /* these are not part of the model */
                     find_trainers(job, choice), dorm__earlier_open(job));
  if (status == DORM_OK && job->from)
    dorm__model_compare_features(context, job->from, train);
  if (status == DORM_OK)
    status = DORM__ALL(check_trainers(job), open_losses(job), resolve_ranking(job),
                       resolve_settings(job, train, validation), open_rankings(job), open_measure(job));
  for (size_t i = 0; status == DORM_OK && i < job->num_trainers; i++)
    status = job->trainers[i]->settle ? job->trainers[i]->settle(job, train, validation) : DORM_OK;
  if (status == DORM_OK)
    status = DORM__ALL(resolve_diversity(job, train, validation), check_positions(job, train));
  if (status != DORM_OK)
    return status;
  job->num_run_threads = count_run_threads(job);
  if (validation || job->num_folds)
    dorm__measure_warn(context, job->measure, validation ? validation : train);
  note_unused_settings(job, choice, validation || job->num_folds);
  if (job->num_folds && dorm__settings_is_auto(settings, DORM__SELECTION_FOLDS))
    dorm__detail(context, "selection.folds = %zu, since trees have no validation data", job->num_folds);
  if (dorm__processes_size(context) > 1)
    dorm__note(context, "%zu processes, %zu shards: any other number of processes trains the same model",
               dorm__processes_size(context), train->shards->total);
  return validation ? check_validation(job, validation) : DORM_OK;
}

void dorm__job_close(dorm__job *job)
{
  for (size_t i = 0; i < job->num_losses; i++)
    dorm__loss_close(job->losses[i]);
  for (size_t i = 0; i < job->num_position_weights; i++)
    dorm__position_weights_clear(&job->position_weights[i].weights);
  dorm__free(job->losses);
  dorm__free(job->references.items);
  dorm__free(job->position_weights);
  dorm__free(job->trainers);
  dorm_model_free(job->from);
  dorm__measure_close(job->measure);
  dorm__kernel_grid_close(&job->kernels);
  dorm_settings_free(job->settings);
  *job = (dorm__job){0};
}
