/*
 * generate.c: generates artificial ratings and attributes for tests and manuals. Item i has popularity 1 / (i + 10),
 * and users rate distinct items drawn by popularity:
 *
 *   rating = round(3 + quality[i] + leniency[u] + <taste[u], style[i]> + noise)
 *
 * cut to 1 .. 5. quality, leniency and taste have standard deviation 0.5, style has 1. The constants define the data
 * and have no other meaning. Users are called u1, u2, ... and items i1, i2 and so on. Their attributes are a tag with
 * the index of the largest number of taste or style, and the first of these numbers.
 */
#include "base/memory.h"
#include "base/status.h"
#include "collaborative/ratings/fit.h"
#include "collaborative/ratings/ratings.h"

#include <math.h>
#include <string.h>

enum { TASTES = 3, ID_SIZE = 24 };

typedef struct generator {
  const dorm_artificial_ratings *parameters;
  dorm__random random;
  double *taste;     /* [num_users][TASTES + 1], leniency last */
  double *style;     /* [num_items][TASTES + 1], quality last */
  double *chances;   /* [num_items], cumulative */
  uint8_t *is_rated; /* [num_items], by the current user */
} generator;

static dorm_status check(dorm_context *context, const dorm_artificial_ratings *parameters)
{
  enum { LARGEST = 10000000 };
  if (parameters->num_users < 1 || parameters->num_users > LARGEST)
    return dorm__fail(context, DORM_BAD_USAGE, "users: %zu is not between 1 and %d", parameters->num_users, LARGEST);
  if (parameters->num_items < 1 || parameters->num_items > LARGEST)
    return dorm__fail(context, DORM_BAD_USAGE, "items: %zu is not between 1 and %d", parameters->num_items, LARGEST);
  if (parameters->ratings_per_user < 1 || parameters->ratings_per_user > (parameters->num_items + 1) / 2)
    return dorm__fail(context, DORM_BAD_USAGE, "ratings per user: %zu is not between 1 and half of the %zu items",
                      parameters->ratings_per_user, parameters->num_items);
  if (!(parameters->noise >= 0 && isfinite(parameters->noise)))
    return dorm__fail(context, DORM_BAD_USAGE, "noise: %g is not a number of 0 or more", parameters->noise);
  return DORM_OK;
}

static void draw_world(generator *world)
{
  const dorm_artificial_ratings *parameters = world->parameters;
  const double spread = 0.5;
  dorm__random_seed(&world->random, parameters->seed);
  for (size_t k = 0; k < parameters->num_users * (TASTES + 1); k++)
    world->taste[k] = spread * dorm__random_normal(&world->random);
  for (size_t k = 0; k < parameters->num_items * (TASTES + 1); k++)
    world->style[k] = spread * dorm__random_normal(&world->random) * (k % (TASTES + 1) == TASTES ? 1 : 2);
  double sum = 0;
  for (size_t i = 0; i < parameters->num_items; i++)
    world->chances[i] = sum += 1 / ((double)i + 10);
}

static uint32_t draw_item(generator *world)
{
  size_t last = world->parameters->num_items - 1;
  double at = dorm__random_uniform(&world->random) * world->chances[last];
  size_t low = 0;
  for (size_t high = last; low < high;) {
    size_t middle = (low + high) / 2;
    if (world->chances[middle] > at)
      high = middle;
    else
      low = middle + 1;
  }
  return (uint32_t)low;
}

static double draw_rating(generator *world, size_t user, size_t item)
{
  const double *taste = world->taste + user * (TASTES + 1);
  const double *style = world->style + item * (TASTES + 1);
  double value = 3 + taste[TASTES] + style[TASTES] + world->parameters->noise * dorm__random_normal(&world->random);
  for (size_t k = 0; k < TASTES; k++)
    value += taste[k] * style[k];
  return fmin(fmax(round(value), 1), 5);
}

static void draw_ratings(generator *world, dorm__rating *ratings)
{
  size_t each = world->parameters->ratings_per_user;
  for (size_t u = 0; u < world->parameters->num_users; u++) {
    dorm__rating *row = ratings + u * each;
    for (size_t k = 0; k < each;) {
      uint32_t item = draw_item(world);
      if (world->is_rated[item])
        continue;
      world->is_rated[item] = 1;
      row[k++] = (dorm__rating){(uint32_t)u, item, draw_rating(world, u, item)};
    }
    for (size_t k = 0; k < each; k++)
      world->is_rated[row[k].item] = 0;
  }
}

static bool make_ids(char letter, size_t count, dorm__id_table *ids)
{
  char text[ID_SIZE];
  for (size_t i = 0; i < count; i++) {
    int size = snprintf(text, sizeof text, "%c%zu", letter, i + 1);
    if (dorm__id_table_add(ids, text, (size_t)size) == DORM__NO_ID)
      return false;
  }
  return true;
}

static dorm_status write_side(dorm_context *context, const char *path, const dorm__id_table *ids, const double *vectors)
{
  static const char *const tags[TASTES] = {"red", "green", "blue"};
  dorm__output *output = NULL;
  dorm_status status = dorm__output_open(context, path, &output);
  if (status != DORM_OK)
    return status;
  for (size_t i = 0; i < ids->count; i++) {
    const double *vector = vectors + i * (TASTES + 1);
    size_t largest = 0;
    for (size_t k = 1; k < TASTES; k++)
      largest = vector[k] > vector[largest] ? k : largest;
    dorm__output_text(output, "%s %s first:%.2f\n", dorm__id_table_text(ids, i), tags[largest], vector[0]);
  }
  return dorm__output_commit(context, output);
}

dorm_status dorm_ratings_generate(dorm_context *context, const dorm_artificial_ratings *parameters,
                                  const char *users_path, const char *items_path, dorm_ratings **ratings)
{
  if (DORM__LACKS(context, DORM__GIVEN(parameters), DORM__RESULT(ratings)))
    return DORM_BAD_USAGE;
  dorm_artificial_ratings full;
  DORM__AT_END(dorm__region_clear) dorm__region memory = {0};
  generator world = {.parameters = &full};
  dorm__id_table users = {0}, items = {0};
  dorm_status status =
      DORM__ALL(dorm__struct_take(context, "parameters", DORM__STRUCT(dorm_artificial_ratings), parameters, &full),
                check(context, &full));
  if (status != DORM_OK)
    return status;
  size_t count = full.num_users * full.ratings_per_user;
  world.taste = dorm__region_take_zero(&memory, full.num_users, (TASTES + 1) * sizeof *world.taste);
  world.style = dorm__region_take_zero(&memory, full.num_items, (TASTES + 1) * sizeof *world.style);
  world.chances = dorm__region_take_zero(&memory, full.num_items, sizeof *world.chances);
  world.is_rated = dorm__region_take_zero(&memory, full.num_items, 1);
  dorm__rating *drawn = dorm__region_take_zero(&memory, count, sizeof *drawn);
  if (memory.is_short || !make_ids('u', full.num_users, &users) || !make_ids('i', full.num_items, &items)) {
    status = dorm__out_of_memory(context, "artificial ratings");
    goto done;
  }
  draw_world(&world);
  draw_ratings(&world, drawn);
  if (users_path)
    status = write_side(context, users_path, &users, world.taste);
  if (status == DORM_OK && items_path)
    status = write_side(context, items_path, &items, world.style);
  if (status == DORM_OK)
    status = dorm__ratings_new(context, "artificial", &users, &items, count, drawn, ratings);
done:
  dorm__id_table_clear(&users);
  dorm__id_table_clear(&items);
  return status;
}
