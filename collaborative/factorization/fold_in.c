/*
 * fold_in.c: recommends the items with the highest scores for a user. A user of the model has a row. A new user with
 * ratings is folded in like the users in training: the squared-error factorisation gives the start, and one user step
 * with fixed items gives the row. O(items rank + items log items).
 */
#include "base/sort.h"
#include "collaborative/factorization/factorization.h"

#include <string.h>

/* The gap of a user's problem, as in training: the default of solver.gap times user_gap_share (factorize.c). */
static const double gap = 1e-3;
/* Ends the step if the gap is below rounding. */
enum { MOST_PASSES = 100 };

typedef struct known_ratings {
  size_t count;
  uint32_t *items; /* item numbers of the model */
  double *values;
} known_ratings;

/* Collects the user's ratings of items that the model knows. */
static dorm_status map_items(dorm_context *context, const dorm_factors *factors, const dorm_ratings *given,
                             uint32_t user, known_ratings *known)
{
  const dorm__rating_table *table = &given->table;
  size_t first = table->user_start[user];
  size_t end = table->user_start[user + 1];
  known->items = dorm__alloc(end - first, sizeof *known->items);
  known->values = dorm__alloc(end - first, sizeof *known->values);
  if (!known->items || !known->values)
    return dorm__out_of_memory(context, "a user");
  for (size_t e = first; e < end; e++) {
    const char *text = dorm__id_table_text(&given->items, table->items[e]);
    uint32_t item = dorm__id_table_find(&factors->items, text, strlen(text));
    if (item == DORM__NO_ID)
      continue;
    known->items[known->count] = item;
    known->values[known->count++] = table->values[e];
  }
  if (known->count < end - first)
    dorm__note(context, "%s: the model does not know %zu of the %zu items that user %s has rated", given->name,
               end - first - known->count, end - first, dorm__id_table_text(&given->users, user));
  if (!known->count)
    return dorm__fail(context, DORM_BAD_DATA, "%s: the model knows none of the items that user %.60s has rated",
                      given->name, dorm__id_table_text(&given->users, user));
  return DORM_OK;
}

/* Makes a user step on the list of the known ratings. */
static dorm_status step(dorm_context *context, const dorm_factors *factors, const known_ratings *known,
                        const double *centre, double *row)
{
  DORM__AT_END(dorm__factorization_options_clear) dorm__factorization_options options;
  DORM__FREED dorm__rating *ratings = dorm__alloc(known->count, sizeof *ratings);
  dorm__step_info info;
  char name[] = "the user's ratings";
  dorm_ratings one = {.name = name, .items = factors->items}; /* items are borrowed */
  dorm__lists *lists = NULL;
  dorm_status status = dorm__factorization_options_again(context, factors->settings, &options);
  if (status != DORM_OK)
    return status;
  dorm__step_options step_options = {.penalty = options.penalty, .gap = gap, .most_passes = MOST_PASSES};
  for (size_t e = 0; ratings && e < known->count; e++)
    ratings[e] = (dorm__rating){0, known->items[e], known->values[e]};
  bool is_made = ratings && dorm__id_table_add(&one.users, "user", strlen("user")) != DORM__NO_ID &&
                 dorm__rating_table_new(1, factors->items.count, known->count, ratings, &one.table);
  status = DORM__ALL(is_made ? DORM_OK : dorm__out_of_memory(context, "a user"),
                     dorm__lists_new(context, &options, &one, 1, &lists),
                     dorm__user_step_one(context, lists, 0, &factors->point, centre, &step_options,
                                         &(const dorm__user_result){row, &info}));
  dorm__lists_free(lists);
  dorm__id_table_clear(&one.users);
  dorm__rating_table_clear(&one.table);
  return status;
}

static dorm_status fold_in(dorm_context *context, const dorm_factors *factors, const known_ratings *known, double *row)
{
  size_t rank = factors->point.rank;
  DORM__FREED double *centre = dorm__alloc(rank, sizeof *centre);
  if (!centre)
    return dorm__out_of_memory(context, "a user");
  dorm_status status =
      dorm__start_user(context, &factors->rule, &factors->start, known->count, known->items, known->values, centre);
  if (status == DORM_OK) {
    memcpy(row, centre, rank * sizeof *row);
    status = step(context, factors, known, centre, row);
  }
  return status;
}

/* ---- Lists --------------------------------------------------------------------------- */

/* Fills the best `most` of the items that are not excluded, by falling score, equal scores by number. Returns how many
 * there are, or SIZE_MAX when out of memory. */
static size_t rank_items(const dorm_factors *factors, const double *row, const uint8_t *is_excluded, size_t most,
                         const char **items, double *scores)
{
  size_t num_items = factors->point.num_items, count = 0;
  DORM__AT_END(dorm__region_clear) dorm__region memory = {0};
  double *own = dorm__region_take_zero(&memory, num_items, sizeof *own);
  uint32_t *item_of = dorm__region_take_zero(&memory, num_items, sizeof *item_of);
  uint32_t *order = dorm__region_take_zero(&memory, num_items, sizeof *order);
  for (size_t i = 0; !memory.is_short && i < num_items; i++)
    if (!is_excluded[i]) {
      own[count] = dorm__factors_score_pair(factors, row, i);
      item_of[count++] = (uint32_t)i;
    }
  if (memory.is_short || !dorm__order_descending(count, own, order))
    return SIZE_MAX;
  count = count < most ? count : most;
  for (size_t k = 0; k < count; k++) {
    items[k] = dorm__id_table_text(&factors->items, item_of[order[k]]);
    scores[k] = own[order[k]];
  }
  return count;
}

dorm_status dorm_factors_recommend(dorm_context *context, const dorm_factors *factors, const char *user_id,
                                   const dorm_ratings *given, size_t most, size_t *count, const char **items,
                                   double *scores)
{
  if (DORM__LACKS(context, DORM__GIVEN(factors), DORM__GIVEN(user_id), DORM__GIVEN(count), DORM__GIVEN_IF(most, items),
                  DORM__GIVEN_IF(most, scores)))
    return DORM_BAD_USAGE;
  size_t size = strlen(user_id), rank = factors->point.rank;
  uint32_t of_model = dorm__id_table_find(&factors->users, user_id, size);
  uint32_t of_given = given ? dorm__id_table_find(&given->users, user_id, size) : DORM__NO_ID;
  known_ratings known = {0};
  dorm_status status = DORM_OK;
  *count = 0;
  if (of_model == DORM__NO_ID && of_given == DORM__NO_ID)
    return dorm__fail(context, DORM_BAD_DATA, "user '%.60s' is not in the model, and there are no ratings by that user",
                      user_id);
  DORM__FREED uint8_t *is_excluded = dorm__alloc_zero(factors->point.num_items, 1);
  DORM__FREED double *row = dorm__alloc(rank, sizeof *row);
  if (!is_excluded || !row)
    status = dorm__out_of_memory(context, "a list of items");
  else if (of_given != DORM__NO_ID)
    status = DORM__ALL(map_items(context, factors, given, of_given, &known), fold_in(context, factors, &known, row));
  else
    memcpy(row, factors->point.user + of_model * rank, rank * sizeof *row);
  if (status == DORM_OK) {
    for (size_t e = 0; e < known.count; e++)
      is_excluded[known.items[e]] = 1;
    for (size_t k = of_model == DORM__NO_ID ? 0 : factors->rated_start[of_model];
         of_model != DORM__NO_ID && k < factors->rated_start[of_model + 1]; k++)
      is_excluded[factors->rated[k]] = 1;
    size_t found = rank_items(factors, row, is_excluded, most, items, scores);
    if (found == SIZE_MAX)
      status = dorm__out_of_memory(context, "a list of items");
    else
      *count = found;
  }
  dorm__free(known.items);
  dorm__free(known.values);
  return status;
}
