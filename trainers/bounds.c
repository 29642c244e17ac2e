/*
 * bounds.c: the features with which scores may only rise or only fall (training.increasing, training.decreasing). The
 * weights of a linear model are then bounded by 0, and trees split accordingly. A feature in both lists has no effect.
 */
#include "trainers/ridge.h"

#include <math.h>

static bool is_asked(const dorm__job *job, dorm__setting setting)
{
  return *dorm__settings_text(job->settings, setting);
}

dorm_status dorm__order_make(const dorm__job *job, const dorm__training_rows *rows, uint8_t **order)
{
  static const dorm__setting settings[] = {DORM__TRAINING_INCREASING, DORM__TRAINING_DECREASING};
  static const uint8_t flags[] = {DORM__NEVER_FALLS, DORM__NEVER_RISES};
  size_t width = dorm__training_rows_width(rows);
  dorm_status status = DORM_OK;
  *order = NULL;
  if (!is_asked(job, settings[0]) && !is_asked(job, settings[1]))
    return DORM_OK;
  if (rows->kernel)
    return dorm__fail(job->context, DORM_BAD_USAGE, "%s: kernels other than linear keep no order",
                      dorm__setting_table[settings[!is_asked(job, settings[0])]].key);
  uint8_t *made = dorm__alloc_zero(width, sizeof *made);
  if (!made)
    return dorm__out_of_memory(job->context, "the order of features");
  for (size_t i = 0; status == DORM_OK && i < 2; i++) {
    dorm__id_ranges ids;
    status = dorm__id_ranges_parse(job->context, dorm__setting_table[settings[i]].key,
                                   dorm__settings_text(job->settings, settings[i]), &ids);
    for (size_t f = 0; status == DORM_OK && f < width; f++) /* the rank of a feature rises with it */
      made[f] |= dorm__id_ranges_hold(&ids, rows->map.ids[f % rows->map.num_ids]) ? flags[i] : 0;
    dorm__id_ranges_clear(&ids);
  }
  return DORM__GIVE(status, order, made, dorm__free);
}

/* Makes one bound per feature of the rows: 0 if the order has the flag, otherwise `other`. */
static double *make_bound(size_t width, const uint8_t *order, uint8_t flag, double other)
{
  double *bound = dorm__alloc(width, sizeof *bound);
  for (size_t f = 0; bound && f < width; f++)
    bound[f] = order[f] & flag ? 0 : other;
  return bound;
}

dorm_status dorm__bounds_make(const dorm__job *job, const dorm__training_rows *rows, dorm__bounds *bounds)
{
  size_t width = dorm__training_rows_width(rows);
  uint8_t *order;
  *bounds = (dorm__bounds){0};
  dorm_status status = dorm__order_make(job, rows, &order);
  if (!order)
    return status;
  if (is_asked(job, DORM__TRAINING_INCREASING))
    bounds->lower = make_bound(width, order, DORM__NEVER_FALLS, -INFINITY);
  if (is_asked(job, DORM__TRAINING_DECREASING))
    bounds->upper = make_bound(width, order, DORM__NEVER_RISES, INFINITY);
  if ((is_asked(job, DORM__TRAINING_INCREASING) && !bounds->lower) ||
      (is_asked(job, DORM__TRAINING_DECREASING) && !bounds->upper))
    status = dorm__out_of_memory(job->context, "bounds");
  dorm__free(order);
  return status;
}

void dorm__bounds_clear(dorm__bounds *bounds)
{
  dorm__free((double *)bounds->lower);
  dorm__free((double *)bounds->upper);
  *bounds = (dorm__bounds){0};
}
