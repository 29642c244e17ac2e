/* rating_table.c: ratings as numbers, ordered by user and by item, in O(num_ratings + num_users + num_items) memory. */
#include "collaborative/ratings/fit.h"
#include "collaborative/ratings/ratings.h"

#include <string.h>

void dorm__rating_table_clear(dorm__rating_table *table)
{
  dorm__free(table->user_start);
  dorm__free(table->items);
  dorm__free(table->values);
  dorm__free(table->item_start);
  dorm__free(table->users);
  dorm__free(table->by_item);
  *table = (dorm__rating_table){0};
}

static bool allocate(size_t num_users, size_t num_items, size_t count, dorm__rating_table *table)
{
  *table = (dorm__rating_table){.num_users = num_users, .num_items = num_items, .num_ratings = count};
  table->user_start = dorm__alloc_zero(num_users + 1, sizeof *table->user_start);
  table->items = dorm__alloc(count, sizeof *table->items);
  table->values = dorm__alloc(count, sizeof *table->values);
  table->item_start = dorm__alloc_zero(num_items + 1, sizeof *table->item_start);
  table->users = dorm__alloc(count, sizeof *table->users);
  table->by_item = dorm__alloc(count, sizeof *table->by_item);
  if (table->user_start && table->items && table->values && table->item_start && table->users && table->by_item)
    return true;
  dorm__rating_table_clear(table);
  return false;
}

/* Turns counts into places. start[i + 1] holds the number of entries of i and becomes their end. */
static void add_up(size_t count, size_t *start)
{
  for (size_t i = 0; i < count; i++)
    start[i + 1] += start[i];
}

/* Undoes the shift that filling left in `start`: start[i] is at the end of i, and returns to its beginning. */
static void shift_back(size_t count, size_t *start)
{
  memmove(start + 1, start, count * sizeof *start);
  start[0] = 0;
}

static void fill_by_item(dorm__rating_table *table)
{
  for (size_t e = 0; e < table->num_ratings; e++)
    table->item_start[table->items[e] + 1]++;
  add_up(table->num_items, table->item_start);
  for (size_t u = 0; u < table->num_users; u++)
    for (size_t e = table->user_start[u]; e < table->user_start[u + 1]; e++) {
      size_t place = table->item_start[table->items[e]]++;
      table->users[place] = (uint32_t)u;
      table->by_item[place] = e;
    }
  shift_back(table->num_items, table->item_start);
}

bool dorm__rating_table_new(size_t num_users, size_t num_items, size_t count, const dorm__rating *ratings,
                            dorm__rating_table *table)
{
  if (!allocate(num_users, num_items, count, table))
    return false;
  for (size_t e = 0; e < count; e++)
    table->user_start[ratings[e].user + 1]++;
  add_up(num_users, table->user_start);
  for (size_t e = 0; e < count; e++) {
    size_t place = table->user_start[ratings[e].user]++;
    table->items[place] = ratings[e].item;
    table->values[place] = ratings[e].value;
  }
  shift_back(num_users, table->user_start);
  fill_by_item(table);
  return true;
}

bool dorm__rating_table_select(const dorm__rating_table *table, const uint8_t *keep, uint8_t wanted,
                               dorm__rating_table *selected)
{
  size_t count = 0;
  for (size_t e = 0; e < table->num_ratings; e++)
    count += keep[e] == wanted;
  if (!allocate(table->num_users, table->num_items, count, selected))
    return false;
  count = 0;
  for (size_t u = 0; u < table->num_users; u++) {
    for (size_t e = table->user_start[u]; e < table->user_start[u + 1]; e++)
      if (keep[e] == wanted) {
        selected->items[count] = table->items[e];
        selected->values[count++] = table->values[e];
      }
    selected->user_start[u + 1] = count;
  }
  fill_by_item(selected);
  return true;
}

double dorm__rating_table_mean(const dorm__rating_table *table)
{
  double sum = 0;
  for (size_t e = 0; e < table->num_ratings; e++)
    sum += table->values[e];
  return table->num_ratings ? sum / (double)table->num_ratings : 0;
}

void dorm__order_by(size_t count, size_t num_keys, const uint32_t *keys, size_t *start, size_t *order)
{
  memset(start, 0, (num_keys + 1) * sizeof *start);
  for (size_t k = 0; k < count; k++)
    start[keys[k] + 1]++;
  add_up(num_keys, start);
  for (size_t k = 0; k < count; k++)
    order[start[keys[k]]++] = k;
  shift_back(num_keys, start);
}

/* ---- The public handle ------------------------------------------------------- */

dorm_status dorm__ratings_check_numbers(dorm_context *context, const dorm_ratings *training, const dorm_ratings *other)
{
  if (other &&
      (other->table.num_users != training->table.num_users || other->table.num_items != training->table.num_items))
    return dorm__fail(context, DORM_BAD_USAGE,
                      "%s: these ratings number users and items otherwise than the training ratings; read or split "
                      "both together",
                      other->name);
  return DORM_OK;
}

dorm_status dorm__ratings_new(dorm_context *context, const char *name, const dorm__id_table *users,
                              const dorm__id_table *items, size_t count, const dorm__rating *ratings,
                              dorm_ratings **made)
{
  *made = NULL;
  dorm_ratings *fresh = dorm__alloc_zero(1, sizeof *fresh);
  bool is_whole = fresh && (fresh->name = dorm__copy_text(name)) && dorm__id_table_copy(users, &fresh->users) &&
                  dorm__id_table_copy(items, &fresh->items) &&
                  dorm__rating_table_new(users->count, items->count, count, ratings, &fresh->table);
  return DORM__GIVE(is_whole ? DORM_OK : dorm__out_of_memory(context, "ratings"), made, fresh, dorm_ratings_free);
}

void dorm_ratings_free(dorm_ratings *ratings)
{
  if (!ratings)
    return;
  dorm__free(ratings->name);
  dorm__id_table_clear(&ratings->users);
  dorm__id_table_clear(&ratings->items);
  dorm__rating_table_clear(&ratings->table);
  dorm__free(ratings);
}

size_t dorm_ratings_num_users(const dorm_ratings *ratings)
{
  return ratings ? ratings->users.count : 0;
}

size_t dorm_ratings_num_items(const dorm_ratings *ratings)
{
  return ratings ? ratings->items.count : 0;
}

size_t dorm_ratings_count(const dorm_ratings *ratings)
{
  return ratings ? ratings->table.num_ratings : 0;
}

size_t dorm_ratings_user_count(const dorm_ratings *ratings, size_t user)
{
  if (user >= dorm_ratings_num_users(ratings))
    return 0;
  return ratings->table.user_start[user + 1] - ratings->table.user_start[user];
}

const char *dorm_ratings_user_id(const dorm_ratings *ratings, size_t user)
{
  return user < dorm_ratings_num_users(ratings) ? dorm__id_table_text(&ratings->users, user) : NULL;
}

const char *dorm_ratings_item_id(const dorm_ratings *ratings, size_t item)
{
  return item < dorm_ratings_num_items(ratings) ? dorm__id_table_text(&ratings->items, item) : NULL;
}

/* ---- Lists ------------------------------------------------------------------------------------- */

/* Data sets whose queries are users and whose documents are items. */

size_t dorm__rating_users(const dorm__rating_table *table, const dorm__rating_table *only, uint32_t *users,
                          size_t *start)
{
  size_t count = 0;
  start[0] = 0;
  for (size_t u = 0; u < table->num_users; u++) {
    size_t here = table->user_start[u + 1] - table->user_start[u];
    if (!here || (only && only->user_start[u] == only->user_start[u + 1]))
      continue;
    users[count++] = (uint32_t)u;
    start[count] = start[count - 1] + here;
  }
  return count;
}

static size_t texts_size(const dorm_ratings *ratings, const dorm__rating_lists *lists)
{
  size_t size = 1;
  for (size_t q = 0; q < lists->num_queries; q++)
    size += 1 + strlen(dorm__id_table_text(&ratings->users, lists->users[q]));
  for (size_t j = 0; j < lists->start[lists->num_queries]; j++)
    size += 1 + strlen(dorm__id_table_text(&ratings->items, lists->items[j]));
  return size;
}

dorm_status dorm__rating_dataset(dorm_context *context, const dorm_ratings *ratings, const dorm__rating_lists *lists,
                                 size_t num_features, dorm_dataset **dataset)
{
  dorm_dataset *made = NULL;
  size_t offset = 1;
  dorm_status status = dorm__dataset_new(context, ratings->name, lists->start[lists->num_queries], lists->num_queries,
                                         num_features, texts_size(ratings, lists), &made);
  if (status != DORM_OK)
    return status;
  for (size_t f = 0; f < num_features; f++)
    made->feature_ids[f] = f + 1;
  for (size_t q = 0; q < lists->num_queries; q++) {
    made->query_start[q + 1] = lists->start[q + 1];
    made->query_texts[q] = dorm__dataset_put_text(made, &offset, dorm__id_table_text(&ratings->users, lists->users[q]));
    for (size_t j = lists->start[q]; j < lists->start[q + 1]; j++) {
      made->doc_texts[j] = dorm__dataset_put_text(made, &offset, dorm__id_table_text(&ratings->items, lists->items[j]));
      made->labels[j] = lists->labels ? lists->labels[j] : 0;
    }
  }
  *dataset = made;
  return DORM_OK;
}
