/* workspace.h: the scratch space of one thread, shared by all methods in turn, and the counts of its calls. */
#ifndef DORM_ASSIGNMENT_WORKSPACE_H
#define DORM_ASSIGNMENT_WORKSPACE_H

#include "assignment/assignment.h"
#include "assignment/groups/groups.h"
#include "assignment/plan.h"
#include "assignment/runs/runs.h"
#include "base/sort.h"

enum { DORM__MOST_SWEEPS = 3000 };

struct dorm__oracle_workspace {
  size_t max_docs;
  size_t most_sweeps; /* a merge of runs or a search for moves gives up after so many, for shortest paths */
  bool is_checking;
  dorm__oracle_counts counts;
  unsigned char *memory; /* holds all arrays of all methods */
  double *keys;          /* [max_docs] */
  uint32_t *docs;        /* [max_docs] sorted, and their scores */
  double *scores;
  dorm__sort_scratch sort;
  dorm__merge_scratch merge;
  dorm__moves_scratch moves;
  dorm__shortest_path_scratch shortest_path;
  dorm__hungarian_scratch hungarian;
  dorm__group_scratch groups;
  double excess;
  dorm_status failed; /* the status of `failure` */
  char failure[DORM__FAILURE_SIZE];
};

#endif
