/*
 * scored_point.c: a point: weights w, together with the documents' scores at w. References, the pass at a fixed point
 * and the measure of a candidate need the scores at the same w, one after the other. The point keeps these scores, so
 * that they are computed once.
 */
#include "solver/problem.h"

#include <string.h>

struct dorm__scored_point {
  dorm__region memory; /* of the arrays */
  const dorm__problem *problem;
  double *w;      /* [dorm__problem_width] */
  double *scores; /* [num_docs of the data set] by the function of all positions */
  /* Scores by the functions of the first positions: one block [num_own][documents of the query] per query, in the order
   * of queries. */
  double *own;
  bool *is_scored; /* [num_queries of the data set] */
};

dorm_status dorm__scored_point_new(dorm_context *context, const dorm__problem *problem, dorm__scored_point **point)
{
  const dorm_dataset *dataset = problem->dataset;
  dorm__scored_point *made = dorm__alloc_zero(1, sizeof *made);
  *point = NULL;
  if (!made)
    return dorm__out_of_memory(context, "scores");
  made->problem = problem;
  made->w = dorm__region_take_zero(&made->memory, dorm__problem_width(problem), sizeof *made->w);
  made->scores = dorm__region_take(&made->memory, dataset->num_docs, sizeof *made->scores);
  made->own = dorm__region_take(&made->memory, dataset->num_docs, problem->num_own * sizeof *made->own);
  made->is_scored = dorm__region_take_zero(&made->memory, dataset->num_queries, sizeof *made->is_scored);
  return DORM__GIVE(made->memory.is_short ? dorm__out_of_memory(context, "scores") : DORM_OK, point, made,
                    dorm__scored_point_free);
}

void dorm__scored_point_free(dorm__scored_point *point)
{
  if (!point)
    return;
  dorm__region_clear(&point->memory);
  dorm__free(point);
}

void dorm__scored_point_move(dorm__scored_point *point, const double *w)
{
  size_t size = dorm__problem_width(point->problem) * sizeof *w;
  if (w == point->w || memcmp(w, point->w, size) == 0)
    return;
  memcpy(point->w, w, size);
  memset(point->is_scored, 0, point->problem->dataset->num_queries * sizeof *point->is_scored);
}

void dorm__scored_point_know(dorm__scored_point *point, const double *w, const double *scores)
{
  const dorm_dataset *dataset = point->problem->dataset;
  dorm__scored_point_move(point, w);
  if (point->problem->num_own)
    return; /* `scores` lacks the scores by the functions of the first positions */
  memcpy(point->scores, scores, dataset->num_docs * sizeof *scores);
  memset(point->is_scored, 1, dataset->num_queries * sizeof *point->is_scored);
}

const double *dorm__scored_point_weights(const dorm__scored_point *point)
{
  return point->w;
}

void dorm__own_scores(const dorm__problem *problem, size_t first, size_t count, const double *w, double *own)
{
  for (size_t p = 0; p < problem->num_own; p++)
    dorm__features_score_in_turn(problem->features, first, count, w + (p + 1) * problem->features->num_features,
                                 own + p * count);
}

/* Fills the block in point->own of the query with the documents first .. first + count - 1. */
static void score_own(const dorm__scored_point *point, size_t first, size_t count)
{
  const dorm__problem *problem = point->problem;
  double *own = problem->num_own ? point->own + first * problem->num_own : NULL;
  dorm__own_scores(problem, first, count, point->w, own);
}

const double *dorm__scored_point_scores(dorm__scored_point *point)
{
  const dorm__problem *problem = point->problem;
  const size_t *start = problem->dataset->query_start;
#pragma omp parallel for schedule(static) num_threads((int)problem->workers.count)
  for (size_t q = 0; q < problem->dataset->num_queries; q++) {
    if (!point->is_scored[q]) {
      dorm__features_score(problem->features, start[q], start[q + 1] - start[q], point->w, point->scores + start[q]);
      score_own(point, start[q], start[q + 1] - start[q]);
    }
    point->is_scored[q] = true;
  }
  return point->scores;
}

void dorm__scored_point_query(dorm__scored_point *point, size_t query, dorm__thread *thread)
{
  const dorm__problem *problem = point->problem;
  size_t number = problem->queries[query];
  size_t first = problem->dataset->query_start[number];
  size_t count = problem->dataset->query_start[number + 1] - first;
  if (!point->is_scored[number]) {
    dorm__features_score_in_turn(problem->features, first, count, point->w, thread->scores);
    memcpy(point->scores + first, thread->scores, count * sizeof *thread->scores);
    score_own(point, first, count);
    point->is_scored[number] = true;
  } else {
    memcpy(thread->scores, point->scores + first, count * sizeof *thread->scores);
  }
  if (problem->num_own)
    memcpy(thread->scores + count, point->own + first * problem->num_own,
           problem->num_own * count * sizeof *thread->scores);
}
