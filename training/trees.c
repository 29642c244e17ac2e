/*
 * trees.c: boosted trees as a trainer: one candidate for each combination of the lists among the settings trees.*, each
 * with the number of rounds that is best on the validation data. Without validation data, and with folds, whose
 * candidates have to be the same in each, all rounds are made. In a retraining a candidate has as many rounds as it was
 * chosen with.
 */
#include "training/trees.h"
#include "training/combinations.h"
#include "training/rows.h"
#include "training/sink.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- The combinations of the settings ------------------------------------------------------- */

static const dorm__combined_list lists[] = {{DORM__TREES_LEAVES, "leaves", true},
                                            {DORM__TREES_SHRINKAGE, "shrinkage", true},
                                            {DORM__TREES_BINS, "bins", false},
                                            {DORM__TREES_LEAST_DOCUMENTS, "least_documents", false},
                                            {DORM__TREES_DOCUMENTS, "documents", false},
                                            {DORM__TREES_FEATURES, "features", false},
                                            {DORM__TREES_REGRESSION_SHARE, "regression_share", false}};
enum { LEAVES, SHRINKAGE, BINS, LEAST_DOCUMENTS, DOCUMENTS, FEATURES, REGRESSION_SHARE, NUM_LISTS };

/* One combination. */
typedef struct choice {
  const dorm__tree_objective *objective;
  double values[NUM_LISTS];
  char text[200]; /* "ordinal:leaves=10,shrinkage=0.1" */
} choice;

static size_t count(const dorm__job *job)
{
  return dorm__settings_count(job->settings, DORM__TREES_OBJECTIVE) * dorm__combinations_count(job, NUM_LISTS, lists);
}

/* Combination number `index`; the last list changes fastest. */
static choice choice_at(const dorm__job *job, size_t index)
{
  choice made;
  index = dorm__combination_values(job, NUM_LISTS, lists, index, made.values);
  made.objective = dorm__tree_objective_named(dorm__settings_word_at(job->settings, DORM__TREES_OBJECTIVE, index));
  snprintf(made.text, sizeof made.text, "%s", made.objective->name);
  dorm__combination_say(job, NUM_LISTS, lists, made.values, sizeof made.text, made.text);
  return made;
}

/* ---- One set of rows -------------------------------------------------------------------------- */

/* What all candidates of one set of rows share. */
typedef struct forest {
  const dorm__job *job;
  dorm__training_rows *rows;
  dorm__sink *sink;
  dorm__features own[2];            /* rows of training and validation data that are sparse or have missing values */
  const dorm__features *train;      /* dense */
  const dorm__features *validation; /* dense; NULL: rounds are not chosen */
  dorm__tree_grower *grower;
  double *levels; /* [num_levels], the distinct labels, increasing; NULL until an objective needs them */
  size_t num_levels;
  double *scores;            /* [num_docs] of the training data */
  double *validation_scores; /* [num_docs] of the validation data */
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

/* Finds the levels of the training labels, which have to be classes. */
static dorm_status find_levels(forest *all, const char *objective)
{
  enum { MOST_LEVELS = 100 };
  const dorm_dataset *train = all->rows->train;
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

/* Rows as trees take them: with every value, and NaN for one that is missing. */
static dorm_status make_dense(const forest *all, const dorm_dataset *dataset, const dorm__features *features,
                              dorm__features *own, const dorm__features **dense)
{
  dorm__feature_map map = all->rows->map;
  map.keeps_missing = true;
  *dense = features;
  if (!features->row_start && !dataset->has_missing)
    return DORM_OK;
  *dense = own;
  return dorm__features_build_full(all->job->context, dataset, &map, all->job->num_threads, own);
}

static bool chooses_rounds(const forest *all)
{
  return all->rows->validation && !all->job->num_folds;
}

static dorm_status open_forest(forest *all)
{
  const dorm__job *job = all->job;
  const dorm__features *features = NULL;
  dorm_status status = dorm__training_rows_features(job, all->rows, &features);
  if (status == DORM_OK)
    status = make_dense(all, all->rows->train, features, &all->own[0], &all->train);
  if (status == DORM_OK && chooses_rounds(all))
    status = make_dense(all, all->rows->validation, &all->rows->validation_features, &all->own[1], &all->validation);
  if (status != DORM_OK)
    return status;
  all->scores = dorm__alloc(all->train->num_docs, sizeof *all->scores);
  all->validation_scores = dorm__alloc(all->validation ? all->validation->num_docs : 0, sizeof *all->scores);
  if (!all->scores || !all->validation_scores)
    return dorm__out_of_memory(job->context, "scores");
  return dorm__tree_grower_new(job->context, all->train->num_docs, all->train->num_features, all->train->values,
                               job->num_threads, &all->grower);
}

static void close_forest(forest *all)
{
  dorm__tree_grower_free(all->grower);
  dorm__features_free(&all->own[0]);
  dorm__features_free(&all->own[1]);
  dorm__free(all->levels);
  dorm__free(all->scores);
  dorm__free(all->validation_scores);
}

/* ---- One candidate ------------------------------------------------------------------------------ */

/* Values of this many rounds are averaged before they are compared, so that the choice of a round follows the course of
 * the values more than the luck of one. */
enum { SMOOTHED_ROUNDS = 5 };

typedef struct growing {
  forest *all;
  const choice *chosen;
  double *level_values; /* [num_levels], T(level) */
  dorm__lambda *lambda; /* NULL where the objective needs none */
  dorm__boosting *boosting;
  double *outputs;   /* [num_docs of the validation data][num_outputs]; NULL: rounds are not chosen */
  size_t num_rounds; /* made */
  size_t best_round; /* the one to keep: the middle of the rounds with the best mean value */
  double best_value;
  double recent[SMOOTHED_ROUNDS]; /* values of the last rounds */
} growing;

static void score_outputs(const growing *made, size_t num_docs, const double *outputs, double *scores)
{
  size_t num_outputs = dorm__boosting_ensemble(made->boosting)->num_outputs;
  for (size_t j = 0; j < num_docs; j++)
    scores[j] = made->chosen->objective->score(made->all->num_levels, made->level_values, outputs + j * num_outputs);
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
static dorm_status measure_round(growing *made)
{
  const forest *all = made->all;
  const dorm__job *job = all->job;
  const dorm__ensemble *ensemble = dorm__boosting_ensemble(made->boosting);
  dorm_evaluation evaluation;
  dorm__ensemble_add_outputs(ensemble, ensemble->num_trees - ensemble->num_outputs, all->validation->num_docs,
                             all->validation->values, job->num_threads, made->outputs);
  score_outputs(made, all->validation->num_docs, made->outputs, all->validation_scores);
  dorm_status status = dorm__measure_dataset(job->context, job->measure, all->rows->validation, all->validation_scores,
                                             NULL, &evaluation);
  if (status == DORM_OK)
    compare_round(made, evaluation.mean);
  return status;
}

/* Makes rounds until there are enough, or none was better for long, or the job is interrupted. */
static dorm_status make_rounds(growing *made)
{
  const dorm__job *job = made->all->job;
  size_t most = dorm__sink_rounds(made->all->sink, dorm__settings_integer(job->settings, DORM__TREES_TREES));
  size_t patience = dorm__settings_integer(job->settings, DORM__TREES_PATIENCE);
  dorm_status status = DORM_OK;
  while (status == DORM_OK && made->num_rounds < most) {
    if (dorm__job_is_interrupted(job))
      return dorm__job_say_interrupted(job);
    status = dorm__boosting_round(job->context, made->boosting);
    if (status != DORM_OK)
      return status;
    made->num_rounds++;
    if (!made->outputs)
      made->best_round = made->num_rounds;
    else
      status = measure_round(made);
    if (patience && made->num_rounds - made->best_round >= patience)
      break;
  }
  return status;
}

/* Hands over the trees up to the best round. */
static dorm_status offer_trees(const growing *made)
{
  const forest *all = made->all;
  const dorm__job *job = all->job;
  const dorm__ensemble *whole = dorm__boosting_ensemble(made->boosting);
  dorm__tree_expected expected = (dorm__tree_expected)dorm__settings_choice(job->settings, DORM__TREES_EXPECTED);
  size_t num_docs = all->train->num_docs;
  dorm__ensemble kept;
  dorm__offer offer = {.candidate = dorm__training_rows_candidate(all->rows), .train_scores = all->scores};
  double *outputs = dorm__alloc_zero(num_docs, whole->num_outputs * sizeof *outputs);
  dorm_status status = outputs ? dorm__ensemble_copy(job->context, whole, made->best_round * whole->num_outputs, &kept)
                               : dorm__out_of_memory(job->context, "scores");
  if (status == DORM_OK) {
    dorm__ensemble_add_outputs(&kept, 0, num_docs, all->train->values, job->num_threads, outputs);
    score_outputs(made, num_docs, outputs, all->scores);
    status = dorm__trees_part_new(job->context, &all->rows->map, made->chosen->objective, expected,
                                  made->chosen->objective->needs_levels ? all->num_levels : 0, all->levels, &kept,
                                  &offer.part);
  }
  dorm__free(outputs);
  if (status != DORM_OK)
    return status;
  offer.candidate.reference = made->chosen->text;
  offer.candidate.round = made->best_round;
  return dorm__sink_take(all->sink, all->rows, &offer);
}

/* Opens the λ-function that the objective follows. */
static dorm_status open_lambda(growing *made)
{
  const dorm__job *job = made->all->job;
  const char *own = made->chosen->objective->lambda;
  const char *spec = *own ? own : dorm__settings_text(job->settings, DORM__TREES_LAMBDA);
  dorm_status status = dorm__lambda_open(job->context, spec, dorm__measure_spec(job->measure), made->all->rows->train,
                                         job->num_threads, &made->lambda);
  return status == DORM_OK || !*own
             ? status
             : dorm__fail_within(job->context, status, "trees.objective = %s (lambda takes any measure)",
                                 made->chosen->objective->name);
}

static dorm_status open_growing(growing *made)
{
  forest *all = made->all;
  const dorm__job *job = all->job;
  const dorm_dataset *train = all->rows->train;
  const double *values = made->chosen->values;
  const dorm__tree_objective *objective = made->chosen->objective;
  dorm_status status = objective->needs_levels && !all->num_levels ? find_levels(all, objective->name) : DORM_OK;
  if (status == DORM_OK && objective->lambda)
    status = open_lambda(made);
  if (status != DORM_OK)
    return status;
  dorm__tree_targets targets = {.num_docs = train->num_docs,
                                .num_queries = train->num_queries,
                                .query_start = train->query_start,
                                .labels = train->labels,
                                .num_levels = all->num_levels,
                                .levels = all->levels,
                                .lambda = made->lambda,
                                .regression_share = values[REGRESSION_SHARE]};
  dorm__boosting_options options = {.leaves = (size_t)values[LEAVES],
                                    .bins = (size_t)values[BINS],
                                    .least_docs = (size_t)values[LEAST_DOCUMENTS],
                                    .shrinkage = values[SHRINKAGE],
                                    .docs_share = values[DOCUMENTS],
                                    .features_share = values[FEATURES],
                                    .seed = (uint64_t)dorm__settings_number(job->settings, DORM__TREES_SEED),
                                    .num_threads = job->num_threads};
  made->level_values = dorm__alloc(all->num_levels, sizeof *made->level_values);
  if (all->validation)
    made->outputs =
        dorm__alloc_zero(all->validation->num_docs, objective->num_outputs(all->num_levels) * sizeof *made->outputs);
  if (!made->level_values || (all->validation && !made->outputs))
    return dorm__out_of_memory(job->context, "trees");
  dorm__tree_level_values((dorm__tree_expected)dorm__settings_choice(job->settings, DORM__TREES_EXPECTED),
                          all->num_levels, all->levels, made->level_values);
  return dorm__boosting_new(job->context, all->grower, all->train->num_features, all->train->values, &targets,
                            objective, &options, &made->boosting);
}

static dorm_status make_candidate(forest *all, const choice *chosen)
{
  growing made = {.all = all, .chosen = chosen};
  dorm_status status = open_growing(&made);
  if (status == DORM_OK)
    status = make_rounds(&made);
  if (status == DORM_OK || (status == DORM_STOPPED && made.best_round)) {
    dorm_status offered = offer_trees(&made);
    status = offered == DORM_OK && status == DORM_STOPPED ? dorm__job_say_interrupted(all->job) : offered;
  }
  dorm__boosting_free(made.boosting);
  dorm__lambda_close(made.lambda);
  dorm__free(made.outputs);
  dorm__free(made.level_values);
  return status;
}

static dorm_status train(const dorm__job *job, dorm__training_rows *rows, dorm__sink *sink)
{
  forest all = {.job = job, .rows = rows, .sink = sink};
  dorm_status status = open_forest(&all);
  for (size_t i = 0; status == DORM_OK && i < count(job); i++) {
    choice chosen = choice_at(job, i);
    status = make_candidate(&all, &chosen);
  }
  sink->grid->training->num_training_queries = rows->train->num_queries;
  close_forest(&all);
  return status;
}

const dorm__trainer dorm__trees_trainer = {
    .name = "trees", .makes_parts = true, .check = dorm__tree_grower_check, .count = count, .train = train};
