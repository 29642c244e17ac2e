/* objective.c: computes the objective F (factors.h) and its gradient with respect to offsets and item rows. */
#include "collaborative/factorization/lists.h"
#include "collaborative/factorization/start.h"

#include <string.h>

static double square_distance(size_t count, const double *x, const double *y)
{
  double sum = 0;
  for (size_t k = 0; k < count; k++)
    sum += (x[k] - y[k]) * (x[k] - y[k]);
  return sum;
}

/* Sets gradient = penalty (x - centre). */
static void pull(size_t count, double penalty, const double *x, const double *centre, double *gradient)
{
  for (size_t k = 0; k < count; k++)
    gradient[k] = penalty * (x[k] - centre[k]);
}

/* Adds the gradient of one user's xi, which is (c_worst - c_ref) (1, U) for the offset and row of an item. */
static void add_gradient(const dorm__lists *lists, size_t list, const dorm__point *point, const double *worst,
                         const double *reference, dorm__point *gradient)
{
  const uint32_t *items = lists->items + lists->start[list];
  const double *user = point->user + lists->users[list] * point->rank;
  for (size_t j = 0; j < dorm__lists_size(lists, list); j++) {
    double d = worst[j] - reference[j];
    gradient->offset[items[j]] += lists->has_offsets ? d : 0;
    for (size_t k = 0; k < point->rank; k++)
      gradient->item[items[j] * point->rank + k] += d * user[k];
  }
}

dorm_status dorm__objective(dorm_context *context, const dorm__lists *lists, const dorm__point *start, double penalty,
                            const dorm__point *point, double *value, dorm__point *gradient)
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
  if (gradient) {
    pull(point->num_items, penalty, point->offset, start->offset, gradient->offset);
    pull(num_item_values, penalty, point->item, start->item, gradient->item);
  }
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
    if (gradient)
      add_gradient(lists, i, point, worst, reference, gradient);
  }
  *value = sum;
  return status;
}
