/*
 * forest.c: grows the trees of one candidate. Makes rounds of boosting from its start, each measured on the validation
 * data, and stops early. The candidate is the start and the trees up to the best round.
 */
#include "trainers/forest.h"
#include "base/processes.h"

#include <math.h>
#include <string.h>

/* Values of this many rounds are averaged before they are compared, so that the choice of a round depends less on
 * chance. */
enum { SMOOTHED_ROUNDS = 5, ROUNDS_BETWEEN_VALUES = 10, AUTO_PATIENCE = 60 };

typedef struct growing {
  const dorm__forest_data *all;
  const dorm__job *job;
  dorm__sink *sink;
  double *scores;            /* [num_docs] of the training data */
  double *validation_scores; /* [num_docs] of the validation data */
  const dorm__tree_choice *chosen;
  const dorm__tree_start *start;
  dorm__boosting *boosting;
  size_t num_outputs;
  size_t num_rounds; /* made */
  size_t best_round; /* the round to keep, the middle of the rounds with the best mean value */
  double best_value;
  double recent[SMOOTHED_ROUNDS]; /* values of the last rounds */
} growing;

/* Returns outputs [num_docs][num_outputs] without trees: the scores [num_docs] of the start, or 0 if it is NULL.
 * Returns NULL when out of memory. */
static double *first_outputs(size_t num_docs, size_t num_outputs, const double *start)
{
  double *outputs = dorm__alloc_zero(num_docs, num_outputs * sizeof *outputs);
  if (outputs && start)
    memcpy(outputs, start, num_docs * sizeof *outputs);
  return outputs;
}

/* Returns the number of trees of these rounds: one for each output and round. */
static size_t trees_of_rounds(const growing *made, size_t num_rounds)
{
  return num_rounds * made->num_outputs;
}

static void score_outputs(const growing *made, size_t num_docs, const double *outputs, double *scores)
{
  for (size_t j = 0; j < num_docs; j++)
    scores[j] =
        made->chosen->objective->score(made->all->num_levels, made->all->levels, outputs + j * made->num_outputs);
}

/* Records the value of the last round. */
static void compare_round(growing *made, double value)
{
  size_t count = made->num_rounds < SMOOTHED_ROUNDS ? made->num_rounds : SMOOTHED_ROUNDS;
  double mean = 0;
  made->recent[made->num_rounds % SMOOTHED_ROUNDS] = value;
  for (size_t i = 0; i < count; i++)
    mean += made->recent[(made->num_rounds - i) % SMOOTHED_ROUNDS] / (double)count;
  if (made->num_rounds == 1 || mean > made->best_value) {
    made->best_value = mean;
    made->best_round = made->num_rounds - count / 2;
  }
}

/* Measures the last round on the validation data. */
static dorm_status measure_round(growing *made, double *value)
{
  const dorm__forest_data *all = made->all;
  const dorm__job *job = made->job;
  dorm_evaluation evaluation;
  score_outputs(made, all->num_other_docs, dorm__boosting_other_outputs(made->boosting), made->validation_scores);
  dorm_status status = dorm__job_measure(job, all->rows->validation, made->validation_scores, NULL, &evaluation);
  *value = status == DORM_OK ? evaluation.mean : NAN;
  if (status == DORM_OK && (evaluation.num_queries || !job->num_folds))
    compare_round(made, evaluation.mean);
  else if (status == DORM_OK) /* the measure counts no query of the fold, so early stopping is not possible */
    made->best_round = made->num_rounds;
  return status;
}

/* Reports the last round, now and then with its value on the training data. */
static dorm_status report_round(const growing *made, double validation)
{
  const dorm__forest_data *all = made->all;
  dorm_candidate candidate = dorm__training_rows_candidate(all->rows);
  dorm_evaluation evaluation;
  dorm_status status = DORM_OK;
  candidate.reference = made->chosen->text;
  candidate.round = made->num_rounds;
  candidate.validation = validation;
  if (made->num_rounds % ROUNDS_BETWEEN_VALUES == 0) {
    score_outputs(made, all->num_docs, dorm__boosting_outputs(made->boosting), made->scores);
    status = dorm__job_measure(made->job, all->rows->train, made->scores, NULL, &evaluation);
    candidate.training = status == DORM_OK ? evaluation.mean : NAN;
  }
  dorm__sink_report_pass(made->sink, &candidate);
  return status;
}

/* Measures and reports the last round. */
static dorm_status look_at_round(growing *made)
{
  double value = NAN;
  dorm_status status = DORM_OK;
  if (dorm__forest_chooses_rounds(made->all))
    status = measure_round(made, &value);
  else
    made->best_round = made->num_rounds;
  return status == DORM_OK ? report_round(made, value) : status;
}

/* Returns whether the time of an ensemble is over, on some process. */
static bool is_late(const growing *made, double end)
{
  int64_t late = dorm__seconds() > end;
  if (isfinite(made->all->seconds))
    dorm__processes_max(made->job->context, &late); /* a failure is found again in their next call */
  return late;
}

/* Makes rounds until there are enough, early stopping ends them, or the job is interrupted. */
static dorm_status make_rounds(growing *made)
{
  const dorm__job *job = made->job;
  size_t most = dorm__sink_rounds(made->sink, dorm__settings_integer(job->settings, DORM__TREES_TREES));
  size_t patience = dorm__settings_is_auto(job->settings, DORM__TRAINING_PATIENCE)
                        ? AUTO_PATIENCE
                        : dorm__settings_integer(job->settings, DORM__TRAINING_PATIENCE);
  double end = dorm__seconds() + made->all->seconds;
  dorm_status status = DORM_OK;
  while (status == DORM_OK && made->num_rounds < most) {
    if (dorm__job_is_interrupted(job))
      return dorm__job_say_interrupted(job);
    status = dorm__boosting_round(job->context, made->boosting);
    if (status != DORM_OK)
      return status;
    made->num_rounds++;
    status = look_at_round(made);
    if (patience && made->num_rounds - made->best_round >= patience)
      break;
    if (made->num_rounds < most && is_late(made, end)) {
      made->sink->grid->progress->spent[DORM__BUDGET_TREES].num_cut++;
      break;
    }
  }
  return status;
}

/* Makes an ensemble of the trees of data.from and the new ones up to the best round. */
static dorm_status keep_trees(const growing *made, dorm__ensemble *kept)
{
  dorm_context *context = made->job->context;
  const dorm__ensemble *whole = dorm__boosting_ensemble(made->boosting);
  const dorm__ensemble *earlier = &made->start->earlier;
  size_t count = trees_of_rounds(made, made->best_round);
  dorm__ensemble grown;
  if (!earlier->num_trees)
    return dorm__ensemble_copy(context, whole, count, kept);
  dorm_status status = dorm__ensemble_copy(context, earlier, earlier->num_trees, kept);
  if (status != DORM_OK)
    return status;
  status = dorm__ensemble_copy(context, whole, count, &grown);
  for (size_t t = 0; status == DORM_OK && t < count; t++) {
    status = dorm__ensemble_add(context, kept, &grown.trees[t]);
    grown.trees[t] = (dorm__tree){0};
  }
  dorm__ensemble_clear(&grown);
  if (status != DORM_OK)
    dorm__ensemble_clear(kept);
  return status;
}

/* Makes parts [*count] of the candidate from the trees of data.from. The caller frees the array, but owns none of their
 * states. */
static dorm_status copy_parts(const growing *made, size_t *count, dorm__part **parts)
{
  const dorm__job *job = made->job;
  dorm_status status = DORM_OK;
  *count = 0;
  *parts = NULL;
  if (!made->start->keeps_parts)
    return DORM_OK;
  *parts = dorm__alloc_zero(job->from->num_parts, sizeof **parts);
  if (!*parts)
    return dorm__out_of_memory(job->context, "a model");
  for (size_t i = 0; status == DORM_OK && i < job->from->num_parts; i++)
    if (job->from->parts[i].kind == &dorm__trees_part) {
      status = dorm__trees_part_copy(job->context, &job->from->parts[i], &(*parts)[*count]);
      *count += status == DORM_OK;
    }
  for (; status != DORM_OK && *count; (*count)--)
    (*parts)[*count - 1].kind->free((*parts)[*count - 1].state);
  return status;
}

/* Hands over the start and the trees up to the best round. Frees the boosting, whose memory the scores then take. */
static dorm_status offer_trees(growing *made)
{
  const dorm__forest_data *all = made->all;
  const dorm__job *job = made->job;
  size_t num_docs = all->num_docs;
  dorm__ensemble kept;
  dorm__offer offer = {
      .candidate = dorm__training_rows_candidate(all->rows), .train_scores = made->scores, .w = made->start->w};
  dorm_status status = keep_trees(made, &kept);
  if (status != DORM_OK)
    return status;
  dorm__boosting_free(made->boosting);
  made->boosting = NULL;
  double *outputs = first_outputs(num_docs, made->num_outputs, made->start->scores);
  status = outputs ? dorm__tree_bins_add_outputs(job->context, all->inputs[made->chosen->is_raw].bins, &kept,
                                                 made->start->earlier.num_trees, num_docs, job->num_threads, outputs)
                   : dorm__out_of_memory(job->context, "scores");
  if (status != DORM_OK)
    dorm__ensemble_clear(&kept);
  if (status == DORM_OK) {
    dorm__feature_map map = all->rows->map;
    if (made->chosen->is_raw)
      map.normalisation = DORM__NORMALISATION_NONE;
    score_outputs(made, num_docs, outputs, made->scores);
    status = dorm__trees_part_new(job->context, &map, made->chosen->objective,
                                  made->chosen->objective->needs_levels ? all->num_levels : 0, all->levels, &kept,
                                  &offer.part);
  }
  dorm__free(outputs);
  if (status == DORM_OK)
    status = copy_parts(made, &offer.num_more, &offer.more);
  if (status != DORM_OK) {
    if (offer.part.kind)
      offer.part.kind->free(offer.part.state);
    dorm__free(offer.more);
    return status;
  }
  offer.races = true;
  offer.candidate.reference = made->chosen->text;
  offer.candidate.round = made->best_round;
  status = dorm__sink_take(made->sink, all->rows, &offer);
  dorm__free(offer.more);
  return status;
}

/* Returns the λ-function of the objective, or NULL. */
static dorm__lambda *lambda_of(const dorm__forest_data *all, const dorm__tree_choice *chosen)
{
  if (!chosen->objective->follows_lambda)
    return NULL;
  return chosen->own_lambda ? all->own_lambda : all->lambdas.lambdas[chosen->lambda];
}

static dorm_status open_growing(growing *made)
{
  const dorm__forest_data *all = made->all;
  const dorm__job *job = made->job;
  const dorm_dataset *train = all->rows->train;
  const double *values = made->chosen->values;
  const dorm__tree_objective *objective = made->chosen->objective;
  bool scales_labels = objective->follows_lambda && train->doc_weights;
  dorm__tree_targets targets = {.num_docs = train->num_docs,
                                .num_queries = train->num_queries,
                                .query_start = train->query_start,
                                .labels = scales_labels ? all->scaled_labels : train->labels,
                                .num_levels = all->num_levels,
                                .levels = all->levels,
                                .lambda = lambda_of(all, made->chosen),
                                .regression_share = values[DORM__TREE_REGRESSION_SHARE],
                                .start = made->start->scores,
                                .other_start = made->start->validation_scores,
                                .weights = objective->follows_lambda ? all->query_weights : all->weights};
  dorm__boosting_options options = {.leaves = (size_t)values[DORM__TREE_LEAVES],
                                    .least_docs = (size_t)values[DORM__TREE_MIN_DOCS_IN_LEAF],
                                    .learning_rate = values[DORM__TREE_LEARNING_RATE],
                                    .docs_share = values[DORM__TREE_ROW_SHARE],
                                    .features_share = values[DORM__TREE_FEATURE_SHARE],
                                    .penalty = values[DORM__TREE_L2],
                                    .seed = (uint64_t)dorm__settings_number(job->settings, DORM__TRAINING_SEED),
                                    .order = all->order,
                                    .first_draw = made->start->earlier.num_trees,
                                    .num_threads = job->num_threads};
  made->num_outputs = objective->num_outputs(all->num_levels);
  return dorm__boosting_new(job->context, all->inputs[made->chosen->is_raw].bins, &targets, objective, &options,
                            &made->boosting);
}

dorm_status dorm__forest_grow(const dorm__job *job, dorm__sink *sink, size_t index, const void *data)
{
  const dorm__forest_data *all = data;
  dorm__tree_choice chosen = dorm__tree_choice_at(job, index);
  if (dorm__sink_has_left(sink))
    return dorm__sink_skip(sink, all->rows, chosen.text);
  growing made = {.all = all,
                  .job = job,
                  .sink = sink,
                  .chosen = &chosen,
                  .start = &all->starts[chosen.start],
                  .scores = dorm__alloc(all->num_docs, sizeof *made.scores),
                  .validation_scores = dorm__alloc(all->num_other_docs, sizeof *made.scores)};
  dorm_status status =
      made.scores && made.validation_scores ? open_growing(&made) : dorm__out_of_memory(job->context, "scores");
  if (status == DORM_OK)
    status = make_rounds(&made);
  if (status == DORM_OK || (status == DORM_STOPPED && made.best_round)) {
    dorm_status offered = offer_trees(&made);
    status = offered == DORM_OK && status == DORM_STOPPED ? dorm__job_say_interrupted(job) : offered;
  }
  dorm__boosting_free(made.boosting);
  dorm__free(made.scores);
  dorm__free(made.validation_scores);
  return status;
}
