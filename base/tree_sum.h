/* tree_sum.h: sums of many large vectors by one tree, which depends on their number alone, whoever has which of them.
 *
 * Vectors 2i and 2i + 1 are added, then the sums 2i and 2i + 1 of these, and so on; what is left over at the end is
 * added from the last to the first. Of a run of vectors only those sums are kept whose sibling is in another run, at
 * most two for each level, so that n vectors take the memory of 2 log2 n. */
#ifndef DORM_BASE_TREE_SUM_H
#define DORM_BASE_TREE_SUM_H

#include <stddef.h>

enum { DORM__TREE_SUM_PARTS = 128 }; /* two for each bit of a size_t */

/* The sums of a run of vectors, from left to right: each is of 2^level vectors. All zero but for width and next, it is
 * empty. */
typedef struct dorm__tree_sum {
  size_t width; /* numbers of a vector */
  size_t next;  /* the vector that comes next, counted from that of the first run */
  size_t count;
  unsigned level[DORM__TREE_SUM_PARTS];
  double *part[DORM__TREE_SUM_PARTS]; /* [width] each, owned */
} dorm__tree_sum;

/* Adds a sum of 2^level vectors, which become owned, at the end; level is 0 for a vector. */
void dorm__tree_sum_push(dorm__tree_sum *sum, unsigned level, double *values);
/* Adds the run that follows, which becomes empty. */
void dorm__tree_sum_join(dorm__tree_sum *sum, dorm__tree_sum *following);
/* The sum of all, 0 where there are none, into values [width]. */
void dorm__tree_sum_total(const dorm__tree_sum *sum, double *values);
void dorm__tree_sum_clear(dorm__tree_sum *sum);

#endif
