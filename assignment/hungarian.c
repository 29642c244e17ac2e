/* hungarian.c: the assignment problem by the textbook method of Kuhn and Munkres, with labels and slacks. It serves to
 * verify the other methods and shares no code with them. O(num_docs^3) time, linear memory.
 *
 * Labels obey doc_label[j] + position_label[p] >= gain(j, p). An edge is tight if both sides are equal. Every document
 * in turn is the root of a tree of alternating tight edges, which grows by the position with the smallest slack until
 * it reaches a free one. */
#include "assignment/plan.h"

#include <math.h>
#include <string.h>

/* Adds a document to the tree and updates the slacks. */
static void add_doc(const dorm__oracle_call *call, const dorm__hungarian_scratch *s, uint32_t doc)
{
  s->doc_in_tree[doc] = 1;
  for (size_t p = 0; p < call->num_docs; p++) {
    if (s->position_in_tree[p])
      continue;
    double slack = s->doc_label[doc] + s->position_label[p] - dorm__oracle_gain(call, doc, p);
    if (slack < s->slack[p]) {
      s->slack[p] = slack;
      s->slack_doc[p] = doc;
    }
  }
}

/* The position with the smallest slack outside the tree. */
static size_t nearest_position(size_t num_docs, const dorm__hungarian_scratch *s)
{
  size_t best = num_docs;
  for (size_t p = 0; p < num_docs; p++)
    if (!s->position_in_tree[p] && (best == num_docs || s->slack[p] < s->slack[best]))
      best = p;
  return best;
}

/* Shifts labels so that the nearest position becomes tight and the edges of the tree remain tight. */
static void shift_labels(size_t num_docs, const dorm__hungarian_scratch *s, double delta)
{
  for (size_t i = 0; i < num_docs; i++) {
    if (s->doc_in_tree[i])
      s->doc_label[i] -= delta;
    if (s->position_in_tree[i])
      s->position_label[i] += delta;
    else
      s->slack[i] -= delta;
  }
}

/* Swaps matched and unmatched edges along the path from `position` back to the root. */
static void augment(const dorm__hungarian_scratch *s, uint32_t *order, size_t position)
{
  while (position != DORM__NO_DOC) {
    uint32_t doc = s->slack_doc[position];
    uint32_t next = s->position_of[doc];
    order[position] = doc;
    s->position_of[doc] = (uint32_t)position;
    position = next;
  }
}

void dorm__hungarian_solve(const dorm__oracle_call *call, const dorm__hungarian_scratch *s, uint32_t *order)
{
  size_t num_docs = call->num_docs;
  for (size_t j = 0; j < num_docs; j++) {
    order[j] = s->position_of[j] = DORM__NO_DOC;
    s->position_label[j] = 0;
    s->doc_label[j] = -INFINITY;
    for (size_t p = 0; p < num_docs; p++)
      s->doc_label[j] = fmax(s->doc_label[j], dorm__oracle_gain(call, j, p));
  }
  for (size_t root = 0; root < num_docs; root++) {
    memset(s->doc_in_tree, 0, num_docs);
    memset(s->position_in_tree, 0, num_docs);
    for (size_t p = 0; p < num_docs; p++)
      s->slack[p] = INFINITY;
    add_doc(call, s, (uint32_t)root);
    for (;;) {
      size_t position = nearest_position(num_docs, s);
      shift_labels(num_docs, s, s->slack[position]);
      s->position_in_tree[position] = 1;
      if (order[position] == DORM__NO_DOC) {
        augment(s, order, position);
        break;
      }
      add_doc(call, s, order[position]);
    }
  }
}
