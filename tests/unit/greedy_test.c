/* greedy_test.c: the greedy merge of runs, in chains or not, and the potentials that it suggests, against plain loops.
 */
#include "assignment/runs/merge.h"
#include "assignment/runs/runs.h"
#include "tests/unit/oracle_cases.h"
#include "tests/unit/unit.h"

enum { MOST_DOCS = 1500 };

/* A query whose documents are all in their runs, and what the plain greedy merge makes of it. */
typedef struct greedy_case {
  oracle_case *tables;
  dorm__oracle_call call;
  dorm__levels levels;
  dorm__merge_scratch scratch;
  dorm__merge_task task;
  double gain[DORM__MOST_LEVELS], scores[MOST_DOCS], score_at[MOST_DOCS], potential[MOST_DOCS];
  uint32_t size[DORM__MOST_LEVELS], start[DORM__MOST_LEVELS], docs[MOST_DOCS], ranks[MOST_DOCS], positions[MOST_DOCS];
  uint8_t level_of[MOST_DOCS], sequence[MOST_DOCS], plain[MOST_DOCS];
  bool is_best_set[MOST_DOCS]; /* by position */
} greedy_case;

/* Draws a query; false if b has but one value. */
static bool draw(greedy_case *made, dorm__random *random, size_t num_docs, size_t num_levels)
{
  oracle_case_draw(made->tables, random, num_docs, num_levels);
  const oracle_case *tables = made->tables;
  made->call =
      (dorm__oracle_call){.num_docs = num_docs, .a = tables->a, .b = tables->b, .c = tables->c, .t = tables->t};
  made->levels = (dorm__levels){.gain = made->gain, .size = made->size, .level_of = made->level_of};
  made->levels.count = dorm__levels_find(num_docs, tables->b, made->level_of, made->gain, made->size);
  made->scratch.runs =
      (dorm__runs){.start = made->start, .docs = made->docs, .ranks = made->ranks, .scores = made->scores};
  made->task = (dorm__merge_task){.call = &made->call, .levels = &made->levels, .scratch = &made->scratch};
  made->task.next_rank = num_docs;
  dorm__merge *merge = &made->task.merge;
  *merge = (dorm__merge){.count = num_docs,
                         .num_runs = made->levels.count,
                         .a = tables->a,
                         .c = tables->c,
                         .sequence = made->sequence,
                         .score_at = made->score_at,
                         .potential = made->potential,
                         .positions = made->positions};
  uint32_t start = 0;
  for (size_t q = 0; q < merge->num_runs; q++) {
    uint32_t size = made->size[q], place = start;
    for (size_t j = 0; j < num_docs; j++)
      if (made->level_of[j] == q)
        made->scores[place++] = tables->g[j];
    dorm__sort_values(size, made->scores + start);
    made->start[q] = start;
    merge->scores[q] = made->scores + start;
    merge->gain[q] = tables->t * made->gain[q];
    made->task.size[q] = made->task.limit[q] = made->task.found[q] = merge->length[q] = size;
    start += size;
  }
  return merge->num_runs > 1;
}

/* The worth of document n of run q at step p. */
static double worth(const dorm__merge *merge, size_t p, size_t q, size_t n)
{
  double fall_of_a = p + 1 < merge->count ? merge->a[p] - merge->a[p + 1] : 0;
  double fall_of_c = p + 1 < merge->count ? merge->c[p] - merge->c[p + 1] : 0;
  return fall_of_c * merge->scores[q][n] - fall_of_a * merge->gain[q];
}

static void merge_plainly(greedy_case *made)
{
  const dorm__merge *merge = &made->task.merge;
  size_t taken[DORM__MOST_LEVELS] = {0};
  for (size_t p = 0; p < merge->count; p++) {
    size_t best = SIZE_MAX;
    for (size_t q = 0; q < merge->num_runs; q++)
      if (taken[q] < made->size[q] &&
          (best == SIZE_MAX || worth(merge, p, q, taken[q]) > worth(merge, p, best, taken[best])))
        best = q;
    made->plain[p] = (uint8_t)best;
    taken[best]++;
    double best_left = -INFINITY, worst_taken = INFINITY;
    for (size_t q = 0; q < merge->num_runs; q++) {
      best_left = taken[q] < made->size[q] ? fmax(best_left, worth(merge, p, q, taken[q])) : best_left;
      worst_taken = taken[q] > 0 ? fmin(worst_taken, worth(merge, p, q, taken[q] - 1)) : worst_taken;
    }
    made->is_best_set[p] = p + 1 == merge->count || best_left <= worst_taken;
  }
}

static greedy_case *greedy_case_new(void)
{
  greedy_case *made = unit_alloc(1, sizeof *made);
  made->tables = oracle_case_new();
  return made;
}

static void greedy_case_free(greedy_case *made)
{
  oracle_case_free(made->tables);
  free(made);
}

static bool has_no_ties(const greedy_case *made)
{
  const dorm__merge *merge = &made->task.merge;
  bool none = true;
  for (size_t p = 1; p < merge->count; p++)
    none &= merge->c[p] < merge->c[p - 1];
  for (size_t q = 0; q < merge->num_runs; q++)
    for (size_t i = 1; i < made->size[q]; i++)
      none &= merge->scores[q][i] < merge->scores[q][i - 1];
  return none;
}

/* Whether each chain begins with the documents that the plain merge has taken there. */
static bool chains_begin_right(greedy_case *made)
{
  dorm__chains chains;
  size_t taken[DORM__MOST_LEVELS] = {0};
  bool is_right = true;
  dorm__merge_chains(&made->task.merge, made->scores, &chains);
  for (size_t p = 0; p < DORM__LANES * chains.length; p++) {
    for (size_t q = 0; p % chains.length == 0 && q < made->levels.count; q++)
      is_right &= chains.start[p / chains.length][q] == taken[q];
    taken[made->plain[p]]++;
  }
  return is_right;
}

/* Queries of 256 documents and more are merged in chains, which must be found out where a chain begins with other
 * documents than the one before ends with. */
UNIT_TEST(chains_make_the_greedy_merge)
{
  greedy_case *made = greedy_case_new();
  dorm__random random = unit_random(0);
  size_t num_nested = 0, num_others = 0, num_chained = 0, num_right = 0;
  for (int i = 0; i < 400; i++) {
    size_t num_docs = 200 + dorm__random_below(&random, i % 10 ? 200 : MOST_DOCS - 200);
    if (!draw(made, &random, num_docs, 2 + dorm__random_below(&random, 9)))
      continue;
    merge_plainly(made);
    bool is_nested = true;
    for (size_t p = 0; p < num_docs; p++)
      is_nested &= made->is_best_set[p];
    CU_ASSERT_EQUAL(dorm__merge_greedily(&made->task, num_docs), is_nested);
    CU_ASSERT_EQUAL(memcmp(made->sequence, made->plain, num_docs), 0);
    CU_ASSERT_EQUAL(memcmp(made->task.merge.length, made->size, made->levels.count * sizeof *made->size), 0);
    bool has_chains = num_docs >= 256 && made->levels.count <= DORM__MOST_CHAIN_RUNS;
    num_nested += is_nested && has_chains;
    num_others += !is_nested && has_chains;
    if (is_nested && made->levels.count <= DORM__MOST_CHAIN_RUNS && has_no_ties(made)) {
      num_chained++;
      num_right += chains_begin_right(made);
    }
  }
  CU_ASSERT_TRUE(num_nested > 20 && num_others > 20);
  CU_ASSERT_TRUE(num_chained > 20 && num_right == num_chained);
  greedy_case_free(made);
}

/* Whether all arcs hold that cross no doubtful step. */
static bool arcs_hold(const dorm__merge *merge, double tolerance)
{
  size_t lowest = merge->doubtful.lowest, highest = merge->doubtful.highest;
  for (size_t x = 0; x < merge->count; x++)
    for (size_t y = 0; y < merge->count; y++) {
      size_t first = x < y ? x : y, last = x < y ? y : x;
      bool is_doubtful = lowest <= highest && first <= highest && last > lowest;
      double gain = (merge->c[y] - merge->c[x]) * merge->score_at[x] -
                    (merge->a[y] - merge->a[x]) * merge->gain[merge->sequence[x]];
      if (!is_doubtful && merge->potential[x] + gain > merge->potential[y] + tolerance)
        return false;
    }
  return true;
}

/* The first and the last doubtful position are those where greed did not take the best set, and arcs elsewhere hold. */
UNIT_TEST(thresholds_hold_but_for_doubtful_steps)
{
  greedy_case *made = greedy_case_new();
  dorm__random random = unit_random(0);
  size_t num_doubtful = 0, num_sure = 0;
  bool holds = true;
  for (int i = 0; i < 1500; i++) {
    size_t num_docs = 2 + dorm__random_below(&random, 60), lowest = SIZE_MAX, highest = 0;
    if (!draw(made, &random, num_docs, 2 + dorm__random_below(&random, 9)))
      continue;
    merge_plainly(made);
    memcpy(made->sequence, made->plain, num_docs);
    dorm__merge *merge = &made->task.merge;
    dorm__merge_start(merge);
    for (size_t p = 0; p < num_docs; p++)
      if (!made->is_best_set[p]) {
        lowest = lowest < p ? lowest : p;
        highest = p;
      }
    CU_ASSERT_EQUAL(merge->doubtful.lowest, lowest);
    CU_ASSERT_EQUAL(merge->doubtful.highest, highest);
    holds &= arcs_hold(merge, 1e-12 * (double)num_docs * oracle_case_scale(made->tables));
    num_doubtful += lowest <= highest;
    num_sure += lowest > highest;
  }
  CU_ASSERT_TRUE(holds);
  CU_ASSERT_TRUE(num_doubtful > 100 && num_sure > 100);
  greedy_case_free(made);
}

/* Exchanges documents of different runs at a few positions near each other, and raises some potentials there. */
static void disturb(dorm__merge *merge, dorm__random *random)
{
  size_t first = dorm__random_below(random, merge->count), reach = merge->count - first < 6 ? merge->count - first : 6;
  for (int i = 0; i < 3; i++) {
    size_t x = first + dorm__random_below(random, reach), y = first + dorm__random_below(random, reach);
    uint8_t run = merge->sequence[x];
    merge->sequence[x] = merge->sequence[y];
    merge->sequence[y] = run;
    merge->potential[x] += dorm__random_normal(random);
    dorm__doubt(merge, x);
    dorm__doubt(merge, y);
  }
}

/* Renewing where documents moved and potentials were raised gives what starting anew does. */
UNIT_TEST(renewing_is_starting)
{
  greedy_case *made = greedy_case_new();
  static double potential[MOST_DOCS], score_at[MOST_DOCS];
  static uint32_t positions[MOST_DOCS];
  dorm__random random = unit_random(0);
  for (int i = 0; i < 600; i++) {
    size_t num_docs = 2 + dorm__random_below(&random, 60);
    if (!draw(made, &random, num_docs, 2 + dorm__random_below(&random, 9)))
      continue;
    merge_plainly(made);
    memcpy(made->sequence, made->plain, num_docs);
    dorm__merge *merge = &made->task.merge;
    double tolerance = 1e-12 * (double)num_docs * oracle_case_scale(made->tables);
    dorm__merge_start(merge);
    for (int turn = 0; turn < 4; turn++) {
      disturb(merge, &random);
      dorm__merge_renew(merge);
      memcpy(potential, merge->potential, num_docs * sizeof *potential);
      memcpy(score_at, merge->score_at, num_docs * sizeof *score_at);
      memcpy(positions, merge->positions, num_docs * sizeof *positions);
      dorm__doubtful renewed = merge->doubtful;
      dorm__merge_start(merge);
      CU_ASSERT_EQUAL(memcmp(score_at, merge->score_at, num_docs * sizeof *score_at), 0);
      CU_ASSERT_EQUAL(memcmp(positions, merge->positions, num_docs * sizeof *positions), 0);
      CU_ASSERT_EQUAL(renewed.lowest, merge->doubtful.lowest);
      CU_ASSERT_EQUAL(renewed.highest, merge->doubtful.highest);
      for (size_t p = 1; p < num_docs; p++)
        CU_ASSERT_DOUBLE_EQUAL(potential[p] - potential[0], merge->potential[p] - merge->potential[0], tolerance);
    }
  }
  greedy_case_free(made);
}
