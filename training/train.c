/*
 * train.c: dorm_train. It splits the data into shards, joins training and validation data for a cross-validation,
 * leaves out queries of weight 0, and trains. A model has one normalisation. So if data.normalisation names several, it
 * trains with each and keeps the training whose model is best on the validation data or in the folds.
 */
#include "base/processes.h"
#include "trainers/trainers.h"
#include "training/train_once.h"
#include "training/training.h"

#include <math.h>
#include <string.h>

/* ---- Views ---------------------------------------------------------------------------- */

/* A view of a data set, with weights or shards of its own. */
typedef struct view {
  dorm_dataset seen;
  dorm_dataset *source; /* the data set, if training may consume its values, otherwise NULL */
  double *weights;      /* [num_queries] of the view alone, owned, or NULL */
  dorm__shards *shards; /* likewise */
} view;

/* *data becomes a view of itself, and so does *own if it is not NULL. The caller ends the view by end_view. */
static void begin_view(const dorm_dataset **data, dorm_dataset **own, view *made)
{
  made->seen = **data;
  made->source = *own;
  *data = &made->seen;
  *own = *own ? &made->seen : NULL;
}

/* Ends a view, if it was begun. If training consumed its values, marks the data set as consumed too. */
static void end_view(view *made)
{
  if (made->source) {
    made->seen.query_weights = made->source->query_weights;
    made->seen.shards = made->source->shards;
    *made->source = made->seen;
  }
  dorm__free(made->weights);
  dorm__shards_free(made->shards);
}

/* ---- Folds of training and validation data ---------------------------------------- */

/* With a cross-validation and validation data, makes one data set of both, in *joined. The grid then trains on it and
 * has no validation data. Otherwise *joined is NULL. The caller frees *joined after the training. */
static dorm_status join_for_folds(dorm_context *context, const dorm_settings *settings, const dorm__trainer_set *set,
                                  dorm__grid *grid, dorm_dataset **joined)
{
  *joined = NULL;
  if (!grid->validation || !dorm__job_folds_from(settings, set, grid->train, grid->validation))
    return DORM_OK;
  if (*dorm__settings_text(settings, DORM__DATA_CLICKS))
    return dorm__fail(context, DORM_BAD_USAGE,
                      "selection.folds = %s: the validation data would train, but data.clicks gives no clicks on them",
                      dorm__settings_text(settings, DORM__SELECTION_FOLDS));
  dorm_status status = dorm__train_join(context, grid->train, grid->validation, joined);
  if (status != DORM_OK)
    return status;
  dorm__note(context, "selection.folds = %s: the queries of %s train, too",
             dorm__settings_text(settings, DORM__SELECTION_FOLDS), grid->validation->name);
  grid->train = *joined;
  grid->own_train = grid->own_train ? *joined : NULL;
  grid->validation = grid->own_validation = NULL;
  return DORM_OK;
}

/* ---- Queries that do not train ------------------------------------------------------ */

/* Copies queries [count] of the training data to *kept, on which the grid then trains. The caller frees *kept after the
 * training. */
static dorm_status keep_queries(dorm_context *context, size_t count, const dorm__query_of *queries, dorm__grid *grid,
                                dorm_dataset **kept)
{
  dorm_status status = dorm__dataset_gather_shards(context, grid->train->name, grid->train, NULL, count, queries, kept);
  if (status != DORM_OK)
    return status;
  grid->train = *kept;
  grid->own_train = grid->own_train ? *kept : NULL;
  return DORM_OK;
}

/* Draws queries at random if training.trainer = auto has less time than all of them need. More rounds on some queries
 * rank better than the first rounds on all (bench/budget.sh). *kept becomes a copy of the drawn queries, which the
 * caller frees, or NULL if all queries train. */
static dorm_status draw_for_budget(dorm_context *context, const dorm_settings *settings, dorm__grid *grid,
                                   dorm_dataset **kept)
{
  enum { LEAST_QUERIES = 100 };
  static const double seconds_of_a_value = 1e-6; /* five folds then leave half of the time for trees */
  const dorm_dataset *train = grid->train;
  double share = fmin(1, dorm__seconds_of_a_value(settings, dorm__train_num_values(train)) / seconds_of_a_value);
  size_t num_queries = train->num_queries, count = 0;
  size_t wanted = (size_t)fmax(LEAST_QUERIES, share * (double)num_queries);
  *kept = NULL;
  if (!dorm__settings_is_auto(settings, DORM__TRAINING_TRAINER) || wanted >= num_queries || train->shards)
    return DORM_OK;
  DORM__FREED size_t *order = dorm__alloc(num_queries, sizeof *order);
  DORM__FREED dorm__query_of *queries = dorm__alloc(num_queries, sizeof *queries);
  if (!order || !queries)
    return dorm__out_of_memory(context, "training data");
  dorm__random random;
  dorm__random_seed_for(&random, "budget", dorm__settings_integer(settings, DORM__TRAINING_SEED));
  dorm__random_permutation(&random, num_queries, order);
  for (size_t q = 0; q < num_queries; q++)
    if (order[q] < wanted)
      queries[count++] = (dorm__query_of){train, q};
  dorm__note(context, "training.budget = %s: %zu of %zu queries, drawn at random, train; a larger budget takes more",
             dorm__settings_text(settings, DORM__TRAINING_BUDGET), count, num_queries);
  return keep_queries(context, count, queries, grid, kept);
}

/* If some queries have the weight 0, gives the grid a copy of the training data without them, so that nothing depends
 * on them. *kept becomes that copy, which the caller frees, or NULL. Fails if all queries have the weight 0. */
static dorm_status leave_out_weightless(dorm_context *context, dorm__grid *grid, dorm_dataset **kept)
{
  const dorm_dataset *train = grid->train;
  size_t count = 0, num_queries = dorm__all_queries(train);
  *kept = NULL;
  for (size_t q = 0; q < train->num_queries; q++)
    count += dorm_dataset_query_weight(train, q) > 0;
  uint64_t all_kept = count;
  dorm_status status = dorm__processes_totals(context, 1, &all_kept);
  if (status != DORM_OK || all_kept == num_queries)
    return status;
  if (!all_kept)
    return dorm__fail(context, DORM_BAD_DATA, "%s: all %zu queries have the weight 0", train->name, num_queries);
  DORM__FREED dorm__query_of *queries = dorm__alloc(count, sizeof *queries);
  if (!queries)
    return dorm__out_of_memory(context, "training data");
  for (size_t q = 0, i = 0; q < train->num_queries; q++)
    if (dorm_dataset_query_weight(train, q) > 0)
      queries[i++] = (dorm__query_of){train, q};
  dorm__note(context, "%s: %zu of %zu queries have the weight 0 and are left out", train->name,
             num_queries - (size_t)all_kept, num_queries);
  return keep_queries(context, count, queries, grid, kept);
}

/* ---- The size of weights ------------------------------------------------------------- */

static bool are_all_equal(size_t count, const double *weights)
{
  for (size_t q = 1; q < count; q++)
    if (weights[q] < weights[0] || weights[q] > weights[0])
      return false;
  return true;
}

/* Divides the weights of queries by a power of 2 near their mean over the documents, so that their scale has no effect
 * and nothing is rounded. *data and *own become a view with these weights. If all weights are equal, the view has none,
 * except in shards. Does nothing if *data is NULL or has no weights. The caller ends the view, also after a failure. */
static dorm_status scale_weights(dorm_context *context, const dorm_dataset **data, dorm_dataset **own, view *made)
{
  double weighted_docs = 0;
  if (!*data || !(*data)->query_weights)
    return DORM_OK;
  size_t count = (*data)->num_queries;
  dorm_status status = dorm__all_weighted_docs(context, *data, &weighted_docs);
  double mean = weighted_docs / (double)dorm__all_docs(*data);
  double factor = mean > 0 && isfinite(mean) ? exp2(-round(log2(mean))) : 1;
  made->weights = dorm__alloc(count, sizeof *made->weights);
  if (status != DORM_OK || !made->weights)
    return status == DORM_OK ? dorm__out_of_memory(context, "weights") : status;
  for (size_t q = 0; q < count; q++)
    made->weights[q] = (*data)->query_weights[q] * factor;
  /* The shards may belong to several processes, each of which knows only its own weights. */
  bool has_none = !(*data)->shards && are_all_equal(count, (*data)->query_weights);
  begin_view(data, own, made);
  made->seen.query_weights = has_none ? NULL : made->weights;
  return DORM_OK;
}

/* ---- Several normalisations --------------------------------------------------------- */

/* Returns the value by which normalisations are compared: the model's value on the validation data or, after a
 * cross-validation or a retraining, the mean of the values of its candidates. Returns -INFINITY if there is no such
 * value. */
static double value_of(const dorm_training *training)
{
  double sum = 0, count = 0;
  for (size_t i = 0; i < training->num_trained; i++)
    if (training->trained[i].candidate.is_selected) {
      sum += training->trained[i].candidate.validation;
      count++;
    }
  double value = isfinite(training->validation) ? training->validation : count > 0 ? sum / count : -INFINITY;
  return isfinite(value) ? value : -INFINITY;
}

/* The training with the best value so far, and its status. */
typedef struct best_training {
  dorm_training *training; /* NULL: none yet */
  const char *word;        /* its normalisation */
  double value;
  dorm_status status; /* DORM_OK or DORM_STOPPED */
  char message[DORM__MESSAGE_SIZE];
} best_training;

/* Takes over a training that ended with `status`. Keeps the better one of it and *best, and frees the other. An
 * interrupted training never replaces an earlier one. */
static void compare(dorm_context *context, dorm_training *made, const char *word, dorm_status status, bool is_complete,
                    best_training *best)
{
  double value = value_of(made);
  if (isfinite(value))
    dorm__detail(context, "data.normalisation = %s: %.4f on the validation data", word, value);
  if (!best->training || (is_complete && value > best->value)) {
    dorm_training_free(best->training);
    *best = (best_training){.training = made, .word = word, .value = value, .status = status};
    memcpy(best->message, context->message, sizeof best->message);
  } else {
    dorm_training_free(made);
  }
}

/* Trains with the normalisation of this turn, and keeps the training in *best if it is better. */
static dorm_status take_turn(dorm_context *context, const dorm_settings *settings, dorm__grid grid,
                             const dorm__trainer_set *set, dorm__turn *turn, best_training *best)
{
  const char *word = dorm__settings_word_at(settings, DORM__DATA_NORMALISATION, turn->number);
  dorm_settings *own = NULL;
  dorm_training *made = NULL;
  if (turn->number + 1 < turn->count) /* the next turn needs the values, too */
    grid.own_train = grid.own_validation = NULL;
  dorm__detail(context, "training with data.normalisation = %s, %zu of %zu", word, turn->number + 1, turn->count);
  dorm_status status = DORM__ALL(dorm__settings_copy(context, settings, &own),
                                 dorm__settings_become(context, own, DORM__DATA_NORMALISATION, word),
                                 dorm__train_once(context, own, grid, set, turn, &made));
  dorm_settings_free(own);
  if (made)
    compare(context, made, word, status, turn->is_complete, best);
  return status;
}

/* Refuses several normalisations if nothing could choose among them, or if another setting needs a single one. Without
 * this check dorm would fail only after much training. */
static dorm_status check_normalisations(dorm_context *context, const dorm_settings *settings,
                                        const dorm__trainer_set *set, const dorm__grid *grid)
{
  const char *text = dorm__settings_text(settings, DORM__DATA_NORMALISATION);
  static const struct {
    dorm__setting setting;
    const char *may_be, *reason;
  } refused[] = {{DORM__OUTPUT_CHECKPOINT, "", "keeps the state of a training with one normalisation"},
                 {DORM__DATA_FROM, "", "has the normalisation of its model"}};
  if (!grid->validation && !dorm__job_folds_from(settings, set, grid->train, NULL))
    return dorm__fail(context, DORM_BAD_USAGE,
                      "data.normalisation = %s: choosing one needs validation data or selection.folds", text);
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    const char *value = dorm__settings_text(settings, refused[i].setting);
    if (strcmp(value, refused[i].may_be) != 0)
      return dorm__fail(context, DORM_BAD_USAGE, "data.normalisation = %s does not go with %s = %s, which %s", text,
                        dorm__setting_table[refused[i].setting].key, value, refused[i].reason);
  }
  return DORM_OK;
}

/* *training becomes the best training. `interrupted` names the normalisation whose training was interrupted, or is
 * NULL. If this was another one than the best, returns DORM_STOPPED. Otherwise returns the status of the best training,
 * with its message. */
static dorm_status finish(dorm_context *context, const best_training *best, const char *interrupted,
                          dorm_training **training)
{
  char reason[DORM__MESSAGE_SIZE];
  *training = best->training;
  if (!interrupted || strcmp(interrupted, best->word) == 0)
    return best->status == DORM_OK ? DORM_OK : dorm__fail(context, best->status, "%s", best->message);
  memcpy(reason, context->message, sizeof reason);
  return dorm__fail(context, DORM_STOPPED,
                    "training with data.normalisation = %s was interrupted (%.300s); the model is of %s", interrupted,
                    reason, best->word);
}

static dorm_status train_normalisations(dorm_context *context, const dorm_settings *settings, dorm__grid grid,
                                        const dorm__trainer_set *set, dorm_training **training)
{
  dorm__turn turn = {.count = dorm__settings_count(settings, DORM__DATA_NORMALISATION)};
  best_training best = {0};
  if (turn.count < 2) {
    turn.count = 1;
    return dorm__train_once(context, settings, grid, set, &turn, training);
  }
  dorm_status status = check_normalisations(context, settings, set, &grid);
  for (turn.is_complete = true; status == DORM_OK && turn.number < turn.count; turn.number++) {
    status = take_turn(context, settings, grid, set, &turn, &best);
    if (status == DORM_STOPPED && turn.is_complete)
      status = DORM_OK; /* not interrupted: some solves ended at a limit of their own */
  }
  bool is_interrupted = status == DORM_STOPPED;
  if (best.training && (status == DORM_OK || is_interrupted))
    return finish(context, &best,
                  is_interrupted ? dorm__settings_word_at(settings, DORM__DATA_NORMALISATION, turn.number - 1) : NULL,
                  training);
  dorm_training_free(best.training);
  return status;
}

/* ---- Shards ------------------------------------------------------------------------- */

/* Splits *data into solver.shards shards. *data and *own become a view with them. Does nothing if *data is NULL, if it
 * already has that number of shards, or if solver.shards is auto and the data were not read in shards. Fails if the
 * data were read in another number of shards. The caller ends the view, also after a failure. */
static dorm_status deal(dorm_context *context, const dorm_settings *settings, const dorm_dataset **data,
                        dorm_dataset **own, view *made)
{
  bool is_auto = dorm__settings_is_auto(settings, DORM__SOLVER_SHARDS);
  size_t num_shards = is_auto ? 0 : dorm__settings_integer(settings, DORM__SOLVER_SHARDS);
  size_t given = *data && (*data)->shards ? (*data)->shards->total : 0;
  if (!*data || given == num_shards)
    return DORM_OK;
  if (given)
    return dorm__fail(context, DORM_BAD_USAGE, "%s was read in %zu shards, but solver.shards = %s", (*data)->name,
                      given, dorm__settings_text(settings, DORM__SOLVER_SHARDS));
  if (dorm__processes_size(context) > 1)
    return dorm__fail(context, DORM_BAD_USAGE, "%s: each process needs its share of the data (dorm_read_options)",
                      (*data)->name);
  begin_view(data, own, made);
  dorm_status status = dorm__shards_deal(context, *data, num_shards, &made->shards);
  made->seen.shards = made->shards;
  return status;
}

/* ---- Messages about the data -------------------------------------------------------------- */

/* If the data have only some of the features that data.features names, reports how many: in a note for sparse data,
 * otherwise in a warning. */
static dorm_status say_features(dorm_context *context, const dorm_settings *settings, const dorm_dataset *train)
{
  const char *text = dorm__settings_text(settings, DORM__DATA_FEATURES);
  double num_named = 0;
  size_t num_there = 0;
  dorm__id_ranges named;
  dorm_status status = dorm__id_ranges_parse(context, dorm__setting_table[DORM__DATA_FEATURES].key, text, &named);
  for (size_t i = 0; i < named.count; i++) {
    num_named += (double)(named.items[i].last - named.items[i].first) + 1;
    for (size_t f = 0; f < train->num_features; f++)
      num_there += train->feature_ids[f] >= named.items[i].first && train->feature_ids[f] <= named.items[i].last;
  }
  dorm__id_ranges_clear(&named);
  if (status == DORM_OK && num_there && (double)num_there < num_named) /* data without any of them fail later */
    dorm__tell(context, train->row_start ? DORM_EVENT_NOTE : DORM_EVENT_WARNING,
               "%s has %zu of the %.0f features of data.features = %s", train->name, num_there, num_named, text);
  return status;
}

static bool are_equal_bytes(const void *one, const void *other, size_t count, size_t size)
{
  return memcmp(one, other, count * size) == 0;
}

/* Returns whether both data sets seem to have the same documents in the same order: equal queries, labels, features and
 * values. Does not compare the values if one of the data sets keeps them in a file, because that takes too long. */
static bool are_equal(const dorm_dataset *one, const dorm_dataset *other)
{
  size_t num_docs = one->num_docs;
  if (!num_docs || num_docs != other->num_docs || one->num_queries != other->num_queries ||
      one->num_features != other->num_features || !one->row_start != !other->row_start)
    return false;
  size_t num_values = one->row_start ? one->row_start[num_docs] : num_docs * one->num_features;
  if (one->row_start && (!are_equal_bytes(one->row_start, other->row_start, num_docs + 1, sizeof *one->row_start) ||
                         !are_equal_bytes(one->indices, other->indices, num_values, sizeof *one->indices)))
    return false;
  return are_equal_bytes(one->feature_ids, other->feature_ids, one->num_features, sizeof *one->feature_ids) &&
         are_equal_bytes(one->labels, other->labels, num_docs, sizeof *one->labels) &&
         are_equal_bytes(one->query_start, other->query_start, one->num_queries + 1, sizeof *one->query_start) &&
         (one->file || other->file || are_equal_bytes(one->values, other->values, num_values, sizeof *one->values));
}

/* Warns of properties of the data that the caller may not expect. */
static dorm_status say_data(dorm_context *context, const dorm_settings *settings, const dorm__grid *grid)
{
  const dorm_dataset *train = grid->train, *validation = grid->validation;
  dorm_status status = say_features(context, settings, train);
  if (status != DORM_OK || !validation)
    return status;
  dorm__compare_features(context, validation,
                         strcmp(train->name, validation->name) ? train->name : "the training data set",
                         train->num_features, train->feature_ids);
  if (are_equal(train, validation))
    dorm__warn(context, "%s: the validation data are the training data, so that values on them are too high",
               validation->name);
  return status;
}

/* ---- The calls ------------------------------------------------------------------------ */

static dorm_status train(dorm_context *context, const dorm_settings *given_settings, dorm__grid grid,
                         const dorm__trainer_set *set, dorm_training **training)
{
  view views[4] = {{.source = NULL}}; /* the later ones may be views of the earlier ones */
  dorm_dataset *joined = NULL, *kept = NULL, *drawn = NULL;
  dorm_settings *settings = NULL;
  *training = NULL;
  dorm__processes_begin(context);
  dorm_status status = dorm__check_processes_agree(context, given_settings, &grid);
  if (status == DORM_OK && dorm__processes_size(context) > 1 &&
      dorm__settings_is_auto(given_settings, DORM__SOLVER_SHARDS))
    status = dorm__fail(context, DORM_BAD_USAGE,
                        "solver.shards = auto: %zu processes need a number of shards, for example solver.shards = 64",
                        dorm__processes_size(context));
  if (status == DORM_OK)
    status = dorm__settle_trainer(context, given_settings, grid.train, grid.validation != NULL, &settings);
  if (status == DORM_OK)
    status = DORM__ALL(
        dorm__check_outputs(context, settings), deal(context, settings, &grid.train, &grid.own_train, &views[0]),
        deal(context, settings, &grid.validation, &grid.own_validation, &views[1]),
        dorm__settings_check_obeyed(context, given_settings), say_data(context, settings, &grid),
        join_for_folds(context, settings, set, &grid, &joined), leave_out_weightless(context, &grid, &kept));
  if (status == DORM_OK)
    status = DORM__ALL(draw_for_budget(context, given_settings, &grid, &drawn),
                       scale_weights(context, &grid.train, &grid.own_train, &views[2]),
                       scale_weights(context, &grid.validation, &grid.own_validation, &views[3]),
                       train_normalisations(context, settings, grid, set, training));
  dorm_settings_free(settings);
  for (size_t i = sizeof views / sizeof *views; i-- > 0;)
    end_view(&views[i]);
  dorm_dataset_free(drawn);
  dorm_dataset_free(kept);
  dorm_dataset_free(joined);
  status = dorm__processes_end(context, status);
  if (status != DORM_OK && status != DORM_STOPPED) {
    dorm_training_free(*training);
    *training = NULL;
  }
  return status;
}

static const dorm__trainer_set usual = {.known = dorm__trainers};

dorm_status dorm_train(dorm_context *context, const dorm_settings *settings, const dorm_dataset *train_set,
                       const dorm_dataset *validation, dorm_training **training)
{
  if (DORM__LACKS(context, DORM__GIVEN(settings), {"train", train_set, NULL}, DORM__RESULT(training)))
    return DORM_BAD_USAGE;
  return train(context, settings, (dorm__grid){.train = train_set, .validation = validation}, &usual, training);
}

dorm_status dorm_train_consuming(dorm_context *context, const dorm_settings *settings, dorm_dataset *train_set,
                                 dorm_dataset *validation, dorm_training **training)
{
  if (DORM__LACKS(context, DORM__GIVEN(settings), {"train", train_set, NULL}, DORM__RESULT(training)))
    return DORM_BAD_USAGE;
  dorm__grid grid = {
      .train = train_set, .validation = validation, .own_train = train_set, .own_validation = validation};
  return train(context, settings, grid, &usual, training);
}

dorm_status dorm__train_with(dorm_context *context, const dorm_settings *settings, const dorm_dataset *train_set,
                             const dorm_dataset *validation, size_t num_extra, const dorm__trainer *const *extra,
                             dorm_training **training)
{
  const dorm__trainer_set set = {.known = dorm__trainers, .num_extra = num_extra, .extra = extra};
  return train(context, settings, (dorm__grid){.train = train_set, .validation = validation}, &set, training);
}
