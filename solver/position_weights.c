/* position_weights.c: the weights c of the positions in the feature map (the paper, section 6.3 and figure 4).
 * Positions count from 0 here and from 1 in the paper. */
#include "solver/solver.h"

#include <math.h>

void dorm__position_weights_clear(dorm__position_weights *weights)
{
  dorm__free(weights->values);
  *weights = (dorm__position_weights){0};
}

static dorm_status read_lines(dorm_context *context, dorm__line_reader *reader, dorm__position_weights *weights)
{
  const char *line = NULL;
  const char *end = NULL;
  size_t capacity = 0;
  dorm_status status;
  while ((status = dorm__line_reader_next(context, reader, &line, &end)) == DORM_OK && line) {
    double value;
    if (dorm__parse_double(line, end, &value) != end || !isfinite(value) || value < 0)
      return dorm__line_reader_fail(context, reader, "'%.*s' is not a number of 0 or more",
                                    end - line > 40 ? 40 : (int)(end - line), line);
    if (weights->count && value > weights->values[weights->count - 1])
      return dorm__line_reader_fail(context, reader, "position weights must not increase: %g after %g", value,
                                    weights->values[weights->count - 1]);
    if (!DORM__GROW(weights->values, capacity, weights->count + 1))
      return dorm__out_of_memory(context, "position weights");
    weights->values[weights->count++] = value;
  }
  return status;
}

dorm_status dorm__position_weights_read(dorm_context *context, const char *path, dorm__position_weights *weights)
{
  dorm__line_reader *reader = NULL;
  *weights = (dorm__position_weights){.kind = DORM__WEIGHTS_LISTED};
  dorm_status status = dorm__line_reader_open(context, path, &reader);
  if (status == DORM_OK)
    status = read_lines(context, reader, weights);
  dorm__line_reader_close(reader);
  if (status == DORM_OK && !weights->count)
    status = dorm__fail(context, DORM_BAD_DATA, "%s: no position weight in it", path);
  bool has_equal = false;
  for (size_t p = 1; p < weights->count; p++)
    has_equal = has_equal || weights->values[p] == weights->values[p - 1];
  if (status == DORM_OK && has_equal)
    dorm__warn(context, "%s: position weights do not strictly decrease; positions of equal weight cannot be told apart",
               path);
  if (status != DORM_OK)
    dorm__position_weights_clear(weights);
  return status;
}

void dorm__position_weights_fill(const dorm__position_weights *weights, size_t num_positions, double *c)
{
  for (size_t p = 0; p < num_positions; p++) {
    double position = (double)p;
    switch (weights->kind) {
    case DORM__WEIGHTS_POWER:
      c[p] = pow(position + 2, -weights->exponent);
      break;
    case DORM__WEIGHTS_LOG:
      c[p] = 1 / log(position + 3);
      break;
    case DORM__WEIGHTS_LOG_LOG:
      c[p] = 1 / log(log(position + 3));
      break;
    case DORM__WEIGHTS_LISTED:
    case DORM__WEIGHTS_OF_LOSS: /* callers use the loss's table instead */
      c[p] = p < weights->count ? weights->values[p] : 0;
    }
  }
}
