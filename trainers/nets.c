/*
 * nets.c: nets as a trainer: one candidate for each combination of the lists among the settings net.*, each with the
 * epoch that is best on the validation data. Without validation data all epochs are made and the last is kept. The same
 * holds for folds, which must have the same candidates. The schedule `donmez` restarts now and then, so it keeps the
 * epoch that is best on the training data. In a retraining a candidate has as many epochs as it was chosen with.
 */
#include "trainers/combinations.h"
#include "trainers/ridge.h"
#include "trainers/trainers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- The combinations of the settings ------------------------------------------------------- */

static const dorm__combined_list lists[] = {
    {DORM__NET_HIDDEN, "hidden", true}, {DORM__NET_LEARNING_RATE, "rate", false}, {DORM__TRAINING_SEED, "seed", false}};
enum { HIDDEN, RATE, SEED, NUM_LISTS };

/* One combination. */
typedef struct choice {
  size_t lambda; /* its number */
  double values[NUM_LISTS];
  char text[200]; /* "net:hidden=10,rate=0.01" */
} choice;

static size_t count(const dorm__job *job)
{
  return dorm__lambda_list_count(job, DORM__TRAINING_LAMBDA) * dorm__combinations_count(job, NUM_LISTS, lists);
}

/* Returns combination number `index`. The last list changes fastest. */
static choice choice_at(const dorm__job *job, size_t index)
{
  choice made;
  made.lambda = dorm__combination_values(job, NUM_LISTS, lists, index, made.values);
  snprintf(made.text, sizeof made.text, "net");
  dorm__combination_say(job, NUM_LISTS, lists, made.values, sizeof made.text, made.text);
  dorm__lambda_list_say(job, DORM__TRAINING_LAMBDA, made.lambda, sizeof made.text, made.text);
  return made;
}

/* ---- One set of rows -------------------------------------------------------------------------- */

/* The data that all candidates of one set of rows share. */
typedef struct nets {
  const dorm__job *job;
  dorm__training_rows *rows;
  dorm__sink *sink;
  dorm__features own[2];                              /* dense rows of sparse training and validation data */
  const dorm__features *train;                        /* as stored, for single layers */
  const dorm__features *full_train, *full_validation; /* dense, or NULL until a net with hidden units needs them */
  dorm__lambda_list lambdas;
  dorm__region memory;
  double *scores;            /* [num_docs] of the training data */
  double *validation_scores; /* [num_docs] of the validation data */
} nets;

static bool has_validation(const nets *all)
{
  return all->rows->validation && !all->job->num_folds;
}

/* Makes dense rows, which hidden units need, since their inputs depend on the shifts that sparse rows leave out. */
static dorm_status make_all_full(nets *all)
{
  dorm_status status = DORM_OK;
  if (!all->full_train)
    status = dorm__training_rows_full(all->job, all->rows, all->rows->train, all->train, false, &all->own[0],
                                      &all->full_train);
  if (status == DORM_OK && has_validation(all) && !all->full_validation)
    status = dorm__training_rows_full(all->job, all->rows, all->rows->validation, &all->rows->validation_features,
                                      false, &all->own[1], &all->full_validation);
  return status;
}

static dorm_status open_nets(nets *all)
{
  const dorm__job *job = all->job;
  dorm_status status = DORM__ALL(dorm__training_rows_features(job, all->rows, &all->train),
                                 dorm__lambda_list_open(job, DORM__TRAINING_LAMBDA, all->rows->train, &all->lambdas));
  if (status != DORM_OK)
    return status;
  all->scores = dorm__region_take_zero(&all->memory, all->train->num_docs, sizeof *all->scores);
  all->validation_scores = dorm__region_take_zero(
      &all->memory, has_validation(all) ? all->rows->validation->num_docs : 0, sizeof *all->validation_scores);
  return all->memory.is_short ? dorm__out_of_memory(job->context, "scores") : DORM_OK;
}

static void close_nets(nets *all)
{
  dorm__lambda_list_close(&all->lambdas);
  dorm__features_free(&all->own[0]);
  dorm__features_free(&all->own[1]);
  dorm__region_clear(&all->memory);
}

/* ---- One candidate ------------------------------------------------------------------------------ */

typedef struct fitting {
  nets *all;
  const choice *chosen;
  const dorm__features *train;      /* dense with hidden units */
  const dorm__features *validation; /* NULL if epochs are not chosen by it */
  dorm__net_schedule schedule;
  dorm__net_gradient *gradient;
  dorm__descent *descent;
  size_t num_epochs; /* made */
  dorm__net best;    /* the net to keep */
  size_t best_epoch; /* 0 for the start */
  double best_value;
  size_t num_pairs; /* with a force in that epoch */
} fitting;

/* Measures the net of the present epoch on some data. */
static dorm_status measure(const fitting *made, const dorm_dataset *dataset, const dorm__features *rows, double *scores,
                           double *value)
{
  const dorm__job *job = made->all->job;
  dorm_evaluation evaluation;
  dorm_status status =
      DORM__ALL(dorm__net_score(job->context, dorm__descent_net(made->descent), rows, job->num_threads, scores),
                dorm__job_measure(job, dataset, scores, NULL, &evaluation));
  *value = status == DORM_OK ? evaluation.mean : NAN;
  return status;
}

/* Keeps the net of the present epoch if it is the best, or if there is no value to compare. Passes the values to the
 * schedule. */
static dorm_status look_at_epoch(fitting *made, size_t num_pairs)
{
  const nets *all = made->all;
  const dorm__net *net = dorm__descent_net(made->descent);
  bool is_donmez = made->schedule == DORM__SCHEDULE_DONMEZ;
  double training_value = NAN;
  double value = NAN;
  dorm_status status = DORM_OK;
  if (is_donmez)
    status = measure(made, all->rows->train, made->train, all->scores, &training_value);
  if (status == DORM_OK && made->validation)
    status = measure(made, all->rows->validation, made->validation, all->validation_scores, &value);
  if (status != DORM_OK)
    return status;
  if (!made->validation)
    value = training_value;
  if (isnan(value) || !made->best_epoch || value > made->best_value) {
    memcpy(made->best.weights, net->weights, dorm__net_size(net->width, net->hidden) * sizeof *net->weights);
    made->best_epoch = made->num_epochs;
    made->best_value = value;
    made->num_pairs = num_pairs;
  }
  dorm_candidate candidate = dorm__training_rows_candidate(all->rows);
  candidate.reference = made->chosen->text;
  candidate.round = made->num_epochs;
  candidate.training = training_value;
  candidate.validation = made->validation ? value : NAN;
  dorm__sink_report_pass(all->sink, &candidate);
  return dorm__descent_heed(all->job->context, made->descent, training_value, value);
}

/* Notes that the weights left the range of numbers. The training continues with other candidates, and reports this at
 * its end. */
static void note_diverged(const fitting *made)
{
  dorm__progress *progress = made->all->sink->grid->progress;
  dorm_context *context = made->all->job->context;
  char reason[DORM__MESSAGE_SIZE];
  memcpy(reason, context->message, sizeof reason);
  snprintf(progress->diverged, sizeof progress->diverged,
           "%s, rate %g: %.150s in epoch %zu; the net of epoch %zu was kept, and a smaller net.learning_rate helps",
           made->chosen->text, made->chosen->values[RATE], reason, made->num_epochs + 1, made->best_epoch);
  dorm__warn(context, "%s", progress->diverged);
}

/* Returns the number of epochs without a better one after which the net is finished, 0 for never. */
static size_t patience_of(const fitting *made)
{
  enum { AUTO_PATIENCE = 30 };
  const dorm_settings *settings = made->all->job->settings;
  if (dorm__settings_is_auto(settings, DORM__TRAINING_PATIENCE))
    return made->schedule == DORM__SCHEDULE_ADAM ? AUTO_PATIENCE : 0;
  return dorm__settings_integer(settings, DORM__TRAINING_PATIENCE);
}

/* Makes epochs until there are enough, early stopping ends them, the weights leave the range of numbers, or the job is
 * interrupted. */
static dorm_status make_epochs(fitting *made)
{
  const dorm__job *job = made->all->job;
  size_t most = dorm__sink_rounds(made->all->sink, dorm__settings_integer(job->settings, DORM__NET_EPOCHS));
  size_t patience = !made->validation ? 0 : patience_of(made);
  dorm_status status = DORM_OK;
  while (status == DORM_OK && made->num_epochs < most) {
    dorm__net_pass pass;
    if (dorm__job_is_interrupted(job))
      return dorm__job_say_interrupted(job);
    status = dorm__descent_epoch(job->context, made->descent, &pass);
    if (status == DORM_NUMERICAL_FAILURE) {
      note_diverged(made);
      return DORM_OK;
    }
    made->num_epochs++;
    if (status == DORM_OK)
      status = look_at_epoch(made, pass.num_pairs);
    if (patience && made->num_epochs - made->best_epoch >= patience)
      break;
  }
  return status;
}

/* Hands over the best net: a single layer as weights, others as a part. */
static dorm_status offer_net(fitting *made)
{
  const nets *all = made->all;
  const dorm__job *job = all->job;
  dorm__offer offer = {.candidate = dorm__training_rows_candidate(all->rows), .train_scores = all->scores};
  dorm_status status = dorm__net_score(job->context, &made->best, made->train, job->num_threads, all->scores);
  if (status == DORM_OK && made->best.hidden)
    status = dorm__net_part_new(job->context, &all->rows->map, &made->best, &offer.part);
  else
    offer.w = made->best.weights;
  if (status != DORM_OK)
    return status;
  dorm__detail(job->context, "%s: epoch %zu of %zu kept; %zu effective pairs in it", made->chosen->text,
               made->best_epoch, made->num_epochs, made->num_pairs);
  offer.candidate.reference = made->chosen->text;
  offer.candidate.round = made->best_epoch;
  return dorm__sink_take(all->sink, all->rows, &offer);
}

/* Copies the weights of the net of data.from, which has as many units (check). */
static void start_at_model(fitting *made)
{
  const dorm__job *job = made->all->job;
  dorm__net *net = &made->best;
  dorm__model_net earlier;
  if (!net->hidden || !dorm__model_net_at(job->from, 0, &earlier)) {
    dorm__earlier_weights(made->all->rows, job->from, net->weights);
    return;
  }
  memcpy(net->weights, earlier.net->weights, dorm__net_size(net->width, net->hidden) * sizeof *net->weights);
  for (size_t k = 0; k < net->hidden; k++)
    net->weights[net->hidden * net->width + k] *= earlier.weight;
}

/* Sets the weights of the net by net.start, or to the weights of data.from. */
static dorm_status start_net(fitting *made, dorm__random *random)
{
  const dorm__job *job = made->all->job;
  double spread = 0;
  if (job->from) {
    start_at_model(made);
    return DORM_OK;
  }
  if (!dorm__linear_start_is(job, DORM__NET_START, 0))
    return dorm__net_draw(job->context, made->train, random, &made->best);
  DORM__FREED double *w = dorm__alloc(made->train->num_features, sizeof *w);
  return DORM__ALL(w ? dorm__linear_start(job, made->all->rows, made->train, DORM__NET_START, 0, w, &spread)
                     : dorm__out_of_memory(job->context, "a net"),
                   dorm__net_start_linear(job->context, made->train, w, spread, random, &made->best));
}

static dorm_status open_fitting(fitting *made)
{
  nets *all = made->all;
  const dorm__job *job = all->job;
  const double *values = made->chosen->values;
  size_t hidden = (size_t)values[HIDDEN];
  dorm__random random;
  dorm_status status = hidden ? make_all_full(all) : DORM_OK;
  made->train = hidden ? all->full_train : all->train;
  if (has_validation(all))
    made->validation = hidden ? all->full_validation : &all->rows->validation_features;
  dorm__random_seed_for(&random, "net", (uint64_t)values[SEED]);
  if (status == DORM_OK)
    status = DORM__ALL(dorm__net_new(job->context, made->train->num_features, hidden, &made->best),
                       start_net(made, &random));
  if (status == DORM_OK)
    status =
        dorm__net_gradient_new(job->context, all->rows->train, made->train, all->lambdas.lambdas[made->chosen->lambda],
                               hidden, job->num_threads, &made->gradient);
  if (status != DORM_OK)
    return status;
  made->schedule = (dorm__net_schedule)dorm__settings_choice(job->settings, DORM__NET_SCHEDULE);
  dorm__descent_options options = {.schedule = made->schedule,
                                   .batch = dorm__settings_integer(job->settings, DORM__NET_BATCH),
                                   .rate = values[RATE],
                                   .seed = dorm__random_bits(&random)};
  return dorm__descent_new(job->context, made->gradient, all->rows->train, made->train, &made->best, &options,
                           &made->descent);
}

static dorm_status make_candidate(nets *all, const choice *chosen)
{
  fitting made = {.all = all, .chosen = chosen};
  dorm_status status = DORM__ALL(open_fitting(&made), make_epochs(&made));
  if (status == DORM_OK || (status == DORM_STOPPED && made.best_epoch)) {
    dorm_status offered = offer_net(&made);
    status = offered == DORM_OK && status == DORM_STOPPED ? dorm__job_say_interrupted(all->job) : offered;
  }
  dorm__descent_free(made.descent);
  dorm__net_gradient_free(made.gradient);
  dorm__net_clear(&made.best);
  return status;
}

static dorm_status train(const dorm__job *job, dorm__training_rows *rows, dorm__sink *sink)
{
  nets all = {.job = job, .rows = rows, .sink = sink};
  dorm_status status = open_nets(&all);
  for (size_t i = 0; status == DORM_OK && i < count(job); i++) {
    choice chosen = choice_at(job, i);
    status = make_candidate(&all, &chosen);
  }
  sink->grid->training->num_training_queries = rows->train->num_queries;
  close_nets(&all);
  return status;
}

/* Returns whether a model is one net, or one linear function, of `hidden` units. */
static bool is_net(const dorm_model *model, size_t *hidden)
{
  double rank_block = 0;
  const double *linear = dorm__model_linear_weights(model, &rank_block);
  size_t width = model->map.num_ids * (rank_block > 0 ? 2 : 1);
  dorm__model_net net;
  bool has_net = dorm__model_net_at(model, 0, &net);
  bool is_zero = true;
  for (size_t f = 0; linear && f < width; f++)
    is_zero = is_zero && linear[f] == 0;
  *hidden = has_net ? net.net->hidden : 0;
  return has_net ? is_zero && model->num_parts == 1 + (linear != NULL) : linear && model->num_parts == 1;
}

/* Fails if a net cannot continue from the model of data.from. */
static dorm_status check(const dorm__job *job)
{
  const char *path = dorm__settings_text(job->settings, DORM__DATA_FROM);
  size_t hidden = 0;
  if (!job->from)
    return DORM_OK;
  if (!is_net(job->from, &hidden))
    return dorm__fail(
        job->context, DORM_BAD_USAGE,
        "data.from = %s: a net can continue from one net or from a linear model, and this model is another", path);
  if (!dorm__settings_is_auto(job->settings, DORM__NET_START))
    return dorm__fail(job->context, DORM_BAD_USAGE,
                      "data.from = %s: the net begins at this model, so that net.start has to be auto", path);
  for (size_t i = 0; i < dorm__settings_count(job->settings, DORM__NET_HIDDEN); i++)
    if (dorm__settings_number_at(job->settings, DORM__NET_HIDDEN, i) != (double)hidden)
      return dorm__fail(job->context, DORM_BAD_USAGE,
                        "data.from = %s: the model has %zu hidden units, but net.hidden has the value %g", path, hidden,
                        dorm__settings_number_at(job->settings, DORM__NET_HIDDEN, i));
  return DORM_OK;
}

/* Fills in settings net.* that depend on the schedule. */
static dorm_status settle(dorm__job *job, const dorm_dataset *train, const dorm_dataset *validation)
{
  const struct {
    dorm__setting setting;
    const char *values[2]; /* with adam, with donmez */
  } defaults[] = {{DORM__NET_LEARNING_RATE, {"0.01", "0.001, 0.01, 0.1"}},
                  {DORM__NET_EPOCHS, {validation ? "300" : "100", "700"}},
                  {DORM__NET_BATCH, {"10", "1"}},
                  {DORM__NET_START, {"ridge", "random"}}};
  (void)train;
  size_t schedule = dorm__settings_choice(job->settings, DORM__NET_SCHEDULE);
  dorm_status status = DORM_OK;
  for (size_t i = 0; status == DORM_OK && i < sizeof defaults / sizeof *defaults; i++)
    if (dorm__settings_is_auto(job->settings, defaults[i].setting))
      status = dorm__job_set(job, defaults[i].setting, defaults[i].values[schedule]);
  return status;
}

const dorm__trainer dorm__net_trainer = {.name = "net",
                                         .makes_parts = true,
                                         .takes_weights = true,
                                         .goes_on = true,
                                         .check = check,
                                         .settle = settle,
                                         .count = count,
                                         .train = train};
