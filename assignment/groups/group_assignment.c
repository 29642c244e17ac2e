/* group_assignment.c: assigns documents to the first n positions, at most room[s] of group s, if all later positions
 * are alike. The relevant worth is
 *
 *   worth(j, p) = C[j][p] - C[j][n],  C as in dorm__oracle_gain,
 *
 * and the problem is a flow from positions over documents to groups. With room for one document per group it is the
 * rectangular assignment of groups to positions, in which a pair is worth the maximum of worth(j, p) over the group.
 *
 * Positions enter one by one, each along a longest path in the residual graph, whose nodes can be restricted to the
 * filled positions. A position that gave up its document takes either the document of another position q, or a document
 * that is not in front. If the group of that document is full, some position q with a document of the group gives it
 * up. Otherwise the path ends. There are no cycles of positive worth, so the labels settle.
 *
 * Documents can be left out by this rule: for each position p, take the n documents that are worth most there with at
 * most room[s] of each group. Only these documents matter. Suppose that another document is at p. The documents at the
 * other positions are n - 1 independent elements of the matroid. The n documents are its best basis, so one of them can
 * be added to these elements. It is not among them, and is worth no less at p. Finding these m documents takes O(n l).
 * Each position takes O(n) scans of O(m), and usually one scan: O(n^2 m). */
#include "assignment/groups/groups.h"
#include "assignment/plan.h"

#include <math.h>

enum { MOST_TOP = 32 }; /* with more positions in front, all documents are candidates */

typedef struct group_search {
  const dorm__group_plan *plan;
  const dorm__oracle_call *call;
  const dorm__group_scratch *s;
  size_t num_candidates;
  uint32_t *candidates; /* documents that may be in front, in document order */
  uint32_t *order;      /* the document at each filled position */
  size_t num_filled;
  double tolerance;
  double end_worth; /* of the best path so far, which ends when end_position takes end_doc */
  uint32_t end_position, end_doc;
} group_search;

static double worth(const group_search *search, size_t p, size_t j)
{
  return dorm__worth_in_front(search->call, search->plan->flat_from, p, j);
}

/* The best documents for one position, at most room[s] of each group. */
typedef struct group_basis {
  size_t count;
  uint32_t docs[MOST_TOP];
  double values[MOST_TOP];
} group_basis;

/* The place of the document with the smallest value, among the documents of `group` unless that is DORM__NO_DOC. */
static size_t least_of(const group_basis *basis, const uint32_t *group_of, uint32_t group)
{
  size_t least = basis->count;
  for (size_t i = 0; i < basis->count; i++)
    if ((group == DORM__NO_DOC || group_of[basis->docs[i]] == group) &&
        (least == basis->count || basis->values[i] < basis->values[least]))
      least = i;
  return least;
}

/* The best basis of the matroid for position p. s->used counts its documents of each group, and is zero before and
 * after the call. A document that would close a circuit replaces the document with the smallest value in it. */
static void find_basis(const group_search *search, size_t p, group_basis *basis)
{
  const dorm__group_plan *plan = search->plan;
  const dorm__oracle_call *call = search->call;
  uint32_t *used = search->s->used;
  size_t top = plan->groups.top;
  double c = call->c[p] - call->c[plan->flat_from];
  double a = call->cost ? 0 : call->t * (call->a[p] - call->a[plan->flat_from]);
  double least_value = -INFINITY; /* of a full basis */
  basis->count = 0;
  for (size_t j = 0; j < call->num_docs; j++) {
    double value = call->cost ? worth(search, p, j) : c * call->g[j] - a * call->b[j];
    if (!(value > least_value))
      continue;
    uint32_t group = plan->group_of[j];
    bool is_full = used[group] >= plan->room[group];
    size_t place = basis->count;
    if (is_full || basis->count == top) {
      place = least_of(basis, plan->group_of, is_full ? group : DORM__NO_DOC);
      if (place == basis->count || basis->values[place] >= value)
        continue;
      used[plan->group_of[basis->docs[place]]]--;
    } else {
      basis->count++;
    }
    used[group]++;
    basis->docs[place] = (uint32_t)j;
    basis->values[place] = value;
    if (basis->count == top)
      least_value = basis->values[least_of(basis, plan->group_of, DORM__NO_DOC)];
  }
  for (size_t i = 0; i < basis->count; i++)
    used[plan->group_of[basis->docs[i]]] = 0;
}

/* Collects the documents of the bases of all positions, or all documents if there are many positions. */
static void choose_candidates(group_search *search)
{
  size_t num_docs = search->call->num_docs;
  size_t top = search->plan->groups.top;
  uint32_t *holder = search->s->holder;
  bool takes_all = top > MOST_TOP;
  for (size_t p = 0; !takes_all && p < top; p++) {
    group_basis basis;
    find_basis(search, p, &basis);
    for (size_t i = 0; i < basis.count; i++)
      holder[basis.docs[i]] = 0; /* a mark */
  }
  search->num_candidates = 0;
  for (size_t j = 0; j < num_docs; j++)
    if (takes_all || holder[j] != DORM__NO_DOC) {
      search->candidates[search->num_candidates++] = (uint32_t)j;
      holder[j] = DORM__NO_DOC;
    }
}

/* Finds the best document for position p that is not in front and whose group has room. *most is its worth there. The
 * best documents of full groups go to s->best and s->best_worth, by group. */
static uint32_t find_free(const group_search *search, size_t p, double *most)
{
  const dorm__group_plan *plan = search->plan;
  const dorm__group_scratch *s = search->s;
  uint32_t found = DORM__NO_DOC;
  *most = -INFINITY;
  for (size_t q = 0; q < search->num_filled; q++)
    s->best_worth[plan->group_of[search->order[q]]] = -INFINITY;
  const dorm__oracle_call *call = search->call;
  double c = call->c[p] - call->c[plan->flat_from];
  double a = call->cost ? 0 : call->t * (call->a[p] - call->a[plan->flat_from]);
  for (size_t i = 0; i < search->num_candidates; i++) {
    uint32_t j = search->candidates[i];
    if (s->holder[j] != DORM__NO_DOC)
      continue;
    uint32_t group = plan->group_of[j];
    double value = call->cost ? worth(search, p, j) : c * call->g[j] - a * call->b[j];
    if (s->used[group] < plan->room[group]) {
      if (value > *most) {
        *most = value;
        found = j;
      }
    } else if (s->used[group] > 0 && value > s->best_worth[group]) {
      s->best_worth[group] = value;
      s->best[group] = j;
    }
  }
  return found;
}

/* The worth of the path to p (`gained`) after extending it to q: p takes *doc, which makes q give up its document. */
static double pushed_worth(const group_search *search, size_t p, double gained, size_t q, uint32_t *doc)
{
  const dorm__group_scratch *s = search->s;
  uint32_t held = search->order[q], group = search->plan->group_of[held];
  double most = worth(search, p, held);
  *doc = held;
  if (s->used[group] >= search->plan->room[group] && s->best_worth[group] > most) {
    most = s->best_worth[group];
    *doc = s->best[group];
  }
  return gained + most - worth(search, q, held);
}

static void scan(group_search *search, uint32_t p, uint32_t start, size_t *queue_end)
{
  const dorm__group_scratch *s = search->s;
  size_t num_docs = search->call->num_docs;
  double most;
  uint32_t doc = find_free(search, p, &most);
  if (doc != DORM__NO_DOC && s->gain[p] + most > search->end_worth) {
    search->end_worth = s->gain[p] + most;
    search->end_position = p;
    search->end_doc = doc;
  }
  for (uint32_t q = 0; q < search->num_filled; q++) {
    if (q == p)
      continue;
    double value = pushed_worth(search, p, s->gain[p], q, &doc);
    if (!(value > s->gain[q] + search->tolerance))
      continue;
    s->gain[q] = value;
    s->from[q] = p;
    s->by[q] = doc;
    if (!s->is_queued[q] && q != start) {
      s->is_queued[q] = 1;
      s->queue[(*queue_end)++ % num_docs] = q;
    }
  }
}

/* Gives every position on the path, from its end back to `start`, its new document. */
static void apply_path(group_search *search, uint32_t start)
{
  const dorm__group_scratch *s = search->s;
  uint32_t p = search->end_position, doc = search->end_doc;
  s->used[search->plan->group_of[doc]]++;
  while (p != start) {
    s->holder[search->order[p]] = DORM__NO_DOC;
    search->order[p] = doc;
    s->holder[doc] = p;
    doc = s->by[p];
    p = s->from[p];
  }
  search->order[start] = doc;
  s->holder[doc] = start;
}

static void add_position(group_search *search, uint32_t start)
{
  const dorm__group_scratch *s = search->s;
  size_t num_docs = search->call->num_docs, begin = 0, end = 0;
  size_t most_scans =
      4 * (search->num_filled + 1) * (search->num_filled + 1); /* a bound in case rounding prevents settling */
  for (size_t q = 0; q < search->num_filled; q++) {
    s->gain[q] = -INFINITY;
    s->is_queued[q] = 0;
  }
  s->gain[start] = 0;
  search->end_worth = -INFINITY;
  scan(search, start, start, &end);
  while (begin < end && most_scans--) {
    uint32_t p = s->queue[begin++ % num_docs];
    s->is_queued[p] = 0;
    scan(search, p, start, &end);
  }
  apply_path(search, start);
  search->num_filled++;
}

void dorm__group_assignment_solve(const dorm__group_plan *plan, const dorm__oracle_call *call, double tolerance,
                                  const dorm__group_scratch *scratch, uint32_t *order)
{
  group_search search = {
      .plan = plan, .call = call, .s = scratch, .order = order, .tolerance = tolerance, .candidates = scratch->rest};
  for (size_t j = 0; j < call->num_docs; j++) {
    scratch->holder[j] = DORM__NO_DOC;
    scratch->used[j] = 0;
  }
  choose_candidates(&search);
  for (size_t p = 0; p < plan->groups.top; p++)
    add_position(&search, (uint32_t)p);
  dorm__fill_after(call->num_docs, plan->groups.top, scratch->holder, order);
}

bool dorm__group_assignment_is_best(const dorm__group_plan *plan, const dorm__oracle_call *call, double tolerance,
                                    const dorm__group_scratch *scratch, const uint32_t *order)
{
  size_t top = plan->groups.top;
  group_search search = {.plan = plan,
                         .call = call,
                         .s = scratch,
                         .order = (uint32_t *)order,
                         .num_filled = top,
                         .tolerance = tolerance,
                         .candidates = scratch->rest};
  for (size_t j = 0; j < call->num_docs; j++) {
    search.candidates[search.num_candidates++] = (uint32_t)j;
    scratch->holder[j] = DORM__NO_DOC;
    scratch->used[j] = 0;
  }
  for (size_t p = 0; p < top; p++) {
    scratch->holder[order[p]] = (uint32_t)p;
    scratch->used[plan->group_of[order[p]]]++;
    scratch->gain[p] = 0;
  }
  /* Bellman-Ford for longest paths to each position and, through a document of a group with room, to the end, from
   * which every position can be reached backwards. Without a cycle of positive worth, they settle within as many sweeps
   * as there are nodes. */
  double end = 0;
  for (size_t sweep = 0; sweep <= top + 1; sweep++) {
    bool is_settled = true;
    for (size_t p = 0; p < top; p++) {
      double most;
      uint32_t doc;
      if (find_free(&search, p, &most) != DORM__NO_DOC && scratch->gain[p] + most > end + tolerance) {
        end = scratch->gain[p] + most;
        is_settled = false;
      }
      for (size_t q = 0; q < top; q++) {
        double value = q == p ? -INFINITY : pushed_worth(&search, p, scratch->gain[p], q, &doc);
        uint32_t held = order[p], group = plan->group_of[held];
        if (q == p && scratch->used[group] >= plan->room[group]) /* another document of its own group */
          value = scratch->gain[p] + scratch->best_worth[group] - worth(&search, p, held);
        value = fmax(value, end - worth(&search, q, order[q]));
        if (value > scratch->gain[q] + tolerance) {
          scratch->gain[q] = value;
          is_settled = false;
        }
      }
    }
    if (is_settled)
      return true;
  }
  return false;
}
