/*
 * model.c: a model file and, after a line "%%", a Gram matrix that the model may
 * name as gram:table(1). A good model can score, its text is the same after it is
 * written and read again, and it is exported or refused.
 */
#include "tests/fuzz/fuzz.h"

static bool needs_table(const dorm_model *model)
{
  const char *kernel;
  size_t num_pivots;
  double rank_block;
  bool needs = false;
  for (size_t i = 0; (kernel = dorm_model_kernel(model, i, &num_pivots, &rank_block)) != NULL; i++)
    needs = needs || strstr(kernel, "gram:table(") != NULL;
  return needs;
}

static void write_model(dorm_context *context, const dorm_model *model, fuzz_text *text)
{
  const char *path = fuzz_path("again");
  fuzz_require_ok(context, dorm_model_write(context, model, path), "a model is written");
  *text = fuzz_read(path);
}

/* JSON and C take what dorm_model_check_export says; the other formats may refuse it. */
static void export_to_all(dorm_context *context, const dorm_model *model)
{
  static const char *const formats[] = {"json",    "c",       "onnx",         "elasticsearch",    "solr",
                                        "ranklib", "xgboost", "xgboost-dump", "xgboost-json-dump"};
  bool can = dorm_model_check_export(context, model) == DORM_OK;
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    dorm_status status = dorm_model_export(context, model, formats[i], "name", NULL, fuzz_path("exported"));
    fuzz_is_good(context, status);
    fuzz_require(status == DORM_OK ? can : !can || i > 1, "exported exactly where that was announced");
  }
}

static void check(dorm_context *context, const dorm_model *model)
{
  double scores[16];
  for (size_t i = 0; i < 2; i++) {
    const dorm_dataset *dataset = fuzz_small_data(i == 0);
    dorm_status status = dorm_model_score(context, model, dataset, 1, scores);
    fuzz_is_good(context, status);
    for (size_t j = 0; status == DORM_OK && j < dorm_dataset_num_docs(dataset); j++)
      fuzz_require(scores[j] * 0 == 0, "finite scores");
  }
  export_to_all(context, model);
  fuzz_text once;
  fuzz_text twice;
  DORM__OWNED(dorm_model) *again = NULL;
  write_model(context, model, &once);
  fuzz_require_ok(context, dorm_model_read(context, fuzz_path("again"), &again), "what was written is read");
  write_model(context, again, &twice);
  fuzz_require(once.size == twice.size && memcmp(once.bytes, twice.bytes, once.size) == 0,
               "what was written is the same");
  free((char *)once.bytes);
  free((char *)twice.bytes);
}

static void run(dorm_context *context, const uint8_t *data, size_t size)
{
  fuzz_text rest = {(const char *)data, size};
  fuzz_text text = fuzz_cut(&rest);
  const char *gram = fuzz_write("table", rest.bytes ? rest.bytes : "", rest.size);
  DORM__OWNED(dorm_model) *model = NULL;
  dorm_status status = dorm_model_read(context, fuzz_write("model", text.bytes, text.size), &model);
  if (status == DORM_OK && needs_table(model) && dorm_model_use_module(context, model, gram) != DORM_OK)
    fuzz_require_failure(context, DORM_BAD_DATA);
  if (fuzz_is_good(context, status))
    check(context, model);
  fuzz_require((status == DORM_OK) == (model != NULL), "a model exactly when the status is good");
}

const fuzz_target fuzz_model = {"model", run, 4096};
