/*
 * subtopic_swap.c: ΔM of a swap under the measures of subtopics, M = sum over subtopics i and positions p of a[p] g_p
 * A_i[p], where g_p and h_p are gain and chance of the document at p for i (0 if it is not relevant to i), and A_i[p]
 * is the product of 1 - h over the documents above p (subtopic_tables.c). When u at p and v at q > p change places, the
 * terms of subtopic i change by
 *
 *   R_i(v) - R_i(u) + a[q] Q_i (h_u g_v - h_v g_u),      R_i(d) = g_d (a[p] A_i[p] - a[q] Q_i) - h_d B_i
 *
 * where Q_i is the product above q without u's factor, and B_i the sum of a[k] g_k times the product above k without
 * u's factor, over p < k < q. Subtopics that neither is relevant to do not change. B and Q grow with q by the entries
 * of the document that is passed; nothing is divided, so that chances may be 1.
 */
#include "lambdas/subtopic_swap.h"
#include "lambdas/rounded_sum.h"

#include <string.h>

bool dorm__subtopic_swap_alloc(const dorm__target *target, dorm__subtopic_swap *swap)
{
  const dorm__target_sizes *sizes = dorm__target_sizes_of(target);
  *swap = (dorm__subtopic_swap){.above = dorm__alloc(sizes->subtopic_cells, sizeof *swap->above),
                                .between = dorm__alloc(sizes->subtopics, sizeof *swap->between),
                                .passing = dorm__alloc(sizes->subtopics, sizeof *swap->passing),
                                .entry_of = dorm__alloc(sizes->subtopics, sizeof *swap->entry_of)};
  return swap->above && swap->between && swap->passing && swap->entry_of;
}

void dorm__subtopic_swap_free(dorm__subtopic_swap *swap)
{
  dorm__free(swap->above);
  dorm__free(swap->between);
  dorm__free(swap->passing);
  dorm__free(swap->entry_of);
  *swap = (dorm__subtopic_swap){0};
}

void dorm__subtopic_swap_begin(const dorm__target_query *query, const uint32_t *order, dorm__subtopic_swap *swap)
{
  const dorm__target_subtopics *subtopics = &query->subtopics;
  for (size_t i = 0; i < subtopics->count; i++)
    swap->above[i] = 1;
  for (size_t p = 0; p < query->depth; p++) {
    double *here = swap->above + p * subtopics->count;
    double *next = here + subtopics->count;
    memcpy(next, here, subtopics->count * sizeof *here);
    for (size_t e = subtopics->start[order[p]]; e < subtopics->start[order[p] + 1]; e++)
      next[subtopics->numbers[e]] *= 1 - subtopics->chances[e];
  }
}

/* ---- One row -------------------------------------------------------------------- */

/* What does not change while q runs through the row of p. */
typedef struct row {
  const dorm__target_query *query;
  const double *above; /* [S] A[p] */
  size_t p;
  size_t doc; /* u */
} row;

/* Puts the entries of u into entry_of (entry + 1; 0: not relevant), and begins B and Q. */
static void begin_row(const row *at, dorm__subtopic_swap *swap)
{
  const dorm__target_subtopics *subtopics = &at->query->subtopics;
  memcpy(swap->passing, at->above, subtopics->count * sizeof *swap->passing);
  memset(swap->between, 0, subtopics->count * sizeof *swap->between);
  memset(swap->entry_of, 0, subtopics->count * sizeof *swap->entry_of);
  for (size_t e = subtopics->start[at->doc]; e < subtopics->start[at->doc + 1]; e++)
    if (subtopics->gains[e] > 0)
      swap->entry_of[subtopics->numbers[e]] = e + 1;
}

/* Adds `sign` times what a document gains in a subtopic by rising from q to p, its entry taken alone. */
static void add_rise(const row *at, const dorm__subtopic_swap *swap, size_t q, size_t e, double sign,
                     dorm__rounded_sum *sum)
{
  const dorm__target_subtopics *subtopics = &at->query->subtopics;
  const double *a = at->query->a;
  size_t i = subtopics->numbers[e];
  dorm__rounded_sum_add(sum, sign * subtopics->gains[e] * a[at->p] * at->above[i]);
  dorm__rounded_sum_add(sum, -sign * subtopics->gains[e] * a[q] * swap->passing[i]);
  dorm__rounded_sum_add(sum, -sign * subtopics->chances[e] * swap->between[i]);
}

/* The document v stands at q. */
static double change_at(const row *at, const dorm__subtopic_swap *swap, size_t q, size_t v)
{
  const dorm__target_subtopics *subtopics = &at->query->subtopics;
  const double *g = subtopics->gains;
  const double *h = subtopics->chances;
  dorm__rounded_sum sum = {0};
  for (size_t e = subtopics->start[at->doc]; e < subtopics->start[at->doc + 1]; e++)
    add_rise(at, swap, q, e, -1, &sum);
  for (size_t f = subtopics->start[v]; f < subtopics->start[v + 1]; f++) {
    size_t i = subtopics->numbers[f];
    size_t e = swap->entry_of[i] - 1;
    add_rise(at, swap, q, f, 1, &sum);
    if (swap->entry_of[i])
      dorm__rounded_sum_add(&sum, at->query->a[q] * swap->passing[i] * (h[e] * g[f] - h[f] * g[e]));
  }
  return dorm__rounded_sum_value(&sum);
}

/* The document at q is passed: B and Q become those of q + 1. */
static void pass(const dorm__target_query *query, size_t q, size_t doc, const dorm__subtopic_swap *swap)
{
  const dorm__target_subtopics *subtopics = &query->subtopics;
  for (size_t e = subtopics->start[doc]; e < subtopics->start[doc + 1]; e++) {
    size_t i = subtopics->numbers[e];
    swap->between[i] += query->a[q] * subtopics->gains[e] * swap->passing[i];
    swap->passing[i] *= 1 - subtopics->chances[e];
  }
}

void dorm__subtopic_swap_row(const dorm__target_query *query, const uint32_t *order, size_t p, size_t end,
                             dorm__subtopic_swap *swap, double *change)
{
  row at = {query, swap->above + p * query->subtopics.count, p, order[p]};
  begin_row(&at, swap);
  for (size_t q = p + 1; q < end; q++) {
    change[q - p - 1] = change_at(&at, swap, q, order[q]);
    if (q < query->depth)
      pass(query, q, order[q], swap);
  }
}
