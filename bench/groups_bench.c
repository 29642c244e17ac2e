/*
 * groups_bench.c: rankings with groups by the shortcuts beside GLPK's linear and mixed-integer programmes, on the same
 * queries: l documents in l / 4 groups, the first n = 10 positions, the a of NDCG, tables that are zero from n on, and
 * scores that lean to the labels; with c = a, where the shortcut is a sort, and with c = (p + 2)^-1/2 up to n, where it
 * is an assignment.
 */
#include "assignment/assignment.h"
#include "assignment/plan.h"
#include "assignment/workspace.h"
#include "base/base.h"
#include "base/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { TOP = 10, MOST_DOCS = 400, QUERIES = 5 };

typedef struct query {
  double a[MOST_DOCS], b[MOST_DOCS], c[MOST_DOCS], g[MOST_DOCS];
  uint32_t start[MOST_DOCS + 1], docs[MOST_DOCS];
} query;

static void draw(dorm__random *random, size_t num_docs, bool c_is_a, query *made, dorm__oracle_groups *groups)
{
  size_t num_groups = num_docs / 4;
  for (size_t j = 0; j < num_docs; j++) {
    made->a[j] = j < TOP ? 1 / log2((double)j + 2) : 0;
    made->c[j] = c_is_a ? made->a[j] : j < TOP ? pow((double)j + 2, -0.5) : 0;
    made->b[j] = (double)dorm__random_below(random, 3) / 10;
    made->g[j] = 0.2 * dorm__random_normal(random) + made->b[j];
    made->docs[j] = (uint32_t)j;
  }
  for (size_t s = 0; s <= num_groups; s++)
    made->start[s] = (uint32_t)(s * num_docs / num_groups);
  *groups = (dorm__oracle_groups){TOP, 1, num_groups, made->start, made->docs, NULL};
}

/* Seconds per call, the least of `calls` calls; *value becomes the value of the ranking. */
static double measure(dorm_context *context, const query *instance, size_t num_docs, const dorm__oracle_groups *groups,
                      dorm__group_method method, int calls, double *value)
{
  dorm__oracle_plan *plan = NULL;
  dorm__oracle_workspace *workspace = NULL;
  uint32_t order[MOST_DOCS];
  size_t top;
  double best = INFINITY;
  if (dorm__oracle_plan_new(context, DORM__ORACLE_AUTO, num_docs, instance->a, instance->b, instance->c, &plan) !=
          DORM_OK ||
      dorm__oracle_plan_add_groups(context, plan, groups, method, 0, &top) != DORM_OK ||
      dorm__oracle_workspace_new(context, num_docs, &workspace) != DORM_OK) {
    fprintf(stderr, "%s\n", dorm_context_message(context));
    exit(1);
  }
  for (int i = 0; i < calls; i++) {
    double started = dorm__seconds();
    if (dorm__oracle_solve(plan, workspace, instance->g, 1, order, value) != DORM_OK)
      exit(1);
    best = fmin(best, dorm__seconds() - started);
  }
  dorm__oracle_workspace_free(workspace);
  dorm__oracle_plan_free(plan);
  return best;
}

int main(void)
{
  static const size_t sizes[] = {50, 100, 200, 400};
  dorm_context *context = dorm_context_new();
  dorm__random random;
  dorm__random_seed(&random, 1);
  if (!dorm__has_glpk()) {
    printf("groups_bench: dorm was built without GLPK\n");
    return 0;
  }
  printf("shortcut    documents  shortcut us      lp us     mip us  lp/shortcut  largest difference of values\n");
  for (size_t k = 0; context && k < 2 * (sizeof sizes / sizeof *sizes); k++) {
    size_t i = k / 2;
    bool c_is_a = k % 2 == 0;
    double seconds[3] = {0}, difference = 0;
    for (int q = 0; q < QUERIES; q++) {
      static const dorm__group_method methods[] = {DORM__GROUPS_SHORTCUT, DORM__GROUPS_LP, DORM__GROUPS_MIP};
      query instance;
      dorm__oracle_groups groups;
      double values[3];
      draw(&random, sizes[i], c_is_a, &instance, &groups);
      for (int m = 0; m < 3; m++) {
        seconds[m] += measure(context, &instance, sizes[i], &groups, methods[m], m ? 2 : 50, &values[m]) / QUERIES;
        difference = fmax(difference, fabs(values[m] - values[0]));
      }
    }
    printf("%-10s  %9zu  %11.1f %10.0f %10.0f  %11.0f  %.2g\n", c_is_a ? "sort" : "assignment", sizes[i],
           1e6 * seconds[0], 1e6 * seconds[1], 1e6 * seconds[2], seconds[1] / seconds[0], difference);
  }
  dorm_context_free(context);
  return 0;
}
