/* merge_chains.h: the greedy merge of long runs, several stretches of it at a time. */
#ifndef DORM_ASSIGNMENT_RUNS_MERGE_CHAINS_H
#define DORM_ASSIGNMENT_RUNS_MERGE_CHAINS_H

#include "assignment/runs/merge.h"
#include "base/base.h"
#include "base/lanes.h"

enum { DORM__MOST_CHAIN_RUNS = 8 };

/* What the chains found: the i-th of them covers positions i length .. (i + 1) length - 1. */
typedef struct dorm__chains {
  size_t length;
  uint32_t start[DORM__LANES][DORM__MOST_LEVELS]; /* documents of each run before a chain */
  uint32_t end[DORM__LANES][DORM__MOST_LEVELS];   /* and after it */
  bool is_nested[DORM__LANES]; /* the documents up to each position were the best set of their number */
} dorm__chains;

/* Fills the sequence from 0 to DORM__LANES length - 1, where length = (count - 1) / DORM__LANES > 0. There are at most
 * DORM__MOST_CHAIN_RUNS runs; all their documents are known, and the runs stand one after the other in `scores`. A
 * chain begins with the best set of its number for the position before it; the first and the last quarter are selected
 * within and around the first half, as nested sets are. Where a chain does not begin with the documents that the one
 * before ends with, the merge from there on is not the greedy one. */
void dorm__merge_chains(dorm__merge *merge, const double *scores, dorm__chains *chains);

#endif
