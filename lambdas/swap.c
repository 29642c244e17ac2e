/*
 * swap.c: ΔM of a swap. The documents at positions p < q (from 0), with gains b_p and b_q, change places:
 *
 *   product     (a[p] - a[q]) (b_q - b_p)
 *   costs       the four entries cost[i][p] + cost[j][q] - cost[i][q] - cost[j][p] of i at p and j at q
 *   precisions  (Donmez, Svore and Burges 2009, equation 9) for q relevant and p not
 *                   1/R [(n + 1)/(p + 1) - m/(q + 1) + sum of 1/(k + 1) over relevant p < k < q]
 *               with n relevant documents above p, and m at q or above it. If p is relevant and q not, the same with
 *               the opposite sign, since this swap undoes one of the first kind. Terms of positions past the
 *               truncation are 0.
 *   first       (ibid., equation 11) 1/(r' + 1) - 1/(r + 1) for the first relevant position, r before the swap and r'
 *               after it. If q is relevant and p < r, r' = p (the paper's case). If p = r and q is not relevant, r' is
 *               the smaller of q and the second relevant position.
 *   cascade     with the chances b to satisfy, P[p] = prod_{k < p} (1 - b_k), and, from the documents between p and q,
 *               R = prod_{p < k < q} (1 - b_k) and S = sum_{p < k < q} b_k / (k + 1) prod_{p < m < k} (1 - b_m):
 *                   P[p] (b_p - b_q) (S + R/(q + 1) - 1/(p + 1)),
 *               positions after q keep their value, since the product up to there is the same.
 *   pairs       let u be the level at p and v the level at q. If u > v, the number of pairs in the wrong order grows by
 *                   1 + #(v <= w < u) + #(v < w <= u),
 *               in which # counts the documents between p and q by their level w. If u < v, it falls by the same
 *               expression with u and v exchanged.
 *
 * Groups and subtopics (target.h) begin with the amount 1. Each document takes its share of the amounts that the
 * documents above have left of its groups or subtopics. It also passes a state to the document below. In precisions the
 * state is 1 + the number of relevant documents, in first and cascade the product of 1 - b. Terms are recomputed from p
 * to q, and further down until the state is the same as before the swap. If groups overlap, all terms from p on are
 * recomputed.
 */
#include "lambdas/swap.h"

#include <math.h>
#include <string.h>

void dorm__swap_alloc(const dorm__target *target, size_t max_docs, dorm__region *memory, dorm__swap *swap)
{
  const dorm__target_sizes *sizes = &target->sizes;
  swap->b = dorm__region_take(memory, max_docs, sizeof *swap->b);
  swap->before = dorm__region_take(memory, max_docs + 1, sizeof *swap->before);
  swap->worth = dorm__region_take(memory, max_docs + 1, sizeof *swap->worth);
  swap->counts = dorm__region_take(memory, max_docs + 1, sizes->levels * sizeof *swap->counts);
  swap->above = dorm__region_take(memory, sizes->lists, sizeof *swap->above);
  swap->left = dorm__region_take(memory, sizes->lists, sizeof *swap->left);
  swap->trial_of = dorm__region_take(memory, sizes->lists, sizeof *swap->trial_of);
}

/* ---- A ranking ------------------------------------------------------------------------ */

/* Sets before[p] to the number of relevant documents above p, and worth[p] to the sum of 1/(k + 1) over the relevant
 * positions k < p within the truncation. */
static void begin_precisions(dorm__swap *swap)
{
  swap->before[0] = 0;
  swap->worth[0] = 0;
  for (size_t p = 0; p < swap->num_docs; p++) {
    swap->before[p + 1] = swap->before[p] + swap->b[p];
    swap->worth[p + 1] = swap->worth[p] + (p < swap->query->depth ? swap->b[p] / (double)(p + 1) : 0);
  }
}

static void begin_first(dorm__swap *swap)
{
  size_t p = 0;
  while (p < swap->num_docs && swap->b[p] == 0)
    p++;
  swap->first = p++;
  while (p < swap->num_docs && swap->b[p] == 0)
    p++;
  swap->second = p < swap->num_docs ? p : swap->num_docs;
  if (swap->first < swap->depth)
    swap->depth = swap->first + 1;
}

/* Sets before to P. */
static void begin_cascade(dorm__swap *swap)
{
  swap->before[0] = 1;
  for (size_t p = 0; p < swap->num_docs; p++)
    swap->before[p + 1] = swap->before[p] * (1 - swap->b[p]);
}

static void begin_pairs(dorm__swap *swap)
{
  size_t levels = swap->query->num_levels;
  memset(swap->counts, 0, levels * sizeof *swap->counts);
  for (size_t p = 0; p < swap->num_docs; p++) {
    uint32_t *here = swap->counts + p * levels;
    memcpy(here + levels, here, levels * sizeof *here);
    for (size_t w = (size_t)swap->b[p]; w < levels; w++)
      here[levels + w]++;
  }
}

/* ---- Groups and subtopics -------------------------------------------------------------------- */

/* Returns the amount of a group or subtopic that is left for the next document of the present trial, which the caller
 * may change. A trial begins at position `row`, with the amounts `above`. */
static double *left_of(dorm__swap *swap, size_t list)
{
  if (swap->trial_of[list] != swap->num_trials) {
    swap->trial_of[list] = swap->num_trials;
    swap->left[list] = swap->above[list];
  }
  return &swap->left[list];
}

static double gain_of_subtopics(dorm__swap *swap, size_t doc)
{
  const dorm__target_lists *lists = &swap->query->lists;
  double sum = 0;
  for (size_t e = lists->start[doc], end = lists->start[doc + 1]; e < end; e++) {
    double *left = left_of(swap, lists->numbers[e]);
    sum += lists->gains[e] * *left;
    *left *= 1 - lists->chances[e];
  }
  return sum;
}

/* Returns 0 if a document is a repeat. Otherwise uses up its groups and returns its b. */
static double gain_of_groups(dorm__swap *swap, size_t doc)
{
  const dorm__target_lists *lists = &swap->query->lists;
  bool repeats = false;
  for (size_t e = lists->start[doc], end = lists->start[doc + 1]; e < end; e++)
    repeats = repeats || *left_of(swap, lists->numbers[e]) == 0;
  for (size_t e = lists->start[doc], end = lists->start[doc + 1]; e < end && !repeats; e++)
    *left_of(swap, lists->numbers[e]) = 0;
  return repeats ? 0 : swap->query->b[doc];
}

/* Returns the amount that the next document of a trial, at position p, adds to the measure. *state is passed from
 * document to document, and is 1 at the top. Once it is 0, no document adds anything. */
static double term_of(dorm__swap *swap, size_t p, size_t doc, double *state)
{
  double b = swap->query->lists.gains ? gain_of_subtopics(swap, doc) : gain_of_groups(swap, doc);
  if (swap->query->a)
    return swap->query->a[p] * b;
  double term = b * *state * swap->query->scale / (double)(p + 1);
  *state = swap->form == DORM__TARGET_PRECISIONS ? *state + b : *state * (1 - b);
  return term;
}

static void restart_rows(dorm__swap *swap)
{
  for (size_t i = 0; i < swap->query->lists.count; i++)
    swap->above[i] = 1;
  swap->row = 0;
}

/* Sets before[p] to the state at position p and worth[p] to the term of its document. The depth of the swap becomes the
 * number of positions at which the state is not 0. */
static void begin_lists(dorm__swap *swap)
{
  double state = 1;
  memset(swap->trial_of, 0, swap->query->lists.count * sizeof *swap->trial_of);
  swap->num_trials = 1;
  swap->depth = 0;
  restart_rows(swap);
  for (size_t p = 0; p < swap->query->depth; p++) {
    swap->depth = state != 0 ? p + 1 : swap->depth;
    swap->before[p] = state;
    swap->worth[p] = term_of(swap, p, swap->order[p], &state);
  }
}

/* Moves `row` to p: sets `above` to the amounts that the documents above p leave. Begins at the top if p is above the
 * present row. O(entries of the documents passed). */
static void move_to_row(dorm__swap *swap, size_t p)
{
  const dorm__target_lists *lists = &swap->query->lists;
  if (p < swap->row)
    restart_rows(swap);
  for (; swap->row < p; swap->row++) {
    size_t doc = swap->order[swap->row];
    double state = 1;
    swap->num_trials++;
    term_of(swap, swap->row, doc, &state);
    for (size_t e = lists->start[doc]; e < lists->start[doc + 1]; e++)
      swap->above[lists->numbers[e]] = *left_of(swap, lists->numbers[e]);
  }
}

/* A sum with a bound on its rounding. A swap that does not change the measure must not become a pair with a force by
 * rounding. */
typedef struct rounded_sum {
  double value;
  double size; /* sum of the absolute values of the terms */
} rounded_sum;

static void add_term(rounded_sum *sum, double term)
{
  sum->value += term;
  sum->size += fabs(term);
}

static double sum_of(const rounded_sum *sum)
{
  static const double rounding = 1e-14;
  return fabs(sum->value) > rounding * sum->size ? sum->value : 0;
}

/* Returns the change by the swap of p and q. Recomputes the terms from p on that the swap may change. */
static double change_of_lists(dorm__swap *swap, size_t p, size_t q)
{
  size_t depth = swap->query->depth;
  bool overlap = swap->query->lists.overlap;
  double state = swap->before[p];
  rounded_sum sum = {0};
  swap->num_trials++;
  for (size_t x = p; x < depth; x++) {
    if (state == swap->before[x] && (state == 0 || (x > q && !overlap)))
      break;
    double term = term_of(swap, x, swap->order[x == p ? q : x == q ? p : x], &state);
    if (term != swap->worth[x]) {
      add_term(&sum, term);
      add_term(&sum, -swap->worth[x]);
    }
  }
  return sum_of(&sum);
}

void dorm__swap_begin(const dorm__target *target, size_t query, const uint32_t *order, dorm__swap *swap)
{
  swap->query = &target->queries[query];
  swap->form = target->form;
  swap->order = order;
  swap->num_docs = swap->query->num_docs;
  swap->depth = swap->query->depth;
  for (size_t p = 0; swap->query->b && p < swap->num_docs; p++)
    swap->b[p] = swap->query->b[order[p]];
  if (swap->query->lists.count)
    begin_lists(swap);
  else if (swap->form == DORM__TARGET_PRECISIONS)
    begin_precisions(swap);
  else if (swap->form == DORM__TARGET_FIRST)
    begin_first(swap);
  else if (swap->form == DORM__TARGET_CASCADE)
    begin_cascade(swap);
  else if (swap->form == DORM__TARGET_PAIRS)
    begin_pairs(swap);
}

/* ---- Rows -------------------------------------------------------------------------------- */

DORM__WIDE_VECTORS
static void product_row(size_t count, double a, double b, const double *restrict as, const double *restrict bs,
                        double *restrict change)
{
  for (size_t i = 0; i < count; i++)
    change[i] = (a - as[i]) * (bs[i] - b);
}

static void costs_row(const dorm__swap *swap, size_t p, size_t end, double *change)
{
  size_t num_docs = swap->num_docs;
  const double *upper = swap->query->cost + swap->order[p] * num_docs;
  for (size_t q = p + 1; q < end; q++) {
    const double *lower = swap->query->cost + swap->order[q] * num_docs;
    change[q - p - 1] = (upper[p] - upper[q]) + (lower[q] - lower[p]);
  }
}

static void precisions_row(const dorm__swap *swap, size_t p, size_t end, double *change)
{
  size_t depth = swap->query->depth;
  double at_p = p < depth ? (swap->before[p] + 1) / (double)(p + 1) : 0;
  for (size_t q = p + 1; q < end; q++) {
    double at_q = q < depth ? swap->before[q + 1] / (double)(q + 1) : 0;
    double between = swap->worth[q] - swap->worth[p + 1];
    change[q - p - 1] = (swap->b[q] - swap->b[p]) * (at_p - at_q + between) * swap->query->scale;
  }
}

static double reciprocal(const dorm__swap *swap, size_t position)
{
  return position < swap->query->depth ? 1 / (double)(position + 1) : 0;
}

static void first_row(const dorm__swap *swap, size_t p, size_t end, double *change)
{
  double now = reciprocal(swap, swap->first);
  for (size_t q = p + 1; q < end; q++) {
    size_t after = swap->first;
    if (p < swap->first && swap->b[q] > 0)
      after = p;
    else if (p == swap->first && swap->b[q] == 0)
      after = q < swap->second ? q : swap->second;
    change[q - p - 1] = after == swap->first ? 0 : reciprocal(swap, after) - now;
  }
}

static void cascade_row(const dorm__swap *swap, size_t p, size_t end, double *change)
{
  const double *b = swap->b;
  size_t depth = swap->query->depth;
  double at_p = p < depth ? 1 / (double)(p + 1) : 0;
  double rest = 1;
  double sum = 0;
  for (size_t q = p + 1; q < end; q++) {
    double at_q = q < depth ? rest / (double)(q + 1) : 0;
    change[q - p - 1] = swap->before[p] * (b[p] - b[q]) * (sum + at_q - at_p);
    sum += b[q] * at_q;
    rest *= 1 - b[q];
  }
}

static void pairs_row(const dorm__swap *swap, size_t p, size_t end, double *change)
{
  size_t levels = swap->query->num_levels;
  const uint32_t *above = swap->counts + (p + 1) * levels;
  size_t u = (size_t)swap->b[p];
  for (size_t q = p + 1; q < end; q++) {
    const uint32_t *here = swap->counts + q * levels;
    size_t v = (size_t)swap->b[q];
    size_t low = u < v ? u : v;
    size_t high = u < v ? v : u;
    if (low == high) {
      change[q - p - 1] = 0;
      continue;
    }
    /* documents between p and q: `below` with levels low .. high - 1, `over` with levels low + 1 .. high */
    uint32_t below = (here[high - 1] - above[high - 1]) - (low ? here[low - 1] - above[low - 1] : 0);
    uint32_t over = (here[high] - above[high]) - (here[low] - above[low]);
    double wrong = 1 + (double)below + (double)over;
    change[q - p - 1] = (u < v ? wrong : -wrong) * swap->query->scale;
  }
}

void dorm__swap_row(dorm__swap *swap, size_t p, size_t end, double *change)
{
  if (p >= swap->depth) {
    if (end > p + 1)
      memset(change, 0, (end - p - 1) * sizeof *change);
    return;
  }
  if (swap->query->lists.count) {
    move_to_row(swap, p);
    for (size_t q = p + 1; q < end; q++)
      change[q - p - 1] = change_of_lists(swap, p, q);
    return;
  }
  switch (swap->form) {
  case DORM__TARGET_PRODUCT:
    product_row(end - p - 1, swap->query->a[p], swap->b[p], swap->query->a + p + 1, swap->b + p + 1, change);
    break;
  case DORM__TARGET_COSTS:
    costs_row(swap, p, end, change);
    break;
  case DORM__TARGET_PRECISIONS:
    precisions_row(swap, p, end, change);
    break;
  case DORM__TARGET_FIRST:
    first_row(swap, p, end, change);
    break;
  case DORM__TARGET_CASCADE:
    cascade_row(swap, p, end, change);
    break;
  case DORM__TARGET_PAIRS:
    pairs_row(swap, p, end, change);
    break;
  case DORM__TARGET_SUBTOPICS:
  case DORM__TARGET_STRUCTURED:
    break;
  }
}
