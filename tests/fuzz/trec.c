/*
 * trec.c: qrels and, after a line "%%", a TREC run. A data set made from them can
 * be evaluated, and has the same value after it is written as qrels and a TREC run
 * and read again.
 */
#include "tests/fuzz/fuzz.h"

static double evaluate(dorm_context *context, const dorm_dataset *dataset, const double *scores)
{
  dorm_evaluation evaluation = {.struct_size = sizeof evaluation};
  fuzz_require_ok(context, dorm_evaluate(context, "map:ties=docid", dataset, scores, NULL, &evaluation), "a measure");
  return evaluation.mean;
}

static void check(dorm_context *context, const dorm_dataset *dataset, const double *scores)
{
  DORM__OWNED(dorm_dataset) *again = NULL;
  double *again_scores = NULL;
  double value = evaluate(context, dataset, scores);
  const char *run = fuzz_path("run");
  const char *qrels = fuzz_path("qrels");
  dorm_status status = DORM__ALL(dorm_trec_run_write(context, run, dataset, scores, "tag"),
                                 dorm_trec_qrels_write(context, qrels, dataset));
  if (status != DORM_OK) { /* labels that are not whole numbers, or scores outside single precision */
    fuzz_require_failure(context, status);
    return;
  }
  fuzz_require_ok(context, dorm_trec_read(context, qrels, run, 1, &again, &again_scores), "what was written is read");
  fuzz_require(fabs(evaluate(context, again, again_scores) - value) <= 1e-12, "what was written evaluates the same");
  dorm_scores_free(again_scores);
}

static void run(dorm_context *context, const uint8_t *data, size_t size)
{
  fuzz_text rest = {(const char *)data, size};
  fuzz_text qrels = fuzz_cut(&rest);
  const char *qrels_path = fuzz_write("qrels", qrels.bytes, qrels.size);
  const char *run_path = fuzz_write("run", rest.bytes ? rest.bytes : "", rest.size);
  for (int all_queries = 0; all_queries < 2; all_queries++) {
    DORM__OWNED(dorm_dataset) *dataset = NULL;
    double *scores = NULL;
    dorm_status status = dorm_trec_read(context, qrels_path, run_path, all_queries, &dataset, &scores);
    if (status != DORM_OK)
      fuzz_require_failure(context, status);
    else if (all_queries)
      check(context, dataset, scores);
    else
      evaluate(context, dataset, scores);
    dorm_scores_free(scores);
  }
}

const fuzz_target fuzz_trec = {"trec", run, 2048};
