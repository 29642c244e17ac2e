/*
 * fingerprint.c: one number for all that the result of a training depends on. If the data are split into shards, each
 * shard has a hash of its own, so that any number of processes finds the same fingerprint.
 */
#include "base/hash.h"
#include "base/processes.h"
#include "jobs/checkpoint.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Settings, and files that they name ------------------------------------------------ */

/* Adds the content of a file to the hash. Adds nothing if the path is no regular file or cannot be read. */
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

dorm_status dorm__fingerprint_add_file(void *hash, dorm__setting setting, const char *path)
{
  const char *key = dorm__setting_table[setting].key;
  bool is_data = starts_with(key, "data.") && setting != DORM__DATA_FROM;
  if (!is_data && !starts_with(key, "output."))
    hash_file(hash, path);
  return DORM_OK;
}

/* Adds the files that text parameters of the loss name, and the module of the loss. */
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
    if (i == DORM__DATA_STORAGE && strcmp(text, "file") == 0)
      text = "dense"; /* both give the same bits, so a training that ran out of memory can continue with a file */
    if (!starts_with(dorm__setting_table[i].key, "output.") && i != DORM__SOLVER_MAX_SECONDS &&
        i != DORM__TRAINING_BUDGET)
      *hash = dorm__hash_bytes(*hash, text, strlen(text) + 1);
  }
  dorm__settings_each_path(job->settings, dorm__fingerprint_add_file, hash);
  dorm__kernel_each_path(job->kernels.kernel, hash_path, hash);
  hash_loss_files(job, hash);
}

/* ---- Data ---------------------------------------------------------------------------- */

static void hash_items(const void *items, size_t first, size_t end, size_t size, uint64_t *hash)
{
  if (items)
    *hash = dorm__hash_bytes(*hash, (const char *)items + first * size, (end - first) * size);
}

static void hash_lists(const dorm__doc_lists *lists, size_t first, size_t end, uint64_t *hash)
{
  for (size_t j = first; lists && j < end; j++) {
    size_t count = lists->start[j + 1] - lists->start[j];
    *hash = dorm__hash_bytes(*hash, &count, sizeof count);
    hash_items(lists->numbers, lists->start[j], lists->start[j + 1], sizeof *lists->numbers, hash);
    hash_items(lists->weights, lists->start[j], lists->start[j + 1], sizeof *lists->weights, hash);
  }
}

/* Adds values first .. end - 1, a few at a time, since they may be in a file. */
static void hash_values(const dorm_dataset *dataset, size_t first, size_t end, uint64_t *hash)
{
  enum { AT_ONCE = 1 << 16 };
  for (size_t e = first; dataset->values && e < end; e += AT_ONCE) {
    size_t stop = end - e < AT_ONCE ? end : e + AT_ONCE;
    dorm__file_memory_use(dataset->file, dataset->values + e, (stop - e) * sizeof *dataset->values);
    hash_items(dataset->values, e, stop, sizeof *dataset->values, hash);
  }
}

/* Returns a hash of the documents of one shard that does not depend on its place. */
static uint64_t hash_shard(const dorm_dataset *dataset, size_t shard)
{
  uint64_t hash = DORM__HASH_START;
  size_t first, end;
  dorm__shard_range(dataset, shard, &first, &end);
  size_t first_doc = dataset->query_start[first], end_doc = dataset->query_start[end];
  for (size_t q = first; q < end; q++) {
    size_t count = dataset->query_start[q + 1] - dataset->query_start[q];
    hash = dorm__hash_bytes(hash, &count, sizeof count);
  }
  for (size_t j = first_doc; dataset->row_start && j < end_doc; j++) {
    size_t count = dataset->row_start[j + 1] - dataset->row_start[j];
    hash = dorm__hash_bytes(hash, &count, sizeof count);
  }
  size_t width = dataset->num_features;
  size_t first_value = dataset->row_start ? dataset->row_start[first_doc] : first_doc * width;
  size_t end_value = dataset->row_start ? dataset->row_start[end_doc] : end_doc * width;
  hash_items(dataset->labels, first_doc, end_doc, sizeof *dataset->labels, &hash);
  hash_values(dataset, first_value, end_value, &hash);
  hash_items(dataset->indices, first_value, end_value, sizeof *dataset->indices, &hash);
  hash_items(dataset->query_weights, first, end, sizeof *dataset->query_weights, &hash);
  hash_items(dataset->doc_weights, first_doc, end_doc, sizeof *dataset->doc_weights, &hash);
  hash_lists(dataset->groups, first_doc, end_doc, &hash);
  hash_lists(dataset->subtopics, first_doc, end_doc, &hash);
  if (dataset->subtopics)
    hash_items(dataset->subtopics->num_subtopics, first, end, sizeof *dataset->subtopics->num_subtopics, &hash);
  return hash;
}

/* Adds the data of all processes, which are split into shards. */
static dorm_status hash_shards(dorm_context *context, const dorm_dataset *dataset, uint64_t *hash)
{
  size_t count = dorm__shards_here(dataset);
  DORM__FREED size_t *start = dorm__alloc(dorm__processes_size(context) + 1, sizeof *start);
  DORM__FREED uint64_t *hashes = dorm__alloc(count, sizeof *hashes);
  DORM__FREED void *all = NULL;
  dorm_status status = start && hashes ? DORM_OK : dorm__out_of_memory(context, "a checkpoint");
  for (size_t i = 0; status == DORM_OK && i < count; i++)
    hashes[i] = hash_shard(dataset, i);
  if (status == DORM_OK)
    status = dorm__processes_gather(context, hashes, count * sizeof *hashes, &all, start);
  if (status == DORM_OK) {
    *hash = dorm__hash_bytes(*hash, dataset->feature_ids, dataset->num_features * sizeof *dataset->feature_ids);
    *hash = dorm__hash_bytes(*hash, all, start[dorm__processes_size(context)]);
  }
  return status;
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
    if (arrays[i].items == dataset->values)
      hash_values(dataset, 0, num_values, hash);
    else if (arrays[i].items)
      *hash = dorm__hash_bytes(*hash, arrays[i].items, arrays[i].bytes);
}

/* ---- The fingerprint --------------------------------------------------------------------- */

dorm_status dorm__fingerprint(const dorm__job *job, const dorm_dataset *train, const dorm_dataset *validation,
                              uint64_t *fingerprint)
{
  uint64_t hash = DORM__HASH_START;
  dorm_status status = DORM_OK;
  hash_settings(job, &hash);
  if (train->shards) {
    status = DORM__ALL(hash_shards(job->context, train, &hash),
                       validation ? hash_shards(job->context, validation, &hash) : DORM_OK);
  } else {
    hash_dataset(train, &hash);
    if (validation)
      hash_dataset(validation, &hash);
  }
  *fingerprint = hash;
  return status;
}
