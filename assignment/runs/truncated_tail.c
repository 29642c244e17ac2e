/*
 * truncated_tail.c: what stands behind the window of a merge (merge_runs.c)
 * where a is constant: the documents left over, by score, and the proof that
 * they belong there.
 */
#include "assignment/runs/truncated_tail.h"
#include "assignment/runs/greedy_merge.h"
#include "assignment/runs/levels.h"
#include "assignment/runs/merge.h"

#include <math.h>
#include <string.h>

/* The documents behind the window, in the order of their scores. */
typedef struct tail_walk {
  size_t rank; /* in the ranked list, of the next document that may be in the tail */
  uint32_t seen[DORM__MOST_LEVELS];
} tail_walk;

/* The rank of the next document behind the window, num_docs at the end. */
static size_t next_of_tail(const dorm__merge_job *job, tail_walk *walk)
{
  for (; walk->rank < job->call->num_docs; walk->rank++) {
    uint8_t run = job->levels->level_of[job->ranked->docs[walk->rank]];
    if (walk->seen[run]++ >= job->merge.length[run])
      return walk->rank++;
  }
  return walk->rank;
}

/* Lines of the runs that have no document in the window's own tail: their last
 * documents in the head may belong behind the window, their first documents
 * behind it into the head. All other arcs across the window's end have a path
 * through the window's tail, by the argument of the lemma in certificate.c with
 * the tail as one run. */
typedef struct tail_lines {
  bool is_in_tail[DORM__MOST_LEVELS];
  double base[DORM__MOST_LEVELS]; /* of the last document in the head */
  double score[DORM__MOST_LEVELS];
  double lowest_score; /* of these; INFINITY when there are none */
  size_t to_come;      /* runs with documents behind the window and none in its tail */
} tail_lines;

static tail_lines draw_lines(const dorm__merge_job *job)
{
  const dorm__merge *merge = &job->merge;
  tail_lines lines = {.lowest_score = INFINITY};
  for (size_t p = job->truncation; p < merge->count; p++)
    lines.is_in_tail[merge->sequence[p]] = true;
  for (size_t q = 0; q < merge->num_runs; q++)
    lines.base[q] = -INFINITY;
  for (size_t q = 0; q < merge->num_runs; q++) {
    if (lines.is_in_tail[q])
      continue;
    lines.to_come += merge->length[q] < job->size[q];
    if (merge->length[q] == 0)
      continue;
    size_t x = merge->positions[merge->first[q] + merge->length[q] - 1];
    lines.score[q] = merge->score_at[x];
    lines.base[q] = merge->potential[x] - merge->c[x] * lines.score[q] + merge->a[x] * merge->gain[q];
    lines.lowest_score = fmin(lines.lowest_score, lines.score[q]);
  }
  return lines;
}

/* A document of run q at position x behind the window, with its score and
 * potential: may it not go into the head? */
static bool head_holds(const dorm__merge_job *job, size_t q, size_t x, double score, double potential)
{
  const dorm__merge *merge = &job->merge;
  double base = potential - merge->c[x] * score + merge->a[x] * merge->gain[q];
  for (size_t y = 0; y < job->truncation; y++)
    if (base + merge->c[y] * score - merge->a[y] * merge->gain[q] > merge->potential[y] + merge->tolerance)
      return false;
  return true;
}

/* Extends the proof for the window: behind it, potentials at midpoints. In
 * falling c these are a convex chain with the scores as slopes, so that a line
 * exceeds it most where its own score belongs: the walk ends there. */
bool dorm__merge_tail_is_proved(const dorm__merge_job *job)
{
  const dorm__merge *merge = &job->merge;
  size_t num_docs = job->call->num_docs, p = merge->count;
  tail_lines lines = draw_lines(job);
  tail_walk walk = {0};
  size_t rank = next_of_tail(job, &walk);
  double score = merge->score_at[p - 1], potential = merge->potential[p - 1];
  if (rank < num_docs && job->ranked->scores[rank] - job->ranked->offset > score)
    return false;
  for (; rank < num_docs; p++, rank = next_of_tail(job, &walk)) {
    double next = job->ranked->scores[rank] - job->ranked->offset;
    if (lines.to_come == 0 && lines.lowest_score > score)
      break;
    potential += 0.5 * (merge->c[p] - merge->c[p - 1]) * (score + next);
    score = next;
    for (size_t q = 0; q < merge->num_runs; q++)
      if (lines.base[q] + merge->c[p] * lines.score[q] - merge->a[p] * merge->gain[q] > potential + merge->tolerance)
        return false;
    size_t run = job->levels->level_of[job->ranked->docs[rank]];
    if (!lines.is_in_tail[run]) {
      lines.is_in_tail[run] = true;
      lines.to_come--;
      if (!head_holds(job, run, p, score, potential))
        return false;
    }
  }
  return true;
}

void dorm__merge_write_order(const dorm__merge_job *job, uint32_t *order)
{
  const dorm__merge *merge = &job->merge;
  uint32_t next[DORM__MOST_LEVELS];
  memcpy(next, job->scratch->runs.start, merge->num_runs * sizeof *next);
  for (size_t p = 0; p < merge->count; p++)
    order[p] = job->scratch->runs.docs[next[merge->sequence[p]]++];
  if (merge->count == job->call->num_docs)
    return;
  tail_walk walk = {0};
  size_t p = merge->count;
  while (walk.rank < p) { /* at p nothing is left of the window */
    size_t rank = next_of_tail(job, &walk);
    if (rank == job->call->num_docs)
      return;
    order[p++] = job->ranked->docs[rank];
  }
  memcpy(order + p, job->ranked->docs + walk.rank, (job->call->num_docs - p) * sizeof *order);
}
