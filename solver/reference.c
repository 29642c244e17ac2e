/*
 * reference.c: the reference ranking, to which the most violated ranking is compared.
 *
 * The paper takes the documents "already sorted by relevance" (`listed`). With tied labels the order inside a level is
 * then arbitrary, and the constraints ask the model to reproduce it. On data that are not nearly separable the optimum
 * is then w = 0. The cure is a reference that depends on the scores,
 *
 *   ref = argmax <w, Phi> - mu Delta,
 *
 * whose hinge max[<w, Phi> + Delta] - max[<w, Phi> - mu Delta] bounds the loss of the predicted ranking for every mu >=
 * 0. mu = 0 (`current`) is the bound of Chapelle, Do, Le, Smola and Teo (2008), and mu -> infinity (`ideal`) gives the
 * best-scored ranking without loss. The hinge is a difference of convex functions of w. So training fixes the
 * reference, solves the convex problem, recomputes the reference, and repeats this for a few rounds. A structured loss
 * has one reference, its right output, which is called `none` here.
 *
 * In the product form a ranking is ideal if its gains fall whenever a falls. Positions of equal a form a plateau. The
 * gains on a plateau are fixed, but their order is free, and so is the choice among documents of equal gain. If the
 * first positions have functions of their own, the oracle finds the best-scored ideal ranking. `averaged` is then
 * refused (jobs/job.c), since its documents have no positions.
 */
#include "solver/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double mu_of_ideal_costs = 1e6; /* replaces infinity when the oracle finds an ideal ranking */

bool dorm__reference_moves(const dorm__reference *reference)
{
  return reference->kind == DORM__REFERENCE_IDEAL || reference->kind == DORM__REFERENCE_MU;
}

static int compare_docs(const void *x, const void *y)
{
  const dorm__keyed_doc *one = x;
  const dorm__keyed_doc *two = y;
  if (one->gain != two->gain)
    return one->gain < two->gain ? 1 : -1;
  if (one->score != two->score)
    return one->score < two->score ? 1 : -1;
  return (one->doc > two->doc) - (one->doc < two->doc);
}

/* Sorts the documents by falling gain, then by falling score. */
static void sort_docs(const dorm__query_loss *loss, const double *scores, dorm__keyed_doc *docs)
{
  for (size_t j = 0; j < loss->num_docs; j++)
    docs[j] = (dorm__keyed_doc){loss->b[j], scores[j], (uint32_t)j};
  qsort(docs, loss->num_docs, sizeof *docs, compare_docs);
}

/* Returns the end of the plateau that begins at `first`, at most `last`. */
static size_t end_of_plateau(const dorm__query_loss *loss, size_t first, size_t last)
{
  size_t end = first + 1;
  while (end < last && loss->a[end] == loss->a[first])
    end++;
  return end;
}

/* For disjoint groups: goes through the documents in their order and moves the first groups->top that the groups admit
 * to the front. The others follow. */
static void put_groups_apart(const dorm__plan_groups *groups, size_t num_docs, dorm__thread *thread)
{
  double *used = thread->weights; /* [group] number of documents in front */
  dorm__keyed_doc *docs = thread->docs;
  dorm__keyed_doc *rest = docs + num_docs; /* thread->docs has room for twice as many */
  size_t num_front = 0, num_rest = 0;
  memset(used, 0, num_docs * sizeof *used);
  for (size_t i = 0; i < num_docs; i++) {
    uint32_t group = groups->group_of[docs[i].doc];
    if (num_front < groups->top && used[group] < groups->room[group]) {
      used[group]++;
      docs[num_front++] = docs[i];
    } else {
      rest[num_rest++] = docs[i];
    }
  }
  memcpy(docs + num_front, rest, num_rest * sizeof *docs);
}

/* Sorts by label. If a module's gain does not grow with the label, sorts by gain first, so that the ranking is
 * ideal. */
static void listed_ideal(const dorm__query_loss *loss, const double *labels, const dorm__plan_groups *groups,
                         dorm__thread *thread)
{
  sort_docs(loss, labels, thread->docs);
  if (groups)
    put_groups_apart(groups, loss->num_docs, thread);
  for (size_t p = 0; p < loss->num_docs; p++)
    thread->order[p] = thread->docs[p].doc;
}

/* Finds the ideal ranking of largest sum_j c[rank[j]] g[j]. If a level spans several plateaus, its best-scored
 * documents go to the first of them. Each plateau is sorted by score. */
static void best_scored_ideal(const dorm__query_loss *loss, const double *scores, dorm__keyed_doc *docs,
                              uint32_t *order)
{
  sort_docs(loss, scores, docs);
  for (size_t first = 0; first < loss->num_docs;) {
    size_t end = end_of_plateau(loss, first, loss->num_docs);
    for (size_t p = first; p < end; p++)
      docs[p].gain = 0;
    qsort(docs + first, end - first, sizeof *docs, compare_docs);
    first = end;
  }
  for (size_t p = 0; p < loss->num_docs; p++)
    order[p] = docs[p].doc;
}

/* Computes the mean weights of documents docs[first .. last - 1], which are sorted by gain, over all ideal rankings.
 * There a document is equally often at each place of its level, and at each position of a plateau. */
static void average_part(const dorm__query_loss *loss, const double *c, size_t first, size_t last, dorm__thread *thread)
{
  const dorm__keyed_doc *docs = thread->docs;
  double *weights = thread->weights;
  for (size_t begin = first; begin < last;) {
    size_t end = end_of_plateau(loss, begin, last);
    double sum = 0;
    for (size_t p = begin; p < end; p++)
      sum += c[p];
    for (size_t p = begin; p < end; p++)
      weights[p] = sum / (double)(end - begin);
    begin = end;
  }
  for (size_t begin = first; begin < last;) {
    size_t end = begin;
    double sum = 0;
    for (; end < last && docs[end].gain == docs[begin].gain; end++)
      sum += weights[end];
    for (size_t p = begin; p < end; p++) {
      weights[p] = sum / (double)(end - begin);
      thread->order[p] = docs[p].doc;
    }
    begin = end;
  }
}

/* Finds the mean of Phi over the ideal rankings, as documents in thread->order and their mean weights in
 * thread->weights. With groups, takes the mean over the ideal rankings with the same documents in front as in the
 * listed one. */
static void average_ideals(const dorm__query_loss *loss, const double *labels, const dorm__plan_groups *groups,
                           const double *c, dorm__thread *thread)
{
  size_t top = groups ? groups->top : loss->num_docs;
  sort_docs(loss, labels, thread->docs);
  if (groups)
    put_groups_apart(groups, loss->num_docs, thread);
  average_part(loss, c, 0, top, thread);
  average_part(loss, c, top, loss->num_docs, thread);
}

/* Returns the mu of the oracle call that finds the reference. In the general form and with groups, an ideal ranking is
 * found by a mu so large that the loss outweighs every score. */
static double oracle_mu(const dorm__reference *reference, const dorm__query_loss *loss, size_t num_functions,
                        const double *scores)
{
  if (reference->kind == DORM__REFERENCE_MU)
    return reference->mu;
  double largest = 0;
  for (size_t i = 0; i < num_functions * loss->num_docs; i++)
    largest = fmax(largest, fabs(scores[i]));
  return mu_of_ideal_costs * (1 + largest);
}

dorm_status dorm__reference_at(const dorm__problem *problem, const dorm__reference *reference, size_t query,
                               dorm__scored_point *point, dorm__thread *thread, dorm__vector *phi, double *loss)
{
  const dorm__query_loss *tables = dorm__problem_loss(problem, query);
  dorm__plan_groups found;
  bool has_groups = !tables->structured && dorm__oracle_plan_groups(problem->plans[query], &found);
  const dorm__plan_groups *groups = has_groups ? &found : NULL;
  const double *weights = problem->c[query];
  const double *labels = problem->dataset->labels + problem->dataset->query_start[problem->queries[query]];
  bool follows_scores = dorm__reference_moves(reference);
  /* Overlapping groups need the oracle. So does the best-scored ideal ranking if there are groups or functions of
   * positions. */
  bool asks_oracle = tables->cost || reference->kind == DORM__REFERENCE_MU || (groups && !groups->is_disjoint) ||
                     ((groups || problem->num_own) && follows_scores);
  size_t num_functions = 1 + problem->num_own;
  *loss = 0;
  if (tables->structured)
    return dorm__output_combine(problem, query, 0, NULL, NULL, thread, phi) ? DORM_OK : DORM_OUT_OF_MEMORY;
  if (!follows_scores)
    memset(thread->scores, 0, num_functions * tables->num_docs * sizeof *thread->scores);
  else if (point)
    dorm__scored_point_query(point, query, thread);
  if (asks_oracle) {
    dorm__next_phase(thread);
    dorm_status status =
        dorm__oracle_solve(problem->plans[query], thread->workspace, thread->scores,
                           -oracle_mu(reference, tables, num_functions, thread->scores), thread->order, NULL);
    dorm__oracle_phase(thread);
    if (status != DORM_OK)
      return status;
    *loss = dorm__query_loss_of(tables, thread->order);
  } else if (reference->kind == DORM__REFERENCE_AVERAGED) {
    average_ideals(tables, labels, groups, problem->c[query], thread);
    weights = thread->weights;
  } else if (reference->kind == DORM__REFERENCE_LISTED) {
    listed_ideal(tables, labels, groups, thread);
  } else {
    best_scored_ideal(tables, thread->scores, thread->docs, thread->order);
  }
  size_t count = weights == thread->weights ? tables->num_docs : problem->depth[query];
  return dorm__output_combine(problem, query, count, thread->order, weights, thread, phi) ? DORM_OK
                                                                                          : DORM_OUT_OF_MEMORY;
}
