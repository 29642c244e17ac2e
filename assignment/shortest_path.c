/*
 * shortest_path.c: the assignment problem by shortest augmenting paths, the
 * last phase of Jonker and Volgenant, "A shortest augmenting path algorithm for
 * dense and sparse linear assignment problems" (1987), for any costs.
 *
 * Minimises sum_j cost(j, rank[j]) with cost = -gain. Prices stay dual
 * feasible, doc_price[j] + position_price[p] <= cost(j, p), with equality where
 * j stands at p; documents enter one by one, each along a shortest path
 * (Dijkstra on reduced costs) to a free position. The paper's augmenting row
 * reduction is left out: on costs c[p] g[j] - a[p] b[j] it turns into a price
 * war of tiny steps. No matrix: one row of costs at a time. O(num_docs^3) time,
 * linear memory. No tolerance is used: the result is optimal for prices that
 * carry the rounding of at most num_docs additions each.
 */
#include "assignment/assignment.h"

#include <math.h>
#include <string.h>

/* row[p] = cost(doc, p) - doc_price - position_price + offset */
static void reduced_costs(const dorm__oracle_call *call, const dorm__shortest_path_scratch *s, uint32_t doc,
                          double offset)
{
  size_t num_docs = call->num_docs;
  double score = call->g[doc], base = offset - s->doc_price[doc];
  const double *c = call->c, *price = s->position_price;
  double *row = s->row;
  if (call->cost) {
    const double *cost = call->cost + (size_t)doc * num_docs;
    for (size_t p = 0; p < num_docs; p++)
      row[p] = base - (c[p] * score + call->t * cost[p]) - price[p];
  } else {
    const double *a = call->a;
    double gain = call->t * call->b[doc];
    for (size_t p = 0; p < num_docs; p++)
      row[p] = base - (c[p] * score - a[p] * gain) - price[p];
  }
}

/* Lowers distances by way of `doc`; returns the nearest position not scanned
 * yet, a free one where distances tie. */
static size_t scan(const dorm__oracle_call *call, const dorm__shortest_path_scratch *s, uint32_t doc, double offset,
                   const uint32_t *order)
{
  reduced_costs(call, s, doc, offset);
  size_t best = call->num_docs;
  for (size_t p = 0; p < call->num_docs; p++) {
    if (s->is_scanned[p])
      continue;
    if (s->row[p] < s->distance[p]) {
      s->distance[p] = s->row[p];
      s->from[p] = doc;
    }
    if (best == call->num_docs || s->distance[p] < s->distance[best] ||
        (s->distance[p] == s->distance[best] && order[p] == DORM__NO_DOC && order[best] != DORM__NO_DOC))
      best = p;
  }
  return best;
}

/* Swaps the edges of the path that ends at `position`. */
static void augment(const dorm__shortest_path_scratch *s, uint32_t *order, size_t position)
{
  while (position != DORM__NO_DOC) {
    uint32_t doc = s->from[position];
    uint32_t next = s->position_of[doc];
    order[position] = doc;
    s->position_of[doc] = (uint32_t)position;
    position = next;
  }
}

void dorm__shortest_path_solve(const dorm__oracle_call *call, const dorm__shortest_path_scratch *s, uint32_t *order)
{
  size_t num_docs = call->num_docs;
  for (size_t j = 0; j < num_docs; j++) {
    order[j] = s->position_of[j] = DORM__NO_DOC;
    s->doc_price[j] = s->position_price[j] = 0;
  }
  for (size_t root = 0; root < num_docs; root++) {
    memset(s->is_scanned, 0, num_docs);
    for (size_t p = 0; p < num_docs; p++)
      s->distance[p] = INFINITY;
    size_t num_scanned = 0;
    double nearest = 0;
    uint32_t doc = (uint32_t)root;
    size_t position;
    for (;;) {
      position = scan(call, s, doc, nearest, order);
      nearest = s->distance[position];
      if (order[position] == DORM__NO_DOC)
        break;
      s->is_scanned[position] = 1;
      s->scanned[num_scanned++] = (uint32_t)position;
      doc = order[position];
    }
    s->doc_price[root] += nearest;
    for (size_t i = 0; i < num_scanned; i++) {
      uint32_t p = s->scanned[i];
      s->doc_price[order[p]] += nearest - s->distance[p];
      s->position_price[p] -= nearest - s->distance[p];
    }
    augment(s, order, position);
  }
}
