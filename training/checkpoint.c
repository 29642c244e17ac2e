/*
 * checkpoint.c: saves a long training, so that a later call can go on from there to the same result. The file is a
 * record (base/record.h) of
 *
 *   a magic text, version, byte order, fingerprint of the settings, of the files that they
 *     name, and of the data,
 *   the number of the grid, the sums of the folds, the candidates of the grid that a
 *     retraining chose from, the candidates of the grid,
 *   the solve in progress: w of its references, certificate, best w, working set.
 *
 * Everything else (references, Gram matrices, w = sum alpha psi) is computed again from these, to the same bits.
 */
#include "training/checkpoint.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/spec.h"
#include "training/options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[16] = "dorm checkpoint";
static const uint64_t version = 5;
static const uint64_t byte_order = UINT64_C(0x0102030405060708);

struct dorm__checkpoint {
  const char *path; /* borrowed from the settings */
  double interval;  /* seconds */
  double last;      /* when it was last saved, on dorm__seconds */
  uint64_t fingerprint;
  /* the fields below: what was read from the file; bytes is NULL when there was none */
  char *bytes;
  dorm__record_reader frame; /* a reader that stands after the sums of the folds */
  size_t grid;               /* number of the grid that was being trained */
  size_t solve_at;           /* offset of the solve in progress */
  bool has_solve;            /* a solve was read and has not been handed out yet */
};

/* ---- Writing ---------------------------------------------------------------------- */

/* Writes the candidates of a training; NULL has none. */
static void put_candidates(dorm__record_writer *writer, const dorm_training *training)
{
  dorm__record_put_count(writer, training ? training->num_trained : 0);
  for (size_t i = 0; training && i < training->num_trained; i++)
    dorm__trained_save(&training->trained[i], writer);
}

bool dorm__checkpoint_is_due(const dorm__checkpoint *checkpoint)
{
  return dorm__seconds() - checkpoint->last >= checkpoint->interval;
}

dorm_status dorm__checkpoint_save(const dorm__job *job, const dorm__grid *grid, const dorm__solve_state *state)
{
  dorm__checkpoint *checkpoint = grid->checkpoint;
  const dorm__fold_sums *sums = grid->fold_sums;
  dorm__record_writer *writer = NULL;
  dorm_status status = dorm__record_create(job->context, checkpoint->path, &writer);
  if (status != DORM_OK)
    return status;
  dorm__record_put_bytes(writer, magic, sizeof magic);
  dorm__record_put_count(writer, version);
  dorm__record_put_count(writer, byte_order);
  dorm__record_put_count(writer, checkpoint->fingerprint);
  dorm__record_put_count(writer, grid->number);
  dorm__record_put_count(writer, sums->count);
  dorm__record_put_numbers(writer, sums->count, sums->values);
  dorm__record_put_numbers(writer, sums->count, sums->squares);
  dorm__record_put_numbers(writer, sums->count, sums->queries);
  dorm__record_put_numbers(writer, sums->count, sums->square_weights);
  dorm__record_put_count(writer, grid->progress->num_done);
  put_candidates(writer, grid->chosen_from);
  put_candidates(writer, grid->training);
  dorm__record_put_count(writer, state->width);
  dorm__record_put_numbers(writer, state->width, state->round_start);
  dorm__certificate_save(state->certificate, writer);
  dorm__record_put_numbers(writer, state->width, state->w);
  dorm__working_set_save(state->set, writer);
  checkpoint->last = dorm__seconds();
  return dorm__record_commit(job->context, writer);
}

/* ---- The fingerprint --------------------------------------------------------------- */

/* Adds the content of a file to the hash; a path that is no regular file, or cannot be read, adds nothing. */
static void hash_file(uint64_t *hash, const char *path)
{
  struct stat found;
  FILE *file = stat(path, &found) == 0 && S_ISREG(found.st_mode) ? fopen(path, "rb") : NULL;
  char bytes[1 << 14];
  for (size_t size = 1; file && size > 0;) {
    size = fread(bytes, 1, sizeof bytes, file);
    *hash = dorm__hash_bytes(*hash, bytes, size);
  }
  if (file)
    fclose(file);
}

static dorm_status hash_path(void *hash, const char *path)
{
  hash_file(hash, path);
  return DORM_OK;
}

static bool starts_with(const char *text, const char *start)
{
  return strncmp(text, start, strlen(start)) == 0;
}

/* Adds the file that a setting names. The files of data.* are hashed as data sets, and those of output.* are
 * results. */
static dorm_status hash_setting_path(void *hash, dorm__setting setting, const char *path)
{
  const char *key = dorm__setting_table[setting].key;
  bool is_data = starts_with(key, "data.") && setting != DORM__DATA_FROM;
  if (!is_data && !starts_with(key, "output."))
    hash_file(hash, path);
  return DORM_OK;
}

/* Adds the files that text parameters of the loss name, and the module that it is from. */
static void hash_loss_files(const dorm__job *job, uint64_t *hash)
{
  const dorm_loss_module *module = dorm__loss_module_of(job->losses[0]);
  const dorm_loss_value *values = dorm__loss_values(job->losses[0]);
  const char *path = dorm__spec_path(dorm__loss_spec(job->losses[0]));
  for (size_t i = 0; i < module->num_parameters; i++)
    if (module->parameters[i].choices && !*module->parameters[i].choices) /* any text */
      hash_file(hash, values[i].text);
  if (path)
    hash_file(hash, path);
}

static void hash_settings(const dorm__job *job, uint64_t *hash)
{
  for (size_t i = 0; i < DORM__NUM_SETTINGS; i++) {
    const char *text = dorm__settings_text(job->settings, (dorm__setting)i);
    if (!starts_with(dorm__setting_table[i].key, "output.") && i != DORM__SOLVER_TIME_LIMIT)
      *hash = dorm__hash_bytes(*hash, text, strlen(text) + 1);
  }
  dorm__settings_each_path(job->settings, hash_setting_path, hash);
  dorm__kernel_each_path(job->kernels.kernel, hash_path, hash);
  hash_loss_files(job, hash);
}

static void hash_dataset(const dorm_dataset *dataset, uint64_t *hash)
{
  size_t num_values =
      dataset->row_start ? dataset->row_start[dataset->num_docs] : dataset->num_docs * dataset->num_features;
  const dorm__doc_lists *groups = dataset->groups, *subtopics = dataset->subtopics;
  size_t num_members = groups ? groups->start[dataset->num_docs] : 0;
  size_t num_judged = subtopics ? subtopics->start[dataset->num_docs] : 0;
  const struct {
    const void *items;
    size_t bytes;
  } arrays[] = {
      {dataset->query_start, (dataset->num_queries + 1) * sizeof *dataset->query_start},
      {dataset->labels, dataset->num_docs * sizeof *dataset->labels},
      {dataset->feature_ids, dataset->num_features * sizeof *dataset->feature_ids},
      {dataset->values, num_values * sizeof *dataset->values},
      {groups ? groups->start : NULL, (dataset->num_docs + 1) * sizeof *groups->start},
      {groups ? groups->numbers : NULL, num_members * sizeof *groups->numbers},
      {groups ? groups->weights : NULL, num_members * sizeof *groups->weights},
      {subtopics ? subtopics->start : NULL, (dataset->num_docs + 1) * sizeof *subtopics->start},
      {subtopics ? subtopics->numbers : NULL, num_judged * sizeof *subtopics->numbers},
      {subtopics ? subtopics->weights : NULL, num_judged * sizeof *subtopics->weights},
      {subtopics ? subtopics->num_subtopics : NULL, dataset->num_queries * sizeof *subtopics->num_subtopics},
      {dataset->query_weights, dataset->num_queries * sizeof *dataset->query_weights},
      {dataset->doc_weights, dataset->num_docs * sizeof *dataset->doc_weights},
      {dataset->row_start, (dataset->num_docs + 1) * sizeof *dataset->row_start},
      {dataset->row_start ? dataset->indices : NULL, num_values * sizeof *dataset->indices},
  };
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    if (arrays[i].items)
      *hash = dorm__hash_bytes(*hash, arrays[i].items, arrays[i].bytes);
}

/* What a checkpoint must agree with: settings that change the result, the
 * files that they name, and the data. */
static uint64_t fingerprint(const dorm__job *job, const dorm_dataset *train, const dorm_dataset *validation)
{
  uint64_t hash = DORM__HASH_START;
  hash_settings(job, &hash);
  hash = dorm__hash_bytes(hash, &job->num_threads, sizeof job->num_threads);
  hash_dataset(train, &hash);
  if (validation)
    hash_dataset(validation, &hash);
  return hash;
}

/* ---- Reading ---------------------------------------------------------------------- */

static dorm_status damaged(const dorm__job *job, const char *what)
{
  return dorm__fail(job->context, DORM_BAD_DATA, "%s: %s; remove it to start anew",
                    dorm__settings_text(job->settings, DORM__OUTPUT_CHECKPOINT), what);
}

static const char is_damaged[] = "the checkpoint is damaged";

/* Checks the frame of the record and reads the sums of the folds. */
static dorm_status read_frame(const dorm__job *job, size_t size, dorm__fold_sums *sums, dorm__checkpoint *checkpoint)
{
  dorm__record_reader *reader = &checkpoint->frame;
  if (size < sizeof magic + 4 * sizeof(uint64_t) || memcmp(checkpoint->bytes, magic, sizeof magic) != 0)
    return damaged(job, "not a checkpoint of dorm");
  bool is_whole = dorm__record_open(checkpoint->bytes, size, reader);
  dorm__record_take(reader, 1, sizeof magic);
  if (dorm__record_take_count(reader) != version || dorm__record_take_count(reader) != byte_order)
    return damaged(job, "a checkpoint of another version or machine");
  if (!is_whole)
    return damaged(job, is_damaged);
  if (dorm__record_take_count(reader) != checkpoint->fingerprint)
    return damaged(job, "the checkpoint belongs to other settings, data or threads");
  checkpoint->grid = dorm__record_take_count(reader);
  size_t count = dorm__record_take_count(reader);
  size_t left = reader->size - reader->at;
  if (reader->is_bad || count > left / sizeof(double))
    return damaged(job, is_damaged);
  if (count) {
    dorm_status status = dorm__fold_sums_reserve(job->context, count, sums);
    if (status != DORM_OK)
      return status;
    dorm__record_take_numbers(reader, count, sums->values);
    dorm__record_take_numbers(reader, count, sums->squares);
    dorm__record_take_numbers(reader, count, sums->queries);
    dorm__record_take_numbers(reader, count, sums->square_weights);
  }
  return reader->is_bad ? damaged(job, is_damaged) : DORM_OK;
}

dorm_status dorm__checkpoint_open(const dorm__job *job, const dorm_dataset *train, const dorm_dataset *validation,
                                  dorm__fold_sums *sums, dorm__checkpoint **checkpoint)
{
  const char *path = dorm__settings_text(job->settings, DORM__OUTPUT_CHECKPOINT);
  bool resumes = strcmp(dorm__settings_text(job->settings, DORM__OUTPUT_RESUME), "yes") == 0;
  bool overwrites = strcmp(dorm__settings_text(job->settings, DORM__OUTPUT_RESUME), "overwrite") == 0;
  size_t size = 0;
  *checkpoint = NULL;
  if (!*path)
    return resumes ? dorm__fail(job->context, DORM_BAD_USAGE, "output.resume = yes needs output.checkpoint") : DORM_OK;
  for (size_t i = 0; i < job->num_trainers; i++)
    if (!job->trainers[i]->resumes)
      return dorm__fail(job->context, DORM_BAD_USAGE, "output.checkpoint: trainer '%s' cannot be resumed",
                        job->trainers[i]->name);
  bool exists = access(path, F_OK) == 0 || errno != ENOENT;
  if (exists && !resumes && !overwrites)
    return dorm__fail(job->context, DORM_BAD_USAGE,
                      "%s: a checkpoint is there already: output.resume = yes (--resume) goes on from it, "
                      "output.resume = overwrite (--overwrite) starts anew and replaces it",
                      path);
  dorm__checkpoint *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return dorm__out_of_memory(job->context, "a checkpoint");
  made->path = path;
  made->interval = 60 * dorm__settings_number(job->settings, DORM__OUTPUT_CHECKPOINT_MINUTES);
  made->last = dorm__seconds();
  made->fingerprint = fingerprint(job, train, validation);
  dorm_status status = DORM_OK;
  if (resumes && exists) {
    status = dorm__read_whole(job->context, path, &made->bytes, &size);
    if (status == DORM_OK)
      status = read_frame(job, size, sums, made);
  }
  if (status == DORM_OK)
    *checkpoint = made;
  else
    dorm__checkpoint_close(made);
  return status;
}

void dorm__checkpoint_close(dorm__checkpoint *checkpoint)
{
  if (checkpoint)
    dorm__free(checkpoint->bytes);
  dorm__free(checkpoint);
}

bool dorm__checkpoint_has_done(const dorm__checkpoint *checkpoint, size_t grid)
{
  return checkpoint && checkpoint->bytes && grid < checkpoint->grid;
}

/* Checks that a restored candidate has the number of weights that its feature map needs. With a kernel that number is
 * not known yet; it is checked when the grid reaches that kernel again. */
static bool has_width(const dorm__job *job, size_t num_ids, const dorm__trained *trained)
{
  dorm__feature_map map = {.num_ids = num_ids, .rank_block = trained->candidate.rank_block};
  return !dorm__kernel_is_linear(job->kernels.kernel) ||
         (map.rank_block >= 0 && trained->width == dorm__feature_map_width(&map));
}

/* Reads the candidates of one grid into a training. */
static dorm_status read_candidates(const dorm__job *job, size_t num_ids, dorm__record_reader *reader,
                                   dorm_training *training)
{
  size_t count = dorm__record_take_count(reader);
  dorm_status status = DORM_OK;
  for (size_t i = 0; status == DORM_OK && i < count; i++) {
    status = dorm__trained_restore(job->context, reader, training);
    bool is_good =
        !reader->is_bad && status == DORM_OK && has_width(job, num_ids, &training->trained[training->num_trained - 1]);
    if (status == DORM_OK && !is_good)
      status = damaged(job, is_damaged);
  }
  return status;
}

dorm_status dorm__checkpoint_restore_grid(const dorm__job *job, dorm__grid *grid)
{
  dorm__checkpoint *checkpoint = grid->checkpoint;
  grid->num_restored = 0;
  if (!checkpoint || !checkpoint->bytes || grid->number > checkpoint->grid)
    return DORM_OK;
  bool is_present = grid->number == checkpoint->grid; /* otherwise the grid that a retraining chose from */
  dorm__record_reader reader = checkpoint->frame;
  dorm_training *other = NULL; /* the candidates of the other of the two, which are dropped */
  size_t num_ids = 0;
  size_t num_done = dorm__record_take_count(&reader);
  dorm_status status = dorm__features_chosen_by(job->context, job->settings, grid->train, &num_ids);
  if (job->from)
    num_ids = job->from->num_ids;
  if (status == DORM_OK)
    status = dorm__training_new(job->context, &other);
  if (status == DORM_OK)
    status = read_candidates(job, num_ids, &reader, is_present ? other : grid->training);
  if (status == DORM_OK)
    status = read_candidates(job, num_ids, &reader, is_present ? grid->training : other);
  if (status == DORM_OK) {
    grid->progress->num_done = is_present ? num_done : num_done - other->num_trained;
    grid->num_restored = grid->training->num_trained;
    checkpoint->solve_at = reader.at;
    checkpoint->has_solve = is_present;
  }
  dorm_training_free(other);
  return status;
}

dorm_status dorm__checkpoint_restore_solve(const dorm__job *job, dorm__checkpoint *checkpoint,
                                           const dorm__solve_state *state)
{
  if (!checkpoint || !checkpoint->has_solve)
    return DORM_OK;
  checkpoint->has_solve = false;
  dorm__record_reader reader = checkpoint->frame;
  reader.at = checkpoint->solve_at;
  if (dorm__record_take_count(&reader) != state->width)
    return damaged(job, is_damaged);
  dorm__record_take_numbers(&reader, state->width, state->round_start);
  *state->certificate = dorm__certificate_restore(&reader);
  dorm__record_take_numbers(&reader, state->width, state->w);
  if (!dorm__working_set_restore(state->set, &reader))
    return dorm__out_of_memory(job->context, "a working set");
  return reader.is_bad || reader.at != reader.size ? damaged(job, is_damaged) : DORM_OK;
}

void dorm__checkpoint_remove(dorm__checkpoint *checkpoint)
{
  if (checkpoint)
    unlink(checkpoint->path);
}
