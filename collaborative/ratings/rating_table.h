/* rating_table.h: parts of tables of ratings, and the public handle around a table. */
#ifndef DORM_COLLABORATIVE_RATINGS_RATING_TABLE_H
#define DORM_COLLABORATIVE_RATINGS_RATING_TABLE_H

#include "base/base.h"
#include "collaborative/ratings/ratings.h"

/* A table of the ratings e with keep[e] == wanted; users and items keep their numbers. False when out of memory. */
bool dorm__rating_table_select(const dorm__rating_table *table, const uint8_t *keep, uint8_t wanted,
                               dorm__rating_table *selected);
double dorm__rating_table_mean(const dorm__rating_table *table);
/* Orders the numbers 0 .. count - 1 by keys[count] < num_keys, numbers of equal keys increasing: the ratings of key k
 * are order[start[k]] .. order[start[k + 1] - 1]. start [num_keys + 1], order [count]. */
void dorm__order_by(size_t count, size_t num_keys, const uint32_t *keys, size_t *start, size_t *order);

/* Ids and ratings are copied. */
dorm_status dorm__ratings_new(dorm_context *context, const char *name, const dorm__id_table *users,
                              const dorm__id_table *items, size_t count, const dorm__rating *ratings,
                              dorm_ratings **made);

/* ---- Side file --------------------------------------------------------------------------------- */

/* Attributes of users, or of items: tags and numbers, as sparse rows. */
struct dorm_attributes {
  char *name;
  dorm__id_table ids;      /* of the lines: users or items */
  dorm__id_table features; /* A tag is written as "tag", a number as "name:". */
  size_t num_entries;
  size_t *line_start; /* [ids.count + 1], into indices and values */
  uint32_t *indices;  /* [num_entries], of features */
  double *values;     /* [num_entries]; 1 for a tag */
};

/* Rows of numbers, [count][width], row-major. */
typedef struct dorm__rows {
  size_t count;
  size_t width;
  double *values;
} dorm__rows;

/* Makes a row for each id of the table: a tag is 1 / sqrt(number of tags of the line), a number has mean 0 and
 * variance 1 over the lines that have it, and what is missing is 0; an id without a line has a row of 0. If `side` is
 * NULL, the rows have width 0. False when out of memory. */
bool dorm__side_rows(const dorm_attributes *side, const dorm__id_table *ids, dorm__rows *rows);
void dorm__rows_clear(dorm__rows *rows);

#endif
