/*
 * clicks.c: logs of clicks and files of propensities. The first character says which:
 *   c log   f propensities, of a log that shows documents at three positions
 * If reading succeeds, propensities are found in every way, and the clicks become estimates and gains.
 */
#include "tests/fuzz/fuzz.h"

enum { DOCS = 5 };

static void use(dorm_context *context, dorm_dataset *dataset, dorm_clicks *clicks, const char *curve)
{
  static const double scores[DOCS] = {1, 2, 3, 4, 5};
  for (int kind = DORM_PROPENSITY_AUTO; kind <= (int)DORM_PROPENSITY_NONE; kind++)
    for (int free = 0; free < 2; free++) {
      dorm_click_evaluation made = {.struct_size = sizeof made};
      dorm_click_options options = {.struct_size = sizeof options,
                                    .propensity = (dorm_propensity)kind,
                                    .eta = 1,
                                    .path = curve,
                                    .curve = free ? DORM_CURVE_FREE : DORM_CURVE_AUTO};
      if (kind == (int)DORM_PROPENSITY_FILE && !curve)
        continue;
      dorm_status status = dorm_clicks_set_propensities(context, clicks, dataset, &options);
      if (fuzz_is_good(context, status))
        fuzz_require_ok(context, dorm_clicks_evaluate(context, clicks, dataset, scores, NULL, 3, &made), "estimates");
    }
  dorm_status status = dorm_dataset_set_clicks(context, dataset, clicks);
  fuzz_is_good(context, status);
  for (size_t j = 0; status == DORM_OK && j < DOCS; j++)
    if (!isfinite(dorm_dataset_label(dataset, j)) || dorm_dataset_label(dataset, j) < 0)
      abort();
}

static void run(dorm_context *context, const uint8_t *data, size_t size)
{
  static const char text[] = "2 qid:1 1:1 # docid = A\n0 qid:1 1:2 # docid = B\n1 qid:1 1:3 # docid = C\n"
                             "1 qid:2 1:1 # docid = C\n0 qid:2 1:5 # docid = D\n";
  static const char log[] = "1 A 1 1\n1 B 2 0\n1 C 3 1\n1 B 1 0\n1 A 2 1\n";
  DORM__OWNED(dorm_dataset) *dataset = NULL;
  DORM__OWNED(dorm_clicks) *clicks = NULL;
  if (!size)
    return;
  bool is_curve = data[0] == 'f';
  const char *path = fuzz_write("data", text, sizeof text - 1);
  fuzz_require_ok(context, dorm_dataset_read(context, path, &dataset), "data");
  path = is_curve ? fuzz_write("log", log, sizeof log - 1) : fuzz_write("log", data + 1, size - 1);
  dorm_status status = dorm_clicks_read(context, path, dataset, &clicks);
  if (fuzz_is_good(context, status))
    use(context, dataset, clicks, is_curve ? fuzz_write("table", data + 1, size - 1) : NULL);
}

const fuzz_target fuzz_clicks = {"clicks", run, 2048};
