/* factors.c: the public handle of a factorisation: creation and freeing, sizes, and scores of given pairs. */
#include "collaborative/factorization/factorization.h"
#include "settings/settings.h"

#include <string.h>

dorm_status dorm__factors_new(dorm_context *context, const dorm_settings *settings, size_t num_users, size_t num_items,
                              size_t rank, size_t num_rated, dorm_factors **factors)
{
  dorm_status status = DORM_OK;
  *factors = NULL;
  dorm_factors *made = dorm__alloc_zero(1, sizeof *made);
  if (!made)
    return dorm__out_of_memory(context, "factors");
  made->rated_start = dorm__alloc_zero(num_users + 1, sizeof *made->rated_start);
  made->rated = dorm__alloc_zero(num_rated, sizeof *made->rated);
  made->rule.balance = dorm__alloc_zero(rank, sizeof *made->rule.balance);
  if (!made->rated_start || !made->rated || !made->rule.balance || !dorm__point_new(0, num_items, rank, &made->start) ||
      !dorm__point_new(num_users, num_items, rank, &made->point))
    status = dorm__out_of_memory(context, "factors");
  if (status == DORM_OK)
    status = dorm__settings_copy(context, settings, &made->settings);
  return DORM__GIVE(status, factors, made, dorm_factors_free);
}

void dorm_factors_free(dorm_factors *factors)
{
  if (!factors)
    return;
  dorm__id_table_clear(&factors->users);
  dorm__id_table_clear(&factors->items);
  dorm__point_clear(&factors->start);
  dorm__point_clear(&factors->point);
  dorm__free(factors->rule.balance);
  dorm__free(factors->rated_start);
  dorm__free(factors->rated);
  dorm_settings_free(factors->settings);
  dorm__free(factors->rounds);
  dorm__free(factors);
}

dorm_status dorm_factors_use_settings(dorm_context *context, dorm_factors *factors, const dorm_settings *settings)
{
  if (DORM__LACKS(context, DORM__GIVEN(factors), DORM__GIVEN(settings)))
    return DORM_BAD_USAGE;
  return dorm__settings_replace(context, settings, factors->settings);
}

const dorm_factor_round *dorm_factors_round(const dorm_factors *factors, size_t index)
{
  return factors && index < factors->num_rounds ? &factors->rounds[index] : NULL;
}

size_t dorm_factors_num_users(const dorm_factors *factors)
{
  return factors ? factors->point.num_users : 0;
}

size_t dorm_factors_num_items(const dorm_factors *factors)
{
  return factors ? factors->point.num_items : 0;
}

size_t dorm_factors_rank(const dorm_factors *factors)
{
  return factors ? factors->point.rank : 0;
}

double dorm__factors_score_pair(const dorm_factors *factors, const double *user_row, size_t item)
{
  const dorm__point *point = &factors->point;
  double sum = point->offset[item];
  for (size_t k = 0; user_row && k < point->rank; k++)
    sum += user_row[k] * point->item[item * point->rank + k];
  return sum;
}

dorm_status dorm_factors_score(dorm_context *context, const dorm_factors *factors, const dorm_ratings *pairs,
                               double *scores)
{
  if (DORM__LACKS(context, DORM__GIVEN(factors), DORM__GIVEN(pairs), DORM__GIVEN(scores)))
    return DORM_BAD_USAGE;
  const dorm__rating_table *table = &pairs->table;
  size_t num_unknown = 0;
  for (size_t u = 0; u < table->num_users; u++) {
    const char *user_id = dorm__id_table_text(&pairs->users, u);
    uint32_t user = dorm__id_table_find(&factors->users, user_id, strlen(user_id));
    const double *row = user == DORM__NO_ID ? NULL : factors->point.user + user * factors->point.rank;
    for (size_t e = table->user_start[u]; e < table->user_start[u + 1]; e++) {
      const char *item_id = dorm__id_table_text(&pairs->items, table->items[e]);
      uint32_t item = dorm__id_table_find(&factors->items, item_id, strlen(item_id));
      scores[e] = item == DORM__NO_ID ? 0 : dorm__factors_score_pair(factors, row, item);
      num_unknown += !row || item == DORM__NO_ID;
    }
  }
  if (num_unknown)
    dorm__note(context,
               "%s: %zu of %zu pairs have a user (scored by the items' offsets) or an item (scored 0) that the model "
               "does not know",
               pairs->name, num_unknown, table->num_ratings);
  return DORM_OK;
}
