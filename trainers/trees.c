/*
 * trees.c: boosted trees as a trainer: one candidate for each combination of the lists among the settings trees.*, each
 * with the number of rounds that is best on the validation data or, in a cross-validation, on the held-out queries of
 * each fold; without either, all rounds are made. In a retraining a candidate has as many rounds as it was chosen with.
 * With a linear start the model of a candidate is the start and the trees.
 */
#include "jobs/jobs.h"
#include "trainers/combinations.h"
#include "trainers/ridge.h"
#include "trainers/trainers.h"
#include "trainers/tree_start.h"

#include <math.h>
#include <string.h>

/* ---- One set of rows -------------------------------------------------------------------------- */

/* Values that trees see. */
typedef struct tree_input {
  dorm__row_source sources[2];
  dorm__tree_rows train, validation;
  dorm__tree_bins *bins; /* of both; NULL: no candidate sees these values */
} tree_input;

/* What all candidates of one set of rows share. */
typedef struct forest {
  const dorm__job *job;
  dorm__training_rows *rows;
  dorm__sink *sink;
  size_t num_docs, num_other_docs; /* of training and validation data, the latter 0 where rounds are not chosen */
  tree_input inputs[2];            /* normalised values, raw values */
  dorm__lambda_list lambdas;       /* of training.lambda; none where no objective follows them */
  dorm__lambda *own_lambda;        /* the one that a word of trees.objective stands for; NULL: none does */
  size_t num_starts;
  dorm__tree_start *starts; /* [num_starts], in the order of trees.start */
  double *levels;           /* [num_levels], the distinct labels, increasing; NULL until an objective needs them */
  size_t num_levels;
  double *weights;       /* [num_docs] of the training data, how often each counts; NULL: once */
  uint8_t *order;        /* [width] flags of the features; NULL: any order */
  double *query_weights; /* [num_docs] the same without the weights of documents */
  double seconds;        /* that an ensemble may take; INFINITY: no limit */
  double *scaled_labels; /* [num_docs] labels times the weights of documents; NULL: there are none */
} forest;

static const char *query_name(const dorm_dataset *dataset, size_t query)
{
  return dataset->texts + dataset->query_texts[query];
}

/* Puts a label among the levels. */
static bool add_level(forest *all, double label, size_t *capacity)
{
  size_t k = 0;
  while (k < all->num_levels && all->levels[k] < label)
    k++;
  if (k < all->num_levels && all->levels[k] == label)
    return true;
  if (!dorm__grow((void **)&all->levels, capacity, all->num_levels + 1, sizeof *all->levels))
    return false;
  memmove(all->levels + k + 1, all->levels + k, (all->num_levels - k) * sizeof *all->levels);
  all->levels[k] = label;
  all->num_levels++;
  return true;
}

/* Finds the levels of the training labels, which have to be classes; those of all queries where a fold trains on some.
 */
static dorm_status find_levels(forest *all, const char *objective)
{
  enum { MOST_LEVELS = 100 };
  const dorm__grid *grid = all->sink->grid;
  const dorm_dataset *train = grid->whole ? grid->whole : all->rows->train;
  dorm_context *context = all->job->context;
  size_t capacity = 0;
  for (size_t q = 0; q < train->num_queries; q++)
    for (size_t j = train->query_start[q]; j < train->query_start[q + 1]; j++) {
      double label = train->labels[j];
      if (label != floor(label))
        return dorm__fail(
            context, DORM_BAD_DATA,
            "%s: query %s: the label %g is no class: trees.objective = %s needs whole numbers (regression "
            "takes any)",
            train->name, query_name(train, q), label, objective);
      if (!add_level(all, label, &capacity))
        return dorm__out_of_memory(context, "labels");
      if (all->num_levels > MOST_LEVELS)
        return dorm__fail(context, DORM_BAD_DATA,
                          "%s: query %s: more than %d different labels: trees.objective = %s has a tree for each in "
                          "every round; use regression",
                          train->name, query_name(train, q), MOST_LEVELS, objective);
    }
  return all->num_levels > 1
             ? DORM_OK
             : dorm__fail(context, DORM_BAD_DATA,
                          "%s: all documents have the same label, so trees have nothing to learn", train->name);
}

static bool chooses_rounds(const forest *all)
{
  return all->rows->validation != NULL;
}

/* Opens the λ-function that a word of trees.objective stands for. */
static dorm_status open_own_lambda(forest *all, const dorm__tree_choice *chosen)
{
  const dorm__job *job = all->job;
  dorm_status status = dorm__lambda_for_job(job, chosen->own_lambda, all->rows->train, &all->own_lambda);
  return status == DORM_OK
             ? DORM_OK
             : dorm__fail_within(job->context, status, "trees.objective = %s (lambda takes any measure)", chosen->word);
}

/* Opens the λ-functions of all candidates. */
static dorm_status open_lambdas(forest *all)
{
  const dorm__job *job = all->job;
  dorm_status status = DORM_OK;
  for (size_t i = 0; status == DORM_OK && i < dorm__tree_choices_count(job); i++) {
    dorm__tree_choice chosen = dorm__tree_choice_at(job, i);
    if (chosen.own_lambda && !all->own_lambda)
      status = open_own_lambda(all, &chosen);
    else if (chosen.objective->follows_lambda && !chosen.own_lambda && !all->lambdas.count)
      status = dorm__lambda_list_open(job, DORM__TRAINING_LAMBDA, all->rows->train, &all->lambdas);
  }
  return status;
}

/* Makes rows and bins of one kind of values, unless they are there. */
static dorm_status make_input(forest *all, bool is_raw)
{
  const dorm__job *job = all->job;
  const dorm__training_rows *rows = all->rows;
  const dorm__features *features = NULL;
  tree_input *input = &all->inputs[is_raw];
  if (input->bins)
    return DORM_OK;
  dorm_status status = dorm__training_rows_features(job, all->rows, &features);
  if (status != DORM_OK)
    return status;
  input->train = dorm__training_rows_for_trees(job, &rows->map, rows->train, features, is_raw, &input->sources[0]);
  if (chooses_rounds(all))
    input->validation = dorm__training_rows_for_trees(job, &rows->map, rows->validation, &rows->validation_features,
                                                      is_raw, &input->sources[1]);
  return dorm__tree_bins_new(job->context, features->num_features, &input->train,
                             chooses_rounds(all) ? &input->validation : NULL,
                             dorm__settings_integer(job->settings, DORM__TREES_BINS), job->num_threads, &input->bins);
}

static dorm_status make_starts(forest *all)
{
  const tree_input *input = &all->inputs[dorm__tree_choice_at(all->job, 0).is_raw]; /* with data.from the only one */
  size_t count = dorm__settings_count(all->job->settings, DORM__TREES_START);
  dorm_status status = DORM_OK;
  all->starts = dorm__alloc_zero(count, sizeof *all->starts);
  if (!all->starts)
    return dorm__out_of_memory(all->job->context, "linear starts");
  for (; status == DORM_OK && all->num_starts < count; all->num_starts++)
    status = dorm__tree_start_make(all->job, all->rows, all->num_starts, &input->train,
                                   chooses_rounds(all) ? &input->validation : NULL, &all->starts[all->num_starts]);
  return status;
}

/* How often each document counts: as its query does, and with an objective of single documents, as it does itself;
 * λ-functions multiply its gain instead. */
static dorm_status make_weights(forest *all)
{
  const dorm_dataset *train = all->rows->train;
  size_t num_docs = train->num_docs;
  if (!train->query_weights && !train->doc_weights)
    return DORM_OK;
  all->weights = dorm__alloc(num_docs, sizeof *all->weights);
  all->query_weights = dorm__alloc(num_docs, sizeof *all->query_weights);
  all->scaled_labels = dorm__alloc(train->doc_weights ? num_docs : 0, sizeof *all->scaled_labels);
  dorm_status status = all->weights && all->query_weights && all->scaled_labels
                           ? DORM_OK
                           : dorm__out_of_memory(all->job->context, "weights");
  for (size_t q = 0; status == DORM_OK && q < train->num_queries; q++)
    for (size_t j = train->query_start[q]; j < train->query_start[q + 1]; j++) {
      double doc_weight = dorm_dataset_doc_weight(train, j);
      all->query_weights[j] = dorm_dataset_query_weight(train, q);
      all->weights[j] = all->query_weights[j] * doc_weight;
      if (train->doc_weights)
        all->scaled_labels[j] = train->labels[j] * doc_weight;
    }
  return status;
}

static dorm_status open_forest(forest *all)
{
  const dorm__job *job = all->job;
  dorm_status status = open_lambdas(all);
  all->num_docs = all->rows->train->num_docs;
  all->num_other_docs = chooses_rounds(all) ? all->rows->validation->num_docs : 0;
  for (size_t i = 0; status == DORM_OK && i < dorm__tree_choices_count(job); i++) {
    dorm__tree_choice chosen = dorm__tree_choice_at(job, i);
    if (chosen.objective->needs_levels && !all->num_levels)
      status = find_levels(all, chosen.objective->name);
    if (status == DORM_OK)
      status = make_input(all, chosen.is_raw);
  }
  if (status == DORM_OK)
    status = DORM__ALL(make_starts(all), dorm__order_make(job, all->rows, &all->order));
  return status == DORM_OK ? make_weights(all) : status;
}

static void close_forest(forest *all)
{
  for (size_t i = 0; i < 2; i++)
    dorm__tree_bins_free(all->inputs[i].bins);
  dorm__lambda_list_close(&all->lambdas);
  dorm__lambda_close(all->own_lambda);
  for (size_t i = 0; i < all->num_starts; i++)
    dorm__tree_start_clear(&all->starts[i]);
  dorm__free(all->starts);
  dorm__free(all->levels);
  dorm__free(all->order);
  dorm__free(all->weights);
  dorm__free(all->query_weights);
  dorm__free(all->scaled_labels);
}

/* ---- One candidate ------------------------------------------------------------------------------ */

/* Values of this many rounds are averaged before they are compared, so that the choice of a round follows the course of
 * the values more than the luck of one. */
enum { SMOOTHED_ROUNDS = 5, ROUNDS_BETWEEN_VALUES = 10, AUTO_PATIENCE = 60 };

typedef struct growing {
  const forest *all;
  const dorm__job *job;
  dorm__sink *sink;
  double *scores;            /* [num_docs] of the training data */
  double *validation_scores; /* [num_docs] of the validation data */
  const dorm__tree_choice *chosen;
  const dorm__tree_start *start;
  dorm__boosting *boosting;
  size_t num_rounds; /* made */
  size_t best_round; /* the one to keep: the middle of the rounds with the best mean value */
  double best_value;
  double recent[SMOOTHED_ROUNDS]; /* values of the last rounds */
} growing;

/* Outputs [num_docs][num_outputs] without trees: those of the start, whose scores [num_docs] are given where it has
 * some. NULL when out of memory. */
static double *first_outputs(size_t num_docs, size_t num_outputs, const double *start)
{
  double *outputs = dorm__alloc_zero(num_docs, num_outputs * sizeof *outputs);
  if (outputs && start)
    memcpy(outputs, start, num_docs * sizeof *outputs);
  return outputs;
}

/* The number of trees that so many rounds make: one for each output. */
static size_t trees_of_rounds(const growing *made, size_t num_rounds)
{
  return num_rounds * dorm__boosting_ensemble(made->boosting)->num_outputs;
}

static void score_outputs(const growing *made, size_t num_docs, const double *outputs, double *scores)
{
  size_t num_outputs = dorm__boosting_ensemble(made->boosting)->num_outputs;
  for (size_t j = 0; j < num_docs; j++)
    scores[j] = made->chosen->objective->score(made->all->num_levels, made->all->levels, outputs + j * num_outputs);
}

/* Takes the value of the round that was made last. */
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

/* Measures the round that was made last on the validation data. */
static dorm_status measure_round(growing *made, double *value)
{
  const forest *all = made->all;
  const dorm__job *job = made->job;
  dorm_evaluation evaluation;
  score_outputs(made, all->num_other_docs, dorm__boosting_other_outputs(made->boosting), made->validation_scores);
  dorm_status status = dorm__job_measure(job, all->rows->validation, made->validation_scores, NULL, &evaluation);
  *value = status == DORM_OK ? evaluation.mean : NAN;
  if (status == DORM_OK && (evaluation.num_queries || !job->num_folds))
    compare_round(made, evaluation.mean);
  else if (status == DORM_OK) /* no query of a fold counts under the measure, so that nothing says when to stop */
    made->best_round = made->num_rounds;
  return status;
}

/* Reports the round that was made last, now and then with its value on the training data. */
static dorm_status report_round(const growing *made, double validation)
{
  const forest *all = made->all;
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

/* Measures and reports the round that was made last. */
static dorm_status look_at_round(growing *made)
{
  double value = NAN;
  dorm_status status = DORM_OK;
  if (chooses_rounds(made->all))
    status = measure_round(made, &value);
  else
    made->best_round = made->num_rounds;
  return status == DORM_OK ? report_round(made, value) : status;
}

/* Makes rounds until there are enough, or none was better for long, or the job is interrupted. */
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
    if (made->num_rounds < most && dorm__seconds() > end) {
      made->sink->grid->progress->spent[DORM__BUDGET_TREES].num_cut++;
      break;
    }
  }
  return status;
}

/* The trees of data.from, and the new ones up to the best round. */
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

/* The trees of data.from as parts of the candidate, [*count], freed by the caller, who owns none of their states. */
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

/* Hands over the start and the trees up to the best round. */
static dorm_status offer_trees(const growing *made)
{
  const forest *all = made->all;
  const dorm__job *job = made->job;
  const dorm__ensemble *whole = dorm__boosting_ensemble(made->boosting);
  size_t num_docs = all->num_docs;
  dorm__ensemble kept;
  dorm__offer offer = {
      .candidate = dorm__training_rows_candidate(all->rows), .train_scores = made->scores, .w = made->start->w};
  double *outputs = first_outputs(num_docs, whole->num_outputs, made->start->scores);
  dorm_status status = outputs ? keep_trees(made, &kept) : dorm__out_of_memory(job->context, "scores");
  if (status == DORM_OK) {
    status = dorm__tree_bins_add_outputs(job->context, all->inputs[made->chosen->is_raw].bins, &kept,
                                         made->start->earlier.num_trees, num_docs, job->num_threads, outputs);
    if (status != DORM_OK)
      dorm__ensemble_clear(&kept);
  }
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

/* The λ-function that the objective follows; NULL: none. */
static dorm__lambda *lambda_of(const forest *all, const dorm__tree_choice *chosen)
{
  if (!chosen->objective->follows_lambda)
    return NULL;
  return chosen->own_lambda ? all->own_lambda : all->lambdas.lambdas[chosen->lambda];
}

static dorm_status open_growing(growing *made)
{
  const forest *all = made->all;
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
                                    .seed = (uint64_t)dorm__settings_number(job->settings, DORM__TRAINING_SEED),
                                    .order = all->order,
                                    .first_draw = made->start->earlier.num_trees,
                                    .num_threads = job->num_threads};
  return dorm__boosting_new(job->context, all->inputs[made->chosen->is_raw].bins, &targets, objective, &options,
                            &made->boosting);
}

/* Grows candidate number `index`. Several threads may do so at the same time, each for a job and a sink of its own. */
static dorm_status make_candidate(const dorm__job *job, dorm__sink *sink, size_t index, const void *user)
{
  const forest *all = user;
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

/* The number of candidates on these rows that have not left the race of the folds, at least 1. */
static size_t count_racing(const dorm__job *job, const dorm__sink *sink)
{
  size_t count = 0;
  for (size_t i = 0; i < dorm__tree_choices_count(job); i++) {
    dorm__sink ahead = {.job = job, .grid = sink->grid, .num_before = sink->num_before + i};
    count += !dorm__sink_has_left(&ahead);
  }
  return count ? count : 1;
}

static dorm_status train(const dorm__job *job, dorm__training_rows *rows, dorm__sink *sink)
{
  forest all = {.job = job, .rows = rows, .sink = sink};
  double started = dorm__seconds();
  dorm_status status = open_forest(&all);
  all.seconds = dorm__job_seconds_each(job, sink->grid->progress, DORM__BUDGET_TREES, count_racing(job, sink));
  if (status == DORM_OK)
    status = dorm__parallel_train(job, sink, dorm__tree_choices_count(job), make_candidate, &all);
  dorm__spent *spent = &sink->grid->progress->spent[DORM__BUDGET_TREES];
  spent->num_sets++;
  spent->seconds += dorm__seconds() - started;
  sink->grid->training->num_training_queries = rows->train->num_queries;
  close_forest(&all);
  return status;
}

/* Fails where a linear start would be added to outputs that are no scores. */
static dorm_status check(const dorm__job *job)
{
  dorm_status status = dorm__tree_start_check(job);
  for (size_t i = 0; status == DORM_OK && i < dorm__tree_choices_count(job); i++) {
    dorm__tree_choice chosen = dorm__tree_choice_at(job, i);
    bool is_sum = chosen.objective->link == DORM__LINK_OUTPUT;
    if (job->from && job->num_folds)
      return dorm__fail(job->context, DORM_BAD_USAGE,
                        "data.from = %s: trees that go on from a model are not cross-validated, since it may have seen "
                        "the held-out queries; give validation data, or selection.folds = 0",
                        dorm__settings_text(job->settings, DORM__DATA_FROM));
    if (job->from && !is_sum)
      return dorm__fail(
          job->context, DORM_BAD_USAGE,
          "data.from = %s: the score of trees.objective = %s is no sum over trees, so that they cannot go "
          "on from a model; dorm, lambda and regression can",
          dorm__settings_text(job->settings, DORM__DATA_FROM), chosen.word);
    if (chosen.objective->link == DORM__LINK_SOFTMAX && dorm__job_keeps_order(job))
      return dorm__fail(job->context, DORM_BAD_USAGE,
                        "trees.objective = classification: expected labels keep no order; ordinal, regression, dorm "
                        "and lambda keep to training.increasing and training.decreasing");
    if (dorm__linear_start_is(job, DORM__TREES_START, chosen.start) && !is_sum)
      status =
          dorm__fail(job->context, DORM_BAD_USAGE,
                     "trees.start = %s: the score of trees.objective = %s is no sum over trees, so that they cannot "
                     "start at a linear model; dorm, lambda and regression can",
                     dorm__settings_word_at(job->settings, DORM__TREES_START, chosen.start), chosen.word);
  }
  return status;
}

/* Measures that are no sums over positions have no λ-function `dorm`: the objective is then lambda, unless it was
 * given. */
static dorm_status settle(dorm__job *job, const dorm_dataset *train, const dorm_dataset *validation)
{
  dorm__lambda *lambda = NULL;
  dorm__tree_choice chosen = dorm__tree_choice_at(job, 0);
  (void)validation;
  if (!chosen.own_lambda || dorm__settings_is_given(job->given, DORM__TREES_OBJECTIVE))
    return DORM_OK;
  dorm_status status = dorm__lambda_for_job(job, chosen.own_lambda, train, &lambda);
  dorm__lambda_close(lambda);
  if (status != DORM_BAD_USAGE)
    return status;
  dorm__note(job->context, "trees.objective = lambda, since %s is no sum over positions, which dorm needs",
             dorm__measure_spec(job->measure));
  return dorm__job_set(job, DORM__TREES_OBJECTIVE, "lambda");
}

const dorm__trainer dorm__trees_trainer = {.name = "trees",
                                           .makes_parts = true,
                                           .averages_folds = true,
                                           .takes_weights = true,
                                           .keeps_order = true,
                                           .goes_on = true,
                                           .check = check,
                                           .settle = settle,
                                           .count = dorm__tree_choices_count,
                                           .train = train};
