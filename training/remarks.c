/*
 * remarks.c: remarks of a model on how it was made: the averaged candidates and their certificates. They do not depend
 * on the clock, so the same training makes the same model.
 */
#include "training/selection.h"

#include <math.h>
#include <string.h>

/* A line that is built piece by piece. Text that does not fit is cut. */
typedef struct remark {
  char text[DORM__MESSAGE_SIZE];
  size_t size;
} remark;

static void add_text(remark *line, const char *text)
{
  size_t size = strlen(text);
  size_t room = sizeof line->text - 1 - line->size;
  size = size < room ? size : room;
  memcpy(line->text + line->size, text, size);
  line->size += size;
  line->text[line->size] = '\0';
}

/* Adds a label and a number rounded to `digits` digits, with a decimal point in every locale. */
static void add_number(remark *line, const char *label, int digits, double value)
{
  char rounded[DORM__NUMBER_SIZE];
  double power = value == 0 || !isfinite(value) ? 1 : pow(10, digits - 1 - floor(log10(fabs(value))));
  bool is_in_range = isfinite(power) && power > 0 && isfinite(value * power);
  add_text(line, label);
  add_text(line, dorm__format_double(rounded, is_in_range ? round(value * power) / power : value));
}

static void describe(const dorm_candidate *candidate, remark *line)
{
  bool has_certificate = candidate->certificate.iterations > 0; /* starts and trainers without passes have none */
  *line = (remark){.text = ""};
  add_number(line, "candidate ", 15, (double)candidate->number);
  add_text(line, has_certificate ? ": reference " : candidate->round ? ": " : ": start");
  add_text(line, candidate->round ? candidate->reference : "");
  if (has_certificate) {
    add_text(line, ", position weights ");
    add_text(line, candidate->position_weights);
    add_number(line, ", truncation ", 15, (double)candidate->truncation);
    add_number(line, ", C ", 6, candidate->C);
  }
  if (candidate->round)
    add_number(line, ", round ", 15, (double)candidate->round);
  add_number(line, ", rank block ", 6, candidate->rank_block);
  if (has_certificate || !candidate->round)
    add_number(line, candidate->rho > 0 ? ", rho " : ", ridge ", 6,
               candidate->rho > 0 ? candidate->rho : candidate->ridge);
  if (candidate->kernel_rank) {
    add_text(line, ", kernel ");
    add_text(line, candidate->kernel);
    add_number(line, " of rank ", 15, (double)candidate->kernel_rank);
  }
  if (has_certificate) {
    add_number(line, "; primal ", 6, candidate->certificate.primal);
    add_number(line, ", dual ", 6, candidate->certificate.dual);
    add_number(line, ", gap ", 3, candidate->certificate.gap);
    add_number(line, ", passes ", 15, (double)candidate->certificate.iterations);
  }
  if (isfinite(candidate->validation))
    add_number(line, "; value ", 4, candidate->validation);
}

dorm_status dorm__remarks_add(dorm_context *context, const dorm_training *training, dorm_model *model)
{
  remark line = {.text = ""};
  size_t num_selected = 0;
  for (size_t i = 0; i < training->num_trained; i++)
    num_selected += training->trained[i].candidate.is_selected != 0;
  add_number(&line, "mean of ", 15, (double)num_selected);
  add_number(&line, " of ", 15, (double)training->num_trained);
  add_text(&line, " candidates");
  dorm_status status = dorm__model_remark(context, model, line.text);
  for (size_t i = 0; status == DORM_OK && i < training->num_trained; i++) {
    if (!training->trained[i].candidate.is_selected)
      continue;
    describe(&training->trained[i].candidate, &line);
    status = dorm__model_remark(context, model, line.text);
  }
  return status;
}
