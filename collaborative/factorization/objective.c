/*
 * objective.c: computes the objective F (factorization.h), and lowers it by cutting planes in the user step and the
 * item step.
 *
 * A step minimises L/2 |x - x0|^2 + sum over lists of max over rankings [Delta - <psi, x>], psi = Phi(reference) -
 * Phi(ranking). A pass evaluates this exactly at one point and adds the worst ranking of each list to the columns. It
 * then raises the dual over all columns, and the next pass evaluates the dual's point x = x0 + 1/L sum alpha psi. The
 * best point of all passes is kept, so a step never makes the value worse. A step ends when the best dual value proves
 * the best value to the relative gap.
 *
 * solver/cutting_plane.c has a different loop. It keeps scores of feature rows at a vector w penalised towards 0, has
 * bounds on weights, and moves only part of the way to the dual's point. Here the item step never forms its psi
 * (item_step.c), a user step is too small for threads, shards and sequential passes, and both penalties have a centre.
 * The item step uses the solver's column sets, and both steps use its QP.
 */
#include "collaborative/factorization/factorization.h"

#include <math.h>

static double square_distance(size_t count, const double *x, const double *y)
{
  double sum = 0;
  for (size_t k = 0; k < count; k++)
    sum += (x[k] - y[k]) * (x[k] - y[k]);
  return sum;
}

dorm_status dorm__objective(dorm_context *context, const dorm__lists *lists, const dorm__point *start, double penalty,
                            const dorm__point *point, double *value)
{
  size_t num_item_values = point->num_items * point->rank;
  double sum = 0.5 * penalty *
               (square_distance(point->num_items, point->offset, start->offset) +
                square_distance(num_item_values, point->item, start->item) +
                square_distance(point->num_users * point->rank, point->user, start->user));
  DORM__FREED double *scores = dorm__alloc(lists->longest, 3 * sizeof *scores);
  dorm_status status = DORM_OK;
  if (!scores)
    return dorm__out_of_memory(context, "an objective");
  double *worst = scores + lists->longest;
  double *reference = worst + lists->longest;
  for (size_t i = 0; status == DORM_OK && i < lists->num_lists; i++) {
    double worst_loss;
    double reference_loss;
    if (!lists->plans[i])
      continue;
    dorm__point_scores(point, lists, i, scores);
    status = DORM__ALL(dorm__lists_oracle(context, lists, i, scores, 1, worst, &worst_loss),
                       dorm__lists_reference(context, lists, i, scores, reference, &reference_loss));
    if (status != DORM_OK)
      break;
    sum += worst_loss + lists->mu * reference_loss;
    for (size_t j = 0; j < dorm__lists_size(lists, i); j++)
      sum += (worst[j] - reference[j]) * scores[j];
  }
  *value = sum;
  return status;
}

/* ---- Cutting planes ------------------------------------------------------------------- */

dorm_status dorm__cutting_planes(const dorm__convex_problem *convex, const dorm__step_options *options,
                                 dorm__step_info *info)
{
  double value;
  double dual;
  *info = (dorm__step_info){.dual = -INFINITY};
  dorm_status status = convex->evaluate(convex->problem, &info->primal);
  while (status == DORM_OK && info->passes < options->most_passes) {
    status = convex->raise(convex->problem, info, &dual);
    if (status != DORM_OK)
      break;
    info->passes++;
    info->dual = fmax(info->dual, dual);
    status = convex->evaluate(convex->problem, &value);
    if (status == DORM_OK && value < info->primal) {
      info->primal = value;
      convex->keep(convex->problem);
    }
    if (info->primal - info->dual <= options->gap * fabs(info->primal))
      break;
  }
  return status;
}
