/*
 * check.c: checks before a training begins. No output file may be an input. Processes that train together need the same
 * settings and features. Each describes its own as texts, and compares them with the texts of the first process.
 * Threads, memory and folders may differ between machines.
 */
#include "base/hash.h"
#include "base/processes.h"
#include "training/train_once.h"

#include <inttypes.h>
#include <string.h>

/* ---- Processes ----------------------------------------------------------------------- */

static void describe_features(dorm__output *output, const char *key, const dorm_dataset *dataset)
{
  if (!dataset)
    return;
  size_t bytes = dataset->num_features * sizeof *dataset->feature_ids;
  dorm__output_text(output, "number of features of %s = %zu%c", key, dataset->num_features, 0);
  dorm__output_text(output, "hash of the feature ids of %s = %016" PRIx64 "%c", key,
                    dorm__hash_bytes(DORM__HASH_START, dataset->feature_ids, bytes), 0);
}

static dorm_status describe_file(void *user, dorm__setting setting, const char *path)
{
  uint64_t hash = DORM__HASH_START;
  dorm__fingerprint_add_file(&hash, setting, path);
  dorm__output_text(user, "hash of the file of %s = %016" PRIx64 "%c", dorm__setting_table[setting].key, hash, 0);
  return DORM_OK;
}

/* Makes texts [size], each "name = value" and a zero byte, of all that the processes must share. The caller frees
 * them. */
static dorm_status describe(dorm_context *context, const dorm_settings *settings, const dorm__grid *grid, char **texts,
                            size_t *size)
{
  dorm__output *output = NULL;
  *texts = NULL;
  dorm_status status = dorm__output_to_memory(context, &output);
  if (status != DORM_OK)
    return status;
  for (size_t i = 0; i < DORM__NUM_SETTINGS; i++)
    if (i != DORM__DATA_STORAGE && i != DORM__SOLVER_THREADS)
      dorm__output_text(output, "%s = %s%c", dorm__setting_table[i].key,
                        dorm__settings_text(settings, (dorm__setting)i), 0);
  dorm__settings_each_path(settings, describe_file, output);
  describe_features(output, "the training data", grid->train);
  describe_features(output, "the validation data", grid->validation);
  return dorm__output_take(context, output, texts, size);
}

/* Sends texts [size] of the first process to the others, as *first [*first_size], which the caller frees. */
static dorm_status take_first(dorm_context *context, char *texts, size_t size, char **first, size_t *first_size)
{
  uint64_t bytes = size;
  dorm_status status = dorm__processes_broadcast(context, 0, &bytes, sizeof bytes);
  if (status != DORM_OK || dorm__processes_number(context) == 0)
    return status == DORM_OK ? dorm__processes_broadcast(context, 0, texts, size) : status;
  *first_size = (size_t)bytes;
  *first = dorm__alloc(*first_size, 1);
  return *first ? dorm__processes_broadcast(context, 0, *first, *first_size)
                : dorm__out_of_memory(context, "the settings of the first process");
}

/* Fails at the first text that differs. */
static dorm_status compare(dorm_context *context, const char *texts, size_t size, const char *first, size_t first_size)
{
  for (size_t at = 0, k = 0; at < size || k < first_size; at += strlen(texts + at) + 1, k += strlen(first + k) + 1) {
    const char *mine = at < size ? texts + at : "nothing more", *its = k < first_size ? first + k : "nothing more";
    if (strcmp(mine, its) != 0)
      return dorm__fail(context, DORM_BAD_USAGE,
                        "the processes differ: process %zu has %.400s, but process 1 has %.400s",
                        dorm__processes_number(context) + 1, mine, its);
  }
  return DORM_OK;
}

dorm_status dorm__check_processes_agree(dorm_context *context, const dorm_settings *settings, const dorm__grid *grid)
{
  char *texts = NULL, *first = NULL;
  size_t size = 0, first_size = 0;
  if (dorm__processes_size(context) == 1)
    return DORM_OK;
  dorm_status status =
      DORM__ALL(describe(context, settings, grid, &texts, &size), take_first(context, texts, size, &first, &first_size),
                first ? compare(context, texts, size, first, first_size) : DORM_OK);
  dorm__free(first);
  dorm__free(texts);
  return status;
}

/* ---- Outputs ------------------------------------------------------------------------- */

static const dorm__setting outputs[] = {DORM__OUTPUT_CHECKPOINT, DORM__OUTPUT_CANDIDATES, DORM__OUTPUT_MODEL};
enum { NUM_OUTPUTS = sizeof outputs / sizeof *outputs };

/* The files to compare with the paths of settings. */
typedef struct checked {
  dorm_context *context;
  const dorm_settings *settings;
} checked;

/* Fails if an input file of a setting is an output. */
static dorm_status check_input(void *user, dorm__setting setting, const char *path)
{
  const checked *of = user;
  const char *key = dorm__setting_table[setting].key;
  if (strncmp(key, "output.", strlen("output.")) == 0 || setting == DORM__RATINGS_OUTPUT)
    return DORM_OK;
  for (size_t i = 0; i < NUM_OUTPUTS; i++) {
    const char *output = dorm__settings_text(of->settings, outputs[i]);
    bool is_replaced = outputs[i] == DORM__OUTPUT_MODEL && setting == DORM__DATA_FROM;
    if (*output && !is_replaced && dorm__is_same_file(output, path))
      return dorm__fail(of->context, DORM_BAD_USAGE, "%s and %s are both %s: name another file for the output", key,
                        dorm__setting_table[outputs[i]].key, output);
  }
  return setting == DORM__DATA_FROM ? DORM_OK : dorm__input_add(of->context, path);
}

dorm_status dorm__check_outputs(dorm_context *context, const dorm_settings *settings)
{
  checked of = {context, settings};
  dorm_status status = DORM_OK;
  for (size_t i = 0; status == DORM_OK && i < NUM_OUTPUTS; i++) {
    const char *output = dorm__settings_text(settings, outputs[i]);
    if (*output)
      status = dorm_context_check_output(context, output);
    for (size_t k = 0; status == DORM_OK && *output && k < i; k++)
      if (dorm__is_same_file(output, dorm__settings_text(settings, outputs[k])))
        status = dorm__fail(context, DORM_BAD_USAGE, "%s and %s are both %s: name two files",
                            dorm__setting_table[outputs[k]].key, dorm__setting_table[outputs[i]].key, output);
  }
  return status == DORM_OK ? dorm__settings_each_path(settings, check_input, &of) : status;
}

/* ---- The call ------------------------------------------------------------------------- */

dorm_status dorm_train_check(dorm_context *context, const dorm_settings *settings)
{
  static const dorm__grid no_data;
  if (DORM__LACKS(context, DORM__GIVEN(settings)))
    return DORM_BAD_USAGE;
  dorm__processes_begin(context);
  dorm_status status =
      DORM__ALL(dorm__check_processes_agree(context, settings, &no_data), dorm__check_outputs(context, settings));
  return dorm__processes_end(context, status);
}
