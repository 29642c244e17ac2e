/* rating_table.h: what rating_table.c offers to the other files of this folder. */
#ifndef DORM_COLLABORATIVE_RATINGS_RATING_TABLE_H
#define DORM_COLLABORATIVE_RATINGS_RATING_TABLE_H

#include "base/base.h"
#include "collaborative/ratings/ratings.h"

/* The ratings e with keep[e] == wanted. */
bool dorm__rating_table_select(const dorm__rating_table *table, const uint8_t *keep, uint8_t wanted,
                               dorm__rating_table *selected);
double dorm__rating_table_mean(const dorm__rating_table *table);
/* users[e] of rating e; [num_ratings]. */
void dorm__rating_table_users(const dorm__rating_table *table, uint32_t *users);
/* Numbers 0 .. count - 1 by their keys < num_keys, equal keys in order: those of
 * key k are order[start[k]] .. order[start[k + 1] - 1]. */
void dorm__order_by(size_t count, size_t num_keys, const uint32_t *keys, size_t *start, size_t *order);

/* Takes the ratings; the ids are copied. */
dorm_status dorm__ratings_new(dorm_context *context, const char *name, const dorm__id_table *users,
                              const dorm__id_table *items, size_t count, const dorm__rating *ratings,
                              dorm_ratings **made);

#endif
