/*
 * start.c: computes the starting point of the ranking factorisation, which is also the centre of its penalty. (With a
 * random start, as in section 5.2 of Le and Smola 2007, the centre is 0.) It is the squared-error factorisation with
 * posterior covariances (collaborative/ratings/factorisation.c) times a scale s. The scale weighs differences of scores
 * against Delta <= 1:
 *
 *   o0[i] = s b[i],   U0[u] = sqrt(s) d U[u],   V0[i] = sqrt(s) V[i] / d,
 *
 * d, a number per dimension, makes the columns of the matrices U0 and V0 equally long.
 */
#include "base/random.h"
#include "collaborative/factorization/factorization.h"

#include <math.h>
#include <string.h>

bool dorm__point_new(size_t num_users, size_t num_items, size_t rank, dorm__point *point)
{
  *point = (dorm__point){.rank = rank, .num_users = num_users, .num_items = num_items};
  point->offset = dorm__alloc_zero(num_items, sizeof *point->offset);
  point->item = dorm__alloc_zero(num_items, rank * sizeof *point->item);
  point->user = dorm__alloc_zero(num_users, rank * sizeof *point->user);
  if (point->offset && point->item && point->user)
    return true;
  dorm__point_clear(point);
  return false;
}

void dorm__point_clear(dorm__point *point)
{
  dorm__free(point->offset);
  dorm__free(point->item);
  dorm__free(point->user);
  *point = (dorm__point){0};
}

void dorm__point_copy(const dorm__point *from, dorm__point *to)
{
  memcpy(to->offset, from->offset, from->num_items * sizeof *from->offset);
  memcpy(to->item, from->item, from->num_items * from->rank * sizeof *from->item);
  memcpy(to->user, from->user, from->num_users * from->rank * sizeof *from->user);
}

void dorm__point_scores(const dorm__point *point, const dorm__lists *lists, size_t list, double *scores)
{
  const uint32_t *items = lists->items + lists->start[list];
  const double *user = point->user + lists->users[list] * point->rank;
  for (size_t j = 0; j < dorm__lists_size(lists, list); j++) {
    const double *item = point->item + items[j] * point->rank;
    double sum = point->offset[items[j]];
    for (size_t k = 0; k < point->rank; k++)
      sum += user[k] * item[k];
    scores[j] = sum;
  }
}

/* Returns the length of column k of the matrix rows [count][rank]. */
static double column_length(size_t count, size_t rank, const double *rows, size_t k)
{
  double sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += rows[i * rank + k] * rows[i * rank + k];
  return sqrt(sum);
}

/* Applies s and d to the factorisation. */
static void scale_rows(const dorm__factorisation *fit, const dorm__start_rule *rule, dorm__point *start)
{
  size_t rank = fit->rank;
  double root = sqrt(rule->scale);
  for (size_t i = 0; i < start->num_items; i++) {
    start->offset[i] = rule->scale * fit->item_bias[i];
    for (size_t k = 0; k < rank; k++)
      start->item[i * rank + k] = root * fit->item[i * rank + k] / rule->balance[k];
  }
  for (size_t u = 0; u < start->num_users; u++)
    for (size_t k = 0; k < rank; k++)
      start->user[u * rank + k] = root * fit->user[u * rank + k] * rule->balance[k];
}

/* Allocates a start and a rule, whose numbers are 0. */
static dorm_status make_start(dorm_context *context, const dorm__rating_table *table, size_t rank, double scale,
                              double user_ridge, dorm__point *start, dorm__start_rule *rule)
{
  *start = (dorm__point){0};
  *rule = (dorm__start_rule){.scale = scale, .user_ridge = user_ridge};
  rule->balance = dorm__alloc(rank, sizeof *rule->balance);
  return rule->balance && dorm__point_new(table->num_users, table->num_items, rank, start)
             ? DORM_OK
             : dorm__out_of_memory(context, "a factorisation");
}

dorm_status dorm__start_point(dorm_context *context, const dorm__rating_table *table,
                              const dorm__factorization_options *options, dorm__point *start, dorm__start_rule *rule)
{
  dorm__factorisation fit = {0};
  size_t rank = options->rank;
  dorm__factorisation_options em = dorm__factorisation_em(rank, options->seed, options->num_threads);
  dorm_status status = DORM__ALL(make_start(context, table, rank, options->scale, em.user_ridge, start, rule),
                                 dorm__factorisation_fit(context, table, &em, &fit));
  if (status == DORM_OK) {
    rule->mean = fit.mean;
    for (size_t k = 0; k < rank; k++) {
      double of_users = column_length(table->num_users, rank, fit.user, k);
      double of_items = column_length(table->num_items, rank, fit.item, k);
      rule->balance[k] = of_users > 0 && of_items > 0 ? sqrt(of_items / of_users) : 1;
    }
    scale_rows(&fit, rule, start);
  }
  dorm__factorisation_clear(&fit);
  return status;
}

dorm_status dorm__start_random(dorm_context *context, const dorm__rating_table *table,
                               const dorm__factorization_options *options, dorm__point *start, dorm__start_rule *rule,
                               dorm__point *point)
{
  size_t rank = point->rank;
  dorm_status status = make_start(context, table, rank, options->scale, 1, start, rule);
  if (status != DORM_OK)
    return status;
  double deviation = sqrt(options->scale / sqrt((double)rank));
  dorm__random random;
  dorm__random_seed_for(&random, "factorization.start", options->seed);
  for (size_t k = 0; k < rank; k++)
    rule->balance[k] = 1;
  for (size_t k = 0; k < table->num_items * rank; k++)
    point->item[k] = deviation * dorm__random_normal(&random);
  for (size_t k = 0; k < table->num_users * rank; k++)
    point->user[k] = deviation * dorm__random_normal(&random);
  return DORM_OK;
}

dorm_status dorm__start_user(dorm_context *context, const dorm__start_rule *rule, const dorm__point *start,
                             size_t count, const uint32_t *items, const double *ratings, double *row)
{
  size_t rank = start->rank;
  double root = sqrt(rule->scale);
  DORM__FREED double *rows = dorm__alloc(count, (rank + 1) * sizeof *rows);
  DORM__FREED double *gram = dorm__alloc(rank + 1, (rank + 3) * sizeof *gram); /* and a row of scratch, the solution */
  if (!rows || !gram)
    return dorm__out_of_memory(context, "a user");
  double *residuals = rows + count * rank;
  double *solution = gram + (rank + 1) * (rank + 2);
  for (size_t e = 0; e < count; e++) {
    residuals[e] = ratings[e] - rule->mean - start->offset[items[e]] / rule->scale;
    for (size_t k = 0; k < rank; k++)
      rows[e * rank + k] = start->item[items[e] * rank + k] * rule->balance[k] / root;
  }
  if (!dorm__factorisation_user(rank, rule->user_ridge, count, residuals, rows, solution, gram))
    return dorm__fail(context, DORM_NUMERICAL_FAILURE, "the start of a user met a singular matrix");
  for (size_t k = 0; k < rank; k++)
    row[k] = root * solution[k + 1] * rule->balance[k];
  return DORM_OK;
}
