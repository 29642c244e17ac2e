/*
 * tables.c: files of numbers, and names of features. The first character says which:
 *   s scores   c position weights   t cost table   g Gram matrix   n names
 */
#include "tests/fuzz/fuzz.h"

#include "kernels/kernel_files.h"
#include "losses/loss.h"

static dorm_status read_scores(dorm_context *context, const char *path, size_t num_lines)
{
  enum { MOST = 2048 };
  double scores[MOST] = {0};
  double again[MOST];
  size_t count = num_lines < MOST ? num_lines : MOST;
  dorm_status status = dorm_scores_read(context, path, count, scores);
  if (status != DORM_OK)
    return status;
  const char *copy = fuzz_path("again");
  fuzz_require_ok(context, dorm_scores_write(context, copy, count, scores), "scores are written");
  fuzz_require_ok(context, dorm_scores_read(context, copy, count, again), "what was written is read");
  fuzz_require(memcmp(scores, again, count * sizeof *scores) == 0, "what was written is the same");
  return DORM_OK;
}

static dorm_status read_weights(dorm_context *context, const char *path)
{
  char spec[400];
  snprintf(spec, sizeof spec, "file:%s", path);
  return fuzz_position_weights(context, spec);
}

static dorm_status read_costs(dorm_context *context, const char *path)
{
  char spec[400];
  double cost[64];
  dorm_loss *loss = NULL;
  const dorm_dataset *dataset = fuzz_small_data(true);
  snprintf(spec, sizeof spec, "cost:file=%s", path);
  dorm_status status = dorm_loss_open(context, spec, &loss);
  for (size_t q = 0; status == DORM_OK && q < dorm_dataset_num_queries(dataset); q++)
    status = dorm__loss_fill_costs(context, loss, dataset, q, cost);
  dorm_loss_close(loss);
  return status;
}

static dorm_status read_gram(dorm_context *context, const char *path)
{
  size_t size = 0;
  DORM__FREED double *matrix = NULL;
  dorm_status status = dorm__gram_read(context, path, &size, &matrix);
  for (size_t i = 0; status == DORM_OK && i < size * size; i++)
    fuzz_require(matrix[i] == matrix[i % size * size + i / size], "a Gram matrix is symmetric");
  return status;
}

/* A JSON export with these names has no control character that is not escaped. */
static dorm_status read_names(dorm_context *context, const char *path)
{
  static const char text[] = "dorm model 1\nnormalisation none\nrank_block 0\nfeature 1 1\nfeature 2 -0.5\nend 2\n";
  DORM__OWNED(dorm_model) *model = NULL;
  const char *copy = fuzz_path("again");
  fuzz_require_ok(context, dorm_model_read(context, fuzz_write("model", text, sizeof text - 1), &model), "a model");
  dorm_status status = dorm_model_export(context, model, "elasticsearch", "name", path, copy);
  if (status == DORM_OK) {
    fuzz_text written = fuzz_read(copy);
    for (size_t i = 0; i < written.size; i++)
      fuzz_require((uint8_t)written.bytes[i] >= ' ' || written.bytes[i] == '\n', "control characters are escaped");
    free((char *)written.bytes);
  }
  return status;
}

static void run(dorm_context *context, const uint8_t *data, size_t size)
{
  if (!size)
    return;
  size_t num_lines = size > 1 && data[size - 1] != '\n';
  for (size_t i = 1; i < size; i++)
    num_lines += data[i] == '\n';
  const char *path = fuzz_write("table", data + 1, size - 1);
  fuzz_is_good(context, data[0] == 's'   ? read_scores(context, path, num_lines)
                        : data[0] == 'c' ? read_weights(context, path)
                        : data[0] == 't' ? read_costs(context, path)
                        : data[0] == 'n' ? read_names(context, path)
                                         : read_gram(context, path));
}

const fuzz_target fuzz_tables = {"tables", run, 2048};
