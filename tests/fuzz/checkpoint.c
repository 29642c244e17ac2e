/*
 * checkpoint.c: resumes a training on a few documents from a checkpoint. The
 * input is what follows the fingerprint in the file; the target adds the frame of
 * a checkpoint of this training and the right checksum (FNV-1a). With the highest bit
 * of the first byte the documents have no features.
 */
#include "base/base.h"
#include "base/hash.h"
#include "jobs/jobs.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FRAME = 40 }; /* magic, version, byte order, fingerprint */

static dorm_status train(dorm_context *context, bool has_features, const char *path, bool resumes,
                         dorm_training **training)
{
  static const char *const texts[][2] = {
      {"solver.C", "1, 10"},
      {"solver.threads", "1"},
      {"ranking.rounds", "1"},
      {"ranking.reference", "mu:1"},
      {"loss.truncation", "2"},
      {"solver.max_iterations", "20"},
      {"ranking.position_weights", "power:0.5"},
      {"output.checkpoint_seconds", "0"},
  };
  DORM__OWNED(dorm_settings) *settings = NULL;
  fuzz_require_ok(context, dorm_settings_new(context, &settings), "settings");
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    fuzz_require_ok(context, dorm_settings_set(context, settings, texts[i][0], texts[i][1]), "a setting");
  fuzz_require_ok(context, dorm_settings_set(context, settings, "output.checkpoint", path), "a path");
  fuzz_require_ok(context, dorm_settings_set(context, settings, "output.resume", resumes ? "yes" : "no"), "a word");
  return dorm_train(context, settings, fuzz_small_data(has_features), NULL, training);
}

static int stop(void *user)
{
  int *left = user;
  return (*left)-- <= 0;
}

static fuzz_text wholes[2]; /* the checkpoints that a training without and with features leaves when it is stopped */

static void free_wholes(void)
{
  free((char *)wholes[0].bytes);
  free((char *)wholes[1].bytes);
}

/* Stops the training later and later, until its checkpoint has candidates and a working set. */
static void make_whole(dorm_context *context, bool has_features)
{
  enum { LATEST = 1000 };
  const size_t enough = has_features ? 900 : 500;
  fuzz_text whole = {NULL, 0};
  const char *path = fuzz_path("checkpoint");
  for (int moment = 1; moment < LATEST && whole.size < enough; moment++) {
    int left = moment;
    dorm_training *training = NULL;
    free((char *)whole.bytes);
    unlink(path);
    dorm_context_set_cancel(context, stop, &left);
    dorm_status status = train(context, has_features, path, false, &training);
    dorm_training_free(training);
    whole = status == DORM_STOPPED && access(path, F_OK) == 0 ? fuzz_read(path) : (fuzz_text){NULL, 0};
  }
  dorm_context_set_cancel(context, NULL, NULL);
  fuzz_require(whole.size >= enough, "a checkpoint");
  wholes[has_features] = whole;
}

/* If the first byte of the input is odd, the others change a complete body: two
 * bytes for the place, one for the value. Otherwise they are the body. */
static char *make_file(fuzz_text whole, const uint8_t *data, size_t size, size_t *file_size)
{
  bool is_patch = size && data[0] % 2;
  *file_size = is_patch ? whole.size : FRAME + size + sizeof(uint64_t);
  char *file = malloc(*file_size);
  fuzz_require(file != NULL, "memory");
  memcpy(file, whole.bytes, is_patch ? whole.size : FRAME);
  if (!is_patch && size)
    memcpy(file + FRAME, data, size);
  for (size_t i = 1; is_patch && i + 2 < size; i += 3)
    file[FRAME + (data[i] * 256U + data[i + 1]) % (whole.size - FRAME)] = (char)data[i + 2];
  uint64_t hash = dorm__hash_bytes(DORM__HASH_START, file, *file_size - sizeof hash);
  memcpy(file + *file_size - sizeof hash, &hash, sizeof hash);
  return file;
}

static void run(dorm_context *context, const uint8_t *data, size_t size)
{
  if (!wholes[0].bytes) {
    make_whole(context, false);
    make_whole(context, true);
    atexit(free_wholes);
  }
  bool has_features = !(size && data[0] & 0x80);
  size_t file_size;
  char *file = make_file(wholes[has_features], data, size, &file_size);
  DORM__OWNED(dorm_training) *training = NULL;
  dorm_status status = train(context, has_features, fuzz_write("checkpoint", file, file_size), true, &training);
  if (status != DORM_OK && status != DORM_STOPPED)
    fuzz_require_failure(context, status);
  free(file);
}

const fuzz_target fuzz_checkpoint = {"checkpoint", run, 4096};
