/* proof.c: proves that a ranking is the best merge of runs. The proof does not depend on the method that found the
 * ranking, because its potentials (certificate.c) are computed from the ranking alone. */
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
    if (score > last[run]) /* not a merge, because the scores of a run must fall (the lemma of certificate.c) */
      return false;
    last[run] = score;
  }
  /* Midpoints make all positions doubtful (certificate.c). So sweeps visit all of them, and need no merge.positions. */
  dorm__merge_midpoints(&merge);
  return dorm__merge_is_proved(&merge, &scratch->cycles, most_sweeps);
}

/* ---- Levels ------------------------------------------------------------------------------------- */

/* The levels of a query are the distinct values of the gain b. Documents with the same gain are in the same level.
 *
 * If two documents of a level change places, only the sum of c g changes, and c falls. So there is a best ranking in
 * which the scores of each level fall. It is a merge of sorted runs, one run for each level. Levels are not labels:
 * Precision@n, WTA and MRR have at most two levels for any number of labels. */

size_t dorm__levels_find(size_t num_docs, const double *b, uint8_t *level_of, double *gain, uint32_t *size)
{
  size_t count = 0;
  for (size_t j = 0; j < num_docs; j++) {
    size_t q = 0;
    while (q < count && gain[q] != b[j])
      q++;
    if (q == count) {
      if (count == DORM__MOST_LEVELS)
        return 0;
      gain[q] = b[j];
      size[q] = 0;
      count++;
    }
    size[q]++;
    level_of[j] = (uint8_t)q;
  }
  return count;
}
