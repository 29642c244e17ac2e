/*
 * square_hinge.c: a gradient function of one's own. For each pair of documents i and j with label_i > label_j,
 *
 *   C += max(0, margin - (g_i - g_j))^2 / 2,
 *
 * which is convex. Compile with
 *   cc -shared -fPIC square_hinge.c -o square_hinge.so $(pkg-config --cflags dorm)
 */
#include <dorm/plugin.h>

#include <stdlib.h>

static const dorm_loss_parameter parameters[] = {
    {"margin", "1", NULL, 0, 1e9, 0, "distance up to which a pair pushes"},
};

static int create(const dorm_host *host, const dorm_loss_value *values, void **state)
{
  double *margin = malloc(sizeof *margin);
  if (!margin)
    return host->fail(host, "out of memory");
  *margin = values[0].number;
  *state = margin;
  return 0;
}

static int fill(const dorm_host *host, const void *state, const dorm_lambda_query *query, double *lambda,
                double *curvature, double *cost)
{
  const double *margin = state;
  (void)host;
  *cost = 0;
  for (size_t i = 0; i < query->num_docs; i++)
    for (size_t j = 0; j < query->num_docs; j++) {
      double missing = *margin - (query->scores[i] - query->scores[j]);
      if (query->labels[i] <= query->labels[j] || missing <= 0)
        continue;
      lambda[i] += missing;
      lambda[j] -= missing;
      curvature[i] += 1;
      curvature[j] += 1;
      *cost += missing * missing / 2;
    }
  return 0;
}

const dorm_lambda_module *dorm_lambda_module_entry(void)
{
  static const dorm_lambda_module module = {
      .abi = DORM_PLUGIN_ABI,
      .struct_size = sizeof(dorm_lambda_module),
      .name = "square_hinge",
      .help = "sum over pairs of max(0, margin - (g_i - g_j))",
      .num_parameters = sizeof parameters / sizeof *parameters,
      .parameters = parameters,
      .create = create,
      .destroy = free,
      .sums_to_zero = 1,
      .has_cost = 1,
      .fill = fill,
  };
  return &module;
}
