/*
 * swap.c: ΔM of a swap. The documents at positions p < q (from 0), with gains b_p and b_q, change places:
 *
 *   product     (a[p] - a[q]) (b_q - b_p)
 *   costs       the four entries cost[i][p] + cost[j][q] - cost[i][q] - cost[j][p] of i at p and j at q
 *   precisions  (Donmez, Svore and Burges 2009, equation 9) for q relevant and p not
 *                   1/R [(n + 1)/(p + 1) - m/(q + 1) + sum of 1/(k + 1) over relevant p < k < q]
 *               with n relevant documents above p and m from the top down to q; for p relevant and q not, minus the
 *               same, since that swap undoes one of the first kind; terms of positions past the truncation are 0
 *   first       (ibid., equation 11) 1/(r' + 1) - 1/(r + 1) for the first relevant position r before and r' after. The
 *               paper's case is q relevant and p < r; where the document at p = r itself goes down, r' is the smaller
 *               one of q and the next relevant position.
 *   cascade     with the chances b to satisfy, P[p] = prod_{k < p} (1 - b_k), T[p] = sum_{k < p} b_k P[k] / (k + 1) and
 *               f = (1 - b_q) / (1 - b_p):
 *                   P[p] (b_q - b_p)/(p + 1) + (f - 1) (T[q] - T[p + 1]) + P[q] (f b_p - b_q)/(q + 1),
 *               positions after q keep their value, since the product up to there is the same
 *   pairs       with u and v the levels at p and q, u > v: 1 + #(v <= w < u) + #(v < w <= u) pairs over the levels w
 *               between p and q become wrong; for u < v as many become right
 *   subtopics   see subtopic_swap.c
 *
 * Where groups count once, b is 0 for repeats, and a swap may make some documents repeats and others none
 * (repeat_swap.c): b changes at several positions x_1 < x_2 < ..., to c. Each of the first four forms is then the sum
 * of what changes at these positions and between them:
 *
 *   product     a[x] (c - b)
 *   precisions  (c (n + c) - b (n' + b)) / (x + 1), n' relevant documents above x before and n after the swap, and
 *               (n - n') / (k + 1) for relevant k between two of the positions
 *   first       the first relevant position after the swap is the first of those that stay and those that become so
 *   cascade     P[x] (f c - b) / (x + 1) with f the product of (1 - c) / (1 - b) over the changed positions above x,
 * and (f - 1) times T between two of them
 */
#include "lambdas/swap.h"
#include "lambdas/rounded_sum.h"

#include <math.h>
#include <string.h>

bool dorm__swap_alloc(const dorm__target *target, size_t max_docs, dorm__swap *swap)
{
  size_t levels = dorm__target_sizes_of(target)->levels;
  *swap = (dorm__swap){0};
  swap->b = dorm__alloc(max_docs, sizeof *swap->b);
  swap->before = dorm__alloc(max_docs + 1, sizeof *swap->before);
  swap->worth = dorm__alloc(max_docs + 1, sizeof *swap->worth);
  if (!levels || levels <= SIZE_MAX / (max_docs + 1))
    swap->counts = dorm__alloc((max_docs + 1) * levels, sizeof *swap->counts);
  bool has_subtopics = dorm__subtopic_swap_alloc(target, &swap->subtopics);
  bool has_repeats = dorm__repeat_swap_alloc(target, max_docs, &swap->repeats);
  return has_subtopics && has_repeats && swap->b && swap->before && swap->worth && swap->counts;
}

void dorm__swap_free(dorm__swap *swap)
{
  dorm__free(swap->b);
  dorm__free(swap->before);
  dorm__free(swap->worth);
  dorm__free(swap->counts);
  dorm__subtopic_swap_free(&swap->subtopics);
  dorm__repeat_swap_free(&swap->repeats);
  *swap = (dorm__swap){0};
}

/* ---- A ranking ------------------------------------------------------------------------ */

/* before[p]: relevant documents above p; worth[p]: sum of 1/(k + 1) over relevant k < p that count. */
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

/* before: P; worth: T, without what is past the truncation. */
static void begin_cascade(dorm__swap *swap)
{
  swap->before[0] = 1;
  swap->worth[0] = 0;
  for (size_t p = 0; p < swap->num_docs; p++) {
    swap->before[p + 1] = swap->before[p] * (1 - swap->b[p]);
    swap->worth[p + 1] = swap->worth[p] + (p < swap->query->depth ? swap->b[p] * swap->before[p] / (double)(p + 1) : 0);
  }
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

void dorm__swap_begin(const dorm__target *target, size_t query, const uint32_t *order, dorm__swap *swap)
{
  swap->query = dorm__target_query_of(target, query);
  swap->form = dorm__target_form_of(target);
  swap->order = order;
  swap->num_docs = swap->query->num_docs;
  swap->depth = swap->query->depth;
  for (size_t p = 0; swap->query->b && p < swap->num_docs; p++)
    swap->b[p] = swap->query->b[order[p]];
  if (swap->query->groups.count)
    dorm__repeat_swap_begin(swap->query, order, swap->b, &swap->repeats);
  if (swap->form == DORM__TARGET_PRECISIONS)
    begin_precisions(swap);
  else if (swap->form == DORM__TARGET_FIRST)
    begin_first(swap);
  else if (swap->form == DORM__TARGET_CASCADE)
    begin_cascade(swap);
  else if (swap->form == DORM__TARGET_PAIRS)
    begin_pairs(swap);
  else if (swap->form == DORM__TARGET_SUBTOPICS)
    dorm__subtopic_swap_begin(swap->query, order, &swap->subtopics);
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
  for (size_t q = p + 1; q < end; q++) {
    double f = (1 - b[q]) / (1 - b[p]);
    double at_p = p < depth ? swap->before[p] * (b[q] - b[p]) / (double)(p + 1) : 0;
    double at_q = q < depth ? swap->before[q] * (f * b[p] - b[q]) / (double)(q + 1) : 0;
    change[q - p - 1] = b[p] == b[q] ? 0 : at_p + (f - 1) * (swap->worth[q] - swap->worth[p + 1]) + at_q;
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
    /* documents between p and q of levels low .. high - 1, and of low + 1 .. high */
    uint32_t below = (here[high - 1] - above[high - 1]) - (low ? here[low - 1] - above[low - 1] : 0);
    uint32_t over = (here[high] - above[high]) - (here[low] - above[low]);
    double wrong = 1 + (double)below + (double)over;
    change[q - p - 1] = (u < v ? wrong : -wrong) * swap->query->scale;
  }
}

/* ---- Several changed values -------------------------------------------------------------------- */

/* In all of these, swap->repeats has the `count` changed positions and what their values become. */

static double product_change(const dorm__swap *swap, size_t count)
{
  dorm__rounded_sum sum = {0};
  for (size_t i = 0; i < count; i++) {
    size_t x = swap->repeats.positions[i];
    dorm__rounded_sum_add(&sum, swap->query->a[x] * (swap->repeats.values[i] - swap->b[x]));
  }
  return dorm__rounded_sum_value(&sum);
}

static double precisions_change(const dorm__swap *swap, size_t count)
{
  dorm__rounded_sum sum = {0};
  double more = 0; /* relevant documents above, less those before the swap */
  size_t last = 0; /* one below the changed position above */
  for (size_t i = 0; i < count; i++) {
    size_t x = swap->repeats.positions[i];
    double b = swap->b[x];
    double c = swap->repeats.values[i];
    dorm__rounded_sum_add(&sum, more * (swap->worth[x] - swap->worth[last]));
    if (x < swap->query->depth)
      dorm__rounded_sum_add(&sum, (c * (swap->before[x] + more + c) - b * (swap->before[x] + b)) / (double)(x + 1));
    more += c - b;
    last = x + 1;
  }
  dorm__rounded_sum_add(&sum, more * (swap->worth[swap->num_docs] - swap->worth[last]));
  return dorm__rounded_sum_value(&sum) * swap->query->scale;
}

static double first_change(const dorm__swap *swap, size_t count)
{
  const dorm__repeat_swap *changed = &swap->repeats;
  size_t after = swap->num_docs;
  size_t i = 0;
  /* above both of these nothing is relevant, before and after the swap */
  size_t x = changed->positions[0] < swap->first ? changed->positions[0] : swap->first;
  for (; x < swap->num_docs && after == swap->num_docs; x++) {
    bool has_changed = i < count && changed->positions[i] == x;
    double b = has_changed ? changed->values[i++] : swap->b[x];
    after = b > 0 ? x : after;
  }
  return after == swap->first ? 0 : reciprocal(swap, after) - reciprocal(swap, swap->first);
}

static double cascade_change(const dorm__swap *swap, size_t count)
{
  dorm__rounded_sum sum = {0};
  double f = 1;
  size_t last = 0;
  for (size_t i = 0; i < count; i++) {
    size_t x = swap->repeats.positions[i];
    double b = swap->b[x];
    double c = swap->repeats.values[i];
    dorm__rounded_sum_add(&sum, (f - 1) * (swap->worth[x] - swap->worth[last]));
    if (x < swap->query->depth)
      dorm__rounded_sum_add(&sum, swap->before[x] * (f * c - b) / (double)(x + 1));
    f *= (1 - c) / (1 - b);
    last = x + 1;
  }
  dorm__rounded_sum_add(&sum, (f - 1) * (swap->worth[swap->num_docs] - swap->worth[last]));
  return dorm__rounded_sum_value(&sum);
}

/* A row where groups count once. */
static void repeats_row(dorm__swap *swap, size_t p, size_t end, double *change)
{
  for (size_t q = p + 1; q < end; q++) {
    size_t count = dorm__repeat_swap_changes(swap->query, swap->order, swap->b, p, q, &swap->repeats);
    double *made = &change[q - p - 1];
    if (!count)
      *made = 0;
    else if (swap->form == DORM__TARGET_PRODUCT)
      *made = product_change(swap, count);
    else if (swap->form == DORM__TARGET_PRECISIONS)
      *made = precisions_change(swap, count);
    else if (swap->form == DORM__TARGET_FIRST)
      *made = first_change(swap, count);
    else
      *made = cascade_change(swap, count);
  }
}

void dorm__swap_row(dorm__swap *swap, size_t p, size_t end, double *change)
{
  if (p >= swap->depth) {
    if (end > p + 1)
      memset(change, 0, (end - p - 1) * sizeof *change);
    return;
  }
  if (swap->query->groups.count) {
    repeats_row(swap, p, end, change);
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
    dorm__subtopic_swap_row(swap->query, swap->order, p, end, &swap->subtopics, change);
    break;
  case DORM__TARGET_STRUCTURED:
    break;
  }
}
