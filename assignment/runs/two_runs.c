/* two_runs.c: the best merge of two runs of documents, each with one gain and sorted by score, exactly and in
 * near-linear time.
 *
 * Let S_p be the documents at the p best positions, n_p of them from run 0. By Abel summation the value of a merge is,
 * up to a constant,
 *
 *   sum_p h_p(n_p),   h_p(n) = (c[p-1] - c[p]) G_p(n) - (a[p-1] - a[p]) B_p(n)
 *
 * with G_p(n), B_p(n) the sums of scores and gains over the first n documents of run 0 and the first p - n of run 1.
 * h_p is concave, as prefix sums of falling scores are. So
 *
 *   V_p(n) = h_p(n) + max(V_{p-1}(n), V_{p-1}(n - 1)),   p = 1 .. count - 1,
 *
 * stays concave. Its slopes D_p(n) = V_p(n) - V_p(n - 1) fall in n. For these the max inserts one slope 0 at the change
 * of sign, and adding h_p adds
 *
 *   (c[p-1] - c[p]) (s0[n] - s1[p - n + 1]) - (a[p-1] - a[p]) (B0 - B1)
 *
 * to slope n. Here s0 and s1 are the scores of the runs (documents counted from 1) and B0 and B1 their gains. Only the
 * place M_p of the change of sign, the argmax of V_p, is needed to read the best merge backwards. n_count is the length
 * of run 0, and n_p = n_{p+1} if M_p >= n_{p+1}, else n_{p+1} - 1.
 *
 * Two stacks hold the slopes: those >= 0 by n, those <= 0 by r = p - n + 1 (both numbers stay constant as p grows). A
 * slope below the top of its stack is not updated. It stores the p for which it was computed, and catches up by one dot
 * product when it becomes the top. Linear memory. Time O(count) plus the terms of these dot products: about one per
 * position for smooth tables and never more than count^2 / 2. */
#include "assignment/runs/merge.h"
#include "assignment/runs/runs.h"

#include <math.h>

enum { LANES = 4 };

typedef struct merge_state {
  const dorm__two_runs *runs;
  const dorm__two_runs_scratch *stacks;
  size_t position; /* p */
} merge_state;

/* The sum over u = from + 1 .. to of (c[u-1] - c[u]) s[u - from - 1], several terms at a time for vector units. */
static double shifted_sum(const double *c, size_t from, size_t to, const double *s)
{
  double sums[LANES] = {0};
  size_t u = from;
  for (; u + LANES <= to; u += LANES)
    for (size_t lane = 0; lane < LANES; lane++)
      sums[lane] += (c[u + lane] - c[u + lane + 1]) * s[u + lane - from];
  for (; u < to; u++)
    sums[0] += (c[u] - c[u + 1]) * s[u - from];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/* The current value of slope n (from 1) of the left stack, whose slopes are >= 0. */
static double left_slope(const merge_state *state, size_t n)
{
  const dorm__two_runs *runs = state->runs;
  size_t then = state->stacks->left_position[n], now = state->position;
  if (then == now)
    return state->stacks->left[n];
  double fall = runs->c[then] - runs->c[now];
  double other = then + 1 == now ? fall * runs->scores[1][now - n]
                                 : shifted_sum(runs->c, then, now, runs->scores[1] + (then + 1 - n));
  return state->stacks->left[n] + runs->scores[0][n - 1] * fall -
         runs->gain_difference * (runs->a[then] - runs->a[now]) - other;
}

/* The current value of slope r = p - n + 1 of the right stack, whose slopes are <= 0. */
static double right_slope(const merge_state *state, size_t r)
{
  const dorm__two_runs *runs = state->runs;
  size_t then = state->stacks->right_position[r], now = state->position;
  if (then == now)
    return state->stacks->right[r];
  double fall = runs->c[then] - runs->c[now];
  double other = then + 1 == now ? fall * runs->scores[0][now - r]
                                 : shifted_sum(runs->c, then, now, runs->scores[0] + (then + 1 - r));
  return state->stacks->right[r] - runs->scores[1][r - 1] * fall -
         runs->gain_difference * (runs->a[then] - runs->a[now]) + other;
}

static void push_left(const merge_state *state, size_t n, double slope)
{
  if (n > state->runs->count[0])
    return;
  state->stacks->left[n] = slope;
  state->stacks->left_position[n] = (uint32_t)state->position;
}

static void push_right(const merge_state *state, size_t r, double slope)
{
  if (r > state->runs->count[1])
    return;
  state->stacks->right[r] = slope;
  state->stacks->right_position[r] = (uint32_t)state->position;
}

/* M_p from M_{p-1} = argmax: inserts the new slope, then moves tops that changed sign to the other stack. */
static size_t next_argmax(const merge_state *state, size_t argmax)
{
  const dorm__two_runs *runs = state->runs;
  size_t p = state->position, count0 = runs->count[0], count1 = runs->count[1];
  size_t n = argmax + 1, r = p - argmax;
  double slope;
  if (n > count0)
    slope = -INFINITY;
  else if (r > count1)
    slope = INFINITY;
  else
    slope = (runs->c[p - 1] - runs->c[p]) * (runs->scores[0][n - 1] - runs->scores[1][r - 1]) -
            (runs->a[p - 1] - runs->a[p]) * runs->gain_difference;
  if (slope >= 0) {
    push_left(state, n, slope);
    argmax = n;
    while (argmax < p && argmax + 1 <= count0) {
      size_t top = p - argmax;
      double value = top > count1 ? 1 : right_slope(state, top);
      if (!(value > 0)) {
        push_right(state, top, value);
        break;
      }
      push_left(state, ++argmax, value);
    }
  } else {
    push_right(state, r, slope);
    while (argmax >= 1 && p - argmax + 1 <= count1) {
      double value = left_slope(state, argmax);
      if (!(value < 0)) {
        push_left(state, argmax, value);
        break;
      }
      push_right(state, p - argmax + 1, value);
      argmax--;
    }
  }
  return argmax;
}

void dorm__two_runs_merge(const dorm__two_runs *runs, const dorm__two_runs_scratch *scratch, uint8_t *run_at)
{
  size_t count = runs->count[0] + runs->count[1];
  merge_state state = {.runs = runs, .stacks = scratch};
  size_t argmax = 0;
  scratch->argmax[0] = 0;
  for (size_t p = 1; p < count; p++) {
    state.position = p;
    argmax = next_argmax(&state, argmax);
    scratch->argmax[p] = (uint32_t)argmax;
  }
  size_t taken = runs->count[0];
  for (size_t p = count; p-- > 0;) {
    bool is_run_1 = scratch->argmax[p] >= taken;
    run_at[p] = is_run_1;
    taken -= !is_run_1;
  }
}
