/*
 * checkpoint.c: saves a long training, so that a later call can continue to the same result. The file is a record
 * (base/record.h) of
 *
 *   a magic text, version, byte order, fingerprint of the settings, of the files that they
 *     name, and of the data,
 *   the number of the grid, the sums of the folds, the candidates of the grid that a
 *     retraining chose from, the candidates of the grid,
 *   the solve in progress: w of its references, certificate, best w, working set.
 *
 * If a cross-validation averages its candidates, the file holds the number of finished folds and then the candidates of
 * each. A later call repeats the races and choices between folds.
 *
 * A later call computes everything else (references, Gram matrices, w = sum alpha psi) from these, to the same bits.
 *
 * If the data are split into shards, the columns of each shard are a file of their own, PATH.shard-3-of-8.a. The
 * process that has the shard writes it. At last the first process writes the rest to PATH. Saves have numbers: even
 * ones write parts that end in a, odd ones in b. A save has the next number after the valid one, even if it
 * replaces it. So it never overwrites the parts that PATH names, and the valid checkpoint survives a failure or a kill.
 * PATH and its parts also hold the unique id of their save, so that parts of two saves are never mixed. A part belongs
 * to its shard and not to a process, so any number of processes can continue from it.
 */
#include "jobs/checkpoint.h"
#include "base/hash.h"
#include "base/processes.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char magic[16] = "dorm checkpoint";
static const uint64_t version = 7;
static const uint64_t byte_order = UINT64_C(0x0102030405060708);

/* The beginning of the file. Parts begin with the text, the fingerprint, the number and the id. */
typedef struct beginning {
  char magic[sizeof magic];
  uint64_t version, byte_order, fingerprint, number, id;
} beginning;

struct dorm__checkpoint {
  dorm_context *context; /* which has locked the file */
  const char *path;      /* borrowed from the settings */
  double interval;       /* seconds */
  double last;           /* when a save was last begun, on dorm__seconds */
  uint64_t fingerprint;
  uint64_t number;            /* of the last save that did not fail */
  uint64_t id;                /* of the same save, or of the present one */
  const dorm__shards *shards; /* borrowed from the training data, or NULL if there are no parts */
  /* The fields below were read from the file; bytes is NULL if there was none. */
  char *bytes;
  dorm__record_reader frame; /* a reader that has read the sums of the folds */
  size_t grid;               /* number of the grid that was being trained */
  size_t solve_at;           /* offset of the solve in progress */
  bool has_solve;            /* a solve was read and has not been handed out yet */
  size_t num_kept;           /* finished folds, of this call and of the file */
  char *kept;                /* [kept_size] their records */
  size_t kept_size, kept_capacity;
};

/* ---- Writing ---------------------------------------------------------------------- */

/* Writes the candidates of a training, none for NULL. */
static void put_candidates(dorm__record_writer *writer, const dorm_training *training)
{
  dorm__record_put_count(writer, training ? training->num_trained : 0);
  for (size_t i = 0; training && i < training->num_trained; i++)
    dorm__trained_save(&training->trained[i], writer);
}

bool dorm__checkpoint_is_due(const dorm__job *job, const dorm__checkpoint *checkpoint)
{
  bool is_first = dorm__processes_number(job->context) == 0;
  int64_t is_due = is_first && dorm__seconds() - checkpoint->last >= checkpoint->interval;
  return dorm__processes_max(job->context, &is_due) == DORM_OK && is_due;
}

/* Returns the number of parts that this process writes and reads. */
static size_t num_parts(const dorm__checkpoint *checkpoint)
{
  return checkpoint->shards ? checkpoint->shards->count : 0;
}

/* Returns the path of the part of shard `i` of this process in the save `number`, or NULL when out of memory. */
static char *part_path(const dorm__checkpoint *checkpoint, size_t i, uint64_t number)
{
  size_t size = strlen(checkpoint->path) + 80;
  char *path = dorm__alloc(size, 1);
  if (path)
    snprintf(path, size, "%s.shard-%zu-of-%zu.%c", checkpoint->path, checkpoint->shards->first + i + 1,
             checkpoint->shards->total, number % 2 ? 'b' : 'a');
  return path;
}

static dorm_status save_part(const dorm__job *job, const dorm__checkpoint *checkpoint, const dorm__working_set *set,
                             size_t i)
{
  dorm__record_writer *writer = NULL;
  char *path = part_path(checkpoint, i, checkpoint->number);
  dorm_status status =
      path ? dorm__record_create(job->context, path, &writer) : dorm__out_of_memory(job->context, "a checkpoint");
  dorm__free(path);
  if (status != DORM_OK)
    return status;
  dorm__record_put_bytes(writer, magic, sizeof magic);
  dorm__record_put_count(writer, checkpoint->fingerprint);
  dorm__record_put_count(writer, checkpoint->number);
  dorm__record_put_count(writer, checkpoint->id);
  dorm__working_set_save(set, i, writer);
  return dorm__record_commit(job->context, writer);
}

/* Returns the status of the lowest process that failed, with its message, or DORM_OK. The common
 * call does not end by it, as it does by a failure that only one process knows (base/processes.h). */
static dorm_status agree(dorm_context *context, dorm_status status)
{
  struct outcome {
    int64_t status;
    char message[DORM__MESSAGE_SIZE];
  } mine = {.status = status};
  int64_t worst = status;
  void *all = NULL;
  size_t size = dorm__processes_size(context);
  if (size == 1)
    return status;
  memcpy(mine.message, context->message, sizeof mine.message);
  DORM__FREED size_t *start = dorm__alloc(size + 1, sizeof *start);
  if (!start) /* ends the training at the next common call */
    return dorm__processes_keep(context, dorm__out_of_memory(context, "a checkpoint"));
  dorm_status reached = dorm__processes_max(context, &worst);
  if (reached == DORM_OK && worst != DORM_OK)
    reached = dorm__processes_gather(context, &mine, sizeof mine, &all, start);
  const struct outcome *outcomes = all;
  for (size_t i = 0; reached == DORM_OK && outcomes && i < size; i++)
    if (outcomes[i].status != DORM_OK)
      reached = dorm__fail(context, (dorm_status)outcomes[i].status, "%s", outcomes[i].message);
  dorm__free(all);
  return reached;
}

/* Writes the beginning of the file, up to the sums. */
static dorm_status begin_frame(const dorm__job *job, const dorm__checkpoint *checkpoint, size_t grid,
                               dorm__record_writer **writer)
{
  dorm_status status = dorm__record_create(job->context, checkpoint->path, writer);
  if (status != DORM_OK)
    return status;
  dorm__record_put_bytes(*writer, magic, sizeof magic);
  dorm__record_put_count(*writer, version);
  dorm__record_put_count(*writer, byte_order);
  dorm__record_put_count(*writer, checkpoint->fingerprint);
  dorm__record_put_count(*writer, checkpoint->number);
  dorm__record_put_count(*writer, checkpoint->id);
  dorm__record_put_count(*writer, grid);
  return DORM_OK;
}

/* Writes everything but the parts. */
static dorm_status save_frame(const dorm__job *job, const dorm__grid *grid, const dorm__solve_state *state)
{
  dorm__checkpoint *checkpoint = grid->checkpoint;
  const dorm__fold_sums *sums = grid->fold_sums;
  dorm__record_writer *writer = NULL;
  dorm_status status = begin_frame(job, checkpoint, grid->number, &writer);
  if (status != DORM_OK)
    return status;
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
  dorm__working_set_save(state->set, DORM__NO_SHARD, writer);
  return dorm__record_commit(job->context, writer);
}

/* Finds the number of the save in the file at checkpoint->path, 0 if there is no file of this version. All processes
 * get the same number. */
static dorm_status find_number(dorm_context *context, const dorm__checkpoint *checkpoint, uint64_t *number)
{
  beginning found;
  FILE *file = dorm__processes_number(context) == 0 ? fopen(checkpoint->path, "rb") : NULL;
  bool is_good = file && fread(&found, sizeof found, 1, file) == 1 && memcmp(found.magic, magic, sizeof magic) == 0 &&
                 found.version == version && found.byte_order == byte_order;
  if (file)
    fclose(file);
  *number = is_good ? found.number : 0;
  return dorm__processes_broadcast(context, 0, number, sizeof *number);
}

/* Draws the id of the next save, a hash of the time, the process and the save before. */
static dorm_status draw_id(dorm_context *context, dorm__checkpoint *checkpoint)
{
  struct timespec now = {0};
  clock_gettime(CLOCK_REALTIME, &now);
  const uint64_t parts[] = {(uint64_t)now.tv_sec, (uint64_t)now.tv_nsec, (uint64_t)getpid(), checkpoint->number,
                            checkpoint->id};
  checkpoint->id = dorm__hash_bytes(DORM__HASH_START, parts, sizeof parts);
  return dorm__processes_broadcast(context, 0, &checkpoint->id, sizeof checkpoint->id);
}

dorm_status dorm__checkpoint_save(const dorm__job *job, const dorm__grid *grid, const dorm__solve_state *state)
{
  dorm__checkpoint *checkpoint = grid->checkpoint;
  checkpoint->last = dorm__seconds(); /* a failed save is tried again after the interval, not after every pass */
  dorm_status status = draw_id(job->context, checkpoint);
  if (status != DORM_OK)
    return status;
  checkpoint->number++;
  for (size_t i = 0; status == DORM_OK && i < num_parts(checkpoint); i++)
    status = save_part(job, checkpoint, state->set, i);
  status = agree(job->context, status);
  if (status == DORM_OK && dorm__processes_number(job->context) == 0)
    status = save_frame(job, grid, state);
  status = agree(job->context, status);
  uint64_t number;
  /* After a failure, the file may name this save or the one before. The next save must not overwrite its parts. */
  if (status != DORM_OK && find_number(job->context, checkpoint, &number) == DORM_OK)
    checkpoint->number = number;
  return status;
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
  if (size < sizeof(beginning) || memcmp(checkpoint->bytes, magic, sizeof magic) != 0)
    return damaged(job, "not a checkpoint of dorm");
  bool is_whole = dorm__record_open(checkpoint->bytes, size, reader);
  dorm__record_take(reader, 1, sizeof magic);
  if (dorm__record_take_word(reader) != version || dorm__record_take_word(reader) != byte_order)
    return damaged(job, "a checkpoint of another version or machine");
  if (!is_whole)
    return damaged(job, is_damaged);
  if (dorm__record_take_word(reader) != checkpoint->fingerprint)
    return damaged(job, "the checkpoint belongs to other settings or data");
  checkpoint->number = dorm__record_take_word(reader);
  checkpoint->id = dorm__record_take_word(reader);
  checkpoint->grid = dorm__record_take_count(reader);
  if (dorm__checkpoint_keeps_folds(job))
    return reader->is_bad ? damaged(job, is_damaged) : DORM_OK;
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
  bool resumes = dorm__settings_say_yes(job->settings, DORM__OUTPUT_RESUME, 0);
  bool overwrites = dorm__settings_choice(job->settings, DORM__OUTPUT_RESUME) == DORM__RESUME_OVERWRITE;
  size_t size = 0;
  *checkpoint = NULL;
  if (!*path)
    return resumes ? dorm__fail(job->context, DORM_BAD_USAGE, "output.resume = yes needs output.checkpoint") : DORM_OK;
  for (size_t i = 0; i < job->num_trainers; i++)
    if (!job->trainers[i]->resumes && !dorm__checkpoint_keeps_folds(job))
      return dorm__fail(job->context, DORM_BAD_USAGE, "output.checkpoint: trainer '%s' cannot be resumed",
                        job->trainers[i]->name);
  bool exists = access(path, F_OK) == 0 || errno != ENOENT;
  dorm_status status = dorm__processes_broadcast(job->context, 0, &exists, sizeof exists);
  if (status != DORM_OK)
    return status;
  if (exists && !resumes && !overwrites)
    return dorm__fail(job->context, DORM_BAD_USAGE,
                      "%s: a checkpoint is there already: output.resume = yes (--resume) continues from it, "
                      "output.resume = overwrite (--overwrite) starts anew and replaces it",
                      path);
  dorm__checkpoint *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return dorm__out_of_memory(job->context, "a checkpoint");
  made->path = path;
  made->interval = dorm__settings_number(job->settings, DORM__OUTPUT_CHECKPOINT_SECONDS);
  made->last = dorm__seconds();
  made->shards = train->shards;
  made->context = job->context;
  if (dorm__processes_number(job->context) == 0)
    status = dorm_context_lock_output(job->context, path);
  if (status == DORM_OK)
    status = dorm__fingerprint(job, train, validation, &made->fingerprint);
  if (status == DORM_OK && exists)
    status = find_number(job->context, made, &made->number);
  if (status == DORM_OK && resumes && exists)
    status = DORM__ALL(dorm__read_whole(job->context, path, &made->bytes, &size), read_frame(job, size, sums, made));
  return DORM__GIVE(status, checkpoint, made, dorm__checkpoint_close);
}

void dorm__checkpoint_close(dorm__checkpoint *checkpoint)
{
  if (!checkpoint)
    return;
  dorm__unlock_output(checkpoint->context, checkpoint->path);
  dorm__free(checkpoint->bytes);
  dorm__free(checkpoint->kept);
  dorm__free(checkpoint);
}

bool dorm__checkpoint_has_done(const dorm__checkpoint *checkpoint, size_t grid)
{
  return checkpoint && checkpoint->bytes && grid < checkpoint->grid;
}

/* Checks that a restored candidate has the number of weights that its feature map needs. With a kernel that number is
 * not known yet, and the grid checks it when it reaches the kernel again. */
static bool has_width(const dorm__job *job, size_t num_ids, const dorm__trained *trained)
{
  dorm__feature_map map = {.num_ids = num_ids, .rank_block = trained->candidate.rank_block};
  return !dorm__kernel_is_linear(job->kernels.kernel) ||
         (map.rank_block >= 0 && trained->width == (1 + job->num_own) * dorm__feature_map_width(&map));
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
  dorm_training *other = NULL; /* the candidates of the other grid, which are dropped */
  size_t num_ids = 0;
  size_t num_done = dorm__record_take_count(&reader);
  dorm_status status = dorm__features_chosen_by(job->context, job->settings, grid->train, &num_ids);
  if (job->from)
    num_ids = job->from->map.num_ids;
  if (status == DORM_OK)
    status = DORM__ALL(dorm__training_new(job->context, &other),
                       read_candidates(job, num_ids, &reader, is_present ? other : grid->training),
                       read_candidates(job, num_ids, &reader, is_present ? grid->training : other));
  if (status == DORM_OK) {
    grid->progress->num_done = is_present ? num_done : num_done - other->num_trained;
    grid->num_restored = grid->training->num_trained;
    checkpoint->solve_at = reader.at;
    checkpoint->has_solve = is_present;
  }
  dorm_training_free(other);
  return status;
}

static dorm_status read_part(const dorm__job *job, const dorm__checkpoint *checkpoint, const char *path,
                             dorm__working_set *set, size_t i)
{
  DORM__FREED char *bytes = NULL;
  size_t size = 0;
  dorm__record_reader reader;
  dorm_status status = dorm__read_whole(job->context, path, &bytes, &size);
  if (status != DORM_OK)
    return status;
  bool is_good = dorm__record_open(bytes, size, &reader);
  const void *begin = dorm__record_take(&reader, 1, sizeof magic);
  is_good = is_good && begin && memcmp(begin, magic, sizeof magic) == 0 &&
            dorm__record_take_word(&reader) == checkpoint->fingerprint &&
            dorm__record_take_word(&reader) == checkpoint->number && dorm__record_take_word(&reader) == checkpoint->id;
  if (is_good && !dorm__working_set_restore(set, i, &reader))
    status = dorm__out_of_memory(job->context, "a working set");
  else if (!is_good || reader.is_bad || reader.at != reader.size)
    status =
        dorm__fail(job->context, DORM_BAD_DATA, "%s: this part of the checkpoint is damaged, or of another save", path);
  return status;
}

static dorm_status restore_part(const dorm__job *job, const dorm__checkpoint *checkpoint, dorm__working_set *set,
                                size_t i)
{
  DORM__FREED char *path = part_path(checkpoint, i, checkpoint->number);
  dorm_status status =
      path ? read_part(job, checkpoint, path, set, i) : dorm__out_of_memory(job->context, "a checkpoint");
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
  if (!dorm__working_set_restore(state->set, DORM__NO_SHARD, &reader))
    return dorm__out_of_memory(job->context, "a working set");
  for (size_t i = 0; !reader.is_bad && i < num_parts(checkpoint); i++) {
    dorm_status status = restore_part(job, checkpoint, state->set, i);
    if (status != DORM_OK)
      return status;
  }
  return reader.is_bad || reader.at != reader.size ? damaged(job, is_damaged) : DORM_OK;
}

/* ---- Finished folds ------------------------------------------------------------------- */

bool dorm__checkpoint_keeps_folds(const dorm__job *job)
{
  return dorm__job_averages_folds(job) && dorm__kernel_is_linear(job->kernels.kernel);
}

/* Appends the record of a fold. */
static dorm_status append_fold(const dorm__job *job, dorm__checkpoint *checkpoint, const char *bytes, size_t size)
{
  if (!dorm__grow((void **)&checkpoint->kept, &checkpoint->kept_capacity, checkpoint->kept_size + size, 1))
    return dorm__out_of_memory(job->context, "a checkpoint");
  memcpy(checkpoint->kept + checkpoint->kept_size, bytes, size);
  checkpoint->kept_size += size;
  checkpoint->num_kept++;
  return DORM_OK;
}

dorm_status dorm__checkpoint_keep_fold(const dorm__job *job, dorm__checkpoint *checkpoint, const dorm__grid *grid)
{
  dorm__record_writer *writer = NULL;
  DORM__FREED char *bytes = NULL;
  size_t size = 0;
  if (!checkpoint)
    return DORM_OK;
  dorm_status status = dorm__output_to_memory(job->context, &writer);
  if (status != DORM_OK)
    return status;
  dorm_status saved =
      dorm__training_save(job->context, grid->training, &grid->map, grid->validation->num_queries, writer);
  status = DORM__ALL(dorm__output_take(job->context, writer, &bytes, &size), saved,
                     append_fold(job, checkpoint, bytes, size), draw_id(job->context, checkpoint));
  checkpoint->number++;
  if (status == DORM_OK)
    status = begin_frame(job, checkpoint, checkpoint->num_kept, &writer);
  if (status != DORM_OK)
    return status;
  dorm__record_put_bytes(writer, checkpoint->kept, checkpoint->kept_size);
  return dorm__record_commit(job->context, writer);
}

dorm_status dorm__checkpoint_restore_fold(const dorm__job *job, dorm__checkpoint *checkpoint, dorm__grid *grid,
                                          bool *is_there)
{
  *is_there = dorm__checkpoint_has_done(checkpoint, grid->number);
  if (!*is_there)
    return DORM_OK;
  dorm__record_reader *reader = &checkpoint->frame;
  size_t before = reader->at;
  dorm_status status = DORM__ALL(
      dorm__training_new(job->context, &grid->training),
      dorm__feature_map_copy(job->context, grid->shared_map, &grid->map),
      dorm__training_restore(job->context, &grid->map, grid->validation->num_queries, reader, grid->training));
  if (status != DORM_OK)
    return status;
  if (reader->is_bad || grid->training->num_trained != dorm__job_grid_size(job))
    return damaged(job, is_damaged);
  grid->training->num_training_queries = grid->train->num_queries;
  grid->progress->num_done += grid->training->num_trained;
  for (size_t i = 0; i < grid->training->num_trained; i++)
    grid->progress->is_limited =
        grid->progress->is_limited ||
        grid->training->trained[i].candidate.certificate.gap > dorm__settings_number(job->settings, DORM__SOLVER_GAP);
  return append_fold(job, checkpoint, reader->bytes + before, reader->at - before);
}

void dorm__checkpoint_remove(dorm__checkpoint *checkpoint)
{
  if (!checkpoint)
    return;
  unlink(checkpoint->path);
  for (size_t i = 0; i < 2 * num_parts(checkpoint); i++) {
    DORM__FREED char *path = part_path(checkpoint, i / 2, i % 2);
    if (path)
      unlink(path);
  }
}
