/* side_file.h: what side_file.c offers to the other files of this folder. */
#ifndef DORM_COLLABORATIVE_RATINGS_SIDE_FILE_H
#define DORM_COLLABORATIVE_RATINGS_SIDE_FILE_H

#include "base/base.h"
#include "collaborative/ratings/ratings.h"

/* What is known of users, or of items: tags and numbers. */
struct dorm_side {
  char *name;
  dorm__id_table ids;      /* of the lines */
  dorm__id_table features; /* tags "tag", numbers "number:" */
  size_t num_entries;
  size_t *line_start; /* [ids.count + 1] */
  uint32_t *columns;  /* [num_entries] */
  double *values;     /* [num_entries]; 1 for tags */
};

/* Rows of numbers, [count][width], row-major. */
typedef struct dorm__rows {
  size_t count;
  size_t width;
  double *values;
} dorm__rows;

/* A row for each id of the table: tags as 1 / sqrt(number of tags of the line),
 * numbers with mean 0 and variance 1 over the lines; 0 for what is missing and
 * for ids without a line. NULL gives rows of width 0. */
bool dorm__side_rows(const dorm_side *side, const dorm__id_table *ids, dorm__rows *rows);
void dorm__rows_clear(dorm__rows *rows);

#endif
