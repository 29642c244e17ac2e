/* shortest_path.c: the assignment problem by shortest augmenting paths, the last phase of Jonker and Volgenant, "A
 * shortest augmenting path algorithm for dense and sparse linear assignment problems" (1987), for any costs.
 *
 * Minimises sum_j cost(j, rank[j]) with cost = -gain. Prices stay dual feasible, doc_price[j] + position_price[p] <=
 * cost(j, p), with equality if j is at p. Documents enter one by one, each along a shortest path (Dijkstra's method on
 * reduced costs) to a free position. The augmenting row reduction of the article is omitted, because on costs c[p] g[j]
 * - a[p] b[j] it degenerates into tiny price steps. One row of costs exists at a time, never the matrix. O(num_docs^3)
 * time, linear memory. There is no tolerance: the result is optimal for prices with the rounding errors of at most
 * num_docs additions each.
 *
 * If only a few positions have other costs than in a solved problem with known prices, their documents leave and enter
 * again in the same way. The other prices stay feasible (dorm__shortest_path_adjust). */
#include "assignment/plan.h"

#include <math.h>
#include <string.h>

enum { LANES = 8, STRETCH = 64 };

/* Lowers the distances of positions that are nearer through `doc`, which is at distance `offset`. Scanned positions
 * have price -INFINITY, so their distances do not change. */
DORM__WIDE_VECTORS
static void relax(const dorm__oracle_call *call, const dorm__shortest_path_scratch *s, uint32_t doc, double offset)
{
  size_t num_docs = call->num_docs;
  const double *restrict c = call->c, *restrict price = s->open_price;
  /* The product form is the general one with a = cost and b = -1. */
  const double *restrict a = call->cost ? call->cost + (size_t)doc * num_docs : call->a;
  double score = call->g[doc], gain = call->cost ? -call->t : call->t * call->b[doc];
  double base = offset - s->doc_price[doc], here = doc;
  double *restrict distance = s->distance, *restrict from = s->from;
  size_t num_own = call->num_own;
  for (size_t p = 0; p < num_own; p++) {
    double own = call->g[(p + 1) * num_docs + doc];
    double reduced = base - (c[p] * (score + own) - a[p] * gain) - price[p];
    if (reduced < distance[p]) {
      distance[p] = reduced;
      from[p] = here;
    }
  }
  for (size_t p = num_own; p < num_docs; p++) {
    double reduced = base - (c[p] * score - a[p] * gain) - price[p];
    double old = distance[p], before = from[p];
    from[p] = reduced < old ? here : before;
    distance[p] = reduced < old ? reduced : old;
  }
}

/* The minimum of count numbers, several at a time for vector units. */
DORM__WIDE_VECTORS
static double least_of(size_t count, const double *x)
{
  double least[LANES];
  for (size_t lane = 0; lane < LANES; lane++)
    least[lane] = INFINITY;
  size_t i = 0;
  for (; i + LANES <= count; i += LANES)
    for (size_t lane = 0; lane < LANES; lane++)
      least[lane] = x[i + lane] < least[lane] ? x[i + lane] : least[lane];
  for (; i < count; i++)
    least[0] = x[i] < least[0] ? x[i] : least[0];
  for (size_t lane = 1; lane < LANES; lane++)
    least[0] = least[lane] < least[0] ? least[lane] : least[0];
  return least[0];
}

/* A position at distance `least`, from the first block of positions that has one. Prefers a free position in that
 * block. */
DORM__WIDE_VECTORS
static size_t find_distance(size_t num_docs, const double *distance, double least, const uint32_t *order)
{
  for (size_t start = 0; start < num_docs; start += STRETCH) {
    size_t end = start + STRETCH < num_docs ? start + STRETCH : num_docs, nearest = num_docs;
    int64_t is_here = 0;
    for (size_t p = start; p < end; p++)
      is_here |= distance[p] == least;
    for (size_t p = start; is_here && p < end; p++)
      if (distance[p] == least && (nearest == num_docs || order[p] == DORM__NO_DOC))
        nearest = p;
    if (nearest < num_docs)
      return nearest;
  }
  return num_docs;
}

/* Swaps matched and unmatched edges along the path that ends at `position`. */
static void augment(const dorm__shortest_path_scratch *s, uint32_t *order, size_t position)
{
  while (position != DORM__NO_DOC) {
    uint32_t doc = (uint32_t)s->from[position];
    uint32_t next = s->position_of[doc];
    order[position] = doc;
    s->position_of[doc] = (uint32_t)position;
    position = next;
  }
}

/* Adds one document to the assignment. */
static void add_document(const dorm__oracle_call *call, const dorm__shortest_path_scratch *s, uint32_t root,
                         uint32_t *order)
{
  size_t num_docs = call->num_docs, num_scanned = 0, position;
  for (size_t p = 0; p < num_docs; p++)
    s->distance[p] = INFINITY;
  memcpy(s->open_price, s->position_price, num_docs * sizeof *s->open_price);
  double nearest = 0;
  for (uint32_t doc = root;; doc = order[position]) {
    relax(call, s, doc, nearest);
    nearest = least_of(num_docs, s->distance);
    position = find_distance(num_docs, s->distance, nearest, order);
    if (order[position] == DORM__NO_DOC)
      break;
    s->scanned[num_scanned] = (uint32_t)position;
    s->scanned_distance[num_scanned++] = nearest;
    s->distance[position] = INFINITY;
    s->open_price[position] = -INFINITY;
  }
  s->doc_price[root] += nearest;
  for (size_t i = 0; i < num_scanned; i++) {
    uint32_t p = s->scanned[i];
    s->doc_price[order[p]] += nearest - s->scanned_distance[i];
    s->position_price[p] -= nearest - s->scanned_distance[i];
  }
  augment(s, order, position);
}

void dorm__shortest_path_solve(const dorm__oracle_call *call, const dorm__shortest_path_scratch *s, uint32_t *order)
{
  for (size_t j = 0; j < call->num_docs; j++) {
    order[j] = s->position_of[j] = DORM__NO_DOC;
    s->doc_price[j] = s->position_price[j] = 0;
  }
  for (size_t j = 0; j < call->num_docs; j++)
    add_document(call, s, (uint32_t)j, order);
}

void dorm__shortest_path_adjust(const dorm__oracle_call *call, const dorm__shortest_path_scratch *s, uint32_t *order)
{
  size_t num_docs = call->num_docs;
  for (size_t p = 0; p < num_docs; p++)
    s->position_of[order[p]] = p < call->num_own ? DORM__NO_DOC : (uint32_t)p;
  for (size_t p = 0; p < call->num_own; p++) {
    order[p] = DORM__NO_DOC;
    s->position_price[p] = INFINITY;
    for (size_t j = 0; j < num_docs; j++)
      s->position_price[p] = fmin(s->position_price[p], -dorm__oracle_gain(call, j, p) - s->doc_price[j]);
  }
  for (size_t j = 0; j < num_docs; j++)
    if (s->position_of[j] == DORM__NO_DOC)
      add_document(call, s, (uint32_t)j, order);
}
