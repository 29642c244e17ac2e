/*
 * stream_call.c: opens everything for a call of dorm_train_stream: the earlier model, loss, measure, rows and input.
 * Refuses or notes settings of batch training that a stream cannot use.
 */
#include "training/stream_call.h"
#include "training/train_once.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char default_C[] = "10";

/* C is divided by at least this number of queries (measured in experiments/beyond/README.md). */
enum { PRIOR = 100 };

static dorm_status set(const dorm__stream_call *call, dorm__setting setting, const char *text)
{
  return dorm__settings_become(call->context, call->settings, setting, text);
}

/* ---- Refused settings --------------------------------------------------------- */

/* Refuses settings that a stream would not obey. */
static dorm_status check_settings(const dorm__stream_call *call)
{
  static const struct {
    dorm__setting setting;
    const char *may_be; /* a harmless value other than the default */
    const char *reason;
  } refused[] = {
      {DORM__DATA_VALIDATION, "", "there are no candidates to choose from; the progressive measure is printed"},
      {DORM__DATA_SORT_QUERIES, "no", "the lines of a query have to be together"},
      {DORM__DATA_CACHE, "no", "nothing is kept of what was read"},
      {DORM__DATA_SUBTOPICS, "", "a stream has no side files"},
      {DORM__DATA_CLICKS, "", "a log of clicks is of data that are whole"},
      {DORM__SOLVER_SHARDS, "auto", "a stream is not split into shards"},
      {DORM__FEATURES_CROSS, "", "a stream makes no products of features"},
      {DORM__KERNEL_KERNEL, "linear", "a stream trains a linear model"},
      {DORM__TRAINING_TRAINER, "svm", "a stream trains a structured SVM"},
      {DORM__RANKING_POSITION_FUNCTIONS, "1", "a stream makes one function of all positions"},
      {DORM__SOLVER_START, "zero", "a stream starts at 0, or at the model of data.from"},
      {DORM__SOLVER_MAX_SECONDS, "0", "a stream is ended by a signal, or by its end"},
      {DORM__TRAINING_INCREASING, "", "weights of a stream have no bounds"},
      {DORM__TRAINING_DECREASING, "", "weights of a stream have no bounds"},
      {DORM__DIVERSITY_GROUPS, "none", "a stream knows no groups of documents"},
      {DORM__SELECTION_FOLDS, "0", "there are no candidates to choose from"},
      {DORM__SELECTION_RETRAIN, "no", "there are no candidates to choose from"},
      {DORM__OUTPUT_CANDIDATES, "", "a stream makes one model"},
  };
  static const dorm__setting single[] = {DORM__SOLVER_C,          DORM__DATA_NORMALISATION,       DORM__DATA_RANK_BLOCK,
                                         DORM__RANKING_REFERENCE, DORM__RANKING_POSITION_WEIGHTS, DORM__LOSS_TRUNCATION,
                                         DORM__SOLVER_RHO};
  const dorm_settings *settings = call->settings;
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    const dorm_setting_info *info = &dorm__setting_table[refused[i].setting];
    const char *text = dorm__settings_text(settings, refused[i].setting);
    if (strcmp(text, info->default_text) != 0 && strcmp(text, refused[i].may_be) != 0)
      return dorm__fail(call->context, DORM_BAD_USAGE, "%s = %s does not go with a stream: %s", info->key, text,
                        refused[i].reason);
  }
  for (size_t i = 0; i < sizeof single / sizeof *single; i++)
    if (dorm__settings_is_given(settings, single[i]) && dorm__settings_count(settings, single[i]) > 1)
      return dorm__fail(call->context, DORM_BAD_USAGE, "%s = %s: a stream trains with one value; name one",
                        dorm__setting_table[single[i]].key, dorm__settings_text(settings, single[i]));
  return DORM_OK;
}

/* Notes settings of batch training that a stream does not use. */
static void note_unused(const dorm__stream_call *call, const dorm_settings *given)
{
  static const dorm__setting settings[] = {
      DORM__KERNEL_RANK,        DORM__TRAINING_LAMBDA,        DORM__TRAINING_PATIENCE,
      DORM__TRAINING_SEED,      DORM__RANKING_ROUNDS,         DORM__SOLVER_RIDGE,
      DORM__SOLVER_GAP,         DORM__SOLVER_MAX_ITERATIONS,  DORM__DIVERSITY_TOP,
      DORM__DIVERSITY_CAPACITY, DORM__SELECTION_AVERAGE,      DORM__SELECTION_BLEND,
      DORM__SELECTION_START,    DORM__DATA_VALIDATION_CLICKS, DORM__OUTPUT_CHECKPOINT_SECONDS,
      DORM__DATA_CATEGORICAL};
  static const char *const sections[] = {"clicks", "trees", "net", "smooth", "ratings", "factorization"};
  static const char reason[] = "a stream has no use for it";
  bool is_structured = dorm__loss_is_structured(call->loss);
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
    dorm__note_unused(call->context, given, settings[i], reason);
  for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
    dorm__note_unused_section(call->context, given, sections[i], reason);
  if (!call->from)
    dorm__note_unused(call->context, given, DORM__SOLVER_RHO, "there is no data.from");
  if (is_structured && strcmp(dorm__settings_text(given, DORM__RANKING_REFERENCE), "none") != 0)
    dorm__note_unused(call->context, given, DORM__RANKING_REFERENCE, "the loss is structured");
  if (is_structured && strcmp(dorm__settings_text(given, DORM__RANKING_POSITION_WEIGHTS), "loss") != 0)
    dorm__note_unused(call->context, given, DORM__RANKING_POSITION_WEIGHTS, "the loss is structured");
}

/* Refuses to write over a file that a resumed stream reads. */
static dorm_status check_files(const dorm__stream_call *call)
{
  const char *from = dorm__settings_text(call->settings, DORM__DATA_FROM);
  const char *model = dorm__settings_text(call->settings, DORM__OUTPUT_MODEL);
  const char *checkpoint = dorm__settings_text(call->settings, DORM__OUTPUT_CHECKPOINT);
  dorm_status status = dorm__check_outputs(call->context, call->settings);
  if (status != DORM_OK)
    return status;
  if (*checkpoint && *from && dorm__is_same_file(from, model))
    return dorm__fail(call->context, DORM_BAD_USAGE,
                      "data.from and output.model are both %s: a stream with a checkpoint needs the model that it "
                      "started at when it is resumed; name another file for output.model",
                      from);
  return DORM_OK;
}

/* ---- Opening ------------------------------------------------------------------------- */

static dorm_status open_loss(dorm__stream_call *call)
{
  const dorm_settings *settings = call->settings;
  dorm__loss *loss = NULL;
  dorm_status status = dorm__loss_from(call->context, settings, &loss);
  call->loss = loss;
  if (status == DORM_OK && dorm__settings_count(settings, DORM__LOSS_TRUNCATION)) {
    size_t truncation = (size_t)dorm__settings_number_at(settings, DORM__LOSS_TRUNCATION, 0);
    status = dorm__loss_with_truncation(call->context, loss, truncation, &call->loss);
    dorm__loss_close(loss);
  }
  if (status != DORM_OK) {
    call->loss = NULL;
    return status;
  }
  const char *name = dorm__loss_module_of(call->loss)->name;
  if (dorm__loss_module_of(call->loss)->prepare)
    return dorm__fail(call->context, DORM_BAD_USAGE,
                      "loss.name = %s looks at all queries before training, which a stream does not have", name);
  bool is_structured = dorm__loss_is_structured(call->loss);
  if (is_structured)
    status = set(call, DORM__RANKING_REFERENCE, "none");
  if (status == DORM_OK && is_structured)
    status = set(call, DORM__RANKING_POSITION_WEIGHTS, "loss");
  return status;
}

static dorm_status open_measure(dorm__stream_call *call)
{
  const char *given = dorm__settings_text(call->settings, DORM__SELECTION_MEASURE);
  if (!dorm__settings_is_auto(call->settings, DORM__SELECTION_MEASURE))
    return dorm__measure_open(call->context, given, &call->measure);
  dorm_status status = dorm__measure_open_for_loss(call->context, call->loss, &call->measure);
  return status == DORM_OK ? set(call, DORM__SELECTION_MEASURE, dorm__measure_spec(call->measure)) : status;
}

/* Computes the hash of the model of data.from, by which a checkpoint recognises it. */
static dorm_status hash_from(dorm__stream_call *call)
{
  char *text = NULL;
  size_t size = 0;
  dorm_status status = dorm_model_to_text(call->context, call->from, &text, &size);
  if (status == DORM_OK)
    call->from_hash = dorm__hash_bytes(DORM__HASH_START, text, size);
  dorm_text_free(text);
  return status;
}

/* Reads the model of data.from, and sets the settings to its normalisation and rank block. */
static dorm_status open_from(dorm__stream_call *call)
{
  const char *path = dorm__settings_text(call->settings, DORM__DATA_FROM);
  const dorm_settings *settings = call->settings;
  double rank_block = 0;
  if (!*path)
    return DORM_OK;
  dorm_status status = dorm_model_read(call->context, path, &call->from);
  dorm__input_remove(call->context, path); /* the new model may replace it */
  if (status == DORM_OK)
    status = hash_from(call);
  if (status != DORM_OK)
    return status;
  const char *own = dorm__normalisation_name(call->from->map.normalisation);
  const char *given = dorm__settings_text(settings, DORM__DATA_NORMALISATION);
  if (*dorm_model_setting(call->from, "features.cross"))
    return dorm__fail(call->context, DORM_BAD_USAGE,
                      "data.from = %s: the model has products of features, which a stream does not make", path);
  dorm__model_linear_weights(call->from, &rank_block);
  const char *number = DORM__NUMBER(rank_block);
  if (dorm__settings_is_given(settings, DORM__DATA_NORMALISATION) && strcmp(given, own) != 0)
    return dorm__fail(call->context, DORM_BAD_USAGE,
                      "data.from = %s: the model has features normalised by %s, but data.normalisation = %s", path, own,
                      given);
  if (dorm__settings_count(settings, DORM__DATA_RANK_BLOCK) &&
      dorm__settings_number_at(settings, DORM__DATA_RANK_BLOCK, 0) != rank_block)
    return dorm__fail(call->context, DORM_BAD_USAGE,
                      "data.from = %s: the model has a rank block of %s, but data.rank_block = %s", path, number,
                      dorm__settings_text(settings, DORM__DATA_RANK_BLOCK));
  status = set(call, DORM__DATA_NORMALISATION, own);
  return status == DORM_OK ? set(call, DORM__DATA_RANK_BLOCK, number) : status;
}

/* Gives values to settings that are auto. */
static dorm_status resolve(dorm__stream_call *call)
{
  const dorm_settings *settings = call->settings;
  dorm_status status = DORM_OK;
  if (!dorm__settings_is_given(settings, DORM__SOLVER_C))
    status = set(call, DORM__SOLVER_C, default_C);
  if (status == DORM_OK && dorm__settings_is_auto(settings, DORM__DATA_RANK_BLOCK))
    status = set(call, DORM__DATA_RANK_BLOCK, "0");
  if (status == DORM_OK && dorm__settings_is_auto(settings, DORM__RANKING_REFERENCE))
    status = set(call, DORM__RANKING_REFERENCE, "mu:0.3");
  return status;
}

static dorm_status open_options(dorm__stream_call *call)
{
  const dorm_settings *settings = call->settings;
  call->options = (dorm__stream_options){
      .position_weights = &call->position_weights,
      .reference = dorm__reference_from(dorm__settings_word_at(settings, DORM__RANKING_REFERENCE, 0)),
      .method = dorm__oracle_method_from(settings),
      .checks_oracles = dorm__settings_say_yes(settings, DORM__SOLVER_ORACLE_CHECK, 0),
      .C = dorm__settings_number_at(settings, DORM__SOLVER_C, 0),
      .prior = PRIOR,
  };
  if (!dorm__loss_is_structured(call->loss) && call->options.reference.kind == DORM__REFERENCE_NONE)
    return dorm__fail(call->context, DORM_BAD_USAGE,
                      "ranking.reference = none is for structured losses; loss '%s' needs a reference ranking",
                      dorm__loss_module_of(call->loss)->name);
  return DORM_OK;
}

/* Makes the stream, which starts at 0, or at rho times the weights of data.from. */
static dorm_status open_stream(dorm__stream_call *call)
{
  DORM__FREED double *base = NULL;
  size_t width = 0;
  double rho = dorm__settings_number_at(call->settings, DORM__SOLVER_RHO, 0);
  dorm_status status = dorm__stream_new(call->context, &call->options, &call->stream);
  if (status != DORM_OK || !call->from)
    return status;
  status = dorm__stream_rows_weights(call->context, &call->rows, &base, &width);
  for (size_t f = 0; status == DORM_OK && f < width; f++)
    base[f] *= rho;
  return DORM__ALL(status, dorm__stream_start_at(call->context, call->stream, width, base));
}

dorm_status dorm__stream_call_open(dorm__stream_call *call, const dorm_settings *given)
{
  dorm_status status =
      DORM__ALL(dorm__settings_copy(call->context, given, &call->settings), check_settings(call), check_files(call),
                open_from(call), resolve(call), open_loss(call),
                dorm__position_weights_from(call->context,
                                            dorm__settings_word_at(call->settings, DORM__RANKING_POSITION_WEIGHTS, 0),
                                            &call->position_weights),
                open_options(call));
  if (status == DORM_OK)
    status =
        DORM__ALL(open_measure(call), dorm__stream_rows_open(call->context, call->settings, call->from, &call->rows),
                  open_stream(call));
  call->rows.keeps_values = status == DORM_OK && dorm__loss_reads_features(call->loss);
  if (status == DORM_OK)
    note_unused(call, given);
  return status;
}

/* Refuses weights beside the file, which a stream would not obey. */
static dorm_status check_weights(const dorm__stream_call *call, const char *path)
{
  static const char ending[] = ".weight";
  size_t size = strlen(path) + sizeof ending;
  if (!dorm__settings_say_yes(call->settings, DORM__DATA_WEIGHTS, 0))
    return DORM_OK;
  DORM__FREED char *beside = dorm__alloc(size, 1);
  if (!beside)
    return dorm__out_of_memory(call->context, "a stream");
  snprintf(beside, size, "%s%s", path, ending);
  dorm_status status = access(beside, F_OK) != 0 ? DORM_OK
                                                 : dorm__fail(call->context, DORM_BAD_USAGE,
                                                              "a stream does not read the weights in %s; "
                                                              "data.weights = no leaves them out",
                                                              beside);
  return status;
}

dorm_status dorm__stream_call_open_input(dorm__stream_call *call, bool is_resumed)
{
  const char *path = dorm__settings_text(call->settings, DORM__DATA_TRAIN);
  const char *storage = dorm__settings_text(call->settings, DORM__DATA_STORAGE);
  dorm_storage kept = strcmp(storage, "dense") == 0    ? DORM_STORAGE_DENSE
                      : strcmp(storage, "sparse") == 0 ? DORM_STORAGE_SPARSE
                                                       : DORM_STORAGE_AUTO;
  if (!*path)
    return dorm__fail(call->context, DORM_BAD_USAGE, "data.train is not set: name the file or pipe of the stream");
  if (is_resumed)
    kept = call->is_sparse ? DORM_STORAGE_SPARSE : DORM_STORAGE_DENSE;
  dorm_status status =
      DORM__ALL(check_weights(call, path), dorm__query_reader_open(call->context, path, kept, &call->reader));
  if (status != DORM_OK || !is_resumed)
    return status;
  return dorm__query_reader_go_on(call->context, call->reader, &call->place);
}

void dorm__stream_call_close(dorm__stream_call *call)
{
  if (call->settings)
    dorm__unlock_output(call->context, dorm__settings_text(call->settings, DORM__OUTPUT_CHECKPOINT));
  dorm__stream_free(call->stream);
  dorm__free(call->scores);
  dorm__query_reader_close(call->reader);
  dorm__stream_rows_close(&call->rows);
  dorm__measure_close(call->measure);
  dorm__position_weights_clear(&call->position_weights);
  dorm__loss_close(call->loss);
  dorm_model_free(call->from);
  dorm_settings_free(call->settings);
}
