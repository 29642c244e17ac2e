/*
 * stream.c: dorm_train_stream. Each query of a file or pipe is read, scored by the present weights, measured, and
 * learned from (solver/stream.c). Every stream.every queries the checkpoint and the model are written. A checkpoint is
 * a record (base/record.h) of
 *
 *   a magic text, version, byte order, fingerprint of the settings and of the model of data.from,
 *   the place in the input, whether rows are sparse, the feature ids in the order of appearance, the sums of the
 *     progressive measure,
 *   the weights and the number of queries that they were learned from.
 *
 * It holds whole queries and no times, so a training that was killed and resumed writes the same bytes as a training
 * that was not interrupted.
 */
#include "base/processes.h"
#include "training/stream_call.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

/* ---- Running means ------------------------------------------------------------------- */

static void running_add(dorm__running *running, double value)
{
  running->count++;
  double from_old = value - running->mean;
  running->mean += from_old / (double)running->count;
  running->squares += from_old * (value - running->mean);
}

static double running_error(const dorm__running *running)
{
  double count = (double)running->count;
  return running->count > 1 ? sqrt(running->squares / (count - 1) / count) : (double)NAN;
}

/* ---- Checkpoints ----------------------------------------------------------------------- */

static const char magic[16] = "dorm stream";
static const uint64_t version = 2;
static const uint64_t byte_order = UINT64_C(0x0102030405060708);

/* Returns whether the trained weights may depend on a setting. */
static bool matters(dorm__setting setting)
{
  static const dorm__setting others[] = {DORM__DATA_TRAIN, DORM__DATA_TEST, DORM__SOLVER_THREADS, DORM__STREAM_EVERY};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (setting == others[i])
      return false;
  return strncmp(dorm__setting_table[setting].key, "output.", strlen("output.")) != 0;
}

static uint64_t fingerprint(const dorm__stream_call *call)
{
  uint64_t hash = DORM__HASH_START;
  for (size_t i = 0; i < DORM__NUM_SETTINGS; i++) {
    const char *text = dorm__settings_text(call->settings, (dorm__setting)i);
    if (matters((dorm__setting)i))
      hash = dorm__hash_bytes(hash, text, strlen(text) + 1);
  }
  return call->from ? dorm__hash_bytes(hash, &call->from_hash, sizeof call->from_hash) : hash;
}

static void put_running(dorm__record_writer *writer, const dorm__running *running)
{
  dorm__record_put_count(writer, running->count);
  dorm__record_put_number(writer, running->mean);
  dorm__record_put_number(writer, running->squares);
}

/* Writes the checkpoint if output.checkpoint is set. */
static dorm_status save(const dorm__stream_call *call)
{
  const char *path = dorm__settings_text(call->settings, DORM__OUTPUT_CHECKPOINT);
  dorm__record_writer *writer = NULL;
  dorm_status status = *path ? dorm__record_create(call->context, path, &writer) : DORM_OK;
  if (!writer)
    return status;
  dorm__record_put_bytes(writer, magic, sizeof magic);
  dorm__record_put_count(writer, version);
  dorm__record_put_count(writer, byte_order);
  dorm__record_put_count(writer, fingerprint(call));
  dorm__record_put_count(writer, call->place.num_queries);
  dorm__record_put_count(writer, call->place.num_lines);
  dorm__record_put_count(writer, call->place.hash);
  dorm__record_put_count(writer, call->is_sparse);
  dorm__record_put_count(writer, call->rows.num_ids);
  for (size_t i = 0; i < call->rows.num_ids; i++)
    dorm__record_put_count(writer, call->rows.ids[i]);
  put_running(writer, &call->all);
  put_running(writer, &call->recent);
  dorm__stream_save(call->stream, writer);
  return dorm__record_commit(call->context, writer);
}

static dorm_status damaged(const dorm__stream_call *call, const char *what)
{
  return dorm__fail(call->context, DORM_BAD_DATA, "%s: %s; remove it to start anew",
                    dorm__settings_text(call->settings, DORM__OUTPUT_CHECKPOINT), what);
}

static dorm__running take_running(dorm__record_reader *reader)
{
  dorm__running running = {.count = dorm__record_take_count(reader)};
  running.mean = dorm__record_take_number(reader);
  running.squares = dorm__record_take_number(reader);
  return running;
}

/* Numbers the features as before. Features of data.from have their numbers already, which must be the same. */
static dorm_status take_ids(dorm__stream_call *call, dorm__record_reader *reader)
{
  dorm_status status = DORM_OK;
  size_t count = dorm__record_take_count(reader);
  for (size_t i = 0; status == DORM_OK && !reader->is_bad && i < count; i++) {
    size_t id = dorm__record_take_count(reader);
    reader->is_bad = reader->is_bad || id > DORM__LARGEST_ID;
    if (!reader->is_bad)
      status = dorm__stream_rows_add(call->context, &call->rows, 1, &id);
    reader->is_bad = reader->is_bad || (status == DORM_OK && (i >= call->rows.num_ids || call->rows.ids[i] != id));
  }
  reader->is_bad = reader->is_bad || call->rows.num_ids != count;
  return status;
}

static dorm_status take_state(dorm__stream_call *call, dorm__record_reader *reader)
{
  size_t width;
  call->place.num_queries = dorm__record_take_count(reader);
  call->place.num_lines = dorm__record_take_count(reader);
  call->place.hash = dorm__record_take_word(reader);
  call->is_sparse = dorm__record_take_count(reader) != 0;
  dorm_status status = take_ids(call, reader);
  call->all = take_running(reader);
  call->recent = take_running(reader);
  if (status == DORM_OK && !reader->is_bad)
    status = dorm__stream_restore(call->context, call->stream, reader);
  dorm__stream_weights(call->stream, &width);
  reader->is_bad = reader->is_bad || width != dorm__stream_rows_width(&call->rows);
  if (status == DORM_OK && (reader->is_bad || reader->at != reader->size))
    status = damaged(call, "the checkpoint is damaged");
  return status;
}

static dorm_status read_bytes(dorm__stream_call *call, const char *bytes, size_t size)
{
  dorm__record_reader reader;
  if (size < sizeof magic + 4 * sizeof(uint64_t) || memcmp(bytes, magic, sizeof magic) != 0)
    return damaged(call, "not the checkpoint of a stream");
  bool is_whole = dorm__record_open(bytes, size, &reader);
  dorm__record_take(&reader, 1, sizeof magic);
  if (dorm__record_take_word(&reader) != version || dorm__record_take_word(&reader) != byte_order)
    return damaged(call, "a checkpoint of another version or machine");
  if (!is_whole)
    return damaged(call, "the checkpoint is damaged");
  if (dorm__record_take_word(&reader) != fingerprint(call))
    return damaged(call, call->from ? "the checkpoint belongs to other settings, or to another model of data.from"
                                    : "the checkpoint belongs to other settings");
  return take_state(call, &reader);
}

/* Reads the checkpoint if output.resume = yes and the file exists. *is_there becomes whether it was read. Refuses to
 * replace a checkpoint unless output.resume is given. */
static dorm_status read_checkpoint(dorm__stream_call *call, bool *is_there)
{
  const char *path = dorm__settings_text(call->settings, DORM__OUTPUT_CHECKPOINT);
  size_t resume = dorm__settings_choice(call->settings, DORM__OUTPUT_RESUME);
  bool resumes = resume == DORM__RESUME_YES, overwrites = resume == DORM__RESUME_OVERWRITE;
  DORM__FREED char *bytes = NULL;
  size_t size = 0;
  *is_there = false;
  if (!*path)
    return resumes ? dorm__fail(call->context, DORM_BAD_USAGE, "output.resume = yes needs output.checkpoint") : DORM_OK;
  dorm_status status = dorm_context_lock_output(call->context, path);
  if (status != DORM_OK)
    return status;
  bool exists = access(path, F_OK) == 0 || errno != ENOENT;
  if (exists && !resumes && !overwrites)
    return dorm__fail(call->context, DORM_BAD_USAGE,
                      "%s: a checkpoint is there already: output.resume = yes (--resume) continues from it, "
                      "output.resume = overwrite (--overwrite) starts anew and replaces it",
                      path);
  if (!exists || overwrites)
    return DORM_OK;
  status = DORM__ALL(dorm__read_whole(call->context, path, &bytes, &size), read_bytes(call, bytes, size));
  *is_there = status == DORM_OK;
  return status;
}

/* ---- Reports and models ---------------------------------------------------------------- */

static dorm_status make_model(const dorm__stream_call *call, dorm_model **model)
{
  char text[200];
  size_t width;
  const double *weights = dorm__stream_weights(call->stream, &width);
  for (size_t f = 0; f < width; f++)
    if (!isfinite(weights[f]))
      return dorm__fail(call->context, DORM_NUMERICAL_FAILURE,
                        "%s: weights overflow after %" PRIu64 " queries: feature values or labels are too large",
                        dorm__settings_text(call->settings, DORM__DATA_TRAIN), call->place.num_queries);
  dorm_status status = dorm__stream_rows_model(call->context, &call->rows, weights, call->settings, model);
  snprintf(text, sizeof text, "learned from %" PRIu64 " queries of a stream, one after the other",
           call->place.num_queries);
  return status == DORM_OK ? dorm__model_remark(call->context, *model, text) : status;
}

static dorm_stream_report make_report(const dorm__stream_call *call)
{
  const dorm__running *all = &call->all, *recent = &call->recent;
  uint64_t num_trained = dorm__stream_num_trained(call->stream);
  return (dorm_stream_report){
      .num_queries = (size_t)call->place.num_queries,
      .num_lines = (size_t)call->place.num_lines,
      .num_trained = (size_t)num_trained,
      .num_features = call->rows.num_ids,
      .num_measured = (size_t)all->count,
      .progressive = all->count ? all->mean : (double)NAN,
      .progressive_error = running_error(all),
      .num_recent = (size_t)recent->count,
      .recent = recent->count ? recent->mean : (double)NAN,
      .recent_error = running_error(recent),
      .C = call->options.C / fmax((double)num_trained, (double)call->options.prior),
      .seconds = dorm__seconds() - call->started,
      .num_resumed = (size_t)call->num_resumed,
  };
}

/* Writes checkpoint and model, then reports, so that the reported model exists. */
static dorm_status publish(dorm__stream_call *call, dorm_stream_function report, void *user)
{
  DORM__OWNED(dorm_model) *model = NULL;
  dorm_stream_report made = make_report(call);
  call->recent = (dorm__running){0};
  dorm_status status =
      DORM__ALL(save(call), make_model(call, &model),
                dorm_model_write(call->context, model, dorm__settings_text(call->settings, DORM__OUTPUT_MODEL)));
  if (status == DORM_OK && report)
    report(user, &made);
  return status;
}

/* ---- Queries --------------------------------------------------------------------------- */

/* Puts file and line of the query before the message about it. */
static dorm_status name_line(const dorm__stream_call *call, dorm_status status)
{
  const char *path = dorm__settings_text(call->settings, DORM__DATA_TRAIN);
  char message[DORM__MESSAGE_SIZE];
  if (status != DORM_BAD_DATA && status != DORM_BAD_USAGE && status != DORM_BAD_MODULE)
    return status;
  memcpy(message, call->context->message, sizeof message);
  size_t size = strlen(path);
  bool has_path = strncmp(message, path, size) == 0 && message[size] == ':' && message[size + 1] == ' ';
  return dorm__fail(call->context, status, "%s:%zu: %s", path,
                    (size_t)dorm__query_reader_place(call->reader).first_line, message + (has_path ? size + 2 : 0));
}

/* Scores a query, takes its step, and measures the ranking by the scores from before the step. */
static dorm_status learn(dorm__stream_call *call, const dorm_dataset *query, const dorm__features *features,
                         dorm__loss_tables *tables)
{
  dorm_evaluation evaluation;
  double value = (double)NAN;
  if (!DORM__GROW(call->scores, call->scores_capacity, query->num_docs))
    return dorm__out_of_memory(call->context, "scores");
  call->is_broken = true;
  dorm_status status =
      DORM__ALL(dorm__stream_take(call->context, call->stream, query, features, tables, call->scores),
                dorm__measure_dataset(call->context, call->measure, query, call->scores, &value, &evaluation));
  if (status != DORM_OK)
    return status;
  call->is_broken = false;
  call->place = dorm__query_reader_place(call->reader);
  if (!isnan(value)) {
    running_add(&call->all, value);
    running_add(&call->recent, value);
  }
  return DORM_OK;
}

static dorm_status take_query(dorm__stream_call *call, dorm_dataset *query)
{
  DORM__AT_END(dorm__features_free) dorm__features features = {0};
  DORM__OWNED(dorm__loss_tables) *tables = NULL;
  call->is_sparse = query->row_start != NULL; /* before the rows take its memory */
  dorm_status status = DORM__ALL(dorm__measure_check(call->context, call->measure, query),
                                 dorm__loss_tables_build(call->context, call->loss, query, 1, &tables));
  if (status == DORM_OK) /* a refused query adds no features */
    status = dorm__stream_rows_make(call->context, &call->rows, query, &features);
  return DORM__ALL(status, learn(call, query, &features, tables));
}

/* Learns from query after query up to the end of the input. *is_published becomes whether the written model includes
 * the last one. */
static dorm_status take_queries(dorm__stream_call *call, dorm_stream_function report, void *user, bool *is_published)
{
  size_t every = dorm__settings_integer(call->settings, DORM__STREAM_EVERY);
  dorm_status status = DORM_OK;
  while (status == DORM_OK) {
    dorm_dataset *query = NULL;
    if (dorm__cancelled(call->context))
      return dorm__fail(call->context, DORM_STOPPED, "the stream was cancelled");
    status = dorm__query_reader_next(call->context, call->reader, &query);
    if (status != DORM_OK || !query)
      return status;
    status = name_line(call, take_query(call, query));
    dorm_dataset_free(query);
    *is_published = false;
    if (status == DORM_OK && call->place.num_queries % every == 0) {
      status = publish(call, report, user);
      *is_published = status == DORM_OK;
    }
  }
  return status;
}

/* Writes the result at the end of the input, after a signal, or at a bad line, whose message stays. */
static dorm_status end_stream(dorm__stream_call *call, dorm_status ended, bool is_published,
                              dorm_stream_function report, void *user, dorm_model **model)
{
  char message[DORM__MESSAGE_SIZE];
  memcpy(message, call->context->message, sizeof message);
  bool is_readable = ended == DORM_OK || ended == DORM_STOPPED || ended == DORM_BAD_DATA;
  if (!call->place.num_queries && ended == DORM_OK)
    return dorm__fail(call->context, DORM_BAD_DATA, "%s: no query in it",
                      dorm__settings_text(call->settings, DORM__DATA_TRAIN));
  if (!call->place.num_queries || !is_readable || call->is_broken)
    return ended;
  dorm_status status = DORM__ALL(is_published ? DORM_OK : publish(call, report, user), make_model(call, model));
  if (status == DORM_OK && ended == DORM_BAD_DATA)
    return dorm__fail(call->context, ended, "%s", message);
  return status;
}

dorm_status dorm_train_stream(dorm_context *context, const dorm_settings *settings, dorm_stream_function report,
                              void *user, dorm_model **model)
{
  if (DORM__LACKS(context, DORM__GIVEN(settings), DORM__RESULT(model)))
    return DORM_BAD_USAGE;
  dorm__stream_call call = {.context = context, .started = dorm__seconds()};
  bool is_resumed = false;
  *model = NULL;
  if (dorm__processes_size(context) > 1)
    return dorm__fail(context, DORM_BAD_USAGE,
                      "several processes cannot train on one stream: take dorm train --stream");
  dorm_status status = DORM__ALL(dorm__stream_call_open(&call, settings), read_checkpoint(&call, &is_resumed));
  if (status == DORM_OK) /* so that the model does not depend on how often its training was interrupted */
    status = dorm__settings_become(context, call.settings, DORM__OUTPUT_RESUME, "no");
  call.num_resumed = call.place.num_queries;
  if (status == DORM_OK && is_resumed && report) {
    dorm_stream_report made = make_report(&call);
    report(user, &made);
  }
  if (status == DORM_OK)
    status = dorm__stream_call_open_input(&call, is_resumed);
  if (status == DORM_OK) {
    bool is_published = false;
    status = take_queries(&call, report, user, &is_published);
    status = end_stream(&call, status, is_published, report, user, model);
  }
  dorm__stream_call_close(&call);
  return status;
}
