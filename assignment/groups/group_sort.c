/* group_sort.c: rankings with disjoint groups for which one sort is exact.
 *
 * With one falling table s and keys v, a ranking is worth sum_p s[p] v[order[p]]. The sets of documents that respect
 * the rooms of disjoint groups are the independent sets of a matroid. The greedy algorithm takes documents by falling
 * key, if their group has room, until `top` are found. Its i-th key is the largest possible for every i at once. The
 * other documents follow by falling key.
 *
 * For any k > top the first k documents of that ranking are the greedy basis of the matroid's elongation to k. So the
 * sum of their keys is the largest for every k. The same holds for their sum weighted by any falling s. O(num_docs log
 * num_docs) */
#include "assignment/groups/groups.h"
#include "assignment/workspace.h"

#include <math.h>
#include <string.h>

/* Times the largest key. */
static const double KEY_TOLERANCE = 1e-14;

void dorm__group_sort_solve(const dorm__group_plan *plan, dorm__oracle_workspace *workspace, size_t num_docs,
                            const double *key, uint32_t *order)
{
  const dorm__group_scratch *scratch = &workspace->groups;
  size_t num_front = 0, num_rest = 0;
  dorm__sort_descending(num_docs, key, workspace->docs, workspace->scores, &workspace->sort);
  memset(scratch->used, 0, num_docs * sizeof *scratch->used);
  for (size_t i = 0; i < num_docs; i++) {
    uint32_t doc = workspace->docs[i], group = plan->group_of[doc];
    bool goes_in_front = num_front < plan->groups.top && scratch->used[group] < plan->room[group];
    scratch->used[group] += goes_in_front;
    if (goes_in_front)
      order[num_front++] = doc;
    else
      scratch->rest[num_rest++] = doc;
  }
  memcpy(order + num_front, scratch->rest, num_rest * sizeof *order);
}

/* Checks that keys fall within the front and after it. If a document after the front has a larger key than one in
 * front, its group must be full, and all documents of the group in front must have keys at least as large. Then no
 * exchange pays. */
bool dorm__group_sort_is_best(const dorm__group_plan *plan, dorm__oracle_workspace *workspace, size_t num_docs,
                              const double *key, const uint32_t *order)
{
  const dorm__group_scratch *scratch = &workspace->groups;
  size_t top = plan->groups.top;
  double largest = 0;
  for (size_t j = 0; j < num_docs; j++)
    largest = fmax(largest, fabs(key[j]));
  double tolerance = KEY_TOLERANCE * largest;
  double *least = scratch->best_worth; /* smallest key in front, by group */
  for (size_t s = 0; s < num_docs; s++) {
    least[s] = INFINITY;
    scratch->used[s] = 0;
  }
  for (size_t p = 0; p < num_docs; p++) {
    uint32_t group = plan->group_of[order[p]];
    if (p > 0 && p != top && key[order[p]] > key[order[p - 1]] + tolerance)
      return false;
    if (p < top) {
      scratch->used[group]++;
      least[group] = fmin(least[group], key[order[p]]);
    } else if (key[order[p]] > key[order[top - 1]] + tolerance &&
               (scratch->used[group] < plan->room[group] || key[order[p]] > least[group] + tolerance)) {
      return false;
    }
  }
  return true;
}
