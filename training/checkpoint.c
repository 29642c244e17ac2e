/*
 * checkpoint.c: a long training written down so that it can go on from there
 * to the same result. Layout, in this machine's byte order:
 *
 *   magic, version, byte order, fingerprint of settings, of the files that they
 *     name, and of the data,
 *   number of the grid, sums of the folds, candidates of the grid before a
 *     retraining, candidates of the grid,
 *   the solve in progress: w of its references, certificate, best w, what the
 *     last sequential pass said, and each block's columns (Delta, alpha, idle passes, Phi),
 *   FNV-1a checksum of all that stands before it.
 *
 * Everything else (references, Gram matrices, w = sum alpha psi) is computed
 * again from these, to the same bits.
 */
#include "training/checkpoint.h"
#include "base/file.h"
#include "base/index_map.h"
#include "data/data.h"
#include "features/features.h"
#include "kernels/kernels.h"
#include "settings/settings.h"
#include "solver/solver.h"
#include "training/candidates.h"
#include "training/options.h"
#include "training/run.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[16] = "dorm checkpoint";
static const uint64_t version = 2;
static const uint64_t byte_order = UINT64_C(0x0102030405060708);

struct dorm__checkpoint {
  const char *path; /* borrowed from the settings */
  double interval;  /* seconds */
  double last;
  uint64_t fingerprint;
  /* what was read, when there is something to go on from */
  char *bytes;
  size_t size;
  size_t grid;
  size_t candidates_at; /* offsets into bytes */
  size_t solve_at;
  bool has_solve; /* not yet handed out */
};

/* ---- Writing ---------------------------------------------------------------------- */

typedef struct checkpoint_writer {
  dorm__output *output;
  uint64_t hash;
} checkpoint_writer;

static void put(checkpoint_writer *writer, const void *bytes, size_t size)
{
  writer->hash = dorm__hash_bytes(writer->hash, bytes, size);
  dorm__output_bytes(writer->output, bytes, size);
}

static void put_number(checkpoint_writer *writer, uint64_t number)
{
  put(writer, &number, sizeof number);
}

static void put_text(checkpoint_writer *writer, const char *text)
{
  put_number(writer, strlen(text));
  put(writer, text, strlen(text));
}

static void put_candidate(checkpoint_writer *writer, const dorm__trained *trained)
{
  put(writer, &trained->candidate, sizeof trained->candidate); /* its pointers are not read back */
  put_text(writer, trained->reference);
  put_text(writer, trained->position_weights);
  put_number(writer, trained->width);
  put(writer, trained->w, trained->width * sizeof *trained->w);
}

/* NULL: none. */
static void put_candidates(checkpoint_writer *writer, const dorm_training *training)
{
  put_number(writer, training ? training->num_trained : 0);
  for (size_t i = 0; training && i < training->num_trained; i++)
    put_candidate(writer, &training->trained[i]);
}

static void put_columns(checkpoint_writer *writer, const dorm__columns *columns)
{
  put_number(writer, columns->count);
  for (size_t k = 0; k < columns->count; k++) {
    const dorm__vector *phi = &columns->phi[k];
    put(writer, &columns->loss[k], sizeof(double));
    put(writer, &columns->alpha[k], sizeof(double));
    put_number(writer, columns->idle[k]);
    put_number(writer, phi->indices != NULL);
    put_number(writer, phi->count);
    if (phi->indices)
      put(writer, phi->indices, phi->count * sizeof *phi->indices);
    put(writer, phi->values, phi->count * sizeof *phi->values);
  }
}

bool dorm__checkpoint_is_due(const dorm__checkpoint *checkpoint)
{
  return dorm__seconds() - checkpoint->last >= checkpoint->interval;
}

dorm_status dorm__checkpoint_save(dorm__run *run, const dorm__working_set *set, const double *round_start,
                                  const double *w, const dorm_certificate *certificate)
{
  dorm__checkpoint *checkpoint = run->checkpoint;
  size_t width = run->train_features.num_features;
  checkpoint_writer writer = {.hash = DORM__HASH_START};
  dorm_status status = dorm__output_open(run->context, checkpoint->path, &writer.output);
  if (status != DORM_OK)
    return status;
  put(&writer, magic, sizeof magic);
  put_number(&writer, version);
  put_number(&writer, byte_order);
  put_number(&writer, checkpoint->fingerprint);
  put_number(&writer, run->grid);
  put_number(&writer, run->folds.count);
  put(&writer, run->folds.values, run->folds.count * sizeof(double));
  put(&writer, run->folds.squares, run->folds.count * sizeof(double));
  put(&writer, run->folds.queries, run->folds.count * sizeof(double));
  put_number(&writer, run->num_done);
  put_candidates(&writer, run->chosen_from);
  put_candidates(&writer, run->training);
  put_number(&writer, width);
  put(&writer, round_start, width * sizeof *round_start);
  put(&writer, certificate, sizeof *certificate);
  put(&writer, w, width * sizeof *w);
  put_number(&writer, set->num_sequential);
  put(&writer, &set->estimate, sizeof set->estimate);
  put_number(&writer, set->num_blocks);
  for (size_t i = 0; i < set->num_blocks; i++)
    put_columns(&writer, &set->blocks[i]);
  uint64_t hash = writer.hash;
  put_number(&writer, hash);
  checkpoint->last = dorm__seconds();
  return dorm__output_commit(run->context, writer.output);
}

/* ---- Reading ---------------------------------------------------------------------- */

/* Reads from bytes[at, size); once something does not fit, all of it fails. */
typedef struct checkpoint_reader {
  const char *bytes;
  size_t size;
  size_t at;
  bool is_bad;
} checkpoint_reader;

static const void *take(checkpoint_reader *reader, size_t count, size_t size)
{
  size_t left = reader->size - reader->at;
  if (reader->is_bad || (size && count > left / size)) {
    reader->is_bad = true;
    return NULL;
  }
  const void *bytes = reader->bytes + reader->at;
  reader->at += count * size;
  return bytes;
}

static void take_into(checkpoint_reader *reader, void *result, size_t count, size_t size)
{
  const void *bytes = take(reader, count, size);
  if (bytes && count)
    memcpy(result, bytes, count * size);
}

static size_t take_number(checkpoint_reader *reader)
{
  uint64_t number = 0;
  take_into(reader, &number, 1, sizeof number);
  return (size_t)number;
}

static dorm_status damaged(const dorm__run *run, const char *what)
{
  return dorm__fail(run->context, DORM_BAD_DATA, "%s: %s; remove it to start anew", run->checkpoint->path, what);
}

static checkpoint_reader reader_at(const dorm__checkpoint *checkpoint, size_t at)
{
  return (checkpoint_reader){checkpoint->bytes, checkpoint->size - sizeof(uint64_t), at, false};
}

/* A path that is no regular file, or cannot be read, adds nothing. */
static uint64_t hash_file(uint64_t hash, const char *path)
{
  struct stat found;
  FILE *file = stat(path, &found) == 0 && S_ISREG(found.st_mode) ? fopen(path, "rb") : NULL;
  char bytes[1 << 14];
  for (size_t size = 1; file && size > 0;) {
    size = fread(bytes, 1, sizeof bytes, file);
    hash = dorm__hash_bytes(hash, bytes, size);
  }
  if (file)
    fclose(file);
  return hash;
}

/* The content of the files that a setting's text names: of each word between
 * blanks and the marks of specifications that is a file's path. A file may be a
 * table of costs, position weights, a loss module, a Gram matrix. */
static uint64_t hash_files(uint64_t hash, const char *text)
{
  static const char marks[] = " \t,:=|()*+";
  char path[PATH_MAX];
  for (text += strspn(text, marks); *text; text += strspn(text, marks)) {
    size_t size = strcspn(text, marks);
    bool is_path = size < sizeof path;
    if (is_path) {
      memcpy(path, text, size);
      path[size] = '\0';
      hash = hash_file(hash, path);
    }
    text += size;
  }
  return hash;
}

/* What the checkpoint must agree with: settings that change the result, the
 * files that they name, and the data. */
static uint64_t fingerprint(const dorm__run *run)
{
  uint64_t hash = DORM__HASH_START;
  for (size_t i = 0; i < DORM__NUM_SETTINGS; i++) {
    const char *key = dorm__setting_table[i].key;
    if (strncmp(key, "output.", strlen("output.")) == 0 || i == DORM__SOLVER_TIME_LIMIT)
      continue;
    const char *text = dorm__settings_text(run->settings, (dorm__setting)i);
    hash = dorm__hash_bytes(hash, text, strlen(text) + 1);
    if (strncmp(key, "data.", strlen("data.")) != 0) /* those are in the data sets */
      hash = hash_files(hash, text);
  }
  hash = dorm__hash_bytes(hash, &run->num_threads, sizeof run->num_threads);
  const dorm_dataset *datasets[] = {run->train, run->validation};
  for (size_t i = 0; i < 2; i++) {
    const dorm_dataset *dataset = datasets[i];
    if (!dataset)
      continue;
    size_t num_values =
        dataset->row_start ? dataset->row_start[dataset->num_docs] : dataset->num_docs * dataset->num_features;
    hash = dorm__hash_bytes(hash, dataset->query_start, (dataset->num_queries + 1) * sizeof *dataset->query_start);
    hash = dorm__hash_bytes(hash, dataset->labels, dataset->num_docs * sizeof *dataset->labels);
    hash = dorm__hash_bytes(hash, dataset->feature_ids, dataset->num_features * sizeof *dataset->feature_ids);
    hash = dorm__hash_bytes(hash, dataset->values, num_values * sizeof *dataset->values);
    const dorm__doc_lists *groups = dataset->groups;
    if (groups) {
      hash = dorm__hash_bytes(hash, groups->start, (dataset->num_docs + 1) * sizeof *groups->start);
      hash = dorm__hash_bytes(hash, groups->numbers, groups->start[dataset->num_docs] * sizeof *groups->numbers);
      hash = dorm__hash_bytes(hash, groups->weights, groups->start[dataset->num_docs] * sizeof *groups->weights);
    }
    if (dataset->row_start) {
      hash = dorm__hash_bytes(hash, dataset->row_start, (dataset->num_docs + 1) * sizeof *dataset->row_start);
      hash = dorm__hash_bytes(hash, dataset->indices, num_values * sizeof *dataset->indices);
    }
  }
  return hash;
}

/* Checks the frame and finds the parts. */
static dorm_status read_frame(dorm__run *run)
{
  dorm__checkpoint *checkpoint = run->checkpoint;
  if (checkpoint->size < sizeof magic + 4 * sizeof(uint64_t) || memcmp(checkpoint->bytes, magic, sizeof magic) != 0)
    return damaged(run, "not a checkpoint of dorm");
  checkpoint_reader reader = reader_at(checkpoint, sizeof magic);
  if (take_number(&reader) != version || take_number(&reader) != byte_order)
    return damaged(run, "a checkpoint of another version or machine");
  uint64_t sum;
  memcpy(&sum, checkpoint->bytes + reader.size, sizeof sum);
  if (sum != dorm__hash_bytes(DORM__HASH_START, checkpoint->bytes, reader.size))
    return damaged(run, "the checkpoint is damaged");
  if (take_number(&reader) != checkpoint->fingerprint)
    return damaged(run, "the checkpoint belongs to other settings, data or threads");
  checkpoint->grid = take_number(&reader);
  size_t count = take_number(&reader);
  const double *values = take(&reader, count, sizeof *values);
  const double *squares = take(&reader, count, sizeof *squares);
  const double *queries = take(&reader, count, sizeof *queries);
  checkpoint->candidates_at = reader.at;
  if (reader.is_bad)
    return damaged(run, "the checkpoint is damaged");
  if (!count)
    return DORM_OK;
  dorm__fold_sums *folds = &run->folds;
  folds->count = count;
  folds->values = dorm__alloc(count, sizeof *folds->values);
  folds->squares = dorm__alloc(count, sizeof *folds->squares);
  folds->queries = dorm__alloc(count, sizeof *folds->queries);
  if (!folds->values || !folds->squares || !folds->queries)
    return dorm__out_of_memory(run->context, "folds");
  memcpy(folds->values, values, count * sizeof *values);
  memcpy(folds->squares, squares, count * sizeof *squares);
  memcpy(folds->queries, queries, count * sizeof *queries);
  return DORM_OK;
}

dorm_status dorm__checkpoint_open(dorm__run *run, dorm__checkpoint **checkpoint)
{
  const char *path = dorm__settings_text(run->settings, DORM__OUTPUT_CHECKPOINT);
  bool resumes = strcmp(dorm__settings_text(run->settings, DORM__OUTPUT_RESUME), "yes") == 0;
  *checkpoint = NULL;
  if (!*path)
    return resumes ? dorm__fail(run->context, DORM_BAD_USAGE, "output.resume = yes needs output.checkpoint") : DORM_OK;
  dorm__checkpoint *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return dorm__out_of_memory(run->context, "a checkpoint");
  *checkpoint = made; /* the run closes it, also on failure */
  run->checkpoint = made;
  made->path = path;
  made->interval = 60 * dorm__settings_number(run->settings, DORM__OUTPUT_CHECKPOINT_MINUTES);
  made->last = dorm__seconds();
  made->fingerprint = fingerprint(run);
  if (!resumes || (access(path, F_OK) != 0 && errno == ENOENT))
    return DORM_OK;
  dorm_status status = dorm__read_whole(run->context, path, &made->bytes, &made->size);
  return status == DORM_OK ? read_frame(run) : status;
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

static char *take_text(checkpoint_reader *reader)
{
  size_t size = take_number(reader);
  const char *bytes = take(reader, size, 1);
  char *text = bytes ? dorm__alloc(size + 1, 1) : NULL;
  if (text) {
    memcpy(text, bytes, size);
    text[size] = '\0';
  }
  return text;
}

/* Whether so many weights can be those of a candidate; with a kernel they are known
 * when it is met again. */
static bool has_width(const dorm__run *run, size_t num_ids, const dorm_candidate *candidate, size_t width)
{
  dorm__feature_map map = {.num_ids = num_ids, .rank_block = candidate->rank_block};
  return !dorm__kernel_is_linear(run->kernels.kernel) ||
         (map.rank_block >= 0 && width == dorm__feature_map_width(&map));
}

static dorm_status read_candidate(dorm__run *run, checkpoint_reader *reader, size_t num_ids, dorm_training *training)
{
  dorm_candidate candidate = {0};
  take_into(reader, &candidate, 1, sizeof candidate);
  char *reference = take_text(reader);
  char *position_weights = take_text(reader);
  size_t width = take_number(reader);
  const char *bytes = take(reader, width, sizeof(double));
  double *w = bytes ? dorm__alloc(width, sizeof *w) : NULL;
  dorm_status status = DORM_OK;
  if (!reference || !position_weights || !w) {
    status =
        reader->is_bad ? damaged(run, "the checkpoint is damaged") : dorm__out_of_memory(run->context, "a candidate");
    goto done;
  }
  if (!has_width(run, num_ids, &candidate, width)) {
    status = damaged(run, "the checkpoint is damaged");
    goto done;
  }
  memcpy(w, bytes, width * sizeof *w);
  candidate.reference = reference;
  candidate.position_weights = position_weights;
  candidate.kernel = "";
  status = dorm__training_add(run->context, training, &candidate, NULL, width, w);
done:
  dorm__free(reference);
  dorm__free(position_weights);
  dorm__free(w);
  return status;
}

/* The candidates of one grid: kept when `training` is given, else passed over. */
static dorm_status read_candidates(dorm__run *run, checkpoint_reader *reader, dorm_training *training, size_t *count)
{
  dorm_training *passed_over = NULL;
  size_t num_ids;
  dorm_status status = dorm__features_chosen_by(run->context, run->settings, run->train, &num_ids);
  if (status == DORM_OK && !training) {
    status = dorm__training_new(run->context, &passed_over);
    training = passed_over;
  }
  *count = take_number(reader);
  for (size_t i = 0; status == DORM_OK && i < *count; i++)
    status = read_candidate(run, reader, num_ids, training);
  dorm_training_free(passed_over);
  return status;
}

dorm_status dorm__checkpoint_restore_grid(dorm__run *run)
{
  dorm__checkpoint *checkpoint = run->checkpoint;
  run->num_restored = 0;
  if (!checkpoint || !checkpoint->bytes || run->grid > checkpoint->grid)
    return DORM_OK;
  bool is_present = run->grid == checkpoint->grid; /* else the one before a retraining */
  checkpoint_reader reader = reader_at(checkpoint, checkpoint->candidates_at);
  size_t num_done = take_number(&reader);
  size_t num_earlier = 0;
  size_t count = 0;
  dorm_status status = read_candidates(run, &reader, is_present ? NULL : run->training, &num_earlier);
  if (status == DORM_OK)
    status = read_candidates(run, &reader, is_present ? run->training : NULL, &count);
  if (status != DORM_OK)
    return status;
  run->num_done = is_present ? num_done : num_done - count;
  run->num_restored = is_present ? count : num_earlier;
  checkpoint->solve_at = reader.at;
  checkpoint->has_solve = is_present;
  return DORM_OK;
}

static dorm_status read_columns(dorm__run *run, checkpoint_reader *reader, dorm__columns *columns)
{
  size_t num_features = run->train_features.num_features;
  size_t count = take_number(reader);
  dorm_status status = DORM_OK;
  for (size_t k = 0; status == DORM_OK && k < count && !reader->is_bad; k++) {
    double loss = 0;
    double alpha = 0;
    take_into(reader, &loss, 1, sizeof loss);
    take_into(reader, &alpha, 1, sizeof alpha);
    uint32_t idle = (uint32_t)take_number(reader);
    bool is_sparse = take_number(reader) != 0;
    size_t size = take_number(reader);
    dorm__vector phi = {0};
    if (reader->is_bad || size > num_features)
      break;
    if (!dorm__vector_reserve(&phi, size, is_sparse)) {
      status = dorm__out_of_memory(run->context, "a working set");
      break;
    }
    phi.count = size;
    if (is_sparse)
      take_into(reader, phi.indices, size, sizeof *phi.indices);
    take_into(reader, phi.values, size, sizeof *phi.values);
    if (!dorm__columns_add_bare(columns, &phi, loss, alpha, idle)) {
      dorm__vector_clear(&phi);
      status = dorm__out_of_memory(run->context, "a working set");
    }
  }
  return status;
}

dorm_status dorm__checkpoint_restore_solve(dorm__run *run, dorm__working_set *set, double *round_start, double *w,
                                           dorm_certificate *certificate)
{
  dorm__checkpoint *checkpoint = run->checkpoint;
  size_t width = run->train_features.num_features;
  if (!checkpoint || !checkpoint->has_solve)
    return DORM_OK;
  checkpoint->has_solve = false;
  checkpoint_reader reader = reader_at(checkpoint, checkpoint->solve_at);
  if (take_number(&reader) != width)
    return damaged(run, "the checkpoint is damaged");
  take_into(&reader, round_start, width, sizeof *round_start);
  take_into(&reader, certificate, 1, sizeof *certificate);
  take_into(&reader, w, width, sizeof *w);
  set->num_sequential = take_number(&reader);
  take_into(&reader, &set->estimate, 1, sizeof set->estimate);
  if (take_number(&reader) != set->num_blocks)
    return damaged(run, "the checkpoint is damaged");
  dorm_status status = DORM_OK;
  for (size_t i = 0; status == DORM_OK && i < set->num_blocks; i++)
    status = read_columns(run, &reader, &set->blocks[i]);
  if (status == DORM_OK && (reader.is_bad || reader.at != reader.size))
    status = damaged(run, "the checkpoint is damaged");
  return status;
}

void dorm__checkpoint_remove(dorm__checkpoint *checkpoint)
{
  if (checkpoint)
    unlink(checkpoint->path);
}
