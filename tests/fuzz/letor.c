/*
 * letor.c: LETOR text and, after a line "%%", the file of its query sizes and, after another one, the file of its
 * weights. Good text gives the same data set with dense and with sparse storage, and after it is written and read
 * again.
 */
#include "tests/fuzz/fuzz.h"

enum { MOST_PLACES = 100000 };

static void check(dorm_context *context, const char *path, const dorm_dataset *dataset)
{
  static const dorm_storage storages[] = {DORM_STORAGE_DENSE, DORM_STORAGE_SPARSE};
  if (dataset->num_docs * dataset->num_features > MOST_PLACES)
    return;
  for (size_t i = 0; i < 2; i++) {
    DORM__OWNED(dorm_dataset) *other = NULL;
    const dorm_read_options options = {.struct_size = sizeof options, .num_threads = 1 + i, .storage = storages[i]};
    fuzz_require_ok(context, dorm_dataset_read_with(context, path, &options, &other), "either storage");
    fuzz_require_equal(dataset, other, "either storage holds the same");
  }
  DORM__OWNED(dorm_dataset) *again = NULL;
  unlink(fuzz_path("again.weight"));
  const char *copy = fuzz_path("again");
  fuzz_require_ok(context, dorm_dataset_write(context, dataset, copy), "text is written");
  fuzz_require_ok(context, dorm_dataset_read(context, copy, &again), "what was written is read");
  fuzz_require_equal(dataset, again, "what was written is the same");
}

/* Writes a file beside the data, or removes it if there is no text. */
static void write_beside(const char *name, fuzz_text text)
{
  if (text.bytes)
    fuzz_write(name, text.bytes, text.size);
  else
    unlink(fuzz_path(name));
}

static void run(dorm_context *context, const uint8_t *data, size_t size)
{
  fuzz_text rest = {(const char *)data, size};
  fuzz_text text = fuzz_cut(&rest);
  fuzz_text sizes = rest.bytes ? fuzz_cut(&rest) : rest;
  write_beside("data.query", sizes);
  write_beside("data.weight", rest);
  const char *path = fuzz_write("data", text.bytes, text.size);
  DORM__OWNED(dorm_dataset) *dataset = NULL;
  dorm_status status = dorm_dataset_read(context, path, &dataset);
  if (fuzz_is_good(context, status))
    check(context, path, dataset);
  dorm_dataset *lenient = NULL; /* the same where the strict reader takes it */
  const dorm_read_options options = {.struct_size = sizeof options, .sort_queries = 1, .labels_optional = 1};
  dorm_status second = dorm_dataset_read_with(context, path, &options, &lenient);
  fuzz_is_good(context, second);
  fuzz_require(status != DORM_OK || second == DORM_OK, "what is good as it stands is good if more is allowed");
  if (status == DORM_OK)
    fuzz_require_equal(dataset, lenient, "what is good as it stands stays as it stands");
  dorm_dataset_free(lenient);
  fuzz_require((status == DORM_OK) == (dataset != NULL), "a data set exactly when the status is good");
  unlink(fuzz_path("data.query"));
  unlink(fuzz_path("data.weight"));
}

const fuzz_target fuzz_letor = {"letor", run, 4096};
