/* log_json.c: events as JSON, one object a line; the only door to jansson. */
#include "cli/cli.h"

#include <jansson.h>
#include <math.h>

static void add_number(json_t *object, const char *key, double value)
{
  json_object_set_new(object, key, isfinite(value) ? json_real(value) : json_null());
}

static void add_candidate(json_t *object, const dorm_candidate *candidate)
{
  const dorm_certificate *certificate = &candidate->certificate;
  json_object_set_new(object, "candidate", json_integer((json_int_t)candidate->number));
  json_object_set_new(object, "reference", json_string(candidate->reference));
  json_object_set_new(object, "position_weights", json_string(candidate->position_weights));
  json_object_set_new(object, "truncation", json_integer((json_int_t)candidate->truncation));
  add_number(object, "rank_block", candidate->rank_block);
  json_object_set_new(object, "kernel", json_string(candidate->kernel));
  json_object_set_new(object, "kernel_rank", json_integer((json_int_t)candidate->kernel_rank));
  add_number(object, "kernel_residual", candidate->kernel_residual);
  add_number(object, "kernel_bound", candidate->kernel_bound);
  add_number(object, "C", candidate->C);
  json_object_set_new(object, "round", json_integer((json_int_t)candidate->round));
  json_object_set_new(object, "iterations", json_integer((json_int_t)certificate->iterations));
  add_number(object, "primal", certificate->primal);
  add_number(object, "dual", certificate->dual);
  add_number(object, "gap", certificate->gap);
  add_number(object, "reference_constant", certificate->reference_constant);
  json_object_set_new(object, "columns", json_integer((json_int_t)certificate->num_columns));
  add_number(object, "solve_seconds", certificate->seconds);
}

void cli_write_json(FILE *file, const dorm_event *event)
{
  static const char *const kinds[] = {
      [DORM_EVENT_NOTE] = "note",
      [DORM_EVENT_WARNING] = "warning",
      [DORM_EVENT_ITERATION] = "iteration",
      [DORM_EVENT_CANDIDATE] = "candidate",
  };
  json_t *object = json_object();
  json_object_set_new(object, "event", json_string(kinds[event->kind]));
  if (event->candidate)
    add_candidate(object, event->candidate);
  else
    json_object_set_new(object, "text", json_string(event->text));
  if (event->kind == DORM_EVENT_CANDIDATE) {
    add_number(object, "validation", event->candidate->validation);
    add_number(object, "score_scale", event->candidate->score_scale);
  }
  add_number(object, "seconds", event->seconds);
  json_dumpf(object, file, JSON_COMPACT | JSON_REAL_PRECISION(17));
  fputc('\n', file);
  fflush(file);
  json_decref(object);
}
