/* keys.c: sort keys of the documents of a call.
 *
 * In the product form the value of a ranking is
 *
 *   sum_p  c[p] g[order[p]] - t a[p] b[order[p]].
 *
 * Let a and c be affine in one falling table s, a = alpha s + const and c = gamma s + const. Up to a constant, the
 * value is sum_p s[p] key[order[p]] with key[j] = gamma g[j] - t alpha b[j]. A sort by falling key is then exact
 * (rearrangement inequality). The same holds for constant b or t = 0, with key = g. */
#include "assignment/assignment.h"
#include "assignment/plan.h"
#include "assignment/runs/runs.h"
#include "assignment/workspace.h"

#include <math.h>

/* Times the largest |gain|. */
static const double TOLERANCE = 4e-15;

const double *dorm__oracle_keys(const dorm__oracle_plan *plan, dorm__oracle_workspace *workspace,
                                const dorm__oracle_call *call)
{
  if (!plan->can_sort || (plan->key_of_g == 1 && plan->key_of_b == 0) || call->t == 0)
    return call->g;
  for (size_t j = 0; j < call->num_docs; j++)
    workspace->keys[j] = plan->key_of_g * call->g[j] - call->t * plan->key_of_b * call->b[j];
  return workspace->keys;
}

dorm__ranked dorm__oracle_rank(dorm__oracle_workspace *workspace, const dorm__oracle_call *call)
{
  size_t count = call->num_docs;
  dorm__sort_descending(count, call->g, workspace->docs, workspace->scores, &workspace->sort);
  const double *scores = workspace->scores;
  return (dorm__ranked){.docs = workspace->docs, .scores = scores, .offset = 0.5 * (scores[0] + scores[count - 1])};
}

double dorm__oracle_tolerance(const dorm__oracle_plan *plan, double t, double spread)
{
  return TOLERANCE * (spread * plan->magnitude_of_g + fabs(t) * plan->magnitude_of_t);
}
