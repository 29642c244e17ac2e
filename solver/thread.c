/* thread.c: the scratch memory and the clock of one thread, and the message of a failed oracle call. */
#include "solver/thread.h"

void dorm__thread_clear(dorm__thread *thread)
{
  dorm__oracle_workspace_free(thread->workspace);
  dorm__free(thread->scores);
  dorm__free(thread->weights);
  dorm__free(thread->order);
  dorm__free(thread->docs);
  dorm__free(thread->sum);
  dorm__free(thread->is_touched);
  dorm__free(thread->touched);
  dorm__pool_clear(&thread->vectors);
}

dorm_status dorm__thread_init(dorm_context *context, size_t max_docs, size_t num_functions, size_t num_features,
                              bool is_sparse, dorm__thread *thread)
{
  size_t width = num_functions * num_features, num_sparse = is_sparse ? width : 0;
  *thread = (dorm__thread){.vectors = dorm__pool_of(width * sizeof(double))};
  dorm_status status = dorm__oracle_workspace_new(context, max_docs, &thread->workspace);
  if (status != DORM_OK)
    return status;
  thread->scores = dorm__alloc(max_docs, num_functions * sizeof *thread->scores);
  thread->weights = dorm__alloc(max_docs, sizeof *thread->weights);
  thread->order = dorm__alloc(max_docs, sizeof *thread->order);
  thread->docs = dorm__alloc(2 * max_docs, sizeof *thread->docs);
  thread->sum = dorm__alloc_zero(width, sizeof *thread->sum);
  thread->is_touched = dorm__alloc_zero(num_sparse, sizeof *thread->is_touched);
  thread->touched = dorm__alloc(num_sparse, sizeof *thread->touched);
  if (!thread->scores || !thread->weights || !thread->order || !thread->docs || !thread->sum || !thread->is_touched ||
      !thread->touched)
    return dorm__out_of_memory(context, "a thread");
  return DORM_OK;
}

double dorm__next_phase(dorm__thread *thread)
{
  double now = dorm__seconds();
  double seconds = now - thread->phase_started;
  thread->phase_started = now;
  return seconds;
}

double dorm__oracle_phase(dorm__thread *thread)
{
  double seconds = dorm__next_phase(thread);
  thread->method_seconds[dorm__oracle_workspace_counts(thread->workspace)->last] += seconds;
  return seconds;
}

dorm_status dorm__thread_explain(dorm_context *context, const dorm__thread *thread, const dorm_dataset *dataset,
                                 size_t query, dorm_status status)
{
  const char *id = dorm_dataset_query_id(dataset, query);
  dorm_status said;
  const char *failure = dorm__oracle_failure(thread->workspace, &said);
  if (status == DORM_OK)
    return DORM_OK;
  if (thread->failed != DORM_OK)
    return dorm__fail(context, thread->failed, "query %s: %.900s", id, thread->failure.message);
  if (*failure)
    return dorm__fail(context, said, "%s: query %s: %s", dataset->name, id, failure);
  if (status == DORM_OUT_OF_MEMORY)
    return dorm__out_of_memory(context, "an oracle pass");
  bool is_refuted = dorm__oracle_workspace_counts(thread->workspace)->failed_checks > 0;
  return dorm__fail(context, DORM_NUMERICAL_FAILURE, "%s: query %s: %s", dataset->name, id,
                    is_refuted ? "the oracle's ranking is not the best" : "the scores left the range of numbers");
}
