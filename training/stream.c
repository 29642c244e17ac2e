/*
 * stream.c: dorm_train_stream. Each query of a pipe or file is ranked by the present weights and measured, then learned
 * from (solver/stream.c). Every so often the window is certified (solver/window.c) and checkpoint and model are
 * written. A checkpoint is of whole queries, and reports change nothing; so a training that was killed goes on from its
 * last checkpoint to the same bits.
 */
#include "base/processes.h"
#include "base/structs.h"
#include "training/stream_state.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- Reports and models ---------------------------------------------------------------- */

static dorm_status make_model(const dorm__stream_call *call, dorm_model **model)
{
  char text[200];
  size_t width;
  const double *weights = dorm__stream_weights(call->stream, &width);
  dorm_status status = dorm__stream_rows_model(call->context, &call->rows, weights, call->settings, model);
  snprintf(text, sizeof text, "learned from %" PRIu64 " queries of a stream, one after the other",
           call->place.num_queries);
  return status == DORM_OK ? dorm__model_remark(call->context, *model, text) : status;
}

static dorm_status make_report(const dorm__stream_call *call, dorm_stream_report *made)
{
  dorm__window_report window;
  const dorm__running *all = &call->all, *recent = &call->recent;
  uint64_t num_trained = dorm__stream_num_trained(call->stream);
  double C = call->options.C;
  dorm_status status =
      dorm__stream_report(call->context, call->stream, dorm__settings_number(call->settings, DORM__SOLVER_GAP),
                          dorm__settings_integer(call->settings, DORM__SOLVER_MAX_ITERATIONS), &window);
  if (status != DORM_OK)
    return status;
  *made = (dorm_stream_report){
      .num_queries = (size_t)call->place.num_queries,
      .num_lines = (size_t)call->place.num_lines,
      .num_trained = (size_t)num_trained,
      .num_features = call->rows.num_ids,
      .num_measured = (size_t)all->count,
      .progressive = all->count ? all->mean : (double)NAN,
      .progressive_error = dorm__running_error(all),
      .num_recent = (size_t)recent->count,
      .recent = recent->count ? recent->mean : (double)NAN,
      .recent_error = dorm__running_error(recent),
      .C = call->options.is_mean ? C / fmax((double)num_trained, (double)call->options.prior) : C,
      .window = window.num_queries,
      .primal = window.primal,
      .dual = window.dual,
      .gap = window.gap,
      .best_gap = window.best_gap,
      .online = window.online,
      .best = window.best,
      .regret = window.online - window.best,
      .seconds = dorm__seconds() - call->started,
      .num_resumed = (size_t)call->num_resumed,
  };
  return DORM_OK;
}

/* Says at once where a resumed stream goes on: what follows is what the input has to bring. */
static dorm_status report_resumed(dorm__stream_call *call, dorm_stream_function report, void *user)
{
  dorm_stream_report made;
  call->num_resumed = call->place.num_queries;
  dorm_status status = report ? make_report(call, &made) : DORM_OK;
  if (status == DORM_OK && report)
    report(user, &made);
  return status;
}

/* Writes checkpoint and model, then reports, so that a report is of a model that has been written. */
static dorm_status publish(dorm__stream_call *call, dorm_stream_function report, void *user)
{
  dorm_model *model = NULL;
  dorm_stream_report made;
  dorm_status status = report ? make_report(call, &made) : DORM_OK;
  call->recent = (dorm__running){0};
  if (status == DORM_OK)
    status = dorm__stream_state_save(call);
  if (status == DORM_OK)
    status = make_model(call, &model);
  if (status == DORM_OK)
    status = dorm_model_write(call->context, model, dorm__settings_text(call->settings, DORM__OUTPUT_MODEL));
  if (status == DORM_OK && report)
    report(user, &made);
  dorm_model_free(model);
  return status;
}

/* ---- Queries --------------------------------------------------------------------------- */

static dorm_status start_stream(dorm__stream_call *call, bool is_sparse)
{
  double *base = NULL;
  size_t width = 0;
  double rho = dorm__settings_number_at(call->settings, DORM__SOLVER_RHO, 0);
  call->options.is_sparse = is_sparse;
  dorm_status status = dorm__stream_new(call->context, &call->options, &call->stream);
  if (status != DORM_OK || !call->from)
    return status;
  status = dorm__stream_rows_weights(call->context, &call->rows, &base, &width);
  for (size_t f = 0; status == DORM_OK && f < width; f++)
    base[f] *= rho;
  if (status == DORM_OK)
    status = dorm__stream_start_at(call->context, call->stream, width, base);
  dorm__free(base);
  return status;
}

/* Puts file and line of the query before the message that says what is wrong with it. */
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

/* Ranks the query, which is taken, measures the ranking, and learns from it. */
static dorm_status take_query(dorm__stream_call *call, dorm_dataset *query)
{
  dorm__features features = {0};
  dorm_evaluation evaluation;
  const double *scores = NULL;
  double value = (double)NAN;
  bool is_sparse = query->row_start != NULL; /* before the rows take its memory */
  dorm_status status = dorm__measure_check(call->context, call->measure, query);
  if (status == DORM_OK)
    status = dorm__stream_rows_make(call->context, &call->rows, query, &features);
  if (status == DORM_OK && !call->stream)
    status = start_stream(call, is_sparse);
  if (status != DORM_OK) {
    dorm__features_free(&features);
    dorm_dataset_free(query);
    return status;
  }
  status = dorm__stream_offer(call->context, call->stream, query, &features, &scores);
  if (status != DORM_OK)
    return status;
  call->is_broken = true;
  status = dorm__measure_dataset(call->context, call->measure, query, scores, &value, &evaluation);
  if (status == DORM_OK && !isnan(value)) {
    dorm__running_add(&call->all, value);
    dorm__running_add(&call->recent, value);
  }
  if (status == DORM_OK)
    status = dorm__stream_learn(call->context, call->stream);
  if (status == DORM_OK) {
    call->is_broken = false;
    call->place = dorm__query_reader_place(call->reader);
  }
  return status;
}

/* Learns from query after query up to the end of the input. *is_published says whether the last one is in the model
 * that was written. */
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
    *is_published = false;
    if (status == DORM_OK && call->place.num_queries % every == 0) {
      status = publish(call, report, user);
      *is_published = status == DORM_OK;
    }
  }
  return status;
}

/* Writes what was learned up to the end of the input, to a signal, or to a bad line, whose message stays. */
static dorm_status end_stream(dorm__stream_call *call, dorm_status ended, bool is_published,
                              dorm_stream_function report, void *user, dorm_model **model)
{
  char message[DORM__MESSAGE_SIZE];
  memcpy(message, call->context->message, sizeof message);
  bool is_readable = ended == DORM_OK || ended == DORM_STOPPED || ended == DORM_BAD_DATA;
  if (!call->stream && ended == DORM_OK)
    return dorm__fail(call->context, DORM_BAD_DATA, "%s: no query in it",
                      dorm__settings_text(call->settings, DORM__DATA_TRAIN));
  if (!call->stream || !call->place.num_queries || !is_readable || call->is_broken)
    return ended;
  dorm_status status = is_published ? DORM_OK : publish(call, report, user);
  if (status == DORM_OK)
    status = make_model(call, model);
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
  dorm_status status = dorm__stream_call_open(&call, settings);
  if (status == DORM_OK)
    status = dorm__stream_state_read(&call, &is_resumed);
  if (status == DORM_OK) /* so that the model does not say how often its training was interrupted */
    status = dorm_settings_set(context, call.settings, "output.resume", "no");
  if (status == DORM_OK && is_resumed)
    status = report_resumed(&call, report, user);
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
