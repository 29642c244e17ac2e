/* merge_test.c: the parts of merging runs, each against a plain computation of the same. */
#include "assignment/runs/merge.h"
#include "assignment/runs/runs.h"
#include "tests/unit/oracle_cases.h"
#include "tests/unit/unit.h"

enum { MOST_DOCS = 60, MOST_RUNS = 3 };

/* Everything that a merge needs; draw() fills it at random. */
typedef struct merge_case {
  oracle_case *tables;
  dorm__merge merge;
  dorm__pair_scratch pairs;
  dorm__cycle_scratch cycles;
  double scores[MOST_RUNS][MOST_DOCS];
  double tolerance;
  void *blocks[32];
  size_t num_blocks;
} merge_case;

/* Zeros that live as long as the case. */
static void *need(merge_case *made, size_t count, size_t size)
{
  CU_ASSERT_FATAL(made->num_blocks < sizeof made->blocks / sizeof *made->blocks);
  return made->blocks[made->num_blocks++] = unit_alloc(count, size);
}

static merge_case *merge_case_new(void)
{
  enum { SIZE = MOST_RUNS * MOST_DOCS + 1 };
  merge_case *made = unit_alloc(1, sizeof *made);
  made->tables = oracle_case_new();
  made->merge.sequence = need(made, SIZE, 1);
  made->merge.score_at = need(made, SIZE, sizeof(double));
  made->merge.potential = need(made, SIZE, sizeof(double));
  made->merge.positions = need(made, SIZE, sizeof(uint32_t));
  made->pairs.two_runs.left = need(made, SIZE, sizeof(double));
  made->pairs.two_runs.right = need(made, SIZE, sizeof(double));
  made->pairs.two_runs.left_position = need(made, SIZE, sizeof(uint32_t));
  made->pairs.two_runs.right_position = need(made, SIZE, sizeof(uint32_t));
  made->pairs.two_runs.argmax = need(made, SIZE, sizeof(uint32_t));
  made->pairs.a = need(made, SIZE, sizeof(double));
  made->pairs.c = need(made, SIZE, sizeof(double));
  made->pairs.places = need(made, SIZE, sizeof(uint32_t));
  made->pairs.run_at = need(made, SIZE, 1);
  made->pairs.merged = need(made, DORM__MOST_LEVELS * DORM__MOST_LEVELS, sizeof(uint32_t));
  made->pairs.changed = need(made, DORM__MOST_LEVELS, sizeof(uint32_t));
  made->cycles.parent = need(made, SIZE, sizeof(uint32_t));
  made->cycles.visit = need(made, SIZE, sizeof(uint32_t));
  made->cycles.next_run = need(made, SIZE, 1);
  return made;
}

static void merge_case_free(merge_case *made)
{
  while (made->num_blocks)
    free(made->blocks[--made->num_blocks]);
  oracle_case_free(made->tables);
  free(made);
}

/* Draws tables of any loss, runs of these lengths, and a sequence in random order. */
static void draw(merge_case *made, dorm__random *random, size_t num_runs, const size_t *lengths)
{
  size_t count = 0;
  for (size_t q = 0; q < num_runs; q++)
    count += lengths[q];
  oracle_case_draw(made->tables, random, count, 3);
  dorm__merge *merge = &made->merge;
  merge->count = count;
  merge->num_runs = num_runs;
  merge->a = made->tables->a;
  merge->c = made->tables->c;
  size_t at = 0;
  double largest = 0, highest = 0;
  for (size_t q = 0; q < num_runs; q++) {
    merge->gain[q] = dorm__random_normal(random);
    merge->length[q] = (uint32_t)lengths[q];
    merge->scores[q] = made->scores[q];
    for (size_t i = 0; i < lengths[q]; i++, at++) {
      made->scores[q][i] = made->tables->g[at];
      merge->sequence[at] = (uint8_t)q;
      largest = fmax(largest, fabs(made->scores[q][i]));
    }
    highest = fmax(highest, fabs(merge->gain[q]));
    dorm__sort_values(lengths[q], made->scores[q]);
  }
  for (size_t i = count; i > 1; i--) {
    size_t other = dorm__random_below(random, i);
    uint8_t run = merge->sequence[i - 1];
    merge->sequence[i - 1] = merge->sequence[other];
    merge->sequence[other] = run;
  }
  double most_c = fmax(fabs(merge->c[0]), fabs(merge->c[count - 1]));
  double most_a = fmax(fabs(merge->a[0]), fabs(merge->a[count - 1]));
  merge->tolerance = 4e-15 * (most_c * largest + most_a * highest);
  made->tolerance = 1e3 * (double)count * merge->tolerance + 1e-300;
}

static double value_of(const dorm__merge *merge, const uint8_t *sequence)
{
  size_t taken[MOST_RUNS] = {0};
  double value = 0;
  for (size_t p = 0; p < merge->count; p++) {
    size_t q = sequence[p];
    value += merge->c[p] * merge->scores[q][taken[q]++] - merge->a[p] * merge->gain[q];
  }
  return value;
}

/* The best value over all merges of three runs, by dynamic programming over the
 * numbers taken of each. */
static double best_value(const dorm__merge *merge)
{
  size_t n[3] = {merge->length[0], merge->length[1], merge->num_runs > 2 ? merge->length[2] : 0};
  double *best = unit_alloc((n[0] + 1) * (n[1] + 1) * (n[2] + 1), sizeof *best);
  size_t steps[3] = {(n[1] + 1) * (n[2] + 1), n[2] + 1, 1};
  for (size_t x = 0; x <= n[0]; x++)
    for (size_t y = 0; y <= n[1]; y++)
      for (size_t z = 0; z <= n[2]; z++) {
        size_t taken[3] = {x, y, z}, p = x + y + z, here = x * steps[0] + y * steps[1] + z;
        best[here] = p == 0 ? 0 : -INFINITY;
        for (size_t q = 0; q < 3; q++)
          if (taken[q] > 0)
            best[here] = fmax(best[here], best[here - steps[q]] + merge->c[p - 1] * merge->scores[q][taken[q] - 1] -
                                              merge->a[p - 1] * merge->gain[q]);
      }
  double result = best[n[0] * steps[0] + n[1] * steps[1] + n[2]];
  free(best);
  return result;
}

UNIT_TEST(two_runs_are_merged_the_best_way)
{
  merge_case *made = merge_case_new();
  dorm__random random = unit_random(0);
  bool good = true;
  for (int i = 0; i < 4000; i++) {
    size_t most = i % 20 ? 12 : MOST_DOCS;
    size_t lengths[2] = {dorm__random_below(&random, most + 1), dorm__random_below(&random, most + 1)};
    if (lengths[0] + lengths[1] == 0)
      continue;
    draw(made, &random, 2, lengths);
    const dorm__merge *merge = &made->merge;
    dorm__two_runs runs = {.count = {lengths[0], lengths[1]},
                           .scores = {merge->scores[0], merge->scores[1]},
                           .gain_difference = merge->gain[0] - merge->gain[1],
                           .a = merge->a,
                           .c = merge->c};
    dorm__two_runs_merge(&runs, &made->pairs.two_runs, made->pairs.run_at);
    size_t ones = 0;
    for (size_t p = 0; p < merge->count; p++)
      ones += made->pairs.run_at[p];
    CU_ASSERT_EQUAL_FATAL(ones, lengths[1]);
    good &= fabs(value_of(merge, made->pairs.run_at) - best_value(merge)) <= made->tolerance;
  }
  CU_ASSERT_TRUE(good);
  merge_case_free(made);
}

/* Whether the potentials, which were found on few arcs, hold on all of them, as the lemma of certificate.c says. */
static bool holds_on_all_arcs(const merge_case *made)
{
  const dorm__merge *merge = &made->merge;
  for (size_t x = 0; x < merge->count; x++)
    for (size_t y = 0; y < merge->count; y++) {
      double gain = (merge->c[y] - merge->c[x]) * merge->score_at[x] -
                    (merge->a[y] - merge->a[x]) * merge->gain[merge->sequence[x]];
      if (merge->potential[x] + gain > merge->potential[y] + made->tolerance)
        return false;
    }
  return true;
}

UNIT_TEST(cycles_lead_to_a_proof)
{
  merge_case *made = merge_case_new();
  dorm__random random = unit_random(0);
  bool rises = true, is_best = true, holds = true, agrees = true;
  for (int i = 0; i < 1500; i++) {
    size_t most = i % 50 ? 8 : 20, lengths[3];
    for (size_t q = 0; q < 3; q++)
      lengths[q] = 1 + dorm__random_below(&random, most);
    draw(made, &random, 3, lengths);
    dorm__merge *merge = &made->merge;
    double before = value_of(merge, merge->sequence), best = best_value(merge);
    merge->by_midpoints = i / 50 % 2;
    dorm__merge_start(merge);
    bool was_best = dorm__merge_is_proved(merge, &made->cycles, 3000);
    agrees &= !was_best || fabs(before - best) <= made->tolerance;
    dorm__merge_start(merge);
    CU_ASSERT_TRUE_FATAL(dorm__merge_cancel_cycles(merge, &made->cycles, 100000));
    double after = value_of(merge, merge->sequence);
    rises &= after >= before - made->tolerance;
    is_best &= fabs(after - best) <= made->tolerance;
    holds &= holds_on_all_arcs(made);
    dorm__merge_start(merge);
    holds &= dorm__merge_is_proved(merge, &made->cycles, 3000);
  }
  CU_ASSERT_TRUE(rises);
  CU_ASSERT_TRUE(is_best);
  CU_ASSERT_TRUE(holds);
  CU_ASSERT_TRUE(agrees);
  merge_case_free(made);
}

/* Between neighbours a potential rises by the middle of what the moves there and back allow, each from the definition
 * of what a move gains. */
UNIT_TEST(midpoints_lie_between_both_moves)
{
  merge_case *made = merge_case_new();
  dorm__random random = unit_random(0);
  bool good = true;
  for (int i = 0; i < 200; i++) {
    size_t lengths[3];
    for (size_t q = 0; q < 3; q++)
      lengths[q] = 1 + dorm__random_below(&random, 6);
    draw(made, &random, 3, lengths);
    dorm__merge *merge = &made->merge;
    dorm__merge_refresh(merge);
    dorm__merge_midpoints(merge);
    for (size_t p = 1; p < merge->count; p++) {
      double fall_of_c = merge->c[p - 1] - merge->c[p], fall_of_a = merge->a[p - 1] - merge->a[p];
      double down = -fall_of_c * merge->score_at[p - 1] + fall_of_a * merge->gain[merge->sequence[p - 1]];
      double up = fall_of_c * merge->score_at[p] - fall_of_a * merge->gain[merge->sequence[p]];
      good &= fabs(merge->potential[p] - merge->potential[p - 1] - (down - up) / 2) <= made->tolerance;
    }
  }
  CU_ASSERT_TRUE(good);
  merge_case_free(made);
}

UNIT_TEST(pair_merges_only_gain)
{
  merge_case *made = merge_case_new();
  dorm__random random = unit_random(0);
  size_t best_of_all = 0, num_cases = 500;
  bool rises = true;
  for (size_t i = 0; i < num_cases; i++) {
    size_t lengths[3];
    for (size_t q = 0; q < 3; q++)
      lengths[q] = 1 + dorm__random_below(&random, 20);
    draw(made, &random, 3, lengths);
    dorm__merge *merge = &made->merge;
    double before = value_of(merge, merge->sequence), best = best_value(merge);
    dorm__merge_start(merge);
    size_t first = dorm__random_below(&random, 2) ? 0 : merge->count / 3, end = merge->count;
    dorm__merge_pairs(merge, &made->pairs, &first, &end);
    double after = value_of(merge, merge->sequence);
    rises &= after >= before - made->tolerance && after <= best + made->tolerance;
    best_of_all += after >= best - made->tolerance;
  }
  CU_ASSERT_TRUE(rises);
  CU_ASSERT_TRUE(best_of_all > num_cases / 2);
  merge_case_free(made);
}

/* A truncated merge, as merge_runs.c sets it up: runs of documents numbered run after run, a window that is shorter
 * than the query, and in its head documents that were drawn at random. */
typedef struct tail_case {
  dorm__oracle_call call;
  dorm__levels levels;
  dorm__ranked ranked;
  dorm__merge_scratch scratch;
  dorm__merge_task task;
  double gain[DORM__MOST_LEVELS], b[MOST_RUNS * MOST_DOCS], g[MOST_RUNS * MOST_DOCS];
  uint32_t size[DORM__MOST_LEVELS], start[DORM__MOST_LEVELS];
  uint8_t level_of[MOST_RUNS * MOST_DOCS];
  uint32_t ranked_docs[MOST_RUNS * MOST_DOCS], docs[MOST_RUNS * MOST_DOCS], ranks[MOST_RUNS * MOST_DOCS];
  double ranked_scores[MOST_RUNS * MOST_DOCS], scores[MOST_RUNS * MOST_DOCS];
} tail_case;

/* Draws scores of a size that the gains can outweigh, of any sign, and a table a that is constant from `head` on. */
static void draw_truncated(merge_case *made, dorm__random *random, const size_t *lengths, size_t head)
{
  draw(made, random, 3, lengths);
  dorm__merge *merge = &made->merge;
  double scale = exp(dorm__random_normal(random)), offset = dorm__random_normal(random);
  for (size_t q = 0; q < 3; q++) {
    for (size_t i = 0; i < lengths[q]; i++)
      made->scores[q][i] = scale * (dorm__random_normal(random) + offset);
    dorm__sort_values(lengths[q], made->scores[q]);
  }
  for (size_t p = 0; p < merge->count; p++) {
    made->tables->a[p] = p < head ? (double)(head - p) / (double)head : 0;
    made->tables->c[p] = pow((double)p + 1, -0.5);
  }
  merge->tolerance = 1e-14 * (scale + 1);
  made->tolerance = 1e-10 * (scale + 1);
}

static void set_up_tail(const merge_case *made, size_t head, size_t window, tail_case *tail)
{
  size_t n = made->merge.count;
  memset(tail, 0, sizeof *tail);
  for (size_t q = 0, doc = 0; q < 3; q++) {
    tail->start[q] = (uint32_t)doc;
    tail->size[q] = made->merge.length[q];
    tail->gain[q] = made->merge.gain[q];
    for (size_t i = 0; i < tail->size[q]; i++, doc++) {
      tail->level_of[doc] = (uint8_t)q;
      tail->b[doc] = tail->gain[q];
      tail->g[doc] = made->scores[q][i];
      size_t place = doc;
      for (; place > 0 && tail->ranked_scores[place - 1] < tail->g[doc]; place--) {
        tail->ranked_scores[place] = tail->ranked_scores[place - 1];
        tail->ranked_docs[place] = tail->ranked_docs[place - 1];
      }
      tail->ranked_scores[place] = tail->g[doc];
      tail->ranked_docs[place] = (uint32_t)doc;
    }
  }
  tail->call =
      (dorm__oracle_call){.num_docs = n, .a = made->merge.a, .b = tail->b, .c = made->merge.c, .g = tail->g, .t = 1};
  tail->levels = (dorm__levels){.count = 3, .gain = tail->gain, .size = tail->size, .level_of = tail->level_of};
  tail->ranked = (dorm__ranked){.docs = tail->ranked_docs, .scores = tail->ranked_scores};
  tail->scratch.runs =
      (dorm__runs){.start = tail->start, .docs = tail->docs, .ranks = tail->ranks, .scores = tail->scores};
  tail->task = (dorm__merge_task){.call = &tail->call,
                                  .levels = &tail->levels,
                                  .ranked = &tail->ranked,
                                  .scratch = &tail->scratch,
                                  .truncation = head,
                                  .merge = made->merge};
  memcpy(tail->task.size, tail->size, sizeof tail->size);
  for (size_t q = 0; q < 3; q++)
    tail->task.merge.scores[q] = tail->scores + tail->start[q];
  dorm__merge_find_ranks(&tail->task, n);
  tail->task.merge.count = window;
  dorm__merge_fill_by_score(&tail->task, head); /* the head of made->merge is in random order */
}

static double value_of_order(const dorm__oracle_call *call, const uint32_t *order)
{
  double value = 0;
  for (size_t p = 0; p < call->num_docs; p++)
    value += dorm__oracle_gain(call, order[p], p);
  return value;
}

/* A window whose own merge is the best need not hold the right documents: whenever the proof extends to the documents
 * after it, the whole ranking must be the best, and where the ranking is the best, the proof mostly extends. */
UNIT_TEST(tails_are_proved_where_the_whole_is_best)
{
  enum { NUM_CASES = 6000 };
  merge_case *made = merge_case_new();
  tail_case *tail = unit_alloc(1, sizeof *tail);
  dorm__random random = unit_random(0);
  size_t proved = 0, best_windows = 0, wrong = 0;
  for (int i = 0; i < NUM_CASES; i++) {
    size_t lengths[3], head = 1 + dorm__random_below(&random, 3), n = 0;
    for (size_t q = 0; q < 3; q++)
      n += lengths[q] = 2 + dorm__random_below(&random, 5);
    draw_truncated(made, &random, lengths, head);
    double best = best_value(&made->merge);
    set_up_tail(made, head, head + 1 + dorm__random_below(&random, n - head - 1), tail);
    dorm__merge *merge = &tail->task.merge;
    dorm__merge_start(merge);
    if (!dorm__merge_cancel_cycles(merge, &made->cycles, 100000))
      continue;
    bool is_sorted = true; /* what merge_runs.c sees to where c is flat */
    for (size_t p = head + 1; p < merge->count; p++)
      is_sorted &= merge->score_at[p] <= merge->score_at[p - 1];
    if (!is_sorted)
      continue;
    uint32_t order[MOST_RUNS * MOST_DOCS];
    dorm__merge_write_order(&tail->task, order);
    CU_ASSERT_TRUE_FATAL(oracle_case_is_permutation(n, order));
    bool is_best = fabs(value_of_order(&tail->call, order) - best) <= made->tolerance;
    bool is_proved = dorm__merge_tail_is_proved(&tail->task);
    best_windows += is_best;
    proved += is_proved;
    wrong += is_proved && !is_best;
  }
  CU_ASSERT_EQUAL(wrong, 0);
  CU_ASSERT_TRUE(best_windows > NUM_CASES / 4 && best_windows < NUM_CASES);
  CU_ASSERT_TRUE(5 * proved > 4 * best_windows);
  free(tail);
  merge_case_free(made);
}

UNIT_TEST(levels_are_distinct_gains)
{
  double b[100], gain[DORM__MOST_LEVELS];
  uint8_t level_of[100];
  uint32_t size[DORM__MOST_LEVELS];
  for (size_t j = 0; j < 100; j++)
    b[j] = (double)(j % 64) / 3;
  CU_ASSERT_EQUAL(dorm__levels_find(100, b, level_of, gain, size), 64);
  for (size_t j = 0; j < 100; j++)
    CU_ASSERT_EQUAL(gain[level_of[j]], b[j]);
  CU_ASSERT_EQUAL(size[0], 2);
  CU_ASSERT_EQUAL(size[40], 1);
  b[99] = -1; /* a 65th value */
  CU_ASSERT_EQUAL(dorm__levels_find(100, b, level_of, gain, size), 0);
}
