/*
 * vectors.c: computes the rows that describe items and users in the ridge regressions. A and G are the attributes of
 * users and of items, made by dorm__side_rows. "mean" is the mean over the training ratings, n the number of ratings,
 * and U and V are the rows of the factorisation.
 *
 *   content[i] = (side_scale G[i], popularity_scale log(1 + n_i))
 *   items[i]   = (content[i], raters_scale sum over raters (A[u] - mean) / (n_i + count_shrinkage), V[i])
 *   users[u]   = (user_side_scale A[u], sum over rated items (content[i] - mean) / (n_u + count_shrinkage),
 *                 user_factor_scale U[u])
 *
 * Every entry is centred by its mean over the training ratings. A scale is the prior standard deviation of the weights
 * of its entries, because all entries share one ridge.
 */
#include "collaborative/ratings/fit.h"
#include "collaborative/ratings/ratings.h"

#include <math.h>
#include <string.h>

/* Each comment has the changes of NDCG@10 on splits 101 to 103 of MovieLens 100K if the constant is halved, and if it
 * is doubled. The first pair is for `bias` and the affinities that use the constant, the second pair for all features
 * (experiments/defaults/rating-constants.tsv). */
static const double side_scale = 0.5;        /* -0.0006, -0.0009; -0.0015, -0.0011 */
static const double popularity_scale = 0.3;  /* -0.0011, -0.0003; -0.0006, +0.0004 */
static const double raters_scale = 0.5;      /* -0.0006, -0.0015; +0.0003, -0.0001 */
static const double user_side_scale = 0.15;  /* -0.0012, -0.0014; +0.0003, -0.0001 */
static const double user_factor_scale = 0.1; /* -0.0011, -0.0001; +0.0004, -0.0001 */
static const double count_shrinkage = 3;     /* in ratings: -0.0004, -0.0000; +0.0001, +0.0001 */

void dorm__vectors_clear(dorm__vectors *vectors)
{
  dorm__rows_clear(&vectors->items);
  dorm__rows_clear(&vectors->users);
  dorm__free(vectors->log_popularity);
  *vectors = (dorm__vectors){0};
}

/* Subtracts from the entries first .. end - 1 of every row their means over the ratings. The number of ratings of row i
 * is start[i + 1] - start[i]. */
static void centre(dorm__rows *rows, const size_t *start, size_t first, size_t end)
{
  size_t total = start[rows->count];
  for (size_t f = first; f < end; f++) {
    double sum = 0;
    for (size_t i = 0; i < rows->count; i++)
      sum += (double)(start[i + 1] - start[i]) * rows->values[i * rows->width + f];
    for (size_t i = 0; total && i < rows->count; i++)
      rows->values[i * rows->width + f] -= sum / (double)total;
  }
}

static void fill_content(const dorm__rating_table *table, const dorm__rows *side, dorm__vectors *vectors)
{
  dorm__rows *items = &vectors->items;
  for (size_t i = 0; i < table->num_items; i++) {
    double *row = items->values + i * items->width;
    for (size_t f = 0; f < side->width; f++)
      row[f] = side_scale * side->values[i * side->width + f];
    vectors->log_popularity[i] = log(1 + (double)(table->item_start[i + 1] - table->item_start[i]));
    row[side->width] = popularity_scale * vectors->log_popularity[i];
  }
  centre(items, table->item_start, 0, vectors->num_item_content);
}

/* Fills in the centred attributes of users, and their shrunk mean over the raters of each item. */
static void fill_raters(const dorm__rating_table *table, const dorm__rows *side, dorm__vectors *vectors)
{
  dorm__rows *users = &vectors->users;
  dorm__rows *items = &vectors->items;
  for (size_t u = 0; u < table->num_users; u++)
    for (size_t f = 0; f < side->width; f++)
      users->values[u * users->width + f] = user_side_scale * side->values[u * side->width + f];
  centre(users, table->user_start, 0, side->width);
  for (size_t i = 0; i < table->num_items; i++) {
    double *row = items->values + i * items->width + vectors->num_item_content;
    double count = (double)(table->item_start[i + 1] - table->item_start[i]);
    for (size_t k = table->item_start[i]; k < table->item_start[i + 1]; k++)
      for (size_t f = 0; f < side->width; f++)
        row[f] += raters_scale / user_side_scale * users->values[table->users[k] * users->width + f] /
                  (count + count_shrinkage);
  }
}

/* Fills in the shrunk mean content of the items that each user has rated. */
static void fill_rated(const dorm__rating_table *table, size_t side_width, dorm__vectors *vectors)
{
  dorm__rows *users = &vectors->users;
  const dorm__rows *items = &vectors->items;
  for (size_t u = 0; u < table->num_users; u++) {
    double *row = users->values + u * users->width + side_width;
    double count = (double)(table->user_start[u + 1] - table->user_start[u]);
    for (size_t e = table->user_start[u]; e < table->user_start[u + 1]; e++)
      for (size_t f = 0; f < vectors->num_item_content; f++)
        row[f] += items->values[table->items[e] * items->width + f] / (count + count_shrinkage);
  }
}

static void fill_factors(const dorm__factorisation *factors, dorm__vectors *vectors)
{
  size_t rank = factors->rank;
  for (size_t i = 0; rank && i < vectors->items.count; i++)
    memcpy(vectors->items.values + (i + 1) * vectors->items.width - rank, factors->item + i * rank,
           rank * sizeof(double));
  for (size_t u = 0; u < vectors->users.count; u++)
    for (size_t k = 0; k < rank; k++)
      vectors->users.values[(u + 1) * vectors->users.width - rank + k] =
          user_factor_scale * factors->user[u * rank + k];
}

bool dorm__vectors_new(const dorm__rating_table *table, const dorm__rows *user_side, const dorm__rows *item_side,
                       const dorm__factorisation *factors, dorm__vectors *vectors)
{
  *vectors = (dorm__vectors){0};
  vectors->num_item_content = item_side->width + 1;
  vectors->num_user_content = user_side->width + vectors->num_item_content;
  vectors->items =
      (dorm__rows){.count = table->num_items, .width = vectors->num_item_content + user_side->width + factors->rank};
  vectors->users = (dorm__rows){.count = table->num_users, .width = vectors->num_user_content + factors->rank};
  vectors->items.values = dorm__alloc_zero(vectors->items.count, vectors->items.width * sizeof(double));
  vectors->users.values = dorm__alloc_zero(vectors->users.count, vectors->users.width * sizeof(double));
  vectors->log_popularity = dorm__alloc(table->num_items, sizeof *vectors->log_popularity);
  if (!vectors->items.values || !vectors->users.values || !vectors->log_popularity) {
    dorm__vectors_clear(vectors);
    return false;
  }
  fill_content(table, item_side, vectors);
  fill_raters(table, user_side, vectors);
  fill_rated(table, user_side->width, vectors);
  fill_factors(factors, vectors);
  centre(&vectors->items, table->item_start, vectors->num_item_content, vectors->items.width);
  centre(&vectors->users, table->user_start, user_side->width, vectors->users.width);
  return true;
}
