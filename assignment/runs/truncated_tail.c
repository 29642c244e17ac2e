/* truncated_tail.c: the positions after the window of a merge (merge_runs.c), in which a is constant: the remaining
 * documents by falling score, and the proof that they belong there. */
#include "assignment/runs/merge.h"

#include <math.h>
#include <string.h>

/* A loop over the documents after the window, by falling score. */
typedef struct tail_walk {
  size_t rank; /* rank in the ranked list of the next document that may be in the tail */
  uint32_t seen[DORM__MOST_LEVELS];
} tail_walk;

/* The rank of the next document after the window, or num_docs. */
static size_t next_of_tail(const dorm__merge_task *task, tail_walk *walk)
{
  for (; walk->rank < task->call->num_docs; walk->rank++) {
    uint8_t run = task->levels->level_of[task->ranked->docs[walk->rank]];
    if (walk->seen[run]++ >= task->merge.length[run])
      return walk->rank++;
  }
  return walk->rank;
}

/* Lines (certificate.c) of the runs without a document in the window's own tail. Their last documents in the head may
 * belong after the window, and their first documents after it may belong in the head. For every other arc across the
 * window's end there is a path through the window's tail, by the lemma of certificate.c with the tail as one run. */
typedef struct tail_lines {
  bool is_in_tail[DORM__MOST_LEVELS];
  double base[DORM__MOST_LEVELS]; /* of the last document in the head */
  double score[DORM__MOST_LEVELS];
  double lowest_score; /* of these, INFINITY if there are none */
  size_t to_come;      /* runs with documents after the window but none in its tail */
} tail_lines;

static tail_lines draw_lines(const dorm__merge_task *task)
{
  const dorm__merge *merge = &task->merge;
  tail_lines lines = {.lowest_score = INFINITY};
  for (size_t p = task->truncation; p < merge->count; p++)
    lines.is_in_tail[merge->sequence[p]] = true;
  for (size_t q = 0; q < merge->num_runs; q++)
    lines.base[q] = -INFINITY;
  for (size_t q = 0; q < merge->num_runs; q++) {
    if (lines.is_in_tail[q])
      continue;
    lines.to_come += merge->length[q] < task->size[q];
    if (merge->length[q] == 0)
      continue;
    size_t x = merge->positions[merge->first[q] + merge->length[q] - 1];
    lines.score[q] = merge->score_at[x];
    lines.base[q] = merge->potential[x] - merge->c[x] * lines.score[q] + merge->a[x] * merge->gain[q];
    lines.lowest_score = fmin(lines.lowest_score, lines.score[q]);
  }
  return lines;
}

/* Whether the head is right to omit a document of run q that is at position x after the window, with this score and
 * potential. */
static bool head_holds(const dorm__merge_task *task, size_t q, size_t x, double score, double potential)
{
  const dorm__merge *merge = &task->merge;
  double base = potential - merge->c[x] * score + merge->a[x] * merge->gain[q];
  for (size_t y = 0; y < task->truncation; y++)
    if (base + merge->c[y] * score - merge->a[y] * merge->gain[q] > merge->potential[y] + merge->tolerance)
      return false;
  return true;
}

/* Extends the proof for the window by potentials at midpoints after it. As functions of falling c these are a convex
 * chain whose slopes are the scores. So a line exceeds the chain most at the place of its own score, and the walk ends
 * there. */
bool dorm__merge_tail_is_proved(const dorm__merge_task *task)
{
  const dorm__merge *merge = &task->merge;
  size_t num_docs = task->call->num_docs, p = merge->count;
  tail_lines lines = draw_lines(task);
  tail_walk walk = {0};
  size_t rank = next_of_tail(task, &walk);
  double score = merge->score_at[p - 1], potential = merge->potential[p - 1];
  if (rank < num_docs && task->ranked->scores[rank] - task->ranked->offset > score)
    return false;
  for (; rank < num_docs; p++, rank = next_of_tail(task, &walk)) {
    double next = task->ranked->scores[rank] - task->ranked->offset;
    if (lines.to_come == 0 && lines.lowest_score > score)
      break;
    potential += 0.5 * (merge->c[p] - merge->c[p - 1]) * (score + next);
    score = next;
    for (size_t q = 0; q < merge->num_runs; q++)
      if (lines.base[q] + merge->c[p] * lines.score[q] - merge->a[p] * merge->gain[q] > potential + merge->tolerance)
        return false;
    size_t run = task->levels->level_of[task->ranked->docs[rank]];
    if (!lines.is_in_tail[run]) {
      lines.is_in_tail[run] = true;
      lines.to_come--;
      if (!head_holds(task, run, p, score, potential))
        return false;
    }
  }
  return true;
}

void dorm__merge_write_order(const dorm__merge_task *task, uint32_t *order)
{
  const dorm__merge *merge = &task->merge;
  uint32_t next[DORM__MOST_LEVELS];
  memcpy(next, task->scratch->runs.start, merge->num_runs * sizeof *next);
  for (size_t p = 0; p < merge->count; p++)
    order[p] = task->scratch->runs.docs[next[merge->sequence[p]]++];
  if (merge->count == task->call->num_docs)
    return;
  tail_walk walk = {0};
  size_t p = merge->count;
  while (walk.rank < p) { /* from p on every document by rank comes after the window */
    size_t rank = next_of_tail(task, &walk);
    if (rank == task->call->num_docs)
      return;
    order[p++] = task->ranked->docs[rank];
  }
  memcpy(order + p, task->ranked->docs + walk.rank, (task->call->num_docs - p) * sizeof *order);
}
