/*
 * proof.c: proves that a ranking is the best merge of runs, whatever method found it, by potentials (certificate.c)
 * that are computed from the ranking alone.
 */
#include "assignment/call.h"
#include "assignment/runs/merge.h"
#include "assignment/runs/runs.h"
#include <math.h>

bool dorm__runs_are_best(const dorm__oracle_call *call, const dorm__levels *levels, double offset, double tolerance,
                         size_t most_sweeps, const dorm__merge_scratch *scratch, const uint32_t *order)
{
  dorm__merge merge = {.count = call->num_docs,
                       .num_runs = levels->count,
                       .a = call->a,
                       .c = call->c,
                       .tolerance = tolerance,
                       .sequence = scratch->sequence,
                       .score_at = scratch->score_at,
                       .potential = scratch->potential};
  double last[DORM__MOST_LEVELS];
  for (size_t q = 0; q < merge.num_runs; q++) {
    merge.gain[q] = call->t * levels->gain[q];
    last[q] = INFINITY;
  }
  for (size_t p = 0; p < call->num_docs; p++) {
    size_t run = levels->level_of[order[p]];
    double score = call->g[order[p]] - offset;
    merge.sequence[p] = (uint8_t)run;
    merge.score_at[p] = score;
    if (score > last[run]) /* the lemma of certificate.c needs falling scores in each run */
      return false;
    last[run] = score;
  }
  dorm__merge_midpoints(&merge); /* all positions are doubtful: sweeps need no list of each run's positions */
  return dorm__merge_is_proved(&merge, &scratch->cycles, most_sweeps);
}
