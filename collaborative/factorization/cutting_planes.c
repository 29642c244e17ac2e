/*
 * cutting_planes.c: the cutting-plane loop of the user step and the item step.
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
 * Shared with the solver are the column sets (item step) and the QP.
 */
#include "collaborative/factorization/start.h"

#include <math.h>

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
