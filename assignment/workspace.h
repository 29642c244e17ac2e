/* workspace.h: what workspace.c offers to the other files of this folder. */
#ifndef DORM_ASSIGNMENT_WORKSPACE_H
#define DORM_ASSIGNMENT_WORKSPACE_H

#include "assignment/assignment.h"
#include "assignment/groups/groups.h"
#include "assignment/groups/programme.h"
#include "assignment/hungarian.h"
#include "assignment/runs/runs.h"
#include "assignment/shortest_path.h"
#include "base/base.h"
#include "base/sort.h"

/* Sweeps of cycle cancelling that a merge of runs may take before shortest paths
 * replace it; only tests change it. */
void dorm__oracle_workspace_set_most_sweeps(dorm__oracle_workspace *workspace, size_t most_sweeps);

/* ---- plan.c ------------------------------------------------------------- */

struct dorm__oracle_workspace {
  size_t max_docs;
  size_t most_sweeps;
  bool is_checking;
  dorm__oracle_counts counts;
  unsigned char *block; /* all arrays of all methods, which use it in turns */
  double *keys;         /* [max_docs] */
  uint32_t *docs;       /* [max_docs], and their scores, sorted */
  double *scores;
  dorm__sort_scratch sort;
  dorm__merge_scratch merge;
  dorm__shortest_path_scratch shortest_path;
  dorm__hungarian_scratch hungarian;
  dorm__group_scratch groups;
  double excess;
  dorm_status failed; /* what `failure` is about */
  char failure[DORM__FAILURE_SIZE];
};

#endif
