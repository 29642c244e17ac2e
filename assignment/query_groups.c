/* query_groups.c: converts lists of groups per document to the arrays per group that the oracle takes. */
#include "assignment/assignment.h"

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

dorm_status dorm__query_groups_make(dorm_context *context, size_t num_docs, const dorm__group_entries *entries,
                                    size_t top, double capacity, dorm__query_groups *made)
{
  size_t count = entries->start[num_docs] - entries->start[0];
  group_member *members = dorm__alloc(count, sizeof *members);
  *made = (dorm__query_groups){.start = dorm__alloc(count + 1, sizeof *made->start),
                               .docs = dorm__alloc(count, sizeof *made->docs),
                               .weights = dorm__alloc(count, sizeof *made->weights)};
  if (!members || !made->start || !made->docs || !made->weights) {
    dorm__free(members);
    dorm__query_groups_clear(made);
    return dorm__out_of_memory(context, "groups");
  }
  for (size_t j = 0, i = 0; j < num_docs; j++)
    for (size_t e = entries->start[j]; e < entries->start[j + 1]; e++)
      members[i++] = (group_member){entries->numbers[e], (uint32_t)j, entries->weights[e]};
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
  made->groups = (dorm__oracle_groups){.top = top,
                                       .capacity = capacity,
                                       .num_groups = num_groups,
                                       .start = made->start,
                                       .docs = made->docs,
                                       .weights = made->weights};
  return DORM_OK;
}
