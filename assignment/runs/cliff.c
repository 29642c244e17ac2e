/* cliff.c: chooses which documents are in front of a truncation, that is at the first k positions, with k = truncation.
 *
 * At position k the table a may fall steeply to its constant tail. The greedy merge considers one fall of the tables at
 * a time. It meets this cliff only at position k - 1, after it has chosen the documents in front. This file chooses
 * them by another rule. The worth of a document at position p is c[p] g - a[p] b minus the price of p. For each
 * document it compares the worth at the best position in front with the worth at that position of the tail that fits
 * its score. The k documents with the largest difference are chosen.
 *
 * Prices are potentials at midpoints (certificate.c). In front they are computed from the greedy merge, in the tail
 * from the documents that are not in front. A second choice can follow. Its prices in front are the means of the prices
 * of both choices, because a choice by new prices alone changes too much.
 *
 * Within a run the difference nearly falls with the score, so a choice is a merge of runs. Errors of the choice cost
 * only time, because it is the start of the search for the best ranking. */
#include "assignment/runs/merge.h"

#include <math.h>
#include <string.h>

/* Found by timing, as in merge_runs.c. */
enum {
  REACH = 10, /* positions in front that are tried after the best one so far */
  LARGE = 16  /* for larger truncations, a second choice saves time for every query */
};

typedef struct cliff {
  dorm__merge_task *task;
  size_t k;
  const double *price;                /* [k] of the positions in front */
  uint32_t before[DORM__MOST_LEVELS]; /* number of documents of each run that the previous choice has in front */
  uint32_t place[DORM__MOST_LEVELS];  /* of each run: best position in front for the document tried last */
  uint32_t seen[DORM__MOST_LEVELS];   /* number of documents of each run among the visited ranks */
  double *behind;                     /* by rank: worth of the document in the tail, without the term a b */
  size_t rank, tail;                  /* the next rank to visit, and the next position in the tail */
  double last_score, last_price;      /* score and price of the previous position in the tail */
} cliff;

/* Visits the document of the next rank, and fills `behind`. A document that the previous choice has in front would be
 * in the tail at the position that its score gives it. */
static void walk(cliff *own)
{
  const dorm__merge_task *task = own->task;
  const double *c = task->merge.c;
  size_t rank = own->rank++, run = task->levels->level_of[task->ranked->docs[rank]];
  size_t p = own->tail < task->call->num_docs ? own->tail : own->tail - 1;
  double score = task->ranked->scores[rank] - task->ranked->offset, price = 0;
  if (p > own->k)
    price = own->last_price + 0.5 * (c[p] - c[p - 1]) * (own->last_score + score);
  own->behind[rank] = c[p] * score - price;
  bool is_in_front = own->seen[run]++ < own->before[run];
  own->tail += !is_in_front;
  own->last_score = is_in_front ? own->last_score : score;
  own->last_price = is_in_front ? own->last_price : price;
}

/* Returns the largest worth of document n (from 0) of a run in front, minus its worth in the tail. As the score falls,
 * the best position in front moves back. So the search begins at the best position of the previous document, and
 * continues while it finds better ones. */
static double worth_in_front(cliff *own, size_t run, size_t n)
{
  dorm__merge_task *task = own->task;
  const dorm__merge *merge = &task->merge;
  dorm__merge_find_document(task, run, n);
  while (own->rank < task->next_rank)
    walk(own);
  double score = merge->scores[run][n], gain = merge->gain[run], best = -INFINITY;
  size_t place = own->place[run], p = place, before;
  do {
    before = place;
    for (size_t end = p + REACH < own->k ? p + REACH : own->k; p < end; p++) { /* written without branches */
      double value = merge->c[p] * score - merge->a[p] * gain - own->price[p];
      place = value > best ? p : place;
      best = value > best ? value : best;
    }
  } while (place > before && p < own->k);
  own->place[run] = (uint32_t)place;
  return best - own->behind[task->scratch->runs.ranks[task->scratch->runs.start[run] + n]];
}

/* Chooses the k documents with the largest worth_in_front. Sets own->before to the number of them in each run. */
static void choose(cliff *own)
{
  const dorm__merge_task *task = own->task;
  double worth[DORM__MOST_LEVELS];
  uint32_t taken[DORM__MOST_LEVELS] = {0};
  size_t num_runs = task->merge.num_runs;
  for (size_t q = 0; q < num_runs; q++)
    worth[q] = worth_in_front(own, q, 0);
  for (size_t p = 0; p < own->k; p++) {
    size_t best = 0;
    for (size_t q = 1; q < num_runs; q++)
      best = taken[best] == task->size[best] || worth[q] > worth[best] ? q : best;
    taken[best]++;
    worth[best] = taken[best] < task->size[best] ? worth_in_front(own, best, taken[best]) : -INFINITY;
  }
  memcpy(own->before, taken, sizeof taken);
}

/* Sets price [k] of the positions in front to the potentials of the present merge or, unless is_first, to the means of
 * these potentials and the previous prices. */
static void set_prices(dorm__merge_task *task, size_t k, bool is_first, double *price)
{
  dorm__merge front = task->merge;
  front.count = k;
  dorm__merge_refresh(&front);
  dorm__merge_midpoints(&front);
  for (size_t p = 0; p < k; p++)
    price[p] = is_first ? front.potential[p] : 0.5 * (price[p] + front.potential[p]);
}

void dorm__merge_choose_head(dorm__merge_task *task)
{
  size_t k = task->truncation, num_runs = task->merge.num_runs;
  double *price = task->scratch->pairs.a;
  /* If t < 0, large gains move documents up from far behind, and one choice often misses some of them. */
  int choices = (task->call->t < 0 && task->merge.count < task->call->num_docs) || k > LARGE ? 2 : 1;
  for (int choice = 0; choice < choices; choice++) {
    cliff own = {.task = task, .k = k, .price = price, .behind = task->scratch->pairs.c, .tail = k};
    dorm__merge_greedily(task, k);
    set_prices(task, k, choice == 0, price);
    memcpy(own.before, task->merge.length, num_runs * sizeof *own.before);
    choose(&own);
    memcpy(task->limit, own.before, num_runs * sizeof *task->limit);
  }
}
