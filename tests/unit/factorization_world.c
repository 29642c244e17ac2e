/* factorization_world.c: ratings, lists and points that are small enough to enumerate all rankings. */
#include "tests/unit/factorization_world.h"

world world_new(const char *start, const char *position_weights, double penalty, size_t num_threads)
{
  world made = {.context = unit_context()};
  char number[32];
  dorm_artificial_ratings parameters = {sizeof parameters, USERS, ITEMS, SIZE, 0.5, unit_seed()};
  snprintf(number, sizeof number, "%g", penalty);
  made.settings =
      unit_defaults(made.context, UNIT_PAIRS("loss.name", "ndcg@3", "ranking.position_weights", position_weights,
                                             "factorization.start", start, "factorization.penalty", number));
  UNIT_OK(made.context, dorm_ratings_generate(made.context, &parameters, NULL, NULL, &made.ratings));
  dorm__factorization_options options;
  UNIT_OK(made.context, dorm__factorization_options_from(made.context, made.settings, &options));
  UNIT_OK(made.context, dorm__lists_new(made.context, &options, made.ratings, num_threads, &made.lists));
  dorm__factorization_options_clear(&options);
  options = (dorm__factorization_options){.rank = RANK, .scale = 0.3, .seed = 1, .num_threads = 1};
  UNIT_OK(made.context, dorm__start_point(made.context, &made.ratings->table, &options, &made.start, &made.rule));
  CU_ASSERT_TRUE_FATAL(dorm__point_new(USERS, ITEMS, RANK, &made.point));
  dorm__point_copy(&made.start, &made.point);
  dorm__random_seed(&made.random, unit_seed());
  return made;
}

void world_free(world *made)
{
  dorm__lists_free(made->lists);
  dorm__point_clear(&made->start);
  dorm__point_clear(&made->point);
  dorm__free(made->rule.balance);
  dorm_ratings_free(made->ratings);
  dorm_settings_free(made->settings);
  dorm_context_free(made->context);
}

double world_describe(const dorm__lists *lists, size_t list, size_t number, double *weights)
{
  uint32_t order[SIZE];
  unit_ranking(SIZE, number, order);
  for (size_t p = 0; p < SIZE; p++)
    weights[order[p]] = lists->c[list][p];
  return dorm__query_loss_of(dorm__loss_tables_query(lists->tables, list), order);
}

double world_squares(size_t count, const double *x, const double *y)
{
  double sum = 0;
  for (size_t k = 0; k < count; k++)
    sum += (x[k] - y[k]) * (x[k] - y[k]);
  return sum;
}
