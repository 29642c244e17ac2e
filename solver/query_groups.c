/* query_groups.c: the groups of one query's documents, in the arrays that the oracle takes (the paper, section 5.1). */
#include "assignment/assignment.h"
#include "data/data.h"
#include "solver/solver.h"

#include <stdlib.h>

typedef struct group_member {
  uint32_t group, doc;
  double weight;
} group_member;

static int compare_members(const void *x, const void *y)
{
  const group_member *one = x;
  const group_member *two = y;
  if (one->group != two->group)
    return one->group < two->group ? -1 : 1;
  return (one->doc > two->doc) - (one->doc < two->doc);
}

void dorm__query_groups_clear(dorm__query_groups *made)
{
  dorm__free(made->start);
  dorm__free(made->docs);
  dorm__free(made->weights);
  *made = (dorm__query_groups){0};
}

dorm_status dorm__query_groups_make(dorm_context *context, const dorm_dataset *dataset, size_t query,
                                    const dorm__diversity *diversity, dorm__query_groups *made)
{
  const dorm__doc_lists *lists = dataset->groups;
  size_t first = dataset->query_start[query], end = dataset->query_start[query + 1];
  size_t count = lists->start[end] - lists->start[first];
  group_member *members = dorm__alloc(count, sizeof *members);
  *made = (dorm__query_groups){.start = dorm__alloc(count + 1, sizeof *made->start),
                               .docs = dorm__alloc(count, sizeof *made->docs),
                               .weights = dorm__alloc(count, sizeof *made->weights)};
  if (!members || !made->start || !made->docs || !made->weights) {
    dorm__free(members);
    dorm__query_groups_clear(made);
    return dorm__out_of_memory(context, "groups");
  }
  for (size_t j = first, i = 0; j < end; j++)
    for (size_t e = lists->start[j]; e < lists->start[j + 1]; e++)
      members[i++] = (group_member){lists->numbers[e], (uint32_t)(j - first), lists->weights[e]};
  qsort(members, count, sizeof *members, compare_members);
  size_t num_groups = 0, kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (i && compare_members(&members[i], &members[i - 1]) == 0)
      continue;
    if (!i || members[i].group != members[i - 1].group)
      made->start[num_groups++] = (uint32_t)kept;
    made->docs[kept] = members[i].doc;
    made->weights[kept++] = members[i].weight;
  }
  made->start[num_groups] = (uint32_t)kept;
  dorm__free(members);
  made->groups = (dorm__oracle_groups){.top = diversity->top,
                                       .capacity = diversity->capacity,
                                       .num_groups = num_groups,
                                       .start = made->start,
                                       .docs = made->docs,
                                       .weights = made->weights};
  return DORM_OK;
}
