/* fuzz.c: the list of targets, and the functions that they share. */
#include "tests/fuzz/fuzz.h"
#include "base/hash.h"

#include <sys/stat.h>

const fuzz_target *const fuzz_targets[] = {
    &fuzz_letor,  &fuzz_gzip, &fuzz_cache,  &fuzz_checkpoint, &fuzz_model,   &fuzz_config, &fuzz_specs,
    &fuzz_tables, &fuzz_trec, &fuzz_groups, &fuzz_clicks,     &fuzz_ratings, &fuzz_stream, NULL,
};

const fuzz_target *fuzz_find(const char *name)
{
  size_t i = 0;
  while (fuzz_targets[i] && strcmp(fuzz_targets[i]->name, name) != 0)
    i++;
  return fuzz_targets[i];
}

void fuzz_run(const fuzz_target *target, const uint8_t *data, size_t size)
{
  DORM__OWNED(dorm_context) *context = dorm_context_new();
  fuzz_require(context != NULL, "a context");
  target->run(context, data, size);
}

void fuzz_require(bool good, const char *what)
{
  if (good)
    return;
  fprintf(stderr, "fuzz: broken: %s\n", what);
  abort();
}

void fuzz_require_ok(dorm_context *context, dorm_status status, const char *what)
{
  if (status != DORM_OK)
    fprintf(stderr, "fuzz: status %d: %s\n", (int)status, dorm_context_message(context));
  fuzz_require(status == DORM_OK, what);
}

void fuzz_require_failure(dorm_context *context, dorm_status status)
{
  fuzz_require(status > DORM_STOPPED && status <= DORM_OUT_OF_MEMORY, "a status that dorm.h names");
  fuzz_require(*dorm_context_message(context) != '\0', "a failure has a message");
}

bool fuzz_is_good(dorm_context *context, dorm_status status)
{
  if (status != DORM_OK)
    fuzz_require_failure(context, status);
  return status == DORM_OK;
}

dorm_settings *fuzz_settings(dorm_context *context, const char *const *pairs)
{
  dorm_settings *made = NULL;
  fuzz_require_ok(context, dorm_settings_new(context, &made), "settings");
  for (; pairs && *pairs; pairs += 2)
    fuzz_require_ok(context, dorm_settings_set(context, made, pairs[0], pairs[1]), "a setting");
  return made;
}

dorm_status fuzz_position_weights(dorm_context *context, const char *spec)
{
  double c[20] = {0};
  dorm__position_weights weights;
  dorm_status status = dorm__position_weights_from(context, spec, &weights);
  if (status == DORM_OK && weights.kind != DORM__WEIGHTS_OF_LOSS)
    dorm__position_weights_fill(&weights, sizeof c / sizeof *c, c);
  dorm__position_weights_clear(&weights);
  for (size_t p = 0; status == DORM_OK && p < sizeof c / sizeof *c; p++)
    fuzz_require(isfinite(c[p]) && c[p] >= 0 && (p == 0 || c[p] <= c[p - 1]), "weights do not increase");
  return status;
}

fuzz_text fuzz_cut(fuzz_text *rest)
{
  fuzz_text all = *rest;
  for (size_t i = 0; i + 2 < all.size; i++) {
    bool begins_line = i == 0 || all.bytes[i - 1] == '\n';
    if (begins_line && memcmp(all.bytes + i, "%%\n", 3) == 0) {
      *rest = (fuzz_text){all.bytes + i + 3, all.size - i - 3};
      return (fuzz_text){all.bytes, i};
    }
  }
  *rest = (fuzz_text){NULL, 0};
  return all;
}

char *fuzz_string(fuzz_text text)
{
  char *copy = malloc(text.size + 1);
  fuzz_require(copy != NULL, "memory");
  if (text.size)
    memcpy(copy, text.bytes, text.size);
  copy[text.size] = '\0';
  return copy;
}

/* ---- Files ------------------------------------------------------------------- */

static char folder[200];

static void remove_folder(void)
{
  static const char *const names[] = {"data",       "data.query", "data.weight", "again", "again.weight",
                                      "cache",      "model",      "run",         "qrels", "config",
                                      "checkpoint", "table",      "data.gz"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    unlink(fuzz_path(names[i]));
  rmdir(folder);
}

const char *fuzz_path(const char *name)
{
  static char paths[4][300];
  static size_t next;
  if (!*folder) {
    const char *chosen = getenv("TMPDIR");
    const char *parent = chosen ? chosen : access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(folder, sizeof folder, "%s/dorm-fuzz-XXXXXX", parent);
    fuzz_require(mkdtemp(folder) != NULL, "a folder");
    atexit(remove_folder);
  }
  next = (next + 1) % (sizeof paths / sizeof *paths);
  snprintf(paths[next], sizeof paths[next], "%s/%s", folder, name);
  return paths[next];
}

const char *fuzz_write(const char *name, const void *bytes, size_t size)
{
  const char *path = fuzz_path(name);
  FILE *file = fopen(path, "wb");
  fuzz_require(file != NULL, "a file");
  bool good = fwrite(bytes, 1, size, file) == size;
  good = fclose(file) == 0 && good;
  fuzz_require(good, "a file that can be written");
  return path;
}

fuzz_text fuzz_read(const char *path)
{
  struct stat about;
  FILE *file = fopen(path, "rb");
  fuzz_require(file && fstat(fileno(file), &about) == 0, "a file that was written");
  size_t size = (size_t)about.st_size;
  char *bytes = malloc(size + 1);
  fuzz_require(bytes && fread(bytes, 1, size, file) == size, "a file that can be read");
  fclose(file);
  return (fuzz_text){bytes, size};
}

const char *fuzz_write_checkpoint(fuzz_text whole, bool is_changed, const uint8_t *data, size_t size)
{
  enum { FRAME = 40 }; /* magic, version, byte order, fingerprint */
  size_t file_size = is_changed ? whole.size : FRAME + size + sizeof(uint64_t);
  char *file = malloc(file_size);
  fuzz_require(file != NULL, "memory");
  memcpy(file, whole.bytes, is_changed ? whole.size : FRAME);
  if (!is_changed && size)
    memcpy(file + FRAME, data, size);
  for (size_t i = 0; is_changed && i + 2 < size; i += 3)
    file[FRAME + (data[i] * 256U + data[i + 1]) % (whole.size - FRAME)] = (char)data[i + 2];
  uint64_t hash = dorm__hash_bytes(DORM__HASH_START, file, file_size - sizeof hash);
  memcpy(file + file_size - sizeof hash, &hash, sizeof hash);
  const char *path = fuzz_write("checkpoint", file, file_size);
  free(file);
  return path;
}

/* ---- Data sets ------------------------------------------------------------------- */

/* The number of the feature with this id, or num_features. */
static size_t find_column(const dorm_dataset *dataset, size_t id)
{
  size_t f = 0;
  while (f < dataset->num_features && dataset->feature_ids[f] != id)
    f++;
  return f;
}

void fuzz_require_equal(const dorm_dataset *x, const dorm_dataset *y, const char *what)
{
  bool good = x->num_docs == y->num_docs && x->num_queries == y->num_queries && x->num_features >= y->num_features;
  for (size_t q = 0; good && q < x->num_queries; q++)
    good = x->query_start[q + 1] == y->query_start[q + 1] &&
           strcmp(dorm_dataset_query_id(x, q), dorm_dataset_query_id(y, q)) == 0 &&
           dorm_dataset_query_weight(x, q) == dorm_dataset_query_weight(y, q);
  for (size_t j = 0; good && j < x->num_docs; j++)
    good = x->labels[j] == y->labels[j] && dorm_dataset_doc_weight(x, j) == dorm_dataset_doc_weight(y, j) &&
           strcmp(dorm_dataset_doc_id(x, j), dorm_dataset_doc_id(y, j)) == 0;
  for (size_t f = 0; good && f < y->num_features; f++)
    good = find_column(x, y->feature_ids[f]) < x->num_features;
  for (size_t f = 0; good && f < x->num_features; f++) {
    size_t other = find_column(y, x->feature_ids[f]);
    for (size_t j = 0; good && j < x->num_docs; j++) {
      float value = dorm_dataset_value(x, j, f);
      float twin = other < y->num_features ? dorm_dataset_value(y, j, other) : 0;
      good = value == twin || (isnan(value) && isnan(twin));
    }
  }
  fuzz_require(good, what);
}

static dorm_dataset *small_data[2];

static void free_small_data(void)
{
  dorm_dataset_free(small_data[0]);
  dorm_dataset_free(small_data[1]);
}

const dorm_dataset *fuzz_small_data(bool has_features)
{
  static const size_t query_start[] = {0, 4, 5, 8};
  static const double labels[] = {2, 0, 1, 0, 1, 0, 3, 0.5};
  static const float features[] = {0.5F, 1, 0.25F, -1, 3, 0, 0, 0, 1, 1, -2, 7, 0.125F, 1e6F, 5, 1e-6F};
  if (small_data[has_features])
    return small_data[has_features];
  dorm_context *context = dorm_context_new();
  fuzz_require(context != NULL, "a context");
  for (size_t i = 0; i < 2; i++)
    fuzz_require_ok(context, dorm_dataset_from_arrays(context, 3, query_start, 2 * i, labels, features, &small_data[i]),
                    "a data set");
  dorm_context_free(context);
  atexit(free_small_data);
  return small_data[has_features];
}
