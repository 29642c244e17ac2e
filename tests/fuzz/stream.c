/*
 * stream.c: resumes a stream of a few queries from a checkpoint, or learns from a text. The first byte of the input is
 * the kind of the rest:
 *
 *   0, 1  the checkpoint of a stream with dense or sparse rows after its fingerprint; the target adds the frame and the
 *         right checksum (FNV-1a)
 *   2, 3  changes of such a checkpoint: two bytes for the place, one for the value
 *   4, 5  the text of a stream with dense or sparse rows
 *
 * A stream that was accepted has to write a model that can be read again.
 */
#include "tests/fuzz/fuzz.h"

enum { KINDS = 6, LONGEST_TEXT = 2048 };

#define FIRST_QUERIES                                                                                                  \
  "2 qid:1 1:0.5 5:1\n0 qid:1 1:0.25 5:2\n1 qid:1 1:1 5:0.5\n"                                                         \
  "0 qid:2 1:3 2:1 5:1\n1 qid:2 1:1 2:2 5:4\n"                                                                         \
  "1 qid:3 1:3\n1 qid:3 2:5\n"
static const char first[] = FIRST_QUERIES; /* before the checkpoint */
static const char text[] = FIRST_QUERIES "2 qid:4 1:0.5 7:1\n0 qid:4 1:0.75 7:3\n1 qid:4 2:1 7:2\n";

/* Learns from the file "data", with the checkpoint "checkpoint". */
static dorm_status train(dorm_context *context, bool is_sparse, bool resumes)
{
  DORM__OWNED(dorm_settings) *settings =
      fuzz_settings(context, FUZZ_PAIRS("data.train", fuzz_path("data"), "data.storage", is_sparse ? "sparse" : "dense",
                                        "data.rank_block", is_sparse ? "0" : "0.5", "output.model", fuzz_path("model"),
                                        "output.checkpoint", fuzz_path("checkpoint"), "output.resume",
                                        resumes ? "yes" : "overwrite"));
  DORM__OWNED(dorm_model) *model = NULL;
  return dorm_train_stream(context, settings, NULL, NULL, &model);
}

static fuzz_text wholes[2]; /* the checkpoints after `first`, with dense and with sparse rows */

static void free_wholes(void)
{
  free((char *)wholes[0].bytes);
  free((char *)wholes[1].bytes);
}

static void make_wholes(dorm_context *context)
{
  for (size_t i = 0; i < 2; i++) {
    fuzz_write("data", first, sizeof first - 1);
    fuzz_require_ok(context, train(context, i, false), "a stream");
    wholes[i] = fuzz_read(fuzz_path("checkpoint"));
  }
  atexit(free_wholes);
}

static void run(dorm_context *context, const uint8_t *data, size_t size)
{
  if (!wholes[0].bytes)
    make_wholes(context);
  if (!size)
    return;
  size_t kind = data[0] % KINDS;
  bool is_sparse = kind % 2, is_text = kind >= 4;
  unlink(fuzz_path("model"));
  if (is_text)
    fuzz_write("data", data + 1, size - 1 < LONGEST_TEXT ? size - 1 : LONGEST_TEXT);
  else
    fuzz_write("data", text, sizeof text - 1);
  if (!is_text)
    fuzz_write_checkpoint(wholes[is_sparse], kind >= 2, data + 1, size - 1);
  dorm_status status = train(context, is_sparse, !is_text);
  if (!fuzz_is_good(context, status))
    return;
  DORM__OWNED(dorm_model) *model = NULL;
  fuzz_require_ok(context, dorm_model_read(context, fuzz_path("model"), &model), "a model that was written");
}

const fuzz_target fuzz_stream = {"stream", run, 4096};
