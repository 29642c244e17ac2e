/*
 * diversity.c: training and prediction with groups (the paper, section 5.1).
 *
 * In training every maximum over rankings becomes one over the feasible ones:
 * the plans of the queries get the groups, and the least cost of a ranking,
 * which Delta is measured from, that of a feasible one. At prediction the best
 * of each group come first, up to the capacity, the rest behind; for groups
 * that overlap it is the feasible ranking of largest sum_p c[p] g.
 */
#include "solver/diversity.h"
#include "assignment/assignment.h"
#include "data/data.h"
#include "losses/losses.h"
#include "settings/settings.h"
#include "solver/problem.h"
#include "solver/solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_TOP = 10 };

/* Of the range of a query's scores: by how much a document that falls back is
 * put below the one before it, so that single precision still tells. */
static const double score_step = 1e-6;

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

static dorm_status name_query(dorm_context *context, dorm_status status, const dorm_dataset *dataset, size_t query)
{
  char message[DORM__MESSAGE_SIZE];
  memcpy(message, context->message, sizeof message);
  return status == DORM_OUT_OF_MEMORY ? status
                                      : dorm__fail(context, status, "%.200s: query %.80s: %.700s", dataset->name,
                                                   dorm_dataset_query_id(dataset, query), message);
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
      return name_query(context, status, dataset, query);
    made->groups.top = top;
    *num_short += top < asked;
    if (dorm__oracle_plan_groups(problem->plans[i], NULL))
      status = dorm__problem_set_minimum(context, problem, i);
    if (status != DORM_OK)
      return status;
  }
  return DORM_OK;
}

/* ---- Prediction --------------------------------------------------------------------- */

/* Tables of a ranking of largest sum_p c[p] g. */
typedef struct prediction {
  const dorm_dataset *dataset;
  dorm__diversity diversity;
  dorm__oracle_workspace *workspace;
  double *c;       /* [max_docs] by the settings */
  double *falling; /* [max_docs] all different */
  double *zero;    /* [max_docs] */
  double *flat;    /* [max_docs] c, constant from the top on */
  uint32_t *order; /* [max_docs] */
} prediction;

/* The documents behind `top`, by falling score: a programme leaves them in any order. */
static void sort_behind(size_t top, size_t num_docs, const double *scores, uint32_t *order)
{
  for (size_t p = top + 1; p < num_docs; p++) {
    uint32_t doc = order[p];
    size_t at = p;
    for (; at > top && scores[order[at - 1]] < scores[doc]; at--)
      order[at] = order[at - 1];
    order[at] = doc;
  }
}

static dorm_status rank_query(dorm_context *context, const prediction *made, size_t query, const double *scores)
{
  dorm__query_groups groups;
  dorm__oracle_plan *plan = NULL;
  size_t num_docs = made->dataset->query_start[query + 1] - made->dataset->query_start[query];
  size_t top = made->diversity.top < num_docs ? made->diversity.top : num_docs;
  dorm_status status = dorm__query_groups_make(context, made->dataset, query, &made->diversity, &groups);
  if (status != DORM_OK)
    return status;
  bool is_disjoint = false;
  status = dorm__groups_are_disjoint(context, &groups.groups, num_docs, &is_disjoint);
  for (size_t p = 0; p < num_docs; p++)
    made->flat[p] = p < top ? made->c[p] : top < num_docs ? made->c[top] : 0;
  groups.groups.top = is_disjoint ? num_docs : top; /* all groups before any repeats */
  const double *c = is_disjoint ? made->falling : made->flat;
  if (status == DORM_OK)
    status = dorm__oracle_plan_new(context, DORM__ORACLE_AUTO, num_docs, c, made->zero, c, &plan);
  if (status == DORM_OK)
    status = dorm__oracle_plan_add_groups(context, plan, &groups.groups,
                                          is_disjoint ? DORM__GROUPS_SHORTCUT : DORM__GROUPS_AUTO,
                                          made->diversity.seconds, &top);
  if (status == DORM_OK) {
    status = dorm__oracle_solve(plan, made->workspace, scores, 0, made->order, NULL);
    dorm_status failed;
    const char *failure = dorm__oracle_failure(made->workspace, &failed);
    if (status != DORM_OK)
      dorm__fail(context, status, "%s", status == failed ? failure : "the scores left the range of numbers");
    else if (!is_disjoint)
      sort_behind(top, num_docs, scores, made->order);
  }
  dorm__oracle_plan_free(plan);
  dorm__query_groups_clear(&groups);
  return status == DORM_OK ? DORM_OK : name_query(context, status, made->dataset, query);
}

/* Scores that fall along the order. */
static void write_scores(const prediction *made, size_t num_docs, const double *scores, double *diverse)
{
  double least = INFINITY, most = -INFINITY, before = INFINITY;
  for (size_t j = 0; j < num_docs; j++) {
    least = fmin(least, scores[j]);
    most = fmax(most, scores[j]);
  }
  double step = score_step * (most > least ? most - least : fmax(1, fabs(most)));
  for (size_t p = 0; p < num_docs; p++) {
    uint32_t doc = made->order[p];
    before = diverse[doc] = scores[doc] < before ? scores[doc] : before - step;
  }
}

static dorm_status predict_all(dorm_context *context, const prediction *made, const double *scores, double *diverse)
{
  const dorm_dataset *dataset = made->dataset;
  for (size_t q = 0; q < dataset->num_queries; q++) {
    size_t first = dataset->query_start[q], num_docs = dataset->query_start[q + 1] - first;
    dorm_status status = rank_query(context, made, q, scores + first);
    if (status != DORM_OK)
      return status;
    write_scores(made, num_docs, scores + first, diverse + first);
  }
  return DORM_OK;
}

/* The truncation of the loss in the settings, 0: none. */
static dorm_status find_truncation(dorm_context *context, const dorm_settings *settings, size_t *truncation)
{
  char *spec = NULL;
  dorm__loss *loss = NULL;
  *truncation = 0;
  if (!dorm__settings_is_auto(settings, DORM__DIVERSITY_TOP) ||
      *dorm__settings_text(settings, DORM__LOSS_MODULE)) /* modules are opened for training alone */
    return DORM_OK;
  if (!dorm__settings_is_auto(settings, DORM__LOSS_TRUNCATION)) {
    *truncation = (size_t)dorm__settings_number_at(settings, DORM__LOSS_TRUNCATION, 0);
    return DORM_OK;
  }
  dorm_status status = dorm__loss_spec_of(context, dorm__settings_text(settings, DORM__LOSS_NAME), "", false, &spec);
  if (status == DORM_OK)
    status = dorm__loss_open(context, spec, &loss);
  if (status == DORM_OK)
    *truncation = dorm__loss_truncation(loss);
  dorm__loss_close(loss);
  dorm__free(spec);
  return status;
}

static dorm_status make_weights(dorm_context *context, const dorm_settings *settings, size_t max_docs, prediction *made)
{
  const char *spec = dorm__settings_word_at(settings, DORM__RANKING_POSITION_WEIGHTS, 0);
  for (size_t p = 0; p < max_docs; p++) {
    made->c[p] = 1 / log2((double)p + 2); /* of the loss: every measure's falls alike */
    made->falling[p] = made->c[p];
  }
  return strcmp(spec, "loss") == 0 ? DORM_OK : dorm__position_weights(context, spec, max_docs, made->c);
}

dorm_status dorm_diversify(dorm_context *context, const dorm_settings *settings, const dorm_dataset *dataset,
                           const double *scores, double *diverse)
{
  size_t max_docs = dorm__dataset_max_docs(dataset), truncation = 0;
  if (!dataset->groups)
    return dorm__fail(context, DORM_BAD_USAGE, "%s: has no groups to rank by; set diversity.groups", dataset->name);
  prediction made = {.dataset = dataset,
                     .c = dorm__alloc(max_docs, sizeof *made.c),
                     .falling = dorm__alloc(max_docs, sizeof *made.falling),
                     .zero = dorm__alloc_zero(max_docs, sizeof *made.zero),
                     .flat = dorm__alloc(max_docs, sizeof *made.flat),
                     .order = dorm__alloc(max_docs, sizeof *made.order)};
  dorm_status status = made.c && made.falling && made.zero && made.flat && made.order
                           ? find_truncation(context, settings, &truncation)
                           : dorm__out_of_memory(context, "diverse prediction");
  if (status == DORM_OK)
    status = make_weights(context, settings, max_docs, &made);
  if (status == DORM_OK)
    status = dorm__oracle_workspace_new(context, max_docs, &made.workspace);
  made.diversity = dorm__diversity_from(settings, truncation);
  if (status == DORM_OK)
    status = predict_all(context, &made, scores, diverse);
  dorm__oracle_workspace_free(made.workspace);
  dorm__free(made.c);
  dorm__free(made.falling);
  dorm__free(made.zero);
  dorm__free(made.flat);
  dorm__free(made.order);
  return status;
}
