/* stream_runs.c: streams that learn, report, write checkpoints and resume. */
#include "base/base.h"
#include "base/hash.h"
#include "jobs/jobs.h"
#include "models/models.h"
#include "settings/settings.h"
#include "tests/faults/runs.h"

#include <unistd.h>

/* Features 2 and 7 come late; the third query has nothing to learn from. */
static const char late_text[] = "2 qid:1 1:0.5 5:1\n0 qid:1 1:0.25 5:2\n1 qid:1 1:1 5:0.5\n"
                                "0 qid:2 1:3 2:1 5:1\n1 qid:2 1:1 2:2 5:4\n"
                                "1 qid:3 1:3\n1 qid:3 2:5\n"
                                "2 qid:4 1:0.5 7:1\n0 qid:4 1:0.75 7:3\n1 qid:4 2:1 7:2\n"
                                "1 qid:5 1:2 2:1 5:3 7:4\n0 qid:5 1:1 2:2 5:4 7:0\n";

bool fault_prepare_streams(void)
{
  return fault_write("late", late_text);
}

/* Adds what a report says, but for its seconds, to the result. */
static void note(void *user, const dorm_stream_report *report)
{
  uint64_t *result = user;
  const double numbers[] = {report->progressive, report->recent, report->C};
  *result = dorm__hash_bytes(*result, &report->num_queries, sizeof report->num_queries);
  *result = dorm__hash_bytes(*result, numbers, sizeof numbers);
}

static int stop(void *user)
{
  size_t *left = user;
  return *left == 0 || --*left == 0;
}

/* Learns until the context was asked `moments` times whether to stop (0: to the end). */
static dorm_status stream(dorm_context *context, const char *texts, size_t moments, uint64_t *result)
{
  DORM__OWNED(dorm_settings) *settings = NULL;
  DORM__OWNED(dorm_model) *model = NULL;
  dorm_status status = fault_settings(context, texts, &settings);
  if (moments)
    dorm_context_set_cancel(context, stop, &moments);
  if (status == DORM_OK)
    status = dorm_train_stream(context, settings, note, result, &model);
  dorm_context_set_cancel(context, NULL, NULL);
  return status;
}

/* A stream that is stopped after some queries, and one that goes on from its checkpoint. */
static dorm_status stream_twice(dorm_context *context, const char *texts, uint64_t *result)
{
  uint64_t unused = 0;
  unlink(fault_path("run"));
  dorm_status status = DORM__ALL(stream(context, texts, 4, &unused), stream(context, texts, 0, result));
  fault_wrote(status, "written", result);
  return fault_wrote(status, "run", result);
}

#define STREAM "output.model=$written;output.checkpoint=$run;output.resume=yes;stream.every=1;data.train=$"

const fault_run fault_stream_runs[] = {
    {"stream, dense", NULL, stream_twice, STREAM "late;data.rank_block=0.5;data.storage=dense"},
    {"stream, sparse", NULL, stream_twice, STREAM "late;data.storage=sparse;loss.name=map"},
    {"stream, from a model", NULL, stream_twice,
     STREAM "data.gz;data.from=$global;solver.rho=0.5;ranking.position_weights=log"},
    {NULL, NULL, NULL, NULL},
};
