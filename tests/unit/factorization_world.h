/* factorization_world.h: ratings, lists and points that are small enough to enumerate all rankings. */
#ifndef DORM_TESTS_FACTORIZATION_WORLD_H
#define DORM_TESTS_FACTORIZATION_WORLD_H

#include "collaborative/factorization/factorization.h"
#include "collaborative/ratings/ratings.h"
#include "tests/unit/unit.h"

enum { SIZE = 5, RANKINGS = 120, USERS = 12, ITEMS = 14, RANK = 2 };

/* Ratings, their lists and a start. */
typedef struct world {
  dorm_context *context;
  dorm_settings *settings;
  dorm_ratings *ratings;
  dorm__lists *lists;
  dorm__point start;
  dorm__point point;
  dorm__start_rule rule;
  dorm__random random;
} world;

/* `start` and `position_weights`: values of factorization.start and ranking.position_weights. The point and its start
 * are the squared-error factorisation. */
world world_new(const char *start, const char *position_weights, double penalty, size_t num_threads);
void world_free(world *made);
/* Fills weights [SIZE] with the position weight of each item in ranking `number` of a list. Returns Delta. */
double world_describe(const dorm__lists *lists, size_t list, size_t number, double *weights);
/* The squared distance of x and y. */
double world_squares(size_t count, const double *x, const double *y);

#endif
