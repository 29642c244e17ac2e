/*
 * position_weights.c: the weights c of the positions in the feature map
 * (the paper, section 6.3 and figure 4). Positions count from 0 here and from
 * 1 in the paper.
 */
#include "data/data.h"
#include "settings/settings.h"
#include "solver/solver.h"

#include <math.h>
#include <string.h>

/* One number a line, non-increasing; positions behind the last line weigh 0. */
static dorm_status read_file(dorm_context *context, const char *path, size_t num_positions, double *c)
{
  dorm__line_reader *reader = NULL;
  dorm_status status = dorm__line_reader_open(context, path, &reader);
  if (status != DORM_OK)
    return status;
  memset(c, 0, num_positions * sizeof *c);
  const char *line = NULL;
  const char *end = NULL;
  double previous = INFINITY;
  bool is_level = false;
  size_t count = 0;
  while ((status = dorm__line_reader_next(context, reader, &line, &end)) == DORM_OK && line) {
    double value;
    if (dorm__parse_double(line, end, &value) != end || !isfinite(value) || value < 0)
      status = dorm__line_reader_fail(context, reader, "'%.*s' is not a number of 0 or more",
                                      end - line > 40 ? 40 : (int)(end - line), line);
    else if (value > previous)
      status =
          dorm__line_reader_fail(context, reader, "position weights must not increase: %g after %g", value, previous);
    if (status != DORM_OK)
      break;
    is_level = is_level || value == previous;
    previous = value;
    if (count < num_positions)
      c[count] = value;
    count++;
  }
  dorm__line_reader_close(reader);
  if (status == DORM_OK && !count)
    return dorm__fail(context, DORM_BAD_DATA, "%s: no position weight in it", path);
  if (status == DORM_OK && is_level)
    dorm__warn(context, "%s: position weights do not strictly decrease; positions of equal weight cannot be told apart",
               path);
  return status;
}

dorm_status dorm__position_weights(dorm_context *context, const char *spec, size_t num_positions, double *c)
{
  const char *argument = NULL;
  if (dorm__spec_is(spec, "file", &argument) && argument)
    return read_file(context, argument, num_positions, c);
  double power = 0;
  bool is_power = dorm__spec_is(spec, "power", &argument);
  if (is_power && !(argument && dorm__text_to_double(argument, &power) && power >= 0))
    return dorm__fail(context, DORM_BAD_USAGE, "ranking.position_weights: '%s' has no number of 0 or more", spec);
  if (!is_power && strcmp(spec, "log") != 0 && strcmp(spec, "loglog") != 0)
    return dorm__fail(context, DORM_BAD_USAGE, "ranking.position_weights: '%s' is not known here", spec);
  for (size_t p = 0; p < num_positions; p++) {
    double position = (double)p;
    c[p] = is_power ? pow(position + 2, -power)
                    : 1 / (dorm__spec_is(spec, "loglog", NULL) ? log(log(position + 3)) : log(position + 3));
  }
  if (is_power && power == 0)
    dorm__warn(context, "ranking.position_weights = power:0 gives every position the same weight: nothing can be "
                        "learned from it");
  return DORM_OK;
}
