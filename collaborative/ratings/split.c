/*
 * split.c: draws the training and held-out ratings of an experiment by a seed.
 *
 *   given:N       Draws N training ratings of every user, and holds out the others. Drops users with fewer than N + 10
 *                 ratings.
 *   users:T/I/M   Keeps the M most rated items, draws T training users and I input users, and drops all others
 *                 (Basilico and Hofmann 2004, as in section 6.6 of the paper). Holds out half of the ratings of each
 *                 training user. All ratings of an input user are training ratings, so they help to fit correlations
 *                 and factors, but no ranking of this user is evaluated. Drops users with fewer than 20 ratings of
 *                 the kept items. If fewer than T + I users remain, T and I shrink in proportion.
 */
#include "base/sort.h"
#include "collaborative/ratings/fit.h"
#include "collaborative/ratings/ratings.h"

#include <string.h>

enum { LEAVES, TRAINS, HELD_OUT };

enum { LEAST_HELD_OUT = 10 }; /* held-out ratings of a user that is not dropped */

typedef struct splitter {
  const dorm_ratings *ratings;
  dorm__random random;
  uint8_t *place; /* [num_ratings]: LEAVES, TRAINS or HELD_OUT */
  size_t *order;  /* [2 (num_ratings + num_users)], scratch: ratings or users */
  size_t num_left_users;
  size_t num_left_items;
} splitter;

static void leave(splitter *split, size_t user)
{
  const size_t *start = &split->ratings->table.user_start[user];
  memset(split->place + start[0], LEAVES, start[1] - start[0]);
  split->num_left_users++;
}

/* Fills the beginning of split->order with the ratings of a user that are not dropped, in random order. Returns their
 * number. */
static size_t shuffle_user(splitter *split, size_t user)
{
  const size_t *start = &split->ratings->table.user_start[user];
  size_t count = 0;
  for (size_t e = start[0]; e < start[1]; e++)
    if (split->place[e] != LEAVES)
      split->order[count++] = e;
  dorm__random_shuffle(&split->random, count, split->order);
  return count;
}

static void drop_items(splitter *split, const uint8_t *keeps_item)
{
  const dorm__rating_table *table = &split->ratings->table;
  for (size_t e = 0; e < table->num_ratings; e++)
    if (!keeps_item[table->items[e]])
      split->place[e] = LEAVES;
  for (size_t i = 0; i < table->num_items; i++)
    split->num_left_items += !keeps_item[i];
}

static void split_given(splitter *split, size_t given)
{
  const dorm__rating_table *table = &split->ratings->table;
  for (size_t u = 0; u < table->num_users; u++) {
    size_t count = shuffle_user(split, u);
    if (count < given + LEAST_HELD_OUT) {
      leave(split, u);
      continue;
    }
    for (size_t k = given; k < count; k++)
      split->place[split->order[k]] = HELD_OUT;
  }
}

/* ---- Training users and input users ------------------------------------------ */

static size_t kept_of(const splitter *split, size_t user)
{
  const size_t *start = &split->ratings->table.user_start[user];
  size_t count = 0;
  for (size_t e = start[0]; e < start[1]; e++)
    count += split->place[e] != LEAVES;
  return count;
}

static void split_users(splitter *split, size_t training, size_t input)
{
  const dorm__rating_table *table = &split->ratings->table;
  size_t *users = split->order; /* shuffle_user overwrites them later */
  size_t *chosen = users + table->num_users;
  size_t num_chosen = 0;
  dorm__random_permutation(&split->random, table->num_users, users);
  for (size_t k = 0; k < table->num_users; k++) {
    size_t user = users[k];
    if (kept_of(split, user) >= 2 * LEAST_HELD_OUT && num_chosen < training + input)
      chosen[num_chosen++] = user;
    else
      leave(split, user);
  }
  /* If fewer than T + I users remain, the share T / (T + I) of them trains. */
  size_t wanted = training * num_chosen / (training + input);
  memmove(split->order + table->num_ratings, chosen, wanted * sizeof *chosen);
  for (size_t k = 0; k < wanted; k++) {
    size_t user = split->order[table->num_ratings + k];
    size_t count = shuffle_user(split, user);
    for (size_t i = count / 2; i < count; i++)
      split->place[split->order[i]] = HELD_OUT;
  }
}

static bool keep_most_rated(const dorm__rating_table *table, size_t count, uint8_t *keeps_item)
{
  DORM__FREED double *counts = dorm__alloc(table->num_items, sizeof *counts);
  DORM__FREED uint32_t *order = dorm__alloc(table->num_items, sizeof *order);
  if (!counts || !order)
    return false;
  for (size_t i = 0; i < table->num_items; i++)
    counts[i] = (double)(table->item_start[i + 1] - table->item_start[i]);
  if (!dorm__order_descending(table->num_items, counts, order))
    return false;
  for (size_t k = 0; k < table->num_items; k++)
    keeps_item[order[k]] = k < count;
  return true;
}

/* ---- Both forms ------------------------------------------------------------------------ */

static dorm_status take(dorm_context *context, const splitter *split, uint8_t wanted, const char *what,
                        dorm_ratings **made)
{
  const dorm_ratings *ratings = split->ratings;
  const dorm__rating_table *table = &ratings->table;
  size_t count = 0;
  DORM__FREED dorm__rating *taken = dorm__alloc(table->num_ratings, sizeof *taken);
  if (!taken)
    return dorm__out_of_memory(context, "ratings");
  for (size_t u = 0; u < table->num_users; u++)
    for (size_t e = table->user_start[u]; e < table->user_start[u + 1]; e++)
      if (split->place[e] == wanted)
        taken[count++] = (dorm__rating){(uint32_t)u, table->items[e], table->values[e]};
  return count ? dorm__ratings_new(context, ratings->name, &ratings->users, &ratings->items, count, taken, made)
               : dorm__fail(context, DORM_BAD_DATA, "%s: ratings.split leaves no %s ratings of its %zu", ratings->name,
                            what, table->num_ratings);
}

static dorm_status split_by(dorm_context *context, const dorm__split_options *options, splitter *split)
{
  const dorm__rating_table *table = &split->ratings->table;
  if (options->kind == DORM__SPLIT_GIVEN) {
    split_given(split, options->given);
    return DORM_OK;
  }
  DORM__FREED uint8_t *keeps_item = dorm__alloc(table->num_items, sizeof *keeps_item);
  bool is_kept = keeps_item && keep_most_rated(table, options->most_items, keeps_item);
  if (is_kept) {
    drop_items(split, keeps_item);
    split_users(split, options->training_users, options->input_users);
  }
  return is_kept ? DORM_OK : dorm__out_of_memory(context, "a split");
}

dorm_status dorm_ratings_split(dorm_context *context, const dorm_settings *settings, const dorm_ratings *ratings,
                               dorm_ratings **training, dorm_ratings **held_out)
{
  if (DORM__LACKS(context, DORM__GIVEN(settings), DORM__GIVEN(ratings), DORM__RESULT(training), DORM__RESULT(held_out)))
    return DORM_BAD_USAGE;
  const dorm__rating_table *table = &ratings->table;
  dorm__split_options options;
  DORM__FREED uint8_t *place = dorm__alloc(table->num_ratings, sizeof *place);
  DORM__FREED size_t *order = dorm__alloc(2 * (table->num_ratings + table->num_users), sizeof *order);
  dorm_status status = dorm__split_options_from(context, settings, &options);
  if (status != DORM_OK)
    return status;
  if (!place || !order)
    return dorm__out_of_memory(context, "a split");
  splitter split = {.ratings = ratings, .place = place, .order = order};
  dorm__random_seed(&split.random, options.seed);
  memset(place, TRAINS, table->num_ratings);
  status = DORM__ALL(split_by(context, &options, &split), take(context, &split, TRAINS, "training", training),
                     take(context, &split, HELD_OUT, "held-out", held_out));
  if (status != DORM_OK) {
    dorm_ratings_free(*training);
    *training = NULL;
    return status;
  }
  if (split.num_left_users || split.num_left_items)
    dorm__note(context, "%s: %zu of %zu users and %zu of %zu items have too few ratings for the split or are not drawn",
               ratings->name, split.num_left_users, table->num_users, split.num_left_items, table->num_items);
  return DORM_OK;
}
