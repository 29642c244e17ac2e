/* rating_table.h: parts of tables of ratings, and the public handle around a table. */
#ifndef DORM_COLLABORATIVE_RATINGS_RATING_TABLE_H
#define DORM_COLLABORATIVE_RATINGS_RATING_TABLE_H

#include "base/base.h"
#include "collaborative/ratings/ratings.h"

/* Makes a table of the ratings e with keep[e] == wanted. Users and items keep their numbers. Returns false when out of
 * memory. */
bool dorm__rating_table_select(const dorm__rating_table *table, const uint8_t *keep, uint8_t wanted,
                               dorm__rating_table *selected);
double dorm__rating_table_mean(const dorm__rating_table *table);
/* Sorts the numbers 0 .. count - 1 by keys[count] < num_keys, stably. The ratings of key k are order[start[k]] ..
 * order[start[k + 1] - 1]. start [num_keys + 1], order [count]. */
void dorm__order_by(size_t count, size_t num_keys, const uint32_t *keys, size_t *start, size_t *order);

/* Makes a handle. Copies ids and ratings. */
dorm_status dorm__ratings_new(dorm_context *context, const char *name, const dorm__id_table *users,
                              const dorm__id_table *items, size_t count, const dorm__rating *ratings,
                              dorm_ratings **made);

/* ---- Side file --------------------------------------------------------------------------------- */

/* Attributes of users, or of items: tags and numbers, as sparse rows. */
struct dorm_attributes {
  char *name;
  dorm__id_table ids;      /* of the lines: users or items */
  dorm__id_table features; /* "tag" for a tag, "name:" for a number */
  size_t num_entries;
  size_t *line_start; /* [ids.count + 1], into indices and values */
  uint32_t *indices;  /* [num_entries], of features */
  double *values;     /* [num_entries], 1 for a tag */
};

/* Rows of numbers, [count][width], row-major. */
typedef struct dorm__rows {
  size_t count;
  size_t width;
  double *values;
} dorm__rows;

/* Makes a row for each id of the table. A tag is 1 / sqrt(number of tags of the line). A number has mean 0 and variance
 * 1 over the lines that have it. Missing entries are 0, and so is the row of an id without a line. If `side` is NULL,
 * the rows have width 0. Returns false when out of memory. */
bool dorm__side_rows(const dorm_attributes *side, const dorm__id_table *ids, dorm__rows *rows);
void dorm__rows_clear(dorm__rows *rows);

#endif
