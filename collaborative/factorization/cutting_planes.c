/*
 * cutting_planes.c: the cutting-plane loop of the users' and of the items' step.
 *
 * A step minimises L/2 |x - x0|^2 + sum over lists of max over rankings [Delta - <psi, x>], psi = Phi(reference) -
 * Phi(ranking). A pass evaluates this exactly at one point and finds the worst ranking of each list; these join the
 * columns held, the dual on all columns is raised, and the next pass is made at the dual's point x = x0 + 1/L sum
 * alpha psi. The best point of all passes is kept, so that a step never ends above where it began. It ends when the
 * best dual value proves the best value to the relative gap.
 *
 * The loop of solver/cutting_plane.c is another one: it keeps scores of rows of features at a vector w that is drawn
 * to 0 and bounds of weights, and moves towards the dual's point by part of the way. Here the items' step never forms
 * its psi (item_step.c), a user's step is too small for threads, shards and sequential passes, and both are drawn to a
 * centre. Both steps share the column sets (items' step) and the QP.
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
