/*
 * diverse_ranking.c: rankings with few documents of a group in front (Le and Smola 2007, section 5.1), from scores.
 *
 * If the groups of a query are disjoint, the best documents of each group come first, as many as the capacity admits,
 * and the others follow, both in the order of their scores. If groups overlap, the result is the feasible ranking of
 * the largest sum_p c[p] g[document at p] over the first positions. The other documents follow by score.
 */
#include "models/models.h"

#include <math.h>
#include <string.h>

/* A document that the groups move below a lower score gets the score above it, minus this share of the range of the
 * query's scores. It is small, but visible in single precision. */
static const double score_step = 1e-6;

/* The data that the queries share, and scratch: [the most documents of a query] each. */
typedef struct diverse_ranker {
  const dorm_dataset *dataset;
  const dorm__diverse_ranking *options;
  dorm__oracle_workspace *workspace;
  double *falling; /* different values for all positions, the tables of a sort */
  double *zero;
  double *flat; /* c, constant from the top on */
  uint32_t *order;
} diverse_ranker;

/* Sorts the documents after the first `top` by falling score, since a programme leaves them in any order. */
static void sort_after(size_t top, size_t num_docs, const double *scores, uint32_t *order)
{
  for (size_t p = top + 1; p < num_docs; p++) {
    uint32_t doc = order[p];
    size_t at = p;
    for (; at > top && scores[order[at - 1]] < scores[doc]; at--)
      order[at] = order[at - 1];
    order[at] = doc;
  }
}

/* Writes into ranker->order the ranking of largest sum_p table[p] g among those that respect the groups. */
static dorm_status solve(dorm_context *context, const diverse_ranker *ranker, const dorm__oracle_groups *groups,
                         size_t num_docs, const double *table, dorm__group_method method, const double *scores)
{
  DORM__OWNED(dorm__oracle_plan) *plan = NULL;
  size_t top = groups->top;
  dorm_status status =
      DORM__ALL(dorm__oracle_plan_new(context, DORM__ORACLE_AUTO, num_docs, table, ranker->zero, table, &plan),
                dorm__oracle_plan_add_groups(context, plan, groups, method, ranker->options->seconds, &top));
  if (status == DORM_OK) {
    status = dorm__oracle_solve(plan, ranker->workspace, scores, 0, ranker->order, NULL);
    dorm_status failed;
    const char *failure = dorm__oracle_failure(ranker->workspace, &failed);
    if (status != DORM_OK)
      dorm__fail(context, status, "%s", status == failed ? failure : "the scores left the range of numbers");
    else if (method != DORM__GROUPS_SHORTCUT)
      sort_after(top, num_docs, scores, ranker->order);
  }
  return status;
}

/* Ranks one query, with `scores` [num_docs of the query], into ranker->order. */
static dorm_status rank_query(dorm_context *context, const diverse_ranker *ranker, size_t query, const double *scores)
{
  const dorm__diverse_ranking *options = ranker->options;
  const dorm__doc_lists *lists = ranker->dataset->groups;
  dorm__query_groups groups;
  size_t num_docs = ranker->dataset->query_start[query + 1] - ranker->dataset->query_start[query];
  size_t top = options->top < num_docs ? options->top : num_docs;
  bool is_disjoint = false;
  dorm_status status = dorm__query_groups_make(
      context, num_docs,
      &(const dorm__group_entries){lists->start + ranker->dataset->query_start[query], lists->numbers, lists->weights},
      options->top, options->capacity, &groups);
  if (status != DORM_OK)
    return status;
  for (size_t p = 0; p < num_docs; p++)
    ranker->flat[p] = p < top ? options->c[p] : top < num_docs ? options->c[top] : 0;
  status = dorm__groups_are_disjoint(context, &groups.groups, num_docs, &is_disjoint);
  groups.groups.top = is_disjoint ? num_docs : top; /* if disjoint, every group appears before any of them repeats */
  if (status == DORM_OK)
    status = solve(context, ranker, &groups.groups, num_docs, is_disjoint ? ranker->falling : ranker->flat,
                   is_disjoint ? DORM__GROUPS_SHORTCUT : DORM__GROUPS_AUTO, scores);
  dorm__query_groups_clear(&groups);
  if (status == DORM_OK || status == DORM_OUT_OF_MEMORY)
    return status;
  return dorm__fail_within(context, status, "%.200s: query %.80s", ranker->dataset->name,
                           dorm_dataset_query_id(ranker->dataset, query));
}

/* Writes scores that fall along the order. A document keeps its own score if that falls. */
static void write_scores(const diverse_ranker *ranker, size_t num_docs, const double *scores, double *diverse)
{
  double least = INFINITY, most = -INFINITY, before = INFINITY;
  for (size_t j = 0; j < num_docs; j++) {
    least = fmin(least, scores[j]);
    most = fmax(most, scores[j]);
  }
  double step = score_step * (most > least ? most - least : fmax(1, fabs(most)));
  for (size_t p = 0; p < num_docs; p++) {
    uint32_t doc = ranker->order[p];
    before = diverse[doc] = scores[doc] < before ? scores[doc] : before - step;
  }
}

static dorm_status rank_all(dorm_context *context, const diverse_ranker *ranker, const double *scores, double *diverse)
{
  const dorm_dataset *dataset = ranker->dataset;
  for (size_t q = 0; q < dataset->num_queries; q++) {
    size_t first = dataset->query_start[q], num_docs = dataset->query_start[q + 1] - first;
    dorm_status status = rank_query(context, ranker, q, scores + first);
    if (status != DORM_OK)
      return status;
    write_scores(ranker, num_docs, scores + first, diverse + first);
  }
  return DORM_OK;
}

dorm_status dorm__rank_diversely(dorm_context *context, const dorm_dataset *dataset,
                                 const dorm__diverse_ranking *options, const double *scores, double *diverse)
{
  size_t max_docs = dorm__dataset_max_docs(dataset);
  if (!dataset->groups)
    return dorm__fail(context, DORM_BAD_USAGE, "%s: the data have no groups to rank by; set diversity.groups",
                      dataset->name);
  DORM__AT_END(dorm__region_clear) dorm__region memory = {0};
  diverse_ranker ranker = {.dataset = dataset,
                           .options = options,
                           .falling = dorm__region_take_zero(&memory, max_docs, sizeof *ranker.falling),
                           .zero = dorm__region_take_zero(&memory, max_docs, sizeof *ranker.zero),
                           .flat = dorm__region_take_zero(&memory, max_docs, sizeof *ranker.flat),
                           .order = dorm__region_take_zero(&memory, max_docs, sizeof *ranker.order)};
  dorm_status status = memory.is_short ? dorm__out_of_memory(context, "diverse prediction")
                                       : dorm__oracle_workspace_new(context, max_docs, &ranker.workspace);
  for (size_t p = 0; status == DORM_OK && p < max_docs; p++)
    ranker.falling[p] = 1 / log2((double)p + 2);
  if (status == DORM_OK)
    status = rank_all(context, &ranker, scores, diverse);
  dorm__oracle_workspace_free(ranker.workspace);
  return status;
}
