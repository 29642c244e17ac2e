/* sorted_halves.c: the relevant and the other documents of a query, each by falling score. */
#include "losses/sorted_halves.h"
#include "base/sort.h"
#include "losses/gains.h"

bool dorm__sorted_halves_make(const dorm_loss_query *query, double threshold, const double *scores,
                              dorm__sorted_halves *halves)
{
  size_t num_docs = query->num_docs;
  dorm__sort_scratch scratch;
  *halves = (dorm__sorted_halves){0};
  double *relevance = dorm__alloc(num_docs, sizeof *relevance);
  double *sorted = dorm__alloc(num_docs, sizeof *sorted);
  uint32_t *order = dorm__alloc(num_docs, sizeof *order);
  halves->relevant = dorm__alloc(num_docs, sizeof *halves->relevant);
  bool has_room = dorm__sort_scratch_alloc(num_docs, &scratch) && relevance && sorted && order && halves->relevant;
  if (has_room) {
    halves->others = halves->relevant + dorm__fill_relevance(query, threshold, relevance);
    dorm__sort_descending(num_docs, scores, order, sorted, &scratch);
    for (size_t p = 0; p < num_docs; p++)
      if (relevance[order[p]] > 0)
        halves->relevant[halves->num_relevant++] = order[p];
      else
        halves->others[halves->num_others++] = order[p];
  }
  dorm__sort_scratch_free(&scratch);
  dorm__free(relevance);
  dorm__free(sorted);
  dorm__free(order);
  return has_room;
}

void dorm__sorted_halves_free(dorm__sorted_halves *halves)
{
  dorm__free(halves->relevant);
  *halves = (dorm__sorted_halves){0};
}
