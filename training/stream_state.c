/*
 * stream_state.c: the checkpoint of a training on a stream, a record (base/record.h) of
 *
 *   a magic text, version, byte order, fingerprint of the settings and of the model of data.from,
 *   how far the input was read, whether rows are sparse, the feature ids in the order of appearance, the sums of the
 *     progressive measure,
 *   the stream: w and the queries of the window with their columns (solver/stream_record.c).
 *
 * It is written whole or not at all, and holds no time, so that a training that was killed and resumed writes the same
 * bytes as one that was not.
 */
#include "training/stream_state.h"
#include "base/file.h"
#include "base/hash.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

static const char magic[16] = "dorm stream";
static const uint64_t version = 1;
static const uint64_t byte_order = UINT64_C(0x0102030405060708);

void dorm__running_add(dorm__running *running, double value)
{
  running->count++;
  double from_old = value - running->mean;
  running->mean += from_old / (double)running->count;
  running->squares += from_old * (value - running->mean);
}

double dorm__running_error(const dorm__running *running)
{
  double count = (double)running->count;
  return running->count > 1 ? sqrt(running->squares / (count - 1) / count) : (double)NAN;
}

/* Whether the trained weights may depend on a setting. */
static bool matters(dorm__setting setting)
{
  static const dorm__setting others[] = {
      DORM__DATA_TRAIN,     DORM__DATA_TEST,    DORM__SOLVER_GAP, DORM__SOLVER_MAX_ITERATIONS,
      DORM__SOLVER_THREADS, DORM__STREAM_EVERY, DORM__STREAM_SKIP};
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

/* ---- Writing ---------------------------------------------------------------------- */

static void put_running(dorm__record_writer *writer, const dorm__running *running)
{
  dorm__record_put_count(writer, running->count);
  dorm__record_put_number(writer, running->mean);
  dorm__record_put_number(writer, running->squares);
}

dorm_status dorm__stream_state_save(const dorm__stream_call *call)
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
  dorm__record_put_count(writer, call->options.is_sparse);
  dorm__record_put_count(writer, call->rows.num_ids);
  for (size_t i = 0; i < call->rows.num_ids; i++)
    dorm__record_put_count(writer, call->rows.ids[i]);
  put_running(writer, &call->all);
  put_running(writer, &call->recent);
  dorm__stream_save(call->stream, writer);
  return dorm__record_commit(call->context, writer);
}

/* ---- Reading ---------------------------------------------------------------------- */

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

/* Numbers the features as before. Those of data.from have their numbers already, which have to be the same. */
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

/* Reads the stream, whose w has to be as wide as the rows. */
static dorm_status restore_stream(dorm__stream_call *call, dorm__record_reader *reader)
{
  size_t width;
  dorm_status status = dorm__stream_restore(call->context, call->stream, reader);
  dorm__stream_weights(call->stream, &width);
  reader->is_bad = reader->is_bad || width != dorm__stream_rows_width(&call->rows);
  return status;
}

static dorm_status take_state(dorm__stream_call *call, dorm__record_reader *reader)
{
  call->place.num_queries = dorm__record_take_count(reader);
  call->place.num_lines = dorm__record_take_count(reader);
  call->place.hash = dorm__record_take_word(reader);
  call->options.is_sparse = dorm__record_take_count(reader) != 0;
  dorm_status status = take_ids(call, reader);
  call->all = take_running(reader);
  call->recent = take_running(reader);
  if (status == DORM_OK && !reader->is_bad)
    status = dorm__stream_new(call->context, &call->options, &call->stream);
  if (status == DORM_OK && !reader->is_bad)
    status = restore_stream(call, reader);
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

dorm_status dorm__stream_state_read(dorm__stream_call *call, bool *is_there)
{
  const char *path = dorm__settings_text(call->settings, DORM__OUTPUT_CHECKPOINT);
  const char *resume = dorm__settings_text(call->settings, DORM__OUTPUT_RESUME);
  bool resumes = strcmp(resume, "yes") == 0, overwrites = strcmp(resume, "overwrite") == 0;
  char *bytes = NULL;
  size_t size = 0;
  *is_there = false;
  if (!*path)
    return resumes ? dorm__fail(call->context, DORM_BAD_USAGE, "output.resume = yes needs output.checkpoint") : DORM_OK;
  bool exists = access(path, F_OK) == 0 || errno != ENOENT;
  if (exists && !resumes && !overwrites)
    return dorm__fail(call->context, DORM_BAD_USAGE,
                      "%s: a checkpoint is there already: output.resume = yes (--resume) goes on from it, "
                      "output.resume = overwrite (--overwrite) starts anew and replaces it",
                      path);
  if (!exists || overwrites)
    return DORM_OK;
  dorm_status status = dorm__read_whole(call->context, path, &bytes, &size);
  if (status == DORM_OK)
    status = read_bytes(call, bytes, size);
  dorm__free(bytes);
  *is_there = status == DORM_OK;
  return status;
}
