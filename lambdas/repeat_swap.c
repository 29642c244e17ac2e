/*
 * repeat_swap.c: repeats in a ranking. A document is a repeat if it shares a group with one above that is no repeat.
 * Where no document is in two groups, the repeats are all but the first of each group, and a swap of u at p and v at q
 * > p changes, beside what stands at p and q, at most
 *
 *   the first document of v's group, if it stands between p and q: v passes it, and it becomes a repeat;
 *   the second of u's group, if u is the first and the second stands between p and q: it becomes the first.
 *
 * Where groups overlap one repeat more or less changes others in turn, and the ranking is gone through again from p on.
 */
#include "lambdas/repeat_swap.h"

#include <string.h>

bool dorm__repeat_swap_alloc(const dorm__target *target, size_t max_docs, dorm__repeat_swap *swap)
{
  size_t count = dorm__target_sizes_of(target)->groups;
  *swap = (dorm__repeat_swap){.taken_at = dorm__alloc(count, sizeof *swap->taken_at),
                              .next_at = dorm__alloc(count, sizeof *swap->next_at),
                              .trial_of = dorm__alloc(count, sizeof *swap->trial_of),
                              .positions = dorm__alloc(max_docs, sizeof *swap->positions),
                              .values = dorm__alloc(max_docs, sizeof *swap->values)};
  return swap->taken_at && swap->next_at && swap->trial_of && swap->positions && swap->values;
}

void dorm__repeat_swap_free(dorm__repeat_swap *swap)
{
  dorm__free(swap->taken_at);
  dorm__free(swap->next_at);
  dorm__free(swap->trial_of);
  dorm__free(swap->positions);
  dorm__free(swap->values);
  *swap = (dorm__repeat_swap){0};
}

void dorm__repeat_swap_begin(const dorm__target_query *query, const uint32_t *order, double *values,
                             dorm__repeat_swap *swap)
{
  const dorm__target_groups *groups = &query->groups;
  for (size_t i = 0; i < groups->count; i++) {
    swap->taken_at[i] = swap->next_at[i] = query->num_docs;
    swap->trial_of[i] = 0;
  }
  swap->num_trials = 0;
  for (size_t p = 0; p < query->num_docs; p++) {
    bool repeats = false;
    for (size_t e = groups->start[order[p]]; e < groups->start[order[p] + 1]; e++) {
      size_t group = groups->numbers[e];
      bool is_second = swap->taken_at[group] < p && swap->next_at[group] == query->num_docs;
      repeats = repeats || swap->taken_at[group] < p;
      if (is_second)
        swap->next_at[group] = p;
    }
    for (size_t e = groups->start[order[p]]; !repeats && e < groups->start[order[p] + 1]; e++)
      swap->taken_at[groups->numbers[e]] = p;
    if (repeats)
      values[p] = 0;
  }
}

/* ---- A swap ------------------------------------------------------------------------- */

/* Notes that the value at a position becomes `value`, if that is another one. */
static size_t note(const double *values, size_t count, size_t position, double value, dorm__repeat_swap *swap)
{
  if (values[position] == value)
    return count;
  swap->positions[count] = position;
  swap->values[count] = value;
  return count + 1;
}

/* The only group of a document; the number of groups if it has none. */
static size_t group_of(const dorm__target_groups *groups, size_t doc)
{
  return groups->start[doc] < groups->start[doc + 1] ? groups->numbers[groups->start[doc]] : groups->count;
}

/* Groups do not overlap. */
static size_t find_changes(const dorm__target_query *query, const uint32_t *order, const double *values, size_t p,
                           size_t q, dorm__repeat_swap *swap)
{
  const dorm__target_groups *groups = &query->groups;
  size_t none = query->num_docs;
  size_t of_u = group_of(groups, order[p]);
  size_t of_v = group_of(groups, order[q]);
  size_t first_of_u = of_u < groups->count ? swap->taken_at[of_u] : p;
  size_t next_of_u = of_u < groups->count ? swap->next_at[of_u] : none;
  size_t first_of_v = of_v < groups->count ? swap->taken_at[of_v] : q;
  bool is_one_group = of_u == of_v && of_u < groups->count;
  /* between p and q */
  size_t passed = !is_one_group && first_of_v > p && first_of_v < q ? first_of_v : none;
  size_t promoted = !is_one_group && first_of_u == p && next_of_u < q ? next_of_u : none;
  bool u_repeats = is_one_group || first_of_u < p || promoted < none;
  size_t count = note(values, 0, p, first_of_v < p ? 0 : query->b[order[q]], swap);
  if (passed < promoted)
    count = note(values, count, passed, 0, swap);
  if (promoted < none)
    count = note(values, count, promoted, query->b[order[promoted]], swap);
  if (passed < none && passed > promoted)
    count = note(values, count, passed, 0, swap);
  return note(values, count, q, u_repeats ? 0 : query->b[order[p]], swap);
}

/* Groups overlap: whether the document is a repeat at or below p, where this trial has gone through what is between. */
static bool try_document(const dorm__target_groups *groups, size_t doc, size_t p, dorm__repeat_swap *swap)
{
  bool repeats = false;
  for (size_t e = groups->start[doc]; e < groups->start[doc + 1]; e++)
    repeats =
        repeats || swap->taken_at[groups->numbers[e]] < p || swap->trial_of[groups->numbers[e]] == swap->num_trials;
  for (size_t e = groups->start[doc]; !repeats && e < groups->start[doc + 1]; e++)
    swap->trial_of[groups->numbers[e]] = swap->num_trials;
  return repeats;
}

size_t dorm__repeat_swap_changes(const dorm__target_query *query, const uint32_t *order, const double *values, size_t p,
                                 size_t q, dorm__repeat_swap *swap)
{
  size_t count = 0;
  if (!query->groups.overlap)
    return find_changes(query, order, values, p, q, swap);
  swap->num_trials++;
  for (size_t x = p; x < query->depth; x++) {
    size_t doc = order[x == p ? q : x == q ? p : x];
    bool repeats = try_document(&query->groups, doc, p, swap);
    count = note(values, count, x, repeats ? 0 : query->b[doc], swap);
  }
  return count;
}
