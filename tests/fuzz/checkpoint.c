/*
 * checkpoint.c: resumes a training on a few documents from a checkpoint. The
 * input is what follows the fingerprint in the file; the target adds the frame of
 * a checkpoint of this training and the right checksum (FNV-1a). With the highest bit
 * of the first byte the documents have no features.
 */
#include "tests/fuzz/fuzz.h"

static dorm_status train(dorm_context *context, bool has_features, const char *path, bool resumes,
                         dorm_training **training)
{
  DORM__OWNED(dorm_settings) *settings =
      fuzz_settings(context, FUZZ_PAIRS("solver.C", "1, 10", "solver.threads", "1", "ranking.rounds", "1",
                                        "ranking.reference", "mu:1", "loss.truncation", "2", "solver.max_iterations",
                                        "20", "ranking.position_weights", "power:0.5", "output.checkpoint_seconds", "0",
                                        "output.checkpoint", path, "output.resume", resumes ? "yes" : "no"));
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

/* If the first byte of the input is odd, the others change a complete body. Otherwise all are the body. */
static void run(dorm_context *context, const uint8_t *data, size_t size)
{
  if (!wholes[0].bytes) {
    make_whole(context, false);
    make_whole(context, true);
    atexit(free_wholes);
  }
  bool has_features = !(size && data[0] & 0x80);
  bool is_changed = size && data[0] % 2;
  DORM__OWNED(dorm_training) *training = NULL;
  const char *path = fuzz_write_checkpoint(wholes[has_features], is_changed, data + is_changed, size - is_changed);
  dorm_status status = train(context, has_features, path, true, &training);
  if (status != DORM_STOPPED)
    fuzz_is_good(context, status);
}

const fuzz_target fuzz_checkpoint = {"checkpoint", run, 4096};
