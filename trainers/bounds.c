/* bounds.c: bounds on the weights of the rows' features, from the settings. */
#include "base/spec.h"
#include "trainers/ridge.h"

#include <math.h>

/* Makes one bound per feature of the rows: `value` for the features in `ids` (for all when `ids` is empty), `other` for
 * the rest, among them the features that a kernel adds. The rank of a feature has the same bound as the feature. */
static double *make_bound(const dorm__training_rows *rows, const dorm__id_ranges *ids, double value, double other)
{
  size_t num_ids = rows->map.num_ids;
  size_t width = dorm__training_rows_width(rows);
  /* dorm__bounds_make has checked that there is a linear part. */
  size_t num_linear = rows->kernel ? rows->kernel->map_width : width;
  double *bound = dorm__alloc(width, sizeof *bound);
  for (size_t f = 0; bound && f < width; f++) {
    bool is_bounded = f < num_linear && (!ids->count || dorm__id_ranges_hold(ids, rows->map.ids[f % num_ids]));
    bound[f] = is_bounded ? value : other;
  }
  return bound;
}

dorm_status dorm__bounds_make(const dorm__job *job, const dorm__training_rows *rows, dorm__bounds *bounds)
{
  const dorm_settings *settings = job->settings;
  bool has_lower = !dorm__settings_is_auto(settings, DORM__SOLVER_WEIGHT_MIN);
  bool has_upper = !dorm__settings_is_auto(settings, DORM__SOLVER_WEIGHT_MAX);
  double lower = dorm__settings_number(settings, DORM__SOLVER_WEIGHT_MIN);
  double upper = dorm__settings_number(settings, DORM__SOLVER_WEIGHT_MAX);
  dorm__id_ranges ids;
  *bounds = (dorm__bounds){0};
  if ((has_lower || has_upper) && rows->kernel && !rows->kernel->has_linear)
    return dorm__fail(job->context, DORM_BAD_USAGE,
                      "solver.weight_min, weight_max: bounds on weights need a linear part, kernel.kernel = linear or "
                      "linear + ...");
  if (has_lower && has_upper && lower > upper)
    return dorm__fail(job->context, DORM_BAD_USAGE, "solver.weight_min = %g is above solver.weight_max = %g", lower,
                      upper);
  dorm_status status =
      dorm__id_ranges_parse(job->context, "solver.bounded", dorm__settings_text(settings, DORM__SOLVER_BOUNDED), &ids);
  if (status != DORM_OK)
    return status;
  if (!has_lower && !has_upper && ids.count)
    status = dorm__fail(job->context, DORM_BAD_USAGE,
                        "solver.bounded names features, but neither solver.weight_min nor "
                        "solver.weight_max is set");
  if (has_lower)
    bounds->lower = make_bound(rows, &ids, lower, -INFINITY);
  if (has_upper)
    bounds->upper = make_bound(rows, &ids, upper, INFINITY);
  if ((has_lower && !bounds->lower) || (has_upper && !bounds->upper))
    status = dorm__out_of_memory(job->context, "bounds");
  dorm__id_ranges_clear(&ids);
  return status;
}

void dorm__bounds_clear(dorm__bounds *bounds)
{
  dorm__free((double *)bounds->lower);
  dorm__free((double *)bounds->upper);
  *bounds = (dorm__bounds){0};
}
