/* side_file.h: attributes of users, or of items, as read and as rows of numbers. */
#ifndef DORM_COLLABORATIVE_RATINGS_SIDE_FILE_H
#define DORM_COLLABORATIVE_RATINGS_SIDE_FILE_H

#include "base/base.h"
#include "collaborative/ratings/ratings.h"

/* Attributes of users, or of items: tags and numbers, as sparse rows. */
struct dorm_side {
  char *name;
  dorm__id_table ids;      /* of the lines: users or items */
  dorm__id_table features; /* A tag stands as "tag", a number as "name:". */
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

/* Makes a row for each id of the table: a tag is 1 / sqrt(number of tags of the line), a number has mean 0 and variance
 * 1 over the lines that have it, and what is missing is 0; an id without a line has a row of 0. Where `side` is NULL
 * the rows have width 0. False when out of memory. */
bool dorm__side_rows(const dorm_side *side, const dorm__id_table *ids, dorm__rows *rows);
void dorm__rows_clear(dorm__rows *rows);

#endif
