/* sums.c: sums over the queries of all processes. */
#include "solver/sums.h"
#include "base/processes.h"

#include <math.h>

double dorm__sum_queries(const dorm__problem *problem, double start, dorm__add_query add, const void *user)
{
  double sum;
  for (size_t block = 0; block < problem->num_blocks; block++) {
    double *part = &problem->block_sums[block];
    *part = problem->first_block + block ? 0 : start;
    for (size_t i = problem->block_start[block]; i < problem->block_start[block + 1]; i++)
      add(user, i, part);
  }
  return dorm__processes_sum(problem->context, problem->num_blocks, 1, problem->block_sums, &sum) == DORM_OK ? sum
                                                                                                             : NAN;
}

void dorm__count_all(const dorm__problem *problem, size_t count, size_t *numbers)
{
  enum { MOST = 4 };
  uint64_t totals[MOST];
  for (size_t i = 0; i < count; i++)
    totals[i] = numbers[i];
  if (dorm__processes_totals(problem->context, count, totals) == DORM_OK)
    for (size_t i = 0; i < count; i++)
      numbers[i] = (size_t)totals[i];
}
