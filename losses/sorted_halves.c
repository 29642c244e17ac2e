/* sorted_halves.c: the relevant and the other documents of a query, each by falling score. */
#include "losses/losses.h"

#include <stdlib.h>

typedef struct scored_doc {
  double score;
  uint32_t doc;
} scored_doc;

static int compare_docs(const void *x, const void *y)
{
  const scored_doc *one = x;
  const scored_doc *two = y;
  if (one->score != two->score)
    return one->score < two->score ? 1 : -1;
  return (one->doc > two->doc) - (one->doc < two->doc);
}

bool dorm__sorted_halves_make(const dorm_loss_query *query, double threshold, const double *scores,
                              dorm__sorted_halves *halves)
{
  size_t num_docs = query->num_docs;
  *halves = (dorm__sorted_halves){0};
  double *relevance = dorm__alloc(num_docs, sizeof *relevance);
  scored_doc *docs = dorm__alloc(num_docs, sizeof *docs);
  halves->relevant = dorm__alloc(num_docs, sizeof *halves->relevant);
  bool has_room = relevance && docs && halves->relevant;
  if (has_room) {
    size_t num_relevant = dorm__fill_relevance(query, threshold, relevance);
    halves->others = halves->relevant + num_relevant;
    for (size_t j = 0; j < num_docs; j++)
      docs[j] = (scored_doc){scores[j], (uint32_t)j};
    qsort(docs, num_docs, sizeof *docs, compare_docs);
    for (size_t i = 0; i < num_docs; i++)
      if (relevance[docs[i].doc] > 0)
        halves->relevant[halves->num_relevant++] = docs[i].doc;
      else
        halves->others[halves->num_others++] = docs[i].doc;
  }
  dorm__free(relevance);
  dorm__free(docs);
  return has_room;
}

void dorm__sorted_halves_free(dorm__sorted_halves *halves)
{
  dorm__free(halves->relevant);
  *halves = (dorm__sorted_halves){0};
}
