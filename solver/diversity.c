/*
 * diversity.c: training with groups (the paper, section 5.1).
 *
 * Every maximum over rankings becomes one over the feasible ones: the plans of
 * the queries get the groups, and the least cost of a ranking, which Delta is
 * measured from, that of a feasible one.
 */
#include "assignment/assignment.h"
#include "data/data.h"
#include "losses/losses.h"
#include "settings/settings.h"
#include "solver/problem.h"
#include "solver/solver.h"

#include <stdlib.h>
#include <string.h>

enum { DEFAULT_TOP = 10 };

static dorm__group_method method_from(const char *word)
{
  for (size_t i = 0; i < DORM__NUM_GROUP_METHODS; i++)
    if (strcmp(word, dorm__group_method_name((dorm__group_method)i)) == 0)
      return (dorm__group_method)i;
  return DORM__GROUPS_AUTO;
}

dorm__diversity dorm__diversity_from(const dorm_settings *settings, size_t truncation)
{
  bool is_auto = dorm__settings_is_auto(settings, DORM__DIVERSITY_TOP);
  return (dorm__diversity){
      .is_on = strcmp(dorm__settings_text(settings, DORM__DIVERSITY_GROUPS), "none") != 0,
      .top = !is_auto     ? dorm__settings_integer(settings, DORM__DIVERSITY_TOP)
             : truncation ? truncation
                          : DEFAULT_TOP,
      .capacity = dorm__settings_number(settings, DORM__DIVERSITY_CAPACITY),
      .method = method_from(dorm__settings_text(settings, DORM__DIVERSITY_ORACLE)),
      .seconds = dorm__settings_number(settings, DORM__DIVERSITY_TIME_LIMIT),
  };
}

/* ---- The groups of a query ------------------------------------------------------- */

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

/* ---- Training --------------------------------------------------------------------- */

dorm_status dorm__problem_diversify(dorm_context *context, dorm__problem *problem, const dorm__diversity *diversity,
                                    size_t *num_short)
{
  const dorm_dataset *dataset = problem->dataset;
  *num_short = 0;
  if (!dataset->groups)
    return dorm__fail(context, DORM_BAD_USAGE, "%s: diversity.groups is set, but the data have no groups",
                      dataset->name);
  problem->groups = dorm__alloc_zero(problem->num_queries, sizeof *problem->groups);
  if (!problem->groups)
    return dorm__out_of_memory(context, "groups");
  for (size_t i = 0; i < problem->num_queries; i++) {
    if (dorm__problem_loss(problem, i)->structured)
      return dorm__fail(context, DORM_BAD_USAGE,
                        "diversity.groups: this loss is of no ranking by positions; name another");
    size_t query = problem->queries[i], num_docs = dorm__problem_loss(problem, i)->num_docs;
    dorm__query_groups *made = &problem->groups[i];
    size_t top = diversity->top < num_docs ? diversity->top : num_docs;
    size_t asked = top;
    dorm_status status = dorm__query_groups_make(context, dataset, query, diversity, made);
    if (status == DORM_OK)
      status = dorm__oracle_plan_add_groups(context, problem->plans[i], &made->groups, diversity->method,
                                            diversity->seconds, &top);
    if (status != DORM_OK)
      return status == DORM_OUT_OF_MEMORY ? status
                                          : dorm__fail_within(context, status, "%.200s: query %.80s", dataset->name,
                                                              dorm_dataset_query_id(dataset, query));
    made->groups.top = top;
    *num_short += top < asked;
    if (dorm__oracle_plan_groups(problem->plans[i]))
      status = dorm__problem_set_minimum(context, problem, i);
    if (status != DORM_OK)
      return status;
  }
  return DORM_OK;
}
